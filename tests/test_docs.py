"""The docs are correct: commands print the shown output, and links work."""

import re
from functools import partial

import pytest

from pitboss.cli import cli
from pitboss.games import GAMES
from tools import endpoints, reference
from tools.console import PAGES, ROOT, shown, written

SLOW = re.compile(
    "(analyze|strategy|report) (roll-your-own|blackjack)|python (published|variance).py"
    "|solve roll-your-own --all|for n in 1 2"
    "|simulate roll-your-own(?!.*--strategy (mimic|run-out))"
    "|report toss-one-21 (--rack-card|--json|-o report)|simulate toss-one-21 .*(--session|2e7)"
    "|analyze toss-one-21 (--target|--set bonus4_paytable=@steep)"
)
"""Commands that solve the whole game, do a long run, or make a report or figures once more."""


def is_slow(page, command):
    """Return whether only ``make long`` runs a command; guides repeat figures of other pages."""
    counts = page.parent.name == "guides" and re.search("analyze|simulate|sample|report", command)
    return bool(counts or SLOW.search(command))


def name(page):
    return str(page.relative_to(ROOT))


with_commands = pytest.mark.parametrize("page", [*filter(shown, PAGES)], ids=name)
with_slow_commands = pytest.mark.parametrize(
    "page",
    [page for page in PAGES if any(is_slow(page, command) for command, _ in shown(page))],
    ids=name,
)


@with_commands
def test_a_page_can_be_followed_in_an_empty_folder(page):
    """The commands of a page run in order and print what the page shows (see make docs)."""
    text = page.read_text("utf-8")

    assert written(text, skip=partial(is_slow, page)).splitlines() == text.splitlines()


@pytest.mark.long
@with_slow_commands
def test_a_whole_page_can_be_followed_in_an_empty_folder(page):
    """The same test for the commands that take a long time."""
    text = page.read_text("utf-8")

    assert written(text).splitlines() == text.splitlines()


@with_commands
def test_errors_are_shown_on_purpose(page):
    """If the docs show an error, they also show its exit status."""
    for command, printed in shown(page):
        assert 'echo "exit $?"' in command or not printed.startswith("pitboss: ")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links(page):
    """Every link to a file has an existing target."""
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("made", [reference, endpoints], ids=["library", "API"])
def test_references_are_up_to_date(made):
    """The generated references agree with the source and the schema (make docs)."""
    assert made.PAGE.read_text(encoding="utf-8") == made.written()


def test_every_public_name_is_explained():
    """Every name of the reference has a docstring, or a text below it."""
    names = [name for _, names in reference.sections() for name in names]

    assert [label for found, label in names if not found.about] == []


def test_every_command_is_documented():
    """The command-line page shows the help of every command."""
    page = (ROOT / "docs/command-line.md").read_text("utf-8")

    assert [name for name in cli.commands if f"$ pitboss {name} --help" not in page] == []


@pytest.mark.parametrize("key", GAMES)
def test_every_setting_is_documented(key):
    """A game's rules page names every setting and every reading that the rules cite."""
    page = (ROOT / f"docs/rules/{key}.md").read_text("utf-8")

    for setting in GAMES[key].rules.settings.values():
        assert f"`{setting.name}`" in page
        for text in [setting.about, *setting.readings.values()]:
            for reading in re.findall(r"R-\d+", text):
                assert f"**{reading}**" in page


@pytest.mark.parametrize("key", GAMES)
def test_every_clause_is_documented(key):
    """A game's rules page has every clause in the words that reports use."""
    page = (ROOT / f"docs/rules/{key}.md").read_text("utf-8")

    for number, text in GAMES[key].clauses.items():
        assert f"| {number} | {text}" in page


def test_readme_commands():
    """The README gives the commands that a newcomer needs, and the Makefile has them."""
    readme, makefile = ((ROOT / name).read_text("utf-8") for name in ("README.md", "Makefile"))
    named = set(re.findall(r"^make (\w+)", readme, re.MULTILINE))

    assert {"play", "test"} <= named
    assert all(re.search(rf"^{name}:", makefile, re.MULTILINE) for name in named)
