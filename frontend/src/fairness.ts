// The fair shuffle in the browser, as specified in docs/fairness.md; it uses only WebCrypto.
//
// With it, the page checks that the deck of a round came from the seeds. `pitboss verify` also checks
// that the round was settled according to the rules, and does not come from the server that dealt
// the round.

export const SCHEME = "pitboss-shuffle-1";

export type ClientSeeds = Readonly<Record<string, string>>; // by seat number

export interface Shuffle {
  serverSeed: string; // 64 hex digits
  table: string;
  round: number;
  decks: number;
  clientSeeds: ClientSeeds;
}

/** The commitment and seeds that the player saw before the deal; the record must match them. */
export interface Seen {
  commitment?: string;
  clientSeeds?: ClientSeeds;
}

export interface Check {
  check: "commitment" | "client seeds" | "deck";
  result: "ok" | "differs" | "nothing to check";
  detail: string;
}

export interface Verification {
  ok: boolean;
  checks: Check[];
}

const RANKS = "A23456789TJQK";
const SUITS = "shdc";
const DECK: readonly string[] = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
const WORDS = 2 ** 32;

/** The hash with which the house commits to a server seed. */
export async function commitment(serverSeed: string): Promise<string> {
  return toHex(await webCrypto().digest("SHA-256", fromHex(serverSeed)));
}

/** The input of every block: the round, and the seats that bet with their seeds. */
export function head({ table, round, decks, clientSeeds }: Omit<Shuffle, "serverSeed">): string {
  demand(/^[A-Za-z0-9_-]{1,64}$/.test(table), `${table} is not a table`);
  whole(round, "round");
  whole(decks, "decks");
  const seats = Object.entries(clientSeeds).map(([seat, seed]) => {
    demand(/^[1-9][0-9]{0,2}$/.test(seat), `${seat} is not a seat`);
    demand(/^[A-Za-z0-9_-]{0,64}$/.test(seed), `${seed} is not a client seed`);
    return { seat: Number(seat), seed };
  });
  seats.sort((one, other) => one.seat - other.seat);
  const named = seats.map(({ seat, seed }) => `${seat}:${seed}`);
  return [SCHEME, table, round, decks, ...named].join("|");
}

/** The endless stream of 32-bit words. */
export async function* words(serverSeed: string, head: string): AsyncGenerator<number, never> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await webCrypto().importKey("raw", fromHex(serverSeed), hmac, false, ["sign"]);
  for (let counter = 0; ; counter++) {
    const message = new TextEncoder().encode(`${head}|${counter}`);
    const block = new DataView(await webCrypto().sign("HMAC", key, message));
    for (let at = 0; at < block.byteLength; at += 4) yield block.getUint32(at); // big-endian
  }
}

/** A uniformly distributed number from 0 to `number` - 1. */
export async function below(
  number: number,
  stream: AsyncIterator<number, unknown>,
): Promise<number> {
  const end = WORDS - (WORDS % number);
  for (;;) {
    const { value, done } = await stream.next();
    if (done) throw new Error("the stream of words has ended");
    if (value < end) return value % number;
  }
}

/** The whole deck of a round in the order it is dealt. */
export async function shuffle(how: Shuffle): Promise<string[]> {
  const stream = words(how.serverSeed, head(how));
  const cards = Array.from({ length: how.decks }, () => DECK).flat();
  for (let last = cards.length - 1; last > 0; last--) {
    const other = await below(last + 1, stream);
    [cards[last], cards[other]] = [cards[other]!, cards[last]!];
  }
  return cards;
}

/** Check a round's record: that the server kept its promise and dealt the deck of the seeds. */
export async function verifyRecord(record: unknown, seen: Seen = {}): Promise<Verification> {
  const checks = await Promise.all(read(record, seen));
  return { ok: checks.every(({ result }) => result !== "differs"), checks };
}

