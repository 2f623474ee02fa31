"""The coach of Roll Your Own: values checked by hand, with the game, and for hidden cards."""

import random
import sys
from dataclasses import replace
from functools import reduce
from itertools import permutations
from statistics import mean

import pytest

from pitboss.coach import CoachError, advise
from pitboss.core.cards import DECK, parse
from pitboss.core.errors import RuleError
from pitboss.core.protocol import Deal, Draw, deal_from, net
from pitboss.games import roll_your_own
from pitboss.games.roll_your_own import Double, Hit, Insure, SetHands, Split, Stand
from pitboss.games.roll_your_own.coach import _could_run_out
from pitboss.games.roll_your_own.solver import Solver
from tests.games.test_views import other_deck, peeked_nothing, replayed
from tests.strategies import play, random_rules


def dealt(packs, rules=None, bet=1000):
    """Deal Roll Your Own; the last pack is the dealer's, the others are for the seats."""
    bets = [roll_your_own.Bet.of(seat, bet) for seat in range(1, len(packs))]
    start = roll_your_own.Round(rules or roll_your_own.Rules())
    return reduce(roll_your_own.Round.apply, [*bets, Deal(tuple(map(parse, packs)))], start)


def values(advice):
    return {str(option.decision): option.value for option in advice.options}


def played(seeds, rules=None, **options):
    """Play rounds of Roll Your Own greedily, so that the stub is used up."""
    for seed in seeds:
        chance = random.Random(seed)
        drawn = rules or random_rules(chance, roll_your_own.GAME, seats=7)
        yield play(roll_your_own.GAME, drawn, chance, greedy=True, **options)


def test_nothing_to_decide():
    """A seat without a decision, or an unknown seat, gets no advice."""
    table = dealt(["8s 8d Th", "2c 6h Kd"])
    over = table.apply(SetHands(1, parse("8s Th"), parse("8d")))

    with pytest.raises(RuleError, match="seat 2 has no bet"):
        advise(table, 2)
    with pytest.raises(RuleError, match="seat 1 has nothing to decide now"):
        advise(over.apply(Stand(1)), 1)


