"""The sections of the report, every word and number of them, laid out once for HTML and PDF.

They are made from the report's data alone; what is said of the approval comes from the same
jurisdiction data that ``pitboss check`` uses.
"""

from __future__ import annotations

from math import comb, sqrt
from typing import TYPE_CHECKING, Any, TypeAlias

from pitboss.analysis.conditions import shared
from pitboss.errors import plural
from pitboss.games import find_game
from pitboss.jurisdictions import LETTERS, WASHINGTON_2017, Setup, Verdict, check_approval
from pitboss.report.blocks import (
    Block,
    Cell,
    cell,
    code,
    facts,
    figure,
    formula,
    heading,
    marked_cell,
    note,
    number,
    pair,
    table,
    text,
)
from pitboss.report.text import (
    bet_name,
    chance,
    decimal,
    event,
    fraction,
    listing,
    minus,
    money,
    odds,
    one_in,
    percent,
    whole,
)
from pitboss.table import Limit

if TYPE_CHECKING:
    from collections.abc import Callable

    from pitboss.jurisdictions import Finding

Data: TypeAlias = dict[str, Any]  # what report_data gives

NOT_COMPUTED = "not computed here"
NEEDS_STRATEGY = "These figures need the solver: pip install 'pitboss[kernels]'."
DEFAULT = "the default preset"
LEAST_RETURN = 0.75  # GLI-19, 4.7.1
STYLES = {Verdict.PASS: "", Verdict.PERSON: "open", Verdict.FAIL: "bad"}


def document(data: Data) -> Data:
    """Return the whole report as sections of blocks, numbered."""
    sections = [
        {"id": key, "number": place, "title": title, "blocks": BUILDERS[key](data)}
        for place, (key, title) in enumerate(TITLES.items(), 1)
    ]
    number(sections)
    return {
        "title": f"{data['name']}: math report",
        "game": data["name"],
        "summary": data["summary"],
        "version": data["version"],
        "digest": data["digest"],
        "date": data["date"],
        "warnings": _warnings(data),
        "sections": sections,
    }


def computed(data: Data) -> dict[str, Data]:
    """Return the bets that have figures."""
    return {bet: figures for bet, figures in data["bets"].items() if figures}


def counted(data: Data) -> dict[str, Data]:
    """Return the bets whose outcomes are counted."""
    return {bet: figures for bet, figures in computed(data).items() if "outcomes" in figures}


def _played(data: Data) -> tuple[Data, Data] | None:
    """Return the figures of the blackjack bets and the package, where they are computed."""
    bets = data["bets"]
    return (bets["blackjack"], bets["package"]) if bets.get("package") else None


def _staked(figures: Data) -> str:
    stake = figures["stake"]
    return "each unit staked" if stake == 1 else f"a round of {stake} units"


def _ev(figures: Data) -> str:
    ev = figures["ev"]
    return fraction(ev) if isinstance(ev, str) else decimal(ev, 12, sign=True)


def _missing(data: Data) -> list[str]:
    return [bet for bet, figures in data["bets"].items() if not figures]


def _see(section: str) -> str:
    return f"section {[*TITLES].index(section) + 1}"


def _edge(house_edge: float, places: int = 4) -> Cell:
    """Return a house edge; one that is the player's cannot be missed."""
    return cell(percent(house_edge, places), "bad" if house_edge < 0 else "")


# --- the warning on top


def _warnings(data: Data) -> list[Block]:
    return [*_edge_warning(data), *_rule_8_warning(data)]


def _edge_warning(data: Data) -> list[Block]:
    alone = {bet: f for bet, f in computed(data).items() if bet != "blackjack"}  # never bet alone
    ahead = {bet: f for bet, f in alone.items() if f["house_edge"] < 0}
    if not ahead:
        return []
    lines = [
        f"Under the rules in force **{bet_name(bet)}** has an expectation of `{_ev(f)}` for"
        f" {_staked(f)}: **the house edge is {percent(f['house_edge'])}**, in the player's favor."
        for bet, f in ahead.items()
    ]
    if "main" in ahead:
        lines.append(
            "What a blackjack pays, how a dealer's blackjack is read, how an ace ranks as a kicker"
            f" and the number of decks decide it: see {_see('sensitivity')}."
        )
    lines += [*_package_warning(data), _if(shared(data["conditions"]))]
    return [note("warning", "The player has the edge", *lines)]


def _package_warning(data: Data) -> list[str]:
    played = _played(data)
    package = played[1] if played else data["package"]
    if not package:
        return []
    owner = "the player" if package["house_edge"] < 0 else "the house"
    edge = percent(package["house_edge"])
    return [f"All bets together favor {owner}: the house edge is **{edge}** of a unit staked."]


def _rule_8_warning(data: Data) -> list[Block]:
    """Warn about teams that beat the game, or that may beat it."""
    rule = data["rule_8"]
    if not rule or rule["run_out"] != "win":
        return []
    if rule["teams"]:
        return _known_teams_warning(data, rule["teams"])
    return _unknown_teams_warning() if rule["seats"] >= RISKY_SEATS else []


def _known_teams_warning(data: Data, teams: list[Data]) -> list[Block]:
    winners = [row for row in teams if row["house_edge"] < 0]
    if not winners:
        return []
    *first, last = sorted(whole(row["seats"]) for row in winners)
    seats = f"{', '.join(first)} or {last}" if first else last
    played = _played(data)
    alone = f" of {percent(played[1]['house_edge'])}" if played else ""
    return [
        note(
            "warning",
            f"A team at {seats} seats beats this game by rule 8",
            "When a card is needed and the deck is used up, every bet in action wins"
            " (`run_out=win`). Players who hold all seats and try to use it up have the edge:",
            *(_team_line(row) for row in winners),
            f"Simulated, ± one standard error: {whole(winners[0]['rounds'])} rounds each, seed"
            f" {winners[0]['seed']}, strategy `run-out`; the Bonus is exact. That strategy is"
            " simple: a better one would win more. **The house edge"
            f"{alone} in this report is for a player alone**; see {_see('advantage')}.",
        )
    ]


def _team_line(row: Data) -> str:
    error = row["std_error"]
    return (
        f"**{row['seats']} seats: a house edge of {percent(row['house_edge'], 2)}** ±"
        f" {percent(error['house_edge'], 2)} of the three-unit stake; the deck runs out in"
        f" {percent(row['runs_out'], 2)} ± {percent(error['runs_out'], 2)} of rounds."
    )


def _unknown_teams_warning() -> list[Block]:
    return [
        note(
            "warning",
            f"Teams that use rule 8 are {NOT_COMPUTED}",
            "When a card is needed and the deck is used up, every bet in action wins"
            " (`run_out=win`). Under the default rules, a full table that tries to use up the deck"
            f" beats the game by far. Under these rules it was not simulated. {MEASURE_TEAMS}",
        )
    ]


