"""Environments: the checks of Gymnasium and PettingZoo, and a comparison with the rules engine."""

import importlib.util
import pickle
import random
import warnings
from functools import partial
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded, UnsupportedMode
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from pitboss import Paytable, roll_your_own, toss_one
from pitboss.core.cards import parse
from pitboss.core.errors import GameError, RuleError, SettingError
from pitboss.core.protocol import net
from pitboss.envs import table_v0
from pitboss.envs.encoding import env_name
from pitboss.envs.episodes import Episode
from pitboss.envs.rendering import render
from pitboss.games import blackjack
from pitboss.games.blackjack.encoding import BlackjackEncoding, BlackjackVectorEnv
from pitboss.games.blackjack.simulation import Blackjack
from pitboss.games.blackjack.strategies import Strategy
from pitboss.games.roll_your_own.encoding import (
    RollYourOwnEncoding,
    RollYourOwnEnv,
    RollYourOwnVectorEnv,
)
from pitboss.games.toss_one.encoding import TossOne21Env, TossOne21VectorEnv, TossOneEncoding
from pitboss.simulator import make_job
from pitboss.simulator.jobs import CARDS
from tests.parts import games_with, keys_with
from tests.strategies import random_rules

IDS = [f"pitboss/{env_name(game)}-v0" for game in games_with("encoding")]
VECTORS = [TossOne21VectorEnv, RollYourOwnVectorEnv, BlackjackVectorEnv]


def some_table(rng, results):
    """Return a pay table for some of the results, including pushes."""
    some = rng.sample([*results], rng.randint(1, len([*results])))
    return Paytable.of({result: rng.choice(["0:1", "5:2", "7:3", "1000000:1"]) for result in some})


def toss_rules(rng):
    return toss_one.Rules(
        dealer_blackjack=rng.choice(["is_21", "beats_21"]),
        blackjack_pays=rng.choice(["3:2", "6:5"]),
        ace_kicker=rng.choice(["high", "low"]),
        lucky3_paytable=rng.choice([1, 2]),
        decks=rng.choice([1, 1, 2, 6, 8]),
        toss=rng.choice(["must_be_best", "free"]),
        rounding=rng.choice(["cent", "down:25", "up:50", "down:300"]),
        bonus4_paytable=some_table(rng, range(4, 22)),
        seats=9,
    )


def roll_rules(rng):
    return roll_your_own.Rules(
        hole_card=rng.choice(["peek", "no_peek"]),
        one_card_vs_dealer_blackjack=rng.choice(["draws", "loses"]),
        double_after_split=rng.choice([True, False]),
        max_splits=rng.randint(0, 4),
        resplit_aces=rng.choice([True, False]),
        soft_17=rng.choice(["hit", "stand"]),
        insurance=rng.choice(["up_to_half", "half_or_nothing", "off"]),
        run_out=rng.choice(["win", "push"]),
        blackjack_pays=rng.choice(["3:2", "6:5", "7:3"]),
        rounding=rng.choice(["cent", "down:25", "up:50"]),
        bonus_paytable=some_table(rng, roll_your_own.Bonus),
    )


def blackjack_rules(rng):
    """Return any rules that pay even money in whole units; often a deck that can run out."""
    fixed = {"rounding": rng.choice(["cent", "down:25", "up:50"]), "seats": 7}
    return random_rules(rng, blackjack.GAME, **fixed, **rng.choice([{}, {"decks": 1}]))


RULES = {
    TossOne21VectorEnv: toss_rules,
    RollYourOwnVectorEnv: roll_rules,
    BlackjackVectorEnv: blackjack_rules,
}


# --- one table


