// Chips in American colors.

export const CHIPS = [
  { cents: 100, name: "white", face: "#f4f1e8", mark: "#2f5fa8", ink: "#14201c" },
  { cents: 500, name: "red", face: "#b3202a", mark: "#fbf7ea", ink: "#ffffff" },
  { cents: 2500, name: "green", face: "#1d7a45", mark: "#fbf7ea", ink: "#ffffff" },
  { cents: 10000, name: "black", face: "#1d1d20", mark: "#fbf7ea", ink: "#ffffff" },
  { cents: 50000, name: "purple", face: "#6b3fa0", mark: "#fbf7ea", ink: "#ffffff" },
] as const;

/** The chips of an amount, the largest at the bottom; there are no chips for cents. */
export function stackOf(cents: number): (typeof CHIPS)[number][] {
  const found: (typeof CHIPS)[number][] = [];
  for (const chip of [...CHIPS].reverse()) {
    while (cents >= chip.cents) {
      found.push(chip);
      cents -= chip.cents;
    }
  }
  return found;
}
