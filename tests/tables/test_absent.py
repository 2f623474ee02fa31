"""The safe decision: always legal, the best toss, and the house way to set."""

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pitboss.coach import advise
from pitboss.core.cards import DECK, parse, spell
from pitboss.core.errors import RuleError
from pitboss.core.paytables import unit_net
from pitboss.core.protocol import Deal, Draw, deal_from, supply
from pitboss.games import GAMES, roll_your_own, toss_one
from pitboss.games.roll_your_own.absent import HOUSE_WAY
from pitboss.games.roll_your_own.card.lists import left_alone
from pitboss.games.roll_your_own.card.words import full
from pitboss.tables.absent import safe_decision
from tests.strategies import chances, hands, random_rules, rounds, shuffled

ROLL, TOSS = GAMES["roll-your-own"], GAMES["toss-one-21"]
DEFAULT = roll_your_own.Rules()
CARD = Path(__file__).parents[2] / "docs" / "strategy.md"


def dealt(game, rules, *packs):
    """Deal these packs, the last to the dealer, to seats that bet ten dollars on each bet."""
    round_ = game.start(rules)
    for seat, _ in enumerate(packs[:-1], 1):
        round_ = round_.apply(game.place(seat, dict.fromkeys(game.stakes, 1000)))
    return round_.apply(Deal(packs))


def roll(up, own, rules=DEFAULT, *others):
    """Deal three cards to seat 1 against an up card; burn and hole card are twos and threes."""
    burn, hole, *_ = (c for c in parse("2c 3c 2d 3d 2h 3h") if c not in parse(f"{up} {own}"))
    return dealt(ROLL, rules, parse(own), *map(parse, others), (burn, *parse(up), hole))


def asked(round_):
    return [seat for seat in round_.numbers if round_.legal(seat)]


# --- the house way


EXAMPLES = [
    (1, "6c", "7s Ah Kd", "set AhKd 7s"),
    (2, "6c", "Ks 5h Td", "set KsTd 5h"),
    (3, "6c", "2s 8h 9d", "set 2s9d 8h"),
    (4, "6c", "9s 4h Kd", "set 9sKd 4h"),
    (5, "8c", "7s 6h 7d", "set 7s7d 6h"),
    (6, "8c", "8s Kh 6d", "set 8sKh 6d"),
    (7, "Tc", "As 9h 7d", "set As9h 7d"),
    (8, "Ac", "9s 5h 9d", "set 9s9d 5h"),
    (9, "7c", "As 8h 6d", "set As8h 6d"),
    (9, "8c", "6s 8h Ad", "set 8hAd 6s"),
    (10, "6c", "7s 6h Ad", "set 7s6h Ad"),
    (10, "6c", "Qs 6h 7d", "set 6h7d Qs"),
]


@pytest.mark.parametrize(("line", "up", "own", "decision"), EXAMPLES)
def test_each_line_of_the_house_way(line, up, own, decision):
    """The first line that fits sets the hands; without it, they would be set differently."""
    assert str(safe_decision(roll(up, own), 1)) == decision
    rest = [rule for number, rule in enumerate(HOUSE_WAY, 1) if number not in {line, 10}]
    values = tuple(sorted(card.value for card in parse(own)))
    (alone,) = parse(decision.split()[2])
    others = left_alone([*rest, HOUSE_WAY[9]], parse(up)[0].value, values)
    assert (others == alone.value) is (line == 10)


@pytest.mark.parametrize(
    ("up", "own", "decision"),
    [
        ("9c", "7s 6h 7d", "set 7s6h 7d"),  # line 5 is for 2 to 8
        ("9c", "8s Kh 6d", "set 8s6d Kh"),  # line 6 is for 2 to 8
        ("Ac", "As 9h 7d", "set 9h7d As"),  # line 7 is not for an ace
        ("6c", "As 8h 6d", "set 8h6d As"),  # line 9 is for 7 and 8
        ("9c", "As 8h 6d", "set 8h6d As"),
    ],
)
def test_a_line_is_for_its_up_cards(up, own, decision):
    """Against another up card the line does not fit, and the last line decides."""
    assert str(safe_decision(roll(up, own), 1)) == decision


def test_the_house_way_is_the_card():
    """The docs show the house way: the strategy card of the default rules."""
    printed = re.findall(r"^ {1,2}\d{1,2} {2}(.+\.)$", CARD.read_text("utf-8"), re.MULTILINE)
    assert [full(rule) for rule in HOUSE_WAY] == printed


@given(chances, hands(3), st.sampled_from(DECK))
def test_the_house_way_is_the_same_everywhere(chance, own, up):
    """Under any rules, the same two cards go on the first bet and one on the second."""
    assume(up not in own)
    assume(sorted(card.value for card in own) not in ([1, 1, 10], [1, 10, 10]))
    there, here = (
        safe_decision(roll(str(up), spell(own), rules), 1)
        for rules in (DEFAULT, random_rules(chance, ROLL))
    )
    assert here == there
    assert (len(here.first), len(here.second)) == (2, 1)


