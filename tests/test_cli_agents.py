"""The command line: `tree`, and agents from files."""

import json
import re

import pytest

from mcts_agents.agents import OneStepAgent
from mcts_agents.cli.requests import RequestError
from mcts_agents.cli.tree import _play
from tests.command import run


def test_tree_shows_the_most_visited_actions_first():
    shown = run(
        "tree", "hex:size=4", "--agent", "mcts:simulations=300", "--moves", "b2 c3",
        "--depth", "2", "--actions", "3",
    )  # fmt: skip
    assert shown.returncode == 0
    assert shown.stderr == "" or shown.stderr.startswith(("Compiling", "Waiting"))
    lines = shown.stdout.splitlines()
    assert "player_0 plays" in shown.stdout
    assert "300 visits" in lines
    top = [line for line in lines if line.startswith(("├── ", "└── "))]
    visits = [int(line.partition(" visits")[0].split()[-1]) for line in top]
    assert len(top) == 4
    assert visits[:3] == sorted(visits[:3], reverse=True)
    assert "and 11 more" in top[-1]
    assert sum(visits) == 300
    assert any(line.startswith("│   ├── player 1: ") for line in lines)
    assert max(len(line) for line in lines) <= 80


def test_tree_as_json_and_dot(run_here, tmp_path):
    command = ["tree", "sushi_go", "--players", "3", "--agent", "one-step:samples=4"]
    tree = json.loads(run_here(*command, "--format", "json", "--depth", "1").stdout)
    assert list(tree) == [
        "game", "players", "seed", "agent", "moves", "player", "action", "name", "tree",
    ]  # fmt: skip
    actions = tree["tree"]["bandits"][0]["actions"]
    assert all(action["visits"] == 4 for action in actions)
    assert tree["name"] in [action["name"] for action in actions]
    assert tree["tree"]["children"] == []
    path = tmp_path / "tree.dot"
    done = run_here(
        "tree", "tictactoe", "--moves", "b2,a1", "--format", "dot", "--depth", "1",
        "--output", str(path),
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
    assert path.read_text().startswith("digraph search {")
    assert path.read_text().count("->") == 7
    again = run_here(*command, "--format", "json", "--depth", "1")
    assert json.loads(again.stdout) == tree


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--moves", "b2,b2"], "move 2, 'b2': not legal for player_1"),
        (["--moves", "b2 z9"], "move 2, 'z9': "),
        (["--moves", "a1 a2 b1 b2 c1"], "the game is over after a1 a2 b1 b2 c1"),
        (["--moves", "a1 a2 b1 b2 c1 c2"], "move 6, 'c2': the game is already over"),
        (["--moves", "a1 b1 c1 a2 b2 a3 c2 c3"], "only one legal move, b3, so"),
        (["--agent", "random"], "tree needs an agent that searches"),
        (["--agent", "pimc"], "nothing is hidden"),
        (["--depth", "0"], "--depth"),
        (["--format", "svg"], "'text', 'dot', 'json'"),
        (["--output", "no/such/folder/file"], "cannot be written"),
    ],
)
def test_tree_says_what_is_wrong(run_here, arguments, words):
    done = run_here("tree", "tictactoe", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


class Hand:
    """A table at which each card of a hand can be played once, in any order."""

    def __init__(self, *names):
        self.names, self.left = names, list(range(len(names)))

    def turn(self):
        return 0

    def legal_actions(self):
        return self.left[:]

    def name(self, action):
        return self.names[action]

    def action_of(self, text):
        if text not in self.names:
            raise ValueError(f"expected one of {', '.join(self.names)}")
        return self.names.index(text)

    def step(self, action):
        self.left.remove(action)


CARDS = ("red 5", "red", "draw", "punch player_1 left, drops purse")


@pytest.mark.parametrize(
    ("moves", "played"),
    [
        ("red 5", CARDS[:1]),
        (" draw\tred 5  red ", ("draw", "red 5", "red")),
        ("red, red 5 ,draw", ("red", "red 5", "draw")),
        (CARDS[3], CARDS[3:]),
        (f"draw,{CARDS[3]}, red", ("draw", CARDS[3], "red")),
        (f"red 5 {CARDS[3]} draw", ("red 5", CARDS[3], "draw")),
    ],
)
def test_moves_may_have_spaces_and_commas(moves, played):
    assert _play(Hand(*CARDS), moves) == list(played)


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ("draw blue 5", "move 2, 'blue': expected one of red 5, red, draw, punch"),
        ("draw, blue 5", "move 2, 'blue 5': expected one of red 5, red, draw, punch"),
        ("draw redder", "move 2, 'redder': expected one of"),
        ("draw draw", "move 2, 'draw': not legal for player_0"),
        ("draw,,red", "move 2, '': expected one of"),
    ],
)
def test_a_move_that_is_none_is_named(moves, words):
    with pytest.raises(RequestError, match=f"^{re.escape(words)}"):
        _play(Hand(*CARDS), moves)


def test_agents_come_from_files_wherever_a_spec_is_taken(run_here, tmp_path):
    path = tmp_path / "agent.yaml"
    path.write_text("{agent: mcts, tree: multi, simulations: 30}")
    played = run_here("play", "tictactoe", "--agent", str(path), "--json")
    assert json.loads(played.stdout)["agents"] == [str(path)] * 2
    measured = run_here("bench", "tictactoe", "--agent", f"{path}:tree=one", "--json")
    assert json.loads(measured.stdout)["simulations"] == 30
    path.write_text("{agent: mcts, tree: many}")
    for command in ("play", "bench", "tree"):
        refused = run_here(command, "tictactoe", "--agent", str(path))
        assert refused.returncode == 2
        assert f"{path}: tree='many': expected one of one, self" in refused.stderr


MEMORY = "mcps:memory=1,simulations=1000000"


@pytest.mark.parametrize(
    "arguments",
    [
        ["play", "hex:size=4", "--agent", MEMORY, "--agent", "random"],
        ["tree", "hex:size=4", "--agent", MEMORY],
        ["bench", "hex:size=4", "--agent", "mcps:memory=1", "--simulations", "1000000"],
        # It is known after a playout that the next ones have no room.
        ["play", "video_game", "--agent", "mcps:memory=1,seconds=0.05"],
    ],
)
def test_a_search_that_refuses_to_begin_is_one_line(run_here, arguments):
    done = run_here(*arguments)
    assert done.returncode == 2
    told = done.stderr.strip().splitlines()[-1]
    assert told.startswith("mcts-agents: memory=1: ")
    assert "Traceback" not in done.stderr


class Broken(OneStepAgent):
    """An agent with a mistake, of somebody who wants to know where it is."""

    def search(self, *position, **options):
        return int("no number")


@pytest.mark.parametrize("command", ["play", "tree", "bench"])
def test_mistakes_in_an_agent_of_somebody_keep_their_traceback(run_here, command):
    with pytest.raises(ValueError, match="invalid literal for int"):
        run_here(command, "tictactoe", "--agent", f"{__name__}:Broken")
