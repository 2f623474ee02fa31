"""Play the rounds of the golden database with the server's own code.

The clock, the seeds and the software's name are fixed, so that the same code writes the same
records, byte for byte. Only password hashes and unrecorded rows differ.
"""

import asyncio
import contextlib
import itertools
import random
import secrets
import time
from dataclasses import replace
from unittest import mock

import pitboss
from pitboss.core.errors import GameError
from pitboss.dealing.config import DealingConfig
from pitboss.dealing.pit import Pit
from pitboss.ledger.software import software
from pitboss.ledger.store import Store
from pitboss.tables.hand import Place
from pitboss.tables.limits import Limit
from pitboss.tables.live import Cause
from pitboss.web.accounts import Accounts, Bankroll, SignInError
from tests.backoffice.test_audit import (
    ROLL,
    TOSS,
    bet_and_deal,
    new_table,
    sql_async,
    time_is_up,
    tried,
)
from tests.strategies import choose

NAMES = "Ann", "Bob", "Cyd", "Dan", "Eve", "Fay", "Gus"
BANKROLL = Bankroll(start=1_000_000, below=2_000)
LARGE_WIN = 15_000
STARTED_NS = 1_790_000_000_000_000_000
TICK_NS = 25_000_000
HOUR_MS = 3_600_000
SEED = 22

OWN_PAYTABLE = [
    {"on": [4, 5], "pays": "100:1"},
    {"on": [6, 7, 8, 9, 10, 11, 12], "pays": "20:3"},
    {"on": [13, 14, 15, 16, 17, 18, 19, 20, 21], "pays": "0:1"},
]


def build(path):
    """Write the golden database to *path*."""
    chance = random.Random(SEED)
    with fixed(chance):
        asyncio.run(_fill(f"sqlite+aiosqlite:///{path}", chance))


@contextlib.contextmanager
def fixed(chance):
    """Fix the clock, the server's random numbers and the name of the software."""
    times = itertools.count(STARTED_NS, TICK_NS)
    software.software.cache_clear()
    with (
        mock.patch.object(time, "time_ns", times.__next__),
        mock.patch.object(secrets, "token_bytes", chance.randbytes),
        mock.patch.object(secrets, "token_hex", lambda size: chance.randbytes(size).hex()),
        mock.patch.object(secrets, "token_urlsafe", lambda size: chance.randbytes(size).hex()),
        mock.patch.object(software, "self_check", return_value="0" * 64),
        mock.patch.object(pitboss, "__version__", "golden"),
    ):
        yield
    software.software.cache_clear()


@contextlib.asynccontextmanager
async def process(url, address):
    """Run the dealing part of a server process."""
    store = await Store.open(url)
    pit = Pit(store, DealingConfig(address=address, large_win=LARGE_WIN))
    try:
        yield pit
    finally:
        await pit.close()
        await store.close()


async def _fill(url, chance):
    async with process(url, "one") as pit:
        ids = await _people(pit)
        await _morning(pit, ids, chance)
        await _stop_and_start(pit)
    await sql_async(url, "UPDATE tables SET owner = 'crashed' WHERE id IN ('toss', 'rolls')")
    async with process(url, "two") as pit:
        await _evening(pit, ids, chance)
        await pit.store._prove()
    await sql_async(url, "VACUUM")


async def _people(pit):
    """Create the players, with every kind of event an account can have."""
    accounts = Accounts(pit.store, BANKROLL)
    found = {name: (await accounts.guest(name))[0] for name in NAMES}
    await accounts.set_password(found["Ann"], "correct horse", None, "::1")
    await accounts.rename(found["Bob"], "Robert")
    for blocked in (True, False):
        await accounts.block(found["Dan"].id, blocked=blocked)
    idle, _ = await accounts.guest("Hal")
    await accounts.block(idle.id, blocked=True)
    with contextlib.suppress(SignInError):
        await accounts.log_in("Ann", "wrong password", "::1")
    await _refill(pit.store)
    return {name: player.id for name, player in found.items()}


async def _refill(store):
    """Refill the bankroll of a player who has little."""
    poor = Accounts(store, replace(BANKROLL, start=1_000))
    player, _ = await poor.guest("Ida")
    await Accounts(store, BANKROLL).refill(player)


async def _stop_and_start(pit):
    for gaming in (False, True):
        await pit.switch(None, gaming=gaming, reason="a drill")
    await pit.switch("toss-one-21", gaming=False, reason="a new deck")
    await pit.switch("toss-one-21", gaming=True, reason="the new deck is here")


async def _morning(pit, ids, chance):
    """Play both games, alone and with others; leave bets and cards on three tables."""
    alone = await new_table(pit, "alone", TOSS)
    toss = await new_table(pit, "toss", TOSS, seconds=60)
    solo = await new_table(pit, "solo", ROLL)
    rolls = await new_table(pit, "rolls", ROLL, seconds=60)
    await _play(chance, alone, 60, _seats(ids, "Ann", "Ann"))
    await _play(chance, toss, 40, _seats(ids, "Ann", "Robert", "Cyd"))
    await _play(chance, solo, 60, _seats(ids, "Dan"))
    await _play(chance, rolls, 25, _seats(ids, *NAMES), greedy=True)
    lost = await new_table(pit, "lost", ROLL, seconds=60)
    await _play(chance, lost, 5, _seats(ids, "Fay", "Gus"))
    await _come_back(toss, _seats(ids, "Ann", "Robert", "Cyd"))
    await _refuse(toss, ids["Cyd"], {"main": 60_000})
    for dealer in (toss, rolls, lost):
        await bet_and_deal(chance, dealer)


