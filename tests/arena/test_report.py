"""The page of a tournament: complete, escaped, and alone in the world."""

import html.parser
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from mcts_agents.arena.analysis.summaries import summarise
from mcts_agents.arena.analysis.tournament_results import Results, read_results
from mcts_agents.arena.playing.fixtures import Entrant, Failure, Fixture, Setting
from mcts_agents.arena.replay import html as replay_html
from mcts_agents.arena.reports.report import (
    _best,
    render_report,
    verdict,
    write_report,
)
from mcts_agents.arena.tournaments.spec_file import SpecFile
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.cli.report import _link
from tests.arena.playing import Here, run
from tests.arena.stored import store
from tests.arena.synthetic import names, played, record, tournament
from tests.command import COMMAND

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=http://example.org/x.png>',
    "mcts:tree=multi,paranoid=true",
]
FAILURES = [
    Failure(
        Fixture(
            900 + n,
            Setting("hex", 2, "1s"),
            3,
            77 + n,
            (Entrant("<i>a</i>", "{}"), Entrant("b", "{}")),
        ),
        "the worker <died>",
    )
    for n in range(25)
]


class Page(html.parser.HTMLParser):
    """What a page has: its elements, its references and its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.references, self.styles, self.words = set(), [], [], []
        self.ids = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name.split(":")[-1] in ("src", "href", "srcset", "data", "action"):
                self.references.append(value)
            if name.split(":")[0] == "xmlns":
                continue
            self.styles.append(value or "")

    def handle_data(self, data):
        self.words.append(data)
        self.styles.append(data)

    @property
    def text(self):
        return " ".join("".join(self.words).split())


def alone(text):
    """Check that a page asks for nothing, and return it."""
    page = Page(text)
    assert all(ref.startswith(("#", "data:")) for ref in page.references)
    for style in page.styles:
        for target in re.findall(r"url\(\s*['\"]?([^)]*)", style):
            assert target.startswith(("#", "data:"))
        assert "@import" not in style
    assert not page.tags & {"script", "link", "iframe", "object", "embed", "img"}
    assert len(page.ids) == len(set(page.ids))
    return page


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A tournament that is not finished, with names that are HTML."""
    games = tournament(
        agents=3, games=15, players=(2, 3), budgets=("40ms", "1s"), names_=HOSTILE
    )
    path = tmp_path_factory.mktemp("stores") / "a & b <i>.db"
    return store(path, games, HOSTILE, total=100, failures=FAILURES)


@pytest.fixture(scope="module")
def page(running):
    return render_report(read_results(running))


def test_nothing_is_asked_from_outside(page):
    alone(page)


def directives(text):
    """Return the content security policy of a page, which stands before all else."""
    (policy,) = re.findall(
        r'<head>\s*<meta charset="utf-8">\s*'
        r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">',
        text,
    )
    return dict(directive.split(maxsplit=1) for directive in policy.split(";"))


def test_the_policy_is_that_of_replays_without_scripts(page):
    replay = Path(replay_html.__file__).with_name(replay_html.TEMPLATE).read_text()
    expected = directives(replay)
    assert expected.pop("script-src") == "'unsafe-inline'"
    assert expected["default-src"] == "'none'"  # which is for scripts, too
    assert directives(page) == expected


def test_names_are_escaped(page):
    parsed = alone(page)
    for name in HOSTILE:
        assert name in parsed.text
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "a & b <i>.db" in parsed.text
    assert "the worker <died>" in parsed.text


def test_the_page_says_what_was_played_and_what_came_of_it(page, running):
    parsed = alone(page)
    summary = read_results(running).summary
    for phrase in (
        "Not complete: 60 of 100 games were played.",
        "25 could not be played",
        "And 5 more.",
        "round robin",
        "sushi-go: 2, 3 players",
        "40 ms",
        "mcts-agents 0.1.0",
        "sushi-go, 3 players, 1 s: 15 games",
        "mcts-agents tournament tournament.yaml",
    ):
        assert phrase in parsed.text, phrase
    for agent in summary.overall.agents:
        assert f"{100 * agent.win_rate.value:.1f}" in parsed.text
        assert f"{agent.rating.low:.0f} to {agent.rating.high:.0f}" in parsed.text
    assert page.count("<svg") == 2


def test_the_same_store_gives_the_same_page(page, running):
    assert render_report(read_results(running)) == page


