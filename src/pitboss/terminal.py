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

from pitboss.cards import BLACKJACK, parse
from pitboss.errors import GameError, NotationError, shown
from pitboss.notation import dollars, read_cents, read_stakes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console, RenderableType

    from pitboss.cards import Card
    from pitboss.felt import Asked, HandView, SeatView, Settlement, Turn, View
    from pitboss.table import Table

KEYS = {"hit": "h", "stand": "s", "double": "d", "split": "p"}

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
        return self._last.get(seat) or {self.table.game.first_stake: self._minimum()}

    def _stakes_text(self, stakes: dict[str, int]) -> str:
        amounts = {
            name: dollars(cents).strip("$").replace(",", "") for name, cents in stakes.items()
        }
        return ",".join(f"{name}={amount}" for name, amount in amounts.items())

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
        choices = _choices(asked)
        for line in _lines(choices):
            self.console.print(line, highlight=False)
        default = " [1]" if len(choices) == 1 else ""
        while True:
            answer = self.ask(f"Seat {asked.seat}, your decision{default}: ")
            try:
                text = _decision_text(answer, choices, asked.decision)
                self.table.decide(self.table.game.decision(asked.seat, text))
            except GameError as error:
                self._refuse(error)
            else:
                return

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
        """Show the dealer and the seat that is asked, or every seat."""
        view = self.table.round.record()
        self.console.print(_cards(view.dealer.cards, _dealer_title(view), "bold"))
        for s in view.seats:
            if seat in {None, s.seat}:
                self.console.print(_seat_panel(s, view.turn if seat else None))

    def _welcome(self) -> None:
        game, rules = self.table.game, self.table.rules
        lines = [game.summary, ""]
        lines += [f"{n:9}{limit}, {game.stakes[n]}" for n, limit in self.table.limits.items()]
        changed = [
            f"{name}={s.text(getattr(rules, name))}"
            for name, s in rules.settings.items()
            if getattr(rules, name) != getattr(game.rules(), name)
        ]
        lines += ["", "rules    " + (" ".join(changed) or "the default preset")]
        lines += [
            "",
            "Bets in dollars, 10 or "
            + ",".join(f"{name}=5" for name in list(game.stakes)[:2])
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
        settled = sum(s.stake for s in self.table.round.settlements())
        back = self.table.round.staked - settled
        self.table.clear()
        if back:
            self.console.print(f"The round is called off: bets of {dollars(back)} go back.")

    def _farewell(self) -> None:
        result = _money(self.table.bankroll - self.start)
        self.console.print(
            f"You leave with {dollars(self.table.bankroll)}: {result} in {self.rounds} round"
            + ("s." if self.rounds != 1 else "."),
            highlight=False,
        )


def _choices(asked: Asked) -> dict[str, tuple[str, str]]:
    """Return the keys a player may press, each with what it says and the decision it stands for."""
    words = [str(decision) for decision in asked.legal]
    if asked.decision == "play":
        return {KEYS[word]: (word, word) for word in words}
    if asked.decision == "insure":
        most = dollars(asked.legal[-1].amount)
        return {"n": ("no insurance", words[0]), "y": (f"insure {most}, or an amount", words[-1])}
    return {str(n): (_pretty(word), word) for n, word in enumerate(words, 1)}


def _lines(choices: dict[str, tuple[str, str]]) -> Iterator[str]:
    """Lay choices out, as many to a line as a terminal holds."""
    texts = [f"[bold]{key}[/]) {label}" for key, (label, _) in choices.items()]
    for start in range(0, len(texts), 4):
        yield "   ".join(texts[start : start + 4])


def _decision_text(answer: str, choices: dict[str, tuple[str, str]], kind: str) -> str:
    """Take a key, the whole decision, or what follows its first word."""
    if not answer and len(choices) == 1:
        return next(iter(choices.values()))[1]
    if not answer:
        raise NotationError(f"choose one of {', '.join(choices)}, or q to leave")
    if answer.lower() in choices:
        return choices[answer.lower()][1]
    if kind == "insure" and not answer.startswith("insure"):
        return f"insure {read_cents(answer)}"
    return answer if kind == "play" or answer.split(maxsplit=1)[0] == kind else f"{kind} {answer}"


def _pretty(decision: str) -> str:
    """Write the cards of a decision with suits as people know them."""
    word, *hands = decision.split()
    return f"{word} " + " / ".join(" ".join(c.symbol for c in parse(hand)) for hand in hands)


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


def _seat_panel(seat: SeatView, turn: Turn | None) -> RenderableType:
    stakes = dict(seat.stakes) | {"insurance": seat.insurance}
    chips = [f"{name} {dollars(n)} {_chips(n)}" for name, n in stakes.items() if n]
    active = turn is not None and turn.seat == seat.seat
    hands = [
        _cards(hand.cards, *_hand_title(hand, turn if active else None))
        for hand in seat.hands
        if hand.cards is not None
    ]
    bust = any(hand.cards is None for hand in seat.hands)
    dealt = _cards(seat.cards, "bust" if bust else "dealt", "red" if bust else "dim")
    return Panel(
        Columns([dealt, *hands], padding=(0, 3)),
        title=f"Seat {seat.seat}   {'  '.join(chips)}",
        title_align="left",
        box=box.ROUNDED,
        expand=False,
    )


def _dealer_title(view: View) -> str:
    dealer = view.dealer
    kept = " ".join(card.symbol for card in dealer.kept)
    if dealer.kept and None in dealer.cards:
        return f"Dealer shows {kept}"
    if dealer.total is None:
        return "Dealer: bust" if view.phase == "settled" else "Dealer"
    tossed = Counter(dealer.cards) - Counter(dealer.kept)
    kicker = "".join(f", kicker {card.symbol}" for card in tossed if card)
    bust = ", bust" if dealer.total > BLACKJACK else ""
    return f"Dealer: {kept} = {dealer.total}{kicker}{bust}"


def _hand_title(hand: HandView, turn: Turn | None) -> tuple[str, str]:
    """Return a hand's title and style: whose turn it is stands out, a bust is red."""
    number = f" {hand.hand + 1}" if hand.hand else ""
    bust = hand.total is not None and hand.total > BLACKJACK
    title = f"{hand.bet}{number} {dollars(hand.stake)}: {hand.total}{', bust' if bust else ''}"
    if turn and (turn.bet, turn.hand) == (hand.bet, hand.hand):
        return f"> {title}", "bold reverse"
    return title, "red" if bust else ""


def _results_grid(settlements: Sequence[Settlement]) -> Grid:
    grid = Grid(box=box.SIMPLE, pad_edge=False)
    for column in ("seat", "bet", "what happened", "rule", "stake", "won"):
        right = column in {"seat", "rule", "stake", "won"}
        grid.add_column(column, justify="right" if right else "left")
    for s in settlements:
        bet = f"{s.bet} {s.hand + 1}" if s.hand else s.bet
        grid.add_row(str(s.seat), bet, s.outcome, s.rule, dollars(s.stake), _money(s.net))
    return grid
