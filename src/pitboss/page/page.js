// The plain page: the lobby and one table over the public API, with nothing to build or install.
// What the server says is only ever set as text. Money is in cents until it is shown.

const api = "/api/v1";
const tableId = location.pathname.match(/^\/tables\/([\w-]+)$/)?.[1];
const SUITS = { s: ["♠", "spades"], h: ["♥", "hearts"], d: ["♦", "diamonds"], c: ["♣", "clubs"] };
const ASKED = {
  betting: "Place your bets.",
  tossing: "Toss one card.",
  setting: "Set two cards on one hand, one on the other.",
  insuring: "The dealer shows an ace: do you insure?",
};
let low = 0; // cents: who has less may ask the bank
const SLOW = 8000; // milliseconds without an answer after which the line counts as lost

const games = {}; // by key
let me = null;
let table = null; // on a table's page

// --- small tools

const $ = (id) => document.getElementById(id);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const fill = (node, ...children) => node.replaceChildren(...children.flat(2).filter((child) => child || child === 0));

/** Make an element; nothing is read as HTML. */
function h(tag, props, ...children) {
  const node = Object.assign(document.createElement(tag), typeof props === "string" ? { className: props } : props);
  fill(node, ...children);
  return node;
}

function button(text, onclick, className = "") {
  return h("button", { type: "button", className, onclick: () => attempt(onclick) }, text);
}

function money(cents, signed = false) {
  const sign = cents < 0 ? "−" : signed && cents > 0 ? "+" : "";
  const digits = cents % 100 ? 2 : 0;
  return `${sign}$${(Math.abs(cents) / 100).toLocaleString("en", { minimumFractionDigits: digits })}`;
}

const net = (cents) => h("span", `money ${cents > 0 ? "win" : cents < 0 ? "lose" : ""}`, money(cents, true));

function randomText(bytes) {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (b) => b.toString(16).padStart(2, "0")).join("");
}

function say(text, trouble = false) {
  for (const id of ["message", "account-says"]) $(id).textContent = text;
  $("message").classList.toggle("trouble", trouble);
}

/** Do something, and put what goes wrong into the message line. */
async function attempt(action) {
  try {
    await action();
  } catch (error) {
    say(capital(error.message), true);
    if (error.ended) await attempt(sessionEnded);
  }
}

function failure(code, detail, ended) {
  return Object.assign(new Error(detail), { ended: ended && code === "not_signed_in" });
}

async function http(path, body) {
  const headers = { "Content-Type": "application/json" };
  const sent = body && { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(api + path, sent).catch(() => {
    throw new Error("the server does not answer: try again in a moment");
  });
  const found = await answer.json();
  if (!answer.ok) throw failure(found.error, found.detail, !["/login", "/me/password"].includes(path));
  return found;
}

function onSubmit(form, action) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(() => action(Object.fromEntries(new FormData(form))));
  });
}

function go(address) {
  table?.stop();
  if (address === location.href) location.reload();
  else location.assign(address);
}

// --- who plays

/** Come back to the session, or begin one as a guest; say whether somebody is signed in. */
async function signIn() {
  try {
    welcome(await http("/me"));
    return true;
  } catch (error) {
    if (!error.ended) throw error;
  }
  const before = JSON.parse(localStorage.getItem("pitboss") ?? "null");
  if (before?.kept) {
    $("login").elements.name.value = before.name;
    if (!$("account").open) $("account").showModal();
    say("Your session has ended: log in again, or play as a new guest.");
    return false;
  }
  welcome(await http("/guest", {}));
  say(`${before ? "Your guest's session has ended: you are a new one." : "Welcome."} You have ${money(me.balance)} of play money.`);
  return true;
}

function welcome(player) {
  me = player;
  low = me.refill_below;
  localStorage.setItem("pitboss", JSON.stringify({ name: me.name, kept: me.kept }));
  showBalance(me.balance);
  const kept = me.kept ? "the account is kept by a password" : "a guest: set a password to come back later";
  $("who").textContent = `You are ${me.name}, ${kept}. Refills left today: ${me.refills_left}.`;
  $("keep").elements.name.value = me.name;
  $("old").hidden = !me.kept;
}

