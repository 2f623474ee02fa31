"""Toss One 21: examples by rule number, then properties of every hand."""

import itertools
import json
from collections import Counter
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.cli import main
from pitboss.core.cards import DECK, Card, Rank, Suit, parse
from pitboss.core.errors import DeckError, NotationError, RuleError
from pitboss.core.protocol import Deal, net
from pitboss.games.toss_one import (
    Bet,
    Hand,
    Lucky3,
    Outcome,
    Phase,
    Round,
    Rules,
    Toss,
    best_hands,
    chosen_hand,
    lucky3,
    play_deal,
    read_decision,
)
from tests.strategies import hands

# One unit on each bet. Columns: rule; player; toss ("" where it busts or is left to the table);
# dealer; settings; then outcome and net in hundredths of a unit of Main, Lucky 3 and Bonus 4.
TABLE_1 = "lucky3_paytable=1"
EXAMPLES = [
    # The worked examples of the rules page.
    ("8", "As Ks Qs 2h", "2h", "9c 4d Kh 8s", TABLE_1, "blackjack 150", 4000, -100),
    ("8", "As Kh Qs Jc", "Kh", "9c 4d Kd 8s", TABLE_1, "blackjack 150", 1000, -100),
    ("4", "Td 9c 8h 7s", "", "2c 3d 4h 5s", TABLE_1, "player bust -100", -100, -100),
    ("7", "7h 7d 7s 2c", "2c", "Tc 8c 3d 9s", TABLE_1, "lower kicker -100", 0, -100),
    ("6", "2c 3d 4h 5s", "2c", "Tc Td Th 9s", TABLE_1, "dealer bust 100", -100, 400),
    ("7", "Ac Ad Ah As", "Ad", "9c 4d Kh 8s", TABLE_1, "lower total -100", -100, 25000),
    ("9", "9s 6d 6c 5h", "5h", "Ad 6h 4s 5d", TABLE_1, "tie -100", 0, -100),
    # Rule 3: the toss must leave the best total.
    ("3", "As Kd 5h 6c", "As", "2c 3d 4h 9s", "", "higher total 100", 100, -100),
    ("3", "5s 5d 5h 6c", "5d", "Tc 9d 8h 7s", "", "dealer bust 100", -100, 200),
    ("3", "Ks 6d 5h 4c", "4c", "Kc Kd 2h Ah", "", "higher kicker 100", 100, -100),
    ("3", "As 2d 8h 9c", "9c", "2c 3c 4c 6c", "", "higher total 100", 100, 200),
    # Rule 4: no three of the four make 21 or less; the dealer's bust does not save it.
    ("4", "Ks Qd Jh Tc", "", "Tc Td Th 9s", "decks=2", "player bust -100", -100, -100),
    ("4", "8s 7d 7h 9c", "", "2c 3d 4h 5s", "", "player bust -100", -100, -100),
    ("4", "9s 9d 9h 4c", "", "2c 3d 4h 5s", "", "player bust -100", -100, -100),
    ("4", "Ks Qd 5h 6c", "6c", "2c 3d 4h 5s", "toss=free", "player bust -100", -100, -100),
    # Rule 5: the dealer keeps the best three by the same scoring.
    ("5", "2s 2d 2h Kc", "2s", "Ac 5d 5h Kd", "", "lower total -100", -100, 400),
    ("5", "As 9d 8h 2c", "9d", "Ac Kd 9h 8s", "", "higher total 100", 100, 200),
    ("5", "9s 8d 4h 2c", "2c", "Kh 6d 5h Qs", "", "lower kicker -100", 100, -100),
    # Rule 6: the dealer busts.
    ("6", "2s 2d 2h 2c", "2s", "Kh Qd Jh Ts", "", "dealer bust 100", -100, 5000),
    ("6", "2s 3d 4h 7c", "2s", "8h 7d 7h 9s", "", "dealer bust 100", -100, 400),
    ("6", "Ks 9d 2h Qc", "Ks", "9h 7d 7h Ts", "", "dealer bust 100", 100, -100),
    # Rule 7: totals, then kickers, faces and tens alike.
    ("7", "Ks 8d 3h Jc", "Ks", "Kd 8h 3c 9s", "", "higher kicker 100", 100, -100),
    ("9", "Ks 8d 3h Jc", "Jc", "Kd 8h 3c Qs", "", "tie -100", 100, -100),
    ("7", "9s 9d 3h Ac", "Ac", "Kd 8h 3c Qs", "", "higher kicker 100", 100, -100),
    ("7", "9s 9d 3h Ac", "Ac", "Kd 8h 3c 2s", "ace_kicker=low", "lower kicker -100", 100, -100),
    ("7", "9s 8d 4h 5c", "5c", "Kd 8h 2c 7d", "", "higher total 100", 100, -100),
    ("7", "9s 7d 2h 6c", "6c", "Kd 8h 2c 9d", "", "lower total -100", -100, -100),
    # Reading R-1: a dealer's ace and two tens against an ordinary 21.
    ("7", "Kd 8h 3c 9s", "9s", "As Kh Qd 2c", "", "higher kicker 100", 100, -100),
    ("7", "Kd 8h 3c 9s", "9s", "As Kh Qd Tc", "", "lower kicker -100", 100, -100),
    (
        "7",
        "Kd 8h 3c 9s",
        "9s",
        "As Kh Qd 2c",
        "dealer_blackjack=beats_21",
        "dealer blackjack -100",
        100,
        -100,
    ),
    (
        "8",
        "Ad Kd Qc 9s",
        "9s",
        "As Kh Qd Tc",
        "dealer_blackjack=beats_21",
        "blackjack 150",
        150,
        -100,
    ),
    (
        "6",
        "Kd 8h 3c 9s",
        "9s",
        "9d 9h 9c 4c",
        "dealer_blackjack=beats_21",
        "dealer bust 100",
        100,
        -100,
    ),
    (
        "4",
        "Kd 7h 3c 9s",
        "3c",
        "As Kh Qd 2c",
        "dealer_blackjack=beats_21 toss=free",
        "player bust -100",
        -100,
        -100,
    ),
    # Rule 8: a blackjack wins whatever the dealer has, at the layout's odds.
    ("8", "As Ks Qd 2h", "2h", "Ad Kd Qh 2c", "blackjack_pays=6:5", "blackjack 120", 150, -100),
    ("8", "As Ks Qd 9h", "9h", "Tc Td Th 9s", "", "blackjack 150", 150, -100),
    ("8", "Ah Td Jd Qc", "Qc", "2c 2d 2h 2s", "blackjack_pays=2:1", "blackjack 200", 800, -100),
    ("8", "Ah Ad Js Qc", "Ad", "2c 2d 2h 2s", "blackjack_pays=1:1", "blackjack 100", 150, -100),
    # Rule 9: only totals and kickers both equal are a tie, and the player loses it.
    ("9", "9s 8d 2h 5c", "5c", "9d 8h 5s 2c", "decks=2", "tie -100", -100, -100),
    ("9", "9s 8d 4h 7c", "7c", "9d 8h 4s 7d", "", "tie -100", 100, -100),
    ("9", "9s 9d 3h Ac", "Ac", "9h 9c 3s Ad", "", "tie -100", 100, -100),
    ("9", "9s 9d 3h Ac", "Ac", "9h 9c 3s Ad", "ace_kicker=low", "tie -100", 100, -100),
    # Rule 10: Lucky 3 is paid on the three kept cards alone, whatever Main did.
    ("10", "7h 8h 6h 2c", "2c", "Tc 8c 3d 9s", "", "lower kicker -100", 400, -100),
    ("10", "7h 8d 6h 2c", "2c", "Tc 8c 3d 9s", TABLE_1, "lower kicker -100", 300, -100),
    ("10", "7h 8d 6c Kc", "Kc", "Tc 8c 3d 9s", "", "higher kicker 100", 100, -100),
    ("10", "As Ts Kc 2c", "2c", "Tc 8c 3d 9s", "", "blackjack 150", 800, -100),
    ("10", "As Td Kc 2c", "2c", "Tc 8c 3d 9s", TABLE_1, "blackjack 150", 200, -100),
    ("10", "9h 9d 2c 3s", "2c", "Tc 8c 3d 9s", "", "lower kicker -100", 100, -100),
    # Rule 11: Bonus 4 is paid on the hard total of all four cards.
    ("11", "As Ad Ac 2s", "As", "Tc 8c 3d 9s", "", "lower total -100", -100, 15000),
    ("11", "As 2d 3c 2s", "2d", "Tc 8c 3d 9s", "", "lower total -100", -100, 5000),
    ("11", "As 2d 3c 4s", "2d", "Tc 8c 3d 9s", "", "lower total -100", -100, 1000),
    ("11", "As 2d 3c 5s", "2d", "Tc 8c 3d 9s", "", "lower total -100", -100, 400),
    ("11", "2s 3h 4c 7s", "2s", "Tc 8c 3d 9s", "", "lower total -100", -100, 400),
    ("11", "2s 3h 5c 7s", "2s", "Tc 8c 3d 9s", "", "lower total -100", -100, 200),
    ("11", "As 9d 9c 2s", "As", "Tc 8c 3d 9s", "", "lower total -100", -100, 200),
    ("11", "As 9d 9c 3s", "As", "Tc 8c 3d 9h", "", "higher kicker 100", 100, -100),
]


