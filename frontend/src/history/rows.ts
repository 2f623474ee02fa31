// A player's rounds: which of them are shown, what they add up to, and as files.

import type { Schemas } from "../lib/http";

export type Row = Schemas["MyRoundRow"];
export type Ending = "won" | "lost" | "even" | "void";

export interface Filter {
  game: string; // "" leaves none out
  ending: Ending | "";
  table: string;
}

export const tableName = (row: Pick<Row, "table" | "name">) => row.name ?? `Table ${row.table.slice(0, 5)}`;

export function endingOf({ status, net }: Row): Ending {
  if (status === "void") return "void";
  return net > 0 ? "won" : net < 0 ? "lost" : "even";
}

export const fits = (row: Row, { game, ending, table }: Filter) =>
  (!game || row.game === game) && (!table || row.table === table) && (!ending || endingOf(row) === ending);

/** Every table once, by its name; tables of one name are told apart by their ids. */
export function tablesOf(rows: readonly Row[]): { id: string; name: string }[] {
  const names = new Map(rows.map((row) => [row.table, tableName(row)]));
  const all = [...names.values()];
  return [...names].map(([id, name]) => ({ id, name: all.indexOf(name) === all.lastIndexOf(name) ? name : `${name} (${id.slice(0, 5)})` }));
}

export const sumOf = (rows: readonly Row[], column: "staked" | "net") => rows.reduce((sum, row) => sum + row[column], 0);

/** What one was ahead or behind after each round, the oldest first. */
export function runningNet(rows: readonly Row[]): number[] {
  let sum = 0;
  return [...rows].reverse().map(({ net }) => (sum += net));
}

// --- as files

const dollars = (cents: number | null) => (cents === null ? "" : (cents / 100).toFixed(2));

const COLUMNS: readonly [string, (row: Row) => string | number][] = [
  ["Ended", ({ ended }) => ended],
  ["Game", ({ game }) => game],
  ["Table", ({ table }) => text(table)],
  ["Name", ({ name }) => text(name ?? "")],
  ["Round", ({ round }) => round],
  ["Seats", ({ seats }) => seats.join(" ")],
  ["Status", ({ status }) => status],
  ["Staked ($)", ({ staked }) => dollars(staked)],
  ["Net ($)", ({ net }) => dollars(net)],
  ["Balance ($)", ({ balance }) => dollars(balance)],
];

/** A name that a spreadsheet would take for a formula is marked as text. */
const text = (value: string) => (/^\s*[=+\-@]/.test(value) ? `'${value}` : value);
const cell = (value: string | number) => (/[",\r\n]/.test(`${value}`) ? `"${`${value}`.replaceAll('"', '""')}"` : `${value}`);

/** As RFC 4180 has it, in dollars. */
export function csvOf(rows: readonly Row[]): string {
  const lines = [COLUMNS.map(([name]) => name), ...rows.map((row) => COLUMNS.map(([, read]) => read(row)))];
  return lines.map((line) => line.map(cell).join(",") + "\r\n").join("");
}

/** As the server gave them, in cents. */
export const jsonOf = (rows: readonly Row[]) => JSON.stringify({ play_money: true, rows }, null, 1);
