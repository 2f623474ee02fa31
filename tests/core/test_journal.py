"""Journals are parsed strictly and replayed exactly, and no input causes a crash."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pitboss.core.cards import DECK
from pitboss.core.errors import DeckError, GameError, NotationError, RuleError, SettingError
from pitboss.core.journal import (
    differences,
    dollars,
    net_json,
    read_cents,
    read_journal,
    read_stakes,
    record_json,
    replay,
)
from pitboss.games import roll_your_own, toss_one
from tests.strategies import hands

JOURNAL = {
    "format": 1,
    "game": "toss-one-21",
    "rules": {"lucky3_paytable": 1},
    "deck": "As Ks Qs 2h 7h 7d 7s 2c Tc 8c 3d 9s",
    "bets": [{"seat": 4, "main": 1000, "lucky3": 500}, {"seat": 2, "main": 500, "bonus4": 100}],
    "decisions": ["toss 2h", "toss 2c"],
}


ROLL = {
    "format": 1,
    "game": "roll-your-own",
    "rules": {"max_splits": 4},
    "deck": "8s 8d Th 2c 6h Kd 3c 9d 5h Ac 7s",
    "bets": [{"seat": 1, "bet": 1000}],
    "decisions": ["set 8s8d Th", "split", "double", "stand"],
}


def changed(journal=JOURNAL, **changes):
    """Return the journal's text with some keys changed, or removed if they are ``...``."""
    data = journal | changes
    return json.dumps({key: value for key, value in data.items() if value is not ...})


def run(**changes):
    return replay(read_journal(changed(**changes)))


def test_replay():
    """A journal replays to its settlements, packs going to the seats in order."""
    round_ = run()

    assert net_json(round_) == {"2": 650, "4": -1000}
    assert [(s.seat, s.bet, s.net) for s in round_.settlements()] == [
        (2, "main", 750),
        (2, "bonus4", -100),
        (4, "main", -1000),
        (4, "lucky3", 0),
    ]


def test_record():
    """A replay shows the table in the documented format."""
    record = record_json(toss_one.GAME, run())

    assert list(record) == [
        "game", "rules", "phase", "asked", "seats", "dealer", "settlements", "net",
    ]  # fmt: skip
    assert record["rules"] == toss_one.Rules(lucky3_paytable=1).as_json()
    assert (record["phase"], record["asked"]) == ("settled", None)
    assert record["seats"][0] == {
        "seat": 2,
        "cards": ["As", "Ks", "Qs", "2h"],
        "hands": [
            {"bet": "main", "hand": 0, "cards": ["As", "Ks", "Qs"], "total": 21, "stake": 500}
        ],
    }
    assert record["dealer"] == {"cards": ["Tc", "8c", "3d", "9s"], "total": 21}


def test_open_round():
    """With too few decisions the round stays open with a pending decision; the dealer is hidden."""
    record = record_json(toss_one.GAME, run(decisions=["toss 2h"]))

    assert record["phase"] == "tossing"
    assert record["asked"] == {"seat": 4, "decision": "toss", "legal": ["toss 2c"]}
    assert record["dealer"] == {"cards": [], "total": None}
    assert record["seats"][1]["hands"] == []
    assert record["net"] == {"2": 650, "4": 0}


def test_bust_has_no_hand():
    """A bust has no kept cards and no decision."""
    record = record_json(
        toss_one.GAME,
        run(deck="Ts Js Qs 9h Tc 8c 3d 9s", bets=[{"seat": 1, "main": 100}], decisions=[]),
    )

    assert record["seats"][0]["hands"] == [
        {"bet": "main", "hand": 0, "cards": None, "total": None, "stake": 100}
    ]
    assert record["net"] == {"1": -100}


def test_defaults():
    """Rules and decisions may be left out."""
    assert run(rules=..., decisions=...).rules == toss_one.Rules()


def test_longer_deck():
    """The deck may contain more cards than the round needs, up to the whole deck."""
    whole = " ".join(
        [JOURNAL["deck"]] + [card.text for card in DECK if card.text not in JOURNAL["deck"].split()]
    )

    assert run(deck=whole) == run()


