"""Blackjack: examples by rule number, then properties of every round."""

import itertools
import json
import random
from collections import Counter
from fractions import Fraction
from functools import cache

import pytest

from pitboss.core.cards import DECK, Card, Rank, Suit, parse, spell
from pitboss.core.errors import DeckError, GameError, NotationError, RuleError
from pitboss.core.journal import read_journal, replay, write_journal
from pitboss.core.paytables import Paytable
from pitboss.core.protocol import Deal, Draw, deal_from, supply
from pitboss.core.twenty_one import Hand, add_card, dealer_hits, play_hand
from pitboss.games.blackjack import (
    GAME,
    Bet,
    Double,
    DoubleOn,
    Hit,
    Insure,
    LuckyLadies,
    PerfectPairs,
    Phase,
    PlusThree,
    Round,
    Rules,
    Soft17,
    Split,
    Stand,
    Surrender,
    lucky_ladies,
    perfect_pairs,
    plus_three,
    read_decision,
)
from pitboss.games.blackjack.side_bets import LUCKY_LADIES, PERFECT_PAIRS, PLUS_THREE
from tests.strategies import paired, play, random_rules, shuffled, stacked

NO_PEEK = "hole_card=no_peek"
ORIGINAL = "hole_card=original_bets_only"


def deal_order(text):
    """Return the deck of packs and draws; packs are seats' and the dealer's, divided by bars."""
    *packs, draws = (parse(part) for part in text.split("|"))
    return [card for turn in zip(*packs, strict=True) for card in turn] + [*draws]


def run(text, *decisions, settings="", bets=None):
    """Replay a round; *text* is each seat's cards, the dealer's cards and the draws."""
    deck = deal_order(text)
    bets = bets or [{"main": 100}] * (text.count("|") - 1)
    journal = {
        "format": 1,
        "game": "blackjack",
        "rules": Rules().changed(*settings.split()).as_json(),
        "deck": spell(deck),
        "bets": [{"seat": seat} | bet for seat, bet in enumerate(bets, 1)],
        "decisions": list(decisions),
    }
    return replay(read_journal(json.dumps(journal)))


def side(text, settings="", **stakes):
    """Return the settlements of one seat's side bets, as the cards are dealt."""
    bets = [{"main": 100} | {name.replace("plus_three", "21+3"): n for name, n in stakes.items()}]
    return [s for s in run(text, settings=settings, bets=bets).settlements() if s.bet != "main"]


def won(round_):
    """Return the settlements as text: seat, bet, hand, rule and net."""
    return [f"{s.seat} {s.bet} {s.hand} {s.rule} {s.net:+}" for s in round_.settlements()]


def outcomes(round_):
    return [s.outcome for s in round_.settlements()]


def legal(round_):
    return [str(decision) for decision in round_.asked.legal]


# --- rule 1: the shoe


@pytest.mark.parametrize("decks", range(1, 9))
def test_rule_1_decks(decks):
    """A card comes at most once from each deck, in the deal and in the draws."""
    settings = f"decks={decks}"
    eights = " ".join(["8s"] * decks)

    assert run("5s 6s | 9h Td |", settings=settings).deck_size == 52 * decks
    with pytest.raises(DeckError, match=f"8s appears {decks + 1} times"):
        run(f"5s 6s | 9h Td | {eights} 8s", "hit", settings=settings)


def test_rule_1_the_hole_card_counts():
    """A card that the dealer holds face down cannot be drawn again from one deck."""
    round_ = run("5s 6s | 9h Td |", settings="decks=1").apply(Hit(1))

    with pytest.raises(DeckError, match="Td appears 2 times"):
        round_.apply(Draw(parse("Td")[0]))


def test_rule_1_too_many_cards():
    """A list that is longer than the shoe is an error."""
    with pytest.raises(DeckError, match="53 cards are more than the 1 x 52"):
        deal_from((*DECK, DECK[0]), Round(Rules(decks=1)).apply(Bet(1, 100)))


# --- rule 2: bets


@pytest.mark.parametrize("main", [0, -1, 1.5, True, 10**16])
def test_rule_2_main_is_mandatory(main):
    """Every seat bets whole cents on Main."""
    with pytest.raises(RuleError, match="main of .* a bet must be a whole number of cents from 1"):
        Bet(1, main)


@pytest.mark.parametrize("name", ["perfect_pairs", "21+3", "lucky_ladies"])
def test_rule_2_side_bets_are_optional(name):
    """Side bets are 0 or more, by the names of a journal, and each is settled alone."""
    assert Bet.of(1, 100).stakes == {
        "main": 100,
        "perfect_pairs": 0,
        "21+3": 0,
        "lucky_ladies": 0,
    }
    assert Bet.of(1, 100, **{name: 25}).stakes[name] == 25
    with pytest.raises(RuleError, match=rf"{name.replace('+', '.')} of -1: a bet must be"):
        Bet.of(1, 100, **{name: -1})
    round_ = run("5s 6h | 9h Td |", bets=[{"main": 100, name: 25}])
    assert won(round_) == [
        f"1 {name} 0 {dict(zip(GAME.stakes, ['', 12, 13, 14], strict=True))[name]} -25"
    ]
    assert round_.staked == 125


def test_rule_2_unknown_side_bet():
    """A side bet that the game does not have is an error, never a bet of 0."""
    with pytest.raises(TypeError, match="lucky3"):
        Bet.of(1, 100, lucky3=500)
    with pytest.raises(NotationError, match="no bet 'lucky3'"):
        GAME.place(1, {"main": 100, "lucky3": 500})


def test_rule_2_seats():
    """Seats are 1 to the number set, each bets once, and nobody once the cards are out."""
    table = Round(Rules(seats=5)).apply(Bet(5, 100))

    with pytest.raises(RuleError, match="no seat 6: this table has seats 1..5"):
        table.apply(Bet(6, 100))
    with pytest.raises(RuleError, match="seat 5 has already bet"):
        table.apply(Bet(5, 100))
    with pytest.raises(RuleError, match="betting is closed"):
        run("5s 6s | 9h Td |").apply(Bet(2, 100))


# --- rule 3: the deal


def test_rule_3_around_the_table_twice():
    """A card to each seat, the up card, a second card to each seat, the hole card, then draws."""
    table = Round(Rules()).apply(Bet(2, 100)).apply(Bet(5, 100))
    round_ = deal_from(parse("2s 3s 4s 2d 3d 4d 9c"), table)

    assert [seat.cards for seat in round_.seats] == [parse("2s 2d"), parse("3s 3d")]
    assert round_.dealer == parse("4s 4d")
    assert (round_.cards_used, round_.numbers) == (6, (2, 5))


def test_rule_3_only_the_hole_card_is_face_down():
    """Everybody sees all cards except the hole card."""
    round_ = run("5s 6s | 9c 8c | 9h Td |")

    for seat in (None, 1, 2):
        view = round_.view(seat)
        assert [s.cards for s in view.seats] == [parse("5s 6s"), parse("9c 8c")]
        assert (view.dealer.cards, view.dealer.total) == ((parse("9h")[0], None), 9)


def test_rule_3_needs_a_bet():
    """Nothing is dealt before a bet, nothing twice, and always two cards each."""
    deal = Deal((parse("8s 8d"), parse("6h Kd")))
    table = Round(Rules()).apply(Bet(1, 100))

    with pytest.raises(RuleError, match="nobody has bet"):
        Round(Rules()).apply(deal)
    with pytest.raises(RuleError, match="already out"):
        table.apply(deal).apply(deal)
    with pytest.raises(DeckError, match="2 packs of 2 cards"):
        table.apply(Deal((parse("8s 8d Th"), parse("6h Kd"))))


