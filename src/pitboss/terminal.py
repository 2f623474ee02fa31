"""The game in a terminal: chips, cards and questions, or a script of answers.

It knows the game only through the table: what may be decided is what the round says is legal.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING

from rich import box
from rich.columns import Columns
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from pitboss.errors import GameError, NotationError, shown
from pitboss.notation import dollars, read_cents, read_stakes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console, RenderableType

    from pitboss.cards import Card
    from pitboss.felt import Asked, HandView, SeatView, Settlement, View
    from pitboss.table import Table

CHIPS = ((10_000, "bright_black"), (2_500, "green"), (500, "red"), (100, "white"), (1, "yellow"))
"""Chips by value in cents, in the colours of most card rooms; yellow is small change."""


class Leave(Exception):  # noqa: N818  not an error: the player gets up
    """The player quits, or the answers have come to an end."""


class Session:
    """One player at the terminal, on one or more seats of a table."""

    def __init__(
        self, table: Table, seats: int, console: Console, ask: Callable[[str], str]
    ) -> None:
        self.table = table
        self.seats = range(1, seats + 1)
        self.console = console
        self.rounds = 0
        self.start = table.bankroll
        self._ask = ask
        self._last: dict[int, dict[str, int]] = {}

    def run(self) -> Iterator[str]:
        """Play until the player leaves or is out of chips; yield each round's journal."""
        self._welcome()
        try:
            while self._can_bet():
                self._bet()
                self.table.deal()
                self._play()
                journal = json.dumps(self.table.journal())
                self._results()
                yield journal
        except Leave:
            self._leave()
        self._farewell()

    def ask(self, prompt: str) -> str:
        """Return an answer without the spaces round it; *q* or the end of answers leaves."""
        try:
            answer = self._ask(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            self.console.print()
            raise Leave from None
        if answer.lower() in {"q", "quit"}:
            raise Leave
        return answer

    def _can_bet(self) -> bool:
        least = self._minimum()
        if self.table.bankroll >= least:
            return True
        self.console.print(f"The table minimum is {dollars(least)}: you are out of chips.")
        return False

    def _minimum(self) -> int:
        first = self.table.game.stakes[0]
        limit = self.table.limits.get(first)
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
        """Ask until the seat has bet or sits out; a refused bet is asked again."""
        while True:
            answer = self.ask(self._bet_prompt(seat))
            if answer == "-":
                return False
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
        return self._last.get(seat) or {self.table.game.stakes[0]: self._minimum()}

    def _stakes_text(self, stakes: dict[str, int]) -> str:
        return ",".join(f"{name}={dollars(amount)[1:]}" for name, amount in stakes.items())

    def _stakes(self, seat: int, answer: str) -> dict[str, int]:
        """Read ``main=10,lucky3=5`` or plain amounts in the order of the layout."""
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
            self._show_table(asked.seat)
            self._decide(asked)

    def _decide(self, asked: Asked) -> None:
        words = [str(decision) for decision in asked.legal]
        options = "  ".join(f"{n}) {_pretty(word)}" for n, word in enumerate(words, 1))
        self.console.print(f"Seat {asked.seat}: {options}", highlight=False)
        while True:
            answer = self.ask("Your decision [1]: " if len(words) == 1 else "Your decision: ")
            try:
                text = self._decision_text(answer, words, asked.decision)
                self.table.decide(self.table.game.decision(asked.seat, text))
            except GameError as error:
                self._refuse(error)
            else:
                return

    @staticmethod
    def _decision_text(answer: str, words: Sequence[str], kind: str) -> str:
        """Take a number of the list, the whole decision, or what follows its first word."""
        if not answer and len(words) == 1:
            return words[0]
        if not answer:
            raise NotationError(f"choose one of 1 to {len(words)}, or q to leave")
        if answer.isascii() and answer.isdecimal() and 1 <= int(answer[:9]) <= len(words):
            return words[int(answer[:9]) - 1]
        return answer if answer.split(maxsplit=1)[0] == kind else f"{kind} {answer}"

    def _results(self) -> None:
        self._show_table(None)
        settlements = self.table.round.settlements()
        won = self.table.clear()
        self.rounds += 1
        self.console.print(_results_grid(settlements))
        self.console.print(
            f"This round {_money(won)}   bankroll {dollars(self.table.bankroll)} "
            f"{_chips(self.table.bankroll)}   since you sat down "
            f"{_money(self.table.bankroll - self.start)} in {self.rounds} round"
            + ("s" if self.rounds != 1 else ""),
            highlight=False,
        )
        self.console.rule(style="dim")

    # --- showing

    def _show_table(self, seat: int | None) -> None:
        view = self.table.round.record()
        self.console.print(_cards(view.dealer.cards, _dealer_title(view), "bold"))
        for s in view.seats:
            self.console.print(_seat_panel(s, active=s.seat == seat))

    def _welcome(self) -> None:
        game, rules = self.table.game, self.table.rules
        lines = [game.summary, ""]
        lines += [f"{name:9}{limit}" for name, limit in self.table.limits.items()]
        changed = [
            f"{name}={s.text(getattr(rules, name))}"
            for name, s in rules.settings.items()
            if getattr(rules, name) != getattr(game.rules(), name)
        ]
        lines += ["", "rules    " + (" ".join(changed) or "the default preset")]
        lines += [
            "",
            "Bets in dollars, 10 or "
            + ",".join(f"{name}=5" for name in game.stakes[:2])
            + "; Enter"
            " repeats the last, - sits out, q leaves at any time.",
        ]
        title = f"{game.name}: play money"
        self.console.print(Panel("\n".join(lines), title=title, border_style="green"))
        self.console.print(
            f"You sit down with {dollars(self.start)} {_chips(self.start)}", highlight=False
        )

    def _refuse(self, error: GameError) -> None:
        self.console.print(f"No: {error}", style="yellow", highlight=False, markup=False)

    def _leave(self) -> None:
        staked = self.table.round.staked
        self.table.clear()
        if staked:
            self.console.print(f"The round is called off: bets of {dollars(staked)} go back.")

    def _farewell(self) -> None:
        result = _money(self.table.bankroll - self.start)
        self.console.print(
            f"You leave with {dollars(self.table.bankroll)}: {result} in {self.rounds} round"
            + ("s." if self.rounds != 1 else "."),
            highlight=False,
        )


def _pretty(decision: str) -> str:
    """Write the cards of a decision with suits as people know them."""
    from pitboss.cards import parse

    word, _, rest = decision.partition(" ")
    try:
        return " ".join([word, *(card.symbol for card in parse(rest))])
    except NotationError:
        return decision


def _money(cents: int) -> str:
    colour = "green" if cents > 0 else "red" if cents < 0 else "dim"
    return f"[{colour}]{dollars(cents, sign=True)}[/]"


def _chips(cents: int) -> str:
    """Draw an amount as stacks of chips, a tall stack by its number."""
    tall, stacks = 5, []
    for value, colour in CHIPS:
        count, cents = divmod(cents, value)
        if count:
            number = f"x{count}" if count > tall else ""
            stacks.append(f"[{colour}]{'●' * min(count, tall)}[/]{number}")
    return " ".join(stacks)


def _face(card: Card | None) -> list[str]:
    if card is None:
        return ["┌───┐", "│░░░│", "│░░░│", "└───┘"]
    rank = card.rank.letter.replace("T", "10")
    return ["┌───┐", f"│{rank:<3}│", f"│ {card.suit.symbol} │", "└───┘"]


def _cards(cards: Sequence[Card | None], title: str, style: str = "") -> RenderableType:
    """Draw cards side by side under a title, hearts and diamonds in red."""
    rows = [Text(title, style=style)]
    for line in zip_longest(*map(_face, cards)):
        row = Text()
        for card, part in zip(cards, line, strict=True):
            row.append(part + " ", style="bright_red" if card and card.suit.is_red else "")
        rows.append(row)
    return Text("\n").join(rows)


def _seat_panel(seat: SeatView, *, active: bool) -> RenderableType:
    stakes = "  ".join(
        f"{name} {dollars(amount)} {_chips(amount)}"
        for name, amount in seat.stakes.items()
        if amount
    )
    hands = [_cards(hand.cards, _hand_title(hand)) for hand in seat.hands if hand.cards]
    bust = any(hand.cards is None for hand in seat.hands)
    dealt = _cards(seat.cards, "bust" if bust else "dealt", "red" if bust else "dim")
    return Panel(
        Columns([dealt, *hands], padding=(0, 3)),
        title=f"Seat {seat.seat}   {stakes}",
        title_align="left",
        box=box.HEAVY if active else box.ROUNDED,
        border_style="bold" if active else "dim",
        expand=False,
    )


def _dealer_title(view: View) -> str:
    dealer = view.dealer
    if dealer.total is None:
        return "Dealer: bust" if view.phase == "settled" else "Dealer"
    tossed = Counter(dealer.cards) - Counter(dealer.kept)
    kicker = "".join(f", kicker {card.symbol}" for card in tossed if card)
    return f"Dealer: {' '.join(card.symbol for card in dealer.kept)} = {dealer.total}{kicker}"


def _hand_title(hand: HandView) -> str:
    return f"{hand.bet}{f' {hand.hand + 1}' if hand.hand else ''}: {hand.total}"


def _results_grid(settlements: Sequence[Settlement]) -> Grid:
    grid = Grid(box=box.SIMPLE, pad_edge=False)
    for column in ("seat", "bet", "what happened", "rule", "stake", "won"):
        right = column in {"seat", "rule", "stake", "won"}
        grid.add_column(column, justify="right" if right else "left")
    for s in settlements:
        stake, won = dollars(s.stake), _money(s.net) if s.net else "push"
        grid.add_row(str(s.seat), s.bet, s.outcome, s.rule, stake, won)
    return grid
