"""The game in a terminal: chips, cards and questions, or a script of answers.

It knows the game only through the table: what may be decided is what the round says is legal.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from rich import box
from rich.columns import Columns
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from pitboss.cards import BLACKJACK, is_soft, parse
from pitboss.errors import GameError, NotationError, plural, shown
from pitboss.felt import hand_name
from pitboss.notation import dollars, read_cents, read_stakes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from rich.console import Console, RenderableType

    from pitboss.cards import Card
    from pitboss.coach import Advice
    from pitboss.felt import Asked, HandView, Operation, Round, SeatView, Settlement, View
    from pitboss.table import Table

KEYS = {"hit": "h", "stand": "s", "double": "d", "split": "p"}
HINT = {"?", "hint"}
MISTAKE = 1e-9  # of a bet: what costs less is no mistake

CHIPS = ((10_000, "bright_black"), (2_500, "green"), (500, "red"), (100, "white"))
"""Chips by value in cents, in the colours of most card rooms; small change is not drawn."""


class Leave(Exception):  # noqa: N818  not an error: the player gets up
    """The player quits, or the answers have come to an end."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A decision that was taken, and where."""

    round: Round
    decision: Operation
    covered: tuple[Operation, ...]  # the legal decisions that the bankroll covered

    def mistake(self, advice: Advice) -> Operation | None:
        """Return what would have been better, if anything that the bankroll covered."""
        best = max(self.covered, key=advice.value)
        worse = advice.value(best) - advice.value(self.decision) > MISTAKE
        return best if worse else None