def play(rules, player, dealer, toss="", bets=(100, 100, 100)):
    """Play a round of one seat to its end."""
    operations = [Bet(1, *bets), Deal((parse(player), parse(dealer)))]
    table = reduce(Round.apply, operations, Round(rules))
    if table.phase is Phase.SETTLED:
        return table
    card = parse(toss)[0] if toss else chosen_hand(rules, parse(player)).tossed
    return table.apply(Toss(1, card))


@pytest.mark.parametrize(
    ("rule", "player", "toss", "dealer", "settings", "main_", "lucky", "bonus"),
    EXAMPLES,
    ids=[f"rule {e[0]}: {e[1]} - {e[3]} {e[4]}" for e in EXAMPLES],
)
def test_examples_by_rule(rule, player, toss, dealer, settings, main_, lucky, bonus):
    """Each example settles as its rule says."""
    table = play(Rules().changed(*settings.split()), player, dealer, toss)

    outcome, _, won = main_.rpartition(" ")
    nets = {s.bet: s.net for s in table.settlements()}
    assert nets == {"main": int(won), "lucky3": lucky, "bonus4": bonus}
    main, *sides = table.settlements()
    assert main.outcome == outcome
    assert rule in {main.rule, "3", "5", "10", "11"}
    assert [s.rule for s in sides] == (["4", "4"] if main.rule == "4" else ["10", "11"])


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_through_settle(example, capsys):
    """The command line settles every example like the library."""
    _, player, toss, dealer, settings, main_, lucky, bonus = example
    arguments = ["settle", "toss-one-21", "--player", player, "--dealer", dealer, "--json"]
    arguments += ["--bet", "main=1,lucky3=1,bonus4=1"]
    arguments += ["--toss", toss] if toss else []
    for assignment in settings.split():
        arguments += ["--set", assignment]

    status = main(arguments)

    result = json.loads(capsys.readouterr().out)
    assert status == 0
    assert [s["net"] for s in result["settlements"]] == [int(main_.split()[-1]), lucky, bonus]
    assert result["net"] == sum(s["net"] for s in result["settlements"])
    assert result["settlements"][0]["outcome"] == main_.rpartition(" ")[0]
    bust = result["settlements"][0]["outcome"] == "player bust"
    assert (result["player"] == {"kept": None, "tossed": None, "total": None}) is bust


