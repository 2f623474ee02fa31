"""Every screen, as a visitor uses it, inspected in each of its states."""

import json
import re

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.inspection import inspect
from tests.browser.rigged import Rigged
from tests.browser.visitors import GAMES

TOSS, ROLL = "toss-one-21", "roll-your-own"
ONE = pytest.mark.parametrize("game", [TOSS, pytest.param(ROLL, marks=pytest.mark.long)])
"""Where both games look alike, and every state of both would take long."""


APPROVAL = {
    TOSS: [
        "Approval letter on file: Washington State Gambling Commission, 27 April 2017.",
        "Approved 27 April 2017, rule 8",
        "Left open: the letter of 27 April 2017 names no number of decks",
    ],
    ROLL: ["No approval of this game is on file."],
}
"""What the settings of each game say about its approval."""


@pytest.fixture
def come(visit, axe):
    """Create a visitor whose pages can be inspected."""

    def come_(path="/", **options):
        visitor = visit(None, reduced_motion="reduce", **options)
        visitor.context.add_init_script(script=axe)
        return visitor.go(path)

    return come_


def heading(visitor, name, level=1):
    expect(visitor.page.get_by_role("heading", name=name, level=level)).to_be_visible()


def test_lobby(come):
    visitor = come()
    expect(visitor.page.get_by_role("heading", name="Open tables")).to_be_visible()
    inspect(visitor)
    card = visitor.page.get_by_role("article", name=GAMES[TOSS])
    visitor.use(visitor.button("Play with others", card))
    inspect(visitor)
    for name in ("Account", "Preferences"):
        visitor.use(visitor.button(name))
        expect(visitor.page.get_by_role("dialog", name=name)).to_be_visible()
        inspect(visitor)
        visitor.use(visitor.button("Close"))


def test_toss_one_table(come):
    visitor = come()
    Rigged(visitor, TOSS, "Ks 9h 8c 3d | 9s 8s 7s 6s")
    expect(visitor.deal_button).to_be_enabled()
    inspect(visitor)
    visitor.use(visitor.deal_button)
    visitor.says("Toss one card.")
    inspect(visitor)
    visitor.play_out()
    visitor.says("You ")
    visitor.use(visitor.button(re.compile("^Rule")).first)
    inspect(visitor)
    for name, title in (("Fair", "A fair shuffle"), ("Keys", "Keys")):
        visitor.page.set_viewport_size({"width": 1440, "height": 900})
        visitor.use(visitor.button(name))
        expect(visitor.page.get_by_role("dialog", name=title)).to_be_visible()
        inspect(visitor)
        visitor.use(visitor.button("Close"))


def test_roll_your_own_table(come):
    visitor = come()
    Rigged(visitor, ROLL, "As 9d Kc | 5s 6d 9c | 2c Ah 8d | 2h 3h 4h", others=1)
    visitor.use(visitor.deal_button)
    inspect(visitor)  # setting
    visitor.use(visitor.button("Set the hands"))
    visitor.says("do you insure?")
    inspect(visitor)
    visitor.use(visitor.button("No insurance"))
    visitor.says("Your first hand has")
    inspect(visitor)
    visitor.play_out()
    visitor.says("You ")
    inspect(visitor)


@ONE
def test_practice(come, game):
    visitor = come("/practice")
    heading(visitor, "Practice")
    inspect(visitor)
    visitor.use(visitor.page.locator(f"a[href^='/practice/{game}?']").first)
    page = visitor.page
    expect(page.get_by_role("region", name="Question and verdict")).to_be_visible()
    answers = visitor.button(re.compile("^(Toss .|Set the hands|Stand)"))
    answers = answers.and_(page.locator("button:enabled"))
    expect(answers.first).to_be_visible()
    inspect(visitor)
    visitor.use(answers.first)
    expect(page.get_by_role("list", name="Cost of each decision")).to_be_visible()
    inspect(visitor)
    visitor.use(visitor.button("Next"))
    expect(answers.first).to_be_visible()
    visitor.go("/practice")
    expect(page.get_by_text(re.compile("[01] of 1 right today"))).to_be_visible()


@pytest.mark.long
@ONE
def test_deal_it_yourself(come, game):
    """A round is dealt to its end with the answers in the server's script."""
    visitor = come("/deal")
    heading(visitor, "Deal it yourself")
    inspect(visitor)
    page = visitor.page
    with page.expect_response(re.compile("/api/v1/training")) as answer:
        visitor.use(page.locator(f"a[href='/deal/{game}']"))
    steps = answer.value.json()["steps"]
    expect(page.get_by_role("region", name="Your move")).to_be_visible()
    inspect(visitor)
    another = visitor.button("Deal another")
    for step in steps:
        if another.is_visible():
            break
        answer_step(visitor, step)
    expect(another).to_be_visible()
    expect(page.get_by_text("without a mistake")).to_be_visible()
    inspect(visitor)


