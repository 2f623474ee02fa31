// The player's preferences in this browser.

import { load } from "./storage";

const KEY = "pitboss.prefs";
const USUAL = {
  coach: "off" as "off" | "before" | "after",
  sound: false,
  keys: true, // single-letter keys
  autoPick: false, // a card, if only one is legal
  fourColours: false,
};

export const prefs = $state({ ...USUAL, ...load<Partial<typeof USUAL>>(KEY) });

export function keepPrefs(): void {
  localStorage.setItem(KEY, JSON.stringify(prefs));
}
