// The parts that a game adds to the page, besides the data from the server: layout, motion, teaching.
// Everything is optional; a game without a folder here is shown in the generic way.

import type { Component } from "svelte";
import type { Game, View } from "../lib/http";

/** A card of the picture in the lobby. */
export interface FanCard {
  card: string;
  place?: "out" | "apart"; // not part of the hand, or on another bet
}

export interface StepHand {
  title?: string;
  cards: (string | null)[];
  out?: number; // the card that is not part of the hand
  total?: number;
}

/** A step of "In one minute". */
export interface Step {
  title: string;
  text: string;
  hands?: StepHand[];
  bets?: boolean; // draw the betting circles
}

/** The control in which a player lays out hands; the parent calls its functions. */
export interface HandsControl {
  move: (index: number) => void;
  isSet: () => boolean;
  confirm: () => void;
}

export interface HandsControlProps {
  cards: readonly string[];
  legal: readonly string[];
  onset: (decision: string) => void;
  order?: number; // the first card's place in the dealing order
}

export interface ComparisonProps {
  game: Game;
  view: View;
  seat: number;
  who: string; // whose seat it is
}

export interface DealerCardsProps {
  cards: readonly (string | null)[];
  choices: readonly string[];
  onpick: (card: string) => void;
}

export interface GamePage {
  pitch?: string; // one line in the lobby
  fan?: readonly FanCard[];
  minute?: readonly Step[]; // the game for someone who has never heard of it
  /** The index of the card that is not part of the hand, or -1. With it, all cards of a seat are one hand. */
  leftOut?: (cards: readonly (string | null)[], kept: readonly string[] | null) => number;
  outNote?: string; // what happened to the card that leftOut finds, read aloud after its name
  HandsControl?: Component<HandsControlProps, HandsControl>;
  confirmText?: string; // on the button that sends the hands, with HandsControl
  cardKeys?: string; // the effect of the keys 1 to 9 on a card
  Comparison?: Component<ComparisonProps>; // both hands side by side, once they are settled
  DealerCards?: Component<DealerCardsProps>; // in dealer training, a card to choose
  autoPick?: string; // the preference to pick a card without asking if only one is legal
}
