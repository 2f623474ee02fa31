"""A real server: `pitboss serve` in a process of its own, on a real socket."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

PROGRAM = "from pitboss.cli import run; run()"


class Server:
    """A server process; started again it listens where it did."""

    def __init__(self, database, *options, log=None):
        self.database = database
        self.options = options
        self.log = log or subprocess.DEVNULL
        self.port = 0
        self.process = None
        self.token = None

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        """Start it and wait until its tables are open."""
        self.launch()
        return self.wait()

    def launch(self):
        command = [sys.executable, "-c", PROGRAM, "serve", "--json", "--port", str(self.port)]
        command += ["--database", self.database, "--log-level", "warning", *self.options]
        environment = os.environ | {"PITBOSS_OPERATOR_TOKEN": "operator"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.log, env=environment, text=True
        )

    def wait(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"the server did not start: exit {self.process.wait()}")
        facts = json.loads(line)
        self.port = int(facts["address"].rpartition(":")[2])
        self.token = facts["operator_token"]
        return self

    def kill(self):
        """Kill it as no program can help: SIGKILL."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        """Stop it as Ctrl-C does; return its exit status."""
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
    """Fetch JSON without any client's help."""
    request = urllib.request.Request(url, headers=headers)  # noqa: S310  our own server
    with urllib.request.urlopen(request, timeout=timeout) as answer:  # noqa: S310
        return json.load(answer)


def eventually(condition, timeout=20, every=0.05):
    """Wait until a condition holds; it failing to is a failure."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(every)
    raise AssertionError("it did not come to pass")
