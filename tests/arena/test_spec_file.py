"""Tournaments in YAML: errors name the file, the line and the key."""

import re

import pytest

from mcts_agents.arena.tournaments.schedule import Schedule
from mcts_agents.arena.tournaments.spec_file import SpecFile
from mcts_agents.arena.tournaments.spec_values import SettingError

GOOD = """\
games:
  - game: sushi_go
    players: [2, 3]
    search: {tree: multi}
  - hex:size=3
agents:
  strong: mcts:rollout=5
  weak: random
budgets: [10, 20ms]
design: round-robin
games_each: 6
seed: 3
"""


@pytest.fixture
def refused(tmp_path):
    """Return what is said of a text, without the name of the file before it."""

    def read(text, **instead):
        path = tmp_path / "tournament.yaml"
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=r".") as error:
            SpecFile(str(path)).spec(**instead)
        message = str(error.value)
        assert message.startswith(str(path))
        assert "\n" not in message
        return message.removeprefix(str(path))

    return read


def test_a_whole_file_is_read(tmp_path):
    path = tmp_path / "tournament.yaml"
    path.write_text(GOOD)
    spec = SpecFile(str(path)).spec()
    assert [str(setting) for setting in spec.settings()] == [
        "sushi_go, 2 players, 10",
        "sushi_go, 2 players, 20ms",
        "sushi_go, 3 players, 10",
        "sushi_go, 3 players, 20ms",
        "hex:size=3, 2 players, 10",
        "hex:size=3, 2 players, 20ms",
    ]
    assert (spec.games_each, spec.seed, spec.design) == (6, 3, "round-robin")
    strong, weak = spec.entrants(spec.settings()[0])
    assert strong.mapping() == {
        "agent": "mcts", "simulations": 10, "tree": "multi", "rollout": 5,
    }  # fmt: skip
    assert weak.mapping() == {"agent": "random"}
    changed = SpecFile(str(path)).spec(games_each=9, seed=4)
    assert (changed.games_each, changed.seed) == (9, 4)


# A line of the good file, what stands there instead, and what is said.
WRONG = [
    ("seed: 3", "sed: 3", ", line 12, sed: unknown key 'sed': did you mean seed?"),
    ("seed: 3", "seed: -3", ", line 12, seed: input should be greater"),
    ("seed: 3", "seed: 2020-11-05", ", line 12, seed: expected a whole number"),
    ("seed: 3", "seed: 2020-13-45", ": line 12, column 7: '2020-13-45' is not"),
    ("seed: 3", "seed: !!bool x", ": line 12, column 7: 'x' is not a valid bool"),
    ("seed: 3", "seed: !!timestamp x", ": line 12, column 7: 'x' is not a valid time"),
    ("seed: 3", "seed: !!int ''", ": line 12, column 7: '' is not a valid int"),
    ("seed: 3", "seed:", ", line 12, seed: expected a whole number, not None"),
    ("seed: 3", "games_each: 3", ": line 12, column 1: 'games_each' is given twice"),
    ("seed: 3", "3: seed", ", line 12: unknown key '3'"),
    ("seed: 3", "null: seed", ", line 12: unknown key 'null'"),
    ("seed: 3", "? [1, 2]\n: 3", ": line 12, column 3: found unhashable key"),
    ("seed: 3", "seed: {3", ": line 13, column 1: expected ',' or '}'"),
    ("seed: 3", "seed: *no", ": line 12, column 7: found undefined alias 'no'"),
    ("seed: 3", "---\nseed: 3", ": line 12, column 1: but found another document"),
    ("seed: 3", "seed: \x07", ": line 12: special characters are not allowed"),
    ("seed: 3", "field: random", ", line 12, field: names the agent in all other"),
    ("games_each: 6", "games_each: yes", ", line 11, games_each: expected a whole"),
    ("design: round-robin", "design: [robin]", ", line 10, design: input should be"),
    ("budgets: [10, 20ms]", "budgets: [10, 20m]", ", line 9, budgets.1: budget '20m'"),
    ("budgets: [10, 20ms]", "budgets: {}", ", line 9, budgets.0: expected text, not"),
    ("    players: [2, 3]", "    players: [2, 7]", ", line 3, games.0.players: playe"),
    ("    players: [2, 3]", "    players: [2, x]", ", line 3, games.0.players.1: exp"),
    ("    players: [2, 3]", "    plyers: 2", ", line 3, games.0.plyers: unknown key"),
    ("  - game: sushi_go", "  - game: sushi_stop", ", line 2, games.0.game: unknown"),
    ("  - game: sushi_go", "  -", ", line 3, games.0.game: this key is missing"),
    ("  - hex:size=3", "  - hexx", ", line 5, games.1.game: unknown game 'hexx'"),
    ("  - hex:size=3", "  - 3", ", line 5, games.1: expected the name of a game"),
    ("  - hex:size=3", "  -", ", line 5, games.1: expected the name of a game"),
    ("    search: {tree: multi}", "    search: 7", ", line 4, games.0.search: 7: exp"),
    (
        "    search: {tree: multi}",
        "    search:\n      simulations: 3",
        ", line 5, games.0.search.simulations: simulations=3 sets a budget",
    ),
    ("  weak: random", "  weak: mtcs", ", line 8, agents.weak: unknown agent 'mtcs'"),
    ("  weak: random", "  weak:", ", line 8, agents.weak: None: expected a spec"),
    ("  weak: random", "  weak: mcts:seed=3", ", line 8, agents.weak: seed=3:"),
    ("  weak: random", "  strong: random", ": line 8, column 3: 'strong' is given"),
    ("  weak: random", "  yes: random", ", line 6, agents: True is not the name"),
    ("  weak: random", "  weak: no.yaml", ", line 8, agents.weak: "),
]


