"""Games in a real browser: clicks on the board, the tree, undo, and a replay."""

import contextlib
import json
import random
import re
import shutil
import subprocess
import sys
import urllib.request

import pytest

from mcts_agents.arena.playing.fixtures import Setting
from mcts_agents.envs import GAMES, make_model
from tests.arena.playing import Here, run
from tests.arena.stored import store
from tests.arena.synthetic import record

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not (CHROMIUM and DRIVER):
    pytest.skip("there is no chromium with chromedriver", allow_module_level=True)
selenium = pytest.importorskip("selenium")

from selenium import webdriver  # noqa: E402
from selenium.common.exceptions import (  # noqa: E402
    TimeoutException,
    WebDriverException,
)
from selenium.webdriver import ActionChains, Keys  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.actions.action_builder import (  # noqa: E402
    ActionBuilder,
)
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

PATIENCE = 120  # seconds; no test fails because the machine is busy
MOST_TURNS = 600
# A name that no phone has room for in one line.
AGENTS = {
    "mcts:tree=multi,exploration=0.7,opponent_information=separate": "mcts:tree=multi",
    "one": "mcts",
}

# What is said of ratings, and tournaments of which it is said.
FEW_GAMES = {
    "no agents have met": [],
    "one game is too few": [record(Setting("hex", 2), 0, 0, ["a", "b"], [1, 1])],
    "always finished ahead": [record(Setting("hex", 2), 0, 0, ["a", "b"], [1, 0])],
}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Give the address of `mcts-agents ui`, with a tournament."""
    path = tmp_path_factory.mktemp("store") / "results.sqlite"
    run(path, Here(), games=["tictactoe"], agents=AGENTS)
    command = [sys.executable, "-m", "mcts_agents", "ui", "--port", "0"]
    command += ["--store", str(path)]
    for name, games in FEW_GAMES.items():
        few = store(path.with_name(f"{name}.sqlite"), games, ["a", "b"])
        command += ["--store", str(few)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield re.search(r"http://\S+:\d+", server.stdout.readline())[0]
        finally:
            server.terminate()


@pytest.fixture(params=[1280, 390])
def browser(request):
    with opened_browser(request.param) as driver:
        yield driver


@pytest.fixture(scope="module")
def wide_browser():
    """One browser for all games."""
    with opened_browser(1280) as driver:
        yield driver


@contextlib.contextmanager
def opened_browser(width):
    """Give a browser whose pages must not fail."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with contextlib.closing(_Closing(options)) as opened:
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1}
        metrics |= {"screenWidth": width, "screenHeight": 900, "mobile": width < 600}
        driver = opened.driver
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        yield driver
        errors = [e for e in driver.get_log("browser") if e["level"] == "SEVERE"]
        assert not errors


class _Closing:
    def __init__(self, options):
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))

    def close(self):
        self.driver.quit()


def until(browser, script):
    """Wait until a script returns what is true; return it."""
    wait = WebDriverWait(browser, PATIENCE, 0.05)
    try:
        return wait.until(lambda driver: driver.execute_script(f"return {script}"))
    except TimeoutException as error:
        shown = browser.find_element(By.TAG_NAME, "body").text
        raise AssertionError(f"never true: {script}\n{shown}") from error


def click(browser, text):
    """Click the button that has a text."""
    script = f"""[...document.querySelectorAll('button')].find(
        (one) => one.textContent.trim() === {json.dumps(text)} && !one.disabled)"""
    button = until(browser, script)
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()


def fits(browser):
    # Not `innerWidth`: a phone zooms out until a page that is too wide fits.
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= browser.execute_script("return screen.width")


