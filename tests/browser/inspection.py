"""Checks that every screen must pass, at every size and in every state."""

from playwright.sync_api import expect

from tests.browser import fonts
from tests.browser.visitors import SIZES

RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).join("; ")}`);
}"""
CUT_OFF = """(width) => {
  const isScroller = (node) => /auto|scroll/.test(getComputedStyle(node).overflowX);
  const scrolls = (node) => node !== null && (isScroller(node) || scrolls(node.parentElement));
  return [...document.querySelectorAll("body *")]
    .filter((node) => node.checkVisibility() && node.getBoundingClientRect().right > width + 0.5)
    .filter((node) => !node.closest(".unseen") && !scrolls(node.parentElement))
    .map((node) => `${node.tagName}.${node.className}`);
}"""
"""Name the elements that reach beyond the screen, unless they are in a box that scrolls sideways.

The caller passes the width, because on a phone ``innerWidth`` grows with the page.
"""
BROKEN = """() => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    const style = getComputedStyle(text.parentElement);
    for (const { 0: amount, index } of text.data.matchAll(/[+−]?[$][\\d,.]*\\d/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + amount.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      const mayBreak = /^[+−]/.test(amount) && !style.whiteSpace.includes("nowrap");
      if (lines.size > 1 || (mayBreak && !text.parentElement.closest("svg"))) found.push(text.data);
    }
  }
  return found;
}"""
"""Name the amounts that are, or could be, on two lines: a line may break after a sign."""
SET_FONTS = """([text, display]) => {
  document.documentElement.style.fontFamily = text;
  document.documentElement.style.setProperty("--display", display);
  return new Promise((laid) => requestAnimationFrame(() => requestAnimationFrame(laid)));
}"""
FONTS = {
    "wide": ("", ""),
    "narrow": (fonts.NARROW, ""),
    "no display face": ("", fonts.WIDE),
}
"""The fonts of running text and of titles; if empty, the page's font is kept."""


def fits(visitor, width):
    """Check that nothing is wider than the screen, with each of the fonts."""
    page = visitor.page
    for name, families in FONTS.items():
        page.evaluate(SET_FONTS, families)
        cut = page.evaluate(CUT_OFF, width)
        assert not cut, f"{page.url} with {name} fonts is wider than {width} px: {cut}"
    page.evaluate(SET_FONTS, FONTS["wide"])


def inspect(visitor, sizes=("desktop", "phone")):
    """Check that the screen has a name, says that it is play money, fits, and is accessible."""
    page = visitor.page
    for size in sizes:
        width, height = SIZES[size]
        page.set_viewport_size({"width": width, "height": height})
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        expect(page.get_by_role("img", name="Play money", exact=True)).to_be_visible()
        assert page.title()
        fits(visitor, width)
        assert not page.evaluate(BROKEN), f"{page.url} at {width} px"
        found = page.evaluate(RUN)
        assert not found, f"{page.url} at {width} px: {found}"
