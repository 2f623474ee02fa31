// The operator's desk: the password, kept for this visit only, and the filters in force.

import { get, getText, post, Trouble } from "../lib/http";

const KEY = "pitboss-operator";
const WRONG = "That is not the operator's password. The server shows it when it starts; mind capital letters.";
const ENDED = "The server no longer takes this password: sign in with the one it shows now.";

class Desk {
  token = $state(sessionStorage.getItem(KEY) ?? "");
  notice = $state(""); // why one is signed out
  filters = $state({ since: "", until: "", game: "", table: "" });

  async signIn(token: string): Promise<void> {
    // What cannot stand in a header is no token, and fetch would fail as if the server were away.
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

  /** The filters as the server reads them, with what a list wants besides. */
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
      throw new Error(ENDED);
    }
  }
}

const isRefusal = (error: unknown) => error instanceof Trouble && error.code === "not_signed_in";
const moment = (local: string) => (local ? `${new Date(local).getTime()}` : "");

/** Milliseconds until the page asks again for theory that the server is computing. */
export const AGAIN = 2000;
export const COMPUTING = "computing…";

export const desk = new Desk();
export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