def test_a_game_from_the_gallery_to_its_end_and_a_replay(browser, address):
    browser.get(address)
    until(browser, "document.querySelectorAll('.game').length > 20")
    fits(browser)
    browser.get(f"{address}/new?game=tictactoe")
    until(browser, "document.querySelectorAll('.seat').length === 3")
    fits(browser)
    seat = "document.querySelectorAll('.seat')[1]"
    browser.execute_script(f"{seat}.querySelector('summary').click()")
    until(browser, f"{seat}.querySelectorAll('pre').length === 3")
    fits(browser)
    unit = "document.querySelectorAll('.seat')[1].querySelector('.budget select')"
    browser.execute_script(
        f"const unit = {unit}; unit.value = 'simulations';"
        "unit.dispatchEvent(new Event('change'))"
    )
    click(browser, "Play")
    until(browser, "location.pathname === '/play' && document.querySelector('.spot')")
    over = "/won|lost|draw/.test(document.querySelector('#status').textContent)"
    yours = "document.querySelector('.status').classList.contains('yours')"
    moves = 0
    while not until(browser, f"({over}) ? 'over' : ({yours}) && 'yours'") == "over":
        spots = browser.find_elements(By.CSS_SELECTOR, ".spot.open")
        number = len(spots)
        script = "arguments[0].scrollIntoView({block: 'center'})"
        browser.execute_script(script, spots[0])
        spots[0].click()
        moves += 1
        open_spots = "document.querySelectorAll('.spot.open').length"
        until(browser, f"({over}) || ({open_spots} < {number} && ({yours}))")
    assert moves >= 3
    fits(browser)
    click(browser, "Undo")
    until(browser, yours)
    click(browser, "Hint")
    until(browser, "document.querySelector('.moves-open .hinted')")
    assert until(browser, "document.querySelectorAll('table.found tbody tr').length")
    click(browser, "Tree")
    until(browser, "document.querySelectorAll('.tree .edge').length > 0")
    fits(browser)

    browser.get(f"{address}/store?store=0")
    until(browser, "document.querySelector('.heat td button')")
    fits(browser)
    browser.execute_script("document.querySelector('.heat td button').click()")
    until(browser, "document.querySelector('.games button')")
    fits(browser)
    click(browser, "Replay")
    until(browser, "document.querySelector('.board img')?.src")
    until(browser, "document.querySelector('input[type=range]').max > 4")
    click(browser, "▶")
    until(browser, "document.querySelector('input[type=range]').value === '1'")
    until(browser, "/plays/.test(document.querySelector('h2').textContent)")
    fits(browser)


def test_why_there_are_no_intervals(wide_browser, address):
    for number, words in enumerate(FEW_GAMES, 1):
        wide_browser.get(f"{address}/store?store={number}")
        told = "document.querySelector('.card')?.innerText"
        shown = until(wide_browser, told)
        assert [reason for reason in FEW_GAMES if reason in shown] == [words]
        assert ("Elo" in shown) == bool(FEW_GAMES[words])


# Whose turn it is, or the result; and how many moves were made.
STANDING = """(() => {
    const status = document.querySelector('#status');
    if (!status || document.querySelector('.play').closest('[hidden]')) return null;
    const again = document.querySelector('a.button[href*="moves="]');
    const made = Number(new URL(again.href).searchParams.get('moves'));
    if (/won|lost|draw|over/i.test(status.textContent)) return ['over', made];
    return status.parentElement.classList.contains('yours') && ['yours', made];
})()"""
# One of the elements of a kind, in view, and how much this page has sent.
CHOSEN = """
    const found = [...document.querySelectorAll(arguments[0])];
    const chosen = found[Math.floor(arguments[1] * found.length)];
    chosen?.scrollIntoView({block: 'center'});
    return [chosen, window.sent.length];"""


def click_any(browser, rng, *selectors):
    """Click one element of each kind in turn, at random; return whether it was a move.

    What lies under something else, or is drawn anew just now, is not clicked.
    """
    before = None
    for selector in selectors:
        chosen, sent = browser.execute_script(CHOSEN, selector, rng.random())
        before = sent if before is None else before
        if sent > before or chosen is None:
            break
        with contextlib.suppress(WebDriverException):
            chosen.click()
    return browser.execute_script(SENT)[before:] == ["play"]


# What this page sends, which it does when it is clicked, and not later.
RECORDED = """const send = WebSocket.prototype.send;
    window.sent = [];
    WebSocket.prototype.send = function (text) {
        window.sent.push(JSON.parse(text).do);
        return send.call(this, text);
    };"""
SENT = "return window.sent"


