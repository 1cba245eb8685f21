"""What objects show of themselves: one short line."""

import numpy as np
import pytest
from numba import njit

from mcts_agents import (
    MCTSAgent,
    OneStepAgent,
    RandomAgent,
    ScriptedAgent,
    SearchResult,
    SearchSettings,
    make_agent,
)
from mcts_agents.arena.analysis.summaries import summarise
from mcts_agents.arena.analysis.tournament_results import Results
from mcts_agents.envs import GAMES, hex, load_game, make_model, tictactoe
from mcts_agents.learn import evaluate
from mcts_agents.model import Rules
from mcts_agents.names import MOST_ARGUMENT
from mcts_agents.search import TreePolicy
from mcts_agents.wrappers import SingleAgentEnv

LONGEST = 120


def lead(model, state):
    return np.zeros(model.players)


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        (RandomAgent(), "RandomAgent()"),
        (RandomAgent(seed=np.int64(4)), "RandomAgent(seed=4)"),
        (
            MCTSAgent(simulations=100, tree="multi", seed=1),
            "MCTSAgent(simulations=100, tree='multi', seed=1)",
        ),
        (MCTSAgent(seconds=0.5), "MCTSAgent(seconds=0.5)"),
        (MCTSAgent(seconds=1, value=lead), "MCTSAgent(seconds=1, value=lead)"),
        (
            MCTSAgent(seconds=1, perfect_information=True),
            "MCTSAgent(seconds=1, perfect_information=True)",
        ),
        (
            OneStepAgent(samples=3, redeterminise=lead),
            "OneStepAgent(samples=3, redeterminise=lead)",
        ),
        (OneStepAgent(), "OneStepAgent()"),
        (OneStepAgent(value="win", seed=0), "OneStepAgent(value='win', seed=0)"),
        (ScriptedAgent(policy="simple"), "ScriptedAgent(policy='simple')"),
        (
            make_agent("mcts:seconds=1,opponent_model=(one-step:samples=2)"),
            "MCTSAgent(seconds=1, opponent_model=OneStepAgent(samples=2))",
        ),
    ],
    ids=str,
)
def test_agents_show_what_differs_from_the_defaults(agent, text):
    assert repr(agent) == text
    assert eval(text.replace("lead", "_lead"), {**globals(), "_lead": lead})


def test_an_agent_goes_on_to_show_the_seed_that_it_was_made_with():
    agent = MCTSAgent(seconds=1, seed=1)
    agent.reset(7)
    assert repr(agent) == "MCTSAgent(seconds=1, seed=1)"


def test_settings_show_what_differs_from_the_defaults():
    assert repr(SearchSettings(seconds=1.0)) == "SearchSettings(seconds=1.0)"

    @njit
    def least(view, settings, rng):
        return 0

    own = SearchSettings(simulations=10, tree_policy=TreePolicy("least", least))
    assert "TreePolicy(name='least'" in repr(own)
    assert len(repr(own)) <= LONGEST
    assert "\n" not in repr(own)


def test_results_show_the_move_and_what_was_found():
    few = SearchResult(2, np.array([0, 2]))
    assert repr(few) == "<SearchResult: action 2 of 2>"
    many = SearchResult(
        action=7,
        actions=np.arange(400, dtype=np.int32),
        visits=np.full(400, 25),
        values=np.linspace(0, 1, 400),
        simulations=10_000,
        seconds=1.23456,
        solved=True,
    )
    assert repr(many) == (
        "<SearchResult: action 7 of 400, value 0.01754, visits 25 of 10000, "
        "simulations 10000, seconds 1.23, solved>"
    )
    assert len(repr(many)) <= LONGEST


@pytest.mark.parametrize(
    ("stones", "proven"),
    [
        ((0, 3, 1, 4), "proven win"),  # two in a row
        ((0, 1, 2, 4), "proven draw"),
        ((0, 4, 8, 2, 6), "proven loss"),  # the opponent has two ways to win
    ],
)
def test_a_proof_is_shown_instead_of_the_mean(stones, proven):
    env = tictactoe.env()
    env.reset(seed=1)
    for cell in stones:
        env.step(cell)
    result = MCTSAgent(simulations=2000, seed=1).plan(env)
    assert result.solved
    assert result.proven == proven
    assert f"of {len(result.actions)}, {proven}, " in repr(result)
    assert "value" not in repr(result)
    assert repr(result).endswith(", solved>")


def test_the_value_of_the_chosen_action():
    many = SearchResult(7, np.array([2, 7]), values=np.array([0.5, 0.25]))
    assert many.value == 0.25
    assert np.isnan(SearchResult(7, np.array([2, 7])).value)


def test_an_agents_result():
    env = tictactoe.env()
    env.reset(seed=1)
    result = MCTSAgent(simulations=50, seed=1).plan(env)
    assert repr(result).startswith(f"<SearchResult: action {result.action} of 9, value")
    assert f"of {result.visits.sum()}, simulations 50" in repr(result)


def test_environments_show_their_game_and_what_was_chosen():
    raw = hex.raw_env(size=5, render_mode="ansi")
    version = raw.metadata["name"]
    shown = f"<GameAECEnv of {version}(size=5, render_mode='ansi')>"
    assert repr(raw) == shown
    assert repr(hex.parallel_env()) == f"<GameParallelEnv of {version}()>"
    raw.reset(seed=1)
    assert repr(raw) == shown
    learner = SingleAgentEnv(hex.parallel_env(size=5))
    assert repr(learner) == f"<SingleAgentEnv of {version}: seat 0>"
    learner = SingleAgentEnv(hex.parallel_env(size=5), seat="random")
    assert repr(learner) == f"<SingleAgentEnv of {version}: seat random>"


@pytest.mark.parametrize("name", GAMES)
def test_games_and_their_rules(name):
    game = load_game(name)
    assert repr(game).startswith(f"<Game {name}_v{game.version} for ")
    assert repr(game.rules).startswith(f"<Rules of {name}: ")
    for shown in (game, game.rules):
        assert len(repr(shown)) <= LONGEST
        assert "\n" not in repr(shown)


def test_models_show_their_variant():
    _, model = make_model("hex:size=5")
    assert repr(model).startswith("<CompiledModel of hex(players=2, size=5")
    assert len(repr(model)) <= LONGEST


def test_rules_of_a_user():
    rules = Rules("stones", state=np.dtype([("left", np.int8), ("turn", np.int8)]))
    assert repr(rules) == "<Rules of stones: 0 functions, states of 2 bytes>"


def test_figures_of_an_agent_and_of_a_tournament():
    found = evaluate("one-step", "random", "tictactoe", games=4)
    shown = repr(found)
    assert shown.startswith("<AgentFigures of 'agent': 4 seats, win rate ")
    assert f"{found.win_rate.value:.4g} (" in shown and "mean score" in shown
    assert len(shown) <= LONGEST
    summary = summarise([], ["x" * 200])
    assert repr(summary) == "<Summary: 1 agents, 0 settings, 0 games>"
    assert repr(summary.overall) == "<Figures of all settings: 1 agents, 0 games>"
    assert "win rate unknown" in repr(summary.overall.agents[0])
    results = Results("t" * 300 + ".sqlite", {}, 10, ())
    assert repr(results).endswith(".sqlite: 0 of 10 games>")
    for each in (*summary.overall.agents, results):
        assert len(repr(each)) <= LONGEST + MOST_ARGUMENT
        assert "\n" not in repr(each)
