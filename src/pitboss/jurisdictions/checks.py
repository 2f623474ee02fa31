"""The check of a table against a jurisdiction, point by point."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING, Any

from pitboss.core.errors import plural
from pitboss.core.journal import dollars
from pitboss.core.paytables import Odds, Paytable
from pitboss.core.settings import PaytableChoice
from pitboss.jurisdictions.laws import Citation, Verdict, verdict_of, worth_of
from pitboss.jurisdictions.setup import Setup

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from fractions import Fraction

    from pitboss.core.protocol import BetSpec, Game
    from pitboss.core.settings import Json, Rules, Setting
    from pitboss.jurisdictions.laws import CapRule, GamesRule, Jurisdiction, Letter
    from pitboss.tables.limits import Limit


@dataclass(frozen=True, slots=True)
class Finding:
    """One point of a check, with its numbers in the detail."""

    topic: str
    verdict: Verdict
    citation: Citation
    detail: str

    def as_json(self) -> dict[str, Json]:
        return {
            "topic": self.topic,
            "verdict": self.verdict.value,
            "citation": str(self.citation),
            "detail": self.detail,
        }


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

    *cap* limits the total payout to all players from one deal: one amount for every odds-based bet
    that may have a cap, or an amount for each named bet.
    """
    setup = Setup(
        game=game,
        rules=rules,
        limits=limits,
        seats=rules.seats if seats is None else seats,
        cap=cap,
    )
    return tuple(chain.from_iterable(run(jurisdiction, setup) for run in CHECKS))


