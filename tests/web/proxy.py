"""A connection to PostgreSQL that can be cut or go dead while a server uses it."""

import asyncio
import contextlib
from urllib.parse import parse_qs, urlsplit

from tests.web.gamblers import fixed_port


class Wire:
    """A TCP port that leads to a PostgreSQL server on its Unix socket."""

    def __init__(self, url):
        self._parts = urlsplit(url)
        self._socket = f"{parse_qs(self._parts.query)['host'][0]}/.s.PGSQL.5432"
        self._port = fixed_port()
        self._open = asyncio.Event()
        self._open.set()
        self._is_cut = False
        self._ends = set()
        self._tasks = set()
        self._server = None

    @property
    def url(self):
        """The same database, over this wire."""
        return f"{self._parts.scheme}://postgres:@127.0.0.1:{self._port}{self._parts.path}"

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", self._port)
        return self

    async def __aexit__(self, *_):
        self._server.close()
        self.mend()
        while self._tasks:
            self._reset()
            await asyncio.wait(self._tasks, timeout=0.1)

    # --- trouble

    def cut(self):
        """Reset all connections, and each new connection immediately."""
        self._is_cut = True
        self._reset()

    def go_dead(self):
        """Forward nothing: both ends wait, and their data is buffered."""
        self._open.clear()

    def mend(self):
        """Forward data again, including the buffered data."""
        self._is_cut = False
        self._open.set()

    def _reset(self):
        for writer in self._ends:
            writer.transport.abort()

    # --- passing on

    async def _connect(self, reader, writer):
        task = asyncio.current_task()
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await self._open.wait()
        if self._is_cut or not self._server.is_serving():
            writer.transport.abort()
            return
        there_reader, there_writer = await asyncio.open_unix_connection(self._socket)
        ends = {writer, there_writer}
        self._ends |= ends
        try:
            await asyncio.gather(
                self._pass_on(reader, there_writer), self._pass_on(there_reader, writer)
            )
        finally:
            self._ends -= ends
            for end in ends:
                end.transport.abort()

    async def _pass_on(self, reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                await self._open.wait()
                writer.write(data)
                await writer.drain()
        writer.close()
