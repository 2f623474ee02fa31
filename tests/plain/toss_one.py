"""Toss One 21, settled step by step in the order of the numbered rules.

The tests use it as a second opinion: it is slow, has no shortcuts, and shares no code with the
package.
"""

import math
from fractions import Fraction
from typing import Any

# What a card counts, the ace as 1.
CARD_VALUE: dict[str, int] = {
    "A": 1,
    "2": 2,
    "3": 3,
    "4": 4,
    "5": 5,
    "6": 6,
    "7": 7,
    "8": 8,
    "9": 9,
    "T": 10,
    "J": 10,
    "Q": 10,
    "K": 10,
}

CARD_COLOUR: dict[str, str] = {"s": "black", "c": "black", "h": "red", "d": "red"}

# Winnings per unit staked; a push wins 0, a class or total that is not here loses.
LUCKY3_TABLE_1: dict[str, Fraction] = {
    "suited_blackjack": Fraction(40),
    "coloured_blackjack": Fraction(10),
    "suited_21": Fraction(5),
    "coloured_21": Fraction(3),
    "blackjack": Fraction(2),
    "21": Fraction(0),
}

LUCKY3_TABLE_2: dict[str, Fraction] = {
    "suited_blackjack": Fraction(20),
    "coloured_blackjack": Fraction(8),
    "suited_21": Fraction(4),
    "coloured_21": Fraction(3),
    "blackjack": Fraction(3, 2),
    "21": Fraction(1),
}

BONUS4_TABLE_LETTER: dict[int, Fraction] = {
    4: Fraction(250),
    5: Fraction(150),
    6: Fraction(50),
    7: Fraction(50),
    8: Fraction(50),
    9: Fraction(10),
    10: Fraction(10),
    11: Fraction(4),
    12: Fraction(4),
    13: Fraction(4),
    14: Fraction(4),
    15: Fraction(4),
    16: Fraction(4),
    17: Fraction(2),
    18: Fraction(2),
    19: Fraction(2),
    20: Fraction(2),
    21: Fraction(2),
}


# Cards


def hard_total(cards: list[str]) -> int:
    """The total with every ace as 1."""
    total = 0
    for card in cards:
        total = total + CARD_VALUE[card[0]]
    return total


def has_ace(cards: list[str]) -> bool:
    for card in cards:
        if card[0] == "A":
            return True
    return False


def best_total(cards: list[str]) -> int:
    """The blackjack total: one ace counts 11 unless the total would exceed 21."""
    total = hard_total(cards)
    if has_ace(cards) and total + 10 <= 21:
        return total + 10
    return total


def without(cards: list[str], tossed: str) -> list[str]:
    """The cards that remain when a card with this text is tossed."""
    kept = list(cards)
    kept.remove(tossed)
    return kept


def is_blackjack(kept: list[str]) -> bool:
    """An ace and two ten-value cards."""
    aces = 0
    tens = 0
    for card in kept:
        if card[0] == "A":
            aces = aces + 1
        elif card[0] in ("T", "J", "Q", "K"):
            tens = tens + 1
    return len(kept) == 3 and aces == 1 and tens == 2


def kicker_value(rules: dict[str, Any], tossed: str) -> int:
    if tossed[0] == "A":
        if rules["ace_kicker"] == "high":
            return 11
        if rules["ace_kicker"] == "low":
            return 1
        raise ValueError(f"unknown ace_kicker: {rules['ace_kicker']!r}")
    return CARD_VALUE[tossed[0]]


# Tosses


def best_tosses(cards: list[str]) -> list[str]:
    """The tosses that leave the best total, each text once, in dealing order; empty for a bust."""
    best = 0
    for tossed in cards:
        total = best_total(without(cards, tossed))
        if total <= 21 and total > best:
            best = total
    tosses: list[str] = []
    if best == 0:
        return tosses
    for tossed in cards:
        if best_total(without(cards, tossed)) == best and tossed not in tosses:
            tosses.append(tossed)
    return tosses


def chosen_toss(rules: dict[str, Any], cards: list[str]) -> str | None:
    """The best toss for which Lucky 3 pays most; among equals, the first in dealing order."""
    chosen: str | None = None
    chosen_pays = Fraction(0)
    for tossed in best_tosses(cards):
        pays = lucky3_pays(rules, without(cards, tossed))
        if pays is None:
            pays = Fraction(-1)
        if chosen is None or pays > chosen_pays:
            chosen = tossed
            chosen_pays = pays
    return chosen


