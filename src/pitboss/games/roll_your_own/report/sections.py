"""The sections of the report that only Roll Your Own has."""

from __future__ import annotations

from math import comb

from pitboss.games.roll_your_own.report.teams import whole_tables
from pitboss.report.blocks import (
    Block,
    cell,
    code,
    facts,
    heading,
    text,
)
from pitboss.report.elements import (
    NEEDS_STRATEGY,
    NOT_COMPUTED,
    Data,
    bet_name,
    conditions_block,
    edge_cell,
    estimate_cell,
    expectation,
)
from pitboss.report.exposed import BEFORE, SHUFFLE, exposed_tables, known_cards, not_computed
from pitboss.report.played import frequency_table, trial_facts, up_card_blocks
from pitboss.report.text import (
    decimal,
    fraction,
    percent,
    whole,
)


def played(data: Data) -> tuple[Data, Data] | None:
    """Return the figures of the blackjack bets and the package, if they are computed."""
    bets = data["bets"]
    return (bets["blackjack"], bets["package"]) if bets.get("package") else None


def _bonus_method() -> Block:
    return text(
        f"The **Bonus** is counted over all C(52, 3) = {whole(comb(52, 3))} hands of three cards"
        " from one deck. Each is put into its class by the rules engine itself, the very code that"
        " settles the bet at a table, and the pay table is applied to the finished counts in exact"
        " fractions; another pay table needs no recount."
    )


def method(data: Data) -> list[Block]:
    """Explain how the bets are counted, solved and simulated."""
    return [_bonus_method(), *_played_method(data)]


def _played_method(data: Data) -> list[Block]:
    found = played(data)
    if not found:
        return [
            text(
                "The blackjack bets and the package of all three bets need the best strategy of the"
                f" game: they are **{NOT_COMPUTED}**. {NEEDS_STRATEGY}"
            )
        ]
    trial = found[0]["trial"]
    return [
        text(
            "The **blackjack bets** are solved: for every up card, every three values of the"
            " player and every way to set them, the value of each hand is that of the best play"
            " (stand, hit, double or split), averaged over every card that the rest of the one"
            " deck can still deal. The best way to set is chosen, and each start is weighted by"
            " the number of ways to deal it. Nothing is left out or approximated. The player"
            " ignores the cards drawn to one hand while playing the other (memory `none`), and"
            " never insures."
        ),
        text(
            "So the expectation is exact, to the precision of floating point. The expected numbers"
            " of doubles, splits and blackjacks are exact too; the doubles and splits give the"
            " **money finally put down**. The value of a start and its Bonus are known for every"
            " three cards and up card, so the covariance of the Bonus and the blackjack bets is"
            " also exact."
        ),
        text(
            "The spread of the blackjack bets, the share of rounds that end ahead and the dealer's"
            f" results come from **{whole(trial['rounds'])} rounds simulated** with the same"
            f" strategy, seed {trial['seed']}. Such figures are marked ± with their standard error,"
            " and all other figures are exact."
        ),
    ]


def outcomes(data: Data) -> list[Block]:
    """Show the frequency of events in a round, and the value of each up card."""
    found = played(data)
    if not found:
        return []
    blackjack = found[0]
    return [
        heading(bet_name(data, "blackjack")),
        frequency_table(
            "What happens in a round of one seat, both blackjack bets together",
            blackjack["frequencies"],
        ),
        text(
            "A number without a standard error is exact. A hand made by a split counts as one "
            "hand; a double blackjack counts as two paid blackjacks."
        ),
        conditions_block(data, "blackjack"),
        *up_card_blocks("The two blackjack bets", blackjack["by_up_card"]),
    ]


def strategy(data: Data) -> list[Block]:
    """Describe the strategy that the figures assume."""
    if not played(data):
        return [text(f"The best strategy of the game is {NOT_COMPUTED}.")]
    return [
        text(
            "The figures are those of the **best strategy** for setting three cards on the two"
            " bets and for playing each hand, given the up card and the player's cards. It is the"
            " best strategy that ignores the cards drawn to one hand while playing the other. A"
            " player who uses those cards gains a little more: `pitboss solve` with `--memory"
            " full` shows how much for a single start."
        ),
        text(
            "`pitboss strategy roll-your-own` prints the strategy as a card, and `pitboss solve"
            " roll-your-own` prints the value of every alternative of a hand. A player who plays"
            " alone never gains from insurance: at most 16 of the 48 unseen cards are tens, and at"
            " 2 to 1 a third of tens only breaks even. With other packs face up, insurance gains"
            " if all packs together, including the player's own, hold fewer tens than there are"
            " other packs. The figures do not include that."
        ),
    ]