# --- rule 1: bets


@pytest.mark.parametrize("bets", [(0, 0, 0), (0, 100, 0), (0, 0, 100), (-5, 0, 0), (100, -1, 0)])
def test_rule_1_main_is_required(bets):
    """A seat without a Main bet, or with a negative one, is rejected."""
    with pytest.raises(RuleError, match=r"^(seat 1 needs a Main bet|main of -5|lucky3 of -1)"):
        Bet(1, *bets)


def test_rule_1_each_bet_is_named():
    """The error message names the bet that is wrong."""
    with pytest.raises(
        RuleError, match="^bonus4 of -1: a bet must be a whole number of cents from 0"
    ):
        Bet(1, 100, 0, -1)


@pytest.mark.parametrize("amount", [1.5, True, "100", None, 10**16])
def test_rule_1_amounts_are_whole_cents(amount):
    """Amounts are whole cents, up to the maximum."""
    with pytest.raises(RuleError, match="a bet must be a whole number of cents"):
        Bet(1, amount)


@pytest.mark.parametrize("sides", [(0, 0), (100, 0), (0, 100), (100, 100)])
def test_rule_1_side_bets_are_optional(sides):
    """Only the bets that were made are settled, Main first."""
    table = play(Rules(), "2c 3d 4h 5s", "Tc Td Th 9s", bets=(100, *sides))

    made = ["main"] + [name for name, side in zip(["lucky3", "bonus4"], sides, strict=True) if side]
    assert [s.bet for s in table.settlements()] == made