@pytest.mark.parametrize("mode", [None, "ansi", "rgb_array"])
@pytest.mark.parametrize("seats", [1, 3])
@pytest.mark.parametrize("name", IDS)
def test_gymnasium_finds_nothing(name, seats, mode):
    """``check_env`` passes without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(name, seats=seats, render_mode=mode).unwrapped)


@pytest.mark.parametrize("name", IDS)
def test_same_seed_same_rounds(name):
    """Two environments with the same seed give the same rounds; another seed gives others."""

    def played(seed):
        env, told = gymnasium.make(name, seats=2), []
        env.action_space.seed(7)
        for _ in range(20):
            seen, info = env.reset(seed=seed)
            seed, over = None, False
            while not over:
                action = env.action_space.sample(info["action_mask"])
                told.append((seen["observation"].tolist(), action))
                seen, reward, over, _, info = env.step(action)
                told.append(reward)
        return told

    assert played(5) == played(5) != played(6)


@pytest.mark.parametrize("name", IDS)
def test_rewards_are_the_settlements(name):
    """The rewards of a round add up to its settlements."""
    env, rng = gymnasium.make(name, seats=3).unwrapped, random.Random(1)
    seed = 3
    for _ in range(100):
        (_, info), over, total = env.reset(seed=seed), False, 0
        seed = None
        while not over:
            action = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
            _, reward, over, _, info = env.step(action)
            total += reward
        settlements = env.episode.round.settlements()
        assert env.episode.round.phase == "settled"
        assert total == pytest.approx(sum(net(settlements, seat) for seat in (1, 2, 3)) / 100)


def test_an_illegal_action_changes_nothing():
    """An action outside the mask leaves the table unchanged and is reported."""
    env = TossOne21Env()
    seen, info = env.reset(seed=1)
    same, reward, over, _, told = env.step(4)

    assert (same["observation"] == seen["observation"]).all()
    assert (told["action_mask"] == info["action_mask"]).all()
    assert (reward, over, told["illegal"], info["illegal"]) == (0, False, True, False)


def test_a_round_with_nothing_to_decide():
    """A double blackjack is collected with ``stand``: its Bonus and both bets at once."""
    deck = parse("As Kd Ac 2c 6h Td")
    encoding = RollYourOwnEncoding()
    episode = Episode(encoding, (*deck, *(card for card in CARDS if card not in deck)))

    assert episode.legal() == (1, {9: None})
    assert not episode.is_over
    assert not episode.act(8)
    assert episode.act(9)
    assert (episode.is_over, episode.won(1)) == (True, -100 + 150 + 150)


def test_what_an_agent_sees():
    """The fields of an observation describe the felt, with cards as numbers."""
    deck = parse("8s 8d Th 2c 6h Td 8h 3c")
    encoding = RollYourOwnEncoding()
    episode = Episode(encoding, (*deck, *(card for card in CARDS if card not in deck)))

    def told():
        seat, legal = episode.legal()
        seen = encoding.observe(episode.round, seat, [1], legal)
        return dict(zip(encoding.fields, seen["observation"].tolist(), strict=True)), legal

    seen, legal = told()
    assert seen["card_1"] == 1 + CARDS.index(deck[0])
    assert (seen["phase"], seen["seat"], seen["up"]) == (0, 1, 1 + CARDS.index(deck[4]))
    assert [str(legal[way]) for way in range(6)][4:] == ["set Th 8s8d", "set 8s8d Th"]
    assert (seen["seen_8"], seen["seen_10"], seen["seen_6"]) == (2, 1, 1)
    assert episode.act(5)
    seen, legal = told()
    assert (seen["total"], seen["pair"], seen["cards"], seen["hands"]) == (16, 8, 2, 1)
    assert sorted(legal) == [8, 9, 10, 11]
    assert episode.act(11)
    seen, _ = told()
    assert (seen["total"], seen["pair"], seen["hands"], seen["seen_8"]) == (16, 8, 2, 3)
    assert (seen["bet"], seen["cards_left"]) == (0, 45)


def test_what_an_agent_sees_of_blackjack():
    """The fields count every card of a shoe, also two that are alike, and the second seat's."""
    deck = parse("8s 8d Ah 8s Td 6h 8s 3c")
    encoding = BlackjackEncoding(seats=2)
    shoe = [card for card in CARDS for _ in range(6)]
    for card in deck:
        shoe.remove(card)
    episode = Episode(encoding, (*deck, *shoe))

    def told():
        seat, legal = episode.legal()
        seen = encoding.observe(episode.round, seat, [1, 2], legal)
        return dict(zip(encoding.fields, seen["observation"].tolist(), strict=True)), legal

    seen, legal = told()
    assert (seen["phase"], seen["seat"], seen["up"]) == (0, 1, 1 + CARDS.index(deck[2]))
    assert [str(legal[way]) for way in (0, 1)] == ["insure 0", "insure 50"]
    assert (seen["seen_8"], seen["seen_10"], seen["seen_A"], seen["seen_6"]) == (3, 1, 1, 0)
    assert episode.act(1)
    assert episode.act(0)
    seen, legal = told()
    assert (seen["total"], seen["pair"], seen["cards"], seen["hands"]) == (16, 8, 2, 1)
    assert sorted(legal) == [2, 3, 4, 5]
    assert episode.act(5)
    seen, _ = told()
    assert (seen["total"], seen["pair"], seen["hands"], seen["seen_8"]) == (16, 8, 2, 4)
    assert (seen["phase"], seen["cards_left"]) == (1, 305)


