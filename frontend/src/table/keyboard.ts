// The keys of a table: chips before the deal, decisions after it.

import { CHIPS } from "../felt/chips";
import { entered, keyOf } from "../lib/decisions";
import { shortcut } from "../lib/keys";
import type { Table } from "./table.svelte";

/** The control of a seat on the felt. */
export interface SeatControl {
  pick: (index: number) => void;
  isSet: () => boolean;
  confirm: () => void;
}

export interface Keyboard {
  table: Table;
  seat?: SeatControl; // of the seat that has to decide
  help: () => void;
}

const LETTERS: Record<string, (keyboard: Keyboard) => void> = {
  r: ({ table }) => table.isBetting && table.chips.rebet(),
  c: ({ table }) => table.isBetting && table.chips.clear(),
  u: ({ table }) => table.isBetting && table.chips.undo(),
  b: ({ table }) => table.canBet && table.chips.placeActive(),
  "+": ({ table }) => table.canBet && table.chips.placeActive(),
  a: ({ table }) => table.asked && table.coach.isOffered && void table.coach.ask(),
  "?": ({ help }) => help(),
};

/** Handle a key. */
export function press(event: KeyboardEvent, keyboard: Keyboard): void {
  const key = shortcut(event);
  if (!key) return;
  const { table } = keyboard;
  const by = { arrowleft: -1, arrowright: 1 }[key];
  const isChips = (event.target as Element).closest("[role=radiogroup]") !== null;
  if (key === "enter") primary(keyboard);
  else if (by && isChips) turnChips(table, by);
  else if (by && table.canBet) table.chips.step(by);
  else if (!character(keyboard, key)) return;
  event.preventDefault();
}

/** Do the action of the primary button. */
function primary({ table, seat }: Keyboard): void {
  const { asked, own } = table;
  if (table.waits) return;
  if (asked && entered(table.game, asked.legal, "hands").length) return seat?.confirm();
  if (!table.isBetting || !own.length) return;
  if (own.every((place) => place.out)) void table.sitOut(own[0]!.seat, false);
  else if (table.isResult) void table.again();
  else if (table.canBet && table.chips.staked) void table.bet();
}

function turnChips({ chips }: Table, by: number): void {
  const at = CHIPS.findIndex((chip) => chip.cents === chips.chip);
  const next = (at + by + CHIPS.length) % CHIPS.length;
  chips.chip = CHIPS[next]!.cents;
  document.querySelector<HTMLElement>(`[data-chip="${next}"]`)?.focus();
}

/** Handle a single character; return whether it has a meaning. */
function character(keyboard: Keyboard, key: string): boolean {
  const { table, seat } = keyboard;
  const { asked } = table;
  const index = "12345".indexOf(key);
  const decision = asked?.legal.find((text) => keyOf(table.game, text) === key);
  if (decision && table.isLive) void table.decide(asked!.seat!, decision);
  else if (index >= 0 && asked) seat?.pick(index);
  else if (index >= 0 && table.canBet) table.chips.chip = CHIPS[index]!.cents;
  else if (LETTERS[key]) LETTERS[key](keyboard);
  else return false;
  return true;
}