def test_one_picture_of_win_rates_for_each_game():
    games = [
        game
        for name in ("hex", "sushi-go")
        for game in played(Setting(name, 2, "1s"), [0.0, 0.5], 20)
    ]
    text = render_report(Results("two", {}, 40, tuple(games)))
    alone(text)
    assert text.count("<svg") == 2 + 1  # and one of ratings
    # Pairs of all games and of each.
    assert text.count('<table class="pairs">') == 3


def test_the_best_of_games_with_budgets_of_their_own_stand_under_numbers():
    settings = [
        Setting("hex", 2, "200"),
        Setting("hex", 2, "5000"),
        Setting("sushi-go", 2, "70"),
    ]
    games = [game for s in settings for game in played(s, [0.0, 9.0], 20)]
    text = alone(render_report(Results("own", {}, 60, tuple(games)))).text
    best = text[text.index("Best by game") : text.index("is in bold")]
    for words in ("budget 1", "budget 2", "200 simulations", "70 simulations"):
        assert words in best, best
    same = [game for s in settings[:2] for game in played(s, [0.0, 9.0], 20)]
    text = alone(render_report(Results("same", {}, 40, tuple(same)))).text
    best = text[text.index("Best by game") : text.index("is in bold")]
    assert "5,000 simulations" in best
    assert "budget 1" not in best


def test_what_repeats_it_is_the_tournament(tmp_path):
    spec = TournamentSpec(
        games=[
            {"game": "tictactoe", "budgets": [7, "1s"]},
            {"game": "sushi_go", "players": [2, 3]},
        ],
        agents={"MaxN": "mcts:tree=multi", "chance": "random"},
        budgets=["100", "40ms"],
        games_each=6,
        seed=5,
    )
    with Store.write(tmp_path / "games.db") as stored:
        stored.describe(spec.description(), 36)
    text = render_report(read_results(tmp_path / "games.db"))
    alone(text)
    shown = re.search(r"<pre>(.*?)</pre>", text, re.DOTALL)[1]
    assert not re.search(r"\[\]|\{\}", shown)  # nothing that says nothing
    (tmp_path / "again.yaml").write_text(html.unescape(shown))
    assert SpecFile(str(tmp_path / "again.yaml")).spec() == spec


@pytest.mark.parametrize("begun", [False, True])
def test_nothing_played_yet(tmp_path, begun):
    path = tmp_path / "empty.db"
    if begun:
        store(path, [], names(2), total=10)
    else:
        Store.write(path).close()
    parsed = alone(render_report(read_results(path)))
    expected = "0 of 10 games" if begun else "Nothing has been played yet"
    assert expected in parsed.text


def test_one_agent_alone(tmp_path):
    games = played(Setting("hex", 2), [0.0, 0.0], 5, agents=["x", "x"])
    path = store(tmp_path / "one.db", games, ["x"])
    text = render_report(read_results(path))
    assert "Complete: all 5 games were played." in alone(text).text
    assert text.count("<svg") == 1  # no ratings and no pairs


def test_warnings_about_ratings():
    two = Setting("hex", 2)
    games = [
        *played(two, [0.0, 9.0], 20, agents=["a", "b"]),
        *played(two, [0.0, 0.0], 20, agents=["c", "d"]),
    ]
    text = alone(render_report(Results("apart", {}, 40, tuple(games)))).text
    assert "Some agents never met" in text
    assert "always finished ahead of others" in text


def test_of_one_game_there_are_no_intervals_of_ratings():
    """Not for the reason that somebody always finished ahead: they drew."""
    games = [record(Setting("hex", 2), 0, 0, ["a", "b"], [1.0, 1.0])]
    text = alone(render_report(Results("one", {}, 1, tuple(games)))).text
    assert "One game is too few for intervals." in text
    assert "Lines are 95% intervals from" not in text
    assert "always finished ahead" not in text


def test_of_games_without_points_no_scores_are_told():
    games = [
        record(Setting(game, 2), n, n, ["a", "b"], [score, 0.0])
        for n, (game, score) in enumerate((("heap", 0.0), ("hex", 1.0)))
    ]
    text = alone(render_report(Results("points", {}, 2, tuple(games)))).text
    assert text.count(", score ") == 2
    assert "won, score 1" in text
    assert text.index("hex") < text.index(", score ")


def test_of_several_games_each_has_its_mean_scores():
    games = [
        record(Setting(game, 1), n, n, ["a"], [score])
        for n, (game, score) in enumerate((("race", -7.5), ("climb", 12.5)))
    ]
    text = alone(render_report(Results("scores", {}, 2, tuple(games)))).text
    part = text[text.index("Results by game, players and budget") :]
    assert "-7.5" in part and "12.5" in part and "race, 1 player:" in part


