"""The command that runs the live tables: ``serve``."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import re
import secrets
import socket
import sys
import threading
import webbrowser
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pitboss.cli.shell import cli, example, needing, print_json
from pitboss.core.errors import SettingError, shown
from pitboss.core.journal import dollars, read_cents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pitboss.web.services import Settings

MOST_FILES = 65_536
"""The highest limit on open files to request; each connection counts as a file."""

TOKEN = re.compile(r"[!-~]{8,}")
"""Tokens are sent in a header, so they contain only visible ASCII characters."""

SWITCH_S = 0.001
"""The longest time that a busy thread may delay the database writer, e.g. in a flood."""

OWN_FILES = 200
"""Files reserved for the database, the page and the log."""

TCP_TIMEOUT_MS = 30_000
"""The system closes a connection whose client acknowledges nothing for this long."""


@cli.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    default=8021,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="The port to listen on; 0 chooses a free port.",
)
@click.option(
    "--database",
    metavar="URL",
    envvar="PITBOSS_DATABASE",
    help="A file, or postgresql+asyncpg://...  [default: a file in your data folder]",
)
@click.option(
    "--operator-token",
    metavar="TOKEN",
    envvar="PITBOSS_OPERATOR_TOKEN",
    help="The operator's token.  [default: a new one, printed at the start]",
)
@click.option(
    "--metrics-token",
    metavar="TOKEN",
    envvar="PITBOSS_METRICS_TOKEN",
    help="A token that can only read /metrics.  [default: only the operator's token works]",
)
@click.option(
    "--https", "secure", is_flag=True, help="Players connect over HTTPS, through a proxy."
)
@click.option(
    "--proxy",
    "proxies",
    metavar="ADDRESS",
    help="Trusted proxies: addresses or networks, separated by commas. Forwarded headers from"
    " anyone else are ignored.",
)
@click.option(
    "--address",
    metavar="URL",
    help="This process's own URL; other processes on the same database send the players of its"
    " tables there  [default: http://HOST:PORT].",
)
@click.option(
    "--lease",
    default=10.0,
    show_default=True,
    help="Seconds until another process can take over a table.",
)
@click.option(
    "--expire",
    default=7.0,
    show_default=True,
    metavar="DAYS",
    help="Close tables unused for this many days; 0 for never.",
)
@click.option("--bankroll", default="1000", show_default=True, help="Play money of a guest.")
@click.option("--refills", default=5, show_default=True, help="Refills per day.")
@click.option(
    "--large-win",
    default="100000",
    show_default=True,
    help="Record wins of at least this many dollars.",
)
@click.option("--connections", default=200, show_default=True, help="Sockets per address.")
@click.option(
    "--requests",
    default=20.0,
    show_default=True,
    help="Requests per second from an address; messages per second from a socket.",
)
@click.option("--tables", default=500, show_default=True, help="New tables per address and day.")
@click.option("--guests", default=1000, show_default=True, help="New guests per address and day.")
@click.option(
    "--log-level",
    default="info",
    show_default=True,
    type=click.Choice(["debug", "info", "warning", "error"]),
)
@click.option(
    "--restored",
    is_flag=True,
    help="Use after restoring a backup: void every open round, because its seed may be known.",
)
@click.option("--open", "browse", is_flag=True, help="Open the page in a browser.")
@click.option("--json", "as_json", is_flag=True, help="Print the address as JSON before the log.")
@example(
    "pitboss serve\n"
    "pitboss serve --port 9000 --database tables.db\n"
    "pitboss serve --https --proxy 127.0.0.1 --database postgresql+asyncpg://pitboss@db/pitboss"
)
def serve_command(**options: Any) -> None:  # noqa: ANN401 click's values
    """Run the live tables; play money only.

    Without --database, a file in your data folder is used, and created if needed. An older
    database is upgraded. Stop with Ctrl-C: open rounds wait and continue later.
    """
    with needing("server", "serve"):
        import uvicorn

        from pitboss.ledger.connection import lock_file
        from pitboss.ledger.store import prepare
        from pitboss.web import logs
        from pitboss.web.app import create_app
        from pitboss.web.connections import Config
        from pitboss.web.guard import MOST_BYTES
        from pitboss.web.rate_limits import with_mapped
    _check_ranges(options)
    bound = _bind(options["host"], options["port"])
    address = f"http://{_reachable_name(options['host'])}:{bound.getsockname()[1]}"
    settings = _settings(options, address)
    logs.set_up(options["log_level"])
    files = _allow_many_files()
    lock_file(settings.database)
    asyncio.run(prepare(settings.database))
    _log_if_root()  # after the checks that may end the program with a one-line error
    gc.freeze()  # loaded modules stay in memory
    # Play creates no reference cycles, requests create a few. A full collection with a thousand
    # tables takes 150 ms, so collect rarely.
    gc.set_threshold(500_000, 10, 1_000)
    sys.setswitchinterval(SWITCH_S)
    app = create_app(settings, ready=lambda: _announce(address, settings, options))
    uvicorn.Server(
        Config(
            app,
            app.state.clients,
            max(1, files - OWN_FILES),
            log_config=None,
            access_log=False,  # a URL may contain the link of a private table
            ws_max_size=MOST_BYTES,
            ws_per_message_deflate=False,  # messages are small
            proxy_headers=bool(options["proxies"]),
            forwarded_allow_ips=with_mapped(settings.rate_limits.proxies),
            server_header=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=3,
        )
    ).run(sockets=[bound])


def _settings(options: dict[str, Any], address: str) -> Settings:
    from pitboss.dealing.config import DealingConfig
    from pitboss.tables.timestamps import DAY
    from pitboss.web.accounts import Bankroll
    from pitboss.web.rate_limits import RateLimits
    from pitboss.web.services import Settings

    return Settings(
        database=options["database"] or default_database(),
        operator=options["operator_token"] or secrets.token_urlsafe(16),
        metrics=options["metrics_token"],
        secure=options["secure"],
        restored=options["restored"],
        dealing=DealingConfig(
            address=options["address"] or address,
            lease_ms=int(options["lease"] * 1000),
            large_win=read_cents(options["large_win"]),
            expire_ms=int(options["expire"] * DAY),
        ),
        bankroll=Bankroll(start=read_cents(options["bankroll"]), times=options["refills"]),
        rate_limits=RateLimits(
            requests=options["requests"],
            burst=5 * options["requests"],
            messages=options["requests"],
            message_burst=3 * options["requests"],
            connections=options["connections"],
            proxies=tuple(_networks(options["proxies"] or "")),
            tables=options["tables"],
            guests=options["guests"],
        ),
    )


def _networks(proxies: str) -> Iterator[IPv4Network | IPv6Network]:
    """Parse the addresses and networks of the trusted proxies."""
    for text in filter(None, map(str.strip, proxies.split(","))):
        try:
            yield ip_network(text)
        except ValueError:
            raise SettingError(
                f"--proxy {shown(text)} is neither an IP address nor a network like 10.0.0.0/8"
            ) from None


RANGES = {
    "lease": (0.1, 3600),
    "requests": (1, 10**9),
    "connections": (1, 10**6),
    "refills": (0, 10**6),
    "expire": (0, 36_500),
    "tables": (1, 10**9),
    "guests": (1, 10**9),
}


def _check_ranges(options: dict[str, Any]) -> None:
    for name, (least, most) in RANGES.items():
        if not least <= options[name] <= most:  # also false for NaN
            raise SettingError(f"--{name} must be from {least} to {most:,}, not {options[name]}")
    _check_tokens(options)
    if options["proxies"] is not None and not options["proxies"].strip(" ,"):
        raise SettingError("--proxy is empty: name the proxy's address, or leave it out")
    address = options["address"]
    if address is not None and not address.startswith(("http://", "https://")):
        raise SettingError(f"--address {shown(address)} does not begin with http:// or https://")


def _check_tokens(options: dict[str, Any]) -> None:
    """Reject a token that is empty, cannot be sent, or is too short."""
    for name in ("operator_token", "metrics_token"):
        given = (
            os.environ.get(f"PITBOSS_{name.upper()}") if options[name] is None else options[name]
        )
        option = "--" + name.replace("_", "-")
        if given == "":
            raise SettingError(f"{option} is empty: set it, or leave it out")
        if given is not None and not TOKEN.fullmatch(given):
            raise SettingError(
                f"{option} must have at least 8 letters, digits or symbols, no spaces"
            )
    if options["metrics_token"] and options["metrics_token"] == options["operator_token"]:
        raise SettingError("--metrics-token equals the operator's token: choose another token")


def default_database() -> str:
    """Return the default database file; create its folder."""
    import platformdirs

    folder = Path(platformdirs.user_data_dir("pitboss", appauthor=False))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(
            f"cannot create {folder}: {error.strerror}; name a file with --database"
        ) from None
    return str(folder / "tables.db")


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        raise SettingError(
            f"cannot listen on {host} port {port}: {error.strerror}; give another --host or --port"
        ) from None
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; accepted connections inherit it
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, TCP_TIMEOUT_MS)
    bound.listen(2048)  # early clients wait until the server is ready
    return bound


def _reachable_name(host: str) -> str:
    """Return the host for the server's URL: the machine's name if it listens on all addresses."""
    if host in {"0.0.0.0", "::"}:  # noqa: S104 the user asked for it
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _log_if_root() -> None:
    """Log a message if the server runs as root."""
    if sys.platform != "win32" and os.geteuid() == 0:
        logging.getLogger("pitboss.serve").info(
            "running as root: run the server as an ordinary user, who owns its database"
        )


def _allow_many_files() -> int:
    """Raise the limit on open files, and return it."""
    if sys.platform == "win32":
        return MOST_FILES
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    return max(soft, most)


def _announce(address: str, settings: Settings, options: dict[str, Any]) -> None:
    """Print the address of the server, once it is ready."""
    new_token = (
        None if options["operator_token"] else settings.operator
    )  # never print a token that the user chose
    if options["as_json"]:
        facts = {"address": address, "operator_token": new_token, "pid": os.getpid()}
        print_json(facts | {"play_money": True})
        sys.stdout.flush()
        return
    click.echo(
        f"Tables are open at {address} (play money: {dollars(settings.bankroll.start)} each)"
    )
    click.echo(f"Operator's token: {new_token or 'the one you set'} (for {address}/operator)")
    click.echo("Stop with Ctrl-C.")
    if options["browse"] and _has_windows():
        threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()


def _has_windows() -> bool:
    """Return whether the browser opens its own window instead of taking over the terminal."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform != "linux" or any(os.environ.get(name) for name in displays)
