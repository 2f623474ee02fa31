"""Each game against a second implementation, written apart from it in the plainest way."""

import random
from dataclasses import asdict

import pytest

from pitboss.cards import DECK
from pitboss.games import toss_one
from tests.plain import toss_one as plain_toss_one
from tests.strategies import play, random_rules


def told(settlements):
    """Return settlements as the second implementation tells them: without the outcome's name."""
    return [{k: v for k, v in asdict(s).items() if k != "outcome"} for s in settlements]


def agree_on_toss_one(seed):
    chance = random.Random(seed)
    rules = random_rules(chance, toss_one.GAME)
    played = play(toss_one.GAME, rules, chance)
    bets = [asdict(seat.bet) for seat in played.round.seats]
    tosses = {toss.seat: toss.card.text for toss in played.round.decisions()}
    deck = [card.text for card in played.deck]

    assert told(played.round.settlements()) == plain_toss_one.settle(
        rules.as_json(), deck, bets, tosses
    )
    for seat in played.round.seats:
        ours = toss_one.chosen_hand(rules, seat.cards)
        theirs = plain_toss_one.chosen_toss(rules.as_json(), [card.text for card in seat.cards])
        assert (ours and ours.tossed.text) == theirs


@pytest.mark.parametrize("block", range(8))
def test_toss_one_agrees(block):
    """2,000 random deals over random settings settle alike, bet by bet and in the same order."""
    for seed in range(block * 250, block * 250 + 250):
        agree_on_toss_one(seed)


@pytest.mark.long
@pytest.mark.parametrize("block", range(100))
def test_toss_one_agrees_at_length(block):
    """100,000 random deals over random settings settle alike."""
    for seed in range(10_000 + block * 1000, 11_000 + block * 1000):
        agree_on_toss_one(seed)


def test_best_tosses_agree():
    """The tosses that leave the best total are the same for 5,000 random hands."""
    chance = random.Random(21)
    for _ in range(5_000):
        hand = tuple(chance.sample(DECK * 2, 4))
        ours = [h.tossed.text for h in toss_one.best_hands(hand)]
        assert ours == plain_toss_one.best_tosses([card.text for card in hand])
