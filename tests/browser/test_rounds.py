"""Whole rounds of the games: with a mouse, by touch on a small phone, and with the keyboard."""

import pytest
from playwright.sync_api import expect

from tests.browser.visitors import GAMES

EVERY = pytest.mark.parametrize("game", GAMES)


@pytest.mark.parametrize(
    ("game", "size"),
    [
        ("toss-one-21", "desktop"),
        ("roll-your-own", "phone"),
        ("blackjack", "phone"),
        pytest.param("toss-one-21", "phone", marks=pytest.mark.long),
        pytest.param("roll-your-own", "desktop", marks=pytest.mark.long),
    ],
)
def test_rounds_by_hand(visit, game, size):
    player = visit(size=size)
    player.sit_down(game)
    player.use(player.deal_button)
    player.play_out()
    first = player.agrees()

    player.use(player.again)
    expect(player.review(2).or_(player.decision).first).to_be_visible()
    player.play_out()
    player.agrees()

    rounds = player.api("/me/rounds")["rows"]
    assert [one["round"] for one in rounds] == [2, 1]
    assert first == 100_000 + rounds[1]["net"]
    player.says("You ")  # win, lose or break even
    results = player.page.get_by_role("region", name="Results of seat 1")
    expect(results.get_by_role("listitem").first).to_be_visible()


@EVERY
def test_rounds_by_keys(visit, game):
    player = visit()
    for _ in range(1 + list(GAMES).index(game)):
        assert player.tab_to("^Sit down$")
    player.press("Enter")
    expect(player.deal_button).to_be_enabled()
    for number in (1, 2):
        player.at_rest()
        player.press("Enter")  # deal, then the same bets again
        expect(player.review(number).or_(player.decision).first).to_be_visible()
        for _ in player.decisions():
            player.press(key_for(player))
        player.agrees()
        assert player.api("/me/rounds")["rows"][0]["round"] == number


def key_for(player):
    """Return the key of a legal decision."""
    keys = {"Set the hands": "Enter", "No insurance": "n", "Stand": "s"}
    for name, key in keys.items():
        if player.button(name).is_visible():
            return key
    cards = player.page.get_by_role("region", name="Seat 1").get_by_role("button")
    legal = cards.evaluate_all("found => found.findIndex((one) => !one.disabled)")
    return str(legal + 1)


def test_chips_by_keys(visit):
    """Chips can be chosen and placed with keys alone; the list of keys explains how."""
    player = visit().sit_down("toss-one-21")
    player.press("c", "3", "b", "ArrowRight", "2", "+")
    expect(player.circle("Main", "$25")).to_be_visible()
    expect(player.circle("Lucky 3", "$5")).to_be_visible()
    player.press("u")
    expect(player.circle("Lucky 3", "tap to bet")).to_be_visible()
    player.press("?")
    expect(player.page.get_by_role("dialog", name="Keys")).to_be_visible()
    player.press("Escape")
    player.press("c", "r")
    expect(player.deal_button).to_have_text("Deal $10")
