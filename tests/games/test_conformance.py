"""Every game satisfies one protocol: each property, on random rounds with random settings."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitboss.games import GAMES
from tests.games.conformance import LAWS
from tests.strategies import rounds


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("key", GAMES)
@settings(max_examples=40)
@given(data=st.data())
def test_law(key, law, data):
    """The property holds for a random round."""
    law(data.draw(rounds(GAMES[key])))
