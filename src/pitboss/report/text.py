"""Formats for the numbers and names of the report: minus signs, separators, odds with *to*."""

from __future__ import annotations

from pitboss.core.journal import dollars

LEAST_SHOWN = 0.0000005
"""The smallest probability that a percentage with four decimal places can show."""


def minus(text: str) -> str:
    """Replace the hyphen of a negative number with a minus sign."""
    return text.replace("-", "\N{MINUS SIGN}")


def percent(share: float, places: int = 4, *, sign: bool = False) -> str:
    """Format a share as a percentage.

    >>> percent(0.0103), percent(0.0068252, 2), percent(0.5, 1, sign=True)
    ('1.0300%', '0.68%', '+50.0%')
    """
    return minus(f"{share:{'+' if sign else ''}.{places}%}")


def chance(probability: float) -> str:
    """Format a probability as a percentage, or state that it is too small to show.

    >>> chance(0.36738), chance(1e-11)
    ('36.7380%', 'under 0.0001%')
    """
    return "under 0.0001%" if 0 < probability < LEAST_SHOWN else percent(probability)


def decimal(number: float, places: int = 8, *, sign: bool = False) -> str:
    return minus(f"{number:{'+' if sign else ''},.{places}f}")


def whole(number: int) -> str:
    return f"{number:,}"


def one_in(number: float) -> str:
    """Format a frequency as "1 in N".

    >>> one_in(14.7776), one_in(270725.0)
    ('1 in 14.8', '1 in 270,725')
    """
    places = 1 if number < 1000 else 0  # noqa: PLR2004  no decimals from four digits on
    return f"1 in {number:,.{places}f}".removesuffix(".0")


def fraction(ev: str) -> str:
    """Format an exact expectation with its sign.

    >>> fraction("3/8"), fraction("-3/8")
    ('+3/8', '-3/8')
    """
    return ev if ev.startswith(("-", "0")) else f"+{ev}"


def odds(pays: str) -> str:
    """Format odds as printed on a layout; "push" and "lose" stay as they are.

    >>> odds("3:2"), odds("0:1"), odds("lose")
    ('3 to 2', 'push', 'lose')
    """
    win, colon, stake = pays.partition(":")
    if not colon:
        return pays
    return f"{win} to {stake}" if int(win) else "push"


def net(pays: str) -> float:
    """Return the net win of one unit.

    >>> net("3:2"), net("push"), net("lose")
    (1.5, 0.0, -1.0)
    """
    win, colon, stake = pays.partition(":")
    if colon:
        return int(win) / int(stake)
    return 0.0 if pays == "push" else -1.0


def money(cents: float) -> str:
    """Format cents as dollars.

    >>> money(4039.54), money(700)
    ('$40.40', '$7')
    """
    return minus(dollars(round(cents)))


def event(name: str) -> str:
    """Format the name of a result.

    >>> event("akq suited"), event("suited_21")
    ('A-K-Q suited', 'suited 21')
    """
    return name.replace("_", " ").replace("akq", "A-K-Q")


def span(results: list[str | int]) -> str:
    """Format the results of a pay table line; consecutive totals become a range.

    >>> span([6, 7, 8]), span([9, 10]), span(["suited_21", "21"])
    ('6 to 8', '9 or 10', 'suited 21 or 21')
    """
    totals = [result for result in results if isinstance(result, int)]
    if len(totals) > 2 and max(totals) - min(totals) + 1 == len(results):  # noqa: PLR2004
        return f"{min(totals)} to {max(totals)}"
    *first, last = [event(str(result)) for result in results]
    return f"{', '.join(first)} or {last}" if first else last


def listing(names: list[str]) -> str:
    """Join names as in a sentence.

    >>> listing(["Main", "Lucky 3", "Bonus 4"])
    'Main, Lucky 3 and Bonus 4'
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
