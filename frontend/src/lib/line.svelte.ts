// The connection to one table. After a loss, unanswered requests are sent again with the same key,
// so that the server carries out nothing twice.

import { API, Trouble, type Schemas, type State } from "./http";
import { randomText } from "./session.svelte";

type Request = Schemas["LiveRequest"];
type Reply = Schemas["LiveReply"];
type Without<T> = T extends unknown ? Omit<T, "v" | "id"> : never;
export type Wish = Without<Request>;

interface Waiting {
  message: object;
  done: () => void;
  refuse: (error: Error) => void;
}

const SLOW = 8000; // milliseconds without an answer after which the line counts as lost

export class Line {
  state = $state.raw<State | null>(null);
  status = $state<"connecting" | "live" | "lost" | "over">("connecting");
  until = $state<number | null>(null); // the deadline to decide, on the clock of performance.now()

  readonly #pending = new Map<string, Waiting>();
  #socket: WebSocket | null = null;
  #tries = 0;
  #isNew = true;
  #again = 0;

  constructor(
    readonly table: string,
    readonly on: {
      state?: (state: State) => void;
      signedOut?: () => void;
      trouble?: (error: Error) => void;
    },
  ) {}

  connect(): void {
    clearTimeout(this.#again);
    this.#isNew = true;
    if (this.status === "over") this.status = "connecting";
    this.#socket?.close();
    const socket = new WebSocket(
      `${location.origin.replace("http", "ws")}${API}/tables/${this.table}/live`,
    );
    this.#socket = socket;
    socket.onmessage = ({ data }: MessageEvent<string>) =>
      socket === this.#socket && this.#hear(JSON.parse(data) as Reply);
    socket.onclose = () => socket === this.#socket && this.status !== "over" && this.#lose();
  }

  stop(): void {
    this.status = "over";
    clearTimeout(this.#again);
    this.#socket?.close();
    this.#socket = null;
  }

  /** Check the connection, for instance after the device was asleep. */
  check(): void {
    if (this.status === "live") this.ask({ do: "ping" }).catch(() => {});
    else if (this.status === "lost") this.connect();
  }

  /** Send a request; the promise resolves when the server has carried it out. */
  ask(wish: Wish): Promise<void> {
    const message = { v: 1, id: randomText(16), ...wish };
    return new Promise((done, refuse) => {
      this.#pending.set(message.id, { message, done, refuse });
      this.#send(message);
    });
  }

  #send(message: { id: string }): void {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify(message));
    setTimeout(() => {
      if (!this.#pending.has(message.id) || socket !== this.#socket || this.status === "over")
        return;
      this.status = "lost";
      this.connect();
    }, SLOW);
  }

  #lose(): void {
    this.status = "lost";
    const pause = Math.min(5_000, 250 * 2 ** this.#tries++) * (0.75 + Math.random() / 2);
    this.#again = window.setTimeout(() => this.connect(), pause);
  }

  #hear(message: Reply): void {
    if (message.type === "state") return this.#take(message);
    if (message.type === "error" && message.error === "elsewhere")
      return this.#follow(message.address ?? null); // the request stays pending
    const waiting = message.id ? this.#pending.get(message.id) : undefined;
    if (message.id) this.#pending.delete(message.id);
    if (message.type === "pong") return waiting?.done();
    if (message.error === "not_found") this.stop();
    if (message.error === "not_signed_in") this.on.signedOut?.();
    const error = new Trouble(message.error, message.detail);
    if (waiting) waiting.refuse(error);
    else this.on.trouble?.(error);
  }

  #take(state: State): void {
    this.status = "live";
    this.#tries = 0;
    this.until = state.round.left_ms === null ? null : performance.now() + state.round.left_ms;
    this.state = state;
    this.on.state?.(state);
    for (const id of state.done) {
      this.#pending.get(id)?.done();
      this.#pending.delete(id);
    }
    if (this.#isNew)
      for (const { message } of this.#pending.values()) this.#send(message as { id: string });
    this.#isNew = false;
    if (!state.you) this.on.signedOut?.(); // the page connected as a player
  }

  /** Go to the server that deals the table, if it is a different one. */
  #follow(address: string | null): void {
    const there = address && new URL(location.pathname, address);
    if (there && there.origin !== location.origin && /^https?:$/.test(there.protocol))
      location.assign(there.href);
    else this.#socket?.close();
  }
}
