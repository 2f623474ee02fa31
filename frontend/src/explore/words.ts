// The words for the figures of a bet.

import { money, oddsText } from "../lib/words";

/** "+0.49" or "−0.49", and "0" if two decimals show no difference. */
export function difference(points: number): string {
  const text = Math.abs(points).toFixed(2);
  return Number(text) === 0 ? "0" : `${points > 0 ? "+" : "−"}${text}`;
}

/** The meaning of an edge in money. */
export function perHundred(edge: number): string {
  const cents = Math.round(edge * 100);
  if (!cents) return "You break even on average.";
  return `You ${cents > 0 ? "lose" : "win"} ${money(Math.abs(cents))} of every $100 bet, on average.`;
}

/** A chance in percent, with enough digits that it does not look like zero. */
export function chance(percent: number): string {
  const digits =
    percent === 0 || percent >= 0.1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(percent)));
  return `${percent.toFixed(digits)} %`;
}

export function oneIn(percent: number): string {
  if (percent <= 0) return "never";
  const rounds = 100 / percent;
  return `1 in ${rounds.toLocaleString("en", { maximumFractionDigits: rounds < 20 ? 1 : 0 })}`;
}

export const paysText = (pays: string) =>
  pays === "push" ? "push" : pays === "1:1" ? "even money" : oddsText(pays);
