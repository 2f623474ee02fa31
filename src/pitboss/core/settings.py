"""Settings: the choices of a house, their text and JSON forms, and the rules they belong to.

A game's rules are a frozen dataclass derived from :class:`Rules`. Each field is a setting, created
with :func:`setting`. The constructor validates every value. Rules can be parsed from and written as
JSON and text.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeAlias, TypeVar

from pitboss.core.errors import NotationError, SettingError, shown
from pitboss.core.paytables import Odds, Paytable, Rounding

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

    from pitboss.core.protocol import Game

Json: TypeAlias = Any  # the result of json.loads; each parser validates it
T = TypeVar("T")


class Kind(Protocol):
    """The type of a setting: how its values are parsed and written."""

    @property
    def choices(self) -> str:
        """The valid values, for display."""

    def read(self, value: Json) -> object:
        """Return the value from its JSON form, or a valid value unchanged; reject any other."""

    def plain(self, value: Any) -> Json:  # noqa: ANN401  the type depends on the kind
        """Return the JSON form of *value*."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A setting with a few named options."""

    options: type[StrEnum]

    @property
    def choices(self) -> str:
        return ", ".join(self.options)

    def read(self, value: Json) -> StrEnum:
        if isinstance(value, str) and value in list(self.options):
            return self.options(value)
        raise SettingError(f"{shown(value)} is not one of {self.choices}")

    def plain(self, value: StrEnum) -> Json:
        return value.value


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A whole number from *least* to *most*."""

    least: int
    most: int

    @property
    def choices(self) -> str:
        return f"{self.least}..{self.most}"

    def read(self, value: Json) -> int:
        if type(value) is int and self.least <= value <= self.most:
            return value
        raise SettingError(f"{shown(value)} is not a whole number in {self.choices}")

    def plain(self, value: int) -> Json:
        return value


@dataclass(frozen=True, slots=True)
class Ratio:
    """Odds that are not 0:1."""

    choices: str = "any odds, as in 3:2"

    def read(self, value: Json) -> Odds:
        odds = Odds.read(value) if isinstance(value, str) else value
        if not isinstance(odds, Odds):
            raise SettingError(f"{shown(value)} are not odds: write them as text, as in 3:2")
        if not odds.win:
            raise SettingError(f"odds of {odds} win nothing")
        return odds

    def plain(self, value: Odds) -> Json:
        return str(value)


@dataclass(frozen=True, slots=True)
class RoundingChoice:
    """A setting whose value is a :class:`Rounding`."""

    choices: str = "cent, down:CHIP or up:CHIP with the chip in cents, as in down:25"

    def read(self, value: Json) -> Rounding:
        if isinstance(value, Rounding):
            return value
        if isinstance(value, str):
            return Rounding.read(value)
        raise SettingError(f"{shown(value)} is not one of {self.choices}")

    def plain(self, value: Rounding) -> Json:
        return str(value)


@dataclass(frozen=True, slots=True)
class PaytableChoice:
    """A pay table: a published one by its name, or a custom one line by line."""

    tables: Mapping[str | int, Paytable[Any]]
    results: tuple[str | int, ...]  # the results that a custom table may list

    @property
    def choices(self) -> str:
        names = ", ".join(map(str, self.tables))
        return f"{names}, or a table of your own (@FILE on the command line, Paytable.of in Python)"

    def read(self, value: Json) -> Paytable[Any]:
        if isinstance(value, Paytable):
            return self._checked(value)
        if isinstance(value, list):
            return self._checked(Paytable(tuple(map(self._parse_line, value))))
        if type(value) in {str, int} and value in self.tables:
            return self.tables[value]
        raise SettingError(f"{shown(value)} is not one of {self.choices}")

    def plain(self, value: Paytable[Any]) -> Json:
        for name, table in self.tables.items():
            if table == value:
                return name
        return self.lines(value)

    def lines(self, value: Paytable[Any]) -> list[dict[str, Json]]:
        """Return the table line by line, even if it has a name."""
        return [{"on": list(results), "pays": str(odds)} for results, odds in value.lines]

    def _parse_line(self, line: Json) -> tuple[tuple[Any, ...], Odds]:
        if not (isinstance(line, dict) and line.keys() == {"on", "pays"}):
            raise SettingError(f'{shown(line)} is not a line like {{"on": [...], "pays": "5:1"}}')
        on, pays = line["on"], line["pays"]
        if not (
            isinstance(on, list) and on and all(isinstance(r, str) or type(r) is int for r in on)
        ):
            raise SettingError(f'"on" must list the results of the line, not {shown(on)}')
        if not isinstance(pays, str):
            raise SettingError(f'"pays" must be odds as text, as in "5:1", not {shown(pays)}')
        return tuple(on), Odds.read(pays)

    def _checked(self, table: Paytable[Any]) -> Paytable[Any]:
        for result in sorted(table.results - set(self.results), key=str):
            valid = ", ".join(map(str, self.results))
            raise SettingError(f"no line can pay on {shown(result)}: choose from {valid}")
        return table


@dataclass(frozen=True, slots=True)
class YesNo:
    """Yes or no: true or false in JSON, yes or no on the command line."""

    choices: str = "yes, no"

    def read(self, value: Json) -> bool:
        if isinstance(value, bool):
            return value
        raise SettingError(f"{shown(value)} is not one of yes, no (true, false in JSON)")

    def plain(self, value: bool) -> Json:  # noqa: FBT001  the value to write
        return value


@dataclass(frozen=True, slots=True)
class Setting:
    """A field of a game's rules: its kind, its rule and its meaning."""

    name: str
    kind: Kind
    rule: str
    about: str
    readings: Mapping[str, str]  # the meanings of values that need an explanation

    def text(self, value: object) -> str:
        """Return *value* in its form on the command line."""
        plain = self.kind.plain(value)
        if isinstance(plain, bool):
            return "yes" if plain else "no"
        return json.dumps(plain, separators=(",", ":")) if isinstance(plain, list) else str(plain)

    def from_text(self, text: str) -> Json:
        """Return the JSON form of *text* from the command line."""
        if isinstance(self.kind, YesNo):
            return {"yes": True, "no": False}.get(text, text)
        if text.isascii() and text.isdecimal() and len(text) < 10:  # noqa: PLR2004
            return int(text)
        if text.startswith("[") and isinstance(self.kind, PaytableChoice):
            return read_json(text)
        return text

    def reading(self, value: object) -> str:
        """Return the meaning of *value*."""
        return self.readings.get(self.text(value), self.about)

    def read(self, value: Json) -> object:
        try:
            return self.kind.read(value)
        except SettingError as error:
            raise SettingError(f"{self.name}: {error}") from None