def test_rule_3_a_short_deck_is_an_error():
    """A list that is no full shoe and ends too early is an error with the decision's index."""
    with pytest.raises(DeckError, match="the deck ends after 4 cards") as short:
        run("5s 6s | 9h Td |", "hit")
    assert short.value.at == 0
    with pytest.raises(DeckError, match="the deck has 3 cards: 2 packs of 2 need 4"):
        deal_from(parse("5s 9h 6s"), Round(Rules()).apply(Bet(1, 100)))


# --- rule 4: totals


@pytest.mark.parametrize(
    ("cards", "total", "turn"),
    [("As 6s", 17, True), ("As As", 12, True), ("Ks Qs", 20, True), ("5s 6s", 11, True)],
)
def test_rule_4_totals(cards, total, turn):
    """An ace counts 1 or 11, a face card 10."""
    round_ = run(f"{cards} | 9h Td |")

    assert round_.view().seats[0].hands[0].total == total
    assert (round_.view().turn is not None) is turn


def test_rule_4_bust_loses_at_once():
    """A hand over 21 loses at once, and stays lost when the dealer is bust."""
    round_ = run("Ts 6s | 9c 8c | 6h Td | Kc Kd", "hit")
    assert won(round_) == ["1 main 0 4 -100"]

    round_ = run("Ts 6s | 9c 8c | 6h Td | Kc Kd", "hit", "stand")
    assert won(round_) == ["1 main 0 4 -100", "2 main 0 10 +100"]
    assert outcomes(round_) == ["bust", "dealer bust"]
    assert [hand.is_bust for seat in round_.view().seats for hand in seat.hands] == [True, False]
    assert round_.view().dealer.is_bust


def test_rule_4_twenty_one_takes_no_more():
    """A hand that reaches 21 is finished, hard or soft."""
    hard = run("5s 6s | 9c 8c | 9h Td | Kc", "hit")
    soft = run("As 5s | 9c 8c | 9h Td | 5c", "hit")

    assert hard.view().turn.seat == soft.view().turn.seat == 2


# --- rule 5: blackjack


def test_rule_5_pays_at_once():
    """A blackjack is paid before anybody plays, if the dealer cannot have one."""
    round_ = run("5s 6s | As Kc | 9h Td |")

    assert won(round_) == ["2 main 0 5 +150"]
    assert round_.view().turn.seat == 1


@pytest.mark.parametrize(("odds", "net"), [("3:2", 150), ("6:5", 120), ("1:1", 100), ("2:1", 200)])
def test_rule_5_odds(odds, net):
    """A blackjack pays the odds that are set."""
    assert won(run("As Kc | 9h Td |", settings=f"blackjack_pays={odds}")) == [f"1 main 0 5 {net:+}"]


@pytest.mark.parametrize("hole_card", ["peek", "no_peek", "original_bets_only"])
@pytest.mark.parametrize("dealer", ["Kd As", "As Kd"])
def test_rule_5_pushes_against_blackjack(hole_card, dealer):
    """A blackjack against a dealer's blackjack is a push."""
    round_ = run(f"As Kc | {dealer} |", settings=f"hole_card={hole_card} insurance=no")

    assert (won(round_), outcomes(round_)) == (["1 main 0 5 +0"], ["push"])
    assert round_.view().dealer.cards == parse(dealer)


def test_rule_5_beats_a_dealers_21():
    """A blackjack is paid though the dealer draws to 21."""
    round_ = run("As Kc | 9c 8c | 6h Td | 5c", "stand")

    assert won(round_) == ["1 main 0 5 +150", "2 main 0 10 -100"]


@pytest.mark.parametrize("pair", ["As Ad", "Ts Kd"])
def test_rule_5_not_after_a_split(pair):
    """21 in two cards after a split is no blackjack: it pays even money and can push."""
    draws = "Kc 9c" if pair.startswith("A") else "Ac 9c"
    decisions = ["split"] if pair.startswith("A") else ["split", "stand"]

    assert won(run(f"{pair} | 9h Td | {draws}", *decisions))[0] == "1 main 0 10 +100"
    assert won(run(f"{pair} | 6h Td | {draws} 5c", *decisions))[0] == "1 main 0 10 +0"


def test_rule_5_not_in_three_cards():
    """21 in three cards pushes with a dealer's 21, and loses to a blackjack."""
    push = run("5s 6s | 6h Td | Kc 5c", "hit")
    lost = run("5s 6s | Th Ad | Kc", "hit", settings=NO_PEEK)

    assert won(push) == ["1 main 0 10 +0"]
    assert won(lost) == ["1 main 0 6 -100"]


# --- rule 6: the peek


@pytest.mark.parametrize(("dealer", "insure"), [("Kd As", False), ("As Kd", True)])
def test_rule_6_a_peeked_blackjack_ends_the_round(dealer, insure):
    """The dealer looks under an ace or a ten, and a blackjack ends the round at once."""
    round_ = run(f"5s 6s | 9c 9d | {dealer} |", *["insure 0"] * (2 * insure))

    assert round_.phase is Phase.SETTLED
    assert won(round_) == ["1 main 0 6 -100", "2 main 0 6 -100"]
    assert outcomes(round_) == ["dealer blackjack"] * 2
    assert round_.view().dealer.cards == parse(dealer)
    assert round_.cards_used == 6


def test_rule_6_a_dealers_21_is_not_a_blackjack():
    """Ace and nine with an ace, or three cards, are no blackjack."""
    round_ = run("Ts 9c | As 6d | 4c", "insure 0", "stand")

    assert won(round_) == ["1 main 0 10 -100"]
    assert outcomes(round_) == ["lower total"]


def test_rule_6_no_peek_takes_every_bet():
    """Without a peek a dealer's blackjack also takes doubled and split bets."""
    round_ = run("8s 8d | Th Ad | 3c Kc 9c", "split", "double", "stand", settings=NO_PEEK)

    assert won(round_) == ["1 main 0 6 -200", "1 main 1 6 -100"]
    assert outcomes(round_) == ["dealer blackjack"] * 2


def test_rule_6_original_bets_only():
    """With original bets only, the first hand loses the original bet and the rest is returned."""
    round_ = run("8s 8d | Th Ad | 3c Kc 9c", "split", "double", "stand", settings=ORIGINAL)

    assert won(round_) == ["1 main 0 6 -100", "1 main 1 6 +0"]
    assert [s.stake for s in round_.settlements()] == [200, 100]
    assert outcomes(round_) == ["dealer blackjack", "bet returned"]


@pytest.mark.parametrize(
    ("cards", "draws", "decisions", "expected"),
    [
        ("Ts 6s", "Kc", ["double"], ["1 main 0 6 -100"]),
        ("8s 8d", "9c 9d Kc Kd", ["split", "hit", "hit"], ["1 main 0 6 -100", "1 main 1 6 +0"]),
        ("8s 8d", "9c Kc 9d Kd", ["split", "hit", "double"], ["1 main 0 6 -100", "1 main 1 6 +0"]),
        ("Ts 6s", "Kc", ["hit"], ["1 main 0 4 -100"]),
    ],
)
def test_rule_6_original_bets_only_returns_bets_of_busts(cards, draws, decisions, expected):
    """A bet that a double or split added is returned, even if the hand went over 21."""
    hands = f"{cards} | {{}} | {draws}"
    if decisions == ["split", "hit", "hit"]:
        hands = f"{cards} | {{}} | 9c Kc 9d Kd"

    round_ = run(hands.format("Th Ad"), *decisions, settings=ORIGINAL)

    assert won(round_) == expected
    other = run(hands.format("Th 9d"), *decisions, settings=ORIGINAL)
    assert {s.rule for s in other.settlements()} == {"4"}
    assert sum(s.net for s in other.settlements()) == -other.staked