def answer_step(visitor, step):
    """Do the dealer's next step."""
    if step["kind"] == "watch":
        visitor.use(visitor.button("Next"))
    elif step["kind"] == "dealer":
        choice = step["accepts"][0]
        if re.fullmatch("[2-9TJQKA][shdc]", choice):
            at = step["view"]["dealer"]["cards"].index(choice)
            visitor.use(visitor.button(re.compile("^Toss ")).nth(at))
        else:
            visitor.use(visitor.button(re.compile(f"^{choice}", re.IGNORECASE)))
    else:
        picks = visitor.page.locator("[data-pick]")
        act = visitor.button(re.compile(f"^{step['action']}", re.IGNORECASE)).first
        expect(picks.first.or_(act).first).to_be_visible()
        if picks.count():
            label = re.compile(f"^Seat {step['seat']}, {bet_name(step)}, ", re.IGNORECASE)
            visitor.use(visitor.button(label))
        visitor.use(act)
        if step["action"] == "pay":
            visitor.page.get_by_role("textbox").fill(f"{step['pays'] / 100:.2f}")
            visitor.use(visitor.button(re.compile("^Pay [$]")))


def bet_name(step):
    names = {"lucky3": "Lucky 3", "bonus4": "Bonus 4"}
    name = names.get(step["bet"], step["bet"])
    return f"{name} {step['hand'] + 1}" if step["hand"] else name


@ONE
def test_rules(come, game):
    visitor = come(f"/rules/{game}")
    heading(visitor, GAMES[game])
    expect(visitor.page.get_by_role("heading", name="Pay tables")).to_be_visible()
    clauses = visitor.page.get_by_role("region", name="The rules")
    expect(clauses.get_by_role("img", name=re.compile(" of ")).first).to_be_visible()
    settings = visitor.page.get_by_role("region", name="Settings in force")
    for text in APPROVAL[game]:
        expect(settings.get_by_text(text)).to_be_visible()
    inspect(visitor)


@pytest.mark.long
def test_explorer(come):
    visitor = come(f"/explore/{TOSS}")
    heading(visitor, "Explore the odds")
    page = visitor.page
    main = page.get_by_role("region", name="Main")
    expect(main).to_contain_text("same as under the default rules")
    expect(page.get_by_text("Approved 27 April 2017, rule 8")).to_be_attached()
    inspect(visitor)
    page.set_viewport_size({"width": 1440, "height": 900})
    edge = main.locator(".edge").inner_text()
    page.get_by_role("group", name="Decks").get_by_role("spinbutton").fill("6")
    expect(main).to_contain_text("default −0.68 %")
    expect(main.locator(".edge")).not_to_have_text(edge)
    inspect(visitor)
    page.set_viewport_size({"width": 1440, "height": 900})
    visitor.use(visitor.button("Play these rules"))
    expect(visitor.deal_button).to_be_enabled()
    expect(page.get_by_text("Rules differ from the defaults")).to_be_visible()
    assert visitor.api(f"/tables/{visitor.table}")["rules"]["decks"] == 6


def test_history_replay_and_verification(come):
    visitor = come("/history")
    expect(visitor.page.get_by_text("No rounds yet.")).to_be_visible()
    inspect(visitor)
    visitor.page.set_viewport_size({"width": 1440, "height": 900})
    visitor.go("/").sit_down(ROLL)
    visitor.use(visitor.deal_button)
    visitor.play_out()
    visitor.use(visitor.again)
    visitor.play_out()
    table = visitor.table

    visitor.go("/history")
    expect(visitor.page.get_by_text("From all 2 rounds")).to_be_visible()
    inspect(visitor)
    with visitor.page.expect_download() as saved:
        visitor.use(visitor.button("JSON"))
    rows = json.loads(saved.value.path().read_text(encoding="utf-8"))
    assert len(rows["rows"]) == 2
    visitor.page.locator(f"a[href='/rounds/{table}/1']").first.click()
    heading(visitor, re.compile("^Round 1"))
    page = visitor.page
    steps = page.get_by_role("region", name="Steps")
    expect(steps.get_by_role("button", name="Replay")).to_be_visible()
    visitor.use(steps.get_by_role("listitem").first.get_by_role("button"))
    expect(steps.get_by_role("listitem").first.get_by_role("button")).to_have_attribute(
        "aria-current", "step"
    )
    visitor.use(steps.get_by_role("button", name="Next ›"))
    inspect(visitor)
    visitor.use(visitor.button("Verify in this browser"))
    visitor.says("It verifies.")
    expect(page.get_by_text("✓ ok")).to_have_count(4)
    inspect(visitor)