function read(record: unknown, seen: Seen): Promise<Check>[] {
  const data = object(record, "a round record");
  demand(data["kind"] === "pitboss-round" && data["format"] === 1, "this is not a round record");
  const fairness = object(data["fairness"], "fairness");
  demand(fairness["scheme"] === SCHEME, `the scheme is not ${SCHEME}`);
  const serverSeed = text(fairness["server_seed"], "server_seed");
  const clientSeeds = texts(fairness["client_seeds"], "client_seeds");
  const promised = text(fairness["commitment"], "commitment");
  const undealt = data["status"] === "void" && data["journal"] === null;
  const journal = undealt ? null : object(data["journal"], "journal");
  const [table, round] = [text(data["table"], "table"), whole(data["round"], "round")];
  return [
    checkCommitment(serverSeed, promised, seen.commitment),
    Promise.resolve(checkClientSeeds(clientSeeds, seen.clientSeeds ?? {}, journal)),
    journal
      ? checkDeck({ serverSeed, table, round, clientSeeds }, journal)
      : Promise.resolve(nothing("deck")),
  ];
}

async function checkCommitment(seed: string, promised: string, seen?: string): Promise<Check> {
  const made = await commitment(seed);
  if (made !== promised) return differs("commitment", `the server seed hashes to ${made}`);
  if (seen !== undefined && seen.toLowerCase() !== made) {
    return differs("commitment", `the record has ${made}, you were shown ${seen}`);
  }
  return ok("commitment", "the SHA-256 of the server seed");
}

function checkClientSeeds(seeds: ClientSeeds, given: ClientSeeds, journal: Json | null): Check {
  for (const [seat, seed] of Object.entries(given)) {
    if (seeds[seat] !== seed) return differs("client seeds", `that of seat ${seat} is not yours`);
  }
  if (!journal) return nothing("client seeds");
  const bets = list(journal["bets"], "bets").map((bet) => String(object(bet, "a bet")["seat"]));
  const [betting, seeded] = [[...new Set(bets)].sort(), Object.keys(seeds).sort()];
  return betting.join() === seeded.join()
    ? ok("client seeds", "one for each seat that bet")
    : differs("client seeds", "they are not those of the seats that bet");
}

async function checkDeck(how: Omit<Shuffle, "decks">, journal: Json): Promise<Check> {
  const decks = whole(object(journal["rules"] ?? {}, "rules")["decks"] ?? 1, "decks");
  const dealt = text(journal["deck"], "deck").split(" ");
  if (dealt.length !== decks * DECK.length) {
    return differs(
      "deck",
      `${dealt.length} ${dealt.length === 1 ? "card" : "cards"}, a full deck has ${decks * DECK.length}`,
    );
  }
  const right = await shuffle({ ...how, decks });
  const place = right.findIndex((card, index) => card !== dealt[index]);
  if (place < 0) return ok("deck", `${right.length} cards in the order the seeds give`);
  const [card, other] = [dealt[place], right[place]];
  return differs("deck", `card ${place + 1} is ${card}, the seeds put ${other} there`);
}

function ok(check: Check["check"], detail: string): Check {
  return { check, result: "ok", detail };
}

function differs(check: Check["check"], detail: string): Check {
  return { check, result: "differs", detail };
}

function nothing(check: Check["check"]): Check {
  return { check, result: "nothing to check", detail: "no cards were dealt" };
}

// --- parsing the server's record, which is not trusted before it is checked

type Json = Readonly<Record<string, unknown>>;

function object(value: unknown, what: string): Json {
  const is = typeof value === "object" && value !== null && !Array.isArray(value);
  demand(is, `${what} is not an object`);
  return value as Json;
}

function list(value: unknown, what: string): unknown[] {
  demand(Array.isArray(value), `${what} is not a list`);
  return value as unknown[];
}

function text(value: unknown, what: string): string {
  demand(typeof value === "string", `${what} is not text`);
  return value as string;
}

function texts(value: unknown, what: string): ClientSeeds {
  const found = object(value, what);
  Object.values(found).forEach((one) => text(one, what));
  return found as ClientSeeds;
}

function whole(value: unknown, what: string): number {
  demand(Number.isSafeInteger(value) && (value as number) >= 1, `${what} is not a number from 1`);
  return value as number;
}

function demand(condition: boolean, reason: string): void {
  if (!condition) throw new TypeError(reason);
}

function webCrypto(): SubtleCrypto {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (!subtle) throw new Error("this browser shuffles only on pages from https or localhost");
  return subtle;
}

function fromHex(hex: string): ArrayBuffer {
  demand(/^[0-9a-f]{64}$/.test(hex), "a server seed is 64 digits of 0-9 and a-f");
  return Uint8Array.from(hex.match(/../g)!, (byte) => parseInt(byte, 16)).buffer;
}

function toHex(buffer: ArrayBuffer): string {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
