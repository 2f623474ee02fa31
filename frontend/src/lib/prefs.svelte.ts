// What the player has chosen for this browser.

const KEY = "pitboss.prefs";
const USUAL = {
  coach: "off" as "off" | "before" | "after",
  sound: false,
  keys: true, // single-letter keys
  autoToss: false, // where only one toss is legal
  fourColours: false,
};

function load(): typeof USUAL {
  try {
    return { ...USUAL, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...USUAL };
  }
}

export const prefs = $state(load());

export function keepPrefs(): void {
  localStorage.setItem(KEY, JSON.stringify(prefs));
}
