"""The command that audits a server's database: ``audit``."""

from __future__ import annotations

import asyncio
import json
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pitboss.cli.shell import (
    NO,
    atomic_output,
    cli,
    complain,
    example,
    json_option,
    needing,
    one_line,
    print_json,
    progress_bar,
    read_file,
)
from pitboss.core.errors import NotationError, plural, shown
from pitboss.core.journal import dollars
from pitboss.core.settings import read_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pitboss.backoffice.audit import Finding, Report
    from pitboss.core.settings import Json
    from pitboss.tables.chain import Head

FORMAT = 1


@cli.command("audit")
@click.argument("database", metavar="DATABASE")
@click.option(
    "--anchors",
    metavar="FILE",
    help="Heads that an earlier audit saved: the chains must still contain them.",
)
@click.option(
    "--save-anchors",
    "save",
    metavar="FILE",
    help="Save the heads of all chains if nothing is wrong; keep the file on another machine.",
)
@json_option
@example(
    "pitboss audit pitboss.db --save-anchors heads.json\n"
    "pitboss audit pitboss.db --anchors heads.json --save-anchors heads.json\n"
    "pitboss audit postgresql://pitboss@db.example/pitboss --json"
)
def audit_command(database: str, anchors: str | None, save: str | None, *, as_json: bool) -> int:
    """Audit a server's database: check every record, every cent and every round.

    DATABASE is a file or the address of a PostgreSQL database. The command only reads it, and a
    server may be running on it. Exit 1 if anything is wrong, 2 if the audit cannot run.
    """
    with needing("server", "audit"):
        from pitboss.backoffice.audit import audit

    known = {} if anchors is None else _read_anchors(anchors)
    with nullcontext(None) if save is None else atomic_output(Path(save)) as write:
        with progress_bar("auditing") as update:
            report = asyncio.run(audit(database, anchors=known, tell=update))
        if write and report.ok:
            write(f"{json.dumps(_anchors_json(report), indent=1)}\n".encode())
    if save is not None and not report.ok:
        complain(f"the heads were not saved in {shown(save)}: the audit found problems")
    print_json(_report_json(report)) if as_json else _show(database, report)
    return 0 if report.ok else NO


def _read_anchors(path: str) -> Mapping[str, Head]:
    """Read the heads that --save-anchors or --json wrote."""
    from pitboss.tables.chain import Head

    try:
        data = read_json(read_file(path))
    except NotationError as error:
        if not isinstance(error.__context__, FileNotFoundError):
            raise
        raise NotationError(
            f"there is no file {shown(path)} to compare with: for the first audit, leave --anchors"
            " out and create the file with --save-anchors"
        ) from None
    heads = data.get("heads") if isinstance(data, dict) else None
    if not isinstance(heads, dict):
        raise NotationError(f"{shown(path)} has no heads: give a file that --save-anchors wrote")
    for chain, head in heads.items():
        if not (
            isinstance(head, dict)
            and type(head.get("seq")) is int
            and isinstance(head.get("hash"), str)
        ):
            raise NotationError(f"{shown(path)}: the head of {shown(chain)} needs seq and hash")
    return {chain: Head(head["seq"], head["hash"]) for chain, head in heads.items()}


def _heads_json(report: Report) -> dict[str, Json]:
    return {chain: head._asdict() for chain, head in report.heads.items()}


def _anchors_json(report: Report) -> dict[str, Json]:
    return {"format": FORMAT, "kind": "pitboss-anchors", "heads": _heads_json(report)}


def _report_json(report: Report) -> dict[str, Json]:
    return {
        "ok": report.ok,
        "records": report.records,
        "rounds": report.rounds,
        "void": report.void,
        "not_restored": report.not_restored,
        "tables": report.tables,
        "players": report.players,
        "ledger": asdict(report.ledger) | {"total": report.ledger.total},
        "findings": [asdict(finding) for finding in report.findings],
        "heads": _heads_json(report),
    }


def _show(database: str, report: Report) -> None:
    books = report.ledger
    sums = [f"{name} {dollars(getattr(books, name))}" for name in ("players", "felt", "house")]
    void = f", {report.void:,} of them void" if report.void else ""
    lost = f" ({report.not_restored:,} could not be restored)" if report.not_restored else ""
    click.echo(f"{one_line(_without_password(database))}")
    click.echo(f"  tables   {report.tables:,}, players {report.players:,}")
    click.echo(f"  records  {report.records:,} in {plural(len(report.heads), 'chain')}")
    click.echo(f"  rounds   {report.rounds:,}{void}{lost}")
    click.echo(
        f"  ledger   {plural(books.lines, 'line')}: {', '.join(sums)}, bank {dollars(books.bank)}"
    )
    for finding in report.findings:
        click.echo(one_line(_line(finding)))
    count = len(report.findings)
    wrong = "1 thing is wrong." if count == 1 else f"{count:,} things are wrong."
    click.echo("All is well." if report.ok else wrong)


def _line(finding: Finding) -> str:
    return f"{finding.where}: {finding.what}"


def _without_password(database: str) -> str:
    """Return the address of a database without its password."""
    before, at, after = database.rpartition("@")
    scheme, mark, user = before.partition("://")
    return f"{scheme}{mark}{user.partition(':')[0]}{at}{after}"
