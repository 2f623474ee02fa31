// Requests to the server over HTTP. Money is in cents until it is shown.

import type { components } from "../api";

export type Schemas = components["schemas"];
export type Game = Schemas["GameInfo"];
export type Me = Schemas["Me"];
export type TableInfo = Schemas["TableInfo"];
export type State = Schemas["State"];
export type View = Schemas["ViewInfo"];
export type SeatView = Schemas["SeatInfo"];
export type HandView = Schemas["HandInfo"];
export type Settlement = Schemas["SettlementInfo"];
export type Limits = Schemas["LimitValues"];
export type Part = Game["parts"][number];

/** Whether a game has a part, such as a coach. The page shows no control for a missing part. */
export const hasPart = (game: Game, part: Part) => game.parts.includes(part);

export const API = "/api/v1";

/** An error with the server's message. */
export class Trouble extends Error {
  constructor(
    readonly code: string,
    detail: string,
  ) {
    super(capital(detail));
  }
}

/** The message of any thrown value. */
export const messageOf = (error: unknown) =>
  error instanceof Error ? error.message : String(error);

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

interface Asking {
  body?: unknown; // with a body, the request is a POST
  token?: string; // the operator's
}

async function ask(path: string, { body, token }: Asking): Promise<Response> {
  const headers: Record<string, string> = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(API + path, { headers, ...sent }).catch(() => {
    throw new Trouble("offline", "the server does not answer: try again in a moment");
  });
  if (answer.ok) return answer;
  const found = (await answer.json().catch(() => ({}))) as Partial<Schemas["Problem"]>;
  throw new Trouble(
    found.error ?? "unreadable",
    found.detail ?? `the server answered ${answer.status}`,
  );
}

export async function get<T>(path: string, token?: string): Promise<T> {
  return (await ask(path, { token })).json() as Promise<T>;
}

export async function post<T>(path: string, body: unknown, token?: string): Promise<T> {
  return (await ask(path, { body, token })).json() as Promise<T>;
}

export async function getText(path: string, token?: string): Promise<string> {
  return (await ask(path, { token })).text();
}
