"""Deal it yourself: a finished round as the dealer lives it, step by step.

The round is a real one. Players' moves are watched, the dealer's are asked for, and every bet is
settled when and in the order the game settles it; a step shows the felt as it lies just before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from pitboss.cards import BLACKJACK, Card, is_soft, total
from pitboss.errors import plural
from pitboss.felt import DealerView, Draw, View, deal_from, hand_name
from pitboss.games import not_there, roll_your_own, toss_one
from pitboss.games.roll_your_own import (
    DEALER_STANDS,
    TWO,
    Double,
    Hit,
    HoleCard,
    Insure,
    Outcome,
    SetHands,
    Split,
    Stand,
)
from pitboss.lessons import shuffled
from pitboss.lessons.money import why
from pitboss.notation import dollars
from pitboss.reasons import aside
from pitboss.strategy.lists import ACE, TEN, Feature, Kind, Rule, left_alone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from random import Random

    from pitboss.felt import Game, HandView, Operation, Round, SeatView, Settlement
    from pitboss.rules import Rules

Bet: TypeAlias = tuple[int, str, int]  # seat, bet and hand

AWKWARD = (700, 1500, 3500, 1100, 2300, 4500, 1700)
"""Stakes that 3 to 2 and 6 to 5 are hard to work out on."""

SIDES = (0, 300, 500, 700)
TRIES = 8  # rounds looked at for one that pays a blackjack
LIKELY, SOMETIMES = 0.6, 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A player does something, or the cards do."""

    view: View
    prompt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The dealer's own move: one of the choices that the rules accept."""

    view: View
    prompt: str
    choices: tuple[str, ...]
    accepts: tuple[str, ...]
    why: str


@dataclass(frozen=True, kw_only=True)
class Settle:
    """The next bet to settle, of those that are still on the felt."""

    view: View
    settlement: Settlement
    why: str
    unsettled: tuple[Bet, ...]
    next: tuple[Bet, ...]

    prompt = "Which bet do you settle next: take it, pay it or push it?"

    @property
    def action(self) -> Literal["take", "pay", "push"]:
        net = self.settlement.net
        return "pay" if net > 0 else "take" if net < 0 else "push"


Step: TypeAlias = Watch | Move | Settle


@dataclass(frozen=True, slots=True)
class Training:
    """A round to deal, and the steps of its dealer."""

    game: Game
    rules: Rules
    round: Round
    steps: tuple[Step, ...]

    @property
    def title(self) -> str:
        named = {rules: name for name, rules in self.game.presets.items()}
        seats = plural(len(self.round.numbers), "seat")
        return f"Deal {self.game.name}: {seats}, {named[self.rules]} rules"


def house_rules(game: Game, chance: Random) -> Rules:
    """Return rules for a table that names none: usually the defaults, sometimes 6 to 5."""
    steep = game.presets.get("six-to-five")
    return steep if steep and chance.random() < SOMETIMES else game.rules()


def train(game: Game, rules: Rules, chance: Random) -> Training:
    """Deal a round by chance, more often than not one that pays a blackjack."""
    wants = chance.random() < LIKELY
    for _ in range(TRIES):
        found = _one(game, rules, chance)
        if not wants or any("blackjack" in s.outcome for s in found.round.settlements()):
            break
    return found


def _one(game: Game, rules: Rules, chance: Random) -> Training:
    if game.key not in _DEALT:
        raise not_there("dealer training", game)
    while True:
        steps, round_ = _DEALT[game.key](rules, chance)
        if any(isinstance(step, Move) for step in steps) or _found_blackjack(round_):
            return Training(game, rules, round_, tuple(steps))


def _found_blackjack(round_: Round) -> bool:
    """Say whether a dealer's blackjack is all there is for the dealer to do."""
    return any(s.outcome == Outcome.DEALER_BLACKJACK for s in round_.settlements())


def _seats(most: int, chance: Random) -> list[int]:
    return sorted(chance.sample(range(1, most + 1), min(most, chance.choice((2, 3)))))


# --- settling, bet by bet


