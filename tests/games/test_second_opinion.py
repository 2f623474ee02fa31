"""Each game is compared with a second, plain implementation that was written independently."""

import json
import random
from collections import Counter
from dataclasses import asdict

import pytest

from pitboss.core.cards import DECK
from pitboss.core.errors import GameError
from pitboss.core.journal import read_journal, replay
from pitboss.core.protocol import supply
from pitboss.games import GAMES, toss_one
from tests.plain import blackjack as plain_blackjack
from tests.plain import roll_your_own as plain_roll_your_own
from tests.plain import toss_one as plain_toss_one
from tests.strategies import paired, play, random_rules, stacked


def told(settlements):
    """Return settlements in the format of the second implementation, without the outcome."""
    return [
        {k: v for k, v in asdict(s).items() if k not in {"outcome", "result", "odds"}}
        for s in settlements
    ]


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
    """2,000 random deals with random settings settle in the same way, in the same order."""
    for seed in range(block * 250, block * 250 + 250):
        agree_on_toss_one(seed)


@pytest.mark.long
@pytest.mark.parametrize("block", range(100))
def test_toss_one_agrees_at_length(block):
    """100,000 random deals with random settings settle in the same way."""
    for seed in range(10_000 + block * 1000, 11_000 + block * 1000):
        agree_on_toss_one(seed)


def test_best_tosses_agree():
    """The tosses that leave the best total are the same for 5,000 random hands."""
    chance = random.Random(21)
    for _ in range(5_000):
        hand = tuple(chance.sample(DECK * 2, 4))
        ours = [h.tossed.text for h in toss_one.best_hands(hand)]
        assert ours == plain_toss_one.best_tosses([card.text for card in hand])


def told_asked(state):
    """Return the open question of a state in the format of the second implementation."""
    asked = state.asked
    if asked.decision == "set":
        ways = [
            (frozenset(c.text for c in way.first), frozenset(c.text for c in way.second))
            for way in asked.legal
        ]
        legal = sorted(ways, key=lambda way: (sorted(way[0]), sorted(way[1])))
    elif asked.decision == "insure":
        legal = tuple(decision.amount for decision in asked.legal)
    else:
        legal = sorted(map(str, asked.legal))
    return asked.seat, asked.decision, legal


def questions(played):
    """Return each decision of a journal, in its order, with its answer."""
    states = played.states
    dealt = next(state for state in states if state.dealer)
    found = []
    for decision in played.round.decisions():
        found.append((told_asked(dealt), str(decision)))
        dealt = supply(played.deck, dealt.apply(decision))
    assert dealt == played.round
    return found


SECOND = {
    "roll-your-own": (plain_roll_your_own, "8"),
    "blackjack": (plain_blackjack, "11"),
}
"""The games that are played in turn: the second implementation, and the rule of the run-out."""

in_turn = pytest.mark.parametrize("key", SECOND)


def play_in_turn(key, chance):
    """Play a random round; a third with early high cards, a third with pairs for a full table."""
    game = GAMES[key]
    rules = random_rules(chance, game, seats=7)
    if "decks" in game.rules.settings and chance.randrange(2):
        rules = rules.changed("decks=1")
    full = {"shuffle": paired, "seats": 7, "greedy": True}
    return play(game, rules, chance, **chance.choice([{}, {"shuffle": stacked}, full]))


def bets_of(played):
    return [{"seat": seat.seat} | dict(seat.stakes) for seat in played.round.record().seats]


def agree(key, seed):
    played = play_in_turn(key, random.Random(seed))
    asked = questions(played)
    deck = [card.text for card in played.deck]
    second, run_out = SECOND[key]
    decisions = [word for _, word in asked]

    plain = second.replay(played.round.rules.as_json(), deck, bets_of(played), decisions)

    assert plain["illegal"] is None
    assert not plain["open"]
    assert [tuple(a) for a in plain["asked"]] == [question for question, _ in asked]
    assert plain["settlements"] == told(played.round.settlements())
    if "dealer" in plain:
        shown = [card.text for card in played.round.record().dealer.cards if card]
        assert plain["dealer"] == shown
    return Counter(
        rounds=1,
        run_outs=any(s.rule == run_out for s in played.round.settlements()),
        splits=decisions.count("split"),
    )


@in_turn
@pytest.mark.parametrize(
    "block", [*range(4), *(pytest.param(n, marks=pytest.mark.long) for n in range(4, 8))]
)
def test_agrees(key, block):
    """2,000 random rounds have the same decisions in the same order, and the same settlements."""
    seeds = range(block * 250, block * 250 + 250)
    counts = sum((agree(key, seed) for seed in seeds), Counter())

    assert counts["run_outs"] >= 3
    assert counts["splits"] >= 25


@pytest.mark.long
@in_turn
@pytest.mark.parametrize("block", range(100))
def test_agrees_at_length(key, block):
    """100,000 random rounds; each thousand includes run-outs and splits."""
    start = 10_000 + block * 1000
    counts = sum((agree(key, seed) for seed in range(start, start + 1000)), Counter())

    assert counts["run_outs"] >= 10
    assert counts["splits"] >= 100


FOREIGN = ["hit", "stand", "double", "split", "surrender", "insure 0", "insure 1", "set AsKs 2h"]


def agree_on_a_foreign_decision(key, seed):
    """Insert a decision anywhere in a round: both reject it at the same place, or neither does."""
    chance = random.Random(seed)
    played = play_in_turn(key, chance)
    decisions = [str(decision) for decision in played.round.decisions()]
    place = chance.randint(0, len(decisions))
    decisions[place : place + chance.randrange(2)] = [chance.choice(FOREIGN + decisions)]
    deck = [card.text for card in played.deck]
    second, _ = SECOND[key]

    plain = second.replay(played.round.rules.as_json(), deck, bets_of(played), decisions)

    written = {
        "format": 1,
        "game": key,
        "rules": played.round.rules.as_json(),
        "deck": " ".join(deck),
        "bets": bets_of(played),
        "decisions": decisions,
    }
    try:
        ours = replay(read_journal(json.dumps(written)))
    except GameError as error:
        assert plain["illegal"] == error.at
        return 1
    assert plain["illegal"] is None
    assert plain["open"] == (ours.phase != "settled")
    assert plain["settlements"] == told(ours.settlements())
    return 0


@in_turn
def test_illegal_decisions_agree(key):
    """Both implementations reject a foreign decision in a random round at the same place."""
    assert 100 < sum(agree_on_a_foreign_decision(key, seed) for seed in range(400)) < 400
