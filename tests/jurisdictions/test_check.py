"""The check of a table against a jurisdiction: each rule on both sides of its boundary."""

import json
from dataclasses import replace
from datetime import date, timedelta

import pytest

import pitboss.cli.checking  # noqa: F401  it adds the command
from pitboss.cli import main
from pitboss.core.errors import NotationError, SettingError
from pitboss.games import GAMES, roll_your_own, toss_one
from pitboss.jurisdictions import (
    JURISDICTIONS,
    LETTERS,
    WASHINGTON_2017,
    WASHINGTON_2023,
    Finding,
    Verdict,
    check,
    find_jurisdiction,
)
from pitboss.jurisdictions.laws import SOURCES_DATE
from pitboss.tables.limits import Limit

PASS, FAIL, PERSON = Verdict.PASS, Verdict.FAIL, Verdict.PERSON
BOTH = [WASHINGTON_2017, WASHINGTON_2023]
LIMITS = ["--limit", "main=5..300", "--limit", "lucky3=5..300", "--limit", "bonus4=5..300"]
TOSS_2017 = ["check", "toss-one-21", "--jurisdiction", "washington-2017"]
TOSS_2023 = ["check", "toss-one-21", "--jurisdiction", "washington-2023"]
ROLL_2023 = ["check", "roll-your-own", "--jurisdiction", "washington-2023"]


def toss(law=WASHINGTON_2017, *, rules=None, seats=None, cap=None, **most):
    """Check Toss One 21 at $5 to $300 a bet, except given bets (in cents); return it by topic."""
    limits = {name: Limit(500, 30_000) for name in toss_one.GAME.stakes}
    limits |= {
        name: m if isinstance(m, Limit) else Limit(min(500, m), m) for name, m in most.items()
    }
    found = check(
        toss_one.GAME,
        toss_one.Rules(**(rules or {})),
        jurisdiction=law,
        limits=limits,
        seats=seats,
        cap=cap,
    )
    return by_topic(found)


def roll(law=WASHINGTON_2017, *, most=30_000, cap=None, **rules):
    """Check Roll Your Own with bets of up to *most*; return the findings by topic."""
    found = check(
        roll_your_own.GAME,
        roll_your_own.Rules(**rules),
        jurisdiction=law,
        limits={"bet": Limit(min(500, most), most)},
        cap=cap,
    )
    return by_topic(found)


def by_topic(findings):
    """Return findings by topic; each topic occurs once."""
    topics = {finding.topic: finding for finding in findings}
    assert len(topics) == len(findings)
    return topics


def verdicts(found, start=""):
    return {topic: f.verdict for topic, f in found.items() if topic.startswith(start)}


# --- every game


@pytest.mark.parametrize("law", BOTH, ids=lambda law: law.name)
@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_every_game_is_checked(game, law):
    """Every bet of a game is a wager and a game of its own; each topic comes once."""
    limits = dict.fromkeys(game.stakes, Limit(500, 30_000))
    found = by_topic(check(game, game.rules(), jurisdiction=law, limits=limits))
    bets = [bet.key for bet in game.bets if bet.stake]

    assert {f"wager on {bet}" for bet in bets} <= found.keys()
    assert f"one hand plays {len(bets)} games" in found["separate games"].detail
    assert (found["approval"].verdict is FAIL) == (game.key not in law.approvals)


# --- single wagers


@pytest.mark.parametrize(
    ("law", "most", "verdict"),
    [
        (WASHINGTON_2017, 30_000, PASS),
        (WASHINGTON_2017, 30_001, FAIL),
        (WASHINGTON_2023, 40_000, PASS),
        (WASHINGTON_2023, 40_001, FAIL),
    ],
)
@pytest.mark.parametrize("bet", toss_one.GAME.stakes)
def test_single_wager(law, most, verdict, bet):
    """Each wager may be as high as the limit, but not a cent higher."""
    found = toss(law, **{bet: most})

    assert found[f"wager on {bet}"].verdict is verdict
    assert found[f"wager on {bet}"].citation.section == "WAC 230-15-140"
    others = verdicts(found, "wager on ")
    assert [name for name, v in others.items() if v is FAIL] == (
        [f"wager on {bet}"] if verdict is FAIL else []
    )