class _Felt:
    """The felt between two operations: what is settled, and what the dealer has turned."""

    def __init__(self, dealer: DealerView, last: str) -> None:
        self.dealer = dealer
        self.last = last  # the phase before a round is settled
        self.settled: tuple[Settlement, ...] = ()

    def show(self, round_: Round) -> View:
        """Show the felt as it lies; the round is over when the last bet is settled."""
        view = round_.record()
        phase = view.phase
        if phase == "settled" and self.settled != view.settlements:
            phase = self.last
        return replace(view, phase=phase, dealer=self.dealer, settlements=self.settled)

    def settle(self, round_: Round, new: Iterable[Settlement]) -> Iterator[Settle]:
        """Settle bets one by one; the view is of the moment before."""
        new = tuple(new)
        for place, settlement in enumerate(new):
            view = self.show(round_)
            yield Settle(
                view=view,
                settlement=settlement,
                why=aside(why(round_.rules, view, settlement)),
                unsettled=tuple(b for b in _bets(view) if b not in set(map(_spot, self.settled))),
                next=tuple(_together(new[place:])),
            )
            self.settled += (settlement,)


def _spot(settlement: Settlement) -> Bet:
    return settlement.seat, settlement.bet, settlement.hand


def _bets(view: View) -> Iterator[Bet]:
    """Yield every bet that was put on the felt so far."""
    for seat in view.seats:
        if "bet" not in seat.stakes:
            yield from ((seat.seat, bet, 0) for bet, stake in seat.stakes.items() if stake)
            continue
        yield seat.seat, "bonus", 0
        hands = [(hand.bet, hand.hand) for hand in seat.hands] or [("first", 0), ("second", 0)]
        yield from ((seat.seat, *hand) for hand in hands)  # a double blackjack sets no hands (7i)
        if seat.insurance:
            yield seat.seat, "insurance", 0


def _together(left: Sequence[Settlement]) -> Iterator[Bet]:
    """Yield the bets that may be settled now: the first, and those that one event ends with it."""
    first = left[0]
    yield _spot(first)
    if first.outcome not in {toss_one.Outcome.PLAYER_BUST, Outcome.DOUBLE_BLACKJACK}:
        return
    alike = (first.seat, first.outcome)
    yield from (_spot(s) for s in left[1:] if (s.seat, s.outcome) == alike)


# --- Toss One 21


def _toss_one(rules: Rules, chance: Random) -> tuple[list[Step], Round]:
    assert isinstance(rules, toss_one.Rules)  # noqa: S101
    round_ = toss_one.Round(rules)
    for seat in _seats(rules.seats, chance):
        sides = chance.choice(SIDES), chance.choice(SIDES)
        round_ = round_.apply(toss_one.Bet(seat, chance.choice(AWKWARD), *sides))
    round_ = deal_from(shuffled(rules.decks, chance), round_)
    felt = _Felt(DealerView((None,) * toss_one.PACK), toss_one.Phase.TOSSING)
    steps: list[Step] = []
    for number in round_.numbers:
        hand = toss_one.chosen_hand(rules, _seat(round_, number).cards)
        if hand:
            said = f"Seat {number} tosses {hand.tossed.symbol}."
            round_ = round_.apply(toss_one.Toss(number, hand.tossed))
        else:
            said = f"Seat {number} has no three cards of 21 or less."
        steps.append(Watch(view=felt.show(round_), prompt=said))
        if _seat(round_, number).is_settled_at_once:  # rules 4 and 8
            own = [s for s in round_.settlements() if s.seat == number]
            steps += felt.settle(round_, own)
    if all(seat.is_settled_at_once for seat in round_.seats):
        return steps, round_
    felt.dealer = DealerView(round_.dealer)
    steps.append(_best_three(felt.show(round_), round_.dealer))
    felt.dealer = round_.record().dealer
    rest = round_.settlements()[len(felt.settled) :]
    steps += felt.settle(round_, rest)
    steps.append(Watch(view=felt.show(round_), prompt="Every bet is settled."))
    return steps, round_


def _seat(round_: toss_one.Round, number: int) -> toss_one.Seat:
    return next(seat for seat in round_.seats if seat.number == number)


BUST = "bust"


def _best_three(view: View, cards: tuple[Card, ...]) -> Move:
    """Ask which card the dealer tosses: any that leaves the best three (rule 5)."""
    best = toss_one.best_hands(cards)
    if best:
        kept = "-".join(card.rank.letter.replace("T", "10") for card in best[0].kept)
        why_ = f"{kept} is {best[0].total}, the best three (rule 5)."
    else:
        why_ = "No three of the four make 21 or less: the dealer is bust (rule 6)."
    return Move(
        view=view,
        prompt="Turn your four cards over. Which one do you toss, or are you bust?",
        choices=(*dict.fromkeys(card.text for card in cards), BUST),
        accepts=tuple(hand.tossed.text for hand in best) or (BUST,),
        why=why_,
    )


# --- Roll Your Own Blackjack