def test_rule_6_original_bets_only_busts_wait():
    """A bust with an added bet is not settled before the hole card is turned."""
    round_ = run("8s 8d | Th 9d | 9c Kc 9d", "split", "hit", settings=ORIGINAL)

    assert won(round_) == []
    lost = run("8s 8d | Th 9d | 9c Kc 9d", "split", "hit", "stand", settings=ORIGINAL)
    assert won(lost) == ["1 main 0 4 -100", "1 main 1 10 -100"]
    assert lost.view().dealer.cards == parse("Th 9d")


@pytest.mark.parametrize("hole_card", ["no_peek", "original_bets_only"])
def test_rule_6_a_small_up_card_hides_no_blackjack(hole_card):
    """If the up card is neither an ace nor a ten, nothing waits for the hole card."""
    settings = f"hole_card={hole_card} surrender=late"
    round_ = run(
        "As Kc | Ts 6s | Ts 5s | 9c 8c | 9h Ad | Kc", "surrender", "double", settings=settings
    )

    assert won(round_) == ["1 main 0 5 +150", "2 main 0 8e -50", "3 main 0 4 -200"]


def test_rule_6_no_peek_a_blackjack_waits():
    """Without a peek, a blackjack against an ace or a ten waits for the hole card."""
    open_ = run("As Kc | 9c 8c | Th 9d |", settings=NO_PEEK)
    paid = run("As Kc | 9c 8c | Th 9d |", "stand", settings=NO_PEEK)
    push = run("As Kc | 9c 8c | Th Ad |", "stand", settings=NO_PEEK)

    assert won(open_) == []
    assert won(paid) == ["1 main 0 5 +150", "2 main 0 10 -100"]
    assert won(push) == ["1 main 0 5 +0", "2 main 0 6 -100"]


# --- rule 7: insurance


@pytest.mark.parametrize(
    ("hole", "net", "outcome"),
    [("Kd", 100, "dealer blackjack"), ("9d", -50, "no dealer blackjack")],
)
def test_rule_7_pays_two_to_one(hole, net, outcome):
    """Insurance pays 2 to 1 on a dealer's blackjack, and is settled at the peek."""
    round_ = run(f"5s 6s | As {hole} |", "insure 50")

    assert won(round_)[0] == f"1 insurance 0 7 {net:+}"
    assert outcomes(round_)[0] == outcome
    assert round_.staked == 150
    assert (round_.phase is Phase.PLAYING) is (hole == "9d")


@pytest.mark.parametrize("hole", ["Kd", "9d"])
@pytest.mark.parametrize("main", [2, 100, 2500])
def test_rule_7_even_money(main, hole):
    """A blackjack insured for half wins the Main bet, whatever the hole card is."""
    round_ = run(f"As Kc | As {hole} |", f"insure {main // 2}", bets=[{"main": main}])

    assert sum(s.net for s in round_.settlements()) == main
    assert round_.phase is Phase.SETTLED


def test_rule_7_amounts():
    """Any amount of whole cents up to half is legal; 0 declines and is not settled."""
    dealt = run("5s 6s | As 9d |", bets=[{"main": 101}])

    assert (dealt.phase, legal(dealt)) == (Phase.INSURING, ["insure 0", "insure 50"])
    assert dealt.asked.decision == "insure"
    assert won(dealt.apply(Insure(1, 37))) == ["1 insurance 0 7 -37"]
    assert won(dealt.apply(Insure(1, 0))) == []
    with pytest.raises(RuleError, match="^insurance is at most 50 cents$"):
        dealt.apply(Insure(1, 51))
    with pytest.raises(RuleError, match="insurance of -1: a bet must be"):
        dealt.apply(Insure(1, -1))


def test_rule_7_one_cent():
    """A Main bet of one cent has no half: it is not offered insurance."""
    round_ = run("5s 6s | 9c 8c | As 9d |", "insure 1", bets=[{"main": 1}, {"main": 3}])

    assert round_.phase is Phase.PLAYING
    assert [str(decision) for decision in round_.decisions()] == ["insure 1"]
    with pytest.raises(RuleError, match="^insurance is at most 1 cent$"):
        run("5s 6s | As 9d |", "insure 2", bets=[{"main": 3}])


@pytest.mark.parametrize(("up", "settings"), [("Kd", ""), ("9d", ""), ("As", "insurance=no")])
def test_rule_7_only_under_an_ace(up, settings):
    """Insurance is offered under an ace, unless the house does not offer it."""
    round_ = run(f"5s 6s | {up} 9h |", settings=settings)

    assert round_.phase is Phase.PLAYING
    with pytest.raises(RuleError, match="^seat 1 is not offered insurance now$"):
        round_.apply(Insure(1, 50))


@pytest.mark.parametrize("hole", ["Kd", "9d"])
def test_rule_7_before_the_peek(hole):
    """While seats insure, the hole card is down and nothing tells a blackjack from another hand."""
    round_ = run(f"As Kc | 9c 8c | As {hole} |").apply(Insure(1, 50))

    assert round_.view().dealer.cards == (parse("As")[0], None)
    assert (round_.phase, round_.settlements(), round_.cards_used) == (Phase.INSURING, (), 6)


def test_rule_7_in_any_order():
    """Seats insure in any order, once; a journal lists them by seat up to the first open one."""
    dealt = run("5s 6s | 9c 8c | As 9d |")
    later = dealt.apply(Insure(2, 50))

    assert later.decisions() == ()
    assert later.asked.seat == 1
    assert legal(later) == ["insure 0", "insure 50"]
    assert later.legal(2) == ()
    assert later.apply(Insure(1, 0)).decisions() == (Insure(1, 0), Insure(2, 50))
    assert later.apply(Insure(1, 0)) == dealt.apply(Insure(1, 0)).apply(Insure(2, 50))
    with pytest.raises(RuleError, match="seat 2 is not offered insurance now"):
        later.apply(Insure(2, 50))
    with pytest.raises(RuleError, match="seat 3 is not offered insurance now"):
        later.apply(Insure(3, 50))
    with pytest.raises(RuleError, match="seat 1 may not hit now: the round is insuring"):
        later.apply(Hit(1))


def test_rule_7_chips_are_seen_at_once():
    """Everybody sees the chips of an insurance at once; a declined insurance shows nothing."""
    one = run("5s 6s | 9c 8c | As 9d |").apply(Insure(2, 50))
    declined = run("5s 6s | 9c 8c | As 9d |").apply(Insure(2, 0))

    for seat in (None, 1, 2):
        assert [s.added for s in one.view(seat).seats] == [{}, {"insurance": 50}]
        assert [s.added for s in declined.view(seat).seats] == [{}, {}]
    assert one.record() == one.view()


def test_rule_7_no_peek_settles_when_the_hole_card_is_turned():
    """Without a peek, insurance waits for the hole card, which is turned even for it alone."""
    text, decisions = "Ts 6s | As {} | Kc", ["insure 50", "hit"]
    found = run(text.format("Kd"), *decisions, settings=NO_PEEK)
    missed = run(text.format("9d"), *decisions, settings=NO_PEEK)

    assert won(found) == ["1 main 0 4 -100", "1 insurance 0 7 +100"]
    assert won(missed) == ["1 main 0 4 -100", "1 insurance 0 7 -50"]
    assert missed.view().dealer.cards == parse("As 9d")
    assert missed.draws == ()


def test_rule_7_no_peek_settles_before_the_dealer_draws():
    """Without a peek, insurance is settled when the hole card is turned, before the draws."""
    round_ = run("Ts 9s | As 3d |", "insure 50", settings=NO_PEEK).apply(Stand(1))

    assert round_.needs_card
    assert won(round_) == ["1 insurance 0 7 -50"]
    assert round_.view().dealer.cards == parse("As 3d")
    assert round_.view().turn is None


