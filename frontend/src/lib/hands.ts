// The hands of a seat and of the dealer, ready to draw.

import { pageOf } from "../games";
import type { Game, SeatView, View } from "./http";

/** A hand on the felt. */
export interface DrawnHand {
  bet: string; // empty if no hand has been made yet
  hand: number;
  cards: readonly (string | null)[];
  out: number; // the index of the card that is not part of the hand, or -1
  outNote: string; // what happened to that card
  text: string; // the hand in the server's words: its total, "bust" or its name
  isBust: boolean;
  isWhole: boolean; // it has all cards of the seat
}

/** The hands of a seat: those of its bets, or all its cards as one hand. */
export function handsOf(game: Game, seat: SeatView): DrawnHand[] {
  const { leftOut, outNote = "" } = pageOf(game);
  if (!seat.hands.length) return [wholeHand(seat)];
  return seat.hands.map((hand) => ({
    bet: hand.bet,
    hand: hand.hand,
    cards: leftOut ? seat.cards : (hand.cards ?? []),
    out: leftOut?.(seat.cards, hand.cards) ?? -1,
    outNote,
    text: hand.text,
    isBust: hand.is_bust,
    isWhole: leftOut !== undefined,
  }));
}

/** All cards of a seat, regardless of hands. */
export const wholeHand = ({ cards }: SeatView): DrawnHand => ({
  bet: "",
  hand: 0,
  cards,
  out: -1,
  outNote: "",
  text: "",
  isBust: false,
  isWhole: true,
});

export function dealerHand(game: Game, { dealer }: View): DrawnHand {
  const { leftOut, outNote = "" } = pageOf(game);
  return {
    bet: "",
    hand: 0,
    cards: dealer.cards,
    out: leftOut?.(dealer.cards, dealer.kept) ?? -1,
    outNote,
    text: dealer.text,
    isBust: dealer.is_bust,
    isWhole: true,
  };
}