def _roll_your_own(rules: Rules, chance: Random) -> tuple[list[Step], Round]:
    assert isinstance(rules, roll_your_own.Rules)  # noqa: S101
    round_ = roll_your_own.Round(rules)
    for seat in _seats(rules.seats, chance):
        round_ = round_.apply(roll_your_own.Bet.of(seat, chance.choice(AWKWARD)))
    deck = shuffled(1, chance)
    table = _Table(deal_from(deck, round_), deck, chance)
    return list(table.steps()), table.round


class _Table:
    """A round of Roll Your Own on its way to the end, players' moves and dealer's."""

    def __init__(self, round_: roll_your_own.Round, deck: tuple[Card, ...], chance: Random) -> None:
        self.round = round_
        self.deck = deck
        self.chance = chance
        self.felt = _Felt(round_.record().dealer, roll_your_own.Phase.PLAYING)

    def steps(self) -> Iterator[Step]:
        for seat in self.round.seats:
            if seat.is_double_blackjack:
                yield self._watch(f"Seat {seat.number} has a double blackjack.")
        yield from self._players()
        yield from self._turn()
        yield from self._settle(waiting=True)
        yield self._watch("Every bet is settled.")

    def _players(self) -> Iterator[Step]:
        """Let the players decide and the stub deal, until only the dealer is left to play."""
        yield from self._settle()
        looked = not self._looks
        while True:
            if self.round.phase in {"playing", "settled"} and not looked:
                looked = True
                yield from self._peek()
            if self._wants_card:
                yield from self._draw()
            elif self.round.asked:
                yield from self._decide(self.round.asked.seat)
            else:
                return
            yield from self._settle()

    @property
    def _wants_card(self) -> bool:
        """Say whether the next card is a player's: the hand's whose turn it is."""
        return self.round.needs_card and self.round.record().turn is not None

    @property
    def _looks(self) -> bool:
        peek = self.round.rules.hole_card is HoleCard.PEEK
        return peek and self.round.dealer[1].value in {ACE, TEN}

    @property
    def _peek_found(self) -> bool:
        return self._looks and total(self.round.dealer[1:]) == BLACKJACK

    def _peek(self) -> Iterator[Step]:
        """Look under the up card, and turn a blackjack over (R-3)."""
        if not self._peek_found:
            yield self._watch("You look at your hole card: no blackjack.")
            return
        self.felt.dealer = self.round.record().dealer
        yield self._watch("You look at your hole card: a blackjack. You turn it over.")

    def _decide(self, number: int) -> Iterator[Step]:
        view = self.round.view(number)
        decision = _sensible(view, self.chance)
        said = _words(view, decision)
        self.round = self.round.apply(decision)
        if isinstance(decision, Hit | Double | Split):  # its card is part of what is seen
            yield from self._draw(said)
        else:
            yield self._watch(f"{said}.")

    def _draw(self, said: str | None = None) -> Iterator[Step]:
        turn = self.round.record().turn
        card = self.deck[self.round.cards_used]
        self.round = self.round.apply(Draw(card))
        if said is None and turn:
            said = f"Seat {turn.seat}, {hand_name(turn.bet, turn.hand)} bet, receives a card"
        yield self._watch(f"{said}: {card.symbol}.")

    def _watch(self, said: str) -> Watch:
        return Watch(view=self.felt.show(self.round), prompt=said)

    def _settle(self, *, waiting: bool = False) -> Iterator[Settle]:
        """Settle what is due now; what waits for the dealer only when that is *waiting* no more."""
        known = set(map(_spot, self.felt.settled))
        new = [s for s in self.round.settlements() if _spot(s) not in known]
        if not waiting:
            new = [s for s in new if not self._waits(s)]
        return self.felt.settle(self.round, new)

    def _waits(self, settlement: Settlement) -> bool:
        """Say whether a bet is settled only when the dealer's hole card is up."""
        at_once = {Outcome.BLACKJACK, Outcome.DOUBLE_BLACKJACK, Outcome.BUST}
        if settlement.bet == "bonus" or settlement.outcome in at_once:
            return False
        if settlement.bet == "insurance" or settlement.outcome == Outcome.DEALER_BLACKJACK:
            return self.round.rules.hole_card is HoleCard.NO_PEEK
        return True

    def _turn(self) -> Iterator[Step]:
        """Turn the hole card and draw, if a bet needs it (rule 7f)."""
        if self._peek_found or None in self.round.record().dealer.cards:
            return
        waits = any(self._waits(s) and s.bet != "insurance" for s in self._final().settlements())
        cards = self.round.dealer[1:]
        while waits and total(cards) <= BLACKJACK:
            self.felt.dealer = DealerView(cards, cards, total(cards))
            hits = self.round.needs_card
            yield self._hit_or_stand(cards, hits=hits, first=len(cards) == TWO)
            if not hits:
                break
            card = self.deck[self.round.cards_used]
            self.round = self.round.apply(Draw(card))
            cards = (*cards, card)
        self.felt.dealer = self.round.record().dealer
        if not waits:  # insurance under no_peek is all that was open
            yield self._watch("You turn your hole card over.")

    def _final(self) -> roll_your_own.Round:
        round_ = self.round
        while round_.needs_card:
            round_ = round_.apply(Draw(self.deck[round_.cards_used]))
        return round_

    def _hit_or_stand(self, cards: tuple[Card, ...], *, hits: bool, first: bool) -> Move:
        name = f"{'soft' if is_soft(cards) else 'hard'} {total(cards)}"
        said = "Turn your hole card over" if first else f"You drew {cards[-1].symbol}"
        soft = f", and {self.round.rules.soft_17}s soft {DEALER_STANDS}"
        return Move(
            view=self.felt.show(self.round),
            prompt=f"{said}: {name}. Hit or stand?",
            choices=("hit", "stand"),
            accepts=("hit",) if hits else ("stand",),
            why=f"{name.capitalize()}: the dealer hits 16 and less{soft} (rule 7f).",
        )