def test_single_wager_says_the_numbers():
    """The detail has the amount and the limit; the source of the 2023 limit is a news report."""
    found = toss(WASHINGTON_2023, main=40_050)["wager on main"]

    assert found.detail == "the most on main is $400.50, of $400 allowed"
    assert "from 20 August 2023 at the earliest; adopted 20 July 2023" in str(found.citation)


@pytest.mark.parametrize(("most", "verdict"), [(30_000, PASS), (30_001, FAIL)])
def test_three_equal_bets(most, verdict):
    """One limit applies to the three bets of Roll Your Own; insurance is as large as one bet."""
    wagers = verdicts(roll(most=most), "wager on ")

    names = ("first", "second", "bonus", "insurance")
    assert wagers == {f"wager on {name}": verdict for name in names}


@pytest.mark.parametrize(
    ("rules", "largest"),
    [
        ({}, "$3,000"),  # five hands, each doubled
        ({"double_after_split": False}, "$1,500"),  # five hands
        ({"double_after_split": False, "max_splits": 1}, "$600"),  # two hands, or one doubled
        ({"double_after_split": False, "max_splits": 0}, "$600"),
        ({"max_splits": 0}, "$600"),
    ],
)
def test_doubles_and_splits(rules, largest):
    """Doubles and splits are separate wagers only from memory, so a person must confirm it."""
    found = roll(**rules)["doubles and splits"]

    assert found.verdict is PERSON
    assert f"may bring one bet to {largest}:" in found.detail
    assert "memory" in str(found.citation)
    assert "doubles and splits" not in toss()


# --- separate games


def test_separate_games():
    """The bets of one hand are counted as games."""
    assert toss()["separate games"].detail == (
        "one hand plays 3 games (main, lucky3, bonus4), of 6 allowed"
    )
    assert roll()["separate games"].detail == (
        "one hand plays 3 games (first, second, bonus), of 6 allowed"
    )
    few = replace(WASHINGTON_2017, games=replace(WASHINGTON_2017.games, most=2))
    assert toss()["separate games"].verdict is PASS
    assert toss(few)["separate games"].verdict is FAIL


@pytest.mark.parametrize(
    ("lucky3", "bonus4", "takes"), [(500, 500, "1 of them takes"), (501, 500, "2 of them take")]
)
def test_games_over_five_dollars(lucky3, bonus4, takes):
    """A game is large if its bet may exceed five dollars by a cent."""
    found = toss(lucky3=lucky3, bonus4=bonus4)["games over $5"]

    assert found.detail == f"{takes} more than $5, of 3 allowed"


@pytest.mark.parametrize(("most", "verdict"), [(500, PASS), (501, FAIL)])
def test_too_many_games_over_five_dollars(most, verdict):
    """The largest allowed number of large games passes; one more fails."""
    few = replace(WASHINGTON_2017, games=replace(WASHINGTON_2017.games, most_large=2))

    assert toss(few, lucky3=most)["games over $5"].verdict is verdict
    assert toss(lucky3=most)["games over $5"].verdict is PASS


def test_insurance_as_a_game():
    """A person decides whether insurance counts, unless it fits in any case or is off."""
    found = roll()["insurance as a game"]

    assert found.verdict is PERSON
    assert "4 games of 6 allowed, and 4 over $5 of 3 allowed: ask" in found.detail
    assert roll(most=500)["insurance as a game"].verdict is PASS
    assert roll(most=501)["insurance as a game"].verdict is PERSON
    few = replace(WASHINGTON_2017, games=replace(WASHINGTON_2017.games, most=3))
    assert roll(few, most=500)["insurance as a game"].verdict is PERSON
    assert not any("insurance" in topic for topic in roll(insurance="off"))
    assert "insurance as a game" not in toss()


# --- seats


