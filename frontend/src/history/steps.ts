// The steps of a round in words, and as they lie on the felt.

import { capital, type Game, type View } from "../lib/http";
import { betName, cardSign, cardsOf, decisionText, ending, handName, LEAST_COST, money, netOf } from "../lib/words";
import type { Priced, Seats, Step } from "./record";

const decisionOf = (step: Step) => step.what.slice(step.what.indexOf(": ") + 2); // "seat 1: toss 5h"

/** With the word for it: "Set 2♥ | 4♥ 2♦". */
export const labelOf = (decision: string) => (decision.startsWith("set ") ? "Set " : "") + decisionText(decision);

/** For a button: "Deal", "Seat 2: Toss 5♥". */
export function shortText(step: Step, { own, others }: Seats): string {
  if (step.seat == null) return step.by === "house" ? "Void" : step.what === "settlements" ? "Results" : capital(step.what);
  const text = labelOf(decisionOf(step));
  return own.length + others.length > 1 ? `Seat ${step.seat}: ${text}` : text;
}

/** One sentence: "You toss 5♥.", "The timer stands for Bob (seat 4)." */
export function stepText(game: Game, steps: readonly Step[], index: number, seats: Seats): string {
  const step = steps[index]!;
  if (step.seat != null) return decided(game, step, steps[index - 1]?.view?.turn ?? null, seats);
  if (step.by === "house") return `${capital(step.what)}. All bets go back.`;
  if (step.what === "settlements") return ends(step.view, seats);
  return step.what === "bets" ? "The bets are down." : "The deal.";
}

function decided(game: Game, step: Step, turn: View["turn"], { own, names }: Seats): string {
  const seat = step.seat!;
  const isOwn = own.includes(seat);
  const isTimer = step.by === "timer";
  const you = own.length > 1 ? `you (seat ${seat})` : "you";
  const who = isOwn ? you : `${names[seat]} (seat ${seat})`;
  const [verb, rest] = doing(game, decisionOf(step), isOwn && !isTimer);
  const hand = turn && turn.seat === seat ? ` on ${handName(game, turn)}` : "";
  const what = `${verb}${rest}${rest ? "" : hand}`;
  return isTimer ? `The timer ${what} for ${who}.` : `${capital(who)} ${what}.`;
}

/** The verb and what follows it: "tosses", " 5♥". */
function doing(game: Game, decision: string, second: boolean): [string, string] {
  const [word = "", ...rest] = decision.split(" ");
  const verb = (plain: string) => (second ? plain : plain.endsWith("s") ? `${plain}es` : `${plain}s`);
  if (word === "insure") return rest[0] === "0" ? [verb("take"), " no insurance"] : [verb("insure"), ` for ${money(Number(rest[0]))}`];
  const cards = rest.map((run) => cardsOf(run).map(cardSign).join(" "));
  if (word === "set") return [verb("set"), ` ${cards.map((run, bet) => `${run} on ${betName(game, ["first", "second"][bet]!)}`).join(", ")}`];
  return [verb(word), cards.length ? ` ${cards.join(" ")}` : ""];
}

function ends(view: View | null, { own }: Seats): string {
  if (!view || !own.length) return "The bets are settled.";
  return ending(own.reduce((sum, seat) => sum + netOf(view.settlements, seat), 0));
}

/** The last decision's view has the end in it already: what it settles is shown with the results. */
export function feltOf(steps: readonly Step[], index: number): View | null {
  const view = steps[index]?.view ?? null;
  const isEnd = index === steps.length - 1;
  return view && !isEnd && view.phase === "settled" ? { ...view, settlements: steps[index - 1]?.view?.settlements ?? [] } : view;
}

/** To the cent: what is less than half of one is nothing. */
export const isBest = ({ cost }: Pick<Priced, "cost">) => cost < LEAST_COST;

export function priceText(priced: Priced): string {
  if (isBest(priced)) return "Well played.";
  const whose = priced.by === "timer" ? "The timer's" : "Your";
  const made = priced.decision.split(" ")[0]!;
  const cost = `${priced.approximate ? "about " : ""}${money(priced.cost)}`;
  return `Best: ${bestText(priced.best)}. ${whose} ${made === "set" ? "setting" : made === "insure" ? "answer" : made} cost ${cost}.`;
}

const bestText = (decision: string) => {
  const text = labelOf(decision);
  return text.charAt(0).toLowerCase() + text.slice(1);
};
