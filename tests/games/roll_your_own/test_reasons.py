"""The reasons of Roll Your Own Blackjack: a sentence for every clause."""

import random

import pytest

from pitboss.core.cards import DECK, parse
from pitboss.core.protocol import deal_from, supply
from pitboss.games import roll_your_own
from pitboss.reasons import reason
from tests.strategies import play

NEXT = "Your next card makes blackjack, which pays 3 to 2, whatever the dealer has."


def roll(player, dealer, stub="", decisions=(), **settings):
    """Play a round of Roll Your Own at seat 1; return the sentences of its settled bets."""
    rules = roll_your_own.Rules.from_json(settings)
    start = roll_your_own.Round(rules).apply(roll_your_own.Bet.of(1, 1000))
    deck = parse(player) + parse(dealer) + parse(stub)
    deck += tuple(card for card in DECK if card not in deck)
    round_ = deal_from(deck, start)
    for text in decisions:
        round_ = supply(deck, round_.apply(roll_your_own.read_decision(1, text)))
    found = round_.settlements()
    return {f"{s.bet}{s.hand or ''}": reason(rules, round_.view(1), s) for s in found}


# --- Roll Your Own Blackjack, clause by clause


@pytest.mark.parametrize(
    ("player", "says"),
    [
        ("As Ks Qs", "A-K-Q suited pays 100 to 1."),
        ("4s 5s 6s", "A straight flush pays 50 to 1."),
        ("7s 7d 7c", "Three of a kind pays 30 to 1."),
        ("4s 5d 6s", "A straight pays 5 to 1."),
        ("2s 5s 9s", "A flush pays 3 to 1."),
        ("2s 5s 9d", "No straight, no flush, no three of a kind."),
    ],
)
def test_the_bonus(player, says):
    """The Bonus names the hand and what it pays (rule 6)."""
    one, two, three = player.split()
    decisions = [] if player == "As Ks Qs" else [f"set {one}{two} {three}"]
    told = roll(player, "2c 6h Kd", "3h", decisions)
    assert told["bonus"] == says


@pytest.mark.parametrize(("pays", "says"), [("0:1", "is a push"), (None, "does not pay here")])
def test_a_custom_bonus_table(pays, says):
    """Results that a custom table pushes or does not list are explained as such."""
    lines = [{"on": ["straight"], "pays": "5:1"}]
    lines += [{"on": ["flush"], "pays": pays}] if pays else []
    told = roll("2s 5s 9s", "2c 6h Kd", "3h", ["set 2s5s 9s"], bonus_paytable=lines)
    assert told["bonus"] == f"A flush {says}."


DOUBLE = "Double blackjack: both bets are paid 3 to 2 at once."
NO_CARD = "No card was left: every bet in action"


@pytest.mark.parametrize(
    ("cards", "decisions", "settings", "says"),
    [
        (("As Ah Kd", "2c 6h Kc"), [], {}, {"first": DOUBLE, "second": DOUBLE}),
        (
            ("As Kd 9h", "2c 6h Tc", "2s"),
            ["set AsKd 9h"],
            {},
            {"first": "Blackjack pays 3 to 2, whatever the dealer has."},
        ),
        (  # 7h: a one-card ten whose next card makes it
            ("Td 5c 6h", "2c 6d Tc", "As"),
            ["set 5c6h Td", "stand"],
            {},
            {"second": NEXT},
        ),
        (
            ("Ts 6d 5h", "2c 9d Tc", "Kd"),
            ["set Ts6d 5h", "hit"],
            {},
            {"first": "Your 26 is over 21: bust."},
        ),
        (  # the dealer has 6 and ten, and draws a nine
            ("Ts 7d 9h", "2c 6d Tc", "Kd 9c"),
            ["set Ts7d 9h", "stand", "stand"],
            {},
            {"first": "The dealer is bust with 25.", "second": "The dealer is bust with 25."},
        ),
        (
            ("Ts 7d 9h", "2c 8d Tc", "Kd"),
            ["set Ts7d 9h", "stand", "stand"],
            {},
            {
                "first": "Your 17 loses to the dealer's 18.",
                "second": "Your 19 beats the dealer's 18.",
            },
        ),
        (
            ("Ts 8d 8h", "2c 8c Tc", "Kd"),
            ["set Ts8d 8h", "stand", "stand"],
            {},
            {"first": "Your 18 and the dealer's 18: a push."},
        ),
        (
            ("Ts 8d 8h", "2c Ac Kc"),
            ["set Ts8d 8h", "insure 500"],
            {},
            {
                "first": "The dealer's blackjack beats your 18.",
                "second": "The dealer's blackjack beats your one card.",
                "insurance": "The dealer has blackjack: insurance pays 2 to 1.",
            },
        ),
        (
            ("Ts 8d 8h", "2c Ac 9c"),
            ["set Ts8d 8h", "insure 500"],
            {},
            {"insurance": "The dealer has no blackjack: insurance loses."},
        ),
        (
            ("8s 8d Th", "2c 8c Tc", "Kd Qd Kc"),
            ["set 8s8d Th", "split", "stand", "stand", "stand"],
            {},
            {
                "first": "Your 18 and the dealer's 18: a push.",
                "first1": "Your 18 and the dealer's 18: a push.",
                "second": "Your 20 beats the dealer's 18.",
            },
        ),
    ],
)
def test_the_hands(cards, decisions, settings, says):
    """The reason of every result of a blackjack bet or an insurance has its totals."""
    told = roll(*cards, decisions=decisions, **settings)
    assert {bet: told[bet] for bet in says} == says


@pytest.mark.parametrize(
    ("run_out", "hand", "insurance"),
    [
        ("win", f"{NO_CARD} wins.", f"{NO_CARD} wins, insurance 2 to 1."),
        ("push", f"{NO_CARD} is returned.", f"{NO_CARD} is returned."),
    ],
)
def test_an_empty_deck(run_out, hand, insurance):
    """If a card is needed and there is none, rule 8 is the reason, also for open insurance."""
    rules = roll_your_own.Rules.from_json({"run_out": run_out, "hole_card": "no_peek", "seats": 7})
    found = set()
    for seed in range(4000):
        chance = random.Random(seed)
        round_ = play(roll_your_own.GAME, rules, chance, seats=7, greedy=True).round
        for s in round_.settlements():
            if s.outcome == "deck ran out":
                found.add((s.bet == "insurance", reason(rules, round_.view(None), s)))
        if len(found) == 2:
            break
    assert found == {(False, hand), (True, insurance)}
