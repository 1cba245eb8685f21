"""Rewards along the path and a discount, against plain twins and worked examples.

Discounts of the twins' tests are powers of 1/2, rewards small integers and what
evaluators say multiples of 1/256: so every sum is exact, and equal in any order.
"""

from itertools import product

import numpy as np
import pytest

from mcts_agents import MCTSAgent
from mcts_agents.model import PLAYING, WON, Rules, Spec, new_generator
from mcts_agents.search import AnsweredLater, Search, SearchSettings
from tests.search.evaluator_twin import EvaluatorTwin
from tests.search.evaluators import OfStates
from tests.search.schedule_game import schedule
from tests.search.stored_twin import StoredTwin
from tests.search.test_kernel import compare_with_twin, position
from tests.team_game import STONES
from tests.toy_games import auction, hands

AT_ONCE = schedule((7,) * 5, players=3)
MIXED = schedule((7, 6, 3, 7, 5, 2, 7, 4, 7), players=3)
IN_TURN = schedule((1, 2, 4, 1, 4, 2, 1), players=3)
BY_SCORE = {"value": "score", "score_bonus": 0.0, "exploration": 0.7}

# -- what it is

CORRIDOR = Rules(
    "corridor",
    state=np.dtype([("at", np.int8), ("score", np.float64)]),
    game=np.dtype([("offset", np.float64)]),
    chance=False,
    search_defaults={"value": "score", "score_bonus": 0.0},
)
STEPS, NEAR, FAR = 4, 1.0, 1.5


@CORRIDOR.variant
def variant(game, *, players=1, offset=0.0):
    """0: take 1 and stop; 1: walk on, to 1.5 at the end."""
    game["offset"] = offset
    return Spec(players=players, actions=2)


@CORRIDOR.define
def reset(game, state, rng):
    state.at = 0
    state.score = game.offset


@CORRIDOR.define
def movers(game, state):
    return 1 if 0 <= state.at < STEPS else 0


@CORRIDOR.define
def legal_actions(game, state, player, out):
    out[0], out[1] = 0, 1
    return 2


@CORRIDOR.define
def apply(game, state, joint_action, rng):
    if joint_action[0] == 0:
        state.score += NEAR
        state.at = -1
    else:
        state.at += 1
        if state.at == STEPS:
            state.score += FAR


@CORRIDOR.define
def scores(game, state, out):
    out[0] = state.score


@CORRIDOR.define
def results(game, state, out):
    out[0] = PLAYING if 0 <= state.at < STEPS else WON


def corridor(offset=0.0, **chosen):
    model = CORRIDOR.model(offset=offset)
    settings = SearchSettings(**{"simulations": 5000, "exploration": 2.0} | chosen)
    rng = new_generator(1)
    return Search(model, settings).run(model.reset(rng), 0, rng)


@pytest.mark.parametrize("loop", ["open", "closed"])
@pytest.mark.parametrize("backup", ["monte_carlo", "max_mc"])
@pytest.mark.parametrize("discount", [0.7, 0.8, 0.9, 0.95, 1.0, None])
def test_it_decides_between_a_small_reward_now_and_a_large_one_later(
    discount, loop, backup
):
    found = corridor(discount=discount, loop=loop, backup=backup)
    later = FAR * (1.0 if discount is None else discount) ** (STEPS - 1)
    assert found.action == int(later > NEAR)
    # The action that ends it has a value that is exact.
    assert found.values[0] == NEAR
    assert found.values[1] <= max(later, NEAR * (discount or 1.0)) + 1e-12
    if found.action == 1:
        assert found.values[1] == pytest.approx(later, rel=0.2)


@pytest.mark.parametrize("offset", [-1e6, 3.0, 1e9])
def test_what_was_scored_before_means_nothing(offset):
    plain, shifted = corridor(discount=0.5), corridor(offset, discount=0.5)
    assert plain.visits.tolist() == shifted.visits.tolist()
    assert plain.values.tolist() == shifted.values.tolist()