# --- rule 8: turns


def test_rule_8_left_to_right():
    """Seats play in order, each until it stands, is bust or reaches 21."""
    deck = tuple(deal_order("5s 6s | 9c 8c | Ts 6c | 9h Td | Kc Kd"))
    round_ = run("5s 6s | 9c 8c | Ts 6c | 9h Td | Kc Kd")
    turns = []
    for decision in ("hit", "stand", "hit"):
        turns.append(round_.view().turn.seat)
        round_ = supply(deck, round_.apply(read_decision(round_.asked.seat, decision)))

    assert turns == [1, 2, 3]
    assert round_.phase is Phase.SETTLED
    assert round_.decisions() == (Hit(1), Stand(2), Hit(3))


def test_rule_8_messages():
    """A rejected play says what the seat may do, or why it may do nothing."""
    round_ = run("5s 6s | 9c 8c | 9h Td |")

    with pytest.raises(RuleError, match="^seat 2 may not hit now: it is not its turn$"):
        round_.apply(Hit(2))
    with pytest.raises(
        RuleError, match="^seat 1 may not split now: it may hit or stand or double$"
    ):
        round_.apply(Split(1))
    with pytest.raises(RuleError, match="^seat 1 may not surrender now: it may hit or stand"):
        round_.apply(Surrender(1))
    done = run("As Kc | 9h Td |")
    with pytest.raises(RuleError, match="^seat 1 may not stand now: the round is settled$"):
        done.apply(Stand(1))
    with pytest.raises(RuleError, match="^seat 1 may not stand now: the round is betting$"):
        Round(Rules()).apply(Stand(1))
    with pytest.raises(RuleError, match="^'hit' is not an operation of this game$"):
        round_.apply("hit")


def test_rule_8_no_play_while_a_card_is_due():
    """While a card is due nothing is asked, and no other card is drawn."""
    round_ = run("5s 6s | 9h Td |")
    with pytest.raises(RuleError, match="^no card is needed now$"):
        round_.apply(Draw(parse("3c")[0]))
    waiting = round_.apply(Hit(1))

    assert waiting.needs_card
    assert waiting.asked is None
    assert waiting.legal() == ()
    with pytest.raises(GameError, match="it is not its turn"):
        waiting.apply(Hit(1))


# --- 8a: double


@pytest.mark.parametrize(
    ("cards", "allowed"),
    [
        ("5s 3s", {"any"}),
        ("5s 4s", {"any", "9-11"}),
        ("6s 4s", {"any", "9-11", "10-11"}),
        ("5s 6s", {"any", "9-11", "10-11"}),
        ("7s 5s", {"any"}),
        ("As 8s", {"any"}),
        ("As 9s", {"any"}),
        ("As As", {"any"}),
        ("Ts Js", {"any"}),
    ],
)
@pytest.mark.parametrize("double", DoubleOn)
def test_rule_8a_two_cards(cards, allowed, double):
    """Any two cards, or only a hard 9, 10 or 11, may double, by setting."""
    round_ = run(f"{cards} | 9h Td |", settings=f"double={double}")

    assert ("double" in legal(round_)) is (double in allowed)


def test_rule_8a_one_card():
    """A double adds an equal bet, receives one card and stands."""
    round_ = run("5s 6s | 9h Td | 2c", "double")

    assert won(round_) == ["1 main 0 10 -200"]
    assert (round_.staked, round_.decisions()) == (200, (Double(1),))
    assert legal(run("5s 6s | 9h Td | 2c", "hit")) == ["hit", "stand"]


def test_rule_8a_a_bust_double_loses_both():
    """A double that is bust loses the whole stake at once."""
    assert won(run("Ts 6s | 9c 8c | 9h Td | Kc", "double")) == ["1 main 0 4 -200"]


@pytest.mark.parametrize("setting", ["yes", "no"])
def test_rule_8a_after_a_split(setting):
    """A hand of a split may double, unless the house does not allow it."""
    round_ = run("8s 8d | 9h Td | 3c", "split", settings=f"double_after_split={setting}")

    assert ("double" in legal(round_)) is (setting == "yes")


# --- 8b: split


@pytest.mark.parametrize(
    ("cards", "may"),
    [("8s 8d", True), ("Ks Td", True), ("Js Qd", True), ("As Ad", True), ("8s 9d", False)],
)
def test_rule_8b_same_value(cards, may):
    """Two cards of the same value may split, tens and faces alike."""
    assert ("split" in legal(run(f"{cards} | 9h Td |"))) is may


def test_rule_8b_one_after_the_other():
    """A split hand receives its second card when its turn comes."""
    round_ = run("8s 8d | 9h Td | 3c", "split")

    assert [hand.cards for hand in round_.seats[0].hands] == [parse("8s 3c"), parse("8d")]
    assert [hand.stake for hand in round_.seats[0].hands] == [100, 100]
    assert (round_.staked, round_.view().turn.hand) == (200, 0)
    again = run("8s 8d | 9h Td | 3c 4c", "split", "stand")
    assert again.seats[0].hands[1].cards == parse("8d 4c")
    assert again.view().turn.hand == 1


def test_rule_8b_not_on_three():
    """Three cards do not split."""
    assert "split" not in legal(run("2s 2d | 9h Td | 4c", "hit"))


# --- 8c: how often


@pytest.mark.parametrize("most", range(4))
def test_rule_8c_up_to_four_hands(most):
    """A seat splits up to the number set, into one hand more than that."""
    round_ = run("Ts Td | 9h 8d | Th Tc Js Jd Jh", *["split"] * most, settings=f"max_splits={most}")

    assert len(round_.seats[0].hands) == most + 1
    assert "split" not in legal(round_)
    with pytest.raises(RuleError, match="seat 1 may not split now"):
        round_.apply(Split(1))


def test_rule_8c_every_seat_has_its_own():
    """Seats count their splits apart."""
    round_ = run(
        "Ts Td | 8s 8d | 9h 7d | 9c 9d", "split", "stand", "stand", settings="max_splits=1"
    )

    assert round_.view().turn.seat == 2
    assert "split" in legal(round_)


def test_rule_8c_hands_are_numbered_as_played():
    """A hand that splits again puts its new hand right behind it."""
    round_ = run("8s 8d | 9h 8c | 8h 3c 4c 5c", "split", "split", "stand", "stand", "stand")

    assert [hand.cards for hand in round_.seats[0].hands] == [
        parse("8s 3c"),
        parse("8h 4c"),
        parse("8d 5c"),
    ]
    assert [s.hand for s in round_.settlements()] == [0, 1, 2]


# --- 8d: split aces


def test_rule_8d_one_card_each():
    """Split aces receive one card each and are not asked, also with another ace."""
    round_ = run("As Ad | 9h 8c | Ac 4c", "split")

    assert [hand.total for hand in round_.seats[0].hands] == [12, 15]
    assert won(round_) == ["1 main 0 10 -100", "1 main 1 10 -100"]


def test_rule_8d_resplit():
    """By setting, a split ace that draws an ace may split again or stand."""
    deck, rule = "As Ad | 9h 8c | Ac 4c 5c 6c", "resplit_aces=yes"

    assert legal(run(deck, "split", settings=rule)) == ["stand", "split"]
    assert [h.cards for h in run(deck, "split", "stand", settings=rule).seats[0].hands] == [
        parse("As Ac"),
        parse("Ad 4c"),
    ]
    split = run(deck, "split", "split", settings=rule)
    assert [h.cards for h in split.seats[0].hands] == [
        parse("As 4c"),
        parse("Ac 5c"),
        parse("Ad 6c"),
    ]
    once = run(deck, "split", settings=f"{rule} max_splits=1")
    assert once.phase is Phase.SETTLED


