"""Lessons: what they ask and answer is what the games and the coach say."""

import json
import random
from collections import Counter

import pytest

from pitboss import GAMES, analysis, find_game, roll_your_own, toss_one, view_json
from pitboss.analysis import played
from pitboss.cards import hard_total, parse, parse_card
from pitboss.coach import advise
from pitboss.errors import NotationError
from pitboss.lessons import examples, money, odds, practice, training
from pitboss.lessons.training import Move, Settle, Watch

TOSS, ROLL = GAMES["toss-one-21"], GAMES["roll-your-own"]
PRESETS = [(game, name) for game in (TOSS, ROLL) for name in game.presets]
DRILLS = [(game, drill.key) for game, drill in practice.every()]


# --- practice


@pytest.mark.parametrize(("game", "drill"), DRILLS, ids=lambda x: getattr(x, "key", x))
def test_the_options_of_a_drill_are_the_coachs(game, drill):
    """Every legal decision is there once, best first, as the coach values it."""
    chance = random.Random(f"{game.key} {drill}")
    for _ in range(8):
        found = practice.ask(game, drill, game.rules(), chance)
        advice = advise(found.round, found.seat)
        assert found.advice == advice
        decisions = [option.decision for option in found.advice.options]
        assert Counter(decisions) == Counter(found.round.legal(found.seat))
        assert found.why(advice.best)
        assert find_game(game.key).decision(found.seat, str(decisions[0])) == decisions[0]


def test_a_drill_asks_what_it_is_about():
    """Two cards of the kind, a pair that may split, an ace up for insurance, cards hidden."""
    chance = random.Random(4)
    for drill in ("hard", "soft", "pairs"):
        for _ in range(10):
            found = practice.ask(ROLL, drill, ROLL.rules(), chance)
            view = found.round.view(1)
            (hand, _) = view.seats[0].hands
            soft = 1 in {card.value for card in hand.cards}
            pair = len({card.value for card in hand.cards}) == 1
            assert (drill == "pairs") == pair
            assert (drill == "soft") == soft or pair
            assert ("split" in map(str, view.legal)) == pair
            assert view.dealer.cards[1] is None
    asked = practice.ask(ROLL, "insurance", ROLL.rules(), chance)
    view = asked.round.view(asked.seat)
    assert view.dealer.cards[0].value == 1
    assert len(view.seats) == 3


def test_tosses_are_worth_a_thought():
    """Most hands have two tosses near each other, or equal ones that Lucky 3 tells apart."""
    chance = random.Random(5)
    gaps = []
    for _ in range(40):
        found = practice.ask(TOSS, "toss", TOSS.rules(), chance)
        best, second, *_ = found.advice.options
        assert len(found.advice.options) == 4
        assert best.decision.card in {
            h.tossed for h in toss_one.best_hands(found.round.seats[0].cards)
        }
        gaps.append((best.value - second.value) * found.advice.unit)
    assert sum(gap < 900 for gap in gaps) > 20


def test_what_cannot_be_practised():
    """A drill that is not there, or that the rules rule out, is refused in words."""
    chance = random.Random(1)
    with pytest.raises(NotationError, match="no drill 'cheat' of Toss One 21: there are toss"):
        practice.ask(TOSS, "cheat", TOSS.rules(), chance)
    with pytest.raises(NotationError, match="no split is allowed"):
        practice.ask(ROLL, "pairs", roll_your_own.Rules(max_splits=0), chance)
    with pytest.raises(NotationError, match="not offered"):
        practice.ask(ROLL, "insurance", roll_your_own.Rules(insurance="off"), chance)


# --- training


@pytest.mark.parametrize(("game", "preset"), PRESETS, ids=lambda x: getattr(x, "key", x))
def test_training_settles_what_the_game_settles(game, preset):
    """Step by step every bet is settled, in the game's order, from those still on the felt."""
    for seed in range(60):
        found = training.train(game, game.presets[preset], random.Random(seed))
        assert found.round.phase == "settled"
        assert training.settled(found.steps) == found.round.settlements()
        left = None
        for step in found.steps:
            assert step.prompt
            if isinstance(step, Settle):
                check_settle(found.rules, step)
                spot = (step.settlement.seat, step.settlement.bet, step.settlement.hand)
                left = set(step.unsettled) - {spot}
            elif isinstance(step, Move):
                assert set(step.accepts) <= set(step.choices)
        assert left == set()
        last = found.steps[-1]
        assert isinstance(last, Watch)
        assert view_json(last.view) == view_json(found.round.record())


