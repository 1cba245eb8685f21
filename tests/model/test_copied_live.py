"""Real third-party environments, planned on in the middle of their games.

The oracle is a second environment with the same seed and actions that nobody plans on:
after planning at every step the first one must still be in step with it.
"""

import copy
import gc
import weakref

import gymnasium
import numpy as np
import pettingzoo
import pytest
from numba import njit
from pettingzoo.utils import BaseWrapper, turn_based_aec_to_parallel
from scipy.stats import chisquare

from mcts_agents import MCTSAgent, RandomAgent
from mcts_agents.model import new_generator, random_below
from mcts_agents.model.addresses import ROW_BYTES, first_class
from mcts_agents.model.contract import ENTRIES, ROW
from mcts_agents.model.copying.copied import CopiedEnvironment
from tests.model.third_party import (
    Cached,
    Countdown,
    Matching,
    Noisy,
    Sampling,
    serialised_matching,
)


def planner(**settings):
    settings = {"simulations": 8, "rollout": 6} | settings
    return MCTSAgent(perfect_information=True, seed=0, **settings)


def started(make, seed=3):
    env = make()
    env.reset(seed=seed)
    return env


def same(a, b):
    """Whether two observations, rewards, infos or the like are equal."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    return np.array_equal(a, b)


AEC = {
    "connect_four": lambda: pettingzoo.make("aec", "classic/connect_four"),
    "tictactoe": lambda: pettingzoo.make("aec", "classic/tictactoe"),
    "rps": lambda: pettingzoo.make("aec", "classic/rps"),
    "knights": lambda: pettingzoo.make("aec", "butterfly/knights_archers_zombies"),
    "pong as AEC": lambda: pettingzoo.make("aec", "butterfly/cooperative_pong"),
    "countdown": lambda: Countdown(players=4, start=9),
    "noisy": lambda: Noisy(players=3, start=9),
    "matching as AEC": serialised_matching,
    "wrapped": lambda: BaseWrapper(pettingzoo.make("aec", "classic/connect_four")),
}
PARALLEL = {
    "matching": Matching,
    "rps": lambda: pettingzoo.make("parallel", "classic/rps"),
    "pong": lambda: pettingzoo.make("parallel", "butterfly/cooperative_pong"),
    "turn based": lambda: turn_based_aec_to_parallel(AEC["connect_four"]()),
}
GYMNASIUM = {
    "frozen lake": lambda: gymnasium.make("FrozenLake-v1"),
    "cliff": lambda: gymnasium.make("CliffWalking-v1"),
    "taxi": lambda: gymnasium.make("Taxi-v4"),
    "cart pole": lambda: gymnasium.make("CartPole-v1"),
    "blackjack": lambda: gymnasium.make("Blackjack-v1"),
    "acrobot": lambda: gymnasium.make("Acrobot-v1"),
    "mountain car": lambda: gymnasium.make("MountainCar-v0"),
    "drawn": lambda: gymnasium.make("FrozenLake-v1", render_mode="rgb_array"),
    "own spaces": Sampling,
}


@pytest.mark.parametrize("name", AEC)
def test_planning_never_moves_an_aec_environment(name):
    env, untouched = started(AEC[name]), started(AEC[name])
    agent = planner()
    for _ in range(12):
        if not env.agents:
            break
        assert env.agent_selection == untouched.agent_selection
        seen = env.last()
        assert same(seen, untouched.last())
        *_, termination, truncation, _ = seen
        action = None if termination or truncation else agent.act(env)
        env.step(action)
        untouched.step(action)
        assert same(env.rewards, untouched.rewards)


@pytest.mark.parametrize("name", PARALLEL)
def test_planning_never_moves_a_parallel_environment(name):
    env, untouched = started(PARALLEL[name]), started(PARALLEL[name])
    agent = planner()
    for _ in range(6):
        if not env.agents:
            break
        actions = dict.fromkeys(env.agents, 0)
        movers = [env.agents[0]] if name != "turn based" else []
        for agent_name in movers or [env.unwrapped.agent_selection]:
            actions[agent_name] = agent.act(env, agent_name)
        assert same(env.step(actions), untouched.step(actions))


@pytest.mark.parametrize("name", GYMNASIUM)
def test_planning_never_moves_a_gymnasium_environment(name):
    env, untouched = started(GYMNASIUM[name]), started(GYMNASIUM[name])
    agent = planner()
    for _ in range(12):
        action = agent.act(env)
        ours, theirs = env.step(action), untouched.step(action)
        assert same(ours, theirs)
        if ours[2] or ours[3]:
            break
    if env.render_mode:
        assert same(env.render(), untouched.render())


def test_the_ice_is_slippery_in_copies_whatever_the_real_future():
    env = started(GYMNASIUM["frozen lake"], seed=1)
    model = CopiedEnvironment(env, perfect_information=True)
    counts = dict.fromkeys(range(16), 0)
    with model.planning(None, new_generator(1)) as (state, _):
        target = model.new_state()
        for _ in range(900):
            model.call("copy", target.ctypes.data, state.ctypes.data)
            model.apply(target, [2], new_generator(0))
            counts[int(model.environment(target).unwrapped.s)] += 1
    # From the corner, "right" goes right, down, or bumps into the upper edge.
    seen = [counts.pop(field) for field in (0, 1, 4)]
    assert not any(counts.values())
    assert chisquare(seen).pvalue > 1e-4


@pytest.mark.parametrize("name", ["connect_four", "tictactoe"])
def test_compiled_code_plays_the_real_game_through_the_table(name):
    rewards, lengths = set(), set()
    for seed in range(20):
        moves, returns = compiled_game(AEC[name], seed)
        replayed = started(AEC[name])
        for move in moves:
            # An illegal move would end the game at once with -1 for one and 0.
            assert not any(replayed.terminations.values())
            replayed.step(move)
        assert all(replayed.terminations.values())
        assert returns == list(replayed.rewards.values())
        rewards.add(tuple(returns))
        lengths.add(len(moves))
    assert {(1.0, -1.0), (-1.0, 1.0)} <= rewards
    assert len(lengths) > 2


def compiled_game(make, seed):
    """Play a random game in compiled code; return its moves and its returns."""
    env = started(make)
    model = CopiedEnvironment(env, perfect_information=True)
    moves = np.zeros(100, np.int32)
    with model.planning(None, new_generator(0)) as (state, _):
        target, legal = model.new_state(), np.zeros(model.legal_limit, np.int32)
        joint, scores = np.zeros(model.players, np.int32), np.zeros(model.players)
        count = play(
            model.table_address,
            model.game_address,
            target.ctypes.data,
            state.ctypes.data,
            (legal, legal.ctypes.data),
            (joint, joint.ctypes.data),
            scores.ctypes.data,
            new_generator(seed),
            moves,
        )
        assert model.error[0] == 0
        assert model.movers(state) == (0,)  # the source of the copy did not move
    return moves[:count].tolist(), scores.tolist()


load = {name: first_class(entry.signature) for name, entry in ENTRIES.items()}
load_copy, load_movers, load_legal_actions = (
    load[name] for name in ("copy", "movers", "legal_actions")
)
load_apply, load_scores = load["apply"], load["scores"]
COPY, MOVERS, LEGAL = ROW["copy"], ROW["movers"], ROW["legal_actions"]
APPLY, SCORES = ROW["apply"], ROW["scores"]


@njit
def play(table, game, state, root, legal, joint, scores, rng, moves):
    load_copy(table + ROW_BYTES * COPY)(game, state, root)
    movers = load_movers(table + ROW_BYTES * MOVERS)
    count = 0
    while True:
        mask = movers(game, state)
        if mask == 0:
            break
        player = 0 if mask == 1 else 1
        n = load_legal_actions(table + ROW_BYTES * LEGAL)(game, state, player, legal[1])
        moves[count] = legal[0][random_below(rng, n)]
        joint[0][:] = -1
        joint[0][player] = moves[count]
        load_apply(table + ROW_BYTES * APPLY)(game, state, joint[1], 0)
        count += 1
    load_scores(table + ROW_BYTES * SCORES)(game, state, scores)
    return count


def test_copies_with_cached_methods_are_released():
    env = started(Cached)
    model = CopiedEnvironment(env, perfect_information=True)
    seen = []
    with model.planning(None, new_generator(0)) as (state, _):
        for _ in range(5):
            twin = model.copy(state)
            model.apply(twin, [1], new_generator(0))
            seen.append(weakref.ref(model.environment(twin)))
    del twin
    gc.collect()
    assert [reference() for reference in seen] == [None] * 5
    # The live one keeps its own caches.
    assert "action_space" not in vars(env)


def test_masks_in_infos_are_followed():
    env = started(Sampling)
    # From its second step on, action 5 raises; the infos say so.
    agent = planner(simulations=100, rollout=20)
    assert agent.act(env) in range(6)
    env.step(0)
    assert 5 not in agent.plan(env).actions
    with pytest.raises(AssertionError, match="illegal"):
        copy.deepcopy(env).step(5)


def test_who_waits_in_a_parallel_game_has_no_decision():
    env = started(PARALLEL["turn based"])
    result = planner(simulations=300, rollout=100).plan(env, "player_0")
    assert result.actions.tolist() == list(range(7))
    with pytest.raises(ValueError, match=r"player_1 has no decision.*only player_0"):
        planner().act(env, "player_1")


def test_a_finished_agent_is_told_from_a_finished_game():
    env = started(AEC["countdown"])
    while not env.terminations[env.agent_selection]:
        env.step(1)
    with pytest.raises(ValueError, match=r"has finished.*step\(None\)"):
        planner().act(env)
    env.step(None)
    assert planner().act(env) in (0, 1)


def test_a_wrapper_above_pending_actions_is_refused():
    env = started(lambda: BaseWrapper(serialised_matching()))
    with pytest.raises(ValueError, match=r"BaseWrapper.*wrap the\s+parallel"):
        planner().act(env)


def test_vectors_of_environments_are_refused():
    env = gymnasium.make_vec("CartPole-v1", num_envs=2)
    for agent in (planner(), RandomAgent(seed=0)):
        with pytest.raises(ValueError, match="vectors"):
            agent.act(env)


def test_after_the_time_limit_there_is_no_decision():
    env = gymnasium.make("CartPole-v1", max_episode_steps=2)
    env.reset(seed=0)
    env.step(0)
    assert planner().act(env) in (0, 1)
    env.step(1)
    with pytest.raises(RuntimeError, match="over"):
        planner().act(env)


def test_an_environment_that_became_another_game_is_an_error():
    env = started(Countdown)
    agent = planner()
    agent.act(env)
    env.possible_agents = ["player_0", "player_1"]
    env.reset()
    with pytest.raises(RuntimeError, match="new model or agent"):
        agent.act(env)
