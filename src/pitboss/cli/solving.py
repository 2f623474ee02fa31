"""The command that solves: ``solve``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pitboss.cards import parse, parse_card, spell
from pitboss.cli.shell import (
    beside,
    cli,
    example,
    json_option,
    needing,
    preset_option,
    print_json,
    progress_bar,
    read_rules,
    set_option,
    with_files,
)
from pitboss.errors import NotationError, RuleError, plural, shown
from pitboss.games import find_game, roll_your_own

if TYPE_CHECKING:
    from pitboss.cards import Card
    from pitboss.rules import Json
    from pitboss.solver import Solution, Solver

MEMORIES = ("none", "hand", "full", "unsplit")
HAND_OF = {"roll-your-own": 3, "blackjack": 2}
GIVEN = "given no dealer's blackjack"


@cli.command()
@click.argument("game", metavar="GAME")
@click.option("--hand", metavar="CARDS", help="The player's cards: three, for blackjack two.")
@click.option("--up", metavar="CARD", help="The dealer's up card.")
@click.option("--all", "everything", is_flag=True, help="Solve the whole game.")
@click.option(
    "--memory",
    type=click.Choice(MEMORIES),
    default="none",
    show_default=True,
    help="What a hand knows of the others; 'unsplit' is for blackjack: split hands are played as"
    " the same cards unsplit.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Keep the result of --all in a file."
)
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path),
    help="Keep what is solved in a file, and go on from it after a stop.",
)
@set_option
@preset_option
@json_option
@example(
    'pitboss solve roll-your-own --hand "8s 8d Th" --up 6c\n'
    'pitboss solve roll-your-own --hand "8s 8d Th" --up 6c --memory full --set max_splits=1\n'
    "pitboss solve roll-your-own --all -o solved.json\n"
    "pitboss solve roll-your-own --all --memory full --set max_splits=1 --checkpoint part.json\n"
    'pitboss solve blackjack --hand "8s 8d" --up Tc --set soft_17=stand\n'
    "pitboss solve blackjack --all --memory unsplit"
)
def solve(  # noqa: PLR0913  click passes one argument per option
    game: str,
    hand: str | None,
    up: str | None,
    memory: str,
    output: Path | None,
    checkpoint: Path | None,
    assignments: tuple[str, ...],
    preset: str,
    *,
    everything: bool,
    as_json: bool,
) -> None:
    """Give the best way to set and play, with the exact value of every alternative.

    One player against the dealer, from one deck. Memory 'none' plays every hand on its own cards
    and the cards first seen; 'hand' lets split hands see what the earlier ones drew; with 'full'
    everything seen counts.
    """
    _check(game, memory, preset)
    if everything == (hand is not None or up is not None) or (hand is None) != (up is None):
        raise NotationError("say which start: --hand CARDS and --up CARD, or --all")
    if (output or checkpoint) and not everything:
        raise NotationError("--output and --checkpoint keep a whole game: add --all")

    def work() -> dict[str, Json]:
        if game == "blackjack":
            return _ordinary(hand, up, memory, assignments, checkpoint)
        rules = read_rules(find_game(game), preset, assignments)
        return _roll_your_own(rules, hand, up, memory, checkpoint)

    with needing("kernels", "pitboss solve"):
        if output is None:
            result = work()
        else:
            with beside(output) as keep:
                result = work()
                keep((json.dumps(result, indent=1) + "\n").encode())
    if checkpoint:
        checkpoint.unlink(missing_ok=True)  # the work is done
    if as_json:
        print_json(result)
    elif everything:
        _show_game(game, result, output)
    else:
        _show_start(game, result)


def _check(game: str, memory: str, preset: str) -> None:
    """Refuse what does not go together."""
    if game not in HAND_OF:
        find_game(game)
        raise NotationError(f"{shown(game)} has nothing to solve: see pitboss strategy {game}")
    if game == "blackjack" and preset != "default":
        raise NotationError("blackjack has no presets: use --set")
    if game != "blackjack" and memory == "unsplit":
        raise NotationError("memory 'unsplit' is for blackjack: here none, hand or full")


def _roll_your_own(
    rules: Any,  # noqa: ANN401  read_rules gives the game's own
    hand: str | None,
    up: str | None,
    memory: str,
    checkpoint: Path | None,
) -> dict[str, Json]:
    from pitboss.solver import Checkpoint, Memory, Solver

    solver = Solver(rules, Memory(memory))
    if hand is not None and up is not None:
        own, up_card = _cards(hand, up, "roll-your-own")
        if cost := solver.cost(starts=1):
            click.echo(f"pitboss: {cost}", err=True)
        with progress_bar(f"memory {memory}"):
            return _start_json(solver, own, up_card)
    kept = Checkpoint(checkpoint, solver) if checkpoint else None
    if kept is not None and len(kept):
        click.echo(f"continuing from {checkpoint}: {plural(len(kept), 'start')} solved", err=True)
    try:
        if cost := solver.cost():
            click.echo(f"pitboss: {cost}", err=True)
        with progress_bar(f"memory {memory}") as told:
            return solver.solve_game(progress=told, checkpoint=kept).as_json()
    finally:
        if kept is not None:
            kept.write()


def _cards(hand: str, up: str, game: str) -> tuple[tuple[Card, ...], Card]:
    own, up_card = parse(hand), parse_card(up)
    if len(own) != HAND_OF[game]:
        raise RuleError(f"a hand here is {HAND_OF[game]} cards, not {len(own)}")
    cards = [*own, up_card]
    for card in cards:
        if cards.count(card) > 1:
            raise RuleError(f"{card} is there twice: there is one deck")
    return own, up_card


def _start_json(solver: Solver, own: tuple[Card, ...], up: Card) -> dict[str, Json]:
    solution = solver.solve(up.value, [card.value for card in own])
    found: dict[str, Json] = {
        "ev": solution.ev,
        "memory": str(solver.memory),
        "hand": [str(card) for card in own],
        "up": str(up),
        "choices": _choices(solution, own),
        "hands": solver.first_decisions(solution),
        "given": GIVEN if solver.peeks and up.value in {1, 10} else None,
        "insurance": solver.insurance(solution.own) if _is_asked(solver, solution) else None,
        "rules": solver.rules.as_json(),
    }
    return found


def _is_asked(solver: Solver, solution: Solution) -> bool:
    """Say whether the seat is asked for insurance (rule 7j)."""
    offered = solver.rules.insurance is not roll_your_own.Insurance.OFF
    return solution.up == 1 and offered and bool(solution.ways)


def _choices(solution: Solution, own: tuple[Card, ...]) -> list[dict[str, Json]]:
    """Return all six ways to put the cards on the bets, best first, as ``set`` writes them."""
    evs = {(way.first, way.second): way.ev for way in solution.ways}
    rows = []
    for index in reversed(range(len(own))):
        one, two = (own[index],), own[:index] + own[index + 1 :]
        for first, second in ((two, one), (one, two)):
            ev = evs.get((_values(first), _values(second)))
            if ev is not None:
                names = ("".join(map(str, hand)) for hand in (first, second))
                rows.append(dict(zip(("first", "second"), names, strict=True)) | {"ev": ev})
    return sorted(rows, key=lambda row: -row["ev"])


def _values(hand: tuple[Card, ...]) -> tuple[int, ...]:
    return tuple(sorted(int(card.value) for card in hand))


def _ordinary(
    hand: str | None,
    up: str | None,
    memory: str,
    assignments: tuple[str, ...],
    checkpoint: Path | None,
) -> dict[str, Json]:
    from pitboss.solver import ordinary

    if memory == "full":
        raise NotationError("blackjack has one hand: memory is none, hand or unsplit")
    if checkpoint:
        raise NotationError("blackjack is solved at once: it needs no checkpoint")
    rules = ordinary.Rules().changed(*map(with_files, assignments))
    splitting = ordinary.Splitting(memory)
    if hand is None or up is None:
        with progress_bar(f"blackjack, memory {memory}") as told:
            return ordinary.solve(rules, splitting, told).as_json()
    own, up_card = _cards(hand, up, "blackjack")
    table = ordinary.Table(rules, up_card.value, splitting)
    values = _values(own)
    with progress_bar(f"blackjack, memory {memory}"):
        value = table.value(values)
    return {
        "ev": value,
        "memory": memory,
        "hand": [str(card) for card in own],
        "up": str(up_card),
        "options": table.options(values),
        "dealer_blackjack": table.dealer_blackjack(values),
        "rules": rules.as_json(),
    }


# --- what people see


def _show_game(game: str, result: dict[str, Json], output: Path | None) -> None:
    what = "both blackjack bets are" if game == "roll-your-own" else "a round is"
    click.echo(f"{game}, memory {result['memory']}: {what} worth {result['ev']:+.9f}")
    for up, value in result["by_up_card"].items():
        click.echo(f"  {up} up  {value:+.9f}")
    click.echo(f"{result['states']:,} values in {result['seconds']:.1f} s")
    if output:
        click.echo(f"wrote {output}")


def _show_start(game: str, result: dict[str, Json]) -> None:
    title = f"{spell(parse(' '.join(result['hand'])))} against {result['up']}"
    click.echo(f"{title}, memory {result['memory']}: worth {result['ev']:+.6f}")
    if game == "blackjack":
        if result["dealer_blackjack"] and result["rules"]["hole_card"] == "peek":
            click.echo(f"  {GIVEN}:")
        _show_plays("", result["options"])
        return
    if not result["choices"]:
        click.echo("  a double blackjack: both bets are paid at once (rule 7i)")
        return
    for choice in result["choices"]:
        click.echo(f"  set {choice['first']:<5} {choice['second']:<5} {choice['ev']:+.6f}")
    if result["insurance"] is not None:
        click.echo(f"  a unit of insurance is worth {result['insurance']:+.6f}")
    for hand in result["hands"]:
        given = f", {result['given']}" if result["given"] else ""
        click.echo(f"{hand['hand']}, {hand['about']}{given}:")
        for second, plays in hand["plays"].items():
            _show_plays(second, plays)


def _show_plays(second: str, plays: dict[str, float]) -> None:
    best = sorted(plays.items(), key=lambda item: -item[1])
    shown_plays = "   ".join(f"{name} {value:+.6f}" for name, value in best)
    click.echo(f"  {second + ':' if second else '':<4}{shown_plays}")
