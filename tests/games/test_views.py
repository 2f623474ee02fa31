"""No view contains or depends on a hidden card."""

import json
import random
import re
from functools import reduce

import pytest

from pitboss.core.cards import DECK, parse
from pitboss.core.journal import view_json
from pitboss.core.protocol import Deal, Draw, deal_from, supply
from pitboss.games import blackjack, roll_your_own, toss_one
from pitboss.games.toss_one import Bet, Phase, Round, Rules, Toss
from tests.strategies import play, random_rules, shuffled, stacked


def text(round_, seat):
    return json.dumps(view_json(round_.view(seat)))


def redeal(chance, state, seat):
    """Return *state* with all cards hidden from *seat* redealt; None if impossible.

    The new cards agree with what the seat knows: the phase, but not which seats must still decide.
    """
    mine = next((s.cards for s in state.seats if s.number == seat), ())
    rest = list(DECK * state.rules.decks)
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
    """Until all seats have tossed, a view does not depend on cards that its seat has not seen."""
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
    """Once all seats have tossed, everyone sees every hand, the dealer's cards and all results."""
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
    """A seat sees its own hand and settlement before the others have tossed."""
    packs = (parse("As Ks Qh 6c"), parse("9s 9d 3h 2c"), parse("Tc Td 2h 9h"))
    table = reduce(Round.apply, [Bet(1, 100), Bet(4, 100), Deal(packs)], Round(Rules()))
    table = table.apply(Toss(1, packs[0][3]))

    assert [s.net for s in table.view(1).settlements] == [150]
    assert table.view(1).seats[0].hands[0].total == 21
    assert table.view(4).settlements == table.view().settlements == ()
    assert table.view(4).seats[0].hands == ()
    assert [str(d) for d in table.view(4).legal] == ["toss 2c"]
    assert table.view(1).legal == table.view().legal == ()


# --- Roll Your Own


def hidden_places(state, seat):
    """Return the positions in the deck that *seat* has not seen."""
    count = len(state.seats)
    packs = {p for i, s in enumerate(state.seats) for p in range(3 * i, 3 * i + 3)}
    own = {
        p for i, s in enumerate(state.seats) if s.number == seat for p in range(3 * i, 3 * i + 3)
    }
    setting = state.phase == "setting"
    hole_down = state.view().dealer.cards[1] is None
    burn, hole = 3 * count, 3 * count + 2
    stub = set(range(state.cards_used, 52))
    return stub | {burn} | ({hole} if hole_down else set()) | (packs - own if setting else set())


def replayed(played, state, deck):
    """Replay the decisions of *state* with another deck; return None if that is impossible."""
    bets = [s.bet for s in state.seats]
    again = reduce(roll_your_own.Round.apply, bets, roll_your_own.Round(state.rules))
    again = deal_from(deck, again)
    sets = [s for s in state.seats if s.first]
    for seat in sets:
        places = [state.seats.index(seat) * 3 + seat.cards.index(c) for c in _set_cards(seat)]
        cards = [deck[place] for place in places]
        size = len(_first_cards(seat))
        decision = roll_your_own.SetHands(seat.number, tuple(cards[:size]), tuple(cards[size:]))
        if not again.legal(seat.number):
            return None  # dealt a double blackjack instead
        again = supply(deck, again.apply(decision))
    for decision in state.decisions():
        if not isinstance(decision, roll_your_own.SetHands):
            again = supply(deck, again.apply(decision))
    for seat in state.seats:
        offered = [s.number for s in again._insuring()]
        if seat.insurance is not None and seat.number in offered:
            again = supply(deck, again.apply(roll_your_own.Insure(seat.number, seat.insurance)))
    return again


def _first_cards(seat):
    return [c for c in seat.cards if any(c in hand.cards for hand in seat.first)]


def _set_cards(seat):
    return _first_cards(seat) + [c for c in seat.cards if c not in _first_cards(seat)]


def other_deck(chance, played, state, seat):
    """Return the deck with the cards that *seat* has not seen in another order."""
    deck = list(played.deck)
    places = sorted(hidden_places(state, seat))
    cards = [deck[place] for place in places]
    chance.shuffle(cards)
    for place, card in zip(places, cards, strict=True):
        deck[place] = card
    return tuple(deck)


def peeked_nothing(state):
    """Return whether the dealer has peeked and found no blackjack."""
    return state.rules.hole_card == "peek" and not state._has_blackjack