@pytest.mark.parametrize(
    ("seats", "verdict"), [(1, PASS), (7, PASS), (8, PERSON), (9, PERSON), (10, FAIL), (99, FAIL)]
)
def test_seats(seats, verdict):
    """Seven seats pass, eight and nine need a person, ten fail."""
    assert toss(seats=seats)["seats"].verdict is verdict


@pytest.mark.parametrize(
    ("seats", "has", "verdict"), [(1, "1 seat", PASS), (7, "7 seats", PASS), (9, "9 seats", PERSON)]
)
def test_seats_of_the_rules(seats, has, verdict):
    """Without --seats, the table has the seats of its rules."""
    found = toss(rules={"seats": seats})["seats"]

    assert found.detail.startswith(f"{has}, of 7 allowed")
    assert found.verdict is verdict


# --- payout caps


@pytest.mark.parametrize(
    ("law", "bet", "limit", "least"),
    [
        (WASHINGTON_2017, "bonus4", Limit(500, 30_000), 3_000_000),  # twice $300 at 50:1
        (WASHINGTON_2017, "bonus4", Limit(5_900, 30_000), 3_000_000),  # $59 at 250:1 is less
        (WASHINGTON_2017, "bonus4", Limit(6_001, 30_000), 3_000_500),  # twice $60.01 at 250:1
        (WASHINGTON_2017, "lucky3", Limit(500, 30_000), 1_200_000),  # twice $300 at 20:1
        (WASHINGTON_2023, "bonus4", Limit(500, 30_000), 1_500_000),  # $300 at 50:1
        (WASHINGTON_2023, "bonus4", Limit(6_001, 30_000), 1_500_000),  # the least does not count
        (WASHINGTON_2023, "bonus4", Limit(500, 40_000), 2_000_000),
    ],
)
def test_payout_cap(law, bet, limit, least):
    """A cap may be as low as the text in force allows, but not a cent lower."""
    topic = f"payout cap on {bet}"

    assert toss(law, cap={bet: least}, **{bet: limit})[topic].verdict is PASS
    found = toss(law, cap={bet: least - 1}, **{bet: limit})
    assert found[topic].verdict is FAIL
    assert found[topic].citation.section == "WAC 230-15-490"
    assert [t for t, v in verdicts(found, "payout cap on ").items() if v is FAIL] == [topic]


def test_payout_cap_says_how_it_comes_about():
    """The detail has the cap, the lowest cap allowed, and the wager and odds behind it."""
    assert toss(cap={"bonus4": 1_500_000})["payout cap on bonus4"].detail == (
        "a cap of $15,000 on bonus4 is below $30,000 (2 x $300 at 50:1)"
    )
    least = toss(cap={"bonus4": 10_000_000}, bonus4=Limit(10_000, 30_000))
    assert least["payout cap on bonus4"].detail == (
        "a cap of $100,000 on bonus4 is not below $50,000 (2 x $100 at 250:1)"
    )


def test_odd_floors_round_up():
    """A lowest cap with half a cent is rounded up to a cent."""
    rules = {"bonus4_paytable": [{"on": [4], "pays": "3:2"}]}
    found = toss(rules=rules, cap={"bonus4": 90_003}, bonus4=30_001)["payout cap on bonus4"]

    assert found.verdict is PASS
    law = replace(WASHINGTON_2017, cap=replace(WASHINGTON_2017.cap, players=1))
    found = toss(law, rules=rules, cap={"bonus4": 45_001}, bonus4=30_001)["payout cap on bonus4"]
    assert (found.verdict, "$450.02" in found.detail) == (FAIL, True)


@pytest.mark.parametrize(("pays", "verdict"), [("50:1", PASS), ("99:2", FAIL), ("40:1", FAIL)])
def test_no_cap_under_fifty_to_one(pays, verdict):
    """Since 2021 no cap is allowed on a bet whose highest odds are under 50:1."""
    rules = {"bonus4_paytable": [{"on": [4], "pays": pays}, {"on": [5], "pays": "2:1"}]}

    found = toss(WASHINGTON_2023, rules=rules, cap=10_000_000)
    assert found["payout cap on bonus4"].verdict is verdict
    assert found["payout cap on lucky3"].verdict is (PERSON if verdict is PASS else FAIL)
    named = toss(WASHINGTON_2023, rules=rules, cap={"bonus4": 10_000_000})
    assert named["payout cap on bonus4"].verdict is verdict
    assert named["payout cap on lucky3"].verdict is PASS