@pytest.mark.parametrize("seat", [0, 8, -1, True, "1", None])
def test_rule_1_seats(seat):
    """A bet from a seat that the table does not have is refused."""
    with pytest.raises(RuleError, match=r"no seat .*: this table has seats 1\.\.7"):
        Round(Rules()).apply(Bet(seat, 100))


def test_rule_1_one_bet_a_seat():
    """A seat bets once, and nobody bets after the deal."""
    table = Round(Rules()).apply(Bet(3, 100))

    with pytest.raises(RuleError, match="seat 3 has already bet"):
        table.apply(Bet(3, 100))
    dealt = table.apply(Deal((parse("2c 3d 4h 5s"), parse("Tc Td Th 9s"))))
    with pytest.raises(RuleError, match="betting is closed"):
        dealt.apply(Bet(4, 100))


def test_rule_1_nine_seats_by_setting():
    """Up to nine seats play if the table has them."""
    table = Round(Rules(seats=9)).apply(Bet(9, 100))

    assert [s.seat for s in table.view().seats] == [9]


# --- rule 2: the deal


def test_rule_2_left_to_right():
    """Packs go to the betting seats from the dealer's left, the last to the dealer."""
    table = reduce(Round.apply, [Bet(5, 100), Bet(2, 100)], Round(Rules()))
    packs = (parse("2c 3d 4h 5s"), parse("6c 3s 4d 5h"), parse("Tc Td Th 9s"))

    dealt = table.apply(Deal(packs))

    assert [(s.number, s.cards) for s in dealt.seats] == [(2, packs[0]), (5, packs[1])]
    assert dealt.dealer == packs[2]


@pytest.mark.parametrize(
    ("packs", "reason"),
    [
        ((), "2 packs of 4"),
        (("2c 3d 4h 5s",), "2 packs of 4"),
        (("2c 3d 4h 5s", "Tc Td Th"), "2 packs of 4"),
        (("2c 3d 4h 5s", "Tc Td Th 9s", "As Ks Qs Js"), "2 packs of 4"),
        (("2c 3d 4h 5s", "Tc Td Th 5s"), "5s appears 2 times"),
    ],
)
def test_rule_2_impossible_deals(packs, reason):
    """A deal with wrong packs, or with a card too often, is rejected."""
    with pytest.raises(DeckError, match=reason):
        Round(Rules()).apply(Bet(1, 100)).apply(Deal(tuple(map(parse, packs))))


def test_rule_2_needs_a_bet():
    """Nothing is dealt without a bet, and nothing is dealt twice."""
    deal = Deal((parse("2c 3d 4h 5s"), parse("Tc Td Th 9s")))

    with pytest.raises(RuleError, match="nobody has bet"):
        Round(Rules()).apply(deal)
    with pytest.raises(RuleError, match="already out"):
        Round(Rules()).apply(Bet(1, 100)).apply(deal).apply(deal)


def test_rule_2_more_decks_hold_more_copies():
    """With two decks a card can occur twice."""
    table = play(Rules(decks=2), "2c 2c 4h 5s", "Tc Td Th 9s")

    assert table.phase is Phase.SETTLED
    assert table.view().cards_left == 96


# --- rule 3: the toss


def at_the_toss(player, rules=None):
    operations = [Bet(1, 100), Deal((parse(player), parse("Kc Kh Qc 9s")))]
    return reduce(Round.apply, operations, Round(rules or Rules()))


