"""The cost of the page for a visitor: bytes, requests and time until it is visible.

    python -m bench.page                    # half a minute; exit status 1 if it is over its budget

The benchmark uses a real server and a real Chromium, like the browser tests. Times are compared
with the server's plain health page in the same run, so a slow machine does not count against it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

from tests.browser import chromium
from tests.frontend import builder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, CDPSession, Page

SERVE = "from pitboss.cli import run; run()"
PLAIN_PAGE = "/health/live"
REPEATS = 5
BUDGET = {  # maxima
    "kB over the wire": 150.0,
    "requests": 40,
    "DOM elements": 1500,
    "layout shift": 0.1,
    "longest task, ms": 400,
}
WATCH = """
globalThis.seen = { shift: 0, longest: 0 };
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) seen.shift += one.value;
}).observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) seen.longest = Math.max(seen.longest, one.duration);
}).observe({ type: "longtask", buffered: true });
"""
READ = """() => ({
  ...seen,
  paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
  elements: document.querySelectorAll("*").length,
})"""


@contextmanager
def server() -> Iterator[str]:
    """Start a server and yield its address."""
    with tempfile.TemporaryDirectory(prefix="pitboss-bench-") as folder:
        command = [sys.executable, "-c", SERVE, "serve", "--json", "--port", "0"]
        command += ["--database", f"{folder}/tables.db", "--log-level", "warning"]
        command += ["--requests", "1000"]
        environment = os.environ | {"PITBOSS_OPERATOR_TOKEN": "operator"}
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, env=environment, encoding="utf-8"
        )
        try:
            assert process.stdout  # noqa: S101  it is a pipe
            yield json.loads(process.stdout.readline())["address"]
        finally:
            process.terminate()
            process.wait()


class Wire:
    """Counts the compressed bytes of all responses."""

    def __init__(self, session: CDPSession) -> None:
        self.kinds: dict[str, str] = {}
        self.bytes: dict[str, float] = {}
        session.on("Network.responseReceived", self._begin)
        session.on("Network.loadingFinished", self._end)
        session.send("Network.enable")

    def _begin(self, event: dict[str, Any]) -> None:
        self.kinds[event["requestId"]] = event["type"]

    def _end(self, event: dict[str, Any]) -> None:
        kind = self.kinds.get(event["requestId"], "Other")
        self.bytes[kind] = self.bytes.get(kind, 0) + event["encodedDataLength"]


@contextmanager
def visit(browser: Browser, address: str) -> Iterator[tuple[Page, Wire]]:
    """Open the page with an empty cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(script=WATCH)
    page = context.new_page()
    wire = Wire(context.new_cdp_session(page))
    page.goto(address)
    yield page, wire
    context.close()


def first_load(browser: Browser, address: str, shown: str) -> dict[str, Any]:
    """Load a screen and wait until *shown* is visible."""
    start = time.perf_counter()
    with visit(browser, address) as (page, wire):
        page.locator(shown).first.wait_for()
        ready = time.perf_counter() - start
        page.wait_for_load_state("networkidle")
        found: dict[str, Any] = page.evaluate(READ)
        return found | {"ready": 1000 * ready, "bytes": wire.bytes, "count": len(wire.kinds)}


def until_dealt(browser: Browser, address: str) -> tuple[float, dict[str, Any]]:
    """Sit down and deal; return the milliseconds until the cards are dealt, and the costs."""
    with visit(browser, address) as (page, wire):
        button = page.get_by_role("button", name="Sit down").first
        button.wait_for()
        start = time.perf_counter()
        button.click()
        page.get_by_role("button", name="Deal $").click()
        page.get_by_role("region", name="Seat 1").get_by_role("img", name=" of ").first.wait_for()
        dealt = 1000 * (time.perf_counter() - start)
        page.wait_for_load_state("networkidle")
        found: dict[str, Any] = page.evaluate(READ)
        return dealt, found | {"bytes": wire.bytes, "count": len(wire.kinds)}


def median(loads: list[dict[str, Any]], name: str) -> float:
    return float(statistics.median(load[name] for load in loads))


def report(name: str, load: dict[str, Any]) -> list[str]:
    """Print the costs of a screen; return those over the budget."""
    kinds = sorted(load["bytes"].items(), key=lambda pair: -pair[1])
    figures = {
        "kB over the wire": sum(load["bytes"].values()) / 1000,
        "requests": load["count"],
        "DOM elements": load["elements"],
        "layout shift": load["shift"],
        "longest task, ms": load["longest"],
    }
    print(name)
    for what, figure in figures.items():
        print(f"  {what:18} {figure:9,.2f}  of {BUDGET[what]:,}")
    print("  by kind, kB:      ", ", ".join(f"{kind} {size / 1000:.1f}" for kind, size in kinds))
    return [f"{name}: {what}" for what, figure in figures.items() if figure > BUDGET[what]]


def main() -> int:
    with chromium.one_at_a_time():
        builder.build()
    with (
        server() as address,
        sync_playwright() as playwright,
        chromium.launched(playwright.chromium) as browser,
    ):
        bare, lobby = [], []
        for _ in range(REPEATS):  # alternate, so that both see the same load
            bare.append(first_load(browser, address + PLAIN_PAGE, "body"))
            lobby.append(first_load(browser, address, "article button"))
        tables = [until_dealt(browser, address) for _ in range(REPEATS)]
    over = report("lobby, first visit", lobby[-1])
    over += report("lobby and a table", tables[-1][1])
    print("milliseconds, the median of", REPEATS)
    for what, key in (("first contentful paint", "paint"), ("ready for a tap", "ready")):
        own, other = median(lobby, key), median(bare, key)
        print(f"  {what:34} {own:7.0f}  bare page {other:6.0f}  ratio {own / other:5.1f}")
    print(f"  {'from Sit down to dealt cards':34} {statistics.median(t for t, _ in tables):7.0f}")
    for what in over:
        print("over the budget:", what)
    return 1 if over else 0


if __name__ == "__main__":
    raise SystemExit(main())