def test_the_last_of_equal_cards_is_left_alone():
    """Among cards of equal value the last one dealt is left alone; the dealing order stays."""
    assert str(safe_decision(roll("6c", "8d 8s 8h"), 1)) == "set 8d8s 8h"
    assert str(safe_decision(roll("6c", "Kd Qs Th"), 1)) == "set KdQs Th"


# --- insurance and play


@pytest.mark.parametrize("insurance", ["up_to_half", "half_or_nothing"])
def test_insurance_is_declined(insurance):
    """Insurance is declined, whatever amount is allowed."""
    round_ = roll("Ac", "9s 7h Kd", DEFAULT.changed(f"insurance={insurance}"))
    round_ = round_.apply(safe_decision(round_, 1))
    assert str(safe_decision(round_, 1)) == "insure 0"


@pytest.mark.parametrize(
    ("own", "legal"),
    [
        ("2s 3h Kd", {"hit", "stand", "double"}),  # a 5 stands too
        ("8s 8h 6d", {"hit", "stand", "double", "split"}),
    ],
)
def test_hands_stand(own, legal):
    """A hand stands, whatever else is legal."""
    round_ = roll("6c", own)
    round_ = round_.apply(safe_decision(round_, 1))
    assert {str(play) for play in round_.legal(1)} == legal
    assert str(safe_decision(round_, 1)) == "stand"


def test_split_aces_stand():
    """A split ace that may be split again stands: it can do nothing else."""
    round_ = roll("6c", "As Ah 7d", DEFAULT.changed("resplit_aces=yes"))
    for text in ("set AsAh 7d", "split"):
        round_ = round_.apply(ROLL.decision(1, text))
    round_ = round_.apply(Draw(*parse("Ad")))
    assert {str(play) for play in round_.legal(1)} == {"stand", "split"}
    assert str(safe_decision(round_, 1)) == "stand"


# --- the toss


def prefers(rules, cards):
    """Return the tosses with the best total and, among those, the best Lucky 3 payout."""
    found = {}
    for index, card in enumerate(cards):
        hand = toss_one.Hand(cards[:index] + cards[index + 1 :], card)
        if not hand.is_bust:
            pays = unit_net(rules.lucky3_paytable.odds(toss_one.lucky3(hand)))
            found.setdefault((hand.total, pays), []).append(card)
    return found[max(found)] if found else []


ALIKE = [card for card in DECK if card.value in {1, 7, 10}]
"""Cards of which four often make 21 in several ways."""


@given(chances, hands(4, copies=8) | st.lists(st.sampled_from(ALIKE), min_size=4, max_size=4))
@settings(max_examples=300)
def test_the_toss_is_the_best(chance, cards):
    """The toss has the best total, then the best Lucky 3 payout, then is the first dealt."""
    cards = tuple(cards)
    rules = random_rules(chance, TOSS, decks=8)
    best = prefers(rules, cards)
    round_ = dealt(TOSS, rules, cards, parse("Ks 8d 3c 7c"))
    if best:
        assert safe_decision(round_, 1) == toss_one.Toss(1, best[0])
    else:
        assert round_.legal(1) == ()


@pytest.mark.parametrize("toss", ["must_be_best", "free"])
@pytest.mark.parametrize(
    ("cards", "decision"),
    [
        ("As Kd 9h Qc", "toss 9h"),
        ("As Ks Qs Jh", "toss Jh"),  # a suited blackjack
        ("Ah Ks Kd Qh", "toss Ks"),
        ("7s 7h 7d 7c", "toss 7s"),  # all pay the same: the first as dealt
        ("Ts 9s 2s 9h", "toss 9h"),  # a suited 21
        ("2s 3h 4d Kc", "toss 2s"),
    ],
)
def test_tosses(cards, decision, toss):
    """The same toss is made whether any toss is legal or only the best ones."""
    rules = toss_one.Rules().changed(f"toss={toss}")
    round_ = dealt(TOSS, rules, parse(cards), parse("Kh 8d 3c 6c"))
    assert str(safe_decision(round_, 1)) == decision


@given(rounds(TOSS, toss="free"))
@settings(max_examples=30)
def test_the_coach_agrees(played):
    """According to the coach, no toss is better for all bets of the seat together."""
    start = next(state for state in played.states if state.cards_used)
    for seat in asked(start):
        assert advise(start, seat).cost(safe_decision(start, seat)) <= 1e-12


