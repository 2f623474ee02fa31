"""Worked examples: a clause of the rules, the cards that show it, and what the game makes of them.

Each is played by the game itself under the default rules from the cards given, so what it shows is
what happens at a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from pitboss.cards import parse
from pitboss.felt import deal_from, supply
from pitboss.games import find_game, roll_your_own, toss_one
from pitboss.reasons import reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pitboss.felt import Game, Round, Settlement, View

UNIT = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What an example shows: a clause, in a sentence, on cards in the order they are dealt."""

    rule: str
    title: str
    text: str
    cards: str
    decisions: tuple[str, ...] = ()
    bet: str
    """The bet to look at."""

    seat: int = 1
    hand: int = 0
    decided_by: str | None = None
    """The clause that settles that bet, where the one shown is about something before that."""

    seats: int = 1


@dataclass(frozen=True, slots=True)
class Example:
    """A clause on cards, played."""

    shown: Shown
    round: Round

    @property
    def view(self) -> View:
        return self.round.record()

    @property
    def highlight(self) -> Settlement:
        """The settlement that the example is about."""
        looked_at = (self.shown.seat, self.shown.bet, self.shown.hand)
        return next(s for s in self.round.settlements() if (s.seat, s.bet, s.hand) == looked_at)

    def reasons(self) -> list[str]:
        """Return why each bet ended as it did, in the order of the settlements."""
        return [reason(self.round.rules, self.view, s) for s in self.round.settlements()]


@cache
def examples(game: str) -> tuple[Example, ...]:
    """Return the examples of a game, in the order of its clauses; none where none are made."""
    known = find_game(game)
    return tuple(Example(shown, _played(known, shown)) for shown in _SHOWN.get(known.key, ()))


