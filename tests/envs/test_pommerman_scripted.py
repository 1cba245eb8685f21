"""Scripted agents of Pommerman against recorded decisions of the originals."""

import json
from functools import cache
from itertools import permutations

import numpy as np
import pytest

from mcts_agents.envs.pommerman.archives import read_arrays, recorded_position
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
from mcts_agents.envs.pommerman.scripted.simple_unbiased import MEMORY, walks_in_circles
from mcts_agents.model import new_generator
from tests.envs.pommerman_positions import DOWN, LEFT, RIGHT, UP, drawn
from tests.envs.pommerman_scripted import SCRIPTED, Scripted, keep, renew_orders
from tests.golden import are_enough, golden_folder

CALLS = 400


@cache
def scripted(name, **variant):
    return Scripted(
        name, renew_orders if name == "simple_unbiased" else keep, **variant
    )


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
    rng = new_generator(1)
    found = np.zeros_like(cases["counts"], np.int64)
    for i, (number, t) in enumerate(zip(cases["game"], cases["t"], strict=True)):
        name = json.loads(str(arrays["game_meta"][number]))["env_id"]
        variant = {**OFFICIAL[name], "fog": bool(cases["mode"][i])}
        agent = scripted("simple_unbiased", **variant)
        state = agent.model.new_state()
        index = arrays["game_state0"][number] + t
        set_position(agent.model, state, recorded_position(arrays, index))
        memory = np.zeros(2, agent.memory)
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
        agent = scripted("simple", **variant)
        player = int(cases["agent_id"][i])
        observed = (cases[name][i] for name in inputs)
        state = as_observed(agent.model, player, *observed)
        memory = np.zeros(2, agent.memory)
        memory["recent"] = cell_at(*cases["recent"][i].T.astype(int))
        memory["recent_count"] = cases["n_recent"][i]
        memory["direction"] = cases["prev_dir"][i]
        found[i] = agent.counts(state, player, memory, rng, CALLS)
    assert distances(found, cases["counts"]).mean() < 0.05
    # Of 64 recorded calls; what is as rare may be missing by chance.
    rare = np.maximum(found * 64 / CALLS, cases["counts"]) < 7
    unlike = ((found > 0) != (cases["counts"] > 0)) & ~rare
    assert np.flatnonzero(unlike.any(axis=1)).tolist() == []


@pytest.mark.parametrize(
    ("recent", "is_circle"),
    [
        ([], True),
        ([30], True),
        ([30, 31], False),
        ([30, 31, 30], True),
        ([30, 31, 32], False),
        ([30, 31, 30, 31], True),
        ([30, 31, 30, 32], False),
        ([30, 30, 30, 30], True),
    ],
)
def test_walking_in_circles_is_noticed(recent, is_circle):
    # All recordings have four recent cells, games begin with fewer.
    memory = np.zeros(1, MEMORY).view(np.recarray)[0]
    memory.recent[: len(recent)] = recent
    memory.recent_count = len(recent)
    assert walks_in_circles.py_func(memory) == is_circle


@pytest.mark.parametrize(
    "recent", [[], [UP], [UP, DOWN], [UP, LEFT, RIGHT], [UP, DOWN, LEFT, RIGHT]]
)
def test_simple_unbiased_strolls_as_its_queue_would(recent):
    agent = scripted("simple_unbiased")
    picture = (".....", ".....", "..0..", ".....", "....1")
    _, state = drawn(*picture, ammo={0: 0})
    steps = {UP: (1, 2), DOWN: (3, 2), LEFT: (2, 1), RIGHT: (2, 3)}
    memory = np.zeros(2, agent.memory)
    memory["recent"][:, : len(recent)] = [cell_at(*steps[move]) for move in recent]
    memory["recent_count"] = len(recent)
    expected = np.zeros(6)
    for order in permutations(steps):
        queue, at = list(order), 0
        for _ in order:
            if queue[at] in recent:
                removed = queue.pop(at)
                queue.append(queue[at] if at < len(queue) else removed)
            else:
                at += 1
        expected[queue[0]] += 1 / 48
        expected[queue[1]] += 1 / 48
    found = agent.counts(state, 0, memory, new_generator(5), 20_000) / 20_000
    assert abs(found - expected).max() < 0.015


@pytest.mark.parametrize(
    ("name", "mode", "shortest", "longest"),
    [
        # Means known of the originals: 219 and 381; fewer meet in teams.
        ("simple_unbiased", "ffa", 150, 300),
        ("simple_unbiased", "team", 100, 400),
        ("simple_unbiased", "radio", 100, 400),
        ("simple", "ffa", 300, 500),
        ("simple", "radio", 200, 700),
        ("safe_random", "ffa", 20, 200),
        ("random", "ffa", 15, 40),
    ],
)
def test_games_come_to_an_end(name, mode, shortest, longest):
    agent = scripted(name, mode=mode)
    lengths = []
    for seed in range(100):
        state, counts = agent.play(seed)
        assert agent.model.is_over(state)
        lengths.append(int(agent.model.view(state)["steps"]))
    assert (counts > 0).all()
    assert shortest < np.mean(lengths) < longest


def test_the_same_seed_is_the_same_game():
    for name in SCRIPTED:
        agent = scripted(name)
        first, second = agent.play(3), agent.play(3)
        assert first[0].tobytes() == second[0].tobytes()
        assert np.array_equal(first[1], second[1])


@pytest.mark.parametrize("name", SCRIPTED)
def test_they_play_one_against_one(name):
    agent = scripted(name, players=2, max_steps=300)
    lengths = set()
    for seed in range(20):
        state, _ = agent.play(seed)
        assert agent.model.is_over(state)
        lengths.add(int(agent.model.view(state)["steps"]))
    assert len(lengths) > 5 or name == "idle"


def test_idle_stops():
    _, counts = scripted("idle", max_steps=50).play(1)
    assert counts.tolist() == [200, 0, 0, 0, 0, 0]


def test_safe_random_moves_are_those_that_are_survived():
    arrays = read_arrays(golden_folder("pommerman") / "games.npz")
    agent = scripted("safe_random")
    model, rng = agent.model, new_generator(2)
    checked = fatal = 0
    for index in np.random.default_rng(2).permutation(len(arrays["board"]))[:6000]:
        here = recorded_position(arrays, int(index))
        player = int(index) % 4
        if not is_plain(here, player):
            continue
        state = model.new_state()
        set_position(model, state, here)
        survived = np.zeros(6, bool)
        for move in range(6):
            after = state.copy()
            joint = [move if seat == player else 0 for seat in range(4)]
            model.apply(after, joint, rng)
            survived[move] = model.view(after)["alive"] >> player & 1
        memory = np.zeros(2, agent.memory)
        found = agent.counts(state, player, memory, rng, 200)
        expected = survived if survived.any() else np.ones(6, bool)
        assert np.array_equal(found > 0, expected)
        checked += 1
        fatal += not survived.all()
    assert are_enough(checked, "pommerman: states near fire", 301)
    assert are_enough(fatal, "pommerman: states with fatal moves", 101)


def is_plain(here, player):
    """Whether fire is about, and what a player does depends on nothing else."""
    if here.agent_alive.sum() < 3 or not here.agent_alive[player]:
        return False
    if len(here.flames) == 0 and (here.bombs[:, 3] > 1).all():
        return False
    if here.bombs[:, 5].any() or here.agent_kick[player]:
        return False
    away = abs(here.agent_pos.astype(int) - here.agent_pos[player]).sum(axis=1)
    return (np.delete(away, player) > 1).all()