def test_hidden_cards_are_not_told():
    """In Toss One 21 a seat sees nothing before its bets, and then its own cards."""
    encoding = TossOneEncoding(seats=2)
    episode = Episode(encoding, CARDS)
    assert episode.act(3)
    seat, legal = episode.legal()
    seen = encoding.observe(episode.round, seat, [1, 2], legal)["observation"]
    assert seen.tolist() == [0, 2, *[0] * 16]


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (partial(TossOne21Env, rules={"decks": 0}), "decks: 0"),
        (partial(TossOne21Env, rules={"deckz": 1}), "toss-one-21 has no setting 'deckz'"),
        (partial(RollYourOwnEnv, rules={"rounding": "down:500"}), "rounding=down:500"),
        (partial(TossOne21Env, rules="nothing"), "toss-one-21 has no preset 'nothing'"),
        (
            partial(TossOne21Env, rules=roll_your_own.Rules()),
            "is not valid as rules of toss-one-21",
        ),
        (partial(RollYourOwnEnv, seats=8), "seats: 8"),
        (partial(RollYourOwnVectorEnv, 0), "num_envs: 0"),
        (partial(RollYourOwnVectorEnv, 2, threads=0), "threads: 0"),
        (partial(RollYourOwnVectorEnv, 2, rules={"rounding": "down:500"}), "rounding=down:500"),
        (partial(TossOne21VectorEnv, 2, render_mode="ansi"), "cannot be rendered"),
        (partial(table_v0.env, "whist"), "whist"),
    ],
)
def test_wrong_arguments(made, told):
    """The error message says what was wrong."""
    with pytest.raises(GameError, match=told):
        made()


@pytest.mark.parametrize("action", [1.9, "0", None, np.float32(0.5)])
def test_an_action_is_a_whole_number(action):
    """An action that is not a whole number is rejected, and nothing is played."""
    env = RollYourOwnEnv()
    env.reset(seed=1)
    with pytest.raises(SettingError, match="whole number"):
        env.step(action)
    assert not env.episode.decided


@pytest.mark.long
def test_a_table_of_many_threads_goes_elsewhere():
    """Tables can be pickled in the middle of a round, and continue in the same way."""
    env = TossOne21VectorEnv(5000, threads=2)
    env.reset(seed=1)
    other = pickle.loads(pickle.dumps(env))  # noqa: S301  our own
    actions = np.full(5000, 3)

    assert (env.step(actions)[1] == other.step(actions)[1]).all()


def test_hidden_cards_change_nothing():
    """An observation does not depend on the cards that the seat has not seen."""
    rng = random.Random(5)
    for _ in range(200):
        encoding = rng.choice([TossOneEncoding, RollYourOwnEncoding])(seats=3)
        deck = rng.sample(CARDS, 52)
        pack = encoding.opened().pack
        known = [pack, *range(pack + 1, 2 * pack)]  # the second seat's
        known += [3 * pack + 1] if encoding.game.key == "roll-your-own" else []
        free = [place for place in range(52) if place not in known]
        other = deck.copy()
        for place, card in zip(free, rng.sample([deck[i] for i in free], len(free)), strict=True):
            other[place] = card
        told = []
        for cards in (deck, other):
            episode = Episode(encoding, tuple(cards))
            while episode.round.phase == "betting":
                episode.act(3)
            told.append(encoding.observe(episode.round, 2, [2], {})["observation"].tolist())
        if all(phase in {0, 1} for phase, *_ in told):  # not settled by what lies elsewhere
            assert told[0] == told[1]