def simulation(data: Data) -> list[Block]:
    """Compare the solved expectation with a simulation."""
    found = played(data)
    if not found:
        return [text(f"A trial of the best strategy is {NOT_COMPUTED}. {NEEDS_STRATEGY}")]
    return [
        text(
            "The solved strategy was played in a simulation that is independent of the solver:"
            " cards were dealt one by one, and hands were played out and settled. Its mean"
            " confirms the exact expectation."
        ),
        trial_facts("Blackjack bets", found[0]),
    ]


def package(data: Data) -> list[Block]:
    """Show the figures of the three bets together."""
    if not played(data):
        return [
            text(f"The correlation of the bets of one seat, and their edge, are {NOT_COMPUTED}.")
        ]
    blackjack, together = data["bets"]["blackjack"], data["bets"]["package"]
    bonus = data["bets"]["bonus"]
    return [
        text(
            "The three bets are equal and are made together, so the game is one package. Its"
            " expectation is the sum of the parts, and its house edge can be given per unit "
            "staked or per unit finally put down, which includes doubles and splits."
        ),
        facts(
            ("Stake", cell(f"{together['stake']} units, one on each bet")),
            ("Money finally put down", cell(f"{decimal(together['put_down'], 6)} units, expected")),
            ("Bonus, exact", code(fraction(bonus["ev"]))),
            ("Blackjack bets, exact", code(expectation(blackjack))),
            ("Package, exact", code(expectation(together))),
            ("House edge per unit staked", edge_cell(together["house_edge"])),
            ("House edge per unit put down", edge_cell(together["house_edge_put_down"])),
            ("Standard deviation", estimate_cell(together, "std_dev", decimal, 6)),
            ("Rounds that end ahead", estimate_cell(together, "hit_frequency", percent, 4)),
            ("Rounds that end even", estimate_cell(together, "push_rate", percent, 4)),
            ("Bonus with blackjack bets", cell(_covariance(together))),
        ),
        text(
            "In the variance of the package, the Bonus's part and the covariance are exact; the "
            "part of the blackjack bets is simulated."
        ),
        conditions_block(data, "package"),
    ]


def _covariance(package: Data) -> str:
    covariance, correlation = (
        decimal(package[name], places, sign=True)
        for name, places in (("covariance", 6), ("correlation", 4))
    )
    return f"covariance {covariance}, exact; correlation {correlation}"


def summary(data: Data) -> list[Block]:
    """Define the figures of the blackjack bets and of the package."""
    if not played(data):
        return []
    return [
        text(
            "The figures of the blackjack bets are for both together, and those of the package are"
            " for all three bets. Expectation and standard deviation are per round, in units of"
            " one bet, and wins are rounds that end ahead. No bet can be made without the others:"
            " **the edge of the game is the edge of the package**."
        )
    ]


def minimum_return(data: Data) -> str:
    """Say that the bets must be judged together."""
    found = played(data)
    returns = percent(1 - found[1]["house_edge"], 2) if found else NOT_COMPUTED
    return (
        "It is a mandatory part of three equal bets, so the package must be judged as one game,"
        f" and the return of the package is {returns}."
    )


def one_round(data: Data) -> str:
    """Describe the distribution of one round."""
    if not played(data):
        return ""
    return (
        "simulated, with the exact chances of the Bonus and the exact mean of the blackjack bets, "
    )


def advantage(data: Data) -> list[Block]:
    """Show the value of an exposed card, and the winnings of whole tables through rule 8."""
    return [*_exposed(data), *whole_tables(data)]


def _exposed(data: Data) -> list[Block]:
    if not data["exposed"]:
        return not_computed()
    return [
        text(
            f"{SHUFFLE} {BEFORE} {known_cards(data)} The dealer's known card is the up card. The"
            " figures are per round, in units of one bet: for both blackjack bets together, and"
            " for all three bets as the package."
        ),
        exposed_tables(data),
    ]
