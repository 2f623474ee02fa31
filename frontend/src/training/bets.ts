// A seat's bets in the dealer's view, each with its cards.

import type { Game, Schemas, SeatView } from "../lib/http";
import { laterBets, spotsOf } from "../lib/layout";
import { handName } from "../lib/words";

export type Spot = Schemas["BetSpot"];

export interface Laid {
  spot: Spot;
  label: string;
  cents: number;
}

export const same = (one: Spot, other: Spot) =>
  one.seat === other.seat && one.bet === other.bet && one.hand === other.hand;
export const among = (spot: Spot, list: readonly Spot[]) => list.some((one) => same(one, spot));
export const nameOf = (game: Game, spot: Spot) => `seat ${spot.seat}, ${handName(game, spot)}`;

/** Bets that are equally correct: "seat 3, Main, Lucky 3 or Bonus 4". */
export function anyOf(game: Game, spots: readonly Spot[]): string {
  const names = spots.map((spot, i) =>
    i && spot.seat === spots[0]!.seat ? handName(game, spot) : nameOf(game, spot),
  );
  return names.length > 1
    ? `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`
    : (names[0] ?? "");
}

export function laidBy(game: Game, seat: SeatView): Laid[] {
  const early = spotsOf(game).flatMap(({ bet, stake }) => {
    const hands = seat.hands.filter((hand) => hand.bet === bet);
    return hands.length
      ? hands.map((hand) => ({ ...hand, cents: hand.stake }))
      : [{ bet, hand: 0, cents: seat.stakes[stake] ?? 0 }];
  });
  const later = laterBets(game, seat).map(({ bet, cents }) => ({ bet, hand: 0, cents }));
  return [...early, ...later]
    .filter(({ cents }) => cents > 0)
    .map(({ bet, hand, cents }) => ({
      spot: { seat: seat.seat, bet, hand },
      label: handName(game, { bet, hand }),
      cents,
    }));
}
