"""Games that are not in this package: `module:object`, and entry points."""

import importlib
import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from mcts_agents import allow_in_files, importing
from mcts_agents.arena.replay.replaying import Replay
from mcts_agents.arena.tournaments.spec_file import SpecFile
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.envs import (
    Game,
    environments,
    game_from_rules,
    known_games,
    load_game,
    make_model,
    named_in_file,
    parse_game,
)
from mcts_agents.learn import Dataset, record
from mcts_agents.model.contract import ENTRIES
from mcts_agents.wrappers import single_agent_env
from tests.golden import exactly, golden_folder

ROOT = Path(__file__).parent.parent
NIM = ROOT / "examples" / "new_game.py"
GUIDE = ROOT / "docs" / "own_games.md"

# The command as its script runs: without the working folder in the import path.
SCRIPT = [sys.executable, "-P", "-c", "from mcts_agents.cli import main; main()"]

# Several commands in one process, where only what they print is looked at.
SEVERAL = """
import contextlib, io, json, sys
from mcts_agents.cli import main
told = []
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["mcts-agents", *arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as ended:
            told.append((ended.code, out.getvalue(), err.getvalue()))
print(json.dumps(told))
"""

# A game in one file: the rules of an example, and what a file may have beside them.
MORE = """
from mcts_agents.envs import game_from_rules


def name(model, action):
    return f"{'abc'[action // 7]}{action % 7 + 1}"


def recorded_variant(header):
    if header["openspiel"] != "nim":
        raise ValueError("another game")
    return {}


game = game_from_rules(
    rules, title="Three Heaps", format_action=name, recorded_variant=recorded_variant
)


def made():
    return rules


def of_size(size):
    return rules


def failing():
    raise RuntimeError("no dice\\nhere")


def loud():
    print("hello")
    return rules


def environment():
    return environments(rules)[1]()


class Inner:
    rules = rules
"""

# What tells that it was imported.
SPY = """
import pathlib
pathlib.Path(__file__).with_name("imported").touch()
from heaps import rules
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a user's files."""
    found = tmp_path_factory.mktemp("user")
    (found / "heaps.py").write_text(NIM.read_text() + MORE)
    (found / "heaps_spy.py").write_text(SPY)
    (found / "heaps_broken.py").write_text("1 / 0\n")
    (found / "heaps_needy.py").write_text("import heaps_library_not_here\n")
    (found / "heaps_script.py").write_text("import sys\nsys.exit('usage: ...')\n")
    lazy = "def __getattr__(name):\n    raise RuntimeError('not now')\n"
    (found / "heaps_lazy.py").write_text(lazy)
    (found / "heaps_loud.py").write_text("from heaps import rules\nprint('hello')\n")
    (found / "heaps_größe.py").write_bytes(b"from heaps import rules\r\n")
    (found / "heaps_typo.py").write_text("def rules(:\n")
    package = found / "heaps_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text("from heaps import rules\n")
    return found


@pytest.fixture
def importable(folder, monkeypatch):
    """The user's files can be imported; no file may name them yet."""
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(importing, "_allowed", set())
    return folder


@pytest.fixture
def elsewhere(tmp_path):
    """A folder in which the user's modules cannot be imported."""
    return tmp_path


def process(place, command):
    return subprocess.run(
        command,
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "120"},
    )


def run(place, *arguments):
    return process(place, [*SCRIPT, *map(str, arguments)])


def several(place, *commands):
    """Run commands one after the other; return what `run` returns for each."""
    asked = json.dumps([list(map(str, command)) for command in commands])
    done = process(place, [sys.executable, "-P", "-c", SEVERAL, asked])
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    return [
        subprocess.CompletedProcess(command, *one)
        for command, one in zip(commands, told, strict=True)
    ]