@pytest.mark.parametrize(("line", "instead", "said"), WRONG, ids=[w[1] for w in WRONG])
def test_what_is_wrong_is_named_with_its_line(refused, line, instead, said):
    assert f"{line}\n" in GOOD
    assert refused(GOOD.replace(f"{line}\n", f"{instead}\n")).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ", line 1: expected a mapping with the keys games, agents, field"),
        ("# nothing\n", ", line 1: expected a mapping"),
        ("- tictactoe\n", ", line 1: expected a mapping"),
        ("tictactoe", ", line 1: expected a mapping"),
        ("seed: 3\n", ", line 1, games: this key is missing; "),
        ("games: 3\nagents: [random]\n", ", line 1, games.0: expected the name of"),
        ("games: hex\nagents: 5\n", ", line 2, agents: expected a list of agents"),
        ("games: hex\nagents:\n", ", line 2, agents: expected a list of agents"),
        ("games: hex\nagents: []\n", ", line 2, agents: expected at least one"),
        ("games: &x [*x]\nagents: [random]\n", ": line 1, column 12: it contains itse"),
        ("games: " + "[" * 5000 + "]" * 5000, ": line 1, column 39: nested more than"),
        (b"\xff\xfe\x00\x01", ": cannot be read: it is not text"),
        (b"SQLite format 3\x00", ": line 1: special characters are not allowed"),
    ],
    ids=range(13),
)
def test_what_is_no_tournament_is_refused(refused, text, said):
    assert refused(text).startswith(said)


def test_an_agent_in_a_list_is_named_with_its_own_line(refused):
    text = "games: hex\nagents:\n  - random\n  - x=mtcs\n  - {agent: mcts, tree: y}\n"
    said = refused(text)
    assert ", line 4, agents.x: unknown agent 'mtcs'" in said
    assert ', line 5, agents.{"agent": "mcts", "tree": "y"}: tree=\'y\'' in said
    assert refused("games: hex\nagents: [random, random]\n").startswith(
        ", line 2, agents: two agents have the name 'random'"
    )
    dated = "games: hex\nagents:\n- {agent: mcts, tree: 2020-01-01}\n"
    assert refused(dated).startswith(", line 3, agents.")


@pytest.mark.parametrize(
    "tag", ["!!python/object/apply:pathlib.Path.touch", "!!python/name:os.getcwd"]
)
def test_nothing_in_a_file_is_executed(refused, tmp_path, tag):
    touched = tmp_path / "touched"
    argument = f' ["{touched}"]' if "apply" in tag else " ''"
    for text in (f"{GOOD}field: {tag}{argument}\n", f"{tag}{argument}\n"):
        assert "could not determine a constructor" in refused(text)
    assert not touched.exists()


