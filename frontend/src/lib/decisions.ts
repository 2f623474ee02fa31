// Decisions in words. The words come from the server; the arguments are cards or an amount.

import { pageOf } from "../games";
import { capital, type Game, type Schemas } from "./http";
import { cardSign, cardsOf, money } from "./words";

type Decision = Schemas["DecisionInfo"];

/** The words for a decision; without words from the server, the decision itself is shown. */
function wordsOf(game: Game, text: string): Decision {
  const [word = "", ...rest] = text.split(" ");
  const plain = [word, ...rest.map(() => "{}")].join(" ");
  return (
    game.decisions.find(({ decision }) => decision === text) ??
    game.decisions.find(({ decision }) => decision === word) ?? {
      decision: word,
      label: capital(plain),
      you: plain,
      they: plain.replace(word, `${word}s`),
      noun: word,
      key: "",
      control: "button",
    }
  );
}

const argumentsOf = (text: string) =>
  text
    .split(" ")
    .slice(1)
    .map((one) => (/^\d+$/.test(one) ? money(Number(one)) : cardsOf(one).map(cardSign).join(" ")));

/** Insert the arguments of a decision into the placeholders of a text. */
function fill(template: string, text: string): string {
  const values = argumentsOf(text);
  return template.replace(/\{\}/g, () => values.shift() ?? "");
}

/** The button label of a decision: "toss 2h" is "Toss 2♥". */
export const decisionText = (game: Game, text: string) => fill(wordsOf(game, text).label, text);

/** A decision with its word, which a label may leave out: "Set 2♥ | 4♥ 2♦". */
export function labelOf(game: Game, text: string): string {
  const { decision, label } = wordsOf(game, text);
  return fill(label.startsWith("{}") ? `${capital(decision)} ${label}` : label, text);
}

/** A decision in a sentence, after "you" or after a name, and whether it contains cards or an amount. */
export function sentenceOf(game: Game, text: string, isYou: boolean): [string, boolean] {
  const { you, they, decision } = wordsOf(game, text);
  return [fill(isYou ? you : they, text), decision === text && !text.includes(" ")];
}

/** A decision as a noun: "your toss". */
export const nounOf = (game: Game, text: string) => wordsOf(game, text).noun;

/** The key of a decision; empty if it has none. */
export const keyOf = (game: Game, text: string) => wordsOf(game, text).key;

/** How a decision is entered; a game without a control for hands has buttons for them. */
export function controlOf(game: Game, text: string): Decision["control"] {
  const { control } = wordsOf(game, text);
  return control === "hands" && !pageOf(game).HandsControl ? "button" : control;
}

/** The word on a card that is picked by a decision: "Toss". */
export const pickWord = (game: Game, text: string) =>
  wordsOf(game, text).label.replace("{}", "").trim();

/** The legal decisions with the same kind of control. */
export const entered = (game: Game, legal: readonly string[], control: Decision["control"]) =>
  legal.filter((text) => controlOf(game, text) === control);

/** The card that a decision picks. */
export const pickedCard = (text: string) => text.split(" ")[1];

/** Group options that are the same choice (hands swapped, or cards of equal value), best first. */
export function choicesOf<T extends Pick<Schemas["OptionInfo"], "decision" | "same_as">>(
  options: readonly T[],
): T[][] {
  const found = new Map<string, T[]>();
  for (const option of options) {
    const first = option.same_as ?? option.decision;
    found.set(first, [...(found.get(first) ?? []), option]);
  }
  return [...found.values()];
}

/** A choice in words; it names every card of equal value: "Toss 2♣ or 2♠". */
export function choiceText(game: Game, same: readonly { decision: string }[]): string {
  const [first, ...others] = same.map(({ decision }) => decision);
  const text = decisionText(game, first!);
  if (controlOf(game, first!) !== "card") return text;
  return [text, ...others.map((one) => argumentsOf(one).join(" "))].join(" or ");
}

/** The keys of a game's decisions, and their actions. */
export function decisionKeys(game: Game): { keys: string; what: string } {
  const found = game.decisions.filter(({ key }) => key);
  return {
    keys: found.map(({ key }) => key.toUpperCase()).join(" "),
    what: found
      .map(({ decision, label }) => (label.includes("{}") ? decision : label.toLowerCase()))
      .join(", "),
  };
}
