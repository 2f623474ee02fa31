"""The strategy card as one page of HTML, for a phone, a screen or paper."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pitboss.strategy import text as t
from pitboss.strategy.svg import FILLS, INKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
    """Return a card as a page that needs nothing else."""
    name = escape(t.title(data))
    colours = "\n".join(
        f".{code} {{ background: {fill}; color: {INKS.get(code, '#1a1a1a')}; }}"
        for code, fill in FILLS.items()
    )
    body = "\n".join(_roll(data) if "setting" in data else _toss(data))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}</title>\n<style>{STYLE}{colours}\n</style>\n</head>\n<body>\n<main>\n"
        f'<h1>{name}</h1>\n<p class="quiet break">{escape(t.in_force(data))}</p>\n'
        f"{body}\n</main>\n</body>\n</html>\n"
    )


def _paragraph(text: str, name: str = "") -> str:
    return f"<p{_class(name)}>{escape(text)}</p>"


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


def _roll(data: Data) -> Iterator[str]:
    yield "<h2>How to set three cards</h2>"
    yield _paragraph(f"{t.HOW} {t.TENS}", "quiet")
    lines = "".join(f"<li>{escape(rule['text'])}</li>\n" for rule in data["setting"]["lines"])
    yield f'<ol class="rules">\n{lines}</ol>'
    yield _paragraph(t.setting_cost(data))
    yield "<h2>How to play the hands</h2>"
    total = "".join(_chart(data, kind) for kind in ("hard", "soft"))
    pairs = _chart(data, "pair") + _legend(data)
    yield f'<div class="charts"><div>{total}</div><div>{pairs}</div></div>'
    yield _paragraph(t.playing_cost(data))
    yield "<h2>Exceptions that matter</h2>"
    apart = "".join(f"<li>{escape(t.exception(e))}</li>\n" for e in data["playing"]["exceptions"])
    yield f"<ul>\n{apart}</ul>" if apart else ""
    yield _paragraph(t.exceptions_head(data), "quiet")
    yield _paragraph(data["insurance"]["text"])
    yield "<h2>The ladder: shorter and longer lists</h2>"
    yield _ladder(data)
    yield _paragraph(t.together(data))


def _chart(data: Data, kind: str) -> str:
    lines = t.rows(data, kind)
    if not lines:
        return ""
    ups = "".join(
        f'<th scope="col">{t.label(up)}</th>' for up in data["playing"]["chart"]["up_cards"]
    )
    body = "".join(
        f'<tr><th scope="row">{name}</th>'
        + "".join(f'<td class="{code}">{code}</td>' for code in cells)
        + "</tr>\n"
        for name, cells in lines
    )
    return (
        f'<table class="chart">\n<caption>{t.TITLES[kind]}, by the dealer\'s up card</caption>\n'
        f'<thead><tr><th scope="col">You</th>{ups}</tr></thead>\n'
        f"<tbody>\n{body}</tbody>\n</table>\n"
    )


def _legend(data: Data) -> str:
    keys = "".join(
        f'<li><span class="{code}">{code}</span>{text}</li>\n'
        for code, text in t.used(data).items()
    )
    return f'<ul class="legend">\n{keys}</ul>'


def _ladder(data: Data) -> str:
    return _table(
        "ladder",
        ("Lines", "% of stake", "The list, first choice first"),
        (
            (
                ' class="ours"' if rung["is_the_card"] else "",
                str(rung["lines"]),
                f"{100 * rung['cost']['of_stake']:.5f}",
                t.rung_line(rung),
            )
            for rung in data["setting"]["ladder"]
        ),
    )


def _table(name: str, heads: Iterable[str], lines: Iterable[tuple[str, str, str, str]]) -> str:
    """Return a table of two columns of figures and one of words; rows begin with attributes."""
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


def _toss(data: Data) -> Iterator[str]:
    toss, lucky3 = data["toss"], data["lucky3"]
    yield "<h2>The toss</h2>"
    yield _paragraph(toss["rule"], "big")
    yield _paragraph(f"{toss['why']} {toss['equal']}", "quiet")
    yield "<h2>Lucky 3</h2>"
    yield _paragraph(lucky3["rule"])
    for family in lucky3["families"]:
        yield f"<h3>{escape(family['name'].capitalize())}</h3>"
        lines = (("", str(r["rank"]), r["pays"], r["text"]) for r in family["keep"])
        yield _table("keep", ("Choice", "Pays", "Keep"), lines)
