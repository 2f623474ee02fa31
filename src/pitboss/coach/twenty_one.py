"""The parts of a coach that games of 21 share: insurance, the cards seen, and an empty stub."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from itertools import dropwhile, groupby
from typing import TYPE_CHECKING

from pitboss.coach import Advice, CoachError, own_seat
from pitboss.core.cards import DECK, Card, hard_total
from pitboss.core.protocol import Turn, net
from pitboss.core.twenty_one import TWO, Insure, Stand

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pitboss.core.protocol import HandView, Operation, Round, SeatView, View

EXTRAS = {"numba", "numpy", "platformdirs", "psutil"}  # the libraries of the extra `kernels`

MAX_HAND_TOTAL = 30  # a hand draws on hard 20 or less, and the last card counts 10 or less
MAX_DEALER_TOTAL = 26  # the dealer draws on hard 16 or less
MAX_CARD_VALUE = 10


class TwentyOneAdvice(Advice):
    """Advice that accepts any amount of insurance up to the largest one."""

    __slots__ = ()

    def value(self, decision: Operation) -> float:
        if isinstance(decision, Insure) and decision.seat == self.seat:
            amounts = [o.decision.amount for o in self.options if isinstance(o.decision, Insure)]
            most = max(amounts, default=0)
            if 0 < decision.amount < most:
                return Advice.value(self, Insure(self.seat, most)) * decision.amount / most
        return Advice.value(self, decision)


@contextmanager
def needing_kernels() -> Iterator[None]:
    """Raise :class:`CoachError` if a library of the extra ``kernels`` is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        name = str(error.name).partition(".")[0]
        if name not in EXTRAS:
            raise
        raise CoachError(
            f"the coach of this game needs {name}, which is not installed:"
            " pip install 'pitboss[kernels]'"
        ) from None


# --- the cards in a view


def values(cards: Iterable[Card]) -> tuple[int, ...]:
    """Return the values of cards, sorted, as plain integers."""
    return tuple(sorted(int(card.value) for card in cards))


def up_card(view: View) -> Card:
    """Return the dealer's up card."""
    return view.dealer.kept[0]


def seen(view: View) -> list[Card]:
    """Return every face-up card of the seats."""
    return [card for seat in view.seats for card in _cards(seat)]


def _cards(seat: SeatView) -> Iterator[Card]:
    if not seat.hands:
        return filter(None, seat.cards)
    return (card for hand in seat.hands for card in hand.cards or ())


def unseen(view: View, decks: int) -> list[Card]:
    """Return the cards of the deck that are not face up."""
    left = Counter(DECK * decks) - Counter([*seen(view), up_card(view)])
    return list(left.elements())


def hand_in_turn(view: View) -> HandView:
    """Return the hand of the view's seat whose turn it is."""
    turn = view.turn
    hands = own_seat(view).hands
    return next(h for h in hands if turn and (h.bet, h.hand) == (turn.bet, turn.hand))


def unplayed_hands(view: View) -> list[tuple[int, HandView]]:
    """Return the hands still to be played, with their seats, starting with the current one."""
    spots = [(seat.seat, hand) for seat in view.seats for hand in seat.hands]
    if view.turn:
        spots = list(dropwhile(lambda spot: _turn(*spot) != view.turn, spots))
    settled = {Turn(s.seat, s.bet, s.hand) for s in view.settlements}
    return [spot for spot in spots if _turn(*spot) not in settled]


def _turn(seat: int, hand: HandView) -> Turn:
    return Turn(seat, hand.bet, hand.hand)


# --- the end of the stub


def could_run_out(view: View, unseen: Sequence[int], max_splits: int, more_room: int = 0) -> bool:
    """Return whether the stub could run out; False means that it cannot.

    When the stub has run out, every card of *unseen* lies in a hand, and the hand that needs a card
    has room for at least ten more points. *more_room* is room in hands that are not made yet.
    """
    room = MAX_DEALER_TOTAL - up_card(view).value + more_room
    room += sum(_rooms(view, unseen, max_splits))
    return sum(unseen) <= room - MAX_CARD_VALUE


def _rooms(view: View, unseen: Sequence[int], max_splits: int) -> Iterator[int]:
    """Yield, for each bet still to be played, the most points that its hands can take."""
    bets = Counter((seat.seat, hand.bet) for seat in view.seats for hand in seat.hands)
    for bet, spots in groupby(unplayed_hands(view), lambda spot: (spot[0], spot[1].bet)):
        hands = [hand.cards or () for _, hand in spots]
        splits = min(max_splits + 1 - bets[bet], _pairs(hands, unseen))
        yield MAX_HAND_TOTAL * (len(hands) + splits) - sum(map(hard_total, hands))


def _pairs(hands: Sequence[tuple[Card, ...]], unseen: Sequence[int]) -> int:
    """Return the number of pairs that the hands of one bet have or can still draw."""
    held = sum(len(cards) == TWO and len(set(values(cards))) == 1 for cards in hands)
    waits = held or any(len(cards) == 1 for cards in hands)
    return held + unseen.count(hands[-1][0].value) if waits else 0


def empty_stub_values(worlds: Sequence[Round], view: View, unit: int) -> Iterator[float]:
    """Value the legal plays with an empty stub; *worlds* are the rounds that the view allows.

    The game engine plays every world to its end.
    """
    seat = own_seat(view).seat
    settled = net(view.settlements, seat)
    return ((_expected_net(worlds, play, seat) - settled) / unit for play in view.legal)


def _expected_net(worlds: Sequence[Round], play: Operation, seat: int) -> float:
    """Return the seat's expected net after *play*; it then plays best, and other seats stand."""
    after = [world.apply(play) for world in worlds]
    asked = after[0].asked
    if asked is None:
        return sum(net(world.settlements(), seat) for world in after) / len(after)
    if asked.seat != seat:
        return _expected_net(after, Stand(asked.seat), seat)
    return max(_expected_net(after, later, seat) for later in asked.legal)
