"""A visitor: one browser with its own account, and the actions of people on the page."""

import re
from contextlib import suppress
from urllib.parse import urlsplit

from playwright.sync_api import TimeoutError, expect  # noqa: A004  its own

from pitboss import games

SIZES = {"phone": (360, 740), "desktop": (1440, 900)}
GAMES = {key: game.name for key, game in games.GAMES.items()}


class Visitor:
    """A person with their own browser."""

    def __init__(self, browser, server, *, size="desktop", forgiven=None, **options):
        self.server = server
        self.size = size
        self.forgiven = forgiven  # what the console may say, because the test wants it to happen
        self.asked = []
        self.errors = []
        width, height = SIZES[size]
        is_phone = size == "phone"
        self.context = browser.new_context(
            viewport={"width": width, "height": height},
            has_touch=is_phone,
            is_mobile=is_phone,
            **options,
        )
        expect.set_options(timeout=10_000)
        self.context.on("request", lambda request: self.asked.append(request.url))
        self.context.on("console", self._hear)
        self.context.on("weberror", lambda error: self.errors.append(str(error.error)))
        self.page = self.context.new_page()
        self.page.on("websocket", lambda socket: self.asked.append(socket.url))

    def _hear(self, message):
        place = urlsplit(message.location["url"])
        if message.type != "error":
            return
        if self.forgiven and re.search(self.forgiven, message.text):
            return
        self.errors.append(f"{message.text} ({place.path})")

    def check(self):
        """Check that no request left the server's host and that the browser logged no error."""
        own = urlsplit(self.server.address).netloc
        strange = {url for url in self.asked if urlsplit(url).netloc not in {own, ""}}
        assert not strange
        assert self.errors == []

    # --- going about

    def go(self, path):
        self.page.goto(self.server.address + path)
        if path != "/operator":  # everybody else has an account
            expect(self.bankroll).to_be_visible()
        return self

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def use(self, locator, **options):
        """Click, or tap if there is no mouse."""
        act = locator.tap if self.size == "phone" else locator.click
        act(**options)

    def button(self, name, within=None, **options):
        return (within or self.page).get_by_role("button", name=name, **options)

    def says(self, text):
        """Wait until a message line shows a text."""
        expect(self.page.get_by_role("status").filter(has_text=text).first).to_be_visible()

    def tab_to(self, name, most=80):
        """Press Tab until the element with a name has the focus; return whether there is one."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            at = self.page.evaluate(
                "() => document.activeElement.ariaLabel || document.activeElement.textContent"
            )
            if re.search(name, at.strip()):
                return True
        return False

    # --- the account

    def api(self, path):
        """Send a request to the server as this browser."""
        answer = self.context.request.get(f"{self.server.address}/api/v1{path}")
        assert answer.ok, answer.text()
        return answer.json()

    def post(self, path, body=None, **headers):
        address = f"{self.server.address}/api/v1{path}"
        answer = self.context.request.post(address, data=body or {}, headers=headers)
        assert answer.ok, answer.text()
        return answer.json()

    @property
    def bankroll(self):
        return self.page.get_by_role("img", name="Bankroll")

    def agrees(self):
        """Check that the page shows the balance in the server's books."""
        cents = self.api("/me")["balance"]
        expect(self.bankroll).to_have_text(money(cents))
        return cents

    # --- at a table

    def sit_down(self, game):
        """Sit down at a solo table, from the lobby."""
        card = self.page.get_by_role("article", name=games.GAMES[game].name, exact=True)
        self.use(self.button("Sit down", card))
        expect(self.deal_button).to_be_enabled()
        return self

    def at_rest(self):
        """Wait until nothing moves: before that, a key would only skip the animation."""
        expect(self.page.locator("p.says")).not_to_be_empty()

    @property
    def table(self):
        """The id of the table that is shown."""
        return urlsplit(self.page.url).path.split("/")[2]

    @property
    def deal_button(self):
        return self.button(re.compile("^(Deal|Bet)"))

    @property
    def again(self):
        return self.button("Repeat the bets")

    def review(self, number):
        """The link to the round that has just ended."""
        return self.page.locator(f"a[href$='/{number}']", has_text="Review")

    @property
    def decision(self):
        """The controls of a decision: buttons at the bottom, or the cards of a seat to toss."""
        buttons = self.page.get_by_role("group", name="Your decision").get_by_role("button")
        return buttons.or_(self.button(re.compile("^Toss .")))

    def circle(self, label, amount=".*"):
        """Return a betting circle; with an amount, wait until the circle contains it."""
        amount = amount.replace("$", "[$]")
        return self.button(re.compile(f"^{label}: {amount}([.] Put a chip here)?$"))

    def has_answer(self):
        """Wait until the server has answered; return whether the round is over."""
        asking = self.page.get_by_role("group", name="Your decision").locator("button:disabled")
        asking = asking.or_(self.again.and_(self.page.locator(":disabled")))
        expect(asking).to_have_count(0)
        expect(self.again.or_(self.decision).first).to_be_visible()
        return self.again.is_visible()

    def decisions(self):
        """Continue while the round asks for decisions."""
        for number in range(60):
            if self.has_answer():
                return
            yield number
        raise AssertionError("the round does not end")

    def play_out(self):
        """Make arbitrary decisions until the round is over."""
        names = "^(Set the hands|No insurance|Stand|Toss .*)"
        enabled = self.page.locator(":enabled")
        usual = self.button(re.compile(names)).and_(enabled)
        for _ in self.decisions():
            choices = usual if usual.count() else self.decision.and_(enabled)
            with suppress(TimeoutError):  # the answer to the last one may come in between
                self.use(choices.first, timeout=1000)


def money(cents):
    """Format an amount as the page does."""
    digits = 2 if cents % 100 else 0
    return f"${cents / 100:,.{digits}f}"
