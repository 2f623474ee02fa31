"""A verifiable shuffle: the seeds of the house and of the players determine the deck.

The house commits to its seed before it knows the client seeds, so it cannot adapt its seed to them.
After the round, anyone can repeat the shuffle and replay the round. The house knows the deck as
soon as it has the client seeds. It cannot change the deck, but it can refuse a bet, omit a seat or
void the round. So the record lists refused bets and omitted seats, and players can compare these
lists with their own actions. docs/fairness.md describes every step and explains what a verified
round proves.

This module draws no random numbers: the caller passes the seeds.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, count, islice, zip_longest
from operator import mod
from typing import TYPE_CHECKING, Final, TypeVar

from pitboss.core.cards import DECK, Card
from pitboss.core.errors import GameError, NotationError, plural, shown
from pitboss.core.journal import Journal, differences, dollars, read_journal, replay
from pitboss.core.protocol import Operation, Round, supply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pitboss.core.settings import Json

__all__ = [
    "Check",
    "Result",
    "Verification",
    "commitment",
    "shuffle",
    "verify",
]

SCHEME: Final = "pitboss-shuffle-1"
FORMAT: Final = 1
KIND: Final = "pitboss-round"
SEED_BYTES: Final = 32
LARGEST: Final = 2**53 - 1
"""The largest integer that JavaScript represents exactly."""

T = TypeVar("T")

_TABLE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_CLIENT_SEED = re.compile(r"[A-Za-z0-9_-]{0,64}")
_SEAT = re.compile(r"[1-9][0-9]{0,2}")
_HEX = re.compile(r"[0-9a-f]{64}")
_WORDS = struct.Struct(">8I")  # one digest of HMAC-SHA256
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))  # HMAC pads


def commitment(server_seed: bytes) -> str:
    """Return the hash with which the house commits to a server seed.

    >>> commitment(bytes(32))[:16]
    '66687aadf862bd77'
    """
    _check_server_seed(server_seed)
    return hashlib.sha256(server_seed).hexdigest()


def check_client_seed(text: object) -> str:
    """Return a valid client seed unchanged, or raise an error."""
    if not isinstance(text, str) or not _CLIENT_SEED.fullmatch(text):
        raise NotationError(
            f"{shown(text)} is not a client seed: use up to 64 characters of A-Z, a-z, 0-9, _ and -"
        )
    return text


def head(*, table: str, round_: int, decks: int, client_seeds: Mapping[int, str]) -> str:
    """Return the text that every block hashes: the round, and the betting seats with their seeds.

    >>> head(table="low", round_=12, decks=1, client_seeds={3: "", 1: "abc"})
    'pitboss-shuffle-1|low|12|1|1:abc|3:'
    """
    _check_table(table)
    _check_number("round", round_)
    _check_number("number of decks", decks)
    for seat, seed in client_seeds.items():
        _check_number("seat", seat)
        check_client_seed(seed)
    seats = [f"{seat}:{client_seeds[seat]}" for seat in sorted(client_seeds)]
    return "|".join([SCHEME, table, str(round_), str(decks), *seats])


def words(server_seed: bytes, head_: str) -> Iterator[int]:
    """Return an endless stream of 32-bit words."""
    _check_server_seed(server_seed)
    return chain.from_iterable(
        map(_WORDS.unpack, _blocks(server_seed, f"{head_}|".encode("ascii")))
    )


def _blocks(key: bytes, start: bytes) -> Iterator[bytes]:
    """Yield the HMAC-SHA256 of *start* followed by 0, 1, 2, ..., hashing *start* only once."""
    key = key.ljust(64, b"\0")  # the block size of SHA-256
    inner = hashlib.sha256(key.translate(_INNER) + start)
    outer = hashlib.sha256(key.translate(_OUTER))
    for counter in count():
        inside, block = inner.copy(), outer.copy()
        inside.update(b"%d" % counter)
        block.update(inside.digest())
        yield block.digest()


def below(number: int, stream: Iterator[int]) -> int:
    """Take a uniform random integer from 0 to *number* - 1 from the stream.

    The largest words would bias the result, so they are skipped.

    >>> below(3, iter([2**32 - 1, 5]))
    2
    """
    end = 2**32 - 2**32 % number
    while (word := next(stream)) >= end:
        pass
    return word % number


def shuffle(
    server_seed: bytes, *, table: str, round_: int, decks: int, client_seeds: Mapping[int, str]
) -> tuple[Card, ...]:
    """Return the full deck of a round in dealing order; the same seeds give the same deck."""
    stream = words(
        server_seed, head(table=table, round_=round_, decks=decks, client_seeds=client_seeds)
    )
    cards = list(DECK) * decks
    sizes = range(len(cards), 1, -1)
    first = list(islice(stream, len(sizes)))
    if max(first) < 2**32 - len(cards):  # below() would skip no words
        others: Iterable[int] = map(mod, first, sizes)
    else:
        again = chain(first, stream)
        others = (below(size, again) for size in sizes)
    for last, other in zip(range(len(cards) - 1, 0, -1), others, strict=True):
        cards[last], cards[other] = cards[other], cards[last]
    return tuple(cards)


# --- the record of a round


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A logged decision, made by the player or, after a timeout, by the timer."""

    seat: int
    decision: str
    by: str


