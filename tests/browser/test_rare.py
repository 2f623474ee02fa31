"""Rare rounds, with a chosen deck that the real engine deals over a simulated socket."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.rigged import Rigged
from tests.browser.visitors import money

ROLL, BLACKJACK = "roll-your-own", "blackjack"
SIZES = pytest.mark.parametrize("size", [pytest.param("desktop", marks=pytest.mark.long), "phone"])


def deal(player):
    player.use(player.deal_button)


def set_hands(player):
    player.use(player.button("Set the hands"))


def shows_balance(player, table):
    expect(player.bankroll).to_have_text(money(table.balance))


@pytest.mark.long
@SIZES
def test_five_split_hands(visit, size):
    player = visit(size=size)
    table = Rigged(player, ROLL, "Ts Js 9d | 2c 6h Td | Qs Ks Th Kh 5c 6c 7c 8c")
    deal(player)
    set_hands(player)
    for _ in range(4):
        player.use(player.button("Split"))
        expect(player.decision.first).to_be_enabled()

    seat = player.page.get_by_role("region", name="Seat 1")
    hands = seat.get_by_role("group", name=re.compile("^First"))
    expect(hands).to_have_count(5)
    for card in hands.get_by_role("img").all():
        expect(card).to_be_in_viewport()
    assert player.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    player.play_out()
    shows_balance(player, table)
    results = player.page.get_by_role("region", name="Results of seat 1").get_by_role("listitem")
    expect(results).to_have_count(7)  # five hands of the first bet, one of the second, the Bonus


@SIZES
def test_blackjack_with_side_bets_split_and_double(visit, size):
    """The side bets are settled with the hands of a split, of which one is doubled."""
    player = visit(size=size)
    table = Rigged(player, BLACKJACK, "8s 6h 8d Td | 3c 9s Kc 5c", rules={"decks": 1})
    for side_bet in ("Perfect Pairs", r"21\+3", "Lucky Ladies"):
        player.use(player.circle(side_bet))
    deal(player)
    for play in ("Split", "Double", "Stand"):
        player.use(player.button(re.compile(f"^{play}")))
        expect(player.again.or_(player.decision).first).to_be_enabled()
    player.says("Perfect Pairs +$30, 21+3 −$5, Lucky Ladies −$5, Main −$30: you lose $10 in all.")
    shows_balance(player, table)
    results = player.page.get_by_role("region", name="Results of seat 1").get_by_role("listitem")
    expect(results).to_have_count(5)
    assert player.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@SIZES
def test_surrender_and_even_money(visit, size):
    """Half of the bet comes back; a blackjack insured for half wins the bet once."""
    player = visit(size=size)
    rules = {"surrender": "late", "decks": 1}
    table = Rigged(player, BLACKJACK, "Ts Th 6d 8c", rules=rules)
    deal(player)
    expect(player.decision.first).to_be_enabled()
    fits = "found => found.every((one) => one.scrollWidth <= one.clientWidth)"
    assert player.decision.evaluate_all(fits)
    player.use(player.button(re.compile("^Surrender")))
    player.says("Your 16 was surrendered for half of the bet. You lose $5.")
    shows_balance(player, table)

    table = Rigged(player, BLACKJACK, "As Ah Kd 7c", rules=rules)
    deal(player)
    player.use(player.button(re.compile("^Insure for [$]5")))
    expect(player.page.get_by_text("Blackjack!")).to_be_visible()
    player.says("Blackjack pays 3 to 2. Insurance −$5, Main +$15: you win $10 in all.")
    shows_balance(player, table)


@pytest.mark.long
def test_a_reason_opens_its_rule(visit):
    player = visit()
    Rigged(player, "toss-one-21", "9s 6d 6c 5h | Ad 6h 4s 9d")
    deal(player)
    player.use(player.button("Toss 5 of hearts"))
    player.says("21 against 21: your kicker 5 loses to 9.")
    clause = player.page.get_by_text("Equal totals are decided by the tossed cards")
    expect(clause).to_have_count(0)
    player.use(player.button("Rule 7"))
    expect(clause).to_be_visible()


@pytest.mark.long
def test_double_blackjack(visit):
    player = visit()
    table = Rigged(player, ROLL, "As Ks Qs | 2c 9h Td")
    deal(player)

    expect(player.again).to_be_visible()
    expect(player.page.get_by_text("Double blackjack!")).to_be_visible()
    player.says("you win $1,030 in all.")
    shows_balance(player, table)


@pytest.mark.long
def test_the_coach_lists_each_choice_once(visit):
    """Two eights and a ten can be set in six ways, but these are only two choices."""
    player = visit()
    table = Rigged(player, ROLL, "8s 8d Th | 2c 6h Kd")
    player.page.route(re.compile("/coach[?]"), lambda route: route.fulfill(json=table.advice()))
    player.use(player.button("Coach"))
    deal(player)
    coach = player.page.get_by_role("complementary", name="Coach")
    expect(coach).to_contain_text("Best: 8♠ 8♦ | 10♥")
    expect(coach.get_by_role("listitem")).to_have_text(
        [re.compile(r"^8♠ 10♥ \| 8♦ costs [$]2.71$")]
    )


@pytest.mark.long
def test_forced_colors(visit):
    """In forced colors, cards and chips have edges, and the selected one is marked."""
    player = visit(forced_colors="active")
    Rigged(player, ROLL, "8s 8d Th | 5s 6d 9c | 2c 6h Kd", others=1)
    expect(player.deal_button).to_be_enabled()
    page = player.page
    assert_edges(page.get_by_role("radio"))
    deal(player)
    set_hands(player)
    expect(player.button("Stand")).to_be_enabled()
    assert_edges(page.locator(".card"))
    assert_edges(page.locator(".chip"))
    seat = page.get_by_role("region", name="Seat 2")
    hands = seat.get_by_role("group").evaluate_all(
        "found => found.map((one) => getComputedStyle(one).borderTopColor)"
    )
    marked = page.evaluate(MARKED)
    assert hands == [marked["highlight"], marked["canvas"]]


MARKED = """() => {
  const probe = document.body.appendChild(document.createElement("i"));
  const of = (color) => ((probe.style.color = color), getComputedStyle(probe).color);
  return { highlight: of("Highlight"), canvas: of("Canvas") };
}"""


def assert_edges(parts):
    """Check that each has a border with a color that differs from its background."""
    lines = parts.evaluate_all(
        """found => found.map((one) => {
          const { borderTopWidth, borderTopColor, backgroundColor } = getComputedStyle(one);
          return [parseFloat(borderTopWidth) > 0, borderTopColor !== backgroundColor];
        })"""
    )
    assert lines
    assert all(map(all, lines)), lines


LOW = "As Ah Ad Ac 2s 2h 2d 2c 3s 3h 3d 3c 4s 4h 4d 4c 5s 5h 5d 5c 6s 6h 6d 6c"


@pytest.mark.long
def test_the_deck_runs_out(visit):
    """Seven seats with low cards: at the last seat, the stub is empty."""
    player = visit()
    Rigged(player, ROLL, LOW, others=6)
    deal(player)
    set_hands(player)
    for _ in player.decisions():
        player.use(player.button("Hit"))

    expect(player.page.get_by_text("The deck ran out: every bet wins!")).to_be_visible()
    results = player.page.get_by_role("region", name="Results of seat 7")
    expect(results).to_contain_text("Rule 8")


@pytest.mark.long
def test_decisions_of_others(visit):
    """In a game where seats play in turn, everyone sees each decision and whose turn it is."""
    player = visit()
    Rigged(player, ROLL, "5s 6d 9c | 8s 7d Kc | 2c 6h Td | Th Qh 9h Jh", others=1)
    deal(player)
    set_hands(player)

    player.says("Your first hand has 15, the dealer shows 6.")
    other = player.page.get_by_role("region", name="Seat 1, Player 1")
    expect(other).to_contain_text("Hit")
    expect(other.get_by_role("group", name="bust")).to_have_count(1)
    player.play_out()
    expect(other).to_contain_text(re.compile("[+−][$]|even"))


@pytest.mark.long
def test_void_round(visit):
    player = visit()
    table = Rigged(player, ROLL, "As 9d 8c | 2c 9h Td")
    deal(player)
    expect(player.button("Set the hands")).to_be_visible()
    table.void("the cards were seen")

    player.says("Round 1 is void: the cards were seen. All bets were returned.")
    assert table.balance == 100_000
    shows_balance(player, table)
    deal(player)  # it goes on
    expect(player.button("Set the hands")).to_be_visible()


@pytest.mark.long
@SIZES
def test_insurance(visit, size):
    player = visit(size=size)
    table = Rigged(player, ROLL, "As 9d Kc | 2c Ah Qd", rules={"insurance": "up_to_half"})
    deal(player)
    # the ace and the king on one bet, the nine on the other
    player.use(player.button(re.compile("^9 of diamonds")))
    player.use(player.button(re.compile("^king of clubs")))
    set_hands(player)

    player.says("The dealer shows an ace: do you insure?")
    expect(player.button("No insurance")).to_be_visible()
    expect(player.button(re.compile("^Insure for"))).to_be_visible()
    player.page.get_by_label(re.compile("or an amount up to")).fill("7.50")
    player.use(player.button("Insure", exact=True))
    expect(player.again).to_be_visible()
    expect(player.page.get_by_role("img", name="Insurance: $7.50, +$15")).to_be_visible()
    shows_balance(player, table)


@pytest.mark.long
def test_decisions_that_the_bankroll_does_not_cover(visit):
    player = visit()
    Rigged(player, ROLL, "8s 8d Kc | 2c 6h Td", balance=3500)
    deal(player)
    set_hands(player)

    says = player.page.get_by_text("Not split: this takes $10, but your bankroll is $5.")
    expect(says).to_be_visible()
    expect(player.page.get_by_text("Not double: this takes $10")).to_be_visible()
    expect(player.button("Split")).to_have_count(0)
    player.play_out()


@pytest.mark.long
def test_closed_table(visit):
    player = visit()
    table = Rigged(player, ROLL, "8s 7d Kc | 2c 6h Td")
    deal(player)
    expect(player.button("Set the hands")).to_be_visible()
    table.close()
    set_hands(player)
    away = player.page.get_by_role("link", name="Go to the lobby")
    for _ in range(2):  # both hands
        expect(player.button("Stand")).to_be_enabled()
        player.use(player.button("Stand"))

    expect(away).to_be_visible()
    expect(player.again).to_have_count(0)
    player.use(away)
    expect(player.page.get_by_role("heading", name="Open tables")).to_be_visible()


@pytest.mark.long
def test_settings_hands_by_dragging(visit):
    player = visit()
    table = Rigged(player, ROLL, "8s 7d Kc | 2c 6h Td")
    deal(player)
    page = player.page
    page.get_by_role("button", name=re.compile("^8 of spades")).drag_to(
        page.get_by_role("group", name="Second bet")
    )

    second = page.get_by_role("group", name="Second bet")
    expect(second.get_by_role("button", name=re.compile("^8 of spades"))).to_be_visible()
    set_hands(player)
    expect(player.button("Stand")).to_be_visible()
    made = table.table.hand.log[0].decision
    assert set(made.split()[1:]) in ({"7d", "8sKc"}, {"7d", "Kc8s"})
