"""The server process: its listening socket, its limits, and the uvicorn server that it runs."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import sys
from typing import TYPE_CHECKING

import uvicorn

from pitboss.core.errors import SettingError
from pitboss.ledger.connection import lock_file
from pitboss.ledger.store import prepare
from pitboss.web import logs
from pitboss.web.app import create_app
from pitboss.web.connections import Config
from pitboss.web.guard import MOST_BYTES
from pitboss.web.rate_limits import with_mapped

if TYPE_CHECKING:
    from collections.abc import Callable

    from pitboss.web.services import Settings

MOST_FILES = 65_536
"""The highest limit on open files to request; the system counts connections as files."""

OWN_FILES = 200
"""Files reserved for the database, the page and the log."""

SWITCH_S = 0.001
"""The longest time that a busy thread may delay the database writer, e.g. in a flood."""

TCP_TIMEOUT_MS = 30_000
"""The system closes a connection whose client acknowledges nothing for this long."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on *port*, or on a free port if it is 0."""
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


def run(
    settings: Settings, bound: socket.socket, *, log_level: str, ready: Callable[[], None]
) -> None:
    """Serve the tables on a listening socket until the process is stopped.

    The database is created or upgraded first; *ready* is called when players can connect.
    """
    logs.set_up(log_level)
    files = _allow_many_files()
    lock_file(settings.database)
    asyncio.run(prepare(settings.database))
    log_if_root()  # after the checks that may end the program with a one-line error
    _collect_rarely()
    sys.setswitchinterval(SWITCH_S)
    app = create_app(settings, ready=ready)
    proxies = settings.rate_limits.proxies
    uvicorn.Server(
        Config(
            app,
            app.state.clients,
            max(1, files - OWN_FILES),
            log_config=None,
            access_log=False,  # a URL may contain the link of a private table
            ws_max_size=MOST_BYTES,
            ws_per_message_deflate=False,  # messages are small
            proxy_headers=bool(proxies),
            forwarded_allow_ips=with_mapped(proxies),
            server_header=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=3,
        )
    ).run(sockets=[bound])


def _collect_rarely() -> None:
    """Make garbage collections rare: play creates no reference cycles, requests create a few.

    A full collection with a thousand tables takes 150 ms.
    """
    gc.freeze()  # loaded modules stay in memory
    gc.set_threshold(500_000, 10, 1_000)


def log_if_root() -> None:
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
