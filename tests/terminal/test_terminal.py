"""The terminal game, played from scripts of answers."""

import io
import json
import re

import pytest
from rich.console import Console

from pitboss.cli import main
from pitboss.coach import CoachError
from pitboss.core.journal import read_journal, replay
from pitboss.core.protocol import PendingDecision
from pitboss.games import roll_your_own, toss_one
from pitboss.tables.limits import Limit
from pitboss.tables.table import SeededShuffler, Table
from pitboss.terminal import Session
from pitboss.terminal.decisions import choices_of

LIMITS = {"main": Limit(500, 30_000), "lucky3": Limit(100, 30_000)}


def session(
    answers,
    *,
    seats=1,
    bankroll=10_000,
    rules=None,
    seed="7",
    game=toss_one.GAME,
    limits=LIMITS,
    coach=False,
):
    """Play a script of answers; return the session, its journals and what was shown."""
    table = Table(
        game,
        rules or game.rules(),
        limits=limits,
        shuffler=SeededShuffler(seed),
        bankroll=bankroll,
    )
    console = Console(file=io.StringIO(), width=100, color_system=None)
    lines = iter(answers)

    def ask(prompt):
        for line in lines:
            console.print(prompt + line, markup=False)
            return line
        raise EOFError

    played = Session(table, seats, console, ask, coach=coach)
    journals = [json.loads(journal) for journal in played.run()]
    return played, journals, console.file.getvalue()


def test_a_round():
    """Bets, cards, legal tosses, what each bet won by which rule, and the running total."""
    played, journals, shown = session(["10 5 5", "1", "q"])

    assert played.rounds == 1
    assert [s["net"] for s in journals[0]["settlements"]] == [-1000, -500, 1000]
    assert "1) toss 2♣   2) toss 2♠" in shown
    assert "│ ♠ │" in shown
    assert "░" in shown
    assert "Dealer: 4♠ 2♦ A♦ = 17, kicker Q♠" in shown
    assert "dealt, tosses 2♣" in shown
    assert "bonus4   total 17" in shown
    assert "bankroll $95" in shown
    assert "You leave with $95: -$5 in 1 round." in shown


def test_journals_replay():
    """Every round played is a journal that replays to its results."""
    _, journals, _ = session(["10,5,5", "toss 2c", "", "", "", "1", "main=20", "1"])

    assert len(journals) == 4
    for journal in journals:
        assert replay(read_journal(json.dumps(journal))).phase == "settled"


@pytest.mark.parametrize("answer", ["1", "2c", "toss 2c", "2♣"])
def test_ways_to_answer(answer):
    """A toss may be its number, the card or the whole decision."""
    _, journals, _ = session(["10", answer])

    assert journals[0]["decisions"] == ["toss 2c"]


def test_wrong_answers_are_asked_again():
    """What cannot be read or is not allowed is refused with the reason, and nothing is lost."""
    answers = [
        "3",
        "x",
        "1 2 3 4",
        "500",
        "main=10,luck=3",
        "10",
        "9",
        "",
        "Js",
        "toss Zz",
        "1",
        "q",
    ]

    played, journals, shown = session(answers)

    assert len(journals) == 1
    assert played.table.bankroll == 9_000
    for reason in (
        "No: a main bet of $3 is outside the limit: $5 to $300 in steps of $1",
        "No: 'x' is not an amount",
        "No: '1 2 3 4' has too many amounts",
        "No: a main bet of $500 is outside the limit",
        "No: 'luck=3' is not a bet",
        "No: '9' is not a card",
        "No: '' is not possible now: 1 toss 2♣, 2 toss 2♠, or q to leave",
        "No: seat 1 may not toss Js: the best total is 15, by 2c or 2s",
        "No: 'Zz' is not a card",
    ):
        assert reason in shown


@pytest.mark.parametrize("answers", [["q"], [], ["QUIT"], ["10", "q"], ["10"]])
def test_leaving_at_any_time(answers):
    """Leaving before or in mid-round costs nothing; open bets are returned."""
    played, journals, shown = session(answers)

    assert journals == []
    assert played.table.bankroll == 10_000
    assert ("bets of $10 are returned" in shown) is ("10" in answers)
    assert "You leave with $100: $0 in 0 rounds." in shown


def test_interrupted():
    """Ctrl-C leaves as q does."""

    def ask(prompt):
        raise KeyboardInterrupt

    played, _, _ = session([])
    played._ask = ask

    assert list(played.run()) == []