@pytest.mark.parametrize("table", [1, 2])
def test_no_cap_on_lucky_3(table):
    """Neither Lucky 3 table may have a cap since 2021, and either may in 2017."""
    rules = {"lucky3_paytable": table}

    found = toss(WASHINGTON_2023, rules=rules, cap={"lucky3": 10_000_000})
    assert found["payout cap on lucky3"].verdict is FAIL
    assert "are under 50:1: no cap is allowed" in found["payout cap on lucky3"].detail
    assert toss(rules=rules, cap=10_000_000)["payout cap on lucky3"].verdict is PASS


@pytest.mark.parametrize(("cap", "verdict"), [(1_500_000, PASS), (1_499_999, FAIL)])
def test_a_plain_cap(cap, verdict):
    """A plain cap applies to bets that may have one; a person checks that others are excluded."""
    found = toss(WASHINGTON_2023, cap=cap)

    assert found["payout cap on bonus4"].verdict is verdict
    assert found["payout cap on lucky3"].verdict is PERSON
    assert found["payout cap notice"].verdict is PERSON
    assert "payout cap on main" not in found
    assert roll(WASHINGTON_2023, cap=cap)["payout cap on bonus"].verdict is verdict


@pytest.mark.parametrize("law", BOTH)
def test_no_cap(law):
    """A table without caps passes, and the detail gives the lowest possible cap."""
    found = toss(law)

    assert set(verdicts(found, "payout cap").values()) == {PASS}
    assert "payout cap notice" not in found
    least = {"washington-2017": "$30,000", "washington-2023": "$15,000"}[law.name]
    assert f"one could not be below {least}" in found["payout cap on bonus4"].detail
    may_none = "may have none: its highest odds, 20:1, are under 50:1"
    assert (may_none in found["payout cap on lucky3"].detail) is (law is WASHINGTON_2023)


def test_the_notice_follows_the_text():
    """The duty for a cap is an approval in 2017, and a sign since 2021."""
    assert "approves the cap" in toss(cap=10_000_000)["payout cap notice"].detail
    assert "table sign" in toss(WASHINGTON_2023, cap=10_000_000)["payout cap notice"].detail


# --- reserve


@pytest.mark.parametrize(
    ("most", "verdict", "words"),
    [
        (30_000, PERSON, "keep $45,000 in funds, the second highest of 2 prizes over $25,000"),
        (40_000, PERSON, "keep $60,000 in funds"),
        (16_667, PERSON, "keep $25,000.50 in funds"),
        (16_666, PASS, "no reserve: 1 prize over $25,000"),
        (10_001, PASS, "no reserve: 1 prize over $25,000"),
        (10_000, PASS, "no reserve: 0 prizes over $25,000"),
    ],
)
def test_reserve(most, verdict, words):
    """The second highest prize over $25,000 must be kept in reserve, if there are two."""
    found = toss(WASHINGTON_2023, bonus4=most)["reserve"]

    assert found.verdict is verdict
    assert words in found.detail
    assert found.citation.section == "WAC 230-15-455"


def test_reserve_of_other_tables():
    """Prizes are counted over all bets, result by result, however a pay table is written."""
    line = {"bonus4_paytable": [{"on": [4, 5], "pays": "100:1"}]}
    lines = {"bonus4_paytable": [{"on": [n], "pays": "100:1"} for n in (4, 5)]}
    lucky = {
        "bonus4_paytable": [{"on": [4], "pays": "100:1"}],
        "lucky3_paytable": [{"on": ["suited_blackjack"], "pays": "90:1"}],
    }

    assert "keep $30,000" in toss(rules=line)["reserve"].detail
    assert toss(rules=line)["reserve"] == toss(rules=lines)["reserve"]
    assert "keep $27,000" in toss(rules=lucky)["reserve"].detail
    assert roll()["reserve"].verdict is PASS  # $30,000 and $15,000


