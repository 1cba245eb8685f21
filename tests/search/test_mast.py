"""MAST: averages against a recount of logged iterations, and the policy they make."""

import math
from collections import defaultdict

import numpy as np
import pytest

from mcts_agents.agents import MCTSAgent
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.scheduled import RULES as scheduled
from tests.toy_games import hands

MOVERS = (1, 2, 4, 1, 3, 7, 2, 1, 4)
MODEL = scheduled.model(players=3, movers=MOVERS)


class Log:
    """A leaf heuristic of its own, which logs what was done in each iteration."""

    def __init__(self):
        self.iterations = []

    def __call__(self, model, state):
        view = model.view(state)
        played = view["played"][: int(view["moves"]), : model.players].tolist()
        # Something that depends on all actions, and differs from player to player.
        number = sum(3**i * (2 + a) for i, row in enumerate(played) for a in row)
        values = [math.sin(number + 7 * p) for p in range(model.players)]
        self.iterations.append((played, values))
        return values


def recount(log, kept, max_depth=1000, paranoid=None, start=0, own=(0, 1, 2)):
    """Return {(player, action): [visits, total]} of all iterations.

    Args:
        log: (joint actions, values) of each iteration.
        kept: "tree", "rollout" or "both".
        max_depth: The option; an iteration also leaves the tree after a joint action
            that it takes for the first time.
        paranoid: The acting player, whose values the others get negated.
        start: Moves made before the search.
        own: Players of the tree.
    """
    found = defaultdict(lambda: [0.0, 0.0])
    known = set()
    for played, values in log:
        if paranoid is not None:
            values = [
                v if p == paranoid else -values[paranoid] for p, v in enumerate(values)
            ]
        path, depth, inside = (), 0, True
        for row in played[start:]:
            mine = [(p, a) for p, a in enumerate(row) if a >= 0 and p in own]
            for player, action in enumerate(row):
                if action < 0:
                    continue
                in_tree = inside and player in own
                if kept == "both" or (kept == "tree") == in_tree:
                    found[player, action][0] += 1
                    found[player, action][1] += values[player]
            if inside and mine:
                path += (tuple(mine),)
                depth += 1
                inside = path in known and depth < max_depth
                known.add(path)
    return found


