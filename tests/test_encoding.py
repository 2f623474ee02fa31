"""Files and pipes are UTF-8 on every machine, whatever the locale is."""

import ast

from tools.console import ROOT

FOLDERS = ("src", "tests", "bench", "docs", "frontend")
PLACES = {"read_text": 0, "write_text": 1, "open": 2, "fdopen": 3}
"""Functions that open text, with the position of their encoding argument."""


def leaves_encoding_open(call):
    """Return whether a call opens text in the encoding of the locale."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    keywords = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
    if keywords.get("text") == "True":  # a subprocess
        return True
    if name not in PLACES or "encoding" in keywords or len(call.args) > PLACES[name]:
        return False
    modes = {arg.value for arg in call.args if isinstance(arg, ast.Constant)}
    bare = not (call.args or call.keywords)
    return name.endswith("_text") or bare or bool(modes & {"r", "w", "a", "x"})


def test_text_has_an_encoding():
    """Every call that opens a text file or a pipe names its encoding."""
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in paths
        if "node_modules" not in path.parts
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Call) and leaves_encoding_open(node)
    ]

    assert found == []
