// The steps of a round in words, and their views.

import { capital, type Game, type View } from "../lib/http";
import { labelOf, nounOf, sentenceOf } from "../lib/decisions";
import { ending, handName, isBest, money, netOf } from "../lib/words";
import type { Priced, Seats, Step } from "./record";

/** For a button: "Deal", "Seat 2: Toss 5♥". */
export function shortText(game: Game, step: Step, { own, others }: Seats): string {
  if (step.seat == null)
    return step.by === "house"
      ? "Void"
      : step.what === "settlements"
        ? "Results"
        : capital(step.what);
  const text = labelOf(game, step.decision!);
  return own.length + others.length > 1 ? `Seat ${step.seat}: ${text}` : text;
}

/** One sentence: "You toss 5♥.", "The timer stands for Bob (seat 4)." */
export function stepText(game: Game, steps: readonly Step[], index: number, seats: Seats): string {
  const step = steps[index]!;
  if (step.seat != null) return decided(game, step, steps[index - 1]?.view?.turn ?? null, seats);
  if (step.by === "house") return `${capital(step.what)}. All bets are returned.`;
  if (step.what === "settlements") return ends(step.view, seats);
  return step.what === "bets" ? "The bets are down." : "The deal.";
}

function decided(game: Game, step: Step, turn: View["turn"], { own, names }: Seats): string {
  const seat = step.seat!;
  const isOwn = own.includes(seat);
  const isTimer = step.by === "timer";
  const you = own.length > 1 ? `you (seat ${seat})` : "you";
  const who = isOwn ? you : `${names[seat]} (seat ${seat})`;
  const [sentence, isPlain] = sentenceOf(game, step.decision!, isOwn && !isTimer);
  const hand = turn && turn.seat === seat ? ` on ${handName(game, turn)}` : "";
  const what = isPlain ? sentence + hand : sentence;
  return isTimer ? `The timer ${what} for ${who}.` : `${capital(who)} ${what}.`;
}

function ends(view: View | null, { own }: Seats): string {
  if (!view || !own.length) return "The bets are settled.";
  return ending(own.reduce((sum, seat) => sum + netOf(view.settlements, seat), 0));
}

/** The view to show. That of the last decision is already settled; its settlements appear at the end. */
export function feltOf(steps: readonly Step[], index: number): View | null {
  const view = steps[index]?.view ?? null;
  const isEnd = index === steps.length - 1;
  return view && !isEnd && view.phase === "settled"
    ? { ...view, settlements: steps[index - 1]?.view?.settlements ?? [] }
    : view;
}

export function priceText(game: Game, priced: Priced): string {
  if (isBest(priced)) return "Well played.";
  const whose = priced.by === "timer" ? "The timer's" : "Your";
  const cost = `${priced.approximate ? "about " : ""}${money(priced.cost)}`;
  return `Best: ${bestText(game, priced.best)}. ${whose} ${nounOf(game, priced.decision)} cost ${cost}.`;
}

const bestText = (game: Game, decision: string) => {
  const text = labelOf(game, decision);
  return text.charAt(0).toLowerCase() + text.slice(1);
};