class Omission(StrEnum):
    """Why a seat was not dealt in."""

    SAT_OUT = "sat out"
    NO_BET = "did not bet"
    TOOK_BACK = "took the bet back"
    LEFT = "left"
    REMOVED = "removed by the house"


STILL_SEATED: Final = {Omission.SAT_OUT, Omission.NO_BET}
"""Reasons for players who were still seated at the deal; such players cannot have bet."""


@dataclass(frozen=True, slots=True)
class OmittedSeat:
    """A seat that was occupied before the deal but was not dealt in."""

    seat: int
    player: str
    why: Omission


@dataclass(frozen=True, slots=True)
class RefusedBet:
    """A bet that the house refused, with the reason."""

    seat: int
    stakes: Mapping[str, int]
    client_seed: str
    request: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A finished round as the house publishes it; a round voided before the deal has no journal."""

    table: str
    round_: int
    status: str
    reason: str | None  # only in a void round
    commitment: str
    server_seed: bytes
    client_seeds: Mapping[int, str]
    rules_digest: str | None
    journal: Journal | None
    log: tuple[LogEntry, ...]
    omitted: tuple[OmittedSeat, ...] | None  # None in older records
    refused: tuple[RefusedBet, ...] | None

    @property
    def is_void(self) -> bool:
        return self.status == "void"


class Result(StrEnum):
    """The result of a check."""

    OK = "ok"
    DIFFERS = "differs"
    NOTHING = "nothing to check"


@dataclass(frozen=True, slots=True)
class Check:
    """A named check with its result and details."""

    name: str
    result: Result
    detail: str


@dataclass(frozen=True, slots=True)
class Verification:
    """The round that a record describes, and the results of all checks."""

    table: str
    round_: int
    status: str
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """True if no check found a difference."""
        return all(check.result is not Result.DIFFERS for check in self.checks)


def verify(
    data: Json, *, promised: str | None = None, given: Mapping[int, str] | None = None
) -> Verification:
    """Check a round's record: the seeds, the deck, and the whole round by replaying it.

    *promised* is the commitment that a player saw before the deal, and *given* are the client seeds
    that the player gave, by seat. The record must agree with both. The omitted seats and the
    refused bets are listed for the player, who knows whether any is missing. Data that is not a
    round record is rejected.
    """
    record = read_record(data)
    checks = [_check_commitment(record, promised), _check_client_seeds(record, given or {})]
    if record.journal is None:
        checks += _check_undealt(record)
    else:
        checks += [_check_rules(record, record.journal), _check_deck(record, record.journal)]
        checks += _check_play(record, record.journal)
    checks += [_check_omitted(record), _check_refused(record)]
    return Verification(record.table, record.round_, record.status, tuple(checks))


def _ok(name: str, detail: str) -> Check:
    return Check(name, Result.OK, detail)


def _differs(name: str, detail: str) -> Check:
    return Check(name, Result.DIFFERS, detail)


def _nothing(name: str, detail: str) -> Check:
    return Check(name, Result.NOTHING, detail)


def _check_commitment(record: Record, promised: str | None) -> Check:
    if promised is not None:
        _check_hex("a commitment", promised)
    made = commitment(record.server_seed)
    if made != record.commitment:
        return _differs("commitment", f"the server seed hashes to {made}")
    if promised is not None and promised != made:
        return _differs("commitment", f"the record has {made}, you were shown {promised}")
    seen = "" if promised is None else " and the one you were shown"
    return _ok("commitment", f"the SHA-256 of the server seed{seen}")


def _check_client_seeds(record: Record, given: Mapping[int, str]) -> Check:
    name, seeds = "client seeds", record.client_seeds
    for seat, seed in given.items():
        if seeds.get(seat) != seed:
            has = shown(seeds[seat]) if seat in seeds else "none"
            return _differs(name, f"seat {seat} has {has}, you gave {shown(seed)}")
    if record.journal is None:
        return _nothing(name, "no cards were dealt")
    betting = {bet.seat for bet in record.journal.bets}
    if seeds.keys() != betting:
        return _differs(name, f"of {_seats(seeds)}, and {_seats(betting)} bet")
    return _ok(name, f"of {_seats(seeds)}, which bet")


def _check_undealt(record: Record) -> list[Check]:
    """Check that a round voided before the deal has no decisions."""
    why = "no cards were dealt"
    logged = _differs("decisions", f"{why}, and the log has some") if record.log else None
    return [
        _nothing("rules", why),
        _nothing("deck", why),
        logged or _nothing("decisions", why),
        _check_void(record, None),
    ]


def _check_rules(record: Record, journal: Journal) -> Check:
    digest = journal.rules.digest()
    if digest != record.rules_digest:
        return _differs("rules", f"the journal's have the digest {digest}")
    return _ok("rules", f"{journal.game.key}, digest {digest[:16]}...")


def _check_deck(record: Record, journal: Journal) -> Check:
    full = journal.game.start(journal.rules).deck_size
    if len(journal.deck) != full:
        return _differs("deck", f"{plural(len(journal.deck), 'card')}, a full deck has {full}")
    right = shuffle(
        record.server_seed,
        table=record.table,
        round_=record.round_,
        decks=full // len(DECK),
        client_seeds=record.client_seeds,
    )
    for place, (card, other) in enumerate(zip(journal.deck, right, strict=True)):
        if card is not other:
            return _differs("deck", f"card {place + 1} is {card}, the seeds put {other} there")
    return _ok("deck", f"{full} cards in the order the seeds give")


def _check_play(record: Record, journal: Journal) -> list[Check]:
    """Replay the round from its journal and from its log."""
    try:
        round_ = replay(journal)
    except GameError as error:
        at = "" if error.at is None else f"number {error.at + 1} of the journal: "
        why = "the round cannot be played again"
        return [_differs("decisions", f"{at}{error}"), _nothing("settlements", why)]
    settled = _check_void(record, round_) if record.is_void else _check_settled(journal, round_)
    return [_check_decisions(record, journal, round_), settled]


def _check_decisions(record: Record, journal: Journal, round_: Round) -> Check:
    if not record.is_void and round_.asked:
        asked = round_.asked
        return _differs("decisions", f"seat {asked.seat} is still asked to {asked.decision}")
    try:
        logged = _play_log(record, journal)
    except GameError as error:
        return _differs("decisions", f"number {(error.at or 0) + 1} of the log: {error}")
    pairs = zip_longest(round_.decisions(), logged.decisions())
    for number, (written, made) in enumerate(pairs, 1):
        if written != made:
            where = f"{_words(written)} in the journal, {_words(made)} in the log"
            return _differs("decisions", f"number {number} is {where}")
    timer = sum(entry.by == "timer" for entry in record.log)
    many = f"{len(record.log)} by the rules, the same in journal and log"
    return _ok("decisions", f"{many}; {timer} made by the timer" if timer else many)


def _words(decision: Operation | None) -> str:
    return "none" if decision is None else f"{str(decision)!r} by seat {decision.seat}"


def _play_log(record: Record, journal: Journal) -> Round:
    """Replay the round in the order in which the seats decided."""
    round_ = replay(replace(journal, decisions=()))
    for index, entry in enumerate(record.log):
        try:
            round_ = round_.apply(journal.game.decision(entry.seat, entry.decision))
            round_ = supply(journal.deck, round_)
        except GameError as error:
            error.at = index
            raise
    return round_


def _check_settled(journal: Journal, round_: Round) -> Check:
    if journal.settlements is None or journal.net is None:
        return _differs("settlements", "the journal has no results")
    if found := differences(journal, round_):
        more = f"; and {len(found) - 1} more" if found[1:] else ""
        return _differs("settlements", found[0] + more)
    return _ok("settlements", f"{len(journal.settlements)} by the rules, and their net")


def _check_void(record: Record, round_: Round | None) -> Check:
    """Check that a void round has no results and that it was not already decided."""
    journal = record.journal
    if journal and (journal.settlements is not None or journal.net is not None):
        return _differs("settlements", "the round is void and has results")
    if round_ and round_.phase == "settled":
        return _differs("settlements", "the round is void although every decision was made")
    return _nothing("settlements", f"none, the round is void: {shown(record.reason)}")


def _check_omitted(record: Record) -> Check:
    """List the seats that were not dealt in; a player who stayed at such a seat cannot have bet."""
    name = "omitted"
    if record.omitted is None:
        return _nothing(name, "the record does not list seats that were not dealt in")
    betting = {bet.seat for bet in record.journal.bets} if record.journal else set()
    for one in record.omitted:
        if one.why in STILL_SEATED and one.seat in betting:
            return _differs(name, f"seat {one.seat} {one.why}, and it bet")
    each = [f"seat {one.seat} ({shown(one.player)}) {one.why}" for one in record.omitted]
    return _ok(name, "; ".join(each) or "no seat")


def _check_refused(record: Record) -> Check:
    """List the bets that the house refused; a player can see whether one is missing."""
    name = "refused bets"
    if record.refused is None:
        return _nothing(name, "the record does not list them")
    return _ok(name, "; ".join(map(_refused_words, record.refused)) or "none")


def _refused_words(bet: RefusedBet) -> str:
    stakes = ", ".join(f"{name} {dollars(cents)}" for name, cents in bet.stakes.items())
    return f"seat {bet.seat}, {stakes or 'nothing'} ({shown(bet.request)}): {bet.reason[:200]!r}"


# --- parsing a record


def read_record(data: Json) -> Record:
    """Parse a round's record from JSON; unknown fields are ignored."""
    _check_object("a round record", data)
    _check_kind(data)
    status = _field(data, "status", str)
    if status not in {"settled", "void"}:
        raise NotationError(f"status is {shown(status)}: a finished round must be settled or void")
    fairness = _check_object("fairness", _field(data, "fairness", dict))
    if fairness.get("scheme") != SCHEME:
        raise NotationError(f"scheme {shown(fairness.get('scheme'))} is unknown: use {SCHEME}")
    journal = _read_journal(data, status)
    return Record(
        table=_check_table(_field(data, "table", str)),
        round_=_check_number("round", _field(data, "round", int)),
        status=status,
        reason=_field(data, "reason", str) if status == "void" else None,
        commitment=_read_hex(fairness, "commitment"),
        server_seed=bytes.fromhex(_read_hex(fairness, "server_seed")),
        client_seeds=_read_client_seeds(_field(fairness, "client_seeds", dict)),
        rules_digest=None if journal is None else _read_hex(data, "rules_digest"),
        journal=journal,
        log=tuple(map(_read_log_entry, _field(data, "log", list))),
        omitted=_read_optional_list(data, "omitted", _read_omitted),
        refused=_read_optional_list(data, "refused", _read_refused),
    )


