"""The docs site: it builds, every page is in the nav, links work, and nothing is external."""

import re
import shutil
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from tools.console import ROOT

LOADED = {"script", "img", "iframe", "source", "video", "audio", "embed", "object", "track"}
"""Tags whose address a browser loads by itself; of ``link`` it does too."""

FETCHED = ("mermaid", "glightbox", "pyodide", "tablesort")
"""Classes by which the theme's script would load more from another host."""


class Page(HTMLParser):
    """A built page: its anchors, its links, the files it loads, and the classes it uses."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads, self.classes = {""}, [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        self.classes |= set((found.get("class") or "").split())
        address = found.get("src") or found.get("href") or found.get("data")
        if address is not None:
            self.links.append(address)
        if address and (tag in LOADED or (tag == "link" and found.get("rel") != "canonical")):
            self.loads.append(address)


@cache
def read(path):
    return Page(path)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the site, built like `make site` in a separate folder."""
    folder = tmp_path_factory.mktemp("site").resolve()
    shutil.copy(ROOT / "mkdocs.yml", folder)
    shutil.copytree(ROOT / "docs", folder / "docs")
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    return folder / "site"


def test_every_page_is_in_the_nav():
    """The nav names every page of the docs once, and no other."""
    named = re.findall(
        r"^ +- [^:\n]+: (\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE
    )
    pages = [p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")]

    assert sorted(named) == sorted(pages)


def test_every_page_is_built(site):
    """Every page of the docs is a page of the site."""
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs").with_suffix(".html")).is_file()


def test_links_of_the_site(site):
    """Every link inside the site leads to an existing file and anchor."""
    wrong = []
    for page in site.rglob("*.html"):
        for link in read(page).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            path = unquote(parts.path)  # from the root of the site on the page for what is missing
            there = site / path[1:] if path.startswith("/") else page.parent / path
            there = there.resolve() if path else page
            there = there / "index.html" if there.is_dir() else there
            inside = there.is_relative_to(site) and there.is_file()
            known = there.suffix != ".html" or not inside or parts.fragment in read(there).anchors
            if not (inside and known):
                wrong.append(f"{page.relative_to(site)}: {link}")

    assert wrong == []


def test_nothing_is_loaded_from_another_host(site):
    """Pages and styles load only files of the site, and none of them fetches more."""
    foreign = re.compile(r"(?:https?:)?//")
    for page in site.rglob("*.html"):
        assert [load for load in read(page).loads if foreign.match(load)] == []
        assert [name for name in read(page).classes if name.startswith(FETCHED)] == []
    for style in site.rglob("*.css"):
        assert re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//", style.read_text("utf-8")) == []
