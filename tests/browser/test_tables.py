"""At the tables: chips, limits, several players, the timer, lost connections, coach, accounts."""

import re
import tempfile
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.browser.rigged import Rigged
from tests.browser.visitors import GAMES, money
from tests.parts import keys_with
from tests.web.servers import Server

TOSS, ROLL = "toss-one-21", "roll-your-own"
LOST = "WebSocket|ERR_"
PASSWORD = "a long password"  # noqa: S105  of an account that lives for a second


def toss_buttons(player):
    return player.page.locator("button:enabled", has=player.page.get_by_text("Toss", exact=True))


def deal_until_asked(player):
    """Deal until there is a card to toss; a bust has no decision."""
    player.use(player.deal_button)
    while player.has_answer():
        player.use(player.again)


# --- chips


@pytest.mark.long
def test_chips(visit, server):
    player = visit().sit_down(TOSS)
    player.use(player.page.get_by_role("radio", name="$25, green"))
    player.use(player.circle("Main"))
    expect(player.circle("Main", "$35")).to_be_visible()  # the usual ten lay there
    player.use(player.circle("Lucky 3"))
    expect(player.deal_button).to_have_text("Deal $60")

    player.use(player.button("Undo"))
    expect(player.deal_button).to_have_text("Deal $35")
    player.use(player.button("Clear"))
    expect(player.circle("Main", "tap to bet")).to_be_visible()
    expect(player.deal_button).to_be_disabled()
    player.use(player.button("Undo"))
    expect(player.deal_button).to_have_text("Deal $35")

    player.use(player.button("Clear"))
    player.use(player.circle("Main"))
    player.use(player.circle("Bonus 4"))
    expect(player.deal_button).to_have_text("Deal $50")
    player.use(player.deal_button)
    player.play_out()
    player.use(player.button("Change"))
    expect(player.deal_button).to_have_text("Deal $50")
    player.use(player.button("Clear"))
    player.use(player.button("Rebet"))
    expect(player.deal_button).to_have_text("Deal $50")
    player.use(player.deal_button)
    player.play_out()
    player.use(player.again)
    player.play_out()
    rounds = player.api("/me/rounds")["rows"]
    assert [one["staked"] for one in rounds] == [5000, 5000, 5000]
    player.agrees()


@pytest.mark.long
def test_limits(visit):
    player = visit()
    limits = {"main": {"least": 1500, "most": 40_000, "step": 500}}
    info = player.post("/tables", {"game": TOSS, "limits": limits, "private": True})
    player.go(f"/tables/{info['id']}?sit")

    player.use(player.button("Clear"))
    player.use(player.page.get_by_role("radio", name="$1, white"))
    player.use(player.circle("Main"))
    expect(player.circle("Main", "$15")).to_be_visible()  # no less is taken
    expect(player.page.get_by_role("radio", name=re.compile("^.500"))).to_have_count(0)  # too much
    player.use(player.page.get_by_role("radio", name="$100, black"))
    for _ in range(4):
        player.use(player.circle("Main"))
    expect(player.circle("Main", "$400")).to_be_visible()
    player.use(player.circle("Main"))
    player.says("$400 is the maximum on this bet.")
    player.use(player.button("Undo"))
    player.use(player.page.get_by_role("radio", name="$1, white"))
    player.use(player.circle("Main"))
    player.use(player.deal_button)
    player.says("in steps of $5")  # the server refuses in its own words
    player.agrees()


@pytest.mark.long
def test_one_line_for_all_rounds(visit):
    """The balance changes with every round; the table and its connection stay the same."""
    player = visit().sit_down(TOSS)
    player.use(player.deal_button)
    player.play_out()
    for _ in range(2):
        player.use(player.again)
        player.play_out()
    assert sum("/live" in url for url in player.asked) == 1


