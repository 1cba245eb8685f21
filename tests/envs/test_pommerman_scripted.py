"""Scripted agents of Pommerman against recorded decisions of the originals."""

import json
from functools import cache

import numpy as np
import pytest

from mcts_agents.envs.pommerman.layout import cell_at
from mcts_agents.envs.pommerman.official import OFFICIAL, set_position
from mcts_agents.envs.pommerman.recordings import read_arrays, recorded_position
from mcts_agents.envs.pommerman.scripted import simple_unbiased
from mcts_agents.model import new_generator
from tests.envs.pommerman_scripted import Scripted, renew_orders
from tests.golden import golden_folder

CALLS = 400


@cache
def unbiased(**variant):
    return Scripted(simple_unbiased, renew_orders, **variant)


def recorded(name):
    with np.load(golden_folder("pommerman") / f"{name}.npz") as archive:
        return {name: archive[name] for name in archive.files}


def distances(found, expected):
    """Total variation of each pair of distributions."""
    found = found / found.sum(axis=1, keepdims=True)
    expected = expected / expected.sum(axis=1, keepdims=True)
    return abs(found - expected).sum(axis=1) / 2


def test_simple_unbiased_decides_as_pomcpp2():
    cases = recorded("simple_unbiased_policy")
    arrays = read_arrays(golden_folder("pommerman") / "games.npz")
    agents = {}
    rng = new_generator(1)
    found = np.zeros_like(cases["counts"], np.int64)
    for i, (number, t) in enumerate(zip(cases["game"], cases["t"], strict=True)):
        name = json.loads(str(arrays["game_meta"][number]))["env_id"]
        variant = {**OFFICIAL[name], "fog": bool(cases["mode"][i])}
        key = json.dumps(variant)
        if key not in agents:
            agents[key] = unbiased(**variant)
        agent = agents[key]
        state = agent.model.new_state()
        index = arrays["game_state0"][number] + t
        set_position(agent.model, state, recorded_position(arrays, index))
        memory = np.zeros(2, simple_unbiased.MEMORY)
        memory["recent"] = cell_at(*cases["recent"][i].T.astype(int))
        memory["recent_count"] = 4
        player = int(cases["agent_id"][i])
        found[i] = agent.counts(state, player, memory, rng, CALLS)
    assert distances(found, cases["counts"]).mean() < 0.05
    assert distances(found, cases["counts"]).max() < 0.15
    rare = np.maximum(found, cases["counts"]) < 10
    unlike = ((found > 0) != (cases["counts"] > 0)) & ~rare
    assert np.flatnonzero(unlike.any(axis=1)).tolist() == []


@pytest.mark.parametrize("mode", ["ffa", "team", "radio"])
def test_games_of_simple_unbiased_end(mode):
    agent = unbiased(mode=mode)
    lengths = []
    for seed in range(20):
        state, counts = agent.play(seed)
        assert agent.model.is_over(state)
        assert (counts > 0).all()
        lengths.append(int(agent.model.view(state)["steps"]))
    assert 120 < np.mean(lengths) < 400