def test_several_seats():
    """One player plays several seats; a seat may sit out, but not all of them."""
    answers = ["-", "-", "10", "-", "1", "q"]

    played, journals, shown = session(answers, seats=2)

    assert [bet["seat"] for bet in journals[0]["bets"]] == [1]
    assert "Nobody has bet" in shown
    assert "Seat 2, your bets" in shown
    assert played.rounds == 1


def test_out_of_chips():
    """Who cannot make the smallest bet is told so and leaves."""
    played, journals, shown = session(["5", "1", "", "", "", ""], bankroll=500)

    assert len(journals) == 1
    assert played.table.bankroll == 0
    assert "The smallest bets take $5: you are out of chips." in shown


def test_more_than_the_bankroll():
    """A bet that the bankroll does not cover is refused."""
    _, _, shown = session(["100 100", "q"])

    assert "No: this takes $200, but the bankroll is $100" in shown


def test_settings_are_named():
    """What differs from the default preset is shown at the start."""
    _, _, shown = session(["q"], rules=toss_one.Rules(decks=6, lucky3_paytable=1))

    assert "lucky3_paytable=1 decks=6" in shown


def test_a_bust_is_shown():
    """A seat that busts is not asked, and is shown as bust."""
    _, journals, shown = session(["5", "1"] * 60, bankroll=100_000, seed="bust")

    assert any("bust" in s["outcome"] for j in journals for s in j["settlements"])
    assert "│ bust" in shown


