// Toss One 21: four cards, one of them tossed.

import type { GamePage } from "../page";
import Comparison from "./Comparison.svelte";
import { leftOut } from "./kicker";
import TossOwn from "./TossOwn.svelte";

const page: GamePage = {
  pitch: "Four cards. Toss one. Nearest to 21 wins.",
  fan: [{ card: "As" }, { card: "Kh" }, { card: "7d", place: "out" }, { card: "Qc" }],
  leftOut,
  outNote: "tossed",
  Comparison,
  DealerCards: TossOwn,
  cardKeys: "toss that card",
  autoPick: "Toss automatically if only one toss is legal",
  minute: [
    {
      title: "Bet",
      text: "Chips on Main and you are in. Lucky 3 and Bonus 4 are extra, if you like.",
      bets: true,
    },
    {
      title: "Toss one of four",
      text: "Keep the three that come nearest to 21 without going over. Faces count 10, aces 1 or 11.",
      hands: [{ title: "You", cards: ["9s", "7h", "5d", "Kc"], out: 3, total: 21 }],
    },
    {
      title: "The dealer does the same",
      text: "Nearer to 21 wins even money: 21 beats 20. If no three cards total 21 or less, the hand is a bust and loses. An ace with two tens is a blackjack: yours always wins and pays extra.",
      hands: [{ title: "Dealer", cards: ["Tc", "8d", "2h", "6s"], out: 3, total: 20 }],
    },
    {
      title: "Equal? Compare the tossed cards",
      text: "The tossed card is the kicker. Here 21 meets 21, and the king beats the 6. If the kickers are equal too, the house wins.",
      hands: [
        { title: "You", cards: ["9s", "7h", "5d", "Kc"], out: 3, total: 21 },
        { title: "Dealer", cards: ["Td", "8c", "3h", "6h"], out: 3, total: 21 },
      ],
    },
  ],
};

export default page;
