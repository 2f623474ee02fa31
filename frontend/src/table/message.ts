// The message line of a table: what happened and what to do, in one or two short sentences.

import type { Schemas, Settlement, View } from "../lib/http";
import { hasHand, isOnDeal } from "../lib/layout";
import { betName, cardName, ending, handName, money } from "../lib/words";
import type { Table } from "./table.svelte";

type LastRound = Schemas["LastRound"];

const CLOSED = "No bets are taken at this table now.";
const LATE = "Your time was up. The safe decision was made for you.";

/** Join the sentences that are not empty. */
const said = (...sentences: string[]) => sentences.filter(Boolean).join(" ");

export function messageOf(table: Table): string {
  const { state } = table;
  if (!state) return "Loading.";
  if (table.line.status === "over") return "You are signed out. Sign in to continue.";
  if (table.line.status !== "live") return "Connection lost. Reconnecting; your seat is kept.";
  if (!table.isBetting) return prompt(table);
  const isVoid = state.last?.status === "void" && !table.hasBet;
  const result = table.isResult || isVoid ? resultText(table, state.last!) : "";
  if (result || state.closed) return said(result, state.closed ? CLOSED : "");
  return bettingText(table);
}

function bettingText(table: Table): string {
  const { own, chips } = table;
  if (!own.length)
    return table.free.length ? "Sit down to play." : "You are watching. No seat is free.";
  if (own.every((place) => place.out)) return "You are sitting out.";
  if (chips.isShort)
    return `These bets take ${money(chips.staked)}, but your bankroll is ${money(table.state!.you!.balance)}. Remove some chips.`;
  if (!own.every((place) => place.has_bet || place.out)) return "Place your bets.";
  return table.isSolo
    ? "Deal when you are ready."
    : "Your bet is placed. The cards are dealt when everyone has bet or the time is up.";
}

// --- a finished round

function resultText(table: Table, last: LastRound): string {
  if (last.status === "void")
    return table.cleared >= last.number
      ? ""
      : `Round ${last.number} is void: ${last.reason}. All bets were returned.`;
  const own = table.seats.filter((seat) => seat in last.net);
  if (!own.length) return "";
  const lines =
    last.view?.settlements.filter((line) => own.includes(line.seat) && line.stake > 0) ?? [];
  const net = own.reduce((sum, seat) => sum + last.net[seat]!, 0);
  const isLate = last.log.some(({ by, seat }) => by === "timer" && own.includes(seat));
  return said(commonWhy(table, lines), netText(table, lines, net), isLate ? LATE : "");
}

/** The reason, if all bets with hands ended for the same one. */
function commonWhy({ game }: Table, lines: readonly Settlement[]): string {
  const reasons = lines.filter((line) => hasHand(game, line.bet)).map((line) => line.why);
  return new Set(reasons).size === 1 ? reasons[0]! : "";
}

/** "Main +$10, Lucky 3 −$5: you win $5 in all." */
function netText({ game }: Table, lines: readonly Settlement[], net: number): string {
  const bets = [...new Set(lines.map((line) => line.bet))];
  if (bets.length < 2) return ending(net);
  const each = bets.map((bet) => {
    const cents = lines.filter((line) => line.bet === bet).reduce((sum, line) => sum + line.net, 0);
    return `${betName(game, bet)} ${cents === 0 ? "push" : money(cents, true)}`;
  });
  return `${each.join(", ")}: ${ending(net).replace("You", "you").replace(".", " in all.")}`;
}

/** The text of a celebration, if the player won a bet with one. */
export function celebrationOf(table: Table): string {
  if (!table.isResult) return "";
  const lines = table.state!.last!.view!.settlements.filter(
    (line) => table.seats.includes(line.seat) && line.net > 0,
  );
  return lines.map((line) => table.game.celebrations[line.outcome]).find(Boolean) ?? "";
}

// --- the current round

function prompt(table: Table): string {
  const { asked: view, game } = table;
  if (!view)
    return table.seats.length
      ? said(settledWhy(table), "Waiting for the others.")
      : "You are watching.";
  const text = game.prompts[view.phase] ?? "It is your turn to decide.";
  return text.replace(/\{(\w+)\}/g, (_, name: string) => promptPart(table, view, name));
}

/** A part of a prompt: the hand whose turn it is, its total, or the dealer's card. */
function promptPart({ game }: Table, { turn, seats, dealer }: View, name: string): string {
  if (name === "dealer") return dealer.kept[0]?.startsWith("A") ? "an ace" : `${dealer.total}`;
  const hand = seats
    .find(({ seat }) => seat === turn?.seat)
    ?.hands.find((one) => one.bet === turn?.bet && one.hand === turn.hand);
  if (name === "total") return hand?.text ?? "";
  const several = game.layout.filter(({ has_hand }) => has_hand).length > 1;
  return several && turn ? `${betName(game, turn.bet).toLowerCase()} hand` : "hand";
}

/** Why a bet of the player is settled already, while others still play. */
function settledWhy({ state, game }: Table): string {
  const lines = state!.views.flatMap((view) =>
    view.settlements.filter((line) => line.seat === view.seat && !isOnDeal(game, line.bet)),
  );
  return lines[0]?.why ?? "";
}

/** The player's cards and the dealer's, for a screen reader. */
export function spokenCards({ asked: view, game }: Table): string {
  if (!view) return "";
  const own = view.seats.find((one) => one.seat === view.seat)!;
  const hands = own.hands.length
    ? own.hands.map((hand) => `${handName(game, hand)}: ${cardNames(hand.cards ?? [])}`)
    : [`You have ${cardNames(own.cards)}`];
  const dealer = cardNames(view.dealer.cards);
  return [...hands, dealer ? `The dealer has ${dealer}` : ""].filter(Boolean).join(". ") + ".";
}

const cardNames = (cards: readonly (string | null)[]) =>
  cards
    .filter((card) => card !== null)
    .map(cardName)
    .join(", ");
