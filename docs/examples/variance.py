"""Compare blackjack with a published simulation: expectation, variance and covariance of Main."""

from pitboss.games.blackjack import Rules, theory

PUBLISHED = {  # wizardofodds.com, blackjack, appendix 4: basic strategy, a shoe with a cut card
    "soft_17=stand surrender=late resplit_aces=yes": (-0.00281, 1.303, 0.479),
    "soft_17=stand double_after_split=no": (-0.00573, 1.295, 0.478),
    "double_after_split=no": (-0.00787, 1.308, 0.488),
    "decks=6": (-0.00628, 1.346, 0.499),
    "decks=8 double_after_split=no": (-0.00812, 1.309, 0.489),
    "decks=2": (-0.00398, 1.341, 0.495),
}

print("      ours: EV     var    cov   published: EV     var    cov")
for changes, published in PUBLISHED.items():
    expected = theory.theory(Rules().changed(*changes.split()))
    main, between = expected.bets["main"], expected.pairs[0][0]
    ours = f"{main.ev:+.5f}  {main.std_dev**2:.3f}  {between:.3f}"
    print(f"{changes}\n    {ours}        {{:+.5f}}  {{:.3f}}  {{:.3f}}".format(*published))