def test_files_of_agents_are_in_the_folder_of_the_file(tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "agent.yaml").write_text("agent: mcts\nsimulations: 7\n")
    (folder / "other.json").write_text('{"agent": "agent.yaml", "tree": "multi"}')
    (folder / "t.yaml").write_text(
        "games: {game: tictactoe, search: agent.yaml}\n"
        "agents: {a: agent.yaml, b: 'agent.yaml:simulations=9', c: other.json}\n"
        "design: one-against-field\nfield: agent.yaml\n"
    )
    (folder / "list.yaml").write_text(
        "games: tictactoe\nagents: [agent.yaml, x=agent.yaml, 'other.json:tree=self']\n"
    )
    for name, place in (("t.yaml", folder), (f"{folder}/t.yaml", "/")):
        monkeypatch.chdir(place)
        spec = SpecFile(name).spec()
        entrants = {e.name: e.mapping() for e in spec.entrants(spec.settings()[0])}
        assert {n: e["simulations"] for n, e in entrants.items()} == {
            "a": 7,
            "b": 9,
            "c": 7,
        }
        assert entrants["c"]["tree"] == "multi"
        assert spec.games[0].search == {"simulations": 7}
        assert spec.field["simulations"] == 7
    spec = SpecFile(f"{folder}/list.yaml").spec()
    entrants = {e.name: e.mapping() for e in spec.entrants(spec.settings()[0])}
    # Names are as they were written, wherever the file is read from.
    assert list(entrants) == ["agent.yaml", "x", "other.json:tree=self"]
    assert {e["simulations"] for e in entrants.values()} == {7}
    assert entrants["other.json:tree=self"]["tree"] == "self"


def test_options_of_games_are_no_files(tmp_path):
    path = tmp_path / "t.yaml"
    game = "tests.test_environment_games:old_dice:file=maze.json"
    for games in (f"['{game}']", f"{{game: '{game}'}}", f"[{{game: '{game}'}}]"):
        path.write_text(f"games: {games}\nagents: [random, other=random]\n")
        with pytest.raises(ValueError, match="old_dice") as found:
            SpecFile(str(path)).spec()
        assert not re.search("expected text|unknown key", str(found.value))


def test_a_file_of_an_agent_that_is_wrong_is_named_too(tmp_path):
    (tmp_path / "agent.yaml").write_text("agent: mcts\ntree: x\n")
    path = tmp_path / "t.yaml"
    path.write_text("games: hex\nagents:\n  a: agent.yaml\n")
    with pytest.raises(ValueError, match="tree='x'") as error:
        SpecFile(str(path)).spec()
    assert str(error.value).startswith(f"{path}, line 3, agents.a: {tmp_path}/agent.y")


def test_what_cannot_be_read_is_named(tmp_path):
    for path, why in (
        (tmp_path / "none.yaml", "No such file or directory"),
        (tmp_path, "this is a folder"),
        (tmp_path / ("n" * 300), "File name too long"),
    ):
        with pytest.raises(ValueError, match=why) as error:
            SpecFile(str(path))
        assert str(error.value).startswith(f"{path}: cannot be read: ")


def test_settings_are_told_with_the_line_of_the_agent(tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text(GOOD.replace("mcts:rollout=5", "mcts:simulations=5"))
    file = SpecFile(str(path))
    with pytest.raises(SettingError) as error:
        Schedule(file.spec())
    assert file.told(error.value).startswith(f"{path}, line 7, agents.strong: strong ")


def test_what_was_given_beside_the_file_is_not_blamed_on_it(tmp_path):
    path = tmp_path / "t.yaml"
    path.write_text(GOOD.replace("round-robin", "all-seats"))
    file = SpecFile(str(path))
    with pytest.raises(SettingError) as error:
        Schedule(file.spec(games_each=7))
    assert file.told(error.value).startswith("games_each: games_each=7: ")
    with pytest.raises(ValueError, match=r"^seed: input should be greater"):
        file.spec(seed=-1)
