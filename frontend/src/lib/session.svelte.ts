// Who plays, and what both games are. Everybody begins as a guest; nobody is asked for anything.

import { get, post, Trouble, type Game, type Me, type Schemas } from "./http";
import { money } from "./words";

const KEY = "pitboss";

/** Who was here last in this browser. */
function known(): { name: string; kept: boolean } | null {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "null");
  } catch {
    return null;
  }
}

class Session {
  me = $state<Me | null>(null);
  games = $state<Record<string, Game>>({});
  message = $state("");
  isTrouble = $state(false);
  asksLogin = $state(false); // a kept account's session has ended
  #coming: Promise<boolean> | null = null; // several may find at once that the session has ended

  async learnGames(): Promise<void> {
    if (Object.keys(this.games).length) return;
    const games = await get<Game[]>("/games");
    this.games = Object.fromEntries(games.map((game) => [game.key, game]));
  }

  /** Come back to the session, or begin one as a guest; a kept account is asked to log in. */
  comeBack(): Promise<boolean> {
    this.#coming ??= this.#comeBack().finally(() => (this.#coming = null));
    return this.#coming;
  }

  async #comeBack(): Promise<boolean> {
    const { me } = await get<Schemas["Visitor"]>("/visitor");
    if (me) {
      this.welcome(me);
      return true;
    }
    const before = known();
    if (before?.kept) {
      this.asksLogin = true;
      this.say("Your session expired. Log in again, or play as a new guest.");
      return false;
    }
    this.welcome(await post<Me>("/guest", {}));
    if (before) this.say(`Your guest session expired. You have been given a new one, with ${money(this.me!.balance)} of play money.`);
    return true;
  }

  /** The name that a kept account had in this browser. */
  get lastName(): string {
    return known()?.name ?? "";
  }

  welcome(me: Me): void {
    this.me = me;
    this.asksLogin = false;
    localStorage.setItem(KEY, JSON.stringify({ name: me.name, kept: me.kept }));
  }

  forget(): void {
    localStorage.removeItem(KEY);
  }

  /** Whether the bank gives this player more play money now. */
  get canRefill(): boolean {
    return this.me !== null && this.me.balance < this.me.refill_below && this.me.refills_left > 0;
  }

  async refill(): Promise<void> {
    const { added, balance } = await post<{ added: number; balance: number }>("/me/refill", {});
    this.setBalance(balance);
    this.me = await get<Me>("/me");
    this.say(`The bank gave you ${money(added)} of play money.`);
  }

  setBalance(cents: number): void {
    if (this.me && this.me.balance !== cents) this.me = { ...this.me, balance: cents };
  }

  say(text: string, trouble = false): void {
    this.message = text;
    this.isTrouble = trouble;
  }

  /** Do something, and put what goes wrong into the message line. */
  async attempt(action: () => Promise<unknown> | void): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error), true);
      if (error instanceof Trouble && error.code === "not_signed_in") await this.comeBack();
    }
  }
}

export const session = new Session();

export function randomText(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
