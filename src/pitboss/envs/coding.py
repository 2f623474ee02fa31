"""Rounds told in numbers: what an agent sees, and what its actions mean.

A coding knows no rule: it asks the round who decides and what is legal. The kernels of the
vectorised environments use the same numbers (pitboss.kernels.steps).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from operator import index
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from pitboss.cards import DECK, is_soft
from pitboss.errors import SettingError, shown
from pitboss.felt import deal_from, net, supply
from pitboss.games import roll_your_own, toss_one
from pitboss.kinds import VALUES
from pitboss.rules import Rules
from pitboss.simulator.jobs import UNIT
from pitboss.simulator.roll_your_own import CARDS, check_unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from pitboss.cards import Card
    from pitboss.felt import Game, Operation, Round, SeatView, View
    from pitboss.rules import Json

    Observation = dict[str, NDArray[Any]]

NUMBER = {card: number for number, card in enumerate(CARDS, 1)}
"""A card is its place in the kernels' deck and one more; nought is no card, or one face down."""

SEEN = ("seen_A", *(f"seen_{value}" for value in VALUES[1:]))
FACE = len(CARDS) + 1  # ways that a field of a card can be


class Coding(ABC):
    """How the rounds of a game by some rules, with some seats, are told to an agent."""

    game: ClassVar[Game]
    actions: ClassVar[tuple[str, ...]]
    """What each action means."""

    nothing: ClassVar[int]
    """The action that goes on where a round leaves nothing to decide."""

    def __init__(self, rules: RulesLike = None, seats: int = 1) -> None:
        self.rules = read_rules(self.game, rules)
        most = self.rules.seats
        if type(seats) is not int or not 1 <= seats <= most:
            raise SettingError(f"seats: {shown(seats)} is not a whole number of 1..{most}")
        self.seats = seats
        self.fields = self._fields()
        self.action_space = spaces.Discrete(len(self.actions))

    def space(self) -> spaces.Dict:
        """Return the space of observations, a new one."""
        return spaces.Dict(
            {
                "observation": spaces.MultiDiscrete([*self.fields.values()], dtype=np.int16),
                "action_mask": spaces.MultiBinary(len(self.actions)),
            }
        )

    @abstractmethod
    def _fields(self) -> dict[str, int]:
        """Return the fields of an observation, each with how many ways it can be."""

    @abstractmethod
    def legal(self, round_: Round) -> tuple[int, dict[int, Operation]]:
        """Return the seat that decides and what each of its legal actions does."""

    @abstractmethod
    def opened(self) -> Round:
        """Return a new round, its bets down unless they are for the agent to choose."""

    @abstractmethod
    def look(self, view: View, seat: SeatView | None) -> dict[str, int]:
        """Return the fields that a seat sees, but for the values seen."""

    def observe(
        self, round_: Round, seat: int, mine: Sequence[int], legal: Mapping[int, object]
    ) -> Observation:
        """Return what one who plays the seats *mine* sees when *seat* is asked."""
        in_round = seat in round_.numbers
        view = round_.view(seat if in_round else None)
        own = next((s for s in view.seats if s.seat == seat), None)
        found = self.look(view, own) | {"seat": seat}
        for value, times in self._seen(round_, view, mine).items():
            found[SEEN[value - 1]] = times
        numbers = [found.get(name, 0) for name in self.fields]
        return {"observation": np.array(numbers, np.int16), "action_mask": self.mask(legal)}

    def mask(self, legal: Iterable[int]) -> NDArray[np.int8]:
        """Return which actions are legal."""
        mask = np.zeros(len(self.actions), np.int8)
        mask[[*legal]] = 1
        return mask

    def _seen(self, round_: Round, view: View, mine: Sequence[int]) -> Counter[int]:
        """Count the values on the felt: the cards of these seats, and the dealer's up card."""
        seen: Counter[int] = Counter()
        for number in mine if view.seats and view.seats[0].cards else ():
            seats = (view if number == view.seat else round_.view(number)).seats
            seen.update(_values(next(s for s in seats if s.seat == number)))
        seen.update(card.value for card in self.shown(view))
        return seen

    def shown(self, view: View) -> tuple[Card, ...]:  # noqa: ARG002  of other games
        """Return what the dealer shows while seats decide."""
        return ()


