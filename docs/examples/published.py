"""Compare the solver of blackjack with another exact analyzer: the expectation of Main."""

from pitboss.games.blackjack import Rules
from pitboss.games.blackjack.solver import Solver, Splitting

ANALYZER = {  # E. Farmer's analyzer, version 7.6: split hands "CDZ-" and "CDP1"
    "decks=1 soft_17=stand": (0.001819343061, 0.001830733392),
    "decks=1 double_after_split=no": (-0.001521391461, -0.001517411371),
    "decks=1 double=10-11": (-0.003107570148, -0.003103829035),
    "decks=2": (-0.003804450755, -0.003802429911),
    "decks=2 resplit_aces=yes": (-0.003277134408, -0.003275113564),
    "decks=2 double=9-11": (-0.005026329388, -0.005026236136),
    "decks=6": (-0.006153891229, -0.006153891229),
    "decks=6 soft_17=stand": (-0.004028702361, -0.004028643428),
    "decks=6 surrender=late": (-0.005271915469, -0.005271915469),
    "decks=6 max_splits=0": (-0.011808914886, -0.011808914886),
    "decks=8": (-0.006445538519, -0.006445538519),
    "decks=8 soft_17=stand": (-0.004305806290, -0.004305806290),
    "decks=8 double_after_split=no blackjack_pays=6:5": (-0.021467956217, -0.021467956217),
}

for changes, values in ANALYZER.items():
    print(changes)
    rules = Rules().changed(*changes.split())
    for splitting, value in zip((Splitting.UNSPLIT, Splitting.NONE), values, strict=True):
        ours = Solver(rules, splitting).solve_game().ev
        equal = "equal" if abs(ours - value) < 1e-12 else "different"
        print(f"  {splitting:8} {ours:+.12f}  analyzer {value:+.12f}  {equal}")