@pytest.mark.parametrize(
    ("player", "legal"),
    [
        ("As Kd 5h 6c", "As"),
        ("As Ad Ah Ac", "As Ad Ah Ac"),
        ("7s 7d 7h 2c", "2c"),
        ("8s 8d 3h 2c", "2c"),
        ("Ts Jd Ah 9c", "9c"),
        ("Ts Jd Qh Ac", "Ts Jd Qh"),
    ],
)
def test_rule_3_legal_tosses(player, legal):
    """Exactly the tosses that leave the best total are legal, including all equal ones."""
    table = at_the_toss(player)

    assert [toss.card for toss in table.legal(1)] == list(parse(legal))
    assert table.asked.legal == table.legal()


def test_rule_3_a_worse_toss_is_refused():
    """A worse toss is refused with the reason and changes nothing."""
    table = at_the_toss("As 8d 5h 6c")

    with pytest.raises(RuleError, match="may not toss 8d: the best total is 19, by As"):
        table.apply(Toss(1, parse("8d")[0]))
    assert table == at_the_toss("As 8d 5h 6c")


def test_rule_3_several_ways_are_named():
    """The error message names every legal toss."""
    with pytest.raises(RuleError, match="the best total is 21, by Ts or Jd or Qh$"):
        at_the_toss("Ts Jd Qh Ac").apply(Toss(1, parse("Ac")[0]))


def test_rule_3_only_own_cards():
    """A card that the seat does not hold cannot be tossed."""
    with pytest.raises(RuleError, match="seat 1 does not hold 2s: it may toss As"):
        at_the_toss("As Jd 5h 6c").apply(Toss(1, parse("2s")[0]))


@pytest.mark.parametrize("seat", [2, 0, None])
def test_rule_3_only_seats_in_play(seat):
    """A seat without a bet has nothing to toss."""
    with pytest.raises(RuleError, match=f"seat {seat} has nothing to toss now"):
        at_the_toss("As Jd 5h 6c").apply(Toss(seat, parse("As")[0]))


def test_rule_3_once():
    """A toss is final, and there is none before the deal."""
    toss = Toss(1, parse("As")[0])

    with pytest.raises(RuleError, match="nothing to toss now"):
        at_the_toss("As Jd 5h 6c").apply(toss).apply(toss)
    with pytest.raises(RuleError, match="nothing to toss now"):
        Round(Rules()).apply(Bet(1, 100)).apply(toss)


def test_rule_3_free():
    """With a free toss any of the four cards may be tossed; equal cards are listed once."""
    rules = Rules(toss="free", decks=2)

    assert [t.card for t in at_the_toss("As As 5h 6c", rules).legal()] == list(parse("As 5h 6c"))


def test_rule_3_any_order():
    """Seats toss in any order; the round and its decisions are the same."""
    packs = (parse("As Jd 5h 6c"), parse("9s 9d 3h 2c"), parse("Tc Td Th 9h"))
    dealt = reduce(Round.apply, [Bet(1, 100), Bet(4, 100), Deal(packs)], Round(Rules()))
    tosses = [Toss(1, packs[0][0]), Toss(4, packs[1][3])]

    forward, backward = reduce(Round.apply, tosses, dealt), reduce(Round.apply, tosses[::-1], dealt)

    assert forward == backward
    assert backward.decisions() == tuple(tosses)


@pytest.mark.parametrize("text", ["toss", "toss ", "tosses 2h", "hit", "", "toss 2h 3h", "2h"])
def test_rule_3_unreadable(text):
    """A decision that cannot be parsed is rejected."""
    with pytest.raises(
        NotationError, match="is not a decision of this game: use the form 'toss 2h'|one card"
    ):
        read_decision(1, text)


# --- rules 4 to 9: who is settled when


def three_seats():
    """Deal seat 1 a bust, seat 2 a plain hand and seat 3 a blackjack."""
    packs = ("Kc Qc Jc Tc", "9s 9d 3h 2c", "As Ks Qd 4h", "Td Th 9h 8h")
    operations = [Bet(n, 100, 100, 100) for n in (1, 2, 3)] + [Deal(tuple(map(parse, packs)))]
    return reduce(Round.apply, operations, Round(Rules()))


