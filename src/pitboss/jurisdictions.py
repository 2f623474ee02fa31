"""Jurisdictions as data: what each allows a table to do, by which text, and how a table compares.

Every rule carries its citation, and a citation says where the text was not read itself. An aid for
people who know the law, not legal advice: what the data cannot decide is left to a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from pitboss.errors import NotationError, SettingError, plural, shown
from pitboss.games import not_there, roll_your_own, toss_one
from pitboss.notation import dollars
from pitboss.paytables import Odds, Paytable
from pitboss.rules import Printed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from fractions import Fraction

    from pitboss.felt import Game
    from pitboss.rules import Rules, Setting
    from pitboss.table import Limit

__all__ = [
    "JURISDICTIONS",
    "LETTERS",
    "WASHINGTON_2017",
    "WASHINGTON_2023",
    "Finding",
    "Jurisdiction",
    "Letter",
    "Verdict",
    "check",
    "find_jurisdiction",
]

SOURCES_DATE = "November 2026"
"""When the texts cited here were gathered."""


class Verdict(StrEnum):
    """What a check found; what only people can know or do is theirs."""

    PASS = "pass"  # noqa: S105  no password
    FAIL = "fail"
    PERSON = "needs a person"

    @property
    def on_approval(self) -> Literal["approved", "not approved", "open"]:
        """The verdict in the words of an approval letter."""
        if self is Verdict.PERSON:
            return "open"
        return "approved" if self is Verdict.PASS else "not approved"


# --- what a jurisdiction says


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a rule stands: its section, the version of the text, and who says so.

    >>> print(Citation("WAC 230-15-455", "in force since 1 January 2010", "apps.leg.wa.gov"))
    WAC 230-15-455, in force since 1 January 2010 (apps.leg.wa.gov)
    """

    section: str
    version: str
    source: str

    def __str__(self) -> str:
        return f"{self.section}, {self.version} ({self.source})"


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerRule:
    """The most that a single wager may be, in cents."""

    most: int
    citation: Citation
    raises: Citation  # what is known of doubles, splits and insurance


@dataclass(frozen=True, slots=True, kw_only=True)
class GamesRule:
    """How many separate games one hand may play, and how many of them for more than a little."""

    most: int
    most_large: int
    small: int  # in cents: a game that takes no more than this is not large
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatsRule:
    """The seats a table has, and how many it may have where that is allowed."""

    usual: int
    most: int
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class CapRule:
    """How low a house may limit what all players together are paid on one bet of one deal."""

    counted: Odds  # odds above these count as these
    counts_least: bool  # whether the least wager at its full odds is a floor too
    players: int  # how many players' caps the table's must hold
    allowed_from: Odds  # no cap where the highest odds are lower
    notice: str  # what people have to see to where there is a cap
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class ReserveRule:
    """Above which prize, in cents, the second highest must be kept in funds."""

    above: int
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A letter that approves a game: the settings it fixes, and those it leaves open.

    The game's rules have the same numbers as the letter, so a setting's rule is also the clause.
    """

    date: str
    citation: Citation
    fixed: Mapping[str, tuple[str | int, ...]]  # a setting, and the values that are approved
    open: Mapping[str, str]  # a setting, and what the letter says about it
    warning: str

    def verdict(self, rules: Rules, name: str) -> Verdict | None:
        """Say whether the letter approves a setting's value; None if it does not mention it."""
        if name in self.open:
            return Verdict.PERSON
        if name not in self.fixed:
            return None
        return _verdict(passes=self.matched(rules, name) is not None)

    def matched(self, rules: Rules, name: str) -> object | None:
        """Return the approved value that the setting has; pay tables match if they pay the same."""
        value = _worth(getattr(rules, name))
        return next((other for other in self.values(rules, name) if _worth(other) == value), None)

    def values(self, rules: Rules, name: str) -> list[object]:
        """Return the approved values of a setting."""
        return [rules.setting(name).read(plain) for plain in self.fixed.get(name, ())]


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """How a jurisdiction treats the approval letter of a game."""

    verdict: Verdict
    detail: str
    letter: Letter