# --- approval


def test_the_approved_rules_pass():
    """Under the 2017 letter the default table fails on nothing; later a person must confirm it."""
    found = toss()

    assert FAIL not in verdicts(found).values()
    assert found["approval"].verdict is PASS
    assert toss(WASHINGTON_2023)["approval"].verdict is PERSON


@pytest.mark.parametrize("law", BOTH)
@pytest.mark.parametrize(
    ("name", "approved", "other"),
    [
        ("toss", ["must_be_best"], "free"),
        ("blackjack_pays", ["3:2", "6:5", "6:4"], "2:1"),
        ("lucky3_paytable", [1, 2], [{"on": ["21"], "pays": "1:1"}]),
        ("bonus4_paytable", ["letter"], [{"on": [4], "pays": "250:1"}]),
    ],
)
def test_fixed_rules(law, name, approved, other):
    """A setting that the letter fixes passes with an approved value and fails otherwise."""
    topic = f"rule {name}"

    for value in approved:
        assert toss(law, rules={name: value})[topic].verdict is PASS
    found = toss(law, rules={name: other})
    assert [t for t, v in verdicts(found).items() if v is FAIL] == [topic]
    assert found[topic].detail.endswith(": any modification may affect the approval")


def test_differences_are_listed():
    """Every different payout is listed, compared with the closest approved table."""
    table = [
        {"on": ["suited_blackjack"], "pays": "50:1"},
        {"on": ["coloured_blackjack"], "pays": "10:1"},
        {"on": ["suited_21"], "pays": "5:1"},
        {"on": ["coloured_21"], "pays": "3:1"},
        {"on": ["21"], "pays": "0:1"},
    ]

    found = toss(rules={"lucky3_paytable": table, "blackjack_pays": "2:1"})
    assert found["rule lucky3_paytable"].detail == (
        "lucky3_paytable differs from rule 10, 50:1 on suited_blackjack (approved 40:1);"
        " lose on blackjack (approved 2:1): any modification may affect the approval"
    )
    assert found["rule blackjack_pays"].detail.startswith(
        "blackjack_pays=2:1 is not the approved 3:2 or 6:5 (rule 8)"
    )
    table[-1]["pays"] = "1:2"
    found = toss(rules={"lucky3_paytable": table})["rule lucky3_paytable"]
    assert "1:2 on 21 (approved push)" in found.detail


def test_a_table_written_another_way_is_the_same():
    """A custom pay table that pays the same as the approved one is approved."""
    lines = toss_one.BONUS_4.lines
    table = [
        {"on": [total], "pays": f"{2 * odds.win}:2"} for totals, odds in lines for total in totals
    ]

    found = toss(rules={"bonus4_paytable": table[::-1]})["rule bonus4_paytable"]

    assert (found.verdict, found.detail) == (
        PASS,
        "bonus4_paytable=letter is as approved (rule 11)",
    )


@pytest.mark.parametrize("law", BOTH)
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("dealer_blackjack", ["is_21", "beats_21"]),
        ("ace_kicker", ["high", "low"]),
        ("decks", [1, 8]),
        ("rounding", ["cent", "up:25"]),
    ],
)
def test_open_rules(law, name, values):
    """A setting that the letter leaves open needs a person, whatever its value."""
    for value in values:
        found = toss(law, rules={name: value})[f"rule {name}"]
        assert found.verdict is PERSON
        assert found.detail.startswith(f"{name}={value}: the letter ")


@pytest.mark.parametrize("law", BOTH)
def test_every_setting_is_judged(law):
    """A letter fixes or leaves open every setting except the seats, which have their own rule."""
    for key, approval in law.approvals.items():
        judged = [*approval.letter.fixed, *approval.letter.open, "seats"]
        assert sorted(judged) == sorted(GAMES[key].rules.settings)


