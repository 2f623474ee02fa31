"""`pitboss serve` starts, says where it is, and stops; its mistakes are told in one line."""

import asyncio
import os
import re
import socket
import subprocess
import sys
from types import SimpleNamespace

import pytest
from starlette.requests import Request

from pitboss.cli import main
from pitboss.ledger.errors import UnavailableError
from pitboss.web import server
from pitboss.web.routes import pages as site
from tests.web.client import Guest
from tests.web.servers import PROGRAM, Server, eventually, get
from tools.console import ROOT


def serve(*options, **environment):
    """Run a `pitboss serve` that cannot start."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, "serve", *options],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        env=os.environ | environment,
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--database", "mysql://h/d"], "not a supported database"),
        (["--database", "/no/such/folder/t.db"], "cannot open"),
        (["--database", "postgresql://u:secret@127.0.0.1:1/d"], "cannot open"),
        (["--bankroll", "much"], "is not an amount"),
    ],
)
def test_mistakes_are_told_in_one_line(options, message):
    """Invalid options exit with status 2 and a one-line message without passwords."""
    ended = serve("--port", "0", *options)

    assert ended.returncode == 2
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert "secret" not in ended.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--lease", "0"], "--lease must be from 0.1 to 3,600, not 0.0"),
        (["--lease", "nan"], "--lease must be from 0.1 to 3,600, not nan"),
        (["--requests", "inf"], "--requests must be from 1 to 1,000,000,000, not inf"),
        (["--connections", "0"], "--connections must be from 1 to 1,000,000, not 0"),
        (["--refills", "-1"], "--refills must be from 0 to 1,000,000, not -1"),
        (["--address", "blah"], "'blah' does not begin with http:// or https://"),
        (["--address", ""], "does not begin with http:// or https://"),
        (["--proxy", "nginx"], "'nginx' is neither an IP address nor a network like 10.0.0.0/8"),
        (["--proxy", "10.0.0.1/8"], "'10.0.0.1/8' is neither an IP address nor a network"),
        (["--proxy", "127.0.0.1,*"], "'*' is neither an IP address nor a network"),
        (["--operator-token", ""], "--operator-token is empty: set it, or leave it out"),
        (["--metrics-token", ""], "--metrics-token is empty: set it, or leave it out"),
        (["--operator-token", "short"], "--operator-token must have at least 8 letters"),
        (["--operator-token", "with a space"], "--operator-token must have at least 8 letters"),
        (["--metrics-token", "motörhead"], "--metrics-token must have at least 8 letters"),
        (["--operator-token", "the-same", "--metrics-token", "the-same"], "choose another"),
        (["--proxy", ","], "--proxy is empty"),
    ],
)
def test_values_that_cannot_be(options, message, capsys, monkeypatch, tmp_path):
    """A value out of its range is refused with exit 2, in one line, before anything is opened."""
    monkeypatch.setattr("pitboss.ledger.store.prepare", None)  # not reached
    with socket.create_server(("127.0.0.1", 0)) as bound:
        monkeypatch.setattr("pitboss.web.server.listen", lambda *_: bound)
        status = main(["serve", "--database", str(tmp_path / "t.db"), *options])
    said = capsys.readouterr()

    assert status == 2
    assert message in said.err
    assert said.err.count("\n") == 1
    assert not said.out
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["PITBOSS_OPERATOR_TOKEN", "PITBOSS_METRICS_TOKEN"])
def test_an_empty_token_in_the_environment_is_refused(name, tmp_path):
    """A secret that was forgotten in the file of a service is not replaced by a printed one."""
    ended = serve("--port", "0", "--database", str(tmp_path / "t.db"), **{name: ""})

    assert ended.returncode == 2
    assert "-token is empty" in ended.stderr
    assert not ended.stdout


def test_a_port_that_is_taken(tmp_path):
    """A port that another program listens on is refused by its number."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        ended = serve("--port", port, "--database", str(tmp_path / "t.db"))

    assert ended.returncode == 2
    assert f"port {port}" in ended.stderr


def test_default_database(tmp_path):
    """Without a database a file in the user's data folder is made, and Ctrl-C stops it well."""
    environment = {"XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | environment,
    )
    lines = [process.stdout.readline() for _ in range(3)]
    process.send_signal(2)
    process.communicate(timeout=30)

    assert re.match(r"Tables are open at http://127\.0\.0\.1:\d+ \(play money", lines[0])
    assert lines[1].startswith("Operator's token: ")
    assert [path.name for path in tmp_path.rglob("tables.db")] == ["tables.db"]
    assert process.returncode in {0, -2, 130}