def test_the_best_are_those_whose_intervals_reach_the_best():
    games = played(Setting("hex", 2), [0.0, 2.0, 2.1], 300)
    figures = summarise(games, resamples=0).overall
    assert sorted(figures.best()) == [1, 2]
    first = figures.agents[figures.best()[0]]
    assert first.win_rate.value == max(a.win_rate.value for a in figures.agents)
    assert figures.agents[0].win_rate.high < first.win_rate.low
    assert summarise([], names(2)).overall.best() == []


def test_the_file_is_whole_or_not_there(tmp_path, monkeypatch):
    results = Results("none", {}, 0, ())
    path = tmp_path / "page.html"
    path.write_text("before")
    with monkeypatch.context() as broken:
        broken.setattr("pathlib.Path.replace", _full_disk)
        with pytest.raises(OSError, match="No space"):
            write_report(results, path)
    assert path.read_text() == "before"
    write_report(results, path)
    assert path.read_text().startswith("<!DOCTYPE html>")
    assert list(tmp_path.iterdir()) == [path]


def _full_disk(*_):
    raise OSError(28, "No space left on device")


def test_command(running, tmp_path, run_here):
    path = tmp_path / "page.html"
    done = run_here("report", str(running), "--output", str(path))
    size = f"{path.stat().st_size:,} bytes"
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(rf"{re.escape(str(path))}: \d+ games, {size}\n", done.stdout)
    alone(path.read_text())
    for output in (running, tmp_path, tmp_path / "none" / "page.html"):
        failed = run_here("report", str(running), "--output", str(output))
        assert failed.returncode == 2
        assert failed.stderr.count("\n") == 1
    assert read_results(running).summary.games == 60


@pytest.fixture
def opened(tmp_path):
    """Open a page in a browser: its elements then, and the requests it made."""
    if CHROMIUM is None:
        pytest.skip("no chromium is installed")

    def show(text, name, place=""):
        path, log = tmp_path / f"{name}.html", tmp_path / f"{name}.json"
        path.write_text(text)
        shown = subprocess.run(
            [
                CHROMIUM,
                *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
                *("--no-first-run", "--disable-background-networking"),
                *("--disable-component-update", "--disable-sync"),
                # What the browser wants to know for itself stays on this machine too.
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                f"--user-data-dir={tmp_path / name}",
                f"--log-net-log={log}",
                "--dump-dom",
                path.as_uri() + place,
            ],
            capture_output=True,
            text=True,
            check=True,
            timeout=600,  # a guard against hanging
        ).stdout
        return shown, _requested_by_pages(json.loads(log.read_text()))

    return show


def _requested_by_pages(log):
    """Return the addresses that pages asked for; the browser's own have no origin."""
    (started,) = (
        number
        for kind, number in log["constants"]["logEventTypes"].items()
        if kind == "URL_REQUEST_START_JOB"
    )
    begun = [
        event["params"]
        for event in log["events"]
        if event["type"] == started and "url" in event.get("params", {})
    ]
    return {job["url"] for job in begun if job["initiator"] != "not an origin"}


def test_a_browser_shows_it_and_asks_nothing(page, opened):
    shown, requested = opened(page, "report")
    alone(shown)
    assert shown.count("<svg") == 2
    assert "How to repeat it" in shown
    assert not requested
    # The same look at a page that does ask; nobody listens there.
    asking = page.replace("<h1>", '<img src="http://127.0.0.1:9/x.png"><h1>', 1)
    assert not opened(asking, "stopped by the policy")[1]
    (policy,) = re.findall(r"<meta http-equiv=.*>", asking)
    asking = asking.replace(policy, "")
    assert opened(asking, "asking")[1] == {"http://127.0.0.1:9/x.png"}


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs Linux's /proc")
def test_nothing_is_added_to_a_page_on_standard_output(running, tmp_path):
    name, path = tmp_path / "stdout", tmp_path / "page.html"
    name.symlink_to("/proc/self/fd/1")  # as /dev/stdout is
    command = [*COMMAND, "report", str(running), "--output", str(name)]
    with path.open("w") as page:
        subprocess.run(command, stdout=page, check=True)
    assert path.read_text().rstrip().endswith("</html>")