def test_one_letter():
    """The only letter is for Toss One 21, and each clause it approves is a clause of the game."""
    ((key, letter),) = LETTERS.items()
    game = GAMES[key]

    assert (game, letter.date) == (toss_one.GAME, "27 April 2017")
    assert all(law.approvals[key].letter is letter for law in BOTH)
    assert {game.rules.setting(name).rule for name in letter.fixed} <= {*game.clauses}
    assert letter.verdict(game.rules(), "seats") is None


@pytest.mark.parametrize("law", BOTH)
def test_roll_your_own_has_no_approval(law):
    """Roll Your Own fails only because it has no approval."""
    found = roll(law)

    assert [t for t, v in verdicts(found).items() if v is FAIL] == ["approval"]
    assert "no approval of Roll Your Own Blackjack is on file" in found["approval"].detail
    assert found["approval"].citation.section == "WAC 230-15-035"
    assert not verdicts(found, "rule ")


# --- what only people can do


@pytest.mark.parametrize("law", BOTH)
@pytest.mark.parametrize(
    ("topic", "section", "words"),
    [
        ("internal controls", "approval letter", "approved before"),
        ("equipment makers", "approval letter", "licensed by the state"),
        ("tribal casinos", "approval letter", "section 18 of compact Appendix A"),
        ("odds wording", "approval letter", "'to'"),
        ("posting", "WAC 230-15-060", "dispute procedure"),
        ("cards", "WAC 230-15-115", "licensed maker"),
        ("electronic cards", "WAC 230-15-040", "director"),
        ("tables in the house", "RCW 9.46.0282", "15 tables"),
    ],
)
def test_duties(law, topic, section, words):
    """The duties of people are listed for every game."""
    for found in (toss(law)[topic], roll(law)[topic]):
        assert found.verdict is PERSON
        assert found.citation.section == section
        assert words in found.detail


@pytest.mark.parametrize("law", BOTH)
def test_citations(law):
    """Every finding has a detail of one line and a citation with section, version and source."""
    for found in [*toss(law, cap=10_000_000).values(), *roll(law, cap=10_000_000).values()]:
        assert isinstance(found, Finding)
        assert all((found.citation.section, found.citation.version, found.citation.source))
        assert "\n" not in found.detail
        assert not found.detail.endswith(".")


def test_a_limit_is_dated_by_the_day_it_took_effect():
    """A rule takes effect 31 days after it is filed, and it is filed after the vote."""
    earliest = date(2023, 7, 20) + timedelta(days=31)
    words = f"{earliest.day} August {earliest.year} at the earliest"
    assert words in WASHINGTON_2023.title
    assert words in WASHINGTON_2023.wager.citation.version
    assert "20 July 2023" not in WASHINGTON_2023.title


def test_texts_are_of_their_time():
    """The 2017 jurisdiction does not cite texts of 2021 and 2023, except where it says so."""
    assert "13 June 2021" in str(WASHINGTON_2017.cap.citation)
    assert "since 14 June 2021" in str(WASHINGTON_2023.cap.citation)
    for found in toss().values():
        text = str(found.citation)
        assert "since 14 June 2021" not in text or "was not read" in text


# --- jurisdictions and wrong values


def test_jurisdictions():
    """Jurisdictions are found by name, and every stake fills a bet."""
    assert {name: law.name for name, law in JURISDICTIONS.items()} == {
        "washington-2017": "washington-2017",
        "washington-2023": "washington-2023",
    }
    assert find_jurisdiction("washington-2023") is WASHINGTON_2023
    for game in GAMES.values():
        assert {bet.stake for bet in game.bets if bet.stake} == set(game.stakes)


