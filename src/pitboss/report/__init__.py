"""Render the math report as HTML, PDF or JSON, and the rack card, from the report's data.

The same data gives the same bytes on every machine: the output contains no timestamp, typst uses
only its embedded fonts, and text in plots is drawn as outlines.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from pitboss.report.card import card
from pitboss.report.sections import document

if TYPE_CHECKING:
    from typing import Literal

    from pitboss.report.elements import Data

__all__ = ["render_card", "render_html", "render_json", "render_pdf"]

TEMPLATES = Path(__file__).parent / "templates"


def render_json(data: Data) -> bytes:
    """Return the data as indented JSON."""
    return f"{json.dumps(data, indent=1)}\n".encode()


def render_html(data: Data) -> bytes:
    """Return the report as one self-contained HTML page."""
    import jinja2

    from pitboss.report.plots import plots

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    template = environment.get_template("report.html.j2")
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    return template.render(**document(data), plots=plots(data), style=style).encode()


def render_pdf(data: Data) -> bytes:
    """Return the report as a PDF that is tagged for accessibility (PDF/UA-1)."""
    from pitboss.report.plots import plots

    figures = {f"plot-{name}": svg for name, svg in plots(data).items()}
    return _typeset("report.typ", document(data), "pdf", figures)


def render_card(data: Data, form: Literal["pdf", "svg"]) -> bytes:
    """Return the one-page card for players."""
    return _typeset("rack_card.typ", card(data), form)


def _typeset(
    template: str, content: Data, form: Literal["pdf", "svg"], inputs: dict[str, str] | None = None
) -> bytes:
    import typst

    output = typst.compile(
        TEMPLATES / template,
        format=form,
        sys_inputs={"content": json.dumps(content), **(inputs or {})},
        ignore_system_fonts=True,
        pdf_standards=["ua-1"] if form == "pdf" else [],
    )
    assert isinstance(output, bytes)  # noqa: S101  a card has one page, and a PDF is one file
    return output
