// Where the bets lie on each layout, and which stake fills them.

import { get, type Game, type HandView, type SeatView, type TableInfo } from "./http";
import { betName } from "./words";

export interface Spot {
  bet: string; // as settlements name it
  stake: string; // as a bet names it: Roll Your Own's one stake fills all three circles
  label: string;
}

export function spotsOf(game: Game): Spot[] {
  return Object.entries(game.bets).map(([bet, stake]) => ({ bet, stake, label: betName(game, bet) }));
}

/** What lies in a spot, with doubles and splits. */
export function staked(seat: SeatView, { bet, stake }: Spot): number {
  const hands = seat.hands.filter((hand) => hand.bet === bet);
  return hands.length ? hands.reduce((sum, hand) => sum + hand.stake, 0) : (seat.stakes[stake] ?? 0);
}

/** The card that a hand was made without, its kicker in Toss One 21. */
export function tossed(cards: readonly (string | null)[], kept: readonly string[] | null): number {
  if (!kept?.length || kept.length !== cards.length - 1 || cards.includes(null)) return -1;
  const left = [...kept];
  return cards.findIndex((card) => {
    const at = card === null ? -1 : left.indexOf(card);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** The hand of a seat that is made by tossing one of its cards; a bust keeps none. */
export function madeByToss(seat: SeatView): HandView | undefined {
  const [hand, other] = seat.hands;
  return hand && !other && (hand.cards === null || tossed(seat.cards, hand.cards) >= 0) ? hand : undefined;
}

/** Whether a bet stands beside those that are played. */
export const isSide = (game: Game, bet: string) => Object.keys(game.stakes).indexOf(bet) > 0 || ["bonus", "insurance"].includes(bet);

export interface PayTable {
  title: string;
  lines: { on: (string | number)[]; pays: string }[];
}

/** Pay tables by the names of their settings, as they are printed: named as the bets are. */
export function payTables(game: Game, tables: Game["paytables"]): PayTable[] {
  return Object.entries(tables).map(([name, lines]) => ({ title: betName(game, name.replace("_paytable", "")), lines: lines as unknown as PayTable["lines"] }));
}

export const tableInfo = (id: string) => get<TableInfo>(`/tables/${id}`);