@pytest.mark.parametrize("block", range(6))
def test_roll_your_own_hides(block):
    """At any point, a view does not depend on the cards that its seat has not seen."""
    compared = hides(range(block * 10, block * 10 + 10))

    assert compared > 100


@pytest.mark.long
@pytest.mark.parametrize("block", range(40))
def test_roll_your_own_hides_at_length(block):
    """The same for a thousand more rounds."""
    assert hides(range(1_000 + block * 25, 1_025 + block * 25)) > 250


def hides(seeds):
    """Compare views with those of redealt rounds; return how many were compared."""
    compared = 0
    for seed in seeds:
        chance = random.Random(seed)
        rules = random_rules(chance, roll_your_own.GAME, seats=7)
        played = play(roll_your_own.GAME, rules, chance)
        for state in played.states:
            if not state.dealer:
                continue
            for seat in [None, chance.choice(state.seats).number]:
                deck = other_deck(chance, played, state, seat)
                if state.phase in {"playing", "settled"} and peeked_nothing(state):
                    up, hole = deck[3 * len(state.seats) + 1 :][:2]
                    if {up.value, hole.value} == {1, 10}:
                        continue  # does not fit what the peek has told
                other = replayed(played, state, deck)
                if other is None or (state.phase == "setting" and other.phase != "setting"):
                    continue
                assert text(other, seat) == text(state, seat)
                compared += 1
    return compared


def test_roll_your_own_never_shows_burn_or_stub():
    """No view contains the burn card or a card of the stub, at any point."""
    for seed in range(30):
        chance = random.Random(seed)
        played = play(roll_your_own.GAME, roll_your_own.Rules(), chance)
        burn = played.deck[3 * len(played.round.seats)]
        for state in played.states[:-1]:
            unseen = {card.text for card in played.deck[state.cards_used :]}
            if state.dealer:
                unseen |= {burn.text}
            for seat in [None, *(s.number for s in state.seats[:2])]:
                view = view_json(state.view(seat)) | {"settlements": []}  # "7h" is a rule there
                shown = re.findall(r'"([A2-9TJQK][shdc])"', json.dumps(view))
                assert not unseen & set(shown)


def test_roll_your_own_shows_set_hands():
    """Once all have set, everyone sees every hand; the hole card only when it is turned."""
    packs = (parse("8s 8d Th"), parse("3s 3d 9h"), parse("2c 6h Kd"))
    bets = [roll_your_own.Bet.of(n, 100) for n in (1, 2)]
    table = reduce(
        roll_your_own.Round.apply, [*bets, Deal(packs)], roll_your_own.Round(roll_your_own.Rules())
    )
    one = table.apply(roll_your_own.read_decision(1, "set 8s8d Th"))
    both = one.apply(roll_your_own.read_decision(2, "set 3s3d 9h"))

    assert one.view(2).seats[0].cards == (None,) * 3
    assert one.view(2).seats[0].hands == one.view().seats[0].hands == ()
    assert [hand.cards for hand in one.view(1).seats[0].hands] == [packs[0][:2], packs[0][2:]]
    assert both.view().seats[1].cards == packs[1]
    assert both.view().dealer.cards == (packs[2][1], None)
    assert both.view().turn.seat == 1


# --- blackjack


def with_other_hidden_cards(chance, played, state):
    """Return *state* with the hole card, if it is down, and the rest of the shoe in another order.

    Return None if the dealer has peeked and the new hole card makes a blackjack.
    """
    deck, hole = list(played.deck), 2 * len(state.seats) + 1
    places = [*range(state.cards_used, len(deck))]
    places += [hole] if state.view().dealer.cards[1] is None else []
    cards = [deck[place] for place in places]
    chance.shuffle(cards)
    for place, card in zip(places, cards, strict=True):
        deck[place] = card
    blackjack_now = {deck[len(state.seats)].value, deck[hole].value} == {1, 10}
    if state.phase != "insuring" and peeked_nothing(state) and blackjack_now:
        return None
    again = blackjack.Round(state.rules)
    again = reduce(blackjack.Round.apply, [seat.bet for seat in state.seats], again)
    again = deal_from(tuple(deck), again)
    insured = [s for s in state.seats if s.insurance is not None]
    decisions = [blackjack.Insure(seat.number, seat.insurance) for seat in insured]
    for decision in (*decisions, *state.plays):
        again = supply(tuple(deck), again.apply(decision))
    return again