def _check_kind(data: Mapping[str, Json]) -> None:
    if data.get("kind") != KIND:
        raise NotationError(f"kind is {shown(data.get('kind'))}: a round record has {KIND!r}")
    if type(data.get("format")) is not int or data["format"] != FORMAT:
        known = f"this is format {FORMAT}"
        raise NotationError(f"format {shown(data.get('format'))} is not known: {known}")


def _read_journal(data: Mapping[str, Json], status: str) -> Journal | None:
    if status == "void" and "journal" in data and data["journal"] is None:
        return None
    try:
        journal = read_journal(json.dumps(_field(data, "journal", dict)))
        for bet in journal.bets:
            _check_number("seat", bet.seat)
    except GameError as error:
        raise NotationError(f"journal: {error}") from None
    except (TypeError, ValueError, RecursionError):
        raise NotationError("journal: it is not JSON") from None
    return journal


def _read_client_seeds(seeds: Mapping[str, Json]) -> dict[int, str]:
    for seat in seeds:
        if not (isinstance(seat, str) and _SEAT.fullmatch(seat)):
            raise NotationError(f"client_seeds: {shown(seat)} is not a seat: use a number from 1")
    return {int(seat): check_client_seed(seed) for seat, seed in seeds.items()}


def _read_log_entry(entry: Json) -> LogEntry:
    _check_object("an entry of the log", entry)
    by = _field(entry, "by", str)
    if by not in {"player", "timer"}:
        raise NotationError(f"by is {shown(by)}: it must be player or timer")
    seat = _check_number("seat", _field(entry, "seat", int))
    return LogEntry(seat, _field(entry, "decision", str), by)