# --- any round


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
@given(st.data())
def test_always_legal(game, data):
    """The safe decision of a seat is always legal, and adds no money."""
    for state in data.draw(rounds(game)).states:
        for seat in asked(state):
            decision = safe_decision(state, seat)
            assert decision in state.legal(seat)
            assert state.apply(decision).staked == state.staked


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
@given(st.data())
def test_the_round_ends(game, data):
    """Safe decisions end the round from any state, in any order of the seats."""
    played = data.draw(rounds(game))
    chance = data.draw(chances)
    round_ = chance.choice([state for state in played.states if state.cards_used])
    staked = round_.staked
    while late := asked(round_):
        round_ = supply(played.deck, round_.apply(safe_decision(round_, chance.choice(late))))
    assert round_.phase == "settled"
    assert sum(s.stake for s in round_.settlements()) == round_.staked == staked


@pytest.mark.parametrize(("game", "shown"), [(TOSS, range(4)), (ROLL, [0, 1, 2, 10])])
def test_hidden_cards_do_not_matter(game, shown):
    """The decision does not depend on cards that the seat does not see.

    *shown* are the places in the deck of its own cards and, where there is one, the up card.
    """
    chance, compared = random.Random(7), 0
    for deck in (shuffled(chance, len(DECK)) for _ in range(60)):
        rounds_ = [three_seats(game, reordered(chance, deck, shown)) for _ in range(4)]
        decisions = {str(safe_decision(round_, 1)) for round_ in rounds_ if round_.legal(1)}
        assert len(decisions) <= 1
        compared += len(decisions)
    assert compared > 30


def reordered(chance, deck, shown):
    """Shuffle a deck, except the cards at some places."""
    hidden = [card for place, card in enumerate(deck) if place not in shown]
    chance.shuffle(hidden)
    return tuple(card if place in shown else hidden.pop() for place, card in enumerate(deck))


def three_seats(game, deck):
    round_ = game.start(game.rules())
    for seat in (1, 2, 4):
        round_ = round_.apply(game.place(seat, dict.fromkeys(game.stakes, 500)))
    return deal_from(deck, round_)


def test_nothing_to_decide():
    """A seat without a decision has no safe decision, and the error says so."""
    betting = ROLL.start(ROLL.rules()).apply(ROLL.place(1, {"bet": 500}))
    double_blackjack = roll("6c", "As Kd Ac")
    bust = dealt(TOSS, TOSS.rules(), parse("Ks Kd Kh Kc"), parse("2s 3s 4s 5s"))
    for round_ in (betting, double_blackjack, bust):
        with pytest.raises(RuleError, match="seat 1 has nothing to decide now"):
            safe_decision(round_, 1)
    with pytest.raises(RuleError, match="seat 5 has no bet in this round"):
        safe_decision(betting, 5)


def test_out_of_turn():
    """A seat has no safe decision while another seat plays."""
    round_ = roll("6c", "9s 7h Kd", DEFAULT, "8s 5h Jd")
    for seat in (2, 1):
        round_ = round_.apply(safe_decision(round_, seat))
    assert str(safe_decision(round_, 1)) == "stand"
    with pytest.raises(RuleError, match="seat 2 has nothing to decide now"):
        safe_decision(round_, 2)


def test_with_an_empty_deck_it_stands_too():
    """A hit without a card would win every bet (rule 8), but the house does not make it."""
    chance, found = random.Random(1), 0
    for _ in range(200):
        deck = tuple(chance.sample(DECK, len(DECK)))
        round_ = ROLL.start(DEFAULT)
        for seat in range(1, 8):
            round_ = round_.apply(ROLL.place(seat, {"bet": 1000}))
        round_ = deal_from(deck, round_)
        while round_.asked and round_.cards_used < len(DECK):
            legal = round_.asked.legal
            plays = {str(decision): decision for decision in legal}
            round_ = supply(deck, round_.apply(plays.get("split", legal[0])))
        if round_.asked:
            found += 1
            assert str(safe_decision(round_, round_.asked.seat)) == "stand"
    assert found > 0


PLAIN = """
import sys
sys.modules |= dict.fromkeys(["numpy", "numba"])  # to import them fails now
from pitboss import strategy
from pitboss.core.cards import parse
from pitboss.core.protocol import Deal
from pitboss.games.roll_your_own import GAME, Rules
from pitboss.games.roll_your_own.card.words import full
from pitboss.games.roll_your_own.absent import HOUSE_WAY
from pitboss.tables.absent import safe_decision
round_ = GAME.start(Rules()).apply(GAME.place(1, {"bet": 500}))
print(safe_decision(round_.apply(Deal((parse("8s Th 8d"), parse("2c 6h Td")))), 1))
print(full(HOUSE_WAY[1]))
names = ("pitboss.games.roll_your_own.solver", "pitboss.solver", "pitboss.kernels")
print(sorted(m for m in sys.modules if m.startswith(names)))
"""


def test_without_the_solver():
    """A table decides without numpy, numba and the solver."""
    done = subprocess.run(
        [sys.executable, "-c", PLAIN], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout == "set 8s8d Th\nKeep two 10s together.\n[]\n"
