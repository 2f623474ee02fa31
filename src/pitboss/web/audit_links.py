"""One chain of an audit: each record held against the one before it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from pitboss.notation import dollars
from pitboss.web.chain import Head, Posting, record_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pitboss.rules import Json
    from pitboss.web.chain import Postings, Record

MOST_COMPARED: Final = 8
"""So many broken records are compared to see whether they changed places."""


class Line(NamedTuple):
    """A line of the ledger, with its number."""

    id: int
    posting: Posting


@dataclass(frozen=True, slots=True)
class _Broken:
    """A record whose hash is not right, with the hash before it."""

    record: Record
    lines: list[Posting]
    before: str

    def fits(self, before: str, seq: int, lines: list[Posting]) -> bool:
        return _hash(self.record, before, lines, seq) == self.record.hash


def _hash(record: Record, before: str, lines: Iterable[Posting], seq: int | None = None) -> str:
    number = record.seq if seq is None else seq
    postings: list[list[Json]] = [list(posting) for posting in lines]
    head = record.chain, number, record.at, record.kind, record.key
    return record_hash(before, *head, record.body, postings)


class Links:
    """The records of one chain, each held against the one before it."""

    def __init__(self, chain: str, anchor: Head | None, find: Callable[..., None]) -> None:
        self.head = Head()
        self._chain = chain
        self._anchor = anchor
        self._find = find
        self._broken: list[_Broken] = []

    def add(self, record: Record, lines: list[Line], right: Postings | None) -> None:
        """Check a record; *right* are the postings it should have, where that is known."""
        postings = [line.posting for line in lines]
        before, self.head = self.head, Head(record.seq, record.hash)
        whole = self._check_number(record, before.seq + 1)
        fits = not whole or _hash(record, before.hash, postings) == record.hash
        if right is not None and tuple(postings) != right:
            fits = fits or _hash(record, before.hash, right) == record.hash
            self._find("ledger", record.seq, _differing(postings, right))
        if not fits:
            self._break(_Broken(record, postings, before.hash), lines)
        if self._anchor and record.seq == self._anchor.seq and record.hash != self._anchor.hash:
            self._find("anchor", record.seq, "rewritten: the anchor has another hash for it")

    def _check_number(self, record: Record, due: int) -> bool:
        if record.seq < due:
            self._find("missing", record.seq, "no record can have this number: they count from 1")
        elif record.seq > due:
            one = record.seq == due + 1
            gone = f"#{due} is" if one else f"#{due} to #{record.seq - 1} are"
            self._find("missing", due, f"{gone} missing from the chain")
        return record.seq == due

    def _break(self, broken: _Broken, lines: list[Line]) -> None:
        if fault := _ledger_fault(broken, lines):
            self._find("ledger", broken.record.seq, fault)
        elif len(self._broken) < MOST_COMPARED:
            self._broken.append(broken)
        else:
            self._find("altered", broken.record.seq, _ALTERED)

    def end(self, head: Head | None) -> None:
        """Check the end of the chain against what *chains* says, and the anchor."""
        for broken in self._broken:
            self._find(*self._fault(broken))
        last = f"#{self.head.seq}" if self.head.seq else "none"
        if head is None:
            self._find("head", None, f"records up to {last}, and chains has no head for them")
        elif head.seq != self.head.seq:
            self._find("head", None, f"the last record is {last}, the head names #{head.seq}")
        elif head.hash != self.head.hash:
            self._find("head", head.seq, "the head has another hash than the last record")
        if self._anchor and self.head.seq < self._anchor.seq:
            known = f"the anchor knows #{self._anchor.seq}"
            self._find("anchor", None, f"cut: the last record is {last}, {known}")

    def _fault(self, broken: _Broken) -> tuple[str, int, str]:
        """Say whether a record stands in another's place, or what it follows, or its text, is."""
        seq = broken.record.seq
        hashes = {other.record.hash for other in self._broken}
        for other in self._broken:
            for before in (hashes | {other.before}) - {broken.record.hash}:
                for lines in (broken.lines, other.lines):
                    if broken.fits(before, other.record.seq, lines):
                        return _moved(seq, other.record.seq)
        return "altered", seq, _ALTERED


_ALTERED: Final = "altered, it or the record before it: the hash is not that of what they say"


def _moved(seq: int, was: int) -> tuple[str, int, str]:
    if seq == was:
        return "reordered", seq, "reordered: it followed another record than the one before it"
    return "reordered", seq, f"reordered: this record was #{was}"


def _ledger_fault(broken: _Broken, lines: list[Line]) -> str | None:
    """Say what was done to a ledger line, where undoing it makes the hash right."""
    for index, (id_, posting) in enumerate(lines):
        others = broken.lines[:index], broken.lines[index + 1 :]
        if broken.fits(broken.before, broken.record.seq, [*others[0], *others[1]]):
            return f"ledger line {id_} was added: {words(posting)}"
        due = -sum(other.amount for part in others for other in part)
        right = posting._replace(amount=due)
        if broken.fits(broken.before, broken.record.seq, [*others[0], right, *others[1]]):
            return f"ledger line {id_} was altered: {words(posting)}, it was {dollars(due)}"
    return None


def _differing(lines: Sequence[Posting], right: Postings) -> str:
    """Say how ledger lines differ from what they should be."""
    has, due = Counter(lines), Counter(right)
    more, less = [*(has - due).elements()], [*(due - has).elements()]
    if more and less:
        return f"a ledger line is {words(more[0])}: it should be {words(less[0])}"
    if less:
        return f"a ledger line is missing: {words(less[0])}"
    if more:
        return f"a ledger line is too many: {words(more[0])}"
    return "the ledger lines are in another order"


def words(posting: Posting) -> str:
    return f"{posting.account} {dollars(posting.amount, sign=True)} ({posting.memo})"
