"""The reference of the library, docs/reference.md, generated from the source of the package.

The names come from ``__all__`` if a module has it, else from its definitions. Signatures, fields
and docstrings are copied from the source. ``python -m tools.reference`` rewrites the page.

mkdocstrings renders a page only while it builds the site, and griffe knows neither our settings nor
their clauses. This page is plain Markdown in the repository: reviews show each change of a public
name, and the tests run every example on it.
"""

import ast
import doctest
import io
import re
import subprocess
import sys
import tokenize
from functools import cache
from inspect import cleandoc
from itertools import chain, groupby, pairwise
from pathlib import Path
from typing import NamedTuple

import pitboss
from pitboss.games import GAMES

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference.md"


def sections_of_games(part=""):
    """Return the modules of all games, or of their parts, with their headings."""
    games = [game for game in GAMES.values() if not part or game.has_part(part)]
    modules = {f"{game.package}.{part}".rstrip("."): game.name for game in games}
    return {
        module: f"{name}: `{module.replace('.games.', '.') if is_exported(module) else module}`"
        for module, name in modules.items()
    }


def is_exported(module):
    """Return whether ``pitboss`` itself exports the module."""
    return module.removeprefix("pitboss.games.") in pitboss.__all__


MODULES = {
    **sections_of_games(),
    "pitboss.reasons": "Reasons in words: `pitboss.reasons`",
    "pitboss.analysis": "Exact figures: `pitboss.analysis`",
    "pitboss.games.roll_your_own.solver": (
        "The solver of Roll Your Own: `pitboss.games.roll_your_own.solver`"
    ),
    "pitboss.games.blackjack.solver": "The solver of blackjack: `pitboss.games.blackjack.solver`",
    "pitboss.coach": "The coach: `pitboss.coach`",
    "pitboss.strategy": "The strategy card: `pitboss.strategy`",
    "pitboss.simulator": "The simulator: `pitboss.simulator`",
    **sections_of_games("simulation"),
    **sections_of_games("strategies"),
    "pitboss.envs": "Learning environments: `pitboss.envs`",
    **sections_of_games("encoding"),
    "pitboss.envs.table_v0": "A table of agents: `pitboss.envs.table_v0`",
    "pitboss.jurisdictions": "Jurisdictions: `pitboss.jurisdictions`",
    "pitboss.analysis.report": "The math report as data: `pitboss.analysis.report`",
    "pitboss.report": "The math report: `pitboss.report`",
    "pitboss.core.fairness": "A fair shuffle: `pitboss.core.fairness`",
}
"""The modules with a section of their own, after the names of ``pitboss`` itself."""

CORE = {
    "pitboss.core.cards": "Cards",
    "pitboss.core.paytables": "Odds and pay tables",
    "pitboss.core.settings": "Rules",
    "pitboss.core.protocol": "Games and rounds",
    "pitboss.games": "The games",
    "pitboss.core.journal": "Journals",
    "pitboss.tables.table": "A table",
    "pitboss.core.errors": "Errors",
}
"""The modules that define the names of ``pitboss``, in the order of the page."""

ALSO_LISTED = {"pitboss.core.protocol": ("SeatView", "HandView", "DealerView", "Turn")}
"""Names that ``pitboss`` does not export, but that its objects consist of."""

MAX_VALUE_LENGTH = 80
"""In characters: a longer value is not shown."""

HEAD = """\
# Reference

Every public name with its signature and description, generated from the source by `make docs`.
The [tour](library.md) shows how to use them together. Import the names of the first sections from
`pitboss` itself, and the others from the module in the heading.
"""


class Name(NamedTuple):
    """A public name with its module, its definition and its docstring."""

    module: str
    name: str
    node: ast.stmt
    about: str | None


def file(module):
    """Return the source file of a module."""
    path = ROOT / "src" / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def source(module):
    return file(module).read_text(encoding="utf-8")


@cache
def tree(module):
    return ast.parse(source(module))


@cache
def comments(module):
    """Return the comments of a module by line."""
    tokens = tokenize.generate_tokens(io.StringIO(source(module)).readline)
    return {t.start[0]: t.string for t in tokens if t.type == tokenize.COMMENT}


@cache
def imports(module):
    """Return the origin, as module and name, of each name that a module imports."""
    found = [node for node in ast.walk(tree(module)) if isinstance(node, ast.ImportFrom)]
    return {a.asname or a.name: (node.module, a.name) for node in found for a in node.names}


def noted(body):
    """Yield each statement with the docstring below it, if any."""
    for node, after in pairwise([*body, None]):
        text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        yield node, cleandoc(after.value.value) if text else None


