"""Roll Your Own Blackjack: examples by rule number, then properties of every hand."""

import itertools
import json
import random
from collections import Counter
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitboss.core.cards import DECK, parse
from pitboss.core.errors import DeckError, GameError, NotationError, RuleError
from pitboss.core.journal import read_journal, replay
from pitboss.core.protocol import Deal, Draw, deal_from, supply
from pitboss.games.roll_your_own import (
    GAME,
    Bet,
    Bonus,
    Hit,
    Insure,
    Phase,
    Round,
    Rules,
    SetHands,
    Split,
    Stand,
    poker_class,
    read_decision,
)
from tests.strategies import hands, play, rounds, shuffled


def run(deck, *decisions, settings="", bets=1):
    """Replay a round; *deck* has each seat's pack, the dealer's and the stub, separated by bars."""
    text = {
        "format": 1,
        "game": "roll-your-own",
        "rules": Rules().changed(*settings.split()).as_json(),
        "deck": deck.replace("|", " "),
        "bets": [{"seat": seat, "bet": 100} for seat in range(1, bets + 1)],
        "decisions": list(decisions),
    }
    return replay(read_journal(json.dumps(text)))


def won(round_, *, bonus=False):
    """Return the settlements as text: bet, hand, rule and net; the Bonus only on request."""
    return [
        f"{s.bet} {s.hand} {s.rule} {s.net:+}"
        for s in round_.settlements()
        if bonus or s.bet != "bonus"
    ]


def legal(round_):
    return [str(decision) for decision in round_.asked.legal]


def whole(deck):
    """Return a full deck that begins with *deck*."""
    start = parse(deck.replace("|", " "))
    return " ".join(card.text for card in (*start, *(c for c in DECK if c not in start)))


# --- the worked examples of the rules page


def test_example_double_blackjack():
    """A A K: both bets +1.5, the Bonus loses."""
    round_ = run("As Ah Kd | 2c 6h Td")

    assert round_.phase is Phase.SETTLED
    assert won(round_, bonus=True) == ["bonus 0 6 -100", "first 0 7i +150", "second 0 7i +150"]


def test_example_royal():
    """A K Q suited: double blackjack +3 and Bonus +100."""
    round_ = run("As Ks Qs | 2c Ah Td")

    assert won(round_, bonus=True) == ["bonus 0 6 +10000", "first 0 7i +150", "second 0 7i +150"]


def test_example_insured_against_blackjack():
    """A-K is paid, the 9 loses, insurance is paid 2 to 1."""
    round_ = run("As 9d Kc | 2c Ah Qd", "set AsKc 9d", "insure 100")

    assert won(round_) == ["first 0 7g +150", "insurance 0 7j +200", "second 0 standard -100"]


def test_example_one_card_ten_draws():
    """The peek finds blackjack: 5-6 loses, the ten draws its ace and is paid."""
    round_ = run("Tc 5d 6h | 2c Th As | Ad", "set 5d6h Tc")

    assert won(round_) == ["first 0 standard -100", "second 0 7h +150"]
    assert round_.cards_used == 7


def test_example_split_eights():
    """8-8 may split, a third 8 may split again, each new hand may double."""
    round_ = run("8s 8d Th | 2c 6h Td | 8h", "set 8s8d Th", "split")

    assert legal(round_) == ["hit", "stand", "double", "split"]


def test_example_three_sevens():
    """Three sevens pay 30 on the Bonus; 7-7 may split."""
    round_ = run("7c 7d 7h | 2c 5h Td", "set 7c7d 7h")

    assert won(round_, bonus=True) == ["bonus 0 6 +3000"]
    assert "split" in legal(round_)


def test_example_journal():
    """The journal in the docs settles as documented."""
    round_ = run("8s 8d Th | 2c 6h Kd | 3c 9d 5h Ac 7s", "set 8s8d Th", "split", "double", "stand")

    assert won(round_, bonus=True) == [
        "bonus 0 6 -100",
        "second 0 7h +150",
        "first 0 standard +200",
        "first 1 standard +100",
    ]


# --- rule 1: one deck, packs of three


def test_rule_1_one_deck():
    """No card occurs twice, in the packs or in the stub."""
    with pytest.raises(DeckError, match="8s appears 2 times"):
        run("8s 8s Th | 2c 6h Kd")
    round_ = run("8s 5d Th | 2c 6h Kd | 2d", "set 8s5d Th").apply(Hit(1))
    with pytest.raises(DeckError, match="8s has already been dealt"):
        round_.apply(Draw(parse("8s")[0]))
    with pytest.raises(DeckError, match="2c has already been dealt"):
        round_.apply(Draw(parse("2c")[0]))  # the burn


@pytest.mark.parametrize("packs", ["8s 8d | 2c 6h Kd", "8s 8d Th | 2c 6h"])
def test_rule_1_packs_of_three(packs):
    """Every pack has three cards."""
    deal = Deal(tuple(parse(pack) for pack in packs.split("|")))

    with pytest.raises(DeckError, match="2 packs of 3"):
        Round(Rules()).apply(Bet.of(1, 100)).apply(deal)


def test_rule_1_fifty_two():
    """More than 52 cards are impossible."""
    with pytest.raises(DeckError, match="53 cards are more than the 1 x 52"):
        run(whole("8s 8d Th") + " 8s")


# --- rule 2: three equal bets


@pytest.mark.parametrize("bets", [(100, 100, 50), (100, 50, 100), (50, 100, 100)])
def test_rule_2_equal(bets):
    """Unequal bets are refused."""
    with pytest.raises(RuleError, match="seat 1 needs three equal bets"):
        Bet(1, *bets)


@pytest.mark.parametrize("bets", [(0, 0, 0), (100, 100, 0), (-1, -1, -1), (1.5, 1.5, 1.5)])
def test_rule_2_none_missing(bets):
    """A missing bet is refused."""
    with pytest.raises(RuleError, match="a bet must be a whole number of cents from 1 to"):
        Bet(1, *bets)


