"""The command ``solve``."""

import json
import sys

import pytest

from pitboss.cli import main


def solve(capsys, *arguments):
    status = main(["solve", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_one_start(capsys):
    status, out, err = solve(capsys, "roll-your-own", "--hand", "8s 8d Th", "--up", "6c", "--json")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert found["ev"] == found["choices"][0]["ev"] == pytest.approx(0.6203587093766902)
    assert [c["first"] for c in found["choices"][:2]] == ["8s8d", "Th"]
    assert len(found["choices"]) == 6
    assert [c["ev"] for c in found["choices"]] == sorted(
        (c["ev"] for c in found["choices"]), reverse=True
    )
    assert found["memory"] == "none"
    assert found["insurance"] is None
    assert found["rules"]["max_splits"] == 4
    first, second = found["hands"]
    assert first["hand"] == "8-8"
    assert max(first["plays"][""], key=first["plays"][""].get) == "split"
    assert second["plays"]["A"] == {"stand": 1.5}


def test_one_start_for_people(capsys):
    status, out, _ = solve(capsys, "roll-your-own", "--hand", "9s3dTh", "--up", "Ac")
    assert status == 0
    assert "9s 3d Th against Ac, memory none: worth -0.647963" in out
    assert "set 9sTh  3d    -0.647963" in out
    assert "a unit of insurance is worth -0.062500" in out
    assert "3, on the second bet, given no dealer's blackjack:" in out


@pytest.mark.long
def test_full_memory_says_what_the_first_hand_does(capsys):
    _, out, err = solve(
        capsys, "roll-your-own", "--hand", "9s3dTh", "--up", "9c", "--memory", "full",
        "--set", "max_splits=0", "--set", "insurance=off",
    )  # fmt: skip
    assert "played first, with what the other hand is worth:" in out
    assert err == ""


def test_a_double_blackjack(capsys):
    _, out, _ = solve(capsys, "roll-your-own", "--hand", "As Kd Th", "--up", "6c", "--json")
    found = json.loads(out)
    assert (found["ev"], found["choices"], found["hands"]) == (3, [], [])
    _, out, _ = solve(capsys, "roll-your-own", "--hand", "As Kd Th", "--up", "6c")
    assert "both bets are paid at once" in out


def test_the_whole_game(capsys, tmp_path):
    target, part = tmp_path / "solved.json", tmp_path / "part.json"
    arguments = ["roll-your-own", "--all", "--set", "max_splits=0", "-o", str(target)]
    status, out, _ = solve(capsys, *arguments, "--checkpoint", str(part))
    assert status == 0
    assert "both blackjack bets are worth +0.375642038" in out
    assert f"wrote {target}" in out
    assert not part.exists()
    kept = json.loads(target.read_text("utf-8"))
    assert kept["by_up_card"].keys() == set("A23456789T")
    assert kept["ev"] == pytest.approx(0.375642037692, abs=1e-9)
    assert kept["states"] > 100_000
    assert kept["seconds"] > 0


@pytest.mark.long
def test_a_killed_run_goes_on(capsys, tmp_path, monkeypatch):
    from pitboss.games.roll_your_own.solver import Solver

    part = tmp_path / "part.json"
    arguments = ["roll-your-own", "--all", "--set", "max_splits=0", "--checkpoint", str(part)]
    solved = []
    plain = Solver.solve_all

    def stop(self, up, starts):
        if len(solved) > 20:
            raise KeyboardInterrupt
        solved.append(up)
        return plain(self, up, starts)

    monkeypatch.setattr(Solver, "solve_all", stop)
    assert solve(capsys, *arguments)[0] == 130
    assert part.exists()
    monkeypatch.undo()
    status, out, err = solve(capsys, *arguments)
    assert status == 0
    assert "continuing from" in err
    assert "+0.375642038" in out


def test_ordinary_blackjack(capsys):
    one_deck = ("--set", "decks=1")
    _, out, _ = solve(capsys, "blackjack", "--hand", "8s 8d", "--up", "Tc", "--json", *one_deck)
    found = json.loads(out)
    assert max(found["options"], key=found["options"].get) == "split"
    assert {c["play"]: c["ev"] for c in found["choices"]} == found["options"]
    assert found["choices"] == sorted(found["choices"], key=lambda c: -c["ev"])
    assert found["dealer_blackjack"] == pytest.approx(4 / 49)
    assert found["insurance"] is None
    _, out, _ = solve(capsys, "blackjack", "--hand", "8s 8s", "--up", "Ac")
    assert "given no dealer's blackjack" in out
    assert "insurance is worth" in out
    _, out, _ = solve(capsys, "blackjack", "--all", "--memory", "unsplit", "--json", *one_deck)
    assert json.loads(out)["ev"] == pytest.approx(-0.00008734733, abs=5e-12)
    _, out, _ = solve(capsys, "blackjack", "--all", "--preset", "six-deck-s17")
    assert "a round is worth -0.00" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["toss-one-21", "--all"], "nothing to solve"),
        (["poker", "--all"], "no game 'poker'"),
        (["roll-your-own"], "--hand CARDS and --up CARD, or use --all"),
        (["roll-your-own", "--hand", "2s 3s 4s"], "--hand CARDS and --up CARD, or use --all"),
        (["roll-your-own", "--all", "--up", "2s"], "--hand CARDS and --up CARD, or use --all"),
        (["roll-your-own", "--hand", "2s 3s", "--up", "4s"], "a hand has 3 cards here, not 2"),
        (["roll-your-own", "--hand", "2s 3s 4s", "--up", "4s"], "4s appears twice"),
        (["roll-your-own", "--hand", "2s 3s 4x", "--up", "4s"], "4x"),
        (["roll-your-own", "--all", "--memory", "unsplit"], "is only for blackjack"),
        (["roll-your-own", "--all", "--set", "max_splits=9"], "max_splits"),
        (["roll-your-own", "--hand", "2s 3s 4s", "--up", "5s", "-o", "x.json"], "add --all"),
        (["blackjack", "--all", "--memory", "full"], "none, hand or unsplit"),
        (["blackjack", "--all", "--checkpoint", "x"], "needs no checkpoint"),
        (["blackjack", "--all", "--set", "insurance=off"], "insurance"),
        (["blackjack", "--all", "--preset", "no-peek"], "no-peek"),
        (["blackjack", "--all", "--memory", "hand"], "for one deck or one split"),
        (["blackjack", "--hand", "8s 8s", "--up", "4s", "--set", "decks=1"], "8s appears twice"),
        (["roll-your-own", "--all", "--hand", ""], "--hand CARDS and --up CARD, or use --all"),
    ],
)
def test_wrong_input(capsys, arguments, message):
    status, out, err = solve(capsys, *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_a_result_that_cannot_be_written(capsys, tmp_path):
    status, _, err = solve(
        capsys, "roll-your-own", "--all", "--set", "max_splits=0", "-o", str(tmp_path / "no" / "x")
    )
    assert status == 2
    assert "cannot write" in err


@pytest.mark.parametrize("name", ["", ".", "no/x.json"])
def test_an_output_is_tried_before_the_work(capsys, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pitboss.games.roll_your_own.solver.Solver.solve_game", None)
    part = tmp_path / "part.json"
    status, _, err = solve(capsys, "roll-your-own", "--all", "-o", name, "--checkpoint", str(part))
    assert status == 2
    assert "cannot write" in err
    assert not part.exists()


def test_without_numba(capsys, monkeypatch):
    roll = "pitboss.games.roll_your_own"
    solving = (f"{roll}.solver", f"{roll}.kernels", "pitboss.solver", "pitboss.kernels")
    for name in [n for n in sys.modules if n.startswith(solving)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numba", None)
    status, _, err = solve(capsys, "roll-your-own", "--hand", "2s3s4s", "--up", "5s")
    assert status == 2
    assert "pip install 'pitboss[kernels]'" in err


def test_heavy_work_is_told_beforehand(capsys, monkeypatch):
    from pitboss.games.roll_your_own.solver import Solver, starts

    monkeypatch.setattr(
        Solver, "solve", lambda self, up, own: starts.Solution(up, tuple(own), 3.0, ())
    )
    _, _, err = solve(capsys, "roll-your-own", "--hand", "8s8dTh", "--up", "6c", "--memory", "full")
    assert "memory full with 4 splits" in err