def test_from_standard_input(monkeypatch, capsys):
    """Without a terminal the answers come from standard input; --json prints journals alone."""
    monkeypatch.setattr("sys.stdin", io.StringIO("10 5 5\n1\nq\n"))

    assert main(["play", "toss-one-21", "--seed", "7", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["net"] == {"1": -500}
    assert "play money" in captured.err


def test_from_a_script(tmp_path, capsys):
    """The answers may come from a file."""
    script = tmp_path / "answers.txt"
    script.write_text("10\n1\n", "utf-8")

    arguments = ["play", "toss-one-21", "--seed", "7", "--script", str(script)]
    assert main([*arguments, "--limit", "main=10..20/10"]) == 0
    out = capsys.readouterr().out
    assert "main     $10 to $20 in steps of $10, Main" in out
    assert "You leave with $490" in out


def test_at_a_keyboard(monkeypatch, capsys):
    """At a terminal the prompt waits for the keyboard."""
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda *args: "q")

    assert main(["play", "toss-one-21"]) == 0
    shown = capsys.readouterr().out
    assert "Your bets [main=5]: " in shown
    assert "You leave with $500" in shown


def test_a_side_bet_alone_is_refused():
    """A side bet without Main is refused, and asked again."""
    played, _, shown = session(["lucky3=5", "q"])

    assert "No: seat 1 needs a Main bet" in shown
    assert played.table.bankroll == 10_000


def test_chips_are_stacked():
    """A tall stack is shown by its number."""
    _, _, shown = session(["q"], bankroll=123_456)

    assert "●●●●●x12 ●" in shown


def test_many_decks_show_the_kicker():
    """With several decks a kicker equal to a kept card is still shown."""
    rules = toss_one.Rules(decks=8)
    _, _, shown = session(["5", "1"] * 40, bankroll=100_000, rules=rules)

    settled = shown.count("what happened")
    assert shown.count(", kicker") + shown.count("Dealer: bust") == settled


# --- Roll Your Own


def roll(answers, *, seed="11", **options):
    return session(answers, seed=seed, game=roll_your_own.GAME, limits={}, **options)


def test_roll_your_own_round():
    """Set, insure and play by keys; the hand whose turn it is stands out."""
    _, journals, shown = roll(["10", "5", "n", "10", "6", "d", "s", "q"])

    assert journals[0]["decisions"] == ["set 9h6h Js", "insure 0"]
    assert journals[1]["decisions"] == ["set 9h 9sKd", "double", "stand"]
    assert "1) set J♠ 9♥ / 6♥" in shown
    assert "n) no insurance   y) insure $10, or an amount" in shown
    assert "h) hit   s) stand   d) double" in shown
    assert "> first $10: 12" in shown
    assert "Dealer shows 3♠" in shown
    assert "Dealer: 3♠ 3♥ J♠ 2♦ = 18" in shown
    assert "Seat 1, bonus: no win -$10" in shown
    assert "$10 on each of the three bets ●●" in shown
    assert "second $10: 21, blackjack" in shown


@pytest.mark.parametrize(
    ("answer", "decision"),
    [("y", "insure 1000"), ("2.50", "insure 250"), ("insure 5", "insure 500"), ("N", "insure 0")],
)
def test_roll_your_own_insurance(answer, decision):
    """Insurance is yes, no, or dollars, with or without the word."""
    _, journals, _ = roll(["10", "set 9h6h Js", answer])

    assert journals[0]["decisions"][-1] == decision


@pytest.mark.parametrize("answer", ["9h6h Js", "set 9h6h Js", "9♥6♥ J♠", "set 9♥ 6♥ / J♠", "5"])
def test_roll_your_own_set(answer):
    """Hands are set by key, by cards or by the whole decision."""
    _, journals, _ = roll(["10", answer, "n"])

    assert journals[0]["decisions"][0] == "set 9h6h Js"


def test_roll_your_own_beyond_the_bankroll():
    """A double that the bankroll does not cover is refused; the hand goes on."""
    answers = ["10", "5", "n", "10", "6", "d", "p", "stand", "s"]
    _, journals, shown = roll(answers, bankroll=3_500)

    assert "Your bankroll does not cover double." in shown
    assert "No: this takes $10, but the bankroll is" in shown
    assert "No: 'p' is not possible now: h hit, s stand, d double, or q to leave" in shown
    assert journals[1]["decisions"] == ["set 9h 9sKd", "stand", "stand"]


def test_roll_your_own_smallest_bets():
    """Three bets must be covered to sit down."""
    _, journals, shown = session(
        ["5"], game=roll_your_own.GAME, limits={"bet": Limit(500, 1_000)}, bankroll=1_400
    )

    assert journals == []
    assert "The smallest bets take $15: you are out of chips." in shown


def test_roll_your_own_soft_and_split():
    """Soft totals are called soft, and split hands are numbered."""
    _, _, shown = roll(["10", "1", *["p", "h", "s", "n"] * 12] * 40, bankroll=10**8, seed="soft")

    assert re.search(r"(first|second)( \d)? \$10: soft 1\d", shown)
    assert re.search(r"(first|second) 2 \$10: ", shown)


def test_roll_your_own_busts_are_shown():
    """Hands and dealers over 21 are shown as bust."""
    _, _, shown = roll(["10", "1", *["h"] * 12] * 30, bankroll=1_000_000, seed="busts")
    _, _, more = roll(["10", "1", "s", "s", "s"] * 40, bankroll=1_000_000, seed="dealer")

    assert re.search(r"first \$10: 2\d, bust", shown)
    assert re.search(r"Dealer: .* = 2\d, bust", more)


# --- the coach


def lines(shown, start):
    """Return the line that starts so, and all after it."""
    found = shown.splitlines()
    at = next(number for number, line in enumerate(found) if line.startswith(start))
    return [line.rstrip() for line in found[at:]]


@pytest.mark.parametrize("key", ["?", "hint", "Hint"])
def test_hint_in_toss_one(key):
    """The hint key shows every legal toss with its value, the best marked, and asks again."""
    rules = toss_one.Rules(toss="free")
    _, journals, shown = session(["10 5 5", key, "1", "q"], rules=rules)

    assert lines(shown, "Coach")[:5] == [
        "Coach, all bets of the seat together, in bets of $10:",
        " * toss 2♣ or 2♠               -0.01580       -$0.16",
        "   toss 3♦                     -0.02185       -$0.22",
        "   toss J♠                     -0.03448       -$0.34",
        "Seat 1, your decision: 1",
    ]
    assert journals[0]["decisions"] == ["toss 2c"]


def test_hints_in_roll_your_own():
    """There are hints for the set, for insurance and for every play."""
    _, _, shown = roll(["10", "?", "5", "?", "n", "10", "6", "?", "d", "s", "q"])

    assert lines(shown, "Coach, both")[:3] == [
        "Coach, both blackjack bets together, in bets of $10:",
        " * set J♠ 9♥ / 6♥              -0.69300       -$6.93",
        "   set 9♥ 6♥ / J♠              -0.87966       -$8.80",
    ]
    assert lines(shown, "Coach, the")[:4] == [
        "Coach, the insurance, in bets of $10:",
        " * no insurance                +0.00000           $0",
        "   insure $10, or an amount    -0.06250       -$0.62",
        "Seat 1, your decision: n",
    ]
    assert lines(shown, "Coach, this")[:5] == [
        "Coach, this hand alone, in bets of $10:",
        " * hit                         -0.28007       -$2.80",
        "   stand                       -0.29345       -$2.93",
        "   double                      -0.56426       -$5.64",
        "Seat 1, your decision: d",
    ]


def test_hint_before_the_cards():
    """Before the deal there is nothing to say, and the bet is asked again."""
    _, journals, shown = session(["?", "10", "1", "q"])

    assert "The coach gives hints after the deal." in shown
    assert len(journals) == 1


def test_hint_says_where_it_is_approximate():
    """At a full table the stub could run dry, and the hint says so."""
    _, _, shown = roll([*["10"] * 7, "?", "q"], seats=7, bankroll=100_000)

    assert "Approximate: the stub could run dry." in shown


def test_review():
    """After a round each mistake is told with what it cost, and the sum since the start."""
    answers = ["10", "5", "y", "10", "6", "d", "s", "10", "q"]
    played, _, shown = roll(answers, coach=True)

    first, second = (lines(shown, start)[:4] for start in ("Seat 1: set", "Seat 1, first: double"))
    assert first[:3] == [
        "Seat 1: set 9♥ 6♥ / J♠; set J♠ 9♥ / 6♥ was better by $1.87 (0.18666 of a bet)",
        "Seat 1: insure $10; no insurance was better by $0.62 (0.06250 of a bet)",
        "Mistakes cost $2.49 this round, $2.49 since you sat down",
    ]
    assert second[:2] == [
        "Seat 1, first: double; hit was better by $2.84 (0.28419 of a bet)",
        "Mistakes cost $2.84 this round, $5.33 since you sat down",
    ]
    assert played.mistakes == pytest.approx(533.35, abs=0.01)


def test_review_without_mistakes():
    """Who plays best is told of no mistake; without the coach there is no review at all."""
    _, _, shown = session(["10 5 5", "1", "q"], coach=True)
    _, _, plain = session(["10 5 5", "1", "q"])

    assert "was better" not in shown
    assert "Mistakes cost $0 this round, $0 since you sat down" in shown
    assert "Mistakes" not in plain


def test_review_of_what_the_bankroll_covers():
    """What the bankroll does not cover is no mistake, and is not the best of a hint."""
    answers = ["10", "1", *["?", "s"] * 3, "q"]
    poor, rich = (
        roll(answers, coach=True, bankroll=cents, seed="double 6")[2] for cents in (3_000, 9_000)
    )

    assert " * double" in rich
    assert "double was better by" in rich
    assert " * double" not in poor
    assert "   double" in poor
    assert "double was better by" not in poor


def test_review_of_an_amount_between():
    """Insurance for less than half costs its share."""
    _, _, shown = roll(["10", "1", "2.50", "q"], coach=True)

    assert "Seat 1: insure $2.50; no insurance was better by $0.16 (0.01562 of a bet)" in shown


def test_less_than_a_cent():
    """A mistake that costs less than a cent is still told."""
    _, _, shown = roll(["0.01", "5", "n", "q"], coach=True)

    assert "was better by less than a cent (0.18666 of a bet)" in shown
    assert "Mistakes cost less than a cent this round" in shown


def test_without_a_coach(monkeypatch):
    """Where the coach cannot be had one line says why, for a hint and once for the reviews."""

    def missing(rules):
        raise CoachError("the coach needs numba")

    monkeypatch.setattr("pitboss.games.roll_your_own.coach._solver", missing)
    played, journals, shown = roll(["10", "?", "5", "n", "10", "6", "d", "s", "q"], coach=True)

    assert len(journals) == 2
    assert shown.count("No: the coach needs numba") == 2
    assert "Mistakes" not in shown
    assert not played.coach


def test_keys_of_other_plays():
    """A play that has no usual key has the first of its letters that is free, and never q."""
    asked = PendingDecision(1, "play", ("hit", "twist", "hand over", "quit"))

    words = {key: word for key, (word, _) in choices_of(roll_your_own.GAME, asked).items()}
    assert words == {"h": "hit", "t": "twist", "a": "hand over", "u": "quit"}
