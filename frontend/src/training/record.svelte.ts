// The dealer's rounds: of this visit, and the best times kept in this browser.

const KEY = "pitboss.dealing";

interface Kept {
  best: Record<string, number>; // milliseconds by game, of rounds without a mistake
  totals: boolean; // whether the hands' totals are shown
}

function load(): Kept {
  const fresh: Kept = { best: {}, totals: true };
  try {
    return { ...fresh, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return fresh;
  }
}

export class DealerRecord {
  rounds = $state(0);
  mistakes = $state(0);
  time = $state(0);
  kept = $state.raw(load());

  get average(): number | null {
    return this.rounds ? this.time / this.rounds : null;
  }

  /** Count a round; say whether its time is a new best one. */
  add(game: string, time: number, mistakes: number): boolean {
    this.rounds += 1;
    this.time += time;
    this.mistakes += mistakes;
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
