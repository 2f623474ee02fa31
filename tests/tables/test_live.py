"""A live table as a value: records restore it, money adds up, and only owners act for a seat."""

import json
import random
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given, settings

from pitboss.core.errors import GameError, RuleError
from pitboss.core.fairness import commitment, shuffle, verify
from pitboss.dealing import unit_builder
from pitboss.dealing.config import LARGE_WIN
from pitboss.dealing.dealer import overdue_entries
from pitboss.games import GAMES
from pitboss.tables import live
from pitboss.tables.chain import canonical
from pitboss.tables.hand import Place
from pitboss.tables.limits import Limit
from pitboss.tables.live import LiveTable, NotYoursError
from pitboss.tables.setup import Setup
from pitboss.web.accounts import Player
from pitboss.web.table_state import state_of
from tests.strategies import chances, random_rules

PLAYERS = ("ann", "bob", "cyd")
STRANGER = "eve"
AT_ONCE = [  # games in which seats decide at the same time, none seeing what another has decided
    game
    for game in GAMES.values()
    if set(type(game.start(game.rules()).phase)) - {"betting", "playing", "settled"}
]
KINDS = [(game, seconds) for game in GAMES.values() for seconds in (None, 30)]
NAMES = [f"{game.key}, {'shared' if seconds else 'solo'}" for game, seconds in KINDS]
SOFTWARE = {"version": "0", "hash": ""}
KINDS_ASKED = {"sit", "leave", "sit_out", "seed", "bet", "take_back", "decision", "house"}
ALL = pytest.mark.parametrize(("game", "seconds"), KINDS, ids=NAMES)


class Books:
    """A table with its records and its ledger, as the pit keeps them."""

    def __init__(self, game, seconds, chance, rules=None):
        self.chance = chance
        rules = rules or random_rules(chance, game, seats=4)
        limits = {name: Limit(100, 30_000) for name in game.stakes}
        setup = Setup(id="t", name="T", game=game, rules=rules, limits=limits, seconds=seconds)
        seed = chance.randbytes(32)
        first = live.first_open(setup, commitment(seed))
        self.setup = setup
        self.clock = 1_000_000
        self.seq = 2
        self.accounts = {}
        self.table = live.opened(setup, first.body, seed, seq=self.seq, at=self.clock, ended=None)
        self.again = self.table
        self.ended = []

    def do(self, entry):
        """Record an entry and its consequences, and check every property."""
        self.clock += self.chance.randrange(5_000)
        steps = unit_builder.UnitBuilder(self.table, self.seq, self.clock, LARGE_WIN, "cage")
        steps.add(entry)
        steps.follow()
        seeds = [change.values["seed"] for change in steps.changes if "seed" in change.values]
        before, self.table = self.table, steps.table
        self._restore(steps, [bytes.fromhex(seed) for seed in seeds])
        self._post(steps.entries)
        self.ended += steps.ended
        self._check_seen(before)

    def _restore(self, steps, seeds):
        """Replay the records from their text."""
        for entry in steps.entries:
            if entry.chain != "table:t":
                continue
            self.seq += 1
            facts = json.loads(canonical(entry.body))
            if entry.kind == "open":
                table, seed = self.again, seeds.pop()
                self.again = live.opened(
                    self.setup, facts, seed, seq=self.seq, at=self.clock, ended=table.ended
                )
            else:
                self.again = self.again.after(entry.kind, facts, seq=self.seq, at=self.clock)
        assert not seeds
        assert self.again == self.table

    def _post(self, entries):
        for entry in entries:
            assert sum(posting.amount for posting in entry.postings) == 0
            for account, amount, _ in entry.postings:
                self.accounts[account] = self.accounts.get(account, 0) + amount
        felt = self.accounts.get("felt:t", 0)
        assert felt == sum(self.table.hand.staked.values()) >= 0
        if self.table.in_action:
            assert felt == self.table.hand.round.staked
        assert sum(self.accounts.values()) == 0

    def _check_seen(self, before):
        """Check that a view changes only together with its version, and that versions only grow."""
        for player in (None, *PLAYERS, STRANGER):
            old, new = before.version(player), self.table.version(player)
            assert old <= new
            if old == new:
                assert seen(before, player) == seen(self.table, player)


def seen(table, player):
    who = player and Player(id=player, name=player, kept=False)
    state = state_of(table, who, 10**9, [])
    state["round"].pop("left_ms")  # runs by itself
    return state


def stakes_of(game, chance):
    return {name: chance.choice([100, 500, 2_500, 30_000, 30_100]) for name in game.stakes}


