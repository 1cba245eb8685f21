"""Agents in this package's environments: what they do, leave alone and refuse."""

import dataclasses
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import chisquare

from mcts_agents import Agent, MCTSAgent, OneStepAgent, RandomAgent, SearchResult
from mcts_agents.agents import make_agent
from mcts_agents.agents.search_agent import KEPT_SEARCHES
from mcts_agents.envs import hex as hex_game
from mcts_agents.envs import sushi_go, tictactoe
from mcts_agents.search.driver.compiled import compiled

LEAST_PROBABILITY = 1e-4

GAMES = {
    "tictactoe": (tictactoe, {}),
    "hex": (hex_game, {"size": 4}),
    "sushi_go": (sushi_go, {"players": 3}),
}
AGENTS = {
    "one": lambda **seed: MCTSAgent(simulations=60, **seed),
    "self": lambda **seed: MCTSAgent(simulations=60, tree="self", **seed),
    "multi": lambda **seed: MCTSAgent(simulations=60, tree="multi", **seed),
    "one-step": lambda **seed: OneStepAgent(samples=3, **seed),
    "random": lambda **seed: RandomAgent(**seed),
}


def made(game, kind="env"):
    """An environment after its reset."""
    module, options = GAMES[game]
    env = getattr(module, kind)(**options)
    env.reset(seed=11)
    return env


def state_of(env):
    """Everything in an environment that planning might have touched."""
    inner = env.unwrapped
    return (
        inner.spectator_state().tobytes(),
        inner._rng.tobytes(),
        str(inner.np_random.bit_generator.state),
        {
            name: repr(value)
            for name, value in vars(inner).items()
            if name not in ("forward_model", "game", "_state", "_rng", "np_random")
        },
    )


def aec_game(game, agents, kind="env", longest=1000):
    """Play in an AEC environment, `agents` by name; return the actions."""
    env, played = made(game, kind), []
    for name in env.agent_iter():
        _, _, termination, truncation, _ = env.last()
        if termination or truncation or len(played) == longest:
            return played
        played.append(agents[name].act(env))
        env.step(played[-1])
    return played


def parallel_game(game, agents):
    """Play in a parallel environment; return the joint actions."""
    env, played = made(game, "parallel_env"), []
    movers = env.forward_model.movers
    while env.agents:
        deciding = [f"player_{p}" for p in movers(env.spectator_state())]
        played.append({name: agents[name].act(env, name) for name in deciding})
        env.step(played[-1])
    return played


def everybody(env, agent):
    return dict.fromkeys(env.possible_agents, agent)


def tictactoe_after(*cells, kind="env"):
    env = made("tictactoe", kind)
    for cell in cells:
        env.step(cell)
    return env


# -- one decision


def test_new_settings_count_from_the_next_decision_on():
    env, agent = tictactoe_after(), MCTSAgent(simulations=20, seed=1)
    assert agent.plan(env).simulations == 20
    agent.settings = dataclasses.replace(agent.settings, simulations=30)
    assert agent.plan(env).simulations == 30


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("kind", ["raw_env", "env", "parallel_env"])
@pytest.mark.parametrize("agent", AGENTS)
def test_act_plan_and_bind_agree_and_touch_nothing(game, kind, agent):
    env = made(game, kind)
    before = state_of(env)
    name = "player_0"
    makers = AGENTS[agent]
    action = makers(seed=5).act(env, name)
    assert type(action) is int
    model = env.unwrapped.forward_model
    assert action in model.legal_actions(env.unwrapped.spectator_state(), 0)
    assert makers(seed=5).bind(env)(None, name) == action
    if kind != "parallel_env":
        assert makers(seed=5).act(env) == action
        assert makers(seed=5).bind(env)(env.observe(name), env.agent_selection) == (
            action
        )
    if agent != "random":
        result = makers(seed=5).plan(env, name)
        assert isinstance(result, SearchResult)
        assert result.action == action
    assert state_of(env) == before


@pytest.mark.parametrize("kind", ["raw_env", "env"])
def test_planning_between_two_choices_of_one_moment(kind):
    """With actions pending in an AEC environment nothing is lost or seen."""
    first, later = made("sushi_go", kind), made("sushi_go", kind)
    legal = np.flatnonzero(first.observe("player_0")["action_mask"]).tolist()
    first.step(legal[0])
    later.step(legal[-1])
    before = state_of(first)
    assert first.agent_selection == "player_1"
    for make in AGENTS.values():
        assert make(seed=2).act(first) == make(seed=2).act(later)
    assert state_of(first) == before
    # All decide at once: the parallel environment asks the same question.
    together = made("sushi_go", "parallel_env")
    assert MCTSAgent(simulations=60, seed=2).act(together, "player_1") == MCTSAgent(
        simulations=60, seed=2
    ).act(first)


