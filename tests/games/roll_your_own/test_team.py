"""Teams that play Roll Your Own Blackjack for the end of the deck."""

import json
from math import sqrt

import pytest

from pitboss.core.journal import differences, read_journal, replay
from pitboss.games.roll_your_own import Rules, team
from pitboss.games.roll_your_own import bonus_figures as roll_your_own
from pitboss.games.roll_your_own import trials as teams
from pitboss.games.roll_your_own.simulation import RollYourOwn
from pitboss.games.roll_your_own.trials import TableTrial
from tools.console import ROOT

OTHER = Rules().changed("hole_card=no_peek", "run_out=push", "max_splits=2", "resplit_aces=yes")


@pytest.mark.parametrize("make", [team.run_out, team.force])
@pytest.mark.parametrize("rules", [Rules(), OTHER], ids=["default", "other"])
@pytest.mark.parametrize("seats", [7, 6, 2])
def test_settles_as_the_rules_do(make, rules, seats):
    """A team's rounds, most of which run out the deck, replay to the same settlements."""
    job, ran_out = RollYourOwn(make(rules), seats, 3), 0
    for number in range(25):
        journal = read_journal(json.dumps(job.journal(number)))
        played = replay(journal)
        assert differences(journal, played) == []
        assert played.phase == "settled"
        ran_out += any(s.rule == "8" for s in played.settlements())
    assert ran_out > {7: 12, 6: 5, 2: -1}[seats]


def agrees(rules, shipped, rounds=60_000, seed=11):
    """Return whether a short simulation with another seed agrees with the shipped figures."""
    found = teams.measure(rules, shipped.strategy, shipped.seats, rounds, seed)
    spread = sqrt(shipped.frequency * (1 - shipped.frequency) / rounds)
    return (
        abs(found.ev - shipped.ev) < 4.5 * found.std_error
        and abs(found.frequency - shipped.frequency) <= 4.5 * spread + 3 / rounds
    )


CASES = [
    (rules, trial)
    for rules, trials in teams.shipped().items()
    for trial in trials
    if trial.strategy == teams.TEAM
]


@pytest.mark.parametrize(
    ("rules", "trial"), CASES, ids=[f"{t.seats} seats, {teams.differences(r)}" for r, t in CASES]
)
def test_what_it_is_worth(rules, trial):
    """A simulation agrees with the shipped figures: a team's result, and how often it runs out."""
    assert agrees(rules, trial)


def test_what_is_shipped():
    """Every table to simulate is shipped, and the rules of all of them differ in play."""
    shipped = [
        (rules, trial.strategy, trial.seats, trial.rounds)
        for rules, trials in teams.shipped().items()
        for trial in trials
    ]

    assert sorted(map(str, shipped)) == sorted(map(str, teams.wanted()))
    assert all(teams.as_team(rules) == rules for rules in teams.shipped())
    assert {t.seed for trials in teams.shipped().values() for t in trials} == {teams.SEED}


@pytest.mark.long
def test_what_is_shipped_is_reproduced():
    """The shipped rounds and seed reproduce the shipped figures."""
    for row in teams.rows():
        trials = teams.shipped()[Rules.from_json(row.pop("rules"))]
        found = TableTrial(**row)
        (shipped,) = [t for t in trials if (t.strategy, t.seats) == (found.strategy, found.seats)]
        assert found.run_outs == shipped.run_outs
        assert found.ev == pytest.approx(shipped.ev, abs=1e-12)
        assert found.std_error == pytest.approx(shipped.std_error, rel=1e-9)


def test_a_team_that_forces_it():
    """A team that only tries to run out the deck does so as often as the docs say."""
    job = RollYourOwn(team.force(Rules()), 7, 11)
    counts = job.play(0, 60_000)
    ran_out, package = job.trial(counts).event("run outs"), job.bets(counts)["package"]

    assert abs(ran_out.mean - 0.9455) < 4.5 * ran_out.std_error
    assert abs(package.ev - -0.351) < 4.5 * package.std_error


def docs_rows():
    """Return the rows that the tables of the docs must have."""
    bonus = float(roll_your_own.figures(Rules()).ev)

    def found(strategy, seats, *changes):
        trials = teams.known(Rules().changed(*changes), strategy)
        row = next(t.as_json(bonus) for t in trials if t.seats == seats)
        errors = row["std_error"]
        units = f"{row['ev']:+.3f} ± {errors['ev']:.3f}"
        edge = f"{row['house_edge']:.2%} ± {errors['house_edge']:.2%}"
        return units, edge, f"{row['runs_out']:.3%} ± {errors['runs_out']:.3%}"

    for seats in (7, 6, 5):
        (units, edge, often), single = found(teams.TEAM, seats), found(teams.SINGLE, seats)
        yield f"| {seats} | {often} | {units} | {edge} | {single[0]} | {single[2]} |"
    for change in ("run_out=push", "max_splits=0", "max_splits=1", "double_after_split=no"):
        yield f"| `{change}` | {' | '.join(found(teams.TEAM, 7, change)[:2])} |"
    yield f"| `hole_card=no_peek` | {' | '.join(found(teams.TEAM, 7, 'hole_card=no_peek')[:2])} |"
    yield f"| 6 seats | {' | '.join(found(teams.TEAM, 6)[:2])} |"
    yield f"| at most 5 seats | {' | '.join(found(teams.TEAM, 5)[:2])} |"


@pytest.mark.parametrize("row", list(docs_rows()))
def test_docs_say_what_is_shipped(row):
    """The docs show the shipped figures."""
    page = (ROOT / "docs" / "run-out.md").read_text(encoding="utf-8")

    assert row.replace("-", "−") in page.replace("**", "").replace("-", "−")


@pytest.mark.parametrize(
    ("own", "one"),
    [
        ((8, 8, 10), 10),  # a pair together
        ((1, 5, 10), 10),  # a ten alone, and a blackjack broken
        ((10, 10, 4), 4),  # a pair of tens too
        ((2, 9, 7), 7),  # the most up to eleven together
        ((1, 1, 1), 1),
        ((7, 8, 9), 7),  # none up to eleven: the lowest alone
    ],
)
def test_how_it_sets(own, one):
    """The team sets the card alone that the lines of its card name."""
    assert team.alone(own) == one
    assert team.alone(own[::-1]) == one