def test_the_operator_sees_actual_figures_first(come, server):
    """The overview does not wait for the theory: it reports that it is pending, and asks again.

    The test changes the server's answers, because the theory may be ready or take half a minute.
    """
    player = come().sit_down(TOSS)
    player.use(player.deal_button)
    player.play_out()
    rules = player.api(f"/tables/{player.table}")["rules_digest"][:8]

    operator = come("/operator")
    page = operator.page
    path = re.compile("/operator/(performance|chart)[?].*wait=false")
    page.route(path, lambda route: answer_with(route, pending=True, number=None))
    page.get_by_label("Operator's token").fill(server.token)
    operator.use(operator.button("Sign in"))
    overview = page.get_by_role("region", name="Overview")
    game = overview.get_by_role("article").filter(has_text=rules)
    chart = page.get_by_role("region", name=f"Control chart: {GAMES[TOSS]}, rules {rules}")
    operator.use(operator.button("Control chart", game))
    expect(game.get_by_text("computing…")).to_have_count(2)
    expect(game).to_contain_text(re.compile("Handle [$]"))
    expect(chart).to_contain_text("The theory is being computed.")
    inspect(operator)
    page.unroute_all(behavior="wait")
    page.route(path, lambda route: answer_with(route, pending=False, number=7))
    expect(game).to_contain_text("Return in theory 7.00 %")
    expect(game.get_by_text("computing…")).to_have_count(0)
    expect(chart).to_contain_text("theory expects $0.07")
    inspect(operator)
    page.unroute_all(behavior="wait")


def answer_with(route, *, pending, number):
    """Answer like the server, with the same number for every theoretical figure."""
    answer = route.fetch()
    found = answer.json()
    for row in found.get("rows", [found]):
        row.update({name: number for name in row if name.startswith("theoretical")})
        row.update(pending=pending, z=number, assumes=None, no_theory=None)
    for point in found.get("points", []):
        point.update(dict.fromkeys(("expected", "std_error", "low", "high", "z"), number))
    route.fulfill(response=answer, json=found)


@pytest.mark.long
def test_operator(come, server):
    player = come().sit_down(TOSS)
    player.use(player.deal_button)
    player.play_out()
    name = player.api(f"/tables/{player.table}")["name"]

    operator = come("/operator")
    inspect(operator)
    page = operator.page
    page.get_by_label("Operator's token").fill(server.token)
    operator.use(operator.button("Sign in"))
    sections = page.get_by_role("navigation", name="Sections")
    for part in ("Rounds", "Events", "Gaming", "Exports", "Tables"):
        operator.use(sections.get_by_role("link", name=part))
        expect(page.get_by_role("region", name=part)).to_be_visible()
        inspect(operator)
    operator.use(operator.button(f"Close {name}").first)
    dialog = page.get_by_role("dialog")
    inspect(operator)
    operator.use(operator.button("Close the table", dialog))
    operator.says("the table is closed.")
    expect(player.page.get_by_role("link", name="Go to the lobby")).to_be_visible()


@pytest.mark.parametrize(
    "path",
    [
        "/nonsense",
        "/tables/nowhere",
        "/rounds/nowhere/1",
        "/rounds/nowhere/one",
        f"/rounds/nowhere/{10**20}",
        "/rules/nothing",
        "/deal/nothing",
    ],
)
def test_an_unknown_address_is_a_page(come, path):
    """An unknown address has status 404, looks like every other screen, and links to the lobby."""
    visitor = come(path, forgiven="404")
    heading(visitor, "Page not found")
    inspect(visitor)
    opened = visitor.page.reload()
    assert opened.status == 404
    visitor.use(visitor.page.get_by_role("link", name="Go to the lobby"))
    expect(visitor.page.get_by_role("heading", name="Open tables")).to_be_visible()


def test_the_rules_of_an_unknown_table(come):
    visitor = come(f"/rules/{TOSS}?table=nowhere", forgiven="404")
    heading(visitor, "Page not found")


@pytest.mark.parametrize(
    ("path", "accepts", "kind"),
    [
        ("/nonsense", "text/html,*/*;q=0.8", "text/html"),
        ("/nonsense", "*/*", "application/json"),
        ("/tables/nowhere", "*/*", "application/json"),
        ("/api/v1/tables/nowhere", "text/html", "application/json"),
        ("/api/v1/nonsense", "text/html", "application/json"),
    ],
)
def test_programs_are_told_in_json(server, path, accepts, kind):
    """Only browsers get the page; the API always answers in JSON."""
    answer = httpx.get(server.address + path, headers={"Accept": accepts})
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith(kind)
    assert "accept" in answer.headers["vary"].split(", ")
    assert answer.headers["cache-control"] in {"no-store", "no-cache"}
