"""`mcts-agents tournament`: its options, its exit codes and its errors in one line."""

import json
import os
import re
import signal
import sys

import loky
import pytest

from mcts_agents.arena.playing import workers
from mcts_agents.arena.playing.fixtures import Failure, Setting
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from tests.arena.playing import AGENTS, Here, rows
from tests.command import run

OPTIONS = [
    "--game", "tictactoe", "--agent", "random", "--agent", "one=mcts", "--budget", "5",
    "--games", "4",
]  # fmt: skip

FILE = """\
games:
  - tictactoe
  - game: sushi_go
    players: [2, 4]
agents: {multi: "mcts:tree=multi", one: mcts, greedy: "one-step:samples=2"}
budgets: [10]
games_each: 6
seed: 5
"""


@pytest.fixture
def play_here(run_here, monkeypatch):
    """Run the command in this process, and its games too."""
    monkeypatch.setattr(
        "mcts_agents.cli.tournament.make_backend", lambda name, jobs, address: Here()
    )
    return lambda *arguments: run_here("tournament", *map(str, arguments))


def one_line(refused):
    """Return what is said of a wrong request."""
    assert refused.returncode == 2
    assert refused.stdout == ""
    # A game may have to be compiled before what is asked of it can be looked at.
    said = re.sub(r"^Compiling .*\n", "", refused.stderr, flags=re.MULTILINE)
    assert said.startswith("mcts-agents: ")
    assert said.count("\n") == 1
    return said.removeprefix("mcts-agents: ").strip()


def test_options_and_a_file_say_the_same(tmp_path, play_here, expected):
    (tmp_path / "t.yaml").write_text(FILE)
    done = play_here(tmp_path / "t.yaml", "--store", tmp_path / "file.db")
    assert done.returncode == 0
    assert rows(tmp_path / "file.db") == expected
    agents = [x for name, spec in AGENTS.items() for x in ("--agent", f"{name}={spec}")]
    done = play_here(
        "--game", "tictactoe", *agents, "--budget", "10", "--games", "6", "--seed", "5",
        "--store", tmp_path / "options.db",
    )  # fmt: skip
    assert done.returncode == 0
    played = [row for row in expected if row.get("game") == "tictactoe"]
    found = rows(tmp_path / "options.db")
    assert [row["moves"] for row in found[:6]] == [row["moves"] for row in played]
    # Numbers of players are for every game.
    done = play_here(
        "--game", "sushi_go", "--game", "diamant", "--players", "2", "--players", "3",
        "--agent", "random", "--field", "one-step", "--design", "one-against-field",
        "--games", "1", "--store", tmp_path / "players.db",
    )  # fmt: skip
    assert done.returncode == 0
    with Store.read(tmp_path / "players.db") as store:
        assert [str(game.setting) for game in store.games()] == [
            "sushi_go, 2 players",
            "sushi_go, 3 players",
            "diamant, 2 players",
            "diamant, 3 players",
        ]


def test_games_and_seed_change_a_file(tmp_path, play_here, expected):
    (tmp_path / "t.yaml").write_text(FILE.replace("seed: 5", "seed: 0"))
    command = [tmp_path / "t.yaml", "--seed", "5", "--store", tmp_path / "s.db"]
    assert play_here(*command, "--games", "2").returncode == 0
    assert len(Store.read(tmp_path / "s.db").played()) == 6
    assert play_here(*command).returncode == 0
    assert rows(tmp_path / "s.db") == expected
    fewer = one_line(play_here(*command, "--games", "3"))
    assert "has 6 games of each, and cannot have fewer, 3" in fewer


def test_a_finished_tournament_plays_nothing(tmp_path, play_here, monkeypatch):
    command = [*OPTIONS, "--store", tmp_path / "s.db"]
    assert play_here(*command).returncode == 0
    before = (tmp_path / "s.db").read_bytes()

    def play(self, fixtures):
        raise AssertionError("there was nothing to play")

    monkeypatch.setattr(Here, "play", play)
    again = play_here(*command)
    assert again.returncode == 0
    assert "4/4" in again.stderr
    assert (tmp_path / "s.db").read_bytes() == before


