"""Running simulations: the same totals from every engine, even after interruptions."""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from distributed import Client, LocalCluster
from hypothesis import given
from hypothesis import strategies as st

from pitboss.cli import main, simulating
from pitboss.core.errors import GameError
from pitboss.games import blackjack, roll_your_own, toss_one
from pitboss.games.blackjack import strategies as blackjack_strategies
from pitboss.games.blackjack.simulation import Blackjack
from pitboss.games.roll_your_own.simulation import RollYourOwn
from pitboss.games.roll_your_own.strategies import at_random, mimic
from pitboss.games.toss_one.simulation import TossOne
from pitboss.simulator import Run, SimulatorError, make_job, simulate
from pitboss.simulator.jobs import MOST_ROUNDS
from pitboss.simulator.runs import ENGINES, PlayedRounds

ROUNDS = 300_000
TOSS = TossOne(toss_one.Rules(), 1, 5)
ROLL = RollYourOwn(mimic(roll_your_own.Rules()), 2, 5)
BLACKJACK = Blackjack(blackjack_strategies.at_random(blackjack.Rules()), 2, 5)
EVERY = pytest.mark.parametrize("job", [TOSS, ROLL, BLACKJACK], ids=["toss", "roll", "blackjack"])


def whole(job):
    return job.play(0, ROUNDS)


# --- pieces


@given(st.lists(st.integers(0, 60), unique=True), st.integers(61, 80))
def test_what_is_missing(cuts, rounds):
    """The played and the missing ranges cover all rounds, each once."""
    cuts = sorted(cuts)
    done = PlayedRounds(np.zeros(1, np.int64))
    for begin, end in list(pairwise(cuts))[::2]:
        done.add(begin, end, np.ones(1, np.int64))
    ranges = [*done.ranges, *done.missing(rounds)]
    numbers = [n for begin, end in ranges for n in range(begin, end)]

    assert sorted(numbers) == list(range(rounds))
    assert done.rounds == sum(end - begin for begin, end in done.ranges)
    assert all(a[1] < b[0] for a, b in pairwise(done.ranges))


@EVERY
@pytest.mark.parametrize(("threads", "piece"), [(1, 100_000), (2, 33_333), (5, 1_001)])
def test_threads_and_pieces_do_not_matter(job, threads, piece):
    """However the rounds are divided, the counts are the same."""
    heard = []
    run = simulate(job, ROUNDS, threads=threads, piece=piece, progress=heard.append)

    assert (run.counts == whole(job)).all()
    assert heard[0] == 0
    assert heard[-1] == run.rounds == run.played == ROUNDS
    assert run.bets() == job.bets(whole(job))
    assert heard == sorted(heard)


# --- stopping and going on


@EVERY
def test_goes_on_from_a_checkpoint(job, tmp_path):
    """A run resumed from a checkpoint reaches the same totals, even with other pieces."""
    path = tmp_path / "run.json"

    def stop(done):
        if done > ROUNDS // 3:
            raise KeyboardInterrupt

    first = simulate(job, ROUNDS, checkpoint=path, piece=20_000, progress=stop)
    assert first.interrupted
    assert 0 < first.rounds < ROUNDS
    assert job.agrees(first.counts, first.rounds)
    second = simulate(job, ROUNDS, checkpoint=path, piece=7_777)
    assert not second.interrupted
    assert second.played == ROUNDS - first.rounds
    assert (second.counts == whole(job)).all()
    again = simulate(job, ROUNDS, checkpoint=path)
    assert (again.played, again.rounds) == (0, ROUNDS)
    assert (simulate(job, 2 * ROUNDS, checkpoint=path).counts == job.play(0, 2 * ROUNDS)).all()


