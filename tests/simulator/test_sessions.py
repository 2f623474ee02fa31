"""Sessions of many rounds: sums, ruin computed in other ways, and reproducible plots."""

import json
from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from pitboss.core.errors import NotationError, RuleError
from pitboss.simulator import sessions
from pitboss.simulator.plots import (
    _Money,
    _named_quantiles,
    _percent,
    _range,
    _result,
    _ruin,
    save,
    session_figure,
    session_plot,
)
from pitboss.simulator.sessions import after, reverse_signs, ruin, session

ROUND = {-4000: 30, -2000: 3500, -1500: 300, -1000: 31000, -500: 3000, 0: 8000, 500: 2500}
ROUND |= {1000: 26000, 1500: 4500, 2000: 2600, 5000: 60, 20000: 4}
ODD = {-3: 40, -2: 7, 0: 11, 1: 25, 4: 9, 25: 1}

distributions = st.dictionaries(
    st.integers(-40, 40).map(lambda n: 25 * n), st.integers(1, 1000), min_size=1, max_size=6
)


def masses(result):
    """Return the probabilities by result, without those that are zero."""
    found = zip(result.cents.tolist(), result.probability.tolist(), strict=True)
    return {cents: chance for cents, chance in found if chance > 1e-15}


def moments(weights):
    total = sum(weights.values())
    mean = Fraction(sum(x * w for x, w in weights.items()), total)
    return mean, sum((x - mean) ** 2 * w for x, w in weights.items()) / total


def enumerated(weights, rounds):
    """Return the exact distribution by listing every sequence of rounds."""
    total, found = sum(weights.values()) ** rounds, Counter()
    for way in product(weights.items(), repeat=rounds):
        count = 1
        for _, weight in way:
            count *= weight
        found[sum(x for x, _ in way)] += Fraction(count, total)
    return found


def lasting(weights, rounds, bankroll, stake):
    """Return the exact probability of ruin by each round, for each amount of capital."""
    total, purses = sum(weights.values()), {bankroll: Fraction(1)}
    curve = [Fraction(0)]
    for _ in range(rounds):
        following = Counter()
        for capital, chance in purses.items():
            for x, weight in weights.items():
                following[capital + x] += chance * weight / total
        curve.append(curve[-1] + sum(p for c, p in following.items() if c < stake))
        purses = {c: p for c, p in following.items() if c >= stake}
    return curve


def close(one, other, tolerance=1e-12):
    return np.allclose(np.array(one, float), np.array(other, float), rtol=0, atol=tolerance)


# --- the result after so many rounds


@given(distributions)
@settings(max_examples=40)
def test_one_round(weights):
    """After one round the distribution is unchanged."""
    total = sum(weights.values())

    found = masses(after(weights, 1))

    assert found == pytest.approx({x: w / total for x, w in weights.items()}, abs=1e-15)


@given(distributions, st.integers(1, 3000))
@settings(max_examples=40)
def test_moments(weights, rounds):
    """The total probability is one; mean and variance are those of one round times the rounds."""
    mean, variance = moments(weights)

    done = session(weights, rounds)
    cents, chances = done.result.cents.astype(float), done.result.probability

    spread = sqrt(rounds * variance) or 1.0
    assert chances.min() >= 0
    assert chances.sum() == pytest.approx(1, abs=1e-12)
    assert done.mean == pytest.approx(float(rounds * mean))
    assert done.std_dev == pytest.approx(sqrt(rounds * variance))
    assert (cents @ chances - float(rounds * mean)) / spread == pytest.approx(0, abs=1e-9)
    assert ((cents - done.mean) ** 2) @ chances / spread**2 == pytest.approx(
        float(variance > 0), abs=1e-9
    )


