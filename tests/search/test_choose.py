"""`Search.choose`: the action of `run`, and nothing else that differs."""

import copy

import numpy as np
import pytest

from mcts_agents import MCTSAgent
from mcts_agents.agents import OneStepAgent
from mcts_agents.envs import environments, load_game, make_model
from mcts_agents.model import History, new_generator
from mcts_agents.search import AnsweredLater, RootPolicy, Search, SearchSettings
from tests.search.evaluators import PUCT, of_states
from tests.toy_games import auction, hands, nim

LAST = RootPolicy("last", final=lambda root, settings, rng: len(root.actions) - 1)
CASES = {
    "plain": (auction(), {}),
    "by value": (auction(), {"final": "value"}),
    "trees": (auction(), {"tree": "multi"}),
    "solver": (nim(), {}),
    "hidden": (hands(3), {"information": "set"}),
    "one world": (hands(3), {"information": "perfect"}),
    "determinizations": (hands(3), {"determinizations": 4}),
    "votes": (hands(3), {"determinizations": 4, "combine": "vote"}),
    "threads": (auction(), {"threads": 2}),
    "sampled": (auction(), {"tree_policy": "exp3"}),
    "averages": (auction(), {"rollout_policy": "mast"}),
    "evaluator": (auction(), {"evaluator": of_states(auction()), **PUCT}),
    "root policy": (auction(), {"root_policy": LAST}),
    "halving": (auction(), {"root_policy": "sequential_halving"}),
    "gumbel": (auction(), {"root_policy": "gumbel", "tree_policy": "gumbel"}),
    "calls": (auction(), {"forward_model_calls": 500}),
    "agents inside": (auction(), {"rollout_policy": OneStepAgent(samples=1)}),
    "stored": (auction(), {"loop": "sampled"}),
    "filter": ("pommerman:players=2", {"rollout": 10}),
}


@pytest.mark.parametrize("simulations", [1, 2, 300])
@pytest.mark.parametrize("case", CASES)
def test_it_is_the_action_of_run(case, simulations):
    model, chosen = CASES[case]
    if isinstance(model, str):
        model = make_model(model)[1]
    if "forward_model_calls" not in chosen:
        chosen = {**chosen, "simulations": simulations}
    settings = SearchSettings(**chosen)
    whole, fast = Search(model, settings), Search(model, copy.copy(settings))
    for seed in range(8):
        rng, again = new_generator(seed), new_generator(seed)
        state = model.reset(rng)
        again[:] = rng
        player = model.movers(state)[0]
        # The second decision has averages and memory of the first.
        for _ in range(2):
            found = whole.run(state, player, rng)
            assert fast.choose(state, player, again) == found.action
            assert again.tolist() == rng.tolist()


def test_with_a_tree_that_is_kept():
    """Player 0's from decision to decision; player 1 takes the middle action."""
    model = make_model("hex:size=4")[1]
    settings = SearchSettings(simulations=500, reuse_tree=True, solver=False)
    whole, fast = Search(model, settings), Search(model, settings)
    rng, again = new_generator(1), new_generator(1)
    state, moves, kept = model.reset(rng), [], 0
    while not model.is_over(state):
        (player,) = model.movers(state)
        legal = model.legal_actions(state, player)
        action = int(legal[len(legal) // 2])
        if player == 0:
            history = History(0, tuple(moves))
            found = whole.run(state, 0, rng, history=history)
            assert fast.choose(state, 0, again, history=history) == found.action
            # As text, in which a value that is not a number equals itself.
            assert repr(whole.read_tree(0, 2)) == repr(fast.read_tree(0, 2))
            kept += found.reused > 0
            action = found.action
        moves.append(tuple(action if p == player else -1 for p in range(2)))
        model.apply(state, {player: action}, rng)
        again[:] = rng
    assert kept > 1


@pytest.mark.parametrize("name", ["tictactoe", "sushi_go", "love_letter"])
def test_agents_act_as_they_plan(name):
    game = load_game(name)
    _, make_env, _ = environments(game)
    env = make_env()
    env.reset(seed=3)
    plans, acts = (MCTSAgent(simulations=200, seed=5) for _ in range(2))
    for agent in env.agent_iter():
        if env.terminations[agent]:
            break
        expected = plans.plan(env).action
        assert acts.act(env) == expected
        env.step(expected)


def test_what_run_refuses_is_refused():
    model = auction()
    state = model.reset(new_generator(0))
    search = Search(model, SearchSettings(simulations=5))
    with pytest.raises(ValueError, match="player 7 has no decision"):
        search.choose(state, 7, new_generator(0))
    waiting = AnsweredLater(lambda model, states, players: states)
    search = Search(model, SearchSettings(evaluator=waiting, **PUCT))
    with pytest.raises(ValueError, match="has no answers itself"):
        search.choose(state, 0, new_generator(0))


def test_an_earlier_result_has_no_tree_any_more():
    model = auction()
    state = model.reset(new_generator(0))
    search = Search(model, SearchSettings(simulations=50))
    result = search.run(state, 0, new_generator(0))
    assert result.tree()["visits"] == 50
    search.choose(state, 0, new_generator(1))
    with pytest.raises(RuntimeError, match="another decision"):
        result.tree()
    assert search.read_tree(0)["visits"] == 50
    assert not np.isnan(result.values).all()
