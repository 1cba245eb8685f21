"""Scripted agents of Pommerman against recorded decisions of the originals."""

import json
from functools import cache

import numpy as np
import pytest

from mcts_agents.envs.pommerman.layout import cell_at
from mcts_agents.envs.pommerman.official import (
    FIRST_AGENT_CODE,
    FLAMES_CODE,
    FOG_CODE,
    OFFICIAL,
    PASSAGE,
    Position,
    set_position,
)
from mcts_agents.envs.pommerman.recordings import read_arrays, recorded_position
from mcts_agents.envs.pommerman.scripted import simple, simple_unbiased
from mcts_agents.model import new_generator
from tests.envs.pommerman_scripted import Scripted, keep, renew_orders
from tests.golden import golden_folder

CALLS = 400


@cache
def unbiased(**variant):
    return Scripted(simple_unbiased, renew_orders, **variant)


@cache
def official_simple(**variant):
    return Scripted(simple, keep, **variant)


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


def as_observed(model, player, board, strengths, position, ammo, blast_strength):
    """A state of which a player has such an observation."""
    size = len(board)
    seats = np.arange(4)
    is_seen = np.isin(seats + FIRST_AGENT_CODE, board)
    cells = np.zeros((4, 2), np.int8)
    for seat in seats[is_seen]:
        cells[seat] = np.argwhere(board == seat + FIRST_AGENT_CODE)[0]
    assert cells[player].tolist() == position.tolist()
    bombs = [(r, c, 0, 5, strengths[r, c], 0) for r, c in np.argwhere(strengths)]
    flames = [(r, c, 0) for r, c in np.argwhere(board == FLAMES_CODE)]
    state = model.new_state()
    wanted = Position(
        board=np.where(board == FOG_CODE, PASSAGE, board),
        hidden_items=np.zeros((size, size), np.uint8),
        agent_pos=cells,
        agent_alive=is_seen.astype(np.uint8),
        agent_ammo=np.full(4, ammo, np.int8),
        agent_blast=np.full(4, blast_strength, np.int8),
        agent_kick=np.zeros(4, np.uint8),
        bombs=np.array(bombs, np.int8).reshape(-1, 6),
        flames=np.array(flames, np.int8).reshape(-1, 3),
        step_count=0,
    )
    set_position(model, state, wanted)
    maps = model.observe(state, player)[: 2 * size * size].reshape(2, size, size)
    assert np.array_equal(maps, [board, strengths])
    return state


def test_simple_decides_as_the_official_agent():
    cases = recorded("simple_agent_policy")
    rng = new_generator(1)
    found = np.zeros_like(cases["counts"], np.int64)
    inputs = ("board", "bomb_blast_strength", "position", "ammo", "blast_strength")
    for i in range(len(found)):
        variant = {"mode": "team", "fog": True} if cases["mode"][i] else {}
        agent = official_simple(**variant)
        player = int(cases["agent_id"][i])
        observed = (cases[name][i] for name in inputs)
        state = as_observed(agent.model, player, *observed)
        memory = np.zeros(2, simple.MEMORY)
        memory["recent"] = cell_at(*cases["recent"][i].T.astype(int))
        memory["recent_count"] = cases["n_recent"][i]
        memory["direction"] = cases["prev_dir"][i]
        found[i] = agent.counts(state, player, memory, rng, CALLS)
    assert distances(found, cases["counts"]).mean() < 0.05
    # Of 64 recorded calls; what is as rare may be missing by chance.
    rare = np.maximum(found * 64 / CALLS, cases["counts"]) < 7
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


def test_games_of_simple_end():
    agent = official_simple()
    lengths = []
    for seed in range(20):
        state, counts = agent.play(seed)
        assert agent.model.is_over(state)
        assert (counts > 0).all()
        lengths.append(int(agent.model.view(state)["steps"]))
    assert 200 < np.mean(lengths) < 600
