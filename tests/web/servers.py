"""A real server: `pitboss serve` in a separate process, on a real socket.

It is forked from a process that has loaded its modules, because loading them takes longer than most
tests; `tests/web/test_serving.py` starts it as a user does.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from multiprocessing.reduction import DupFd
from operator import methodcaller
from pathlib import Path

NOWHERE = Path(os.devnull).open("wb")  # noqa: SIM115  for as long as tests run
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["pitboss.cli", "pitboss.web.app", "pitboss.web.server", "uvloop"])
PROGRAM = "from pitboss.cli import run; run()"
MANY_FROM_HERE = ("--tables", "100000", "--guests", "100000")
"""All players of the tests come from one address."""


class Inherited:
    """A file that a forked process inherits; its value there is the file descriptor."""

    def __init__(self, number):
        self.number = number

    def __reduce__(self):
        return methodcaller("detach"), (DupFd(self.number),)


def run(program, arguments, environment, out, log):
    """Run the program in this process, as if started with these arguments."""
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8") for number in (out, log))
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        os.dup2(stream.fileno(), number)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[1:] = arguments
    exec(program, {"__name__": "__main__"})  # noqa: S102  our own


class Forked:
    """A forked process with the interface of ``subprocess.Popen``."""

    def __init__(self, program, arguments, environment, log):
        read, write = os.pipe()
        about = (program, arguments, environment, Inherited(write), Inherited(log.fileno()))
        self._process = FORKS.Process(target=run, args=about, daemon=True)
        try:
            self._process.start()
        finally:
            os.close(write)
        self.pid = self._process.pid
        self.stdout = os.fdopen(read, encoding="utf-8")

    def send_signal(self, number):
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(self.pid, number)

    def poll(self):
        return self._process.exitcode

    def wait(self, timeout=None):
        self._process.join(timeout)
        if self.poll() is None:
            raise subprocess.TimeoutExpired(PROGRAM, timeout)
        return self.poll()


class Server:
    """A server process; after a restart it listens on the same port."""

    token = "operator"  # noqa: S105  of a test

    def __init__(self, database, *options, log=None, program=None):
        self.database = database
        self.program = program
        self.options = options
        self.log = log or NOWHERE
        self.port = 0
        self.process = None

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        """Start the server and wait until it is ready."""
        self.launch()
        return self.wait()

    def launch(self):
        command = ["serve", "--json", "--port", str(self.port), "--database", self.database]
        command += ["--log-level", "warning", *MANY_FROM_HERE, *self.options]
        environment = os.environ | {"PITBOSS_OPERATOR_TOKEN": self.token}
        self.process = Forked(self.program or PROGRAM, command, environment, self.log)

    def wait(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"the server did not start: exit {self.process.wait()}")
        facts = json.loads(line)
        self.port = int(facts["address"].rpartition(":")[2])
        assert facts["operator_token"] is None  # it was given, and is not shown
        return self

    def kill(self):
        """Kill the server with SIGKILL."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        """Stop the server as Ctrl-C does; return its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        status = self.process.wait(timeout=20)
        self.process.stdout.close()
        return status

    @property
    def operator(self):
        return {"Authorization": f"Bearer {self.token}"}

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()


def get(url, timeout=10, **headers):
    """Fetch JSON without the test client."""
    request = urllib.request.Request(url, headers=headers)  # noqa: S310  our own server
    with urllib.request.urlopen(request, timeout=timeout) as answer:  # noqa: S310
        return json.load(answer)


def eventually(condition, timeout=20, every=0.05):
    """Wait until a condition holds; fail if it never does."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(every)
    raise AssertionError("it did not come to pass")
