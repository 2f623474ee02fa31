// A finished round, as specified in docs/fairness.md, and the players of its seats.

import { get, type Schemas, type Settlement } from "../lib/http";

export type Step = Schemas["Step"];
export type Priced = Schemas["PricedDecision"];

type Plain = Omit<Settlement, "why">;

export type RoundData = Schemas["RoundRecord"] & {
  ended: string;
  reason?: string; // only in a void round
  seats: Readonly<Record<string, { player: string }>>;
  fairness: {
    scheme: string;
    commitment: string;
    server_seed: string;
    client_seeds: Readonly<Record<string, string>>;
  };
  omitted?: readonly { seat: number; player: string; why: string }[]; // older rounds have no such lists
  refused?: readonly { seat: number; stakes: Readonly<Record<string, number>>; reason: string }[];
  journal: { game: string; settlements?: readonly Plain[] } | null; // none before the deal
};

export interface Seats {
  own: readonly number[];
  others: readonly number[];
  names: Readonly<Record<string, string>>;
}

export const addressOf = (table: string, round: string | number) =>
  `/tables/${table}/rounds/${round}`;
export const recordOf = (address: string) => get<RoundData>(address);
export const replayOf = (address: string) => get<Schemas["Replay"]>(`${address}/steps`);
export const reviewOf = (address: string) => get<Schemas["Review"]>(`${address}/review`);

export function seatsOf(record: RoundData, own: readonly number[]): Seats {
  const names = Object.fromEntries(
    Object.entries(record.seats).map(([seat, { player }]) => [seat, player]),
  );
  const all = Object.keys(names)
    .map(Number)
    .sort((one, other) => one - other);
  return {
    own: all.filter((seat) => own.includes(seat)),
    others: all.filter((seat) => !own.includes(seat)),
    names,
  };
}

export interface Comparison {
  count: number; // of settlements in the record
  isSame: boolean;
}

/** Whether the results of the server's replay match the record; null for a void round. */
export function compareSettlements(record: RoundData, steps: readonly Step[]): Comparison | null {
  const recorded = record.journal?.settlements;
  if (record.status === "void" || !recorded) return null;
  const plain = ({ seat, bet, hand, outcome, rule, stake, net }: Plain) =>
    [seat, bet, hand, outcome, rule, stake, net].join("|");
  const sorted = (lines: readonly Plain[]) => lines.map(plain).sort().join("\n");
  return {
    count: recorded.length,
    isSame: sorted(recorded) === sorted(steps.at(-1)?.view?.settlements ?? []),
  };
}
