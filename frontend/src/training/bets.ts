// The bets of a seat as they lie before the dealer, each with its cards.

import type { Game, HandView, Schemas, SeatView } from "../lib/http";
import { spotsOf } from "../lib/layout";
import { handName } from "../lib/words";

export type Spot = Schemas["BetSpot"];

export interface Laid {
  spot: Spot;
  label: string;
  cents: number;
  hand: HandView | null; // a side bet has none of its own
}

export const same = (one: Spot, other: Spot) => one.seat === other.seat && one.bet === other.bet && one.hand === other.hand;
export const among = (spot: Spot, list: readonly Spot[]) => list.some((one) => same(one, spot));
export const nameOf = (game: Game, spot: Spot) => `seat ${spot.seat}, ${handName(game, spot)}`;

/** Bets that are as good as each other: "seat 3, Main, Lucky 3 or Bonus 4". */
export function anyOf(game: Game, spots: readonly Spot[]): string {
  const names = spots.map((spot, i) => (i && spot.seat === spots[0]!.seat ? handName(game, spot) : nameOf(game, spot)));
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${names.at(-1)}` : (names[0] ?? "");
}

export function laidBy(game: Game, seat: SeatView): Laid[] {
  const laid = spotsOf(game).flatMap(({ bet, stake }) => {
    const hands = seat.hands.filter((hand) => hand.bet === bet);
    if (hands.length) return hands.map((hand) => lay(game, seat, hand, hand.stake, hand));
    return [lay(game, seat, { bet, hand: 0 }, seat.stakes[stake] ?? 0)];
  });
  if (seat.insurance) laid.push(lay(game, seat, { bet: "insurance", hand: 0 }, seat.insurance));
  return laid.filter(({ cents }) => cents > 0);
}

function lay(game: Game, { seat }: SeatView, { bet, hand }: Pick<Spot, "bet" | "hand">, cents: number, of: HandView | null = null): Laid {
  return { spot: { seat, bet, hand }, label: handName(game, { bet, hand }), cents, hand: of };
}