@pytest.mark.parametrize("display", ["", ":0"])
def test_open_takes_no_text_browser(tmp_path, display):
    """Without a display no browser is opened: a text browser would take over the terminal."""
    called = tmp_path / "called"
    for name in ("www-browser", "x-www-browser"):
        browser = tmp_path / name
        browser.write_text(f"#!/bin/sh\necho $1 > {called}\n", "utf-8")
        browser.chmod(0o700)
    environment = {"PATH": str(tmp_path), "TERM": "xterm", "DISPLAY": display}
    others = {"BROWSER": "", "WAYLAND_DISPLAY": ""}
    options = ["--open", "--port", "0", "--database", str(tmp_path / "t.db")]
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "serve", *options],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | environment | others,
    )
    address = process.stdout.readline().split()[4]
    if display:
        eventually(lambda: called.exists() and called.read_text("utf-8"))
    process.send_signal(2)
    process.communicate(timeout=30)

    assert [path.read_text("utf-8").strip() for path in tmp_path.glob("called")] == (
        [address] if display else []
    )


@pytest.mark.parametrize(("user", "lines"), [(0, 1), (1000, 0)])
def test_root_is_told(user, lines, monkeypatch, caplog):
    """A server that root starts says that it should run as an ordinary user."""
    monkeypatch.setattr("os.geteuid", lambda: user)

    with caplog.at_level("INFO"):
        server.log_if_root()

    assert len(caplog.records) == lines
    assert all("as an ordinary user" in record.message for record in caplog.records)


def test_no_place_for_the_default_database():
    """Without a writable data folder, the message tells the user to name a database."""
    ended = serve("--port", "0", HOME="/dev/null", XDG_DATA_HOME="")

    assert ended.returncode == 2
    assert ended.stderr.endswith("name a file with --database\n")
    assert ended.stderr.count("\n") == 1


def test_the_api_page_runs(tmp_path):
    """The program on the API page plays a round."""
    page = (ROOT / "docs/api.md").read_text("utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    with Server(str(tmp_path / "t.db")) as server:
        program = program.replace("127.0.0.1:8021", server.address.removeprefix("http://"))
        ended = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
        )

    assert re.match(r"main -?\d+ .+ Rule \w+\n", ended.stdout)


def test_metrics_for_prometheus(tmp_path):
    """Health, readiness and metrics show what was played, written and refused."""

    async def play(address):
        guest = await Guest(address).visit()
        at = await guest.sit(await guest.open_table("toss-one-21"))
        for _ in range(3):
            await at.play_round(main=500)
        for path in ("/api/v1/tables/nowhere", "/api/v1/tables?limit=none"):
            await guest.http.get(path)
        headers = {"Authorization": "Bearer operator"}
        text = (await guest.http.get("/metrics", headers=headers)).text
        await at.close()
        await guest.close()
        return text

    with Server(str(tmp_path / "t.db")) as server:
        text = asyncio.run(play(server.address))
        live, ready = get(f"{server.address}/health/live"), get(f"{server.address}/health/ready")

    assert 'pitboss_rounds{game="toss-one-21",status="settled"} 3.0' in text
    assert "pitboss_database_up 1.0" in text
    assert "pitboss_action_seconds_count" in text
    assert "pitboss_queue_depth 0.0" in text
    assert "pitboss_takeovers_total 0.0" in text
    assert 'pitboss_refusals_total{error="not_found"} 1.0' in text
    assert 'pitboss_refusals_total{error="unreadable"} 1.0' in text
    commits = float(re.search(r"^pitboss_commit_seconds_count (\S+)$", text, re.MULTILINE)[1])
    written = float(re.search(r"^pitboss_batch_size_sum (\S+)$", text, re.MULTILINE)[1])
    assert 10 < commits <= written
    assert live["play_money"] is True
    assert re.fullmatch("[0-9a-f]{64}", live["software"]["hash"])
    assert ready == {"ok": True, "checks": {"database": True, "software": True}}


def test_the_page_of_a_table_without_a_database(monkeypatch, tmp_path):
    """The page loads even if the database does not answer; it reports that and retries."""

    async def unavailable(*_):
        raise UnavailableError("the database does not answer")

    (tmp_path / "index.html").write_text("the page", "utf-8")
    monkeypatch.setattr(site, "PAGE", tmp_path)
    monkeypatch.setattr(site, "find_table", unavailable)
    monkeypatch.setattr(site, "finished_round", unavailable)
    request, services = Request({"type": "http", "headers": []}), SimpleNamespace(store=None)

    assert asyncio.run(site.table_page("any", services, request)).status_code == 200
    assert asyncio.run(site.round_page("any", 1, services, request)).status_code == 200
