"""The systemd unit in `deploy/`."""

import re
import subprocess

import pytest

from pitboss.cli import cli
from tests.deploy import programs
from tools.console import ROOT

UNIT = ROOT / "deploy" / "pitboss.service"


def lines(setting):
    return re.findall(rf"^{setting}=(.*)$", UNIT.read_text("utf-8"), re.MULTILINE)


def test_the_unit_starts_a_command_that_exists():
    """The unit runs `pitboss serve` with valid options, as a user who is not root."""
    (command,) = lines("ExecStart")
    program, name, *rest = command.split()

    assert program.endswith("/pitboss")
    options = {option for each in cli.commands[name].params for option in each.opts}
    assert {word for word in rest if word.startswith("--")} <= options
    assert lines("User") == ["pitboss"]
    assert lines("DynamicUser") == ["yes"]


def test_the_secrets_are_those_that_serve_reads():
    """`pitboss serve` reads every variable in the example environment file."""
    text = (ROOT / "deploy" / "pitboss.env").read_text("utf-8")
    named = set(re.findall(r"^#?(PITBOSS_\w+)=", text, re.MULTILINE))

    assert named == {each.envvar for each in cli.commands["serve"].params if each.envvar}


@pytest.mark.long
def test_systemd_accepts_the_unit(tmp_path):
    """Systemd finds nothing wrong with the unit and rates its exposure as low."""
    path, environment = programs.find("systemd-analyze")
    unit = tmp_path / "pitboss.service"
    unit.write_text(
        UNIT.read_text("utf-8").replace("/opt/pitboss/bin/pitboss", "/bin/true"), "utf-8"
    )

    def analyze(*command):
        done = subprocess.run(
            [path, *command, unit],
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    assert not analyze("verify", "--man=no")
    assert "OK" in analyze("security", "--offline=yes", "--threshold=20", "--no-pager")