def test_aec_and_parallel_games_are_the_same():
    for game in GAMES:
        names = made(game).possible_agents
        for make in (AGENTS["multi"], AGENTS["random"]):
            one = aec_game(game, {n: make(seed=i) for i, n in enumerate(names)})
            raw = aec_game(
                game, {n: make(seed=i) for i, n in enumerate(names)}, "raw_env"
            )
            joint = parallel_game(game, {n: make(seed=i) for i, n in enumerate(names)})
            assert one == raw
            assert one == [action for moment in joint for action in moment.values()]


# -- seeds


@pytest.mark.parametrize("agent", AGENTS)
def test_same_seed_same_decisions(agent):
    names = made("sushi_go").possible_agents
    games = [
        aec_game("sushi_go", dict.fromkeys(names, AGENTS[agent](seed=seed)), longest=30)
        for seed in (1, 1, 2)
    ]
    assert games[0] == games[1]
    assert len(games[0]) == 30
    if agent != "one-step":
        assert games[0] != games[2]


def test_reset_starts_the_generator_anew():
    env = made("sushi_go")
    agent = RandomAgent(seed=3)
    first = [agent.act(env) for _ in range(20)]
    second = [agent.act(env) for _ in range(20)]
    agent.reset(3)
    assert [agent.act(env) for _ in range(20)] == first != second
    agent.reset()
    other = [agent.act(env) for _ in range(20)]
    assert other != first
    for seed in (np.int64(3), 2**100):
        assert RandomAgent(seed=seed).act(env) == RandomAgent(seed=int(seed)).act(env)
    unseeded = {tuple(RandomAgent()._rng) for _ in range(5)}
    assert len(unseeded) == 5


PROCESS = """
from tests.agents.test_agents import AGENTS, aec_game, made
for game in ("tictactoe", "sushi_go"):
    names = made(game).possible_agents
    for kind in ("one", "multi", "random"):
        agents = {name: AGENTS[kind](seed=i) for i, name in enumerate(names)}
        print(game, kind, aec_game(game, agents, longest=12))
"""


def test_same_decisions_in_two_processes():
    printed = []
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path}\n{PROCESS}"],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        )
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    assert printed[0].count("[") == 6


# -- several seats, several games


def test_one_agent_in_several_seats_and_games():
    agent = MCTSAgent(simulations=30, tree="multi", seed=0)
    for game in (*GAMES, *GAMES):
        assert aec_game(game, dict.fromkeys(made(game).possible_agents, agent))
    for size in range(3, 4 + KEPT_SEARCHES):
        env = hex_game.raw_env(size=size)
        env.reset(seed=0)
        agent.act(env)
    assert len(agent._searches) == KEPT_SEARCHES
    turns = [made(game) for game in GAMES]
    for _ in range(4):
        for env in turns:
            env.step(agent.act(env))
    assert len(agent._searches) == KEPT_SEARCHES


def test_a_kept_search_decides_like_a_new_one():
    """What an earlier decision left in memory changes nothing."""
    env = made("hex")
    used = MCTSAgent(simulations=200, tree="multi", seed=0)
    for _ in range(5):
        env.step(used.act(env))
    used.reset(9)
    assert used.act(env) == MCTSAgent(simulations=200, tree="multi", seed=9).act(env)


def test_an_agent_of_somebody_else():
    class First(Agent):
        def decide(self, model, state, player):
            return int(model.legal_actions(state, player)[0])

    env = made("tictactoe")
    assert aec_game("tictactoe", everybody(env, First())) == list(range(7))


# -- the agents' play


def test_random_agent_is_uniform():
    env = tictactoe_after(4, 0)
    agent = RandomAgent(seed=1)
    counts = np.bincount([agent.act(env) for _ in range(3500)], minlength=9)
    assert counts[4] == counts[0] == 0
    assert chisquare(counts[counts > 0]).pvalue > LEAST_PROBABILITY
    assert (counts > 0).sum() == 7


@pytest.mark.parametrize("kind", ["env", "parallel_env"])
def test_one_step_agent_takes_a_win(kind):
    for cells, win in (
        ((0, 3, 1, 4), 2),
        ((0, 3, 1, 4, 8), 5),
        ((4, 0, 2, 1), 6),
        ((0, 2, 4, 7), 8),
    ):
        env = made("tictactoe", kind)
        for turn, cell in enumerate(cells):
            env.step({f"player_{turn % 2}": cell} if kind == "parallel_env" else cell)
        mover = f"player_{len(cells) % 2}"
        for seed in range(5):
            result = OneStepAgent(samples=1, seed=seed).plan(env, mover)
            assert result.action == win
            assert (result.visits == 1).all()
            assert result.values.argmax() == result.actions.tolist().index(win)