def test_rule_4_a_bust_is_asked_nothing():
    """A seat that busts has no decision, and loses all its bets at once."""
    table = three_seats()

    assert table.asked.seat == 2
    assert table.legal(1) == ()
    assert [(s.seat, s.bet, s.rule, s.net) for s in table.settlements()] == [
        (1, "main", "4", -100),
        (1, "lucky3", "4", -100),
        (1, "bonus4", "4", -100),
    ]


def test_rule_8_a_blackjack_is_paid_at_once():
    """A blackjack is paid before the others have tossed; the other bets wait for the dealer."""
    table = three_seats().apply(Toss(3, parse("4h")[0]))

    assert table.phase is Phase.TOSSING
    assert [(s.seat, s.rule) for s in table.settlements()][3:] == [(3, "8"), (3, "10"), (3, "11")]


def test_settled_in_the_order_the_money_moves():
    """Busts and blackjacks are settled by seat, then the other seats, side bets after Main."""
    table = three_seats().apply(Toss(3, parse("4h")[0])).apply(Toss(2, parse("2c")[0]))

    assert table.phase is Phase.SETTLED
    assert [s.seat for s in table.settlements()] == [1, 1, 1, 3, 3, 3, 2, 2, 2]
    assert [net(table.settlements(), seat) for seat in (1, 2, 3)] == [-300, 100, 200]


def test_rule_4_nothing_to_toss():
    """A toss for a hand that busts is rejected."""
    cards = parse("Ts Js Qs Jd")

    with pytest.raises(RuleError, match="^no three of the player's cards make 21 or less: nothing"):
        play_deal(Rules(), Bet(1, 100), cards, parse("2c 3c 4c 5c"), cards[0])
    with pytest.raises(RuleError, match="^'hit' is not an operation of this game$"):
        Round(Rules()).apply("hit")


def test_rule_5_all_bust():
    """If every seat busts, the round is over after the deal."""
    table = at_the_toss("Ts Js Qs Jd")

    assert table.phase is Phase.SETTLED
    assert table.asked is None
    assert table.view().dealer.cards == parse("Kc Kh Qc 9s")


@pytest.mark.parametrize(
    ("rounding", "won"), [("cent", 8), ("down:5", 5), ("up:5", 10), ("up:1", 8), ("down:1", 7)]
)
def test_rule_8_odd_amounts(rounding, won):
    """3 to 2 on an odd number of cents is rounded as the setting says."""
    table = play(Rules(rounding=rounding), "As Ks Qd 9h", "Tc Td Th 9s", bets=(5,))

    assert table.settlements()[0].net == won


# --- rules 10 and 11: classes


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ("As Ks Ts", Lucky3.SUITED_BLACKJACK),
        ("As Kc Ts", Lucky3.COLOURED_BLACKJACK),
        ("Ah Kd Th", Lucky3.COLOURED_BLACKJACK),
        ("As Kd Ts", Lucky3.BLACKJACK),
        ("9d 8d 4d", Lucky3.SUITED_21),
        ("9d 8h 4d", Lucky3.COLOURED_21),
        ("9c 8s 4c", Lucky3.COLOURED_21),
        ("9c 8s 4d", Lucky3.OTHER_21),
        ("As 9s As", Lucky3.SUITED_21),
        ("Ks Qs As", Lucky3.SUITED_BLACKJACK),
        ("9c 8s 3d", None),
        ("Kc Qs 2d", None),
        ("Ac Ks", Lucky3.COLOURED_21),
    ],
)
def test_rule_10_classes(kept, expected):
    """A hand belongs to the first class it fits."""
    assert lucky3(Hand(parse(kept), DECK[0])) is expected


@pytest.mark.parametrize(
    ("cards", "tossed"),
    [
        ("As Kh Qs Jc", "Kh"),  # all black by tossing the heart
        ("Kh As Qs Jc", "Kh"),
        ("Ah Kh Qd Js", "Js"),
        ("7s 7h 7d 7c", "7s"),  # every toss leaves two colours: the first as dealt
        ("2s 3h 4d 5c", "2s"),
        ("Ks 5d 6d Kd", "Ks"),  # suited
        ("5d Kh 6d Kd", "Kh"),
    ],
)
def test_rule_10_chosen_toss(cards, tossed):
    """The chosen toss has the best total, then the best Lucky 3 payout, then is the first dealt."""
    assert chosen_hand(Rules(), parse(cards)).tossed is parse(tossed)[0]
    assert chosen_hand(Rules(toss="free"), parse(cards)).tossed is parse(tossed)[0]


