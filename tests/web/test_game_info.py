"""GET /games: the bets, texts and settings of each game for the page."""

from dataclasses import replace
from random import Random

import pytest

from pitboss.core.cards import DECK
from pitboss.core.presentation import Presentation, presentation_of
from pitboss.core.protocol import deal_from, supply
from pitboss.core.settings import PaytableChoice
from pitboss.games import GAMES, roll_your_own, toss_one
from pitboss.games.roll_your_own.rules import Outcome
from pitboss.web import messages
from pitboss.web.game_info import input_of, rules_fields, stake_titles
from pitboss.web.routes import tables
from tests.parts import games_with

OTHER = replace(toss_one.GAME, key="other", package="")


def info_of(game):
    return messages.GameInfo.model_validate_json(tables._game_info(game).model_dump_json())


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_layout(game):
    """The bets are listed in the order of the layout, each with its title and its stake."""
    layout = info_of(game).layout

    assert [(bet.key, bet.title) for bet in layout] == [(bet.key, bet.title) for bet in game.bets]
    assert {bet.key: bet.stake for bet in layout if bet.stake} == info_of(game).bets
    assert {bet.paytable for bet in layout if bet.paytable} == set(game.rules().paytables())
    assert any(bet.has_hand for bet in layout)


def test_stake_titles():
    """A stake is named as its bet, or "Each bet" if it fills several."""
    toss, roll = toss_one.GAME, roll_your_own.GAME
    assert stake_titles(toss) == {"main": "Main", "lucky3": "Lucky 3", "bonus4": "Bonus 4"}
    assert stake_titles(roll) == {"bet": "Each bet"}


@pytest.mark.parametrize("game", games_with("presentation"), ids=lambda game: game.key)
def test_every_decision_has_words(game):
    """Every decision that occurs in rounds of the game is in the list, with its arguments."""
    words = {one.decision: one for one in presentation_of(game).decisions}
    phases = set(presentation_of(game).prompts)
    for text, phase in decisions_of(game):
        word, *arguments = text.split(" ")
        found = words.get(text) or words[word]
        assert phase in phases
        expected = 0 if found.decision == text else len(arguments)
        for template in (found.label, found.you, found.they):
            assert template.count("{}") == expected


def decisions_of(game):
    """Return the legal decisions of some rounds, with their phases."""
    found = set()
    for seed in range(60):
        chance = Random(seed)
        deck = tuple(chance.sample(DECK, len(DECK)))
        round_ = game.start(game.rules()).apply(game.place(1, dict.fromkeys(game.stakes, 500)))
        round_ = deal_from(deck, round_)
        while round_.asked:
            found |= {(str(one), str(round_.phase)) for one in round_.asked.legal}
            round_ = supply(deck, round_.apply(chance.choice(round_.asked.legal)))
    return found


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_titled_results_exist(game):
    """A title never names a result that no pay table of the game pays on."""
    kinds = [setting.kind for setting in game.rules.settings.values()]
    results = {name for kind in kinds if isinstance(kind, PaytableChoice) for name in kind.results}
    assert set(presentation_of(game).result_titles) <= results


def test_celebrated_outcomes_exist():
    """Roll Your Own celebrates outcomes that it has."""
    assert set(presentation_of(roll_your_own.GAME).celebrations) <= set(Outcome)


def test_a_game_without_a_presentation():
    """The API serves a game without texts: every bet, no decisions."""
    info = info_of(OTHER)

    assert [bet.title for bet in info.layout] == ["Main", "Lucky 3", "Bonus 4"]
    assert (info.decisions, info.prompts, info.celebrations) == ([], {}, {})
    assert info.bust_above == toss_one.GAME.bust_above
    assert presentation_of(OTHER) == Presentation()


def test_the_rules_of_a_table():
    """The felt shows the main rules; any insurance amount is accepted if the rules allow it."""
    toss, roll = toss_one.GAME, roll_your_own.GAME
    assert rules_fields(toss.rules(blackjack_pays="6:5"))["felt_lines"] == [
        "Blackjack pays 6 to 5",
        "Nearest to 21 wins",
    ]
    found = rules_fields(roll.rules(soft_17="hit", insurance="up_to_half"))
    assert found["felt_lines"] == ["Blackjack pays 3 to 2", "Dealer hits soft 17"]
    assert found["any_amount"] == ["insure"]
    stands = rules_fields(roll.rules(soft_17="stand", insurance="half_or_nothing"))
    assert stands["felt_lines"][1] == "Dealer stands on all 17s"
    assert stands["any_amount"] == []


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_setting_inputs(game):
    """Every value that an input offers is a value of its setting."""
    rules = game.rules()
    for name, setting in rules.settings.items():
        found = input_of(rules, name)
        offered = [*found.options, *(n for n in (found.least, found.most) if n is not None)]
        assert [setting.kind.plain(setting.read(value)) for value in offered] == offered
    assert {input_of(rules, name).type for name in rules.paytables()} <= {"paytable"}
