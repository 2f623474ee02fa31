// The words for cards, money, bets and settings.

import { capital, type Game, type HandView, type Settlement } from "./http";

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

/** The average cost, in cents, from which a decision counts as a mistake. */
export const LEAST_COST = 1;

export const isBest = ({ cost }: { cost: number }) => cost < LEAST_COST;

export function money(exact: number, signed = false): string {
  const cents = Math.round(exact);
  const sign = cents < 0 ? "−" : signed && cents > 0 ? "+" : "";
  const digits = cents % 100 ? 2 : 0;
  const amount = (Math.abs(cents) / 100).toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: 2,
  });
  return `${sign}$${amount}`;
}

/** A short form of an amount, rounded down: $1,234,567.50 is $1.234M. */
export function shortMoney(cents: number): string {
  if (cents < 10_000_00) return money(cents);
  const [unit, letter] =
    cents < 1_000_000_00
      ? [1_000_00, "K"]
      : cents < 1_000_000_000_00
        ? [1_000_000_00, "M"]
        : [1_000_000_000_00, "B"];
  const digits = Math.max(0, 3 - Math.floor(Math.log10(cents / unit)));
  const amount = Math.floor((cents * 10 ** digits) / unit) / 10 ** digits;
  return `$${amount.toLocaleString("en", { maximumFractionDigits: digits })}${letter}`;
}

/** A number with its noun. */
export const plural = (number: number, noun: string) =>
  `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

export const percent = (number: number, digits = 2) =>
  `${number < 0 ? "−" : ""}${Math.abs(number).toFixed(digits)} %`;

/** The title of a bet, or of a stake that fills several, as on the layout. */
export const betName = (game: Game, bet: string) =>
  game.layout.find(({ key }) => key === bet)?.title ?? game.stake_titles[bet] ?? capital(bet);

/** A hand's name: the bet, followed by a number from the second split hand onward. */
export const handName = (game: Game, hand: Pick<HandView, "bet" | "hand">) =>
  hand.hand ? `${betName(game, hand.bet)} ${hand.hand + 1}` : betName(game, hand.bet);

const isNumbered = (rule: string) => /^\d/.test(rule);

/** The clauses in the order of the sheet: 7, 7a, 7b, 8, then those without a number. */
export function clausesOf(game: Game): [rule: string, text: string][] {
  const place = (rule: string) => (isNumbered(rule) ? parseInt(rule, 10) : Infinity);
  return Object.entries(game.clauses).sort(
    ([one], [other]) =>
      Number(place(one) > place(other)) - Number(place(one) < place(other)) ||
      one.localeCompare(other),
  );
}

/** A clause by its number or its name: "Rule 7", "Standard". */
export const ruleName = (rule: string) => (isNumbered(rule) ? `Rule ${rule}` : capital(rule));

/** The marker of a clause in a list. */
export const ruleSign = (rule: string) => (isNumbered(rule) ? rule : "+");

/** The net result of a round, in words. */
export function ending(net: number): string {
  if (net > 0) return `You win ${money(net)}.`;
  return net < 0 ? `You lose ${money(-net)}.` : "You break even.";
}

export const netOf = (settlements: readonly Settlement[], seat: number) =>
  settlements.filter((line) => line.seat === seat).reduce((sum, line) => sum + line.net, 0);

export const settingName = (name: string) => capital(name.replaceAll("_", " "));
export const settingText = (value: unknown) => {
  if (Array.isArray(value)) return "a custom table";
  return value === true ? "yes" : value === false ? "no" : String(value).replaceAll("_", " ");
};

/** The name of a result that a pay table pays on, or of an outcome. */
export const resultName = (game: Game, result: string) =>
  game.result_titles[result.replaceAll(" ", "_")] ?? capital(result.replaceAll("_", " "));

/** The name of a line of a pay table: its results, or totals 6, 7, 8 as "6–8". */
export function lineName(game: Game, on: readonly (string | number)[]): string {
  if (on.every((part) => typeof part === "number")) {
    const [least, most] = [Math.min(...on), Math.max(...on)];
    return least === most ? `${least}` : `${least}–${most}`;
  }
  return on.map((part) => resultName(game, String(part))).join(", ");
}

export const oddsText = (pays: string) => pays.replace(":", " to ");