def test_a_long_way_loses_no_precision():
    """Divided by powers of the discount, rewards of a long game would be lost."""
    model = schedule((1, 2, 4) * 4, players=3)
    for discount in (1e-3, 1e-9):
        search = Search(model, SearchSettings(**BY_SCORE, discount=discount))
        rng = new_generator(0)
        state = model.reset(rng)
        found = search.run(state, 0, rng)
        before = model.scores(state)[0]
        for action, value in zip(found.actions.tolist(), found.values, strict=True):
            after = state.copy()
            model.apply(after, {0: action}, rng)
            assert value == pytest.approx(model.scores(after)[0] - before, abs=0.02)


# -- against twins


GAMES = {
    "auction": auction(),
    "hands": hands(3),
    "mixed": MIXED,
    "stones": STONES.model(teams=(0, 1, 2, 1), left=12),
}
TREES, ROLLOUTS = ("one", "self", "multi"), (0, 3, 1000)
# Every two of a game, a tree and a rollout meet, with one of the third.
OPEN_CASES = [
    (game, tree, rollout)
    for (i, game), (j, tree), (k, rollout) in product(
        enumerate(GAMES), enumerate(TREES), enumerate(ROLLOUTS)
    )
    if (i + j + k) % 3 == 0
]


@pytest.mark.parametrize(("game", "tree", "rollout"), OPEN_CASES)
@pytest.mark.parametrize("paranoid", [False, True])
@pytest.mark.parametrize("discount", [0.5, 1.0])
def test_open_loops_equal_the_twin(game, tree, paranoid, discount, rollout):
    model = GAMES[game]
    settings = SearchSettings(
        simulations=250,
        tree=tree,
        paranoid=paranoid,
        discount=discount,
        rollout=rollout,
        solver=False,
        **BY_SCORE,
    )
    for seed in range(2):
        state, player = position(model, seed, seed)
        compare_with_twin(model, settings, state, player, seed)


@pytest.mark.parametrize("game", [AT_ONCE, MIXED, IN_TURN])
@pytest.mark.parametrize("paranoid", [False, True])
@pytest.mark.parametrize("tree", ["self", "pair"])
@pytest.mark.parametrize("max_depth", [2, 1000])
def test_stored_states_equal_the_twin(game, tree, paranoid, max_depth):
    def next_mover(state):
        return [other for other in (1, 2) if other in game.movers(state)][:1]

    for simultaneous in ("decoupled", "serialised"):
        if tree == "self" and simultaneous == "serialised":
            continue
        settings = SearchSettings(
            simulations=400,
            tree=tree,
            loop="sampled",
            discount=0.5,
            rollout=0,
            paranoid=paranoid,
            max_depth=max_depth,
            opponent_model="highest",
            simultaneous=simultaneous,
            **BY_SCORE,
        )
        state = game.reset(new_generator(0))
        found = Search(game, settings).run(state, 0, new_generator(3))
        twin = StoredTwin(
            game,
            state,
            0,
            new_generator(3),
            select=next_mover if tree == "pair" else None,
            reply=lambda state, player: 2,
            serialised=simultaneous == "serialised",
            paranoid=paranoid,
            max_depth=max_depth,
            exploration=0.7,
            discount=0.5,
        ).run(400)
        assert found.visits.tolist() == twin.visits(found.actions)
        edges = twin.root.edges[0]
        means = [edges[action].mean for action in found.actions.tolist()]
        assert found.values.tolist() == pytest.approx(means, abs=1e-12)


class Coarse(OfStates):
    """Values that are multiples of 1/256, between -8 and 8."""

    def answer(self, observations, players, legal):
        values, logits = super().answer(observations, players, legal)
        return np.round(16 * 256 * (values - 0.5)) / 256, logits


def coarse(model):
    return Coarse(model.players, (model.state_size, model.actions), 5)


