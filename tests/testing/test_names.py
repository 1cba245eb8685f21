"""Names of actions: what `check_rules`, `verify` and people at a terminal are told."""

import os
import subprocess

import pytest

from examples.new_game import rules as nim
from mcts_agents.envs import Game, game_from_rules
from mcts_agents.model import GameError
from mcts_agents.testing import CheckError, check_rules
from tests.command import COMMAND
from tests.test_own_games import NIM

LAST = nim.model().actions - 1
ONE_GAME = {"episodes": 1, "moves": 5}


def named(format_action, **parts):
    return game_from_rules(nim, format_action=format_action, **parts)


def failing(model, action):
    return "abcdefghijklmnopqrstuvwxyz"[: model.actions - 1][action]


def test_names_that_differ_pass():
    report = check_rules(named(lambda model, action: f"take {action}"), **ONE_GAME)
    assert report.checked["legal actions have different names"] > 0
    assert report.checked["parse_action reads what format_action writes"] > 0
    assert "names of actions" in check_rules(nim, **ONE_GAME).skipped


@pytest.mark.parametrize("game", ["tictactoe", "hex:size=3"])
def test_games_of_the_package_pass_by_name(game):
    report = check_rules(game, **ONE_GAME)
    assert report.checked["parse_action reads what format_action writes"] > 0


def test_two_legal_actions_of_one_name():
    message = r"actions (\d+) and (?!\1)\d+, both legal now, are both named c5"
    with pytest.raises(CheckError, match=message):
        check_rules(named(lambda model, action: "c5"), **ONE_GAME)


def test_a_name_that_an_action_has_which_is_not_legal():
    # Of the heap of three stones nobody can take four.
    game = named(lambda model, action: str(2 if action == 3 else action))
    message = "nim: actions 2 and 3 are both named 2; `format_action` must name each"
    with pytest.raises(CheckError, match=message):
        check_rules(game)
    with pytest.raises(GameError, match=message):
        game.parse_action(nim.model(), "2")
    assert game.parse_action(nim.model(), "0") == 0


def test_a_name_that_is_read_as_something_else():
    game = named(
        lambda model, action: f"m{action}", parse_action=lambda model, text: 99
    )
    with pytest.raises(CheckError, match=r"`parse_action` read 'm0', .* as 99"):
        check_rules(game, **ONE_GAME)


def test_a_function_that_fails_for_an_action_that_is_never_legal():
    game = named(failing)
    assert isinstance(game, Game)
    line = failing.__code__.co_firstlineno + 1
    message = (
        f"nim: `format_action` raised IndexError for action {LAST} "
        rf"\(test_names.py, line {line}\)"
    )
    for call in (
        lambda: game.format_action(nim.model(), LAST),
        lambda: game.parse_action(nim.model(), "a"),
    ):
        with pytest.raises(GameError, match=message) as failed:
            call()
        assert "\n" not in str(failed.value)
    with pytest.raises(CheckError, match=message):
        check_rules(game, **ONE_GAME)


def test_the_command_line_says_it_in_one_line(tmp_path):
    more = (
        "from mcts_agents.envs import game_from_rules\n"
        "def name(model, action):\n"
        "    return 'abc'[action]\n"
        "game = game_from_rules(rules, format_action=name)\n"
    )
    (tmp_path / "heaps.py").write_text(f"{NIM.read_text()}\n{more}")
    asked = ["play", "heaps:game", "--agent", "human", "--agent", "random"]
    found = subprocess.run(
        [*COMMAND, *asked],
        input="a\n",
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 2
    (line,) = [ln for ln in found.stderr.splitlines() if "Compiling" not in ln]
    assert line.startswith(
        "mcts-agents: nim: `format_action` raised IndexError for action 3 (heaps.py, "
    )
