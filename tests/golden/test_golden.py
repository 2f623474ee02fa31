"""Nothing has changed since the golden files were created: records, journals and all outputs.

These tests use the package only through its command line. See ``tools.golden``.
"""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.golden import files
from tests.golden.commands import COMMANDS
from tests.web.servers import Server

pytestmark = pytest.mark.xdist_group("golden")

NEEDED = {
    "records": {"taken_over", "void", "refused", "leave", "sit_out", "seed", "take_back", "refill"},
    "rounds": {"lost void", "rolls void", "toss void", "rolls settled", "toss settled"},
    "seats": {"toss-one-21 1", "toss-one-21 7", "roll-your-own 1", "roll-your-own 7"},
    "decisions": {"toss", "set", "insure", "hit", "stand", "double", "split"},
    "insured": {"true", "false"},
    "decided_by": {"player", "timer"},
    "rules": {"roll-your-own 7j", "roll-your-own 8", "roll-your-own 7i", "toss-one-21 9"},
    "hands": {"roll-your-own 4"},
}
"""The kinds that the database was made for."""


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """Return a copy of the golden database; no test changes it."""
    return files.open_database(tmp_path_factory.mktemp("golden"))


# --- the database


def test_the_database_has_every_kind(database):
    """The database contains every required kind of record, as often as before."""
    counts = json.loads(json.dumps(files.kinds(database)))

    assert counts == json.loads(files.load(files.KINDS))
    assert {name: needed - counts[name].keys() for name, needed in NEEDED.items()} == {
        name: set() for name in NEEDED
    }
    assert sum(counts["rounds"].values()) > 300


def test_the_audit_passes(database):
    """The audit finds nothing wrong, and counts the same records, rounds and cents."""
    folder = database.parent
    anchors = ["--anchors", str(files.ANCHORS), "--save-anchors", "heads.json"]
    audit = files.load(files.AUDIT)

    assert files.run(["audit", database.name, "--json", *anchors], folder) == (0, audit)
    assert json.loads(audit)["not_restored"] == 1
    assert (folder / "heads.json").read_text("utf-8") == files.load(files.ANCHORS)


def test_an_altered_database_is_found(tmp_path):
    """The audit really reads this database: one cent more in a record is found."""
    path = files.open_database(tmp_path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE ledger SET amount = amount + 1 WHERE id = 1000")
    status, printed = files.run(["audit", path.name, "--json"], tmp_path)

    assert status == 1
    assert json.loads(printed)["findings"]


def test_a_server_goes_on_with_it(tmp_path):
    """A server upgrades the database if needed and takes over its tables; the books stay right."""
    path = files.unpack_database(tmp_path)
    with Server(f"sqlite:///{path}") as server:
        server.stop()
    anchored = ["audit", path.name, "--json", "--anchors", str(files.ANCHORS)]
    status, printed = files.run(anchored, tmp_path)

    assert status == 0, printed
    assert json.loads(printed)["records"] > json.loads(files.load(files.AUDIT))["records"]


def test_every_round_verifies(database, tmp_path):
    """Every round of the database verifies from its seeds, with the same output."""
    verified = files.verified(files.ended_rounds(database), tmp_path)

    assert verified == files.load(files.VERIFIED)


# --- journals


def test_every_journal_replays(database, tmp_path):
    """Every journal replays to the results that it claims, with the same output."""
    journals = [*files.dealt_journals(database), *files.load_lines(files.JOURNALS)]
    status, printed = files.replayed(journals, tmp_path)

    assert status == 0
    assert printed == files.load(files.REPLAYED)


def test_broken_journals_are_rejected(tmp_path):
    """A journal that is illegal or claims another result gets the same status and error."""
    rejected = files.rejected(files.load_lines(files.BROKEN), tmp_path)

    assert rejected == files.load(files.REJECTED)


# --- outputs


def _parameter(command):
    marks = [pytest.mark.long] if command.is_long else []
    return pytest.param(command, id=command.name, marks=marks)


@pytest.mark.parametrize("command", [*map(_parameter, COMMANDS)])
def test_the_output_is_the_same(command, tmp_path):
    """A command prints or writes the same output as before, byte for byte."""
    assert files.output(command, tmp_path) == files.load(files.OUTPUTS / command.name)


def test_every_output_has_its_command():
    """Every golden output is compared."""
    stored = {path.name.removesuffix(".xz") for path in files.OUTPUTS.iterdir()}

    assert stored == {command.name for command in COMMANDS}