function showBalance(cents) {
  $("balance").textContent = money(cents);
  $("refill").hidden = cents >= low;
}

async function sessionEnded() {
  table?.stop();
  if (await signIn()) table?.connect();
}

function wireAccount() {
  $("show-account").onclick = () => {
    $("account-says").textContent = "";
    $("account").showModal();
  };
  $("show-history").onclick = () => attempt(showHistory);
  $("refill").onclick = () => attempt(async () => {
    const { added, balance } = await http("/me/refill", {});
    showBalance(balance);
    say(`The bank gave you ${money(added)} of play money.`);
  });
  onSubmit($("keep"), async ({ name, password, old }) => {
    if (name !== me.name) await http("/me/name", { name });
    await http("/me/password", me.kept ? { password, old } : { password });
    $("keep").reset();
    welcome(await http("/me"));
    say(`The account is kept: log in as ${me.name} with your password.`);
  });
  onSubmit($("login"), async (words) => {
    welcome(await http("/login", words));
    go(location.href);
  });
  $("logout").onclick = () => attempt(async () => {
    await http("/logout", {});
    localStorage.removeItem("pitboss");
    go("/");
  });
  $("new-guest").onclick = () => attempt(async () => {
    welcome(await http("/guest", {}));
    go(location.href);
  });
}

// --- the lobby

async function showLobby() {
  $("lobby").hidden = false;
  fill($("games"), Object.values(games).map(gameCard));
  fill($("open-table").elements.game, Object.values(games).map(({ key, name }) => h("option", { value: key }, name)));
  onSubmit($("open-table"), ({ game, name, seconds, private: hidden }) =>
    openTable({ game, name: name || null, seconds: Number(seconds), private: hidden === "on" }));
  const seats = me.sittings.map(({ table, seat }) => h("a", { href: `/tables/${table}` }, `table ${table.slice(0, 6)}, seat ${seat}`));
  fill($("sittings"), seats.flatMap((seat, i) => [i ? "; " : "You still sit at ", seat]));
  await listTables();
  setInterval(() => document.hidden || attempt(listTables), 10_000);
}

function gameCard(game) {
  const limits = Object.entries(game.stakes).map(([key, name]) => `${capital(name)} ${limitText(game.limits[key])}`);
  return h("article", "", h("h2", "", game.name), h("p", "", `${capital(game.summary)}.`), h("p", "dim", limits.join(" · ")),
    button("Play alone", () => openTable({ game: game.key, private: true }), "primary"));
}

const limitText = ({ least, most }) => `${money(least)} to ${money(most)}`;

async function openTable(wanted) {
  const { id } = await http("/tables", wanted);
  go(`/tables/${id}#sit`);
}

async function listTables() {
  const { tables } = await http("/tables");
  fill($("tables"), tables.length ? tables.map(tableRow) : h("li", "dim", "None yet: open one."));
}

function tableRow(info) {
  const free = info.seconds ? `${info.places - info.taken.length} of ${info.places} seats free` : "for one player";
  const who = info.taken.map(({ name }) => name).join(", ") || "nobody sits there";
  return h("li", "", h("span", "", h("a", { href: `/tables/${info.id}` }, info.name), h("br"), h("span", "dim", who)),
    h("span", "dim", `${about(info)} · ${free}`));
}

function about({ game, seconds, private: hidden }) {
  return [games[game].name, seconds ? `${seconds} s to decide` : "no hurry", ...(hidden ? ["private"] : [])].join(" · ");
}

// --- cards on the felt

const rankText = (card) => (card[0] === "T" ? "10" : card[0]);
const cardText = (card) => rankText(card) + SUITS[card[1]][0];
const betText = (game, bet) => (bet === "bet" ? "Each bet" : capital(game.stakes[bet] ?? bet));
const totalText = (total) => (total === null ? "bust" : total > 21 ? `${total}, bust` : `${total}`);