def test_with_json_the_report_is_told_of_elsewhere(tmp_path, play_here):
    page = tmp_path / "r.html"
    done = play_here(*OPTIONS, "--store", tmp_path / "s.db", "--report", page, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["games"] == 4
    assert f"{page}: 4 games, {page.stat().st_size:,} bytes" in done.stderr.splitlines()


def test_failures_are_told_and_give_another_exit_code(tmp_path, play_here, monkeypatch):
    def play(fixture):
        if fixture.number == 2:
            return Failure(fixture, "ValueError: [bold]no[/bold] :robot:", "Traceback")
        return workers.play(fixture)

    with monkeypatch.context() as patched:
        patched.setattr(Here, "play", lambda self, fixtures: map_(play, fixtures))
        done = play_here(*OPTIONS, "--store", tmp_path / "s.db")
    assert done.returncode == 1
    (failed,) = Store.read(tmp_path / "s.db").failures()
    lines = done.stderr.splitlines()
    assert f"failed: {failed.fixture}: ValueError: [bold]no[/bold] :robot:" in lines
    assert f"seed {failed.fixture.seed}: 0=" in done.stderr
    (how_to_go_on,) = [line for line in lines if line.startswith("1 game failed")]
    assert how_to_go_on.endswith(
        "the same command tries again, unless a module or a policy's file "
        "that it names has changed"
    )
    again = play_here(*OPTIONS, "--store", tmp_path / "s.db")
    assert again.returncode == 0
    assert "failed" not in again.stderr


def map_(function, items):
    yield from map(function, items)


def test_an_interrupt_says_how_to_go_on(tmp_path, play_here, monkeypatch):
    path = tmp_path / ("a long name " * 15 + ".db")

    def play(self, fixtures):
        yield workers.play(next(iter(fixtures)))
        os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patched:
        patched.setattr(Here, "play", play)
        done = play_here(*OPTIONS, "--store", path)
    assert done.returncode == 130
    assert (
        f"1 of 4 games are stored in {path}; run the same command to resume"
        in done.stderr.splitlines()
    )
    resumed = play_here(*OPTIONS, "--store", path)
    assert resumed.returncode == 0
    assert f"1 of 4 games are stored in {path} already" in resumed.stderr.splitlines()


def test_a_store_in_use_or_of_another_kind_is_refused(tmp_path, play_here):
    path = tmp_path / "s.db"
    with Store.write(path):
        said = one_line(play_here(*OPTIONS, "--store", path))
        assert f"{path}: another process is writing to it" in said
    assert play_here(*OPTIONS, "--store", path).returncode == 0
    said = one_line(play_here(*OPTIONS, "--seed", "3", "--store", path))
    assert "holds another tournament: its seed is 0, not 3" in said
    path.write_text("something else")
    said = one_line(play_here(*OPTIONS, "--store", path))
    assert said == f"{path}: cannot be read: file is not a database"
    assert path.read_text() == "something else"


# A tournament of which parts are played.
PARTS = """
games: [{game: sushi_go, players: [2, 3, 4]}, "hex:size=3"]
agents: [random, "mcts:simulations=3"]
games_each: 2
"""
BUDGETS = """
games: [{game: "hex:size=3", budgets: [4, 8]}, {game: sushi_go, players: [2, 3]}]
agents: [random, mcts]
budgets: [6, 8]
games_each: 2
"""

STORE = ["--store", "s.db"]
TABLE = ["--game", "tictactoe", "--agent", "random", "--agent", "mcts"]

REFUSED = [
    ([], "Missing option '--store'"),
    (STORE, "name a FILE, or --game"),
    ([*STORE, "--game", "tictactoe"], "name a FILE, or --agent"),
    ([*STORE, "none.yaml"], "none.yaml: cannot be read: No such file"),
    ([*STORE, "t.yaml"], "t.yaml, line 2, agents.b: unknown agent 'mtcs'"),
    ([*STORE, "t.yaml", "--agent", "mcts"], "--agent cannot be combined with t.yaml: "),
    ([*STORE, "t.yaml", "--field", "mcts"], "--field cannot be combined with t.yaml: "),
    (
        [*STORE, "t.yaml", "--design", "all-seats"],
        "--design cannot be combined with t.yaml: ",
    ),
    ([*STORE, "t.yaml", "--players", "3"], "t.yaml, line 2, agents.b"),
    ([*STORE, "--players", "3"], "--players needs --game, or a FILE"),
    ([*STORE, "u.yaml", "--game", "hexx"], "--game: unknown game 'hexx': known: sushi"),
    (
        [*STORE, "u.yaml", "--game", "uno"],
        "--game: unknown game 'uno': known: sushi_go, ",
    ),
    (
        [*STORE, "u.yaml", "--players", "5"],
        "--players: 5: expected one of 2, 3, 4 (in u.yaml)",
    ),
    (
        [*STORE, "u.yaml", "--game", "hex:size=3", "--players", "4"],
        "--players: 4: expected one of 2 (in u.yaml)",
    ),
    (
        [*STORE, "u.yaml", "--budget", "5"],
        "--budget: 5: the tournament sets no budgets (in u.yaml)",
    ),
    (
        [*STORE, "b.yaml", "--budget", "5"],
        "--budget: 5: expected one of 4, 8, 6 (in b.yaml)",
    ),
    (
        [*STORE, "b.yaml", "--game", "sushi_go", "--budget", "4"],
        "--budget: 4: expected one of 6, 8 (in b.yaml)",
    ),
    (
        [*STORE, "b.yaml", "--players", "3", "--budget", "4"],
        "--players: 3: the tournament has no games with this and the other chosen "
        "games, numbers of players and budgets (in b.yaml)",
    ),
    (
        [*STORE, "b.yaml", "--players", "3", "--budget", "4", "--budget", "8"],
        "--budget: 4: the tournament has no games with this and the other chosen "
        "games, numbers of players and budgets (in b.yaml)",
    ),
    (
        [
            *STORE,
            "b.yaml",
            "--game",
            "sushi_go",
            "--game",
            "hex:size=3",
            "--budget",
            "4",
        ],
        "--game: sushi_go: the tournament has no games with this and the other chosen "
        "games, numbers of players and budgets (in b.yaml)",
    ),
    ([*STORE, "b.yaml", "--budget", "1x"], "--budget: budget '1x': expected a time"),
    ([*STORE, "b.yaml", "--games", "0"], "--games: input should be greater"),
    ([*STORE, "b.yaml", "--seed", "-5"], "--seed: input should be greater"),
    ([*STORE, *TABLE, "--players", "3"], "--players: players=3: tictactoe is for 2"),
    ([*STORE, *TABLE, "--game", "hexx"], "--game: unknown game 'hexx': did you mean"),
    ([*STORE, *TABLE, "--agent", "mtcs"], "--agent: unknown agent 'mtcs'"),
    ([*STORE, *TABLE, "--agent", "random"], "--agent: two agents have the name 'rand"),
    ([*STORE, *TABLE, "--agent", "=mcts"], "--agent: '' is not the name of an agent"),
    ([*STORE, *TABLE, "--agent", "x=mcts:seed=1"], "--agent: seed=1: every agent"),
    ([*STORE, *TABLE, "--budget", "1x"], "--budget: budget '1x': expected a time"),
    ([*STORE, *TABLE, "--design", "round"], "--design: input should be 'round-robin'"),
    ([*STORE, *TABLE, "--field", "mcts"], "--field: names the agent in all other"),
    ([*STORE, *TABLE, "--games", "0"], "--games: input should be greater"),
    ([*STORE, *TABLE, "--games", "x"], "Invalid value for '--games'"),
    ([*STORE, *TABLE, "--seed", "-1"], "--seed: input should be greater"),
    ([*STORE, *TABLE, "--jobs", "0"], "jobs=0: expected at least 1"),
    ([*STORE, *TABLE, "--backend", "slurm"], "Invalid value for '--backend'"),
    ([*STORE, *TABLE, "--address", "auto"], "address='auto': only the ray backend"),
    (
        [*STORE, "--game", "tictactoe", "--agent", "mcts"],
        "--agent: one agent cannot play round-robin",
    ),
    (
        [*STORE, *TABLE, "--budget", "9", "--agent", "x=mcts:simulations=3"],
        "--agent: x sets a budget, simulations=3, but budgets=['9'] does too; remove",
    ),
    (
        [*STORE, *TABLE, "--design", "all-seats", "--games", "3"],
        "--games: games_each=3: tictactoe, 2 players has 2 orders of seats",
    ),
    (
        [*STORE, "--game", "sushi_go", "--agent", "mcts:loop=closed", "--agent", "one"],
        "--agent: unknown agent 'one'",
    ),
    (
        [*STORE, "--game", "sushi_go", "--agent", "c=mcts:loop=closed", *TABLE[2:]],
        "--agent: c in sushi_go, 4 players: ",
    ),
    (
        ["--store", "no/s.db", *TABLE],
        "no/s.db: there is no folder no",
    ),
    (["--store", ".", *TABLE], ".: expected a file, but this is a folder"),
    (
        [*STORE, *TABLE, "--report", "./s.db"],
        "s.db: this is the store itself; use another name",
    ),
    (["--store", "t.yaml", *TABLE], "t.yaml: "),
]


@pytest.mark.parametrize(
    ("arguments", "said"),
    REFUSED,
    ids=[f"{n}-{w[1][:30]}" for n, w in enumerate(REFUSED)],
)
def test_a_wrong_request_gets_one_line(
    run_here, tmp_path, monkeypatch, arguments, said
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.yaml").write_text("games: hex\nagents: {a: random, b: mtcs}\n")
    (tmp_path / "u.yaml").write_text(PARTS)
    (tmp_path / "b.yaml").write_text(BUDGETS)
    assert one_line(run_here("tournament", *arguments)).startswith(said)
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["b", "t", "u"]


def test_a_part_of_a_file_has_the_games_of_the_whole(run_here, tmp_path):
    path = tmp_path / "u.yaml"
    path.write_text(PARTS)
    stores = [tmp_path / name for name in ("whole", "game", "players")]
    parts = [[], ["--game", "sushi_go", "--players", "4"], ["--players", "2"]]
    for store, part in zip(stores, parts, strict=True):
        done = run_here("tournament", str(path), *part, "--store", str(store))
        assert done.returncode == 0, done.stderr
    whole, of_game, of_players = [games_of(store) for store in stores]
    assert {key[:2] for key in whole} == {
        ("sushi_go", 2), ("sushi_go", 3), ("sushi_go", 4), ("hex:size=3", 2)
    }  # fmt: skip
    assert {key[:2] for key in of_game} == {("sushi_go", 4)}
    assert {key[:2] for key in of_players} == {("sushi_go", 2), ("hex:size=3", 2)}
    assert of_game.items() <= whole.items()
    assert of_players.items() <= whole.items()
    # Another part is another tournament.
    said = one_line(
        run_here("tournament", str(path), "--players", "3", "--store", str(stores[1]))
    )
    assert "holds another tournament: its games" in said


def test_a_part_has_some_of_the_budgets(run_here, tmp_path):
    path = tmp_path / "b.yaml"
    path.write_text(BUDGETS)
    stores = [tmp_path / name for name in ("whole", "8", "6")]
    parts = [[], ["--budget", "8"], ["--budget", "6"]]
    for store, part in zip(stores, parts, strict=True):
        done = run_here("tournament", str(path), *part, "--store", str(store))
        assert done.returncode == 0, done.stderr
    whole, of_8, of_6 = [games_of(store) for store in stores]
    games = {("hex:size=3", 2), ("sushi_go", 2), ("sushi_go", 3)}
    assert {key[:3] for key in of_8} == {(*game, "8") for game in games}
    assert {key[:3] for key in of_6} == {("sushi_go", 2, "6"), ("sushi_go", 3, "6")}
    assert of_8.items() <= whole.items()
    assert of_6.items() <= whole.items()


def test_workers_that_share_cores_are_told_of_the_budgets_that_are_played(
    run_here, tmp_path
):
    path = tmp_path / "t.yaml"
    path.write_text(
        'games: [tictactoe, {game: "hex:size=3", budgets: [5, 2ms]}]\n'
        "agents: [mcts, random]\nbudgets: [7, 1s]\ngames_each: 1\n"
    )
    jobs = str(loky.cpu_count() + 1)
    for budget, said in (("7", False), ("2ms", True)):
        store = tmp_path / f"{budget}.db"
        part = ["--budget", budget, "--jobs", jobs]
        done = run_here("tournament", str(path), *part, "--store", str(store))
        assert done.returncode == 0, done.stderr
        assert ("decisions of 2ms get fewer" in done.stderr) == said
        assert "decisions of 1s" not in done.stderr


def test_a_budget_is_chosen_by_its_amount():
    whole = TournamentSpec(games="hex", agents=["mcts"], budgets=["1s", "40ms"])
    assert whole.part(budgets=["1000ms"]).settings() == [Setting("hex", 2, "1s")]
    assert whole.part(budgets=["0.04s", "1s"]) == whole


def games_of(store):
    """Return what happened in each game of a store."""
    with Store.read(store) as games:
        return {
            (g.setting.game, g.setting.players, g.setting.budget, g.round): (
                g.seed, g.moves, [(seat.agent, seat.seed) for seat in g.seats]
            )
            for g in games.games()
        }  # fmt: skip


def test_ray_that_is_not_installed_is_named(run_here, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    said = one_line(
        run_here(
            "tournament", *OPTIONS, "--store", str(tmp_path / "s.db"),
            "--backend", "ray",
        )
    )  # fmt: skip
    assert said == (
        "the ray backend needs Ray: in the checkout of mcts-agents, run "
        'pip install --editable ".[ray]"'
    )


def test_the_real_command_plays_and_shows_its_progress(tmp_path):
    path = str(tmp_path / "s.db")
    done = run("tournament", *OPTIONS, "--store", path, "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert "4/4" in done.stderr
    assert "elapsed" in done.stderr
    assert len(Store.read(path).played()) == 4


def test_more_workers_than_cores_are_told_where_time_is_the_budget(tmp_path, play_here):
    timed = [*OPTIONS[:6], "--budget", "1ms", "--games", "1", "--jobs", "1000"]
    done = play_here(*timed, "--store", tmp_path / "s.db")
    assert "1000 workers share" in done.stderr
    counted = [*OPTIONS, "--jobs", "1000", "--store", tmp_path / "t.db"]
    assert "workers share" not in play_here(*counted).stderr
