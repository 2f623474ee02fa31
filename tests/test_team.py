"""Teams that play Roll Your Own Blackjack for the end of the deck."""

import json

import pytest

from pitboss.games.roll_your_own import Rules
from pitboss.notation import differences, read_journal, replay
from pitboss.simulator import RollYourOwn, team

OTHER = Rules().changed("hole_card=no_peek", "run_out=push", "max_splits=2", "resplit_aces=yes")


@pytest.mark.parametrize("make", [team.run_out, team.force])
@pytest.mark.parametrize("rules", [Rules(), OTHER], ids=["default", "other"])
@pytest.mark.parametrize("seats", [7, 6, 2])
def test_settles_as_the_rules_do(make, rules, seats):
    """A team's rounds, most of which end with the deck, replay to the same settlements."""
    job, ran_out = RollYourOwn(make(rules), seats, 3), 0
    for number in range(25):
        journal = read_journal(json.dumps(job.journal(number)))
        played = replay(journal)
        assert differences(journal, played) == []
        assert played.phase == "settled"
        ran_out += any(s.rule == "8" for s in played.settlements())
    assert ran_out > {7: 12, 6: 5, 2: -1}[seats]


@pytest.mark.parametrize(
    ("make", "seats", "often", "worth"),
    [
        (team.run_out, 7, 0.7917, 1.680),
        (team.run_out, 6, 0.5041, 0.636),
        (team.run_out, 5, 0.1506, -0.341),
        (team.force, 7, 0.9455, -0.351),
    ],
)
def test_what_it_is_worth(make, seats, often, worth):
    """How often the deck runs out and what a seat wins are what the docs say."""
    job = RollYourOwn(make(Rules()), seats, 11)
    counts = job.play(0, 60_000)
    ran_out = job.trial(counts).event("run outs")
    package = job.bets(counts)["package"]

    assert abs(ran_out.mean - often) < 4.5 * ran_out.std_error
    assert abs(package.ev - worth) < 4.5 * package.std_error


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
    """The card alone, by the lines of the team's card."""
    assert team.alone(own) == one
    assert team.alone(own[::-1]) == one