@pytest.mark.parametrize("block", range(4))
def test_blackjack_hides(block):
    """A view is the same whatever the hole card and the rest of the shoe are."""
    compared = 0
    for seed in range(block * 50, block * 50 + 50):
        chance = random.Random(seed)
        rules = random_rules(chance, blackjack.GAME)
        played = play(blackjack.GAME, rules, chance, shuffle=chance.choice([shuffled, stacked]))
        for state in played.states:
            if not state.dealer:
                continue
            if other := with_other_hidden_cards(chance, played, state):
                for seat in [None, *state.numbers]:
                    assert text(other, seat) == text(state, seat)
                    compared += 1

    assert compared > 500


# --- views as JSON, whole


def shown_hand(bet, cards, total, hand=0):
    """Return a hand of a stake of 100 as a view shows it, with its total in words."""
    return {
        "bet": bet,
        "hand": hand,
        "cards": cards.split(),
        "total": total,
        "stake": 100,
        "is_bust": False,
        "text": str(total),
    }


def test_toss_one_view_whole():
    """A seat's view during a round: its own cards and tosses, and nothing of the others."""
    packs = (parse("As Ad Kh 9c"), parse("Ts Js Qs 9h"), parse("Tc Td 2h 9d"))
    table = reduce(Round.apply, [Bet(3, 500), Bet(1, 100, 20, 30), Deal(packs)], Round(Rules()))

    assert view_json(table.view(1)) == {
        "phase": "tossing",
        "seat": 1,
        "turn": None,
        "seats": [
            {
                "seat": 1,
                "stakes": {"main": 100, "lucky3": 20, "bonus4": 30},
                "cards": ["As", "Ad", "Kh", "9c"],
                "hands": [],
                "added": {},
            },
            {
                "seat": 3,
                "stakes": {"main": 500, "lucky3": 0, "bonus4": 0},
                "cards": [None] * 4,
                "hands": [],
                "added": {},
            },
        ],
        "dealer": {"cards": [None] * 4, "kept": [], "total": None, "is_bust": False, "text": ""},
        "cards_left": 40,
        "legal": ["toss Kh"],
        "settlements": [],
    }
    (bust,) = view_json(table.view(3))["seats"][1]["hands"]
    assert (bust["total"], bust["is_bust"], bust["text"]) == (None, True, "bust")
    assert view_json(table.view(3))["settlements"] == [
        {
            "seat": 3,
            "bet": "main",
            "hand": 0,
            "outcome": "player bust",
            "rule": "4",
            "stake": 500,
            "net": -500,
        }
    ]


def test_toss_one_settled_view_whole():
    """At the end every hand is shown with its name and its settlements."""
    table = toss_one.play_deal(
        Rules(), Bet(2, 100, 20, 30), parse("9s 9h 3d 2c"), parse("Tc Td 2h 9d")
    )
    view = view_json(table.view(2))

    assert (view["phase"], view["seat"], view["legal"]) == ("settled", 2, [])
    assert view["seats"][0]["hands"] == [shown_hand("main", "9s 9h 3d", 21)]
    assert view["dealer"] == {
        "cards": ["Tc", "Td", "2h", "9d"],
        "kept": ["Td", "2h", "9d"],
        "total": 21,
        "is_bust": False,
        "text": "21",
    }
    assert [(s["bet"], s["outcome"]) for s in view["settlements"]] == [
        ("main", "lower kicker"),
        ("lucky3", "21"),
        ("bonus4", "total 23"),
    ]


@pytest.mark.parametrize(
    ("cards", "name"),
    [("9s 8s 4s 2c", "suited 21"), ("9s 8c 4s 2c", "coloured 21"), ("9s 8c 3s 2c", "no 21")],
)
def test_lucky3_outcomes_are_named(cards, name):
    """Lucky 3's settlement names the class of the three cards kept."""
    table = toss_one.play_deal(Rules(), Bet(1, 100, 100), parse(cards), parse("Td Th 2h 9d"))

    assert table.settlements()[1].outcome == name


