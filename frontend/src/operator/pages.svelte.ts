// A list that is loaded page by page. Only the newest request counts: answers to older ones are ignored.

import { messageOf } from "../lib/http";
import { desk } from "./desk.svelte";

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly before?: string | null;
}

export class Pages<Row, Whole extends Page<Row> = Page<Row>> {
  rows = $state.raw<readonly Row[]>([]);
  page = $state.raw<Whole | null>(null); // the last page received
  busy = $state(false);
  trouble = $state("");
  #path = "";
  #turn = 0;

  get hasOlder(): boolean {
    return Boolean(this.page?.before);
  }

  async show(path: string): Promise<void> {
    this.#path = path;
    await this.#ask(path, []);
  }

  async again(): Promise<void> {
    await this.#ask(this.#path, []);
  }

  /** Reload the rows to update pending figures; the old rows stay visible meanwhile. */
  async update(): Promise<void> {
    await this.#ask(this.#path, [], false);
  }

  async older(): Promise<void> {
    const before = encodeURIComponent(this.page?.before ?? "");
    await this.#ask(`${this.#path}&before=${before}`, this.rows);
  }

  async #ask(path: string, kept: readonly Row[], busy = true): Promise<void> {
    const turn = ++this.#turn;
    this.busy = busy;
    try {
      const page = await desk.get<Whole>(path);
      if (turn !== this.#turn) return;
      [this.page, this.rows, this.trouble] = [page, [...kept, ...page.rows], ""];
    } catch (error) {
      if (turn === this.#turn) this.trouble = messageOf(error);
    } finally {
      if (turn === this.#turn) this.busy = false;
    }
  }
}
