"""Action filters: what they leave out is not searched; filters that fail are named."""

from functools import cache

import numpy as np
import pytest

from mcts_agents.learn.training import SelfPlay
from mcts_agents.model import DRAWN, PLAYING, Rules, Spec, new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.evaluators import linear
from tests.search.schedule_game import schedule

# What is kept: even actions; one; none; none from the second step on; too many.
EVEN, ONE, NONE, NONE_LATER, TOO_MANY = range(5)
ACTIONS = 6


@cache
def filtered(mode, chance=False):
    """Two players in turn, four steps, six actions; the filter as `mode` says."""
    rules = Rules(
        "filtered",
        state=np.dtype([("step", np.int8), ("total", np.int8)]),
        game=np.dtype([("mode", np.int8)]),
        chance=chance,
        search_defaults={"value": "score", "score_bonus": 0.0},
    )

    @rules.variant
    def variant(game, *, players=2, mode=EVEN):
        game["mode"] = mode
        return Spec(players=players, actions=ACTIONS, observation_shape=(2,))

    @rules.define
    def reset(game, state, rng):
        state.step = 0
        state.total = 0

    @rules.define
    def movers(game, state):
        return 1 << state.step % 2 if state.step < 4 else 0

    @rules.define
    def legal_actions(game, state, player, out):
        for action in range(ACTIONS):
            out[action] = ACTIONS - 1 - action
        return ACTIONS

    @rules.define
    def filter_actions(game, state, player, actions, n):
        kept = 0
        for i in range(n):
            if actions[i] % 2 == 0:
                actions[kept] = actions[i]
                kept += 1
        if game.mode == ONE and state.step == 0:
            return 1
        if game.mode == NONE or (game.mode == NONE_LATER and state.step > 0):
            return 0
        return n + 1 if game.mode == TOO_MANY else kept

    @rules.define
    def apply(game, state, joint_action, rng):
        state.total += joint_action[state.step % 2]
        state.step += 1

    @rules.define
    def scores(game, state, out):
        out[0] = state.total
        out[1] = -state.total

    @rules.define
    def results(game, state, out):
        out[:] = DRAWN if state.step == 4 else PLAYING

    @rules.define
    def observe(game, state, player, out):
        out[0] = state.step
        out[1] = state.total

    return rules.model(mode=mode)


def searched(model, **chosen):
    settings = SearchSettings(**{"simulations": 600} | chosen)
    state = model.reset(new_generator(0))
    return Search(model, settings).run(state, 0, new_generator(1))


def actions_in(node):
    """All actions that a tree's edges have."""
    below = (actions_in(child["node"]) for child in node["children"])
    own = {entry["action"] for b in node["bandits"] for entry in b["actions"]}
    return own.union(*below)


KINDS = [
    {"tree": tree, "loop": loop}
    for tree in ("one", "self", "pair")
    for loop in ("open", "sampled")
] + [{"tree": "multi"}, {"tree": "observers"}, {"loop": "closed"}]


@pytest.mark.parametrize(
    ("kind", "chance"),
    [
        (kind, chance)
        for kind in KINDS
        for chance in (False, True)
        if not (chance and kind.get("loop") == "closed")
    ],
    ids=str,
)
def test_what_the_filter_leaves_out_is_never_visited(kind, chance):
    model = filtered(EVEN, chance)
    for chosen in ({}, {"action_filter": "game"}):
        found = searched(model, **kind, **chosen)
        assert found.actions.tolist() == [5, 4, 3, 2, 1, 0]
        assert (found.visits > 0).tolist() == [False, True] * 3
        assert found.visits.sum() == 600
        assert found.action % 2 == 0
        assert actions_in(found.tree()) == {0, 2, 4}
    found = searched(model, action_filter="all", **kind, solver=False)
    assert (found.visits > 0).all()
    assert actions_in(found.tree()) == set(range(6))


GUMBEL = {"root_policy": "gumbel", "tree_policy": "gumbel", "gumbel_scale": 0.1}
PLAIN = {"value": "win", "normalise": False, "simulations": 20}


def test_an_improved_policy_is_of_what_the_filter_keeps():
    model = filtered(EVEN)
    network = linear(model)
    chosen = {**GUMBEL, **PLAIN, "evaluator": network, "batch": 1}
    found = searched(model, **chosen)
    kept = found.visits > 0
    assert kept.tolist() == [False, True] * 3
    _, logits = network(np.zeros((1, 2)), [0], np.ones((1, ACTIONS), bool))
    sigma = (50 + found.visits.max()) * 0.1 * found.values
    weights = np.exp(logits[0, found.actions] + sigma)[kept]
    assert found.policy[kept] == pytest.approx(weights / weights.sum())
    assert not found.policy[~kept].any()
    played = next(SelfPlay(model, SearchSettings(**chosen), games=2))
    assert played.policy.sum(axis=1) == pytest.approx(np.ones(4))
    assert not played.policy[:, 1::2].any()
    assert (played.policy[:, ::2] > 0).all()


def test_an_improved_policy_without_an_evaluator_is_of_what_the_filter_keeps():
    found = searched(filtered(EVEN), **GUMBEL, **PLAIN)
    assert (found.policy > 0).tolist() == [False, True] * 3


def test_rollouts_are_not_filtered():
    model, totals = filtered(EVEN), set()

    def value(model, state):
        totals.add(int(model.view(state)["total"]))
        return model.scores(state)

    searched(model, max_depth=1, rollout=10, value=value)
    assert any(total % 2 for total in totals)


@pytest.mark.parametrize("policy", ["ucb1", "regret_matching"])
def test_a_single_action_that_is_kept_is_taken_at_once(policy):
    for budget in ({"simulations": 10**9}, {"seconds": 100.0}):
        found = searched(filtered(ONE), tree_policy=policy, **budget)
        assert (found.action, found.simulations) == (4, 0)
        assert found.actions.tolist() == [5, 4, 3, 2, 1, 0]
        assert found.visits.tolist() == [0] * 6
        if policy == "regret_matching":
            assert found.strategy.tolist() == [0, 1, 0, 0, 0, 0]
        with pytest.raises(RuntimeError, match="there was one action to choose"):
            found.tree()


@pytest.mark.parametrize("mode", [NONE, NONE_LATER, TOO_MANY])
@pytest.mark.parametrize("loop", ["open", "closed"])
def test_a_filter_that_fails_is_the_games_error(mode, loop):
    words = r"^filtered: `filter_actions` .*must return from 1"
    with pytest.raises(RuntimeError, match=words):
        searched(filtered(mode), loop=loop)
    assert searched(filtered(mode), loop=loop, action_filter="all").simulations == 600


def test_a_game_without_a_filter():
    model = schedule()
    assert SearchSettings().for_model(model).action_filter == "all"
    assert SearchSettings().for_model(filtered(EVEN)).action_filter == "game"
    with pytest.raises(ValueError, match="no function `filter_actions`; use action_f"):
        SearchSettings(action_filter="game").for_model(model)
    with pytest.raises(ValueError, match="has no function 'filter_actions'"):
        model.filter_actions(model.reset(new_generator(0)), 0)


def test_the_solver_would_prove_too_much():
    with pytest.raises(ValueError, match=r"solver=true: .*no action_filter"):
        searched(filtered(EVEN), solver=True, value="win")
    found = searched(filtered(EVEN), solver=True, value="win", action_filter="all")
    assert found.solved
