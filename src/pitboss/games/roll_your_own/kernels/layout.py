"""The layout of the arrays that the kernels of Roll Your Own share.

Cards are 0 to 51, rank by rank from the aces, each in four suits. Values go from 0 (ace) to 9
(ten). These are the tables, which pitboss.games.roll_your_own.strategies fills:

``plan[start]``       how three cards are set, by the up card and three values in the order dealt:
                      the card set alone (bits 1 and 2), its bet (bit 0), and the row of plays (the
                      rest); -1 for a double blackjack
``plays[row, hand]``  the play of a hand: two bits before a split and two bits after one, with the
                      first bet in the low half; for the hand without cards, the split limit of
                      the starting hand
``grown[hand]``       the hands with one more card (-1: bust), and the state: the total of a hard
                      hand, the total plus ten of a soft hand; the last hand has no cards
``reach[hands]``      the number of cards left at which a team begins to play for the end of the
                      deck, by the number of starting hands after this one; -1 for never
"""

STAND, HIT, DOUBLE, SPLIT = 0, 1, 2, 3
AFTER_SPLIT = 2  # the first bit of a play after a split
SECOND_BET = 4  # the first bit of the second bet
STATE = 10  # the column of the state in grown, after those of the ten values

# The options of a game.
(
    SEATS,
    MODE,
    PEEKS,
    DRAWS,
    HITS_SOFT_17,
    MAX_SPLITS,
    RESPLITS_ACES,
    DOUBLES_SPLITS,
    RUN_OUT_WINS,
    TEAM_ROW,
) = range(10)
OPTIONS = 10
BY_TABLE, AT_RANDOM, AS_TEAM = 0, 1, 2  # modes

# The events of a seat: the outcomes of its hands, then the other counts.
DOUBLE_BLACKJACK, BLACKJACK, BUST, DEALER_BLACKJACK = 0, 1, 2, 3
DEALER_BUST, HIGHER, LOWER, PUSH, RUN_OUT = 4, 5, 6, 7, 8
DOUBLES, SPLITS, ADDED, WON_BY_RUN_OUT = 9, 10, 11, 12  # the last two in units
EVENTS = 13
TIMES = 24  # no event happens more than twenty times
PAID, UNITS = 13, 14  # bets paid as blackjacks; the net result of all other bets
PER_SEAT = 16

# The events of a round, the number of cards used, and the dealer's total if it played.
NATURAL, DEALER_BUSTS, RAN_OUT, USED, THEIRS = 0, 1, 2, 3, 4
ROUND_EVENTS = 5
DECK = 52
USES = DECK + 1

TALLY_SEATS = 7
TALLY = ROUND_EVENTS + TALLY_SEATS * PER_SEAT
"""The size of a tally: the events of the round, then those of each seat."""

BONUSES = 6  # the classes of three cards, best first; the last wins nothing
BLACKJACKS = 3  # the number of bets paid as blackjacks is 0, 1 or 2
MOST = 20  # the most units that all other bets can win or lose together
UNITS_OF = 2 * MOST + 1
BETS = 3  # the blackjack bets, the Bonus, all together

LOG = 1024
PLAYED, ENDED, SET = 0, 1, 2  # the kinds of log entries, stored from bit 20 upward
PENDING = 15

PACK = 3  # cards dealt to each seat