def test_roll_your_own_view_whole():
    """A seat's view during play: all hands, whose turn it is, its own plays, and no hole card."""
    packs = (parse("8s 8d Th"), parse("3s 3d 9h"), parse("2c Ah Kd"))
    operations = [roll_your_own.Bet.of(n, 100) for n in (1, 2)] + [Deal(packs)]
    operations += [
        roll_your_own.read_decision(1, "set 8s8d Th"),
        roll_your_own.read_decision(2, "set 3s3d 9h"),
        roll_your_own.Insure(1, 60),
        roll_your_own.Insure(2, 0),
        roll_your_own.Split(1),
        Draw(parse("5c")[0]),
    ]
    rules = roll_your_own.Rules(hole_card="no_peek")
    table = reduce(roll_your_own.Round.apply, operations, roll_your_own.Round(rules))
    view = view_json(table.view(1))

    assert (view["phase"], view["seat"], view["cards_left"]) == ("playing", 1, 42)
    assert view["turn"] == {"seat": 1, "bet": "first", "hand": 0}
    assert view["legal"] == ["hit", "stand", "double"]
    assert view["dealer"] == {
        "cards": ["Ah", None],
        "kept": ["Ah"],
        "total": 11,
        "is_bust": False,
        "text": "11",
    }
    assert view["seats"] == [
        {
            "seat": 1,
            "stakes": {"bet": 100},
            "cards": ["8s", "8d", "Th"],
            "hands": [
                shown_hand("first", "8s 5c", 13),
                shown_hand("first", "8d", 8, hand=1),
                shown_hand("second", "Th", 10),
            ],
            "added": {"insurance": 60},
        },
        {
            "seat": 2,
            "stakes": {"bet": 100},
            "cards": ["3s", "3d", "9h"],
            "hands": [
                shown_hand("first", "3s 3d", 6),
                shown_hand("second", "9h", 9),
            ],
            "added": {},
        },
    ]
    assert view_json(table.view(2))["legal"] == view_json(table.view())["legal"] == []
    assert view_json(table.view())["seat"] is None


def test_roll_your_own_view_while_setting():
    """While hands are set nobody has the turn, and a seat sees other seats' cards face down."""
    packs = (parse("8s 8d Th"), parse("3s 3d 9h"), parse("2c Ah Kd"))
    bets = [roll_your_own.Bet.of(n, 100) for n in (1, 2)]
    start = roll_your_own.Round(roll_your_own.Rules())
    view = view_json(reduce(roll_your_own.Round.apply, [*bets, Deal(packs)], start).view(2))

    assert (view["phase"], view["turn"], view["settlements"]) == ("setting", None, [])
    assert view["seats"][0] == {
        "seat": 1,
        "stakes": {"bet": 100},
        "cards": [None] * 3,
        "hands": [],
        "added": {},
    }
    assert view["legal"][0] == "set 3s3d 9h"


def test_blackjack_view_whole():
    """A seat's view in play: all hands, whose turn it is, its own plays, no hole card."""
    packs = (parse("8s 8d"), parse("As 9h"), parse("Ah Kd"))
    operations = [
        blackjack.Bet(1, 100, lucky_ladies=20),
        blackjack.Bet(2, 100),
        Deal(packs),
        blackjack.Insure(1, 40),
        blackjack.Insure(2, 0),
        blackjack.Split(1),
        Draw(parse("5c")[0]),
    ]
    start = blackjack.Round(blackjack.Rules(hole_card="no_peek"))
    table = reduce(blackjack.Round.apply, operations, start)
    view = view_json(table.view(1))

    assert (view["phase"], view["seat"], view["cards_left"]) == ("playing", 1, 305)
    assert view["turn"] == {"seat": 1, "bet": "main", "hand": 0}
    assert view["legal"] == ["hit", "stand", "double"]
    assert view["dealer"]["cards"] == ["Ah", None]
    assert (view["dealer"]["kept"], view["dealer"]["total"]) == (["Ah"], 11)
    stakes = {"main": 100, "perfect_pairs": 0, "21+3": 0, "lucky_ladies": 0}
    assert view["seats"] == [
        {
            "seat": 1,
            "stakes": stakes | {"lucky_ladies": 20},
            "cards": ["8s", "8d"],
            "hands": [shown_hand("main", "8s 5c", 13), shown_hand("main", "8d", 8, hand=1)],
            "added": {"insurance": 40},
        },
        {
            "seat": 2,
            "stakes": stakes,
            "cards": ["As", "9h"],
            "hands": [shown_hand("main", "As 9h", 20)],
            "added": {},
        },
    ]
    assert [(s["bet"], s["net"]) for s in view["settlements"]] == [("lucky_ladies", -20)]
    assert view_json(table.view(2))["legal"] == view_json(table.view())["legal"] == []