def test_without_numba(monkeypatch):
    """Without the extra the coach says what to install."""
    roll = "pitboss.games.roll_your_own"
    solving = (f"{roll}.solver", f"{roll}.kernels", "pitboss.solver", "pitboss.kernels")
    for name in [name for name in sys.modules if name.startswith(solving)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numba", None)

    with pytest.raises(CoachError, match=r"needs numba.*pip install 'pitboss\[kernels\]'"):
        advise(dealt(["8s 8d Th", "2c 6h Kd"]), 1)


def test_another_module_missing(monkeypatch):
    """A missing module outside the extra is an ordinary error."""
    monkeypatch.setitem(sys.modules, "pitboss.games.roll_your_own.solver", None)

    with pytest.raises(ModuleNotFoundError):
        advise(dealt(["8s 8d Th", "2c 6h Kd"]), 1)


def test_values_of_decisions():
    """A decision has a value however its cards are ordered; an illegal decision has none."""
    advice = advise(dealt(["8s 8d Th", "2c 6h Kd"]), 1)
    best = advice.best.decision
    turned = SetHands(1, best.first[::-1], best.second[::-1])

    assert advice.unit == 1000
    assert advice.value(turned) == advice.best.value
    assert advice.cost(SetHands(1, parse("8s Th"), parse("8d"))) > 0
    for wrong in (Hit(1), Insure(1, 500), SetHands(2, best.first, best.second)):
        with pytest.raises(RuleError, match="may not"):
            advice.value(wrong)


@pytest.mark.parametrize("block", range(3))
def test_roll_your_own_knows_only_what_lies_open(block):
    """The advice does not depend on the burn card, the hole card, the stub or face-down cards."""
    compared = 0
    for found in played(range(10 * block, 10 * block + 10)):
        for state in found.states[:: random.Random(block).randint(2, 5)]:
            if not state.asked:
                continue
            chance, seat = random.Random(len(state.plays)), state.asked.seat
            deck = other_deck(chance, found, state, seat)
            up, hole = deck[3 * len(state.seats) + 1 :][:2]
            told = state.phase == "playing" and peeked_nothing(state)
            if told and {up.value, hole.value} == {1, 10}:
                continue  # does not fit what the peek has told
            other = replayed(found, state, deck)
            if other is not None and other.view(seat) == state.view(seat):
                assert advise(other, seat) == advise(state, seat)
                compared += 1

    assert compared > 30


# --- Roll Your Own: setting and insurance


def test_setting():
    """Every way to set has the value that the solver gives with memory none."""
    advice = advise(dealt(["8s Th 8d", "2c 6h Kd"]), 1)
    solved = {
        (way.first, way.second): way.ev
        for way in Solver(roll_your_own.Rules()).solve(6, (8, 8, 10)).ways
    }

    assert advice.best.value == pytest.approx(0.6203587093766902, abs=1e-12)
    assert values(advice) == {
        "set 8sTh 8d": solved[(8, 10), (8,)],
        "set 8d 8sTh": solved[(8,), (8, 10)],
        "set 8s8d Th": solved[(8, 8), (10,)],
        "set Th 8s8d": solved[(10,), (8, 8)],
        "set Th8d 8s": solved[(8, 10), (8,)],
        "set 8s Th8d": solved[(8,), (8, 10)],
    }


def test_equivalent_settings_are_one_choice():
    """Swapped hands and cards of equal value repeat a choice; all options are still listed."""
    advice = advise(dealt(["8s Th 8d", "2c 6h Kd"]), 1)
    one, other = advice.choices()

    assert [str(option.decision) for option in one] == ["set 8s8d Th", "set Th 8s8d"]
    assert len(other) == 4
    assert {option.same_as for option in other[1:]} == {other[0].decision}
    assert len(advice.options) == 6
    assert [len(same) for same in advise(dealt(["2s 5h 9d", "2c 6h Kd"]), 1).choices()] == [2] * 3


def test_plays_are_choices_of_their_own():
    """Hit, stand, double and split are different choices, even with equal values."""
    round_ = dealt(["Ts Th Td", "2c 6h Kd"])
    advice = advise(round_.apply(advise(round_, 1).best.decision), 1)

    assert [len(same) for same in advice.choices()] == [1] * len(advice.options)


def test_setting_sees_no_other_seat():
    """While hands are set, other seats' cards do not count, although they are on the table."""
    alone, among = dealt(["8s 8d Th", "2c 6h Kd"]), dealt(["8s 8d Th", "9s 9d 9c", "2c 6h Kd"])

    assert advise(alone, 1).options == advise(among, 1).options


def test_insurance():
    """Insurance is worth 3 n10 / N - 1 of the insured amount, from all visible cards (rule 7j)."""
    table = dealt(["8s 8d Th", "9s 9d 9c", "2c Ah Kd"])
    table = table.apply(SetHands(1, parse("8s 8d"), parse("Th")))
    table = table.apply(SetHands(2, parse("9s 9d"), parse("9c")))
    advice = advise(table, 1)

    assert values(advice) == {"insure 0": 0, "insure 1000": pytest.approx(3 * 15 / 45 - 1)}
    assert not advice.approximate

    low = dealt(["8s 8d 2h", "9s 9d 9c", "2c Ah Kd"])
    low = low.apply(SetHands(1, parse("8s 8d"), parse("2h")))
    low = low.apply(SetHands(2, parse("9s 9d"), parse("9c")))
    advice = advise(low, 2)
    assert advice.best.decision == Insure(2, 1000)
    assert advice.value(Insure(2, 250)) == pytest.approx((3 * 16 / 45 - 1) / 4)
    assert advice.cost(Insure(2, 0)) == pytest.approx(3 * 16 / 45 - 1)
    for wrong in (Insure(2, 1001), Insure(1, 250)):
        with pytest.raises(RuleError, match="may not"):
            advice.value(wrong)


# --- Roll Your Own: playing


def set_up(cards, first, second, dealer="2c 6h Kd", rules=None):
    table = dealt([cards, dealer], rules)
    return table.apply(SetHands(1, parse(first), parse(second)))


def test_hit_is_worth_what_follows():
    """The value of a hit is the mean of the best value after each possible card."""
    table = set_up("4s 5d Th", "4s 5d", "Th")
    unseen = [card for card in DECK if card not in parse("4s 5d Th 6h")]
    asked = table.apply(Hit(1))
    follows = [advise(fits(asked, card).apply(Draw(card)), 1).best.value for card in unseen]

    assert values(advise(table, 1))["hit"] == pytest.approx(mean(follows), abs=1e-12)


def fits(table, card):
    """Return the round with other hidden cards, if *card* is one of them."""
    if card not in table.dealer:
        return table
    hidden = [c for c in parse("2c Kd 3c Qd") if c != card]
    return replace(table, dealer=(hidden[0], table.dealer[1], hidden[1]))


def test_split_hands():
    """A split hand can become a pair again, and the cards of the other split hands are seen."""
    table = set_up("8s 8d Th", "8s 8d", "Th").apply(Split(1)).apply(Draw(parse("8h")[0]))
    before = values(advise(table, 1))
    again = table.apply(Split(1)).apply(Draw(parse("3h")[0]))

    assert set(before) == {"hit", "stand", "double", "split"}
    assert before["split"] > before["stand"]
    assert advise(again, 1).best.decision == Double(1)


def test_a_split_eight_with_an_ace_is_no_split_ace():
    """The first card of a split hand determines which pair was split."""
    table = set_up("8s 8d Th", "8s 8d", "Th").apply(Split(1)).apply(Draw(parse("Ah")[0]))

    assert set(values(advise(table, 1))) == {"hit", "stand", "double"}


def test_split_aces():
    """With resplit_aces a split ace that draws an ace may split or stand (R-7)."""
    rules = roll_your_own.Rules(resplit_aces=True)
    table = set_up("As Ad 5h", "As Ad", "5h", rules=rules)
    table = table.apply(Split(1)).apply(Draw(parse("Ah")[0]))

    assert list(values(advise(table, 1))) == ["split", "stand"]


def worlds_of(state):
    """Return the round and the stub for each arrangement of unseen cards that the peek allows."""
    out = state._seen() - {state.dealer[0], state.dealer[2]}
    unseen = [card for card in DECK if card not in out]
    for order in permutations(unseen):
        burn, hole, *stub = order
        world = replace(state, dealer=(burn, state.dealer[1], hole))
        if world.phase is state.phase and world.asked == state.asked:
            yield world, tuple(stub)


def best_of(worlds, seat):
    """Return the result of *seat* with the best play, dealing every arrangement to its end."""
    first, _ = worlds[0]
    if first.asked:
        return max(best_of(after(worlds, d), seat) for d in first.asked.legal)
    if first._spot is None:
        return mean(end(world, stub, seat) for world, stub in worlds)
    by_card = {}
    for world, (card, *stub) in worlds:
        by_card.setdefault(card, []).append((world.apply(Draw(card)), stub))
    return sum(len(some) * best_of(some, seat) for some in by_card.values()) / len(worlds)


def after(worlds, decision):
    return [(world.apply(decision), stub) for world, stub in worlds]


def end(world, stub, seat):
    """Let the dealer draw and return the seat's result."""
    for card in stub:
        if world.needs_card:
            world = world.apply(Draw(card))
    assert world.phase == "settled"
    return net(world.settlements(), seat)


def last_hands(most):
    """Return decisions of the very last hand, with few unseen cards but enough of them."""
    for found in played(range(400), roll_your_own.Rules(max_splits=1), seats=7):
        for state in found.states:
            if not state.asked or state.asked.decision != "play":
                continue
            left = 52 - state.cards_used
            spot = state._spot
            if not 0 < left <= most or spot != state._spots[-1] or len(state.asked.legal) == 4:
                continue
            if not advise(state, state.asked.seat).approximate:
                yield state


@pytest.mark.long
def test_last_hand_by_every_order_of_the_stub():
    """The values of the last hand's plays equal the game's payouts over all orders of the stub."""
    checked = 0
    for state in last_hands(5):
        seat, bet = state.asked.seat, state.seats[-1].bet.first
        worlds = list(worlds_of(state))
        # hands that are done are the same whatever this one does: what differs is its own
        won = {str(d): best_of(after(worlds, d), seat) / bet for d in state.asked.legal}
        found = values(advise(state, seat))
        for word, value in won.items():
            more = value - won["stand"]
            assert found[word] - found["stand"] == pytest.approx(more, abs=1e-9)
        checked += 1
        if checked == 4:
            break

    assert checked == 4


# --- the end of the stub (rule 8)


def open_bets(state, seat):
    """Return the stakes of a seat's open hands."""
    settled = {(s.seat, s.bet, s.hand) for s in state.settlements()}
    view = next(s for s in state.view(seat).seats if s.seat == seat)
    return [h.stake for h in view.hands if (seat, h.bet, h.hand) not in settled]


def empty_stubs(**options):
    for found in played(range(60), roll_your_own.Rules(**options), seats=7):
        for state in found.states:
            if state.asked and state.cards_used == 52:
                yield state


def test_a_draw_from_an_empty_stub_wins_every_bet():
    """With an empty stub, a draw wins all of the seat's bets in action, and the added bet (8)."""
    states = list(empty_stubs())

    assert len(states) > 5
    for state in states:
        seat, bet = state.asked.seat, state._spot.hand.stake
        advice = advise(state, seat)
        wins = sum(open_bets(state, seat)) / bet
        expected = {"hit": wins, "double": wins + 1, "split": wins + 1}
        for word, value in values(advice).items():
            if word == "stand":
                assert value <= wins + 1
            else:
                assert value == pytest.approx(expected[word], abs=1e-12)
        assert "in action" in advice.note


def test_run_out_may_push():
    """With run_out=push, a draw from an empty stub returns the bets."""
    states = list(empty_stubs(run_out="push"))

    assert states
    for state in states:
        worth = values(advise(state, state.asked.seat))
        assert all(value == 0 for word, value in worth.items() if word != "stand")


def test_standing_on_an_empty_stub():
    """Standing is worth the mean over both orders of the two unseen cards, if others stand."""
    checked = 0
    for state in empty_stubs():
        if state._spot != state._spots[-1]:
            continue
        advice, seat = advise(state, state.asked.seat), state.asked.seat
        worlds = list(worlds_of(state))
        ends = [net(w.apply(Stand(seat)).settlements(), seat) for w, _ in worlds]
        bet = state._spot.hand.stake
        stand = (mean(ends) - net(state.settlements(), seat)) / bet
        assert values(advice)["stand"] == pytest.approx(stand, abs=1e-12)
        assert not advice.approximate
        checked += 1

    assert checked


def test_a_hand_that_waits_behind_an_empty_stub():
    """If a later hand still needs its second card, rule 8 is certain, so standing wins too."""
    checked = 0
    for state in empty_stubs():
        seat = state.asked.seat
        later = state._spots[state._spots.index(state._spot) + 1 :]
        own = {str(d) for d in state.asked.legal}
        if later and len(later[0].hand.cards) == 1 and "hit" in own:
            worth = values(advise(state, seat))
            assert worth["stand"] == pytest.approx(worth["hit"])
            checked += 1

    assert checked


def test_approximate_where_the_deck_did_run_dry():
    """Whenever the deck ran out in play, the coach had warned that it could."""
    ran_dry = 0
    for found in played(range(120)):
        if not any(s.outcome == "deck ran out" for s in found.round.settlements()):
            continue
        ran_dry += 1
        for state in found.states:
            if state.asked:
                assert _could_run_out(state.rules, state.view(state.asked.seat))

    assert ran_dry > 20


def test_never_approximate_heads_up():
    """One seat cannot use up the deck with ten hands and the dealer, however it plays."""
    for found in played(range(60), seats=1):
        for state in found.states:
            if state.asked:
                assert not _could_run_out(state.rules, state.view(state.asked.seat))


def test_approximate_at_a_full_table():
    """With seven seats still to play, the stub could run out, and the coach says so."""
    table = first_question(7)

    assert table.asked.decision == "set"
    assert advise(table, 1).approximate


@pytest.mark.parametrize(("seats", "approximate"), [(1, False), (7, True)])
def test_insurance_without_a_peek(seats, approximate):
    """Insurance that waits for the hole card is approximate too, if the stub could run out."""
    table = first_question(seats, hole_card="no_peek")
    while table.asked.decision == "set":
        table = table.apply(table.asked.legal[0])

    assert table.asked.decision == "insure"
    assert advise(table, 1).approximate is approximate


def first_question(seats, **rules):
    """Deal to a number of seats, with an ace up."""
    ace, *rest = sorted(DECK, key=lambda card: (card.text != "Ah", card.rank))
    bets = [roll_your_own.Bet.of(seat, 100) for seat in range(1, seats + 1)]
    start = roll_your_own.Round(roll_your_own.Rules(**rules))
    at = 3 * seats + 1
    return deal_from((*rest[:at], ace, *rest[at:]), reduce(roll_your_own.Round.apply, bets, start))
