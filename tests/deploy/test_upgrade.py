"""Upgrade and rollback: the commands of docs/deploy.md, on real files with a real server."""

import asyncio
import os
import re
import shutil
import socket
import stat
import subprocess
import sys

import pytest

from tests.deploy import users
from tests.golden import files
from tests.web.client import Guest
from tests.web.servers import get
from tools.console import ROOT

BEFORE = "f865cf4"
"""A commit whose databases have the version of the golden one, 0005."""

COMMAND = f"""#!/bin/sh
PYTHONPATH=$(dirname "$0")/../src exec {sys.executable} -W ignore -c '{users.PROGRAM}' "$@"
"""
PIP = """#!/bin/sh
rm -rf $(dirname "$0")/../src && cp -r {new} $(dirname "$0")/../src
"""
SYSTEMCTL = '''#!{python}
"""Start and stop the service as systemd does, as far as its unit says how."""
import os, re, shlex, signal, subprocess, sys, time, urllib.request
from pathlib import Path

root, port, prefix = Path({root!r}), {port}, {prefix!r}
pid_file = root / "pid"
units = [root / "etc/systemd/system/pitboss.service"]
units += (root / "run/systemd/system").glob("pitboss.service.d/*.conf")

def settings(name):
    found = []
    for unit in units:
        for value in re.findall(rf"^{{name}}=(.*)$", unit.read_text(), re.MULTILINE):
            found = [*found, value] if value else []
    return found

def is_alive(pid):
    try:
        return Path(f"/proc/{{pid}}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False

def start():
    (command,) = settings("ExecStart")
    words = " ".join(settings("Environment")).split()
    (file,) = settings("EnvironmentFile")
    words += [line for line in Path(file).read_text().split() if "=" in line]
    environment = os.environ | dict(word.split("=", 1) for word in words)
    with (root / "log").open("a") as log:
        server = subprocess.Popen(
            [*prefix, *shlex.split(command), "--port", str(port)],
            env=environment, cwd=settings("WorkingDirectory")[0], umask=0o077,
            stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
        )
    pid_file.write_text(str(server.pid))
    (root / "started").write_text(command)
    while server.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{{port}}/health/ready", timeout=5)
            return
        except OSError:
            time.sleep(0.1)
    sys.exit((root / "log").read_text())

def stop():
    if not pid_file.exists():
        return
    pid = int(pid_file.read_text())
    pid_file.unlink()
    if is_alive(pid):
        os.kill(pid, signal.SIGTERM)
    while is_alive(pid):
        time.sleep(0.05)

if sys.argv[1] != "daemon-reload":
    {{"start": start, "stop": stop}}[sys.argv[1]]()
'''


def write_program(path, text):
    path.write_text(text, "utf-8")
    path.chmod(0o755)


def old_source(folder):
    """Unpack the code of the old version."""
    archive = subprocess.run(
        ["git", "-C", ROOT, "archive", BEFORE, "src"], capture_output=True, check=False
    )
    if archive.returncode:
        pytest.skip(f"the history of the repository does not have {BEFORE}")
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)


class Machine:
    """A folder that stands for the root of a machine with the old version as a service."""

    def __init__(self, root):
        self.root = root
        root.chmod(0o755)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.data = root / "var/lib/pitboss"
        for name in ("opt/pitboss/bin", "var/backups", "var/lib/pitboss", "var/cache/pitboss"):
            (root / name).mkdir(parents=True)
        for name in ("etc/systemd/system", "run/systemd/system", "bin", "new"):
            (root / name).mkdir(parents=True)
        self._install()
        self._fill()

    def _install(self):
        old_source(self.root / "opt/pitboss")
        new = self.root / "new/src"
        shutil.copytree(ROOT / "src", new, ignore=shutil.ignore_patterns("__pycache__"))
        write_program(self.root / "opt/pitboss/bin/pitboss", COMMAND)
        write_program(self.root / "opt/pitboss/bin/pip", PIP.format(new=new))
        about = {"root": str(self.root), "port": self.port, "prefix": users.as_another_user()}
        write_program(self.root / "bin/systemctl", SYSTEMCTL.format(python=sys.executable, **about))
        for name, place in (
            ("service", "etc/systemd/system/pitboss.service"),
            ("env", "etc/pitboss.env"),
        ):
            text = (ROOT / f"deploy/pitboss.{name}").read_text("utf-8")
            text = re.sub(r"^(\w+)_TOKEN=$", r"\1_TOKEN=secret-\1", text, flags=re.MULTILINE)
            (self.root / place).write_text(self.inside(text), "utf-8")

    def _fill(self):
        path = files.unpack_database(self.data).rename(self.data / "tables.db")
        path.chmod(0o600)
        for each in (path, self.data, self.root / "var/cache/pitboss"):
            users.give_away(each)

    def inside(self, text):
        """Move the absolute paths of a text into the folder, and the port to a free one."""
        text = re.sub(r"(?<![\w/.-])/(?=(opt|var|etc|run)/)", f"{self.root}/", text)
        return text.replace("127.0.0.1:8021", f"127.0.0.1:{self.port}")

    def run(self, commands):
        """Run commands of the docs; each must succeed."""
        path = f"{self.root}/bin{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", "-e", "-c", self.inside(commands)],
            capture_output=True,
            encoding="utf-8",
            check=False,
            cwd=self.root,
            timeout=120,
            env=os.environ | {"PATH": path},
        )
        assert done.returncode == 0, f"{commands}\n{done.stdout}{done.stderr}"

    def live(self):
        return get(f"http://127.0.0.1:{self.port}/health/live")


async def play(machine):
    """Play a round, as a player behind the proxy; return the table."""
    guest = await Guest(f"http://127.0.0.1:{machine.port}").visit()
    for cookie in guest.http.cookies.jar:
        cookie.secure = False  # there is no proxy with a certificate
    at = await guest.sit(await guest.open_table("toss-one-21"))
    await at.play_round(main=500)
    await at.close()
    await guest.close()
    return at.table


def documented():
    """Return the blocks of commands in the section of the docs."""
    text = (ROOT / "docs/deploy.md").read_text("utf-8")
    section = text.partition("## Upgrade and rollback")[2].partition("\n## ")[0]
    return re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


@pytest.mark.long
def test_the_documented_upgrade_and_rollback():
    """The commands upgrade the golden database; rolled back, the old version serves its backup."""
    with users.own_folder() as folder:
        machine = Machine(folder)
        back_up, upgrade, check, roll_back, restart = documented()
        try:
            machine.run("systemctl start pitboss")
            old = machine.live()["software"]
            machine.run(back_up)
            machine.run(upgrade)
            machine.run(check)
            assert machine.live()["software"] != old
            table = asyncio.run(play(machine))
            machine.run(roll_back)
            machine.run(restart)

            assert machine.live()["software"] == old
            assert "--restored" in (folder / "started").read_text("utf-8")
            with pytest.raises(OSError, match="404"):
                get(f"http://127.0.0.1:{machine.port}/api/v1/tables/{table}")
            asyncio.run(play(machine))
            database = machine.data / "tables.db"
            assert database.stat().st_uid == machine.data.stat().st_uid
            assert stat.S_IMODE(database.stat().st_mode) == 0o600
        finally:
            machine.run("systemctl stop pitboss")
        machine.run("systemctl start pitboss")  # the next start is a usual one
        assert "--restored" not in (folder / "started").read_text("utf-8")
        machine.run("systemctl stop pitboss")
        machine.run("/opt/pitboss/bin/pitboss audit /var/lib/pitboss/tables.db")
