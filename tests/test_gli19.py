"""Everything that docs/gli-19.md names exists: modules, tests, routes, commands, identifiers."""

import re
from itertools import chain

import pytest

from pitboss.cli import cli
from pitboss.core.journal import dollars
from pitboss.games import toss_one
from pitboss.games.toss_one import figures as counted
from pitboss.tables.limits import LARGEST_PRIZE
from pitboss.web import connections, guard, rate_limits, services
from pitboss.web import frames as frames_of
from pitboss.web.rate_limits import RateLimits
from pitboss.web.routes import coaching, lessons, players, tables
from pitboss.web.routes import operator as operators
from pitboss.web.routes import pages as site
from tools.console import ROOT

PAGE = (ROOT / "docs/gli-19.md").read_text("utf-8")
TABLES, OPEN = PAGE.split("\n## Open points\n")
LINES = [line for line in PAGE.splitlines() if "`" in line]
SPANS = sorted({span for line in LINES for span in re.findall(r"`([^`]+)`", line)})
SOURCE = "\n".join(
    path.read_text("utf-8")
    for path in chain((ROOT / "src").rglob("*.py"), (ROOT / "src/pitboss/page").glob("*.js"))
)
ANSWERS = {"yes", "part", "open", "operator", "n/a"}
CLAUSES = [line for line in TABLES.splitlines() if re.match(r"\| (\d|A|B)\.\d[\d.]*[ ,]", line)]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in CLAUSES
    if "asks for" not in line  # the heading of a table inside a clause
]


def routes():
    """Return every route as method and path, with placeholders as on the page."""
    found = set()
    parts = (players.api, tables.api, coaching.api, lessons.api, operators.api, site.pages)
    for route in chain(*(part.routes for part in parts)):
        path = re.sub(r"{number}", "N", route.path).removeprefix("/api/v1")
        path = re.sub(r"{\w+(:path)?}", "ID", path)
        found |= {f"{method} {path}" for method in getattr(route, "methods", ["GET"])}
    return found


def is_there(span):
    """Return whether the thing that a code span names exists."""
    if span.startswith(("GET ", "POST ")):
        return span in routes()
    if span.startswith("pitboss "):
        return span.split()[1] in cli.commands
    if span.startswith("--"):
        return any(span in p.opts for c in ("serve", "audit") for p in cli.commands[c].params)
    if "." in span and span.rpartition(".")[2] in {"py", "js", "ts", "json", "lock"}:
        return any((ROOT / folder / span).is_file() for folder in ("", "src/pitboss"))
    if span.startswith("src/"):
        return (ROOT / span).is_dir()
    return span in {"ID", "N", "?format=csv", "/api/v1"} or _is_word(span)


def _is_word(span):
    return bool(re.search(rf"(?<!\w){re.escape(span)}(?!\w)", SOURCE))


@pytest.mark.parametrize("span", [s for s in SPANS if not s.startswith("test_")])
def test_what_the_page_names_is_there(span):
    """Every module, test, route, command, option and identifier on the page exists."""
    assert is_there(span)


@pytest.mark.parametrize(
    "span", ["web/gone.py", "GET /gone", "pitboss gone", "--gone", "gone_word"]
)
def test_what_is_gone_is_found(span):
    """A name of something that does not exist is found."""
    assert not is_there(span)


@pytest.mark.parametrize("span", [span for span in SPANS if span.startswith("test_")])
def test_tests_stand_in_the_file_beside_them(span):
    """Each test that a row names is in a test file that the same row names."""
    for line in (line for line in LINES if f"`{span}`" in line):
        files = re.findall(r"`(tests/[\w/]+\.py)`", line)

        assert any(f"def {span}(" in (ROOT / file).read_text("utf-8") for file in files)


def test_every_clause_has_an_answer():
    """Each clause has one answer; what is open or in part cites an open point, the rest none."""
    assert len(ROWS) == 51
    for clause, _, answer, how in ROWS:
        assert answer in ANSWERS, clause
        assert answer not in {"part", "open"} or re.search(r"\(O-\d+|O-\d+\)", how), clause
        cited = set(re.findall(r"O-\d+", how)) - {"O-2"}  # of a yes only the test may be missing
        assert answer in {"part", "open"} or not cited, clause


def test_open_points_are_those_that_are_cited():
    """The list of open points has exactly the points that the rows cite, in order."""
    listed = re.findall(r"^\| (O-\d+) \|", OPEN, re.MULTILINE)

    assert listed == [f"O-{number}" for number in range(1, len(listed) + 1)]
    assert set(listed) == set(re.findall(r"O-\d+", TABLES))


def test_advice_is_answered_alike():
    """The coach gives advice at tables, and every requirement to record advice is left open."""
    lines = [line for line in TABLES.splitlines() if "advice" in line]

    assert [line.split("|")[1].strip() for line in lines] == [
        "2.8.2",
        "advice",
        "4.10.6",
        "4.14.1, 4.14.2",
    ]
    assert all("(O-14" in line or "O-14)" in line for line in lines)


def test_numbers_of_the_code():
    """The largest prize and the refresh time of other processes equal those in the code."""
    assert f"more than {dollars(LARGEST_PRIZE)} are refused" in PAGE
    assert f"follow within {services.REFRESH_S:.0f} s" in PAGE


def test_limits_of_the_code():
    """The limits on floods are those of the code."""
    (row,) = (line for line in CLAUSES if "deny service" in line)
    limits = RateLimits()
    frames = frames_of.FRAMES_PER_MESSAGE * limits.messages + frames_of.PINGS
    burst = frames_of.FRAMES_PER_MESSAGE * limits.message_burst + frames_of.REFUSALS
    most = limits.connections + rate_limits.HTTP_CONNECTIONS

    assert f"{limits.requests:.0f} requests per second ({limits.burst:.0f} at once)" in row
    assert f"have {most} connections" in row
    assert f"{frames:.0f} frames or KiB per second ({burst:.0f} at once)" in row
    head, body = connections.MOST_HEAD_BYTES // 1024, guard.MOST_BYTES // 1024
    assert f"may have {head} KiB and must be complete within {connections.HEAD_S:.0f} s" in row
    assert f"its body {body} KiB within {connections.BODY_S:.0f} s" in row


@pytest.mark.parametrize(
    "rules",
    [*toss_one.GAME.presets.values(), toss_one.Rules(lucky3_paytable=1)],
    ids=[*toss_one.GAME.presets, "table 1"],
)
def test_returns_of_toss_one(rules):
    """The page gives the return of every bet of Toss One 21 under every preset."""
    for bet in counted.figures(rules).values():
        assert f"{100 * (1 + float(bet.moments.ev)):.2f} %" in PAGE


def test_returns_of_roll_your_own():
    """The returns of Roll Your Own equal those on the page of exact figures."""
    figures = (ROOT / "docs/analysis.md").read_text("utf-8")
    bonus, package = re.search(r"^ now .* ([\d.]+)% +([\d.]+)%$", figures, re.MULTILINE).groups()

    assert f"{100 - float(bonus):.2f} %" in PAGE
    assert f"{100 - float(package):.2f} %" in PAGE
