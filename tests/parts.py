"""The games that a test of a part is about: those that have it."""

from pitboss.games import GAMES


def keys_with(part):
    """Return the keys of the games with a part."""
    return [key for key, game in GAMES.items() if game.has_part(part)]


def games_with(part):
    """Return the games with a part."""
    return [GAMES[key] for key in keys_with(part)]
