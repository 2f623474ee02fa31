"""Reports and strategy cards fit on a phone, with a wide font and with a narrow one."""

from base64 import b64encode
from pathlib import Path

import matplotlib as mpl
import pytest

from pitboss import report, strategy
from pitboss.analysis.report import Plan, report_data
from pitboss.games import GAMES

pytestmark = pytest.mark.long

PHONE = 360
GAME = GAMES["toss-one-21"]
FONTS = {"wide": "DejaVuSans-Bold.ttf", "narrow": "STIXGeneral.ttf"}
"""A wide and a narrow font that come with matplotlib: the same on every machine."""

PAGES = {
    "report": lambda: report.render_html(
        report_data(GAME, GAME.rules(decks=6), Plan(limits={}, stakes={"main": 1000}))
    ).decode(),
    "card": lambda: strategy.render_html(strategy.strategy_card(GAME, GAME.rules())),
}


@pytest.fixture(scope="module")
def pages():
    return {name: make() for name, make in PAGES.items()}


@pytest.mark.parametrize("font", FONTS)
@pytest.mark.parametrize("name", PAGES)
def test_fits_a_phone(browser, pages, name, font):
    """The page is no wider than the screen, and it uses the font under test."""
    data = Path(mpl.get_data_path(), "fonts", "ttf", FONTS[font]).read_bytes()
    source = f"url(data:font/ttf;base64,{b64encode(data).decode()})"
    page = browser.new_page(viewport={"width": PHONE, "height": 800})
    page.set_content(pages[name])
    page.add_style_tag(
        content=f"@font-face {{ font-family: given; src: {source}; }}"
        "* { font-family: given !important; }"
    )
    assert page.evaluate("document.fonts.load('1em given').then(found => found.length)") == 1
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE
    page.close()
