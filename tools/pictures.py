"""The screenshots of the page in README and docs.

``python -m tools.pictures`` retakes them. The cards are chosen; everything else is the real page.
"""

import re
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import expect, sync_playwright

from tests.browser import chromium
from tests.browser.rigged import Rigged
from tests.browser.visitors import Visitor
from tests.frontend import builder
from tests.web.servers import Server

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
GAP = 16
COLORS = 256


def table(visitor):
    """Toss One 21, decided by the kickers."""
    Rigged(visitor, "toss-one-21", "9s 6d 6c 5h | Ad 6h 4s 9d")
    visitor.use(visitor.circle("Lucky 3"))
    visitor.use(visitor.circle("Bonus 4"))
    visitor.use(visitor.deal_button)
    visitor.use(visitor.button(re.compile("^Toss 5")))
    expect(visitor.again).to_be_enabled()


def split(visitor):
    """Roll Your Own with five hands on the first bet."""
    Rigged(visitor, "roll-your-own", "Th Jh 9d | 2c 6s 5d | Qh Kh Tc 2h 3h 4h 5h 6h 7h 8h")
    visitor.use(visitor.deal_button)
    visitor.use(visitor.button("Set the hands"))
    for _ in range(4):
        visitor.use(visitor.button("Split"))
    expect(visitor.button("Split")).to_have_count(0)


def set_hands(visitor):
    Rigged(visitor, "roll-your-own", "8s 8d Th | 2c 6s 5d")
    visitor.use(visitor.deal_button)
    expect(visitor.button("Set the hands")).to_be_enabled()


def explorer(visitor):
    visitor.go("/explore/toss-one-21?blackjack_pays=6:5")
    expect(visitor.page.get_by_text("house edge").first).to_be_visible()


def training(visitor):
    visitor.go("/practice/roll-your-own?drill=pairs")
    visitor.use(visitor.button(re.compile("^Split")))
    expect(visitor.button(re.compile("^Next"))).to_be_visible()


def screenshot(visitor):
    """Return a screenshot of the page after all animations."""
    visitor.page.mouse.move(0, 0)
    visitor.page.wait_for_timeout(1500)
    return Image.open(BytesIO(visitor.page.screenshot())).convert("RGB")


def join(pictures):
    """Join pictures of equal height in a row."""
    width = sum(picture.width + GAP for picture in pictures) - GAP
    row = Image.new("RGB", (width, pictures[0].height), "white")
    at = 0
    for picture in pictures:
        row.paste(picture, (at, 0))
        at += picture.width + GAP
    return row


def main():
    builder.build()
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(f"{folder}/tables.db") as server,
        sync_playwright() as playwright,
        chromium.launched(playwright.chromium) as browser,
    ):

        def shot(scene, size):
            visitor = Visitor(browser, server, size=size).go("/")
            scene(visitor)
            picture = screenshot(visitor)
            visitor.context.close()
            return picture

        phones = [shot(scene, "phone") for scene in (table, set_hands, split, training)]
        found = {
            "table": shot(table, "desktop"),
            "explorer": shot(explorer, "desktop"),
            "phones": join(phones),
        }
        for name, picture in found.items():
            small = picture.quantize(COLORS)
            small.save(PICTURES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
