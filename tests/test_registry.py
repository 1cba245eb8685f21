"""Games are found by name: in PettingZoo's registries, and by specs."""

import subprocess
import sys
import warnings

import pettingzoo
import pytest

import mcts_agents.envs as envs
from mcts_agents.envs import GAMES, load_game, make_model, register_all

register_all()


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("api", ["aec", "parallel"])
def test_registered_environments_are_those_of_the_modules(name, api):
    env = pettingzoo.make(api, f"mcts_agents/{name}-v0")
    kind = pettingzoo.AECEnv if api == "aec" else pettingzoo.ParallelEnv
    assert isinstance(env, kind)
    game = load_game(name)
    assert env.unwrapped.game is game is getattr(envs, name).GAME
    assert game.name == name
    registered = pettingzoo.spec(api, f"mcts_agents/{name}")
    assert registered.version == game.version


def test_keywords_and_render_modes_go_through_make():
    env = pettingzoo.make("parallel", "mcts_agents/sushi_go-v0", players=3)
    assert len(env.possible_agents) == 3
    env = pettingzoo.make("aec", "mcts_agents/tictactoe-v0", render_mode="ansi")
    env.reset()
    assert env.render().endswith("X to move")


def test_importing_the_package_registers_and_imports_no_game():
    code = """
import sys
import mcts_agents
import pettingzoo
names = [i for i in pettingzoo.aec_registry if i.startswith("mcts_agents/")]
from mcts_agents.envs import GAMES
assert len(names) == len(GAMES), names
assert names == [i for i in pettingzoo.parallel_registry if "mcts_agents/" in i]
loaded = [m for m in sys.modules if m.startswith("mcts_agents.envs.")]
assert not {m.rpartition(".")[2] for m in loaded} & set(GAMES), loaded
assert "pygame" not in sys.modules
from mcts_agents.model.compilation import statistics
found = statistics()
assert found.cache_hits == found.cache_misses == found.uncached == 0, found
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_registering_again_changes_nothing_and_does_not_warn():
    before = dict(pettingzoo.aec_registry)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register_all()
    assert before == pettingzoo.aec_registry


def test_unknown_games_get_the_nearest_names():
    with pytest.raises(
        ValueError, match=r"unknown game 'sushi': did you mean sushi_go"
    ):
        load_game("sushi")
    with pytest.raises(ValueError, match="known: tictactoe, hex, sushi_go"):
        load_game("go-moku-narabe")
    with pytest.raises(AttributeError, match="no attribute 'chess'"):
        envs.chess  # noqa: B018


def test_specs_choose_variants():
    game, model = make_model("hex:size=5")
    assert (game.name, model.actions, model.players) == ("hex", 25, 2)
    assert make_model("sushi_go", players=3)[1].players == 3
    assert make_model("sushi_go:players=3")[1].players == 3
    assert make_model("sushi_go:players=3", players=3)[1].players == 3
    assert make_model("tictactoe")[1].actions == 9


@pytest.mark.parametrize(
    ("spec", "players", "message"),
    [
        ("hexx", None, "unknown game 'hexx': did you mean hex"),
        ("hex:sise=5", None, "unknown option of hex 'sise': did you mean size"),
        ("hex:size", None, "expected option=value, not 'size'"),
        ("hex:size=5,size=6", None, "'size' is given twice"),
        ("hex:size=2", None, "size=2"),
        ("hex:size=big", None, "big"),
        ("hex:size=none", None, "size=none|None"),
        ("sushi_go:players=9", None, "players=9: sushi_go is for 2 to 5 players"),
        ("sushi_go:players=3", 4, "sets players=3, but players=4 was also given"),
        ("sushi_go", 1, "players=1: sushi_go is for 2 to 5 players"),
        ("tictactoe", 3, "players=3: tictactoe is for 2 players"),
    ],
)
def test_bad_specs(spec, players, message):
    with pytest.raises(ValueError, match=message):
        make_model(spec, players)
