"""A game's interface to the other packages: its bets, their figures, and its rules."""

from dataclasses import replace

from pitboss.games import GAMES, roll_your_own, toss_one


def test_a_game_is_written_as_its_key():
    """A game is shown as its key in lists and messages."""
    assert [str(game) for game in GAMES.values()] == list(GAMES)


def test_rules_know_their_game():
    """The first game that uses a class of rules is the game of those rules."""
    other = replace(toss_one.GAME, key="other")
    assert other.rules is toss_one.Rules
    assert toss_one.Rules().game is toss_one.GAME
    assert roll_your_own.Rules().game is roll_your_own.GAME


def test_titles_of_figures():
    """The figures of several bets have their own title, and those of the package its name."""
    game = roll_your_own.GAME
    assert {name: game.figures_title(name) for name in game.units} == {
        "blackjack": "Blackjack bets",
        "bonus": "Bonus",
        "package": "Package",
    }


def test_usual_stakes():
    """Every stake that a seat bets before the deal has a default amount."""
    for game in GAMES.values():
        assert game.usual_stakes.keys() <= game.stakes.keys()
        assert all(cents > 0 for cents in game.usual_stakes.values())