@given(distributions, st.integers(1, 400), st.integers(1, 400))
@settings(max_examples=25)
def test_sums_add(weights, first, second):
    """The result of n + m rounds is the convolution of the results of n and of m rounds."""
    one, two = after(weights, first), after(weights, second)

    whole = after(weights, first + second)

    both = np.convolve(one.probability, two.probability)
    start = (one.first + two.first - whole.first) // whole.step
    ends = max(0, start), min(len(whole.probability), start + len(both))
    inner, outer = whole.probability[slice(*ends)], both[ends[0] - start : ends[1] - start]
    assert abs(inner - outer).sum() < 1e-12
    assert min(inner.sum(), outer.sum()) > 1 - 1e-12


@pytest.mark.parametrize("weights", [ODD, {-1: 1, 1: 1}, {7: 3}, {-100: 1, 150: 0, 250: 2}])
def test_enumerated(weights):
    """The distribution of four rounds equals a full enumeration."""
    exact = {x: float(p) for x, p in enumerated(weights, 4).items() if p}

    assert masses(after(weights, 4)) == pytest.approx(exact, abs=1e-14)


@pytest.mark.parametrize("rounds", [100, 5000, 30_000])
def test_binomial(rounds):
    """Even money gives the binomial distribution, however it is computed."""
    result = after({-1: 1, 1: 1}, rounds)

    for wins in {rounds // 2, rounds // 2 + 7, rounds // 2 - 40}:
        place = (2 * wins - rounds - result.first) // 2
        exact = comb(rounds, wins) / 2**rounds
        assert result.probability[place] == pytest.approx(exact, rel=1e-10)
    assert result.even == pytest.approx(comb(rounds, rounds // 2) / 2**rounds)
    assert result.ahead == pytest.approx(result.behind)


def test_two_halves():
    """If odd results are very rare, both halves of the lattice keep their probability."""
    weights = {-2: 10**6, 2: 10**6, 1: 10}

    result = after(weights, 100_000)

    odd = result.probability[result.cents % 2 == 1].sum()
    share = Fraction(10, 2 * 10**6 + 10)
    assert odd == pytest.approx(float((1 - (1 - 2 * share) ** 100_000) / 2), abs=1e-12)


def test_long_tail():
    """A very rare and very large prize keeps its place."""
    weights = {-1: 999_999, 10**6: 1}

    result = after(weights, 500)

    won = result.probability[result.cents > 0].sum()
    assert won == pytest.approx(1 - (1 - 1e-6) ** 500, abs=1e-13)


@pytest.mark.parametrize("limit", [0, 10**9])
def test_either_way(monkeypatch, limit):
    """Sums computed term by term and by transform are the same."""
    monkeypatch.setattr(sessions, "DIRECT", limit)

    ways = Counter({0: 1})
    for _ in range(60):
        ways, before = Counter(), ways
        for (cents, n), (x, weight) in product(before.items(), ODD.items()):
            ways[cents + x] += n * weight

    result = after(ODD, 60)

    exact = [ways[cents] / sum(ODD.values()) ** 60 for cents in result.cents.tolist()]
    assert close(result.probability, exact, 1e-15)
    assert sum(exact) == pytest.approx(1, abs=1e-14)


def test_quantiles():
    """A quantile is the smallest result that reaches its share, without rounding errors at ties."""
    done = session({-100: 1, 0: 2, 100: 1}, 1)

    assert done.quantiles == {0.01: -100, 0.05: -100, 0.25: -100, 0.5: 0} | {
        0.75: 0,
        0.95: 100,
        0.99: 100,
    }
    assert [done.result.at_most(x) for x in (-101, -100, -0.5, 0, 99.9, 100, 1000)] == [
        *(0, 0.25, 0.25, 0.75, 0.75, 1, 1)
    ]


@given(distributions, st.integers(1, 300), st.floats(0.001, 0.999))
@settings(max_examples=40)
def test_quantile_and_at_most(weights, rounds, share):
    """A quantile reaches its share, and no smaller result does."""
    result = after(weights, rounds)

    cents = result.quantile(share)

    assert result.at_most(cents) >= share - 1e-11
    assert result.at_most(cents - 1) < share


def test_hardly_ever():
    """Weights too different for a float do not disturb the likely result."""
    assert after({0: 10**400, 1: 1}, 5000).even == 1.0
    assert ruin({0: 10**400, -1: 1}, 5000, 5, 1)[-1] == 0.0


def test_never_even():
    """On a lattice without zero, breaking even is impossible."""
    assert after({-3: 1, 2: 1}, 4).even == 0.0
    assert after({-3: 1, 2: 1}, 5).even == pytest.approx(10 / 32)
    assert after({5: 1}, 3).even == 0.0


# --- ruin


@given(distributions, st.integers(1, 12), st.integers(0, 40), st.integers(0, 2000))
@settings(max_examples=40)
def test_ruin_enumerated(weights, rounds, stakes, more):
    """Exact fractions for each amount of capital give the same curve."""
    stake = 25 * stakes

    curve = ruin(weights, rounds, stake + more, stake)

    assert close(curve, lasting(weights, rounds, stake + more, stake))


@pytest.mark.parametrize("limit", [0, 100, 1 << 12])
def test_ruin_far(monkeypatch, limit):
    """Moving many rounds at once gives the same ruin as moving one by one."""
    monkeypatch.setattr(sessions, "DIRECT", limit)
    weights = {-3: 4, -1: 3, 1: 5, 4: 2}

    for bankroll in (2, 30, 90):
        curve = ruin(weights, 300, bankroll, 1)
        assert close(curve, stepped(weights, 300, bankroll, 1))


def stepped(weights, rounds, bankroll, stake):
    """Return the curve of ruin, computed round by round for every amount of capital."""
    total, low = sum(weights.values()), -min(weights)
    chances = np.zeros(max(weights) + low + 1)
    for x, weight in weights.items():
        chances[x + low] = weight / total
    purses, curve = np.zeros(bankroll - stake + 1), [0.0]
    purses[-1] = 1.0
    for _ in range(rounds):
        purses = np.convolve(purses, chances)
        curve.append(curve[-1] + purses[:low].sum())
        purses = purses[low:]
    return curve


@pytest.mark.parametrize("up", [9, 10, 11])
def test_gamblers_ruin(up):
    """With unit bets, long-run ruin is (q/p)^bankroll, and certain without an edge."""
    bankroll = 5 if up == 10 else 12

    limit = ruin({-1: 10, 1: up}, 20_000, bankroll, 1)[-1]

    if up > 10:
        assert limit == pytest.approx((10 / up) ** bankroll, abs=1e-12)
    else:
        assert limit > (0.95 if up == 10 else 1 - 1e-9)


@pytest.mark.parametrize("rounds", [7, 200, 3001])
def test_reflection(rounds):
    """In a fair game, ruin by round n is twice as likely as ending below (reflection principle)."""
    bankroll = 10

    result = after({-1: 1, 1: 1}, rounds)

    below = result.at_most(-bankroll - 1)
    exact = 2 * below + result.at_most(-bankroll) - below
    assert ruin({-1: 1, 1: 1}, rounds, bankroll, 1)[-1] == pytest.approx(exact, abs=1e-12)


@given(distributions, st.integers(2, 300), st.integers(1, 5000), st.integers(1, 3000))
@settings(max_examples=40)
def test_ruin_monotone(weights, rounds, bankroll, more):
    """Ruin grows with the rounds and falls with the bankroll."""
    poor = ruin(weights, rounds, bankroll, 1)
    rich = ruin(weights, rounds, bankroll + more, 1)
    short = ruin(weights, rounds // 2, bankroll, 1)

    assert poor[0] == 0.0
    assert (np.diff(poor) >= 0).all()
    assert (rich <= poor + 1e-12).all()
    assert close(short, poor[: rounds // 2 + 1])


def test_ruin_of_a_game():
    """Ruin in a long session continues that of a short one; a large bankroll is never ruined."""
    curve = ruin(ROUND, 6000, 50_000, 1000)

    assert close(curve[:301], stepped({x // 500: w for x, w in ROUND.items()}, 300, 100, 2))
    assert 0.3 < curve[-1] < 0.9
    assert ruin(ROUND, 6000, 10**9, 1000).max() == 0.0


def test_nothing_to_lose():
    """A player who cannot lose is not ruined; one who can only lose is ruined eventually."""
    assert ruin({0: 1, 100: 1}, 5, 0, 0).tolist() == [0.0] * 6
    assert ruin({-100: 1}, 5, 300, 100).tolist() == [0, 0, 0, 1, 1, 1]
    assert ruin({0: 3}, 2, 100, 100).tolist() == [0, 0, 0]


# --- sessions


def test_house():
    """The house's session has the player's signs reversed, and its own ruin."""
    player, house = session(ROUND, 200), session(ROUND, 200, house=True, bankroll=100_000)

    assert house.mean == -player.mean
    assert house.std_dev == player.std_dev
    assert house.result.ahead == pytest.approx(player.result.behind)
    assert house.quantiles[0.01] == -player.quantiles[0.99]
    assert house.stake == max(ROUND)
    assert house.ruined == pytest.approx(ruin(reverse_signs(ROUND), 200, 100_000, 20_000)[-1])


def test_as_json():
    """A session is plain JSON."""
    done = session(ROUND, np.int64(300), bankroll=np.int64(20_000), stake=1000)

    plain = done.as_json()

    assert json.loads(json.dumps(plain)) == plain
    assert plain["rounds"] == 300
    assert [*plain["quantiles"]] == ["1%", "5%", "25%", "50%", "75%", "95%", "99%"]
    assert plain["ahead"] + plain["even"] + plain["behind"] == pytest.approx(1)
    assert plain["ruin_by_round"][0] == [0, 0.0]
    assert plain["ruin_by_round"][-1] == [300, plain["ruin"]]
    assert session(ROUND, 5).as_json()["ruin_by_round"] == []


REFUSED = [
    (RuleError, "0 rounds cannot", (ROUND, 0), {}),
    (RuleError, "-3 rounds cannot", (ROUND, -3), {}),
    (RuleError, "10,000,000 rounds cannot", (ROUND, 10**7), {}),
    (NotationError, "rounds must be a whole number, not 2.5", (ROUND, 2.5), {}),
    (RuleError, "the distribution is empty", ({}, 5), {}),
    (RuleError, "no result has a weight", ({100: 0}, 5), {}),
    (RuleError, "result -100 has the weight -1", ({-100: -1, 100: 2}, 5), {}),
    (NotationError, "a result must be a whole number, not 0.5", ({0.5: 1}, 5), {}),
    (NotationError, "a weight must be a whole number, not '1'", ({1: "1"}, 5), {}),
    (RuleError, "10,001 different results", (dict.fromkeys(range(10_001), 1), 5), {}),
    (RuleError, "win or lose 10,000,000,000,000 cents", ({-1: 1, 10**13: 1}, 5), {}),
    (RuleError, "different totals", ({-(10**9): 1, -1 - 10**9: 1}, 5), {"bankroll": 10**9 + 10**8}),
    (RuleError, "different totals", ({-1: 1, 0: 1, 10**9: 1}, 5), {}),
    (RuleError, "different totals", ({-(10**6): 1, 0: 1, 10**6 + 1: 1}, 10**4), {}),
    (
        RuleError,
        "500 cents is below the stake of 1,000",
        (ROUND, 5),
        {"bankroll": 500, "stake": 1000},
    ),
    (RuleError, "500 cents is below the stake of 4,000", (ROUND, 5), {"bankroll": 500}),
    (RuleError, "a stake cannot be negative: -1 cents", (ROUND, 5), {"bankroll": 500, "stake": -1}),
    (RuleError, "needs a bankroll", (ROUND, 5), {"stake": 100}),
    (NotationError, "a bankroll must be a whole number", (ROUND, 5), {"bankroll": 1e5, "stake": 1}),
    (RuleError, "too long", ({-(10**4): 1, 1: 2}, 10**5), {"bankroll": 10**6, "stake": 1}),
]


@pytest.mark.parametrize(("error", "message", "asked", "options"), REFUSED)
def test_refused(error, message, asked, options):
    """Sessions that cannot be computed are rejected with the reason."""
    with pytest.raises(error, match=message):
        session(*asked, **options)


# --- pictures


TITLE = "Four <hours> of Toss One 21"


def drawn(done, money):
    """Return the title and the legend of a result's panel."""
    axes = Figure().add_subplot()
    _result(axes, done, money)
    return [axes.get_title("left"), *(text.get_text() for text in axes.get_legend().get_texts())]


def test_plot_repeats(tmp_path):
    """A plot has the same bytes each time, as text or file, with a title and no date."""
    done = session({-1000: 5, 1000: 4}, 9, bankroll=5000)

    svg, figure = (draw(done, TITLE, currency="$") for draw in (session_plot, session_figure))
    for name in ("one.svg", "one.png", "two.png"):
        save(figure, tmp_path / name)
    save(svg, tmp_path / "two.svg")

    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    same = {
        svg.encode() == files["one.svg"] == files["two.svg"],
        files["one.png"] == files["two.png"],
    }
    assert same == {True}  # a difference is too long to be shown
    assert svg.startswith("<svg")
    assert "Four &lt;hours&gt; of Toss One 21" in svg
    assert "Ruin: less than the stake of $10 left of a bankroll of $50" in svg
    assert "<metadata>" not in svg
    assert files["one.png"].startswith(b"\x89PNG")


def test_plot_of_the_house():
    """The plot names the house; a currency word follows the amounts."""
    title, *legend = drawn(session(ODD, 400, house=True), _Money("chips", 1))

    assert title.startswith("The house’s result after 400 rounds (mean 206 chips, ")
    assert [word.split()[0] for word in legend] == ["break-even", "behind", "even", "ahead"]


def test_plot_far_away():
    """If break-even is far away, the plot omits it, and long tails too."""
    sure, rare = session({90: 1, 110: 1}, 10_000), session({**ROUND, 2_000_000: 1}, 200)

    assert min(_range(sure)) > 0
    assert "break-even" not in drawn(sure, _Money("$", 100))
    assert "beyond the picture 0.28%" in drawn(rare, _Money("$", 100))


def test_plot_without_bankroll():
    """Without a bankroll there is one panel."""
    assert len(session_figure(session({-1: 1, 1: 1}, 2), TITLE).axes) == 1


def test_plot_of_no_ruin():
    """A bankroll that lasts has a curve at zero."""
    done = session(ROUND, 1000, bankroll=10**7)
    axes = Figure().add_subplot()

    _ruin(axes, done, _Money("$", 100))

    assert axes.get_ylim() == (0, 0.01)


def test_save_refused(tmp_path):
    """Other file types are rejected, and so is SVG text under another suffix."""
    with pytest.raises(NotationError, match="not '.gif'"):
        save("<svg/>", tmp_path / "a.gif")
    with pytest.raises(NotationError, match="save the figure itself"):
        save("<svg/>", tmp_path / "a.png")
    with pytest.raises(NotationError, match="a unit must be at least one cent"):
        session_plot(session(ODD, 1), TITLE, unit=0)


def test_labels():
    """Quantiles that coincide share a label; no probability is shown as exactly 0 or 1."""
    assert _named_quantiles(session({-100: 1, 100: 1}, 1)) == [
        (-100, "1% to 50%"),
        (100, "75% to 99%"),
    ]
    assert [_percent(share) for share in (0, 1e-9, 0.00002, 0.5, 0.99999, 1)] == [
        *("0%", "under 0.0001%", "0.002%", "50%", "over 99.99%", "100%")
    ]