@dataclass(frozen=True, slots=True)
class Duty:
    """Something that only people can do or see to."""

    topic: str
    detail: str
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class Jurisdiction:
    """The rules of one place at one time."""

    name: str
    title: str
    wager: WagerRule
    games: GamesRule
    seats: SeatsRule
    cap: CapRule
    reserve: ReserveRule
    approvals: Mapping[str, Approval]  # by the key of the game
    unapproved: Citation  # why a game without an approval may not be offered
    duties: tuple[Duty, ...]


# --- what lies on the felt


@dataclass(frozen=True, slots=True)
class Spot:
    """One bet on the felt: the stake whose limit binds it, and its pay table if odds-based.

    WAC 230-15-455 calls a wager odds-based that pays more than the stake on a fixed pattern of
    cards; a blackjack bet, won against the dealer, is not counted as one.
    """

    name: str
    stake: str
    paytable: str = ""  # the setting that holds it


LAYOUTS: Mapping[str, tuple[Spot, ...]] = MappingProxyType(
    {
        toss_one.GAME.key: (
            Spot("main", "main"),
            Spot("lucky3", "lucky3", "lucky3_paytable"),
            Spot("bonus4", "bonus4", "bonus4_paytable"),
        ),
        roll_your_own.GAME.key: (
            Spot("first", "bet"),
            Spot("second", "bet"),
            Spot("bonus", "bet", "bonus_paytable"),
        ),
    }
)
"""The bets of each game; each is a separate game on the same hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A table as the house wants to run it; money in cents."""

    game: Game
    rules: Rules
    limits: Mapping[str, Limit]
    seats: int
    cap: int | Mapping[str, int] | None = None  # on every odds-based bet, or bet by bet

    def __post_init__(self) -> None:
        _check_names("limit", self.game.stakes, self.limits)
        for stake in self.game.stakes.keys() - self.limits.keys():
            raise SettingError(f"the bet {stake} has no limit")
        if self.seats < 1:
            raise SettingError(f"a table of {self.seats} seats cannot be: one or more")
        _check_names("cap", [spot.name for spot in self.odds_based], self.caps)
        for amount in self.caps.values():
            if amount < 1:
                raise SettingError(f"a cap of {dollars(amount)} cannot be: it pays something")

    @property
    def spots(self) -> tuple[Spot, ...]:
        if self.game.key not in LAYOUTS:
            raise not_there("layout to check", self.game)
        return LAYOUTS[self.game.key]

    @property
    def odds_based(self) -> tuple[Spot, ...]:
        return tuple(spot for spot in self.spots if spot.paytable)

    @property
    def caps(self) -> Mapping[str, int]:
        """The cap of each odds-based bet that has one."""
        if isinstance(self.cap, int):
            return {spot.name: self.cap for spot in self.odds_based}
        return self.cap or {}

    @property
    def insurance(self) -> int:
        """The most a seat may insure for: half of its two blackjack bets (rule 7j), or nothing."""
        rules = self.rules
        if not isinstance(rules, roll_your_own.Rules):
            return 0
        return 0 if rules.insurance is roll_your_own.Insurance.OFF else self.limits["bet"].most

    def limit(self, spot: Spot) -> Limit:
        return self.limits[spot.stake]

    def odds(self, spot: Spot) -> Mapping[object, Odds]:
        """Return what an odds-based bet pays, result by result."""
        return _odds(getattr(self.rules, spot.paytable))

    def highest(self, spot: Spot) -> Odds:
        return max(self.odds(spot).values(), key=_worth)


def _check_names(what: str, valid: Collection[str], given: Iterable[str]) -> None:
    for name in given:
        if name not in valid:
            raise SettingError(f"no bet {shown(name)} to {what}: valid are {', '.join(valid)}")


def _odds(paytable: Paytable[Any]) -> dict[object, Odds]:
    return {result: odds for results, odds in paytable.lines for result in results}


# --- the check