function drawCard(card, out) {
  if (!card) return h("span", { className: "card down", role: "img", ariaLabel: "face down" });
  const [symbol, suit] = SUITS[card[1]];
  const className = `card ${"hd".includes(card[1]) ? "red" : ""} ${out ? "out" : ""}`;
  const ariaLabel = `${rankText(card)} of ${suit}${out ? ", not in the hand" : ""}`;
  return h("span", { className, role: "img", ariaLabel }, h("span", "", rankText(card)), h("span", "", symbol));
}

/** Draw cards in a row; those that are not among *kept* are pale. */
function drawCards(cards, kept = cards) {
  const left = [...kept];
  return h("span", "deal", cards.map((card) => {
    const at = left.indexOf(card);
    if (at >= 0) left.splice(at, 1);
    return drawCard(card, card && at < 0);
  }));
}

function drawDealer({ dealer, phase }) {
  const isKnown = dealer.total !== null || (phase === "settled" && dealer.cards.length);
  return [h("p", "dim", "Dealer ", h("b", "", isKnown ? totalText(dealer.total) : "")), drawCards(dealer.cards, dealer.kept)];
}

function drawHand(game, seat, hand, turn) {
  const isTurn = turn?.seat === seat.seat && turn.bet === hand.bet && turn.hand === hand.hand;
  const isOnly = hand.bet === "main"; // of Toss One 21: the card that was tossed stays beside it
  return h("div", `hand ${isTurn ? "turn" : ""}`,
    isOnly ? drawCards(seat.cards, hand.cards ?? []) : drawCards(hand.cards ?? []),
    h("p", "", h("b", "", totalText(hand.total)), h("span", "dim", isOnly ? "" : ` ${betText(game, hand.bet)} ${money(hand.stake)}`)));
}

function drawSeat(game, seat, view, title, isMine) {
  const lines = view.settlements.filter((line) => line.seat === seat.seat);
  const stakes = Object.entries({ ...seat.stakes, insurance: seat.insurance }).filter(([, cents]) => cents);
  return h("section", `seat ${isMine ? "mine" : ""}`,
    h("h3", "", title, view.phase === "settled" && lines.length ? net(sum(lines.map((line) => line.net))) : ""),
    seat.hands.length ? seat.hands.map((hand) => drawHand(game, seat, hand, view.turn)) : drawCards(seat.cards),
    h("p", "dim", stakes.map(([bet, cents]) => `${betText(game, bet)} ${money(cents)}`).join(" · ")),
    h("ul", "settled", lines.map((line) =>
      h("li", "", h("span", "", `${betText(game, line.bet)}: ${line.outcome} `, ruleButton(game, line.rule)), net(line.net)))));
}

function ruleButton(game, rule) {
  const name = rule === "standard" ? rule : `rule ${rule}`;
  return button(name, () => say(`${capital(name)}: ${game.clauses[rule] ?? "see the rules of this table."}`), "link");
}

/** Say a decision as a person would: "toss 2h" is "Toss 2♥". */
function decisionText(text) {
  const [word, ...rest] = text.split(" ");
  if (word === "insure") return rest[0] === "0" ? "No insurance" : `Insure for ${money(Number(rest[0]))}`;
  const cards = rest.map((group) => group.match(/../g).map(cardText).join(""));
  return word === "set" ? cards.join(" | ") : [capital(word), ...cards].join(" ");
}

// --- a table: the line to the server

class Line {
  pending = new Map(); // what has no answer yet, by key: sent again after a loss, and done once all the same
  tries = 0;
  isOver = false;
  said = "";

  connect() {
    clearTimeout(this.again);
    this.isOver = false;
    this.isNew = true;
    this.socket?.close();
    const socket = new WebSocket(`${location.origin.replace("http", "ws")}${api}/tables/${tableId}/live`);
    this.socket = socket;
    socket.onmessage = ({ data }) => socket === this.socket && this.hear(JSON.parse(data));
    socket.onclose = () => socket === this.socket && this.isOver === false && this.lose();
  }