@pytest.mark.long
def test_two_seats_with_bets_of_their_own(visit):
    player = visit()
    open_shared(player, TOSS, seconds=60)
    player.use(player.button("Sit here").first)
    second = player.page.get_by_role("region", name="Seat 2")
    expect(second).to_be_visible()
    player.use(player.page.get_by_role("radio", name="$25, green"))
    player.use(player.button(re.compile("^Main"), second))
    player.use(player.button("Bet $45"))
    player.play_out()
    stakes = player.api(f"/tables/{player.table}/rounds/1")["journal"]["bets"]
    assert [bet["main"] for bet in stakes] == [1000, 3500]

    player.use(player.again)
    player.play_out()
    stakes = player.api(f"/tables/{player.table}/rounds/2")["journal"]["bets"]
    assert [bet["main"] for bet in stakes] == [1000, 3500]


@pytest.mark.long
def test_a_held_key_decides_nothing(visit):
    """If Enter is held, or pressed again during the animation, it does not also set the hands."""
    player = visit().sit_down(ROLL)
    keyboard = player.page.keyboard
    for _ in range(5):
        keyboard.down("Enter")
    keyboard.up("Enter")
    while player.has_answer():  # a double blackjack asks for nothing
        player.use(player.again)
    expect(player.button("Set the hands")).to_be_visible()


# --- leaving


@pytest.mark.long
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_leaving_a_solo_table(visit, size):
    """Leaving before the deal frees the seat; an unfinished round waits for its player."""
    player = visit(size=size).sit_down(ROLL)
    lobby = player.page.get_by_role("heading", name="Open tables")
    for name in ("Coach", "Coach: hints"):  # the longest label of the row comes last
        player.use(player.button(name))
    expect(player.button("Leave")).to_be_in_viewport(ratio=1)
    player.use(player.button("Leave"))
    expect(lobby).to_be_visible()
    assert player.api("/me")["sittings"] == []

    player.sit_down(ROLL)
    player.use(player.deal_button)
    while player.has_answer():  # a double blackjack asks for nothing
        player.use(player.again)
    table = player.table
    player.use(player.button("Leave"))
    expect(lobby).to_be_visible()
    player.says("Your round is not over. It waits for you at the table.")
    player.use(player.page.locator(f"main a[href='/tables/{table}']"))
    player.play_out()
    player.agrees()


@pytest.mark.long
def test_leaving_by_keyboard(visit):
    player = visit().sit_down(TOSS)
    assert player.tab_to("^‹Leave$")
    player.press("Enter")
    expect(player.page.get_by_role("heading", name="Open tables")).to_be_visible()
    assert player.api("/me")["sittings"] == []


