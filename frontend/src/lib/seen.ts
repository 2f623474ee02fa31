// What this browser was promised and gave before each deal: a round is checked against it later.

import type { Seen } from "../fairness";

const KEY = "pitboss.seen";
const MOST = 200; // rounds

type Kept = [round: string, seen: Seen][];

function kept(): Kept {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
}

const name = (table: string, round: string | number) => `${table}/${round}`;

export function keepSeen(table: string, round: number, seen: Seen): void {
  const others = kept().filter(([one]) => one !== name(table, round));
  try {
    localStorage.setItem(KEY, JSON.stringify([...others, [name(table, round), seen]].slice(-MOST)));
  } catch {
    return; // no room: the round can still be compared with itself
  }
}

export function seenOf(table: string, round: string | number): Seen | null {
  return kept().find(([one]) => one === name(table, round))?.[1] ?? null;
}