def _played(game: Game, shown: Shown) -> Round:
    round_ = game.start(game.rules())
    stakes = dict.fromkeys(game.stakes, UNIT // 2) | {game.first_stake: UNIT}
    for seat in range(1, shown.seats + 1):
        round_ = round_.apply(game.place(seat, stakes))
    deck = parse(shown.cards)
    round_ = deal_from(deck, round_)
    for text in _decisions(shown, round_):
        assert round_.asked is not None, shown  # noqa: S101  the tests play them all
        round_ = supply(deck, round_.apply(game.decision(round_.asked.seat, text)))
    return round_


def _decisions(shown: Shown, round_: Round) -> Iterator[str]:
    """Yield the decisions given; a toss that is not, as the game makes it for a player (R-8)."""
    if shown.decisions or not isinstance(round_, toss_one.Round):
        yield from shown.decisions
        return
    for seat in round_.seats:
        hand = toss_one.chosen_hand(round_.rules, seat.cards)
        if hand:
            yield f"toss {hand.tossed}"


_TOSS_ONE = (
    Shown(
        rule="1",
        title="Three bets, one needed",
        text="Main must be bet; Lucky 3 and Bonus 4 may be added. Each is settled by itself: here"
        " Main loses and the two others win.",
        cards="As 2d 3h 8c  5c 6d Th 9s",
        bet="main",
        decided_by="7",
    ),
    Shown(
        rule="2",
        title="Four cards each",
        text="Each player has a pack of four from the dealer's left on, the dealer the last one.",
        cards="Ts 9d 2h 5c  8s 6d 7h Kc  9s 8d 3h 2c",
        seats=2,
        bet="main",
        decided_by="7",
    ),
    Shown(
        rule="3",
        title="The best three",
        text="Ace, king, 5 and 6: the ace is the card to toss, for king, 5 and 6 are 21.",
        cards="As Kd 5h 6c  9s 8d 3h 2c",
        bet="main",
        decided_by="7",
    ),
    Shown(
        rule="4",
        title="A bust",
        text="Whichever card goes, the other three are over 21. All three bets are lost at once.",
        cards="Td 9c 8h 7s  9s 8d 3h 2c",
        bet="main",
    ),
    Shown(
        rule="5",
        title="The dealer tosses too",
        text="The dealer turns over 9, 4, king and 8, and tosses the king: 9, 4 and 8 are 21.",
        cards="Ts 6d 4h 2c  9c 4d Kh 8s",
        bet="main",
        decided_by="7",
    ),
    Shown(
        rule="6",
        title="The dealer is bust",
        text="No three of the dealer's cards are 21 or less, so even a 12 wins even money.",
        cards="2c 3d 4h 5s  Tc Td Th 9s",
        bet="main",
    ),
    Shown(
        rule="7",
        title="The higher total wins",
        text="20 against 19: Main wins even money.",
        cards="Ts 8d 2h Kc  9s 8c 2d 2s",
        bet="main",
    ),
    Shown(
        rule="7",
        title="Equal totals: the kicker decides",
        text="Both have 21. The tossed cards are compared: 2 against 9 loses.",
        cards="7h 7d 7s 2c  Tc 8c 3d 9s",
        bet="main",
    ),
    Shown(
        rule="7",
        title="A better kicker",
        text="Both have 21, and the king that was tossed beats the 9.",
        cards="7h 7d 7s Kc  Tc 8c 3d 9s",
        bet="main",
    ),
    Shown(
        rule="8",
        title="A blackjack",
        text="An ace and two ten-value cards are paid 3 to 2 at once, also against a dealer's 21.",
        cards="As Kh Qs 9c  7h 7d 7c 9s",
        bet="main",
    ),
    Shown(
        rule="9",
        title="All equal: the house wins",
        text="21 and kicker 5 on both sides. A full tie is the one the player loses.",
        cards="9s 6d 6c 5h  Ad 6h 4s 5d",
        bet="main",
    ),
    Shown(
        rule="10",
        title="Lucky 3: suited blackjack",
        text="The three cards kept are a blackjack of one suit, the best there is.",
        cards="As Ks Qs 2h  9s 8d 3h 2c",
        bet="lucky3",
    ),
    Shown(
        rule="10",
        title="Lucky 3: which card to keep",
        text="Either 7 may go. Without the 7 of clubs three red cards are kept, which pay more.",
        cards="7c 7h 8d 6d  9s 8s 3h 2c",
        bet="lucky3",
    ),
    Shown(
        rule="10",
        title="Lucky 3 without 21",
        text="20 wins Main here, but Lucky 3 wants 21.",
        cards="Ts 8d 2h Kc  9s 8c 2d 2s",
        bet="lucky3",
    ),
    Shown(
        rule="11",
        title="Bonus 4: four small cards",
        text="2, 3, 4 and 5 total 14, and Bonus 4 wins whatever Main does.",
        cards="2c 3d 4h 5s  9s 8d 3h Kc",
        bet="bonus4",
    ),
    Shown(
        rule="11",
        title="Bonus 4: four aces",
        text="Aces count 1 here: a total of 4 is the top prize.",
        cards="Ac Ad Ah As  9c 4d Kh 8s",
        bet="bonus4",
    ),
    Shown(
        rule="11",
        title="Bonus 4: over 21",
        text="All four cards count, also the one that was tossed: 23 is too much.",
        cards="7h 7d 7s 2c  Ts 8d 2h 9c",
        bet="bonus4",
    ),
)

DRY = (
    "5c Js Qc 8d Ks 6s Ad 8c Th 3h Qs 4h Ac As Kh 7h 9h 5h 4d Kc 2d Ah 7s 6c 7c 3s 9c Jd Ts 8h 6d"
    " Kd 3d 6h 5d Qh Jh 5s Td 4s 7d 9s Qd 2h 2c 2s 9d Tc 4c 8s 3c Jc"
)
DRY_PLAY = (
    "set 5cQc Js,set 8d6s Ks,set AdTh 8c,set Qs4h 3h,set 9h 7h5h,set 4d Kc2d,hit,hit,hit,split,hit,"
    "split,hit,hit,split,split,hit,hit,hit,hit,hit,hit,hit,hit,hit,hit"
)
_ROLL_YOUR_OWN = (
    Shown(
        rule="2",
        title="Three equal bets",
        text="The same amount lies on the first and second blackjack bet and on the Bonus.",
        cards="Ts 9d 4h  2c 7h Td  Kc",
        decisions=("set Ts9d 4h", "stand", "stand"),
        bet="bonus",
        decided_by="6",
    ),
    Shown(
        rule="3",
        title="The dealer's three cards",
        text="The dealer's top card is burnt unseen, the second lies face up, the third face down.",
        cards="Ts 9d 4h  2c 7h Td  Kc",
        decisions=("set Ts9d 4h", "stand", "stand"),
        bet="first",
        decided_by="standard",
    ),
    Shown(
        rule="5",
        title="Two cards and one",
        text="8-8 goes on the first bet, the 10 alone on the second. All six ways are allowed.",
        cards="8s 8d Th  2c 7h Td  9c",
        decisions=("set 8s8d Th", "stand", "stand"),
        bet="first",
        decided_by="standard",
    ),
    Shown(
        rule="6",
        title="Bonus: A-K-Q suited",
        text="Ace, king and queen of one suit are the top prize of the Bonus.",
        cards="As Ks Qs  2c 7h Td",
        bet="bonus",
    ),
    Shown(
        rule="6",
        title="Bonus: a straight flush",
        text="Three cards in a row of one suit. How the hands are set does not matter here.",
        cards="7s 8s 9s  2c 7h Td  Kc",
        decisions=("set 8s9s 7s", "stand", "stand"),
        bet="bonus",
    ),
    Shown(
        rule="6",
        title="Bonus: three of a kind",
        text="Three sevens.",
        cards="7c 7d 7h  2c 5h Td  Kc 9s 4d",
        decisions=("set 7c7d 7h", "stand", "stand"),
        bet="bonus",
    ),
    Shown(
        rule="6",
        title="Bonus: a straight",
        text="The ace is high or low: A-2-3 is a straight.",
        cards="Ah 2s 3d  2c 7h Td  Kc",
        decisions=("set 2s3d Ah", "stand"),
        bet="bonus",
    ),
    Shown(
        rule="6",
        title="Bonus: a flush",
        text="Three cards of one suit.",
        cards="2s 8s Ts  2c 7h Td  Kc",
        decisions=("set 2s8s Ts", "stand", "stand"),
        bet="bonus",
    ),
    Shown(
        rule="6",
        title="Bonus: nothing",
        text="King, ace, 2 is no straight: the ace never stands in the middle.",
        cards="Kh As 2d  3c 7h Td  9c",
        decisions=("set AsKh 2d", "stand"),
        bet="bonus",
    ),
    Shown(
        rule="7",
        title="The one-card hand",
        text="The 10 on the second bet waits. When its turn comes it receives a second card.",
        cards="5s 6d Th  2c 7h Td  Kc 9s",
        decisions=("set 5s6d Th", "hit", "stand"),
        bet="second",
        decided_by="standard",
    ),
    Shown(
        rule="7a",
        title="A double",
        text="5 and 6 are doubled: an equal bet, one card, and it stands on whatever comes.",
        cards="5s 6d Th  2c 7h Td  9c 8s",
        decisions=("set 5s6d Th", "double", "stand"),
        bet="first",
        decided_by="standard",
    ),
    Shown(
        rule="7b",
        title="A split",
        text="8-8 is split into two hands with a bet each. The first is finished first.",
        cards="8s 8d Th  2c 6h Td  3c 9s Kc 9c Jd",
        decisions=("set 8s8d Th", "split", "hit", "stand", "stand", "stand"),
        bet="first",
        decided_by="standard",
    ),
    Shown(
        rule="7c",
        title="Split again",
        text="The first 8 draws another one: they may split again, up to four times for a bet.",
        cards="8s 8d Th  2c 6h Td  8c Kc 9s 9c 7c Jd",
        decisions=("set 8s8d Th", "split", "split", "stand", "stand", "stand", "stand"),
        bet="first",
        hand=2,
        decided_by="standard",
    ),
    Shown(
        rule="7d",
        title="Split aces",
        text="Each ace receives one card and is done. Ace and king is 21 here, not a blackjack.",
        cards="As Ad 6h  2c 7h Td  Kc 5s 9c",
        decisions=("set AsAd 6h", "split", "stand"),
        bet="first",
        decided_by="standard",
    ),
    Shown(
        rule="7f",
        title="The dealer hits soft 17",
        text="Ace and 6 is a soft 17: the dealer takes a card, and a 4 makes it 21.",
        cards="Ts 9d 8h  2c 6h Ad  Kc 4s",
        decisions=("set Ts9d 8h", "stand", "stand"),
        bet="first",
        decided_by="standard",
    ),
    Shown(
        rule="7g",
        title="Blackjack as set",
        text="Ace and king together are paid 3 to 2 at once, although the dealer has one too.",
        cards="As 9d Kc  2c Td Ah",
        decisions=("set AsKc 9d",),
        bet="first",
    ),
    Shown(
        rule="7h",
        title="Blackjack by the next card",
        text="The 10 stood alone, and its next card is an ace: a blackjack like any other.",
        cards="Ts 5d 6h  2c 7h Td  9c Ac",
        decisions=("set 5d6h Ts", "hit", "stand"),
        bet="second",
    ),
    Shown(
        rule="7h",
        title="Blackjack against a dealer's",
        text="The dealer has blackjack. The lone 10 still draws, and its ace is paid 3 to 2.",
        cards="Tc 5d 6h  2c Td Ah  Ac",
        decisions=("set 5d6h Tc",),
        bet="second",
    ),
    Shown(
        rule="7i",
        title="Double blackjack",
        text="Two aces and a king: both blackjack bets are paid 3 to 2 at once.",
        cards="As Ah Kd  2c 7h Td",
        bet="first",
    ),
    Shown(
        rule="7j",
        title="Insurance that wins",
        text="The dealer shows an ace and has blackjack: insurance pays 2 to 1.",
        cards="9s 8d Th  2c Ah Qd  7c",
        decisions=("set 9sTh 8d", "insure 1000"),
        bet="insurance",
    ),
    Shown(
        rule="7j",
        title="Insurance that loses",
        text="The dealer shows an ace and has no blackjack: insurance is lost, the hands play on.",
        cards="9s 8d Th  2c Ah 7d  Kc",
        decisions=("set 9sTh 8d", "insure 1000", "stand", "stand"),
        bet="insurance",
    ),
    Shown(
        rule="8",
        title="The deck runs out",
        text="Seven seats have drawn the last card and one more is asked for: every bet still in"
        " action wins.",
        cards=DRY,
        decisions=tuple(DRY_PLAY.split(",")),
        seats=7,
        seat=6,
        bet="first",
    ),
    Shown(
        rule="standard",
        title="Over 21",
        text="A hand that goes over 21 loses at once, whatever the dealer does later.",
        cards="Ts 6d 9h  2c 7h Td  Kc 8s",
        decisions=("set Ts6d 9h", "hit", "stand"),
        bet="first",
    ),
    Shown(
        rule="standard",
        title="The dealer is bust",
        text="The dealer goes over 21 and pays every hand still in action.",
        cards="Ts 3d 9h  2c 6h Td  8c Kc",
        decisions=("set Ts3d 9h", "stand", "stand"),
        bet="first",
    ),
    Shown(
        rule="standard",
        title="Equal totals",
        text="19 against 19 is a push: the bet stays the player's.",
        cards="Ts 9d 8h  2c 9h Td  Kc",
        decisions=("set Ts9d 8h", "stand", "stand"),
        bet="first",
    ),
    Shown(
        rule="standard",
        title="A dealer's blackjack",
        text="The dealer looks under the ten, finds an ace, and every hand but a blackjack loses.",
        cards="Ts 9d 8h  2c Td Ah",
        decisions=("set Ts9d 8h",),
        bet="first",
    ),
)
_SHOWN = {toss_one.GAME.key: _TOSS_ONE, roll_your_own.GAME.key: _ROLL_YOUR_OWN}