def check_settle(rules, step):
    paid = step.settlement
    assert (paid.seat, paid.bet, paid.hand) == step.next[0]
    assert set(step.next) <= set(step.unsettled)
    assert step.action == ("pay" if paid.net > 0 else "take" if paid.net else "push")
    assert rules.rounding.net(money.odds_of(rules, paid), paid.stake) == paid.net or paid.net <= 0
    assert paid not in step.view.settlements
    assert step.why.endswith(".")


def test_the_dealer_moves_by_the_rules():
    """The toss keeps the best three, or there is none; 17 is where a dealer stands (7f)."""
    for seed in range(80):
        found = training.train(TOSS, TOSS.rules(), random.Random(seed))
        (move,) = (step for step in found.steps if isinstance(step, Move))
        cards = found.round.dealer
        best = toss_one.best_hands(cards)
        assert move.accepts == (tuple(h.tossed.text for h in best) or ("bust",))
        for text in set(move.choices) - {"bust"} - set(move.accepts):
            kept = [card for card in cards if card != parse_card(text)]
            assert hard_total(kept) > 21 or not best or best[0].total > hard_total(kept)
        found = training.train(ROLL, ROLL.rules(), random.Random(seed))
        moves = [step for step in found.steps if isinstance(step, Move)]
        dealt = found.round.record().dealer
        assert [m.accepts for m in moves[:-1]] == [("hit",)] * (len(moves) - 1)
        assert len(dealt.cards) == 2 + sum(m.accepts == ("hit",) for m in moves)
        if moves:  # a blackjack that the peek finds leaves none
            assert moves[0].view.dealer.cards == dealt.cards[:2]
        else:
            assert dealt.total == 21


def test_nothing_of_the_dealers_is_seen_too_soon():
    """Before the dealer's first move what is not turned is not shown."""
    for game, preset in PRESETS:
        for seed in range(20):
            found = training.train(game, game.presets[preset], random.Random(seed))
            for step in found.steps:
                if isinstance(step, Move):
                    break
                hidden = step.view.dealer.cards[1:] if game is ROLL else step.view.dealer.cards
                if "You turn it over" in step.prompt:
                    break
                assert set(hidden) == {None}


def test_the_sum_is_said():
    """A payment is told with its multiplication, and with rounding where there is some."""
    bet = toss_one.Bet(1, 3500)
    cards, dealer = parse("As Kh Qs 9c"), parse("2c 3c 4c 5c")
    round_ = toss_one.play_deal(toss_one.Rules(), bet, cards, dealer)
    (paid,) = round_.settlements()
    assert money.paid(round_.rules, paid) == "$35 at 3 to 2 is $52.50."
    chips = toss_one.Rules(rounding="down:100")
    (paid,) = toss_one.play_deal(chips, bet, cards, round_.dealer).settlements()
    assert money.paid(chips, paid) == "$35 at 3 to 2 is $52, rounded."


def test_house_rules():
    """Training sometimes uses 6 to 5 in Toss One 21, and always the defaults in the other game."""
    chance = random.Random(2)
    assert {training.house_rules(TOSS, chance) for _ in range(40)} == {
        TOSS.rules(),
        TOSS.presets["six-to-five"],
    }
    assert training.house_rules(ROLL, chance) == ROLL.rules()


# --- examples

UNSHOWN = {TOSS.key: set(), ROLL.key: {"1", "4", "7e"}}
"""Clauses that no cards show: the deck, the stub in the hand, and that there is no surrender."""


@pytest.mark.parametrize("game", [TOSS, ROLL], ids=lambda x: getattr(x, "key", x))
def test_every_clause_has_its_example(game):
    """What is shown is decided by the clause shown, or by the one named beside it."""
    found = examples.examples(game.key)
    assert {e.shown.rule for e in found} == set(game.clauses) - UNSHOWN[game.key]
    order = [list(game.clauses).index(e.shown.rule) for e in found]
    assert order == sorted(order)
    for example in found:
        assert example.round.phase == "settled"
        assert example.highlight.rule == (example.shown.decided_by or example.shown.rule)
        assert len(example.reasons()) == len(example.round.settlements())
    settling = {s.rule for e in found for s in e.round.settlements()}
    assert {e.shown.rule for e in found if e.shown.decided_by}.isdisjoint(settling)


# --- odds


