"""Log-ins at the same time, and passwords."""

import asyncio

import pytest

from pitboss.core.errors import RuleError
from pitboss.web import accounts as accounting
from pitboss.web.accounts import SignInError
from pitboss.web.quotas import LockedError, TooOftenError
from tests.web.in_process import GOOD, OTHER, file_of, outcomes, quick, services_on

__all__ = ["quick"]


def test_of_many_log_ins_at_once_few_are_tried(tmp_path):
    """At most 4 of 20 simultaneous wrong passwords are tried; then the name is locked."""

    async def run():
        async with services_on(file_of(tmp_path)) as services:
            _, token = await services.accounts.guest("ann")
            await services.accounts.set_password(
                await services.accounts.session_player(token), GOOD, None, "x"
            )
            wrong = (services.accounts.log_in("ann", f"wrong {i}", "x") for i in range(20))
            found = await outcomes(wrong)
            right = await outcomes([services.accounts.log_in("ann", GOOD, "x")])
            return found, right

    found, right = asyncio.run(run())

    assert 3 <= found.count(SignInError) <= 4
    assert found.count(LockedError) == 20 - found.count(SignInError) - found.count(TooOftenError)
    assert right == [LockedError]


def test_old_passwords_at_once_are_log_ins_too(tmp_path):
    """A wrong old password in a password change counts as a failed log-in."""

    async def run():
        async with services_on(file_of(tmp_path)) as services:
            _, token = await services.accounts.guest("ann")
            await services.accounts.set_password(
                await services.accounts.session_player(token), GOOD, None, "x"
            )
            ann = await services.accounts.session_player(token)
            tried = (services.accounts.set_password(ann, OTHER, f"{i}", "x") for i in range(10))
            return await outcomes(tried)

    found = asyncio.run(run())

    assert 3 <= found.count(SignInError) <= 4
    assert found.count(LockedError) == 10 - found.count(SignInError)


def test_log_ins_do_not_pile_up(tmp_path, monkeypatch):
    """A log-in is rejected at once while too many wait, and does not count as a failure."""
    monkeypatch.setattr(accounting, "MOST_WAITING_LOGINS", 3)

    async def run():
        async with services_on(file_of(tmp_path)) as services, asyncio.timeout(10):
            accounts = services.accounts
            turn = accounts._turns.turn
            async with turn("y"), turn("z"):  # others are at work
                asked = [
                    asyncio.create_task(accounts.log_in(f"name {i}", GOOD, f"{i}"))
                    for i in range(5)
                ]
                while sum(task.done() for task in asked) < 2:
                    waiting = [task for task in asked if not task.done()]
                    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            found = await outcomes(asked)
            return found, await outcomes([accounts.log_in("name 0", GOOD, "x")])

    found, later = asyncio.run(run())

    assert sorted(kind.__name__ for kind in found) == ["BusyError"] * 2 + ["SignInError"] * 3
    assert later == [SignInError]


def test_a_password_is_changed_by_id(tmp_path):
    """A password change follows the player's id, even if another guest now has the old name."""

    async def run():
        async with services_on(file_of(tmp_path)) as services:
            accounts = services.accounts
            _, token = await accounts.guest("ann")
            await accounts.set_password(await accounts.session_player(token), GOOD, None, "x")
            asking = await accounts.session_player(token)  # one request has looked who asks
            await accounts.rename(await accounts.session_player(token), "other")
            await accounts.guest("ann")  # who has no password
            with pytest.raises(RuleError, match="send it as 'old'"):
                await accounts.set_password(asking, OTHER, None, "x")
            return (await accounts.log_in("other", GOOD, "x"))[0].id == asking.id

    assert asyncio.run(run())