RISKY_SEATS = 5
"""The fewest seats with which a team may beat the game; six seats beat the default rules."""

MEASURE_TEAMS = (
    "To simulate it, run `pitboss simulate roll-your-own --strategy run-out --seats N` with the"
    " same settings."
)


# --- the conditions of a figure


def _if(clauses: list[str]) -> str:
    return f"Conditions: {'; '.join(clauses)}."


def _holds(data: Data, bet: str) -> Block:
    """State the conditions under which the figures of a bet hold."""
    return text(_if(data["conditions"][bet]))


def _all_conditions(data: Data) -> list[Block]:
    """State the conditions of every bet: first the shared ones, then the others, each list once."""
    needed = data["conditions"]
    common = shared(needed)
    own: dict[str, list[str]] = {_clauses_of(common): ["Every figure"]}
    for bet, clauses in needed.items():
        if more := [clause for clause in clauses if clause not in common]:
            own.setdefault(_clauses_of(more), []).append(bet_name(bet))
    rows = [(listing(bets), cell(clauses)) for clauses, bets in own.items()]
    return [heading("Conditions"), facts(*rows)]


def _clauses_of(clauses: list[str]) -> str:
    joined = "; ".join(clauses)
    return f"{joined[0].upper()}{joined[1:]}."


# --- 1 and 2: what is reported on


def _identification(data: Data) -> list[Block]:
    changed = f"{plural(len(data['changes']), 'setting')} changed against the default preset"
    rows = [
        ("Game", cell(f"{data['name']} ({data['game']})")),
        ("In short", cell(data["summary"])),
        ("Rules", cell(f"{changed}, see {_see('changes')}" if data["changes"] else DEFAULT)),
        ("Digest of the rules", code(data["digest"])),
        ("Software", cell(f"pitboss {data['version']}")),
    ]
    if data["date"]:
        rows.append(("Date", cell(data["date"])))
    return [
        facts(*rows),
        text(
            "The digest is the SHA-256 of all settings as JSON, keys sorted, no spaces: two reports"
            " with the same digest are about the same rules."
        ),
        table(
            "Every setting of the rules in force",
            "llw",
            ("setting", "value", "what it may be"),
            [_setting_row(setting) for setting in data["settings"]],
        ),
    ]


def _setting_row(setting: Data) -> list[Cell]:
    value = setting["value"] if setting["default"] else f"{setting['value']} (changed)"
    return [
        code(setting["name"]),
        cell(value, "" if setting["default"] else "changed"),
        cell(setting["choices"]),
    ]


def _rules(data: Data) -> list[Block]:
    rows = [
        [cell(number), cell(clause), marked_cell(*_readings(data, number))]
        for number, clause in data["clauses"].items()
    ]
    silent = [s for s in data["settings"] if not set(_clauses(s)) & data["clauses"].keys()]
    rows += [
        [cell("-"), cell("The sheet does not speak of it."), marked_cell(_reading(s))]
        for s in silent
    ]
    return [
        text(
            "The clauses are those of the game's rule sheet, in our own words and by its numbers."
            " Where the sheet is open the last column says how it is read here; R-1 and so on are"
            f" the numbered readings of the rules page (`docs/rules/{data['game']}.md`)."
        ),
        table(
            "The rules as modelled, clause by clause",
            "lww",
            ("clause", "what happens", "as set and read here"),
            rows,
        ),
    ]


def _clauses(setting: Data) -> list[str]:
    return str(setting["rule"]).split(", ")


def _readings(data: Data, clause: str) -> list[str]:
    """Return the readings of a clause, each in full where its setting is first named."""
    return [
        _reading(s) if _clauses(s)[0] == clause else f"`{s['name']}={s['value']}`"
        for s in data["settings"]
        if clause in _clauses(s)
    ]


def _reading(setting: Data) -> str:
    return f"`{setting['name']}={setting['value']}`: {setting['reading']}"


# --- 3: method


def _method(data: Data) -> list[Block]:
    blocks = _toss_method(data) if data["strategy"] else [_bonus_method(), *_played_method(data)]
    return [*blocks, *_units(data)]


def _toss_method(data: Data) -> list[Block]:
    decks = data["rules"]["decks"]
    return [
        text(
            "Every figure here is **counted, not simulated**; the only trial is the confirmation of"
            f" {_see('simulation')}, and no figure rests on it."
        ),
        text(
            "**Main** depends on the values of the cards alone, ace to ten, and four cards hold one"
            " of 715 combinations of values. For each of the player's 715 hands and each of the"
            " dealer's 715 the number of deals is a product of binomial coefficients over the ten"
            " values v, where the shoe has s~v~ cards of that value, the player p~v~ and the dealer"
            " d~v~:"
        ),
        formula("∏~v~ C(s~v~, p~v~) × ∏~v~ C(s~v~ − p~v~, d~v~)"),  # noqa: RUF001
        text(
            f"For {plural(decks, 'deck')} the counts add up to {_deals(decks)} ="
            f" {whole(_count_deals(decks))} deals, which is the check sum below the table of"
            f" {_see('outcomes')}."
        ),
        text(
            "**Who wins is decided by the rules engine itself**: the comparison that settles bets"
            " at a table is asked about every kind of hand against every other, so nothing of the"
            " rules is written twice. Pay tables are applied to the finished counts in exact"
            " fractions; another pay table needs no recount."
        ),
        text(
            "**Lucky 3** depends on suits too and is counted over forty types of card, ten values"
            " by four suits. Where several cards of one value may be tossed, the toss is the one"
            " that Lucky 3 pays most. **Bonus 4** depends on the total of all four cards alone."
        ),
        text(
            "Every round starts from a full, fresh shuffle. The cards of other seats are as unknown"
            " as those left in the shoe, so the number of seats changes no figure of a bet."
        ),
    ]


def _bonus_method() -> Block:
    return text(
        f"The **Bonus** is counted over all C(52, 3) = {whole(comb(52, 3))} hands of three cards"
        " from one deck. Each is put into its class by the rules engine itself, the very code that"
        " settles the bet at a table, and the pay table is applied to the finished counts in exact"
        " fractions; another pay table needs no recount."
    )


def _played_method(data: Data) -> list[Block]:
    played = _played(data)
    if not played:
        return [
            text(
                "The blackjack bets and the package of all three bets need the best strategy of the"
                f" game: they are **{NOT_COMPUTED}**. {NEEDS_STRATEGY}"
            )
        ]
    trial = played[0]["trial"]
    return [
        text(
            "The **blackjack bets** are solved: for every up card, every three values of the player"
            " and every way to set them, each hand is worth the best of standing, hitting,"
            " doubling and splitting, over every card that may come from the one deck as it is"
            " then. The best way to set is taken, and the starts are added up by the number of"
            " ways they are dealt. Nothing is left out or approximated; the player remembers"
            " nothing of one hand while playing the other (memory `none`), and never insures."
        ),
        text(
            "So the expectation is exact, to the precision of floating point, and so are the"
            " expected numbers of doubles and splits, which give the **money finally put down**,"
            " and of blackjacks. The value of a start is known for every three cards and up card,"
            " and so is their Bonus: that makes the covariance of the Bonus and the blackjack bets"
            " exact too."
        ),
        text(
            "How far the blackjack bets spread, how often a round ends ahead and what the dealer"
            f" does come from **{whole(trial['rounds'])} rounds simulated** with the same strategy,"
            f" seed {trial['seed']}. Such figures are marked ± with their standard error, and every"
            " other figure is exact."
        ),
    ]


