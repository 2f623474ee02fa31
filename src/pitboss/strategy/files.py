"""Read strategy files: JSON objects, and charts with a code for each hand and up card."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar

from pitboss.core.errors import NotationError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pitboss.core.settings import Json

T = TypeVar("T")

ChartRow: TypeAlias = tuple[str, int]
"""A row of a chart: ``hard`` or ``soft`` and a total, or ``pair`` and a card."""

CARDS = {**{str(n): n for n in range(2, 10)}, "T": 10, "A": 1}
"""The values of cards by name, in the order of a chart."""

ROWS = {
    "hard": {str(n): n for n in range(4, 21)},
    "soft": {str(n): n for n in range(12, 21)},
    "pair": CARDS,
}
TWO_ACES = ("soft", 12)
"""The row that a chart with pairs may omit: two aces that cannot be split are hit."""


def read_object(
    data: Json, what: str, required: set[str], optional: set[str] | None = None
) -> dict[str, Json]:
    """Return a JSON object with its required keys; *optional* limits the other keys."""
    if not isinstance(data, dict):
        raise NotationError(f"{what} must be a JSON object, not {shown(data)}")
    for key in sorted(required - data.keys()):
        raise NotationError(f"{what} needs {key!r}")
    if optional is not None:
        for key in data:
            one_of(key, dict.fromkeys(sorted(required | optional)), f"a key of {what}")
    return data


def read_list(value: Json, what: str) -> list[Json]:
    if not isinstance(value, list):
        raise NotationError(f"{what} must be a list, not {shown(value)}")
    return value


def one_of(value: Json, valid: Mapping[str, T], what: str) -> T:
    """Return the value of a valid word."""
    if isinstance(value, str) and value in valid:
        return valid[value]
    raise NotationError(f"{shown(value)} is not {what}: choose from {', '.join(valid)}")


def check_game(body: Mapping[str, Json], key: str) -> None:
    """Reject a file that names another game."""
    if body.get("game", key) != key:
        raise NotationError(f"the strategy is for {shown(body['game'])}, not for {key}")


def read_cards(value: Json, what: str) -> list[int]:
    """Return the values of a list of cards."""
    return [one_of(name, CARDS, f"a card of {what}") for name in read_list(value, what)]


def read_chart(
    chart: Json, of_totals: Iterable[str], of_pairs: Iterable[str]
) -> dict[int, dict[ChartRow, str]]:
    """Return a chart by up card; the codes of totals and those of pairs are given."""
    body = read_object(chart, "the chart", {"up_cards", "hard", "soft"}, {"pair"})
    ups = read_cards(body["up_cards"], "up_cards")
    if sorted(ups) != sorted(CARDS.values()):
        raise NotationError(f"up_cards must contain each of {', '.join(CARDS)} once")
    found: dict[int, dict[ChartRow, str]] = {up: {TWO_ACES: "H"} for up in ups}
    for kind, rows in ROWS.items():
        valid = {code: code for code in (of_pairs if kind == "pair" else of_totals)}
        for name, codes in _read_rows(kind, rows, body.get(kind, {})):
            what = f"row {name!r} of the chart of {kind}"
            for up, code in zip(ups, _read_codes(codes, valid, len(ups), what), strict=True):
                found[up][kind, rows[name]] = code
    return found


def _read_rows(kind: str, rows: Mapping[str, int], body: Json) -> Iterator[tuple[str, Json]]:
    """Yield the rows of one part of the chart; the part for pairs may be left out entirely."""
    given = read_object(body, f"the chart of {kind}", set())
    for name in given:
        one_of(name, rows, f"a row of the chart of {kind}")
    for name, number in rows.items():
        if name in given:
            yield name, given[name]
        elif (kind, number) != TWO_ACES and (given or kind != "pair"):
            raise NotationError(f"the chart of {kind} needs a row {name!r}")


def _read_codes(codes: Json, valid: Mapping[str, str], number: int, what: str) -> Iterator[str]:
    found = read_list(codes, what)
    if len(found) != number:
        raise NotationError(f"{what} needs {number} codes, one for each up card, not {len(found)}")
    return (one_of(code, valid, f"a code of {what}") for code in found)
