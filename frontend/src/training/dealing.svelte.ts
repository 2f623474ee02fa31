// A round dealt by the trainee: the next question, and the answer in the server's script.

import { capital, type Game, type Schemas } from "../lib/http";
import { money } from "../lib/words";
import { among, anyOf, nameOf, same, type Spot } from "./bets";

export type Training = Schemas["Training"];
type Step = Training["steps"][number];
export type SettleStep = Extract<Step, { kind: "settle" }>;
export type Action = SettleStep["action"];

/** The next step: watch, the dealer's move, three questions about a bet, reading a mistake, or nothing. */
export type Due = "watch" | "dealer" | "which" | "what" | "amount" | "wrong" | "over";

export interface Verdict {
  right: boolean;
  text: string;
  rule: string; // the clause behind it; empty if the text names it
}

export interface Settled {
  spot: Spot;
  action: Action;
  pays: number;
}

export class Dealing {
  due = $state<Due>("watch");
  settled = $state.raw<readonly Settled[]>([]);
  verdict = $state.raw<Verdict | null>(null);
  mistakes = $state.raw<readonly Verdict[]>([]);
  readonly bets: number;
  #steps = $state.raw<readonly Step[]>([]);
  #at = $state(0);

  constructor(
    readonly training: Training,
    readonly game: Game,
  ) {
    this.#steps = training.steps;
    this.bets = this.#steps.filter(({ kind }) => kind === "settle").length;
    this.#enter();
  }

  get step(): Step {
    return this.#steps[Math.min(this.#at, this.#steps.length - 1)]!;
  }

  /** The bet that is being settled. */
  get chosen(): SettleStep | null {
    return this.step.kind === "settle" && this.due !== "which" ? this.step : null;
  }

  get unsettled(): readonly Spot[] {
    return this.step.kind === "settle"
      ? this.step.unsettled.filter((spot) => !this.endOf(spot))
      : [];
  }

  endOf(spot: Spot): Settled | undefined {
    return this.settled.find((one) => same(one.spot, spot));
  }

  /** Continue after watching, or after a mistake. */
  next(): void {
    if (this.due !== "watch" && this.due !== "wrong") return;
    if (this.due === "watch") this.verdict = null;
    this.#advance();
  }

  /** The dealer's own move. */
  move(choice: string): void {
    const { step } = this;
    if (this.due !== "dealer" || step.kind !== "dealer") return;
    if (step.accepts.includes(choice)) this.#praise(step.why);
    else this.#blame(step.why);
  }

  /** Choose the bet to settle next. */
  pick(spot: Spot): void {
    const { step } = this;
    if (this.due !== "which" || step.kind !== "settle" || !among(spot, this.unsettled)) return;
    const open = step.next.filter((one) => !this.endOf(one));
    const isRight = among(spot, open);
    this.verdict = null;
    if (isRight) this.#bring(spot);
    else this.#count(`Not yet: ${anyOf(this.game, open)} comes first.`);
    this.due = "what";
  }

  act(action: Action): void {
    const { chosen } = this;
    if (this.due !== "what" || !chosen) return;
    if (action !== chosen.action)
      this.#blame(`${capital(chosen.action)} it. ${chosen.why}`, chosen);
    else if (action === "pay") [this.verdict, this.due] = [null, "amount"];
    else this.#praise(chosen.why, chosen);
  }

  pay(cents: number): void {
    const { chosen } = this;
    if (this.due !== "amount" || !chosen) return;
    if (cents === chosen.pays) this.#praise(chosen.why, chosen);
    else this.#blame(`Not ${money(cents)} but ${money(chosen.pays)}. ${chosen.why}`, chosen);
  }

  // --- inside

  #enter(): void {
    const isLast = this.#at >= this.#steps.length - 1;
    if (isLast && this.step.kind === "watch") this.due = "over";
    else if (this.step.kind !== "settle") this.due = this.step.kind;
    else this.due = this.unsettled.length === 1 ? "what" : "which"; // a single bet needs no question
  }

  #advance(): void {
    this.#at += 1;
    if (this.#at < this.#steps.length) this.#enter();
    else this.due = "over";
  }

  /** Settle a bet that is as correct as the script's next bet; the script's bet follows it. */
  #bring(spot: Spot): void {
    const at = this.#steps.findIndex(
      (one, i) => i >= this.#at && one.kind === "settle" && same(one, spot),
    );
    const steps = [...this.#steps];
    steps.splice(this.#at, 0, ...steps.splice(at, 1));
    this.#steps = steps;
  }

  #praise(text: string, of: SettleStep | null = null): void {
    this.verdict = { right: true, text: this.#said(text, of), rule: of?.rule ?? "" };
    this.#settle(of);
    this.#advance();
  }

  #blame(text: string, of: SettleStep | null = null): void {
    this.#count(this.#said(text, of), of?.rule);
    this.#settle(of);
    this.due = "wrong";
  }

  #count(text: string, rule = ""): void {
    this.verdict = { right: false, text, rule };
    this.mistakes = [...this.mistakes, this.verdict];
  }

  #said(text: string, of: SettleStep | null): string {
    return of ? `${capital(nameOf(this.game, of))}: ${text}` : text;
  }

  #settle(of: SettleStep | null): void {
    if (of)
      this.settled = [
        ...this.settled,
        { spot: { seat: of.seat, bet: of.bet, hand: of.hand }, action: of.action, pays: of.pays },
      ];
  }
}
