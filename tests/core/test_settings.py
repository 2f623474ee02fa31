"""Rules of every game are validated when they are created, and can be parsed from their text."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.core.errors import GameError, NotationError, SettingError
from pitboss.core.paytables import Odds, Paytable
from pitboss.core.settings import read_json
from pitboss.games import GAMES, find_game, toss_one
from tests.strategies import chances, random_rules

any_rules = st.builds(random_rules, chances, st.sampled_from(list(GAMES.values())))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
)


@given(any_rules)
def test_rules_round_trip(rules):
    """Rules can be parsed from their JSON and from their text."""
    assert type(rules).from_json(json.loads(json.dumps(rules.as_json()))) == rules
    assert type(rules).from_text(str(rules)) == rules
    assert type(rules).from_json(rules.as_json()).digest() == rules.digest()


@given(any_rules)
def test_digest_is_of_sorted_json(rules):
    """The digest is the SHA-256 of all rules as JSON, keys sorted, no spaces."""
    text = json.dumps(rules.as_json(), sort_keys=True, separators=(",", ":"))

    assert rules.digest() == hashlib.sha256(text.encode()).hexdigest()


@given(st.sampled_from(list(GAMES.values())), st.data())
def test_any_json_is_rules_or_refused(game, data):
    """Any JSON value for a setting is accepted as it is, or rejected with the setting's name."""
    name = data.draw(st.sampled_from(list(game.rules.settings)))
    value = data.draw(json_values)
    try:
        rules = game.rules.from_json({name: value})
    except GameError as error:
        assert str(error).startswith(f"{name}: ")
        assert "\n" not in str(error)
    else:
        assert rules.as_json()[name] == value


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_presets(game):
    """The preset default has all default settings; no two other presets are equal."""
    assert game.presets["default"] == game.rules()
    others = [rules.digest() for name, rules in game.presets.items() if name != "default"]
    assert len(set(others)) == len(others)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_setting_says_what_it_means(game):
    """Every setting has its rule, its choices and the meaning of each value."""
    for setting in game.rules.settings.values():
        assert setting.rule
        assert setting.kind.choices
        assert setting.reading(getattr(game.rules(), setting.name))


@pytest.mark.parametrize(
    ("assignment", "reason"),
    [
        ("decks=0", "decks: 0 is not a whole number in 1..8"),
        ("decks=9", "decks: 9 is not a whole number in 1..8"),
        ("decks=two", "decks: 'two' is not a whole number in 1..8"),
        ("decks=-1", "decks: '-1' is not a whole number in 1..8"),
        ("decks=1.0", "decks: '1.0' is not a whole number in 1..8"),
        ("seats=10", "seats: 10 is not a whole number in 1..9"),
        ("blackjack_pays=3:0", "blackjack_pays: odds of 3:0 are invalid"),
        ("blackjack_pays=0:1", "blackjack_pays: odds of 0:1 win nothing"),
        ("blackjack_pays=3", "blackjack_pays: 3 are not odds"),
        ("blackjack_pays=3/2", "blackjack_pays: '3/2' are not odds: write them as in 3:2"),
        ("dealer_blackjack=maybe", "dealer_blackjack: 'maybe' is not one of is_21, beats_21"),
        ("ace_kicker=11", "ace_kicker: 11 is not one of high, low"),
        ("toss=", "toss: '' is not one of must_be_best, free"),
        ("rounding=5", "rounding: 5 is not one of cent, down:CHIP or up:CHIP"),
        ("rounding=down:0", "rounding: a chip of 0 cents is invalid"),
        ("lucky3_paytable=3", "lucky3_paytable: 3 is not one of 2, 1, or a table of your own"),
        ("bonus4_paytable=mine", "bonus4_paytable: 'mine' is not one of letter, or a table"),
        ("bonus4_paytable=[]", "bonus4_paytable: the pay table lists no winning result"),
        ('bonus4_paytable=[{"on":[22],"pays":"1:1"}]', "no line can pay on 22: choose from 4, 5"),
        (
            'lucky3_paytable=[{"on":["x"],"pays":"1:1"}]',
            "no line can pay on 'x': choose from suited_blackjack, coloured_blackjack",
        ),
        ('bonus4_paytable=[{"on":[4,4],"pays":"1:1"}]', "bonus4_paytable: 4 is listed twice"),
        ('bonus4_paytable=[{"on":[4],"pays":"1:0"}]', "odds of 1:0 are invalid"),
        ('bonus4_paytable=[{"on":[4],"pays":1}]', '"pays" must be odds as text'),
        ('bonus4_paytable=[{"on":[],"pays":"1:1"}]', '"on" must list the results of the line'),
        ('bonus4_paytable=[{"on":4,"pays":"1:1"}]', '"on" must list the results of the line'),
        ('bonus4_paytable=[{"on":[true],"pays":"1:1"}]', '"on" must list the results of the line'),
        ('bonus4_paytable=[{"on":[4]}]', "is not a line like"),
        ("bonus4_paytable=[4]", "4 is not a line like"),
        ('lucky3_paytable=[{"on":["flush"],"pays":"1:1"}]', "no line can pay on 'flush'"),
        ("deck=1", "no setting 'deck': choose from dealer_blackjack, blackjack_pays"),
        ("decks", "'decks' sets nothing: write name=value"),
    ],
)
def test_wrong_settings(assignment, reason):
    """A wrong name or value is rejected, with the valid ones."""
    with pytest.raises(SettingError) as refused:
        toss_one.Rules().changed(assignment)

    assert reason in str(refused.value)


