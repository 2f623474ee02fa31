"""The theoretical returns of the games, compared with the published figures."""

from dataclasses import replace
from fractions import Fraction
from math import comb, prod, sqrt
from types import SimpleNamespace

import numpy as np
import pytest

from pitboss.backoffice import theory as module
from pitboss.backoffice.theory import known, theory
from pitboss.core.errors import RuleError
from pitboss.core.paytables import Odds, Rounding, unit_net
from pitboss.games import GAMES, roll_your_own
from pitboss.games.roll_your_own import theory as roll_theory
from pitboss.games.toss_one import Rules
from pitboss.games.toss_one import figures as toss_one
from pitboss.games.toss_one.kinds import VALUES, hands
from pitboss.games.toss_one.simulation import TossOne
from pitboss.simulator import simulate

TOSS, ROLL = GAMES["toss-one-21"], GAMES["roll-your-own"]


@pytest.fixture(scope="module")
def toss():
    return theory(TOSS, Rules())


@pytest.fixture(scope="module")
def roll():
    return theory(ROLL, roll_your_own.Rules())


def test_the_bets_of_toss_one_return_what_is_published(toss):
    """Main, Lucky 3 and Bonus 4 have the expectations of the math report, exactly."""
    assert {bet: b.exact for bet, b in toss.bets.items()} == {
        "main": "179767813/26338835250",
        "lucky3": "-16251/270725",
        "bonus4": "-3414/38675",
    }
    assert toss.bets["main"].std_dev == pytest.approx(1.0414130294)
    assert toss.as_json()["bets"]["bonus4"]["return_percent"] == pytest.approx(91.17259211)
    assert "optimal play" in toss.as_json()["assumes"]


def test_bets_of_one_seat_are_taken_together(toss):
    """One unit on each bet has the mean and standard deviation of the package."""
    package = toss_one.package_json(Rules())
    seat = toss.seat({"main": 100, "lucky3": 100, "bonus4": 100})
    assert seat.mean == pytest.approx(100 * float(Fraction(package["ev"])), rel=1e-12)
    assert sqrt(seat.variance) == pytest.approx(100 * package["std_dev"], rel=1e-12)
    assert seat.staked == 300
    apart = sum(toss.seat({bet: 100}).variance for bet in toss.stakes)
    assert abs(seat.variance - apart) > 1000


@pytest.mark.parametrize("rounding", ["cent", "down:100", "up:500"])
def test_winnings_are_rounded_as_the_rules_say(rounding):
    """For a stake that does not pay evenly, the mean uses the rounded winnings."""
    rules = Rules(rounding=Rounding.read(rounding), blackjack_pays=Odds(6, 5))
    main = toss_one.figures(rules)["main"]
    won = sum(rules.rounding.net(e.odds, 503) * e.combinations for e in main.events)
    mean = theory(TOSS, rules).seat({"main": 503}).mean
    assert mean == pytest.approx(won / main.total, rel=1e-12)
    assert mean != pytest.approx(503 * float(main.ev), abs=1e-3)


def test_seats_of_toss_one_that_meet_only_in_the_deck():
    """The covariance of Bonus 4 at two seats equals that of two hands of one deck."""
    rules = Rules()
    copies = toss_one.census(1).copies
    wins = [float(unit_net(rules.bonus4_paytable.odds(sum(h)))) for h in hands(4)]
    counts = np.array([[h.count(v) for v in VALUES] for h in hands(4)])
    first = second = both = ways = 0.0
    for own, won in zip(counts, wins, strict=True):
        left = [n - k for n, k in zip(copies, own.tolist(), strict=True)]
        table = np.array([[comb(n, k) for k in range(5)] for n in left], float)
        others = np.prod([table[v, counts[:, v]] for v in range(10)], axis=0)
        others *= prod(map(comb, copies, own.tolist()))
        first += won * others.sum()
        second += others @ wins
        both += won * (others @ wins)
        ways += others.sum()
    expected = both / ways - first / ways * second / ways
    one, two = {"main": 0, "bonus4": 100}, {"main": 0, "bonus4": 300}
    game = theory(TOSS, rules)
    apart = game.seat(one).variance + game.seat(two).variance
    together = game.round([one, two]).variance
    assert (together - apart) / 2 == pytest.approx(100 * 300 * expected, rel=1e-9)
    assert expected < -0.1


def test_seats_of_toss_one_share_a_dealer(toss):
    """The covariance of two Main bets in a round agrees with two million simulated rounds."""
    job = TossOne(Rules(), seats=2, seed=3)
    found = job.bets(simulate(job, 2_000_000).counts)
    for bet in ("main", "package"):
        stakes = dict.fromkeys(toss.stakes, 100) if bet == "package" else {"main": 100}
        theirs = found[bet].table
        ours = toss.round([stakes, stakes])
        assert ours.mean == pytest.approx(2 * toss.seat(stakes).mean)
        error = theirs.std_dev_error
        assert sqrt(ours.variance) == pytest.approx(theirs.std_dev, abs=4 * error)
    alone = toss.seat({"main": 100}).variance
    both = toss.round([{"main": 100}, {"main": 100}]).variance
    assert (both - 2 * alone) / 2 / alone == pytest.approx(0.2336, abs=1e-4)


