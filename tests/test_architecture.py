"""docs/architecture.md lists every package and module, and no other."""

import re

from tools.console import ROOT

PACKAGE = ROOT / "src" / "pitboss"


def listed():
    """Return the modules that the page lists, by package; the package itself has its own files."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    tree = text.partition("```\n")[2].partition("```")[0]
    found, package, parent = {"": set()}, "", ""
    for line in tree.splitlines():
        words = line.split()
        if line.startswith("      "):
            found[package] |= set(words)
        elif words[0].endswith(".py"):
            found[""].add(words[0].removesuffix(".py"))
        else:
            is_inner = line.startswith("  ")
            package = f"{parent}{words[0]}" if is_inner else words[0]
            parent = parent if is_inner else words[0]
            found[package] = set(words[1:]) if is_inner else set()
    return found


def modules_of(folder):
    """Return the modules and packages of a folder; a package's name ends with a slash."""
    names = {path.stem for path in folder.glob("*.py")}
    names |= {f"{path.parent.name}/" for path in folder.glob("*/__init__.py")}
    return names - {"__init__", "__main__"}


def test_every_module_is_listed():
    """The list in the docs equals the list of files."""
    expected = listed()
    top = {name for name in expected if re.fullmatch(r"\w+/", name)}
    assert modules_of(PACKAGE) == expected.pop("") | top
    expected["games/"] = {name.removeprefix("games/") for name in expected if name.count("/") == 2}
    for name, modules in expected.items():
        assert modules_of(PACKAGE / name) == modules, name
