"""The sections on the rules: identification, clauses, changes and approval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.errors import plural
from pitboss.jurisdictions import LETTERS, WASHINGTON_2017, Verdict
from pitboss.jurisdictions.checks import check_approval
from pitboss.jurisdictions.setup import Setup
from pitboss.report.blocks import (
    Block,
    Cell,
    cell,
    code,
    facts,
    marked_cell,
    note,
    table,
    text,
)
from pitboss.report.elements import (
    Data,
    game_of,
    see,
)
from pitboss.tables.limits import Limit

if TYPE_CHECKING:
    from pitboss.jurisdictions import Finding


DEFAULT = "the default preset"


STYLES = {Verdict.PASS: "", Verdict.PERSON: "open", Verdict.FAIL: "bad"}


def identification(data: Data) -> list[Block]:
    """Return the section that identifies the game, the rules and the software."""
    changed = f"{plural(len(data['changes']), 'setting')} changed from the default preset"
    rows = [
        ("Game", cell(f"{data['name']} ({data['game']})")),
        ("In short", cell(data["summary"])),
        ("Rules", cell(f"{changed}, see {see('changes')}" if data["changes"] else DEFAULT)),
        ("Digest of the rules", code(data["digest"])),
        ("Software", cell(f"pitboss {data['version']}")),
    ]
    if data["date"]:
        rows.append(("Date", cell(data["date"])))
    return [
        facts(*rows),
        text(
            "The digest is the SHA-256 of all settings as JSON, keys sorted, no spaces: two reports"
            " with the same digest are about the same rules."
        ),
        table(
            "Every setting of the rules in force",
            "llw",
            ("setting", "value", "what it may be"),
            [_setting_row(setting) for setting in data["settings"]],
        ),
    ]


def _setting_row(setting: Data) -> list[Cell]:
    value = setting["value"] if setting["default"] else f"{setting['value']} (changed)"
    return [
        code(setting["name"]),
        cell(value, "" if setting["default"] else "changed"),
        cell(setting["choices"]),
    ]


def rules(data: Data) -> list[Block]:
    """Return the section on the rules, clause by clause."""
    rows = [
        [cell(number), cell(clause), marked_cell(*_readings(data, number))]
        for number, clause in data["clauses"].items()
    ]
    silent = [s for s in data["settings"] if not set(_clauses(s)) & data["clauses"].keys()]
    rows += [
        [cell("-"), cell("The sheet does not mention it."), marked_cell(_reading(s))]
        for s in silent
    ]
    return [
        text(
            "The clauses are those of the game's rule sheet, in our own words and with its"
            " numbers. If the sheet leaves a point open, the last column gives our reading; R-1"
            " and so on are the numbered readings of the rules page"
            f" (`docs/rules/{data['game']}.md`)."
        ),
        table(
            "The rules as modelled, clause by clause",
            "lww",
            ("clause", "what happens", "as set and read here"),
            rows,
        ),
    ]


def _clauses(setting: Data) -> list[str]:
    return str(setting["rule"]).split(", ")


def _readings(data: Data, clause: str) -> list[str]:
    """Return the readings of a clause; the first mention of a setting has its full reading."""
    return [
        _reading(s) if _clauses(s)[0] == clause else f"`{s['name']}={s['value']}`"
        for s in data["settings"]
        if clause in _clauses(s)
    ]


def _reading(setting: Data) -> str:
    return f"`{setting['name']}={setting['value']}`: {setting['reading']}"


def changes(data: Data) -> list[Block]:
    """Return the section on changed settings and the approval."""
    rows = [
        [code(row["name"]), cell(_short(row["preset"])), cell(_short(row["value"]), "changed")]
        for row in data["changes"]
    ]
    blocks = (
        [
            table(
                "Settings against the default preset",
                "lll",
                ("setting", "default", "in force"),
                rows,
            )
        ]
        if rows
        else [text("The rules in force are the default preset; no setting is changed.")]
    )
    return [*blocks, *_approval(data)]


def _short(value: str) -> str:
    return "a custom pay table" if value.startswith("[") else value


def _approval(data: Data) -> list[Block]:
    """Compare the rules with the approval letter, as the check does."""
    findings, letter = _approval_findings(data), LETTERS.get(data["game"])
    if letter is None:
        detail = findings[0].detail
        return [note("warning", "No approval on file", f"{detail[0].upper()}{detail[1:]}.")]
    return [
        text(
            f"The approval letter of {letter.date} ({letter.citation.source}) approves the game"
            " with its rules and pay tables. The table below shows which settings are as approved"
            f" and which ones the letter leaves open; {letter.warning}."
        ),
        table(
            "The rules in force against the approval letter",
            "llw",
            ("point", "verdict", "what was found"),
            [
                [
                    cell(f.topic.removeprefix("rule ")),
                    cell(f.verdict.on_approval, STYLES[f.verdict]),
                    cell(f.detail),
                ]
                for f in findings
            ],
        ),
    ]


def _approval_findings(data: Data) -> list[Finding]:
    game = game_of(data)
    setup = Setup(
        game=game,
        rules=game.rules.from_json(data["rules"]),
        limits=dict.fromkeys(game.stakes, Limit(1, 1)),  # the approval does not depend on limits
        seats=data["rules"]["seats"],
    )
    return list(check_approval(WASHINGTON_2017, setup))
