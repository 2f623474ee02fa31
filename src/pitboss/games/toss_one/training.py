"""Dealer training for Toss One 21: the dealer's toss and every payment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitboss.core.protocol import DealerView, deal_from
from pitboss.games.toss_one.hands import PACK, best_hands, chosen_hand
from pitboss.games.toss_one.round import Bet, Phase, Round, Toss
from pitboss.games.toss_one.rules import Lucky3, Outcome
from pitboss.training import shuffled
from pitboss.training.dealer import STAKES, Move, TableState, Watch, choose_seats

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from pitboss.core.cards import Card
    from pitboss.core.protocol import View
    from pitboss.games.toss_one.round import Seat
    from pitboss.games.toss_one.rules import Rules
    from pitboss.training.dealer import Step

SIDES = (0, 300, 500, 700)
BUST = "bust"
INSTRUCTIVE = frozenset(
    {
        Outcome.BLACKJACK,
        Outcome.DEALER_BLACKJACK,
        Lucky3.SUITED_BLACKJACK,
        Lucky3.COLOURED_BLACKJACK,
        Lucky3.BLACKJACK,
    }
)


class TossTableState(TableState):
    """The table of Toss One 21."""

    ends_together = (Outcome.PLAYER_BUST,)


def deal(rules: Rules, chance: Random) -> tuple[list[Step], Round] | None:
    """Deal a round in which at least one bet depends on the dealer's cards."""
    round_ = Round(rules)
    for seat in choose_seats(rules.seats, chance):
        sides = chance.choice(SIDES), chance.choice(SIDES)
        round_ = round_.apply(Bet(seat, chance.choice(STAKES), *sides))
    round_ = deal_from(shuffled(rules.decks, chance), round_)
    state = TossTableState(DealerView((None,) * PACK), Phase.TOSSING)
    steps: list[Step] = []
    for number in round_.numbers:
        round_, said = _toss(round_, number)
        steps.append(Watch(view=state.show(round_), prompt=said))
        if _seat(round_, number).is_settled_at_once:  # rules 4 and 8
            own = [s for s in round_.settlements() if s.seat == number]
            steps += state.settle(round_, own)
    if all(seat.is_settled_at_once for seat in round_.seats):
        return None
    return [*steps, *_dealer_steps(state, round_)], round_


def _toss(round_: Round, number: int) -> tuple[Round, str]:
    """Toss for a seat; return the next round and the text to show."""
    hand = chosen_hand(round_.rules, _seat(round_, number).cards)
    if hand is None:
        return round_, f"Seat {number} has no three cards of 21 or less."
    after = round_.apply(Toss(number, hand.tossed))
    return after, f"Seat {number} tosses {hand.tossed.symbol}."


def _dealer_steps(state: TableState, round_: Round) -> Iterator[Step]:
    """Turn the dealer's cards, toss one and settle the bets that are left."""
    state.dealer = DealerView(round_.dealer)
    yield _best_three(state.show(round_), round_.dealer)
    state.dealer = round_.record().dealer
    yield from state.settle(round_, round_.settlements()[len(state.settled) :])
    yield Watch(view=state.show(round_), prompt="Every bet is settled.")


def _seat(round_: Round, number: int) -> Seat:
    return next(seat for seat in round_.seats if seat.number == number)


def _best_three(view: View, cards: tuple[Card, ...]) -> Move:
    """Ask which card the dealer tosses; any toss that leaves the best total is right (rule 5)."""
    best = best_hands(cards)
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
