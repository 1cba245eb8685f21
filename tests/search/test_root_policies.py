"""Decisions at the root: what is tried there, which move is made, what is told."""

import math
import re

import numpy as np
import pytest
from numba import njit

from mcts_agents import MCTSAgent
from mcts_agents.envs import make_model
from mcts_agents.model import Rules, Spec, draw_below, new_generator
from mcts_agents.model.random import random_float
from mcts_agents.search import RootPolicy, Search, SearchSettings
from mcts_agents.search.kernel.records import settings_at
from mcts_agents.search.kernel.root_policies.sequential_halving import visits_due
from mcts_agents.search.kernel.tree_policies.indices import candidate, decision_at
from tests.games.kuhn_poker import KUHN
from tests.search.evaluators import PUCT, of_states
from tests.toy_games import MATRIX, auction, hands, nim

HALVING = {"root_policy": "sequential_halving"}


def found(model, *, seed=0, **chosen):
    """The result of one search from an opening."""
    rng = new_generator(seed)
    state = model.reset(rng)
    search = Search(model, SearchSettings(**{"simulations": 400} | chosen))
    return search.run(state, model.movers(state)[0], rng)


def zeros(observations, players, legal):
    """An evaluator that says nothing."""
    return np.zeros((len(players), 3)), np.zeros(legal.shape)


# -- sequential halving


def halved(actions, budget):
    """The visits of the actions, most first, by the rounds of Karnin et al."""
    visits = np.zeros(actions, int)
    rounds = max(1, int(np.ceil(np.log2(actions))))
    width, left = actions, budget
    while left:
        for _ in range(max(1, budget // (rounds * width))):
            now = min(width, left)
            visits[:now] += 1
            left -= now
        width = max(2, math.ceil(width / 2))
    return visits


@pytest.mark.parametrize("actions", [2, 3, 4, 7, 16, 49])
@pytest.mark.parametrize("budget", [1, 2, 16, 100, 777])
def test_the_schedule_is_that_of_rounds(actions, budget):
    visits = np.zeros(actions, int)
    for taken in range(budget):
        due = visits_due(taken, actions, budget, 1)
        # The first of equals is taken, so places are ranks.
        visits[int(np.flatnonzero(visits == due)[0])] += 1
    assert sorted(visits, reverse=True) == halved(actions, budget).tolist()


@pytest.mark.parametrize("tree", ["one", "self", "multi"])
@pytest.mark.parametrize("simulations", [5, 100, 1000])
@pytest.mark.parametrize(
    "model", [auction(), hands(3), nim(), make_model("hex:size=4")[1]]
)
def test_visits_at_the_root_follow_the_schedule(model, tree, simulations):
    chosen = {"tree": tree, "simulations": simulations, "solver": False}
    result = found(model, **chosen, **HALVING)
    visits = sorted(result.visits.tolist(), reverse=True)
    assert visits == halved(len(result.actions), simulations).tolist()
    # It is the best by value of those that got furthest.
    last = result.visits == result.visits.max()
    best = result.values[last].max()
    assert result.values[result.actions.tolist().index(result.action)] == best


@pytest.mark.parametrize("batch", [1, 8])
def test_with_an_evaluator_waiting_visits_count(batch):
    model = auction()
    chosen = {**PUCT, **HALVING, "batch": batch, "simulations": 200}
    result = found(model, evaluator=of_states(model), **chosen)
    visits = sorted(result.visits.tolist(), reverse=True)
    expected = halved(len(result.actions), 200)
    if batch == 1:
        assert visits == expected.tolist()
    assert sum(visits) == 200
    assert np.abs(np.array(visits) - expected).max() <= batch


@pytest.mark.parametrize("loss", [1, 3])
@pytest.mark.parametrize("root_policy", ["gumbel", "sequential_halving"])
def test_leaves_that_wait_count_once_in_the_schedule(root_policy, loss):
    """In as many simulations as there are actions, each is tried once."""
    model = make_model("hex:size=4")[1]
    result = found(
        model, evaluator=of_states(model), root_policy=root_policy, value="win",
        tree_policy="gumbel", batch=8, virtual_loss=loss, simulations=16,
    )  # fmt: skip
    assert result.visits.tolist() == [1] * 16


BANDIT = Rules(
    "bandit",
    state=np.dtype([("over", np.int8), ("paid", np.int8)]),
    game=np.dtype([("chances", np.float64, 16)]),
    search_defaults={"value": "score", "score_bonus": 0.0},
)


@BANDIT.variant
def variant(game, *, players=1, chances=(0.5, 0.5)):
    """Each arm pays 1 with a chance of its own, once."""
    game["chances"][: len(chances)] = chances
    return Spec(players=players, actions=len(chances))


@BANDIT.define
def reset(game, state, rng):
    state.over = 0
    state.paid = 0


@BANDIT.define
def movers(game, state):
    return 1 - state.over


@BANDIT.define
def legal_actions(game, state, player, out):
    for arm in range(game.actions):
        out[arm] = arm
    return game.actions


@BANDIT.define
def apply(game, state, joint_action, rng):
    state.paid = random_float(rng) < game.chances[joint_action[0]]
    state.over = 1


@BANDIT.define
def scores(game, state, out):
    out[0] = state.paid


@BANDIT.define
def results(game, state, out):
    out[0] = 1 if state.over else 0


def test_it_finds_the_best_arm_more_often_than_equal_shares_or_little_exploration():
    """What it is for: simple regret. 15 arms of 0.5, one of 0.6, 800 tries."""
    model = BANDIT.model(chances=(0.5,) * 11 + (0.6,) + (0.5,) * 4)

    def right(**chosen):
        """How often the best arm is found; the standard error is 1.7 points at most."""
        return sum(
            found(model, seed=seed, simulations=800, **chosen).action == 11
            for seed in range(900)
        )

    halving = right(**HALVING)
    assert halving > right(tree_policy="uniform", final="value") + 60
    assert halving > right(exploration=0.2) + 60


def test_it_shares_out_the_budget_of_each_thread_and_determinization():
    result = found(hands(2), simulations=400, threads=2, **HALVING)
    each = halved(len(result.actions), 200)
    assert result.visits.sum() == 400
    assert result.visits.max() <= 2 * each[0]
    forest = found(
        hands(2), simulations=400, determinizations=4, combine="visits", **HALVING
    )
    assert forest.visits.sum() == 400
    assert forest.visits.max() <= 4 * halved(len(forest.actions), 100)[0]


def test_in_steps_it_is_the_same():
    model = auction()
    whole = found(model, simulations=300, **HALVING)
    search = Search(model, SearchSettings(simulations=300, **HALVING))
    rng = new_generator(0)
    state = model.reset(rng)
    search.begin(state, 0, rng)
    while search.advance(37):
        pass
    assert search.result().visits.tolist() == whole.visits.tolist()


def test_a_winning_move_is_not_missed():
    model = make_model("tictactoe")[1]
    rng = new_generator(0)
    state = model.reset(rng)
    for player, action in ((0, 0), (1, 3), (0, 1), (1, 4)):
        model.apply(state, {player: action}, rng)
    search = Search(model, SearchSettings(simulations=50, **HALVING))
    assert search.run(state, 0, rng).action == 2


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"seconds": 1.0}, "needs a budget of simulations"),
        ({"simulations": 9, "reuse_tree": True}, "reuse_tree=True"),
        (
            {"simulations": 9, "widening": 1.0, "action_heuristic": "mast"},
            "widening=1.0",
        ),
        ({"simulations": 9, "tree_policy": "exp3"}, "draws from no strategy"),
        (
            {**PUCT, "simulations": 9, "root_noise": 0.25, "evaluator": zeros},
            "root_noise=0.25",
        ),
    ],
)
def test_what_it_cannot_do_is_refused(chosen, words):
    with pytest.raises(ValueError, match=words):
        MCTSAgent(**chosen, **HALVING).search_of(auction())


