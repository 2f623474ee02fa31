"""The reasons of Toss One 21: a sentence for every clause."""

import random
from functools import reduce

import pytest

from pitboss.core.cards import DECK, parse
from pitboss.core.protocol import Deal
from pitboss.games import toss_one
from pitboss.reasons import reason

BUST = "Td 9c 8h 7s"
ANY = "Jc Jd Jh Js"
"""A dealer whose cards do not matter."""


def toss(player, dealer, tossed=None, bet=None, **settings):
    """Play a deal of Toss One 21; return the sentences for the seat, by bet."""
    rules = toss_one.Rules.from_json(settings)
    bet = bet or toss_one.Bet(1, 1000, 1000, 1000)
    card = parse(tossed)[0] if tossed else None
    round_ = toss_one.play_deal(rules, bet, parse(player), parse(dealer), card)
    return {s.bet: reason(rules, round_.view(1), s) for s in round_.settlements()}


# --- Toss One 21, clause by clause


@pytest.mark.parametrize(
    ("player", "dealer", "settings", "says"),
    [
        (BUST, ANY, {}, "You have no three cards under 22: bust."),
        ("As Kd Qh 2c", ANY, {}, "Blackjack pays 3 to 2, whatever the dealer has."),
        (
            "As Kd Qh 2c",
            ANY,
            {"blackjack_pays": "1:1"},
            "Blackjack pays even money, whatever the dealer has.",
        ),
        ("2c 3d 4h 5s", BUST, {}, "The dealer is bust."),
        ("8s 7d 6c 9h", "Ts 9d Ac 8d", {}, "Your 21 beats the dealer's 20."),
        ("2c 3d 4h 5s", "Ks 8d 3c 7c", {}, "Your 12 loses to the dealer's 21."),
        ("9s 6d 6c 5h", "Ad 6h 4s 9d", {}, "21 against 21: your kicker 5 loses to 9."),
        ("9s 6d 6c Kh", "Ad 6h 4s 9d", {}, "21 against 21: your kicker K beats 9."),
        ("9s 6d 6c Th", "Ad 6h 4s 9d", {}, "21 against 21: your kicker 10 beats 9."),
        ("9s 6d 6c 5h", "Ad 6h 4s 5d", {}, "Total 21 and kicker 5 are equal: the house wins."),
        (
            "9s 6d 6c Qh",
            "8d 8h 5s Kd",
            {},
            "Total 21 and kickers Q and K are equal: the house wins.",
        ),
        (
            "8s 7d 6c 9h",
            "As Kd Qh 2c",
            {"dealer_blackjack": "beats_21"},
            "The dealer's blackjack beats your 21.",
        ),
        ("8s 7d 6c 9h", "As Kd Qh 2c", {}, "21 against 21: your kicker 9 beats 2."),
    ],
)
def test_main(player, dealer, settings, says):
    """The reason of every result of Main names the totals and kickers that decided it."""
    assert toss(player, dealer, **settings)["main"] == says


@pytest.mark.parametrize(
    ("ace", "says"), [("high", "your kicker A beats 9"), ("low", "your kicker A (1) loses to 9")]
)
def test_the_ace_as_kicker(ace, says):
    """The reason says what a tossed ace counts if it counts 1 (reading R-3)."""
    told = toss("Ks 8d 3c Ah", "9d 8h 4s 9c", tossed="Ah", ace_kicker=ace)["main"]
    assert told == f"21 against 21: {says}."


def test_a_bust_takes_every_bet():
    """Rule 4 is the reason for all three bets, even if a free toss kept too much."""
    assert toss(BUST, ANY) == {
        "main": "You have no three cards under 22: bust.",
        "lucky3": "You have no three cards under 22: a bust takes Lucky 3 too.",
        "bonus4": "You have no three cards under 22: a bust takes Bonus 4 too.",
    }
    kept = toss("Ts 9d 8h 2c", ANY, tossed="2c", toss="free")
    assert kept["main"] == "You kept three cards over 21: bust."
    assert kept["lucky3"] == "You kept three cards over 21: a bust takes Lucky 3 too."


