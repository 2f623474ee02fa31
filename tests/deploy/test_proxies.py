"""The files in `deploy/` for nginx, Caddy and HAProxy, tested with the real programs over https."""

import asyncio
import contextlib
import ssl
import subprocess
import time

import httpx
import pytest
import trustme

from tests.deploy import programs
from tests.web.client import Guest
from tests.web.gamblers import fixed_port
from tests.web.servers import Server
from tools.console import ROOT

pytestmark = pytest.mark.long

DEPLOY = ROOT / "deploy"
CLIENT = "127.0.0.2"
"""Where the client comes from: another address than the proxy's."""


class Front:
    """One of the proxies, with the ports and certificates of a test."""

    def __init__(self, folder, upstream):
        self.folder = folder
        self.upstream = upstream
        self.http, self.https = fixed_port(), fixed_port()
        authority = trustme.CA()
        issued = authority.issue_cert("127.0.0.1")
        self.authority = folder / "authority.pem"
        self.certificate, self.key = folder / "certificate.pem", folder / "key.pem"
        self.both = folder / "both.pem"
        authority.cert_pem.write_to_path(self.authority)
        issued.private_key_pem.write_to_path(self.key)
        issued.cert_chain_pems[0].write_to_path(self.certificate)
        issued.private_key_and_cert_chain_pem.write_to_path(self.both)

    @property
    def address(self):
        return f"https://127.0.0.1:{self.https}"

    def adapted(self, name, changes):
        """Return a file of `deploy/` with the names of the test instead of the example's names."""
        text = (DEPLOY / name).read_text("utf-8")
        for old, new in changes.items():
            assert old in text, f"deploy/{name} no longer has {old!r}"
            text = text.replace(old, new)
        return text

    @contextlib.contextmanager
    def running(self, name):
        """Run the proxy and wait until it listens."""
        command, environment = getattr(self, f"_{name}")()
        log = self.folder / "log"
        environment |= {"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder)}
        with log.open("w", encoding="utf-8") as out:
            process = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
            try:
                self._wait(process, log)
                yield
            finally:
                process.terminate()
                process.wait(10)

    def _wait(self, process, log):
        context = ssl.create_default_context(cafile=self.authority)
        until = time.monotonic() + 20
        while True:
            try:
                return httpx.get(f"{self.address}/health/live", verify=context)
            except httpx.TransportError:
                failed = process.poll() is not None or time.monotonic() > until
                assert not failed, log.read_text("utf-8")
                time.sleep(0.05)

    def _nginx(self):
        path, environment = programs.find("nginx")
        site = self.adapted(
            "nginx.conf",
            {
                "listen 80;": f"listen 127.0.0.1:{self.http};",
                "listen 443 ssl;": f"listen 127.0.0.1:{self.https} ssl;",
                "/etc/ssl/tables.example.pem": str(self.certificate),
                "/etc/ssl/tables.example.key": str(self.key),
                "127.0.0.1:8021": self.upstream,
            },
        )
        kept = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        folders = "".join(f"{name}_temp_path {self.folder}/{name};\n" for name in kept)
        main = self.folder / "main.conf"
        main.write_text(
            f"daemon off;\npid {self.folder}/pid;\nerror_log stderr;\nevents {{}}\n"
            f"http {{\n{folders}{site}}}\n",
            "utf-8",
        )
        return [path, "-e", "stderr", "-p", self.folder, "-c", main], environment

    def _caddy(self):
        path, environment = programs.find("caddy")
        file = self.folder / "Caddyfile"
        ports = f"admin off\n\thttp_port {self.http}\n\thttps_port {self.https}\n\tservers {{"
        text = self.adapted(
            "Caddyfile",
            {
                "servers {": ports,
                "tables.example {": f"127.0.0.1 {{\n\ttls {self.certificate} {self.key}",
                "127.0.0.1:8021": self.upstream,
            },
        )
        file.write_text(text, "utf-8")
        return [path, "run", "--config", file, "--adapter", "caddyfile"], environment

    def _haproxy(self):
        path, environment = programs.find("haproxy")
        file = self.folder / "haproxy.cfg"
        text = self.adapted(
            "haproxy.cfg",
            {
                "maxconn 20000": "maxconn 200",  # the limits of this machine may be lower
                "bind :80": f"bind 127.0.0.1:{self.http}",
                "bind :443": f"bind 127.0.0.1:{self.https}",
                "/etc/haproxy/tables.example.pem": str(self.both),
                "127.0.0.1:8021": self.upstream,
            },
        )
        file.write_text(text, "utf-8")
        return [path, "-db", "-f", file], environment


@pytest.fixture(params=["nginx", "caddy", "haproxy"])
def front(request, tmp_path, monkeypatch):
    """Start a server and a proxy in front of it."""
    options = ("--https", "--proxy", "127.0.0.1")
    with Server(str(tmp_path / "t.db"), *options) as server:
        made = Front(tmp_path, f"127.0.0.1:{server.port}")
        monkeypatch.setenv("SSL_CERT_FILE", str(made.authority))
        with made.running(request.param):
            yield made


@contextlib.asynccontextmanager
async def visitor(front):
    """Connect through the proxy, from a separate address."""
    guest = Guest(front.address)
    await guest.http.aclose()
    context = ssl.create_default_context(cafile=front.authority)
    line = httpx.AsyncHTTPTransport(verify=context, local_address=CLIENT)
    guest.http = httpx.AsyncClient(base_url=front.address, transport=line)
    try:
        yield guest
    finally:
        await guest.close()


def visit(front, work):
    """Run an asynchronous test as a visitor."""

    async def run():
        async with visitor(front) as guest:
            return await work(guest)

    return asyncio.run(run())


def test_a_round_is_played(front):
    """A guest signs in with a secure cookie and plays a round over a WebSocket."""

    async def play(guest):
        answer = await guest.http.post("/api/v1/guest", json={}, headers={"Origin": front.address})
        assert answer.status_code == 201, answer.text
        assert "secure" in answer.headers["set-cookie"].lower()
        assert answer.headers["strict-transport-security"]
        at = await guest.sit(await guest.open_table("toss-one-21"))
        await at.play_round(main=500)
        await at.close()

    visit(front, play)


def test_another_page_is_refused(front):
    """The proxy passes Host on, so the server can distinguish its own page from others."""

    async def ask(guest):
        headers = {"Origin": "https://elsewhere.example"}
        answer = await guest.http.post("/api/v1/guest", json={}, headers=headers)
        assert answer.status_code == 403

    visit(front, ask)


def test_the_client_cannot_forge_its_address(front):
    """The server sees the client's real address, whatever the client claims."""

    async def ask(guest):
        forged = {"X-Forwarded-For": "198.51.100.7", "Forwarded": "for=198.51.100.7"}
        body = {"name": "nobody", "password": "wrong password"}
        await guest.http.post("/api/v1/login", json=body, headers=forged)
        operator = {"Authorization": "Bearer operator"}
        path = "/api/v1/operator/events?kind=login_failed"
        rows = (await guest.http.get(path, headers=operator)).json()["rows"]
        assert [row["facts"]["address"] for row in rows] == [CLIENT]

    visit(front, ask)


def test_metrics_stay_inside(front):
    """The proxy does not pass the metrics on, even with the right token."""

    async def ask(guest):
        headers = {"Authorization": "Bearer operator"}
        assert (await guest.http.get("/metrics", headers=headers)).status_code == 404

    visit(front, ask)


def test_large_requests_are_refused(front):
    """A body over 64 KiB is refused, and the next request is answered."""

    async def ask(guest):
        body = {"name": "x" * 200_000}
        assert (await guest.http.post("/api/v1/guest", json=body)).status_code == 413
        assert (await guest.http.get("/health/live")).status_code == 200

    visit(front, ask)


def test_plain_http_leads_to_https(front):
    """A visitor who uses http is redirected to https."""
    answer = httpx.get(f"http://127.0.0.1:{front.http}/history")

    assert answer.status_code in {301, 308}
    assert answer.headers["location"].startswith("https://127.0.0.1")
    assert answer.headers["location"].endswith("/history")
