"""Census files: exact counts of Toss One 21 by number of decks, as text that any engine can read.

``python -m tools.census`` rewrites them.
"""

from collections import Counter
from pathlib import Path

from pitboss.games.toss_one import Lucky3, Outcome, Rules
from pitboss.games.toss_one import figures as toss_one

FOLDER = Path(__file__).parents[1] / "tests" / "census"
DECKS = (1, 2, 6, 8)


def written(decks, of=None):
    """Return the census of a number of decks as text."""
    of = of or toss_one.census(decks)
    lines = [
        f"# Toss One 21, {decks} x 52 cards, one seat against the dealer.",
        "# Main: deals, C(n,4) x C(n-4,4). Lucky 3, its toss chosen, and Bonus 4: hands, C(n,4).",
        f"deals {of.deals}",
    ]
    for reading in ("is_21", "beats_21"):
        for kicker in ("high", "low"):
            rules = Rules(dealer_blackjack=reading, ace_kicker=kicker, decks=decks)
            counted = toss_one.outcomes(rules, of)
            lines.append(f"main dealer_blackjack={reading} ace_kicker={kicker}")
            lines += [f"  {outcome}: {counted[outcome]}" for outcome in Outcome]
    for table in (1, 2):
        figures = toss_one.lucky3_figures(Rules(lucky3_paytable=table, decks=decks), of)
        lines.append(f"lucky3 table {table}")
        names = [*(c.value for c in Lucky3), "else"]
        lines += [f"  {n}: {e.combinations}" for n, e in zip(names, figures.events, strict=True)]
    totals = Counter()
    for hand, ways in of.players.items():
        totals[sum(hand)] += ways
    lines.append("bonus4 by total")
    lines += [f"  {total}: {totals[total]}" for total in sorted(totals)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for decks in DECKS:
        (FOLDER / f"toss-one-21-{decks}.census").write_text(written(decks), "utf-8")
