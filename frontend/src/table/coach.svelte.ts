// The coach at a table: advice before a decision, the cost of each decision after the round.

import { get, hasPart, type Schemas, type State } from "../lib/http";
import { prefs } from "../lib/prefs.svelte";
import { session } from "../lib/session.svelte";
import { isBest } from "../lib/words";
import type { Table } from "./table.svelte";

type Advice = Schemas["Advice"];
type Review = Schemas["Review"];

export class TableCoach {
  advice = $state.raw<Advice | null>(null);
  review = $state.raw<Review | null>(null);
  mistakes = $state({ count: 0, decisions: 0, cost: 0 }); // since the player sat down

  constructor(readonly table: Table) {}

  /** Whether the game has a coach. */
  get isOffered(): boolean {
    return hasPart(this.table.game, "coach");
  }

  /** Request the advice that the player wants for a new state of the table. */
  async hear(state: State): Promise<void> {
    const { asked, isResult } = this.table;
    if (!this.isOffered) return;
    if (!asked || this.advice?.version !== state.version) this.advice = null;
    if (asked && prefs.coach === "before" && !this.advice) await this.ask();
    if (isResult && prefs.coach !== "off" && this.review?.round !== state.last!.number)
      await this.askReview();
  }

  ask(): Promise<void> {
    const { asked, info, state } = this.table;
    return session.attempt(async () => {
      try {
        const advice = await get<Advice>(`/tables/${info.id}/coach?seat=${asked?.seat}`);
        if (advice.version === this.table.state?.version) this.advice = advice;
      } catch (error) {
        if (state?.version === this.table.state?.version) throw error; // else the player was faster
      }
    });
  }

  askReview(): Promise<void> {
    const { info, state, seats } = this.table;
    const last = state!.last!;
    if (!last.log.some(({ seat }) => seats.includes(seat))) return Promise.resolve();
    return session.attempt(async () => {
      const review = await get<Review>(`/tables/${info.id}/rounds/${last.number}/review`);
      if (this.review?.round === review.round) return;
      this.review = review;
      this.#count(review);
    });
  }

  #count({ decisions }: Review): void {
    const own = decisions.filter((made) => made.by === "player");
    const wrong = own.filter((made) => !isBest(made));
    this.mistakes = {
      decisions: this.mistakes.decisions + own.length,
      count: this.mistakes.count + wrong.length,
      cost: wrong.reduce((sum, made) => sum + made.cost, this.mistakes.cost),
    };
  }
}
