// A table as its player sees it. The server says which actions are legal.

import { get, type Game, type Schemas, type State, type TableInfo, type View } from "../lib/http";
import { Line } from "../lib/line.svelte";
import { keepSeen } from "../lib/seen";
import { randomText, session } from "../lib/session.svelte";
import { stage } from "../lib/stage.svelte";
import { betsIn, Chips } from "./chips.svelte";
import { TableCoach } from "./coach.svelte";

type Rules = Schemas["TableRules"];

export class Table {
  readonly game: Game;
  readonly line: Line;
  readonly chips = new Chips(this);
  readonly coach = new TableCoach(this);
  rules = $state.raw<Rules | null>(null);
  cleared = $state(0); // the number of the last round that was taken off the felt
  isAsking = $state(false); // the server has not answered yet

  readonly #seeds = new Map<number, string>(); // our part of each round's shuffle
  #begun = 0; // the number of the last round that was dealt

  constructor(readonly info: TableInfo) {
    this.game = session.games[info.game]!;
    this.line = new Line(info.id, {
      state: (state) => this.#hear(state),
      signedOut: () => void this.#signIn(),
      trouble: (error) => session.say(error.message, true),
    });
  }

  async open(): Promise<void> {
    this.line.connect();
    this.rules = await get<Rules>(`/tables/${this.info.id}/rules`);
  }

  // --- the state from the server

  get state(): State | null {
    return this.line.state;
  }
  get isSolo(): boolean {
    return this.info.seconds === null;
  }
  get isBetting(): boolean {
    return this.state?.round.phase === "betting";
  }
  get isLive(): boolean {
    return this.line.status === "live";
  }
  /** Whether the page waits for the server and can send no request. */
  get waits(): boolean {
    return !this.isLive || this.isAsking;
  }
  get places() {
    return this.state?.places ?? [];
  }
  get own() {
    return this.places.filter((place) => place.yours);
  }
  get seats(): readonly number[] {
    return this.state?.you?.seats ?? [];
  }

  /** The player's places that have not bet yet and do not sit out. */
  get undecided() {
    return this.own.filter((place) => !place.has_bet && !place.out);
  }

  /** Whether the player can lay down chips now. */
  get canBet(): boolean {
    return this.isBetting && !this.isResult && !this.state!.closed && this.undecided.length > 0;
  }

  /** Whether the player has bet on the next round. */
  get hasBet(): boolean {
    return this.own.some((place) => place.has_bet);
  }

  /** Whether the results of the last round are on the felt: not for a newcomer, or after a new bet. */
  get isResult(): boolean {
    const last = this.state?.last;
    if (!this.isBetting || !last?.view || last.number <= this.cleared || this.hasBet) return false;
    return !this.seats.length || this.seats.some((seat) => seat in last.net);
  }

  get view(): View | null {
    if (!this.state) return null;
    return this.isResult ? this.state.last!.view : this.state.views[0]!;
  }

  /** The view of the player's seat, which shows its cards. */
  viewOf(seat: number): View {
    return (!this.isResult && this.state!.views.find((view) => view.seat === seat)) || this.view!;
  }

  /** The first of the player's seats that has to decide. */
  get asked(): View | null {
    return this.state?.views.find((view) => view.seat !== null && view.legal.length > 0) ?? null;
  }

  get free(): number[] {
    if (!this.state || this.state.closed) return [];
    if (this.isSolo && this.places.length > 0 && !(this.own.length > 0 && this.isBetting))
      return [];
    const taken = new Set(this.places.map((place) => place.seat));
    return Array.from({ length: this.info.places }, (_, i) => i + 1).filter(
      (seat) => !taken.has(seat),
    );
  }

  /** Take the results of the last round off the felt. */
  clearResult(): void {
    this.cleared = this.state?.last?.number ?? 0;
  }

  // --- requests

  async #do(action: () => Promise<unknown>): Promise<void> {
    if (this.isAsking || !this.isLive) return;
    this.isAsking = true;
    session.say("");
    await session.attempt(action);
    this.isAsking = false;
  }

  sit(seat: number): Promise<void> {
    return this.#do(() => this.line.ask({ do: "sit", seat, client_seed: "" }));
  }
  leave(seat: number): Promise<void> {
    return this.#do(() => this.line.ask({ do: "leave", seat }));
  }
  leaveAll(): Promise<void> {
    return this.#do(async () => {
      for (const { seat } of this.own) await this.line.ask({ do: "leave", seat });
    });
  }
  sitOut(seat: number, out: boolean): Promise<void> {
    return this.#do(() => this.line.ask({ do: "sit_out", seat, out }));
  }
  takeBack(seat: number): Promise<void> {
    return this.#do(() =>
      this.line.ask({ do: "take_back", seat, round: this.state!.round.number }),
    );
  }
  decide(seat: number, decision: string): Promise<void> {
    return this.#do(() =>
      this.line.ask({ do: "decide", seat, decision, version: this.state!.version }),
    );
  }

  /** Send the bets; a table without a timer deals at once. */
  bet(): Promise<void> {
    return this.#do(async () => {
      const round = this.state!.round.number;
      const open = this.undecided;
      const clientSeeds = Object.fromEntries(
        this.own.filter((place) => !place.out).map(({ seat }) => [seat, this.seed(round)]),
      );
      keepSeen(this.info.id, round, { commitment: this.state!.round.commitment, clientSeeds });
      for (const [index, { seat }] of open.entries()) {
        const stakes = betsIn(this.chips.of(seat));
        await this.line.ask({ do: "seed", seat, client_seed: this.seed(round) });
        await this.line.ask({
          do: "bet",
          round,
          seat,
          stakes,
          deal: this.isSolo && index === open.length - 1,
        });
        this.chips.keep(stakes);
      }
      if (this.isSolo && !open.length) await this.line.ask({ do: "deal", round });
    });
  }

  /** Repeat the bets and deal. */
  async again(): Promise<void> {
    this.chips.rebet();
    if (!this.chips.isShort) await this.bet();
  }

  /** The client seed of a round, stored with the commitment for a later check. */
  seed(round: number): string {
    if (!this.#seeds.has(round)) this.#seeds.set(round, randomText(12));
    return this.#seeds.get(round)!;
  }

  chooseSeed(seed: string): void {
    this.#seeds.set(this.state!.round.number, seed);
  }

  // --- messages from the server

  #hear(state: State): void {
    if (state.you) session.setBalance(state.you.balance);
    const { number, phase } = state.round;
    if (phase === "betting" && !this.isResult) this.chips.serve();
    if (phase !== "betting" && this.#begun !== number) this.#begin(number);
    this.chips.activate();
    void this.coach.hear(state);
  }

  #begin(number: number): void {
    this.#begun = number;
    this.chips.reset();
    this.coach.review = null;
    stage.clear();
  }

  async #signIn(): Promise<void> {
    this.line.stop();
    if (await session.comeBack()) this.line.connect();
  }
}