# --- how the players play: plainly, not perfectly

TOGETHER = (
    Rule(Feature(Kind.TOGETHER, ACE, TEN)),
    Rule(Feature(Kind.TOGETHER, TEN, TEN)),
    Rule(Feature(Kind.HARD, 9, 11)),
    Rule(Feature(Kind.PAIRS, 2, 9)),
    Rule(Feature(Kind.HIGHEST_ALONE)),
)
WEAK = range(2, 7)  # up cards against which a player waits for the dealer to bust
STIFF, PAT, SOFT_PAT = 12, 17, 18
ALWAYS_SPLIT, NEVER_SPLIT = {ACE, 8}, {4, 5, TEN}
DOUBLES = (10, 11)


def _sensible(view: View, chance: Random) -> Operation:
    own = next(seat for seat in view.seats if seat.seat == view.seat)
    up = view.dealer.kept[0].value
    first = view.legal[0]
    if isinstance(first, SetHands):
        values = tuple(sorted(int(card.value) for card in own.cards if card))
        alone = left_alone(TOGETHER, int(up), values)
        ways = [
            w for w in view.legal if alone in [c.value for c in min(w.first, w.second, key=len)]
        ]
        return chance.choice(ways)
    if isinstance(first, Insure):
        return view.legal[-1] if chance.random() < SOMETIMES else first
    legal = {type(play): play for play in view.legal}
    wished = _play(_in_turn(view, own).cards or (), up, legal)
    return legal.get(wished) or legal[Stand]


def _in_turn(view: View, own: SeatView) -> HandView:
    turn = view.turn
    return next(h for h in own.hands if turn and (h.bet, h.hand) == (turn.bet, turn.hand))


def _play(cards: tuple[Card, ...], up: int, legal: Iterable[type]) -> type:
    points, legal = total(cards), set(legal)
    if Split in legal:
        value = cards[0].value
        if value in ALWAYS_SPLIT or (value not in NEVER_SPLIT and up in WEAK):
            return Split
    if is_soft(cards):
        return Stand if points >= SOFT_PAT else Hit
    if Double in legal and len(cards) == TWO and points in DOUBLES and up not in {ACE, TEN}:
        return Double
    return Stand if points >= PAT or (points >= STIFF and up in WEAK) else Hit


def _words(view: View, decision: Operation) -> str:
    who = f"Seat {view.seat}"
    if isinstance(decision, SetHands):
        first, second = (
            "".join(card.symbol for card in cards) for cards in (decision.first, decision.second)
        )
        return f"{who} sets {first} on the first bet and {second} on the second"
    if isinstance(decision, Insure):
        amount = decision.amount
        return f"{who} insures for {dollars(amount)}" if amount else f"{who} does not insure"
    return f"{who} {decision}s"


_DEALT: Mapping[str, Callable[[Rules, Random], tuple[list[Step], Round]]] = {
    toss_one.GAME.key: _toss_one,
    roll_your_own.GAME.key: _roll_your_own,
}


def settled(steps: Iterable[Step]) -> tuple[Settlement, ...]:
    """Return what the settling steps settle, in their order."""
    return tuple(step.settlement for step in steps if isinstance(step, Settle))