def test_rule_2_three_bets_are_staked():
    """A seat stakes three times its bet, and each bet is settled."""
    round_ = run("As Ah Kd | 2c 6h Td")

    assert round_.staked == 300
    assert [s.stake for s in round_.settlements()] == [100, 100, 100]


def test_rule_2_seats():
    """Seats are 1 to 7; each bets once, and nobody bets after the deal."""
    table = Round(Rules()).apply(Bet.of(7, 100))

    with pytest.raises(RuleError, match="no seat 8"):
        table.apply(Bet.of(8, 100))
    with pytest.raises(RuleError, match="seat 7 has already bet"):
        table.apply(Bet.of(7, 100))
    with pytest.raises(RuleError, match="betting is closed"):
        run("As Ah Kd | 2c 6h Td").apply(Bet.of(2, 100))


# --- rule 3: the deal


def test_rule_3_burn_up_hole():
    """The dealer's pack is burn, up card and hole card; packs go left to right."""
    round_ = run("8s 8d Th | 3s 3d 9h | 2c 6h Kd", bets=2)

    assert round_.dealer == parse("2c 6h Kd")
    assert [seat.cards for seat in round_.seats] == [parse("8s 8d Th"), parse("3s 3d 9h")]
    assert round_.view().dealer.cards == (parse("6h")[0], None)


def test_rule_3_needs_a_bet():
    """Nothing is dealt without a bet, and nothing is dealt twice."""
    deal = Deal((parse("8s 8d Th"), parse("2c 6h Kd")))

    with pytest.raises(RuleError, match="nobody has bet"):
        Round(Rules()).apply(deal)
    with pytest.raises(RuleError, match="already out"):
        Round(Rules()).apply(Bet.of(1, 100)).apply(deal).apply(deal)


def test_rule_3_the_burn_is_never_played():
    """The burn card is in no total and in no view."""
    round_ = run("9s 9d Th | Ac 8h Kd | 9h", "set 9s9d Th", "stand", "stand")

    assert round_.record().dealer.total == 18
    assert "Ac" not in json.dumps([str(c) for c in round_.record().dealer.cards])


# --- rule 4: the stub


def test_rule_4_in_order():
    """Every further card comes from the stub, in order: seats, then the dealer."""
    round_ = run("5s 6d 2h | 2c 6h 5d | 3c 7c 9c Td", "set 5s6d 2h", "hit", "stand", "stand")

    assert [h.cards[2:] for h in round_.seats[0].first] == [parse("3c")]
    assert round_.seats[0].second[0].cards == parse("2h 7c")
    assert round_.draws == parse("9c")


def test_rule_4_a_short_deck_is_an_error():
    """If a list that is not a full deck runs out, the error names the decision."""
    with pytest.raises(DeckError, match="the deck ends after 6 cards") as dry:
        run("5s 6d 2h | 2c 6h 5d", "set 5s6d 2h", "hit")
    assert dry.value.at == 1


def test_rule_4_nothing_out_of_turn():
    """No card is drawn when none is needed."""
    round_ = run("5s 6d 2h | 2c 6h 5d", "set 5s6d 2h")

    with pytest.raises(RuleError, match="^no card is needed now$"):
        round_.apply(Draw(parse("3c")[0]))


# --- rule 5: setting


def test_rule_5_six_ways():
    """Any card may stand alone, on either bet."""
    assert legal(run("8s 8d Th | 2c 6h Kd")) == [
        "set 8s8d Th",
        "set Th 8s8d",
        "set 8sTh 8d",
        "set 8d 8sTh",
        "set 8dTh 8s",
        "set 8s 8dTh",
    ]


@pytest.mark.parametrize("text", ["set Th8s 8d", "set 8d Th8s", "set 8d 8sTh"])
def test_rule_5_any_order_within_a_hand(text):
    """The cards of a hand may be named in any order; the player picks the bet."""
    seat = run("8s 8d Th | 2c 6h Kd | 5c", text).seats[0]

    two, one = (seat.first, seat.second) if text.startswith("set Th") else (seat.second, seat.first)
    assert (two[0].cards, one[0].cards[0]) == (parse("8s Th"), parse("8d")[0])


@pytest.mark.parametrize(
    "text", ["set 8s8dTh 8s", "set 8s 8d", "set 8s8s Th", "set 9s8d Th", "set 8s8d Th8s"]
)
def test_rule_5_only_own_cards_once(text):
    """Other cards, or other numbers of cards, are refused."""
    with pytest.raises(
        RuleError, match="seat 1 may not set .*: it may set 8s8d Th, set Th 8s8d, set 8sTh 8d"
    ):
        run("8s 8d Th | 2c 6h Kd", text)


def test_rule_5_once_and_first():
    """Hands are set once, and before any other decision."""
    with pytest.raises(RuleError, match="seat 1 has no hands to set now"):
        run("8s 8d Th | 2c 6h Kd", "set 8s8d Th", "set 8s8d Th")
    with pytest.raises(RuleError, match="seat 1 may not hit now: the round is setting"):
        run("8s 8d Th | 2c 6h Kd", "hit")


def test_rule_5_any_seat_first():
    """Seats set in any order; the round and its decisions are the same."""
    dealt = run("8s 8d Th | 3s 3d 9h | 2c 6h Kd", bets=2)
    sets = [read_decision(1, "set 8s8d Th"), read_decision(2, "set 3s 3d9h")]

    one = dealt.apply(sets[0]).apply(sets[1])
    other = dealt.apply(sets[1])

    assert other.decisions() == ()
    assert other.apply(sets[0]) == one
    assert one.decisions() == tuple(sets)