@pytest.mark.parametrize("game", [auction(), MIXED, IN_TURN])
@pytest.mark.parametrize("tree", ["one", "self", "multi"])
@pytest.mark.parametrize("batch", [1, 8])
def test_evaluators_equal_the_twin(game, tree, batch):
    settings = SearchSettings(
        simulations=300,
        tree=tree,
        discount=0.5,
        tree_policy="alphago",
        evaluator=coarse(game),
        batch=batch,
        value="score",
        score_bonus=0.0,
    )
    rng, twin_rng = new_generator(2), new_generator(2)
    state = game.reset(rng)
    game.reset(twin_rng)
    found = Search(game, settings).run(state, 0, rng)
    everybody = set(range(game.players))
    owners = {"one": [everybody], "self": [{0}], "multi": [{p} for p in everybody]}
    twin = EvaluatorTwin(
        game, state, 0, twin_rng, coarse(game), owners=owners[tree], discount=0.5
    ).run(300)
    if batch == 1:
        assert found.visits.tolist() == twin.visits(found.actions)
    else:  # other paths, of the same returns
        assert found.visits.sum() == 300
        link = twin.roots[0]
        (node,) = (n for n in link.nodes.values() if 0 in n.bandits)
        edges = node.bandits[0].edges
        means = [edges[action].mean for action in found.actions.tolist()]
        most = found.visits >= 50
        assert most.any()
        assert found.values[most] == pytest.approx(np.array(means)[most], abs=1.0)


# -- beside other options


@pytest.mark.parametrize("backup", ["lambda", "max_lambda", "max_mc"])
@pytest.mark.parametrize("tree", ["one", "multi"])
@pytest.mark.parametrize("game", [auction(), MIXED])
def test_complex_backups_that_change_nothing_are_monte_carlo(game, tree, backup):
    plain = {"max_mc": {"backup_threshold": 1e9}}.get(backup, {"backup_lambda": 1.0})
    chosen = {"tree": tree, "discount": 0.5, "simulations": 500, **BY_SCORE}
    found = []
    for more in ({"backup": backup, **plain}, {}):
        rng = new_generator(4)
        state, player = position(game, 1)
        settings = SearchSettings(**chosen, **more)
        found.append(Search(game, settings).run(state, player, rng))
    assert found[0].visits.tolist() == found[1].visits.tolist()
    assert found[0].values.tolist() == found[1].values.tolist()


def test_leaves_answered_later_bring_the_same_returns():
    game = auction()
    chosen = {
        "simulations": 300,
        "discount": 0.5,
        "tree_policy": "alphago",
        "value": "score",
        "score_bonus": 0.0,
    }
    evaluator = coarse(game)
    state = game.reset(new_generator(0))
    at_once = Search(game, SearchSettings(**chosen, evaluator=evaluator))
    expected = at_once.run(state, 0, new_generator(1))
    later = AnsweredLater(lambda model, states, players: states)
    search = Search(game, SearchSettings(**chosen, evaluator=later))
    search.begin(state, 0, new_generator(1))
    while search.advance(64) or search.waiting:
        if search.waiting:
            _, players, legal = search.leaves()
            seen = evaluator.observe(game, search.leaves()[0], players)
            search.answer(*evaluator.answer(seen, players, legal))
    assert search.result().visits.tolist() == expected.visits.tolist()
    np.testing.assert_array_equal(search.result().values, expected.values)


@pytest.mark.parametrize("value", ["win", "leader", "evaluate"])
def test_it_takes_scores(value):
    with pytest.raises(ValueError, match=r"discount.*value score"):
        MCTSAgent(discount=0.9, value=value).search_of(auction())


@pytest.mark.parametrize("discount", [0.0, -0.5, 1.5, float("nan")])
def test_it_is_above_0_and_at_most_1(discount):
    with pytest.raises(ValueError, match="discount"):
        SearchSettings(discount=discount)