def named(found):
    return {bet.bet: bet for bet in found.bets}


@pytest.mark.parametrize("decks", [1, 8])
@pytest.mark.parametrize("changes", [{}, {"lucky3_paytable": 1, "dealer_blackjack": "beats_21"}])
def test_toss_one_odds_are_those_of_the_analysis(decks, changes):
    """Every bet as analyze has it: fraction, counts and all."""
    rules = toss_one.Rules(decks=decks, **changes)
    found = odds.price(TOSS, rules)
    assert found.pending == ()
    figures = analysis.analyze(TOSS, rules).counted
    for name, bet in named(found).items():
        assert bet.exact == str(figures[name].ev)
        assert bet.edge_percent == pytest.approx(100 * figures[name].house_edge)
        assert sum(o.count for o in bet.outcomes) == figures[name].total
        assert sum(o.returns for o in bet.outcomes) == pytest.approx(bet.ev)
        assert sum(o.percent for o in bet.outcomes) == pytest.approx(100)
    assert found.default["main"] == pytest.approx(-0.68252, abs=1e-5)
    assert {name for name, *_ in found.changed} == {*changes, *(["decks"] if decks > 1 else [])}


def test_an_edited_line():
    """A line of a pay table that pays more is worth what it pays more."""
    lines = [*TOSS.rules().paytables()["bonus4_paytable"]]
    lines[0] = lines[0] | {"pays": "1000:1"}
    found = odds.price(TOSS, toss_one.Rules.from_json({"bonus4_paytable": lines}))
    usual = odds.price(TOSS, TOSS.rules())
    more = named(found)["bonus4"].ev - named(usual)["bonus4"].ev
    assert more == pytest.approx(750 / 270725)
    assert named(found)["main"] == named(usual)["main"]


def test_roll_your_own_as_published():
    """The shipped play gives the figures that the solver's tests have."""
    found = named(odds.price(ROLL, ROLL.rules()))
    assert found["blackjack"].ev == pytest.approx(0.387748494770, abs=1e-9)
    assert found["package"].edge_percent == pytest.approx(0.8548, abs=1e-4)
    assert found["bonus"].exact == "-2284/5525"
    for bet in found.values():
        assert sum(o.percent for o in bet.outcomes) == pytest.approx(100)
        assert sum(o.returns for o in bet.outcomes) == pytest.approx(bet.ev)


def test_every_switch_alone_is_there_at_once():
    """So are the presets, whatever the Bonus pays; of two switches the play is pending."""
    for rules in played.wanted():
        assert named(odds.price(ROLL, rules)).keys() == {"bonus", "blackjack", "package"}
    table = [{"on": ["straight"], "pays": "6:1"}, {"on": ["flush"], "pays": "4:1"}]
    other = roll_your_own.Rules.from_json({"bonus_paytable": table, "seats": 3, "soft_17": "stand"})
    found = odds.price(ROLL, other)
    assert found.pending == ()
    bets = named(found)
    assert bets["package"].ev == pytest.approx(bets["blackjack"].ev + bets["bonus"].ev)
    two = odds.price(ROLL, roll_your_own.Rules(soft_17="stand", max_splits=1))
    assert two.pending == ("blackjack", "package")
    assert [bet.bet for bet in two.bets] == ["bonus"]


def test_without_the_solver(monkeypatch):
    """What cannot be solved is not pending, and it is said why."""
    monkeypatch.setattr(odds, "can_solve", lambda: False)
    found = odds.price(ROLL, roll_your_own.Rules(soft_17="stand", max_splits=1))
    assert found.pending == ()
    assert "pitboss[kernels]" in found.missing
    assert odds.price(ROLL, ROLL.rules()).missing is None


@pytest.mark.long
def test_every_shipped_play_is_what_the_solver_finds():
    """`python -m pitboss.analysis --ship` would write the same file; test_analysis has one play."""
    assert list(played.shipped()) == played.wanted()
    for rules, shipped in played.shipped().items():
        check_play(shipped, played.solve(rules))


def check_play(shipped, solved):
    assert shipped.ev == pytest.approx(solved.ev, abs=1e-12)
    assert shipped.added == pytest.approx(solved.added, abs=1e-12)
    for kind, part in solved.parts.items():
        assert shipped.parts[kind].value == pytest.approx(part.value, abs=1e-12)
        assert shipped.parts[kind].nets == part.nets
    assert played.Play.from_json(json.loads(json.dumps(solved.as_json()))) == solved
