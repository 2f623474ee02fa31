"""A real server with the built page, a real Chromium, and visitors whose browsers are watched."""

import tempfile

import pytest
from playwright.sync_api import sync_playwright

from tests.browser import chromium
from tests.browser.visitors import Visitor
from tests.frontend import builder
from tests.web.servers import Server

PATIENCE = 10_000  # milliseconds: the machine may be busy with other tests


@pytest.fixture(scope="session")
def built():
    """Build the page from its current sources."""
    with chromium.one_at_a_time():
        builder.build()


@pytest.fixture(scope="session")
def server(built):
    """Start a server; each test process has its own."""
    with (
        tempfile.TemporaryDirectory(prefix="pitboss-browser-") as folder,
        Server(f"{folder}/tables.db", "--requests", "1000") as started,
    ):
        yield started


@pytest.fixture(scope="module")  # no longer: while it runs no other test could use asyncio
def browser():
    """Start a Chromium."""
    with sync_playwright() as playwright, chromium.launched(playwright.chromium) as started:
        yield started


@pytest.fixture(scope="session")
def axe():
    """Return the source text of axe-core."""
    chromium.install()
    return chromium.AXE.read_text(encoding="utf-8")


@pytest.fixture
def visit(browser, server):
    """Create visitors, each with their own browser; at the end, check them all.

    A page must not request anything from another host, and the console must show no error.
    """
    visitors = []

    def come(path="/", *, size="desktop", at=None, **options):
        visitor = Visitor(browser, at or server, size=size, **options)
        visitor.context.set_default_timeout(PATIENCE)
        visitors.append(visitor)
        if path:
            visitor.go(path)
        return visitor

    yield come
    for visitor in visitors:
        visitor.context.close()
    for visitor in visitors:
        visitor.check()
