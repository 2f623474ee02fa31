"""`pitboss serve` starts, prints its address, and stops; errors are one line."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import closing
from http.client import HTTPConnection
from types import SimpleNamespace

import pytest
from starlette.requests import Request

from pitboss.cli import main
from pitboss.ledger.errors import UnavailableError
from pitboss.ledger.transaction import commit_units
from pitboss.web import server
from pitboss.web.routes import pages as site
from tests.web.client import Guest
from tests.web.in_process import OPERATOR, Visitor, play
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
    """A value out of range is rejected with exit 2, in one line, before anything is opened."""
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
    """An empty secret in a service's environment file is not replaced by a printed one."""
    ended = serve("--port", "0", "--database", str(tmp_path / "t.db"), **{name: ""})

    assert ended.returncode == 2
    assert "-token is empty" in ended.stderr
    assert not ended.stdout


def test_a_port_that_is_taken(tmp_path):
    """If another program uses the port, the error names the port."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        ended = serve("--port", port, "--database", str(tmp_path / "t.db"))

    assert ended.returncode == 2
    assert f"port {port}" in ended.stderr


def test_default_database(tmp_path):
    """Without --database a file in the user's data folder is created; Ctrl-C stops the server."""
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


def test_tokens_that_were_given_are_not_printed(tmp_path):
    """Neither the greeting nor the log shows a token from the environment or an option."""
    given = {"PITBOSS_OPERATOR_TOKEN": "given-operator", "PITBOSS_METRICS_TOKEN": "given-metrics"}
    command = [sys.executable, "-c", PROGRAM, "serve", "--port", "0", "--log-level", "debug"]
    command += ["--database", str(tmp_path / "t.db")]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        env=os.environ | given,
    ) as server:
        said = ""
        while "Operator's token" not in said:
            line = server.stdout.readline()
            assert line, said
            said += line
        address = re.search(r"http://[\d.]+:\d+", said)[0]
        headers = {"Authorization": "Bearer given-operator"}
        assert get(f"{address}/api/v1/operator/tables", **headers)["rows"] == []
        server.send_signal(signal.SIGINT)
        said += server.stdout.read()

    assert "the one you set" in said
    assert not [token for token in given.values() if token in said]


def test_changes_that_wait_are_in_the_metrics(tmp_path):
    """While the writer is busy, the metric of the queue shows how many changes wait."""

    @play(tmp_path / "t.db")
    async def _(app):
        store, free = app.state.services.store, asyncio.Event()
        run = store._writer.run

        async def slow(work, *values):
            if work is commit_units:
                await free.wait()
            return await run(work, *values)

        store._writer.run = slow
        waiting = [asyncio.create_task(store.refresh_balance(f"player:{n}")) for n in range(6)]
        await asyncio.sleep(0.1)  # the first is with the writer, perhaps together with others
        text = (await Visitor(app).http.get("/metrics", headers=OPERATOR)).text
        depth = float(re.search(r"^pitboss_queue_depth (\S+)$", text, re.MULTILINE)[1])
        more = [asyncio.create_task(store.refresh_balance(f"player:{n}")) for n in range(6)]
        await asyncio.sleep(0.1)
        text = (await Visitor(app).http.get("/metrics", headers=OPERATOR)).text
        deeper = float(re.search(r"^pitboss_queue_depth (\S+)$", text, re.MULTILINE)[1])
        free.set()
        await asyncio.gather(*waiting, *more)
        assert deeper == depth + 6


def handshake(server, **headers):
    """Send the handshake of a WebSocket on a real connection; return it and the status."""
    host, port = server.address.removeprefix("http://").split(":")
    sent = {
        "Host": f"{host}:{port}",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg==",
    } | headers
    lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    wire = socket.create_connection((host, int(port)), timeout=10)
    wire.sendall(f"GET /api/v1/tables/none/live HTTP/1.1\r\n{lines}\r\n".encode())
    return wire, int(wire.recv(4096).split()[1])


def refusals(server, error):
    """Read how many requests a server has refused for one reason, from another address."""
    where = ("127.0.0.9", 0)
    host = server.address.removeprefix("http://")
    with closing(HTTPConnection(host, timeout=10, source_address=where)) as connection:
        connection.request("GET", "/metrics", headers=server.operator)
        text = connection.getresponse().read().decode()
    found = re.search(rf'^pitboss_refusals_total{{error="{error}"}} (\S+)$', text, re.MULTILINE)
    return float(found[1]) if found else 0.0


@pytest.mark.parametrize(
    ("error", "options", "headers"),
    [
        ("wrong_origin", (), {"Origin": "https://elsewhere.example"}),
        ("too_many_connections", ("--connections", "1"), {}),
        ("too_fast", ("--requests", "1"), {}),
    ],
)
def test_refused_handshakes_are_counted(tmp_path, error, options, headers):
    """The metrics count handshakes that were refused, by reason."""
    with Server(str(tmp_path / "t.db"), *options) as server:
        wires = [handshake(server, **headers) for _ in range(8)]
        statuses = [status for _, status in wires]
        counted = refusals(server, error)
        for wire, _ in wires:
            wire.close()

    opened = {"wrong_origin": 0, "too_many_connections": 1}.get(error, 5)  # a burst of five
    assert statuses[:opened] == [101] * opened
    assert statuses[opened:].count(403) == counted > 0


def test_metrics_for_prometheus(tmp_path):
    """Health, readiness and metrics report rounds, writes and refusals."""

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