RulesLike = Rules | str | dict[str, "Json"] | None
"""Rules, the name of a preset, settings by name, or nothing for the default."""


def read_rules(game: Game, rules: RulesLike) -> Rules:
    """Return rules of a game however they are given."""
    if isinstance(rules, str):
        if rules not in game.presets:
            names = ", ".join(game.presets)
            raise SettingError(f"no preset {shown(rules)} of {game.key}: there are {names}")
        return game.presets[rules]
    if rules is None or isinstance(rules, dict):
        for name in rules or {}:
            if name not in game.rules.settings:
                names = ", ".join(game.rules.settings)
                raise SettingError(f"no setting {shown(name)} of {game.key}: there are {names}")
        return game.rules(**(rules or {}))
    if not isinstance(rules, game.rules):
        raise SettingError(f"{shown(rules)} are no rules of {game.key}")
    return rules


def _values(seat: SeatView) -> list[int]:
    """Return the values of all cards that a seat has received and can see."""
    drawn = {card for hand in seat.hands if hand.cards for card in hand.cards}
    dealt = [card for card in seat.cards if card]
    return [card.value for card in (*dealt, *(drawn - {*dealt}))]


class TossOne(Coding):
    """Toss One 21: which side bets to make, then which card to toss."""

    game = toss_one.GAME
    actions = (
        "Main alone",
        "Main and Lucky 3",
        "Main and Bonus 4",
        "Main, Lucky 3 and Bonus 4",
        *(f"toss card {place}" for place in range(1, toss_one.PACK + 1)),
    )
    nothing = 0
    phases = tuple(toss_one.Phase)

    def _fields(self) -> dict[str, int]:
        seen = 4 * 4 * self.rules.decks + 1  # type: ignore[attr-defined]
        cards = {f"card_{place}": FACE for place in range(1, toss_one.PACK + 1)}
        head = {"phase": len(self.phases), "seat": self.rules.seats + 1}
        return head | cards | {"lucky3": 2, "bonus4": 2} | dict.fromkeys(SEEN, seen)

    def opened(self) -> Round:
        return self.game.start(self.rules)

    def legal(self, round_: Round) -> tuple[int, dict[int, Operation]]:
        if round_.phase is toss_one.Phase.BETTING:
            seat = len(round_.numbers) + 1
            return seat, {
                sides: toss_one.Bet(seat, UNIT, UNIT * (sides & 1), UNIT * (sides >> 1))
                for sides in range(4)
            }
        if (asked := round_.asked) is None:
            return 1, {}
        (own,) = (s for s in round_.view(asked.seat).seats if s.seat == asked.seat)
        return asked.seat, {4 + own.cards.index(toss.card): toss for toss in asked.legal}

    def look(self, view: View, seat: SeatView | None) -> dict[str, int]:
        found = {"phase": self.phases.index(toss_one.Phase(view.phase))}
        if seat is None:
            return found
        cards = {f"card_{place}": _number(card) for place, card in enumerate(seat.cards, 1)}
        return found | cards | {name: int(seat.stakes[name] > 0) for name in ("lucky3", "bonus4")}


PLAYS = ("hit", "stand", "double", "split")


