// The cost of an answer compared with the best one. The values come from the server.

import type { Schemas } from "../lib/http";
import { isBest, money } from "../lib/words";

export type Situation = Schemas["Drill"];
export type Option = Schemas["DrillOption"];
export type Grade = "right" | "close" | "wrong";

const CLOSE = 0.02; // of the bet

export function gradeOf({ unit }: Situation, option: Option): Grade {
  if (isBest(option)) return "right";
  return option.cost <= CLOSE * unit ? "close" : "wrong";
}

/** "Costs $0.43 on a $10 bet." */
export function verdictText(situation: Situation, option: Option): string {
  const price = `costs ${money(option.cost)} on a ${money(situation.unit)} bet.`;
  switch (gradeOf(situation, option)) {
    case "right":
      return "Right.";
    case "close":
      return `Close: that ${price}`;
    case "wrong":
      return `That ${price}`;
  }
}