# --- rule 6: the Bonus


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("As Ks Qs", Bonus.AKQ_SUITED),
        ("Ks Qs Js", Bonus.STRAIGHT_FLUSH),
        ("As 2s 3s", Bonus.STRAIGHT_FLUSH),
        ("7c 7d 7h", Bonus.THREE_OF_A_KIND),
        ("As Kd Qs", Bonus.STRAIGHT),
        ("2d As 3s", Bonus.STRAIGHT),
        ("9d Ts 8s", Bonus.STRAIGHT),
        ("2s Ks As", Bonus.FLUSH),  # an ace is never in the middle
        ("2s 9s Js", Bonus.FLUSH),
        ("2s Kd As", None),
        ("7c 7d 8h", None),
        ("Qd Ks 2c", None),
    ],
)
def test_rule_6_classes(cards, expected):
    """Three cards are classed as in three-card poker, in any order."""
    for order in itertools.permutations(parse(cards)):
        assert poker_class(order) is expected


def test_rule_6_counts():
    """Among all 22,100 hands the classes occur 4, 44, 52, 720, 1,096 and 20,184 times."""
    counts = Counter(poker_class(cards) for cards in itertools.combinations(DECK, 3))

    assert [counts[found] for found in [*Bonus, None]] == [4, 44, 52, 720, 1_096, 20_184]


@pytest.mark.parametrize(
    ("cards", "net"),
    [
        ("As 2s 3s", 5000),
        ("7c 7d 7h", 3000),
        ("2d As 3s", 500),
        ("2s 9s Js", 300),
        ("2s 9d Js", -100),
    ],
)
def test_rule_6_pays(cards, net):
    """The Bonus pays as in the sheet's sample table."""
    round_ = run(f"{cards} | 4c 6h Kd", f"set {cards.replace(' ', '', 1)}")

    assert won(round_, bonus=True) == [f"bonus 0 6 {net:+}"]


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("As Ks Qs", "AKQ suited"),
        ("As 2s 3s", "straight flush"),
        ("7c 7d 7h", "three of a kind"),
        ("2s 9d Js", "no win"),
    ],
)
def test_rule_6_names(cards, name):
    """The settlement names the class of the three cards."""
    decisions = [] if name == "AKQ suited" else [f"set {cards.replace(' ', '', 1)}"]

    assert run(f"{cards} | 4c 6h Kd", *decisions).settlements()[0].outcome == name


def test_rule_6_all_first():
    """Every seat's Bonus is settled before any blackjack is paid."""
    round_ = run("As Ah Kd | 3s 3d 9h | 2c 6h Td", "set 3s3d 9h", bets=2)

    assert [(s.seat, s.bet) for s in round_.settlements()] == [
        (1, "bonus"),
        (2, "bonus"),
        (1, "first"),
        (1, "second"),
    ]


def test_rule_6_ones_own_table():
    """A custom table decides which classes pay; a class that it does not list loses."""
    table = 'bonus_paytable=[{"on":["flush"],"pays":"4:1"},{"on":["straight"],"pays":"0:1"}]'

    nets = [
        run(f"{cards} | 4c 6h Kd", f"set {cards.replace(' ', '', 1)}", settings=table)
        .settlements()[0]
        .net
        for cards in ("2s 9s Js", "2d As 3s", "7c 7d 7h")
    ]

    assert nets == [400, 0, -100]


# --- rule 7: who plays when


def test_rule_7_left_to_right_first_before_second():
    """Seats play from left to right; at a seat, the first bet's hand comes before the second's."""
    text = "5s 6d 2h | 3s 4d 9h | 2c 7h Kd | 8c 8d"
    deck = parse(text.replace("|", " "))
    round_ = run(text, "set 5s6d 2h", "set 3s 4d9h", bets=2)
    turns = []
    while round_.phase is Phase.PLAYING:
        turns.append((round_.view().turn.seat, round_.view().turn.bet))
        round_ = supply(deck, round_.apply(round_.asked.legal[1]))

    assert turns == [(1, "first"), (1, "second"), (2, "first"), (2, "second")]


def test_rule_7_one_card_hand_draws_in_its_turn():
    """A one-card hand receives its second card when its turn comes."""
    round_ = run("5s 6d 2h | 2c 7h Kd | 3c", "set 2h 5s6d")

    assert round_.seats[0].first[0].cards == parse("2h 3c")
    assert round_.seats[0].second[0].cards == parse("5s 6d")


def test_rule_7_twenty_one_stands():
    """A hand that reaches 21 has no decision."""
    round_ = run("5s 6d 2h | 2c 7h Kd | Tc 9c", "set 5s6d 2h", "hit")

    assert round_.view().turn.bet == "second"


def test_rule_7_bust_loses_at_once():
    """A bust loses at once, and stays lost even if the dealer busts."""
    round_ = run("Ts 6d 2h | 2c 6h Kd | Tc 9c Td", "set Ts6d 2h", "hit", "stand")

    assert won(round_) == ["first 0 standard -100", "second 0 standard +100"]
    assert [s.outcome for s in round_.settlements()][1:] == ["bust", "dealer bust"]


@pytest.mark.parametrize(
    ("dealer", "expected"),
    [("Th Kd", [-100, -100]), ("Th 8d", [0, -100]), ("Th 7d", [100, 0])],
)
def test_rule_7_totals(dealer, expected):
    """The higher total wins even money, equal totals push."""
    round_ = run(f"9s 9d 8h | 2c {dealer} | 9c", "set 9s9d 8h", "stand", "stand")

    assert [s.net for s in round_.settlements()][1:] == expected


# --- 7a: double


@pytest.mark.parametrize("cards", ["5s6d 2h", "AsTd 2h", "Ts9d 2h", "3s3d 2h"])
def test_rule_7a_any_two_cards(cards):
    """Any two cards may double, even a pair or a hard 19; a blackjack is paid instead."""
    pack = cards.replace(" ", "")
    round_ = run(f"{pack} | 2c 7h Kd | 3c", f"set {cards}")

    assert ("double" in legal(round_)) is True
    assert round_.view().turn.bet == ("second" if cards.startswith("As") else "first")


