"""Properties of every game, as functions of a round that was played at random."""

import json
from collections import Counter
from functools import reduce

import pytest

from pitboss.core.errors import GameError
from pitboss.core.journal import (
    differences,
    read_journal,
    record_json,
    replay,
    view_json,
    write_journal,
)
from pitboss.core.protocol import Deal


def ends_settled(played):
    """The round is over, no decision is pending, and no more can be made."""
    last = played.round

    assert last.phase == "settled"
    assert last.asked is None
    assert last.legal() == ()
    assert not last.needs_card


def money_is_conserved(played):
    """Every cent staked is settled once, and no bet loses more than its stake."""
    settlements = played.round.settlements()

    assert sum(s.stake for s in settlements) == played.round.staked
    assert all(s.net >= -s.stake for s in settlements)
    assert len({(s.seat, s.bet, s.hand) for s in settlements}) == len(settlements)
    assert all(s.rule and s.outcome for s in settlements)


def settled_stays_settled(played):
    """A settlement never disappears or changes."""
    for before, after in zip(played.states, played.states[1:], strict=False):
        missing = set(before.settlements()) - set(after.settlements())
        assert not missing


def cards_add_up(played):
    """The cards on the table are exactly those that left the deck; the others are still in it."""
    for state in played.states:
        used = Counter(played.deck[: state.cards_used])
        assert on_the_table(state) == used
        assert state.view().cards_left == len(played.deck) - used.total()


def on_the_table(state):
    """Count the cards of seats, hands and dealer; count the cards of a pack once."""
    found = Counter(state.dealer) + Counter(getattr(state, "draws", ()))
    for seat in state.record().seats:
        pack, held = Counter(seat.cards), Counter()
        for hand in seat.hands:
            held += Counter(hand.cards or ())
        found += pack | held
    return found


def journal_replays_to_the_round(played):
    """The journal of any state replays to the same round, or up to the first open decision."""
    for state in played.states:
        if not state.cards_used:
            continue
        journal = read_journal(json.dumps(write_journal(played.game, state, played.deck)))
        again = replay(journal)
        assert again.asked == state.asked
        assert again.decisions() == state.decisions()
    assert again == played.round
    assert differences(journal, again) == []


def asked_is_legal(played):
    """The pending decision is legal, belongs to the right seat, and can be parsed from its text."""
    for state in played.states:
        asked = state.asked
        assert (asked is None) == (not state.legal())
        if asked:
            assert set(asked.legal) == set(state.legal(asked.seat))
            for decision in asked.legal:
                assert decision.seat == asked.seat
                assert played.game.decision(asked.seat, str(decision)) == decision


def illegal_changes_nothing(played):
    """An operation out of turn is rejected, and the round stays unchanged."""
    for state in played.states:
        before = record_json(played.game, state)
        others = {d for s in played.states for d in s.legal()} - set(state.legal())
        for operation in [*others, Deal(((), ())), "hit", None]:
            with pytest.raises(GameError):
                state.apply(operation)
        assert record_json(played.game, state) == before


def every_legal_decision_is_taken(played):
    """Every legal decision can be made, and changes the round."""
    for state in played.states:
        for decision in state.legal():
            assert state.apply(decision) != state


def views_are_json(played):
    """Every view of every state is JSON; after settlement all views are the same."""
    for state in played.states:
        seats = [s.seat for s in state.record().seats]
        texts = [json.dumps(view_json(state.view(seat))) for seat in [None, *seats]]
        assert all(json.loads(text) for text in texts)
    shown = {
        json.dumps(view_json(played.round.view(seat)) | {"seat": 0}) for seat in [None, *seats]
    }
    assert len(shown) == 1


def only_seats_in_play_have_a_view(played):
    """A seat without a bet has no view of its own."""
    with pytest.raises(GameError, match="has no bet in this round"):
        played.round.view(99)


def turns_are_told_while_playing(played):
    """A view shows whose turn it is in the phase playing, and in no other phase."""
    for state in played.states:
        assert (state.view().turn is not None) == (state.phase == "playing")


def bets_are_those_of_the_layout(played):
    """Seats bet the game's stakes, and each settlement is of one of its bets or of insurance."""
    game = played.game

    assert all(seat.stakes.keys() == game.stakes.keys() for seat in played.round.record().seats)
    assert {s.bet for s in played.round.settlements()} <= {bet.key for bet in game.bets}
    assert set(game.stake_of.values()) == set(game.stakes)


def added_bets_are_shown(played):
    """A bet that a decision adds is shown by its key, and settled once with that stake."""
    keys = {bet.key for bet in played.game.bets if bet.stake is None}

    for state in played.states:
        assert all(seat.added.keys() <= keys for seat in state.record().seats)
    last = played.round.record()
    settled = {(s.seat, s.bet): s.stake for s in last.settlements if s.bet in keys}
    added = {(s.seat, bet): cents for s in last.seats for bet, cents in s.added.items()}
    assert added == settled


def raises_are_limited(played):
    """A decision adds at most as much as the game says, so the page can tell what is covered."""
    most = played.game.largest_raise

    for state in played.states:
        made = stakes_of(state)
        for decision in state.legal():
            added = state.apply(decision).staked - state.staked
            assert 0 <= added <= most * made[decision.seat]


def stakes_of(state):
    """Return the sum of all bets of each seat, also of those that are settled."""
    start, found = type(state)(state.rules), {}
    for seat in state.record().seats:
        bet = state.rules.game.bet(seat.seat, **seat.stakes)
        found[seat.seat] = start.apply(bet).staked + sum(seat.added.values())
    return found


def busts_are_told(played):
    """A hand says that it is bust if its total is too high, and never in a game without busts."""
    most = played.game.bust_above

    for state in played.states:
        view = state.record()
        for hand in [view.dealer, *(hand for seat in view.seats for hand in seat.hands)]:
            assert most is not None or not hand.is_bust
            if most is not None and hand.total is not None:
                assert hand.is_bust == (hand.total > most)


def bets_in_any_order(played):
    """Bets placed in any order make the same round."""
    start = played.game.start(played.round.rules)
    bets = [played.game.bet(s.seat, **s.stakes) for s in played.round.record().seats]

    assert reduce(type(start).apply, bets, start) == reduce(type(start).apply, bets[::-1], start)


LAWS = [
    ends_settled,
    money_is_conserved,
    settled_stays_settled,
    cards_add_up,
    journal_replays_to_the_round,
    asked_is_legal,
    illegal_changes_nothing,
    every_legal_decision_is_taken,
    views_are_json,
    only_seats_in_play_have_a_view,
    turns_are_told_while_playing,
    bets_are_those_of_the_layout,
    added_bets_are_shown,
    raises_are_limited,
    busts_are_told,
    bets_in_any_order,
]
