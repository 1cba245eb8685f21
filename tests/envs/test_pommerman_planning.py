"""SP-MCTS and TP-MCTS on Pommerman, exactly, and what the death of a planner ends."""

import numpy as np
import pytest

from mcts_agents.envs.pommerman.rules import rules
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.envs.pommerman_positions import crowded, drawn
from tests.search.stored_twin import StoredTwin

VARIANTS = [{}, {"mode": "team"}, {"players": 2}, {"mode": "radio", "fog": False}]
# Modelled agents stand still, so that nothing but the tree draws random numbers.
STORED = {
    "loop": "sampled",
    "rollout": 0,
    "value": "evaluate",
    "opponent_model": "idle",
    "simulations": 300,
    "exploration": 0.5,
}


def position_of(model, seed):
    state = crowded(model, np.random.default_rng(seed))
    return state, model.movers(state)


def nearest(model, state, player):
    """The living enemy at the least Manhattan distance, the first of equals."""
    view = model.view(state)
    team = bool(model.game["team"][0])

    def distance(other):
        one, two = (divmod(int(view["cells"][p]), 12) for p in (player, other))
        return abs(one[0] - two[0]) + abs(one[1] - two[1])

    enemies = [
        other
        for other in range(model.players)
        if view["alive"] >> other & 1
        and other != player
        and not (team and (other - player) % 2 == 0)
    ]
    return min(enemies, key=distance, default=None)


def assert_twins(model, state, player, seed, options, **twin):
    settings = SearchSettings(**STORED | options)
    found = Search(model, settings).run(state, player, new_generator(seed))
    expected = StoredTwin(
        model,
        state,
        player,
        new_generator(seed),
        exploration=0.5,
        filtered=True,
        **twin,
    ).run(300)
    assert found.visits.tolist() == expected.visits(found.actions)
    assert found.forward_model_calls == expected.calls


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_single_player_search_is_algorithm_1(variant):
    model = rules.model(**variant)
    searched = 0
    for seed in range(4):
        state, movers = position_of(model, seed)
        for player in movers:
            if len(model.filter_actions(state, player)) > 1:
                assert_twins(model, state, player, seed, {"tree": "self"})
                searched += 1
    assert searched > 5


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("simultaneous", ["decoupled", "serialised"])
def test_two_player_search_is_algorithm_2(variant, simultaneous):
    model = rules.model(**variant)
    searched = 0
    options = {"tree": "pair", "paranoid": True, "simultaneous": simultaneous}
    if model.players == 2:  # nobody else is left to model
        del options["tree"]
        options["opponent_model"] = None
    for seed in range(4):
        state, movers = position_of(model, seed)
        for player in movers[:2]:
            if len(model.filter_actions(state, player)) == 1:
                continue
            searched += 1

            def select(state, player=player):
                found = nearest(model, state, player)
                return () if found is None else (found,)

            serialised = simultaneous == "serialised"
            twin = {"select": select, "serialised": serialised, "paranoid": True}
            assert_twins(model, state, player, seed, options, **twin)
    assert searched > 3


def test_the_opponent_is_whoever_is_nearest_in_each_state():
    # 1 is nearest; when the bomb has killed it, 2 is.
    model, state = drawn(
        "0..1", "##.#", "....", "2...", bombs=[(0, 2, 3, 2, 2, 0)], blast={3: 2}
    )
    options = {"tree": "pair", "simultaneous": "serialised", "paranoid": True}
    settings = SearchSettings(**STORED | options | {"opponent": "nearest"})
    found = Search(model, settings).run(state, 0, new_generator(1))
    movers = set()

    def collect(node):
        movers.update(node["movers"])
        for child in node["children"]:
            collect(child["node"])

    collect(found.tree())
    assert found.tree()["children"][0]["node"]["movers"] == [1]
    assert movers == {0, 1, 2}


# -- the death of the planner

# Nothing that 0 may do saves it; all others stand still and live on.
DOOMED = ("0#", "#.", "...1", "2...3")
BOMB = [(0, 0, 0, 1, 2, 0)]
IDLE = {"rollout_policy": "idle", "opponent_model": "idle", "action_filter": "all"}


def doomed(**variant):
    _, state = drawn(*DOOMED, bombs=BOMB)
    model = rules.model(**variant)
    return model, state


@pytest.mark.parametrize("tree", ["self", "pair"])
@pytest.mark.parametrize("loop", ["open", "sampled"])
def test_alone_the_dead_see_no_more(tree, loop):
    model, state = doomed()
    settings = SearchSettings(
        tree=tree, loop=loop, rollout=30, simulations=90, solver=False, **IDLE
    )
    found = Search(model, settings).run(state, 0, new_generator(0))
    assert set(found.values[found.visits > 0]) == {0.0}
    # A step of four players, once for each state that is stored.
    stored = 6 if tree == "self" else found.nodes - 2  # the root has two bandits
    assert found.forward_model_calls == 4 * (90 if loop == "open" else stored)


@pytest.mark.parametrize("rollout_end", ["exact", "action", "start", "turn", "round"])
@pytest.mark.parametrize("loop", ["open", "sampled"])
def test_in_a_team_the_rollout_goes_on_within_its_length(loop, rollout_end):
    model, state = doomed(mode="team")
    settings = SearchSettings(
        tree="self",
        loop=loop,
        rollout=10,
        simulations=90,
        rollout_end=rollout_end,
        **IDLE,
    )
    found = Search(model, settings).run(state, 0, new_generator(0))
    # Three live on: nine actions are as many steps of theirs as ten allow. Ends that
    # are stored are rolled out again at each visit.
    steps = 90 if loop == "open" else 6
    assert found.forward_model_calls == 4 * steps + 9 * 90


def test_team_mates_left_behind_are_worth_something():
    model, state = doomed(mode="team")
    settings = SearchSettings(**STORED | {"tree": "self", "action_filter": "all"})
    found = Search(model, settings).run(state, 0, new_generator(0))
    # One of three that live is of the side of 0, and all are equipped alike.
    assert found.values == pytest.approx(np.full(6, 1 / 3))


def test_a_single_move_worth_trying_is_made_at_once():
    model, state = doomed()
    settings = SearchSettings(simulations=10**9)
    found = Search(model, settings).run(state, 0, new_generator(0))
    assert (found.action, found.simulations) == (0, 0)
    assert found.actions.tolist() == list(range(6))
    assert found.visits.tolist() == [0] * 6
    assert found.principal_variation == [(0, 0)]


def test_planners_do_not_speak():
    model = rules.model(mode="radio", fog=False)
    state, movers = position_of(model, 3)
    for tree in ("self", "pair", "one"):
        settings = SearchSettings(
            tree=tree, loop="sampled", rollout=0, value="evaluate", simulations=200
        )
        found = Search(model, settings).run(state, movers[0], new_generator(1))
        assert found.action % 64 == 0
        assert len(found.actions) == 384
        assert found.visits[found.actions % 64 != 0].sum() == 0
