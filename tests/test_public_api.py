"""The package exports exactly its documented names."""

import ast
import importlib
import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import pitboss

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])

SURFACE = {
    "pitboss": """
        DECK EVEN GAMES Card Deal DeckError Draw Game GameError Journal Limit
        NotationError Odds Paytable PendingDecision Rank Round Rounding RuleError Rules
        SeededShuffler SettingError Settlement Shuffler Suit SystemShuffler Table View
        blackjack deal_from differences find_game hard_total is_soft parse read_journal replay
        roll_your_own spell supply toss_one total view_json write_journal
    """,
    "pitboss.toss_one": """
        BONUS_4 GAME LUCKY_3_TABLE_1 LUCKY_3_TABLE_2 AceKicker Bet DealerBlackjack Hand Lucky3
        Outcome Phase Round Rules Toss TossRule best_hands chosen_hand lucky3 play_deal
        read_decision
    """,
    "pitboss.roll_your_own": """
        GAME SHEET Bet Bonus Double Hit HoleCard Insurance Insure OneCard Outcome Phase Round
        Rules RunOut SetHands Soft17 Split Stand poker_class read_decision
    """,
    "pitboss.blackjack": """
        GAME Bet Double DoubleOn Hit HoleCard Insure LuckyLadies Outcome PerfectPairs Phase
        PlusThree Round Rules Soft17 Split Stand Surrender SurrenderRule lucky_ladies
        perfect_pairs plus_three read_decision
    """,
    "pitboss.analysis": """
        Analysis Event Figures Sensitivity analyze count_deals price sensitivity
    """,
    "pitboss.analysis.report": "Plan report_data",
    "pitboss.coach": "Advice CoachError Option advise",
    "pitboss.envs": "TableEnv TablesEnv table_v0",
    "pitboss.envs.table_v0": "TableAEC env raw_env",
    "pitboss.core.fairness": "Check Result Verification commitment shuffle verify",
    "pitboss.jurisdictions": """
        JURISDICTIONS LETTERS WASHINGTON_2017 WASHINGTON_2023 Finding Jurisdiction Letter Verdict
        check find_jurisdiction
    """,
    "pitboss.training.odds": "BetOdds Odds Outcome price",
    "pitboss.reasons": "aside reason",
    "pitboss.report": "render_card render_html render_json render_pdf",
    "pitboss.simulator": "Bet ExactFigures Job Result Run Sample SimulatorError make_job simulate",
    "pitboss.games.toss_one.encoding": "TossOne21Env TossOne21VectorEnv",
    "pitboss.games.toss_one.simulation": "TossOne job",
    "pitboss.games.blackjack.encoding": "BlackjackEnv BlackjackVectorEnv",
    "pitboss.games.blackjack.simulation": "Blackjack job",
    "pitboss.games.blackjack.strategies": """
        PlaySituation Strategy at_random by_chart mimic named never_bust printed read solved
    """,
    "pitboss.games.roll_your_own.encoding": "RollYourOwnEnv RollYourOwnVectorEnv",
    "pitboss.games.roll_your_own.simulation": "RollYourOwn job",
    "pitboss.games.roll_your_own.strategies": """
        PlaySituation Strategy at_random mimic named printed read solved
    """,
    "pitboss.games.blackjack.solver": """
        Chart Game Row Solver SolverError Splitting Start UpCard best_chart
    """,
    "pitboss.games.roll_your_own.solver": "Checkpoint Game Memory Solution Solver SolverError Way",
    "pitboss.strategy": "render_html render_svg render_text strategy_card",
}
"""Every public name, by module: changed on purpose, with its page, or not at all."""


def the(module):
    """Return a module by its name in the docs; the games are also in the package."""
    name = module.removeprefix("pitboss.")
    return getattr(pitboss, name) if name in pitboss.__all__ else importlib.import_module(module)


def public(module):
    """Return the public names of a module, or those that the package imports from it."""
    names = SURFACE.get(module, SURFACE.get(module.replace(".games.", ".")))
    if names is not None:
        return {*names.split()}
    return {n for n in pitboss.__all__ if getattr(the(module), n, None) is getattr(pitboss, n)}


def test_exports():
    """``__all__`` is sorted as ruff does it, and has every name that the package imports."""
    tree = ast.parse((ROOT / "src/pitboss/__init__.py").read_text("utf-8"))
    imported = {
        alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }

    assert set(pitboss.__all__) == imported
    assert all(hasattr(pitboss, name) for name in pitboss.__all__)


@pytest.mark.parametrize("module", SURFACE)
def test_surface(module):
    """A module exports exactly the expected names, in ruff's order, and all of them exist."""
    found = the(module)

    assert found.__all__ == SURFACE[module].split()
    assert all(hasattr(found, name) for name in found.__all__)


def test_every_export_is_documented():
    """The library page mentions every public name, with one row for each other module."""
    page = (ROOT / "docs/library.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(pitboss\.[a-z0-9_.]+)` \| (.+) \|$", page, re.MULTILINE))

    assert [name for name in pitboss.__all__ if f"`{name}`" not in page] == []
    for module in SURFACE.keys() - {"pitboss"}:
        assert re.findall(r"`(\w+)`", rows[module]) == the(module).__all__
    assert rows.keys() == SURFACE.keys() - {"pitboss"}


@pytest.mark.parametrize("module", SURFACE)
def test_every_export_says_what_it_does(module):
    """Every public class, function and module has a docstring."""
    names = ((name, getattr(the(module), name)) for name in the(module).__all__)
    code = (type, FunctionType, ModuleType)

    assert [name for name, known in names if isinstance(known, code) and not known.__doc__] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_docs_import_public_names(page):
    """The docs import nothing that is not public."""
    found = re.findall(
        r"^>>> from (pitboss[a-z_.]*) import (.+)$", page.read_text("utf-8"), re.MULTILINE
    )

    for module, names in found:
        assert {*names.split(", ")} <= public(module), module


def test_version_is_in_the_changelog():
    """The version is that of the installed package and has an entry in the changelog."""
    assert f"## {pitboss.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert importlib.metadata.version("pitboss") == pitboss.__version__


def test_typed():
    """The package has the marker of a typed package."""
    assert (Path(pitboss.__file__).parent / "py.typed").is_file()


def test_import_is_light():
    """Importing the package, or showing help, loads neither terminal nor array libraries."""
    code = (
        "import sys, pitboss.cli; pitboss.cli.main(['--help']);"
        "print([m for m in ('rich', 'numpy', 'numba', 'pytest') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )

    assert done.stdout.splitlines()[-1] == "[]"


def test_lock_has_every_dependency():
    """The lock pins every dependency of the project, with hashes and without hosts."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    named = project["project"]["dependencies"] + project["dependency-groups"]["dev"]

    for requirement in named:
        name = requirement.split("[")[0].split(">")[0]
        assert f"\n{name}==" in f"\n{lock}"
    assert "://" not in lock
    assert lock.count("==") <= lock.count("--hash=sha256:")
