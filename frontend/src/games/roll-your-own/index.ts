// Roll Your Own Blackjack: three cards set as two hands.

import type { GamePage } from "../page";
import SetHands from "./SetHands.svelte";

const page: GamePage = {
  pitch: "Three cards, two hands of your own making, one dealer.",
  fan: [{ card: "Ah" }, { card: "Js" }, { card: "8d", place: "apart" }],
  HandsControl: SetHands,
  confirmText: "Set the hands",
  cardKeys: "move that card to the other bet",
  minute: [
    { title: "Three equal bets", text: "The same on First, Second and Bonus.", bets: true },
    {
      title: "Three cards, two hands",
      text: "Put two cards on one bet and one on the other, as you like. The single card gets its second when its turn comes.",
      hands: [
        { title: "First", cards: ["6s", "5d"], total: 11 },
        { title: "Second", cards: ["Th"], total: 10 },
      ],
    },
    {
      title: "The Bonus comes first",
      text: "Your three cards together decide it: a flush or better wins, however you set them.",
      hands: [{ cards: ["4h", "9h", "Jh"] }],
    },
    {
      title: "Then blackjack, twice",
      text: "Hit, stand, double or split each hand against the dealer, who shows one card. Nearer to 21 wins, over 21 loses. Your blackjack always wins; an ace with two tens is two at once.",
      hands: [
        { title: "First", cards: ["6s", "5d", "9c"], total: 20 },
        { title: "Dealer", cards: ["7c", null] },
      ],
    },
  ],
};

export default page;
