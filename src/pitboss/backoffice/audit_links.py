"""The audit of one chain: each record is compared with the previous one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from pitboss.core.journal import dollars
from pitboss.tables.chain import Head, Posting, record_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pitboss.core.settings import Json
    from pitboss.tables.chain import Postings, Record

MOST_COMPARED: Final = 8
"""The maximum number of broken records to compare with each other, to find moved records."""


class Line(NamedTuple):
    """A line of the ledger, with its number."""

    id: int
    posting: Posting


@dataclass(frozen=True, slots=True)
class _Broken:
    """A record with a wrong hash, and the hash of the previous record."""

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
    """Checks the records of one chain, each against the previous one."""

    def __init__(self, chain: str, anchor: Head | None, find: Callable[..., None]) -> None:
        self.head = Head()
        self._chain = chain
        self._anchor = anchor
        self._find = find
        self._broken: list[_Broken] = []
        self._last_line = 0  # the number of the last ledger line

    def add(self, record: Record, lines: list[Line], right: Postings | None) -> None:
        """Check a record; *right* are its expected postings, if known."""
        postings = [line.posting for line in lines]
        before, self.head = self.head, Head(record.seq, record.hash)
        self._check_order(record, lines)
        whole = self._check_number(record, before.seq + 1)
        fits = not whole or _hash(record, before.hash, postings) == record.hash
        if right is not None and tuple(postings) != right:
            fits = fits or _hash(record, before.hash, right) == record.hash
            self._find("ledger", record.seq, _differing(postings, right))
        if not fits:
            self._break(_Broken(record, postings, before.hash), lines)
        if self._anchor and record.seq == self._anchor.seq and record.hash != self._anchor.hash:
            self._find(
                "anchor", record.seq, "rewritten: the anchor has a different hash for this record"
            )

    def _check_order(self, record: Record, lines: list[Line]) -> None:
        """Check that the ledger lines of a chain are numbered in the order of its records."""
        if not lines:
            return
        first, last, self._last_line = lines[0].id, self._last_line, lines[-1].id
        if first <= last:
            what = (
                f"ledger line {first} follows line {last} of an earlier record: ids must increase"
            )
            self._find("ledger", record.seq, what)

    def _check_number(self, record: Record, due: int) -> bool:
        if record.seq < due:
            self._find("missing", record.seq, "no record can have this number: numbers start at 1")
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
        """Compare the end of the chain with its row in *chains*, and with the anchor."""
        for broken in self._broken:
            self._find(*self._fault(broken))
        last = f"#{self.head.seq}" if self.head.seq else "none"
        if head is None:
            self._find("head", None, f"the last record is {last}, but chains has no head")
        elif head.seq != self.head.seq:
            self._find("head", None, f"the last record is {last}, but the head is #{head.seq}")
        elif head.hash != self.head.hash:
            self._find(
                "head", head.seq, "the hash of the head differs from that of the last record"
            )
        if self._anchor and self.head.seq < self._anchor.seq:
            known = f"but the anchor is #{self._anchor.seq}"
            self._find("anchor", None, f"cut: the last record is {last}, {known}")

    def _fault(self, broken: _Broken) -> tuple[str, int, str]:
        """Return the finding: a moved record, or a change to this record or the previous one."""
        seq = broken.record.seq
        hashes = {other.record.hash for other in self._broken}
        for other in self._broken:
            for before in (hashes | {other.before}) - {broken.record.hash}:
                for lines in (broken.lines, other.lines):
                    if broken.fits(before, other.record.seq, lines):
                        return _moved(seq, other.record.seq)
        return "altered", seq, _ALTERED


_ALTERED: Final = "altered, this record or the previous one: the hash does not match their content"


def _moved(seq: int, was: int) -> tuple[str, int, str]:
    if seq == was:
        return "reordered", seq, "reordered: originally it followed a different record"
    return "reordered", seq, f"reordered: originally this record was #{was}"


def _ledger_fault(broken: _Broken, lines: list[Line]) -> str | None:
    """Return the change to a ledger line that explains the wrong hash, or None."""
    for index, (id_, posting) in enumerate(lines):
        others = broken.lines[:index], broken.lines[index + 1 :]
        if broken.fits(broken.before, broken.record.seq, [*others[0], *others[1]]):
            return f"ledger line {id_} was added: {words(posting)}"
        due = -sum(other.amount for part in others for other in part)
        right = posting._replace(amount=due)
        if broken.fits(broken.before, broken.record.seq, [*others[0], right, *others[1]]):
            return f"ledger line {id_} was altered: {words(posting)}, originally {dollars(due)}"
    return None


def _differing(lines: Sequence[Posting], right: Postings) -> str:
    """Describe how ledger lines differ from the expected ones."""
    has, due = Counter(lines), Counter(right)
    more, less = [*(has - due).elements()], [*(due - has).elements()]
    if more and less:
        return f"a ledger line is {words(more[0])}: it should be {words(less[0])}"
    if less:
        return f"a ledger line is missing: {words(less[0])}"
    if more:
        return f"there is an extra ledger line: {words(more[0])}"
    return "the ledger lines are in the wrong order"


def words(posting: Posting) -> str:
    return f"{posting.account} {dollars(posting.amount, sign=True)} ({posting.memo})"