def _read_optional_list(
    data: Mapping[str, Json], key: str, read: Callable[[Json], T]
) -> tuple[T, ...] | None:
    """Parse a list that older records do not have."""
    return tuple(map(read, _field(data, key, list))) if key in data else None


def _read_omitted(entry: Json) -> OmittedSeat:
    _check_object("an omitted seat", entry)
    why = _field(entry, "why", str)
    if why not in {*Omission}:
        raise NotationError(f"why is {shown(why)}: it must be one of {', '.join(Omission)}")
    seat = _check_number("seat", _field(entry, "seat", int))
    return OmittedSeat(seat, _field(entry, "player", str), Omission(why))


def _read_refused(entry: Json) -> RefusedBet:
    _check_object("a refused bet", entry)
    stakes = _field(entry, "stakes", dict)
    for name, cents in stakes.items():
        if type(cents) is not int or abs(cents) > LARGEST:
            raise NotationError(
                f"stakes: {shown(cents)} on {shown(name)} is not an amount in cents"
            )
    return RefusedBet(
        seat=_check_number("seat", _field(entry, "seat", int)),
        stakes=stakes,
        client_seed=check_client_seed(_field(entry, "client_seed", str)),
        request=_field(entry, "request", str),
        reason=_field(entry, "reason", str),
    )