def test_rule_8d_hit_split_aces():
    """By setting, split aces are hit and doubled like other split hands, but not split."""
    deck, rule = "As Ad | 9h 8c | Ac 4c 5c 6c", "hit_split_aces=yes"

    assert legal(run(deck, "split", settings=rule)) == ["hit", "stand", "double"]
    assert legal(run(deck, "split", settings=f"{rule} double_after_split=no")) == ["hit", "stand"]
    assert legal(run(deck, "split", settings=f"{rule} double=9-11")) == ["hit", "stand"]
    assert "split" in legal(run(deck, "split", settings=f"{rule} resplit_aces=yes"))
    assert legal(run(deck, "split", "hit", settings=rule)) == ["hit", "stand"]
    doubled = run(deck, "split", "double", "stand", settings=rule)
    assert [s.stake for s in doubled.settlements()] == [200, 100]
    finished = run("As Ad | 9h 8c | Kc Qc", "split", settings=rule)
    assert won(finished) == ["1 main 0 10 +100", "1 main 1 10 +100"]


# --- 8e: late surrender


def test_rule_8e_half_of_the_bet():
    """By setting, the first two cards may be given up for half of the bet, settled at once."""
    round_ = run("Ts 6s | 9c 8c | Th 9d |", "surrender", settings="surrender=late")

    assert won(round_) == ["1 main 0 8e -50"]
    assert outcomes(round_) == ["surrender"]
    assert round_.view().turn.seat == 2
    assert "surrender" not in legal(run("Ts 6s | Th 9d |"))


def test_rule_8e_first_decision_only():
    """Surrender is a first decision: not after a hit, not after a split."""
    late = "surrender=late"

    assert legal(run("8s 8d | 9h Td |", settings=late)) == [
        "hit",
        "stand",
        "double",
        "split",
        "surrender",
    ]
    assert legal(run("2s 2d | 9h Td | 3c", "hit", settings=late)) == ["hit", "stand"]
    assert "surrender" not in legal(run("8s 8d | 9h Td | 3c", "split", settings=late))
    assert "surrender" not in legal(run("8s 8d | 9h Td | 3c 4c", "split", "stand", settings=late))


@pytest.mark.parametrize("rule", [NO_PEEK, ORIGINAL])
def test_rule_8e_not_against_a_blackjack(rule):
    """Without a peek, a surrendered hand loses the whole bet to a dealer's blackjack."""
    text, settings = "Ts 6s | 9c 8c | {} |", f"{rule} surrender=late insurance=no"

    assert won(run(text.format("Th Ad"), "surrender", settings=settings)) == []
    lost = run(text.format("Th Ad"), "surrender", "stand", settings=settings)
    saved = run(text.format("Ah 9d"), "surrender", "stand", settings=settings)
    assert won(lost) == ["1 main 0 6 -100", "2 main 0 6 -100"]
    assert won(saved) == ["1 main 0 8e -50", "2 main 0 10 -100"]


def test_rule_8e_the_dealer_turns_for_a_surrender():
    """Without a peek, the hole card is turned for a surrendered hand alone, without a draw."""
    round_ = run("Ts 6s | Th 2d |", "surrender", settings=f"{NO_PEEK} surrender=late")
    peeked = run("Ts 6s | Th 2d |", "surrender", settings="surrender=late")

    assert (round_.view().dealer.cards, round_.draws) == (parse("Th 2d"), ())
    assert peeked.view().dealer.cards == (parse("Th")[0], None)


@pytest.mark.parametrize(
    ("rounding", "main", "net"),
    [
        ("cent", 100, -50),
        ("cent", 5, -2),
        ("down:5", 25, -15),
        ("down:100", 50, -50),
        ("up:5", 25, -10),
        ("up:100", 50, 0),
    ],
)
def test_rule_8e_rounding(rounding, main, net):
    """The returned half is rounded like winnings, but never to more than the bet."""
    settings = f"surrender=late rounding={rounding}"
    round_ = run("Ts 6s | 9h 8d |", "surrender", settings=settings, bets=[{"main": main}])

    assert [s.net for s in round_.settlements()] == [net]


# --- rule 9: the dealer


@pytest.mark.parametrize(
    ("dealer", "draws", "soft_17", "total"),
    [
        ("6h Ad", "4d", "hit", 21),
        ("6h Ad", "4d", "stand", 17),
        ("7h Kd", "4d", "hit", 17),
        ("7h Ad", "4d", "hit", 18),
        ("2h 4d", "Ac Ts", "hit", 17),
        ("2h 4d", "Ac 4s", "stand", 17),
        ("6h 6d", "5d 4d", "hit", 17),
        ("6h Td", "Kd", "stand", 26),
    ],
)
def test_rule_9_draws_to_17(dealer, draws, soft_17, total):
    """The dealer draws to 17, and hits soft 17 or stands, by setting."""
    round_ = run(f"Ts 8s | {dealer} | {draws}", "stand", settings=f"soft_17={soft_17}")

    assert round_.view().dealer.total == total


def test_rule_9_only_if_needed():
    """If every hand is bust, a blackjack or surrendered, the dealer neither turns nor draws."""
    round_ = run(
        "Ts 6s | As Kc | Ts 5s | 6h Td | Kd", "hit", "surrender", settings="surrender=late"
    )

    assert round_.phase is Phase.SETTLED
    assert round_.view().dealer.cards == (parse("6h")[0], None)
    assert round_.draws == ()


def test_rule_9_no_peek_turns_for_a_blackjack():
    """Without a peek, the hole card is turned for a blackjack alone, without a draw."""
    round_ = run("As Kc | Th 2d |", settings=NO_PEEK)

    assert (won(round_), round_.draws) == (["1 main 0 5 +150"], ())
    assert round_.view().dealer.cards == parse("Th 2d")


def test_rule_9_nothing_to_turn_for():
    """Without a peek, the hole card stays down if every hand is lost in any case."""
    for rule in (NO_PEEK, ORIGINAL):
        round_ = run("Ts 6s | Th Ad | Kc", "hit", settings=rule)
        assert round_.view().dealer.cards == (parse("Th")[0], None)
        assert won(round_) == ["1 main 0 4 -100"]


def test_rule_9_after_the_last_seat():
    """The hole card stays down until every seat is done; then it is shown with the draws."""
    round_ = run("Ts 8s | 9c 8c | 6h Td |", "stand")

    assert round_.view().dealer.cards[1] is None
    assert round_.apply(Stand(2)).view().dealer.cards == parse("6h Td")
    assert round_.apply(Stand(2)).apply(Draw(parse("4c")[0])).draws == parse("4c")


# --- rule 10: the comparison


@pytest.mark.parametrize(
    ("dealer", "net", "outcome"),
    [
        ("Th Kd", -100, "lower total"),
        ("Th 8d", 0, "push"),
        ("Th 7d", 100, "higher total"),
        ("6h Td", 100, "dealer bust"),
    ],
)
def test_rule_10_totals(dealer, net, outcome):
    """A dealer's bust pays every hand in play, else the higher total wins; equal totals push."""
    round_ = run(f"Ts 8s | {dealer} | Kc", "stand")

    assert [(s.rule, s.net, s.outcome) for s in round_.settlements()] == [("10", net, outcome)]


def test_rule_10_doubles_win_double():
    """A doubled hand wins and loses its whole stake."""
    assert won(run("5s 6s | Th 7d | Kc", "double")) == ["1 main 0 10 +200"]
    assert won(run("5s 6s | Th 7d | 6c", "double")) == ["1 main 0 10 +0"]


