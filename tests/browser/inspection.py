"""What every screen must have, at every size and in every state."""

from playwright.sync_api import expect

from tests.browser.visitors import SIZES

RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).join("; ")}`);
}"""
WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll("body *")]
    .filter((node) => node.getBoundingClientRect().right > innerWidth)
    .map((node) => `${node.tagName}.${node.className}`)"""


def inspect(visitor, sizes=("desktop", "phone")):
    """See that the screen is named, says that it is play money, fits, and is accessible."""
    page = visitor.page
    for size in sizes:
        width, height = SIZES[size]
        page.set_viewport_size({"width": width, "height": height})
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        expect(page.get_by_text("Play money", exact=True)).to_be_visible()
        assert page.title()
        wide = page.evaluate(WIDE)
        assert not wide, f"{page.url} is wider than {width} px: {wide}"
        found = page.evaluate(RUN)
        assert not found, f"{page.url} at {width} px: {found}"
