"""The server needs no root: it writes only to its own folder."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pitboss
from tests.deploy.users import PROGRAM, as_another_user, own_folder
from tests.web.client import Guest
from tests.web.servers import get


def environment(folder):
    """Return the variables that the systemd unit sets; everything that is written goes here."""
    own = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "TMPDIR"), str(folder))
    return os.environ | own | {"PITBOSS_OPERATOR_TOKEN": "operator-token"}


def is_writable(path, folder):
    """Say whether the other user may write to a path."""
    program = "import os, sys; sys.exit(not os.access(sys.argv[1], os.W_OK))"
    command = [*as_another_user(), sys.executable, "-c", program, str(path)]
    return subprocess.run(command, check=False, cwd=folder).returncode == 0


async def play(address):
    guest = await Guest(address).visit()
    at = await guest.sit(await guest.open_table("toss-one-21"))
    await at.play_round(main=500)
    await at.close()
    await guest.close()


def test_the_server_runs_as_another_user():
    """A user who may write only to the data folder can serve, play and audit."""
    with own_folder() as folder:
        assert is_writable(folder, folder)
        if os.geteuid() == 0:  # otherwise the program may belong to the user
            assert not is_writable(Path(pitboss.__file__).parent, folder)
        command = [*as_another_user(), sys.executable, "-W", "ignore", "-c", PROGRAM]
        server = subprocess.Popen(
            [*command, "serve", "--json", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=environment(folder),
            cwd=folder,
        )
        try:
            address = json.loads(server.stdout.readline())["address"]
            status = Path(f"/proc/{server.pid}/status").read_text("utf-8")
            assert "\nUid:\t0\t" not in status
            asyncio.run(play(address))
            assert get(f"{address}/health/ready")["ok"]
        finally:
            server.terminate()
            _, log = server.communicate(timeout=30)
        database = folder / "pitboss" / "tables.db"
        audit = [*command, "audit", str(database)]
        audited = subprocess.run(audit, check=False, env=environment(folder), cwd=folder)

        assert audited.returncode == 0
        assert server.returncode in {0, -signal.SIGTERM}, log
        assert "root" not in log
        assert database.stat().st_uid == folder.stat().st_uid != 0
        assert database.stat().st_mode & 0o077 == 0
