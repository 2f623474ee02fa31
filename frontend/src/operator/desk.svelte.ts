// The state of the operator's page: the token, stored for this visit only, and the filters.

import { get, getText, post, Trouble } from "../lib/http";
import { percent } from "../lib/words";

const KEY = "pitboss-operator";
const WRONG =
  "That is not the operator's token. Use the token you set, or the one the server printed when it started. Capital letters matter.";
const ENDED = "The server no longer accepts this token. Sign in with the new one.";

class Desk {
  token = $state(sessionStorage.getItem(KEY) ?? "");
  notice = $state(""); // why the operator is signed out
  filters = $state({ since: "", until: "", game: "", table: "" });

  async signIn(token: string): Promise<void> {
    // With characters that a header cannot contain, fetch would fail as if the server were down.
    if (!/^[\x21-\x7e]+$/.test(token)) throw new Error(WRONG);
    await get("/operator/gaming", token).catch((error: unknown) => {
      throw isRefusal(error) ? new Error(WRONG) : error;
    });
    sessionStorage.setItem(KEY, token);
    [this.token, this.notice] = [token, ""];
  }

  signOut(notice = ""): void {
    sessionStorage.removeItem(KEY);
    [this.token, this.notice] = ["", notice];
  }

  get<T>(path: string): Promise<T> {
    return this.#watched(get<T>(`/operator${path}`, this.token));
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.#watched(post<T>(`/operator${path}`, body, this.token));
  }

  getText(path: string): Promise<string> {
    return this.#watched(getText(`/operator${path}`, this.token));
  }

  /** The filters as URL parameters, with the additional ones of a list. */
  query(more: Record<string, string> = {}): string {
    const { since, until, game, table } = this.filters;
    const wanted = { since: moment(since), until: moment(until), game, table, ...more };
    return `${new URLSearchParams(Object.entries(wanted).filter(([, value]) => value))}`;
  }

  get isFiltered(): boolean {
    return Object.values(this.filters).some(Boolean);
  }

  clear(): void {
    this.filters = { since: "", until: "", game: "", table: "" };
  }

  async #watched<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.signOut(ENDED);
      throw new Error(ENDED, { cause: error });
    }
  }
}

const isRefusal = (error: unknown) => error instanceof Trouble && error.code === "not_signed_in";
const moment = (local: string) => (local ? `${new Date(local).getTime()}` : "");

/** Milliseconds before the page asks again for pending theory. */
export const AGAIN = 2000;
export const COMPUTING = "computing…";

/** A percentage, or a dash if there is none. */
export const share = (value: number | null) => (value === null ? "–" : percent(value));

export const desk = new Desk();