def asked(table, chance, player, seat):
    """Return a random command with its kind."""
    round_ = table.hand.round
    legal = [str(decision) for decision in round_.legal(seat)] if table.hand.is_dealt else []
    word = chance.choice([*legal, "toss 2h", "hit", "set 8s8d Th", "insure 1", ""])
    commands = {
        "sit": lambda: table.sit(seat, Place(player, player, chance.choice(["", "x-1", "a b"]))),
        "leave": lambda: table.leave(player, seat),
        "sit_out": lambda: table.sit_out(player, seat, out=chance.random() < 0.5),
        "seed": lambda: table.choose_seed(player, seat, chance.choice(["", "lucky_7", "!"])),
        "bet": lambda: table.bet(player, seat, stakes_of(table.setup.game, chance)),
        "take_back": lambda: table.take_back(player, seat),
        "decision": lambda: table.decide(seat, word, player=player),
    }
    often = {"bet": 6, "decision": 12, "sit": 3, "take_back": 3}
    kind = chance.choices(list(commands), [often.get(name, 1) for name in commands])[0]
    return kind, commands[kind]


def holder(table, kind, seat):
    """Return the player of a seat; for a decision, the player who has bet there."""
    place = (table.hand.owners if kind == "decision" else table.places).get(seat)
    return place and place.player


def overdue(books):
    """Let the timer expire once."""
    for entry in overdue_entries(books.table):
        books.do(entry)


def house_does(books, chance):
    """Do something that the house or the timer may do."""
    table = books.table
    match chance.choices(["deal", "time", "limits", "void", "over"], [12, 3, 2, 1, 1])[0]:
        case "deal":
            return table.deal
        case "limits":
            return lambda: table.change_limits(dict(table.setup.limits))
        case "void":
            return lambda: table.void("a test", SOFTWARE, books.clock) if table.in_action else None
        case "over":
            return lambda: table.taken_over("one", "another")
        case _:
            return lambda: overdue(books) if table.in_action else None


def somebody(table, chance):
    """Return a player and a seat, usually the player's own and one that must decide."""
    player = chance.choice([*PLAYERS, STRANGER])
    if chance.random() < 0.2:
        return player, chance.randint(1, 4)
    held = {**table.places, **table.hand.owners}
    seats = table.waiting() or [seat for seat in held if seat not in table.hand.staked]
    seat = chance.choice([*seats, *held, 1])
    return (held[seat].player if seat in held else player), seat


def walk(books, chance, steps):
    """Send *steps* random requests; return how many of each kind succeeded."""
    done = {}
    for _ in range(steps):
        table, player, seat = books.table, *somebody(books.table, chance)
        if chance.random() < 0.2:
            kind, command = "house", house_does(books, chance)
        else:
            kind, command = asked(table, chance, player, seat)
        try:
            entry = command()
        except GameError:
            assert books.table is table
            continue
        if kind not in {"house", "sit"}:
            assert holder(table, kind, seat) == player, f"{kind} by another"
        if entry:
            books.do(entry)
        done[kind] = done.get(kind, 0) + 1
    return done


@pytest.fixture(autouse=True)
def known_seeds(monkeypatch):
    """Make the seeds of rounds the same in every test run."""
    chance = random.Random(21)
    monkeypatch.setattr(unit_builder, "secrets", SimpleNamespace(token_bytes=chance.randbytes))
    monkeypatch.setattr(unit_builder, "software", lambda: SOFTWARE)


@ALL
@settings(max_examples=12)
@given(chance=chances)
def test_laws_of_any_walk(game, seconds, chance):
    """After any commands, records restore the table, money adds up, and only owners act."""
    walk(Books(game, seconds, chance), chance, 150)


@pytest.mark.long
@ALL
@settings(max_examples=200)
@given(chance=chances)
def test_laws_of_long_walks(game, seconds, chance):
    """The same for more and longer walks."""
    walk(Books(game, seconds, chance), chance, 500)


@ALL
def test_a_walk_reaches_everything(game, seconds):
    """The walks sit, bet, decide and end rounds of every kind, and the rounds verify."""
    chance = random.Random(7)
    books = Books(game, seconds, chance, game.rules())
    done = walk(books, chance, 2_500)
    assert done.keys() == KINDS_ASKED
    assert {record["status"] for record in books.ended} == {"settled", "void"}
    assert len(books.ended) > 30
    for record in books.ended:
        assert verify(json.loads(canonical(record))).ok


@ALL
@settings(max_examples=12)
@given(chance=chances)
def test_the_timer_ends_every_round(game, seconds, chance):
    """From any state, safe decisions finish the round, and it is paid."""
    books = Books(game, seconds, chance)
    for _ in range(4):
        walk(books, chance, 25)
        number = books.table.hand.number
        if not books.table.in_action:
            continue
        for _ in range(100):
            if books.table.hand.number > number:
                break
            overdue(books)
        assert books.table.hand.number == number + 1
        assert books.ended[-1]["status"] == "settled"
        assert books.accounts["felt:t"] == 0