@pytest.mark.long
def test_refill(visit, built):
    """A player who has lost gets play money again."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(f"{folder}/tables.db", "--bankroll", "10", "--requests", "1000") as poor,
    ):
        for _ in range(40):  # a side bet seldom wins
            player = visit(at=poor).sit_down(TOSS)
            player.use(player.button("Clear"))
            player.use(player.circle("Main"))
            player.use(player.circle("Bonus 4"))
            player.use(player.deal_button)
            player.play_out()
            if player.agrees() < 1000:
                break
            player.context.close()
        player.use(player.button("Refill"))
        expect(player.bankroll).to_have_text("$10")
        player.agrees()
        player.context.close()


# --- several players


def open_shared(player, game, *, seconds, private=False):
    """Open a shared table from the lobby, and sit down."""
    card = player.page.get_by_role("article", name=GAMES[game])
    player.use(player.button("Play with others", card))
    card.get_by_label("Name of the table").fill("Friends")
    card.get_by_label("Seconds to decide").fill(str(seconds))
    if private:
        card.get_by_label("Private").check()
    player.use(player.button("Open the table", card))
    expect(player.deal_button).to_be_enabled()


def test_two_players_at_one_table(visit):
    """Players see each other's seats, chips and decisions; the timer decides for one who waits."""
    ann, bob = visit(), visit(size="phone")
    names = [one.api("/me")["name"] for one in (ann, bob)]
    open_shared(ann, TOSS, seconds=3)
    table = ann.table
    bob.go("/")
    row = bob.page.get_by_role("listitem").filter(has_text=names[0])
    bob.use(row.get_by_role("link", name="Sit down (6 free)"))
    expect(bob.deal_button).to_be_enabled()
    assert bob.table == table
    seat_of_ann = bob.page.get_by_role("region", name=f"Seat 1, {names[0]}")
    seat_of_bob = ann.page.get_by_role("region", name=f"Seat 2, {names[1]}")
    expect(seat_of_bob).to_be_visible()

    late = bob.page.get_by_role("status").filter(has_text="Your time was up")
    for number in range(1, 9):  # a bust asks for nothing: then there is another round
        for player in (ann, bob):
            if (comes := player.button("Come back")).is_visible():  # was too late to bet
                player.use(comes)
            player.use(player.deal_button.or_(player.again).first)
        tosses, result = toss_buttons(ann), ann.review(number)
        expect(tosses.or_(result).first).to_be_visible()
        if tosses.count():
            expect(ann.page.get_by_role("timer")).to_be_visible()
            ann.use(tosses.first)
        expect(bob.review(number)).to_be_visible()
        bob.says(re.compile("You |Place your bets"))  # once the cards lie
        if late.is_visible():
            break
    expect(late).to_be_visible()
    expect(seat_of_bob.get_by_role("img", name="tossed")).to_be_visible()
    for seat in (seat_of_ann, seat_of_bob):
        expect(seat).to_contain_text(re.compile("[+−][$]|even"))
    for one in (ann, bob):
        one.agrees()

    ann.use(ann.button("Leave seat 1"))
    expect(seat_of_ann).to_have_count(0)
    expect(ann.button(re.compile("Sit here")).first).to_be_visible()
    ann.says("Sit down to play.")


@pytest.mark.long
def test_a_bet_that_is_down_is_shown_after_a_reload(visit, server):
    """The bet is shown, not the previous round; the page shows when play is stopped or started."""
    ann, bob = visit(), visit()
    open_shared(ann, TOSS, seconds=60)
    ann.use(ann.deal_button)
    ann.play_out()
    bob.go(f"/tables/{ann.table}")
    bob.use(bob.button(re.compile("Sit here")).first)
    ann.use(ann.again)
    ann.says(re.compile("Your bet is placed"))
    ann.page.reload()
    ann.says(re.compile("Your bet is placed"))
    expect(ann.button(re.compile("Take back"))).to_be_visible()
    expect(ann.page.get_by_role("img", name="Main: $10")).to_be_visible()

    for is_open in (False, True):
        body = {"game": TOSS, "open": is_open, "reason": "a drill"}
        ann.post("/operator/gaming", body, **server.operator)
        told = re.compile("Place your bets" if is_open else "No bets are taken")
        bob.says(told)


@pytest.mark.long
def test_looking_on(visit):
    """A spectator sees the table, but no face-down card."""
    player, spectator = visit(), visit()
    open_shared(player, TOSS, seconds=60)
    spectator.go(f"/tables/{player.table}")
    spectator.says("Sit down to play.")
    player.use(player.deal_button)
    while player.has_answer():
        player.use(player.again)
    seat = spectator.page.get_by_role("region", name=re.compile("^Seat 1"))
    expect(seat.get_by_role("img", name="a card face down")).to_have_count(4)
    spectator.says("You are watching.")
    expect(spectator.decision).to_have_count(0)

    player.play_out()
    expect(seat.get_by_role("img", name="a card face down")).to_have_count(0)
    expect(seat).to_contain_text(re.compile("[+−][$]|even"))


