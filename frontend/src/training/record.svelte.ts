// The trainee's rounds of this visit, and the best times stored in this browser.

import { load } from "../lib/storage";

const KEY = "pitboss.dealing";

interface Kept {
  best: Record<string, number>; // milliseconds by game, of rounds without a mistake
  totals: boolean; // whether the hands' totals are shown
}

const FRESH: Kept = { best: {}, totals: true };

export class DealerRecord {
  rounds = $state(0);
  time = $state(0);
  kept = $state.raw<Kept>({ ...FRESH, ...load<Partial<Kept>>(KEY) });

  get average(): number | null {
    return this.rounds ? this.time / this.rounds : null;
  }

  /** Count a round; return whether its time is a new best. */
  add(game: string, time: number, mistakes: number): boolean {
    this.rounds += 1;
    this.time += time;
    const before = this.kept.best[game];
    const isBest = !mistakes && (before === undefined || time < before);
    if (isBest) this.keep({ best: { ...this.kept.best, [game]: time } });
    return isBest;
  }

  keep(changed: Partial<Kept>): void {
    this.kept = { ...this.kept, ...changed };
    localStorage.setItem(KEY, JSON.stringify(this.kept));
  }
}

/** "1:07", as a clock shows it. */
export function clockText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