# -- policies of users


@njit
def first_of_all(view_address, settings_address, rng_address):
    """Take the first candidate in the first n simulations of the root, then the last.

    It checks what it is shown by the way.
    """
    view = decision_at(view_address)
    if view.depth != 0:
        raise ValueError("not at the root")
    first = settings_at(settings_address).root_user[1]
    total = settings_at(settings_address).root_user[0]
    taken = total - view.simulations_left
    return candidate(view, 0 if taken < first else view.count - 1)


@pytest.mark.parametrize(
    ("game", "tree"),
    [
        *(("auction", tree) for tree in ("one", "self", "multi", "observers")),
        *(("hands", tree) for tree in ("one", "self", "multi")),
    ],
)
def test_it_chooses_by_the_simulations_left_and_nowhere_else(game, tree):
    model = auction() if game == "auction" else hands(2)
    policy = RootPolicy(
        "first", choose=first_of_all, parameters={"total": 400, "first": 150}
    )
    result = found(model, tree=tree, root_policy=policy, simulations=400)
    visits = result.visits
    assert sorted(visits[visits > 0].tolist()) == [150, 250]
    bandit = result.tree(0)["bandits"][0]
    assert [action["visits"] for action in bandit["actions"]].count(0) == (
        len(bandit["actions"]) - 2
    )
    # Below the root the tree policy goes on.
    below = [child["node"] for child in result.tree(1)["children"]]
    spread = [
        sum(action["visits"] > 0 for action in bandit["actions"])
        for node in below
        for bandit in node["bandits"]
    ]
    assert max(spread) == max(
        map(len, (node["bandits"][0]["actions"] for node in below))
    )