class RollYourOwn(Coding):
    """Roll Your Own Blackjack: how to set three cards, whether to insure, how to play."""

    game = roll_your_own.GAME
    actions = (
        *(
            f"card {place} alone on the {bet} bet"
            for place in range(1, roll_your_own.PACK + 1)
            for bet in ("first", "second")
        ),
        "no insurance",
        "insure",
        *PLAYS,
    )
    nothing = actions.index("stand")
    phases = tuple(roll_your_own.Phase)[1:]  # bets are down from the start

    def __init__(self, rules: RulesLike = None, seats: int = 1) -> None:
        super().__init__(rules, seats)
        check_unit(self.rules)  # type: ignore[arg-type]

    def _fields(self) -> dict[str, int]:
        cards = {f"card_{place}": FACE for place in range(1, roll_your_own.PACK + 1)}
        head = {"phase": len(self.phases), "seat": self.rules.seats + 1, "up": FACE}
        most = self.rules.max_splits + 2  # type: ignore[attr-defined]
        hand = {"bet": 2, "total": 22, "soft": 2, "cards": 13, "pair": 11, "hands": most}
        return head | cards | hand | {"cards_left": 53} | dict.fromkeys(SEEN, 17)

    def shown(self, view: View) -> tuple[Card, ...]:
        return tuple(card for card in view.dealer.cards[:1] if card)

    def opened(self) -> Round:
        round_ = self.game.start(self.rules)
        for seat in range(1, self.seats + 1):
            round_ = round_.apply(self.game.bet(seat, UNIT))
        return round_

    def legal(self, round_: Round) -> tuple[int, dict[int, Operation]]:
        if (asked := round_.asked) is None:
            return 1, {}
        if asked.decision != "set":
            return asked.seat, {self.actions.index(_word(d)): d for d in asked.legal}
        (own,) = (s for s in round_.view(asked.seat).seats if s.seat == asked.seat)
        found = {}
        for way in asked.legal:
            bet, (alone,) = min(enumerate((way.first, way.second)), key=lambda b: len(b[1]))
            found[2 * own.cards.index(alone) + bet] = way
        return asked.seat, found

    def look(self, view: View, seat: SeatView | None) -> dict[str, int]:
        found = {"phase": self.phases.index(roll_your_own.Phase(view.phase))}
        if seat is None:
            return found
        for place, card in enumerate(seat.cards, 1):
            found[f"card_{place}"] = _number(card)
        found |= {"up": _number(view.dealer.cards[0]), "cards_left": view.cards_left}
        turn = view.turn
        if turn is None or turn.seat != seat.seat:
            return found
        hands = [hand for hand in seat.hands if hand.bet == turn.bet]
        hand = hands[turn.hand]
        cards = hand.cards or ()
        pair = len(cards) == 2 and cards[0].value == cards[1].value  # noqa: PLR2004
        return found | {
            "bet": int(turn.bet == "second"),
            "total": hand.total or 0,
            "soft": int(is_soft(cards)),
            "cards": len(cards),
            "pair": cards[0].value if pair else 0,
            "hands": len(hands),
        }


def _word(decision: Operation) -> str:
    if isinstance(decision, roll_your_own.Insure):
        return "insure" if decision.amount else "no insurance"
    return str(decision)


def _number(card: Card | None) -> int:
    return NUMBER[card] if card else 0


CODINGS: dict[str, type[Coding]] = {coding.game.key: coding for coding in (TossOne, RollYourOwn)}


class Sitting:
    """A round that agents play, dealt from a deck that is shuffled beforehand."""

    def __init__(self, coding: Coding, deck: tuple[Card, ...]) -> None:
        self.coding, self.deck = coding, deck
        self.round = coding.opened()
        self.decided = False  # somebody has acted: even where there is nothing to decide
        self._go_on()

    @classmethod
    def shuffled(cls, coding: Coding, chance: np.random.Generator) -> Sitting:
        """Open a round with a shoe that is shuffled by chance."""
        order = chance.permutation(coding.game.start(coding.rules).deck_size)
        return cls(coding, tuple([DECK[place % len(DECK)] for place in order.tolist()]))

    @property
    def is_over(self) -> bool:
        return self.decided and self.round.phase == "settled"

    def legal(self) -> tuple[int, dict[int, Operation]]:
        """Return the seat that decides and what each of its legal actions does."""
        seat, found = self._asked
        if not found and not self.decided:
            found = {self.coding.nothing: None}
        return seat, found

    def act(self, action: object) -> bool:
        """Carry out an action; an illegal one changes nothing, and false says so."""
        try:
            number = index(action)  # type: ignore[arg-type]
        except TypeError:
            raise SettingError(f"an action is a whole number, not {shown(action)}") from None
        _, found = self.legal()
        if number not in found:
            return False
        if (operation := found[number]) is not None:
            self.round = self.round.apply(operation)
            self._go_on()
        self.decided = True
        return True

    def won(self, seat: int) -> int:
        """Return what is settled of a seat so far, in cents."""
        return net(self.round.settlements(), seat)

    def _go_on(self) -> None:
        """Deal once all seats have bet, and give the cards that are due."""
        if self.round.phase != "betting":
            self.round = supply(self.deck, self.round)
        elif len(self.round.numbers) == self.coding.seats:
            self.round = deal_from(self.deck, self.round)
        self._asked = self.coding.legal(self.round)
