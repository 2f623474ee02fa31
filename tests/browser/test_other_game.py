"""The page of a game that has its rules and no parts: nothing is shown that it does not have."""

import re
import tempfile

import pytest
from playwright.sync_api import expect

from tests.three_card import GAME, SERVER, all_games
from tests.web.servers import Server


@pytest.fixture
def player(built, visit, monkeypatch):
    """Let a visitor come to a server that also deals the game."""
    monkeypatch.setitem(all_games(), GAME.key, GAME)
    with (
        tempfile.TemporaryDirectory(prefix="pitboss-browser-") as folder,
        Server(f"{folder}/tables.db", "--requests", "1000", program=SERVER) as server,
    ):
        yield visit(at=server)


def test_a_game_without_parts(player):
    """The Play bet has its own circle, hands have names, and no control leads to a missing part."""
    page = player.page
    player.sit_down(GAME.key)
    expect(player.button("Coach")).to_have_count(0)
    expect(page.get_by_role("link", name="Odds")).to_have_count(0)
    expect(page.get_by_role("img", name=re.compile("^Play:"))).to_have_count(0)
    texts = []
    for number in (1, 2, 3):
        player.use(player.deal_button if number == 1 else player.again)
        player.use(player.button("Play", exact=True))
        expect(player.review(number)).to_be_visible()
        expect(page.get_by_role("img", name=re.compile(r"^Ante: \$10, "))).to_be_visible()
        expect(page.get_by_role("img", name=re.compile(r"^Play: \$10, "))).to_be_visible()
        hands = page.get_by_role("group", name=re.compile("high|pair|flush|straight|of a kind"))
        expect(hands).to_have_count(2)  # of the player and of the dealer
        texts.append(page.locator("body").inner_text())
        labels = "found => found.map((one) => one.ariaLabel)"
        texts.append(str(page.locator("[aria-label]").evaluate_all(labels)))
    assert not re.search(r"bust|insurance|\bnull\b", " ".join(texts), re.IGNORECASE)
    player.agrees()

    player.go(f"/rounds/{player.table}/3")
    expect(page.get_by_role("heading", name="Round 3")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile(r"^Play: \$10, "))).to_be_visible()
    expect(page.get_by_role("heading", name="Coach's review")).to_have_count(0)

    player.go(f"/rules/{GAME.key}")
    expect(page.get_by_role("heading", name=GAME.name)).to_be_visible()
    expect(page.get_by_role("link", name="Explore the odds")).to_have_count(0)
    for path in ("/deal", "/practice", "/explore"):
        player.go(path)
        expect(page.locator(f"a[href^='{path}/']").first).to_be_visible()  # of other games
        expect(page.locator(f"a[href^='{path}/{GAME.key}']")).to_have_count(0)
    player.go(f"/explore/{GAME.key}")
    expect(page.get_by_text("There are no exact figures for Three Card.")).to_be_visible()
