// A table as its player handles it: chips before the deal, decisions after it, the coach beside it.
// What may be done the server says; this only keeps what has not been sent yet.

import { get, type Game, type Schemas, type State, type TableInfo, type View } from "./http";
import { isSide, spotsOf } from "./layout";
import { Line } from "./line.svelte";
import { prefs } from "./prefs.svelte";
import { keepSeen } from "./seen";
import { randomText, session } from "./session.svelte";
import { play } from "./sound";
import { stage } from "./stage.svelte";
import { betName, cardName, ending, handName, LEAST_COST, money } from "./words";

type Stakes = Record<string, number>;
export type Advice = Schemas["Advice"];
export type Review = Schemas["Review"];
type Rules = Schemas["TableRules"];

const ASKED: Record<string, string> = {
  tossing: "Toss one card.",
  setting: "Set two cards on one bet, one on the other.",
  insuring: "The dealer shows an ace: do you insure?",
};
const CLOSED = "No bets are taken at this table now.";
const FESTIVE: Record<string, string> = { "double blackjack": "Double blackjack!", "deck ran out": "The deck ran out: every bet wins!" };

const gain = (cents: number) => (cents === 0 ? "push" : money(cents, true));
const named = (cards: readonly (string | null)[]) => cards.filter((card) => card !== null).map(cardName).join(", ");
const shows = (view: View) => (view.dealer.kept[0]?.startsWith("A") ? "an ace" : view.dealer.total);

export class Table {
  readonly game: Game;
  readonly line: Line;
  rules = $state.raw<Rules | null>(null);
  chips = $state<Record<number, Stakes>>({}); // before the deal, by seat
  chip = $state(500); // the chip in hand
  active = $state<{ seat: number; stake: string }>({ seat: 0, stake: "" });
  cleared = $state(0); // the number of the last round that was taken off the felt
  advice = $state.raw<Advice | null>(null);
  review = $state.raw<Review | null>(null);
  mistakes = $state({ count: 0, decisions: 0, cost: 0 }); // since one sat down
  isAsking = $state(false); // the server has not answered yet

  #undo = $state.raw<readonly Record<number, Stakes>[]>([]);
  readonly #seeds = new Map<number, string>(); // our part of each round's shuffle
  #told = 0;
  #laid = new Set<number>(); // seats that chips were laid before, once a round

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

  // --- what the server has said

  get state(): State | null { return this.line.state; }
  get isSolo(): boolean { return this.info.seconds === null; }
  get isBetting(): boolean { return this.state?.round.phase === "betting"; }
  get isLive(): boolean { return this.line.status === "live"; }
  get places() { return this.state?.places ?? []; }
  get own() { return this.places.filter((place) => place.yours); }
  get seats(): readonly number[] { return this.state?.you?.seats ?? []; }

  /** Whether a bet of ours is down for the next round. */
  get hasBet(): boolean { return this.own.some((place) => place.has_bet); }

  /** Whether the last round lies on the felt still, with its results; to who has just come, or has bet again, it is nothing. */
  get isResult(): boolean {
    const last = this.state?.last;
    if (!this.isBetting || !last?.view || last.number <= this.cleared || this.hasBet) return false;
    return !this.seats.length || this.seats.some((seat) => seat in last.net);
  }

  get view(): View | null {
    if (!this.state) return null;
    return this.isResult ? this.state.last!.view : this.state.views[0]!;
  }

  /** The view of one's own seat, which shows its cards. */
  viewOf(seat: number): View {
    return (!this.isResult && this.state!.views.find((view) => view.seat === seat)) || this.view!;
  }

  /** The first of one's seats that has to decide. */
  get asked(): View | null {
    return this.state?.views.find((view) => view.seat !== null && view.legal.length > 0) ?? null;
  }

  get isDecided(): boolean { return this.own.every((place) => place.has_bet || place.out); }

  get free(): number[] {
    if (!this.state || this.state.closed) return [];
    if (this.isSolo && this.places.length > 0 && !(this.own.length > 0 && this.isBetting)) return [];
    const taken = new Set(this.places.map((place) => place.seat));
    return Array.from({ length: this.info.places }, (_, i) => i + 1).filter((seat) => !taken.has(seat));
  }