  stop() {
    this.isOver = true;
    clearTimeout(this.again);
    this.socket?.close();
  }

  lose() {
    document.body.classList.add("lost");
    this.said = ""; // to be said again once it stands
    say("The connection was lost: trying again.", true);
    const pause = Math.min(10_000, 250 * 2 ** this.tries++) * (0.75 + Math.random() / 2);
    this.again = setTimeout(() => this.connect(), pause);
  }

  /** Ask for something; the promise is kept when the server says that it is done. */
  ask(what, fields = {}) {
    const message = { v: 1, id: randomText(16), do: what, ...fields };
    return new Promise((done, refuse) => {
      this.pending.set(message.id, { message, done, refuse });
      this.send(message);
    });
  }

  send(message) {
    const { socket } = this;
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify(message));
    setTimeout(() => this.pending.has(message.id) && socket === this.socket && !this.isOver && this.connect(), SLOW);
  }

  hear(message) {
    if (message.type === "state") return this.take(message);
    const waiting = this.pending.get(message.id);
    this.pending.delete(message.id);
    if (message.type === "pong") return waiting?.done();
    if (message.error === "elsewhere") return this.follow(message.address);
    if (message.error === "not_found") this.stop();
    const error = failure(message.error, message.detail, true);
    return waiting ? waiting.refuse(error) : attempt(() => Promise.reject(error));
  }

  take(state) {
    document.body.classList.remove("lost");
    this.tries = 0;
    for (const id of state.done) {
      this.pending.get(id)?.done();
      this.pending.delete(id);
    }
    if (this.isNew) for (const { message } of this.pending.values()) this.send(message);
    this.isNew = false;
    if (state.you) this.show(state);
    else attempt(sessionEnded); // we came as somebody
  }

  /** Go where the table is dealt, if that is another place than this one. */
  follow(address) {
    const there = address && new URL(location.pathname, address);
    if (there && there.origin !== location.origin && /^https?:$/.test(there.protocol)) go(there.href);
    else this.socket.close();
  }
}

// --- a table: what is on it and what can be done

class Table extends Line {
  state = null;
  forms = new Map(); // the bets of each own seat: they stay from round to round
  seen = new Map(); // what was shown and given before each deal, by round

  async open() {
    this.info = await http(`/tables/${tableId}`);
    this.game = games[this.info.game];
    this.isSolo = this.info.seconds === null;
    document.title = `${this.info.name}: ${this.game.name}, play money`;
    $("table").hidden = false;
    $("table-name").textContent = this.info.name;
    $("table-about").textContent = about(this.info);
    $("share").onclick = () => attempt(() => this.share());
    fill($("rules"), rows(this.game.clauses), h("h3", "", "Settings"), rows(this.info.rules));
    setInterval(() => this.showClock(), 250);
    document.onvisibilitychange = () => document.hidden || this.isOver || this.ask("ping").catch(() => {});
    this.connect();
  }

  get isBetting() { return this.state.round.phase === "betting"; }
  get places() { return this.state.places.filter((place) => place.yours); }
  get asked() { return this.state.views.filter((view) => view.seat !== null && view.legal.length); }
  isMine(seat) { return this.state.you.seats.includes(seat); }

  get freeSeats() {
    const { places, closed } = this.state;
    if (closed || (this.isSolo && places.length && !(this.places.length && this.isBetting))) return [];
    const all = Array.from({ length: this.info.places }, (_, i) => i + 1);
    return all.filter((seat) => !places.some((place) => place.seat === seat));
  }

  show(state) {
    const isFirst = !this.state;
    this.state = state;
    this.until = state.round.left_ms === null ? null : performance.now() + state.round.left_ms;
    showBalance(state.you.balance);
    this.draw();
    if (isFirst && location.hash === "#sit") {
      history.replaceState(null, "", location.pathname);
      if (!this.places.length && this.freeSeats.length) attempt(() => this.ask("sit", { seat: this.freeSeats[0] }));
    }
  }