def test_one_step_agent_tries_each_action_alike():
    result = OneStepAgent(samples=7, seed=0).plan(made("sushi_go"))
    assert set(result.visits) == {7}
    assert result.simulations == 7 * len(result.actions)
    assert result.depth == 1


@pytest.mark.parametrize("tree", ["one", "multi"])
def test_mcts_wins_and_blocks(tree):
    agent = MCTSAgent(simulations=800, tree=tree, seed=4)
    assert agent.act(tictactoe_after(0, 3, 1, 4)) == 2
    assert agent.act(tictactoe_after(0, 4, 1)) == 2


# -- what a search says


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("tree", ["one", "self", "multi"])
@pytest.mark.parametrize("final", ["visits", "value"])
def test_search_results_are_consistent(game, tree, final):
    env = made(game)
    model = env.unwrapped.forward_model
    legal = model.legal_actions(env.unwrapped.spectator_state(), 0)
    for simulations in (1, 3, 150):
        agent = MCTSAgent(simulations=simulations, tree=tree, final=final, seed=1)
        result = agent.plan(env)
        assert type(result.action) is int
        assert result.actions.tolist() == legal.tolist()
        assert result.actions.dtype == np.int32
        assert result.visits.dtype == np.int64
        assert result.values.dtype == np.float64
        assert result.simulations == result.visits.sum() == simulations
        assert (np.isnan(result.values) == (result.visits == 0)).all()
        chosen = result.actions.tolist().index(result.action)
        if final == "visits":
            assert result.visits[chosen] == result.visits.max()
        else:
            assert result.values[chosen] == np.nanmax(result.values)
        assert result.forward_model_calls >= simulations
        assert result.seconds > 0
        assert result.nodes >= 1
        assert 1 <= result.depth <= simulations
        assert result.bytes > 0
        assert result.principal_variation
        if simulations < len(legal):
            assert result.visits.max() == 1


@pytest.mark.parametrize("game", ["tictactoe", "hex"])
@pytest.mark.parametrize("tree", ["one", "self", "multi"])
def test_principal_variation_of_a_turn_taking_game(game, tree):
    env = made(game)
    result = MCTSAgent(simulations=2000, tree=tree, seed=3).plan(env)
    variation = result.principal_variation
    assert variation[0] == (0, result.action)
    if tree == "self":
        assert {player for player, _ in variation} == {0}
    if tree == "one":
        assert len(variation) > 2
        for player, action in variation:
            assert env.agent_selection == f"player_{player}"
            assert env.observe(env.agent_selection)["action_mask"][action]
            env.step(action)


def test_principal_variation_of_simultaneous_moves():
    env = made("sushi_go", "parallel_env")
    one = MCTSAgent(simulations=500, seed=3).plan(env, "player_1")
    assert [player for player, _ in one.principal_variation[:3]] == [0, 1, 2]
    assert one.principal_variation[1] == (1, one.action)
    joint = {f"player_{p}": a for p, a in one.principal_variation[:3]}
    # What the others play was found on hands that player 1 imagined.
    own = env.forward_model.legal_actions(env.spectator_state(), 1)
    assert joint["player_1"] in own
    multi = MCTSAgent(simulations=500, tree="multi", seed=3).plan(env, "player_1")
    assert multi.principal_variation[0] == (1, multi.action)


def test_a_single_action_needs_no_search():
    env = tictactoe_after(0, 1, 2, 4, 3, 5, 7, 6)
    result = MCTSAgent(seed=0).plan(env)
    assert (result.action, result.simulations) == (8, 0)
    assert (result.visits.tolist(), result.forward_model_calls) == ([0], 0)
    assert math.isnan(result.values[0])
    assert result.principal_variation == [(0, 8)]
    assert OneStepAgent(seed=0).act(env) == RandomAgent(seed=0).act(env) == 8


def test_other_budgets(ticking_clock):
    env = made("hex")
    result = MCTSAgent(forward_model_calls=500, seed=0).plan(env)
    assert 500 <= result.forward_model_calls <= 500 + 16
    assert result.simulations == result.visits.sum()
    for seconds in (0.02, 0.05):
        result = MCTSAgent(seconds=seconds, seed=0).plan(env)
        assert result.simulations == result.visits.sum() > 0
        assert result.seconds == pytest.approx(seconds, abs=0.005)