def test_rule_7a_one_card_and_done():
    """A double adds an equal bet, receives one card and is done."""
    round_ = run("5s 6d 2h | 2c 7h Kd | 2d 9c", "set 5s6d 2h", "double", "stand")

    assert won(round_) == ["first 0 standard -200", "second 0 standard -100"]
    assert round_.staked == 400


def test_rule_7a_not_on_three():
    """A hand of three cards may not double."""
    assert legal(run("5s 6d 2h | 2c 7h Kd | 2d", "set 5s6d 2h", "hit")) == ["hit", "stand"]


def test_rule_7a_the_drawn_two_cards_too():
    """A one-card hand may double after it has drawn its second card."""
    round_ = run("5s 6d Th | 2c 7h Kd | 2d 7c", "set 5s6d Th", "stand", "double")

    assert won(round_)[-1] == "second 0 standard +200"


@pytest.mark.parametrize("setting", ["yes", "no"])
def test_rule_7a_after_a_split(setting):
    """A split hand may double or not, depending on a setting."""
    round_ = run(
        "8s 8d Th | 2c 6h Kd | 3c", "set 8s8d Th", "split", settings=f"double_after_split={setting}"
    )

    assert ("double" in legal(round_)) is (setting == "yes")


def test_rule_7a_a_bust_double_loses_both():
    """A double that busts loses the whole stake at once."""
    round_ = run("Ts 6d 2h | 2c 6h Kd | Tc 9c Td", "set Ts6d 2h", "double", "stand")

    assert won(round_)[0] == "first 0 standard -200"


# --- 7b: split


@pytest.mark.parametrize(
    ("cards", "may"),
    [
        ("8s8d 2h", True),
        ("KsTd 2h", True),
        ("JsQd 2h", True),
        ("AsAd 2h", True),
        ("8s9d 2h", False),
    ],
)
def test_rule_7b_same_value(cards, may):
    """Any two cards of the same value may split, including different tens and faces."""
    round_ = run(f"{cards.replace(' ', '')} | 2c 6h Kd", f"set {cards}")

    assert ("split" in legal(round_)) is may


def test_rule_7b_one_after_the_other():
    """The first hand of a split is finished before the next receives its card."""
    round_ = run("8s 8d 2h | 2c 6h Kd | 3c", "set 8s8d 2h", "split")

    assert [hand.cards for hand in round_.seats[0].first] == [parse("8s 3c"), parse("8d")]
    assert [hand.stake for hand in round_.seats[0].first] == [100, 100]
    assert round_.staked == 400


def test_rule_7b_the_drawn_pair_too():
    """A one-card hand that draws a pair may split it."""
    round_ = run("5s 6d Th | 2c 7h Kd | Kc", "set 5s6d Th", "stand")

    assert legal(round_) == ["hit", "stand", "double", "split"]


def test_rule_7b_not_on_three():
    """Three cards do not split."""
    assert "split" not in legal(run("2s 2d Th | 3c 7h Kd | 4c", "set 2s2d Th", "hit"))


# --- 7c: up to four times


@pytest.mark.parametrize("most", range(5))
def test_rule_7c_splits_per_starting_hand(most):
    """A starting hand can be split up to the limit, into one hand more than the limit."""
    deck = "Ts Td 8h | 2c 7h Kd | Th Tc Js Jd Jh Jc Qs Qd Qh Qc"
    decisions = ["set TsTd 8h"] + ["split"] * most

    round_ = run(deck, *decisions, settings=f"max_splits={most}")

    assert len(round_.seats[0].first) == most + 1
    assert "split" not in legal(round_)


def test_rule_7c_each_hand_has_its_own():
    """The two starting hands of a seat count their splits separately."""
    deck = "Ts Td 8h | 2c 7h Kd | 9c 9d 8c"
    decisions = ["set TsTd 8h", "split", "stand", "stand"]

    round_ = run(deck, *decisions, settings="max_splits=1")

    assert round_.view().turn.bet == "second"
    assert "split" in legal(round_)


def test_rule_7c_hands_are_numbered_as_played():
    """If a hand splits again, the new hand comes right after it."""
    deck = "8s 8d 2h | 2c 6h Kd | 8h 3c 4c 5c 9c Tc"
    decisions = ["set 8s8d 2h", "split", "split", "stand", "stand", "stand", "stand"]

    round_ = run(deck, *decisions)

    assert [hand.cards for hand in round_.seats[0].first] == [
        parse("8s 3c"),
        parse("8h 4c"),
        parse("8d 5c"),
    ]


# --- 7d: split aces


def test_rule_7d_one_card_each():
    """Split aces receive one card each and have no decision."""
    round_ = run("As Ad 2h | 2c 7h Kd | 3c 4c 9c", "set AsAd 2h", "split")

    assert [hand.cards for hand in round_.seats[0].first] == [parse("As 3c"), parse("Ad 4c")]
    assert round_.view().turn.bet == "second"


def test_rule_7d_no_resplit():
    """A split ace that draws an ace stays a 12."""
    round_ = run("As Ad 2h | 2c 7h Kd | Ah 4c 9c", "set AsAd 2h", "split")

    assert round_.view().turn.bet == "second"
    assert round_.seats[0].first[0].total == 12


def test_rule_7d_resplit_by_setting():
    """With the setting, a split ace that draws an ace may split or stand."""
    deck = "As Ad 2h | 2c 7h Kd | Ah 4c 5c 6c 9c"

    round_ = run(deck, "set AsAd 2h", "split", settings="resplit_aces=yes")
    assert legal(round_) == ["stand", "split"]
    stood = run(deck, "set AsAd 2h", "split", "stand", settings="resplit_aces=yes")
    assert stood.view().turn.bet == "second"
    split = run(deck, "set AsAd 2h", "split", "split", settings="resplit_aces=yes")
    assert [h.cards for h in split.seats[0].first] == [
        parse("As 4c"),
        parse("Ah 5c"),
        parse("Ad 6c"),
    ]


