"""Why a bet ended: a sentence for every clause, with figures that lie open and no others."""

import random
import re
from functools import reduce

import pytest

from pitboss.cards import DECK, parse
from pitboss.felt import Deal, deal_from, supply
from pitboss.games import GAMES, roll_your_own, toss_one
from pitboss.paytables import Odds
from pitboss.reasons import reason
from tests.strategies import play, random_rules

BUST = "Td 9c 8h 7s"
ANY = "Jc Jd Jh Js"
"""A dealer whose cards do not matter."""

NEXT = "Your next card makes blackjack, which pays 3 to 2, whatever the dealer has."


def toss(player, dealer, tossed=None, bet=None, **settings):
    """Play a deal of Toss One 21; return its sentences by bet, as the seat hears them."""
    rules = toss_one.Rules.from_json(settings)
    bet = bet or toss_one.Bet(1, 1000, 1000, 1000)
    card = parse(tossed)[0] if tossed else None
    round_ = toss_one.play_deal(rules, bet, parse(player), parse(dealer), card)
    return {s.bet: reason(rules, round_.view(1), s) for s in round_.settlements()}


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
    """Every way a Main bet ends is told with the totals and kickers that decided it."""
    assert toss(player, dealer, **settings)["main"] == says


@pytest.mark.parametrize(
    ("ace", "says"), [("high", "your kicker A beats 9"), ("low", "your kicker A (1) loses to 9")]
)
def test_the_ace_as_kicker(ace, says):
    """A tossed ace says what it counts where it counts little (reading R-3)."""
    told = toss("Ks 8d 3c Ah", "9d 8h 4s 9c", tossed="Ah", ace_kicker=ace)["main"]
    assert told == f"21 against 21: {says}."


def test_a_bust_takes_every_bet():
    """Rule 4 is the reason for all three bets, also where a free toss kept too much."""
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
    """Lucky 3 names the class of the three cards and what this table pays for it."""
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
    """Bonus 4 names the total of all four cards and what this table pays for it."""
    assert toss(player, ANY, bonus4_paytable=table)["bonus4"] == says


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
def test_a_bonus_table_of_one_s_own(pays, says):
    """What a table of one's own pushes, or does not list, is told as such."""
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
    """Every way a blackjack bet or an insurance ends is told with its totals."""
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
    """When a card is needed and there is none, rule 8 is the reason, for open insurance too."""
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


def test_other_games():
    """Of a game that has no sentences no reason is made up: the outcome is said as it is."""
    round_ = toss_one.play_deal(
        toss_one.Rules(), toss_one.Bet(1, 500), parse("2c 3d 4h 5s"), parse(BUST)
    )
    assert reason(object(), round_.view(1), round_.settlements()[0]) == "Dealer bust."


# --- whatever the round


def figures(rules, view, settlement):
    """Return the numbers that a view lets a sentence name."""
    seat = next(seat for seat in view.seats if seat.seat == settlement.seat)
    shown = [card for card in (*seat.cards, *view.dealer.cards) if card]
    odds = [Odds(2)]  # of insurance
    for name in rules.settings:
        value = getattr(rules, name)
        odds += [value] if isinstance(value, Odds) else []
        odds += [line for _, line in getattr(value, "lines", ())]
    found = {1, 3, 4, 21, 22, view.dealer.total, *(hand.total for hand in seat.hands)}
    found |= {card.value for card in shown} | {n for o in odds for n in (o.win, o.stake)}
    return found | {sum(card.value for card in seat.cards if card)}


def check_sentence(rules, view, settlement):
    told = reason(rules, view, settlement)
    assert re.fullmatch(r"[A-Z0-9][^.]*\.", told), told
    assert len(told) <= 80, told
    assert {int(n) for n in re.findall(r"\d+", told)} <= figures(rules, view, settlement), told
    assert not re.search(r"None|[A2-9TJQK][shdc♠♥♦♣]\b", told), told
    if settlement.net > 0:
        assert not re.search("lose|bust takes|push|does not|not 21|more than", told), told
    if settlement.net < 0:
        assert not re.search("pays|paid|push|Your .* beats|dealer is bust|wins, ", told), told
    return told


LEAST_KINDS = {"toss-one-21": 20, "roll-your-own": 20}  # where outcomes have sentences


@pytest.mark.parametrize("key", GAMES)
def test_every_settlement_says_why(key):
    """Every settlement in every view of random rounds, by any rules, has a sentence that holds."""
    game, kinds, number = GAMES[key], set(), 0
    for seed in range(1000):
        chance = random.Random(seed)
        rules = random_rules(chance, game)
        found = play(game, rules, chance)
        for state in {id(s): s for s in (chance.choice(found.states), found.round)}.values():
            seats = [None, chance.choice(state.numbers)] if state.numbers else [None]
            for view in (*map(state.view, seats), state.record()):
                for settlement in view.settlements:
                    kinds.add(
                        re.sub(r"\b(\d+|[AJQK])\b", "#", check_sentence(rules, view, settlement))
                    )
                    number += 1
    assert number > 5_000
    assert len(kinds) >= LEAST_KINDS.get(key, 1), kinds


def test_nothing_hidden_changes_a_sentence():
    """Before the dealer's cards are turned a sentence is the same whatever they are."""
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
    """Of two seats each hears of its own cards."""
    bets = [toss_one.Bet(1, 500), toss_one.Bet(2, 500)]
    packs = tuple(map(parse, ("8s 7d 6c 9h", "2c 3d 4h 5s", "Ts 9d Ac 8d")))
    start = reduce(toss_one.Round.apply, [*bets, Deal(packs)], toss_one.Round(toss_one.Rules()))
    round_ = reduce(toss_one.Round.apply, [start.legal(1)[0], start.legal(2)[0]], start)
    told = [reason(round_.rules, round_.view(None), s) for s in round_.settlements()]
    assert told == ["Your 21 beats the dealer's 20.", "Your 12 loses to the dealer's 20."]
