// Today's answers in this browser, drill by drill.

import { load } from "../lib/storage";

const KEY = "pitboss.practice";

export interface Numbers {
  asked: number;
  right: number;
  streak: number;
  longest: number;
  cost: number; // cents, of all mistakes together
}

interface Kept {
  day: string;
  drills: Record<string, Numbers>;
}

const NONE: Numbers = { asked: 0, right: 0, streak: 0, longest: 0, cost: 0 };
const today = () => new Date().toLocaleDateString("sv"); // 2026-11-15, in local time

function loadToday(): Kept {
  const kept = load<Partial<Kept>>(KEY);
  return { day: today(), drills: (kept?.day === today() && kept.drills) || {} };
}

class Tally {
  #kept = $state.raw<Kept>(loadToday());

  of(drill: string): Numbers {
    return this.#kept.drills[drill] ?? NONE;
  }

  /** All drills together; a streak belongs to one drill, so the longest is shown. */
  get all(): Numbers {
    return Object.values(this.#kept.drills).reduce(
      (sum, one) => ({
        asked: sum.asked + one.asked,
        right: sum.right + one.right,
        streak: 0,
        longest: Math.max(sum.longest, one.longest),
        cost: sum.cost + one.cost,
      }),
      NONE,
    );
  }

  add(drill: string, right: boolean, cost: number): void {
    const { day, drills } = loadToday(); // another window may have counted, or a new day may have begun
    const { asked, right: before, streak, longest, cost: spent } = drills[drill] ?? NONE;
    const run = right ? streak + 1 : 0;
    const numbers = {
      asked: asked + 1,
      right: before + Number(right),
      streak: run,
      longest: Math.max(longest, run),
      cost: spent + cost,
    };
    this.#keep({ day, drills: { ...drills, [drill]: numbers } });
  }

  reset(): void {
    this.#keep({ day: today(), drills: {} });
  }

  #keep(kept: Kept): void {
    this.#kept = kept;
    localStorage.setItem(KEY, JSON.stringify(kept));
  }
}

export const tally = new Tally();
