"""The strategy card of Roll Your Own Blackjack as plain text, and texts shared by all formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.strategy.text import NO_BREAK_SPACE, WIDTH, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pitboss.strategy.cards import Data

CELL = 4

TITLES = {"hard": "Hard totals", "soft": "Soft totals", "pair": "Pairs"}
LEGEND = {
    "S": "stand",
    "H": "hit",
    "Dh": "double, if not allowed hit",
    "Ds": "double, if not allowed stand",
    "P": "split",
}
HOW = "Read from the top: the first line that fits decides. A total is two cards, no ace."
TENS = "10 is any 10, J, Q or K."


def percent(share: float) -> str:
    return f"{share:.4%}"


def label(name: str) -> str:
    """Return a card as players say it."""
    return name.replace("T", "10")


def setting_cost(data: Data) -> str:
    cost, aim = data["setting"]["cost"], data["setting"]["aim"]
    met = "under" if data["setting"]["aim_met"] else "not under"
    return (
        f"These {len(data['setting']['lines'])} lines cost {cost['units']:.6f} units a round"
        f" against the best setting: {percent(cost['of_stake'])} of the three-unit stake, {met} the"
        f" aim of {aim:.2%}."
    )


def playing_cost(data: Data) -> str:
    costs = data["costs"]
    plain, apart = costs["playing"], costs["playing_with_exceptions"]
    text = (
        f"Against the best play of every hand by its own cards the chart costs {plain['units']:.6f}"
        f" units a round, {percent(plain['of_stake'])} of the stake"
    )
    if data["playing"]["exceptions"]:
        return f"{text}; with the exceptions {percent(apart['of_stake'])}."
    return f"{text}."


def together(data: Data) -> str:
    """Return a sentence on the cost and the expectation of the whole card."""
    cost, ev = data["costs"]["together_with_exceptions"], data["ev"]
    return (
        f"The whole card costs {cost['units']:.6f} units a round, {percent(cost['of_stake'])} of"
        f" the stake. The two blackjack bets bring {ev['card']:+.6f} units with it,"
        f" {ev['best']:+.6f} at best, without the Bonus. All figures are for a player alone, with a"
        " fresh shuffle before every round."
    )


def exception(row: Data) -> str:
    """Return an exception as a sentence."""
    gain = percent(row["gain"]["of_stake"])
    instead = f"{row['play']}, not {row['instead_of']}"
    return f"{row['hands']} against {label(row['up'])}: {instead} ({gain})"


def exceptions_head(data: Data) -> str:
    least = f"{data['playing']['least_gain']:.4%}"
    if not data["playing"]["exceptions"]:
        return f"No exception by two cards or by three and more is worth {least} of the stake."
    return f"What each is worth, of the stake; none found beside them is worth {least}."


def rows(data: Data, kind: str) -> list[tuple[str, list[str]]]:
    """Return the rows of a part of the chart; equal neighbors are merged."""
    found: list[tuple[str, str, list[str]]] = []
    for name, cells in data["playing"]["chart"][kind].items():
        if found and kind != "pair" and found[-1][2] == cells:
            found[-1] = found[-1][0], name, cells
        else:
            found.append((name, name, cells))
    return [(_row_label(kind, first, last), cells) for first, last, cells in found]


def _row_label(kind: str, first: str, last: str) -> str:
    if kind == "pair":
        return f"{label(first)}-{label(first)}"
    return first if first == last else f"{first}-{last}"


def used(data: Data) -> dict[str, str]:
    """Return the codes used in a chart, with their meanings."""
    chart = data["playing"]["chart"]
    cells = {c for kind in TITLES for codes in chart[kind].values() for c in codes}
    return {code: text for code, text in LEGEND.items() if code in cells}


def rung_line(rung: Data) -> str:
    """Return a list of rules as one line that can break only between rules."""
    line = ", ".join(rule["short"].replace(" ", NO_BREAK_SPACE) for rule in rung["rules"])
    return line.removeprefix(f"else{NO_BREAK_SPACE}")


# --- the text


def text_lines(data: Data) -> Iterator[str]:
    """Yield the lines of the card."""
    yield ""
    yield "HOW TO SET THREE CARDS"
    yield from wrap(f"{HOW} {TENS}")
    for number, rule in enumerate(data["setting"]["lines"], 1):
        yield f"{number:3}  {rule['text']}"
    yield from wrap(setting_cost(data))
    yield ""
    yield "THE LADDER: SHORTER AND LONGER LISTS"
    yield from _ladder(data)
    yield ""
    yield "HOW TO PLAY THE HANDS"
    for kind, name in TITLES.items():
        yield from _chart(data, kind, name)
    yield from (f"  {code:<3} {text}" for code, text in used(data).items())
    yield from wrap(playing_cost(data))
    yield ""
    yield "EXCEPTIONS THAT MATTER"
    yield from wrap(exceptions_head(data))
    yield from (f"  {exception(row)}" for row in data["playing"]["exceptions"])
    yield ""
    yield from wrap(data["insurance"]["text"])
    yield from wrap(together(data))


def _ladder(data: Data) -> Iterator[str]:
    yield "lines  % of stake  the list, first choice first"
    for rung in data["setting"]["ladder"]:
        mark = "*" if rung["is_the_card"] else " "
        first, *more = wrap(rung_line(rung), WIDTH - 19)
        yield f"{rung['lines']:>4}{mark}{100 * rung['cost']['of_stake']:>12.5f}  {first}"
        yield from (f"{'':19}{line}" for line in more)
    yield "* the list above"


def _chart(data: Data, kind: str, name: str) -> Iterator[str]:
    lines = rows(data, kind)
    if not lines:
        return
    ups = "".join(f"{label(up):>{CELL}}" for up in data["playing"]["chart"]["up_cards"])
    yield f"{name + ' v':<14}{ups}"
    for row, cells in lines:
        yield f"{row:<14}" + "".join(f"{code:>{CELL}}" for code in cells)
    yield ""