def output(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


def refusal(done):
    """Return the one line that a refused command prints."""
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    (line,) = done.stderr.splitlines()
    return line.removeprefix("mcts-agents: ")


def printed(place, *arguments):
    return output(run(place, *arguments))


def refused(place, *arguments):
    return refusal(run(place, *arguments))


# -- names


@pytest.mark.parametrize(
    ("spec", "name", "options"),
    [
        ("heaps:rules", "heaps:rules", {}),
        (" heaps : rules ", "heaps:rules", {}),
        ("a.b:c.d:size=5,maki=x", "a.b:c.d", {"size": 5, "maki": "x"}),
        ("heaps:rules:", "heaps:rules", {}),
        ("hex:size=5", "hex", {"size": 5}),
        ("stones:size=5", "stones", {"size": 5}),
    ],
)
def test_specs_of_own_games(spec, name, options):
    assert parse_game(spec) == (name, options)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hex:size", "character 5: expected option=value, not 'size'"),
        ("heaps:rules:size", "character 13: expected option=value, not 'size'"),
        ("hex:rules", "'rules'; hex is a game of this package, so a module of yours"),
        ("heaps:rules:a=1,a=2", "option 'a' is given twice"),
        ("heaps:ru les", "expected option=value, not 'ru les'"),
        (
            "../heaps:rules",
            "named as Python imports it, without its folder",
        ),
    ],
)
def test_bad_specs_of_own_games(spec, message):
    with pytest.raises(ValueError, match=message):
        parse_game(spec)


# -- in Python


@pytest.mark.parametrize(
    "name",
    [
        "heaps:rules",
        "heaps:game",
        "heaps:made",
        "heaps:Inner.rules",
        "heaps_package.inner:rules",
    ],
)
def test_rules_games_and_functions_are_loaded(importable, name):
    game = load_game(name)
    assert isinstance(game, Game)
    assert load_game(name) is game  # compiled once
    model = make_model(name)[1]
    assert (model.players, model.actions) == (2, 21)


@pytest.mark.parametrize("name", ["json", "numpy", "time", "mcts_agents"])
def test_a_name_that_leads_to_two_modules_is_an_error(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"{name}.py").write_text("1 / 0\n")
    with pytest.raises(ValueError, match=f"there are two modules '{name}', .*rename"):
        load_game(f"{name}:rules")


def test_the_working_folder_is_searched_last(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wave.py").write_text("1 / 0\n")  # what a library might import
    (tmp_path / "heaps_here.py").write_text(NIM.read_text())
    (tmp_path / "json").mkdir()  # a folder is no other module
    assert load_game("heaps_here:rules").name == "nim"
    assert importlib.import_module("wave").__file__ != str(tmp_path / "wave.py")
    with pytest.raises(ValueError, match="no object 'rules' in it"):
        load_game("json:rules")


def test_two_games_of_one_module_name_in_two_folders(tmp_path, monkeypatch):
    """The second is not taken for the first, which is imported."""
    monkeypatch.setattr(sys, "path", sys.path.copy())
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "heaps_twice.py").write_text(NIM.read_text())
    monkeypatch.chdir(tmp_path / "a")
    load_game("heaps_twice:rules")
    monkeypatch.chdir(tmp_path / "b")
    with pytest.raises(ValueError, match=r"two modules .*b/heaps_twice.*a/heaps_twic"):
        load_game("heaps_twice:rules")


def test_what_a_module_prints_is_kept_apart(folder, importable, capsys):
    found = json.loads(
        printed(folder, "play", "heaps_loud:rules", "--agent", "random", "--json")
    )
    assert found["game"] == "heaps_loud:rules"


def test_what_a_function_prints_is_kept_apart(importable, capsys):
    assert load_game("heaps:loud").name == "nim"
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "hello\n")


def test_names_may_have_any_letters(importable):
    assert load_game("heaps_größe:rules").name == "nim"


def test_environments_take_names_rules_and_games(importable):
    game = load_game("heaps:game")
    for named in ("heaps:game", game, game.rules):
        env = environments(named)[0]()
        env.reset(seed=1)
        assert env.action_space("player_0").n == 21