# --- rule 11: the shoe runs out


def blackjack_last(chance, size):
    """Deal pairs to six seats, a blackjack to the seventh, and an ace or a ten up."""
    deck = list(paired(chance, size))
    for place, card in {6: "As", 14: "Ks", 7: chance.choice(["Ad", "Td"])}.items():
        found = deck.index(parse(card)[0])
        deck[place], deck[found] = deck[found], deck[place]
    return tuple(deck)


@cache
def run_outs(settings="", shuffle=paired):
    """Return pairs of states of one deck: before and after a decision that needs a card."""
    rules = Rules().changed("decks=1", *settings.split())
    pairs = []
    for seed in range(150):
        chance = random.Random(seed)
        played = play(GAME, rules, chance, seats=7, greedy=True, shuffle=shuffle)
        for before in played.states:
            if before.cards_used == 52 and before.asked:
                pairs += [(before, before.apply(option)) for option in before.legal()]
    found = [
        (before, after)
        for before, after in pairs
        if after.phase is Phase.SETTLED and (after._wants_card or after._spot)
    ]
    assert len(found) > 5
    return found


def new_settlements(before, after):
    """Return the settlements that a decision added; the earlier ones stay in their order."""
    old = before.settlements()
    assert after.settlements()[: len(old)] == old
    return after.settlements()[len(old) :]


def kind_of(before, after):
    return str(after.plays[len(before.plays)])


@pytest.mark.parametrize("kind", ["hit", "double", "split", "stand"])
def test_rule_11_hands_in_play_are_returned(kind):
    """If a card is needed and none is left, every hand still in play is returned."""
    pairs = [pair for pair in run_outs() if kind_of(*pair) == kind]

    assert pairs
    for before, after in pairs:
        new = new_settlements(before, after)
        assert {(s.rule, s.net, s.outcome) for s in new if s.rule == "11"} == {
            ("11", 0, "no card left")
        }
        assert {s.rule for s in new} <= {"11", "4"}
        assert sum(s.stake for s in after.settlements()) == after.staked
        assert after.view().dealer.cards[1] is not None
        assert after.view().turn is None
        assert after.asked is None


@pytest.mark.parametrize("kind", ["double", "split"])
def test_rule_11_the_added_bet_is_returned_too(kind):
    """A double or a split with an empty shoe is legal; the added bet is returned."""
    for before, after in run_outs():
        if kind_of(before, after) == kind:
            seat, turn = before.asked.seat, before.view().turn
            main = next(s.bet.main for s in before.seats if s.number == seat)
            new = {s.hand: s for s in new_settlements(before, after) if s.seat == seat}
            stakes = [new[turn.hand].stake] if kind == "double" else []
            stakes += [new[turn.hand + i].stake for i in range(2)] if kind == "split" else []
            assert after.staked == before.staked + main
            assert sum(stakes) == 2 * main


def with_dealer(before, dealer):
    """Return a state with other cards of the dealer, as if they had been dealt."""
    return Round(before.rules, before.seats, dealer, before.draws, before.plays)


@pytest.mark.parametrize("hole_card", ["no_peek", "original_bets_only"])
def test_rule_11_a_dealers_blackjack_comes_first(hole_card):
    """Without a peek, a blackjack under the up card is settled before hands are returned."""
    found = Counter()
    for before, after in run_outs(f"hole_card={hole_card}"):
        if kind_of(before, after) != "hit" or before.dealer[0].value not in {1, 10}:
            continue
        up = before.dealer[0]
        hole = Card(Rank.KING if up.value == 1 else Rank.ACE, Suit.SPADES)
        state = with_dealer(before, (up, hole)).apply(after.plays[-1])
        new = new_settlements(with_dealer(before, (up, hole)), state)
        assert state.phase is Phase.SETTLED
        assert {s.rule for s in new if s.bet == "main"} <= {"5", "6"}
        for s in new:
            found[s.outcome] += 1
        for seat in state.seats:
            nets = [s.net for s in new if (s.seat, s.bet) == (seat.number, "main")]
            if hole_card == "original_bets_only" and len(nets) == len(seat.hands):
                assert sum(nets) in {-seat.bet.main, 0}
    assert found["dealer blackjack"]
    assert (found["bet returned"] > 0) is (hole_card == "original_bets_only")


def test_rule_11_bets_that_waited_are_settled():
    """Without a peek, blackjacks, surrenders and insurance that waited are settled at a run-out."""
    found = set()
    for before, after in run_outs("hole_card=no_peek surrender=late", blackjack_last):
        found |= {(s.rule, s.outcome) for s in new_settlements(before, after)}
        assert not {s.rule for s in before.settlements() if s.bet == "main"} - {"4"}
    assert found >= {
        ("5", "blackjack"),
        ("7", "no dealer blackjack"),
        ("8e", "surrender"),
        ("11", "no card left"),
    }


def test_rule_11_the_last_card_is_dealt():
    """The last card of the shoe is drawn; only the next one is missing."""
    before, after = run_outs()[0]

    assert (before.view().cards_left, before.phase) == (0, Phase.PLAYING)
    assert not before.needs_card
    assert not after.needs_card


# --- rule 12: Perfect Pairs


@pytest.mark.parametrize(
    ("cards", "found"),
    [
        ("8s 8s", PerfectPairs.PERFECT_PAIR),
        ("8s 8c", PerfectPairs.COLORED_PAIR),
        ("8h 8d", PerfectPairs.COLORED_PAIR),
        ("8s 8d", PerfectPairs.MIXED_PAIR),
        ("8h 8c", PerfectPairs.MIXED_PAIR),
        ("Ts Js", None),
        ("8s 9s", None),
    ],
)
def test_rule_12_classes(cards, found):
    """A pair has the same rank: perfect in one suit, colored in one color, else mixed."""
    assert perfect_pairs(parse(cards)) is found
    assert perfect_pairs(parse(cards)[::-1]) is found


@pytest.mark.parametrize(("table", "pays"), [("25-12-6", [25, 12, 6]), ("30-10-5", [30, 10, 5])])
def test_rule_12_pays(table, pays):
    """Each published table pays its odds; any other hand loses."""
    settings = f"perfect_pairs_paytable={table}"
    hands = ["8s 8s", "8s 8c", "8s 8d", "8s 9s"]
    settled = [side(f"{h} | 9h Td |", settings, perfect_pairs=10)[0] for h in hands]

    assert [s.net for s in settled] == [10 * p for p in pays] + [-10]
    assert [s.outcome for s in settled] == ["perfect pair", "colored pair", "mixed pair", "no win"]
    assert {s.rule for s in settled} == {"12"}


# --- rule 13: 21+3


@pytest.mark.parametrize(
    ("cards", "found"),
    [
        ("7s 7s 7s", PlusThree.SUITED_THREE_OF_A_KIND),
        ("Ks Qs Js", PlusThree.STRAIGHT_FLUSH),
        ("As 2s 3s", PlusThree.STRAIGHT_FLUSH),
        ("As Ks Qs", PlusThree.STRAIGHT_FLUSH),
        ("7c 7d 7d", PlusThree.THREE_OF_A_KIND),
        ("As Kd Qs", PlusThree.STRAIGHT),
        ("2d As 3s", PlusThree.STRAIGHT),
        ("2s Ks As", PlusThree.FLUSH),
        ("2s 2s As", PlusThree.FLUSH),
        ("Ks Ks As", PlusThree.FLUSH),
        ("As As Ks", PlusThree.FLUSH),
        ("2s Kd As", None),
        ("7c 7d 8h", None),
        ("As Ad Ks", None),
    ],
)
def test_rule_13_classes(cards, found):
    """Three cards are classed as in three-card poker, in any order; a suited pair is a flush."""
    for order in itertools.permutations(parse(cards)):
        assert plus_three(order) is found