def test_a_checkpoint_of_something_else(tmp_path):
    """A checkpoint with other rules, seats or seed is rejected, and so is a damaged file."""
    path = tmp_path / "run.json"
    simulate(TOSS, 1000, checkpoint=path)
    for other in (TossOne(TOSS.rules, 1, 6), TossOne(TOSS.rules, 2, 5), ROLL):
        with pytest.raises(SimulatorError, match="different game, rules, seats, strategy or seed"):
            simulate(other, 1000, checkpoint=path)
    with pytest.raises(SimulatorError, match="already has rounds up to 1,000"):
        simulate(TOSS, 999, checkpoint=path)
    good = json.loads(path.read_text("utf-8"))
    for broken in (
        "{",
        "[]",
        json.dumps(good | {"ranges": [[0, 900]]}),
        json.dumps(good | {"ranges": [[0, 600], [500, 900]]}),
        json.dumps(good | {"counts": [[10**9, 1]]}),
        json.dumps(good | {"counts": "many"}),
        json.dumps(good | {"counts": [[0, -(2**70)]]}),
        json.dumps(good | {"ranges": [[0, float("inf")]]}),
        json.dumps(good | {"ranges": [[0, 1000.0]]}),
        json.dumps(good | {"format": 2}),
    ):
        path.write_text(broken, "utf-8")
        with pytest.raises(SimulatorError, match="not a checkpoint of this command, or is damaged"):
            simulate(TOSS, 1000, checkpoint=path)
        assert path.read_text("utf-8") == broken
    with pytest.raises(SimulatorError, match="cannot write"):
        simulate(TOSS, 1000, checkpoint=tmp_path / "no" / "where.json")


