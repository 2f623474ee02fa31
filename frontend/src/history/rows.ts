// A player's rounds: filters, totals, and export as files.

import type { Schemas } from "../lib/http";

export type Row = Schemas["MyRoundRow"];
export type Ending = "won" | "lost" | "even" | "void";

export interface Filter {
  game: string; // "" means all games
  ending: Ending | "";
  table: string;
}

export const tableName = (row: Pick<Row, "table" | "name">) =>
  row.name ?? `Table ${row.table.slice(0, 5)}`;

export function endingOf({ status, net }: Row): Ending {
  if (status === "void") return "void";
  return net > 0 ? "won" : net < 0 ? "lost" : "even";
}

export const fits = (row: Row, { game, ending, table }: Filter) =>
  (!game || row.game === game) &&
  (!table || row.table === table) &&
  (!ending || endingOf(row) === ending);

/** Every table once, by its name; tables with the same name also show their ids. */
export function tablesOf(rows: readonly Row[]): { id: string; name: string }[] {
  const names = new Map(rows.map((row) => [row.table, tableName(row)]));
  const all = [...names.values()];
  return [...names].map(([id, name]) => ({
    id,
    name: all.indexOf(name) === all.lastIndexOf(name) ? name : `${name} (${id.slice(0, 5)})`,
  }));
}

export const sumOf = (rows: readonly Row[], column: "staked" | "net") =>
  rows.reduce((sum, row) => sum + row[column], 0);

/** The running net after each round, the oldest first. */
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

/** Mark a name as text if a spreadsheet would read it as a formula. */
const text = (value: string) => (/^\s*[=+\-@]/.test(value) ? `'${value}` : value);
const cell = (value: string | number) =>
  /[",\r\n]/.test(`${value}`) ? `"${`${value}`.replaceAll('"', '""')}"` : `${value}`;

/** The rounds as CSV (RFC 4180), in dollars. */
export function csvOf(rows: readonly Row[]): string {
  const lines = [
    COLUMNS.map(([name]) => name),
    ...rows.map((row) => COLUMNS.map(([, read]) => read(row))),
  ];
  return lines.map((line) => line.map(cell).join(",") + "\r\n").join("");
}

/** The rounds as JSON from the server, in cents. */
export const jsonOf = (rows: readonly Row[]) => JSON.stringify({ play_money: true, rows }, null, 1);
