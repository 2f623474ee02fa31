"""The report section on other settings of Toss One 21: pays, readings, pay tables, decks."""

from __future__ import annotations

from pitboss.core.errors import plural
from pitboss.report.blocks import (
    Block,
    Cell,
    cell,
    figure,
    heading,
    note,
    table,
    text,
)
from pitboss.report.by_decks import by_decks_blocks, edge_in_force
from pitboss.report.elements import (
    Data,
    bet_name,
    see,
)
from pitboss.report.text import (
    fraction,
    odds,
    percent,
)


def sensitivity(data: Data) -> list[Block]:
    """Show the house edge of every bet under other settings."""
    rows = data["sensitivity"]
    main = [row for row in rows if row["bet"] == "main"]
    decks = [*map(str, sorted({row["decks"] for row in rows}))]
    return [
        text(
            "The house edge of every bet for each combination of the settings that decide it. The"
            " rules in force are framed. **A negative house edge favors the player: the house loses"
            " there**; such figures are red. **All decks are shuffled before every round**, however"
            " many there are: the figures are not those of a shoe dealt to a cut card. For the"
            f" other conditions, see {see('summary')}."
        ),
        heading(bet_name(data, "main")),
        table(
            "House edge of Main, in percent, by number of decks",
            "lll" + "r" * len(decks),
            ["blackjack pays", "dealer's blackjack", "ace kicker", *decks],
            _sensitivity_rows(data, main),
        ),
        *_two_readings(main),
        figure("edge-by-decks", "House edge of Main against the number of decks", _decks_alt(main)),
        heading("The other bets"),
        text(
            "Lucky 3 and Bonus 4 depend only on their pay table and the number of decks. The"
            " package is one unit on each of the three bets, under the rules in force."
        ),
        *by_decks_blocks(data),
    ]


def _sensitivity_rows(data: Data, rows: list[Data]) -> list[list[Cell]]:
    grouped: dict[tuple[str, ...], list[Cell]] = {}
    for row in rows:
        key = tuple(row[name] for name in ("blackjack_pays", "dealer_blackjack", "ace_kicker"))
        pays, reading, kicker = key
        head = [cell(odds(pays)), cell(reading), cell(kicker)]
        grouped.setdefault(key, head).append(edge_in_force(data, row))
    return list(grouped.values())


def _two_readings(rows: list[Data]) -> list[Block]:
    """Compare the two readings that explain the published figure."""
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
            f"The published {percent(published['house_edge'], 2)} follows from the other reading, "
            "in which a dealer's blackjack beats any other 21 (`beats_21`): an expectation of"
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