def _units(data: Data) -> list[Block]:
    return [
        text(
            "Expectations are exact and rounded only in print. They are those of a round with one"
            " unit on each bet. The house edge is minus the expectation, divided by the units"
            " staked; the return to player is one minus the house edge. Winnings are taken as exact"
            f" odds: rounding (`{data['rules']['rounding']}`) is left out."
        )
    ]


def _deals(decks: int) -> str:
    return f"C({52 * decks}, 4) × C({52 * decks - 4}, 4)"  # noqa: RUF001  times


def _count_deals(decks: int) -> int:
    return comb(52 * decks, 4) * comb(52 * decks - 4, 4)


# --- 4 and 5: figures


def _outcomes(data: Data) -> list[Block]:
    blocks: list[Block] = []
    for bet, figures in counted(data).items():
        blocks += [
            heading(bet_name(bet)),
            _outcome_table(bet, figures),
            text(_check_sum(data, bet, figures)),
            _holds(data, bet),
            _outcome_figure(bet, figures),
        ]
    for bet in _missing(data):
        blocks += [heading(bet_name(bet)), note("info", NOT_COMPUTED.capitalize(), NEEDS_STRATEGY)]
    return blocks + _played_outcomes(data)


def _played_outcomes(data: Data) -> list[Block]:
    """Tell what happens in a round, and what it is worth by the dealer's card."""
    played = _played(data)
    if not played:
        return []
    blackjack = played[0]
    cards = blackjack["by_up_card"]
    return [
        heading(bet_name("blackjack")),
        table(
            "What happens in a round of one seat, both blackjack bets together",
            "wrr",
            ("event", "number in a round", "standard error"),
            [_frequency_row(row) for row in blackjack["frequencies"]],
        ),
        text(
            "A number is exact where no standard error stands beside it. A hand made by a split"
            " counts as one; a double blackjack counts as two blackjacks paid."
        ),
        _holds(data, "blackjack"),
        table(
            "The two blackjack bets by the dealer's up card, exact, in units of one bet",
            "lrrr",
            ("up card", "expectation", "doubles", "splits"),
            [
                [
                    cell(_card_name(card)),
                    cell(decimal(row["ev"], 9, sign=True)),
                    cell(decimal(row["doubles"], 6)),
                    cell(decimal(row["splits"], 6)),
                ]
                for card, row in cards.items()
            ],
        ),
        figure("by-up-card", "The two blackjack bets by the dealer's up card", _up_card_alt(cards)),
    ]


def _frequency_row(row: Data) -> list[Cell]:
    error = f"± {decimal(row['std_error'], 6)}" if "std_error" in row else ""
    return [cell(row["event"]), cell(decimal(row["per_round"], 6)), cell(error)]


def _card_name(card: str) -> str:
    return "10" if card == "T" else card


def _up_card_alt(cards: Data) -> str:
    evs = {_card_name(card): row["ev"] for card, row in cards.items()}
    low, high = min(evs, key=evs.__getitem__), max(evs, key=evs.__getitem__)
    return (
        "Bar chart of the expectation of the two blackjack bets for each up card of the dealer:"
        f" from {decimal(evs[low], 4, sign=True)} units against {low} to"
        f" {decimal(evs[high], 4, sign=True)} against {high}."
    )


def _outcome_table(bet: str, figures: Data) -> Block:
    rows = [
        [
            cell(event(row["event"])),
            cell(odds(row["pays"])),
            cell(whole(row["combinations"])),
            cell(decimal(row["probability"])),
            cell(decimal(row["return"], sign=True)),
        ]
        for row in figures["outcomes"]
    ]
    total = [
        cell("total"),
        cell(""),
        cell(whole(_added(figures))),
        cell(decimal(sum(row["probability"] for row in figures["outcomes"]))),
        cell(
            decimal(-figures["house_edge"], sign=True), "bad" if figures["house_edge"] < 0 else ""
        ),
    ]
    titles = ("event", "pays", "combinations", "probability", "return")
    return table(f"{bet_name(bet)}: outcomes of one unit staked", "wrrrr", titles, rows, total)


def _added(figures: Data) -> int:
    return sum(row["combinations"] for row in figures["outcomes"])


def _check_sum(data: Data, bet: str, figures: Data) -> str:
    """State that the combinations add up, beside the number that is known without counting."""
    decks = data["rules"].get("decks", 1)
    known = {
        "main": (_deals(decks), _count_deals(decks)),
        "bonus": ("C(52, 3)", comb(52, 3)),
    }.get(bet, (f"C({52 * decks}, 4)", comb(52 * decks, 4)))
    return (
        f"Check sum: the combinations add up to **{whole(_added(figures))}**, and {known[0]} is"
        f" {whole(known[1])}. The returns add up to the expectation, exactly"
        f" `{fraction(figures['ev'])}`."
    )


def _outcome_figure(bet: str, figures: Data) -> Block:
    top = figures["top_prize"]
    alt = (
        f"Bar chart of how likely each result of one unit on {bet_name(bet)} is: it wins with"
        f" probability {percent(figures['hit_frequency'])}, pushes with"
        f" {percent(figures['push_rate'])}; its top prize of {odds(top['pays'])} comes once in"
        f" {one_in(top['one_in']).removeprefix('1 in ')}."
    )
    caption = f"{bet_name(bet)}: the probability of each result of one unit staked"
    return figure(f"outcomes-{bet}", caption, alt)


def _guess(figures: Data, name: str, show: Callable[[float, int], str], places: int) -> Cell:
    """Return a number, with its standard error where it is simulated."""
    simulated = figures.get("simulated", {}).get(name)
    if not simulated:
        return cell(show(figures[name], places))
    fewer = places - 2
    return cell(f"{show(figures[name], fewer)} ± {show(simulated['std_error'], fewer)}")


def _if_any(name: str, show: Callable[[Any], Cell]) -> Callable[[Data], Cell]:
    """Show a figure that some bets do not have."""
    return lambda figures: show(figures[name]) if figures.get(name) is not None else cell("")