@pytest.mark.parametrize(
    ("table", "pays"),
    [
        ("9-9-9-9", [9, 9, 9, 9, 9]),
        ("100-40-30-10-5", [100, 40, 30, 10, 5]),
        ("30-20-10-5", [20, 30, 20, 10, 5]),
    ],
)
def test_rule_13_pays(table, pays):
    """Each published table pays its odds on the first two cards and the up card."""
    hands = [
        "7s 7s | 7s Td |",
        "7s 8s | 9s Td |",
        "7s 7d | 7s Td |",
        "7s 8d | 9s Td |",
        "7s 2s | 9s Td |",
        "7s 8s | Td 9s |",
    ]
    settled = [side(h, f"plus_three_paytable={table}", plus_three=10)[0] for h in hands]

    assert [s.net for s in settled] == [10 * p for p in pays] + [-10]
    assert [s.outcome for s in settled] == [*(c.replace("_", " ") for c in PlusThree), "no win"]
    assert {(s.rule, s.bet) for s in settled} == {("13", "21+3")}


# --- rule 14: Lucky Ladies


@pytest.mark.parametrize(
    ("cards", "found"),
    [
        ("Qh Qh", LuckyLadies.QUEENS_OF_HEARTS),
        ("Qs Qs", LuckyLadies.MATCHED_20),
        ("Th Th", LuckyLadies.MATCHED_20),
        ("Qh Kh", LuckyLadies.SUITED_20),
        ("Ah 9h", LuckyLadies.SUITED_20),
        ("Qh Qd", LuckyLadies.ANY_20),
        ("As 9h", LuckyLadies.ANY_20),
        ("Ts 9h", None),
        ("As Kh", None),
    ],
)
def test_rule_14_classes(cards, found):
    """Two cards that total 20 win, better if suited, matched or the queens of hearts."""
    for order in (parse(cards), parse(cards)[::-1]):
        assert lucky_ladies(order, dealer_blackjack=False) is found
    queens = found is LuckyLadies.QUEENS_OF_HEARTS
    top = LuckyLadies.QUEENS_AND_DEALER_BLACKJACK
    assert lucky_ladies(parse(cards), dealer_blackjack=True) is (top if queens else found)


@pytest.mark.parametrize(
    ("table", "pays"),
    [
        ("1000-125-19-9-4", [1000, 125, 19, 9, 4]),
        ("1000-200-25-10-4", [1000, 200, 25, 10, 4]),
    ],
)
def test_rule_14_pays(table, pays):
    """Each published table pays its odds."""
    hands = [
        "Qh Qh | Td As |",
        "Qh Qh | 9h Td |",
        "Qs Qs | 9h Td |",
        "Qs Ks | 9h Td |",
        "Qs Kd | 9h Td |",
        "Qs 9d | 9h Td |",
    ]
    settled = [side(h, f"lucky_ladies_paytable={table}", lucky_ladies=10)[0] for h in hands]

    assert [s.net for s in settled] == [10 * p for p in pays] + [-10]
    assert [s.outcome for s in settled] == [
        "queens and dealer blackjack",
        "queens of hearts",
        "matched 20",
        "suited 20",
        "any 20",
        "no win",
    ]
    assert {s.rule for s in settled} == {"14"}


LADIES = [{"main": 100, "lucky_ladies": 10}]


def test_rule_14_queens_wait_for_insurance():
    """Two queens of hearts wait for the peek: a settlement would show the hole card."""
    dealt = run("Qh Qh | As Td |", bets=LADIES)

    assert won(dealt) == []
    assert won(dealt.apply(Insure(1, 50))) == [
        "1 lucky_ladies 0 14 +10000",
        "1 insurance 0 7 +100",
        "1 main 0 6 -100",
    ]


@pytest.mark.parametrize(("hole", "net"), [("Ad", 10_000), ("2d", 1_250)])
def test_rule_14_queens_wait_without_a_peek(hole, net):
    """Without a peek, two queens of hearts wait until the hole card is turned for them."""
    text, settings = f"Qh Qh | Td {hole} | 5c", NO_PEEK
    dealt = run(text, settings=settings, bets=LADIES)
    lost = run(text, "hit", settings=settings, bets=LADIES)

    assert won(dealt) == []
    assert won(lost) == ["1 main 0 4 -100", f"1 lucky_ladies 0 14 {net:+}"]
    assert lost.view().dealer.cards == parse(f"Td {hole}")
    assert lost.draws == ()


def test_rule_14_settled_bets_keep_their_order():
    """Without a peek and with a small up card, the queens are paid before anybody plays."""
    bets = [{"main": 100}, {"main": 100, "lucky_ladies": 10}]
    text = "Ts 6s | Qh Qh | 9h Td | Kc"

    assert won(run(text, settings=NO_PEEK, bets=bets)) == ["2 lucky_ladies 0 14 +1250"]
    assert won(run(text, "hit", settings=NO_PEEK, bets=bets)) == [
        "2 lucky_ladies 0 14 +1250",
        "1 main 0 4 -100",
    ]


def test_rules_12_to_14_are_settled_first():
    """Side bets are settled by seat, before anything else; other side bets wait for nobody."""
    bet = {"main": 100, "perfect_pairs": 10, "21+3": 20, "lucky_ladies": 30}
    round_ = run("As Kc | Qh Qh | Ac 9d |", bets=[bet, bet])

    assert [(s.seat, s.bet, s.net) for s in round_.settlements()] == [
        (1, "perfect_pairs", -10),
        (1, "21+3", -20),
        (1, "lucky_ladies", -30),
        (2, "perfect_pairs", 250),
        (2, "21+3", -20),
    ]
    assert (round_.phase, round_.staked) == (Phase.INSURING, 320)


@pytest.mark.parametrize(
    ("setting", "lines", "nets"),
    [
        ("perfect_pairs", {"mixed_pair": "7:2", "colored_pair": "0:1"}, [-10, 0, 35]),
        ("plus_three", {"flush": "3:1", "three_of_a_kind": "2:1"}, [-10, 20, 30]),
        ("lucky_ladies", {"matched_20": "5:1", "queens_of_hearts": "0:1"}, [0, 50, -10]),
    ],
)
def test_rules_12_to_14_custom_tables(setting, lines, nets):
    """A custom table pays its odds; a class that it does not list loses, however good it is."""
    hands = {
        "perfect_pairs": ["8s 8s | 9h Td |", "8s 8c | 9h Td |", "8s 8d | 9h Td |"],
        "plus_three": ["7s 7s | 7s Td |", "7s 7d | 7s Td |", "7s 2s | 9s Td |"],
        "lucky_ladies": ["Qh Qh | 9h Td |", "Ks Ks | 9h Td |", "Ks Td | 9h Td |"],
    }[setting]
    table = [{"on": [on], "pays": pays} for on, pays in lines.items()]
    rule = f"{setting}_paytable={json.dumps(table, separators=(',', ':'))}"

    assert [side(hand, rule, **{setting: 10})[0].net for hand in hands] == nets


# --- the pay tables, compared with published counts


def copies(decks, cards):
    """Return the number of ways to take these cards, in order, from so many decks."""
    ways, left = 1, Counter(dict.fromkeys(DECK, decks))
    for card in cards:
        ways *= left[card]
        left[card] -= 1
    return ways


