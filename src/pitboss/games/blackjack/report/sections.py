"""The sections of the report that only blackjack has."""

from __future__ import annotations

from math import comb, sqrt

from pitboss.core.errors import plural
from pitboss.report.blocks import Block, Cell, cell, code, facts, heading, table, text
from pitboss.report.by_decks import by_decks_blocks
from pitboss.report.elements import (
    NEEDS_STRATEGY,
    NOT_COMPUTED,
    Data,
    bet_name,
    computed,
    conditions_block,
    edge_cell,
    estimate_cell,
    expectation,
    see,
)
from pitboss.report.exposed import BEFORE, SHUFFLE, exposed_tables, known_cards, not_computed
from pitboss.report.played import frequency_table, trial_facts, up_card_blocks
from pitboss.report.text import decimal, listing, whole
from pitboss.report.worth import difference_cell, reasons, setting_cell, worth_figure


def combinations(data: Data, bet: str) -> tuple[str, int]:
    """Return the formula and the number of deals of a side bet."""
    cards = 52 * data["rules"]["decks"]
    if bet == "lucky_ladies":
        return f"C({cards}, 2) × C({cards - 2}, 2)", comb(cards, 2) * comb(cards - 2, 2)  # noqa: RUF001
    size = 2 if bet == "perfect_pairs" else 3
    return f"C({cards}, {size})", comb(cards, size)


def method(data: Data) -> list[Block]:
    """Explain how the bets are counted, solved and simulated."""
    return [_side_bets_method(data), *_main_method(data)]


def _side_bets_method(data: Data) -> Block:
    decks = plural(data["rules"]["decks"], "deck")
    return text(
        f"The **side bets** are counted over every deal of {decks}: Perfect Pairs over the player's"
        " two cards, 21+3 over these and the up card, Lucky Ladies over the player's two cards and"
        " the dealer's two. The code that settles the bet at a table classifies each hand. The pay"
        " tables are applied to the finished counts in exact fractions."
    )


def _main_method(data: Data) -> list[Block]:
    main = data["bets"]["main"]
    if not main:
        return [
            text(f"**Main** needs the best strategy: it is **{NOT_COMPUTED}**. {NEEDS_STRATEGY}")
        ]
    trial = main["trial"]
    return [
        text(
            "**Main** is solved: for every up card and every two cards of the player, each hand is"
            " worth the best of standing, hitting, doubling, splitting and giving up, over every"
            " card that can come from the shoe as it is then. The best play may depend on every"
            " card of the hand (composition-dependent play). The starts are added up by their"
            " number of deals."
        ),
        text(
            f"The rules allow {plural(main['splits']['most'], 'split')}. The values of split hands"
            f" are {main['splits']['about']}. The expectation is exact to the precision of floating"
            " point, and so are the expected numbers of doubles and splits, which give the **money"
            " finally put down**. The value of every two cards and up card is known, and so are"
            " their side bets: this makes the covariances of the side bets and Main exact too."
        ),
        text(
            "The spread of Main, the rounds that end ahead and the outcomes of hands come from"
            f" **{whole(trial['rounds'])} rounds simulated** with the same strategy, seed"
            f" {trial['seed']}. Such figures are marked ± with their standard error. Every other"
            " figure is exact."
        ),
    ]


def outcomes(data: Data) -> list[Block]:
    """Show the frequency of events in a round, and the value of each up card."""
    main = data["bets"]["main"]
    if not main:
        return []
    return [
        heading(bet_name(data, "main")),
        frequency_table("What happens in a round of one seat", main["frequencies"]),
        text(
            "A number is exact if it has no standard error. Each hand made by a split counts as a"
            " hand."
        ),
        conditions_block(data, "main"),
        *up_card_blocks("Main", main["by_up_card"]),
    ]


def summary(data: Data) -> list[Block]:
    """Define the figures of Main."""
    if not data["bets"]["main"]:
        return []
    return [
        text(
            "The expectation of Main is that of a round with one unit staked; doubles and splits"
            " add to the money put down. Its wins are the rounds that end ahead."
        )
    ]