SUMMARY: dict[str, Callable[[Data], Cell]] = {
    "house edge": lambda f: _edge(f["house_edge"]),
    "expectation, exact": lambda f: code(_ev(f), "bad" if f["house_edge"] < 0 else ""),
    "units staked": _if_any("stake", lambda units: cell(whole(units))),
    "money finally put down, units": _if_any("put_down", lambda units: cell(decimal(units, 6))),
    "house edge of money put down": _if_any("house_edge_put_down", _edge),
    "return to player": lambda f: cell(percent(1 - f["house_edge"])),
    "standard deviation": lambda f: _guess(f, "std_dev", decimal, 6),
    "skewness": _if_any("skewness", lambda value: cell(decimal(value, 4))),
    "wins": lambda f: _guess(f, "hit_frequency", percent, 4),
    "pushes": lambda f: _guess(f, "push_rate", percent, 4),
    "top prize": _if_any("top_prize", lambda top: cell(odds(top["pays"]))),
    "top prize comes": _if_any("top_prize", lambda top: cell(one_in(top["one_in"]))),
}
"""The rows of the summary, each made from the figures of a bet."""


def _summary(data: Data) -> list[Block]:
    bets = computed(data)
    rows = [
        [cell(name), *(show(figures) for figures in bets.values())]
        for name, show in SUMMARY.items()
    ]
    rows = [row for row in rows if any(shown["spans"][0][1] for shown in row[1:])]
    titles = ["one unit on each bet", *map(bet_name, bets)]
    blocks = [table("Summary of the bets", "w" + "r" * len(bets), titles, rows)]
    if missing := _missing(data):
        names = listing([bet_name(bet) for bet in missing])
        blocks.append(note("info", f"{names}: {NOT_COMPUTED}", NEEDS_STRATEGY))
    if _played(data):
        blocks.append(
            text(
                "The blackjack bets are both together, and the package is all three bets; their"
                " expectation and standard deviation are a round's, in units of one bet, and wins"
                " are rounds that end ahead. No bet can be made without the others: **the edge of"
                " the game is the package's**."
            )
        )
    return blocks + _all_conditions(data) + _least_return(data)


def _least_return(data: Data) -> list[Block]:
    """Say which bets return less than GLI-19 asks of a game, and how that is to be read."""
    low = {bet: f for bet, f in computed(data).items() if 1 - f["house_edge"] < LEAST_RETURN}
    if not low:
        return []
    listed = listing([f"{bet_name(b)} {percent(1 - f['house_edge'], 2)}" for b, f in low.items()])
    judged = "Whether a side bet is judged alone or with the other bets is for the reviewer."
    if "package" in data["bets"]:
        played = _played(data)
        found = percent(1 - played[1]["house_edge"], 2) if played else NOT_COMPUTED
        judged = (
            "It is a mandatory part of three equal bets, so the package must be judged as one game,"
            f" and the return of the package is {found}."
        )
    return [
        note(
            "info",
            "Minimum return",
            "GLI-19, 4.7.1, asks of each house-banked game a theoretical return of at least 75%, in"
            f" every wager configuration and under optimal play. Alone these return less: {listed}."
            f" {judged}",
        )
    ]


# --- 6 and 7: strategy and simulation


def _strategy(data: Data) -> list[Block]:
    count = data["strategy"]
    if not count and _played(data):
        return _played_strategy()
    if not count:
        return [text(f"The best strategy of the game is {NOT_COMPUTED}.")]
    rows = [
        ("bust: nothing to toss", count["busts"]),
        ("exactly one best toss", count["one_toss"]),
        ("several best tosses, all of one value", count["several_equal_tosses"]),
        ("best tosses of different values", count["tosses_of_different_value"]),
    ]
    opening = (
        "**The best toss is never in doubt.** Any card may be tossed, and it is best to keep"
        if data["rules"]["toss"] == "free"
        else "**The toss is forced.** Clause 3 obliges the player to keep"
    )
    return [
        text(
            f"{opening} the three cards that come closest to 21, and the count below proves that"
            " this never leaves a choice that Main could feel: in no hand do two best tosses differ"
            " in value."
        ),
        table(
            "Every hand of four cards of one deck, by the tosses that leave the best total",
            "lr",
            ("hands with", "combinations"),
            [[cell(name), cell(whole(n))] for name, n in rows],
            [cell("total"), cell(whole(count["hands"]))],
        ),
        text(
            "All 715 combinations of values occur in one deck, so the same holds for any number of"
            " decks. What is left to choose is which of several equal cards goes: only the suits of"
            " the three cards kept depend on it, only Lucky 3 can care, and the figures choose what"
            " Lucky 3 pays most."
        ),
        *_free_toss(data),
    ]


def _played_strategy() -> list[Block]:
    return [
        text(
            "The figures are those of the **best strategy**: how three cards are set on the two"
            " bets, and how each hand is played on, both by the up card and by every card the"
            " player holds. It is the best of those that use no card of one hand while playing"
            " the other; a player who does gains a little more, which `pitboss solve` with"
            " `--memory full` tells of a single start."
        ),
        text(
            "`pitboss strategy roll-your-own` prints the strategy as a card, and `pitboss solve"
            " roll-your-own` prints the value of every alternative of a hand. A player alone never"
            " gains by insurance: at most 16 of the 48 unseen cards are tens, and at 2 to 1 a third"
            " makes it even. With other packs face up, insurance gains if all packs together,"
            " including the player's own, hold fewer tens than there are other packs. The figures"
            " leave that out."
        ),
    ]


def _free_toss(data: Data) -> list[Block]:
    if data["rules"]["toss"] != "free":
        return []
    return [
        note(
            "info",
            "The toss is free under these rules",
            "With `toss=free` any card may be tossed. The figures are those of a player who keeps"
            " the best total. While a blackjack pays at least even money that is the best play: a"
            " higher total never fares worse against any hand of the dealer, Lucky 3 pays on 21"
            " alone, and Bonus 4 does not depend on the toss.",
        )
    ]


def _simulation(data: Data) -> list[Block]:
    trial = data["simulation"]
    if not data["strategy"]:
        return _played_trial(data)
    if not trial:
        return [text("No simulation was asked for (`--simulate N`); the figures do not need one.")]
    titles = ("bet", "mean", "exact", "95% interval of the mean", "z", "chi-square")
    return [
        facts(("Rounds", cell(whole(trial["rounds"]))), ("Seed", code(str(trial["seed"])))),
        text(
            "Rounds of one seat, all bets made, were dealt at random, apart from the counting, and"
            " settled by tables of the rules engine. Chi-square compares how often each class came"
            " with how often it should; its degrees of freedom stand in brackets, and classes"
            " expected less than five times are taken together. `pitboss simulate` with the same"
            " seed plays the same rounds."
        ),
        table(
            "The trial beside the exact figures, per unit staked",
            "lrrrrr",
            titles,
            [_trial_row(bet, row) for bet, row in trial["bets"].items()],
        ),
        text(_agreement(trial["bets"])),
    ]