  // --- the message line

  get message(): string {
    const { state } = this;
    if (!state) return "One moment.";
    if (this.line.status === "over") return "You are signed out: sign in to go on.";
    if (this.line.status !== "live") return "The connection was lost: trying again. Your seat is kept.";
    if (!this.isBetting) return this.#prompt();
    if (this.isResult || (state.last?.status === "void" && !this.hasBet)) {
      const told = this.#result();
      if (told) return [told, state.closed ? CLOSED : ""].join(" ").trim();
    }
    if (state.closed) return CLOSED;
    if (!this.own.length) return this.free.length ? "Sit down to play." : "You look on: there is no free seat.";
    if (this.own.every((place) => place.out)) return "You sit out.";
    if (this.isShort) return `These bets take ${money(this.staked)}, your bankroll has ${money(state.you!.balance)}: take some off.`;
    if (!this.isDecided) return "Place your bets.";
    return this.isSolo ? "Deal when you like." : "Your bet is down: the cards come when all have bet or the time is up.";
  }

  #result(): string {
    const last = this.state!.last!;
    if (last.status === "void") return this.cleared >= last.number ? "" : `Round ${last.number} is void: ${last.reason}. All bets came back.`;
    const own = Object.keys(last.net).map(Number).filter((seat) => this.seats.includes(seat));
    if (!own.length) return "";
    const net = own.reduce((sum, seat) => sum + last.net[seat]!, 0);
    const lines = last.view?.settlements.filter((line) => own.includes(line.seat) && line.stake > 0) ?? [];
    const played = lines.filter((line) => !isSide(this.game, line.bet));
    const why = new Set(played.map((line) => line.why)).size === 1 ? played[0]!.why : ""; // else each has its own
    const bets = [...new Set(lines.map((line) => line.bet))];
    const each = bets.map((bet) => `${betName(this.game, bet)} ${gain(lines.filter((line) => line.bet === bet).reduce((sum, line) => sum + line.net, 0))}`);
    const late = last.log.some(({ by, seat }) => by === "timer" && own.includes(seat));
    const sum = bets.length > 1 ? `${each.join(", ")}: ${ending(net).replace("You", "you").replace(".", " in all.")}` : ending(net);
    return [why, sum, late ? "Your time was up: the safe decision was made for you." : ""].filter(Boolean).join(" ");
  }

  #prompt(): string {
    const view = this.asked;
    if (!view) return this.seats.length ? [this.#settledWhy(), "Waiting for the others."].join(" ").trim() : "You look on.";
    if (view.phase !== "playing") return ASKED[view.phase] ?? "";
    const { seat, bet, hand } = view.turn!;
    const total = view.seats.find((one) => one.seat === seat)?.hands.find((one) => one.bet === bet && one.hand === hand)?.total;
    const which = spotsOf(this.game).length > 1 ? `${bet} ` : "";
    const dealer = view.dealer.total === null ? "" : `, the dealer shows ${shows(view)}`;
    return `Your ${which}hand has ${total}${dealer}.`;
  }

  /** Why a bet of ours is settled already, while others still play. */
  #settledWhy(): string {
    const lines = this.state!.views.flatMap((view) => view.settlements.filter((line) => line.seat === view.seat && line.bet !== "bonus"));
    return lines[0]?.why ?? "";
  }

  /** What lies before us, for who does not see it. */
  get spoken(): string {
    const view = this.asked;
    if (!view) return "";
    const own = view.seats.find((one) => one.seat === view.seat)!;
    const hands = own.hands.length ? own.hands.map((hand) => `${handName(this.game, hand)}: ${named(hand.cards ?? [])}`) : [`You have ${named(own.cards)}`];
    const dealer = named(view.dealer.cards);
    return [...hands, dealer ? `The dealer has ${dealer}` : ""].filter(Boolean).join(". ") + ".";
  }

  /** A moment worth a little celebration, if this round had one for us. */
  get festive(): string {
    if (!this.isResult) return "";
    const lines = this.state!.last!.view!.settlements.filter((line) => this.seats.includes(line.seat) && line.net > 0);
    return lines.map((line) => FESTIVE[line.outcome]).find(Boolean) ?? "";
  }

  // --- chips before the deal

  get canBet(): boolean { return this.isBetting && !this.isResult && !this.state!.closed && this.own.some((place) => !place.has_bet && !place.out); }

  stakesOf(seat: number): Stakes { return this.chips[seat] ?? {}; }

  /** What all one's chips on the felt come to; a stake that fills several bets lies there as often. */
  get staked(): number {
    const spots = spotsOf(this.game);
    const open = this.own.filter((place) => !place.has_bet && !place.out);
    return open.reduce((sum, { seat }) => sum + spots.reduce((cents, { stake }) => cents + (this.stakesOf(seat)[stake] ?? 0), 0), 0);
  }

  /** The largest amount that any bet may be here. */
  get most(): number { return Math.max(...Object.values(this.state!.limits).map((limit) => limit.most)); }

  /** Whether the chips on the felt are more than the bankroll. */
  get isShort(): boolean { return this.staked > (this.state?.you?.balance ?? 0); }

  place(seat: number, stake: string, cents = this.chip): void {
    const now = this.stakesOf(seat)[stake] ?? 0;
    const { least, most } = this.state!.limits[stake]!;
    const wanted = Math.min(most, Math.max(least, now + cents));
    this.active = { seat, stake };
    if (wanted === now) return session.say(`${money(most)} is the most on this bet.`);
    this.#change({ ...this.chips, [seat]: { ...this.stakesOf(seat), [stake]: wanted } });
    if (prefs.sound) play("chip");
  }

  clear(): void {
    this.cleared = this.state?.last?.number ?? 0;
    this.#change({});
  }

  undo(): void {
    const before = this.#undo.at(-1);
    if (before) this.chips = before;
    this.#undo = this.#undo.slice(0, -1);
  }

  get canUndo(): boolean { return this.#undo.length > 0; }

  rebet(): void {
    this.cleared = this.state?.last?.number ?? 0;
    this.#change(Object.fromEntries(this.own.map(({ seat }) => [seat, this.#lastStakes(seat) ?? this.#usual()])));
  }

  #change(chips: Record<number, Stakes>): void {
    this.#undo = [...this.#undo, $state.snapshot(this.chips)];
    this.chips = chips;
  }

  /** What a seat put down in the round before. */
  #lastStakes(seat: number): Stakes | null {
    const stakes = this.state!.last?.view?.seats.find((one) => one.seat === seat)?.stakes;
    return stakes ? Object.fromEntries(Object.entries(stakes).filter(([, cents]) => cents > 0)) : null;
  }

  get #key(): string { return `pitboss.bets.${this.game.key}`; }

  /** The bets that were made last at this game, within this table's limits; at first the least. */
  #usual(): Stakes {
    const limits = this.state!.limits;
    const first = Object.keys(this.game.stakes)[0]!;
    const fits = ([stake, cents]: [string, number]) => !!limits[stake] && cents >= limits[stake].least && cents <= limits[stake].most;
    const kept = Object.entries(this.#kept());
    if (kept.length && kept.every(fits)) return Object.fromEntries(kept);
    return { [first]: Math.min(limits[first]!.most, Math.max(limits[first]!.least, 1000)) };
  }

  #kept(): Stakes {
    try {
      return JSON.parse(localStorage.getItem(this.#key) ?? "{}");
    } catch {
      return {};
    }
  }

  // --- what is asked of the server

  async #do(action: () => Promise<unknown>): Promise<void> {
    if (this.isAsking || !this.isLive) return;
    this.isAsking = true;
    session.say("");
    await session.attempt(action);
    this.isAsking = false;
  }

  sit(seat: number): Promise<void> { return this.#do(() => this.line.ask({ do: "sit", seat, client_seed: "" })); }
  leave(seat: number): Promise<void> { return this.#do(() => this.line.ask({ do: "leave", seat })); }
  leaveAll(): Promise<void> {
    return this.#do(async () => {
      for (const { seat } of this.own) await this.line.ask({ do: "leave", seat });
    });
  }
  sitOut(seat: number, out: boolean): Promise<void> { return this.#do(() => this.line.ask({ do: "sit_out", seat, out })); }
  takeBack(seat: number): Promise<void> { return this.#do(() => this.line.ask({ do: "take_back", seat, round: this.state!.round.number })); }
  decide(seat: number, decision: string): Promise<void> {
    return this.#do(() => this.line.ask({ do: "decide", seat, decision, version: this.state!.version }));
  }

  /** Put the chips down for good; a table that waits deals at once. */
  bet(): Promise<void> {
    return this.#do(async () => {
      const round = this.state!.round.number;
      const open = this.own.filter((place) => !place.has_bet && !place.out);
      const clientSeeds = Object.fromEntries(this.own.filter((place) => !place.out).map(({ seat }) => [seat, this.seed(round)]));
      keepSeen(this.info.id, round, { commitment: this.state!.round.commitment, clientSeeds });
      for (const [index, { seat }] of open.entries()) {
        const stakes = Object.fromEntries(Object.entries(this.stakesOf(seat)).filter(([, cents]) => cents > 0));
        await this.line.ask({ do: "seed", seat, client_seed: this.seed(round) });
        await this.line.ask({ do: "bet", round, seat, stakes, deal: this.isSolo && index === open.length - 1 });
        localStorage.setItem(this.#key, JSON.stringify(stakes));
      }
      if (this.isSolo && !open.length) await this.line.ask({ do: "deal", round });
    });
  }

  /** The same bets again, at once. */
  async again(): Promise<void> {
    this.rebet();
    if (!this.isShort) await this.bet();
  }

  /** Our part of a round's shuffle, kept with the promise so that it can be checked later. */
  seed(round: number): string {
    if (!this.#seeds.has(round)) this.#seeds.set(round, randomText(12));
    return this.#seeds.get(round)!;
  }

  chooseSeed(seed: string): void {
    this.#seeds.set(this.state!.round.number, seed);
  }

  // --- hearing

  #hear(state: State): void {
    if (state.you) session.setBalance(state.you.balance);
    const { number, phase } = state.round;
    if (phase === "betting" && !this.isResult) this.#lay();
    if (phase !== "betting" && this.#told !== number) this.#begin(number);
    if (!this.active.seat && this.seats.length) this.active = { seat: this.seats[0]!, stake: Object.keys(this.game.stakes)[0]! };
    void this.#coach(state);
  }

  /** Lay the usual chips before a player who has just sat down: one tap deals. */
  #lay(): void {
    for (const { seat } of this.own.filter((place) => !place.has_bet && !this.#laid.has(place.seat))) {
      this.#laid.add(seat);
      this.chips[seat] ??= this.#usual();
    }
  }

  #begin(number: number): void {
    this.#told = number;
    this.#undo = [];
    this.#laid.clear();
    this.chips = {};
    this.review = null;
    stage.clear();
  }

  async #signIn(): Promise<void> {
    this.line.stop();
    if (await session.comeBack()) this.line.connect();
  }

  // --- the coach

  async #coach(state: State): Promise<void> {
    const view = this.asked;
    if (!view || this.advice?.version !== state.version) this.advice = null;
    if (view && prefs.coach === "before" && !this.advice) await this.askCoach();
    if (this.isResult && prefs.coach !== "off" && this.review?.round !== state.last!.number) await this.askReview();
  }

  askCoach(): Promise<void> {
    const [seat, version] = [this.asked?.seat, this.state?.version];
    return session.attempt(async () => {
      try {
        const advice = await get<Advice>(`/tables/${this.info.id}/coach?seat=${seat}`);
        if (advice.version === this.state?.version) this.advice = advice;
      } catch (error) {
        if (version === this.state?.version) throw error; // else the player was faster
      }
    });
  }

  askReview(): Promise<void> {
    const last = this.state!.last!;
    if (!last.log.some(({ seat }) => this.seats.includes(seat))) return Promise.resolve();
    return session.attempt(async () => {
      const review = await get<Review>(`/tables/${this.info.id}/rounds/${last.number}/review`);
      if (this.review?.round === review.round) return;
      this.review = review;
      const own = review.decisions.filter((made) => made.by === "player");
      const wrong = own.filter((made) => made.cost >= LEAST_COST);
      const cost = wrong.reduce((sum, made) => sum + made.cost, this.mistakes.cost);
      this.mistakes = { decisions: this.mistakes.decisions + own.length, count: this.mistakes.count + wrong.length, cost };
    });
  }
}