def test_where_seats_are_not_known_together_the_limits_are_wide(toss):
    """If covariances cannot be computed, seats are assumed to win and lose together."""
    blind = replace(toss, between=lambda: None)
    stakes = [{"main": 500}, {"main": 1000, "lucky3": 100}]
    alone = [sqrt(toss.seat(s).variance) for s in stakes]
    assert sqrt(blind.round(stakes).variance) == pytest.approx(sum(alone))
    assert blind.round(stakes).variance > toss.round(stakes).variance


def test_roll_your_own_returns_what_is_published(roll):
    """The package has the edge of the math report, per unit staked and per unit put down."""
    package = roll.bets["package"]
    assert -package.ev / 3 == pytest.approx(0.00854839013, abs=1e-9)
    assert package.std_dev == pytest.approx(3.8743, abs=0.001)
    seat = roll.seat({"bet": 1000})
    assert -seat.mean / 3000 == pytest.approx(0.00854839013, abs=1e-9)
    assert -seat.mean / seat.staked == pytest.approx(0.0075176, abs=1e-7)
    assert sqrt(seat.variance) == pytest.approx(1000 * package.std_dev)
    assert "each seat for itself" in roll.assumes


@pytest.mark.long
def test_seats_of_roll_your_own_share_a_dealer(roll):
    """The covariance of two seats is about two square units, whatever their stakes."""
    one, two = {"bet": 500}, {"bet": 1500}
    apart = roll.seat(one).variance + roll.seat(two).variance
    covariance = (roll.round([one, two]).variance - apart) / 2 / 500 / 1500
    assert covariance == pytest.approx(1.99, abs=0.02)


@pytest.mark.long
def test_a_blackjack_that_is_rounded_costs_its_part(roll):
    """If half dollars of every blackjack are rounded off, the mean falls by that amount."""
    rules = roll_your_own.Rules(rounding=Rounding.read("down:100"))
    rounded = theory(ROLL, rules)
    whole, odd = rounded.seat({"bet": 1000}).mean, rounded.seat({"bet": 500}).mean
    assert whole == pytest.approx(roll.seat({"bet": 1000}).mean)
    lost = roll.seat({"bet": 500}).mean - odd
    assert lost == pytest.approx(50 * 0.194192, rel=1e-5)  # blackjacks paid in a round


def test_theory_is_worked_out_once(monkeypatch):
    """The same rules give the same theory, also at a table with fewer seats."""
    monkeypatch.setattr(module, "_found", {})
    rules = Rules(blackjack_pays=Odds(7, 5))
    assert known(rules) is None
    first = theory(TOSS, rules)
    assert known(replace(rules, seats=3)) is first
    assert theory(TOSS, replace(rules, seats=3)) is first
    assert theory(TOSS, Rules()) is not first


def test_the_oldest_theory_is_forgotten(monkeypatch):
    """The number of cached theories is bounded."""
    monkeypatch.setattr(module, "_found", {})
    monkeypatch.setattr(module, "MOST_CACHED", 1)
    theory(TOSS, Rules(blackjack_pays=Odds(7, 5)))
    theory(TOSS, Rules())
    assert list(module._found) == [Rules(seats=1)]


def test_without_the_solver_there_is_no_theory_of_roll_your_own(monkeypatch):
    """Without Numba there is no theory of Roll Your Own, and the reason is given."""
    monkeypatch.setattr(module, "_found", {})
    monkeypatch.setattr(roll_theory, "analyze", lambda *_: SimpleNamespace(study=None))
    assert "pitboss[kernels]" in theory(ROLL, roll_your_own.Rules()).reason


def test_why_there_is_no_theory_is_found_once(monkeypatch):
    """Rules that cannot be solved are tried once, and the reason is cached."""
    tried = []

    def fail(*_):
        tried.append(1)
        raise RuleError("no way")

    monkeypatch.setattr(module, "_found", {})
    monkeypatch.setattr(roll_theory, "analyze", fail)
    rules = roll_your_own.Rules()
    assert {theory(ROLL, rules).reason for _ in range(2)} == {"no way"}
    assert (known(rules).reason, tried) == ("no way", [1])


def test_a_known_theory_does_not_wait_for_another(monkeypatch, toss):
    """While one theory is being computed, cached theories are still available."""
    monkeypatch.setattr(module, "_found", {module._play(Rules()): toss})
    with module._lock:
        assert known(Rules()) is toss


def test_rounds_of_several_seats_need_more(toss):
    """Covariances take seconds; before they are computed, only rounds of one seat are ready."""
    fresh = replace(toss)
    assert (fresh.is_ready(1), fresh.is_ready(2)) == (True, False)
    fresh.round([{"main": 100}] * 2)
    assert fresh.is_ready(2)