@pytest.mark.parametrize(
    ("changes", "error", "reason"),
    [
        ({"format": ...}, NotationError, "a journal needs 'format'"),
        ({"game": ...}, NotationError, "a journal needs 'game'"),
        ({"deck": ...}, NotationError, "a journal needs 'deck'"),
        ({"bets": ...}, NotationError, "a journal needs 'bets'"),
        ({"desisions": []}, NotationError, "a journal has no key 'desisions': the keys are bets"),
        ({"format": 2}, NotationError, "format 2 is not known"),
        ({"format": True}, NotationError, "format True is not known"),
        ({"format": "1"}, NotationError, "format '1' is not known"),
        ({"game": "poker"}, NotationError, "no game 'poker': choose from toss-one-21"),
        ({"rules": {"decks": 0}}, SettingError, "decks: 0 is not a whole number in 1..8"),
        ({"rules": {"deck": 1}}, SettingError, "no setting 'deck'"),
        ({"rules": []}, SettingError, "rules must be an object"),
        ({"deck": ["As"]}, NotationError, "the deck must be text"),
        ({"deck": "As Xx"}, NotationError, "'Xx' is not a card"),
        ({"deck": "As Ks Qs 2h"}, DeckError, "the deck has 4 cards: 3 packs of 4 need 12"),
        ({"deck": ""}, DeckError, "the deck has 0 cards"),
        ({"deck": JOURNAL["deck"] + " As"}, DeckError, "As appears 2 times"),
        ({"deck": JOURNAL["deck"] + " 5d" * 41}, DeckError, "53 cards are more than the 1 x 52"),
        ({"bets": []}, RuleError, "nobody has bet"),
        ({"bets": {}}, NotationError, "bets must be a list of objects"),
        ({"bets": [1]}, NotationError, "bets must be a list of objects"),
        ({"bets": [{"seat": 1}]}, RuleError, "seat 1 needs a Main bet"),
        ({"bets": [{"seat": "a\nb" * 99, "main": 0}]}, RuleError, "seat 'a\\nba\\nb"),
        ({"bets": [{"seat": 1, "main": 10**16}]}, RuleError, "from 0 to 1,000,000,000,000,000"),
        ({"bets": [{"main": 1}]}, NotationError, "a bet needs 'seat'"),
        ({"bets": [{"seat": 1, "main": 0}]}, RuleError, "seat 1 needs a Main bet"),
        ({"bets": [{"seat": 1, "main": -1}]}, RuleError, "main of -1"),
        ({"bets": [{"seat": 1, "main": 1.5}]}, RuleError, "main of 1.5"),
        (
            {"bets": [{"seat": 1, "main": 1, "lucky4": 1}]},
            NotationError,
            "a bet has no key 'lucky4'",
        ),
        ({"bets": [{"seat": 1, "main": 1, "bet": 1}]}, NotationError, "a bet has no key 'bet'"),
        ({"bets": [{"seat": 8, "main": 1}]}, RuleError, "no seat 8"),
        ({"bets": [{"seat": 1, "main": 1}] * 2}, RuleError, "seat 1 has already bet"),
        ({"decisions": "toss 2h"}, NotationError, "decisions must be a list of strings"),
        ({"decisions": [1]}, NotationError, "decisions must be a list of strings"),
        ({"settlements": {}}, NotationError, "settlements must be a list of objects"),
        ({"settlements": [{"seat": 1}]}, NotationError, "a settlement needs 'bet'"),
        ({"net": 5}, NotationError, "net must be an object that maps seats to cents"),
    ],
)
def test_refused(changes, error, reason):
    """An invalid journal is rejected with the reason."""
    with pytest.raises(error) as refused:
        run(**changes)

    assert reason in str(refused.value)
    assert refused.value.at is None