def test_setting_twice_is_refused():
    """A setting cannot be given twice."""
    with pytest.raises(SettingError, match="decks is set twice"):
        toss_one.Rules().changed("decks=1", "decks=2")


def test_wrong_values_in_python():
    """A value of the wrong type is rejected when the rules are created."""
    with pytest.raises(SettingError, match="blackjack_pays: 1.5 are not odds"):
        toss_one.Rules(blackjack_pays=1.5)
    with pytest.raises(SettingError, match=r"lucky3_paytable: no line can pay on 'flush'"):
        toss_one.Rules(lucky3_paytable=Paytable(((("flush",), Odds(3)),)))
    with pytest.raises(SettingError, match="decks: True is not"):
        toss_one.Rules(decks=True)


def test_values_in_python():
    """Values can be given as objects or in their JSON form."""
    assert toss_one.Rules(blackjack_pays="6:5") == toss_one.Rules(blackjack_pays=Odds(6, 5))
    assert toss_one.Rules(lucky3_paytable=1).lucky3_paytable is toss_one.LUCKY_3_TABLE_1


def test_a_printed_table_written_out_is_that_table():
    """A custom table that equals the printed one has the name of the printed one."""
    kind = toss_one.Rules.settings["bonus4_paytable"].kind
    rules = toss_one.Rules(bonus4_paytable=kind.lines(toss_one.BONUS_4))

    assert rules == toss_one.Rules()
    assert rules.as_json()["bonus4_paytable"] == "letter"


@pytest.mark.parametrize("values", [None, [], "decks=1", 3])
def test_rules_are_an_object(values):
    """Rules that are not a JSON object are rejected."""
    with pytest.raises(SettingError, match="rules must be an object"):
        toss_one.Rules.from_json(values)


@pytest.mark.parametrize("key", [None, 3, "toss", "toss_one"])
def test_unknown_game(key):
    """An unknown game is rejected with the names of all games."""
    with pytest.raises(NotationError, match=f"^no game .*: choose from {', '.join(GAMES)}$"):
        find_game(key)


@pytest.mark.parametrize("text", ["{", "", '{"a": 1, "a": 2}', "[" * 100_000, "9" * 5_000])
def test_unreadable_json(text):
    """Invalid JSON and duplicate keys are rejected with a one-line message."""
    with pytest.raises(NotationError, match="not JSON|given twice"):
        read_json(text)
