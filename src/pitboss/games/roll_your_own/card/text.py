"""The strategy card of Roll Your Own Blackjack as plain text, and texts shared by all formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.strategy.charts import label, text_tables
from pitboss.strategy.text import NO_BREAK_SPACE, WIDTH, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pitboss.strategy.cards import Data

HOW = "Read from the top: the first line that fits decides. A total is two cards, no ace."
TENS = "10 is any 10, J, Q or K."


def percent(share: float) -> str:
    return f"{share:.4%}"


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
    yield from text_tables(data["playing"]["chart"])
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
