"""Keys of positions are alike in every process, and differ with the position."""

import os
import subprocess
import sys
from collections import namedtuple
from itertools import combinations

import gymnasium
import numpy as np
import pytest

from mcts_agents import MCTSAgent
from mcts_agents.model.copying.copied import CopiedEnvironment
from mcts_agents.model.copying.state_keys import key_of
from tests.model.gathering import gathering

Place = namedtuple("Place", "x y")
VALUES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2**80,
    1.5,
    float("inf"),
    "",
    "1",
    b"1",
    (),
    (1,),
    (1, (2, 3)),
    (1, 2, 3),
    {"a": 1, "b": 2},
    {"a": 2, "b": 1},
    {1, 2},
    {12},
    np.array([1, 2], np.int8),
    np.array([1, 2], np.int16),
    np.array([[1, 2]], np.int8),
]


def test_different_values_have_different_keys():
    keys = [key_of(value, "key") for value in VALUES]
    assert all(-(2**63) <= key < 2**63 for key in keys)
    for first, second in combinations(range(len(VALUES)), 2):
        assert keys[first] != keys[second], (VALUES[first], VALUES[second])


def test_equal_values_have_one_key():
    for first, second in (
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({3, 1, 2}, frozenset([2, 1, 3])),
        (np.int64(7), 7),
        (np.float32(0.5), 0.5),
        (0.0, -0.0),
        (Place(1, 2), (1, 2)),
        ([1, 2], (1, 2)),
        (np.arange(6).reshape(2, 3).T, np.arange(6).reshape(2, 3).T.copy()),
    ):
        assert key_of(first, "key") == key_of(second, "key")


def test_keys_do_not_depend_on_the_process():
    code = (
        "from mcts_agents.model.copying.state_keys import key_of;"
        "print(key_of(('knight', {'b', 'a', 'c'}, 1.5), 'key'))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert found == {f"{key_of(('knight', {'b', 'a', 'c'}, 1.5), 'key')}\n"}


def test_what_has_no_key_is_refused():
    agent = MCTSAgent(
        simulations=10,
        graph=True,
        state_key=lambda env: (env.heaps, object()),
        perfect_information=True,
    )
    with pytest.raises(ValueError, match=r"state_key returned .* a object in it; exp"):
        agent.plan(gathering())
    agent = MCTSAgent(simulations=10, graph=True, perfect_information=True)
    with pytest.raises(ValueError, match=r"pass state_key=function\(env_copy\)"):
        agent.plan(gathering())
    with pytest.raises(ValueError, match="with redeterminise"):
        CopiedEnvironment(
            gathering(), redeterminise=lambda *_: None, state_key=lambda env: 0
        )


def test_a_graph_has_a_node_for_each_position():
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    env.reset(seed=0)
    seen = set()

    def field(env):
        seen.add(int(env.unwrapped.s))
        return int(env.unwrapped.s)

    agent = MCTSAgent(
        simulations=2000,
        graph=True,
        discount=0.95,
        state_key=field,
        perfect_information=True,
        deterministic=True,
        seed=0,
    )
    agent.plan(env)
    (search,) = agent._searches.values()
    assert len(seen) == 11  # all but four holes and the goal, where nobody moves
    assert int(search._workspace.record["node_count"][0]) == len(seen)
    for _ in range(12):
        _, reward, over, _, _ = env.step(agent.act(env))
        if over:
            break
    assert over
    assert reward == 1.0
