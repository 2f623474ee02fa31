"""A table enforces limits, and its bankroll and house are right to the cent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.core.cards import DECK, parse
from pitboss.core.errors import GameError, NotationError, RuleError, SettingError
from pitboss.games import GAMES, roll_your_own, toss_one
from pitboss.tables.limits import Limit
from pitboss.tables.table import SeededShuffler, SystemShuffler, Table
from tests.strategies import chances, random_rules


def table(bankroll=10_000, **limits):
    return Table(
        toss_one.GAME,
        toss_one.Rules(),
        limits=limits or {"main": Limit(500, 5_000, 500), "lucky3": Limit(100, 1_000)},
        shuffler=SeededShuffler("7"),
        bankroll=bankroll,
    )


class Rigged:
    """A shuffler that returns a given deck."""

    def __init__(self, text):
        self.first = parse(text)

    def deck(self, size):
        return self.first + tuple(card for card in DECK if card not in self.first)


@pytest.mark.parametrize(
    ("stakes", "reason"),
    [
        ({"main": 400}, r"a main bet of \$4 is outside the limit: \$5 to \$50 in steps of \$5"),
        ({"main": 5_500}, "outside the limit"),
        ({"main": 750}, "outside the limit"),
        ({"main": 500, "lucky3": 50}, "a lucky3 bet of"),
        ({"main": 500, "lucky3": 1_100}, "a lucky3 bet of"),
        ({"main": 0}, "needs a Main bet"),
        ({"main": 5_000, "bonus4": 5_001}, r"this takes \$100.01, but the bankroll is \$100"),
    ],
)
def test_refused_bets(stakes, reason):
    """A bet outside limits or bankroll is refused, and nothing changes."""
    seat = table()

    with pytest.raises(RuleError, match=reason):
        seat.bet(1, stakes)
    assert (seat.bankroll, seat.round.staked) == (10_000, 0)


def test_the_edges_are_inside():
    """The minimum, the maximum and the whole bankroll can be bet; side bets are optional."""
    seat = table()

    seat.bet(1, {"main": 500, "lucky3": 0})
    seat.bet(2, {"main": 5_000, "lucky3": 1_000, "bonus4": 3_500})

    assert seat.bankroll == 0


def test_a_round_moves_the_money():
    """Chips leave with the bet and return with their winnings, which the house pays."""
    seat = Table(
        toss_one.GAME,
        toss_one.Rules(),
        limits={},
        shuffler=Rigged("As Ks Qd 2h 9c 4d Kh 8s"),
        bankroll=10_000,
    )

    seat.bet(1, {"main": 1_000})
    before = seat.bankroll
    seat.deal()
    seat.decide(toss_one.Toss(1, parse("2h")[0]))

    assert (before, seat.bankroll, seat.is_over) == (9_000, 11_500, True)
    assert seat.clear() == 1_500
    assert (seat.bankroll, seat.house, seat.round.staked) == (11_500, -1_500, 0)


def test_a_refused_decision_changes_nothing():
    """An illegal toss leaves the table unchanged."""
    seat = table()
    seat.bet(1, {"main": 500})
    seat.deal()
    before = seat.round

    with pytest.raises(GameError):
        seat.decide(toss_one.Toss(2, DECK[0]))
    assert seat.round is before


def test_called_off():
    """The bets of an unfinished round return to the purse."""
    seat = table()
    seat.bet(1, {"main": 500})
    seat.deal()

    assert seat.clear() == 0
    assert (seat.bankroll, seat.house) == (10_000, 0)


def test_called_off_does_not_undo():
    """Settled bets stay settled when a round is canceled."""
    seat = Table(
        roll_your_own.GAME,
        roll_your_own.Rules(),
        limits={},
        shuffler=Rigged("Ts 6d 2h 2c 6h Kd Tc"),
        bankroll=10_000,
    )
    seat.bet(1, {"bet": 1_000})
    seat.deal()
    for text in ("set Ts6d 2h", "hit"):
        seat.decide(roll_your_own.read_decision(1, text))

    assert seat.bankroll == 7_000
    assert seat.clear() == -2_000
    assert (seat.bankroll, seat.house) == (8_000, 2_000)


@pytest.mark.parametrize(
    ("stakes", "reason"),
    [
        ({"lucky3": 500}, "needs a Main bet"),
        ({}, "needs a Main bet"),
        ({"mian": 5}, "no bet 'mian'"),
    ],
)
def test_stakes_by_name(stakes, reason):
    """A side bet alone, no bet at all, and an unknown bet are rejected."""
    seat = table()

    with pytest.raises(GameError, match=reason):
        seat.bet(1, stakes)
    assert seat.bankroll == 10_000


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@given(chance=chances)
def test_bankroll_and_house_add_up(game, chance):
    """Over any rounds, bankroll and house add up to the initial bankroll."""
    rules = random_rules(chance, game)
    shuffler = SeededShuffler(str(chance.random()))
    seat = Table(game, rules, limits={}, shuffler=shuffler, bankroll=10**9)

    for _ in range(3):
        for number in range(1, chance.randint(1, rules.seats) + 1):
            seat.bet(number, {name: chance.randrange(1, 10_000) for name in game.stakes})
        seat.deal()
        while options := seat.round.legal():
            seat.decide(chance.choice(options))
        journal = seat.journal()
        won = seat.clear()
        assert won == sum(journal["net"].values())
        assert seat.bankroll + seat.house == 10**9


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("5..300", Limit(500, 30_000, 100)),
        ("2.50..10/2.50", Limit(250, 1_000, 250)),
        ("5..5", Limit(500, 500, 100)),
        ("5..300.50/0.50", Limit(500, 30_050, 50)),
    ],
)
def test_limits_read(text, limit):
    """Limits are read in dollars, with a step if wanted."""
    assert Limit.read(text) == limit


@pytest.mark.parametrize("text", ["", "5", "5..", "..5", "5-300", "a..b", "5..300/", "5..300/x"])
def test_no_limit(text):
    """An invalid limit is rejected with the correct notation."""
    with pytest.raises(NotationError, match="is not a limit|is not an amount"):
        Limit.read(text)


@pytest.mark.parametrize("text", ["300..5", "0..5", "5..300/0"])
def test_impossible_limits(text):
    """An impossible limit is rejected."""
    with pytest.raises(SettingError, match="is invalid"):
        Limit.read(text)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"bankroll": -1}, "a bankroll of -1 is invalid"),
        ({"bankroll": 1.5}, "a bankroll of 1.5 is invalid"),
        ({"rules": roll_your_own.Rules()}, "are not rules of Toss One 21"),
    ],
)
def test_impossible_tables(changes, reason):
    """An impossible table is rejected."""
    given_ = {"rules": toss_one.Rules(), "limits": {}, "bankroll": 1} | changes

    with pytest.raises(SettingError, match=reason):
        Table(toss_one.GAME, shuffler=SystemShuffler(), **given_)
    with pytest.raises(SettingError, match="whole cents"):
        Limit(1.5, 3)


def test_a_limit_needs_its_bet():
    """A limit on a bet that the game does not have is refused."""
    with pytest.raises(SettingError, match="no bet 'maine' to limit: choose one of main, lucky3"):
        table(maine=Limit(100, 200))


@given(st.integers(1, 8))
def test_shuffled_decks_are_whole(decks):
    """A shuffler returns every card of every deck, in another order each time."""
    first, second = (SystemShuffler().deck(decks * 52) for _ in range(2))

    assert sorted(first, key=str) == sorted(DECK * decks, key=str)
    assert first != second


def test_seeded_decks():
    """The same seed gives the same decks; another seed gives others."""
    one, two, other = (SeededShuffler(seed) for seed in ("a", "a", "b"))

    assert [one.deck(52), one.deck(52)] == [two.deck(52), two.deck(52)]
    assert one.deck(52) != other.deck(52)
