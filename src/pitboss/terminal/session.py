"""A player at the terminal: questions and answers, from the keyboard or from a script.

The session contains no rules of a game: it asks the round for the legal decisions.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich import box
from rich.columns import Columns
from rich.panel import Panel

from pitboss.core.errors import GameError, NotationError, plural, shown
from pitboss.core.journal import dollars, read_cents, read_stakes
from pitboss.core.presentation import presentation_of
from pitboss.core.protocol import hand_name
from pitboss.terminal.decisions import choice_lines, choices_of, decision_text, label
from pitboss.terminal.drawing import (
    chips,
    dealer_title,
    draw_cards,
    draw_seat,
    expected_dollars,
    money,
    results_grid,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console, RenderableType

    from pitboss.coach import Advice
    from pitboss.core.protocol import Operation, PendingDecision, Round, SeatView, View
    from pitboss.tables.table import Table

HINT = {"?", "hint"}
LEAST_COST = 1e-9  # of a bet; a smaller difference is not a mistake
ONE_CARD = 2  # words in a decision about one card


class Leave(Exception):  # noqa: N818  not an error
    """The player quits, or there are no more answers."""


@dataclass(frozen=True, slots=True)
class TakenDecision:
    """A decision by the player, and the round before it."""

    round: Round
    decision: Operation
    covered: tuple[Operation, ...]  # the legal decisions that the bankroll could pay for

    def mistake(self, advice: Advice) -> Operation | None:
        """Return a better decision that the bankroll covered, if any."""
        best = max(self.covered, key=advice.value)
        worse = advice.value(best) - advice.value(self.decision) > LEAST_COST
        return best if worse else None


class Session:
    """One player at the terminal, on one or more seats of a table.

    With *coach*, every settled round is reviewed. The player can always ask for a hint.
    """

    def __init__(
        self,
        table: Table,
        seats: int,
        console: Console,
        ask: Callable[[str], str],
        *,
        coach: bool = False,
    ) -> None:
        self.table = table
        self.seats = range(1, seats + 1)
        self.console = console
        self.coach = coach
        self.rounds = 0
        self.start = table.bankroll
        self.mistakes = 0.0
        """The expected cost of all mistakes reviewed so far, in cents."""
        self._ask = ask
        self._taken: list[TakenDecision] = []
        self._settled = 0  # number of settlements printed in this round
        self._last: dict[int, dict[str, int]] = {}

    def run(self) -> Iterator[str]:
        """Play until the player leaves or runs out of chips; yield the journal of each round."""
        self._welcome()
        try:
            while self._can_bet():
                self._bet()
                self.table.deal()
                self._settled, self._taken = 0, []
                self._play()
                journal = json.dumps(self.table.journal())
                self._results()
                yield journal
        except Leave:
            self._leave()
        self._farewell()

    def ask(self, prompt: str) -> str:
        """Return an answer, stripped; raise Leave on *q* or if there are no more answers."""
        try:
            answer = self._ask(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            self.console.print()
            raise Leave from None
        if answer.lower() in {"q", "quit"}:
            raise Leave
        return answer

    def _can_bet(self) -> bool:
        game, table = self.table.game, self.table
        least = game.bet(1, **{game.first_stake: self._minimum()})
        staked = game.start(table.rules).apply(least).staked
        if table.bankroll >= staked:
            return True
        self.console.print(f"The smallest bets take {dollars(staked)}: you are out of chips.")
        return False

    def _minimum(self) -> int:
        limit = self.table.limits.get(self.table.game.first_stake)
        return limit.least if limit else 1

    # --- betting

    def _bet(self) -> None:
        placed = False
        while not placed:
            for seat in self.seats:
                placed = self._bet_seat(seat) or placed
            if not placed:
                self.console.print("Nobody has bet. Bet on a seat, or q to leave.")

    def _bet_seat(self, seat: int) -> bool:
        """Ask until the seat has bet or sits out; ask again after an invalid bet."""
        while True:
            answer = self.ask(self._bet_prompt(seat))
            if answer == "-":
                return False
            if answer.lower() in HINT:
                self.console.print("The coach gives hints after the deal.")
                continue
            try:
                stakes = self._stakes(seat, answer)
                self.table.bet(seat, stakes)
            except GameError as error:
                self._refuse(error)
            else:
                self._last[seat] = stakes
                return True

    def _bet_prompt(self, seat: int) -> str:
        where = f"Seat {seat}, your bets" if len(self.seats) > 1 else "Your bets"
        return f"{where} [{self._stakes_text(self._default(seat))}]: "

    def _default(self, seat: int) -> dict[str, int]:
        return self._last.get(seat) or {self.table.game.first_stake: self._minimum()}

    def _stakes_text(self, stakes: dict[str, int]) -> str:
        amounts = {
            name: dollars(cents).strip("$").replace(",", "") for name, cents in stakes.items()
        }
        return ",".join(f"{name}={amount}" for name, amount in amounts.items())

    def _stakes(self, seat: int, answer: str) -> dict[str, int]:
        """Parse ``main=10,lucky3=5``, or plain amounts in the order of the layout."""
        if not answer:
            return self._default(seat)
        if "=" in answer:
            return read_stakes(self.table.game, answer)
        amounts = answer.replace(",", " ").split()
        if len(amounts) > len(self.table.game.stakes):
            raise NotationError(
                f"{shown(answer)} has too many amounts: {', '.join(self.table.game.stakes)}"
            )
        return dict(zip(self.table.game.stakes, map(read_cents, amounts), strict=False))

    # --- playing

    def _play(self) -> None:
        while asked := self.table.round.asked:
            self._print_settled()
            self._show_table(asked.seat)
            self._decide(asked)

    def _print_settled(self) -> None:
        """Print the settlements that have not been printed yet."""
        settlements = self.table.round.settlements()
        for s in settlements[self._settled :]:
            self.console.print(
                f"Seat {s.seat}, {hand_name(s.bet, s.hand)}: {s.outcome} {money(s.net)}",
                highlight=False,
            )
        self._settled = len(settlements)

    def _decide(self, asked: PendingDecision) -> None:
        choices = choices_of(self.table.game, asked)
        short = [k for k, d in zip(choices, asked.legal, strict=True) if not self.table.covers(d)]
        for line in choice_lines({k: c for k, c in choices.items() if k not in short}):
            self.console.print(line, highlight=False)
        if short:
            words = " or ".join(choices[key][0] for key in short)
            self.console.print(f"Your bankroll does not cover {words}.", style="dim")
        default = f" [{next(iter(choices))}]" if len(choices) == 1 else ""
        while True:
            answer = self.ask(f"Seat {asked.seat}, your decision{default}: ")
            if answer.lower() in HINT:
                self._hint(asked, choices)
                continue
            try:
                text = decision_text(self.table.game, answer, choices, asked)
                self._take(asked, self.table.game.decision(asked.seat, text))
            except GameError as error:
                self._refuse(error)
            else:
                return

    def _take(self, asked: PendingDecision, decision: Operation) -> None:
        covered = tuple(filter(self.table.covers, asked.legal))
        taken = TakenDecision(self.table.round, decision, (decision, *covered))
        self.table.decide(decision)
        self._taken.append(taken)

    def _results(self) -> None:
        self._show_table(None)
        settlements = self.table.round.settlements()
        won = self.table.clear()
        self.rounds += 1
        self.console.print(results_grid(settlements))
        self.console.print(
            f"This round {money(won)}   bankroll {dollars(self.table.bankroll)}"
            f" {chips(self.table.bankroll)}\nSince you sat down"
            f" {money(self.table.bankroll - self.start)} in {plural(self.rounds, 'round')}",
            highlight=False,
        )
        if self.coach:
            self._review()
        self.console.rule(style="dim")

    # --- the coach

    def _hint(self, asked: PendingDecision, choices: dict[str, tuple[str, str]]) -> None:
        """Print the value of every legal decision, and mark the best affordable one."""
        try:
            advice = self._advise(self.table.round, asked.seat)
        except GameError as error:
            self._refuse(error)
            return
        labels = {word: label for label, word in choices.values()}
        covered = [o.decision for o in advice.options if self.table.covers(o.decision)]
        self.console.print(f"Coach, {advice.note}, in bets of {dollars(advice.unit)}:")
        for o, *same in advice.choices():
            mark = "*" if o.decision == covered[0] else " "
            label = labels[str(o.decision)]
            if len(str(o.decision).split()) == ONE_CARD:
                prefix = f"{asked.decision} "
                others = (labels[str(other.decision)].removeprefix(prefix) for other in same)
                label = " or ".join((label, *others))
            cents = dollars(round(o.value * advice.unit), sign=True)
            self.console.print(f" {mark} {label:<26} {o.value:+9.5f} {cents:>12}", highlight=False)
        if advice.approximate:
            self.console.print("Approximate: the stub could run dry.", style="dim")

    def _advise(self, round_: Round, seat: int) -> Advice:
        """Ask the coach; this may compile its kernels first."""
        with self.console.status("The coach is thinking"):
            from pitboss.coach import advise

            return advise(round_, seat)

    def _review(self) -> None:
        """Print the cost of each mistake of the round, and of all mistakes in the session."""
        try:
            advices = [self._advise(taken.round, taken.decision.seat) for taken in self._taken]
        except GameError as error:
            self._refuse(error)
            self.coach = False
            return
        cost = 0.0
        for taken, advice in zip(self._taken, advices, strict=True):
            better = taken.mistake(advice)
            if better is not None:
                lost = advice.value(better) - advice.value(taken.decision)
                cost += lost * advice.unit
                self.console.print(_mistake(taken, better, lost, advice), highlight=False)
        self.mistakes += cost
        self.console.print(
            f"Mistakes cost {expected_dollars(cost)} this round,"
            f" {expected_dollars(self.mistakes)} since you sat down",
            highlight=False,
        )

    # --- showing

    def _show_table(self, seat: int | None) -> None:
        """Print the dealer and the given seat, or every seat."""
        view = self.table.round.record()
        dealer = draw_cards(
            view.dealer.cards, dealer_title(view, presentation_of(self.table.game)), "bold"
        )
        panels = [self._seat_panel(s, view) for s in view.seats if seat in {None, s.seat}]
        for drawn in [dealer, *panels] if seat else [*panels, dealer]:
            self.console.print(drawn)

    def _seat_panel(self, seat: SeatView, view: View) -> RenderableType:
        labels = self.table.game.stakes
        bets = [f"{dollars(c)} {labels[n]} {chips(c)}" for n, c in seat.stakes.items() if c]
        bets += [f"{dollars(cents)} {bet} {chips(cents)}" for bet, cents in seat.added.items()]
        title = f"Seat {seat.seat}   {'  '.join(bets)}"
        return Panel(
            Columns(draw_seat(seat, view, self.table.game), padding=(0, 3)),
            title=title,
            title_align="left",
            box=box.ROUNDED,
            expand=False,
        )

    def _welcome(self) -> None:
        game, rules = self.table.game, self.table.rules
        lines = [game.summary, ""]
        wide = max([9, *(len(name) + 2 for name in self.table.limits)])
        lines += [f"{n:{wide}}{limit}, {game.stakes[n]}" for n, limit in self.table.limits.items()]
        rows = rules.explained()
        changed = [f"{row['name']}={row['value']}" for row in rows if not row["default"]]
        lines += ["", f"{'rules':{wide}}" + (" ".join(changed) or "the default preset")]
        lines += [
            "",
            "Bets in dollars, 10 or "
            + ",".join(f"{name}=5" for name in list(game.stakes)[:2])
            + "; Enter"
            " repeats the last, - sits out, ? gives a hint, q leaves at any time.",
        ]
        title = f"{game.name}: play money"
        self.console.print(Panel("\n".join(lines), title=title, border_style="green"))
        self.console.print(
            f"You sit down with {dollars(self.start)} {chips(self.start)}", highlight=False
        )

    def _refuse(self, error: GameError) -> None:
        self.console.print(f"No: {error}", style="yellow", highlight=False, markup=False)

    def _leave(self) -> None:
        settled = sum(s.stake for s in self.table.round.settlements())
        back = self.table.round.staked - settled
        self.table.clear()
        if back:
            self.console.print(f"The round is called off: bets of {dollars(back)} are returned.")

    def _farewell(self) -> None:
        result = money(self.table.bankroll - self.start)
        self.console.print(
            f"You leave with {dollars(self.table.bankroll)}: {result} in"
            f" {plural(self.rounds, 'round')}.",
            highlight=False,
        )


def _mistake(taken: TakenDecision, better: Operation, lost: float, advice: Advice) -> str:
    """Describe a mistake: the decision, the better decision, and the cost."""
    game, turn = taken.round.rules.game, taken.round.view(advice.seat).turn
    where = f"Seat {advice.seat}" + (f", {hand_name(turn.bet, turn.hand)}" if turn else "")
    about = "about " if advice.approximate else ""
    return (
        f"{where}: {label(game, taken.decision)}; {label(game, better)} was better by"
        f" {about}{expected_dollars(lost * advice.unit)} ({lost:.5f} of a bet)"
    )
