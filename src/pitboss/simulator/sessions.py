"""Sessions of n rounds: the distribution of the result, and the risk of ruin on the way.

Every round is dealt from a new shuffle, so rounds are independent and the distribution of one round
determines everything. Let X be the result of a round, in steps of the coarsest possible lattice.

- The sum of n rounds has the transform phi(t)^n. To keep the digits of the power, phi(t) - 1 =
  E[exp(itX) - 1] is summed from its small parts. The transform is taken on a circle wide enough for
  tails below 1e-17, by the Chernoff bound P(sum >= a) <= exp(n log E[exp(sX)] - sa).
- Ruin is a barrier. Capital that cannot reach the barrier within m rounds (by the same bound and
  Doob's inequality) moves m rounds at once. The rest is played as m/2 rounds twice, and so on down
  to one round, in which the probability that falls below the barrier is counted and removed.

Both are exact for the given distribution, up to a rounding error of about 1e-13 in probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, fsum, gcd, sqrt
from operator import index
from typing import TYPE_CHECKING

import numpy as np

from pitboss.core.errors import NotationError, RuleError, plural, shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    from numpy.typing import NDArray

    from pitboss.core.settings import Json

    Floats: TypeAlias = NDArray[np.float64]

SHARES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
"""The quantiles of a session's result."""

MOST_ROUNDS = 1_000_000
MOST_CENTS = 10**12  # won or lost in one round
MOST_RESULTS = 10_000  # different results of one round
MOST_POINTS = 1 << 24  # lattice points
MOST_WORK = 200_000_000  # rounds times lattice points of a round: about a minute

DIRECT = 1 << 12  # up to this many points, sums are computed term by term and round by round
EXPONENT = 40.0  # exp(-40) < 1e-17
TILTS = np.geomspace(1e-9, 1e2, 600)  # each gives a bound; the best one is used
NOTHING = 1e-20  # a smaller probability is dropped
TIE = 1e-12  # the rounding error allowed when a sum of probabilities is compared with a share


