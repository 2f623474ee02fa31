"""The first use compiles the kernels and shows a message at once; later uses are silent."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

from pitboss.kernels import CACHED_MESSAGE
from pitboss.kernels.compiling import CompileListener


def analyze(cache):
    """Analyze Toss One 21 with a separate cache; it needs only a few kernels."""
    return subprocess.run(
        [sys.executable, "-m", "pitboss", "analyze", "toss-one-21", "--json"],
        env=os.environ | {"XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )


def test_the_first_use_says_that_it_compiles(tmp_path):
    first, second = analyze(tmp_path), analyze(tmp_path)

    assert first.stderr == f"{CACHED_MESSAGE}\n"
    assert second.stderr == ""
    assert json.loads(first.stdout) == json.loads(second.stdout)


def compiled(module):
    """Return the event for compiling a function."""
    function = SimpleNamespace(__module__=module)
    return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=function)})


def test_functions_are_counted(caplog):
    """Only our functions count, not those of other packages, and there is only one message."""
    listener = CompileListener("it takes a while")
    outer, inner, other = map(compiled, ("pitboss.kernels.a", "pitboss.kernels.b", "numpy"))
    listener.on_start(other)
    assert (listener.is_active, caplog.messages) == (False, [])
    listener.on_start(outer)
    listener.on_start(inner)
    listener.on_end(inner)
    assert (listener.is_active, listener.functions) == (True, 2)
    listener.on_end(outer)
    listener.on_end(other)
    listener.on_start(inner)
    listener.on_end(inner)
    assert (listener.is_active, listener.functions) == (False, 3)
    assert caplog.messages == ["it takes a while"]
