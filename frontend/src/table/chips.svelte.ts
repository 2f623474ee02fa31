// The chips that a player lays down before the deal. They are not sent until the player bets.

import { spotsOf } from "../lib/layout";
import { prefs } from "../lib/prefs.svelte";
import { session } from "../lib/session.svelte";
import { play } from "../lib/sound";
import { load } from "../lib/storage";
import { money } from "../lib/words";
import type { Table } from "./table.svelte";

type Stakes = Record<string, number>;

const USUAL = 1000; // cents on the first stake, within the limits

export class Chips {
  chip = $state(500); // the chip in hand
  active = $state<{ seat: number; stake: string }>({ seat: 0, stake: "" });
  #laid = $state<Record<number, Stakes>>({}); // by seat
  #undo = $state.raw<readonly Record<number, Stakes>[]>([]);
  #served = new Set<number>(); // seats that got their usual chips in this round

  constructor(readonly table: Table) {}

  of(seat: number): Stakes {
    return this.#laid[seat] ?? {};
  }

  /** The total of all chips on the felt; a stake that fills several bets counts once for each. */
  get staked(): number {
    const spots = spotsOf(this.table.game);
    return this.table.undecided.reduce(
      (sum, { seat }) =>
        sum + spots.reduce((cents, { stake }) => cents + (this.of(seat)[stake] ?? 0), 0),
      0,
    );
  }

  /** The largest amount that any bet may have here. */
  get most(): number {
    return Math.max(...Object.values(this.table.state!.limits).map((limit) => limit.most));
  }

  /** Whether the chips on the felt are more than the bankroll. */
  get isShort(): boolean {
    return this.staked > (this.table.state?.you?.balance ?? 0);
  }

  /** Add a chip to a stake, within the limits. */
  place(seat: number, stake: string, cents = this.chip): void {
    const now = this.of(seat)[stake] ?? 0;
    const { least, most } = this.table.state!.limits[stake]!;
    const wanted = Math.min(most, Math.max(least, now + cents));
    this.active = { seat, stake };
    if (wanted === now) return session.say(`${money(most)} is the maximum on this bet.`);
    this.#change({ ...this.#laid, [seat]: { ...this.of(seat), [stake]: wanted } });
    if (prefs.sound) play("chip");
  }

  placeActive(): void {
    this.place(this.active.seat, this.active.stake);
  }

  /** Mark the next or the previous circle. */
  step(by: number): void {
    const stakes = new Set(spotsOf(this.table.game).map(({ stake }) => stake));
    const spots = this.table.own.flatMap(({ seat }) =>
      [...stakes].map((stake) => ({ seat, stake })),
    );
    const { seat, stake } = this.active;
    const at = spots.findIndex((spot) => spot.seat === seat && spot.stake === stake);
    this.active = spots[(at + by + spots.length) % spots.length] ?? this.active;
  }

  clear(): void {
    this.table.clearResult();
    this.#change({});
  }

  undo(): void {
    const before = this.#undo.at(-1);
    if (before) this.#laid = before;
    this.#undo = this.#undo.slice(0, -1);
  }

  get canUndo(): boolean {
    return this.#undo.length > 0;
  }

  /** Lay down the bets of the last round. */
  rebet(): void {
    this.table.clearResult();
    this.#change(
      Object.fromEntries(
        this.table.own.map(({ seat }) => [seat, this.#lastStakes(seat) ?? this.#usual()]),
      ),
    );
  }

  /** Place default chips for a player who has just sat down, so that one tap deals. */
  serve(): void {
    for (const { seat, has_bet } of this.table.own) {
      if (has_bet || this.#served.has(seat)) continue;
      this.#served.add(seat);
      this.#laid[seat] ??= this.#usual();
    }
  }

  /** Mark the first circle of the player's first seat, unless one is marked. */
  activate(): void {
    const [seat] = this.table.seats;
    if (!this.active.seat && seat) this.active = { seat, stake: this.#first };
  }

  /** Start a round: from now on its chips come from the server. */
  reset(): void {
    this.#undo = [];
    this.#served.clear();
    this.#laid = {};
  }

  /** Store the bets for the next visit. */
  keep(stakes: Stakes): void {
    localStorage.setItem(this.#key, JSON.stringify(stakes));
  }

  #change(laid: Record<number, Stakes>): void {
    this.#undo = [...this.#undo, $state.snapshot(this.#laid)];
    this.#laid = laid;
  }

  /** The stakes of a seat in the last round. */
  #lastStakes(seat: number): Stakes | null {
    const stakes = this.table.state!.last?.view?.seats.find((one) => one.seat === seat)?.stakes;
    return stakes ? betsIn(stakes) : null;
  }

  get #key(): string {
    return `pitboss.bets.${this.table.game.key}`;
  }

  get #first(): string {
    return Object.keys(this.table.game.stakes)[0]!;
  }

  /** The bets that were made last at this game, if this table's limits allow them. */
  #usual(): Stakes {
    const limits = this.table.state!.limits;
    const fits = ([stake, cents]: [string, number]) =>
      !!limits[stake] && cents >= limits[stake].least && cents <= limits[stake].most;
    const kept = Object.entries(load<Stakes>(this.#key) ?? {});
    if (kept.length && kept.every(fits)) return Object.fromEntries(kept);
    const { least, most } = limits[this.#first]!;
    return { [this.#first]: Math.min(most, Math.max(least, USUAL)) };
  }
}

/** The stakes that are not zero. */
export const betsIn = (stakes: Stakes): Stakes =>
  Object.fromEntries(Object.entries(stakes).filter(([, cents]) => cents > 0));
