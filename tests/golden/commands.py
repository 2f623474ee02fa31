"""The commands whose output is golden."""

from typing import NamedTuple


class Command(NamedTuple):
    """A command line, the file that it writes, and its exit status."""

    name: str  # of the golden file
    arguments: str
    status: int = 0
    writes: str | None = None  # a file, compared in place of standard output
    is_long: bool = False


def printed(name, arguments, **options):
    """Return a command that prints JSON."""
    return Command(f"{name}.json", f"{arguments} --json", **options)


def written(name, arguments, **options):
    """Return a command that writes a file of this name."""
    return Command(name, f"{arguments} -o {name}", writes=name, **options)


TOSS_RULES = {
    "default": "",
    "published": "--preset published",
    "custom": "--set decks=6 --set ace_kicker=low --set lucky3_paytable=@lucky3.json"
    " --set bonus4_paytable=@bonus4.json --set blackjack_pays=6:5 --set rounding=down:25",
}
ROLL_RULES = {
    "default": "",
    "no-peek": "--preset no-peek",
    "custom": "--set soft_17=stand --set max_splits=1 --set insurance=off"
    " --set bonus_paytable=@bonus.json --set blackjack_pays=6:5",
}
TOSS_LIMITS = "--limit main=5..300 --limit lucky3=1..100/0.50 --cap bonus4=20000 --seats 5"

HANDS = ("8s 8d Th", "6c"), ("As 7d Th", "Tc"), ("Ah Ad As", "9c"), ("As Ah Td", "5d")


def _rules():
    for key, rules in (("toss-one-21", TOSS_RULES), ("roll-your-own", ROLL_RULES)):
        for name, given in rules.items():
            yield printed(f"rules-{key}-{name}", f"rules {key} {given}")


def _checks():
    for year in (2017, 2023):
        for key, limits, fails in (
            ("toss-one-21", "", False),
            ("toss-one-21", TOSS_LIMITS, year == 2017),
            ("roll-your-own", "", True),
            ("roll-your-own", "--limit bet=5..100 --seats 5", True),
        ):
            name = f"check-{key}-{year}{'-limits' if limits else ''}"
            arguments = f"check {key} --jurisdiction washington-{year} {limits}"
            yield printed(name, arguments, status=int(fails))


def _toss():
    key = "toss-one-21"
    for name, given in TOSS_RULES.items():
        yield printed(f"analyze-{key}-{name}", f"analyze {key} {given}")
        yield printed(f"strategy-{key}-{name}", f"strategy {key} {given}")
    yield Command(f"strategy-{key}.txt", f"strategy {key}")
    yield written(f"strategy-{key}.svg", f"strategy {key}")
    yield printed(f"target-{key}", f"analyze {key} --target bonus4=5%")
    yield written(f"report-{key}.json", f"report {key}")
    yield written(f"report-{key}-custom.json", f"report {key} {TOSS_RULES['custom']} --date D")
    for name, given in TOSS_RULES.items():
        for seats in (1, 7):
            arguments = f"simulate {key} --rounds 20000 --seed 22 --seats {seats} {given}"
            yield printed(f"simulate-{key}-{name}-{seats}", arguments)


def _roll():
    key = "roll-your-own"
    arguments = f"simulate {key} --rounds 2000 --seed 22"
    for strategy in ("card", "solver", "mimic", "random", "run-out", "run-out-force"):
        for seats in (1, 3, 7):
            name = f"simulate-{key}-{strategy}-{seats}"
            given = f"--seats {seats} --strategy {strategy}"
            yield printed(name, f"{arguments} {given}", is_long=strategy in {"card", "solver"})
    for name, given in ROLL_RULES.items():
        yield printed(f"simulate-{key}-rules-{name}", f"{arguments} --strategy mimic {given}")
    for number, (hand, up) in enumerate(HANDS):
        yield printed(f"solve-{number}", f'solve {key} --hand "{hand}" --up {up}')


def _settle():
    key = "settle toss-one-21"
    deals = {
        "suited-blackjack": '--player "As Ks Qs 2h" --dealer "9c 4d Kh 8s"',
        "tossed": '--player "7h 7d 7s 2c" --dealer "Tc 8c 3d 9s" --toss 2c',
        "kicker": '--player "Th 6d 5s 9c" --dealer "Tc 6c 5d 8s"',
        "tie": '--player "Th 6d 5s 9c" --dealer "Tc 6c 5d 9s"',
        "bust": '--player "Th Jd Qs Kc" --dealer "Tc 6c 5d 9s"',
        "four-aces": '--player "Ah Ad As Ac" --dealer "Tc Kc Qd 9s"',
        "both-bust": '--player "Th Jd Qs Kc" --dealer "Tc Jc Qd Ks"',
        "dealer-blackjack": '--player "Th 6d 5s 9c" --dealer "Ac Kc Qd 9s" --preset published',
        "custom": f'--player "Ah 2d 3s 4c" --dealer "Tc 6c 5d 9s" {TOSS_RULES["custom"]}',
    }
    for name, deal in deals.items():
        yield printed(f"settle-{name}", f"{key} {deal} --bet main=10,lucky3=5.25,bonus4=5")


def _slow():
    """Return the commands that solve all of Roll Your Own Blackjack."""
    key = "roll-your-own"
    for name, given in ROLL_RULES.items():
        yield printed(f"analyze-{key}-{name}", f"analyze {key} {given}", is_long=True)
    hand = '--hand "8s 8d Th" --up 6c --memory hand'
    yield printed("solve-0-hand", f"solve {key} {hand}", is_long=True)
    yield printed("solve-all", f"solve {key} --all", is_long=True)
    yield Command(f"strategy-{key}.txt", f"strategy {key}", is_long=True)
    for ending in ("json", "svg"):
        yield written(f"strategy-{key}.{ending}", f"strategy {key}", is_long=True)
    yield written(f"report-{key}.json", f"report {key}", is_long=True)


COMMANDS = [
    printed("games", "games"),
    *_rules(),
    *_checks(),
    *_toss(),
    *_roll(),
    *_settle(),
    *_slow(),
]
