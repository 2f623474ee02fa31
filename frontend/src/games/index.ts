// The only access to a game's folder, which is named after the game's key.

import type { Game } from "../lib/http";
import type { GamePage } from "./page";

const found = import.meta.glob<{ default: GamePage }>("./*/index.ts", { eager: true });
const PAGES: Readonly<Record<string, GamePage>> = Object.fromEntries(
  Object.entries(found).map(([path, module]) => [path.split("/")[1]!, module.default]),
);

export const pages = Object.values(PAGES);

/** The parts that a game adds to the page. */
export const pageOf = (game: Game): GamePage => PAGES[game.key] ?? {};