def test_rule_7d_resplit_counts():
    """A resplit of aces counts toward the splits allowed."""
    round_ = run(
        "As Ad 2h | 2c 7h Kd | Ah 4c 9c",
        "set AsAd 2h",
        "split",
        settings="resplit_aces=yes max_splits=1",
    )

    assert round_.view().turn.bet == "second"


def test_rule_7d_a_drawn_pair_of_aces():
    """A one-card ace that draws an ace is an ordinary pair until it splits."""
    round_ = run("5s 6d Ah | 2c 7h Kd | Ac", "set 5s6d Ah", "stand")

    assert legal(round_) == ["hit", "stand", "double", "split"]


# --- 7e: no surrender


@pytest.mark.parametrize("word", ["surrender", "fold", "SPLIT", "insure", "insure -5", "set 8s"])
def test_rule_7e_no_such_decision(word):
    """Surrender is not a decision, and neither is text that cannot be parsed."""
    with pytest.raises(NotationError, match=f"^'{word}' is not a decision of this game") as refused:
        run("8s 8d Th | 2c 6h Kd", "set 8s8d Th", word)
    assert str(refused.value).endswith("'insure 500' (cents), hit, stand, double or split")


def test_rule_7e_never_legal():
    """The legal decisions never include a surrender."""
    assert legal(run("8s 8d Th | 2c 6h Kd", "set 8s8d Th")) == ["hit", "stand", "double", "split"]


# --- 7f: the dealer


@pytest.mark.parametrize(
    ("dealer", "stub", "soft_17", "total"),
    [
        ("6h Ad", "9d 5d", "hit", 21),
        ("6h Ad", "4d", "hit", 21),
        ("6h Ad", "4d", "stand", 17),
        ("7h Kd", "4d", "hit", 17),
        ("7h Ad", "4d", "hit", 18),
        ("2h 4d", "Ac Ts", "hit", 17),
        ("2h 4d", "Ac 4s", "stand", 17),
        ("6h 6d", "5d 4d", "hit", 17),
    ],
)
def test_rule_7f_hits_soft_17(dealer, stub, soft_17, total):
    """The dealer hits soft 17 (or stands by setting), stands on hard 17 and on 18 or more."""
    deck = f"9s 9c Th | 2c {dealer} | 9h {stub} 5c 3c"

    round_ = run(deck, "set 9s9c Th", "stand", "stand", settings=f"soft_17={soft_17}")

    assert round_.record().dealer.total == total


def test_rule_7f_only_if_needed():
    """If every hand is already lost or paid, the dealer neither turns the hole card nor draws."""
    round_ = run("Ts 6d Ah | 2c 6h Kd | Tc Jc", "set Ts6d Ah", "hit")

    assert round_.phase is Phase.SETTLED
    assert round_.record().dealer.cards == (parse("6h")[0], None)
    assert won(round_) == ["first 0 standard -100", "second 0 7h +150"]


def test_rule_7f_after_the_last_seat():
    """The hole card stays face down until every seat has finished."""
    round_ = run("9s 9d Th | 2c 6h Kd | 9h", "set 9s9d Th", "stand")

    assert round_.view().dealer.cards[1] is None


# --- 7g: blackjack always wins


def test_rule_7g_paid_when_set():
    """A two-card blackjack is paid when hands are set, before anybody plays."""
    round_ = run("As 9d Kc | 2c 6h Qd | 5c", "set AsKc 9d")

    assert won(round_) == ["first 0 7g +150"]
    assert round_.phase is Phase.PLAYING


@pytest.mark.parametrize("hole_card", ["peek", "no_peek"])
def test_rule_7g_even_against_blackjack(hole_card):
    """A blackjack is paid even if the dealer has one too."""
    round_ = run(
        "As 9d Kc | 2c Th Ad | 5c", "set AsKc 9d", *["stand"] * (hole_card == "no_peek"),
        settings=f"hole_card={hole_card}",
    )  # fmt: skip

    assert won(round_) == ["first 0 7g +150", "second 0 standard -100"]


@pytest.mark.parametrize(("odds", "net"), [("6:5", 120), ("2:1", 200), ("1:1", 100), ("7:5", 140)])
def test_rule_7g_odds(odds, net):
    """All kinds of blackjacks pay the odds of the setting."""
    settings = f"blackjack_pays={odds}"

    assert won(run("As 9d Kc | 2c 6h Qd | 5c", "set AsKc 9d", settings=settings)) == [
        f"first 0 7g +{net}"
    ]
    assert won(run("As Ad Kc | 2c 6h Qd", settings=settings))[1] == f"second 0 7i +{net}"


def test_rule_7g_no_peek_takes_doubles_and_splits():
    """Without a peek, a dealer's blackjack also takes doubled and split bets."""
    round_ = run(
        "8s 8d 5h | 2c Th Ad | 3c 9c 2d 8c",
        "set 8s8d 5h",
        "split",
        "double",
        "stand",
        "stand",
        settings="hole_card=no_peek",
    )

    assert won(round_) == [
        "first 0 standard -200",
        "first 1 standard -100",
        "second 0 standard -100",
    ]
    assert {s.outcome for s in round_.settlements()[1:]} == {"dealer blackjack"}


def test_rule_7g_dealer_blackjack_beats_21():
    """A dealer's blackjack beats a 21 that is not a blackjack."""
    round_ = run(
        "5s 6d 5h | 2c Th Ad | Tc 8c", "set 5s6d 5h", "hit", "stand", settings="hole_card=no_peek"
    )

    assert won(round_) == ["first 0 standard -100", "second 0 standard -100"]


# --- 7h: what is a blackjack


