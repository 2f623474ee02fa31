"""Practice: one situation at a time, every legal decision priced by the coach.

A situation is a real round up to a decision of one seat, dealt at random and kept if it is what the
drill is about. Nothing is at stake: the values go out with the question.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from pitboss.cards import BLACKJACK, DECK, Card, hard_total, is_soft, total
from pitboss.coach import Advice, Option, advise
from pitboss.errors import NotationError, shown
from pitboss.felt import Operation, Round, deal_from, supply
from pitboss.games import GAMES, not_there, roll_your_own, toss_one
from pitboss.games.roll_your_own import Insurance, Insure, Phase, SetHands
from pitboss.games.toss_one import TossRule
from pitboss.lessons import shuffled
from pitboss.strategy.lists import TEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from random import Random

    from pitboss.felt import Game
    from pitboss.rules import Rules

Dealt: TypeAlias = tuple[Round, int]  # a round and the seat that is asked

BET = 1000
CLOSE = 4  # totals apart: where two tosses are nearer than that, one has to count
EASY_ONES = 0.8  # the share of hands with a plain toss that is dealt again
TELLING = range(8, 18)  # hard totals that are not played without a thought


@dataclass(frozen=True, slots=True)
class Drill:
    """A kind of situation that is asked again and again."""

    key: str
    title: str
    trains: str
    question: str
    deal: Callable[[Rules, Random], Dealt | None]


@dataclass(frozen=True, slots=True)
class Situation:
    """A round up to a decision, with what every legal one is worth."""

    game: Game
    drill: Drill
    round: Round
    advice: Advice

    @property
    def seat(self) -> int:
        return self.advice.seat

    def why(self, option: Option) -> str | None:
        """Say in a few words why an option is the best; for a toss, name the hand it keeps."""
        if isinstance(option.decision, toss_one.Toss):
            return _kept(self, option.decision)
        is_best = option.value == self.advice.best.value
        return _said(self, option.decision) if is_best else None


def ask(game: Game, drill: str, rules: Rules, chance: Random) -> Situation:
    """Return a situation of a drill, by chance."""
    known = drills(game)
    if not known:
        raise not_there("drills", game)
    if drill not in known:
        raise NotationError(f"no drill {shown(drill)} of {game.name}: there are {', '.join(known)}")
    while True:
        found = known[drill].deal(rules, chance)
        if found:
            round_, seat = found
            return Situation(game, known[drill], round_, advise(round_, seat))


def drills(game: Game) -> Mapping[str, Drill]:
    return {drill.key: drill for drill in _DRILLS.get(game.key, ())}


# --- Toss One 21


def _toss(rules: Rules, chance: Random) -> Dealt | None:
    """Deal four cards; any toss may be tried, which by the rules is one of the best (rule 3)."""
    assert isinstance(rules, toss_one.Rules)  # noqa: S101
    free = replace(rules, toss=TossRule.FREE)
    side = chance.choice((0, BET // 2))
    cards = shuffled(rules.decks, chance)
    four = cards[: toss_one.PACK]
    if not _is_a_choice(free, four, with_lucky3=bool(side)) and chance.random() < EASY_ONES:
        return None
    round_ = deal_from(cards, toss_one.Round(free).apply(toss_one.Bet(1, BET, side)))
    return (round_, 1) if round_.legal(1) else None


def _is_a_choice(rules: toss_one.Rules, four: tuple[Card, ...], *, with_lucky3: bool) -> bool:
    """Say whether one has to look twice: near totals, or equal ones that Lucky 3 tells apart."""
    best = toss_one.best_hands(four)
    if not best:
        return False  # a bust has nothing to toss (rule 4)
    paid = {rules.lucky3_paytable.odds(toss_one.lucky3(hand)) for hand in best}
    if with_lucky3 and len(paid) > 1:
        return True
    others = {_total_without(four, card) for card in four} - {best[0].total}
    return any(best[0].total - CLOSE < points <= BLACKJACK for points in others)


def _total_without(cards: tuple[Card, ...], tossed: Card) -> int:
    index = cards.index(tossed)
    return total(cards[:index] + cards[index + 1 :])


def _kept(of: Situation, toss: toss_one.Toss) -> str:
    """Say what a toss leaves."""
    (own,) = of.round.view(of.seat).seats
    cards = tuple(filter(None, own.cards))
    index = cards.index(toss.card)
    kept = cards[:index] + cards[index + 1 :]
    hand = toss_one.Hand(kept, toss.card)
    if hand.is_bust:
        return f"keeps {hard_total(kept)}: over 21, a bust"
    name = "a blackjack" if hand.is_blackjack else str(hand.total)
    lucky = toss_one.lucky3(hand)
    if own.stakes["lucky3"] and lucky:
        return f"keeps {name}, for Lucky 3 a {lucky.replace('_', ' ')}"
    return f"keeps {name} with kicker {_name(toss.card)}"


# --- Roll Your Own Blackjack


def _dealt(rules: Rules, chance: Random, seats: int = 1) -> tuple[Round, tuple[Card, ...]]:
    round_ = roll_your_own.GAME.start(rules)
    for seat in range(1, seats + 1):
        round_ = round_.apply(roll_your_own.Bet.of(seat, BET))
    deck = shuffled(1, chance)
    return deal_from(deck, round_), deck


def _set(rules: Rules, chance: Random) -> Dealt | None:
    round_, _ = _dealt(rules, chance)
    return (round_, 1) if round_.phase == Phase.SETTING else None


def _insurance(rules: Rules, chance: Random) -> Dealt | None:
    """Deal three seats: the open cards of all are what insurance is decided by (rule 7j)."""
    assert isinstance(rules, roll_your_own.Rules)  # noqa: S101
    if rules.insurance is Insurance.OFF:
        raise NotationError("no insurance to practice: it is not offered under these rules")
    round_, deck = _dealt(rules, chance, seats=3)
    while round_.phase == Phase.SETTING and round_.asked:
        round_ = supply(deck, round_.apply(chance.choice(round_.asked.legal)))
    asked = round_.asked
    return (round_, asked.seat) if asked and round_.phase == Phase.INSURING else None


def _two(is_wanted: Callable[[tuple[Card, ...]], bool]) -> Callable[[Rules, Random], Dealt | None]:
    """Return a dealer of two cards on the first bet, of the kind a drill is about."""

    def deal(rules: Rules, chance: Random) -> Dealt | None:
        round_, deck = _dealt(rules, chance)
        ways = [way for way in round_.legal(1) if isinstance(way, SetHands) and len(way.first) > 1]
        ways = [way for way in ways if is_wanted(way.first)]
        if not ways:
            return None
        round_ = supply(deck, round_.apply(chance.choice(ways)))
        if round_.phase == Phase.INSURING:
            round_ = supply(deck, round_.apply(Insure(1, 0)))
        turn = round_.view(1).turn
        asked = round_.asked and turn and (turn.bet, turn.hand) == ("first", 0)
        return (round_, 1) if asked else None

    return deal


def _is_pair(two: tuple[Card, ...]) -> bool:
    return two[0].value == two[1].value


def _is_hard(two: tuple[Card, ...]) -> bool:
    return not is_soft(two) and not _is_pair(two) and total(two) in TELLING


def _is_soft(two: tuple[Card, ...]) -> bool:
    return is_soft(two) and not _is_pair(two) and total(two) < BLACKJACK


def _may_split(
    two: Callable[[Rules, Random], Dealt | None],
) -> Callable[[Rules, Random], Dealt | None]:
    """Return a dealer of pairs; where the house allows no split there are none (rule 7c)."""

    def deal(rules: Rules, chance: Random) -> Dealt | None:
        assert isinstance(rules, roll_your_own.Rules)  # noqa: S101
        if not rules.max_splits:
            raise NotationError("no pairs to practice: no split is allowed under these rules")
        return two(rules, chance)

    return deal


# --- words


def _name(card: Card) -> str:
    return {1: "ace"}.get(card.value, str(card.value))


def _a(card: Card) -> str:
    return f"{'an' if card.value in {1, 8} else 'a'} {_name(card)}"


def _said(of: Situation, decision: Operation) -> str:
    """Say the best decision as a player would say it."""
    view = of.round.view(of.seat)
    up = view.dealer.kept[0]
    if isinstance(decision, SetHands):
        two, one = sorted((decision.first, decision.second), key=len, reverse=True)
        return f"against {_a(up)}: {'-'.join(map(_name, two))} together, the {_name(one[0])} alone"
    if isinstance(decision, Insure):
        return _counted(of)
    turn = view.turn
    (own,) = (seat for seat in view.seats if seat.seat == of.seat)
    (hand,) = (h for h in own.hands if turn and (h.bet, h.hand) == (turn.bet, turn.hand))
    return f"{_hand(hand.cards or ())} against {_a(up)}: {decision}"


def _hand(cards: tuple[Card, ...]) -> str:
    if len(cards) == roll_your_own.TWO and _is_pair(cards):
        return f"a pair of {_name(cards[0])}s"
    return f"{'soft' if is_soft(cards) else 'hard'} {total(cards)}"


def _counted(of: Situation) -> str:
    """Say what insurance hangs on: it pays 2 to 1, so it takes more than one ten in three."""
    view = of.round.view(of.seat)
    seen = Counter(card.value for seat in view.seats for card in seat.cards if card)
    seen[view.dealer.kept[0].value] += 1
    tens = sum(card.value == TEN for card in DECK) - seen[TEN]
    unseen = len(DECK) - seen.total()
    share = 100 * tens / unseen
    return f"{tens} of {unseen} unseen cards are tens, {share:.0f} %: insurance gains above 33 %"


_WHAT = "What do you do with this hand?"
_DRILLS: dict[str, tuple[Drill, ...]] = {
    toss_one.GAME.key: (
        Drill("toss", "Toss one", "seeing the best three of four cards", "Toss one card.", _toss),
    ),
    roll_your_own.GAME.key: (
        Drill(
            "set",
            "Set three cards",
            "which two cards go together, and which stands alone",
            "Two cards on one bet, one on the other: how do you set them?",
            _set,
        ),
        Drill("hard", "Hard hands", "two cards without an ace", _WHAT, _two(_is_hard)),
        Drill("soft", "Soft hands", "an ace that counts 11", _WHAT, _two(_is_soft)),
        Drill("pairs", "Pairs", "when to split", _WHAT, _may_split(_two(_is_pair))),
        Drill(
            "insurance",
            "Insurance",
            "counting the tens that are out",
            "The dealer shows an ace. Do you insure?",
            _insurance,
        ),
    ),
}


def every() -> Iterator[tuple[Game, Drill]]:
    """Yield every drill with its game."""
    return ((game, drill) for game in GAMES.values() for drill in drills(game).values())