def test_pictures_as_files(running, tmp_path, run_here):
    page, folder = tmp_path / "page.html", tmp_path / "pictures"
    command = ("report", str(running), "--output", str(page), "--pictures")
    done = run_here(*command, str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    names = {file.name for file in folder.iterdir()}
    assert done.stdout.endswith(f"{folder}: {len(names)} pictures\n")
    assert {"ratings.svg", "pairs.svg"} < names
    assert all(
        name.startswith("win_rates_") for name in names - {"ratings.svg", "pairs.svg"}
    )
    for file in folder.iterdir():
        picture = ElementTree.parse(file).getroot()
        assert picture.tag == "{http://www.w3.org/2000/svg}svg"
        assert picture.get("aria-label")
    refused = run_here(*command, str(page))
    assert refused.returncode == 2
    assert "name a folder" in refused.stderr


def test_the_verdict_is_what_the_figures_say(page, running):
    overall = read_results(running).summary.overall
    (told,) = re.findall(r'<p class="verdict">(.*?)</p>', page, re.DOTALL)
    told = " ".join(Page(told).text.split())
    best = max(overall.agents, key=lambda agent: agent.win_rate.value)
    rate = best.win_rate
    assert told.startswith(f"{best.agent} won most: {100 * rate.value:.1f}%")
    assert f"{100 * rate.low:.1f} to {100 * rate.high:.1f}" in told
    near = [a for a in overall.agents if a is not best and a.win_rate.high >= rate.low]
    assert ("more than any other" in told) == (not near)


def test_the_contents_lead_to_every_part(page):
    links = re.findall(r'<a href="#(part-[a-z]+)">', page)
    assert links == re.findall(r'<h2 id="(part-[a-z]+)">', page)
    assert len(links) == page.count("<h2")


def test_a_page_of_nothing_has_no_verdict():
    assert (
        "verdict"
        not in render_report(Results("none", {}, 0, ())).partition("<body>")[2]
    )


def figures_of(*shares, games=40):
    """Figures of agents that won so many of their games against a last agent."""
    two = Setting("hex", 2)
    last = f"agent-{len(shares)}"
    played_ = [
        record(two, n, n, [f"agent-{agent}", last], [float(n < wins), 0.5])
        for agent, wins in enumerate(shares)
        for n in range(games)
    ]
    return summarise(played_, names(len(shares) + 1), resamples=0)


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ((30, 30), "agent-0 and agent-1 won equally often: 75.0% of their games (95% "),
        ((30, 30), "), more than any other agent."),
        ((30, 29), "agent-0 won most: 75.0% of its games (95% interval "),
        ((30, 29), "it is not certain to be the best: agent-1 may be as good."),
        ((30, 30, 29), "they are not certain to be the best: agent-2 may be as good."),
        ((30,) * 6, "agent-0, agent-1, agent-2 and 3 others won equally often: 75.0%"),
        ((20,), "agent-0 and agent-1 won equally often: 50.0% of their games (95% "),
    ],
)
def test_the_verdict_calls_a_tie_a_tie(shares, words):
    assert words in verdict(figures_of(*shares).overall)


def test_the_best_who_won_equally_often_are_all_in_bold(tmp_path):
    summary = figures_of(30, 30, 29)
    shown = _best(summary.settings)["best"]
    assert shown == {("hex", 2): [("", [(0, True), (1, True), (2, False)])]}


def test_the_page_of_one_player_says_nothing_of_wins(tmp_path):
    one = Setting("lake", 1)
    games = [record(one, n, n, ["ab"[n % 2]], [float(n)]) for n in range(8)]
    path = store(tmp_path / "alone.db", games, ["a", "b"])
    page = render_report(read_results(path))
    assert 'class="verdict"' not in page
    assert "part-won" not in page


@pytest.mark.parametrize("equal", [2, 4, 5, 6])
def test_the_verdict_names_those_who_may_be_as_good(equal):
    overall = figures_of(*range(30, 30 - equal, -1)).overall
    _, *others = (overall.agents[n].agent for n in overall.best())
    assert len(others) == equal - 1
    said = re.search(r"to be the best: (.*) may be as good\.$", verdict(overall))[1]
    if len(others) <= 4:
        assert re.split(", | and ", said) == others
    else:
        assert said == f"{', '.join(others[:3])} and {len(others) - 3} others"


def listed(text):
    """The games of each list, by the place to which cells link."""
    found = {}
    for row, column, table in re.findall(
        r'<div class="wide" id="pairs-(\d+)-(\d+)">(.*?)</table>', text, re.DOTALL
    ):
        commands = re.findall(r'<code class="command">.* (\d+)</code>', table)
        found[int(row), int(column)] = [int(number) for number in commands]
    return found


