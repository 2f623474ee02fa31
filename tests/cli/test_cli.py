"""The command line, command by command."""

import io
import json
import os
import subprocess
import sys

import pytest

from pitboss.cli import cli, main

SETTLE = ["settle", "toss-one-21", "--player", "As Ks Qs 2h", "--dealer", "9c 4d Kh 8s"]
JOURNAL = {
    "format": 1,
    "game": "toss-one-21",
    "deck": "As Ks Qs 2h 9c 4d Kh 8s",
    "bets": [{"seat": 1, "main": 1000}],
    "decisions": ["toss 2h"],
}


@pytest.fixture
def journals(tmp_path):
    """Write journals: a correct one, an open one, one with false results, and an impossible one."""
    forms = {
        "good": JOURNAL | {"net": {"1": 1500}},
        "open": JOURNAL | {"decisions": []},
        "lies": JOURNAL | {"net": {"1": 1000}},
        "wrong": JOURNAL | {"decisions": ["toss 2h", "toss Ks"]},
    }
    for name, journal in forms.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(journal), "utf-8")
    return tmp_path


def test_games(capsys):
    """The games are listed with their bets."""
    assert main(["games"]) == 0
    assert "toss-one-21  Toss One 21\n  four cards, toss one" in capsys.readouterr().out
    assert main(["games", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["bets"] == ["main", "lucky3", "bonus4"]


def test_rules(capsys, tmp_path):
    """The rules in force are shown with every setting, its reading and the digest."""
    table = tmp_path / "mine.json"
    table.write_text('[{"on": [4], "pays": "500:1"}]', "utf-8")

    assert main(["rules", "toss-one-21", "--set", f"bonus4_paytable=@{table}", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["rules"]["bonus4_paytable"] == [{"on": [4], "pays": "500:1"}]
    assert shown["rules"]["decks"] == 1
    assert len(shown["digest"]) == 64
    assert main(["rules", "toss-one-21", "--set", f"bonus4_paytable=@{table}"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in shown["rules"])
    assert "500 to 1" in text
    assert shown["digest"] in text


@pytest.mark.parametrize("command", ["rules", "analyze"])
def test_a_narrow_terminal_cuts_nothing(command, capsys, monkeypatch):
    """Names and figures wrap to the next line if a column is too narrow."""
    monkeypatch.setenv("COLUMNS", "40")

    assert main([command, "toss-one-21"]) == 0
    assert "…" not in capsys.readouterr().out


def test_presets(capsys):
    """A preset is named, and settings change it."""
    assert (
        main(["rules", "toss-one-21", "--preset", "published", "--set", "decks=6", "--json"]) == 0
    )
    rules = json.loads(capsys.readouterr().out)["rules"]
    assert (rules["dealer_blackjack"], rules["decks"]) == ("beats_21", 6)


def test_settle(capsys):
    """A deal is settled, for people and for machines."""
    assert main([*SETTLE, "--bet", "main=10,lucky3=2.50"]) == 0
    text = capsys.readouterr().out
    assert "As Ks Qs = 21, tosses 2h" in text
    assert "+$15  blackjack (rule 8)" in text
    assert main([*SETTLE, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "game": "toss-one-21",
        "rules": {
            "dealer_blackjack": "is_21",
            "blackjack_pays": "3:2",
            "ace_kicker": "high",
            "lucky3_paytable": 2,
            "bonus4_paytable": "letter",
            "decks": 1,
            "toss": "must_be_best",
            "rounding": "cent",
            "seats": 7,
        },
        "player": {"kept": ["As", "Ks", "Qs"], "tossed": "2h", "total": 21},
        "dealer": {"kept": ["9c", "4d", "8s"], "tossed": "Kh", "total": 21},
        "settlements": [
            {
                "seat": 1,
                "bet": "main",
                "hand": 0,
                "outcome": "blackjack",
                "rule": "8",
                "stake": 100,
                "net": 150,
            }
        ],
        "net": 150,
    }


def test_settle_shows_a_bust(capsys):
    """A bust keeps no cards, and a push is named."""
    main(["settle", "toss-one-21", "--player", "Td 9c 8h 7s", "--dealer", "Tc 9d 8s 7h"])
    assert capsys.readouterr().out.startswith("player  bust\ndealer  bust\n")


def test_replay(capsys, journals):
    """Journals are replayed in order; the exit status is the highest."""
    names = ["good", "open", "lies", "wrong", "missing"]
    files = [str(journals / f"{name}.json") for name in names]

    statuses = [main(["replay", "--json", file]) for file in files]
    capsys.readouterr()
    assert statuses == [0, 0, 1, 2, 2]
    assert main(["replay", "--json", *files]) == 2
    captured = capsys.readouterr()
    lines = [json.loads(line) for line in captured.out.splitlines()]
    assert [line["file"] for line in lines] == files
    assert lines[0]["net"] == {"1": 1500}
    assert lines[1]["asked"]["legal"] == ["toss 2h"]
    assert lines[2]["differs"] == ["net is {'1': 1500}, the journal has {'1': 1000}"]
    assert lines[3] == {
        "file": files[3],
        "ok": False,
        "error": "not_allowed",
        "detail": "'toss Ks' is one decision too many: the round is over",
        "at": 1,
    }
    assert lines[4]["error"] == "unreadable"
    assert len(captured.err.splitlines()) == 3


def test_replay_for_people(capsys, journals):
    """A replay shows cards, hands, the pending decision and every settlement."""
    assert main(["replay", str(journals / "good.json"), str(journals / "open.json")]) == 0
    text = capsys.readouterr().out
    assert "seat 1  As Ks Qs 2h" in text
    assert "main      As Ks Qs = 21" in text
    assert "open: seat 1 is asked for toss 2h" in text
    assert "dealer  face down" in text
    assert main(["replay", str(journals / "lies.json"), str(journals / "wrong.json")]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert "the journal has {'1': 1000}" in errors[0]
    assert errors[1].endswith("the round is over (decision 1)")


def test_a_byte_order_mark_is_no_text(tmp_path):
    """A file that starts with a byte order mark is read without it."""
    (tmp_path / "marked.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(JOURNAL).encode())

    assert main(["replay", str(tmp_path / "marked.json")]) == 0


def test_replay_from_standard_input(capsys, monkeypatch):
    """A journal can be read from standard input."""
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(JOURNAL)))

    assert main(["replay", "-"]) == 0
    assert "net +$15" in capsys.readouterr().out


def test_replay_under_other_rules(capsys, journals):
    """--set changes the rules of every file; a file's own results then differ."""
    good = str(journals / "good.json")

    assert main(["replay", good, "--set", "blackjack_pays=6:5", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["net"] == {"1": 1200}
    assert main(["replay", good, "--set", "max_splits=1"]) == 2


def test_full_disk():
    """Output that cannot be written is reported in one line."""
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m pitboss rules toss-one-21 --json > /dev/full"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "cannot write" in done.stderr


def test_replay_of_bytes_that_are_no_text(capsys, tmp_path):
    """A binary file or a folder is rejected by name."""
    (tmp_path / "raw").write_bytes(b"\xff\xfe\x00")

    assert main(["replay", str(tmp_path / "raw"), str(tmp_path)]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert "it is not UTF-8 text" in first
    assert "Is a directory" in second


WRONG = [
    (["settle", "roll-your-own", *SETTLE[2:]], "settle is only for toss-one-21"),
    (["rules", "roll-your-own", "--set", "max_splits=5"], "max_splits: 5 is not a whole number"),
    (["rules", "roll-your-own", "--set", "resplit_aces=maybe"], "is not one of yes, no"),
    (["rules", "roll-your-own", "--set", "decks=1"], "no setting 'decks': choose from hole_card"),
    (["deal"], "No such command 'deal'"),
    (["rules"], "Missing argument 'GAME'"),
    (["rules", "poker"], "no game 'poker': choose from toss-one-21"),
    (["rules", "toss-one-21", "--set", "decks=0"], "decks: 0 is not a whole number in 1..8"),
    (["rules", "toss-one-21", "--set", "deck=1"], "no setting 'deck': choose from"),
    (["rules", "toss-one-21", "--set", "decks"], "'decks' sets nothing: write name=value"),
    (["rules", "toss-one-21", "--set", "bonus4_paytable=@none.json"], "cannot read 'none.json'"),
    (["rules", "toss-one-21", "--set", "decks=1", "--set", "decks=2"], "decks is set twice"),
    (["rules", "toss-one-21", "--preset", "mine"], "no preset 'mine': choose one of default"),
    (["rules", "toss-one-21", "--sett", "x"], "No such option"),
    (["settle", "toss-one-21", "--player", "As"], "Missing option '--dealer'"),
    ([*SETTLE, "--player", "As Ks Qs"], "--player takes four cards, got 3"),
    ([*SETTLE, "--dealer", "As Ks Qs Js Ts"], "--dealer takes four cards, got 5"),
    ([*SETTLE, "--dealer", "As 4d Kh 8s"], "As appears 2 times"),
    ([*SETTLE, "--dealer", "9x 4d Kh 8s"], "'9x' is not a card"),
    ([*SETTLE, "--toss", "Ks"], "seat 1 may not toss Ks: the best total is 21, by 2h"),
    ([*SETTLE, "--toss", "3c"], "seat 1 does not hold 3c"),
    ([*SETTLE, "--toss", "3c 4c"], "expected one card"),
    ([*SETTLE, "--player", "Td 9h 8h 7s", "--toss", "Td"], "nothing to toss"),
    ([*SETTLE, "--bet", "main=0"], "seat 1 needs a Main bet"),
    ([*SETTLE, "--bet", "lucky3=5"], "seat 1 needs a Main bet"),
    ([*SETTLE, "--bet", "main=1.5"], "'1.5' is not an amount: write dollars, as in 10 or 2.50"),
    ([*SETTLE, "--bet", "main=ten"], "'ten' is not an amount"),
    ([*SETTLE, "--bet", "luck=5"], "'luck=5' is not a bet"),
    ([*SETTLE, "--bet", "main=1,main=2"], "the bet main is given twice"),
    (["replay"], "Missing argument 'FILE...'"),
    (["play", "toss-one-21", "--seats", "8"], "--seats 8: this table has 1..7 seats"),
    (["play", "toss-one-21", "--seats", "0"], "--seats 0: this table has 1..7 seats"),
    (["play", "toss-one-21", "--seats", "x"], "'x' is not a valid integer"),
    (
        ["play", "toss-one-21", "--limit", "main=9..3"],
        "the minimum must be positive and at most the maximum",
    ),
    (["play", "toss-one-21", "--limit", "mian=3..9"], "no bet 'mian' to limit"),
    (["play", "toss-one-21", "--limit", "main"], "'' is not a limit"),
    (["play", "toss-one-21", "--limit", "main=5..9", "--limit", "main=5..9"], "given twice"),
    (["rules", "toss-one-21", "--set", "bonus4_paytable=@"], "the file name is empty"),
    (["play", "toss-one-21", "--bankroll", "lots"], "'lots' is not an amount"),
    (["play", "toss-one-21", "--script", "none.txt"], "cannot read 'none.txt'"),
]


@pytest.mark.parametrize(("arguments", "reason"), WRONG, ids=[" ".join(w[0]) for w in WRONG])
def test_wrong_input(arguments, reason, capsys):
    """Wrong input exits 2 with one line on stderr and nothing on stdout."""
    assert main(arguments) == 2

    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert captured.err.startswith("pitboss: ")
    assert reason in captured.err


def test_no_arguments_is_help(capsys):
    """Without a command, the help is shown."""
    assert main([]) == 0
    assert "Usage: pitboss" in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_help(name, capsys):
    """Every command has help with an example, and takes --json."""
    assert main([name, "--help"]) == 0

    text = capsys.readouterr().out
    assert f"Examples:\n    pitboss {name}" in text or "| pitboss play" in text
    assert "--json" in text


def test_as_a_process(journals):
    """The installed command and the module run, with their exit status."""
    for command in (["pitboss"], [sys.executable, "-m", "pitboss"]):
        path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]  # noqa: PTH120
        done = subprocess.run(
            [*command, "replay", str(journals / "lies.json")],
            capture_output=True,
            encoding="utf-8",
            check=False,
            env=os.environ | {"PATH": path},
        )
        assert done.returncode == 1
        assert "the journal has" in done.stderr


def test_a_closed_pipe_is_no_error():
    """If the reader closes the pipe early, the exit status means neither error nor "no"."""
    for arguments in ("rules toss-one-21 --json", "rules toss-one-21", "play toss-one-21"):
        command = (
            f"{sys.executable} -m pitboss {arguments} </dev/null | true; exit ${{PIPESTATUS[0]}}"
        )

        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, encoding="utf-8", check=False
        )

        assert done.stderr == ""
        assert done.returncode in {0, 141}  # never 1, which is an answer, or 2


def test_closed_streams_are_survived():
    """Without standard input or output a command still ends without a traceback."""
    for command in ("play toss-one-21 <&-", "games >&-", "replay - <&-"):
        done = subprocess.run(
            ["bash", "-c", f"{sys.executable} -m pitboss {command}"],
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert "Traceback" not in done.stderr


def test_play_takes_bytes_that_are_no_text():
    """Binary answers are rejected with a one-line message."""
    done = subprocess.run(
        [sys.executable, "-m", "pitboss", "play", "toss-one-21"],
        input=b"\xff\n",
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "utf-8:strict"},
    )
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1


def test_completion(capsys):
    """The shell completes the names of the games."""
    game = cli.commands["rules"].params[0]

    assert [item.value for item in game.type.shell_complete(None, None, "toss")] == ["toss-one-21"]