# Pay tables and money


def odds(text: str) -> Fraction:
    """The winnings per unit of odds like "3:2"."""
    left, right = text.split(":")
    return Fraction(int(left), int(right))


def lucky3_class(kept: list[str]) -> str | None:
    """The first class of the table that the three kept cards fit."""
    first_suit = kept[0][1]
    suited = True
    coloured = True
    for card in kept:
        if card[1] != first_suit:
            suited = False
        if CARD_COLOUR[card[1]] != CARD_COLOUR[first_suit]:
            coloured = False
    if best_total(kept) != 21:
        return None
    if is_blackjack(kept) and suited:
        return "suited_blackjack"
    if is_blackjack(kept) and coloured:
        return "coloured_blackjack"
    if suited:
        return "suited_21"
    if coloured:
        return "coloured_21"
    if is_blackjack(kept):
        return "blackjack"
    return "21"


def lucky3_pays(rules: dict[str, Any], kept: list[str]) -> Fraction | None:
    """The winnings per unit of Lucky 3 (a push is 0), or None if it loses."""
    name = lucky3_class(kept)
    if name is None:
        return None
    table = rules["lucky3_paytable"]
    if table == 1:
        return LUCKY3_TABLE_1[name]
    if table == 2:
        return LUCKY3_TABLE_2[name]
    if isinstance(table, list):
        for line in table:
            if name in line["on"]:
                return odds(line["pays"])
        return None
    raise ValueError(f"unknown lucky3_paytable: {table!r}")


def bonus4_pays(rules: dict[str, Any], cards: list[str]) -> Fraction | None:
    """The winnings per unit of Bonus 4 (a push is 0), or None if it loses."""
    total = hard_total(cards)
    if total > 21:
        return None
    table = rules["bonus4_paytable"]
    if table == "letter":
        return BONUS4_TABLE_LETTER[total]
    if isinstance(table, list):
        for line in table:
            if total in line["on"]:
                return odds(line["pays"])
        return None
    raise ValueError(f"unknown bonus4_paytable: {table!r}")


def rounded(rules: dict[str, Any], winnings: Fraction) -> int:
    """The winnings of one bet in whole cents, or in whole chips."""
    rounding = rules["rounding"]
    if rounding == "cent":
        return math.floor(winnings + Fraction(1, 2))
    way, chip_text = rounding.split(":")
    chip = int(chip_text)
    if way == "down":
        return math.floor(winnings / chip) * chip
    if way == "up":
        return math.ceil(winnings / chip) * chip
    raise ValueError(f"unknown rounding: {rounding!r}")


def settled(
    rules: dict[str, Any], seat: int, bet: str, rule: str, stake: int, pays: Fraction | None
) -> dict[str, Any]:
    """One settlement; if *pays* is None, the stake is lost."""
    if pays is None:
        net = -stake
    else:
        net = rounded(rules, stake * pays)
    return {"seat": seat, "bet": bet, "hand": 0, "rule": rule, "stake": stake, "net": net}


# The round


def main_result(
    rules: dict[str, Any], kept: list[str], tossed: str, dealer: list[str]
) -> tuple[str, bool]:
    """The rule that decides Main after the dealer's reveal, and whether the player wins."""
    dealer_tosses = best_tosses(dealer)
    if dealer_tosses == []:
        return "6", True

    # Tosses that leave the same total are worth the same, so any of them will do.
    dealer_tossed = dealer_tosses[0]
    dealer_kept = without(dealer, dealer_tossed)

    player_total = best_total(kept)
    dealer_total = best_total(dealer_kept)
    if player_total > dealer_total:
        return "7", True
    if player_total < dealer_total:
        return "7", False

    # Equal totals; the player has no blackjack here, that was paid before.
    if rules["dealer_blackjack"] == "beats_21":
        if is_blackjack(dealer_kept):
            return "7", False
    elif rules["dealer_blackjack"] != "is_21":
        raise ValueError(f"unknown dealer_blackjack: {rules['dealer_blackjack']!r}")

    player_kicker = kicker_value(rules, tossed)
    dealer_kicker = kicker_value(rules, dealer_tossed)
    if player_kicker > dealer_kicker:
        return "7", True
    if player_kicker < dealer_kicker:
        return "7", False
    return "9", False


