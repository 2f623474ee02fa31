"""The page's source: only a game's own folder mentions the game."""

import re
from pathlib import Path

import pytest

from pitboss.core.presentation import presentation_of
from pitboss.games import GAMES

SOURCES = Path(__file__).parents[2] / "frontend" / "src"
TYPES = SOURCES / "api.ts"
FOLDERS = SOURCES / "games"
TESTED = r"""(?:[=!]==\s*|\bcase\s+|\[|\(\s*)["'`]({names})(?: [^"'`]*)?["'`]"""
"""A name in a comparison, a case, a list or a key: not in a sentence or an attribute."""


def generic_sources():
    """Return the sources outside the folders of the games, without the generated types."""
    files = [path for end in ("*.ts", "*.svelte") for path in SOURCES.rglob(end)]
    return [path for path in files if path != TYPES and path.parent.parent != FOLDERS]


def names_of(game):
    """Return the names of a game's bets and decisions."""
    words = {one.decision.split()[0] for one in presentation_of(game).decisions}
    return {bet.key for bet in game.bets} | words


def found_in(text, game):
    tested = re.compile(TESTED.replace("{names}", "|".join(sorted(names_of(game)))))
    keys = [game.key] if game.key in text else []
    return keys + [match[1] for match in tested.finditer(text)]


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_no_game_outside_its_folder(game):
    """Other files contain no key of a game, and no bet or decision with special treatment."""
    sources = generic_sources()
    found = {str(path): found_in(path.read_text(encoding="utf-8"), game) for path in sources}

    assert len(sources) > 50
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "text",
    [
        'const PITCH = { "roll-your-own": 1 };',
        'if (at.bet === "bonus") draw();',
        'text.startsWith("set ") && lay();',
        'const SIDES = ["bonus", "insurance"];',
        'switch (word) { case "insure": return "I"; }',
    ],
)
def test_the_search_finds_a_game(text):
    """Every form in which the page once mentioned Roll Your Own is found."""
    assert found_in(text, GAMES["roll-your-own"])


def test_folders_are_named_by_games():
    """A folder with another name would never be used."""
    assert {path.name for path in FOLDERS.iterdir() if path.is_dir()} <= set(GAMES)
