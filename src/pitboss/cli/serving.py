"""The command that runs the live tables: ``serve``."""

from __future__ import annotations

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

TOKEN = re.compile(r"[!-~]{8,}")
"""Tokens are sent in a header, so they contain only visible ASCII characters."""


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
        from pitboss.web import server
    _check_ranges(options)
    bound = server.listen(options["host"], options["port"])
    address = f"http://{_reachable_name(options['host'])}:{bound.getsockname()[1]}"
    settings = _settings(options, address)
    server.run(
        settings,
        bound,
        log_level=options["log_level"],
        ready=lambda: _announce(address, settings, options),
    )


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


def _reachable_name(host: str) -> str:
    """Return the host for the server's URL: the machine's name if it listens on all addresses."""
    if host in {"0.0.0.0", "::"}:  # noqa: S104 the user asked for it
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


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
