"""The texts of blackjack: a sentence for every settlement, and the lines of the layout."""

import pytest

from pitboss.core.cards import DECK, parse
from pitboss.core.presentation import presentation_of
from pitboss.core.protocol import deal_from, supply
from pitboss.games import blackjack
from pitboss.games.blackjack import Outcome
from pitboss.reasons import reason
from pitboss.web.game_info import rules_fields


def told(cards, decisions=(), **settings):
    """Play a round at seat 1; return the sentences of its settled bets."""
    rules = blackjack.Rules.from_json(settings)
    bet = blackjack.Bet(1, 1000, 500, 500, 500)
    deck = parse(cards)
    round_ = deal_from(deck, blackjack.Round(rules).apply(bet))
    for text in decisions:
        round_ = supply(deck, round_.apply(blackjack.read_decision(1, text)))
    found = round_.settlements()
    return {f"{s.bet}{s.hand or ''}": reason(rules, round_.view(1), s) for s in found}


ONLY = "The dealer's blackjack takes only the original bet"
EVEN = ", even money in all."
OBO = {"hole_card": "original_bets_only"}


@pytest.mark.parametrize(
    ("cards", "decisions", "settings", "says"),
    [
        ("As 7h Kd Td", [], {}, {"main": "Blackjack pays 3 to 2."}),
        ("As 7h Kd Td", [], {"blackjack_pays": "1:1"}, {"main": "Blackjack pays even money."}),
        ("As Th Kd Ad", [], {}, {"main": "You have blackjack and so has the dealer: a push."}),
        ("Ts Th Kd Ad", [], {}, {"main": "The dealer's blackjack beats your 20."}),
        ("Ts 7h 6d Td Kc", ["hit"], {}, {"main": "Your 26 is over 21: bust."}),
        ("Ts 6h 3d Td 8c", ["stand"], {}, {"main": "The dealer is bust with 24."}),
        ("Ts 9h Kd Td", ["stand"], {}, {"main": "Your 20 beats the dealer's 19."}),
        ("Ts Th 9d Kd", ["stand"], {}, {"main": "Your 19 loses to the dealer's 20."}),
        ("Ts 9h 9d Td", ["stand"], {}, {"main": "Your 19 and the dealer's 19: a push."}),
        (
            "Ts Th 6d 8c",
            ["surrender"],
            {"surrender": "late"},
            {"main": "Your 16 was surrendered for half of the bet."},
        ),
        (
            "9s Ah Td Kc",
            ["insure 500"],
            {},
            {"insurance": "The dealer has blackjack: insurance pays 2 to 1."},
        ),
        (
            "9s Ah Td 7c",
            ["insure 500", "stand"],
            {},
            {"insurance": "The dealer has no blackjack: insurance loses."},
        ),
        (
            "As Ah Td Kc",
            ["insure 500"],
            {},
            {"insurance": f"The dealer has blackjack: insurance pays 2 to 1{EVEN}"},
        ),
        (
            "As Ah Td 7c",
            ["insure 500"],
            {},
            {
                "insurance": f"The dealer has no blackjack: insurance loses{EVEN}",
                "main": "Blackjack pays 3 to 2.",
            },
        ),
        (  # for less than half, or at other odds, it is not even money
            "As Ah Td 7c",
            ["insure 400"],
            {},
            {"insurance": "The dealer has no blackjack: insurance loses."},
        ),
        (
            "As Ah Td 7c",
            ["insure 500"],
            {"blackjack_pays": "6:5"},
            {"insurance": "The dealer has no blackjack: insurance loses."},
        ),
        (  # no hole card: a dealer's blackjack takes the double too
            "5s Th 6d Ad 9c",
            ["double"],
            {"hole_card": "no_peek"},
            {"main": "The dealer's blackjack beats your 20."},
        ),
        ("5s Th 6d Ad 9c", ["double"], OBO, {"main": f"{ONLY}: the double is returned."}),
        (
            "8s Th 8d Ad Kc Qc",
            ["split", "stand", "stand"],
            OBO,
            {
                "main": "The dealer's blackjack beats your 18.",
                "main1": f"{ONLY}: this bet is returned.",
            },
        ),
    ],
)
def test_main_and_insurance(cards, decisions, settings, says):
    """The sentence names the totals, the payout or the bet that is returned."""
    found = told(cards, decisions, **settings)
    assert {bet: found[bet] for bet in says} == says


