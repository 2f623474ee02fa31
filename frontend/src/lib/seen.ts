// The commitments and client seeds of each deal in this browser, for checking the round later.

import type { Seen } from "../fairness";
import { load } from "./storage";

const KEY = "pitboss.seen";
const MOST = 200; // rounds

type Kept = [round: string, seen: Seen][];

const kept = () => load<Kept>(KEY) ?? [];
const name = (table: string, round: string | number) => `${table}/${round}`;

export function keepSeen(table: string, round: number, seen: Seen): void {
  const others = kept().filter(([one]) => one !== name(table, round));
  try {
    localStorage.setItem(KEY, JSON.stringify([...others, [name(table, round), seen]].slice(-MOST)));
  } catch {
    return; // storage is full: the record itself can still be checked
  }
}

export function seenOf(table: string, round: string | number): Seen | null {
  return kept().find(([one]) => one === name(table, round))?.[1] ?? null;
}