def test_misuse():
    """An unknown render mode, and actions before or after a round, are rejected."""
    with pytest.raises(UnsupportedMode, match="no render mode 'human'"):
        TossOne21Env(render_mode="human")
    env = TossOne21Env()
    for act in (partial(env.step, 0), env.render):
        with pytest.raises(ResetNeeded):
            act()
    _, info = env.reset(seed=1)
    over = False
    while not over:
        *_, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    with pytest.raises(ResetNeeded):
        env.step(0)
    with pytest.raises(ResetNeeded):
        TossOne21VectorEnv(2).step(np.zeros(2, int))


# --- rendering


@pytest.mark.parametrize("name", IDS)
def test_the_table_as_text(name):
    """The text shows the seats, the dealer and, at the end, each seat's result."""
    env = gymnasium.make(name, seats=2, render_mode="ansi")
    _, info = env.reset(seed=4)
    first, over = env.render(), False
    while not over:
        action = int(np.flatnonzero(info["action_mask"])[-1])
        *_, over, _, info = env.step(action)

    assert first.startswith("> the bets" if "Toss" in name else "  dealer")
    assert env.render().split()[0] == "dealer"
    assert "??" not in env.render()
    assert "seat 2: " in env.render()


def test_the_table_as_a_picture():
    """The image changes with the round and keeps its size, however many hands there are."""
    deck = parse("8s 8d Th 2c 6h Td 8h 8c 3c 3d 2d 2h")
    episode = Episode(RollYourOwnEncoding(), (*deck, *(card for card in CARDS if card not in deck)))
    before = render(episode, [1], "rgb_array")
    for action in (5, 11, 11, 11):
        assert episode.act(action)
    after = render(episode, [1], "rgb_array")

    assert len(episode.round.seats[0].first) == 4
    assert before.dtype == np.uint8
    assert before.shape == after.shape
    assert before.shape[1:] == (720, 3)
    assert (before != after).any()


# --- many tables


def job_of(encoding, seed):
    strategy = "mimic" if encoding.game.strategies else None
    return make_job(encoding.rules, seats=encoding.seats, seed=seed, strategy=strategy)


class Shadow:
    """The same tables, played by the rules engine with the simulator's cards."""

    def __init__(self, env, seed):
        self.env, self.encoding, self.job = env, env.encoding, job_of(env.encoding, seed)
        self.every = range(1, env.encoding.seats + 1)
        self.tables = [self.sit(i) for i in range(env.num_envs)]

    def sit(self, i):
        return Episode(self.encoding, parse(self.job.journal(int(self.env.numbers[i]))["deck"]))

    def compare(self, seen, done):
        """Compare the kernel's results with the engine's."""
        for i, table in enumerate(self.tables):
            seat, legal = table.legal()
            told = self.encoding.observe(table.round, seat, self.every, legal)
            assert told["observation"].tolist() == seen["observation"][i].tolist(), table.round
            assert told["action_mask"].tolist() == seen["action_mask"][i].tolist(), table.round
            assert table.is_over == done[i]

    def act(self, i, action):
        """Return the reward and whether the action was legal."""
        table = self.tables[i]
        if table.is_over:
            self.tables[i] = self.sit(i)
            return 0, True
        before = sum(map(table.won, self.every)) if table.decided else 0
        legal = table.act(action)
        return (sum(map(table.won, self.every)) - before if legal else 0) / 100, legal


