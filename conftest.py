"""The examples in the docs run in an empty folder: a reader may have no clone."""

import pytest

pytest_plugins = ["tests.databases"]


@pytest.fixture(autouse=True)
def _empty_folder(request: pytest.FixtureRequest) -> None:
    """Run a page's Python in an empty folder."""
    if request.node.path.suffix == ".md":
        folder = request.getfixturevalue("tmp_path")
        request.getfixturevalue("monkeypatch").chdir(folder)