def test_rule_13_published_counts():
    """Six decks: the counts of 21+3 are those of the Wizard of Odds (version 1, six decks)."""
    counts = Counter()
    for cards in itertools.combinations_with_replacement(DECK, 3):
        orders = len(set(itertools.permutations(cards)))
        counts[plus_three(cards)] += copies(6, cards) * orders // 6
    total = 6 * 52 * (6 * 52 - 1) * (6 * 52 - 2) // 6

    assert counts.total() == total == 5_013_320
    assert counts[PlusThree.STRAIGHT_FLUSH] == 10_368
    assert counts[PlusThree.THREE_OF_A_KIND] + counts[PlusThree.SUITED_THREE_OF_A_KIND] == 26_312
    assert counts[PlusThree.STRAIGHT] == 155_520
    assert counts[PlusThree.FLUSH] == 236_736 + 56_160
    paid = total - counts[None]
    assert round(float(1 - Fraction(10 * paid, total)), 6) == 0.032386


def house_edge(decks, table: Paytable, classify):
    """Return the house edge of a bet on the first two cards."""
    lost, total = Fraction(0), 0
    for cards in itertools.product(DECK, repeat=2):
        ways = copies(decks, cards)
        total += ways
        lost -= ways * classify(cards, table)
    return lost / total


def pair_net(cards, table):
    odds = table.odds(perfect_pairs(cards))
    return odds.win if odds else -1


@pytest.mark.parametrize(("decks", "percent"), [(2, 22.33), (4, 10.14), (6, 6.11), (8, 4.10)])
def test_rule_12_published_edges(decks, percent):
    """The edges of Perfect Pairs 25-12-6 are the published ones."""
    edge = house_edge(decks, PERFECT_PAIRS["25-12-6"], pair_net)

    assert round(float(100 * edge), 2) == percent


@pytest.mark.parametrize(
    ("table", "decks", "percent"),
    [
        ("1000-125-19-9-4", 6, 24.71),
        ("1000-125-19-9-4", 8, 24.05),
        ("1000-200-25-10-4", 2, 24.94),
        ("1000-200-25-10-4", 4, 19.46),
        ("1000-200-25-10-4", 6, 17.64),
    ],
)
def test_rule_14_published_edges(table, decks, percent):
    """The edges of Lucky Ladies are the published ones."""
    tens, cards_left = 16 * decks - 2, 52 * decks - 2
    blackjack = Fraction(2 * tens * 4 * decks, cards_left * (cards_left - 1))

    def ladies_net(cards, odds):
        plain, best = (
            odds.odds(lucky_ladies(cards, dealer_blackjack=found)) for found in (False, True)
        )
        if plain is None:
            return -1
        return plain.win + (best.win - plain.win) * blackjack

    edge = house_edge(decks, LUCKY_LADIES[table], ladies_net)
    assert round(float(100 * edge), 2) == percent


def test_tables_are_named_after_their_odds():
    """The name of a published table lists its odds to 1, best hand first."""
    for tables in (PERFECT_PAIRS, PLUS_THREE, LUCKY_LADIES):
        for name, table in tables.items():
            assert name == "-".join(str(odds.win) for _, odds in table.lines)
            assert {odds.stake for _, odds in table.lines} == {1}


# --- money, decisions, hands, journals


@pytest.mark.parametrize(("rounding", "net"), [("cent", 8), ("down:5", 5), ("up:5", 10)])
def test_odd_amounts(rounding, net):
    """3 to 2 on an odd number of cents is rounded as the setting says."""
    round_ = run("As Kc | 9h Td |", settings=f"rounding={rounding}", bets=[{"main": 5}])

    assert [s.net for s in round_.settlements()] == [net]


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("hit", Hit(3)),
        (" stand ", Stand(3)),
        ("double", Double(3)),
        ("split", Split(3)),
        ("surrender", Surrender(3)),
        ("insure 500", Insure(3, 500)),
    ],
)
def test_decisions_read(text, decision):
    """Decisions are read as they are written."""
    assert read_decision(3, text) == decision
    assert str(decision) == text.strip()


@pytest.mark.parametrize("word", ["fold", "SPLIT", "insure", "insure -5", "hit me", ""])
def test_no_such_decision(word):
    """A text that is not a decision is an error that lists the decisions."""
    with pytest.raises(NotationError, match=f"^'{word}' is not a decision of this game") as wrong:
        read_decision(1, word)
    assert str(wrong.value).endswith("'insure 500' (cents), hit, stand, double, split or surrender")


def test_plays_of_different_words_differ():
    """Two plays are equal if their seat and their word are."""
    assert Hit(1) == Hit(1) != Stand(1)
    assert Hit(1) != Hit(2)


def test_hands_of_21():
    """The shared hand knows its total, pairs, blackjacks and split aces."""
    eights = Hand(parse("8s 8d"), 100)
    one, two = play_hand(eights, Split(1))

    assert (eights.is_pair, eights.is_blackjack, eights.needs_card) == (True, False, False)
    assert (one.cards, two.cards, one.needs_card) == (parse("8s"), parse("8d"), True)
    assert add_card(one, parse("8h")[0]) == Hand(parse("8s 8h"), 100, from_split=True)
    assert Hand(parse("As Kd"), 100).is_settled_at_once
    assert not Hand(parse("As Kd"), 100, from_split=True).is_blackjack
    assert Hand(parse("Ts 6d Kc"), 100).is_settled_at_once
    assert [hand.is_split_ace for hand in play_hand(Hand(parse("As Ad"), 1), Split(1))] == [
        True
    ] * 2
    assert play_hand(eights, Stand(1))[0].stood
    assert play_hand(eights, Hit(1))[0].called
    (doubled,) = play_hand(eights, Double(1))
    assert (doubled.stake, doubled.doubled, doubled.needs_card) == (200, True, True)
    assert [dealer_hits(parse("As 6d"), rule) for rule in Soft17] == [True, False]


def test_journal_round_trip():
    """A journal of a round with every kind of decision replays to the same round."""
    text = "8s 8d | Ts 6s | As 9d | 3c 9c 5c 4c Kc"
    decisions = ["insure 50", "insure 0", "split", "double", "hit", "stand", "surrender"]
    round_ = run(text, *decisions, settings="surrender=late")
    deck = tuple(deal_order(text))
    journal = write_journal(GAME, round_, deck)

    assert journal["decisions"] == decisions
    assert journal["net"] == {"1": -150, "2": -50}
    assert replay(read_journal(json.dumps(journal))) == round_


def test_no_bet_no_view():
    """A seat without a bet has no view of its own; before the deal there is nothing to see."""
    table = Round(Rules()).apply(Bet(1, 100))

    with pytest.raises(RuleError, match="seat 2 has no bet in this round"):
        table.view(2)
    view = table.view(1)
    assert (view.phase, view.dealer.cards, view.settlements) == ("betting", (), ())
    assert (view.seats[0].cards, view.cards_left, table.staked) == ((), 312, 100)


# --- every round


def played_rounds(count, **fixed):
    for seed in range(count):
        chance = random.Random(seed)
        rules = random_rules(chance, GAME, seats=7, **fixed)
        yield play(GAME, rules, chance, shuffle=chance.choice([shuffled, stacked, paired]))


def test_settlements_are_only_added():
    """The money moves in the order of the settlements: later ones come after earlier ones."""
    for played in played_rounds(300):
        for before, after in itertools.pairwise(played.states):
            new_settlements(before, after)


def test_original_bets_only_is_a_peek():
    """Against a dealer's blackjack, a seat loses the same with original bets only and a peek."""
    found = 0
    for played in played_rounds(400, hole_card="original_bets_only", insurance=False):
        round_ = played.round
        if not round_._has_blackjack:
            continue
        for seat in round_.seats:
            nets = [
                s.net for s in round_.settlements() if s.seat == seat.number and s.bet == "main"
            ]
            assert sum(nets) == (0 if seat.hands[0].is_blackjack else -seat.bet.main)
            found += len(nets) > 1
    assert found > 10