@ALL
@settings(max_examples=8)
@given(chance=chances)
def test_a_stranger_is_refused_everything(game, seconds, chance):
    """Only its owner can act for a seat, at any time."""
    books = Books(game, seconds, chance)
    for _ in range(25):
        walk(books, chance, 4)
        table = books.table
        for seat in {*table.places, *table.hand.owners}:
            for command in for_seat(table, seat, outsider(table, seat)):
                with pytest.raises(GameError):
                    command()


def outsider(table, seat):
    """Return a player who neither sits nor has bet at a seat."""
    holders = {holder(table, kind, seat) for kind in ("decision", "leave")}
    return next(player for player in (*PLAYERS, STRANGER) if player not in holders)


def for_seat(table, seat, player):
    """Return all requests that are possible for a seat."""
    stakes = dict.fromkeys(table.setup.game.stakes, 500)
    legal = table.hand.round.legal(seat) if table.hand.is_dealt else ()
    yield lambda: table.leave(player, seat)
    yield lambda: table.sit_out(player, seat, out=True)
    yield lambda: table.sit_out(player, seat, out=False)
    yield lambda: table.choose_seed(player, seat, "mine")
    yield lambda: table.bet(player, seat, stakes)
    yield lambda: table.take_back(player, seat)
    yield lambda: table.decide(seat, "hit", player=player)
    for decision in legal:
        yield lambda decision=decision: table.decide(seat, str(decision), player=player)
    if seat in table.places or seat in table.hand.owners:
        yield lambda: table.sit(seat, Place(player, player))


# --- what a hidden decision must not change


def hidden_phase(game, chance, rules=None):
    """Return the books of a shared table where all three players must still toss or set."""
    while True:
        books = Books(game, 30, chance, rules)
        for seat, player in enumerate(PLAYERS, 1):
            books.do(books.table.sit(seat, Place(player, player)))
        for seat, player in enumerate(PLAYERS, 1):
            books.do(books.table.bet(player, seat, dict.fromkeys(game.stakes, 500)))
        if books.table.waiting() == [1, 2, 3]:
            return books


def meanwhile(table, chance):
    """Yield public actions of others while a seat may have decided."""
    yield table.choose_seed("bob", 2, "again")
    yield table.sit(4, Place("dan", "dan"))
    yield table.leave("cyd", 3)
    yield table.change_limits({name: Limit(100, 200) for name in table.setup.limits})
    yield table.decide(2, str(chance.choice(table.hand.round.legal(2))), player="bob")


@pytest.mark.parametrize("game", AT_ONCE, ids=lambda game: game.key)
@settings(max_examples=25)
@given(chance=chances)
def test_nobody_can_tell_whether_another_has_decided(game, chance):
    """With and without one seat's toss or set, all others receive exactly the same."""
    without = hidden_phase(game, chance).table
    legal = [str(one) for one in without.hand.round.legal(1)]
    quiet = [text for text in legal if not without.price(1, text)]  # chips are seen at once
    toss = without.decide(1, chance.choice(quiet), player="ann")
    decided = without.after(toss.kind, toss.body, seq=100, at=without.hand.opened)
    assert seen(decided, "ann") != seen(without, "ann")
    for step, entry in enumerate(meanwhile(without, chance)):
        for player in ("bob", "cyd", STRANGER, None):
            assert seen(decided, player) == seen(without, player)
        clock = 2_000_000 + step
        without = without.after(entry.kind, entry.body, seq=100 + step, at=clock)
        decided = decided.after(entry.kind, entry.body, seq=101 + step, at=clock)
    for player in ("bob", "cyd", STRANGER, None):
        assert seen(decided, player) == seen(without, player)


def insuring(chance):
    """Return a table with three seats that are all offered insurance."""
    game = GAMES["roll-your-own"]
    while True:
        table = hidden_phase(game, chance, game.rules()).table
        for seat in table.waiting():
            entry = table.decide(
                seat, str(table.hand.round.legal(seat)[0]), player=PLAYERS[seat - 1]
            )
            table = table.after(entry.kind, entry.body, seq=50 + seat, at=2_000_000)
        if table.hand.round.phase == "insuring":
            return table


def test_a_declined_insurance_is_told_when_all_have_decided():
    """A declined insurance is not shown before the others decide, even if one insures."""
    table = insuring(random.Random(3))
    for seq, (seat, decision) in enumerate([(1, "insure 0"), (2, "insure 500")], 60):
        entry = table.decide(seat, decision, player=PLAYERS[seat - 1])
        table = table.after(entry.kind, entry.body, seq=seq, at=2_000_000)
    others = [made.decision for made in table.log_for("cyd")]
    assert "insure 0" not in others
    assert [made.decision for made in table.log_for("ann")][-1] == "insure 0"
    assert table.hand.round.view(3).seats[1].added == {"insurance": 500}
    entry = table.decide(3, "insure 0", player="cyd")
    table = table.after(entry.kind, entry.body, seq=62, at=2_000_000)
    told = [made.decision for made in table.log_for(None)]
    assert told[3:] == ["insure 0", "insure 500", "insure 0"]


