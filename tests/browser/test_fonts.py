"""The page fits with wide and narrow fonts, large amounts and long names."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import fonts
from tests.browser.inspection import fits
from tests.browser.rigged import Rigged
from tests.browser.visitors import GAMES, money

pytestmark = pytest.mark.long

TOSS, ROLL = "toss-one-21", "roll-your-own"
WIDTHS = (320, 360, 375, 390, 412, 768, 1024)
LONGEST_NAME = "Wilhelmina Featherstonew"
"""24 characters, the longest name allowed."""
MILLION = 1_234_567_50

MEASURE = """(family) => {
  const text = document.createElement("span");
  text.textContent = "Every machine has other fonts";
  text.style.cssText = `position: absolute; font: 16px ${family}`;
  document.body.append(text);
  return text.getBoundingClientRect().width;
}"""


def test_the_browser_has_the_fonts_of_the_tests_only(visit):
    page = visit().page
    wide, narrow = (page.evaluate(MEASURE, f"'{family}'") for family in (fonts.WIDE, fonts.NARROW))
    assert narrow < 0.85 * wide
    for family in ("system-ui", "serif", "Georgia", "Arial", "'DejaVu Serif'", "Roboto"):
        assert page.evaluate(MEASURE, family) == wide, family


def test_the_display_face_comes_with_the_page(visit):
    page = visit().page
    page.evaluate("document.fonts.ready")
    assert page.evaluate("document.fonts.check('700 20px Fraunces')")
    wide, own = (page.evaluate(MEASURE, f"'{family}'") for family in (fonts.WIDE, "Fraunces"))
    assert own != wide


@pytest.mark.parametrize("game", GAMES)
def test_the_worst_case_fits(visit, game):
    """A million dollars, a refill button and the longest name fit at every width in every state."""
    player = visit(size="phone", reduced_motion="reduce")
    player.page.route(re.compile("/api/v1/(me|visitor)$"), rich)
    cards = "Ks 9h 8c 3d | 9s 8s 7s 6s" if game == TOSS else "8s 8d Th | 2c 6s 5d"
    Rigged(player, game, cards, balance=MILLION)
    expect(player.button("Refill")).to_be_visible()
    expect(player.bankroll).to_have_text("$1.234M")
    fits_everywhere(player)
    player.use(player.deal_button)
    expect(player.decision.first).to_be_visible()
    fits_everywhere(player)
    player.play_out()
    fits_everywhere(player)
    player.use(player.button("Account"))
    expect(player.page.get_by_text(LONGEST_NAME)).to_be_visible()
    fits_everywhere(player)


def rich(route):
    """Give the player the longest name and plenty of refills."""
    answer = route.fetch()
    body = answer.json()
    me = body if "name" in body else body["me"]
    if me:
        me |= {"name": LONGEST_NAME, "refill_below": 10 * MILLION, "refills_left": 9}
    route.fulfill(response=answer, json=body)


def fits_everywhere(visitor):
    for width in WIDTHS:
        visitor.page.set_viewport_size({"width": width, "height": 740})
        fits(visitor, width)
        right = visitor.button("Account").bounding_box()
        assert right["x"] + right["width"] <= width


def test_a_narrow_header_shortens_large_amounts(visit):
    """The short amount is never more than the balance; screen readers get the whole amount."""
    player = visit(size="phone")
    table = Rigged(player, TOSS, "Ks 9h 8c 3d | 9s 8s 7s 6s")
    for cents, text in SHORT.items():
        table.balance = cents
        table.show()
        expect(player.bankroll).to_have_text(text)
        expect(player.bankroll).to_have_accessible_name(f"Bankroll {money(cents)} of play money")


SHORT = {
    9_999_99: "$9,999.99",
    10_000_00: "$10K",
    12_345_67: "$12.34K",
    999_999_99: "$999.9K",
    MILLION: "$1.234M",
    123_456_789_99: "$123.4M",
}


def test_a_wide_header_shows_the_whole_amount(visit):
    player = visit()
    Rigged(player, TOSS, "Ks 9h 8c 3d | 9s 8s 7s 6s", balance=MILLION)
    expect(player.bankroll).to_have_text("$1,234,567.50")
    expect(player.page.get_by_text("Play money", exact=True)).to_be_visible()


@pytest.mark.parametrize("rules", [{}, {"soft_17": "stand", "blackjack_pays": "13:10"}])
def test_the_slogan_fits_its_arc(visit, rules):
    """With any font, every letter stays on the arc and the text keeps its length."""
    player = visit()
    Rigged(player, ROLL, "8s 8d Th | 2c 6s 5d", rules=rules)
    slogan = player.page.locator("svg:has(textPath)")
    expect(slogan).to_be_visible()
    for family in ("Fraunces", fonts.WIDE, fonts.NARROW):
        length, path, first, last = slogan.evaluate(SLOGAN, family)
        assert length <= path, family
        assert first >= 0
        assert last <= 600


SLOGAN = """(svg, family) => {
  const text = svg.querySelector("text");
  text.style.fontFamily = family;
  const count = text.getNumberOfChars();
  return [
    text.getComputedTextLength(), svg.querySelector("path").getTotalLength(),
    text.getStartPositionOfChar(0).x, text.getEndPositionOfChar(count - 1).x,
  ];
}"""


@pytest.mark.parametrize("width", [320, 375])
def test_titles_wrap_at_words(visit, width):
    """A title never breaks inside a word."""
    visitor = visit(f"/rules/{ROLL}")
    title = visitor.page.get_by_role("heading", level=1)
    visitor.page.set_viewport_size({"width": width, "height": 740})
    for family in ("Fraunces", fonts.WIDE):
        lines = title.evaluate(LINES, family)
        assert " ".join(lines).split() == GAMES[ROLL].split()
        assert all(word in GAMES[ROLL].split() for line in lines for word in line.split())


LINES = """(title, family) => {
  title.style.fontFamily = family;
  const text = title.firstChild;
  const lines = [];
  let top = null;
  for (let i = 0; i < text.length; i += 1) {
    const range = new Range();
    range.setStart(text, i);
    range.setEnd(text, i + 1);
    const box = range.getBoundingClientRect();
    if (box.width && box.top !== top) lines.push("");
    if (box.width) [top, lines[lines.length - 1]] = [box.top, lines.at(-1) + text.data[i]];
  }
  return lines;
}"""
