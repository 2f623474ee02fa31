"""The list of packages and modules in docs/architecture.md, generated from the tree.

``python -m tools.modules`` rewrites the list. It keeps the descriptions on the page; a new package
is described by the first line of its docstring.
"""

import ast
import re
from pathlib import Path
from textwrap import wrap

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "pitboss"
PAGE = ROOT / "docs" / "architecture.md"
FENCE = "```\n"
COLUMN, WIDTH = 16, 118
LISTED_INSIDE = {"games", "web", "ledger", "solver"}
"""The packages whose inner packages have lines of their own."""


def described(listing):
    """Return the descriptions on the page, in their order, by the name of a package or module."""
    return dict(re.findall(r"^(\w+(?:/|\.py)) +(.+)$", listing, re.MULTILINE))


def names_in(folder):
    """Return the modules and the packages of a folder."""
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__"}
    return sorted(modules), sorted(path.parent for path in folder.glob("*/__init__.py"))


def about(path):
    """Return the first line of a module's docstring, as a phrase."""
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "?"
    line = text.splitlines()[0].removesuffix(".")
    return line[:1].lower() + line[1:]


def filled(name, words):
    """Yield a name and the words after it, wrapped in the second column."""
    start = f"{name:<{COLUMN - 1}} "
    lines = wrap(" ".join(words), WIDTH - COLUMN)
    for number, line in enumerate(lines or [""]):
        yield f"{start if number == 0 else ' ' * COLUMN}{line}".rstrip()


def inside(folder, depth):
    """Yield the lines of an inner package and of those in it."""
    modules, packages = names_in(folder)
    yield from filled(f"{'  ' * depth}{folder.name}/", modules)
    for package in packages:
        yield from inside(package, depth + 1)


def listing(before):
    """Return the list of everything in the package, with the descriptions *before*."""
    known = described(before)
    top = {f"{name}.py" for name in names_in(PACKAGE)[0]}
    top |= {f"{path.name}/" for path in names_in(PACKAGE)[1]}
    lines = []
    for name in [*(name for name in known if name in top), *sorted(top - known.keys())]:
        path = PACKAGE / name
        source = path if path.is_file() else path / "__init__.py"
        lines.append(f"{name:<{COLUMN - 1}} {known.get(name) or about(source)}")
        if path.is_file():
            continue
        modules, packages = names_in(path)
        has_lines = path.name in LISTED_INSIDE
        words = modules if has_lines else [*modules, *(f"{one.name}/" for one in packages)]
        lines += filled("", words) if words else []
        for package in packages if has_lines else ():
            lines += inside(package, 1)
    return "".join(f"{line}\n" for line in lines)


def page():
    """Return the page with the present list."""
    head, fence, rest = PAGE.read_text("utf-8").partition(FENCE)
    before, end, tail = rest.partition(FENCE)
    return head + fence + listing(before) + end + tail


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