def averages(search):
    """Return {(player, action): [visits, total]} of what a search has averaged."""
    model = search.model
    records = search._workspace.memory.arrays["averages"]
    return {
        (i // model.actions, i % model.actions): [float(r["visits"]), float(r["total"])]
        for i, r in enumerate(records)
        if r["visits"] > 0
    }


def assert_close(found, expected):
    expected = {key: entry for key, entry in expected.items() if entry[0] > 0}
    assert found.keys() == expected.keys()
    for key, (visits, total) in expected.items():
        assert found[key] == pytest.approx([visits, total], abs=1e-9), key


def made(log, model=MODEL, **chosen):
    chosen = {"simulations": 200, "rollout_policy": "mast"} | chosen
    return Search(model, SearchSettings(value=log, **chosen))


@pytest.mark.parametrize("kept", ["tree", "rollout", "both"])
@pytest.mark.parametrize("max_depth", [1, 2, 1000])
@pytest.mark.parametrize("paranoid", [False, True])
@pytest.mark.parametrize("rollout", [2, 1000])
def test_averages_are_those_of_all_iterations(kept, max_depth, paranoid, rollout):
    log = Log()
    chosen = {"mast": kept, "max_depth": max_depth, "rollout": rollout}
    search = made(log, paranoid=paranoid, **chosen)
    rng = new_generator(3)
    search.run(MODEL.reset(rng), 0, rng)
    assert len(log.iterations) == 200
    acting = 0 if paranoid else None
    expected = recount(log.iterations, kept, max_depth, paranoid=acting)
    assert_close(averages(search), expected)


@pytest.mark.parametrize("kept", ["tree", "rollout", "both"])
@pytest.mark.parametrize("loop", ["open", "sampled"])
def test_modelled_players_of_a_tree_of_ones_own_count_as_rollouts(kept, loop):
    log = Log()
    search = made(log, tree="self", mast=kept, loop=loop, max_depth=2)
    rng = new_generator(3)
    search.run(MODEL.reset(rng), 0, rng)
    if loop == "open":
        assert_close(averages(search), recount(log.iterations, kept, 2, own=(0,)))
    else:  # replies are stored, and taken once for each edge
        own = {k: v for k, v in averages(search).items() if k[0] == 0}
        found = recount(log.iterations, kept, 2, own=(0,))
        assert_close(own, {k: v for k, v in found.items() if k[0] == 0})


@pytest.mark.parametrize("option", ["rollout_policy", "opponent_model"])
def test_both_are_recorded_if_nothing_is_said(option):
    log = Log()
    search = Search(
        MODEL, SearchSettings(simulations=50, value=log, **{option: "mast"})
    )
    assert search.settings.mast == "both"
    rng = new_generator(0)
    search.run(MODEL.reset(rng), 0, rng)
    assert_close(averages(search), recount(log.iterations, "both"))


@pytest.mark.parametrize("decay", [0.0, 0.25, 1.0])
def test_decay_from_decision_to_decision(decay):
    log = Log()
    search = made(log, mast_decay=decay, mast="both")
    rng = new_generator(1)
    state = MODEL.reset(rng)
    expected = defaultdict(lambda: [0.0, 0.0])
    for _ in range(3):
        log.iterations.clear()
        search.run(state, 0, rng)
        for entry in expected.values():
            entry[0] *= decay
            entry[1] *= decay
        for key, (visits, total) in recount(log.iterations, "both").items():
            expected[key][0] += visits
            expected[key][1] += total
        assert_close(averages(search), expected)
    search.forget()
    log.iterations.clear()
    search.run(state, 0, rng)
    assert_close(averages(search), recount(log.iterations, "both"))


def test_an_agent_keeps_its_seats_apart_and_forgets_on_reset():
    log = Log()
    agent = MCTSAgent(
        simulations=60, value=log, rollout_policy="mast", mast_decay=1.0, seed=0
    )
    rng = new_generator(0)
    first = MODEL.reset(rng)
    second = MODEL.copy(first)
    MODEL.apply(second, {0: 1}, rng)
    expected = {}
    for state, player in ((first, 0), (second, 1), (first, 0)):
        log.iterations.clear()
        agent.search(MODEL, state, player)
        found = recount(log.iterations, "both", start=player)
        total = expected.setdefault(player, defaultdict(lambda: [0.0, 0.0]))
        for key, entry in found.items():
            total[key] = [a + b for a, b in zip(total[key], entry, strict=True)]
    for player in (0, 1):
        assert_close(averages(agent.search_of(MODEL, player)), expected[player])
    agent.reset(0)
    log.iterations.clear()
    agent.search(MODEL, first, 0)
    found = averages(agent.search_of(MODEL, 0))
    assert_close(found, recount(log.iterations, "both"))


def test_the_same_seed_after_reset_decides_alike():
    agent = MCTSAgent(simulations=100, rollout_policy="mast", seed=4)
    rng = new_generator(0)
    state = MODEL.reset(rng)
    results = []
    for _ in range(2):
        agent.reset(4)
        results.append([agent.search(MODEL, state, 0).visits.tolist() for _ in "123"])
    assert results[0] == results[1]


def test_determinizations_of_one_decision_decay_nothing():
    model = hands(2)
    actions = []
    rng = new_generator(2)
    state = model.reset(rng)
    player = model.movers(state)[0]

    def value(model, leaf):
        actions.append(int(model.view(leaf)["played"]).bit_count())
        return model.scores(leaf)

    settings = SearchSettings(
        simulations=90,
        determinizations=3,
        value=value,
        rollout_policy="mast",
        mast_decay=0.0,
    )
    search = Search(model, settings)
    for _ in range(2):
        actions.clear()
        search.run(state, player, rng)
        visits = sum(visits for visits, _ in averages(search).values())
        assert visits == sum(actions)


# -- the policy


def ones_in_rollouts(simulations=3000, players=2, **chosen):
    """Return the share of action 1 below a tree one deep, of each player.

    Player 0 gets 0.25 for its first action 0 and 0.75 for 1, but in the first two
    iterations 0 and 1, so that its scale is 0 to 1; only the tree is averaged.
    """
    model = scheduled.model(players=players, movers=(1, 3, 3, 3))
    counts, number = np.zeros(2), 0

    def value(model, state):
        nonlocal number
        number += 1
        played = model.view(state)["played"]
        if number > 2:
            counts[:] += (played[1:4, :2] == 1).sum(axis=0)
        if number <= 2:
            return [number - 1.0, 0.0]
        return [0.75 if played[0, 0] else 0.25, 0.0]

    search = made(
        value, model, simulations=simulations, max_depth=1, mast="tree", **chosen
    )
    rng = new_generator(0)
    search.run(model.reset(rng), 0, rng)
    return counts / (3 * (simulations - 2)), 3 * (simulations - 2)


def assert_share(found, expected, count):
    assert abs(found - expected) < 5 * math.sqrt(expected * (1 - expected) / count)


@pytest.mark.parametrize("temperature", [0.1, 0.3, 1.0, 100.0])
def test_the_policy_is_a_softmax_of_averages(temperature):
    found, count = ones_in_rollouts(mast_temperature=temperature)
    assert_share(found[0], 1 / (1 + math.exp(-0.5 / temperature)), count)
    assert_share(found[1], 0.5, count)  # its actions were never averaged


@pytest.mark.parametrize("default", [0.0, 0.4, 1.0])
def test_actions_never_taken_have_the_default_value(default):
    # Widening so slow that only the best action by the heuristic is ever taken.
    found, count = ones_in_rollouts(
        mast_temperature=0.5,
        mast_default=default,
        action_heuristic=lambda model, state, player, actions: actions,
        widening=0.01,
        widening_exponent=0.01,
    )
    assert_share(found[0], 1 / (1 + math.exp((default - 0.75) / 0.5)), count)


def test_only_those_meant_follow_the_averages():
    found, count = ones_in_rollouts(rollout_policy="random", opponent_model="mast")
    assert_share(found[0], 0.5, count)
    found, count = ones_in_rollouts(opponent_model="random")
    assert_share(found[0], 1 / (1 + math.exp(-5)), count)


@pytest.mark.parametrize("tree", ["one", "self", "multi"])
@pytest.mark.parametrize("paranoid", [False, True])
def test_the_others_averages_are_on_a_scale_of_their_own(tree, paranoid):
    """They play what they know to be good for them, whoever owns the tree."""
    model = scheduled.model(players=2, movers=(1, 2, 2, 2))
    ones = played_in_all = 0

    def value(model, state):
        nonlocal ones, played_in_all
        played = model.view(state)["played"][1:4, 1]
        ones += (played == 1).sum()
        played_in_all += len(played)
        # Every action 1 of player 1 costs player 0 one point.
        harm = float((played == 1).sum())
        return [-harm, 0.0 if paranoid else harm - 1000.0]

    settings = {"simulations": 2000, "mast": "rollout", "paranoid": paranoid}
    search = made(value, model, tree=tree, max_depth=1, **settings)
    rng = new_generator(0)
    search.run(model.reset(rng), 0, rng)
    assert ones > 0.9 * played_in_all
