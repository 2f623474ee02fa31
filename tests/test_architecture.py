"""docs/architecture.md lists every package and module, and explains the words of the design."""

import re

import pytest

from pitboss.games import GAMES
from tools import modules

TEXT = modules.PAGE.read_text("utf-8")
LIST = TEXT.partition(modules.FENCE)[2].partition(modules.FENCE)[0]


def test_the_list_is_up_to_date():
    """Generating the list again gives the same page."""
    assert modules.page() == TEXT, "the modules have changed: run `make docs`"


def test_every_module_is_listed():
    """Whatever the generator does, no name of a module is missing, and none is made up."""
    words = set(re.findall(r"\w+", LIST))
    files = [path for path in modules.PACKAGE.rglob("*.py") if path.stem.strip("_") != "main"]
    names = {path.parent.name if path.stem == "__init__" else path.stem for path in files}
    assert names - {"pitboss"} <= words
    listed = re.findall(r"^ {16}(.+)$|^ {2,4}\w+/ +(.+)$", LIST, re.MULTILINE)
    assert {word for line in listed for word in " ".join(line).split()} <= names | {
        f"{name}/" for name in names
    }


def test_every_package_is_described():
    """No package at the top has to do without a description."""
    found = modules.described(LIST)
    assert len(found) > 20
    assert "?" not in found.values()


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_every_game_is_listed(game):
    """A game's package has its own line, with the parts that the game has."""
    assert re.search(rf"^  {game.package.rpartition('.')[2]}/ .*\bgame\b", LIST, re.MULTILINE)


@pytest.mark.parametrize(
    "word",
    [
        "seat",
        "stake",
        "pack",
        "journal",
        "reading",
        "preset",
        "pit",
        "cage",
        "felt",
        "chain",
        "posting",
        "unit",
        "lease",
        "part",
    ],
)
def test_words_are_explained(word):
    """Each word of the design that is not plain English is explained once."""
    words = TEXT.partition("## Words\n")[2]
    assert len(re.findall(rf"\*(?:\w+ and )?{word}(?: and \w+)?\*", words)) == 1
