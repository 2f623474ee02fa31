// The hands of a seat and of the dealer, ready to draw.

import { pageOf } from "../games";
import type { Game, HandView, SeatView, View } from "./http";

/** A hand on the felt. */
export interface DrawnHand {
  bet: string; // empty if no hand has been made yet
  hand: number;
  cards: readonly (string | null)[];
  out: number; // the index of the card that was tossed, or -1
  text: string; // its total, or "bust"
  isWhole: boolean; // it has all cards of the seat
}

const BUST = "bust";

/** A total in words; nothing while it is unknown. */
export function totalText(game: Game, total: number | null): string {
  if (total === null) return "";
  return game.bust_above !== null && total > game.bust_above ? BUST : `${total}`;
}

/** The total of a hand in words; a bust may keep no cards. */
export const handText = (game: Game, { cards, total }: Pick<HandView, "cards" | "total">) =>
  cards === null ? BUST : totalText(game, total);

/** The hands of a seat: those of its bets, or all its cards as one hand. */
export function handsOf(game: Game, seat: SeatView): DrawnHand[] {
  const { leftOut } = pageOf(game);
  if (!seat.hands.length) return [wholeHand(seat)];
  return seat.hands.map((hand) => ({
    bet: hand.bet,
    hand: hand.hand,
    cards: leftOut ? seat.cards : (hand.cards ?? []),
    out: leftOut?.(seat.cards, hand.cards) ?? -1,
    text: handText(game, hand),
    isWhole: leftOut !== undefined,
  }));
}

/** All cards of a seat, regardless of hands. */
export const wholeHand = ({ cards }: SeatView): DrawnHand => ({
  bet: "",
  hand: 0,
  cards,
  out: -1,
  text: "",
  isWhole: true,
});

/** The dealer's hand; without a total it is bust once it is settled with all cards face up. */
export function dealerHand(game: Game, { phase, dealer }: View): DrawnHand {
  const { cards, kept, total } = dealer;
  const isDone = phase === "settled" && cards.length > 2 && !cards.includes(null);
  return {
    bet: "",
    hand: 0,
    cards,
    out: pageOf(game).leftOut?.(cards, kept) ?? -1,
    text: total === null && isDone ? BUST : totalText(game, total),
    isWhole: true,
  };
}