def target(node):
    """Return the name that a statement defines, if any."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return node.name
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


@cache
def defined(module):
    """Return the names that a module defines itself."""
    found = {}
    for node, below in noted(tree(module).body):
        if name := target(node):
            has = isinstance(node, ast.ClassDef | ast.FunctionDef)
            found[name] = Name(module, name, node, ast.get_docstring(node) if has else below)
    return found


def find(module, name):
    """Return a name of a module, following imports to its definition."""
    if name in defined(module):
        return defined(module)[name]
    origin, called = imports(module)[name]
    if not file(f"{origin}.{called}").exists():
        return find(origin, called)
    whole = tree(f"{origin}.{called}")
    return Name(origin, name, whole, ast.get_docstring(whole))


def exported_names(module):
    """Return the names in the ``__all__`` of a module."""
    listed = defined(module).get("__all__")
    return ast.literal_eval(listed.node.value) if listed else []


def public(module):
    """Return the public names of a module: those in ``__all__``, or else the documented ones."""
    if names := exported_names(module):
        order = [*imports(module), *defined(module)]
        return [find(module, name) for name in sorted(names, key=order.index)]
    return [
        found
        for found in defined(module).values()
        if not found.name.startswith("_")
        and (found.about or isinstance(found.node, ast.ClassDef | ast.FunctionDef))
    ]


# --- as code


def signature(node):
    """Return the signature of a function as a statement."""
    return f"def {node.name}({arguments(node)}){returned(node)}: ..."


def arguments(node):
    return re.sub(r"(?<=[^=!<>])=(?=[^=])", " = ", ast.unparse(node.args))


def returned(node):
    return f" -> {ast.unparse(node.returns)}" if node.returns else ""


def called(node, owner):
    """Return the signature of a method in one line, or the name of a property."""
    marks = {ast.unparse(mark) for mark in node.decorator_list}
    if marks & {"property", "cached_property"}:
        return f"{node.name}{returned(node).replace(' -> ', ': ')}"
    own = arguments(node).partition(", ")[2]
    return f"{owner + '.' if 'classmethod' in marks else ''}{node.name}({own}){returned(node)}"


def value(node):
    """Return the default value of a field or a setting."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "setting":
        return ast.unparse(node.args[1])
    return ast.unparse(node)


def fields(found):
    """Yield the fields of a class, or the members of an enumeration, as lines of code."""
    for base in hidden(found):
        yield from fields(base)
    for node, below in noted(found.node.body):
        name = target(node)
        if name is None or name.startswith("_") or not is_field(node):
            continue
        kind = f": {ast.unparse(node.annotation)}" if isinstance(node, ast.AnnAssign) else ""
        given = f" = {value(node.value)}" if node.value else ""
        given = "" if "init=False" in given else given
        note = comments(found.module).get(node.end_lineno, "")
        note = "" if "noqa" in note or "setting(" in ast.unparse(node) else note
        for line in (below or setting_about(node)).splitlines():
            yield f"    # {line}"
        yield f"    {name}{kind}{given}  {note}".rstrip()


def is_field(node):
    """Return whether a statement defines a field, not a method or a class variable."""
    if isinstance(node, ast.AnnAssign):
        return "ClassVar" not in ast.unparse(node.annotation)
    return isinstance(node, ast.Assign) and not isinstance(node.value, ast.Name)


def hidden(found):
    """Return the private bases of a class; their fields are shown as its own."""
    known = defined(found.module)
    names = [ast.unparse(base) for base in found.node.bases]
    return [known[name] for name in names if name.startswith("_")]


def bases(found):
    """Yield the public bases under their public names."""
    for base in map(ast.unparse, found.node.bases):
        if not base.startswith("_"):
            there = imports(found.module).get(base, ("", base))
            yield base if there[1] == base else ".".join(offered(*there))


def setting_about(node):
    """Return the description of a setting."""
    words = {} if not isinstance(node.value, ast.Call) else node.value.keywords
    said = {k.arg: k.value.value for k in words if isinstance(k.value, ast.Constant)}
    if "rule" not in said:
        return ""
    clause = "" if said["rule"] == "-" else f"rule {said['rule']}: "
    return f"{clause}{said['about']}"