def test_learners_play_own_games(importable):
    plain = single_agent_env("heaps:rules", "random")
    made = gymnasium.make("mcts_agents/Game-v0", game="heaps:rules", opponents="random")
    for env in (plain, made):
        observation, info = env.reset(seed=3)
        assert observation.shape == (4,)
        assert info["action_mask"].sum() > 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("heeps:rules", r"no module 'heeps': did you mean heaps\? neither in"),
        ("hexx:size", r"no module 'hexx': did you mean hex\?"),
        (
            "heaps_package.iner:rules",
            "no module 'heaps_package.iner': did you mean heaps_package.inner",
        ),
        ("heaps.inner:rules", "there is no module 'heaps.inner'"),
        (
            "heaps:rule",
            r"there is no object 'rule' in it: did you mean rules\? known: ",
        ),
        (
            "heaps:Inner.rule",
            r"no object 'rule' in it: did you mean rules\? known: rules",
        ),
        ("heaps:STATE", r"is an object of type .*DType.*: expected a Rules, a Game"),
        ("heaps:Inner", "is the class Inner: expected a Rules, a Game, an environment"),
        ("heaps:of_size", "is a function that needs arguments: expected a Rules"),
        ("heaps:failing", "'heaps:failing' failed: RuntimeError: no dice here"),
        ("heaps:environment", "makes an environment, which has no rules to compile"),
        (
            "heaps_broken:rules",
            r"raised ZeroDivisionError: div.* \(heaps_broken.py, line 1\)",
        ),
        (
            "heaps_needy:rules",
            "importing heaps_needy raised ModuleNotFoundError: No module named "
            "'heaps_library_not_here'",
        ),
        ("heaps_script:rules", "importing heaps_script raised SystemExit: usage"),
        ("heaps_typo:rules", "importing heaps_typo raised SyntaxError: .*line 1"),
        ("heaps.py:rules", r"no module 'heaps.py': did you mean heaps\? neither"),
        ("heaps_lazy:rules", "looking up rules raised RuntimeError: not now"),
        ("__main__:rules", "save it in a file and use that file's module name"),
    ],
)
def test_what_cannot_be_loaded_is_named(importable, name, message):
    with pytest.raises(ValueError, match=message) as caught:
        load_game(name)
    assert str(caught.value).startswith(f"game {name!r}")
    assert "\n" not in str(caught.value)


def test_an_unknown_name_tells_how_own_games_are_named():
    with pytest.raises(ValueError, match=r"a game of yours is named module:object$"):
        load_game("heaps")


def test_an_unknown_option_of_an_own_game_is_named(importable):
    with pytest.raises(ValueError, match=r"option of heaps:rules 'size'.*players"):
        make_model("heaps:rules:size=3")


def test_a_module_that_was_imported_anew_brings_a_new_game(importable):
    before = load_game("heaps:rules")
    importlib.reload(sys.modules["heaps"])
    after = load_game("heaps:rules")
    assert after is not before
    assert after is load_game("heaps:rules")


# -- files that name games


def test_a_file_imports_no_game_that_the_caller_did_not_allow(importable):
    with (
        named_in_file("the file"),
        pytest.raises(
            ValueError,
            match="game 'heaps_spy:rules': the file names a module, and modules named "
            "in files are imported only with your permission; if you trust this one: "
            "mcts-agents --import "
            r"heaps_spy \.\.\., ",
        ),
    ):
        make_model("heaps_spy:rules")
    assert not (importable / "imported").exists()
    importlib.import_module("heaps")  # which is not to let files name it
    with named_in_file("the file"), pytest.raises(ValueError, match="names a module"):
        load_game("heaps:game")
    load_game("heaps:rules")  # by a call, after which files may name the module
    with named_in_file("the file"):
        assert load_game("heaps:game").title == "Three Heaps"
        assert load_game("hex").name == "hex"


@pytest.mark.parametrize(
    "name", ["heaps:game", "", "heaps.", "../heaps", "heaps.py", "no_such_module"]
)
def test_only_modules_can_be_allowed(importable, name):
    with pytest.raises(ValueError, match=r"^allow_in_files: .*module"):
        allow_in_files(name)


def test_what_lies_in_an_allowed_package_is_allowed(importable):
    allow_in_files("heaps_package")
    with named_in_file("the file"):
        load_game("heaps_package.inner:rules")
        with pytest.raises(ValueError, match="the file names a module"):
            load_game("heaps_spy:rules")


SPEC = """
games:
  - hex:size=3
  - heaps_spy:rules
agents: [random, "r=random"]
games_each: 2
"""