@pytest.mark.parametrize("name", ["nevada", "", None, 2017])
def test_unknown_jurisdiction(name):
    """An unknown jurisdiction is rejected with the names of all jurisdictions."""
    with pytest.raises(NotationError, match="there are washington-2017, washington-2023"):
        find_jurisdiction(name)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"seats": 0}, "a table of 0 seats is invalid"),
        ({"cap": 0}, r"a cap of \$0 is invalid"),
        ({"cap": {"bonus4": -100}}, r"a cap of -\$1 is invalid"),
        ({"cap": {"main": 100}}, "no bet 'main' to cap: valid are lucky3, bonus4"),
        ({"bonus": 30_000}, "no bet 'bonus' to limit: valid are main, lucky3, bonus4"),
    ],
)
def test_wrong_values(change, reason):
    """An invalid table is rejected."""
    with pytest.raises(SettingError, match=reason):
        toss(**change)


def test_every_bet_has_a_limit():
    """A bet without a limit cannot be checked."""
    with pytest.raises(SettingError, match="the bet lucky3 has no limit"):
        check(
            toss_one.GAME,
            toss_one.Rules(),
            jurisdiction=WASHINGTON_2017,
            limits={"main": Limit(500, 30_000), "bonus4": Limit(500, 30_000)},
        )


# --- the command


STATUSES = [
    ([*TOSS_2017, *LIMITS], 0),
    ([*TOSS_2017, "--limit", "main=5..300.01"], 1),
    ([*TOSS_2023, "--limit", "main=5..400"], 0),
    ([*TOSS_2023, "--limit", "main=5..400.01"], 1),
    (TOSS_2017, 0),
    ([*TOSS_2017, "--seats", "9"], 0),
    ([*TOSS_2017, "--seats", "10"], 1),
    ([*TOSS_2017, "--set", "toss=free"], 1),
    ([*TOSS_2017, "--preset", "six-to-five"], 0),
    ([*TOSS_2017, "--cap", "30000"], 0),
    ([*TOSS_2017, "--cap", "29999.99"], 1),
    ([*TOSS_2023, "--cap", "15000"], 0),
    ([*TOSS_2023, "--cap", "$14999.99"], 1),
    ([*TOSS_2023, "--cap", "bonus4=15000"], 0),
    ([*TOSS_2023, "--cap", "lucky3=15000"], 1),
    ([*TOSS_2017, "--cap", "bonus4=30000", "--cap", "lucky3=12000"], 0),
    ([*TOSS_2017, "--cap", "bonus4=30000", "--cap", "lucky3=11999"], 1),
    (ROLL_2023, 1),
]


@pytest.mark.parametrize(("arguments", "status"), STATUSES, ids=[" ".join(s[0]) for s in STATUSES])
def test_exit_status(arguments, status, capsys):
    """The command exits 1 if anything fails, for people and for machines alike."""
    assert main(arguments) == status
    people = capsys.readouterr()
    assert main([*arguments, "--json"]) == status
    machines = capsys.readouterr()
    assert people.err == machines.err == ""
    assert json.loads(machines.out)["ok"] is (status == 0)
    assert ("\n0 fail, " in people.out) is (status == 0)


@pytest.mark.parametrize(
    ("most", "summary"), [("300", "1 fails, 10 need a person, "), ("500", "5 fail, 10 need a ")]
)
def test_summary(most, summary, capsys):
    """The summary counts the points of each verdict, with the right singular or plural."""
    main([*ROLL_2023, "--limit", f"bet=5..{most}"])

    assert f"\n{summary}" in capsys.readouterr().out