def _played_trial(data: Data) -> list[Block]:
    played = _played(data)
    if not played:
        return [text(f"A trial of the best strategy is {NOT_COMPUTED}. {NEEDS_STRATEGY}")]
    blackjack = played[0]
    trial = blackjack["trial"]
    half = 1.959964 * trial["std_error"]
    low, high = (decimal(trial["mean"] + side * half, 6, sign=True) for side in (-1, 1))
    return [
        text(
            "The solved strategy was played in a trial, apart from the solver: cards dealt one by"
            " one, hands played out and settled. Its mean confirms the exact expectation."
        ),
        facts(
            ("Rounds", cell(whole(trial["rounds"]))),
            ("Seed", code(str(trial["seed"]))),
            ("Blackjack bets, mean", cell(decimal(trial["mean"], 6, sign=True))),
            ("95% interval", cell(f"{low} to {high}")),
            ("Exact", cell(decimal(blackjack["ev"], 6, sign=True))),
            ("z", cell(decimal(trial["z"], 2, sign=True))),
        ),
    ]


def _trial_row(bet: str, row: Data) -> list[Cell]:
    low, high = (percent(end, 3, sign=True) for end in row["interval"]["95%"])
    chi_square = row["chi_square"]
    return [
        cell(bet_name(bet)),
        cell(percent(row["ev"], sign=True)),
        cell(percent(row["exact"], sign=True)),
        cell(f"{low} to {high}"),
        cell(decimal(row["z"], 2, sign=True), "" if _agrees(row) else "bad"),
        cell(f"{decimal(chi_square['value'], 2)} ({chi_square['degrees_of_freedom']})"),
    ]


def _agrees(row: Data) -> bool:
    low, high = row["interval"]["95%"]
    return bool(low <= row["exact"] <= high)


def _agreement(rows: dict[str, Data]) -> str:
    outside = [bet_name(bet) for bet, row in rows.items() if not _agrees(row)]
    if not outside:
        return "Every exact expectation lies inside its interval."
    return (
        f"Outside its interval: {listing(outside)}. One in twenty is outside by chance alone;"
        " another seed or more rounds tell whether it was chance."
    )


# --- 8: sensitivity


def _sensitivity(data: Data) -> list[Block]:
    rows = data["sensitivity"]
    if not rows:
        return [*_rules_worth(data), *_bonus_tables(data)]
    main = [row for row in rows if row["bet"] == "main"]
    decks = [*map(str, sorted({row["decks"] for row in rows}))]
    return [
        text(
            "The house edge of every bet for each combination of the settings that decide it. The"
            " rules in force are framed. **A negative house edge favors the player: the house loses"
            " there**; such figures are red. **All decks are shuffled before every round**, however"
            " many there are: the figures are not those of a shoe dealt to a cut card. For the"
            f" other conditions, see {_see('summary')}."
        ),
        heading(bet_name("main")),
        table(
            "House edge of Main, in percent, by number of decks",
            "lll" + "r" * len(decks),
            ["blackjack pays", "dealer's blackjack", "ace kicker", *decks],
            _sensitivity_rows(data, main),
        ),
        *_published(main),
        figure("edge-by-decks", "House edge of Main against the number of decks", _decks_alt(main)),
        heading("The other bets"),
        text(
            "Lucky 3 and Bonus 4 depend only on their pay table and the number of decks. The"
            " package is one unit on each of the three bets, under the rules in force."
        ),
        table(
            "House edge of the other bets, in percent, by number of decks",
            "ll" + "r" * len(decks),
            ["bet", "pay table", *decks],
            [
                [cell(bet_name(bet)), cell(pays), *(_sensitivity_cell(data, row) for row in found)]
                for (bet, pays), found in other_bets(rows).items()
            ],
        ),
        figure(
            "other-bets-by-decks",
            "House edge of the other bets against the number of decks",
            _other_bets_alt(rows),
        ),
    ]


def other_bets(rows: list[Data]) -> dict[tuple[str, str], list[Data]]:
    """Return the rows of the bets other than Main, by bet and pay table."""
    found: dict[tuple[str, str], list[Data]] = {}
    for row in rows:
        if row["bet"] != "main":
            pays = row.get(f"{row['bet']}_paytable", "in force")
            name = "custom" if isinstance(pays, list) else str(pays)
            found.setdefault((row["bet"], name), []).append(row)
    return found


def _other_bets_alt(rows: list[Data]) -> str:
    ends = [
        f"{bet_name(bet)} ({pays}) from {percent(found[0]['house_edge'], 2)} with"
        f" {plural(found[0]['decks'], 'deck')} to {percent(found[-1]['house_edge'], 2)} with"
        f" {found[-1]['decks']}"
        for (bet, pays), found in other_bets(rows).items()
    ]
    return f"Lines of the house edge against the number of decks: {'; '.join(ends)}."


def _rules_worth(data: Data) -> list[Block]:
    rows = data["rules_worth"]
    reasons = {row["setting"]: row["reason"] for row in rows if row["reason"]}
    blocks = [
        heading("What each rule is worth"),
        text(
            "The game was solved with each setting switched, one at a time. The difference is what"
            " the player gains by the switch in a round, in units of one bet. House edges are per"
            f" unit staked. All are exact, under the conditions in {_see('summary')}. The Bonus"
            " depends only on its pay table: under each of these settings its house edge is"
            f" {percent(data['bets']['bonus']['house_edge'])}."
        ),
        table(
            "The game with one setting switched",
            "wrrrr",
            ("setting", "blackjack bets", "difference", "their house edge", "package"),
            [_worth_row(row) for row in rows],
            _worth_total(data),
        ),
        *(text(f"`{name}`: {reason}.") for name, reason in reasons.items()),
        text(
            "The number of seats affects these figures only through rule 8: see"
            f" {_see('advantage')}. The game has one deck; other numbers are {NOT_COMPUTED}."
        ),
    ]
    if worth_plotted(data):
        blocks.append(figure("rules-worth", "What each rule is worth", _worth_alt(data)))
    return blocks


def _worth_row(row: Data) -> list[Cell]:
    name = code(f"{row['setting']}={row['value']}")
    if row["blackjack_ev"] is None:
        return [name, cell(NOT_COMPUTED), *(cell("") for _ in range(3))]
    difference = row["difference"]
    known = "" if difference is None else decimal(difference, 9, sign=True) if difference else "0"
    return [
        name,
        cell(decimal(row["blackjack_ev"], 9, sign=True)),
        cell(known),
        _edge(row["blackjack_house_edge"]),
        _edge(row["house_edge"]),
    ]


def _worth_total(data: Data) -> list[Cell] | None:
    played = _played(data)
    if not played:
        return None
    blackjack, package = played
    return [
        cell("rules in force"),
        cell(decimal(blackjack["ev"], 9, sign=True)),
        cell(""),
        _edge(blackjack["house_edge"]),
        _edge(package["house_edge"]),
    ]


def worth_plotted(data: Data) -> list[Data]:
    """Return the settings that are worth something, dearest to the player last."""
    rows = [row for row in data["rules_worth"] or [] if abs(row["difference"] or 0) > LEAST_PLOTTED]
    return sorted(rows, key=lambda row: row["difference"], reverse=True)