def _read_hex(data: Mapping[str, Json], key: str) -> str:
    return _check_hex(key, _field(data, key, str))


def _check_hex(what: str, text: str) -> str:
    if not _HEX.fullmatch(text):
        raise NotationError(f"{what} must be 64 digits of 0-9 and a-f, not {shown(text)}")
    return text


_NAMES = {str: "text", int: "a whole number", dict: "an object", list: "a list"}


def _field(data: Mapping[str, Json], key: str, kind: type) -> Json:
    """Return the value of a required key, checking its type."""
    if key not in data:
        raise NotationError(f"a round record needs {key!r}")
    if type(data[key]) is not kind:
        raise NotationError(f"{key} is {shown(data[key])}: it must be {_NAMES[kind]}")
    return data[key]


def _check_object(what: str, data: Json) -> Mapping[str, Json]:
    if not isinstance(data, dict):
        raise NotationError(f"{what} must be a JSON object, not {shown(data)}")
    return data


def _check_server_seed(seed: bytes) -> None:
    if not isinstance(seed, bytes) or len(seed) != SEED_BYTES:
        raise NotationError(f"a server seed must have {SEED_BYTES} bytes")


def _check_table(table: str) -> str:
    if not isinstance(table, str) or not _TABLE.fullmatch(table):
        raise NotationError(
            f"{shown(table)} is not a table: use 1 to 64 characters of A-Z, a-z, 0-9, _ and -"
        )
    return table


def _check_number(what: str, number: int) -> int:
    if type(number) is not int or not 1 <= number <= LARGEST:
        raise NotationError(f"{shown(number)} is not a {what}: use a whole number from 1")
    return number


def _seats(seats: Mapping[int, str] | set[int]) -> str:
    numbers = ", ".join(map(str, sorted(seats)))
    return f"seats {numbers}" if len(seats) > 1 else f"seat {numbers}" if seats else "no seat"