def test_a_table_does_not_print_its_secrets():
    """The repr of a table contains neither its seed nor its cards."""
    table = hidden_phase(GAMES["toss-one-21"], random.Random(1)).table
    for text in (repr(table), str(table)):
        assert table.hand.seed.hex() not in text
        assert repr(table.hand.seed) not in text
        assert not [card for card in table.hand.deck if repr(card) in text.split()]


# --- single commands


def sitting(game="toss-one-21", seconds=30, *players):
    """Return a table where players sit, the first at seat 1."""
    books = Books(GAMES[game], seconds, random.Random(5), GAMES[game].rules())
    for seat, player in enumerate(players, 1):
        books.do(books.table.sit(seat, Place(player, player)))
    return books


def test_a_table_that_waits_seats_one_player():
    """At a table without a timer a second player gets no seat; the first may take several."""
    books = sitting("toss-one-21", None, "ann")
    with pytest.raises(RuleError, match="seats one player"):
        books.table.sit(2, Place("bob", "bob"))
    books.do(books.table.sit(2, Place("ann", "ann")))
    assert books.table.seats_of("ann") == [1, 2]


def test_a_seat_in_action_is_not_given_away():
    """A player who leaves during a round keeps the bet; the seat is free after the round."""
    books = sitting("toss-one-21", 30, "ann", "bob")
    while not (books.table.hand.is_dealt and 2 in books.table.waiting()):
        if books.table.hand.is_dealt:
            overdue(books)
        for seat, player in ((1, "ann"), (2, "bob")):
            books.do(books.table.bet(player, seat, {"main": 500}))
    books.do(books.table.leave("ann", 1))
    assert 1 in books.table.hand.staked
    with pytest.raises(RuleError, match="in action"):
        books.table.sit(1, Place("cyd", "cyd"))
    with pytest.raises(NotYoursError):
        books.table.decide(1, "toss 2h", player="cyd")
    while books.table.hand.is_dealt:
        overdue(books)
    books.do(books.table.sit(1, Place("cyd", "cyd")))


def test_a_closed_table_takes_no_bets_and_ends_its_round():
    """A closed table plays its round to the end; then it accepts no player and no bet."""
    books = sitting("toss-one-21", 30, "ann", "bob")
    books.do(books.table.bet("ann", 1, {"main": 500}))
    books.do(books.table.close())
    with pytest.raises(RuleError, match="closed"):
        books.table.bet("bob", 2, {"main": 500})
    with pytest.raises(RuleError, match="closed"):
        books.table.sit(3, Place("cyd", "cyd"))
    while books.table.in_action:
        overdue(books)
    assert books.ended[-1]["status"] == "settled"
    assert books.table.closed


def test_the_deck_follows_from_the_records_alone():
    """With the same records, another seed deals another deck."""
    books = sitting("toss-one-21", 30, "ann", "bob")
    table = books.table
    other = replace(table, hand=replace(table.hand, seed=bytes(32)))
    decks = []
    for one in (table, table, other):
        for entry in (one.bet("ann", 1, {"main": 500}),):
            one = one.after(entry.kind, entry.body, seq=50, at=1)  # noqa: PLW2901  the next
        deal = one.deal()
        decks.append(one.after(deal.kind, deal.body, seq=51, at=1).hand.deck)
    assert decks[0] == decks[1] != decks[2]
    assert isinstance(table, LiveTable)


def test_the_deck_of_a_refused_bet_can_be_made_later():
    """A refused bet leaves its round open; the seed shown later gives the deck for that bet."""
    books = sitting("toss-one-21", None, "ann")
    table = books.table
    with pytest.raises(RuleError):
        table.bet("ann", 1, {"main": 30_100})
    missed = table
    for command in (lambda t: t.bet("ann", 1, {"main": 500}), LiveTable.deal):
        entry = command(missed)
        missed = missed.after(entry.kind, entry.body, seq=50, at=1)

    books.do(table.void("called off", SOFTWARE, books.clock))
    fairness = books.ended[-1]["fairness"]
    assert fairness["commitment"] == table.hand.commitment
    assert missed.hand.deck == shuffle(
        bytes.fromhex(fairness["server_seed"]),
        table="t",
        round_=table.hand.number,
        decks=table.hand.round.deck_size // 52,
        client_seeds={1: table.places[1].seed},
    )
