"""Messages about players and their accounts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pitboss.web.messages.base import Message, PlayMoney


class NewGuest(Message):
    """A first visit; without a name, the guest gets a random one."""

    name: Annotated[str, Field(min_length=1, max_length=24)] | None = None


class Credentials(Message):
    """A name and its password."""

    name: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\x00]*$")]
    password: Annotated[str, Field(min_length=1, max_length=128)]


class NewName(Message):
    """A player's new name."""

    name: Annotated[str, Field(min_length=1, max_length=24)]


class NewPassword(Message):
    """A new password for an account, and the old one if there is one."""

    password: Annotated[str, Field(min_length=8, max_length=128)]
    old: Annotated[str, Field(max_length=128)] | None = None


class HeldSeat(Message):
    """A seat that the player holds at some table."""

    table: str
    seat: int


class Me(PlayMoney):
    """The signed-in player, with balance and seats."""

    id: str
    name: str
    kept: bool = Field(description="whether the account has a password and so outlives the session")
    balance: int
    refill_below: int = Field(
        description="a player with less than this may ask for a refill, in cents"
    )
    refills_left: int
    sittings: list[HeldSeat]


class Visitor(PlayMoney):
    """The player who is signed in, or null."""

    me: Me | None


class Refill(PlayMoney):
    """The amount of a refill, and the new balance."""

    added: int
    balance: int