def test_a_tournament_s_file_names_own_games_only_with_permission(importable, tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text(SPEC)
    message = "t.yaml, line 4, games.1.game: game 'heaps_spy:rules': .*t.yaml names a"
    with pytest.raises(ValueError, match=message):
        SpecFile(str(path)).spec()
    assert not (importable / "imported").exists()
    allow_in_files("heaps_spy")
    spec = SpecFile(str(path)).spec()
    assert [game.game for game in spec.games] == ["hex:size=3", "heaps_spy:rules"]
    (importable / "imported").unlink()


# -- on the command line


def test_play(folder):
    play = "play", "heaps:game", "--agent", "random", "--json"
    plain = "play", "heaps:rules", "--agent", "random", "--seed", 1
    found, shown = map(output, several(folder, play, plain))
    found = json.loads(found)
    assert found["game"] == "heaps:game"
    assert sorted(found["returns"]) == [-1.0, 1.0]
    assert all(move["name"][0] in "abc" for move in found["moves"])
    assert "heaps  3 5 7\nturn   0\n" in shown
    rows = [line.split("│") for line in shown.splitlines() if "│player_" in line]
    assert [row[4].strip() for row in rows] == ["-", "-"]  # the game has no points


def test_tree_bench_compile_and_list(folder):
    tree = "tree", "heaps:game", "--agent", "mcts:simulations=20", "--moves", "a3 b5"
    bench = "bench", "heaps:rules", "--simulations", 50, "--json"
    compiling = "compile", "heaps:rules", "--json"
    listing = "list", "heaps:game"
    commands = tree, bench, compiling, listing, (*listing, "--json")
    shown, measured, found, text, listed = map(output, several(folder, *commands))
    assert "player_0 plays c7" in shown
    measured = json.loads(measured)
    assert (measured["game"], measured["simulations"]) == ("heaps:rules", 50)
    games = json.loads(found)["games"]
    assert [row["game"] for row in games] == ["heaps:rules"]
    (row,) = json.loads(listed)["games"]
    assert (row["game"], row["title"]) == ("heaps:game", "Three Heaps")
    assert (row["default_players"], row["chance"]) == (2, False)
    assert row["simultaneous"] is None  # nobody has said, and rules do not tell
    assert "Three Heaps" in text
    assert "not said" in text


@pytest.fixture(scope="module")
def store(folder):
    """A tournament of an own game, played by two processes."""
    path = folder / "heaps.sqlite"
    printed(
        folder,
        *("tournament", "--game", "heaps:game", "--agent", "random"),
        *("--agent", "mcts:simulations=20", "--games", 6, "--jobs", 2),
        *("--store", path),
    )
    return path


def test_a_tournament_stores_the_name(store):
    with Store.read(store) as opened:
        games = list(opened.games())
        assert not opened.failures()
    assert [game.setting.game for game in games] == ["heaps:game"] * 6


def test_results_need_no_game(store, elsewhere):
    commands = (
        ("results", store),
        ("export", store, "--output", "rows.csv"),
        ("report", store, "--output", "page.html"),
    )
    shown, *_ = map(output, several(elsewhere, *commands))
    assert "6 of 6 games, complete" in shown
    assert "score" not in shown  # the game has no points
    assert "heaps:game" in (elsewhere / "rows.csv").read_text()
    page = (elsewhere / "page.html").read_text()
    assert "heaps:game" in page
    assert "mean score" not in page


def test_replay_imports_only_what_the_command_names(store, folder, elsewhere):
    told = refused(folder, "replay", store, 1)
    assert "game 'heaps:game': the record of a game names a module" in told
    assert "mcts-agents --import heaps ..." in told
    replay = ("replay", store, 1)
    found = json.loads(printed(folder, "--import", "heaps", *replay, "--json"))
    assert found["game"] == "heaps:game"
    assert found["moments"][-1]["position"].startswith("heaps  0 0 0")
    told = refused(elsewhere, "--import", "heaps", *replay)
    assert "there is no module 'heaps'" in told
    told = refused(folder, "--import", "heaps_package", *replay)
    assert "names a module" in told
    with Store.read(store) as opened:
        record = opened.game(1)
    with pytest.raises(ValueError, match=r"game 1: game .*: the record of a g"):
        Replay(record)


def test_a_store_cannot_name_code_to_run(store, folder, elsewhere):
    path = elsewhere / "edited.sqlite"
    path.write_bytes(store.read_bytes())
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE games SET game = 'heaps_spy:rules'")
    connection.close()
    commands = ["results"], ["replay", "1"], ["export", "--output", "rows.csv"]
    several(folder, *([name, path, *rest] for name, *rest in commands))
    assert not (folder / "imported").exists()


def test_a_file_of_a_tournament_on_the_command_line(folder, elsewhere):
    path = elsewhere / "t.yaml"
    path.write_text(SPEC.replace("_spy", "").replace("games_each: 2", "games_each: 1"))
    play = ("tournament", path, "--store", elsewhere / "s.sqlite", "--jobs", 2)
    told = refused(folder, *play)
    assert "line 4, games.1.game: game 'heaps:rules': " in told
    assert "2 of 2 games" in printed(folder, "--import", "heaps", *play)


def test_record_and_read(folder, elsewhere, importable):
    out = elsewhere / "rows"
    printed(
        folder,
        *("record", "heaps:rules", "--agent", "mcts:simulations=20", "--games", 4),
        *("--seed", 3, "--jobs", 2, "--out", out),
    )
    dataset = Dataset(out)
    assert dataset.description["game"] == "heaps:rules"
    assert dataset.games == 4
    again = record(
        "heaps:rules", "mcts:simulations=20", 4, elsewhere / "b", seed=3, jobs=1
    )
    for name, column in dataset[:].items():
        np.testing.assert_array_equal(column, again[:][name])


def test_tune(folder, elsewhere):
    found = json.loads(
        printed(
            folder,
            *("tune", "--game", "heaps:rules", "--agent", "mcts:simulations=10"),
            *("--parameter", "exploration=0.1..3", "--trials", 2, "--games", 2),
            *("--confirm", 2, "--jobs", 2, "--store", elsewhere / "study.sqlite"),
            "--json",
        )
    )
    assert (found["game"], found["trials"]) == ("heaps:rules", 2)


def recorded_game(game):
    """Return a game in which each heap is taken as a whole, as records have it."""
    model = game.rules.model()
    state = model.reset(np.ones(2, np.uint64))
    lines = {"moves": ["a3", "b5", "c7"], "players": [0, 1, 0], "legal": []}
    for player, move in zip(lines["players"], lines["moves"], strict=True):
        legal = model.legal_actions(state, player).tolist()
        names = sorted(game.format_action(model, action) for action in legal)
        lines["legal"].append(" ".join(names))
        action = game.parse_action(model, move)
        model.apply(state, {player: action}, np.ones(2, np.uint64))
    return {**lines, "returns": [1.0, -1.0]}


def test_verify(folder, importable, elsewhere):
    played = recorded_game(load_game("heaps:game"))
    wrong = {**played, "returns": [-1.0, 1.0]}
    path = elsewhere / "games.jsonl"
    lines = [{"openspiel": "nim"}, played, wrong]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    ours, plain = (
        ("verify", "heaps:game", path, "--json"),
        ("verify", "heaps:rules", path),
    )
    found, missing = several(folder, ours, plain)
    assert found.returncode == 1, found.stderr
    (row,) = json.loads(found.stdout)["files"]
    assert (row["games"], row["mismatches"]) == (2, 1)
    assert "nim has no `recorded_variant`: pass" in refusal(missing)


def test_the_command_tells_in_one_line_what_it_cannot_load(folder):
    play = "play", "heeps:rules"
    tournament = "tournament", "--game", "heaps:rulez", "--agent", "random"
    done = several(folder, play, (*tournament, "--store", "s.sqlite"))
    first, second = map(refusal, done)
    assert first.startswith(
        "game 'heeps:rules': there is no module 'heeps': did you mean heaps?"
    )
    assert second.startswith("--game: game 'heaps:rulez': there is no object 'rulez'")


def test_the_working_folder_is_not_searched_for_libraries(store, elsewhere):
    (elsewhere / "scipy.py").write_text("raise SystemExit('imported by accident')\n")
    assert "6 of 6 games, complete" in printed(elsewhere, "results", store)


def test_workers_take_no_file_of_the_working_folder_for_a_library(folder, tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    (place / "heaps.py").write_bytes((folder / "heaps.py").read_bytes())
    for library in ("random", "tempfile", "loky", "numpy"):
        (place / f"{library}.py").write_text("raise SystemExit('by accident')\n")
    shown = printed(
        place,
        *("tournament", "--game", "heaps:rules", "--agent", "random", "--games", 4),
        *("--agent", "r=random", "--jobs", 2, "--store", "s.sqlite"),
    )
    assert "4 of 4 games, complete" in shown


# -- the guide


SNIPPETS = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)


@pytest.fixture(scope="module")
def guide(folder):
    """The game of the guide, in a file as a reader saves it."""
    (folder / "mini_breakthrough.py").write_text(SNIPPETS[0])
    return folder


@pytest.mark.parametrize("snippet", SNIPPETS[1:])
def test_the_guide_s_other_snippets_run(guide, importable, snippet):
    exec(compile(snippet, "own_games.md", "exec"), {})


def test_the_guide_lists_every_function():
    """All but `copy`, which the library writes."""
    rows = re.findall(
        r"^\| `(\w+)` \| `([\w, ]+)` \| (yes)? ?\|", GUIDE.read_text(), re.M
    )
    assert {name: (parameters, bool(needed)) for name, parameters, needed in rows} == {
        name: (", ".join(entry.parameters), entry.required)
        for name, entry in ENTRIES.items()
        if name != "copy"
    }


def test_the_guide_s_game_is_openspiel_s(guide):
    path = golden_folder("openspiel") / "breakthrough_6x5.jsonl.gz"
    shown = printed(guide, "verify", "mini_breakthrough:game", path, "--json")
    (row,) = json.loads(shown)["files"]
    assert row["games"] == exactly("openspiel: games of breakthrough_6x5", 117)
    assert row["mismatches"] == 0


def test_the_guide_s_game_is_played(guide):
    shown = printed(
        guide,
        *("play", "mini_breakthrough:game:players=2", "--agent", "mcts:simulations=50"),
        *("--agent", "random", "--seed", 1),
    )
    assert "6 x x x x x\n5 x x x x x\n4 . . . . .\n" in shown
    assert re.search(r"player_0 plays [a-e]5[a-e]4\n", shown)


# -- entry points


def install(place, name, points, version="1.0"):
    """Make a folder look as if a distribution were installed in it."""
    info = place / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    )
    (info / "entry_points.txt").write_text(f"[mcts_agents.games]\n{points}\n")


