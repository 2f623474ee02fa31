"""What the package exports is what it says it exports."""

import ast
import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pitboss

ROOT = Path(__file__).parents[1]


def test_exports():
    """``__all__`` is sorted as ruff sorts it, and names all that the package imports."""
    tree = ast.parse((ROOT / "src/pitboss/__init__.py").read_text())
    imported = {
        alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }

    assert set(pitboss.__all__) == imported
    assert all(hasattr(pitboss, name) for name in pitboss.__all__)


def test_every_export_is_documented():
    """The library page mentions every public name."""
    page = (ROOT / "docs/library.md").read_text()

    assert [name for name in pitboss.__all__ if f"`{name}`" not in page] == []


def test_version_is_in_the_changelog():
    """The version has its entry in the changelog and is that of the installed package."""
    assert f"## {pitboss.__version__}" in (ROOT / "CHANGELOG.md").read_text()
    assert importlib.metadata.version("pitboss") == pitboss.__version__


def test_typed():
    """The package carries the marker of a typed package."""
    assert (Path(pitboss.__file__).parent / "py.typed").is_file()


def test_import_is_light():
    """Importing the package, or asking for help, loads nothing of the terminal or of arrays."""
    code = (
        "import sys, pitboss.cli; pitboss.cli.main(['--help']);"
        "print([m for m in ('rich', 'numpy', 'numba', 'pytest') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"


def test_lock_has_every_dependency():
    """The lock pins everything that the project names, with hashes and without any host."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lock = (ROOT / "requirements.lock").read_text()
    named = project["project"]["dependencies"] + project["dependency-groups"]["dev"]

    for requirement in named:
        name = requirement.split("[")[0].split(">")[0]
        assert f"\n{name}==" in f"\n{lock}"
    assert "://" not in lock
    assert lock.count("==") <= lock.count("--hash=sha256:")