def pick(rng, mask, eager, actions):
    """Choose an action: usually a legal one; if eager, usually one that draws cards."""
    legal = np.flatnonzero(mask).tolist()
    if not legal or rng.random() < 0.02:
        return rng.randrange(-1, len(mask) + 1)
    draws = [action for word in ("split", "hit") for action in legal if actions[action] == word]
    return draws[0] if eager and draws and rng.random() < 0.6 else rng.choice(legal)


def hold_against_the_engine(env, rng, steps):
    """Play tables both ways; return how many rounds ended, and in how many the deck ran out."""
    seed, eager = rng.getrandbits(60), rng.random() < 0.5
    seen, _ = env.reset(seed=seed)
    shadow, done, ended, dry = Shadow(env, seed), [False] * env.num_envs, 0, 0
    for _ in range(steps):
        assert env.observation_space.contains(seen)
        shadow.compare(seen, done)
        actions = [pick(rng, mask, eager, env.encoding.actions) for mask in seen["action_mask"]]
        seen, rewards, done, _, info = env.step(np.array(actions))
        for i, action in enumerate(actions):
            reward, legal = shadow.act(i, action)
            assert reward == pytest.approx(rewards[i]), shadow.tables[i].round
            assert legal != info["illegal"][i]
            outcomes = {s.outcome for s in shadow.tables[i].round.settlements()}
            ran_out = outcomes & {"deck ran out", "no card left"}
            ended, dry = ended + bool(done[i]), dry + bool(done[i] and ran_out)
    return ended, dry


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_tables_of_toss_one_are_the_engines(seed):
    """Every number of every step agrees with the rules engine, for any rules and seats."""
    rng = random.Random(seed)
    env = TossOne21VectorEnv(4, toss_rules(rng), rng.randint(1, 9))
    assert hold_against_the_engine(env, rng, 25)[0] > 0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(24))
def test_tables_of_roll_your_own_are_the_engines(seed):
    """The same for Roll Your Own, including decks that run out."""
    rng = random.Random(seed)
    env = RollYourOwnVectorEnv(4, roll_rules(rng), [1, 2, 3, 7][seed % 4])
    hold_against_the_engine(env, rng, 45)


@pytest.mark.parametrize("seed", range(8))
def test_tables_of_blackjack_are_the_engines(seed):
    """The same, with every rule of the house."""
    rng = random.Random(seed)
    env = BlackjackVectorEnv(4, blackjack_rules(rng), [1, 2, 3, 7][seed % 4])
    assert hold_against_the_engine(env, rng, 30)[0] > 0


@pytest.mark.parametrize("hole_card", ["peek", "no_peek", "original_bets_only"])
def test_tables_of_blackjack_are_the_simulator_s(hole_card):
    """Seats that insure, split and hit while they can win what the simulator counts for them.

    Some of these rounds use up the deck.
    """
    rules = blackjack.Rules(decks=1, resplit_aces=True, hit_split_aces=True, hole_card=hole_card)
    order = ("insure", "split", "hit", "stand")
    strategy = Strategy.from_function(
        rules, lambda seen: next(play for play in order if play in seen.legal)
    )
    job, rounds = Blackjack(strategy, 7, 3), 4000
    env = BlackjackVectorEnv(rounds, rules, 7)
    seen, _ = env.reset(seed=3)
    worth = np.array([order[::-1].index(a) + 1 if a in order else 0 for a in env.encoding.actions])
    open_, won = np.ones(rounds, bool), np.zeros(rounds)
    while open_.any():
        actions = (seen["action_mask"] * worth).argmax(axis=1)
        seen, rewards, done, *_ = env.step(actions)
        won += np.where(open_, rewards, 0)
        open_ &= ~done

    counts = job.play(0, rounds)
    assert job.trial(counts).event("run outs").total > 5
    assert 100 * won.sum() == pytest.approx(job.bets(counts)["main"].total)


@pytest.mark.long
@pytest.mark.parametrize("made", VECTORS)
def test_many_tables_are_the_engines(made):
    """The same for thousands of rounds, including decks that run out."""
    rng, ended, dry = random.Random(1), 0, 0
    for _ in range(300):
        more = hold_against_the_engine(made(5, RULES[made](rng), rng.choice([1, 2, 7])), rng, 40)
        ended, dry = ended + more[0], dry + more[1]
    assert ended > 5000
    assert dry > 20 or made is not RollYourOwnVectorEnv