def test_distributions_register_games(importable, tmp_path, monkeypatch):
    install(tmp_path, "heaps-dist", "heaps3 = heaps:game\nhex = heaps:rules")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert known_games()[-1] == "heaps3"
    assert load_game("heaps3") is load_game("heaps:game")
    assert load_game("hex").title == "Hex"  # the package's own wins
    assert make_model("heaps3:players=2")[0].title == "Three Heaps"
    with named_in_file("the file"):  # was installed, so it is trusted
        assert load_game("heaps3").title == "Three Heaps"
    with pytest.raises(ValueError, match=r"'heaps33': did you mean heaps3\? known"):
        load_game("heaps33")


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ("stones = heaps", r"by heaps-dist 1.0 \(heaps\): expected module:object"),
        (
            "stones = heaps:rulez",
            r"game 'stones' of heaps-dist 1.0 \(heaps:rulez\): 'heaps:rulez': there "
            "is no object 'rulez'",
        ),
    ],
)
def test_registered_games_that_cannot_be_loaded(
    importable, tmp_path, monkeypatch, points, message
):
    install(tmp_path, "heaps-dist", points)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ValueError, match=message):
        load_game("stones")


def test_two_registrations_of_one_name_are_an_error_that_names_both(
    importable, tmp_path, monkeypatch
):
    install(tmp_path / "a", "one", "stones = heaps:game\npebbles = heaps:game")
    install(tmp_path / "b", "two", "stones = heaps:rules", version="2.0")
    monkeypatch.syspath_prepend(str(tmp_path / "a"))
    monkeypatch.syspath_prepend(str(tmp_path / "b"))
    with pytest.raises(ValueError, match="'stones' is registered twice") as caught:
        load_game("stones")
    assert "one 1.0 (heaps:game)" in str(caught.value)
    assert "two 2.0 (heaps:rules)" in str(caught.value)
    assert load_game("pebbles").title == "Three Heaps"


# -- what rules alone give


def test_grids_are_shown_line_by_line(importable):
    model = make_model("heaps:rules")[1]
    game = load_game("heaps:rules")
    state = model.reset(np.ones(2, np.uint64))
    assert game.ansi(model, state, None) == "heaps  3 5 7\nturn   0"
    assert game.format_action(model, 12) == "12"


def test_parts_that_are_given_take_the_place_of_defaults(importable):
    rules = load_game("heaps:rules").rules
    game = game_from_rules(
        rules,
        ansi=lambda model, state, observer: "heaps",
        format_action=lambda model, action: f"take {action}",
    )
    model = rules.model()
    assert game.parse_action(model, "take 20") == 20
    with pytest.raises(ValueError, match="'take 21': expected a move such as take"):
        game.parse_action(model, "take 21")
    with pytest.raises(TypeError, match="tittle"):
        game_from_rules(rules, tittle="Nim")
