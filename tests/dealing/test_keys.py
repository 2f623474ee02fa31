"""Idempotency keys."""

import pytest
from sqlalchemy import select

from pitboss.dealing import keys
from pitboss.dealing.config import DealingConfig
from pitboss.ledger.schema import records, tables
from pitboss.web.rate_limits import RateLimits
from tests.web.in_process import GOOD, Visitor, file_of, play, refused, rows


def test_a_key_is_for_one_request(tmp_path):
    """A key used for another request is rejected; the same request gets its answer again."""

    @play(file_of(tmp_path), dealing=DealingConfig(address="http://a"))
    async def _(app):
        ann = await Visitor(app).visit()
        table = await ann.open_table("toss-one-21")
        at = await ann.watch(table)
        await at.ask("sit", seat=1, key="k")
        for _ in range(2):
            assert "k" in (await at.ask("sit", seat=1, key="k"))["done"]
            for other in ({"seat": 2}, {"seat": 1, "client_seed": "x"}):
                await refused(at.ask("sit", **other, key="k"), "stale")
            asked = at.ask("bet", round=1, seat=1, stakes={"main": 500}, key="k")
            await refused(asked, "stale")
            assert (at.state["you"]["seats"], at.state["round"]["staked"]) == ([1], {})
            app.state.services.pit.drop(app.state.services.pit.dealers[table])  # read anew
            await at.hear()


async def repeats_hold(at, seats):
    """Repeat the first request of a player, and use its key for another one."""
    for seat in range(1, seats + 1):
        assert f"sit{seat}" in (await at.ask("sit", seat=seat, key=f"sit{seat}"))["done"]
        await refused(at.ask("leave", seat=seat, key=f"sit{seat}"), "stale")
    assert at.state["you"]["seats"] == [*range(1, seats + 1)]


@pytest.mark.parametrize(("most", "asked"), [(500, 450), (20, 90)])
def test_keys_hold_for_the_whole_round(database_url, monkeypatch, most, asked):
    """A request is carried out once, however many others come before it is repeated."""
    monkeypatch.setattr(keys, "MOST_KEYS", most)

    @play(
        database_url,
        dealing=DealingConfig(address="http://a"),
        rate_limits=RateLimits(messages=10**6),
    )
    async def _(app):
        ann, pit = await Visitor(app).visit(), app.state.services.pit
        table = await ann.open_table("toss-one-21")
        at = await ann.watch(table)
        for seat in (1, 2):
            await at.ask("sit", seat=seat, key=f"sit{seat}")
        await at.bet(main=500)
        bet = {"round": 1, "seat": 1}
        await at.ask("take_back", **bet, key="back")
        for number in range(asked):
            await at.ask("seed", seat=1, client_seed=f"{number}", key=f"seed{number}")
        await repeats_hold(at, 2)
        assert "back" in (await at.ask("take_back", **bet, key="back"))["done"]
        assert sum(map(len, pit.dealers[table]._keys._rounds)) <= 2 * most
        pit.drop(pit.dealers[table])  # the keys are read from the database
        await at.hear()
        await repeats_hold(at, 2)
        await at.play_round(main=500)
        await repeats_hold(at, 2)  # from the round before
        await refused(at.ask("seed", seat=2, client_seed="x", key="seed7"), "stale")
        pit.drop(pit.dealers[table])
        await at.hear()
        await repeats_hold(at, 2)
        assert (
            len(await rows(app.state.services, select(records).where(records.c.kind == "sit"))) == 2
        )


def test_a_table_is_opened_once_also_after_a_new_log_in(tmp_path):
    """A key belongs to the player, not to the session: the same table is returned."""

    @play(file_of(tmp_path))
    async def _(app):
        ann, bob = await Visitor(app).visit("ann"), await Visitor(app).visit("bob")
        await ann.post("/api/v1/me/password", {"password": GOOD})
        body, key = {"game": "toss-one-21"}, {"Idempotency-Key": "k"}
        first = await ann.post("/api/v1/tables", body, **key)
        await ann.post("/api/v1/logout")
        await ann.post("/api/v1/login", {"name": "ann", "password": GOOD})
        assert (await ann.post("/api/v1/tables", body, **key))["id"] == first["id"]
        assert (await bob.post("/api/v1/tables", body, **key))["id"] != first["id"]
        assert len(await rows(app.state.services, select(tables))) == 2