def settle(
    rules: dict[str, Any],
    deck: list[str],
    bets: list[dict[str, int]],
    tosses: dict[int, str],
) -> list[dict[str, Any]]:
    """All settlements of a round, in the order the money moves."""
    # Rules 1 and 2: the bets, then four cards to each seat, the last four to the dealer.
    bet_of: dict[int, dict[str, int]] = {}
    for bet in bets:
        if bet["seat"] in bet_of:
            raise ValueError(f"seat {bet['seat']} bets twice")
        if bet.get("main", 0) <= 0:
            raise ValueError(f"seat {bet['seat']} has no main bet")
        bet_of[bet["seat"]] = bet
    seats = sorted(bet_of)
    if len(deck) < 4 * len(seats) + 4:
        raise ValueError("the deck does not hold all the packs")
    cards_of: dict[int, list[str]] = {}
    position = 0
    for seat in seats:
        cards_of[seat] = deck[position : position + 4]
        position = position + 4
    dealer = deck[position : position + 4]

    # Rule 3: the tosses; a seat that must bust is asked nothing.
    for seat in tosses:
        if seat not in seats:
            raise ValueError(f"seat {seat} tosses but does not bet")
    busted: dict[int, bool] = {}
    kept_of: dict[int, list[str]] = {}
    for seat in seats:
        cards = cards_of[seat]
        best = best_tosses(cards)
        if best == []:
            if seat in tosses:
                raise ValueError(f"seat {seat} busts and has nothing to toss")
            busted[seat] = True
            continue
        if seat not in tosses:
            raise ValueError(f"seat {seat} has not tossed")
        tossed = tosses[seat]
        if tossed not in cards:
            raise ValueError(f"seat {seat} does not hold {tossed}")
        if rules["toss"] == "must_be_best":
            if tossed not in best:
                raise ValueError(f"seat {seat} may not toss {tossed}")
        elif rules["toss"] != "free":
            raise ValueError(f"unknown toss: {rules['toss']!r}")
        kept_of[seat] = without(cards, tossed)
        busted[seat] = best_total(kept_of[seat]) > 21

    settlements: list[dict[str, Any]] = []

    # Rules 4 and 8: busts and blackjacks are settled at once.
    for seat in seats:
        main = bet_of[seat]["main"]
        lucky3 = bet_of[seat].get("lucky3", 0)
        bonus4 = bet_of[seat].get("bonus4", 0)
        if busted[seat]:
            settlements.append(settled(rules, seat, "main", "4", main, None))
            if lucky3 > 0:
                settlements.append(settled(rules, seat, "lucky3", "4", lucky3, None))
            if bonus4 > 0:
                settlements.append(settled(rules, seat, "bonus4", "4", bonus4, None))
        elif is_blackjack(kept_of[seat]):
            main_pays = odds(rules["blackjack_pays"])
            settlements.append(settled(rules, seat, "main", "8", main, main_pays))
            if lucky3 > 0:
                pays = lucky3_pays(rules, kept_of[seat])
                settlements.append(settled(rules, seat, "lucky3", "10", lucky3, pays))
            if bonus4 > 0:
                pays = bonus4_pays(rules, cards_of[seat])
                settlements.append(settled(rules, seat, "bonus4", "11", bonus4, pays))

    # Rules 5, 6, 7 and 9: the dealer's hand, and the seats still in action against it.
    for seat in seats:
        if busted[seat] or is_blackjack(kept_of[seat]):
            continue
        main = bet_of[seat]["main"]
        lucky3 = bet_of[seat].get("lucky3", 0)
        bonus4 = bet_of[seat].get("bonus4", 0)
        rule, wins = main_result(rules, kept_of[seat], tosses[seat], dealer)
        if wins:
            settlements.append(settled(rules, seat, "main", rule, main, Fraction(1)))
        else:
            settlements.append(settled(rules, seat, "main", rule, main, None))
        if lucky3 > 0:
            pays = lucky3_pays(rules, kept_of[seat])
            settlements.append(settled(rules, seat, "lucky3", "10", lucky3, pays))
        if bonus4 > 0:
            pays = bonus4_pays(rules, cards_of[seat])
            settlements.append(settled(rules, seat, "bonus4", "11", bonus4, pays))

    return settlements
