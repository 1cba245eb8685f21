"""No agent's decision depends on what its player may not know.

Through the real environments: the hidden part of the live state is permuted by code
that knows nothing of `redeterminise`, and for a fixed seed every agent must decide the
same. A game with hidden information that has no such test here fails the last one.
"""

import random

import pytest

from mcts_agents import make_agent
from mcts_agents.envs import GAMES, load_game
from mcts_agents.envs.environment import environments
from tests.envs import diamant_positions, sushi_go_positions

AGENTS = [
    "mcts:tree=multi,simulations=300",
    "mcts:tree=one,simulations=300",
    "mcts:tree=self,information=perfect,simulations=300",
    "mcts:paranoid=true,simulations=300,final=value",
    "one-step",
    "random",
]
# What changes the hidden part of a game's state, and players to test with.
PERMUTED = {
    "sushi_go": sushi_go_positions.permute_hidden,
    "diamant": diamant_positions.permute_hidden,
}
TABLES = [
    *[("sushi_go", players) for players in (2, 4, 5)],
    *[("diamant", players) for players in (3, 6)],
]
WORLDS = 6


def environment_after(name, players, decisions):
    """An environment some random decisions into a game."""
    raw_env, _, _ = environments(load_game(name))
    env = raw_env(players=players)
    env.reset(seed=players)
    chooser = make_agent("random", seed=players)
    for _ in range(decisions):
        env.step(chooser.act(env))
    return env


@pytest.mark.parametrize("spec", AGENTS)
@pytest.mark.parametrize(("game", "players"), TABLES)
@pytest.mark.parametrize("decisions", [0, 7, 21])
def test_decisions_do_not_depend_on_what_is_hidden(spec, game, players, decisions):
    env = environment_after(game, players, decisions)
    name = env.agent_selection
    observer = env.possible_agents.index(name)
    before = env.observe(name)["observation"].tolist()
    original = env._state.copy()
    decided, worlds = set(), set()
    for seed in range(WORLDS):
        permute = PERMUTED[game]
        permute(env.forward_model, env._state, observer, random.Random(seed))
        worlds.add(env._state.tobytes())
        assert env.observe(name)["observation"].tolist() == before
        decided.add(make_agent(spec, seed=3).act(env))
    assert len(worlds) == WORLDS  # the true worlds did differ
    assert len(decided) == 1
    assert original.tobytes() not in worlds


@pytest.mark.parametrize("game", PERMUTED)
def test_values_do_not_depend_on_what_is_hidden(game):
    env = environment_after(game, 4, 2)
    observer = env.possible_agents.index(env.agent_selection)
    found = []
    for seed in range(WORLDS):
        permute = PERMUTED[game]
        permute(env.forward_model, env._state, observer, random.Random(seed))
        result = make_agent("mcts:simulations=500", seed=3).plan(env)
        found.append((result.visits.tolist(), result.values.tolist()))
    assert all(one == found[0] for one in found)


def test_every_game_with_hidden_information_is_tested_here():
    hidden = {
        name for name in GAMES if load_game(name).rules.model().hidden_information
    }
    assert hidden == set(PERMUTED)
