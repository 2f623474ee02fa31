// Animations on the felt: cards that are dealt one after the other, and cards that are turned. They
// only show states from the server; any tap or key skips to the end.

import { prefs } from "./prefs.svelte";
import { play } from "./sound";

const DEAL = 170; // milliseconds for one card
const TURN = 200;
const STEP = 85; // from one card to the next
const LONGEST = 900; // until the last card starts, however many there are

interface Move {
  node: HTMLElement;
  order: number;
  kind: "deal" | "turn";
}

const still = matchMedia("(prefers-reduced-motion: reduce)");

class Stage {
  isBusy = $state(false);
  #moves: Move[] = [];
  #timer = 0;
  #known = new Set<string>(); // cards already on the felt, which are not dealt again when set or split

  /** Clear the felt: every later card is new. */
  clear(): void {
    this.#known.clear();
  }

  /** Animate the deal of a card in its order; a card without a name is always new. */
  deal(node: HTMLElement, order: number, name: string | null): void {
    if (name && this.#known.has(name)) return;
    if (name) this.#known.add(name);
    this.#add({ node, order, kind: "deal" });
  }

  turn(node: HTMLElement, order: number, name: string): void {
    this.#known.add(name);
    this.#add({ node, order, kind: "turn" });
  }

  /** Skip all animations; return whether there were any. */
  skip(): boolean {
    if (!this.isBusy) return false;
    for (const animation of document.getAnimations())
      if (animation.effect?.getTiming().iterations !== Infinity) animation.finish();
    this.#rest();
    return true;
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.isBusy = false;
  }

  #add(move: Move): void {
    if (!this.#moves.length) queueMicrotask(() => this.#start());
    this.#moves.push(move);
    this.isBusy = true;
  }

  #start(): void {
    const moves = this.#moves.sort((one, other) => one.order - other.order);
    this.#moves = [];
    const step = Math.min(STEP, LONGEST / Math.max(1, moves.length - 1));
    let end = 0;
    moves.forEach((move, index) => {
      const delay = still.matches ? 0 : index * step;
      const duration = still.matches ? 120 : move.kind === "deal" ? DEAL : TURN;
      move.node.animate(frames(move), {
        delay,
        duration,
        fill: "backwards",
        easing: "cubic-bezier(.2,.7,.3,1)",
      });
      if (prefs.sound && !still.matches) setTimeout(() => play("card"), delay);
      end = Math.max(end, delay + duration);
    });
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#rest(), end);
  }
}

function frames({ node, kind }: Move): Keyframe[] {
  if (still.matches) return [{ opacity: 0 }, { opacity: 1 }];
  if (kind === "turn")
    return [{ transform: "perspective(40rem) rotateY(90deg)" }, { transform: "none" }];
  const from = document.querySelector("[data-shuffler]")?.getBoundingClientRect();
  const to = node.getBoundingClientRect();
  const [x, y] = from ? [from.x - to.x, from.y - to.y] : [0, -200];
  return [
    { transform: `translate(${x}px, ${y}px) rotate(-14deg)`, opacity: 0 },
    { opacity: 1, offset: 0.3 },
    { transform: "none" },
  ];
}

export const stage = new Stage();