def _worth_alt(data: Data) -> str:
    rows = worth_plotted(data)
    ends = [
        f"{decimal(row['difference'], 4, sign=True)} for {row['setting']}={row['value']}"
        for row in (rows[-1], rows[0])
    ]
    return (
        "Bar chart of what the player gains or loses in a round, in units of one bet, when one"
        f" setting is switched: from {ends[0]} to {ends[1]}."
    )


def _bonus_tables(data: Data) -> list[Block]:
    tables = data["bonus_tables"]
    names = list(tables[0]["pays"])
    is_solved = tables[0]["house_edge"] is not None
    about = (
        "The blackjack bets do not depend on what the Bonus pays, so the edge of the package moves"
        " by a third of what the Bonus moves. **A negative house edge favors the player.**"
        if is_solved
        else f"The package is {NOT_COMPUTED}."
    )
    return [
        heading("The Bonus pay table and the edge"),
        text(
            "The first line is the table in force; in the others one line of it pays a step less or"
            f" more. {about} `pitboss analyze roll-your-own --target package=2%` finds the odds"
            " of each line that come nearest an edge."
        ),
        table(
            "Which Bonus table gives which house edge",
            "r" * (len(names) + 2),
            (*map(event, names), "Bonus", "package"),
            [
                [
                    *(_bonus_cell(row, name) for name in names),
                    _edge(row["bonus_house_edge"], 2),
                    _edge(row["house_edge"], 3) if is_solved else cell(NOT_COMPUTED),
                ]
                for row in tables
            ],
        ),
    ]


def _bonus_cell(row: Data, name: str) -> Cell:
    pays = row["pays"][name]
    style = "" if row["changed"] else "force"
    return cell(odds(pays) if pays else "lose", "changed" if name in row["changed"] else style)


LEAST_PLOTTED = 1e-6  # units


def _sensitivity_rows(data: Data, rows: list[Data]) -> list[list[Cell]]:
    grouped: dict[tuple[str, ...], list[Cell]] = {}
    for row in rows:
        key = tuple(row[name] for name in ("blackjack_pays", "dealer_blackjack", "ace_kicker"))
        pays, reading, kicker = key
        head = [cell(odds(pays)), cell(reading), cell(kicker)]
        grouped.setdefault(key, head).append(_sensitivity_cell(data, row))
    return list(grouped.values())


def _sensitivity_cell(data: Data, row: Data) -> Cell:
    in_force = all(row[name] == data["rules"][name] for name in row.keys() & data["rules"].keys())
    styles = ["bad"] * (row["house_edge"] < 0) + ["force"] * in_force
    return cell(percent(row["house_edge"], 3).removesuffix("%"), " ".join(styles))


def _published(rows: list[Data]) -> list[Block]:
    """Set the two readings behind the best known figure beside each other, from the rows."""
    literal, published = (
        next(
            (
                row
                for row in rows
                if row["blackjack_pays"] == "3:2"
                and row["dealer_blackjack"] == reading
                and row["ace_kicker"] == "high"
                and row["decks"] == 1
            ),
            None,
        )
        for reading in ("is_21", "beats_21")
    )
    if not literal or not published:
        return []
    return [
        note(
            "warning",
            "Two readings, two signs",
            "With blackjack at 3 to 2, one deck and the literal reading (`is_21`) **the player has"
            f" the edge**: the expectation of Main is `{fraction(literal['ev'])}`, a house edge of"
            f" **{percent(literal['house_edge'])}**.",
            f"The published {percent(published['house_edge'], 2)} is the other reading, by which a"
            " dealer's blackjack beats any other 21 (`beats_21`): an expectation of"
            f" `{fraction(published['ev'])}`, a house edge of"
            f" **{percent(published['house_edge'])}**. The sheet does not decide between them.",
        )
    ]


def _decks_alt(rows: list[Data]) -> str:
    low, high = (pick(rows, key=lambda row: row["house_edge"]) for pick in (min, max))
    ends = [
        f"{percent(row['house_edge'], 2)} with {plural(row['decks'], 'deck')},"
        f" {odds(row['blackjack_pays'])}, {row['dealer_blackjack']}, ace {row['ace_kicker']}"
        for row in (low, high)
    ]
    return (
        "Lines of the house edge of Main for one to eight decks, one for each blackjack pay,"
        f" reading and kicker, with a line at zero: from {ends[0]}, to {ends[1]}."
    )


# --- 9: the bets together


def _package(data: Data) -> list[Block]:
    package = data["package"]
    if not package and _played(data):
        return _played_package(data)
    if not package:
        return [
            text(f"How the bets of one seat move together, and their edge, are {NOT_COMPUTED}.")
        ]
    bets = computed(data)
    alone = sqrt(sum(figures["std_dev"] ** 2 for figures in bets.values()))
    return [
        text(
            f"{listing([bet_name(bet) for bet in bets])} are settled from the same four cards, so"
            " they are not independent; their joint distribution is counted too."
        ),
        facts(
            ("Stake", cell(f"{package['stake']} units, one on each bet")),
            ("Expectation, exact", code(fraction(package["ev"]))),
            ("House edge of a unit staked", _edge(package["house_edge"])),
            ("Standard deviation", cell(decimal(package["std_dev"], 6))),
            ("The same if independent", cell(decimal(alone, 6))),
            ("Skewness", cell(decimal(package["skewness"], 4))),
        ),
        table(
            "Correlation of the bets of one seat",
            "lr",
            ("bets", "correlation"),
            [
                [cell(_pair_name(bets)), cell(decimal(value, 4, sign=True))]
                for bets, value in package["correlations"].items()
            ],
        ),
        _holds(data, "package"),
    ]


def _played_package(data: Data) -> list[Block]:
    blackjack, package = data["bets"]["blackjack"], data["bets"]["package"]
    bonus = data["bets"]["bonus"]
    return [
        text(
            "The three bets are equal and are made together, so the game is one package. Its"
            " expectation is the sum of the parts, and its house edge can be had of the stake or of"
            " the money finally put down, to which doubles and splits add."
        ),
        facts(
            ("Stake", cell(f"{package['stake']} units, one on each bet")),
            ("Money finally put down", cell(f"{decimal(package['put_down'], 6)} units, expected")),
            ("Bonus, exact", code(fraction(bonus["ev"]))),
            ("Blackjack bets, exact", code(_ev(blackjack))),
            ("Package, exact", code(_ev(package))),
            ("House edge of a unit staked", _edge(package["house_edge"])),
            ("House edge of a unit put down", _edge(package["house_edge_put_down"])),
            ("Standard deviation", _guess(package, "std_dev", decimal, 6)),
            ("Rounds that end ahead", _guess(package, "hit_frequency", percent, 4)),
            ("Rounds that end even", _guess(package, "push_rate", percent, 4)),
            ("Bonus with blackjack bets", cell(_together(package))),
        ),
        text(
            "Of the variance of the package the Bonus's part and the covariance are exact; the part"
            " of the blackjack bets is simulated."
        ),
        _holds(data, "package"),
    ]