def test_ctrl_c(tmp_path):
    """After Ctrl-C the command prints the counts so far and exits with status 130."""
    path = tmp_path / "run.json"
    command = ["simulate", "toss-one-21", "--rounds", "1e13", "--checkpoint", str(path)]
    with subprocess.Popen(
        [sys.executable, "-m", "pitboss", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as running:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if path.exists() and json.loads(path.read_text("utf-8"))["ranges"]:
                break
            time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)

    assert running.returncode == 130
    assert "were counted" in err
    assert "Traceback" not in err
    assert "main" in out
    kept = json.loads(path.read_text("utf-8"))
    expected = sum(TossOne(toss_one.Rules()).play(*piece) for piece in kept["ranges"])
    assert {i: n for i, n in enumerate(expected.tolist()) if n} == dict(kept["counts"])


# --- clusters


@pytest.mark.xdist_group("cluster")
def test_a_worker_is_killed():
    """If a worker dies, its work is repeated, and the totals are right."""
    job = ROLL
    with LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        killed = []

        def kill(done):
            if done > ROUNDS // 4 and not killed:
                worker = next(iter(cluster.workers.values()))
                killed.append(worker.pid)
                os.kill(worker.pid, signal.SIGKILL)

        address = cluster.scheduler_address
        run = simulate(job, ROUNDS, engine="dask", cluster=address, piece=10_000, progress=kill)
    assert killed
    assert (run.counts == whole(job)).all()


@pytest.mark.xdist_group("cluster")
def test_two_jobs_on_one_cluster():
    """Runs that share a cluster do not mix, and leave nothing behind."""
    other = BLACKJACK
    with LocalCluster(
        n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        found = []

        def meanwhile(done):
            if done and not found:
                found.append(simulate(other, ROUNDS, engine="dask", cluster=address))

        address = cluster.scheduler_address
        run = simulate(
            TOSS, ROUNDS, engine="dask", cluster=address, piece=50_000, progress=meanwhile
        )
        with Client(address, set_as_default=False) as client:
            (names,) = client.run(lambda dask_worker: list(dask_worker.plugins)).values()
    assert (run.counts == whole(TOSS)).all()
    assert (found[0].counts == whole(other)).all()
    assert not [name for name in names if name.startswith("pitboss")]


@pytest.mark.long
@pytest.mark.xdist_group("cluster")
def test_the_scheduler_is_lost(tmp_path):
    """After the scheduler is lost, finished work is kept, and any engine can resume it."""
    path = tmp_path / "run.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    args = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    file = tmp_path / "scheduler.json"
    with subprocess.Popen(
        [*command, *args, "--scheduler-file", str(file)], stderr=subprocess.DEVNULL
    ) as scheduler:
        address = _address(file)
        worker = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1"],
            stderr=subprocess.DEVNULL,
        )
        try:

            def kill(done):
                if done > ROUNDS // 4:
                    scheduler.kill()

            with pytest.raises(SimulatorError, match="cluster"):
                simulate(
                    TOSS,
                    ROUNDS,
                    engine="dask",
                    cluster=address,
                    piece=10_000,
                    checkpoint=path,
                    progress=kill,
                )
        finally:
            worker.kill()
            worker.wait()
            scheduler.kill()
    run = simulate(TOSS, ROUNDS, checkpoint=path)
    assert 0 < run.played < ROUNDS
    assert (run.counts == whole(TOSS)).all()


def _address(file: Path) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if file.exists() and file.read_text("utf-8").strip().endswith("}"):
            return json.loads(file.read_text("utf-8"))["address"]
        time.sleep(0.1)
    pytest.fail("the scheduler did not start")


# --- a graphics card, simulated

CARD = """
from dataclasses import replace
from pitboss.games import blackjack, roll_your_own, toss_one
from pitboss.simulator import simulate
from pitboss.games.blackjack import strategies
from pitboss.games.blackjack.simulation import Blackjack
from pitboss.games.roll_your_own.simulation import RollYourOwn
from pitboss.games.toss_one.simulation import TossOne
from pitboss.games.roll_your_own import team
from pitboss.games.roll_your_own.strategies import at_random, mimic
rules, other = toss_one.Rules(), roll_your_own.Rules()
for job, rounds in (
    (TossOne(rules, 1, 5), 101),
    (TossOne(replace(rules, decks=6), 1, 6), 31),
    (TossOne(rules, 3, 7), 20),
    (RollYourOwn(mimic(other), 1, 5), 40),
    (RollYourOwn(at_random(other), 7, 5), 20),
    (RollYourOwn(team.run_out(other), 7, 5), 20),
    (Blackjack(strategies.mimic(blackjack.Rules()), 1, 5), 200),
    (Blackjack(strategies.at_random(blackjack.Rules(decks=1, surrender="late")), 7, 5), 40),
    (Blackjack(strategies.at_random(blackjack.Rules(decks=8, hole_card="no_peek")), 3, 6), 40),
):
    there, here = simulate(job, rounds, engine="cuda"), simulate(job, rounds)
    assert there.engine == "cuda"
    assert (there.counts == here.counts).all(), job
print("equal")
"""


@pytest.mark.long
def test_a_card_counts_the_same():
    """The CUDA kernels, run in Numba's simulator, give the same counts."""
    done = subprocess.run(
        [sys.executable, "-c", CARD],
        env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout == "equal\n", done.stderr


def test_no_card(monkeypatch):
    """Without a graphics card, the error comes before anything is played."""
    monkeypatch.setattr("pitboss.kernels.cuda.is_available", lambda: False)
    with pytest.raises(SimulatorError, match="no CUDA graphics card was found .* --engine cpu"):
        simulate(TOSS, 1000, engine="cuda")


# --- the command


def run(capsys, *command):
    assert main(["simulate", *command]) == 0
    return capsys.readouterr().out


def test_for_machines(capsys):
    """The JSON has the form that scripts rely on."""
    text = run(capsys, "toss-one-21", "--rounds", "200_000", "--seed", "5", "--json")
    body = json.loads(text)

    assert {"rounds", "seconds", "rounds_per_second", "engine", "seed", "bets"} <= body.keys()
    assert (body["rounds"], body["engine"], body["seed"]) == (200_000, "cpu", 5)
    assert list(body["bets"]) == ["main", "lucky3", "bonus4", "package"]
    for bet in body["bets"].values():
        assert type(bet["total"]) is int
        assert bet["ev"] == pytest.approx(bet["total"] / 200_000 / 100)
        off = (bet["ev"] - bet["exact"]) / bet["std_error"]
        assert bet["z"] == pytest.approx(off, rel=0.15)  # by the exact standard error
        assert abs(bet["z"]) < 4.5
    expected = TOSS.bets(TOSS.play(0, 200_000))
    assert {n: b["total"] for n, b in body["bets"].items()} == {
        n: b.total for n, b in expected.items()
    }


def test_roll_your_own(capsys):
    """Strategies without an exact value have no z; the Bonus always has one."""
    text = run(
        capsys, "roll-your-own", "--rounds", "1e5", "--strategy", "mimic", "--seats", "7", "--json"
    )
    body = json.loads(text)

    assert body["strategy"] == "mimic"
    assert body["bets"]["blackjack"]["exact"] is None
    assert body["bets"]["blackjack"]["z"] is None
    assert abs(body["bets"]["bonus"]["z"]) < 4.5
    assert 0 < body["table"]["run_out"]["frequency"] < 0.01
    assert 35 < body["table"]["cards_used"]["mean"] < 52


def test_by_seats_and_sessions(capsys, tmp_path):
    """A line for every number of seats, a session with its plot, and journals that replay."""
    text = run(capsys, "roll-your-own", "--rounds", "2e4", "--strategy", "random", "--by-seats")
    assert len(text.splitlines()) == 2 + 1 + 7
    plot, journals = tmp_path / "s.svg", tmp_path / "rounds"
    text = run(
        capsys, "toss-one-21", "--rounds", "1e5", "--session", "100", "--bankroll", "50",
        "--plot", str(plot), "--journals", str(journals), "--sample", "5",
    )  # fmt: skip
    assert "ruined within them with 50 units" in text
    assert "<svg" in plot.read_text("utf-8")
    files = sorted(map(str, journals.iterdir()))
    assert len(files) == 5
    assert main(["replay", *files]) == 0


def test_a_session_of_one_round(capsys):
    """One round and one unit are in the singular."""
    text = run(
        capsys, "toss-one-21", "--rounds", "1e4", "--session", "1", "--bankroll", "1",
        "--bet", "main",
    )  # fmt: skip

    assert "after 1 round of main a player has" in text
    assert "ruined within them with 1 unit: " in text


WRONG = [
    (["--rounds", "0"], "--rounds must be at least 1"),
    (["--rounds", "110^3"], "is not a number of rounds"),
    (["--rounds", "1e"], "is not a number of rounds"),
    (["--rounds", "1e²"], "is not a number of rounds"),
    (["--rounds", "many"], "is not a number of rounds: write 1000000, 1e6 or 10^6"),
    (["--rounds", "1e99"], "at most 10^15"),
    (["--rounds", "1e999"], "is not a number of rounds"),
    (["--rounds", "10^17"], "at most 10^15"),
    (["--seats", "8"], "this table has 7"),
    (
        ["--strategy", "card"],
        "--strategy is for roll-your-own, blackjack: Toss One 21 has no choices",
    ),
    (["--cluster", "tcp://127.0.0.1:1", "--engine", "cpu"], "--cluster is for --engine dask"),
    (["--plot", "s.svg"], "add --session N"),
    (["--session", "10", "--plot", "s.gif"], "must end in .svg or .png"),
    (["--session", "10", "--bet", "gold"], "choose one of main, lucky3, bonus4, package"),
    (["--session", "10", "--bankroll", "1"], "a round takes 3 units, so no round"),
    (["--session", "9", "--bankroll", "0", "--bet", "main"], "a round takes 1 unit, so no round"),
    (["--session", "0"], "--session takes 1 to"),
    (["--session", "10", "--plot", "no/where.svg"], "cannot write 'no/where.svg'"),
    (["--by-seats", "--seats", "2"], "--by-seats cannot be used with"),
    (["--seed", "-1"], "is not in the range"),
    (["--journals", "/dev/null/x", "--rounds", "10"], "cannot write"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_input(arguments, message, capsys, tmp_path, monkeypatch):
    """Invalid combinations are reported in one line, before anything is played."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pitboss.simulator.simulate", lambda *_, **__: pytest.fail("played"))
    assert main(["simulate", "toss-one-21", "--rounds", "100", *arguments]) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert len(err.splitlines()) == 1
    assert not out


def test_wrong_strategies(capsys, tmp_path):
    """An unknown strategy name, and a file that is not a strategy, are rejected."""
    path = tmp_path / "mine.json"
    path.write_text('{"setting": {}}', "utf-8")
    for name, message in (("best", "no strategy 'best'"), (str(path), "needs")):
        assert main(["simulate", "roll-your-own", "--strategy", name]) == 2
        assert message in capsys.readouterr().err
    assert main(["simulate", "roll-your-own", "--cluster", "tcp://x", "--strategy", "mimic"]) == 2
    assert "no cluster at" in capsys.readouterr().err


def test_an_interrupted_trial_is_none(monkeypatch, tmp_path):
    """A report whose simulation was interrupted is not written."""
    monkeypatch.chdir(tmp_path)

    def stopped(job, rounds, **_):
        return Run(job, 100, job.play(0, 100), 1.0, "cpu", 100, interrupted=True)

    monkeypatch.setattr("pitboss.simulator.simulate", stopped)
    assert main(["report", "toss-one-21", "-o", "r.json", "--simulate", "1000"]) == 130
    assert not list(tmp_path.iterdir())


def test_the_command_knows_what_the_library_has():
    """The command lists engines and limits without loading the kernels, equal to the library's."""
    assert simulating.ENGINES == ENGINES
    assert simulating.MOST_ROUNDS == MOST_ROUNDS


def test_jobs_of_any_rules():
    """A job needs only rules; a strategy can be a name or an object made for the rules."""
    rules, other = roll_your_own.Rules(), roll_your_own.Rules(max_splits=0)
    assert isinstance(make_job(toss_one.Rules(), seats=2, seed=5), TossOne)
    for name in roll_your_own.GAME.strategies[2:]:
        job = make_job(rules, seats=2, seed=5, strategy=name)
        assert (job.strategy_name, job.seats, job.seed) == (name, 2, 5)
    assert make_job(rules, strategy=mimic(rules)).strategy_name == "mimic"
    with pytest.raises(GameError, match="no strategy 'best': choose from solver, card"):
        make_job(rules, strategy="best")
    with pytest.raises(GameError, match="made for other rules"):
        make_job(rules, strategy=mimic(other))
    with pytest.raises(GameError, match="Toss One 21 has no choices"):
        make_job(toss_one.Rules(), strategy="card")


def test_wrong_library_use():
    """The library rejects the same errors."""
    for rounds in (0, -1, 10**16, 1.5):
        with pytest.raises(GameError, match="rounds must be"):
            simulate(TOSS, rounds)
    assert simulate(TOSS, 1e3).played == 1000
    with pytest.raises(GameError, match="no engine 'abacus'"):
        simulate(TOSS, 1, engine="abacus")
    with pytest.raises(GameError, match="a piece must be a whole number"):
        simulate(TOSS, 10, piece=0)
    with pytest.raises(GameError, match="a seed must be a whole number"):
        TossOne(TOSS.rules, 1, 1.5)
    for job in (TOSS, ROLL):
        for number in (-1, 2**63):
            with pytest.raises(GameError, match="a round number must be"):
                job.journal(number)
    with pytest.raises(GameError, match="1..7 seats"):
        RollYourOwn(at_random(roll_your_own.Rules()), 8)
