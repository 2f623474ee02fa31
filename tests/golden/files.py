"""Read, write and compare golden files.

Outputs may differ only in the software's version and hash and in wall times: :func:`normalized`
replaces these. It also rounds the histogram of the report, whose last digits depend on the CPU:
NumPy's transcendental functions use the instructions that it has.
"""

import asyncio
import io
import json
import lzma
import os
import re
import shlex
import sqlite3
from collections import Counter
from contextlib import chdir, closing, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from pitboss import __version__
from pitboss.cli import main
from pitboss.ledger.store import prepare

HERE = Path(__file__).parent
OUTPUTS = HERE / "outputs"
INPUTS = HERE / "inputs"
DATABASE = HERE / "pitboss.db.xz"
ANCHORS = HERE / "anchors.json"
AUDIT = HERE / "audit.json"
KINDS = HERE / "kinds.json"
JOURNALS = HERE / "journals.jsonl"
REPLAYED = HERE / "replayed.jsonl"
BROKEN = HERE / "broken.jsonl"
REJECTED = HERE / "rejected.jsonl"
VERIFIED = HERE / "verified.jsonl"

LARGE_BYTES = 6_000
"""Larger files are stored compressed."""

WALL_TIME = re.compile(r'("(?:seconds|rounds_per_second)": )[-+.\de]+')
SOFTWARE_HASH = re.compile(r'("software": \{"hash": )"[0-9a-f]{64}"')
HISTOGRAM = re.compile(r'"histogram": \[.*?\]\s*\]', re.DOTALL)
FLOAT = re.compile(r"-?\d+\.\d+(?:e[-+]\d+)?|-?\d+e[-+]\d+")
DECIMALS = 6


def normalized(text):
    """Replace the software's version and hash and wall times, and round histograms."""
    text = HISTOGRAM.sub(lambda found: FLOAT.sub(_rounded, found[0]), text)
    text = WALL_TIME.sub(r"\g<1>0", SOFTWARE_HASH.sub(r'\g<1>"HASH"', text))
    for before in ('"version": "', "pitboss "):
        text = re.sub(rf"({before}){re.escape(__version__)}\b", r"\g<1>VERSION", text)
    return text


def _rounded(number):
    return f"{float(number[0]):.{DECIMALS}f}"


# --- running commands


def run(arguments, folder):
    """Run the command line in a folder; return its exit status and normalized output."""
    printed = io.StringIO()
    with (
        mock.patch.dict(os.environ, {"COLUMNS": "96", "NO_COLOR": "1"}),
        chdir(folder),
        redirect_stdout(printed),
        redirect_stderr(io.StringIO()),
    ):
        status = main(arguments)
    return status, normalized(printed.getvalue())


def output(command, folder):
    """Run a golden command in a folder and return its output."""
    for path in INPUTS.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    status, printed = run(shlex.split(command.arguments), folder)
    assert status == command.status, f"pitboss {command.arguments}: exit {status}"
    if command.writes:
        return normalized((folder / command.writes).read_text("utf-8"))
    return printed


def replayed(journals, folder):
    """Replay journals and return the exit status and one line for each."""
    names = write_all(folder, "journal", journals)
    return run(["replay", "--json", *names], folder)


def rejected(journals, folder):
    """Replay broken journals one by one: the exit status, and an error without its message."""
    names = write_all(folder, "broken", journals)
    answers = (run(["replay", "--json", name], folder) for name in names)
    return "".join(f"{status} {_without_detail(printed)}\n" for status, printed in answers)


def _without_detail(line):
    answer = json.loads(line)
    return json.dumps({name: value for name, value in answer.items() if name != "detail"})


def verified(records, folder):
    """Verify records of rounds and return one line for each, with its exit status."""
    names = write_all(folder, "round", records)
    answers = (run(["verify", "--json", name], folder) for name in names)
    return "".join(f"{status} {printed}" for status, printed in answers)


def write_all(folder, name, values):
    names = [f"{name}-{number:03}.json" for number in range(len(values))]
    for file, value in zip(names, values, strict=True):
        (folder / file).write_text(json.dumps(value), "utf-8")
    return names


# --- the database


def unpack_database(folder):
    """Put a copy of the golden database in a folder, as version 0.1.0 left it."""
    path = folder / "pitboss.db"
    path.write_bytes(lzma.decompress(DATABASE.read_bytes()))
    return path


def open_database(folder):
    """Put a copy of the golden database in a folder and upgrade it, without adding a record."""
    path = unpack_database(folder)
    asyncio.run(prepare(str(path)))
    return path


def rows(path, query):
    with closing(sqlite3.connect(path)) as database:
        return database.execute(query).fetchall()


def ended_rounds(path):
    """Return the records of all rounds that ended."""
    query = (
        "SELECT body FROM records WHERE chain LIKE 'table:%' AND kind IN ('settled', 'void')"
        " ORDER BY chain, seq"
    )
    return [json.loads(body)["record"] for (body,) in rows(path, query)]


def dealt_journals(path):
    """Return the journals of all rounds that were dealt, void ones among them."""
    return [record["journal"] for record in ended_rounds(path) if record["journal"]]


def kinds(path):
    """Count everything the database must have."""
    return {name: dict(sorted(Counter(found).items())) for name, found in _kinds(path).items()}


def _kinds(path):
    records = ended_rounds(path)
    log = [made for record in records for made in record["log"]]
    journals = dealt_journals(path)
    settlements = [s | {"game": j["game"]} for j in journals for s in j.get("settlements", ())]
    return {
        "records": [kind for (kind,) in rows(path, "SELECT kind FROM records")],
        "rounds": [f"{r['table']} {r['status']}" for r in records],
        "seats": [f"{j['game']} {len(j['bets'])}" for j in journals],
        "decisions": [made["decision"].split()[0] for made in log],
        "insured": [made["decision"] != "insure 0" for made in log if "insure" in made["decision"]],
        "decided_by": [made["by"] for made in log],
        "refused": [bet["cause"] for record in records for bet in record.get("refused", ())],
        "omitted": [seat["why"] for record in records for seat in record.get("omitted", ())],
        "rules": [f"{s['game']} {s['rule']}" for s in settlements],
        "outcomes": [f"{s['game']} {s['bet']} {s['outcome']}" for s in settlements],
        "hands": [f"{s['game']} {s['hand']}" for s in settlements],
    }


# --- the files


def store(path, text):
    """Write a golden file, compressed if it is large."""
    data = text.encode()
    for old in (path, _compressed(path)):
        old.unlink(missing_ok=True)
    if len(data) > LARGE_BYTES:
        _compressed(path).write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
    else:
        path.write_bytes(data)


def load(path):
    """Read a golden file, compressed or not."""
    if path.exists():
        return path.read_bytes().decode()
    return lzma.decompress(_compressed(path).read_bytes()).decode()


def store_lines(path, values):
    store(path, "".join(f"{json.dumps(value)}\n" for value in values))


def load_lines(path):
    return [json.loads(line) for line in load(path).splitlines()]


def _compressed(path):
    return path.with_name(f"{path.name}.xz")