  /** Return what this page shows and gives before the deal: the promised hash, and a part of its own. */
  get own() {
    const { number, commitment } = this.state.round;
    if (!this.seen.has(number)) this.seen.set(number, { commitment, seed: randomText(12) });
    return this.seen.get(number);
  }

  async bet(seat) {
    const form = this.forms.get(seat);
    if (!form.reportValidity()) return false;
    const given = [...new FormData(form)].filter(([, dollars]) => Number(dollars));
    const stakes = Object.fromEntries(given.map(([name, dollars]) => [name, Math.round(100 * dollars)]));
    await this.ask("seed", { seat, client_seed: this.own.seed });
    await this.ask("bet", { round: this.state.round.number, seat, stakes });
    return true;
  }

  async deal() {
    const { number } = this.state.round;
    for (const { seat, has_bet } of this.places) if (!has_bet && !(await this.bet(seat))) return;
    await this.ask("deal", { round: number });
  }

  async share() {
    const link = location.origin + location.pathname;
    await navigator.clipboard?.writeText(link).catch(() => {});
    say(`Who has this link can come to the table: ${link}`);
  }

  // --- drawing it

  draw() {
    const { round, last, views } = this.state;
    const active = document.activeElement;
    if (active !== document.body) this.keepsFocus = $("actions").contains(active);
    const isAfter = this.isBetting && last?.view; // the last round stays on the felt until the next deal
    const shown = isAfter ? [last.view] : views;
    $("phase").textContent = `Round ${round.number}: ${round.phase}${isAfter ? `; round ${last.number} is on the felt` : ""}`;
    fill($("dealer"), drawDealer(shown[0]));
    fill($("seats"), this.seats(shown));
    fill($("free"), this.freeSeats.length ? h("span", "dim", this.places.length ? "Another seat:" : "Sit down, seat:") : "",
      this.freeSeats.map((seat) => button(`${seat}`, () => this.ask("sit", { seat }), "quiet")));
    this.drawBets();
    fill($("actions"), this.actions());
    fill($("fairness"), this.fairness());
    if (this.keepsFocus) $("actions").querySelector("button")?.focus();
    this.showClock();
    this.tell();
  }

  seats(views) {
    const inRound = new Map(); // each seat from the view that sees most of it
    for (const view of views) {
      for (const seat of view.seats) if (!inRound.has(seat.seat) || view.seat === seat.seat) inRound.set(seat.seat, [seat, view]);
    }
    const taken = new Map(this.state.places.map((place) => [place.seat, place]));
    const numbers = [...new Set([...inRound.keys(), ...taken.keys()])].sort();
    return numbers.map((number) => {
      const place = taken.get(number);
      const nothing = [{ seat: number, stakes: {}, cards: [], hands: [] }, { ...views[0], settlements: [] }];
      const [seat, view] = inRound.get(number) ?? nothing;
      const title = `${number}. ${place?.name ?? "has left"}${place?.out ? ", sits out" : ""}`;
      const box = drawSeat(this.game, seat, view, title, this.isMine(number));
      if (this.isBetting && place?.has_bet) box.append(this.betLine(place));
      return box;
    });
  }

  betLine({ seat, yours }) {
    const { number, staked } = this.state.round;
    return h("p", "", `Has bet ${money(staked[seat])}. `, yours && button("Take back", () => this.ask("take_back", { round: number, seat })));
  }

  /** Show the bets to fill in; a form that stays is left alone, so that typing goes on. */
  drawBets() {
    const forms = this.places.filter((place) => !place.has_bet).map((place) => this.betForm(place));
    if (forms.length !== $("bets").children.length || forms.some((form, i) => form !== $("bets").children[i])) fill($("bets"), forms);
  }