def begin(browser, address, **setup):
    """Begin a game and open its page."""
    browser.get(address)
    made = browser.execute_async_script(
        "const done = arguments[1];"
        "fetch('/api/games', {method: 'POST', body: arguments[0],"
        " headers: {'content-type': 'application/json'}})"
        ".then((answer) => answer.json()).then(done)",
        json.dumps({"seed": 3, **setup}),
    )
    browser.get(f"{address}/play?id={made['id']}")
    browser.execute_script(RECORDED)


# Texts of the buttons for searches that can be seen.
BUTTONS = """[...document.querySelectorAll('button')].map((one) =>
    one.checkVisibility() ? one.textContent : '')
    .filter((text) => /^(Pause|Resume|10 more|Move now|Show hint now)/.test(text))"""


@pytest.mark.parametrize("adviser", ["alphabeta:depth=2", "mcts:simulations=9"])
def test_what_cannot_be_paused_has_no_buttons_for_it(wide_browser, address, adviser):
    browser, seats = wide_browser, ["human", "random"]
    begin(browser, address, game="connect_four", seats=seats, adviser=adviser)
    until(browser, STANDING)
    click(browser, "Hint")
    until(browser, "document.querySelector('.moves-open .hinted')")
    shown = until(browser, BUTTONS)
    told = browser.find_element(By.TAG_NAME, "main").text
    if adviser.startswith("mcts"):
        assert shown == ["Pause", "10 more", "Show hint now"]
        assert "cannot be paused" not in told
    else:
        # A game with an agent can be stopped between two moves.
        assert shown == ["Pause the game"]
        assert "cannot be paused, stepped or cut short: this agent's search" in told


def test_one_action_is_not_searched_for(wide_browser, address):
    browser, seats = wide_browser, ["mcts:simulations=9", "mcts:simulations=9"]
    begin(browser, address, game="tictactoe", seats=seats, pace=0, seed=1)
    until(browser, STANDING)
    told = browser.find_element(By.TAG_NAME, "main").text
    moves = until(browser, "document.querySelectorAll('.spot').length === 0")
    assert moves
    full = "Only one action, no search." in told
    click(browser, "Moves")
    assert full == (len(browser.find_elements(By.CSS_SELECTOR, ".log li")) == 9)


# Where a whole game takes long: a shorter variant, and who ends it.
SHORTER = {
    "breakthrough": "breakthrough:rows=6",
    "chinese_checkers": "chinese_checkers:players=2",
    "colt_express": "colt_express:players=2",
    "dominion": "dominion:players=2",
    "dots_and_boxes": "dots_and_boxes:width=2,height=2",
    "focus": "focus:players=2",
    "gomoku": "gomoku:size=5",
    "hex": "hex:size=3",
    "love_letter": "love_letter:players=2",
    "sushi_go": "sushi_go:players=2",
    "uno": "uno:target=1",
    "video_game": "video_game:agents=4",
    "virus": "virus:players=2",
}
ENDING = dict.fromkeys(
    (SHORTER["chinese_checkers"], SHORTER["dominion"], SHORTER["focus"]), "one-step"
)
PLAYED = [SHORTER.get(name, name) for name in GAMES]


def standing(browser, least):
    """Wait until it is the person's turn, or the end, after so many moves."""
    return until(browser, f"[{STANDING}].find((one) => one?.[1] >= {least})")


@pytest.mark.parametrize("game", PLAYED)
def test_a_whole_game_by_clicking(wide_browser, address, game):
    """On the board and in the list of moves in turn."""
    browser, rng, model = wide_browser, random.Random(1), make_model(game)[1]
    others = model.players - 1
    seats = ["human"] + [ENDING.get(game, "random")] * others
    begin(browser, address, game=game, seats=seats, pace=0)
    turns = on_board = in_list = 0
    state, made = standing(browser, 0)
    while state != "over":
        turns += 1
        assert turns < MOST_TURNS
        moved = False
        if turns % 2:
            spots = ".spot.open:not(.target)", ".spot.open.target"
            moved = click_any(browser, rng, *spots)
            on_board += moved
        if not moved:
            moved = click_any(browser, rng, ".moves-open button")
            in_list += moved
        state, made = standing(browser, made + moved)
    assert on_board
    assert in_list or turns < 4
    assert ("Worlds" in shown_tabs(browser)) == model.hidden_information
    fits(browser)