@dataclass(frozen=True, slots=True)
class Finding:
    """One point of a check, with the numbers in its detail."""

    topic: str
    verdict: Verdict
    citation: Citation
    detail: str


def check(
    game: Game,
    rules: Rules,
    *,
    jurisdiction: Jurisdiction,
    limits: Mapping[str, Limit],
    seats: int | None = None,
    cap: int | Mapping[str, int] | None = None,
) -> tuple[Finding, ...]:
    """Check a table against a jurisdiction, point by point.

    *cap* limits what all players together are paid from one deal: one amount for every odds-based
    bet that may have it, or an amount for each bet named.
    """
    setup = Setup(
        game=game,
        rules=rules,
        limits=limits,
        seats=rules.seats if seats is None else seats,
        cap=cap,
    )
    return tuple(chain.from_iterable(look(jurisdiction, setup) for look in CHECKS))


def _verdict(*, passes: bool) -> Verdict:
    return Verdict.PASS if passes else Verdict.FAIL


def check_wagers(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:
    """Hold the most of every bet against the limit of a single wager."""
    rule = law.wager
    for spot in setup.spots:
        most = setup.limit(spot).most
        detail = f"the most on {spot.name} is {dollars(most)}, of {dollars(rule.most)} allowed"
        verdict = _verdict(passes=most <= rule.most)
        yield Finding(f"wager on {spot.name}", verdict, rule.citation, detail)
    if setup.insurance:
        detail = (
            f"the most on insurance, half of two bets, is {dollars(setup.insurance)},"
            f" of {dollars(rule.most)} allowed"
        )
        verdict = _verdict(passes=setup.insurance <= rule.most)
        yield Finding("wager on insurance", verdict, rule.citation, detail)


def check_raises(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:
    """Say what doubles and splits can bring one bet to; each is a wager of its own."""
    rules = setup.rules
    if not isinstance(rules, roll_your_own.Rules):
        return
    most, hands = setup.limits["bet"].most, rules.max_splits + 1
    doubled = hands if rules.double_after_split or hands == 1 else 0
    largest = most * max(2, hands + doubled)
    detail = (
        f"a double or a split adds a wager of up to {dollars(most)} and may bring one bet to"
        f" {dollars(largest)}: confirm that each counts as a wager of its own"
    )
    yield Finding("doubles and splits", Verdict.PERSON, law.wager.raises, detail)


def check_games(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:
    """Count the separate games on one hand, and those that take more than a little."""
    rule = law.games
    names = ", ".join(spot.name for spot in setup.spots)
    count, large = len(setup.spots), _large(rule, setup)
    takes = "takes" if large == 1 else "take"
    yield Finding(
        "separate games",
        _verdict(passes=count <= rule.most),
        rule.citation,
        f"one hand plays {plural(count, 'game')} ({names}), of {rule.most} allowed",
    )
    yield Finding(
        f"games over {dollars(rule.small)}",
        _verdict(passes=large <= rule.most_large),
        rule.citation,
        f"{large} of them {takes} more than {dollars(rule.small)}, of {rule.most_large} allowed",
    )


def check_insurance(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:
    """Ask a person whether insurance is a separate game, unless there is room for one more."""
    rule = law.games
    if not setup.insurance:
        return
    count, large = len(setup.spots) + 1, _large(rule, setup) + (setup.insurance > rule.small)
    fits = count <= rule.most and large <= rule.most_large
    detail = (
        f"counted as a game of its own, insurance makes {count} games of {rule.most} allowed, and"
        f" {large} over {dollars(rule.small)} of {rule.most_large} allowed"
    )
    if not fits:
        detail += ": ask whether it counts"
    verdict = Verdict.PASS if fits else Verdict.PERSON
    yield Finding("insurance as a game", verdict, rule.citation, detail)


def _large(rule: GamesRule, setup: Setup) -> int:
    return sum(setup.limit(spot).most > rule.small for spot in setup.spots)


def check_seats(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:
    """Hold the seats against the usual number, and the number allowed at some tables."""
    rule, seats = law.seats, setup.seats
    detail = f"{plural(seats, 'seat')}, of {rule.usual} allowed"
    if seats <= rule.usual:
        verdict = Verdict.PASS
    elif seats <= rule.most:
        verdict = Verdict.PERSON
        detail += f" and {rule.most} proposed: ask whether this table may have more"
    else:
        verdict = Verdict.FAIL
        detail += f" and {rule.most} at the most"
    yield Finding("seats", verdict, rule.citation, detail)


def check_caps(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:
    """Hold the payout cap of every odds-based bet against the lowest it may be."""
    rule, caps = law.cap, setup.caps
    for spot in setup.odds_based:
        look = _check_cap if spot.name in caps else _check_no_cap
        verdict, detail = look(rule, setup, spot)
        yield Finding(f"payout cap on {spot.name}", verdict, rule.citation, detail)
    if caps:
        yield Finding("payout cap notice", Verdict.PERSON, rule.citation, rule.notice)


def _check_cap(rule: CapRule, setup: Setup, spot: Spot) -> tuple[Verdict, str]:
    highest, cap = setup.highest(spot), setup.caps[spot.name]
    if not _may_cap(rule, highest):
        detail = f"the highest odds of {spot.name}, {highest}, are under {rule.allowed_from}"
        if isinstance(setup.cap, int) and _any_may_cap(rule, setup):
            return Verdict.PERSON, f"{detail}: see that the cap is not applied to it"
        return Verdict.FAIL, f"{detail}: no cap is allowed, and {dollars(cap)} is set"
    least, basis = _least_cap(rule, setup.limit(spot), highest)
    comparison = "below" if cap < least else "not below"
    detail = f"a cap of {dollars(cap)} on {spot.name} is {comparison} {dollars(least)} ({basis})"
    return _verdict(passes=cap >= least), detail


def _check_no_cap(rule: CapRule, setup: Setup, spot: Spot) -> tuple[Verdict, str]:
    highest = setup.highest(spot)
    if not _may_cap(rule, highest):
        return Verdict.PASS, (
            f"{spot.name} has no cap, and may have none: its highest odds, {highest}, are under"
            f" {rule.allowed_from}"
        )
    least, basis = _least_cap(rule, setup.limit(spot), highest)
    detail = f"{spot.name} has no cap; one could not be below {dollars(least)} ({basis})"
    return Verdict.PASS, detail


def _may_cap(rule: CapRule, highest: Odds) -> bool:
    return highest.on(1) >= rule.allowed_from.on(1)


def _any_may_cap(rule: CapRule, setup: Setup) -> bool:
    return any(_may_cap(rule, setup.highest(spot)) for spot in setup.odds_based)


def _least_cap(rule: CapRule, limit: Limit, highest: Odds) -> tuple[int, str]:
    """Return the lowest cap for the table, and how it comes about."""
    ways = [(limit.most, min(highest, rule.counted, key=_worth))]
    if rule.counts_least:
        ways.append((limit.least, highest))
    wager, odds = max(ways, key=lambda way: way[1].on(way[0]))
    times = f"{rule.players} x " if rule.players > 1 else ""
    return ceil(rule.players * odds.on(wager)), f"{times}{dollars(wager)} at {odds}"


def check_reserve(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:
    """Say which prize must be kept in funds, if more than one is large at the highest wager."""
    rule = law.reserve
    over = sorted((prize for prize in _prizes(setup) if prize > rule.above), reverse=True)
    many = len(over) > 1
    prizes = f"{plural(len(over), 'prize')} over {dollars(rule.above)}"
    if many:
        detail = (
            f"keep {dollars(ceil(over[1]))} in funds, the second highest of {prizes} at the"
            " highest wagers: holding it is for people"
        )
    else:
        detail = f"no reserve: {prizes} at the highest wagers, and only a second one asks for it"
    verdict = Verdict.PERSON if many else Verdict.PASS
    yield Finding("reserve", verdict, rule.citation, detail)


def _prizes(setup: Setup) -> Iterator[Fraction]:
    """Return every odds-based prize at the highest wager, in cents, result by result."""
    for spot in setup.odds_based:
        for odds in setup.odds(spot).values():
            yield odds.on(setup.limit(spot).most)


def check_approval(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:
    """Hold the rules in use against the approved ones, setting by setting."""
    approval = law.approvals.get(setup.game.key)
    if approval is None:
        detail = f"no approval of {setup.game.name} is on file: it may not be offered before one"
        yield Finding("approval", Verdict.FAIL, law.unapproved, detail)
        return
    letter, rules = approval.letter, setup.rules
    yield Finding("approval", approval.verdict, letter.citation, approval.detail)
    for name in letter.fixed:
        yield _check_fixed(letter, rules, name)
    for name, silence in letter.open.items():
        text = rules.setting(name).text(getattr(rules, name))
        detail = f"{name}={text}: the letter {silence}, so ask for a ruling"
        yield Finding(f"rule {name}", Verdict.PERSON, letter.citation, detail)


def _check_fixed(letter: Letter, rules: Rules, name: str) -> Finding:
    """Compare a setting with its approved values."""
    known, matched = rules.setting(name), letter.matched(rules, name)
    if matched is not None:
        detail = f"{name}={known.text(matched)} is as approved (rule {known.rule})"
        return Finding(f"rule {name}", Verdict.PASS, letter.citation, detail)
    difference = _difference(known, getattr(rules, name), letter.values(rules, name))
    detail = f"{difference}: {letter.warning}"
    return Finding(f"rule {name}", Verdict.FAIL, letter.citation, detail)


def _difference(known: Setting, value: object, approved: list[object]) -> str:
    """Say how a value differs from the approved one that is nearest."""
    if isinstance(known.kind, Printed) and isinstance(value, Paytable):
        tables = [other for other in approved if isinstance(other, Paytable)]
        lists = [_lines(known.kind, value, table) for table in tables]
        fewest = min(lists, key=len)
        return f"{known.name} differs from rule {known.rule}, {'; '.join(fewest)}"
    valid = " or ".join(map(known.text, approved))
    return f"{known.name}={known.text(value)} is not the approved {valid} (rule {known.rule})"


def _lines(kind: Printed, value: Paytable[Any], other: Paytable[Any]) -> list[str]:
    """List what two pay tables pay differently, results of the same difference together."""
    groups: dict[tuple[str, str], list[str]] = {}
    for result in kind.results:
        ours, theirs = value.odds(result), other.odds(result)
        if _worth(ours) != _worth(theirs):
            groups.setdefault((_pays(ours), _pays(theirs)), []).append(str(result))
    return [
        f"{ours} on {', '.join(results)} (approved {theirs})"
        for (ours, theirs), results in groups.items()
    ]


def _pays(odds: Odds | None) -> str:
    if odds is None:
        return "lose"
    return str(odds) if odds.win else "push"


def _worth(value: Any) -> Any:  # noqa: ANN401  any setting's value
    """Return what odds pay on one, whatever way they are written; other values as they are."""
    match value:
        case Odds():
            return value.on(1)
        case Paytable():
            return {result: odds.on(1) for result, odds in _odds(value).items()}
    return value


def check_duties(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:  # noqa: ARG001
    """List what only people can do."""
    for duty in law.duties:
        yield Finding(duty.topic, Verdict.PERSON, duty.citation, duty.detail)


CHECKS = (
    check_wagers,
    check_raises,
    check_games,
    check_insurance,
    check_seats,
    check_caps,
    check_reserve,
    check_approval,
    check_duties,
)


# --- Washington State, commercial card rooms: Title 230 WAC, chapter 230-15

_LETTER_DATE = "27 April 2017"
_LETTER = Citation(
    "approval letter",
    f"Toss One 21, {_LETTER_DATE}, with its rules and pay tables",
    "Washington State Gambling Commission",
)
_RAISES = Citation(
    "WAC 230-15-140",
    "doubles and splits as extra wagers, from general memory",
    "text not read, confirm",
)
_SEATS = SeatsRule(
    usual=7,
    most=9,
    citation=Citation(
        "WAC 230-15-055",
        "7 in August 2008, when 9 was proposed; the outcome was not found",
        "WSR 08-17-122",
    ),
)
_RESERVE = ReserveRule(
    above=2_500_000,
    citation=Citation("WAC 230-15-455", "text in force since 1 January 2010", "apps.leg.wa.gov"),
)
LETTERS: Mapping[str, Letter] = MappingProxyType(
    {
        toss_one.GAME.key: Letter(
            date=_LETTER_DATE,
            citation=_LETTER,
            fixed=MappingProxyType(
                {
                    "toss": ("must_be_best",),
                    "blackjack_pays": ("3:2", "6:5"),
                    "lucky3_paytable": (2, 1),
                    "bonus4_paytable": ("letter",),
                }
            ),
            open=MappingProxyType(
                {
                    "dealer_blackjack": "does not say whether a dealer's ace and two tens beats"
                    " a 21",
                    "ace_kicker": "ranks kickers as in blackjack, where an ace is 11 or 1",
                    "decks": "names no number of decks",
                    "rounding": "does not speak of amounts that do not pay evenly",
                }
            ),
            warning="any modification may affect the approval",
        )
    }
)
"""The approval letters on file, by the key of the game."""

_LETTER_DUTIES = (
    Duty(
        "internal controls",
        "a card room submits its internal controls and has them approved before the first deal",
        _LETTER,
    ),
    Duty(
        "equipment makers",
        "makers and distributors of layouts and equipment are licensed by the state before a sale",
        _LETTER,
    ),
    Duty(
        "tribal casinos",
        "the Tribal Gaming Agency approves, with the Commission's concurrence, on a submission"
        " with all that section 18 of compact Appendix A asks for; makers are certified by the"
        " state and licensed by the Tribe; the wager limits checked here are not a compact's",
        _LETTER,
    ),
    Duty(
        "odds wording",
        "print odds with 'to', as the letter's pay tables do, and never with 'for'",
        Citation(
            _LETTER.section,
            f"Toss One 21, {_LETTER_DATE}, pay tables; no Washington text on wording was found",
            "compare Maryland, COMAR 36.05.03.14",
        ),
    ),
)
_TABLES = Duty(
    "tables in the house",
    "an establishment has at most 15 tables",
    Citation("RCW 9.46.0282", "as read in November 2026", "apps.leg.wa.gov"),
)
_POST = (
    "post the wager limits of each game with fees, all odds-based and fixed prizes, jackpots, the"
    " policy on employees playing and the dispute procedure; have the rules of play and whatever"
    " can limit a win posted or at hand; show caps and what differs at the table"
)
_CARDS = (
    "cards are of conventional size and design, from a licensed maker, with the house's name or"
    " logo, safeguarded, none marked or altered"
)
_ELECTRONIC = Duty(
    "electronic cards",
    "cards on a screen are an electronic facsimile, which the director approves first",
    Citation("WAC 230-15-040", "text of 14 September 2009", "WSR 09-17-076"),
)


def _games(version: str) -> GamesRule:
    citation = Citation("WAC 230-15-040", version, "WSR 09-17-076, Order 656")
    return GamesRule(most=6, most_large=3, small=500, citation=citation)


WASHINGTON_2017 = Jurisdiction(
    name="washington-2017",
    title="commercial card rooms in Washington State, April 2017",
    wager=WagerRule(
        most=30_000,
        citation=Citation(
            "WAC 230-15-140",
            "$300 from 2009 until 2023",
            "follows from WSR 23-03-060 and WSR 23-09-065",
        ),
        raises=_RAISES,
    ),
    games=_games("text of 14 September 2009, in force in April 2017 as far as found"),
    seats=_SEATS,
    cap=CapRule(
        counted=Odds(50),
        counts_least=True,
        players=2,
        allowed_from=Odds(0),
        notice="the Commission approves the cap first, and its method is disclosed in print; the"
        " table's cap is at least twice that of one player",
        citation=Citation(
            "WAC 230-15-490", "text in force from 1 January 2008 to 13 June 2021", "apps.leg.wa.gov"
        ),
    ),
    reserve=_RESERVE,
    approvals=MappingProxyType(
        {
            toss_one.GAME.key: Approval(
                verdict=Verdict.PASS,
                detail="Toss One 21 is approved on the conditions of the letter",
                letter=LETTERS[toss_one.GAME.key],
            )
        }
    ),
    unapproved=Citation(
        "WAC 230-15-035",
        "text in force until 13 June 2021: only authorised games may be run, on a licensee's"
        " request",
        "code archive of 2019",
    ),
    duties=(
        *_LETTER_DUTIES,
        Duty(
            "posting",
            _POST,
            Citation(
                "WAC 230-15-060",
                "text in force since 14 June 2021; that of 1 January 2008 was not read",
                "app.leg.wa.gov",
            ),
        ),
        Duty(
            "cards",
            _CARDS,
            Citation(
                "WAC 230-15-115",
                "text in force since 1 July 2018; that of April 2017 was not read",
                "app.leg.wa.gov",
            ),
        ),
        _ELECTRONIC,
        _TABLES,
    ),
)
"""The state as it was when Toss One 21 was approved."""

WASHINGTON_2023 = Jurisdiction(
    name="washington-2023",
    title="commercial card rooms in Washington State, from 20 August 2023 at the earliest",
    wager=WagerRule(
        most=40_000,
        citation=Citation(
            "WAC 230-15-140",
            "$400, in force 31 days after filing, so from 20 August 2023 at the earliest; adopted"
            " 20 July 2023, by news reports",
            "proposed in WSR 23-09-065; RCW 34.05.380(2); the adopting order and the day it was"
            " filed were not found",
        ),
        raises=_RAISES,
    ),
    games=_games("text of 14 September 2009, the last one found; the section has a new title"),
    seats=_SEATS,
    cap=CapRule(
        counted=Odds(50),
        counts_least=False,
        players=1,
        allowed_from=Odds(50),
        notice="the cap is shown on the layout or a table sign, and may not combine different"
        " types of odds-based prizes",
        citation=Citation("WAC 230-15-490", "text in force since 14 June 2021", "app.leg.wa.gov"),
    ),
    reserve=_RESERVE,
    approvals=MappingProxyType(
        {
            toss_one.GAME.key: Approval(
                verdict=Verdict.PERSON,
                detail="Toss One 21 was approved in 2017, under earlier rules: ask whether the"
                " letter still stands",
                letter=LETTERS[toss_one.GAME.key],
            )
        }
    ),
    unapproved=Citation(
        "WAC 230-15-035",
        "text in force since 14 June 2021: nothing before written approval, on a licensed"
        " supplier's request",
        "WSR 21-11-057",
    ),
    duties=(
        *_LETTER_DUTIES,
        Duty(
            "posting",
            _POST,
            Citation("WAC 230-15-060", "text in force since 14 June 2021", "app.leg.wa.gov"),
        ),
        Duty(
            "cards",
            _CARDS,
            Citation("WAC 230-15-115", "text in force since 1 July 2018", "app.leg.wa.gov"),
        ),
        _ELECTRONIC,
        _TABLES,
    ),
)
"""Washington State with the wager limit of 2023.

A rule takes effect 31 days after it is filed, unless the order says otherwise (RCW 34.05.380).
"""

JURISDICTIONS: Mapping[str, Jurisdiction] = MappingProxyType(
    {law.name: law for law in (WASHINGTON_2017, WASHINGTON_2023)}
)
"""Those there are, by name."""


def find_jurisdiction(name: object) -> Jurisdiction:
    """Return the jurisdiction of that name, or refuse it naming those there are."""
    if not isinstance(name, str) or name not in JURISDICTIONS:
        raise NotationError(f"no jurisdiction {shown(name)}: there are {', '.join(JURISDICTIONS)}")
    return JURISDICTIONS[name]