# --- the result


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """The distribution of a result in cents: *probability* at *first*, *first* + *step*, ..."""

    first: int
    step: int
    probability: Floats

    @property
    def cents(self) -> NDArray[np.int64]:
        return self.first + self.step * np.arange(len(self.probability), dtype=np.int64)

    @property
    def ahead(self) -> float:
        return min(1.0, float(self.probability[self.cents > 0].sum()))

    @property
    def even(self) -> float:
        place, off = divmod(-self.first, self.step)
        on = not off and 0 <= place < len(self.probability)
        return float(self.probability[place]) if on else 0.0

    @property
    def behind(self) -> float:
        return min(1.0, float(self.probability[self.cents < 0].sum()))

    def at_most(self, cents: float) -> float:
        """Return the probability that the result is at most *cents*."""
        points = floor((cents - self.first) / self.step) + 1
        return min(1.0, float(self.probability[: max(0, points)].sum()))

    def quantile(self, share: float) -> int:
        """Return the smallest result r for which P(result <= r) is at least *share*."""
        place = int(np.searchsorted(self.probability.cumsum(), share - TIE))
        return self.first + self.step * min(place, len(self.probability) - 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Session:
    """The result of several rounds for one seat, or for the house; amounts are in cents."""

    rounds: int
    mean: float
    std_dev: float
    result: Result
    house: bool = False
    bankroll: int | None = None
    stake: int | None = None  # capital below it means ruin
    ruin: Floats | None = None  # the probability of ruin by round 0, 1, ..., rounds

    @property
    def quantiles(self) -> dict[float, int]:
        return {share: self.result.quantile(share) for share in SHARES}

    @property
    def ruined(self) -> float | None:
        """The probability that the bankroll does not last."""
        return None if self.ruin is None else float(self.ruin[-1])

    def curve(self, points: int = 50) -> list[tuple[int, float]]:
        """Return the probability of ruin at evenly spaced rounds, including the first and last."""
        if self.ruin is None:
            return []
        places = np.unique(np.linspace(0, self.rounds, points).round().astype(int))
        return [(int(k), float(self.ruin[k])) for k in places]

    def as_json(self) -> dict[str, Json]:
        return {
            "rounds": self.rounds,
            "side": "house" if self.house else "player",
            "mean": self.mean,
            "std_dev": self.std_dev,
            "ahead": self.result.ahead,
            "even": self.result.even,
            "behind": self.result.behind,
            "quantiles": {f"{share:.0%}": cents for share, cents in self.quantiles.items()},
            "bankroll": self.bankroll,
            "stake": self.stake,
            "ruin": self.ruined,
            "ruin_by_round": [list(point) for point in self.curve()],
        }


def session(
    distribution: Mapping[int, int],
    rounds: int,
    *,
    bankroll: int | None = None,
    stake: int | None = None,
    house: bool = False,
) -> Session:
    """Return the session of *rounds* rounds; *distribution* has one round's weights by result.

    Amounts are in cents.

    With a *bankroll*, ruin means that the capital is below *stake* before another round. The
    default stake is the most that one round can lose. In the session of the *house* every sign is
    reversed, and the bankroll and the stake are the house's.

    >>> fair = session({-100: 1, 100: 1}, 4, bankroll=200, stake=100)
    >>> fair.result.ahead, fair.result.even, fair.quantiles[0.5], fair.ruined
    (0.3125, 0.375, 0, 0.375)
    """
    rounds, weights = (
        _rounds(rounds),
        reverse_signs(distribution) if house else _validate(distribution),
    )
    curve = None
    if bankroll is not None:
        worst = max(0, -min(weights))
        bankroll, stake = _capital(bankroll, worst if stake is None else stake)
        curve = ruin(weights, rounds, bankroll, stake)
    elif stake is not None:
        raise RuleError(f"a stake of {shown(stake)} cents needs a bankroll")
    mean, std_dev = _moments(weights)
    return Session(
        rounds=rounds,
        mean=rounds * mean,
        std_dev=sqrt(rounds) * std_dev,
        result=after(weights, rounds),
        house=house,
        bankroll=bankroll,
        stake=stake,
        ruin=curve,
    )


def reverse_signs(distribution: Mapping[int, int]) -> dict[int, int]:
    """Return the distribution of the opposite side, with every sign reversed."""
    return {-net: weight for net, weight in _validate(distribution).items()}


def _moments(weights: Mapping[int, int]) -> tuple[float, float]:
    """Return the mean and standard deviation of one round, rounded only at the end."""
    total = sum(weights.values())
    first = sum(net * weight for net, weight in weights.items())
    second = sum(net * net * weight for net, weight in weights.items())
    return first / total, sqrt((second * total - first * first) / total**2)


# --- validation


def _validate(distribution: Mapping[int, int]) -> dict[int, int]:
    """Return the possible results with their weights, the smallest result first."""
    weights = {
        _whole(net, "a result"): _whole(weight, "a weight") for net, weight in distribution.items()
    }
    for net, weight in weights.items():
        if weight < 0:
            raise RuleError(f"result {net} has the weight {weight}: a weight cannot be negative")
    found = {net: weights[net] for net in sorted(weights) if weights[net]}
    if not found:
        raise RuleError("the distribution is empty: no result has a weight")
    if (far := max(map(abs, found))) > MOST_CENTS:
        raise RuleError(f"a round can win or lose {far:,} cents: the limit is {MOST_CENTS:,}")
    if len(found) > MOST_RESULTS:
        raise RuleError(
            f"a round has {len(found):,} different results: the limit is {MOST_RESULTS:,}"
        )
    return found


def _whole(value: object, what: str) -> int:
    try:
        return index(value)  # type: ignore[arg-type]  # index() rejects everything else
    except TypeError:
        raise NotationError(f"{what} must be a whole number, not {shown(value)}") from None


def _rounds(rounds: int) -> int:
    number = _whole(rounds, "the number of rounds")
    if not 1 <= number <= MOST_ROUNDS:
        raise RuleError(f"{number:,} rounds cannot be computed: choose 1 to {MOST_ROUNDS:,}")
    return number


def _check_points(points: int) -> None:
    if points > MOST_POINTS:
        raise RuleError(
            f"{points:,} different totals are more than {MOST_POINTS:,}: choose fewer rounds,"
            " or results that are multiples of a larger amount"
        )


def _capital(bankroll: int, stake: int) -> tuple[int, int]:
    bankroll, stake = _whole(bankroll, "a bankroll"), _whole(stake, "a stake")
    if stake < 0:
        raise RuleError(f"a stake cannot be negative: {stake:,} cents")
    if bankroll < stake:
        raise RuleError(
            f"a bankroll of {plural(bankroll, 'cent')} is below the stake of {stake:,}: no round is"
            " played"
        )
    return bankroll, stake


# --- sums of rounds


@dataclass(frozen=True, slots=True)
class _Round:
    """One round's result on a lattice: *places* in ascending order, and their probabilities."""

    places: NDArray[np.int64]
    chances: Floats

    @classmethod
    def of(cls, weights: Mapping[int, int], origin: int, step: int) -> _Round:
        total = sum(weights.values())
        _check_points((max(weights) - min(weights)) // step)
        places = np.array([(net - origin) // step for net in weights], np.int64)
        return cls(places, np.array([weight / total for weight in weights.values()]))

    @property
    def low(self) -> int:
        return int(self.places[0])

    @property
    def high(self) -> int:
        return int(self.places[-1])

    @property
    def span(self) -> int:
        return self.high - self.low

    def tilted(self, sign: int) -> Floats:
        """Return log E[exp(sX)] for every tilt s; if *sign* is -1, replace X with -X."""
        logs = (
            np.log(np.maximum(self.chances, 1e-300))[:, None] + sign * self.places[:, None] * TILTS
        )
        return np.asarray(np.logaddexp.reduce(logs, axis=0))

    def dense(self) -> Floats:
        """Return the probability of every place from *low* to *high*."""
        chances = np.zeros(self.span + 1)
        chances[self.places - self.low] = self.chances
        return chances


def after(distribution: Mapping[int, int], rounds: int) -> Result:
    """Return the distribution of the result after *rounds* rounds."""
    rounds, weights = _rounds(rounds), _validate(distribution)
    least = min(weights)
    step = gcd(*(right - left for left, right in pairwise(weights))) or 1
    low, probability = _sums(_Round.of(weights, least, step), rounds)
    return Result(rounds * least + low * step, step, probability)


def _sums(one: _Round, rounds: int) -> tuple[int, Floats]:
    """Return the lowest sum of *rounds* rounds and the probabilities of all sums, without tails."""
    if rounds == 1 or rounds * one.span < DIRECT:
        return rounds * one.low, _convolve(one.dense(), rounds)
    low, high = _window(one, rounds)
    _check_points(high - low)
    return low, _sums_by_transform(one, rounds, low, high)


def _convolve(chances: Floats, rounds: int) -> Floats:
    """Return the *rounds*-fold convolution by repeated squaring."""
    power = np.ones(1)
    for bit in f"{rounds:b}":
        power = np.convolve(power, power)
        power = np.convolve(power, chances) if bit == "1" else power
    return power / fsum(power)


def _window(one: _Round, rounds: int) -> tuple[int, int]:
    """Return bounds on the sum of *rounds* rounds; each is crossed with probability below 1e-17."""
    rise = ((rounds * one.tilted(1) + EXPONENT) / TILTS).min()
    fall = ((rounds * one.tilted(-1) + EXPONENT) / TILTS).min()
    return max(rounds * one.low, -ceil(fall)), min(rounds * one.high, ceil(rise))


def _sums_by_transform(one: _Round, rounds: int, low: int, high: int) -> Floats:
    """Return the probabilities of sums from *low* to *high*, on a circle large enough for them."""
    size = 1 << (high - low).bit_length()
    middle = round(float(one.places @ one.chances))
    circle = np.zeros(size)
    np.add.at(circle, (one.places - middle) % size, one.chances)
    with np.errstate(divide="ignore"):
        lasting = rounds * np.log(np.abs(np.fft.rfft(circle))) > -EXPONENT
    waves = np.flatnonzero(lasting)
    spectrum = np.zeros(size // 2 + 1, np.complex128)
    spectrum[waves] = _power(one, middle, waves, size, rounds)
    sums = np.fft.irfft(spectrum, size).clip(0)
    around = np.arange(low, high + 1) - rounds * middle
    probability = sums[around % size]
    return np.asarray(probability / probability.sum())


def _power(
    one: _Round, middle: int, waves: NDArray[np.int64], size: int, rounds: int
) -> NDArray[np.complex128]:
    """Return phi(-t)^rounds at some frequencies t; the angles are reduced in integer arithmetic."""
    real, imaginary = np.zeros(len(waves)), np.zeros(len(waves))
    for place, chance in zip((one.places - middle).tolist(), one.chances.tolist(), strict=True):
        turn = (waves * place + size // 2) % size - size // 2
        angle = 2 * np.pi / size * turn
        real -= 2 * chance * np.sin(angle / 2) ** 2
        imaginary += chance * np.sin(angle)
    square = real * (2 + real) + imaginary**2  # the squared modulus minus one
    modulus = np.log1p(np.maximum(square, -1 + 1e-16)) / 2
    return np.asarray(np.exp(rounds * (modulus - 1j * np.arctan2(imaginary, 1 + real))))


# --- ruin


def ruin(distribution: Mapping[int, int], rounds: int, bankroll: int, stake: int) -> Floats:
    """Return the probability that a *bankroll* has fallen below *stake* by round 0, 1, ...

    A round may lose more than the stake (doubles, splits); the loss is then paid in full.
    """
    rounds, weights = _rounds(rounds), _validate(distribution)
    bankroll, stake = _capital(bankroll, stake)
    step = gcd(*weights) or 1
    walk = _Walk(_Round.of(weights, 0, step))
    if rounds * walk.one.span > MOST_WORK:
        raise RuleError(
            f"{rounds:,} rounds whose results span {walk.one.span:,} steps take too long:"
            " choose fewer rounds, or results that are multiples of a larger amount"
        )
    lost = walk.losses((bankroll - stake) // step, rounds)
    return np.append(0.0, np.cumsum(lost)).clip(0, 1)


class _Walk:
    """Capital above a barrier, round by round; place 0 is the lowest capital above ruin."""

    def __init__(self, one: _Round) -> None:
        self.one = one
        self._fall = one.tilted(-1).clip(0)
        self._sums: dict[int, tuple[int, Floats]] = {}
        self._spectra: dict[tuple[int, int], NDArray[np.complex128]] = {}

    def losses(self, start: int, rounds: int) -> Floats:
        """Return the probability of ruin in each round for an initial capital of *start*."""
        if self.one.low >= 0 or start >= self.reach(rounds):
            return np.zeros(rounds)
        _check_points(start)
        state, lost = np.zeros(start + 1), list[float]()
        state[start] = 1.0
        while len(lost) < rounds:
            left = rounds - len(lost)
            part = 1 << max(0, left.bit_length() - 2)
            state = self.play(state[: self.reach(left)], part, lost)
        return np.array(lost).clip(0)

    def reach(self, rounds: int) -> int:
        """Return the largest fall within *rounds* rounds, except with probability 1e-17."""
        likely = float(((rounds * self._fall + EXPONENT) / TILTS).min())
        return min(-rounds * self.one.low, ceil(likely) + 1)

    def play(self, state: Floats, rounds: int, lost: list[float]) -> Floats:
        """Return the state after *rounds* (a power of two); append each round's ruin to *lost*."""
        if state.sum() < NOTHING:
            lost += [0.0] * rounds
            return np.zeros(0)
        if rounds == 1:
            return self._play_one(state, lost)
        reach = self.reach(rounds)
        near, far = state[:reach], state[reach:]
        if reach + rounds * self.one.span < DIRECT and near.sum() >= NOTHING:
            for _ in range(rounds):
                near = self._play_one(near, lost)
        else:
            near = self.play(near, rounds // 2, lost)
            near = self.play(near, rounds // 2, lost)
        if not far.size:
            return near
        low, far = self._spread(far, rounds)
        return _add_states(near, far[max(0, -reach - low) :], max(0, reach + low))

    def _play_one(self, state: Floats, lost: list[float]) -> Floats:
        """Play one round, and remove the probability below the barrier."""
        if not state.size:
            lost.append(0.0)
            return state
        low, state = self._spread(state, 1)
        lost.append(float(state[:-low].sum()))
        return state[-low:]

    def _spread(self, state: Floats, rounds: int) -> tuple[int, Floats]:
        """Return the state after *rounds* rounds without a barrier, and its lowest place."""
        if rounds not in self._sums:
            self._sums[rounds] = _sums(self.one, rounds)
        low, chances = self._sums[rounds]
        if len(state) * len(chances) <= 1 << 16:
            return low, np.convolve(state, chances)
        length = len(state) + len(chances) - 1
        size = 1 << (length - 1).bit_length()
        if (rounds, size) not in self._spectra:
            self._spectra[rounds, size] = np.fft.rfft(chances, size)
        spectrum = np.fft.rfft(state, size) * self._spectra[rounds, size]
        return low, np.fft.irfft(spectrum, size)[:length]


def _add_states(near: Floats, far: Floats, offset: int) -> Floats:
    """Return the sum of two states; the second begins at *offset*."""
    both = np.zeros(max(len(near), offset + len(far)))
    both[: len(near)] += near
    both[offset : offset + len(far)] += far
    return both