@pytest.mark.parametrize(
    ("decisions", "at", "reason"),
    [
        (["toss 2h", "toss 2c", "toss 2c"], 2, "'toss 2c' is one decision too many"),
        (["toss 2h", "toss 7h"], 1, "may not toss 7h: the best total is 21, by 2c"),
        (["toss 2c"], 0, "seat 2 does not hold 2c"),
        (["stand"], 0, "'stand' is not a decision of this game"),
        (["toss 2h", "toss"], 1, "expected one card"),
        (["toss Zz"], 0, "'Zz' is not a card"),
    ],
)
def test_wrong_decisions(decisions, at, reason):
    """A decision too many, illegal or unreadable is refused with its index."""
    with pytest.raises(GameError) as refused:
        run(decisions=decisions)

    assert reason in str(refused.value)
    assert refused.value.at == at


@pytest.mark.parametrize(
    ("changes", "at", "reason"),
    [
        ({"decisions": ["hit"]}, 0, "seat 1 may not hit now: the round is setting"),
        ({"decisions": ["set 8s8d Th", "insure 0"]}, 1, "is not offered insurance now"),
        (
            {"decisions": ["set 8s8d Th", "split", "double", "stand", "hit"]},
            4,
            "one decision too many",
        ),
        ({"decisions": ["set 8s8d 9h"]}, 0, "seat 1 may not set 8s8d 9h: it may set 8s8d Th"),
        ({"deck": "8s 8d Th 2c 6h Kd 3c 9d 5h Ac"}, 3, "the deck ends after 10 cards"),
        ({"deck": "8s 8d Th 2c 6h Kd", "decisions": ["set Th 8s8d"]}, 0, "the deck ends after 6"),
        (
            {"bets": [{"seat": 1, "bet": 0}]},
            None,
            "a bet must be a whole number of cents from 1 to",
        ),
        (
            {"bets": [{"seat": 1, "main": 100}]},
            None,
            "a bet has no key 'main': the keys are bet, seat",
        ),
        ({"bets": [{"seat": 1}]}, None, "first of 0: a bet must be a whole number of cents from 1"),
    ],
)
def test_wrong_rolls(changes, at, reason):
    """In Roll Your Own, too, a wrong decision is rejected with its index."""
    with pytest.raises(GameError) as refused:
        replay(read_journal(changed(ROLL, **changes)))

    assert reason in str(refused.value)
    assert refused.value.at == at


def test_open_rolls():
    """An open round shows the pending decisions in the documented order."""
    asked = []
    for count in range(5):
        text = changed(ROLL, decisions=ROLL["decisions"][:count])
        asked.append(record_json(roll_your_own.GAME, replay(read_journal(text)))["asked"])

    assert [a and a["decision"] for a in asked] == ["set", "play", "play", "play", None]
    assert asked[2] == {"seat": 1, "decision": "play", "legal": ["hit", "stand", "double"]}


@pytest.mark.parametrize("text", ["[]", "3", "null", "{", '{"format": 1, "format": 1}', "\x00"])
def test_no_journal(text):
    """Text that is not a JSON object is rejected."""
    with pytest.raises(NotationError):
        read_journal(text)


@pytest.mark.parametrize(
    ("claims", "found"),
    [
        ({"net": {"2": 650, "4": -1000}}, []),
        ({"net": {"2": 650, "4": -999}}, ["net is {'2': 650, '4': -1000}, the journal has"]),
        ({"net": {"2": 650}}, ["net is"]),
        ({"net": {"2": 650.0, "4": -1000}}, ["net is"]),
        ({"settlements": []}, ["4 settlements, the journal has 0"]),
        ({"settlements": "own"}, []),
        ({"settlements": "short"}, []),
        ({"settlements": "tampered"}, ["settlement 1: net is -100, the journal has 100"]),
        ({"settlements": "reordered"}, ["settlement 0: seat is 2", "settlement 1: seat is 2"]),
    ],
)
def test_differences(claims, found):
    """Results that differ from the replay are found, key by key, in their order in the journal."""
    own = record_json(toss_one.GAME, run())["settlements"]
    forms = {
        "own": own,
        "short": [{key: s[key] for key in ("seat", "bet", "net")} for s in own],
        "tampered": [own[0], own[1] | {"net": 100}, *own[2:]],
        "reordered": own[2:] + own[:2],
    }
    if isinstance(claims.get("settlements"), str):
        claims = {"settlements": forms[claims["settlements"]]}

    journal = read_journal(changed(**claims))

    said = differences(journal, replay(journal))
    for expected in found:
        assert any(text.startswith(expected) for text in said)
    assert bool(said) == bool(found)


