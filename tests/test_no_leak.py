"""No agent's decision depends on what its player may not know.

Through the real environments: the hidden part of the live state is permuted by code
that knows nothing of `redeterminise`, and for a fixed seed every agent must decide the
same. A game with hidden information that has no such test here fails the last one.
"""

import random

import numpy as np
import pytest

from mcts_agents import make_agent
from mcts_agents.envs import GAMES, load_game
from mcts_agents.envs.environment import environments
from tests.envs import (
    colt_express_positions,
    diamant_positions,
    dominion_positions,
    exploding_kittens_positions,
    love_letter_positions,
    poker_positions,
    pommerman_fog,
    pommerman_positions,
    sushi_go_positions,
    uno_positions,
    virus_positions,
)

AGENTS = [
    "mcts:tree=multi,simulations=300",
    "mcts:tree=one,simulations=300",
    "mcts:tree=self,information=perfect,simulations=300",
    "mcts:paranoid=true,simulations=300,final=value",
    "mcts:tree=observers,opponent_information=separate,simulations=300",
    "mcts:determinizations=4,simulations=300",
    "mcts:loop=sampled,tree=self,simulations=300",
    "mcts:tree_policy=regret_matching,simulations=300",
    "mcts:action_heuristic=game,widening=2,simulations=300",
    "mcts:rollout_policy=mast,rollout=30,reuse_tree=true,tree=multi,simulations=300",
    "mcps:simulations=200",
    "grave:simulations=200",
    "one-step",
    "random",
]
FOG_AGENTS = [
    "mcts:tree=multi,simulations=200",
    "mcts:tree=self,simulations=200",
    "mcts:tree=observers,simulations=200",
    "mcts:determinizations=4,simulations=200",
    "mcps:simulations=100",
]
PERMUTED = {
    "sushi_go": sushi_go_positions.permute_hidden,
    "love_letter": love_letter_positions.permute_hidden,
    "colt_express": colt_express_positions.permute_hidden,
    "diamant": diamant_positions.permute_hidden,
    "dominion": dominion_positions.permute_hidden,
    "exploding_kittens": exploding_kittens_positions.permute_hidden,
    "poker": poker_positions.permute_hidden,
    "uno": uno_positions.permute_hidden,
    "virus": virus_positions.permute_hidden,
    "pommerman": pommerman_positions.permute_hidden,
}
# Game, number of players, random decisions before the one that is looked at.
POSITIONS = [
    *(("sushi_go", players, n) for players in (2, 4, 5) for n in (0, 7, 21)),
    *(("love_letter", players, n) for players in (2, 3, 4) for n in (0, 7, 13)),
    *(("colt_express", players, n) for players in (2, 5) for n in (5, 33)),
    *(("diamant", players, n) for players in (3, 6) for n in (0, 7, 21)),
    *(("dominion", players, n) for players in (2, 4) for n in (21, 120)),
    *(("exploding_kittens", players, n) for players in (2, 5) for n in (7, 21)),
    *(("poker", players, n) for players, n in ((2, 2), (6, 2), (6, 7))),
    *(("uno", players, n) for players in (2, 10) for n in (2, 45)),
    *(("virus", players, n) for players in (2, 6) for n in (2, 33)),
    *(("pommerman", players, n) for players in (2, 4) for n in (0, 21)),
]
WORLDS = 6


def after(game, players, decisions):
    """An environment some random decisions into a game."""
    raw_env, _, _ = environments(load_game(game))
    env = raw_env(players=players)
    env.reset(seed=players)
    chooser = make_agent("random", seed=players)
    for _ in range(decisions):
        env.step(chooser.act(env))
    return env


def other_worlds(game, env):
    """Let the live state be one world after another that its player cannot tell."""
    name = env.agent_selection
    observer = env.possible_agents.index(name)
    before = env.observe(name)["observation"].tolist()
    worlds = {env._state.tobytes()}
    for seed in range(WORLDS):
        PERMUTED[game](env.forward_model, env._state, observer, random.Random(seed))
        worlds.add(env._state.tobytes())
        assert env.observe(name)["observation"].tolist() == before
        yield
    assert len(worlds) == WORLDS + 1  # the true worlds did differ


@pytest.mark.parametrize("spec", AGENTS)
@pytest.mark.parametrize(("game", "players", "decisions"), POSITIONS)
def test_decisions_do_not_depend_on_what_is_hidden(game, players, decisions, spec):
    env = after(game, players, decisions)
    if "=game" in spec and not env.forward_model.has("action_values"):
        pytest.skip(f"{game} has no function `action_values`")
    decided = {make_agent(spec, seed=3).act(env) for _ in other_worlds(game, env)}
    assert len(decided) == 1


@pytest.mark.parametrize(
    ("game", "players", "decisions"),
    [
        ("sushi_go", 4, 2),
        ("love_letter", 3, 5),
        ("colt_express", 4, 8),
        ("diamant", 4, 2),
        ("dominion", 3, 30),
        ("exploding_kittens", 3, 5),
        ("poker", 4, 3),
        ("uno", 4, 8),
        ("virus", 4, 8),
        ("pommerman", 4, 8),
    ],
)
def test_values_do_not_depend_on_what_is_hidden(game, players, decisions):
    env = after(game, players, decisions)
    found = []
    for _ in other_worlds(game, env):
        result = make_agent("mcts:simulations=500", seed=3).plan(env)
        # Bytes: an action that was never tried has no value, and NaN equals nothing.
        found.append((result.visits.tolist(), result.values.tobytes()))
    assert all(one == found[0] for one in found)


@pytest.mark.parametrize("options", [{"mode": "team", "fog": True}, {"mode": "radio"}])
def test_decisions_do_not_depend_on_what_lies_in_the_fog(options):
    raw_env, _, _ = environments(load_game("pommerman"))
    env = raw_env(**options)
    env.reset(seed=1)
    chooser, numbers = make_agent("random", seed=2), np.random.default_rng(3)
    for _ in range(12):
        for _ in range(5):
            env.step(chooser.act(env))
        if not env.agents or not env._movers:
            env.reset()
        player = env.possible_agents.index(env.agent_selection)
        decided = set()
        truth = env._state
        for spec in FOG_AGENTS:
            for _ in range(3):
                env._state = truth.copy()
                pommerman_fog.change_unseen(
                    env.forward_model, env._state, player, numbers
                )
                decided.add((spec, make_agent(spec, seed=3).act(env)))
        env._state = truth
        assert len(decided) == len(FOG_AGENTS)


def test_every_game_with_hidden_information_is_tested_here():
    hidden = {name for name in GAMES if load_game(name).rules.has("redeterminise")}
    assert hidden == set(PERMUTED)
