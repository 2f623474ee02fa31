"""The TypeScript types of the page agree with the API."""

from typing import get_args

import pytest

from pitboss.games import GAMES
from pitboss.web import messages
from tools import typescript


@pytest.mark.parametrize("key", GAMES)
def test_every_phase_is_named(key):
    """The API lists every phase of every game."""
    betting = GAMES[key].start(GAMES[key].rules()).phase
    _, field = get_args(messages.Phase)
    assert set(type(betting)) <= set(field.json_schema_extra["enum"])


def test_the_committed_schema_is_that_of_the_application():
    """The application's schema equals frontend/openapi.json."""
    written = typescript.SCHEMA.read_text(encoding="utf-8")
    assert written == typescript.schema(), "the API has changed: run `make types`"


def test_the_types_are_made_from_the_committed_schema():
    """The first line of frontend/src/api.ts names the committed schema."""
    written = typescript.TYPES.read_text(encoding="utf-8")
    first = typescript.header(typescript.SCHEMA.read_text(encoding="utf-8"))
    assert written.startswith(first), "the types are of another schema: run `make types`"


@pytest.mark.long
def test_the_types_are_what_the_generator_makes():
    """Generating the types again gives the same file."""
    made = typescript.types(typescript.SCHEMA.read_text(encoding="utf-8"))
    assert made == typescript.TYPES.read_text(encoding="utf-8")