def shown_tabs(browser):
    tabs = browser.find_elements(By.CSS_SELECTOR, ".tabs button")
    return [tab.text for tab in tabs if tab.is_displayed()]


# Its tree stays small, so it does not end by itself.
LONG = "mcts:simulations=1000000000,max_depth=1"
TWO = {"seats": ["human", "human"], "adviser": "random"}


def test_a_button_works_though_the_search_goes_on(wide_browser, address):
    browser = wide_browser
    begin(browser, address, game="hex:size=5", **{**TWO, "adviser": LONG})
    until(browser, STANDING)
    click(browser, "Hint")
    button = "[...document.querySelectorAll('table.found button')].at(-1)"
    until(browser, button)
    browser.execute_script(f"{button}.scrollIntoView({{block: 'center'}})")
    place = f"""const box = {button}.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2].map(Math.round);"""
    mouse = ActionBuilder(browser)
    mouse.pointer_action.move_to_location(*browser.execute_script(place))
    mouse.pointer_action.pointer_down().pause(2).pointer_up()
    mouse.perform()
    assert until(browser, "document.querySelector('.versus')")
    click(browser, "Search")  # which is drawn anew again
    figures = "document.querySelector('.figures').textContent"
    before = until(browser, figures)
    until(browser, f"{figures} !== {json.dumps(before)}")


def test_a_second_hint_has_a_tree_of_its_own(wide_browser, address):
    browser, seats = wide_browser, ["human", "human"]
    begin(
        browser, address, game="tictactoe", seats=seats, adviser="mcts:simulations=90"
    )
    until(browser, STANDING)
    for _ in range(2):
        click(browser, "Hint")
        until(browser, "document.querySelector('.moves-open .hinted')")
        click(browser, "Tree")
        until(browser, "document.querySelector('.tree:not(.old) .edge')")
        # The second hint begins where the first one is still shown.
        browser.execute_script("document.querySelector('.tree').classList.add('old')")


def test_the_target_stays_to_be_chosen_and_the_status_is_told_once(
    wide_browser, address
):
    browser = wide_browser
    begin(browser, address, game="breakthrough", **{**TWO, "adviser": LONG})
    until(browser, STANDING)
    click(browser, "Hint")
    until(browser, "document.querySelector('.figures')")
    watch = """window.told = 0; new MutationObserver(() => window.told++).observe(
        document.querySelector('#status'), {childList: true, characterData: true,
        subtree: true});
        document.querySelector('.spot.drags').dispatchEvent(new MouseEvent('click'));"""
    browser.execute_script(watch)
    figures = "document.querySelector('.figures').textContent"
    for _ in range(3):
        before = until(browser, figures)
        until(browser, f"{figures} !== {json.dumps(before)}")
    status = "document.querySelector('#status').textContent"
    assert until(browser, status) == "Choose the target"
    assert browser.execute_script("return window.told") == 1


# Presses a piece, does something, and lets go over a place where the piece may move.
DRAG = """
    const spot = [...document.querySelectorAll('.spot.open.drags')].at(-1);
    spot.dispatchEvent(new MouseEvent('click'));
    const target = document.querySelector('.spot.target').getBoundingClientRect();
    document.querySelector('.spot.chosen').dispatchEvent(new MouseEvent('click'));
    const from = [...document.querySelectorAll('.spot.open.drags')].at(-1);
    const at = (box) => ({bubbles: true, pointerId: 1, clientX: box.x + box.width / 2,
        clientY: box.y + box.height / 2});
    const event = (name, box) => new PointerEvent(name, at(box));
    from.dispatchEvent(event('pointerdown', from.getBoundingClientRect()));
    for (const [name, x] of arguments[0]) {
        const where = {bubbles: true, clientX: x, clientY: 1};
        document.body.dispatchEvent(new PointerEvent(name, where));
    }
    document.querySelector('.board svg').dispatchEvent(event('pointerup', target));
    return getComputedStyle(from).touchAction;
"""
MOVED = "/player_1 to move/.test(document.querySelector('#status').textContent)"


