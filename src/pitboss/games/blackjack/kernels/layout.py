"""The layout of the arrays that the kernels of blackjack share.

Cards are 0 to 51, rank by rank from the aces, each in four suits. Values go from 0 (ace) to 9
(ten). These are the tables, which pitboss.games.blackjack.strategies and .tables fill:

``plays[row, hand]``   the play of a hand. Row *up* has the hands before a split, and row 10 + 10 *
                       *up* + *pair* has the hands after the split of a pair. Hands of 21 stand. In
                       row 0, the bit INSURE means that a seat insures its first two cards. The hand
                       without cards has the limit of splits in the rows after a split.
``grown[hand]``        the hands with one more card (-1: bust), the total, and whether two cards of
                       this total may double; the last hand has no cards
``dealer[state, card]``  the dealer's next state. The states below DRAWS are final; the other ones
                       begin with the ten up cards.
``settled[state, place, end]``  the outcome of a hand, by the dealer's final state, its place (see
                       below) and its end: its total, or BUST, BLACKJACK, SURRENDERED or UNFINISHED
``units[outcome, doubled]``  the units that an outcome wins
``twos[two cards]``    the classes of Perfect Pairs and Lucky Ladies
``threes[...]``        the class of 21+3, by three ranks and whether the suits are equal
"""

STAND, HIT, DOUBLE, SPLIT, SURRENDER = 0, 1, 2, 3, 4
PLAYS = 7  # the bits of a play
INSURE = 8
SPLIT_ROWS = 10  # the first row of plays after a split
ROWS = 110
TOTAL, DOUBLES = 10, 11  # the columns of grown after those of the ten values
GROWN = 12

# The dealer's final states after 17 to 21.
DEALER_BUST, NATURAL, RAN_OUT, NOT_PLAYED = 5, 6, 7, 8
DRAWS = 9  # from here on the dealer draws
STATES = 9

# The end of a hand: a total, or one of these.
UNFINISHED, BUST, BLACKJACK, SURRENDERED = 0, 22, 23, 24
ENDS = 32
ALONE, FIRST, LATER = 0, 1, 2  # the only bet of its seat; the first of several; a bet added later
PLACES = 3

# A seat's hands in one word: eight bits for each, their number, and whether the seat is insured.
DOUBLED = 32  # the bit of a hand after its end
HAND_BITS, COUNT_AT, INSURED_AT = 8, 32, 36
HANDS = 4

# The outcomes of a hand, in the order of pitboss.games.blackjack.trial.OUTCOMES.
WON_BLACKJACK, GAVE_UP, WENT_BUST, LOST_TO_BLACKJACK, WON_BY_BUST = range(5)
HIGHER, LOWER, PUSH, NO_CARD, RETURNED = range(5, 10)
OUTCOMES = 10

# The results of the Main bet: the outcome of one hand, doubled or not; or the net units after a
# split, from -MOST to MOST.
ONE_HAND = 2 * OUTCOMES
MOST = 2 * HANDS
MAINS = ONE_HAND + 2 * MOST + 1
INSURANCES = 3  # none, lost, won

# The classes of the side bets; the last class of each wins nothing.
PAIRS, PLUS_THREE, LADIES = 4, 6, 6
QUEENS = 1  # Lucky Ladies: becomes class 0 against a dealer's blackjack
SIDES = PAIRS * PLUS_THREE * LADIES
CARDS, RANKS = 52, 13

# The events of seats that split: the outcomes of their hands, then doubles and splits.
SPLIT_DOUBLES, SPLITS = OUTCOMES, OUTCOMES + 1
EVENTS = OUTCOMES + 2
TIMES = HANDS + 1

BETS = 5  # Main, three side bets, all together

# The options of a game.
(
    SEATS,
    SIZE,
    PER_WORD,
    AHEAD,
    MODE,
    PEEKS,
    INSURES,
    MAX_SPLITS,
    RESPLITS_ACES,
    HITS_ACES,
    DOUBLES_SPLITS,
    SURRENDERS,
) = range(12)
OPTIONS = 12
BY_TABLE, AT_RANDOM = 0, 1  # modes

MOST_SEATS = 7
LOG = 1024