async def _evening(pit, ids, chance):
    """Take over the tables that another process left, and play under other rules."""
    toss, rolls = await pit.dealer("toss"), await pit.dealer("rolls")
    await _play(chance, toss, 15, _seats(ids, "Ann", "Robert", "Cyd"))
    await _play(chance, rolls, 15, _seats(ids, *NAMES), greedy=True)
    await _other_rules(pit, ids, chance)
    await _close(await pit.dealer("alone"), ids["Ann"])
    await _not_restored(pit, ids, chance)
    await bet_and_deal(chance, rolls)


async def _other_rules(pit, ids, chance):
    """Play with other pay tables, payouts and numbers of decks."""
    own = {"decks": 6, "dealer_blackjack": "beats_21", "blackjack_pays": "6:5", "toss": "free"}
    own |= {"lucky3_paytable": 1, "bonus4_paytable": OWN_PAYTABLE}
    six = await new_table(pit, "six", TOSS, seconds=60, rules=TOSS.rules.from_json(own))
    await _play(chance, six, 30, _seats(ids, *NAMES))
    own = {"hole_card": "no_peek", "run_out": "push", "resplit_aces": True, "soft_17": "stand"}
    own |= {"insurance": "half_or_nothing", "rounding": "down:50"}
    nopeek = await new_table(pit, "no-peek", ROLL, seconds=60, rules=ROLL.rules.from_json(own))
    await _play(chance, nopeek, 45, _seats(ids, *NAMES), greedy=True)


async def _close(dealer, player):
    """Change the limits, void a round before the deal, and close the table."""
    await _come_back(dealer, {1: player})
    await dealer.act(lambda t: t.change_limits({"main": Limit(200, 900)}))
    await dealer.act(lambda t: t.bet(player, 1, {"main": 200}))
    await dealer.void("nothing was dealt")
    await dealer.act(lambda t: t.close())


async def _not_restored(pit, ids, chance):
    """Return the bets of a round because the process cannot restore it."""
    tries = iter([mock.AsyncMock(side_effect=ZeroDivisionError), pit._restored])

    async def restored(*about):
        return await next(tries)(*about)

    with mock.patch.object(pit, "_restored", restored):
        lost = await pit.dealer("lost")
    await _play(chance, lost, 5, _seats(ids, "Fay", "Gus"))


async def _refuse(dealer, player, stakes):
    """Request a bet above the limit, as the socket would."""
    seat = next(s for s, place in dealer.table.places.items() if place.player == player)
    with contextlib.suppress(GameError):
        await dealer.take(
            lambda t: t.bet(player, seat, stakes),
            refusal=lambda t, error: t.refuse(
                seat, stakes, request="request-1", cause=Cause.RULES, reason=str(error)
            ),
        )


# --- rounds


def _seats(ids, *names):
    """Seat these players, starting at seat 1."""
    ids = ids | {"Robert": ids["Bob"]}
    return dict(enumerate((ids[name] for name in names), 1))


async def _play(chance, dealer, count, seats, *, greedy=False):
    for _ in range(count):
        await _come_back(dealer, seats)
        number = dealer.table.hand.number
        await bet_and_deal(chance, dealer)
        if dealer.table.hand.number == number:
            await _decide(chance, dealer, greedy=greedy)


async def _come_back(dealer, seats):
    """Seat everybody who has left or sits out."""
    for seat, player in seats.items():
        place = dealer.table.places.get(seat)
        if place is None:
            await tried(dealer, lambda t, p=player, s=seat: t.sit(s, Place(p, p, f"seed-{s}")))
        elif place.out:
            await tried(dealer, lambda t, p=player, s=seat: t.sit_out(p, s, out=False))


async def _decide(chance, dealer, *, greedy):
    """Decide for the seats in any order; some players time out, and some rounds are void."""
    number, ends_void = dealer.table.hand.number, chance.random() < 0.06
    while dealer.table.hand.number == number:
        if ends_void and chance.random() < 0.3:
            await dealer.void("the lights went out")
        elif not dealer.table.is_solo and chance.random() < 0.03:
            await time_is_up(dealer)
        else:
            await _decide_once(chance, dealer, greedy=greedy)


async def _decide_once(chance, dealer, *, greedy):
    seat = chance.choice(dealer.table.waiting())
    owner = dealer.table.hand.owners[seat].player
    if chance.random() < 0.01 and seat in dealer.table.places:
        await dealer.act(lambda t: t.leave(owner, seat))
    said = str(choose(chance, dealer.table.hand.round.legal(seat), greedy=greedy))
    await tried(dealer, lambda t: t.decide(seat, said, player=owner))