@pytest.mark.long
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_sharing_a_private_table(visit, size):
    """The link is copied; a message next to the menu says so until it is dismissed."""
    player, friend = visit(size=size), visit()
    player.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_shared(player, ROLL, seconds=60, private=True)
    player.use(player.button("Share"))
    says = player.page.get_by_role("status").filter(has_text="Link copied.")
    expect(says).to_contain_text("Anyone with this link can join the table.")
    covered = says.bounding_box()
    for control in player.page.locator(".strip, .bar").all():
        box = control.bounding_box()
        assert (
            covered["y"] >= box["y"] + box["height"] or covered["y"] + covered["height"] <= box["y"]
        )
    player.use(player.button("Dismiss"))
    expect(says).to_have_count(0)
    link = player.page.evaluate("() => navigator.clipboard.readText()")

    tables = [one["id"] for one in friend.api("/tables")["tables"]]
    assert player.table not in tables
    friend.go(link.removeprefix(friend.server.address))
    friend.use(friend.button(re.compile("Sit here")).first)
    name = friend.api("/me")["name"]
    expect(player.page.get_by_role("region", name=f"Seat 2, {name}")).to_be_visible()


@pytest.mark.long
def test_sharing_without_a_clipboard(visit):
    """Without https a browser has no clipboard, so the link is shown and can be selected."""
    player = visit()
    player.context.add_init_script(
        "Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })"
    )
    player.go("/")
    open_shared(player, TOSS, seconds=60)
    player.use(player.button("Share"))
    says = player.page.get_by_role("status").filter(has_text="Anyone with this link")
    expect(says).to_contain_text(f"can join the table: {player.page.url}")
    expect(says).not_to_contain_text("copied")
    says.get_by_text(player.page.url).select_text()
    assert player.page.url in player.page.evaluate("() => getSelection().toString()")


# --- a lost line


