"""A tabular agent learns how to set three cards in Roll Your Own, beside the solver's exact values.

    python learn_to_set.py 1e6 learning.svg

It tries every way to set, plays both hands by the strategy card, and keeps the mean of what each
way has won. Its distance from the exact values falls as one by the square root of the rounds.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from pitboss import Paytable, roll_your_own
from pitboss.games.roll_your_own.encoding import RollYourOwnVectorEnv
from pitboss.games.roll_your_own.solver import Solver
from pitboss.strategy import strategy_card

# Only A-K-Q pays the Bonus, which is a double blackjack and not set: so it always takes one bet.
RULES = roll_your_own.Rules(bonus_paytable=Paytable.of({"akq_suited": "100:1"}))
STARTS, TABLES = 10_000, 8192
HIT, STAND, DOUBLE, SPLIT, NO_INSURANCE = 8, 9, 10, 11, 6
VALUES = {"A": 1, "T": 10}
CODES = {"H": (HIT, HIT), "S": (STAND,) * 2, "Dh": (DOUBLE, HIT), "Ds": (DOUBLE, STAND)}


def start_of(values):
    """Return the number of an up card and three cards, lowest first, values from nought."""
    return values @ [1000, 100, 10, 1]


def exact_values():
    """Return what each start is worth with its lowest, middle or highest card set alone."""
    exact = np.full((STARTS, 3), np.nan)
    for card in Solver(RULES).solve_game().up_cards:
        for start in card.starts:
            evs = {way.second: way.ev for way in start.ways if len(way.second) == 1}
            number = start_of(np.array([start.up, *start.own]) - 1)
            exact[number] = [evs.get((value,), np.nan) for value in start.own]
    return exact


def playing_chart():
    """Return the card's play by up card, pair (with splits left), soft, two cards, total."""
    chart = strategy_card(roll_your_own.GAME, RULES)["playing"]["chart"]
    plays = np.full((11, 11, 2, 2, 22), STAND)
    for place, name in enumerate(chart["up_cards"]):
        up = VALUES.get(name) or int(name)
        for soft, rows in enumerate((chart["hard"], chart["soft"])):
            for total, codes in rows.items():
                first, later = CODES[codes[place]]
                plays[up, :, soft, 1, int(total)], plays[up, :, soft, 0, int(total)] = first, later
        for value, codes in chart["pair"].items():
            if codes[place] == "P":
                plays[up, VALUES.get(value) or int(value), :, 1] = SPLIT
    return plays


def learn(rounds, exact, plays, seed=1):
    """Play *rounds* rounds; yield the rounds played, the distance, and what the choice gives up."""
    env, chance = RollYourOwnVectorEnv(TABLES, RULES), np.random.default_rng(seed)
    column = {name: place for place, name in enumerate(env.fields)}
    times, sums = np.zeros((2, STARTS, 3))
    start, way, won = np.zeros(TABLES, int), np.zeros(TABLES, int), np.zeros(TABLES)
    is_set, told, done = np.zeros(TABLES, bool), 1000, 0
    seen, _ = env.reset(seed=seed)
    while done < rounds:
        now, mask = seen["observation"].T, seen["action_mask"]
        phase, up = now[column["phase"]], np.minimum((now[column["up"]] - 1) // 4, 9)
        # how to set: any of the three cards alone on the second bet
        own = np.minimum((now[column["card_1"] : column["card_3"] + 1] - 1) // 4, 9).T
        alone = chance.integers(0, 3, TABLES)
        setting = phase == 0
        start[setting] = start_of(np.column_stack([up, np.sort(own)]))[setting]
        place = np.argsort(own, axis=1)[np.arange(TABLES), alone]
        way[setting], won[setting], is_set[setting] = alone[setting], 1, True
        # how to play: by the card
        pair = np.where(mask[:, SPLIT], now[column["pair"]], 0)
        two, total = now[column["cards"]] == 2, now[column["total"]]
        play = plays[up + 1, pair, now[column["soft"]], two.astype(int), total]
        play = np.where((play == DOUBLE) & (mask[:, DOUBLE] == 0), HIT, play)
        play = np.where(mask[np.arange(TABLES), play] == 0, STAND, play)
        actions = np.select([setting, phase == 1], [2 * place + 1, NO_INSURANCE], play)
        seen, rewards, over, _, _ = env.step(actions)
        won += rewards
        ended = np.flatnonzero(over & is_set)
        np.add.at(times, (start[ended], way[ended]), 1)
        np.add.at(sums, (start[ended], way[ended]), won[ended])
        is_set[over] = False
        done += len(ended)
        if done >= told or done >= rounds:
            told *= 1.3
            yield done, *measured(times, sums, exact)


def measured(times, sums, exact):
    """Return the distance from the exact values, and what the best known way costs, exactly."""
    known = np.divide(sums, times, out=np.zeros_like(sums), where=times > 0)
    visits = times.sum(axis=1)
    off = np.average((known - exact)[times > 0] ** 2, weights=times[times > 0]) ** 0.5
    some = visits > 0
    choice = np.where(times > 0, known, -np.inf).argmax(axis=1)
    lost = np.nanmax(exact, axis=1, where=some[:, None], initial=-9) - exact[range(STARTS), choice]
    return off, np.average(lost[some], weights=visits[some])


def draw(told, path):
    """Plot both against the rounds."""
    rounds, off, lost = np.array(told).T
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    axes.loglog(rounds, off, color="#0072B2", label="values: root mean square distance")
    axes.loglog(rounds, lost, color="#D55E00", ls="--", label="choices: given up for each round")
    root = off[-1] * (rounds[-1] / rounds) ** 0.5
    axes.loglog(rounds, root, color="#8A8A8A", ls=":", label="one by the square root of the rounds")
    axes.set(xlabel="rounds", ylabel="bets", title="A tabular agent and the exact values")
    axes.legend(frameon=False)
    axes.grid(color="#DDDDDD", lw=0.7)
    figure.savefig(path, metadata={"Date": None} if path.endswith("svg") else None)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python learn_to_set.py ROUNDS PICTURE, as in 1e6 learning.svg")
    print("working out the exact values and the card ...", flush=True)
    told = []
    for rounds, off, lost in learn(float(sys.argv[1]), exact_values(), playing_chart()):
        told.append((rounds, off, lost))
        print(f"{rounds:>12,} rounds: {off:.4f} off, gives up {lost:.5f} a round", flush=True)
    draw(told, sys.argv[2])