@pytest.mark.long
@pytest.mark.parametrize("made", VECTORS)
def test_threads_change_nothing(made):
    """Tables that are divided among threads play the same rounds."""

    def played(threads):
        env = made(5000, threads=threads)
        seen, _ = env.reset(seed=9)
        told = []
        for _ in range(12):
            seen, rewards, *_ = env.step(seen["action_mask"].argmax(axis=1))
            told.append((seen["observation"].sum(axis=0).tolist(), float(rewards.sum())))
        env.close()
        return told

    assert played(1) == played(3)


@pytest.mark.long
@pytest.mark.parametrize("made", VECTORS)
def test_spaces_hold_what_many_tables_tell(made):
    """Observations are in their space, arrays are new, and a reset continues or starts again."""
    env = made(3, seats=2)
    first, info = env.reset(seed=1)
    again, _ = env.reset()
    same, _ = env.reset(seed=1)

    assert env.observation_space.contains(first)
    assert (first["observation"] == same["observation"]).all()
    assert made is TossOne21VectorEnv or (first["observation"] != again["observation"]).any()
    assert info["action_mask"] is not first["action_mask"]
    assert env.step(env.action_space.sample())[3].tolist() == [False] * 3


@pytest.mark.long
@pytest.mark.parametrize(
    "actions", [[0, 0], [0.0, 0.0, 0.0], [[0], [0], [0]], np.array(["a", "b", "c"])]
)
def test_wrong_arrays(actions):
    """Actions of another shape or type are rejected, and nothing is played."""
    env = RollYourOwnVectorEnv(3)
    env.reset(seed=1)
    before = env._states.copy()
    with pytest.raises(SettingError, match="3 whole numbers"):
        env.step(np.asarray(actions))
    with pytest.raises(SettingError, match="one seed"):
        env.reset(seed=[1, 2, 3])
    with pytest.raises(RuleError, match="a seed must be"):
        env.reset(seed=2**64)
    assert (env._states == before).all()


@pytest.mark.long
def test_many_tables_come_by_name():
    """``make_vec`` gives the compiled form, or the plain one on request."""
    many = gymnasium.make_vec(IDS[1], num_envs=2, rules="no-peek", seats=2)
    plain = gymnasium.make_vec(IDS[1], num_envs=2, vectorization_mode="sync")

    assert isinstance(many, RollYourOwnVectorEnv)
    assert many.encoding.rules == roll_your_own.rules.PRESETS["no-peek"]
    assert isinstance(plain.envs[0].unwrapped, RollYourOwnEnv)
    assert plain.single_observation_space == many.single_observation_space


# --- a table of agents

TOLD_OF_MASKS = "Observation (space for each agent probably|is not a NumPy array)"
"""PettingZoo says so of every observation that has a mask."""


@pytest.mark.parametrize("seats", [1, 2, 7])
@pytest.mark.parametrize("game", keys_with("encoding"))
def test_pettingzoo_finds_nothing(game, seats):
    """``api_test`` and ``seed_test`` pass."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=TOLD_OF_MASKS)
        api_test(table_v0.env(game, seats=seats), num_cycles=100)
        seed_test(lambda: table_v0.env(game, seats=seats), num_cycles=20)


@pytest.mark.parametrize("game", keys_with("encoding"))
def test_every_agent_gets_what_its_seat_won(game):
    """An agent's rewards add up to the settlements of its seat, whoever's turn it was."""
    env, rng = table_v0.env(game, seats=4), random.Random(2)
    seed = 11
    for _ in range(50):
        env.reset(seed=seed)
        seed, won = None, dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            seen, reward, over, _, _ = env.last()
            won[agent] += reward
            legal = np.flatnonzero(seen["action_mask"]).tolist()
            env.step(None if over else rng.choice(legal))
        settlements = env.unwrapped._episode.round.settlements()
        assert list(won.values()) == pytest.approx(
            [net(settlements, seat) / 100 for seat in range(1, 5)]
        )


def test_agents_do_not_see_each_other():
    """While hands are set nobody sees other seats' cards; afterwards everyone does."""
    env = table_v0.raw_env("roll-your-own", seats=2)
    env.reset(seed=3)
    fields = list(env.encoding.fields)
    seen = env.observe("seat_2")["observation"][fields.index("seen_A") :]
    assert seen.sum() == 4  # its three and the up card
    env.step(0)
    env.step(0)
    assert env.observe("seat_2")["observation"][fields.index("seen_A") :].sum() >= 7
    assert env.observe("seat_2")["action_mask"].sum() == 0