def test_rule_10_chosen_toss_follows_the_pay_table():
    """If an ordinary 21 pays more than a suited one, the best toss is a different one."""
    odd = [{"on": ["21"], "pays": "9:1"}, {"on": ["suited_21"], "pays": "1:1"}]

    assert chosen_hand(Rules(lucky3_paytable=odd), parse("Ks 5d 6d Kd")).tossed.text == "Kd"


def test_rule_10_chosen_toss_is_compared_exactly():
    """Odds that differ by a millionth still decide which toss is chosen."""
    close = [{"on": ["21"], "pays": "1:999999"}, {"on": ["suited_21"], "pays": "1:999998"}]

    assert chosen_hand(Rules(lucky3_paytable=close), parse("Kd 5d 6d Ks")).tossed.text == "Ks"


def test_rule_10_nothing_to_choose():
    """No toss is chosen for a hand that busts."""
    assert chosen_hand(Rules(), parse("Ts Js Qs Jd")) is None


@pytest.mark.parametrize("total", range(4, 22))
def test_rule_11_every_total(total):
    """Bonus 4 pays each total as printed in the letter."""
    pays = {4: 250, 5: 150} | dict.fromkeys((6, 7, 8), 50) | dict.fromkeys((9, 10), 10)
    pays |= dict.fromkeys(range(11, 17), 4) | dict.fromkeys(range(17, 22), 2)
    cards = _cards_with_hard_total(total)

    table = play(Rules(decks=2), " ".join(c.text for c in cards), "Tc Td Th 9s", bets=(1, 0, 100))

    bonus = table.settlements()[-1]
    assert (bonus.bet, bonus.net, bonus.outcome) == ("bonus4", pays[total] * 100, f"total {total}")


def _cards_with_hard_total(points):
    values = next(v for v in itertools.product(range(1, 10), repeat=4) if sum(v) == points)
    suits = itertools.cycle(Suit)
    return [Card(Rank(value), suit) for value, suit in zip(values, suits, strict=False)]


# --- what holds for every hand


def test_the_toss_is_forced():
    """Over all 270,725 hands of one deck no two best tosses differ in value (rule 3)."""
    choices = Counter()
    for cards in itertools.combinations(DECK, 4):
        best = best_hands.__wrapped__(cards)
        assert len({hand.tossed.value for hand in best}) <= 1
        choices[min(len(best), 2)] += 1

    assert sum(choices.values()) == 270_725
    assert choices[2] == 60_235  # only which of equal-valued cards goes, and that is Lucky 3's


@given(hands(4, copies=2), hands(4, copies=2), st.data())
def test_order_and_main_suits_do_not_matter(player, dealer, data):
    """Main depends only on the values of the cards, not on their order or suits."""
    rules = Rules(decks=8)
    shuffled = data.draw(st.permutations(player))
    resuited = [Card(card.rank, data.draw(st.sampled_from(Suit))) for card in shuffled]

    ours, theirs = (
        play(rules, " ".join(c.text for c in cards), " ".join(c.text for c in dealer))
        for cards in (player, resuited)
    )

    assert ours.settlements()[0] == theirs.settlements()[0]


@given(hands(4))
def test_best_hands_are_best(cards):
    """No toss scores more than the best hands, and all of them score the same."""
    best = best_hands(cards)
    totals = [
        hand.total
        for hand in (Hand(cards[:i] + cards[i + 1 :], cards[i]) for i in range(4))
        if not hand.is_bust
    ]

    assert {hand.total for hand in best} == ({max(totals)} if totals else set())
    assert {hand.total for hand in best} <= set(range(3, 22))


def test_outcomes_name_their_rule():
    """Every outcome names the rule of the sheet that decides it."""
    assert {outcome.value: outcome.rule for outcome in Outcome} == {
        "player bust": "4",
        "blackjack": "8",
        "dealer bust": "6",
        "higher total": "7",
        "lower total": "7",
        "dealer blackjack": "7",
        "higher kicker": "7",
        "lower kicker": "7",
        "tie": "9",
    }