@pytest.mark.parametrize(("one", "card"), [("Th", "Ac"), ("Ah", "Tc"), ("Kh", "Ac"), ("Ah", "Qc")])
def test_rule_7h_one_card_hand(one, card):
    """A one-card ace or ten whose next card makes 21 is a blackjack, paid at once."""
    round_ = run(f"5s 6d {one} | 2c 6h Kd | {card}", f"set {one} 5s6d")

    assert won(round_) == ["first 0 7h +150"]
    assert round_.view().turn.bet == "second"


def test_rule_7h_not_after_a_split():
    """21 after a split is not a blackjack: it is not paid at once and can push."""
    round_ = run("Ts Td 8h | 2c 6h Kd | As 9c 9h 5c", "set TsTd 8h", "split", "stand", "stand")

    assert won(round_) == ["first 0 standard +0", "first 1 standard -100", "second 0 standard -100"]


def test_rule_7h_not_with_three_cards():
    """21 with three cards is not a blackjack."""
    round_ = run("5s 6d 8h | 2c 6h Kd | Tc 9c 5d", "set 5s6d 8h", "hit", "stand")

    assert won(round_)[0] == "first 0 standard +0"


@pytest.mark.parametrize(
    ("setting", "card", "expected"),
    [
        ("draws", "Ac", ["first 0 standard -100", "second 0 7h +150"]),
        ("draws", "9c", ["first 0 standard -100", "second 0 standard -100"]),
        ("loses", "Ac", ["first 0 standard -100", "second 0 standard -100"]),
    ],
)
def test_rule_7h_against_a_peeked_blackjack(setting, card, expected):
    """If the peek finds a blackjack, a one-card ten draws or loses, depending on a setting."""
    round_ = run(
        f"5s 6d Th | 2c Kh Ad | {card}",
        "set 5s6d Th",
        settings=f"one_card_vs_dealer_blackjack={setting}",
    )

    assert won(round_) == expected
    assert round_.cards_used == (7 if setting == "draws" else 6)
    assert round_.view().dealer.cards == parse("Kh Ad")


def test_rule_7h_only_aces_and_tens_draw():
    """If the peek finds a blackjack, a one-card nine loses without a card; seats go in order."""
    round_ = run(
        "5s 6d 9h | 5c 6c Ts | 5d 6h As | 2c Kh Ad | Ac Kc",
        "set 5s6d 9h",
        "set Ts 5c6c",
        "set 5d6h As",
        bets=3,
    )

    assert won(round_) == [
        "first 0 standard -100",
        "second 0 standard -100",
        "first 0 7h +150",
        "second 0 standard -100",
        "first 0 standard -100",
        "second 0 7h +150",
    ]


def test_rule_7h_settled_as_the_cards_come():
    """If the peek finds a blackjack, hands after one that draws wait for its card."""
    round_ = run("5s 6d Th | 2c Kh Ad", settings="one_card_vs_dealer_blackjack=draws").apply(
        read_decision(1, "set Th 5s6d")
    )

    assert round_.needs_card
    assert won(round_) == []
    assert won(round_.apply(Draw(parse("Ac")[0]))) == ["first 0 7h +150", "second 0 standard -100"]


# --- 7i: double blackjack


@pytest.mark.parametrize("cards", ["As Ad Kc", "Ks Ad Tc", "As Jd Qc", "Ts As Ah"])
def test_rule_7i_automatic(cards):
    """A-A-10 and A-10-10 are paid on both bets, and the seat has no decision."""
    round_ = run(f"{cards} | 2c Ah Kd" if "Ah" not in cards else f"{cards} | 2c Ac Kd")

    assert round_.phase is Phase.SETTLED
    assert won(round_) == ["first 0 7i +150", "second 0 7i +150"]
    assert round_.view().dealer.cards[1] is None


@pytest.mark.parametrize("cards", ["As Ad Ac", "As Ad 9c", "Ks Qd Tc", "As 9d Kc"])
def test_rule_7i_nothing_else(cards):
    """No other three cards are a double blackjack."""
    assert run(f"{cards} | 2c 6h Kd").phase is Phase.SETTING


def test_rule_7i_cannot_be_set():
    """The seat has nothing to set, insure or play."""
    round_ = run("As Ad Kc | 8s 8d Th | 2c Ah Kd", bets=2)

    assert round_.asked.seat == 2
    with pytest.raises(RuleError, match="seat 1 has no hands to set now"):
        round_.apply(SetHands(1, parse("As Kc"), parse("Ad")))
    insuring = run("As Ad Kc | 8s 8d Th | 2c Ah Kd", "set 8s8d Th", bets=2)
    with pytest.raises(RuleError, match="seat 1 is not offered insurance now"):
        insuring.apply(Insure(1, 0))


# --- 7j: insurance


def insuring(settings="", hole="Qd"):
    return run(f"As 9d Kc | 2c Ah {hole} | 5c 9c 9s", "set AsKc 9d", settings=settings)


def test_rule_7j_offered_under_an_ace():
    """Insurance is offered only against an ace; a setting turns it off."""
    assert insuring().asked.decision == "insure"
    assert legal(insuring()) == ["insure 0", "insure 100"]
    assert run("As 9d Kc | 2c Th Ad", "set AsKc 9d").phase is Phase.SETTLED
    assert insuring("insurance=off").phase is Phase.SETTLED
    assert insuring("insurance=off", hole="6d").phase is Phase.PLAYING


@pytest.mark.parametrize("amount", [0, 1, 50, 100])
def test_rule_7j_up_to_half(amount):
    """Any amount up to half of both bets may be insured, and pays 2 to 1."""
    round_ = insuring().apply(Insure(1, amount))

    paid = [f"insurance 0 7j +{2 * amount}"] if amount else []
    assert won(round_) == ["first 0 7g +150", *paid, "second 0 standard -100"]