@pytest.mark.parametrize(
    ("player", "table", "says"),
    [
        ("As Ks Qs 2h", 2, "Suited blackjack pays 20 to 1."),
        ("As Kc Qs 2h", 2, "Coloured blackjack pays 8 to 1."),
        ("8s 7s 6s 9h", 2, "Suited 21 pays 4 to 1."),
        ("8s 7c 6s 9h", 1, "Coloured 21 pays 3 to 1."),
        ("As Kd Qh 2c", 2, "Blackjack of both colors pays 3 to 2."),
        ("8s 7d 6c 9h", 2, "21 of both colors pays even money."),
        ("8s 7d 6c 9h", 1, "21 of both colors is a push."),
        ("8s 7d 6c 9h", [{"on": ["suited_21"], "pays": "9:1"}], "21 of both colors does not pay"),
        ("2c 3d 4h 5s", 2, "Your three cards total 12, not 21."),
    ],
)
def test_lucky_3(player, table, says):
    """The reason names the Lucky 3 class of the three cards and its payout at this table."""
    told = toss(player, ANY, lucky3_paytable=table)["lucky3"]
    assert told.startswith(says)


@pytest.mark.parametrize(
    ("player", "table", "says"),
    [
        ("2c 3d 4h 3s", "letter", "All four cards total 12, which pays 4 to 1."),
        ("Ac Ad Ah As", "letter", "All four cards total 4 (an ace is 1), which pays 250 to 1."),
        ("9s 6d 6c 5h", "letter", "All four cards total 26, more than 21."),
        ("As Kd Qh 2c", "letter", "All four cards total 23 (an ace is 1), more than 21."),
        (
            "2c 3d 4h 3s",
            [{"on": [4], "pays": "9:1"}],
            "All four cards total 12, which does not pay here.",
        ),
        (
            "2c 3d 4h 3s",
            [{"on": [12], "pays": "0:1"}],
            "All four cards total 12, which is a push.",
        ),
    ],
)
def test_bonus_4(player, table, says):
    """The reason names the total of all four cards and its payout at this table."""
    assert toss(player, ANY, bonus4_paytable=table)["bonus4"] == says


def test_nothing_hidden_changes_a_sentence():
    """Before the dealer's cards are turned, a sentence does not depend on them."""
    chance, compared = random.Random(5), 0
    for _ in range(300):
        deck = list(DECK)
        chance.shuffle(deck)
        mine, others = tuple(deck[:4]), deck[4:]
        told = set()
        for _ in range(3):
            chance.shuffle(others)
            packs = Deal((mine, tuple(others[:4]), tuple(others[4:8])))
            bets = [toss_one.Bet(1, 500, 500, 500), toss_one.Bet(2, 500)]
            round_ = reduce(toss_one.Round.apply, [*bets, packs], toss_one.Round(toss_one.Rules()))
            if round_.legal(1):
                round_ = round_.apply(round_.legal(1)[0])
            if round_.phase == "tossing":
                view = round_.view(1)
                told.add(tuple(reason(round_.rules, view, s) for s in view.settlements))
        assert len(told) <= 1
        compared += any(map(len, told))
    assert compared > 20


def test_a_sentence_is_of_its_settlement():
    """With two seats, each sentence is about the seat's own cards."""
    bets = [toss_one.Bet(1, 500), toss_one.Bet(2, 500)]
    packs = tuple(map(parse, ("8s 7d 6c 9h", "2c 3d 4h 5s", "Ts 9d Ac 8d")))
    start = reduce(toss_one.Round.apply, [*bets, Deal(packs)], toss_one.Round(toss_one.Rules()))
    round_ = reduce(toss_one.Round.apply, [start.legal(1)[0], start.legal(2)[0]], start)
    told = [reason(round_.rules, round_.view(None), s) for s in round_.settlements()]
    assert told == ["Your 21 beats the dealer's 20.", "Your 12 loses to the dealer's 20."]