def setting(
    kind: Kind,
    default: T,
    *,
    rule: str,
    about: str,
    readings: Mapping[str, str] = MappingProxyType({}),
) -> T:
    """Create a field of a game's rules."""
    metadata = {"kind": kind, "rule": rule, "about": about, "readings": readings}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property needs a __dict__
class Rules:
    """One house's version of a game; every difference between houses is a field.

    A value may be given as a Python object or in its JSON form.
    """

    settings: ClassVar[Mapping[str, Setting]] = MappingProxyType({})
    game: ClassVar[Game]  # set when the Game is created

    rounding: Rounding = setting(
        RoundingChoice(),
        Rounding(),
        rule="-",
        about="winnings of each bet to whole chips, in the player's favor or not as said",
        readings={"cent": "winnings of each bet to the nearest cent, exact halves up"},
    )
    seats: int = 7  # each game defines its own range

    def __post_init__(self) -> None:
        for name, known in self.settings.items():
            object.__setattr__(self, name, known.read(getattr(self, name)))

    @classmethod
    def from_json(cls, values: Json) -> Self:
        """Parse rules from JSON; missing settings get their defaults."""
        if not isinstance(values, dict):
            raise SettingError(f"rules must be an object of settings, not {shown(values)}")
        for name in values:
            cls.setting(name)
        return cls(**values)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Parse lines of ``name=value``; missing settings get their defaults."""
        return cls().changed(*text.splitlines())

    @classmethod
    def setting(cls, name: str) -> Setting:
        """Return a setting by name; the error for an unknown name lists the valid ones."""
        if name not in cls.settings:
            raise SettingError(f"no setting {shown(name)}: choose from {', '.join(cls.settings)}")
        return cls.settings[name]

    def changed(self, *assignments: str) -> Self:
        """Return these rules with settings changed, each written ``name=value``."""
        values: dict[str, Json] = {}
        for assignment in assignments:
            name, equals, text = assignment.partition("=")
            if not equals:
                raise SettingError(f"{shown(assignment)} sets nothing: write name=value")
            if name in values:
                raise SettingError(f"{name} is set twice")
            values[name] = self.setting(name).from_text(text)
        return type(self).from_json(self.as_json() | values)

    def as_json(self) -> dict[str, Json]:
        """Return the JSON form of every setting."""
        return dict(self._plain)

    @cached_property
    def _plain(self) -> dict[str, Json]:
        return {name: s.kind.plain(getattr(self, name)) for name, s in self.settings.items()}

    def explained(self) -> list[dict[str, Json]]:
        """Return every setting with its value, its meaning, and whether it is the default."""
        default = type(self)()
        return [
            {
                "name": name,
                "value": s.text(getattr(self, name)),
                "choices": s.kind.choices,
                "rule": s.rule,
                "reading": s.reading(getattr(self, name)),
                "default": getattr(self, name) == getattr(default, name),
            }
            for name, s in self.settings.items()
        ]

    def paytables(self) -> dict[str, list[dict[str, Json]]]:
        """Return the pay tables in force, line by line."""
        kinds = {n: s.kind for n, s in self.settings.items() if isinstance(s.kind, PaytableChoice)}
        return {name: kind.lines(getattr(self, name)) for name, kind in kinds.items()}

    def __str__(self) -> str:
        return "\n".join(
            f"{name}={s.text(getattr(self, name))}" for name, s in self.settings.items()
        )

    def digest(self) -> str:
        """Return the SHA-256 of all settings as JSON, keys sorted, no spaces."""
        text = json.dumps(self.as_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


R = TypeVar("R", bound=Rules)


def with_settings(cls: type[R]) -> type[R]:
    """Collect the settings of a rules dataclass: its own fields first, then the shared ones."""
    shared = {f.name for f in fields(Rules)}
    own_first = sorted(fields(cls), key=lambda f: f.name in shared)
    cls.settings = MappingProxyType({f.name: Setting(f.name, **f.metadata) for f in own_first})
    return cls


def read_json(text: str) -> Json:
    """Parse JSON and reject duplicate keys."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except NotationError:
        raise
    except (ValueError, RecursionError) as error:
        raise NotationError(f"not JSON: {error}") from None


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for key, value in pairs:
        if key in found:
            raise NotationError(f"the key {shown(key)} is given twice")
        found[key] = value
    return found
