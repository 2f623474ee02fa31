// The places of the bets on each layout, and their stakes.

import {
  get,
  post,
  type Game,
  type HandView,
  type SeatView,
  type TableInfo,
  type View,
} from "./http";
import { go } from "./router.svelte";
import { lineName } from "./words";

export interface Spot {
  bet: string; // its name in settlements
  stake: string; // its name in a bet: one stake may fill several circles
  label: string;
}

/** The circles that are filled before the deal, in the order of the layout. */
export const spotsOf = (game: Game): Spot[] =>
  game.layout.flatMap(({ key, stake, title }) =>
    stake === null ? [] : [{ bet: key, stake, label: title }],
  );

/** The bets that a seat has made by decisions since the deal, in the order of the layout. */
export const laterBets = (game: Game, seat: SeatView) =>
  game.layout.flatMap(({ key, title }) => {
    const cents = seat.added[key];
    return cents ? [{ bet: key, label: title, cents }] : [];
  });

/** All chips of a seat. */
export const stakedInAll = (game: Game, seat: SeatView) =>
  [
    ...spotsOf(game).map((spot) => staked(seat, spot)),
    ...laterBets(game, seat).map(({ cents }) => cents),
  ].reduce((sum, cents) => sum + cents, 0);

/** Whether a separate hand is played for a bet. */
export const hasHand = (game: Game, bet: string) =>
  game.layout.some(({ key, has_hand }) => key === bet && has_hand);

/** Whether a bet is on the dealt cards, without a separate hand. */
export const isOnDeal = (game: Game, bet: string) =>
  game.layout.some(({ key, stake, has_hand }) => key === bet && stake !== null && !has_hand);

/** How many cards are dealt to the seats before this one. */
export const cardsBefore = (view: View, number: number) =>
  view.seats.filter(({ seat }) => seat < number).reduce((sum, { cards }) => sum + cards.length, 0);

/** Whether a hand of a seat is the one to be played now. */
export const isTurn = (
  { turn }: View,
  seat: number,
  { bet, hand }: Pick<HandView, "bet" | "hand">,
) => turn?.seat === seat && turn.bet === bet && turn.hand === hand;

/** The chips in a spot, including doubles and splits. */
export function staked(seat: SeatView, { bet, stake }: Spot): number {
  const hands = seat.hands.filter((hand) => hand.bet === bet);
  return hands.length
    ? hands.reduce((sum, hand) => sum + hand.stake, 0)
    : (seat.stakes[stake] ?? 0);
}

export interface PayTable {
  title: string;
  lines: { name: string; pays: string }[];
}

type Line = { on: (string | number)[]; pays: string };

/** The title of the bet that a pay table belongs to. */
export const payTableTitle = (game: Game, setting: string) =>
  game.layout.find(({ paytable }) => paytable === setting)?.title ?? setting;

/** The pay tables for display, each with the title of its bet. */
export function payTables(game: Game, tables: Game["paytables"]): PayTable[] {
  return Object.entries(tables).map(([name, lines]) => ({
    title: payTableTitle(game, name),
    lines: (lines as unknown as Line[]).map(({ on, pays }) => ({ name: lineName(game, on), pays })),
  }));
}

export const tableInfo = (id: string) => get<TableInfo>(`/tables/${id}`);

/** Open a table and take a seat there. */
export async function openTable(wanted: object): Promise<void> {
  const { id } = await post<TableInfo>("/tables", wanted);
  go(`/tables/${id}?sit`);
}