@pytest.mark.parametrize(
    ("cards", "bet", "says"),
    [
        ("8s 7h 8s Td", "perfect_pairs", "A perfect pair pays 25 to 1."),
        ("8h 7h 8d Td", "perfect_pairs", "A colored pair pays 12 to 1."),
        ("8s 7h 8d Td", "perfect_pairs", "A mixed pair pays 6 to 1."),
        ("Ks 7h Td Td", "perfect_pairs", "Your first two cards are not a pair."),
        ("7s 7s 7s Td", "21+3", "Suited three of a kind pays 9 to 1."),
        ("5h 6h 7h Td", "21+3", "A straight flush pays 9 to 1."),
        ("7s 7h 7d Td", "21+3", "Three of a kind pays 9 to 1."),
        ("5h 6c 7h Td", "21+3", "A straight pays 9 to 1."),
        ("5h 9h 7h Td", "21+3", "A flush pays 9 to 1."),
        ("5h 9c 7h Td", "21+3", "No flush, no straight, no three of a kind."),
        (
            "Qh Th Qh Ad",
            "lucky_ladies",
            "A pair of queens of hearts with a dealer's blackjack pays 1000 to 1.",
        ),
        ("Qh 7h Qh Td", "lucky_ladies", "A pair of queens of hearts pays 125 to 1."),
        ("Ks 7h Ks Td", "lucky_ladies", "A matched 20 pays 19 to 1."),
        ("As 7h 9s Td", "lucky_ladies", "A suited 20 pays 9 to 1."),
        ("Ks 7h Td Td", "lucky_ladies", "A 20 pays 4 to 1."),
        ("Ks 7h 9d Td", "lucky_ladies", "Your first two cards do not total 20."),
    ],
)
def test_side_bets(cards, bet, says):
    """The sentence names the hand and its payout, or the hand that was missing."""
    assert told(cards)[bet] == says


def test_the_shoe_runs_out():
    """A hand that needs a card that is not there gets its bet back (rule 11)."""
    deck = (*parse("2c 2d 2h 2s"), *(card for card in DECK if card.value != 2))
    rules = blackjack.Rules(decks=1)
    round_ = deal_from(deck, blackjack.Round(rules).apply(blackjack.Bet(1, 1000)))
    taken = blackjack.Round(
        rules, round_.seats, round_.dealer, draws=deck[4:], plays=round_.plays
    )  # every other card has gone
    ended = taken.apply(blackjack.Hit(1))
    (settlement,) = ended.settlements()
    assert settlement.result is Outcome.RUN_OUT
    assert reason(rules, ended.view(1), settlement) == "No card was left: the bet is returned."


def test_the_lines_of_the_layout():
    """The layout prints the payout of a blackjack, the dealer's 17 and insurance."""
    found = rules_fields(blackjack.Rules())
    assert found["felt_lines"] == [
        "Blackjack pays 3 to 2",
        "Dealer hits soft 17",
        "Insurance pays 2 to 1",
    ]
    assert found["any_amount"] == ["insure"]
    without = rules_fields(blackjack.Rules(soft_17="stand", insurance=False))
    assert without["felt_lines"] == ["Blackjack pays 3 to 2", "Dealer stands on all 17s"]
    assert without["any_amount"] == []


def test_keys():
    """Every decision has a key of its own."""
    texts = presentation_of(blackjack.GAME).decisions
    keys = {text.decision: text.key for text in texts}
    assert keys == {
        "hit": "h",
        "stand": "s",
        "double": "d",
        "split": "p",
        "surrender": "r",
        "insure": "i",
        "insure 0": "n",
    }


def test_celebrated_outcomes():
    """A celebration names an outcome that a settlement of the game can have."""
    side_bets = [*blackjack.PlusThree, *blackjack.LuckyLadies]
    possible = {*Outcome} | {result.replace("_", " ") for result in side_bets}
    assert set(presentation_of(blackjack.GAME).celebrations) <= possible