def strategy(data: Data) -> list[Block]:
    """Describe the strategy that the figures assume."""
    if not data["bets"]["main"]:
        return [text(f"The best strategy of the game is {NOT_COMPUTED}.")]
    return [
        text(
            "The figures of Main are those of the **best strategy** that uses the up card and every"
            " card of the hand. `pitboss strategy blackjack` prints basic strategy, which uses only"
            " the total of the hand, as a card with its exact cost. `pitboss solve blackjack`"
            " prints the value of every play of a hand."
        ),
        text(
            "The player never insures: with only the own cards known, fewer than a third of the"
            " unseen cards are tens, and at 2 to 1 exactly a third would make insurance an even"
            " bet. Even money for a blackjack is the same bet."
        ),
    ]


def simulation(data: Data) -> list[Block]:
    """Compare the solved expectation with a simulation."""
    main = data["bets"]["main"]
    if not main:
        return [text(f"A simulation of the best strategy is {NOT_COMPUTED}. {NEEDS_STRATEGY}")]
    return [
        text(
            "The solved strategy was played in a simulation that is independent of the solver:"
            " cards are dealt one by one, hands are played and settled. Its mean confirms the exact"
            " expectation."
        ),
        trial_facts("Main", main),
    ]


def sensitivity(data: Data) -> list[Block]:
    """Show the value of each rule, and the side bets by pay table and number of decks."""
    return [
        *_rules_worth(data),
        heading("The side bets"),
        text(
            "A side bet depends only on its pay table and the number of decks. The rules in force"
            " are framed. A pay table is named after its odds, best hand first. **All decks are"
            " shuffled before every round.**"
        ),
        *by_decks_blocks(data),
    ]


def _rules_worth(data: Data) -> list[Block]:
    rows, main = data["rules_worth"], data["bets"]["main"]
    total = (
        [
            cell("rules in force"),
            cell(decimal(main["ev"], 9, sign=True)),
            cell(""),
            edge_cell(main["house_edge"]),
        ]
        if main
        else None
    )
    return [
        heading("What each rule is worth"),
        text(
            "The game was solved with each setting switched, one at a time. The difference is what"
            " the player gains by the switch in a round, in units of the bet, with the best play"
            f" for the new rules. All are exact, under the conditions in {see('summary')}."
        ),
        table(
            "Main with one setting switched",
            "wrrr",
            ("setting", "expectation", "difference", "house edge"),
            [_worth_row(row) for row in rows],
            total,
        ),
        *(text(f"`{name}`: {reason}.") for name, reason in reasons(rows).items()),
        *worth_figure(data),
    ]


def _worth_row(row: Data) -> list[Cell]:
    if row["ev"] is None:
        return [setting_cell(row), cell(NOT_COMPUTED), cell(""), cell("")]
    return [
        setting_cell(row),
        cell(decimal(row["ev"], 9, sign=True)),
        difference_cell(row),
        edge_cell(row["house_edge"]),
    ]


def package(data: Data) -> list[Block]:
    """Show the bets of one seat as a package."""
    together, bets = data["package"], computed(data)
    if not together:
        return [text(f"How the bets of one seat move together is {NOT_COMPUTED}.")]
    alone = sqrt(sum(figures["std_dev"] ** 2 for figures in bets.values()))
    return [
        text(
            f"{listing([bet_name(data, bet) for bet in bets])} are settled from the same cards, so"
            " they are not independent. Their covariances are exact; of the variances, only that of"
            " Main is simulated."
        ),
        facts(
            ("Stake", cell(f"{together['stake']} units, one on each bet")),
            ("Expectation, exact", code(expectation(together))),
            ("House edge of a unit staked", edge_cell(together["house_edge"])),
            ("Standard deviation", estimate_cell(together, "std_dev", decimal, 8)),
            ("The same if independent", cell(decimal(alone, 6))),
        ),
        table(
            "Correlation of the bets of one seat",
            "lr",
            ("bets", "correlation"),
            [
                [cell(_pair_name(data, pair)), cell(decimal(value, 4, sign=True))]
                for pair, value in together["correlations"].items()
            ],
        ),
        conditions_block(data, "package"),
    ]


def _pair_name(data: Data, bets: str) -> str:
    return listing([bet_name(data, bet) for bet in bets.split(", ")])


def advantage(data: Data) -> list[Block]:
    """Show the value of knowing a card before betting."""
    if not data["exposed"]:
        return not_computed()
    return [
        text(
            f"{SHUFFLE} Counting the cards of earlier rounds gains nothing. {BEFORE}"
            f" {known_cards(data)} Of the dealer's two cards, the up card is meant."
        ),
        exposed_tables(data),
    ]
