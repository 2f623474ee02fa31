"""Run programs as a user who is not root."""

import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534
PROGRAM = "from pitboss.cli import run; run()"


def as_another_user():
    """Return the start of a command that runs it as a user other than root.

    Root's own Python may be in a folder that others cannot read. Then the user may read every
    file, but may still write only to its own.
    """
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    assert setpriv, "setpriv is missing: it is part of util-linux"
    more = "" if _is_readable(Path(sys.executable).resolve()) else ",+dac_read_search"
    ids = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs"]
    return [setpriv, *ids, f"--inh-caps=-all{more}", f"--ambient-caps=-all{more}"]


def _is_readable(path):
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in path.parents)


def give_away(path):
    """Make a file or folder belong to that user, if we are root."""
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)


@contextmanager
def own_folder():
    """Yield a new folder that belongs to that user."""
    with tempfile.TemporaryDirectory(prefix="pitboss-user-") as name:  # pytest's is closed to it
        give_away(name)
        yield Path(name)
