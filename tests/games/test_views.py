"""No view holds or depends on a hidden card."""

import json
import random
from functools import reduce

import pytest

from pitboss.cards import parse
from pitboss.felt import Deal
from pitboss.games import toss_one
from pitboss.games.toss_one import Bet, Phase, Round, Rules, Toss
from pitboss.notation import view_json
from tests.strategies import play, random_rules


def text(round_, seat):
    return json.dumps(view_json(round_.view(seat)))


def redeal(chance, state, seat):
    """Return *state* with every card that *seat* has not seen dealt anew, or nothing.

    The new cards fit what the seat knows: the phase, so who must still decide is not known to it.
    """
    mine = next((s.cards for s in state.seats if s.number == seat), ())
    rest = list(parse(" ".join(c.text for c in toss_one.DECK)) * state.rules.decks)
    for card in mine:
        rest.remove(card)
    chance.shuffle(rest)
    packs = [
        s.cards if s.number == seat else tuple(rest.pop() for _ in range(4)) for s in state.seats
    ]
    bets = [s.bet for s in state.seats]
    again = reduce(Round.apply, bets, Round(state.rules))
    again = again.apply(Deal((*packs, tuple(rest.pop() for _ in range(4)))))
    for decided in state.seats:
        options = again.legal(decided.number)
        if decided.hand and options:
            own = decided.number == seat
            again = again.apply(Toss(seat, decided.hand.tossed) if own else chance.choice(options))
    return again if again.phase is state.phase else None


@pytest.mark.parametrize("block", range(4))
def test_toss_one_hides(block):
    """Until all have tossed, a view is the same whatever the cards its seat has not seen."""
    compared = 0
    for seed in range(block * 100, block * 100 + 100):
        chance = random.Random(seed)
        rules = random_rules(chance, toss_one.GAME)
        for state in play(toss_one.GAME, rules, chance).states:
            if state.phase is not Phase.TOSSING:
                continue
            for seat in [None, *(s.number for s in state.seats)]:
                if other := redeal(chance, state, seat):
                    assert text(other, seat) == text(state, seat)
                    compared += 1

    assert compared > 100


def test_toss_one_shows_at_the_end():
    """Once all have tossed everyone sees every hand, the dealer's cards and every settlement."""
    packs = (parse("As Jd 5h 6c"), parse("9s 9d 3h 2c"), parse("Tc Td 2h 9h"))
    table = reduce(Round.apply, [Bet(1, 100), Bet(4, 100), Deal(packs)], Round(Rules()))
    before = table.view(1)
    table = reduce(Round.apply, [Toss(1, packs[0][0]), Toss(4, packs[1][3])], table)
    after = table.view()

    assert before.seats[1].cards == before.dealer.cards == (None,) * 4
    assert before.seats[0].cards == packs[0]
    assert before.cards_left == after.cards_left == 40
    assert [seat.cards for seat in after.seats] == [*packs[:2]]
    assert after.dealer.cards == packs[2]
    assert (after.dealer.kept, after.dealer.total) == (parse("Td 2h 9h"), 21)
    assert len(after.settlements) == 2


def test_toss_one_shows_a_seat_its_own():
    """A seat sees its own hand and its own settlement before the others have tossed."""
    packs = (parse("As Ks Qh 6c"), parse("9s 9d 3h 2c"), parse("Tc Td 2h 9h"))
    table = reduce(Round.apply, [Bet(1, 100), Bet(4, 100), Deal(packs)], Round(Rules()))
    table = table.apply(Toss(1, packs[0][3]))

    assert [s.net for s in table.view(1).settlements] == [150]
    assert table.view(1).seats[0].hands[0].total == 21
    assert table.view(4).settlements == table.view().settlements == ()
    assert table.view(4).seats[0].hands == ()
    assert [str(d) for d in table.view(4).legal] == ["toss 2c"]
    assert table.view(1).legal == table.view().legal == ()