class Session:
    """One player at the terminal, on one or more seats of a table.

    With *coach* every round is reviewed when it is settled; a hint can always be asked for.
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
        """What all mistakes reviewed so far cost, expected, in cents."""
        self._ask = ask
        self._taken: list[Taken] = []
        self._settled = 0  # how many settlements of the round have been told
        self._last: dict[int, dict[str, int]] = {}

    def run(self) -> Iterator[str]:
        """Play until the player leaves or is out of chips; yield each round's journal."""
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
            if answer.lower() in HINT:
                self.console.print("The coach waits for the cards.")
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
            self._tell_settled()
            self._show_table(asked.seat)
            self._decide(asked)

    def _tell_settled(self) -> None:
        """Tell what has been settled since it was last told."""
        settlements = self.table.round.settlements()
        for s in settlements[self._settled :]:
            self.console.print(
                f"Seat {s.seat}, {hand_name(s.bet, s.hand)}: {s.outcome} {_money(s.net)}",
                highlight=False,
            )
        self._settled = len(settlements)

    def _decide(self, asked: Asked) -> None:
        choices = _choices(asked)
        short = [k for k, d in zip(choices, asked.legal, strict=True) if not self.table.covers(d)]
        for line in _lines({k: c for k, c in choices.items() if k not in short}):
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
                text = _decision_text(answer, choices, asked.decision)
                self._take(asked, self.table.game.decision(asked.seat, text))
            except GameError as error:
                self._refuse(error)
            else:
                return

    def _take(self, asked: Asked, decision: Operation) -> None:
        covered = tuple(filter(self.table.covers, asked.legal))
        taken = Taken(self.table.round, decision, (decision, *covered))
        self.table.decide(decision)
        self._taken.append(taken)

    def _results(self) -> None:
        self._show_table(None)
        settlements = self.table.round.settlements()
        won = self.table.clear()
        self.rounds += 1
        self.console.print(_results_grid(settlements))
        self.console.print(
            f"This round {_money(won)}   bankroll {dollars(self.table.bankroll)}"
            f" {_chips(self.table.bankroll)}\nSince you sat down"
            f" {_money(self.table.bankroll - self.start)} in {plural(self.rounds, 'round')}",
            highlight=False,
        )
        if self.coach:
            self._review()
        self.console.rule(style="dim")

    # --- the coach

    def _hint(self, asked: Asked, choices: dict[str, tuple[str, str]]) -> None:
        """Show what every legal decision is worth, the best of those covered marked."""
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
            if asked.decision == "toss":
                others = (labels[str(other.decision)].removeprefix("toss ") for other in same)
                label = " or ".join((label, *others))
            money = dollars(round(o.value * advice.unit), sign=True)
            self.console.print(f" {mark} {label:<26} {o.value:+9.5f} {money:>12}", highlight=False)
        if advice.approximate:
            self.console.print("Approximate: the stub could run dry.", style="dim")

    def _advise(self, round_: Round, seat: int) -> Advice:
        """Ask the coach, who may have to be compiled first."""
        with self.console.status("The coach is thinking"):
            from pitboss.coach import advise

            return advise(round_, seat)

    def _review(self) -> None:
        """Tell what each mistake of the round cost, and all of them since the player sat down."""
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
            f"Mistakes cost {_cents(cost)} this round, {_cents(self.mistakes)} since you sat down",
            highlight=False,
        )

    # --- showing

    def _show_table(self, seat: int | None) -> None:
        """Show the dealer and the seat that is asked, or every seat."""
        view = self.table.round.record()
        dealer = _cards(view.dealer.cards, _dealer_title(view), "bold")
        panels = [self._seat_panel(s, view) for s in view.seats if seat in {None, s.seat}]
        for drawn in [dealer, *panels] if seat else [*panels, dealer]:
            self.console.print(drawn)

    def _seat_panel(self, seat: SeatView, view: View) -> RenderableType:
        labels = self.table.game.stakes
        chips = [f"{dollars(c)} {labels[n]} {_chips(c)}" for n, c in seat.stakes.items() if c]
        if seat.insurance:
            chips.append(f"{dollars(seat.insurance)} insurance {_chips(seat.insurance)}")
        title = f"Seat {seat.seat}   {'  '.join(chips)}"
        return Panel(
            Columns(_seat_cards(seat, view), padding=(0, 3)),
            title=title,
            title_align="left",
            box=box.ROUNDED,
            expand=False,
        )

    def _welcome(self) -> None:
        game, rules = self.table.game, self.table.rules
        lines = [game.summary, ""]
        lines += [f"{n:9}{limit}, {game.stakes[n]}" for n, limit in self.table.limits.items()]
        rows = rules.explained()
        changed = [f"{row['name']}={row['value']}" for row in rows if not row["default"]]
        lines += ["", "rules    " + (" ".join(changed) or "the default preset")]
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
            f"You leave with {dollars(self.table.bankroll)}: {result} in"
            f" {plural(self.rounds, 'round')}.",
            highlight=False,
        )


def _choices(asked: Asked) -> dict[str, tuple[str, str]]:
    """Return the keys a player may press, each with what it says and the decision it stands for."""
    words = [str(decision) for decision in asked.legal]
    if asked.decision == "play":
        keys: dict[str, str] = {}
        for word in words:
            keys[_key(word, keys)] = word
        return {key: (word, word) for key, word in keys.items()}
    if asked.decision == "insure":
        most = dollars(asked.legal[-1].amount)
        return {"n": ("no insurance", words[0]), "y": (f"insure {most}, or an amount", words[-1])}
    return {str(n): (_pretty(word), word) for n, word in enumerate(words, 1)}


def _key(word: str, taken: Collection[str]) -> str:
    """Return the key of a play: the usual one, or the first of its letters that is free."""
    free = (letter for letter in (KEYS.get(word), *word) if letter and letter not in {*taken, "q"})
    return next(free, word)


def _lines(choices: dict[str, tuple[str, str]]) -> Iterator[str]:
    """Lay choices out, as many to a line as a terminal holds."""
    texts = [f"[bold]{key}[/]) {label}" for key, (label, _) in choices.items()]
    for start in range(0, len(texts), 4):
        yield "   ".join(texts[start : start + 4])