@pytest.mark.parametrize("amount", [101, -1, 1.5])
def test_rule_7j_not_more(amount):
    """More than half, or a negative amount, is rejected and changes nothing."""
    round_ = insuring()

    with pytest.raises(RuleError, match="^insurance (is at most 100 cents|of .*whole number)"):
        round_.apply(Insure(1, amount))
    assert round_ == insuring()


@pytest.mark.parametrize(("amount", "fine"), [(0, True), (100, True), (50, False), (101, False)])
def test_rule_7j_half_or_nothing(amount, fine):
    """With the setting, only half of both bets or nothing can be insured."""
    round_ = insuring("insurance=half_or_nothing")

    if fine:
        assert round_.apply(Insure(1, amount)).phase is Phase.SETTLED
    else:
        with pytest.raises(RuleError, match="insurance is"):
            round_.apply(Insure(1, amount))


def test_rule_7j_lost_at_the_peek():
    """Without a dealer's blackjack, insurance loses at the peek, before play."""
    round_ = insuring(hole="6d").apply(Insure(1, 60))

    assert won(round_) == ["first 0 7g +150", "insurance 0 7j -60"]
    assert round_.staked == 360


def test_rule_7j_any_seat_first():
    """Seats insure in any order; the journal lists them by seat."""
    dealt = run("8s 8d Th | 3s 3d 9h | 2c Ac Kd", "set 8s8d Th", "set 3s3d 9h", bets=2)

    one = dealt.apply(Insure(2, 50))
    assert one.decisions() == dealt.decisions()
    assert one.apply(Insure(1, 0)).decisions()[2:] == (Insure(1, 0), Insure(2, 50))
    with pytest.raises(RuleError, match="seat 2 is not offered insurance now"):
        one.apply(Insure(2, 50))


def test_rule_7j_no_peek_settles_when_the_hole_is_turned():
    """Without a peek, insurance waits for the hole card, turned even if no hand needs it."""
    deck = "As 6d Kc | 2c Ah {} | Tc 7c"
    decisions = ["set AsKc 6d", "insure 100", "hit"]

    found = run(deck.format("Qd"), *decisions, settings="hole_card=no_peek")
    not_found = run(deck.format("5d"), *decisions, settings="hole_card=no_peek")

    assert won(found) == ["first 0 7g +150", "second 0 standard -100", "insurance 0 7j +200"]
    assert won(not_found) == ["first 0 7g +150", "second 0 standard -100", "insurance 0 7j -100"]
    assert not_found.draws == ()
    assert not_found.view().dealer.cards == parse("Ah 5d")


def test_rule_7j_no_peek_settles_before_the_dealer_draws():
    """Without a peek, insurance is settled when the hole card is turned, before the next draw."""
    round_ = run(
        "9s 9d Th | 2c Ah 3d | 8c",
        "set 9s9d Th",
        "insure 100",
        "stand",
        settings="hole_card=no_peek",
    ).apply(Stand(1))

    assert round_.needs_card
    assert round_.view().dealer.cards == parse("Ah 3d")
    assert won(round_) == ["insurance 0 7j -100"]


# --- rule 8: the deck runs out


def ace_up(chance, size):
    """Shuffle a deck that gives the dealer an ace up after seven seats."""
    deck = list(shuffled(chance, size))
    ace = next(index for index, card in enumerate(deck) if card.value == 1)
    deck[22], deck[ace] = deck[ace], deck[22]
    return tuple(deck)


@cache
def empty_stubs(settings=""):
    """Find states of full tables in which a decision is pending and the stub is empty."""
    rules = Rules().changed(*settings.split())
    found = []
    for seed in range(60):
        shuffle = ace_up if rules.hole_card == "no_peek" else shuffled
        chance = random.Random(seed)
        played = play(GAME, rules, chance, seats=7, greedy=True, shuffle=shuffle)
        found += [s for s in played.states if s.cards_used == 52 and s.asked]
    return found


def runs_out(kind, settings=""):
    """Return pairs of states before and after a decision of *kind* that needs a missing card."""
    pairs = []
    for before in empty_stubs(settings):
        for decision in before.legal():
            after = before.apply(decision)
            ran_out = any(s.rule == "8" for s in after.settlements())
            if str(decision) == kind and ran_out:
                pairs.append((before, after))
    assert pairs
    return pairs


def new_settlements(before, after):
    """Return the settlements that a decision added."""
    old = before.settlements()
    assert after.settlements()[: len(old)] == old
    return after.settlements()[len(old) :]


@pytest.mark.parametrize("kind", ["hit", "double", "split", "stand"])
def test_rule_8_every_bet_in_action_wins(kind):
    """A missing card ends the round: every bet in action wins even money, and no other bet does."""
    for before, after in runs_out(kind):
        paid = [s for s in new_settlements(before, after) if s.rule == "8"]

        assert after.phase is Phase.SETTLED
        assert all(s.net == s.stake and s.outcome == "deck ran out" for s in paid)
        settled = {(s.seat, s.bet, s.hand) for s in after.settlements()}
        assert len(settled) == len(after.settlements())
        assert sum(s.stake for s in after.settlements()) == after.staked
        for s in after.settlements():
            hand = s.bet in {"first", "second"} and s.rule == "standard"
            assert not hand or s.outcome == "bust"


@pytest.mark.parametrize("kind", ["double", "split"])
def test_rule_8_the_added_bet_wins_too(kind):
    """A double or split with an empty stub is legal; the added bet is placed first and wins too."""
    for before, after in runs_out(kind):
        turn, bet = before.view().turn, before.asked.legal[0]
        paid = {s.hand: s.net for s in new_settlements(before, after) if _is_of(s, bet.seat, turn)}
        stake = next(s.bet.first for s in before.seats if s.number == bet.seat)

        assert after.staked == before.staked + stake
        if kind == "double":
            assert paid[turn.hand] == 2 * stake
        else:
            assert (paid[turn.hand], paid[turn.hand + 1]) == (stake, stake)


def _is_of(settlement, seat, turn):
    return (settlement.seat, settlement.bet) == (seat, turn.bet)


