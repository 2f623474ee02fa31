"""The calculation of a payout."""

from pitboss import toss_one
from pitboss.core.cards import parse
from pitboss.core.protocol import deal_from
from pitboss.games import blackjack
from pitboss.training import money


def test_the_sum_is_said():
    """A payout is explained with its multiplication, and with rounding if there is any."""
    bet = toss_one.Bet(1, 3500)
    cards, dealer = parse("As Kh Qs 9c"), parse("2c 3c 4c 5c")
    round_ = toss_one.play_deal(toss_one.Rules(), bet, cards, dealer)
    (paid,) = round_.settlements()
    assert money.payout_text(round_.rules, paid) == "$35 at 3 to 2 is $52.50."
    chips = toss_one.Rules(rounding="down:100")
    (paid,) = toss_one.play_deal(chips, bet, cards, round_.dealer).settlements()
    assert money.payout_text(chips, paid) == "$35 at 3 to 2 is $52, rounded."


def test_a_part_of_the_bet_is_lost():
    """After a surrender the dealer takes half of the bet, and the sum says so."""
    rules = blackjack.Rules(surrender="late")
    round_ = deal_from(parse("Ts Th 6d 8c"), blackjack.Round(rules).apply(blackjack.Bet(1, 3500)))
    (lost,) = round_.apply(blackjack.Surrender(1)).settlements()
    assert money.payout_text(rules, lost) == "Take $17.50 of the $35."