def _together(package: Data) -> str:
    covariance, correlation = (
        decimal(package[name], places, sign=True)
        for name, places in (("covariance", 6), ("correlation", 4))
    )
    return f"covariance {covariance}, exact; correlation {correlation}"


def _pair_name(bets: str) -> str:
    return listing([bet_name(bet) for bet in bets.split(", ")])


# --- 10: advantage play


def _advantage(data: Data) -> list[Block]:
    return [*_exposed(data), *_whole_tables(data)]


def _exposed(data: Data) -> list[Block]:
    exposed = data["exposed"]
    shuffle = "Every round starts from a full, fresh shuffle: cards of earlier rounds tell nothing."
    if not exposed:
        return [text(f"{shuffle} What exposed cards are worth is {NOT_COMPUTED}.")]
    known = (
        "The tables give the expectation, with one unit on each bet, when one card of the player's"
        " own hand, or of the dealer's, is known; a 10 is any ten-value card. Figures above zero"
        f" are the player's and stand out. {_worst(exposed)}"
    )
    tables = pair(*(_exposed_table(whose, rows) for whose, rows in exposed.items()))
    if _played(data):
        return [
            text(
                f"{shuffle} What is worth something is a card known **before** betting. {known} Of"
                " the dealer's two cards the up card is meant; the blackjack bets are both together"
                " and the package all three, a round, in units of one bet."
            ),
            tables,
        ]
    free = data["rules"]["toss"] == "free"
    toss = "the best toss is the same whatever is seen" if free else "the toss is forced"
    return [
        text(
            f"**After the bets nothing that a player sees is worth anything on Main**: {toss}"
            f" ({_see('strategy')}), so there is no decision left to improve, and neither is there"
            f" on Bonus 4. {shuffle}"
        ),
        text(f"What is worth something is a card known **before** betting. {known}"),
        tables,
    ]


def _exposed_table(whose: str, rows: list[Data]) -> Block:
    bets = [name for name in rows[0] if name != "card"]
    captions = {"own": "A card of the player's own hand", "dealer": "A card of the dealer's hand"}
    return table(
        f"{captions[whose]} is known: expectation in units of one bet",
        "l" + "r" * len(bets),
        ["card", *map(bet_name, bets)],
        [
            [
                cell(row["card"]),
                *(
                    cell(decimal(row[bet], 4, sign=True), "good" if row[bet] > 0 else "")
                    for bet in bets
                ),
            ]
            for row in rows
        ],
    )


def _worst(exposed: Data) -> str:
    """Name the exposed card that costs the house most, the player's own and the dealer's."""
    found = []
    for whose, rows in exposed.items():
        hand = "the player's own hand" if whose == "own" else "the dealer's hand"
        worth, bet, card = max(
            (value, bet, row["card"]) for row in rows for bet, value in row.items() if bet != "card"
        )
        name = "an ace" if card == "A" else f"{'an' if card == '8' else 'a'} {card}"
        found.append(f"{name} of {hand}, {decimal(worth, 4, sign=True)} units on {bet_name(bet)}")
    return f"The dearest to the house are {listing(found)}."


WHO = {
    "teams": "a team",
    "teams_with_push": "a team, with run_out=push",
    "single_players": "single players",
}


def _whole_tables(data: Data) -> list[Block]:
    """Report the results of teams that run out the deck, and of single players."""
    rule = data["rule_8"]
    if not rule:
        return []
    paid = "wins even money" if rule["run_out"] == "win" else "is returned"
    opening = (
        "Rule 8: when a card is needed and the deck is used up, every bet in action"
        f" {paid} (`run_out={rule['run_out']}`)."
    )
    others = (
        "All packs lie face up. The gain of a player who uses the cards of the other packs is"
        f" {NOT_COMPUTED}."
    )
    title = heading("Rule 8, and the other seats")
    if rule["seats"] == 1:
        return [title, text(f"{opening} One seat alone cannot use up the deck.")]
    if not rule["teams"]:
        missing = (
            f"Teams that try to use it up are {NOT_COMPUTED} under these rules. {MEASURE_TEAMS}"
        )
        return [title, text(f"{opening} {missing} {others}")]
    return [title, text(f"{opening} {TEAM}"), _whole_table(rule), text(others)]


TEAM = (
    "A team holds every seat. It splits and draws until the stub cannot last, and then raises its"
    " bets (`docs/run-out.md`, `--strategy run-out`). We searched for a simple strategy, and a"
    " better one may exist: a positive house edge here does not prove that a number of seats is"
    f" safe. A team that holds only some seats is {NOT_COMPUTED}."
)


def _whole_table(rule: Data) -> Block:
    found = {who: rule[key] for key, who in WHO.items() if rule[key]}
    if rule["run_out"] == "push":
        del found[WHO["teams_with_push"]]  # the same table twice
    first = next(iter(found.values()))[0]
    return table(
        f"Whole tables, the three bets of a seat; simulated with seed {first['seed']}, ± one"
        " standard error, the Bonus exact",
        "wrrrrr",
        ("players", "seats", "rounds", "deck runs out", "units a round", "house edge"),
        [_trial_of(who, row) for who, rows in found.items() for row in rows],
    )


def _trial_of(who: str, row: Data) -> list[Cell]:
    error = row["std_error"]
    edge = f"{percent(row['house_edge'], 2)} ± {percent(error['house_edge'], 2)}"
    return [
        cell(who),
        cell(whole(row["seats"])),
        cell(whole(row["rounds"])),
        cell(f"{percent(row['runs_out'], 3)} ± {percent(error['runs_out'], 3)}"),
        cell(f"{decimal(row['ev'], 3, sign=True)} ± {decimal(error['ev'], 3)}"),
        cell(edge, "bad" if row["house_edge"] < 0 else ""),
    ]


# --- 11 and 12: the house


def _operations(data: Data) -> list[Block]:
    plan = data["operations"]
    if not plan:
        return [
            text(f"What the house wins an hour, and how often it is behind, are {NOT_COMPUTED}.")
        ]
    stakes = [
        f"{money(cents)} on {EACH.get(bet) or bet_name(bet)}"
        for bet, cents in plan["stakes"].items()
        if cents
    ]
    rounds, hours = plan["day"]["rounds"], plan["hours"]
    style = "bad" if plan["win_per_round"] < 0 else ""
    return [
        facts(
            ("One seat stakes", cell(f"{listing(stakes)}, every round")),
            ("Rounds an hour", cell(whole(plan["rounds_per_hour"]))),
            ("Theoretical win a round", cell(_exact_money(plan["win_per_round"]), style)),
            ("Theoretical win an hour", cell(money(plan["win_per_hour"]), style)),
            (f"Theoretical win in {hours} hours", cell(money(plan["win_per_hour"] * hours), style)),
            ("Standard deviation of a round", cell(money(plan["std_dev_per_round"]))),
        ),
        table(
            "How likely the house is behind after so many rounds of one seat",
            "rrr",
            ("rounds", "at this pace", "house behind"),
            [_behind_row(plan, row) for row in plan["house_behind"]],
        ),
        figure("house-day", f"The house's result after {whole(rounds)} rounds", _day_alt(plan)),
        text(
            f"The distribution is that of one round, {_one_round(data)}convolved with itself. More"
            " seats add their wins and losses, but they share the dealer's hand, so they are not"
            f" independent. For the conditions, see {_see('summary')}."
        ),
    ]