def test_rule_8_a_one_card_hand_wins():
    """A one-card hand that cannot get its second card wins even money."""
    found = 0
    for _, after in runs_out("stand"):
        for seat in after.seats:
            for bet, hands_ in (("first", seat.first), ("second", seat.second)):
                for index, hand in enumerate(hands_):
                    if len(hand.cards) == 1:
                        nets = [
                            s.net
                            for s in after.settlements()
                            if (s.seat, s.bet, s.hand) == (seat.number, bet, index)
                        ]
                        assert nets == [hand.stake]
                        found += 1
    assert found


def test_rule_8_the_dealer_runs_out():
    """If the dealer cannot draw, every hand in action wins, and the hole card is turned."""
    turned = [a for _, a in runs_out("stand") if a.view().dealer.cards[1]]

    assert turned
    for after in turned:
        assert after.record().dealer.total <= 17
        assert any(s.rule == "8" for s in after.settlements())


def test_rule_8_hole_stays_down():
    """If a seat needs a missing card, the round ends with the hole card down and nobody's turn."""
    assert all(a.view().dealer.cards[1] is None for _, a in runs_out("hit"))
    assert all(a.view().turn is None for _, a in runs_out("hit"))


@pytest.mark.parametrize("kind", ["hit", "double", "split"])
def test_rule_8_push_by_setting(kind):
    """With the setting, every bet in action is returned instead."""
    for before, after in runs_out(kind, "run_out=push"):
        paid = [s for s in new_settlements(before, after) if s.rule == "8"]

        assert paid
        assert all(s.net == 0 for s in paid)


@pytest.mark.parametrize(("settings", "times"), [("", 2), ("run_out=push", 0)])
def test_rule_8_insurance_still_open(settings, times):
    """Without a peek, open insurance wins at 2 to 1, or is returned with the other bets."""
    found = 0
    for before, after in runs_out("hit", f"hole_card=no_peek {settings}"):
        for s in new_settlements(before, after):
            if s.bet == "insurance":
                assert (s.rule, s.net) == ("8", times * s.stake)
                found += 1
    assert found


def test_rule_8_a_turned_hole_settles_insurance():
    """Once the hole card is turned, it settles the insurance, not rule 8."""
    found = 0
    for _, after in runs_out("stand", "hole_card=no_peek"):
        for s in after.settlements():
            if s.bet == "insurance" and after.view().dealer.cards[1]:
                assert (s.rule, s.net) == ("7j", -s.stake)
                found += 1
    assert found


def test_rule_8_only_a_full_deck():
    """The last card of a full deck may be drawn; only the next one is missing."""
    for before in empty_stubs():
        assert before.phase is Phase.PLAYING
        assert before.view().cards_left == 0
        assert not before.needs_card


# --- money and what holds for every hand


@pytest.mark.parametrize(("rounding", "net"), [("cent", 8), ("down:5", 5), ("up:5", 10)])
def test_odd_amounts(rounding, net):
    """3 to 2 on an odd number of cents is rounded according to the setting, bet by bet."""
    table = Round(Rules(rounding=rounding)).apply(Bet.of(1, 5))
    round_ = deal_from(parse("As Ad Kc 2c 6h Kd"), table)

    assert [s.net for s in round_.settlements()] == [-5, net, net]


@given(hands(3), st.permutations(range(3)))
def test_bonus_does_not_depend_on_order(cards, order):
    """The class of three cards is the same in any order."""
    assert poker_class(cards) is poker_class(tuple(cards[i] for i in order))


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("hit", Hit(3)),
        (" stand ", Stand(3)),
        ("split", Split(3)),
        ("insure 500", Insure(3, 500)),
        ("set 8s8d 10h", SetHands(3, parse("8s 8d"), parse("Th"))),
    ],
)
def test_decisions_read(text, decision):
    """Decisions can be parsed from their text."""
    assert read_decision(3, text) == decision


def test_wrong_seat():
    """Nobody can play for another seat, and the error names the legal decisions."""
    round_ = run("8s 8d Th | 3s 4d 9h | 2c 6h Kd", "set 8s8d Th", "set 3s4d 9h", bets=2)

    with pytest.raises(RuleError, match="seat 2 may not hit now: it is not its turn"):
        round_.apply(Hit(2))
    with pytest.raises(RuleError, match="seat 2 may not split now"):
        round_.apply(Split(2))
    again = run("5s 6d 2h | 2c 7h Kd | 2d", "set 5s6d 2h", "hit")
    with pytest.raises(RuleError, match="seat 1 may not split now: it may hit or stand"):
        again.apply(Split(1))


def test_no_operation_of_this_game():
    """The error for an object that is not an operation names the object."""
    with pytest.raises(RuleError, match="^'hit' is not an operation of this game$"):
        Round(Rules()).apply("hit")


def test_no_play_while_a_card_is_due():
    """While a card is needed, no decision is pending or accepted."""
    round_ = run("5s 6d 2h | 2c 7h Kd", "set 5s6d 2h").apply(Hit(1))

    assert round_.needs_card
    assert round_.asked is None
    with pytest.raises(GameError):
        round_.apply(Hit(1))


@given(rounds(GAME))
@settings(max_examples=40)
def test_run_out_pays_all_in_action(played):
    """Where the deck runs out, rule 8 settles every bet in action and no other."""
    settlements = played.round.settlements()
    if not any(s.outcome == "deck ran out" for s in settlements):
        return
    assert played.round.cards_used == played.round.deck_size
    for s in settlements:
        if s.bet in {"first", "second"}:
            assert (s.rule == "8") != (s.outcome in {"bust", "blackjack", "double blackjack"})
        even = 2 * s.stake if s.bet == "insurance" else s.stake
        paid = played.round.rules.rounding.of(Fraction(even))
        assert s.rule != "8" or s.net == (paid if played.round.rules.run_out == "win" else 0)
