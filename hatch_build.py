"""Have the page in every wheel, editable install and sdist: built by frontend/build.py."""

import runpy
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Page(BuildHookInterface):
    """Builds the page before the package."""

    def initialize(self, version: str, build_data: dict) -> None:  # noqa: ARG002  hatch's call
        """Build it, where its sources are."""
        script = Path(self.root) / "frontend" / "build.py"
        if script.is_file():
            runpy.run_path(str(script))["build"]()