EACH = {"bet": "each of the three bets"}


def _one_round(data: Data) -> str:
    if not _played(data):
        return ""
    return (
        "simulated, with the exact chances of the Bonus and the exact mean of the blackjack bets, "
    )


def _exact_money(cents: float) -> str:
    return minus(f"{'-' if cents < 0 else ''}${abs(cents) / 100:,.4f}")


def _behind_row(plan: Data, row: Data) -> list[Cell]:
    hours = row["rounds"] / plan["rounds_per_hour"]
    return [
        cell(whole(row["rounds"])),
        cell(f"{hours:,.1f} h".replace(".0 h", " h")),
        cell(chance(row["probability"])),
    ]


def _day_alt(plan: Data) -> str:
    rounds = plan["day"]["rounds"]
    behind = next(r["probability"] for r in plan["house_behind"] if r["rounds"] == rounds)
    mean = plan["win_per_round"] * rounds
    return (
        f"Histogram of the house's result after {whole(rounds)} rounds, {plan['hours']} hours of"
        f" play: the mean is {money(mean)}, and with probability {chance(behind)} the house is"
        " behind."
    )


def _limits(data: Data) -> list[Block]:
    rows = data["limits"]
    if not rows:
        return [text("No limits were given.")]
    titles = ("bet", "least", "most", "steps", "top prize", "wins at the limit")
    return [
        table("Limits and the highest prizes", "wrrrrr", titles, [_limit_row(row) for row in rows]),
        *_reserve(rows),
        text(
            "Whether a jurisdiction allows these limits is what `pitboss check` tells, with its"
            " sources; neither is legal advice."
        ),
    ]


def _limit_row(row: Data) -> list[Cell]:
    amounts = [cell(money(row[name])) for name in ("least", "most", "step")]
    return [
        cell(bet_name(row["bet"])),
        *amounts,
        cell(odds(row["pays"])),
        cell(money(row["top_prize"])),
    ]


def _reserve(rows: list[Data]) -> list[Block]:
    """List the prizes that count for the reserve, and say which is to be kept."""
    rule = WASHINGTON_2017.reserve
    over = [
        (prize["win"], row["bet"], prize)
        for row in rows
        for prize in row["prizes"]
        if prize["win"] > rule.above
    ]
    over.sort(key=lambda prize: prize[0], reverse=True)
    law = f"{rule.citation.section} ({rule.citation.version})"
    if not over:
        return [
            text(
                f"No odds-based prize exceeds {money(rule.above)}, so in Washington {law} asks for"
                " no reserve."
            )
        ]
    lines = [
        [
            cell(bet_name(bet)),
            cell(event(f"total {prize['on']}" if bet == "bonus4" else str(prize["on"]))),
            cell(odds(prize["pays"])),
            cell(money(win)),
        ]
        for win, bet, prize in over
    ]
    titles = ("bet", "result", "pays", "wins at the limit")
    return [
        table(f"Odds-based prizes over {money(rule.above)}", "lwrr", titles, lines),
        text(_kept(law, [win for win, _, _ in over])),
    ]


def _kept(law: str, over: list[int]) -> str:
    if len(over) == 1:
        return (
            f"In Washington {law} asks for a reserve where more than one prize is that high: here"
            " none is due."
        )
    return (
        f"More than one prize is that high, so in Washington {law} asks that the second highest be"
        f" kept in reserve: **{money(over[1])}**."
    )


# --- 13: change log


def _changes(data: Data) -> list[Block]:
    rows = [
        [code(row["name"]), cell(_short(row["preset"])), cell(_short(row["value"]), "changed")]
        for row in data["changes"]
    ]
    blocks = (
        [
            table(
                "Settings against the default preset",
                "lll",
                ("setting", "default", "in force"),
                rows,
            )
        ]
        if rows
        else [text("The rules in force are the default preset; no setting is changed.")]
    )
    return [*blocks, *_approval(data)]


def _short(value: str) -> str:
    return "a custom pay table" if value.startswith("[") else value


def _approval(data: Data) -> list[Block]:
    """Hold the rules against the approval letter, as the check does."""
    findings, letter = _approval_findings(data), LETTERS.get(data["game"])
    if letter is None:
        detail = findings[0].detail
        return [note("warning", "No approval on file", f"{detail[0].upper()}{detail[1:]}.")]
    return [
        text(
            f"The approval letter of {letter.date} ({letter.citation.source}) approves the game"
            " with its rules and pay tables. The table below shows which settings are as approved"
            f" and which ones the letter leaves open; {letter.warning}."
        ),
        table(
            "The rules in force against the approval letter",
            "llw",
            ("point", "verdict", "what was found"),
            [
                [
                    cell(f.topic.removeprefix("rule ")),
                    cell(f.verdict.on_approval, STYLES[f.verdict]),
                    cell(f.detail),
                ]
                for f in findings
            ],
        ),
    ]


def _approval_findings(data: Data) -> list[Finding]:
    game = find_game(data["game"])
    setup = Setup(
        game=game,
        rules=game.rules.from_json(data["rules"]),
        limits=dict.fromkeys(game.stakes, Limit(1, 1)),  # no limit decides on the rules
        seats=data["rules"]["seats"],
    )
    return list(check_approval(WASHINGTON_2017, setup))


TITLES = {
    "identification": "Identification",
    "rules": "Rules as modelled",
    "method": "Method",
    "outcomes": "Outcome tables",
    "summary": "Summary figures",
    "strategy": "Strategy",
    "simulation": "Confirmation by simulation",
    "sensitivity": "Sensitivity",
    "package": "Correlation and package edge",
    "advantage": "Advantage play",
    "operations": "Operations",
    "limits": "Limits and reserves",
    "changes": "Change log and approval",
}
"""The sections in their order."""

BUILDERS = {
    "identification": _identification,
    "rules": _rules,
    "method": _method,
    "outcomes": _outcomes,
    "summary": _summary,
    "strategy": _strategy,
    "simulation": _simulation,
    "sensitivity": _sensitivity,
    "package": _package,
    "advantage": _advantage,
    "operations": _operations,
    "limits": _limits,
    "changes": _changes,
}