  betForm({ seat, out }) {
    if (!this.forms.has(seat)) {
      const form = h("form", "panel bet", h("h3", "", `Bets of seat ${seat}`), this.betFields());
      form.out = button("", () => this.ask("sit_out", { seat, out: !this.places.find((place) => place.seat === seat).out }), "quiet");
      form.append(h("div", "buttons", h("button", { hidden: this.isSolo, className: "primary" }, "Bet"), !this.isSolo && form.out,
        button("Leave the seat", () => this.ask("leave", { seat }), "quiet")));
      onSubmit(form, () => (this.isSolo ? this.deal() : this.bet(seat)));
      this.forms.set(seat, form);
    }
    const form = this.forms.get(seat);
    form.out.textContent = out ? "Come back" : "Sit out";
    form.querySelector("fieldset").disabled = form.querySelector("button").disabled = !this.isBetting;
    return form;
  }

  betFields() {
    return h("fieldset", "", Object.entries(this.game.stakes).map(([name, label], i) => {
      const { least, most, step } = this.state.limits[name];
      const bounds = { min: least / 100, max: most / 100, step: step / 100, required: i === 0, value: i ? "" : least / 100 };
      return h("label", "", `${capital(label)}, ${limitText({ least, most })}${i ? " or none" : ""}`,
        h("input", { name, type: "number", inputMode: "decimal", ...bounds }));
    }));
  }

  actions() {
    if (this.isBetting) return this.isSolo && this.places.length ? h("div", "buttons", button("Deal", () => this.deal(), "primary")) : [];
    const { version, not_offered } = this.state;
    const choices = this.asked.map(({ seat, legal, phase }) => [
      (this.asked.length > 1 || phase === "setting") &&
        h("p", "dim", `Seat ${seat}${phase === "setting" ? ", first hand | second hand" : ""}:`),
      h("div", "buttons", legal.map((text) => button(decisionText(text), () => this.ask("decide", { version, seat, decision: text })))),
    ]);
    return [...choices, not_offered.map(({ seat, decision, reason }) => h("p", "dim", `Seat ${seat}, not ${decisionText(decision)}: ${reason}.`))];
  }

  showClock() {
    const left = this.until && Math.max(0, Math.ceil((this.until - performance.now()) / 1000));
    $("clock").textContent = left || left === 0 ? `${left} s left` : "";
  }

  /** Say what happened and what is asked, when that has changed. */
  tell() {
    const text = [this.isBetting && this.result(), this.prompt()].filter(Boolean).join(" ");
    if (text !== this.said) say(text);
    this.said = text;
  }

  result() {
    const { last } = this.state;
    if (last?.status === "void") return `Round ${last.number} is void: ${last.reason}. All bets came back.`;
    const own = Object.entries(last?.net ?? {}).filter(([seat]) => this.isMine(Number(seat)));
    if (!own.length) return "";
    const won = sum(own.map(([, cents]) => cents));
    const isLate = last.log.some(({ by, seat }) => by === "timer" && this.isMine(seat));
    const ending = won > 0 ? `you win ${money(won)}` : won < 0 ? `you lose ${money(-won)}` : "you come out even";
    return `Round ${last.number}: ${ending}.${isLate ? " Your time was up, so the safe decision was made for you." : ""}`;
  }

  prompt() {
    const { closed, you } = this.state;
    if (closed && this.isBetting) return "This table is closed: no more bets are taken.";
    if (this.isBetting) {
      if (!this.places.length) return this.freeSeats.length ? "Sit down to play." : "You look on: there is no free seat.";
      if (!this.places.every((place) => place.has_bet)) return ASKED.betting;
      return this.isSolo ? "Deal when you like." : "Your bet is down: the cards come when all have bet or the time is up.";
    }
    const [view] = this.asked;
    if (!view) return you.seats.length ? "Waiting for the others." : "You look on.";
    if (view.phase !== "playing") return ASKED[view.phase];
    const { seat, bet, hand } = view.turn;
    const total = view.seats.find((one) => one.seat === seat).hands.find((one) => one.bet === bet && one.hand === hand).total;
    return `Seat ${seat}: your ${bet} hand has ${total}, the dealer shows ${view.dealer.total}.`;
  }