# -- what is refused


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("kind", ["raw_env", "env", "parallel_env"])
@pytest.mark.parametrize("agent", ["one", "one-step", "random"])
def test_before_reset(game, kind, agent):
    module, options = GAMES[game]
    env = getattr(module, kind)(**options)
    for name in ("player_0", None):
        if name is None and kind == "parallel_env":
            continue
        with pytest.raises(RuntimeError, match=r"call reset\(\)"):
            AGENTS[agent]().act(env, name)


@pytest.mark.parametrize("kind", ["raw_env", "env", "parallel_env"])
@pytest.mark.parametrize("agent", ["multi", "one-step", "random"])
def test_after_the_game(kind, agent):
    env = made("tictactoe", kind)
    for turn, cell in enumerate((0, 3, 1, 4, 2)):
        env.step({f"player_{turn % 2}": cell} if kind == "parallel_env" else cell)
    for name in ("player_0", "player_1", *([None] * (kind != "parallel_env"))):
        with pytest.raises(RuntimeError, match=r"the game is over.*reset\(\)"):
            AGENTS[agent]().act(env, name)
    for _ in env.agents[:] if kind != "parallel_env" else ():
        env.step(None)
    for name in ("player_0", *([None] * (kind != "parallel_env"))):
        with pytest.raises(RuntimeError, match=r"the game is over.*reset\(\)"):
            AGENTS[agent]().act(env, name)
    env.reset(seed=0)
    assert AGENTS[agent](seed=0).act(env, "player_0") in range(9)


def test_after_an_illegal_move():
    env = tictactoe_after(4)
    env.step(4)
    with pytest.raises(RuntimeError, match="the game is over"):
        MCTSAgent().act(env)


@pytest.mark.parametrize("agent", AGENTS)
def test_players_without_a_decision_and_unknown_names(agent):
    player = AGENTS[agent](seed=0)
    for kind in ("raw_env", "env", "parallel_env"):
        env = made("hex", kind)
        with pytest.raises(
            ValueError, match="player_1 has no decision to make now, only player_0"
        ):
            player.act(env, "player_1")
        with pytest.raises(
            ValueError, match=r"no agent 'player_2'.* player_0, player_1"
        ):
            player.act(env, "player_2")
        with pytest.raises(ValueError, match="no agent 0"):
            player.act(env, 0)
    # Who has chosen already in this moment is not asked again.
    env = made("sushi_go")
    env.step(player.act(env))
    with pytest.raises(
        ValueError, match=r"player_0 has no decision .* only player_1, player_2"
    ):
        player.act(env, "player_0")
    assert type(player.act(env, "player_2")) is int
    env = made("sushi_go", "parallel_env")
    with pytest.raises(
        ValueError, match="in a parallel environment name the agent"
    ) as (raised):
        player.act(env)
    assert "player_0, player_1, player_2" in str(raised.value)


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True, np.float64(1), [1]])
def test_seeds_that_are_refused(seed):
    for make in AGENTS.values():
        with pytest.raises(ValueError, match=r"seed=.*expected an integer from 0"):
            make(seed=seed)
    agent = RandomAgent(seed=1)
    with pytest.raises(ValueError, match="expected an integer from 0"):
        agent.reset(seed)


def test_settings_that_are_refused():
    with pytest.raises(ValueError, match=r"unknown option of mcts 'simulation'.*simul"):
        MCTSAgent(simulation=5)
    with pytest.raises(ValueError, match="tree='two': expected one of one, self"):
        MCTSAgent(tree="two")
    with pytest.raises(ValueError, match="samples=0: expected an integer from 1"):
        OneStepAgent(samples=0)
    with pytest.raises(TypeError):
        RandomAgent(simulations=5)
    with pytest.raises(ValueError, match="tictactoe has no evaluation function"):
        MCTSAgent(value="evaluate").act(made("tictactoe"))


@pytest.mark.parametrize("agent", ["one", "one-step", "random"])
def test_what_is_no_environment(agent):
    with pytest.raises(ValueError, match="'chess' is neither a PettingZoo environment"):
        AGENTS[agent]().act("chess")


@pytest.mark.parametrize("spec", ["mcts:simulations=5", "sp-mcts:simulations=5"])
def test_code_is_loaded_before_the_first_decision(spec):
    """Which may have little time."""
    functions = compiled()
    functions.entry.cache_clear()
    functions._module.cache_clear()
    functions.entry("fill_logs")  # as when `compiled` is asked for the first time
    env = hex_game.raw_env(size=3)
    env.reset(seed=1)
    agent = make_agent(spec, seed=1)
    agent.prepare(env.forward_model)
    loaded = functions._module.cache_info().misses
    agent.act(env)
    assert functions._module.cache_info().misses == loaded
