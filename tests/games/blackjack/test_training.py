"""Dealer training for blackjack under any rules: the game's order, and nothing seen too soon."""

import random

import pytest

from pitboss.core.cards import parse
from pitboss.core.protocol import DealerView, deal_from
from pitboss.games import blackjack
from pitboss.games.blackjack.training import BlackjackTableState, TrainingTable
from pitboss.training import dealer
from pitboss.training.dealer import Move, Settle
from tests.strategies import random_rules

GAME = blackjack.GAME
TURNED = ("You turn it over", "You turn your hole card over")


@pytest.mark.parametrize("first", [0, 100, 200])
def test_any_rules(first):
    """Every bet is settled once in the game's order, and no step shows the hole card too soon."""
    for seed in range(first, first + 100):
        chance = random.Random(seed)
        found = dealer.train(GAME, random_rules(chance, GAME), chance)
        assert dealer.settlements_of(found.steps) == found.round.settlements()
        for step in found.steps:
            if isinstance(step, Move) or any(text in step.prompt for text in TURNED):
                break
            assert step.view.dealer.cards[1] is None


def trained(cards, bet=None, **settings):
    """Return the steps of a round with chosen cards, one seat."""
    deck = parse(cards)
    start = blackjack.Round(blackjack.Rules.from_json(settings))
    round_ = deal_from(deck, start.apply(bet or blackjack.Bet(1, 1000)))
    up = round_.dealer[:1]
    state = BlackjackTableState(DealerView((*up, None), up, up[0].value), "playing")
    return list(TrainingTable(round_, state, deck, random.Random(1)).steps())


def told(steps):
    """Return the prompts, and the bets that are settled in between."""
    return [step.settlement.bet if isinstance(step, Settle) else step.prompt for step in steps]


def test_the_peek_comes_before_the_money():
    """The dealer looks before a blackjack is paid, and queens of hearts wait for the look."""
    bet = blackjack.Bet(1, 1000, lucky_ladies=500)
    assert told(trained("As Th Kd 9c"))[:2] == [
        "You look at your hole card: no blackjack.",
        "main",
    ]
    assert told(trained("Qh Th Qh Ac", bet)) == [
        "You look at your hole card: a blackjack. You turn it over.",
        "lucky_ladies",
        "main",
        "Every bet is settled.",
    ]


def test_without_a_peek_everything_waits():
    """A blackjack against a ten is settled only after the hole card, and nobody has to draw."""
    assert told(trained("As Th Kd 5c", hole_card="no_peek")) == [
        "You turn your hole card over.",
        "main",
        "Every bet is settled.",
    ]


def test_a_bust_of_an_added_bet_waits_too():
    """With original bets only, a bust split hand waits: a dealer's blackjack would return a bet."""
    cards = "8s Th 8d Ad 4c Kc 9c"  # the first hand of the split is bust
    steps = told(trained(cards, hole_card="original_bets_only"))
    assert steps.index("main") > steps.index(next(s for s in steps if "hole card over" in s))
    steps = told(trained(cards, hole_card="no_peek"))
    assert steps.index("main") < steps.index(next(s for s in steps if "hole card over" in s))


def test_the_dealer_is_asked_by_the_rules():
    """Soft 17 is hit or not as the house says, and the reason cites rule 9."""
    for soft_17, accepts, words in (
        ("hit", "hit", "hits soft 17"),
        ("stand", "stand", "stands on"),
    ):
        steps = trained("Ts 6h 9d Ac 4s", soft_17=soft_17)
        move = next(step for step in steps if isinstance(step, Move))
        assert move.accepts == (accepts,)
        assert words in move.why
        assert "(rule 9)" in move.why


def test_a_surrender():
    """The simple player surrenders 16 against a ten, and the dealer takes half."""
    steps = trained("Ts Th 6d 8c", surrender="late")
    assert "Seat 1 surrenders." in told(steps)
    (settle,) = (step for step in steps if isinstance(step, Settle))
    assert settle.why == "The player's 16 was surrendered for half of the bet. Take $5 of the $10."