def test_an_agent_that_acts_illegally_is_asked_again():
    """The table does not change, and the agent is told."""
    env = table_v0.raw_env("toss-one-21", seats=2, render_mode="ansi")
    with pytest.raises(ResetNeeded):
        env.render()
    env.reset(seed=3)
    env.step(5)

    assert env.agent_selection == "seat_1"
    assert env.infos["seat_1"]["illegal"]
    assert not env.infos["seat_2"]["illegal"]
    assert "seat 1 chooses" in env.render()
    with pytest.raises(SettingError, match="seat_1 must choose"):
        env.step(None)


# --- the agent of the docs


@pytest.fixture
def learner():
    path = Path(__file__).parents[2] / "docs/examples/learn_to_set.py"
    spec = importlib.util.spec_from_file_location("learn_to_set", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_agent_measures_its_distance(learner):
    """The distance is the error of the means, weighted by visits; the loss is the choice's cost."""
    times, exact = np.zeros((learner.STARTS, 3)), np.full((learner.STARTS, 3), np.nan)
    exact[7], times[7] = [1, 2, 4], [1, 1, 2]
    exact[9], times[9] = [0, 0, 1], [4, 0, 0]
    sums = times * np.nan_to_num(exact) + (times > 0) * times * [0.5, 0.5, -3]
    off, lost = learner.measured(times, sums, exact)

    assert off**2 == pytest.approx((2 * 0.25 + 2 * 9 + 4 * 0.25) / 8)
    assert lost == pytest.approx((4 * (4 - 2) + 4 * (1 - 0)) / 8)


def test_the_agent_keeps_what_each_start_has_won(learner):
    """For an agent that always stands, the stored means agree with a round-by-round count."""
    stands = np.full((11, 11, 2, 2, 22), learner.STAND)
    told = []
    learner.measured = lambda times, sums, _: told.append((times.sum(), sums.sum())) or (0, 0)
    for _ in learner.learn(100_000, None, stands):
        pass
    rounds, won = told[-1]
    env, total, played = RollYourOwnVectorEnv(5000, learner.RULES), 0.0, 0
    seen, _ = env.reset(seed=4)
    while played < 100_000:
        mask = seen["action_mask"]
        actions = np.where(mask[:, 1], 1, np.where(mask[:, 6], 6, learner.STAND))
        seen, rewards, over, _, _ = env.step(actions)
        total, played = total + rewards.sum(), played + int(over.sum())

    double = 576 / 22100  # double blackjacks win three bets, and are not learned: nobody sets them
    bonus = -1 + 101 * 4 / 576
    exact = (total / played - double * (3 + bonus)) / (1 - double)
    assert rounds >= 100_000
    assert won / rounds - 1 == pytest.approx(exact, abs=0.04)  # four standard errors


@pytest.mark.long
def test_the_agent_comes_near_the_exact_values(learner, tmp_path):
    """The agent's values approach the solver's, and its choices cost less and less."""
    told = list(learner.learn(1e6, learner.exact_values(), learner.playing_chart()))
    early, late = told[len(told) // 2], told[-1]

    assert late[1] < 0.2
    assert late[2] < 0.025
    assert early[1] / late[1] == pytest.approx((late[0] / early[0]) ** 0.5, rel=0.2)
    learner.draw(told, str(tmp_path / "learning.svg"))
    assert (tmp_path / "learning.svg").read_text("utf-8").startswith("<?xml")
