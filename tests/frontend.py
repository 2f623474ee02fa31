"""The script that builds the page, which is not in a package; the tests also use its Node."""

import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FRONTEND = Path(__file__).parents[1] / "frontend"
builder: Any = SimpleNamespace(**runpy.run_path(str(FRONTEND / "build.py")))
