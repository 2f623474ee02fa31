"""Make the golden journals: random rounds for results that the database lacks, and broken ones."""

import random

from pitboss.core.journal import write_journal
from pitboss.games import GAMES
from tests.strategies import play, random_rules

TRIES = 6_000
SEED = 22
FIRST_GAMES = ("toss-one-21", "roll-your-own")  # of version 0.1.0


def broken(journals):
    """Return copies of some journals that do not replay to the results they claim."""
    return [bad for journal in journals[:6] for bad in _break(journal)]


def _break(journal):
    """Yield copies that claim a wrong result, end early, or cannot be replayed."""
    decisions = journal["decisions"]
    first = journal["settlements"][0]
    yield journal | {"settlements": [first | {"net": first["net"] + 1}]}
    yield journal | {"net": {"1": 1}}
    plain = {key: journal[key] for key in ("format", "game", "rules", "deck", "bets")}
    yield plain | {"decisions": decisions[:1]}
    yield plain | {"decisions": [*decisions, "stand"]}
    yield plain | {"decisions": ["toss Xx"]}
    yield plain | {"decisions": decisions, "deck": journal["deck"][:20]}


def random_journals():
    """Return random rounds under random rules, each with a result that no earlier one has."""
    chance, seen, found = random.Random(SEED), set(), []
    for number in range(TRIES):
        game = GAMES[FIRST_GAMES[number % 2]]
        played = play(game, random_rules(chance, game), chance)
        journal = write_journal(game, played.round, played.deck)
        if new := results(journal) - seen:
            seen |= new
            found.append(journal)
    return found


def results(journal):
    """Return the features of a journal: the results of its bets, its settings, its decisions."""
    settled = {
        (journal["game"], s["bet"], s["hand"], s["outcome"], s["rule"], s["net"] > 0)
        for s in journal["settlements"]
    }
    names = {(journal["game"], name, type(value)) for name, value in journal["rules"].items()}
    words = {decision.split()[0] for decision in journal["decisions"]}
    return settled | names | words
