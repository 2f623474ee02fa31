// How cards, money, bets and decisions are said to people.

import { capital, type Game, type HandView, type Schemas, type Settlement } from "./http";

export const SUITS: Readonly<Record<string, { sign: string; name: string }>> = {
  s: { sign: "♠", name: "spades" },
  h: { sign: "♥", name: "hearts" },
  d: { sign: "♦", name: "diamonds" },
  c: { sign: "♣", name: "clubs" },
};
const NAMES: Readonly<Record<string, string>> = { A: "ace", K: "king", Q: "queen", J: "jack" };

/** As written in the corner of a card: "Th" is 10. */
export const rank = (card: string) => (card[0] === "T" ? "10" : card[0]!);
export const suit = (card: string) => SUITS[card[1]!]!;
export const cardSign = (card: string) => rank(card) + suit(card).sign;
export const cardName = (card: string) => `${NAMES[card[0]!] ?? rank(card)} of ${suit(card).name}`;

/** The cards of a run like "Th3c". */
export const cardsOf = (text: string) => text.match(/../g) ?? [];

/** What a decision must cost on average, in cents, to be called a mistake. */
export const LEAST_COST = 1;

export function money(exact: number, signed = false): string {
  const cents = Math.round(exact);
  const sign = cents < 0 ? "−" : signed && cents > 0 ? "+" : "";
  const digits = cents % 100 ? 2 : 0;
  const amount = (Math.abs(cents) / 100).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: 2 });
  return `${sign}$${amount}`;
}

/** A short form of an amount, rounded down: $1,234,567.50 is $1.234M. */
export function shortMoney(cents: number): string {
  if (cents < 10_000_00) return money(cents);
  const [unit, letter] = cents < 1_000_000_00 ? [1_000_00, "K"] : cents < 1_000_000_000_00 ? [1_000_000_00, "M"] : [1_000_000_000_00, "B"];
  const digits = Math.max(0, 3 - Math.floor(Math.log10(cents / unit)));
  const amount = Math.floor((cents * 10 ** digits) / unit) / 10 ** digits;
  return `$${amount.toLocaleString("en", { maximumFractionDigits: digits })}${letter}`;
}

/** A number with its noun. */
export const plural = (number: number, noun: string) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

export const percent = (number: number, digits = 2) => `${number < 0 ? "−" : ""}${Math.abs(number).toFixed(digits)} %`;

const BETS: Readonly<Record<string, string>> = { first: "First", second: "Second", bonus: "Bonus", insurance: "Insurance" };

/** The name of a bet, or of a stake that fills several, as on the layout. */
export const betName = (game: Game, bet: string) =>
  bet in game.stakes && !(bet in game.bets) ? "Each bet" : (BETS[bet] ?? capital(game.stakes[bet] ?? bet));

/** A hand's name: the bet, and from the second split hand on its number. */
export const handName = (game: Game, hand: Pick<HandView, "bet" | "hand">) =>
  hand.hand ? `${betName(game, hand.bet)} ${hand.hand + 1}` : betName(game, hand.bet);

export const totalText = (total: number | null) => (total === null || total > 21 ? "bust" : `${total}`);

/** A decision as a person would say it: "toss 2h" is "Toss 2♥". */
export function decisionText(text: string): string {
  const [word = "", ...rest] = text.split(" ");
  if (word === "insure") return rest[0] === "0" ? "No insurance" : `Insure for ${money(Number(rest[0]))}`;
  const cards = rest.map((group) => cardsOf(group).map(cardSign).join(" "));
  return word === "set" ? cards.join(" | ") : [capital(word), ...cards].join(" ");
}

/** Group options that are the same choice (hands swapped, or cards of equal value), best first. */
export function choicesOf<T extends Pick<Schemas["OptionInfo"], "decision" | "same_as">>(options: readonly T[]): T[][] {
  const found = new Map<string, T[]>();
  for (const option of options) {
    const first = option.same_as ?? option.decision;
    found.set(first, [...(found.get(first) ?? []), option]);
  }
  return [...found.values()];
}

/** A choice in words; it names every card of equal value: "Toss 2♣ or 2♠". */
export function choiceText(same: readonly { decision: string }[]): string {
  const texts = same.map(({ decision }) => decisionText(decision));
  return texts[0]!.startsWith("Toss ") ? texts.map((text, i) => (i ? text.replace("Toss ", "") : text)).join(" or ") : texts[0]!;
}

/** The clauses in the order of the sheet: 7, 7a, 7b, 8. */
export function clausesOf(game: Game): [rule: string, text: string][] {
  const place = (rule: string) => (rule === "standard" ? 99 : parseInt(rule, 10));
  return Object.entries(game.clauses).sort(([one], [other]) => place(one) - place(other) || one.localeCompare(other));
}

export const ruleName = (rule: string) => (rule === "standard" ? "Standard" : `Rule ${rule}`);

/** How many were won or lost, in words. */
export function ending(net: number): string {
  if (net > 0) return `You win ${money(net)}.`;
  return net < 0 ? `You lose ${money(-net)}.` : "You come out even.";
}

export const netOf = (settlements: readonly Settlement[], seat: number) =>
  settlements.filter((line) => line.seat === seat).reduce((sum, line) => sum + line.net, 0);

export const settingName = (name: string) => capital(name.replaceAll("_", " "));
export const settingText = (value: unknown) => {
  if (Array.isArray(value)) return "a table of its own";
  return value === true ? "yes" : value === false ? "no" : String(value).replaceAll("_", " ");
};

/** The name of a line of a pay table: "suited_blackjack" or totals 6, 7, 8. */
export function lineName(on: readonly (string | number)[]): string {
  if (on.every((part) => typeof part === "number")) {
    const [least, most] = [Math.min(...on), Math.max(...on)];
    return least === most ? `${least}` : `${least}–${most}`;
  }
  return on.map((part) => capital(String(part).replaceAll("_", " ").replace("akq", "A-K-Q"))).join(", ");
}

export const oddsText = (pays: string) => pays.replace(":", " to ");