def test_a_cell_links_to_the_games_of_the_two(running):
    results = read_results(running)
    text = render_report(results, listed=100)
    order = [agent.agent for agent in results.summary.overall.agents]
    expected = {}
    for game in results.games:
        seated = sorted({order.index(seat.agent) for seat in game.seats})
        for pair in itertools.combinations(seated, 2):
            expected.setdefault(pair, []).append(game.number)
    assert listed(text) == expected
    page = alone(text)
    cells = [ref for ref in page.references if ref.startswith("#pairs")]
    assert len(cells) == 2 * len(expected)  # in both directions
    assert {cell.removeprefix("#") for cell in cells} <= set(page.ids)
    assert "(the first" not in text


def test_long_lists_are_cut_and_say_so(running):
    results = read_results(running)
    whole = listed(render_report(results, listed=100))
    text = render_report(results, listed=2)
    assert all(len(games) == 2 for games in listed(text).values())
    for pair in listed(text):
        part = text.partition(f'id="pairs-{pair[0]}-{pair[1]}"')[2]
        total = int(re.search(r"the first 2 of (\d+) games", part)[1])
        assert total == len(whole[pair])


def test_the_command_names_modules_and_quotes_the_store():
    games = played(Setting("hex", 2), [0.0, 1.0], 2)
    described = {"sources": {"my_games": "0" * 64}, "games": [], "agents": {}}
    described |= {"budgets": [], "games_each": 1, "seed": 0, "design": ""}
    text = render_report(Results("-my games.db", described, 2, tuple(games)))
    (command, *_) = re.findall(r'<code class="command">(.*?)</code>', text)
    assert shlex.split(html.unescape(command)) == [
        *("mcts-agents", "--import", "my_games", "replay", "./-my games.db"),
        str(games[0].number),
    ]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A tournament whose games can be replayed."""
    path = tmp_path_factory.mktemp("played") / "my games.db"
    run(path, Here(), games=["tictactoe"], games_each=4)
    return path


def test_the_commands_of_the_page_replay_its_games(small, run_here, monkeypatch):
    text = render_report(read_results(small))
    monkeypatch.chdir(small.parent)
    command = re.search(r'<code class="command">(.*?)</code>', text)[1]
    program, *arguments = shlex.split(html.unescape(command))
    assert program == "mcts-agents"
    done = run_here(*arguments)
    assert done.returncode == 0, done.stderr
    assert f"game {arguments[-1]} (tictactoe" in done.stdout


@pytest.mark.parametrize("search", ["--search", "--no-search"])
def test_replays_beside_the_page(small, tmp_path, run_here, search):
    page, folder = tmp_path / "page.html", tmp_path / "all replays"
    done = run_here(
        *("report", str(small), "--output", str(page), "--games", "1", search),
        *("--replays", str(folder)),
    )
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    links = [ref for ref in Page(text).references if ref and not ref.startswith("#")]
    numbers = {number for pair in listed(text).values() for number in pair}
    assert set(links) == {f"all%20replays/game-{number}.html" for number in numbers}
    assert {file.name for file in folder.iterdir()} == {
        f"game-{number}.html" for number in numbers
    }
    assert f"{folder}: {len(numbers)} replays" in done.stdout
    for link in links:
        shown = (page.parent / unquote(link)).read_text()
        assert ("simulations, depth" in shown) == (search == "--search")


def test_a_replay_on_another_drive_has_an_absolute_link(tmp_path, monkeypatch):
    assert _link(tmp_path / "replays" / "a b.html", tmp_path) == "replays/a%20b.html"

    def relpath(path, start):
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    monkeypatch.setattr(os.path, "relpath", relpath)
    page = tmp_path / "a b.html"
    assert _link(page, tmp_path) == page.as_uri()


def test_replays_that_cannot_be_written(small, tmp_path, run_here):
    page, file = tmp_path / "page.html", tmp_path / "file"
    file.touch()
    wanted = ("report", str(small), "--output", str(page))
    for options, words in (
        (("--no-search",), "--no-search needs --replays"),
        (("--replays", str(file)), "this is a file; name a folder"),
        (("--replays", str(tmp_path / "no" / "folder")), "cannot be written"),
    ):
        failed = run_here(*wanted, *options)
        assert failed.returncode == 2
        assert words in failed.stderr
        assert not page.exists()


def test_a_link_opens_the_list_that_it_leads_to(page, opened):
    assert "<details open" not in opened(page, "closed")[0]
    shown, _ = opened(page, "followed", "#pairs-0-1")
    (before, _) = shown.split('id="pairs-0-1"')
    assert before.rpartition("<details")[2].startswith(" open")