# --- money


@pytest.mark.parametrize(
    ("text", "cents"), [("10", 1000), ("2.50", 250), ("0.01", 1), ("$5", 500), (" 7 ", 700)]
)
def test_dollars_read(text, cents):
    """Dollars are read as whole cents."""
    assert read_cents(text) == cents


@pytest.mark.parametrize(
    "text", ["", "1.5", "1.505", "-5", "1e3", "ten", ".50", "1,000", "٥", "9" * 13]
)
def test_no_amount(text):
    """Text that is not an amount of dollars is rejected."""
    with pytest.raises(NotationError, match="is not an amount: write dollars, as in 10 or 2.50"):
        read_cents(text)


@given(st.integers(0, 10**14 - 1))
def test_dollars_round_trip(cents):
    """Displayed amounts are parsed back to the same value."""
    assert read_cents(dollars(cents).replace(",", "")) == cents
    assert dollars(-cents, sign=True).startswith("-" if cents else "$")


@pytest.mark.parametrize("text", ["", "main", "main=", "mian=5", "main=5,,", "main=5,main=5", "=5"])
def test_no_stakes(text):
    """Stakes that cannot be read are refused."""
    with pytest.raises(NotationError, match="is not a bet|is not an amount|given twice"):
        read_stakes(toss_one.GAME, text)


# --- fuzz

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**6)
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["toss-one-21", "roll-your-own", "toss 2h", "As Ks", "hit", "set AsKs 2h"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["seat", "main", "bet", "on", "pays", "decks", "net"])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
keys = st.sampled_from([*JOURNAL, "settlements", "net"])


def survives(text):
    try:
        journal = read_journal(text)
        round_ = replay(journal)
    except GameError as error:
        assert str(error)
        assert "\n" not in str(error)
        assert len(str(error)) < 500
    else:
        json.dumps(record_json(journal.game, round_) | {"differs": differences(journal, round_)})


@given(st.dictionaries(keys, values))
@example(
    {"format": 1, "game": "toss-one-21", "deck": "As", "bets": [{"seat": 1, "main": 10**5000}]}
)
def test_any_change_is_survived(changes):
    """A journal with any value in any place is replayed or rejected."""
    for journal in (JOURNAL, ROLL):
        try:
            text = json.dumps(journal | changes)
        except ValueError:
            continue  # a number too long for JSON here
        survives(text)


@given(st.text() | st.binary().map(lambda data: data.decode("utf-8", "replace")))
def test_any_text_is_survived(text):
    """Any text is a journal or is rejected."""
    survives(text)


@given(st.sampled_from([JOURNAL, ROLL]), st.integers(0, 300), st.characters())
def test_any_slip_is_survived(journal, index, character):
    """A journal with one changed character, or cut short, is replayed or rejected."""
    text = json.dumps(journal)

    survives(text[:index] + character + text[index + 1 :])
    survives(text[:index])


decisions = st.lists(
    st.sampled_from(["hit", "stand", "double", "split", "insure 0", "set 8s8d Th", "toss 8s", ""])
)


@given(decisions, st.sampled_from(["6h", "Ah", "Th"]), st.integers(0, 5))
def test_any_decisions_are_survived(words, up, left_out):
    """Any sequence of decisions is replayed, leaves the round open, or is rejected by index."""
    deck = ROLL["deck"].replace("6h", up).split()
    survives(
        json.dumps(ROLL | {"decisions": words, "deck": " ".join(deck[: len(deck) - left_out])})
    )


@given(hands(8))
def test_any_deal_replays(cards):
    """Any eight cards of a deck form a round of one seat."""
    deck = " ".join(card.text for card in cards)
    round_ = run(deck=deck, bets=[{"seat": 1, "main": 100}], decisions=[])

    assert round_.asked is not None or round_.phase == "settled"
