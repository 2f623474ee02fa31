"""The command that runs the live tables: ``serve``."""

from __future__ import annotations

import asyncio
import gc
import os
import secrets
import socket
import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pitboss.cli.shell import cli, example, needing, print_json
from pitboss.errors import SettingError, shown
from pitboss.notation import dollars, read_cents

if TYPE_CHECKING:
    from pitboss.web.rooms import Settings

MOST_FILES = 65_536
"""Connections are files to the system: as many as it allows, up to so many."""

STALLED = 30_000
"""A client that has taken nothing for so many milliseconds is cut off by the system itself."""


@cli.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port",
    default=8021,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Which port; 0 takes one that is free.",
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
    help="What the operator signs in with  [default: a new one, shown at the start].",
)
@click.option("--https", "secure", is_flag=True, help="Players come by https, through a proxy.")
@click.option(
    "--proxy",
    "proxies",
    metavar="ADDRESS",
    help="A proxy in front, whose word on a player's address is taken (commas between several).",
)
@click.option(
    "--address",
    metavar="URL",
    help="Where other processes on the same database send players of our tables"
    "  [default: http://HOST:PORT].",
)
@click.option(
    "--lease",
    default=10.0,
    show_default=True,
    help="Seconds a table is held without a sign of life.",
)
@click.option("--bankroll", default="1000", show_default=True, help="Play money of a guest.")
@click.option("--refills", default=5, show_default=True, help="Refills a day.")
@click.option("--large-win", default="100000", show_default=True, help="A win to note.")
@click.option("--connections", default=200, show_default=True, help="Sockets of one address.")
@click.option(
    "--requests",
    default=20.0,
    show_default=True,
    help="Requests a second of one address; messages of one socket.",
)
@click.option(
    "--log-level",
    default="info",
    show_default=True,
    type=click.Choice(["debug", "info", "warning", "error"]),
)
@click.option(
    "--restored",
    is_flag=True,
    help="The database comes from a backup: void every open round, whose seed may be known.",
)
@click.option("--open", "browse", is_flag=True, help="Open the page in a browser.")
@click.option("--json", "as_json", is_flag=True, help="Say where it listens as JSON, then log.")
@example(
    "pitboss serve\n"
    "pitboss serve --port 9000 --database tables.db\n"
    "pitboss serve --https --proxy 127.0.0.1 --database postgresql+asyncpg://pitboss@db/pitboss"
)
def serve_command(**options: Any) -> None:  # noqa: ANN401  click's
    """Run the live tables; play money only.

    Without a database a file in your data folder is used, and made if there is none. An older
    database is brought up to date. Stop with Ctrl-C: open rounds wait and go on later.
    """
    with needing("server", "serve"):
        import uvicorn

        from pitboss.web import logs
        from pitboss.web.app import create_app
        from pitboss.web.frames import Frames
        from pitboss.web.guard import MOST_BYTES
        from pitboss.web.store import prepare
    _check_ranges(options)
    bound = _bind(options["host"], options["port"])
    address = f"http://{_named(options['host'])}:{bound.getsockname()[1]}"
    settings = _settings(options, address)
    logs.set_up(options["log_level"])
    _allow_many_files()
    asyncio.run(prepare(settings.database))
    gc.freeze()  # what is loaded stays
    # Play leaves no cycles behind, requests a few. To look at what a thousand tables have made
    # takes 150 ms: that is done when there is more.
    gc.set_threshold(500_000, 10, 1_000)
    app = create_app(settings, ready=lambda: _say(address, settings, options))
    uvicorn.Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,  # an address may hold the link of a private table
            ws=Frames,
            ws_max_size=MOST_BYTES,
            ws_per_message_deflate=False,  # messages are small
            proxy_headers=bool(options["proxies"]),
            forwarded_allow_ips=options["proxies"],
            server_header=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=3,
        )
    ).run(sockets=[bound])


def _settings(options: dict[str, Any], address: str) -> Settings:
    from pitboss.web.accounts import Bankroll
    from pitboss.web.guard import Doors
    from pitboss.web.pit import House
    from pitboss.web.rooms import Settings

    return Settings(
        database=options["database"] or default_database(),
        operator=options["operator_token"] or secrets.token_urlsafe(16),
        secure=options["secure"],
        restored=options["restored"],
        house=House(
            address=options["address"] or address,
            lease=int(options["lease"] * 1000),
            large_win=read_cents(options["large_win"]),
        ),
        bankroll=Bankroll(start=read_cents(options["bankroll"]), times=options["refills"]),
        doors=Doors(
            requests=options["requests"],
            burst=5 * options["requests"],
            messages=options["requests"],
            message_burst=3 * options["requests"],
            connections=options["connections"],
        ),
    )


RANGES = {
    "lease": (0.1, 3600),
    "requests": (1, 10**9),
    "connections": (1, 10**6),
    "refills": (0, 10**6),
}


def _check_ranges(options: dict[str, Any]) -> None:
    for name, (least, most) in RANGES.items():
        if not least <= options[name] <= most:  # also false for what is no number
            raise SettingError(f"--{name} is from {least} to {most:,}, not {options[name]}")
    if options["operator_token"] == "":
        raise SettingError("--operator-token is empty: leave it out for a new one")
    address = options["address"]
    if address is not None and not address.startswith(("http://", "https://")):
        raise SettingError(f"--address {shown(address)} does not begin with http:// or https://")


def default_database() -> str:
    """Return the file that is used where none is named; its folder is made."""
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
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; connections have it from here
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED)
    bound.listen(2048)  # who comes before the tables are open waits
    return bound


def _named(host: str) -> str:
    """Return how to reach a host; of all addresses of this machine, its name."""
    if host in {"0.0.0.0", "::"}:  # noqa: S104  asked for
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _allow_many_files() -> None:
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))


def _say(address: str, settings: Settings, options: dict[str, Any]) -> None:
    """Say where the tables are, once they are open."""
    if options["as_json"]:
        facts = {"address": address, "operator_token": settings.operator, "pid": os.getpid()}
        print_json(facts | {"play_money": True})
        sys.stdout.flush()
        return
    click.echo(
        f"Tables are open at {address} (play money: {dollars(settings.bankroll.start)} each)"
    )
    click.echo(f"Operator's token: {settings.operator} (for {address}/operator)")
    click.echo("Stop with Ctrl-C.")
    if options["browse"] and _has_windows():
        threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()


def _has_windows() -> bool:
    """Return whether the browser opens a window; a text browser would take over the terminal."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform != "linux" or any(os.environ.get(name) for name in displays)