def test_json(capsys):
    """The JSON has the findings with the rules and the date of the sources."""
    assert main([*TOSS_2017, *LIMITS, "--set", "decks=6", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)

    assert list(shown) == ["game", "rules", "jurisdiction", "sources_date", "ok", "findings"]
    assert shown["game"] == "toss-one-21"
    assert shown["rules"] == toss_one.Rules(decks=6).as_json()
    assert shown["jurisdiction"] == "washington-2017"
    assert shown["sources_date"] == SOURCES_DATE == "November 2026"
    assert shown["findings"][0] == {
        "topic": "wager on main",
        "verdict": "pass",
        "citation": "WAC 230-15-140, $300 from 2009 until 2023"
        " (follows from WSR 23-03-060 and WSR 23-09-065)",
        "detail": "the most on main is $300, of $300 allowed",
    }
    assert {f["verdict"] for f in shown["findings"]} == {"pass", "needs a person"}


def test_for_people(capsys):
    """The text lists failures first and all cited texts, and says that it is only an aid."""
    assert main([*ROLL_2023, "--limit", "bet=5..500"]) == 1
    text = capsys.readouterr().out

    heads = [text.index(f"\n {verdict} ") for verdict in ("fail", "needs a person", "pass")]
    assert heads == sorted(heads)
    assert "Roll Your Own Blackjack against washington-2023" in text
    assert "5 fail, " in text
    flat = " ".join(text.split())
    for found in roll(WASHINGTON_2023, most=50_000).values():
        citation = found.citation
        assert citation.section in flat
        assert citation.version.split(",")[0] in flat
    assert "an aid and not legal advice; its sources are as of November 2026" in flat


def test_a_pay_table_from_a_file(capsys, tmp_path):
    """A Bonus 4 table with a top payout of 40:1 is not approved, and may not have a cap."""
    table = tmp_path / "mine.json"
    table.write_text('[{"on": [4], "pays": "40:1"}, {"on": [5], "pays": "20:1"}]', "utf-8")
    own = ["--set", f"bonus4_paytable=@{table}", "--json"]

    assert main([*TOSS_2023, *own, "--cap", "50000"]) == 1
    shown = json.loads(capsys.readouterr().out)
    fails = [f["topic"] for f in shown["findings"] if f["verdict"] == "fail"]
    assert fails == ["payout cap on lucky3", "payout cap on bonus4", "rule bonus4_paytable"]
    assert main([*TOSS_2023, *own]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert [f["topic"] for f in shown["findings"] if f["verdict"] == "fail"] == [
        "rule bonus4_paytable"
    ]


WRONG = [
    (["check"], "Missing argument 'GAME'"),
    (["check", "toss-one-21"], "Missing option '--jurisdiction'"),
    (["check", "poker", *TOSS_2017[2:]], "no game 'poker'"),
    (
        ["check", "toss-one-21", "--jurisdiction", "nevada"],
        "no jurisdiction 'nevada': there are washington-2017, washington-2023",
    ),
    ([*TOSS_2017, "--limit", "mian=5..300"], "no bet 'mian' to limit"),
    ([*TOSS_2017, "--limit", "main=300..5"], "the minimum must be positive and at most"),
    ([*TOSS_2017, "--seats", "0"], "a table of 0 seats is invalid"),
    ([*TOSS_2017, "--seats", "-1"], "a table of -1 seats is invalid"),
    ([*TOSS_2017, "--seats", "x"], "'x' is not a valid integer"),
    ([*TOSS_2017, "--cap", "lots"], "'lots' is not an amount"),
    ([*TOSS_2017, "--cap", "bonus4="], "'' is not an amount"),
    ([*TOSS_2017, "--cap", "0"], "a cap of $0 is invalid"),
    ([*TOSS_2017, "--cap", "main=5"], "no bet 'main' to cap: valid are lucky3, bonus4"),
    ([*TOSS_2017, "--cap", "1", "--cap", "2"], "--cap takes one AMOUNT, or BET=AMOUNT"),
    ([*TOSS_2017, "--cap", "bonus4=1", "--cap", "2"], "--cap takes one AMOUNT, or BET=AMOUNT"),
    ([*TOSS_2017, "--cap", "bonus4=1", "--cap", "bonus4=2"], "the cap on bonus4 is given twice"),
    ([*TOSS_2017, "--set", "decks=9"], "decks: 9 is not a whole number"),
    ([*TOSS_2017, "--preset", "mine"], "no preset 'mine'"),
]


@pytest.mark.parametrize(("arguments", "reason"), WRONG, ids=[" ".join(w[0]) for w in WRONG])
def test_wrong_input(arguments, reason, capsys):
    """Wrong input exits 2 with one line on stderr and nothing on stdout."""
    assert main(arguments) == 2

    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert reason in captured.err
