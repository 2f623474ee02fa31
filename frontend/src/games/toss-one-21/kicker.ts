// The tossed card, which is the kicker of the hand that was made without it.

/** The index of the tossed card; -1 before the toss, and of a bust, which keeps no cards. */
export function leftOut(cards: readonly (string | null)[], kept: readonly string[] | null): number {
  if (!kept?.length || kept.length !== cards.length - 1 || cards.includes(null)) return -1;
  const left = [...kept];
  return cards.findIndex((card) => {
    const at = card === null ? -1 : left.indexOf(card);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
