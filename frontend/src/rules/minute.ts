// Each game in one minute, for someone who has never heard of it. Only what holds under any house's settings.

export interface Hand {
  title?: string;
  cards: (string | null)[];
  out?: number; // the card that is tossed
  total?: number;
}

export interface Step {
  title: string;
  text: string;
  hands?: Hand[];
  bets?: boolean; // draw the betting circles
}

export const MINUTE: Readonly<Record<string, Step[]>> = {
  "toss-one-21": [
    { title: "Bet", text: "Chips on Main and you are in. Lucky 3 and Bonus 4 are extra, if you like.", bets: true },
    { title: "Toss one of four", text: "Keep the three that come nearest to 21 without going over. Faces count 10, aces 1 or 11.", hands: [{ title: "You", cards: ["9s", "7h", "5d", "Kc"], out: 3, total: 21 }] },
    { title: "The dealer does the same", text: "Nearer to 21 wins even money: 21 beats 20. If no three cards are under 22 that is a bust, and it loses. An ace with two tens is your blackjack: it always wins, and is paid extra.", hands: [{ title: "Dealer", cards: ["Tc", "8d", "2h", "6s"], out: 3, total: 20 }] },
    { title: "Equal? Compare the tossed cards", text: "The tossed card is the kicker. Here 21 meets 21, and the king beats the 6. If the kickers are equal too, the house wins.", hands: [{ title: "You", cards: ["9s", "7h", "5d", "Kc"], out: 3, total: 21 }, { title: "Dealer", cards: ["Td", "8c", "3h", "6h"], out: 3, total: 21 }] },
  ],
  "roll-your-own": [
    { title: "Three equal bets", text: "The same on First, Second and Bonus.", bets: true },
    { title: "Three cards, two hands", text: "Put two cards on one bet and one on the other, as you like. The single card gets its second when its turn comes.", hands: [{ title: "First", cards: ["6s", "5d"], total: 11 }, { title: "Second", cards: ["Th"], total: 10 }] },
    { title: "The Bonus comes first", text: "It looks at your three cards together: a flush or better wins, however you set them.", hands: [{ cards: ["4h", "9h", "Jh"] }] },
    { title: "Then blackjack, twice", text: "Hit, stand, double or split each hand against the dealer, who shows one card. Nearer to 21 wins, over 21 loses. A blackjack of yours always wins; an ace with two tens is two at once.", hands: [{ title: "First", cards: ["6s", "5d", "9c"], total: 20 }, { title: "Dealer", cards: ["7c", null] }] },
  ],
};