def test_the_line_comes_back(visit, built):
    """If the server dies during a round and restarts, the table is unchanged."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(f"{folder}/tables.db", "--lease", "1") as mortal,
    ):
        player = visit(at=mortal, forgiven=LOST).sit_down(TOSS)
        deal_until_asked(player)
        seat = player.page.get_by_role("region", name="Seat 1")
        player.says("Toss one card.")
        cards = seat.aria_snapshot()
        mortal.kill()
        player.says("Connection lost. Reconnecting; your seat is kept.")
        mortal.start()
        player.says("Toss one card.")
        assert seat.aria_snapshot() == cards
        player.play_out()
        player.agrees()
        player.context.close()


@pytest.mark.long
def test_going_offline(visit):
    player = visit(forgiven=LOST).sit_down(ROLL)
    player.context.set_offline(True)
    player.use(player.deal_button)  # is sent when there is a line again, and once
    player.context.set_offline(False)
    player.play_out()
    player.agrees()
    assert len(player.api("/me/rounds")["rows"]) == 1


# --- help


@pytest.mark.long
@pytest.mark.parametrize("game", keys_with("coach"))
def test_coach_before_and_after(visit, game):
    player = visit().sit_down(game)
    player.use(player.button("Coach"))
    expect(player.button("Coach: hints")).to_be_visible()
    deal_until_asked(player)
    coach = player.page.get_by_role("complementary", name="Coach")
    expect(coach).to_contain_text(re.compile("Best: .*"))
    player.play_out()
    expect(coach).to_contain_text(re.compile(r"Well played|best was"))
    counted = re.compile(r"Since you sat down: \d+ of (\d+) decisions")
    expect(coach).to_contain_text(counted)
    before = int(counted.search(coach.inner_text())[1])

    player.use(player.button("Coach: hints"))
    expect(player.button("Coach: review")).to_be_visible()
    player.use(player.again)
    expect(coach).not_to_contain_text("Best:")
    for _ in range(20):  # a bust asks for nothing
        player.play_out()
        expect(coach).to_contain_text(counted)
        if int(counted.search(coach.inner_text())[1]) > before:
            break
        player.use(player.again)
    else:
        pytest.fail("the count does not grow")


@pytest.mark.long
def test_automatic_toss(visit):
    """If only one toss is legal, the page makes it if the player prefers that."""
    player = visit()
    player.use(player.button("Preferences"))
    player.page.get_by_label("Toss automatically if only one toss is legal").check()
    player.use(player.button("Close"))
    table = Rigged(player, TOSS, "Ks 9h 8c 4d | 9s 8s 7s 6s")
    player.use(player.deal_button)
    expect(player.again).to_be_visible()
    assert [made["decision"] for made in table.table.ended.record["log"]] == ["toss Ks"]


@pytest.mark.long
def test_single_letter_keys_off(visit):
    """Letters then do nothing, and everything can be reached with Tab, Enter and Space."""
    player = visit()
    player.use(player.button("Preferences"))
    player.page.get_by_label("Single-letter keys").uncheck()
    player.use(player.button("Close"))
    assert player.tab_to("^Sit down$")
    player.press("Space")
    expect(player.deal_button).to_be_enabled()
    player.press("c", "b")
    expect(player.deal_button).to_have_text("Deal $10")
    assert player.tab_to("^Main: ")
    player.press("Space")
    expect(player.deal_button).to_have_text("Deal $15")
    assert player.tab_to("^Deal ")
    player.press("Enter")
    while not player.has_answer():
        assert player.tab_to("^Toss")
        player.press("Enter")
    assert player.tab_to("^Repeat the bets$")
    player.press("Enter")
    expect(player.decision.or_(player.again).first).to_be_visible()


# --- the account


@pytest.mark.long
def test_account(visit):
    """A guest sets a password, logs out, becomes another guest, and logs in again."""
    player = visit().sit_down(TOSS)
    player.use(player.deal_button)
    player.play_out()
    cents = player.agrees()
    name = f"Ann {uuid4().hex[:12]}"  # a name that nobody has yet
    player.use(player.button("Account"))
    dialog = player.page.get_by_role("dialog", name="Account")
    dialog.get_by_label("Name").first.fill(name)
    dialog.get_by_label("New password").fill(PASSWORD)
    player.use(player.button("Set the password", dialog))
    player.says(f"Your password is set. Log in as {name} next time.")

    player.use(dialog.get_by_role("button", name="Log out", exact=True))
    expect(player.bankroll).to_have_text("$1,000")
    assert player.api("/me")["name"] != name
    player.use(player.button("Account"))
    form = dialog.locator("form").filter(has=player.button("Log in"))
    form.get_by_label("Name").fill(name)
    form.get_by_label("Password").fill(PASSWORD)
    player.use(player.button("Log in", form))
    expect(player.bankroll).to_have_text(money(cents))
    assert player.api("/me")["name"] == name


@pytest.mark.long
def test_log_out_everywhere(visit):
    """One button ends the session in another browser, even at its table."""
    ann, phone = visit(), visit()
    name = f"Ann {uuid4().hex[:12]}"
    ann.use(ann.button("Account"))
    dialog = ann.page.get_by_role("dialog", name="Account")
    expect(ann.button("Log out everywhere", dialog)).to_have_count(0)  # a guest has one session
    dialog.get_by_label("Name").first.fill(name)
    dialog.get_by_label("New password").fill(PASSWORD)
    ann.use(ann.button("Set the password", dialog))
    ann.says(f"Your password is set. Log in as {name} next time.")

    phone.use(phone.button("Account"))
    form = phone.page.get_by_role("dialog", name="Account").locator("form")
    form = form.filter(has=phone.button("Log in"))
    form.get_by_label("Name").fill(name)
    form.get_by_label("Password").fill(PASSWORD)
    phone.use(phone.button("Log in", form))
    expect(phone.page.get_by_text(name).first).to_be_attached()
    assert phone.api("/me")["name"] == name

    ann.use(ann.button("Log out everywhere", dialog))
    expect(ann.page.get_by_text(name)).to_have_count(0)
    assert phone.api("/visitor")["me"] is None
