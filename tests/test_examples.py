"""The page of examples has its fixed form; doctest runs the examples."""

import ast
import re
from doctest import DocTestParser

import pytest

from tests.test_public_api import ROOT, SURFACE

PAGE = (ROOT / "docs/examples.md").read_text("utf-8")
EXAMPLES = {text.splitlines()[0]: text for text in PAGE.split("\n## ")[1:]}
ASKED = (
    "Settle a deal",
    "Price a custom pay table",
    "Solve a hand",
    "Simulate with a custom strategy",
    "Write a new side bet",
    "Replay a journal",
)


def code(example):
    """Return the Python code of an example."""
    return "".join(part.source for part in DocTestParser().get_examples(EXAMPLES[example]))


def test_there_are_six():
    """There is an example for each of the six tasks."""
    assert tuple(EXAMPLES) == ASKED


@pytest.mark.parametrize("example", ASKED)
def test_an_example_is_short(example):
    """An example has two sentences, at most ten lines of code, its output, and links."""
    said = EXAMPLES[example].split("```python")[0].partition("\n")[2]

    assert len(re.findall(r"\.(?=\s)", said)) == 2
    assert 5 <= len(code(example).splitlines()) <= 10
    assert re.search(r"^More: .*\]\([a-z/-]+\.md", EXAMPLES[example], re.MULTILINE)


@pytest.mark.parametrize("example", ASKED)
def test_an_example_uses_public_names(example):
    """An example imports only public names and the standard library, and uses no private names."""
    tree = ast.parse(code(example))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]

    for node in imports:
        if node.module.startswith("pitboss"):
            assert {alias.name for alias in node.names} <= {*SURFACE[node.module].split()}
    attributes = (node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    assert not any(name.startswith("_") for name in attributes)
