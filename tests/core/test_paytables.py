"""Odds, rounding and pay tables."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.core.errors import SettingError
from pitboss.core.paytables import EVEN, Direction, Odds, Paytable, Rounding


@pytest.mark.parametrize(
    "text", ["3:0", "3", ":", "3:-2", "3.5:1", "a:b", "", "3 : 2", "9999999:1", "1:9999999", "٣:2"]
)
def test_impossible_odds(text):
    """Invalid odds are rejected with the reason."""
    with pytest.raises(SettingError, match="are invalid|are not odds"):
        Odds.read(text)


@pytest.mark.parametrize(("win", "stake"), [(1.5, 1), (True, 1), (1, 2.0), (-1, 1), (1, 0)])
def test_impossible_numbers(win, stake):
    """Odds are whole numbers that are not negative, and the stake is positive."""
    with pytest.raises(SettingError, match="are invalid"):
        Odds(win, stake)


@given(st.integers(0, 1_000_000), st.integers(1, 1_000_000))
def test_odds_round_trip(win, stake):
    """Printed odds are parsed back."""
    assert Odds.read(str(Odds(win, stake))) == Odds(win, stake)


@pytest.mark.parametrize(
    ("text", "winnings", "cents"),
    [
        ("cent", Fraction(15, 2), 8),  # exact halves up
        ("cent", Fraction(149, 20), 7),
        ("cent", Fraction(7), 7),
        ("down:25", Fraction(749), 725),
        ("down:25", Fraction(750), 750),
        ("down:100", Fraction(99), 0),
        ("up:25", Fraction(1501, 2), 775),
        ("up:25", Fraction(750), 750),
        ("up:1", Fraction(1, 3), 1),
    ],
)
def test_rounding(text, winnings, cents):
    """Winnings go to whole chips as the setting says."""
    assert Rounding.read(text).of(winnings) == cents
    assert str(Rounding.read(text)) == text


def test_rounding_reads_back():
    """A rounding that cannot be written is rejected; a direction may be given as a word."""
    with pytest.raises(
        SettingError, match="^winnings are rounded to the nearest cent, or down or up to a chip$"
    ):
        Rounding(Direction.NEAREST, 25)
    assert Rounding("up", 25) == Rounding.read("up:25")
    assert Rounding("up", 25).of(Fraction(1)) == 25


@given(st.sampled_from(Direction), st.integers(1, 1000), st.fractions(min_value=0, max_value=10**9))
def test_rounding_stays_within_a_chip(direction, chip, winnings):
    """Rounded winnings are whole chips, less than a chip away, in the right direction."""
    chip = 1 if direction is Direction.NEAREST else chip
    rounded = Rounding(direction, chip).of(winnings)

    assert rounded % chip == 0
    assert abs(rounded - winnings) < chip
    if direction is Direction.DOWN:
        assert rounded <= winnings
    if direction is Direction.UP:
        assert rounded >= winnings
    if direction is Direction.NEAREST:
        assert -chip <= 2 * (winnings - rounded) < chip


def test_impossible_rounding_is_told():
    """The error message has the invalid text and the correct notation."""
    with pytest.raises(
        SettingError, match="^'cents' is not a rounding: use cent, .* as in down:25$"
    ):
        Rounding.read("cents")


@pytest.mark.parametrize("text", ["", "down", "down:0", "up:-5", "cents", "down:2.5", "DOWN:25"])
def test_impossible_rounding(text):
    """An invalid rounding is rejected, with the correct notation."""
    with pytest.raises(SettingError, match=r"is not a rounding|is invalid"):
        Rounding.read(text)


def test_only_winnings_are_rounded():
    """A lost stake is lost in full, whatever the chips; a push is zero."""
    rounding = Rounding(Direction.DOWN, 100)

    assert rounding.net(None, 1050) == -1050
    assert rounding.net(Odds(0), 1050) == 0
    assert rounding.net(Odds(3, 2), 1050) == 1500


def test_paytable_looks_up():
    """A listed result pays, a push pays zero, and any other result loses."""
    table = Paytable(((("a", "b"), Odds(3)), (("c",), Odds(0))))

    assert [table.odds(result) for result in ("a", "b", "c", "d", None)] == [
        Odds(3),
        Odds(3),
        Odds(0),
        None,
        None,
    ]
    assert table.results == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ((((4,), Odds(1)), ((5, 4), Odds(2))), "4 is listed twice"),
        ((((4, 4), Odds(1)),), "4 is listed twice"),
        ((), "lists no winning result"),
        ((((), Odds(1)),), "lists no winning result"),
    ],
)
def test_impossible_paytables(lines, reason):
    """A table that lists a result twice, or nothing, is refused with the reason."""
    with pytest.raises(SettingError, match=reason):
        Paytable(lines)


def test_table_of_a_mapping():
    """A table is created from the odds of each result: one per line, or several as a tuple."""
    table = Paytable.of({"ace": "11:1", ("king", "queen"): Odds(3, 2), "jack": EVEN})

    assert table == Paytable(
        ((("ace",), Odds(11)), (("king", "queen"), Odds(3, 2)), (("jack",), Odds(1)))
    )


@pytest.mark.parametrize(
    ("pays", "message"),
    [
        ({4: 250}, "^'250' are not odds: write them as in 3:2$"),
        ({4: "1:1", (4, 5): "2:1"}, "^4 is listed twice$"),
        ({}, "^the pay table lists no winning result$"),
    ],
)
def test_impossible_mappings(pays, message):
    """An invalid mapping is rejected with the reason."""
    with pytest.raises(SettingError, match=message):
        Paytable.of(pays)


@pytest.mark.parametrize("pays", [[(4, "2:1")], None, "4"])
def test_a_table_is_made_of_a_mapping(pays):
    """Any other type is rejected with a one-line message."""
    with pytest.raises(SettingError, match="is not a pay table"):
        Paytable.of(pays)


def test_none_is_no_result():
    """None stands for no class, so it cannot be a winning result."""
    with pytest.raises(SettingError, match="None cannot be a winning result"):
        Paytable.of({None: "1:1"})
