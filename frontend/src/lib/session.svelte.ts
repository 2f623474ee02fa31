// The signed-in player and the list of games. Everybody begins as a guest, without a form.

import { get, messageOf, post, Trouble, type Game, type Me, type Schemas } from "./http";
import { load } from "./storage";
import { money } from "./words";

const KEY = "pitboss";

/** The last player in this browser. */
const known = () => load<{ name: string; kept: boolean }>(KEY);

class Session {
  me = $state<Me | null>(null);
  games = $state<Record<string, Game>>({});
  message = $state("");
  isTrouble = $state(false);
  asksLogin = $state(false); // the session of an account with a password has ended
  #coming: Promise<boolean> | null = null; // shared by requests that find an ended session at the same time

  async learnGames(): Promise<void> {
    if (Object.keys(this.games).length) return;
    const games = await get<Game[]>("/games");
    this.games = Object.fromEntries(games.map((game) => [game.key, game]));
  }

  /** Resume the session, or begin one as a guest; an account with a password has to log in. */
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
    if (before)
      this.say(
        `Your guest session expired. You have been given a new one, with ${money(this.me!.balance)} of play money.`,
      );
    return true;
  }

  /** The name of the last player in this browser. */
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

  /** Run an action, and show its error in the message line. */
  async attempt(action: () => Promise<unknown> | void): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.say(messageOf(error), true);
      if (error instanceof Trouble && error.code === "not_signed_in") await this.comeBack();
    }
  }
}

export const session = new Session();

export function randomText(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
