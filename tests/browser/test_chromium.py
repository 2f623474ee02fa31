"""The Chromium that comes as a package starts where none is installed."""

import pytest
from playwright.sync_api import sync_playwright

from tests.browser import chromium


@pytest.mark.long
def test_packed_chromium(server):
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright.chromium, chromium.unpacked())
        page = browser.new_page()
        page.goto(server.address)
        page.get_by_role("button", name="Sit down").first.wait_for()
        browser.close()
