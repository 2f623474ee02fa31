// Blackjack: two cards against the dealer.

import type { GamePage } from "../page";

const page: GamePage = {
  pitch: "Two cards against the dealer. Nearest to 21 wins.",
  fan: [{ card: "As" }, { card: "Kh" }],
  minute: [
    {
      title: "Bet",
      text: "Chips on Main and you are in. The three side bets are extra, if you like.",
      bets: true,
    },
    {
      title: "Two cards each",
      text: "All cards are face up except the dealer's second one. Faces count 10, aces 1 or 11. An ace with a ten is a blackjack and pays extra.",
      hands: [
        { title: "You", cards: ["6s", "5d"], total: 11 },
        { title: "Dealer", cards: ["7c", null] },
      ],
    },
    {
      title: "Play your hand",
      text: "Hit for another card, or stand. You may double your bet and take exactly one card, or split a pair into two hands. Over 21 loses at once.",
      hands: [{ title: "You, doubled", cards: ["6s", "5d", "9c"], total: 20 }],
    },
    {
      title: "Then the dealer draws to 17",
      text: "Nearer to 21 wins even money, and equal totals push. If the dealer goes over 21, every hand still in play wins.",
      hands: [
        { title: "You", cards: ["6s", "5d", "9c"], total: 20 },
        { title: "Dealer", cards: ["7c", "Kd"], total: 17 },
      ],
    },
  ],
};

export default page;