def least_visited(root, settings, rng):
    """The least visited action; of several, one at random."""
    fewest = np.flatnonzero(root.visits == root.visits.min())
    return int(fewest[draw_below(rng, len(fewest))])


def by_value(root, settings):
    """Probabilities in proportion to values."""
    return root.values / root.values.sum()


@pytest.mark.parametrize("threads", [1, 2])
def test_it_makes_the_move_and_tells_the_policy(threads):
    policy = RootPolicy("contrary", final=least_visited, policy=by_value)
    plain = found(auction(), threads=threads)
    result = found(auction(), threads=threads, root_policy=policy)
    assert result.visits.tolist() == plain.visits.tolist()
    made = result.actions.tolist().index(result.action)
    assert result.visits[made] == result.visits.min()
    assert result.policy.tolist() == (result.values / result.values.sum()).tolist()
    assert plain.policy.tolist() == (plain.visits / plain.visits.sum()).tolist()


def test_it_sees_priors_and_the_raw_value():
    seen = []

    def note(root, settings):
        seen.append((root.priors, root.raw_value, root.actions))
        return np.full(len(root.actions), 1 / len(root.actions))

    model = auction()
    evaluator = of_states(model)
    policy = RootPolicy("note", policy=note)
    found(model, evaluator=evaluator, root_policy=policy, **PUCT)
    ((priors, raw, actions),) = seen
    rng = new_generator(0)
    state = model.reset(rng)
    states = evaluator.observe(model, state[None], np.array([0]))
    legal = np.zeros((1, model.actions), bool)
    values, logits = evaluator.answer(states, np.array([0]), legal)
    assert raw == pytest.approx(values[0, 0], abs=1e-6)
    weights = np.exp(logits[0, actions])
    assert priors == pytest.approx(weights / weights.sum(), abs=1e-6)
    seen.clear()
    found(model, root_policy=policy)
    assert np.isnan(seen[0][0]).all()
    assert np.isnan(seen[0][1])


@njit
def most_raw(view_address, settings_address, rng_address):
    """Take the first candidate, unless the node was never evaluated."""
    view = decision_at(view_address)
    return candidate(view, 0 if view.raw_value == view.raw_value else view.count - 1)


def test_a_compiled_choice_sees_the_raw_value():
    model = auction()
    policy = RootPolicy("raw", choose=most_raw)
    seen = found(model, evaluator=of_states(model), root_policy=policy, **PUCT)
    assert np.flatnonzero(seen.visits).tolist() == [0]
    unseen = found(model, root_policy=policy)
    assert np.flatnonzero(unseen.visits).tolist() == [len(unseen.visits) - 1]


@pytest.mark.parametrize("place", [-1, 99, 1.5, True, None])
def test_a_final_choice_must_be_a_place(place):
    policy = RootPolicy("wrong", final=lambda root, settings, rng: place)
    with pytest.raises(ValueError, match=r"'wrong'.*expected the place of an action"):
        found(auction(), root_policy=policy)


@pytest.mark.parametrize("shares", [[1.0], [0.5, 0.5, 0.5, 0.5], [2.0, -1.0, 0.0, 0.0]])
def test_what_is_told_must_be_probabilities(shares):
    policy = RootPolicy("wrong", policy=lambda root, settings: shares)
    with pytest.raises(ValueError, match=r"'wrong'.*probabilities"):
        found(auction(), root_policy=policy)


@njit
def nonsense(view_address, settings_address, rng_address):
    return 1 << 40


def test_an_edge_that_is_no_candidate_is_refused():
    policy = RootPolicy("nonsense", choose=nonsense)
    with pytest.raises(RuntimeError, match="nonsense"):
        found(auction(), root_policy=policy)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"name": "a b"}, ValueError),
        ({"name": "a", "choose": len}, TypeError),
        ({"name": "a", "final": 3}, TypeError),
        ({"name": "a", "parameters": {"x": float("nan")}}, ValueError),
        ({"name": "a", "parameters": {str(i): i for i in range(17)}}, ValueError),
    ],
)
def test_a_policy_that_cannot_be_is_refused(given, error):
    with pytest.raises(error, match=re.escape(f"root policy {given['name']!r}")):
        RootPolicy(**given)


def test_a_final_choice_of_its_own_refuses_the_option():
    policy = RootPolicy("contrary", final=least_visited)
    with pytest.raises(ValueError, match="final"):
        found(auction(), root_policy=policy, final="value")


@pytest.mark.parametrize(
    "model", [KUHN.model(), MATRIX.model(payoffs=(3, 1, 0, 5, 5, 0, 1, 2), rounds=3)]
)
def test_the_default_is_the_tree_policy(model):
    assert (
        found(model, root_policy="tree").visits.tolist()
        == found(model).visits.tolist()
        == found(model, root_policy=RootPolicy("tree")).visits.tolist()
    )
