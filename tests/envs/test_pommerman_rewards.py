"""The official rewards of Pommerman's environments, against recorded games."""

import copy
import json
import pickle
import warnings
from functools import cache

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test

from mcts_agents.envs import hex, pommerman
from mcts_agents.envs.pommerman.archives import (
    read_arrays,
    recorded_actions,
    recorded_position,
)
from mcts_agents.envs.pommerman.layout import BOMB, BOMB_LIFE, new_bomb
from mcts_agents.envs.pommerman.official import OFFICIAL, set_position
from tests.envs.test_environments import UNAVOIDABLE
from tests.golden import golden_folder

VARIANTS = {"ffa": {}, "team": {"mode": "team", "fog": True}, "two": {"players": 2}}
MODES = (
    "PommeFFACompetition-v0",
    "PommeTeam-v0",
    "PommeTeamCompetition-v0",
    "PommeRadioCompetition-v2",
)


@cache
def games():
    return read_arrays(golden_folder("pommerman") / "games.npz")


def some_games(mode):
    """The longest and some other recorded games of one official environment."""
    names = [json.loads(str(meta))["env_id"] for meta in games()["game_meta"]]
    numbers = [number for number, name in enumerate(names) if name == mode]
    longest = max(numbers, key=lambda number: games()["game_n_steps"][number])
    return [*numbers[:5], longest]


def put(env, position):
    """Begin a game at a position."""
    env.reset(seed=0)
    set_position(env.forward_model, env._state, position)
    env._movers = env.forward_model.movers(env._state)


def steps_of(model, number):
    """Yield the joint actions and the rewards of a recorded game."""
    first = int(games()["game_step0"][number])
    for step in range(first, first + int(games()["game_n_steps"][number])):
        actions = recorded_actions(model, games(), step)
        yield actions, games()["rewards"][step].tolist()


@pytest.mark.parametrize("mode", MODES)
def test_the_parallel_environment_pays_what_was_recorded(mode):
    env = pommerman.parallel_env(official_rewards=True, **OFFICIAL[mode])
    for number in some_games(mode):
        put(env, recorded_position(games(), int(games()["game_state0"][number])))
        for actions, paid in steps_of(env.forward_model, number):
            assert env.agents == env.possible_agents
            deciding = env.forward_model.movers(env._state)
            _, rewards, over, _, _ = env.step(
                {f"player_{player}": actions[player] for player in deciding}
            )
            assert list(rewards.values()) == paid
        assert all(over.values())
        assert env.agents == []


@pytest.mark.parametrize("mode", MODES)
def test_the_aec_environment_pays_what_was_recorded(mode):
    env = pommerman.raw_env(official_rewards=True, **OFFICIAL[mode])
    for number in some_games(mode):
        put(env, recorded_position(games(), int(games()["game_state0"][number])))
        total, recorded = np.zeros(4), np.zeros(4)
        for actions, paid in steps_of(env.forward_model, number):
            recorded += paid
            for player in env.forward_model.movers(env._state):
                assert env.agent_selection == f"player_{player}"
                assert not any(env.terminations.values())
                total[player] += env.last()[1]
                env.step(int(actions[player]))
            assert list(env.rewards.values()) == paid
        while env.agents:
            _, reward, over, _, _ = env.last()
            assert over
            total[int(env.agent_selection[-1])] += reward
            env.step(None)
        assert total.tolist() == recorded.tolist()


def test_two_players_who_both_die_get_nothing():
    env = pommerman.parallel_env(players=2, official_rewards=True)
    env.reset(seed=0)
    actions = {"player_0": 5, "player_1": 5}
    for _ in range(10):
        _, rewards, over, _, _ = env.step(actions)
        actions = {"player_0": 0, "player_1": 0}
    assert int(env.forward_model.view(env._state)["alive"]) == 0
    assert all(over.values())
    assert list(rewards.values()) == [0, 0]


def collapsing(cells, mode="ffa"):
    """Begin a game whose outer ring turns rigid after step 3, with agents in cells."""
    env = pommerman.parallel_env(
        mode=mode, collapse=3, max_steps=11, official_rewards=True
    )
    env.reset(seed=0)
    view = env.forward_model.view(env._state)
    view["terrain"][:] &= ~np.uint8(3)  # neither walls nor wood: nobody is locked in
    view["terrain"][[13, 15, 17, 19, 70, 72]] = 0
    view["cells"] = cells
    return env, view


def paid_for_stops(env, steps):
    """What all are paid if nobody does anything."""
    nothing = dict.fromkeys(env.possible_agents, 0)
    return [list(env.step(nothing)[1].values()) for _ in range(steps)]


@pytest.mark.parametrize(
    ("mode", "first", "last"),
    [("ffa", [0, 0, 0, -1], [1, -1, -1, -1]), ("team", [0] * 4, [1, -1, 1, -1])],
)
def test_who_is_left_over_by_the_collapse_wins_a_step_later(mode, first, last):
    """The official program pays before it collapses the board."""
    env, view = collapsing([70, 15, 13 if mode == "ffa" else 72, 17], mode)
    view["alive"] = 0b0111 if mode == "ffa" else 0b1111
    paid = paid_for_stops(env, 4)
    assert paid == [[0, 0, 0, -1 if mode == "ffa" else 0]] * 2 + [first, last]
    assert not env.agents


@pytest.mark.parametrize("mode", ["ffa", "team"])
def test_all_draw_at_once_if_the_collapse_leaves_nobody(mode):
    """The game ends with the collapse: there is no later step to pay for it."""
    env, _ = collapsing([19, 15, 13, 17], mode)
    assert paid_for_stops(env, 3) == [[0] * 4] * 2 + [[-1] * 4]
    assert not env.agents


def test_flames_are_paid_for_in_the_step_of_the_collapse():
    env, view = collapsing([70, 15, 72, 17])
    cell, strength, life = view["cells"][3], 1, 3
    view["bombs"][0] = new_bomb(cell, 3, strength) - BOMB_LIFE + life
    view["bomb_count"] = 1
    view["terrain"][cell] |= BOMB
    paid = paid_for_stops(env, 5)
    assert paid == [[0] * 4] * 2 + [[0, 0, 0, -1]] + [[0, -1, 0, -1]] * 2
    assert env.agents


@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_pettingzoos_tests_pass(options):
    options = {**options, "official_rewards": True}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in UNAVOIDABLE:
            warnings.filterwarnings("ignore", message)
        api_test(pommerman.env(**options), num_cycles=100)
        parallel_api_test(pommerman.parallel_env(**options), num_cycles=100)


def test_copies_keep_the_option():
    env = pommerman.parallel_env(official_rewards=True)
    env.reset(seed=3)
    laying = dict.fromkeys(env.agents, 5)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        for _ in range(12):
            rewards = twin.step(laying)[1]
            if twin.agents == []:
                break
        assert list(rewards.values()) == [-1] * 4  # all have died at once: a draw


def test_what_is_refused():
    with pytest.raises(ValueError, match="official_rewards=1: expected true or false"):
        pommerman.env(official_rewards=1)
    with pytest.raises((TypeError, ValueError), match="official_rewards"):
        hex.env(official_rewards=True)