  fairness() {
    const { round, last, you } = this.state;
    const lines = [
      h("p", "", `The shuffle of round ${round.number} was fixed before it opened. The hash of its seed: `), h("code", "", round.commitment),
      h("p", "", "What you add to it when you bet, so that nobody can have known the cards: "), h("code", "", this.own.seed),
    ];
    if (!last?.server_seed) return lines;
    const seen = this.seen.get(last.number);
    const same = seen && (seen.commitment === last.commitment ? "The hash is the one you were shown. " : "The hash is NOT the one you were shown! ");
    const path = `${api}/tables/${tableId}/rounds/${last.number}`;
    const mine = you.seats.filter((seat) => seat in last.net).map((seat) => ` --client-seed ${seat}=${seen?.seed}`).join("");
    const given = seen ? ` --commitment ${seen.commitment}${mine}` : "";
    return [...lines, h("h3", "", `Round ${last.number}`), h("p", "", same, h("a", { href: path, target: "_blank" }, "The whole round"),
      ". To check the shuffle and every settlement yourself:"), h("code", "", `pitboss verify ${location.origin}${path}${given}`)];
  }
}

function rows(facts) {
  return h("table", "", Object.entries(facts).map(([name, value]) =>
    h("tr", "", h("th", "", name), h("td", "", typeof value === "object" ? JSON.stringify(value) : `${value}`))));
}

// --- past rounds

async function showHistory() {
  const found = (await http("/me/rounds?limit=100")).rows;
  const titles = ["When", "Table", "Staked", "Net", "Bankroll", ""].map((text, i) => h("th", i > 1 ? "money" : "", text));
  fill($("replay"));
  fill($("rounds"), found.length ? h("table", "", h("tr", "", titles), found.map(historyRow)) : h("p", "", "No rounds yet."));
  $("history").showModal();
}

function historyRow(row) {
  const title = `${row.name ?? row.table}, round ${row.round}${row.status === "void" ? " (void)" : ""}`;
  return h("tr", "", h("td", "", new Date(row.ended).toLocaleString()), h("td", "", title), h("td", "money", money(row.staked)),
    h("td", "money", net(row.net)), h("td", "money", row.balance === null ? "" : money(row.balance)), h("td", "", button("Replay", () => replay(row), "quiet")));
}

async function replay(row) {
  const { steps } = await http(`/tables/${row.table}/rounds/${row.round}/steps`);
  const game = games[row.game];
  const close = button("Close the replay", () => fill($("replay")), "quiet");
  const show = (at, pressed) => {
    const { what, by, view } = steps[at];
    const turns = [["Back", at - 1], ["Next", at + 1]].map(([text, to]) =>
      Object.assign(button(text, () => show(to, text)), { disabled: !steps[to] }));
    fill($("replay"), h("div", "felt", h("h3", "", `Replay of round ${row.round}: step ${at + 1} of ${steps.length}`),
      h("p", { role: "status" }, `${capital(what)}${by === "timer" ? " (the time was up)" : ""}`),
      view && h("div", "dealer", drawDealer(view)),
      view && h("div", "seats", view.seats.map((seat) => drawSeat(game, seat, view, `Seat ${seat.seat}`, row.seats.includes(seat.seat)))),
      h("div", "buttons", turns, close)));
    (turns.find((turn) => turn.textContent === pressed && !turn.disabled) ?? close).focus();
  };
  show(0, "Next");
  $("history").scrollTop = 0;
}

// --- begin

attempt(async () => {
  wireAccount();
  for (const game of await http("/games")) games[game.key] = game;
  if (!(await signIn())) return;
  if (!tableId) await showLobby();
  else await (table = new Table()).open();
  if ($("message").textContent === "One moment.") say(`Welcome back, ${me.name}.`);
});