def code(found):
    """Return the definition of a name as code, without its body."""
    node = found.node
    if isinstance(node, ast.FunctionDef):
        return signature(node)
    if isinstance(node, ast.ClassDef):
        shown = ", ".join(bases(found))
        head = f"class {node.name}({shown}):" if shown else f"class {node.name}:"
        lines = list(fields(found))
        made = [n for n in node.body if target(n) in {"__init__", "__new__"}]
        lines += [f"    {signature(n)}" for n in made]
        return "\n".join([head, *lines]) if lines else f"{head} ..."
    kind = f": {ast.unparse(node.annotation)}" if isinstance(node, ast.AnnAssign) else ""
    text = ast.unparse(node.value)
    shown = len(text) < MAX_VALUE_LENGTH and not re.search(r"\b_[A-Z]", text)
    return f"{found.name}{kind} = {text if shown else '...'}"


# --- as text


def prose(text):
    """Return the text of a docstring as Markdown, without its examples."""
    words = text.partition(">>>")[0].rstrip()
    words = re.sub(r":\w+:`~?(?:\w+\.)*(\w+)`", r"`\1`", words)
    words = words.replace("\n::\n", "\n")  # indented text is code in Markdown too
    words = re.sub(r"^#+ (.+)\n+", r"**\1**\n\n", words, flags=re.MULTILINE)
    return re.sub(r"``(.+?)``", r"`\1`", words)


def example(found):
    """Return the examples of a docstring as a block that runs by itself."""
    parts = doctest.DocTestParser().get_examples(found.about or "")
    if not parts:
        return ""
    used = {
        node.id
        for part in parts
        for node in ast.walk(ast.parse(part.source))
        if isinstance(node, ast.Name)
    }
    origins = sorted(
        origin(found.module, name)
        for name in used & (defined(found.module).keys() | imports(found.module).keys())
    )
    lines = [
        f">>> from {module} import {', '.join(name for _, name in names)}"
        for module, names in groupby(origins, key=lambda origin: origin[0])
    ]
    for part in parts:
        first, *more = part.source.splitlines()
        lines += [f">>> {first}", *(f"... {line}" for line in more), part.want.rstrip("\n")]
    return "\n".join(["```python", *filter(None, lines), "", "```", ""])


def origin(module, name):
    """Return the module from which a reader imports a name that *module* uses."""
    return offered(module, name) if name in defined(module) else offered(*imports(module)[name])


def offered(module, name):
    """Return a name with its package instead of its module, if the package exports it."""
    if module.startswith("pitboss."):
        for package in ("pitboss", module.rpartition(".")[0]):
            if name in exported_names(package) and find(package, name).module == module:
                return package, name
    return module, name


def members(found):
    """Yield the public methods and properties with their docstrings."""
    for node in found.node.body if isinstance(found.node, ast.ClassDef) else ():
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            about = ast.get_docstring(node)
            words = f": {' '.join(prose(about).split())}" if about else ""
            yield f"- `{called(node, found.name)}`{words}"


def entry(found, label):
    """Return the section of the page on one name."""
    parts = [f"### {label}", ""]
    if isinstance(found.node, ast.Module):
        key = f"{found.module}.{found.name}"
        there = f" [Its names](#{slug(MODULES[key])})." if key in MODULES else ""
        first = prose(found.about).split("\n\n")[0]
        return "\n".join([*parts, f"Module `{key}`. {first}{there}", ""])
    parts += ["```python", code(found), "```", ""]
    parts += [prose(found.about), ""] if found.about else []
    parts += [example(found)]
    listed = list(members(found))
    return "\n".join(parts + ([*listed, ""] if listed else []))


def slug(heading):
    """Return the anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def core():
    """Yield the names of ``pitboss`` by their defining module, in its order."""
    names = public("pitboss")
    for module, title in CORE.items():
        order = list(defined(module))
        here = [found for found in names if found.module == module]
        here.sort(key=lambda found: order.index(found.name) if found.name in order else -1)
        last = module.rpartition(".")[2]
        also = [(find(module, n), f"{last}.{n}") for n in ALSO_LISTED.get(module, ())]
        yield title, [*((found, found.name) for found in here), *also]


def sections():
    """Yield every section of the page with its names and their headings."""
    yield from core()
    for module, title in MODULES.items():
        short = module.removeprefix("pitboss.").removeprefix("games.")
        yield title, [(found, f"{short}.{found.name}") for found in public(module)]


def written():
    """Return the page as it should be."""
    intro = {title: ast.get_docstring(tree(module)) for module, title in (CORE | MODULES).items()}
    body = [
        [f"## {title}", "", prose(intro[title]), "", *(entry(*name) for name in names)]
        for title, names in sections()
    ]
    text = "\n".join([HEAD, *chain.from_iterable(body)])
    text = re.sub(r"docs/(\S+?)\.md", lambda m: f"[{m[1]}]({m[1]}.md)", text)
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", PAGE, "-"],
        input=re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n",
        stdout=subprocess.PIPE,
        cwd=ROOT,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
