"""Functions that apply each kind of record to a table and its hand.

Each takes the table, the facts of the record and its time, and returns the changed fields.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pitboss.core.fairness import Omission, shuffle
from pitboss.core.protocol import deal_from, supply
from pitboss.tables.hand import EndedRound, LoggedDecision, OmittedSeat, Place
from pitboss.tables.limits import read_limits_json
from pitboss.tables.timestamps import iso

if TYPE_CHECKING:
    from collections.abc import Callable

    from pitboss.core.settings import Json
    from pitboss.tables.hand import Hand
    from pitboss.tables.live import LiveTable
    from pitboss.tables.setup import Setup

IN_TURN: Final = "playing"
"""The phase in which seats decide one after another; in other phases they decide together."""

Changes: TypeAlias = tuple[dict[str, Any], dict[str, Any]]
"""The changed fields of the table, and those of its hand."""


def _sat(table: LiveTable, facts: dict[str, Json], _: int) -> Changes:
    return _placed(table, facts["seat"], Place.from_json(facts)), {}


def _left(table: LiveTable, facts: dict[str, Json], _: int) -> Changes:
    seat = facts["seat"]
    places = {s: p for s, p in table.places.items() if s != seat}
    why = Omission.REMOVED if facts.get("by") == "house" else Omission.LEFT
    return {"places": places}, {} if table.hand.is_dealt else _without_bet(table, seat, why)


def _moved_out(table: LiveTable, facts: dict[str, Json], _: int) -> Changes:
    seat = facts["seat"]
    return _placed(table, seat, replace(table.places[seat], out=facts["out"])), {}


def _placed(table: LiveTable, seat: int, place: Place) -> dict[str, Any]:
    return {"places": {**table.places, seat: place}}


def _seeded(table: LiveTable, facts: dict[str, Json], _: int) -> Changes:
    seat = facts["seat"]
    return _placed(table, seat, replace(table.places[seat], seed=facts["seed"])), {}


def _has_bet(table: LiveTable, facts: dict[str, Json], at: int) -> Changes:
    seat, hand = facts["seat"], table.hand
    round_ = hand.after(table.setup.game.place(seat, facts["stakes"]))
    place = table.places[seat]
    place = replace(place, out=False) if place.out else place
    return _placed(table, seat, place), {
        "round": round_,
        "owners": {**hand.owners, seat: place},
        "staked": {**hand.staked, seat: round_.staked - hand.round.staked},
        "omitted": _omitted_but(hand, seat, place.player),
        "deadline": hand.deadline or table.until(at),
    }


def _was_refused(table: LiveTable, facts: dict[str, Json], at: int) -> Changes:
    bet = {**facts, "client_seed": table.places[facts["seat"]].seed, "at": iso(at)}
    return {}, {"refused": (*table.hand.refused, bet)}


def _took_back(table: LiveTable, facts: dict[str, Json], _: int) -> Changes:
    return {}, _without_bet(table, facts["seat"], Omission.TOOK_BACK)


def _omitted_but(hand: Hand, seat: int, player: str) -> tuple[OmittedSeat, ...]:
    """Return the omitted seats, except *seat* if *player* held it."""
    if not hand.omitted:
        return ()
    return tuple(o for o in hand.omitted if (o.seat, o.place.player) != (seat, player))


def _without_bet(table: LiveTable, seat: int, why: Omission) -> dict[str, Any]:
    hand = table.hand
    if seat not in hand.staked:
        return {}
    round_ = table.setup.start
    for view in hand.round.record().seats:
        if view.seat != seat:
            round_ = round_.apply(table.setup.game.place(view.seat, view.stakes))
    left = {s: v for s, v in hand.staked.items() if s != seat}
    return {
        "round": round_,
        "owners": {s: v for s, v in hand.owners.items() if s != seat},
        "omitted": (
            *_omitted_but(hand, seat, hand.owners[seat].player),
            OmittedSeat(seat, hand.owners[seat], why),
        ),
        "staked": left,
        "deadline": hand.deadline if left else None,
    }


def _was_dealt(table: LiveTable, facts: dict[str, Json], at: int) -> Changes:
    hand = table.hand
    seeds = {int(seat): seed for seat, seed in facts["client_seeds"].items()}
    deck = shuffle(
        hand.seed,
        table=table.setup.id,
        round_=hand.number,
        decks=hand.round.deck_size // 52,
        client_seeds=seeds,
    )
    out = {s: replace(p, out=True) for s, p in table.places.items() if s in facts["out"]}
    known = {(o.seat, o.place.player) for o in hand.omitted}
    omitted = [
        OmittedSeat(seat, place, Omission.SAT_OUT if place.out else Omission.NO_BET)
        for seat, place in sorted(table.places.items())
        if seat not in hand.staked and (seat, place.player) not in known
    ]
    return {"places": {**table.places, **out}}, {
        "round": deal_from(deck, hand.round),
        "deck": deck,
        "client_seeds": seeds,
        "omitted": (*hand.omitted, *omitted),
        "dealt": at,
        "deadline": table.until(at),
    }


def _decided(table: LiveTable, facts: dict[str, Json], at: int) -> Changes:
    hand, seat = table.hand, facts["seat"]
    round_ = supply(hand.deck, hand.decided(seat, facts["decision"])[1])
    added = round_.staked - hand.round.staked
    same = round_.phase == hand.round.phase != IN_TURN
    made = LoggedDecision(seat, facts["decision"], facts["by"], at)
    return {}, {
        "round": round_,
        "staked": {**hand.staked, seat: hand.staked[seat] + added},
        "log": (*hand.log, made),
        "deadline": hand.deadline if same else table.until(at),
    }


def _ended(table: LiveTable, facts: dict[str, Json], _: int) -> Changes:
    record = facts["record"]
    view = table.hand.public_view if table.hand.is_dealt else None
    rules = table.setup.rules
    ended = EndedRound(number=table.hand.number, view=view, rules=rules, record=record)
    return {"ended": ended}, {"staked": {}, "deadline": None}


def _limited(table: LiveTable, facts: dict[str, Json], _: int) -> Changes:
    return {"setup": with_limits(table.setup, facts["limits"])}, {}


def with_limits(setup: Setup, limits: dict[str, Json]) -> Setup:
    if limits is setup.limits_json:
        return setup  # usually unchanged from round to round
    return replace(setup, limits=read_limits_json(limits))


def _closed(_: LiveTable, __: dict[str, Json], ___: int) -> Changes:
    return {"closed": True}, {}


def _unchanged(_: LiveTable, __: dict[str, Json], ___: int) -> Changes:
    return {}, {}


STEPS: Final[dict[str, Callable[[LiveTable, dict[str, Json], int], Changes]]] = {
    "sit": _sat,
    "leave": _left,
    "sit_out": _moved_out,
    "seed": _seeded,
    "bet": _has_bet,
    "refused": _was_refused,
    "take_back": _took_back,
    "deal": _was_dealt,
    "decision": _decided,
    "settled": _ended,
    "void": _ended,
    "limits": _limited,
    "closed": _closed,
    "taken_over": _unchanged,
}
