// Settings as the page edits them: their names and values, and the URL form of rules.

import type { Game, Schemas } from "../lib/http";
import { payTableTitle } from "../lib/layout";
import { settingName, settingText } from "../lib/words";

export interface Line {
  on: readonly (string | number)[];
  pays: string;
}
export type Value = string | number | boolean | readonly Line[];
export type Rules = Record<string, Value>;

export const isLines = (value: unknown): value is readonly Line[] => Array.isArray(value);
export const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

export const defaultsOf = (game: Game) => ({ ...game.presets.default }) as Rules;
export const changedOf = (game: Game, rules: Rules) =>
  Object.fromEntries(
    Object.entries(rules).filter(([name, value]) => !same(value, game.presets.default?.[name])),
  );

/** The preset with these rules, if there is one. */
export const presetOf = (game: Game, rules: Rules) =>
  Object.keys(game.presets).find((name) =>
    game.settings.every((one) => same(rules[one.name], game.presets[name]?.[one.name])),
  );

// --- names

export const titleOf = (game: Game, name: string) =>
  name in game.paytables ? `${payTableTitle(game, name)} pay table` : settingName(name);

export function valueText(game: Game, name: string, value: unknown): string {
  if (!(name in game.paytables)) return settingText(value);
  return isLines(value)
    ? "custom table"
    : typeof value === "number"
      ? `table ${value}`
      : "as printed";
}

/** A server's value, given in the notation of the command line, in words. */
export const writtenText = (game: Game, name: string, text: string) =>
  valueText(game, name, text.startsWith("[") ? JSON.parse(text) : fromText(text));

// --- approval

/** Whether an approval of the game is on file. */
export const letterText = ({ approval }: Game) =>
  approval
    ? `Approval letter on file: ${approval.authority}, ${approval.date}.`
    : "No approval of this game is on file.";

/** The verdict of the approval letter on a setting's value; empty if there is none. */
export function approvalText(game: Game, { name, rule, approval }: Schemas["SettingInfo"]): string {
  const date = game.approval?.date;
  if (!date || !approval) return "";
  if (approval.verdict === "open") return `Left open: the letter of ${date} ${approval.says}`;
  if (approval.verdict === "approved") return `Approved ${date}, rule ${rule}`;
  const values = approval.values.map((value) => writtenText(game, name, value)).join(" or ");
  return `Not in the letter of ${date} (rule ${rule}), which approves ${values}`;
}

// --- addresses

/** A value in the notation of the command line; a custom table is short, like 4*250:1-5*150:1-6.7.8*50:1. */
function toText(value: Value): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return isLines(value)
    ? value.map(({ on, pays }) => `${on.join(".")}*${pays}`).join("-")
    : `${value}`;
}

function fromText(text: string): Value {
  if (text === "yes" || text === "no") return text === "yes";
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

/** The lines of a custom table; their results have the names of the standard table. */
function linesOf(game: Game, name: string, text: string): Line[] {
  const printed = game.paytables[name]!.flatMap(({ on }) => on as Line["on"]);
  return text.split("-").map((line) => {
    const [on = "", pays = ""] = line.split("*");
    return {
      on: on.split(".").map((part) => printed.find((one) => `${one}` === part) ?? part),
      pays,
    };
  });
}

/** The settings that differ from the default rules, as a URL query. */
export function toQuery(game: Game, rules: Rules): string {
  const query = new URLSearchParams(
    Object.entries(changedOf(game, rules)).map(([name, value]) => [name, toText(value)]),
  );
  return query.size ? `?${query.toString().replaceAll("%3A", ":")}` : "";
}

export function fromQuery(game: Game, query: string): Rules {
  const rules = defaultsOf(game);
  for (const [name, text] of new URLSearchParams(query)) {
    if (name in rules)
      rules[name] =
        name in game.paytables && text.includes("*") ? linesOf(game, name, text) : fromText(text);
  }
  return rules;
}
