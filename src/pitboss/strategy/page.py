"""The strategy card as one page of HTML, for a phone, a screen or paper."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pitboss.strategy import text as t
from pitboss.strategy.cards import part_of
from pitboss.strategy.svg import FILLS, INKS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pitboss.strategy.cards import Data

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; background: #fff; color: #1a1a1a;
  font: 1rem/1.45 "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.15rem; margin: 1.6rem 0 .5rem; border-bottom: 1px solid #1a1a1a; }
.quiet { color: #555; font-size: .9rem; }
.break { overflow-wrap: anywhere; }
ol.rules { padding-left: 2rem; margin: .5rem 0; }
ol.rules li { padding: .15rem 0; }
ol.rules li::marker { font-weight: 700; }
.charts { display: grid; grid-template-columns: 1fr; gap: 1rem; }
table { border-collapse: collapse; }
caption { text-align: left; font-weight: 700; padding: .2rem 0; }
table.chart { width: 100%; table-layout: fixed; margin-bottom: .8rem; }
.chart th, .chart td { text-align: center; padding: .28rem 0; font-size: .9rem; }
.chart td { border: 1px solid #8a8a8a; }
.chart thead th:first-child, .chart tbody th { width: 3.6rem; text-align: left;
  white-space: nowrap; }
.ladder { width: 100%; font-size: .9rem; }
.ladder th, .ladder td, .keep th, .keep td { text-align: left; vertical-align: top;
  padding: .25rem .6rem .25rem 0; border-bottom: 1px solid #d8d8d8; }
.ladder .number, .keep .number { text-align: right; white-space: nowrap; }
.ladder tr.ours { background: #dceefa; font-weight: 700; }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; }
.legend span { display: inline-block; width: 2rem; text-align: center; border: 1px solid #8a8a8a;
  margin-right: .4rem; }
.big { font-size: 1.25rem; margin: .6rem 0; }
@media (min-width: 48rem) { .charts { grid-template-columns: 1fr 1fr; align-items: start; } }
@media print {
  @page { margin: 12mm; }
  html { font-size: 8.5pt; }
  body { padding: 0; max-width: none; }
  h2 { margin-top: 1rem; }
  .charts { grid-template-columns: 1fr 1fr; align-items: start; }
  h2, caption { break-after: avoid; }
  table.chart, tr { break-inside: avoid; }
  td, th, tr, span { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""


def render_html(data: Data) -> str:
    """Return a card as one self-contained HTML page."""
    name = escape(t.title(data))
    colors = "\n".join(
        f".{code} {{ background: {fill}; color: {INKS.get(code, '#1a1a1a')}; }}"
        for code, fill in FILLS.items()
    )
    body = "\n".join(part_of(data).html_blocks(data))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}</title>\n<style>{STYLE}{colors}\n</style>\n</head>\n<body>\n<main>\n"
        f'<h1>{name}</h1>\n<p class="quiet break">{escape(t.in_force(data))}</p>\n'
        f"{body}\n</main>\n</body>\n</html>\n"
    )


def paragraph(text: str, name: str = "") -> str:
    """Return a paragraph with a CSS class."""
    return f"<p{_class(name)}>{escape(text)}</p>"


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


def table(name: str, heads: Iterable[str], lines: Iterable[tuple[str, str, str, str]]) -> str:
    """Return a table with two number columns and a text column; a line has its attributes first."""
    first, second, third = heads
    body = "".join(
        f'<tr{mark}><td class="number">{a}</td><td class="number">{b}</td>'
        f"<td>{escape(c)}</td></tr>\n"
        for mark, a, b, c in lines
    )
    return (
        f'<table class="{name}">\n<thead><tr><th scope="col" class="number">{first}</th>'
        f'<th scope="col" class="number">{second}</th><th scope="col">{third}</th></tr></thead>\n'
        f"<tbody>\n{body}</tbody>\n</table>"
    )
