"""The script that builds the page, which is in no package; its Node serves the tests as well."""

import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FRONTEND = Path(__file__).parents[1] / "frontend"
builder: Any = SimpleNamespace(**runpy.run_path(str(FRONTEND / "build.py")))
