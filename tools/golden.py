"""Rebuild the golden files: ``python -m tools.golden PART...``.

The files were made before the redesign into one package per game. They prove that journals,
records, hash chains and all outputs are still the same, so a change of the code is never a reason
to rebuild them. Rebuild them only if a format changes on purpose, and only the part that changes:

- ``database``: the database (``tests.golden.play``), its anchors, its audit, the journals, and
  the output of ``replay`` and ``verify``. The same code writes the same records.
- ``journals``: only the journals.
- ``readings``: only the audit and the output of the commands.
- ``outputs``: the output and the files of the commands in ``tests.golden.commands``.

Without a part, the tool rebuilds all of them in about five minutes.
"""

import json
import lzma
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.golden import files
from tests.golden.commands import COMMANDS


def make_database(folder):
    """Play the rounds, and store the database and all files derived from it."""
    from tests.golden import play

    path = folder / "pitboss.db"
    play.build(path)
    files.DATABASE.write_bytes(lzma.compress(path.read_bytes(), preset=9 | lzma.PRESET_EXTREME))
    make_journals()
    make_readings(folder)


def make_journals():
    """Store journals of cases that the database lacks, and journals that must be rejected."""
    from tests.golden import journals

    found = journals.random_journals()
    files.store_lines(files.JOURNALS, found)
    files.store_lines(files.BROKEN, journals.broken(found))


def make_readings(folder):
    """Store the output of the commands for the database and the journals."""
    path = files.open_database(folder)
    status, audit = files.run(
        ["audit", path.name, "--json", "--save-anchors", str(files.ANCHORS)], folder
    )
    assert status == 0, audit
    files.store(files.AUDIT, audit)
    files.store(files.KINDS, f"{json.dumps(files.kinds(path), indent=1)}\n")
    journals = [*files.dealt_journals(path), *files.load_lines(files.JOURNALS)]
    files.store(files.REPLAYED, files.replayed(journals, folder)[1])
    files.store(files.REJECTED, files.rejected(files.load_lines(files.BROKEN), folder))
    files.store(files.VERIFIED, files.verified(files.ended_rounds(path), folder))


def make_outputs(folder):
    """Run the commands and store their output."""
    files.OUTPUTS.mkdir(exist_ok=True)
    for old in files.OUTPUTS.iterdir():
        old.unlink()
    for command in COMMANDS:
        began = time.process_time()
        files.store(files.OUTPUTS / command.name, files.output(command, folder))
        print(f"{time.process_time() - began:6.2f} s  {command.name}", flush=True)


if __name__ == "__main__":
    parts = {
        "database": make_database,
        "journals": lambda _: make_journals(),
        "readings": make_readings,
        "outputs": make_outputs,
    }
    for part in sys.argv[1:] or ("database", "outputs"):
        with TemporaryDirectory() as name:
            parts[part](Path(name))
