"""Refills of the bankroll."""

import asyncio
import contextlib

import pytest

from pitboss.core.errors import RuleError
from pitboss.tables.chain import player_account
from tests.web.in_process import bet, file_of, give, new_table, quick, services_on, sit, take_back

__all__ = ["quick"]


def test_refills_count_what_is_on_the_felt(tmp_path):
    """Bets on the table count toward the bankroll; lost bets do not."""

    async def run():
        async with services_on(file_of(tmp_path)) as services:
            ann, _ = await services.accounts.guest("ann")
            dealer = await new_table(services, "t")
            await sit(dealer, ann)
            await bet(dealer, ann, 99_000)
            with pytest.raises(RuleError, match=r"you have \$1,000, including your bets"):
                await services.accounts.refill(ann)
            await give(file_of(tmp_path), ann.id, -900)
            await take_back(dealer, ann)
            assert await services.store.worth(player_account(ann.id)) == 99_100
            await give(file_of(tmp_path), ann.id, -98_000)
            await bet(dealer, ann, 1_000)
            assert await services.accounts.refill(ann) == 100_000 - 1_100
            return await services.accounts.balance(ann.id)

    assert asyncio.run(run()) == 99_000


def test_refills_look_at_one_moment(tmp_path):
    """A bet placed or withdrawn during the check does not allow a refill."""

    async def run():
        async with services_on(file_of(tmp_path)) as services:
            ann, _ = await services.accounts.guest("ann")
            dealer = await new_table(services, "t")
            await sit(dealer, ann)

            async def move():
                await (
                    take_back(dealer, ann) if dealer.table.in_action else bet(dealer, ann, 10**5)
                )

            move_after_each_look(services.store, move)
            for in_action in (False, True):
                if dealer.table.in_action != in_action:
                    await move()
                with pytest.raises(RuleError, match=r"you have \$1,000, including"):
                    await services.accounts.refill(ann)

    asyncio.run(run())


def move_after_each_look(store, move):
    """Make a change after each query of the database."""
    reading = store.reading

    @contextlib.asynccontextmanager
    async def interrupted():
        async with reading() as connection:
            yield connection
        await move()

    store.reading = interrupted