@pytest.mark.parametrize("end", ["pointercancel", "pointerup"])
def test_a_drag_that_was_broken_off_is_no_move(wide_browser, address, end):
    """Elsewhere, or by the browser, which scrolls."""
    browser = wide_browser
    begin(browser, address, game="breakthrough", **TWO)
    until(browser, STANDING)
    assert browser.execute_script(DRAG, [[end, 1]]) == "none"
    assert browser.execute_script(SENT) == []
    browser.execute_script(DRAG, [])
    until(browser, MOVED)
    assert browser.execute_script(SENT) == ["play"]


def test_the_keyboard_stays_on_the_board(wide_browser, address):
    browser = wide_browser
    begin(browser, address, game="tictactoe", seats=["human", "random"], pace=0.2)
    until(browser, STANDING)
    browser.execute_script("document.querySelector('.spot.open').focus()")
    for moves in (2, 4):
        ActionChains(browser).send_keys(Keys.ENTER).perform()
        until(
            browser, f"document.querySelectorAll('.spot.open').length === {9 - moves}"
        )
        until(browser, "document.activeElement.matches('.spot.open')")


def test_a_key_that_is_held_acts_once(wide_browser, address):
    browser = wide_browser
    begin(
        browser, address, game="tictactoe", seats=["human", "human"], adviser="random"
    )
    until(browser, STANDING)
    for number in (1, 2):
        browser.execute_script("document.querySelector('.moves-open button').click()")
        until(
            browser, f"document.querySelectorAll('.spot.open').length === {9 - number}"
        )
    held = "{key: 'u', repeat: true, bubbles: true}"
    script = f"document.body.dispatchEvent(new KeyboardEvent('keydown', {held}))"
    browser.execute_script(script)
    assert browser.execute_script(SENT) == ["play", "play"]
    browser.execute_script(script.replace("true, bubbles", "false, bubbles"))
    until(browser, "document.querySelectorAll('.spot.open').length === 8")


def test_a_replay_goes_back_before_it_has_come_forward(wide_browser, address):
    browser = wide_browser
    browser.get(f"{address}/store?store=0")
    until(browser, "document.querySelector('.heat td button')")
    browser.execute_script("document.querySelector('.heat td button').click()")
    click(browser, "Replay")
    until(browser, "document.querySelector('.board img')?.src")
    sent = """window.sent = []; WebSocket.prototype.send = (text) =>
        window.sent.push(JSON.parse(text).moment);"""
    browser.execute_script(sent)
    click(browser, "▶")
    click(browser, "◀")
    assert browser.execute_script("return window.sent") == [1, 0]


def test_a_page_of_a_server_that_was_restarted_says_what_to_do(wide_browser):
    """The new server has another token, so the old page gets no answer."""
    browser, port = wide_browser, "0"
    command = [sys.executable, "-m", "mcts_agents", "ui", "--host", "0.0.0.0"]
    for first in (True, False):
        again = [*command, "--port", port]
        with subprocess.Popen(again, stdout=subprocess.PIPE, text=True) as server:
            try:
                line = server.stdout.readline()
                port, token = re.search(r":(\d+)/\?token=(\S+)", line).groups()
                if first:
                    here = f"http://127.0.0.1:{port}"
                    browser.get(f"{here}/?token={token}")
                    begin(browser, here, game="tictactoe", **TWO)
                    until(browser, STANDING)
                else:
                    told = "document.querySelector('main > .error')?.textContent"
                    assert "restarted" in until(browser, told)
            finally:
                server.terminate()
    browser.get_log("browser")  # connections were refused, as they had to be


def test_nothing_is_asked_of_other_servers(browser, address):
    with urllib.request.urlopen(address) as answer:
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    browser.get(address)
    until(browser, "document.querySelectorAll('.game').length > 20")
    loaded = browser.execute_script(
        "return performance.getEntriesByType('resource').map((one) => one.name)"
    )
    assert loaded and all(one.startswith((address, "data:")) for one in loaded)