def _decision_text(answer: str, choices: dict[str, tuple[str, str]], kind: str) -> str:
    """Take a key, the whole decision, or what follows its first word."""
    if not answer and len(choices) == 1:
        return next(iter(choices.values()))[1]
    if answer.lower() in choices:
        return choices[answer.lower()][1]
    words = {word for _, word in choices.values()}
    if not answer or (kind == "play" and answer not in words | KEYS.keys()):
        may = ", ".join(f"{key} {label}" for key, (label, _) in choices.items())
        raise NotationError(f"{shown(answer)} is not open now: {may}, or q to leave")
    if kind == "play":
        return answer
    rest = answer.removeprefix(kind).strip()
    if kind == "insure":
        return f"insure {read_cents(rest)}"
    if "/" in rest:  # as the choices are shown
        rest = " ".join(hand.replace(" ", "") for hand in rest.split("/"))
    return f"{kind} {rest}"


def _pretty(decision: str) -> str:
    """Write the cards of a decision with suits as people know them."""
    word, *hands = decision.split()
    return f"{word} " + " / ".join(" ".join(c.symbol for c in parse(hand)) for hand in hands)


def _label(decision: Operation) -> str:
    """Write a decision for people."""
    word, _, rest = str(decision).partition(" ")
    if word == "insure":
        return f"insure {dollars(int(rest))}" if int(rest) else "no insurance"
    return _pretty(str(decision)).strip()


def _mistake(taken: Taken, better: Operation, lost: float, advice: Advice) -> str:
    """Say what was decided, what would have been better and what that cost."""
    turn = taken.round.view(advice.seat).turn
    where = f"Seat {advice.seat}" + (f", {hand_name(turn.bet, turn.hand)}" if turn else "")
    about = "about " if advice.approximate else ""
    return (
        f"{where}: {_label(taken.decision)}; {_label(better)} was better by"
        f" {about}{_cents(lost * advice.unit)} ({lost:.5f} of a bet)"
    )


def _cents(cents: float) -> str:
    """Write cents that are expected, and so not whole, for people."""
    return dollars(round(cents)) if round(cents) or not cents else "less than a cent"


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


def _seat_cards(seat: SeatView, view: View) -> list[RenderableType]:
    """Draw the cards as dealt, then the hands made of them."""
    bust = any(hand.cards is None for hand in seat.hands)
    kept = Counter(card for hand in seat.hands for card in hand.cards or ())
    tossed = Counter(card for card in seat.cards if card) - kept if kept else Counter()
    dealt = "bust" if bust else "".join(["dealt", *(f", tosses {c.symbol}" for c in tossed)])
    hands = [
        _cards(hand.cards, *_hand_title(seat.seat, hand, view))
        for hand in seat.hands
        if hand.cards is not None
    ]
    return [_cards(seat.cards, dealt, "red" if bust else "dim"), *hands]


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


def _hand_title(seat: int, hand: HandView, view: View) -> tuple[str, str]:
    """Return a hand's title and style: whose turn it is stands out, a bust is red."""
    spot = (seat, hand.bet, hand.hand)
    ended = [s.outcome for s in view.settlements if (s.seat, s.bet, s.hand) == spot]
    bust = hand.total is not None and hand.total > BLACKJACK
    soft = "soft " if hand.cards and is_soft(hand.cards) and hand.total != BLACKJACK else ""
    mark = ", blackjack" if "blackjack" in ended else ", bust" if bust else ""
    title = f"{hand_name(hand.bet, hand.hand)} {dollars(hand.stake)}: {soft}{hand.total}{mark}"
    if view.turn and (view.turn.seat, view.turn.bet, view.turn.hand) == spot:
        return f"> {title}", "bold reverse"
    return title, "red" if bust else ""


def _results_grid(settlements: Sequence[Settlement]) -> Grid:
    grid = Grid(box=box.SIMPLE, pad_edge=False)
    for column in ("seat", "bet", "what happened", "rule", "stake", "won"):
        right = column in {"seat", "rule", "stake", "won"}
        grid.add_column(column, justify="right" if right else "left", overflow="fold")
    for s in settlements:
        bet = hand_name(s.bet, s.hand)
        grid.add_row(str(s.seat), bet, s.outcome, s.rule, dollars(s.stake), _money(s.net))
    return grid