def check_wagers(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:
    """Compare the maximum of every bet with the limit of a single wager."""
    rule = law.wager
    for bet in setup.bets:
        most = setup.limit(bet).most
        detail = f"the most on {bet.key} is {dollars(most)}, of {dollars(rule.most)} allowed"
        verdict = verdict_of(passes=most <= rule.most)
        yield Finding(f"wager on {bet.key}", verdict, rule.citation, detail)
    if insurance := setup.insurance:
        detail = (
            f"the most on insurance, {insurance.basis}, is {dollars(insurance.most)},"
            f" of {dollars(rule.most)} allowed"
        )
        verdict = verdict_of(passes=insurance.most <= rule.most)
        yield Finding("wager on insurance", verdict, rule.citation, detail)


def check_raises(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:
    """State the maximum of one bet after doubles and splits, which are separate wagers."""
    raises = setup.layout.raises(setup.rules, setup.limits)
    if raises is None:
        return
    detail = (
        f"a double or a split adds a wager of up to {dollars(raises.most)} and may bring one bet to"
        f" {dollars(raises.largest)}: confirm that each counts as a wager of its own"
    )
    yield Finding("doubles and splits", Verdict.PERSON, law.wager.raises, detail)


def check_games(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:
    """Count the separate games on one hand, and the large ones among them."""
    rule = law.games
    names = ", ".join(bet.key for bet in setup.bets)
    count, large = len(setup.bets), _large(rule, setup)
    takes = "takes" if large == 1 else "take"
    yield Finding(
        "separate games",
        verdict_of(passes=count <= rule.most),
        rule.citation,
        f"one hand plays {plural(count, 'game')} ({names}), of {rule.most} allowed",
    )
    yield Finding(
        f"games over {dollars(rule.small)}",
        verdict_of(passes=large <= rule.most_large),
        rule.citation,
        f"{large} of them {takes} more than {dollars(rule.small)}, of {rule.most_large} allowed",
    )


def check_insurance(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:
    """Let a person decide whether insurance is a separate game, unless one more is allowed."""
    rule, insurance = law.games, setup.insurance
    if not insurance:
        return
    count, large = len(setup.bets) + 1, _large(rule, setup) + (insurance.most > rule.small)
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
    return sum(setup.limit(bet).most > rule.small for bet in setup.bets)


def check_seats(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:
    """Compare the seats with the usual maximum, and with the maximum at some tables."""
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
    """Compare the payout cap of every odds-based bet with the lowest cap allowed."""
    rule, caps = law.cap, setup.caps
    for bet in setup.odds_based:
        check_bet = _check_cap if bet.key in caps else _check_no_cap
        verdict, detail = check_bet(rule, setup, bet)
        yield Finding(f"payout cap on {bet.key}", verdict, rule.citation, detail)
    if caps:
        yield Finding("payout cap notice", Verdict.PERSON, rule.citation, rule.notice)


def _check_cap(rule: CapRule, setup: Setup, bet: BetSpec) -> tuple[Verdict, str]:
    highest, cap = setup.highest(bet), setup.caps[bet.key]
    if not _may_cap(rule, highest):
        detail = f"the highest odds of {bet.key}, {highest}, are under {rule.allowed_from}"
        if isinstance(setup.cap, int) and _any_may_cap(rule, setup):
            return Verdict.PERSON, f"{detail}: see that the cap is not applied to it"
        return Verdict.FAIL, f"{detail}: no cap is allowed, and {dollars(cap)} is set"
    least, basis = _least_cap(rule, setup.limit(bet), highest)
    comparison = "below" if cap < least else "not below"
    detail = f"a cap of {dollars(cap)} on {bet.key} is {comparison} {dollars(least)} ({basis})"
    return verdict_of(passes=cap >= least), detail


def _check_no_cap(rule: CapRule, setup: Setup, bet: BetSpec) -> tuple[Verdict, str]:
    highest = setup.highest(bet)
    if not _may_cap(rule, highest):
        return Verdict.PASS, (
            f"{bet.key} has no cap, and may have none: its highest odds, {highest}, are under"
            f" {rule.allowed_from}"
        )
    least, basis = _least_cap(rule, setup.limit(bet), highest)
    detail = f"{bet.key} has no cap; one could not be below {dollars(least)} ({basis})"
    return Verdict.PASS, detail


def _may_cap(rule: CapRule, highest: Odds) -> bool:
    return highest.on(1) >= rule.allowed_from.on(1)


def _any_may_cap(rule: CapRule, setup: Setup) -> bool:
    return any(_may_cap(rule, setup.highest(bet)) for bet in setup.odds_based)


def _least_cap(rule: CapRule, limit: Limit, highest: Odds) -> tuple[int, str]:
    """Return the lowest cap allowed at the table, and how it is calculated."""
    ways = [(limit.most, min(highest, rule.counted, key=worth_of))]
    if rule.counts_least:
        ways.append((limit.least, highest))
    wager, odds = max(ways, key=lambda way: way[1].on(way[0]))
    times = f"{rule.players} x " if rule.players > 1 else ""
    return ceil(rule.players * odds.on(wager)), f"{times}{dollars(wager)} at {odds}"


def check_reserve(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:
    """Name the prize to hold in reserve, if several prizes are large at the highest wager."""
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
    """Yield every odds-based prize at the highest wager, in cents, one for each result."""
    for bet in setup.odds_based:
        for odds in setup.odds(bet).values():
            yield odds.on(setup.limit(bet).most)


def check_approval(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:
    """Compare the rules with the approved ones, setting by setting."""
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
    """Describe how a value differs from the closest approved one."""
    if isinstance(known.kind, PaytableChoice) and isinstance(value, Paytable):
        tables = [other for other in approved if isinstance(other, Paytable)]
        lists = [_lines(known.kind, value, table) for table in tables]
        fewest = min(lists, key=len)
        return f"{known.name} differs from rule {known.rule}, {'; '.join(fewest)}"
    valid = " or ".join(map(known.text, approved))
    return f"{known.name}={known.text(value)} is not the approved {valid} (rule {known.rule})"


def _lines(kind: PaytableChoice, value: Paytable[Any], other: Paytable[Any]) -> list[str]:
    """List the payouts in which two pay tables differ; group results with equal differences."""
    groups: dict[tuple[str, str], list[str]] = {}
    for result in kind.results:
        ours, theirs = value.odds(result), other.odds(result)
        if worth_of(ours) != worth_of(theirs):
            groups.setdefault((_pays(ours), _pays(theirs)), []).append(str(result))
    return [
        f"{ours} on {', '.join(results)} (approved {theirs})"
        for (ours, theirs), results in groups.items()
    ]


def _pays(odds: Odds | None) -> str:
    if odds is None:
        return "lose"
    return str(odds) if odds.win else "push"


def check_duties(law: Jurisdiction, setup: Setup) -> Iterator[Finding]:  # noqa: ARG001
    """List the duties that only people can fulfill."""
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
