"""The tests and the build work the same on every machine."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.frontend import builder
from tools.console import ROOT

HOSTILE = {
    "COLUMNS": "40",
    "FORCE_COLOR": "1",
    "TTY_COMPATIBLE": "1",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "http_proxy": "http://127.0.0.1:9",
    "PITBOSS_DATABASE": "/nonexistent/tables.db",
    "LC_ALL": "xx_XX.ISO-8859-1",
    "TZ": "Pacific/Kiritimati",
}
SENSITIVE = (
    "tests/test_machine.py::test_children_hear_ctrl_c",
    "tests/cli/test_cli.py::test_rules",
    "tests/web/test_serving.py::test_default_database",
    "tests/ledger/test_store.py::test_units_that_come_together_are_committed_together[postgresql]",
    "tests/web/test_serving.py::test_metrics_for_prometheus",
)


def run(*command, **environment):
    """Run a command in the repository and return its output."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={k: v for k, v in os.environ.items() if not k.startswith("XDG_")} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout.strip()


def test_the_environment_does_not_reach_the_tests():
    """A narrow terminal, a proxy, a database or a background job does not change the tests."""
    in_background = ("bash", "-c", "trap '' INT; exec \"$@\"", "bash")
    plugins = ("-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist")
    tests = (sys.executable, "-m", "pytest", "-q", *plugins, *SENSITIVE)

    assert f"{len(SENSITIVE)} passed" in run(*in_background, *tests, **HOSTILE)


def test_children_hear_ctrl_c():
    """A program that a test starts reacts to SIGINT."""
    code = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"

    assert run(sys.executable, "-c", code) == "False"


def test_a_home_that_cannot_be_written():
    """Compiled code is cached in a temporary folder, which is removed at the end."""
    code = (
        "from pathlib import Path; import numba, pitboss.kernels; "
        "print(numba.config.CACHE_DIR, Path(numba.config.CACHE_DIR).is_dir())"
    )

    folder, was_there = run(sys.executable, "-c", code, HOME="/dev/null").split()

    assert was_there == "True"
    assert not Path(folder).exists()


def test_make_without_a_home():
    """The Makefile keeps caches in the clone if the home folder cannot be written."""
    show = ("make", "-s", "--eval", "home:; @echo $$HOME", "home")

    assert run(*show, HOME="/dev/null") == str(ROOT / ".cache" / "home")
    assert run(*show, HOME=str(ROOT)) == str(ROOT)


@pytest.mark.parametrize("name", ["NODE_ENV", "FORCE_COLOR"])
def test_node_has_its_own_settings(monkeypatch, name):
    """A shell set up for other Node projects does not change how the page is built."""
    monkeypatch.setenv(name, "1")

    assert builder.run("-p", f"process.env.{name}").strip() == "undefined"
