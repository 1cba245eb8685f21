"""Environments of rules that bring nothing else, and of games with elimination."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from numba import njit
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test

from mcts_agents.envs import environments, game_environment
from mcts_agents.model import (
    DRAWN,
    LOST,
    PLAYING,
    WON,
    Rules,
    RulesError,
    Spec,
    random_below,
)
from tests.envs.variants import frozen, record

# Whoever quits (action 1) is out and has lost, unless all quit at once. The last one
# has won; after some rounds those who are left have drawn.
# A coin that means nothing is tossed in each round.
STATE = np.dtype(
    [
        ("alive", np.int64),
        ("turn", np.int64),
        ("rounds", np.int64),
        ("coin", np.int64),
    ]
)

rules = Rules("quitters", state=STATE, game=np.dtype([("together", np.int64)]))


@rules.variant
def variant(game, *, players=4, together=0):
    game["together"] = together
    return Spec(players=players, actions=2, observation_shape=(players + 2,))


@njit
def count(bits):
    found = 0
    while bits:
        bits &= bits - 1
        found += 1
    return found


@rules.define
def reset(game, state, rng):
    state.alive = (1 << game.players) - 1
    state.turn = 0
    state.rounds = 0
    state.coin = 0


@rules.define
def movers(game, state):
    if state.rounds == 12 or count(state.alive) == 1:
        return 0
    return state.alive if game.together else 1 << state.turn


@rules.define
def legal_actions(game, state, player, out):
    out[0], out[1] = 0, 1
    return 2


@rules.define
def apply(game, state, joint_action, rng):
    alive = state.alive
    for player in range(game.players):
        if joint_action[player] == 1:
            alive &= ~(1 << player)
    if alive:
        state.alive = alive
    state.rounds += 1
    state.coin = random_below(rng, 2)
    state.turn = (state.turn + 1) % game.players
    while not state.alive >> state.turn & 1:
        state.turn = (state.turn + 1) % game.players


@rules.define
def scores(game, state, out):
    for player in range(game.players):
        out[player] = state.alive >> player & 1


@rules.define
def results(game, state, out):
    left = count(state.alive)
    for player in range(game.players):
        if not state.alive >> player & 1:
            out[player] = LOST
        elif left == 1:
            out[player] = WON
        else:
            out[player] = DRAWN if state.rounds == 12 else PLAYING


@rules.define
def observe(game, state, player, out):
    for other in range(game.players):
        out[other] = state.alive >> other & 1
    out[game.players] = game.together or state.turn == player
    out[game.players + 1] = state.coin


raw_env, env, parallel_env = environments(rules)
both_forms = pytest.mark.parametrize("together", [0, 1])


@both_forms
def test_pettingzoos_tests(together, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(game_environment, "RENDER_FPS", 10_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in (
            "Observation is not a NumPy array",
            "Observation space for each agent probably should be",
            "Action mask numpy array is all zeros",
        ):
            warnings.filterwarnings("ignore", message)
        for make in (raw_env, env):
            for _ in range(10):
                api_test(make(together=together), num_cycles=100)
        for _ in range(10):
            parallel_api_test(parallel_env(together=together), num_cycles=100)
        seed_test(lambda: env(together=together))
        render_test(lambda render_mode: env(render_mode, together=together))


def test_an_eliminated_agent_leaves_with_its_reward_and_the_others_go_on():
    game = raw_env(players=3)
    game.reset()
    game.step(0)
    game.step(1)  # player_1 quits
    assert game.terminations == {
        "player_0": False,
        "player_1": True,
        "player_2": False,
    }
    assert game.rewards == {"player_0": 0.0, "player_1": -1.0, "player_2": 0.0}
    assert game.agent_selection == "player_1"
    assert game.last()[1:4] == (-1.0, True, False)
    with pytest.raises(ValueError, match=r"player_1 has no decision.*only player_2"):
        game.planning_state("player_1", np.ones(2, np.uint64))
    assert game.planning_state("player_2", np.ones(2, np.uint64))[1] == 2
    assert not game.observe("player_2")["action_mask"].any()  # not asked yet
    game.step(None)
    assert game.agents == ["player_0", "player_2"]
    assert game.agent_selection == "player_2"
    assert game.observe("player_2")["action_mask"].all()
    game.step(1)
    assert game.rewards == {"player_0": 1.0, "player_2": -1.0}
    assert game.terminations == {"player_0": True, "player_2": True}
    game.step(None)
    game.step(None)
    assert game.agents == []


def test_several_eliminated_at_once_leave_the_parallel_environment_at_once():
    game = parallel_env(players=4, together=1)
    game.reset()
    _, rewards, terminations, *_ = game.step(
        {"player_0": 0, "player_1": 1, "player_2": 0, "player_3": 1}
    )
    assert rewards == {
        "player_0": 0.0,
        "player_1": -1.0,
        "player_2": 0.0,
        "player_3": -1.0,
    }
    assert [a for a, over in terminations.items() if over] == ["player_1", "player_3"]
    assert game.agents == ["player_0", "player_2"]
    with pytest.raises(ValueError, match=r"no action of player_2.*player_0, player_2"):
        game.step({"player_0": 1})
    observations, rewards, *_ = game.step({"player_0": 1, "player_2": 0})
    assert rewards == {"player_0": -1.0, "player_2": 1.0}
    assert set(observations) == {"player_0", "player_2"}
    assert game.agents == []


@both_forms
@pytest.mark.parametrize("seed", range(20))
def test_both_forms_of_the_environment_agree_with_elimination(together, seed):
    rng = np.random.default_rng(seed)
    aec, parallel = raw_env(together=together), parallel_env(together=together)
    aec.reset(seed=1)
    observations, _ = parallel.reset(seed=1)
    totals = [dict.fromkeys(aec.possible_agents, 0.0) for _ in range(2)]
    while parallel.agents:
        actions = {}
        for agent in parallel.agents:
            if not observations[agent]["action_mask"].any():
                continue
            while aec.terminations[aec.agent_selection]:
                totals[0][aec.agent_selection] += aec.last()[1]
                aec.step(None)
            assert aec.agent_selection == agent
            assert frozen(aec.observe(agent)) == frozen(observations[agent])
            actions[agent] = int(rng.random() < 0.3)
            aec.step(actions[agent])
        observations, rewards, *_ = parallel.step(actions)
        for agent, reward in rewards.items():
            totals[1][agent] += reward
    while aec.agents:
        totals[0][aec.agent_selection] += aec.last()[1]
        aec.step(None)
    assert totals[0] == totals[1]


@both_forms
def test_rewards_are_collected_once_by_the_loop_of_the_tutorials(together):
    for seed in range(10):
        game = env(together=together)
        turns = {agent: [] for agent in game.possible_agents}
        for agent, _, reward, termination, *_ in record(
            game, np.random.default_rng(seed), seed=seed
        ):
            turns[agent].append((reward, termination))
        for shown in turns.values():
            assert shown[-1][1] is True
            assert all(turn == (0.0, False) for turn in shown[:-1])
        final = [shown[-1][0] for shown in turns.values()]
        assert final.count(1.0) <= 1
        assert final.count(-1.0) < len(final)


def test_pictures_and_names_without_any_being_written():
    game = raw_env("ansi", players=3)
    game.reset()
    assert game.render() == "alive   7\nturn    0\nrounds  0\ncoin    0"
    assert game.action_name(1) == "1"
    assert game.game.title == "Quitters"
    assert str(game) == "quitters_v0"
    with pytest.raises(ValueError, match="'2': expected a number from 0 to 1"):
        game.game.parse_action(game.forward_model, "2")
    assert game.game.parse_action(game.forward_model, "1") == 1


def tosses(game):
    """Let nobody quit any more, and return the coins."""
    coins = []
    while not any(game.terminations.values()):
        coins.append(int(game.last()[0]["observation"][-1]))
        game.step(0)
    assert len(set(coins)) == 2
    return coins


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))]
)
def test_copies_of_games_that_are_not_in_the_registry(copied):
    for make in (raw_env, env):
        game = make(players=5, together=1)
        game.reset(seed=1)
        game.step(0)  # pending until all have chosen
        twin, third = copied(game), copied(game)
        assert tosses(twin) == tosses(third) == tosses(game)


def test_rules_without_observations_get_an_error_that_says_what_to_write():
    silent = Rules("silent", state=STATE, game=rules.game)
    for function in (reset, movers, legal_actions, apply, scores, results):
        silent.define(function)
    silent.variant(lambda game, *, players=2: Spec(players=players, actions=2))
    with pytest.raises(RulesError, match=r"silent: an environment needs observations"):
        environments(silent)[0]()
