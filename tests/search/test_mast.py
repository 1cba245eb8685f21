"""Move-average sampling against averages that a test keeps of the leaves itself."""

import math

import numpy as np
import pytest

from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.schedule_game import played, points, schedule

MODEL = schedule((1, 2, 1, 2, 1, 2))


class Book:
    """Averages of actions, kept from what leaves say; also the leaf heuristic."""

    def __init__(self, scores=None):
        self.scores = scores
        self.leaves = []

    def __call__(self, model, state):
        moves = played(model, state)
        totals = [int(t) for t in model.view(state)["totals"]]
        values = [float(points(totals, p)) for p in range(2)]
        if self.scores is not None:
            values = [self.scores(moves, p) for p in range(2)]
        self.leaves.append((moves, values))
        return values

    def averages(self, which, tree_steps):
        """Return (visits, total) by player and action: of the first or later steps."""
        counted = np.zeros((2, 3, 2))
        for moves, values in self.leaves:
            for step, row in enumerate(moves):
                inside = step < tree_steps
                if which == "both" or inside == (which == "tree"):
                    player = step % 2
                    counted[player, row[player]] += 1, values[player]
        return counted


def run(book, searching=None, seed=0, **settings):
    if searching is None:
        settings = {"simulations": 200, "max_depth": 1} | settings
        searching = Search(MODEL, SearchSettings(value=book, **settings))
    state = MODEL.reset(new_generator(0))
    return searching, searching.run(state, 0, new_generator(seed))


def stored(searching):
    averages = searching._memory.arrays["averages"].reshape(2, 3)
    return np.stack([averages["visits"], averages["total"]], axis=-1)


@pytest.mark.parametrize("which", ["tree", "rollout", "both"])
@pytest.mark.parametrize("loop", ["open", "closed"])
def test_which_actions_are_averaged(which, loop):
    # One decision deep: the first move is the tree's, the others are the rollout's.
    book = Book()
    searching, _ = run(book, mast=which, rollout_policy="mast", loop=loop)
    np.testing.assert_allclose(stored(searching), book.averages(which, 1))


def test_both_by_default():
    book = Book()
    searching, _ = run(book, opponent_model="mast")
    np.testing.assert_allclose(stored(searching), book.averages("both", 1))


def test_moves_of_modelled_players_are_the_rollouts():
    book = Book()
    searching, _ = run(book, mast="tree", opponent_model="mast", tree="self")
    assert stored(searching)[1].sum() == 0
    assert stored(searching)[0, :, 0].sum() == 200


def test_paranoid_averages_are_of_what_is_backed_up():
    book = Book()
    searching, _ = run(book, rollout_policy="mast", paranoid=True)
    for _, values in book.leaves:
        values[1] = -values[0]
    np.testing.assert_allclose(stored(searching), book.averages("both", 1))


@pytest.mark.parametrize("decay", [0.0, 0.25, 1.0])
def test_decay_between_decisions(decay):
    # TAG's heuristic read an empty table from the second decision on.
    book = Book()
    searching, _ = run(book, rollout_policy="mast", mast_decay=decay)
    first = book.averages("both", 1)
    book.leaves.clear()
    run(book, searching)
    second = book.averages("both", 1)
    np.testing.assert_allclose(stored(searching), decay * first + second)
    searching.forget()
    book.leaves.clear()
    run(book, searching)
    np.testing.assert_allclose(stored(searching), book.averages("both", 1))


def test_another_players_decision_begins_anew():
    book = Book()
    searching, _ = run(book, rollout_policy="mast", mast_decay=1.0)
    book.leaves.clear()
    state = MODEL.reset(new_generator(0))
    MODEL.apply(state, {0: 1}, new_generator(0))
    searching.run(state, 1, new_generator(0))
    # All moves of these leaves but the one that had been played.
    expected = book.averages("both", 0)
    expected[0, 1, 0] -= len(book.leaves)
    expected[0, 1, 1] -= sum(values[0] for _, values in book.leaves)
    np.testing.assert_allclose(stored(searching), expected)


# -- the policy


def by_action(moves, player):
    """A value that depends on the player's own last move alone: 0, 4 or 10."""
    own = [row[player] for row in moves if row[player] >= 0]
    return (0.0, 4.0, 10.0)[own[-1]] if own else 0.0


@pytest.mark.parametrize("temperature", [0.2, 1.0, 5.0])
def test_rollouts_draw_from_the_softmax_of_scaled_averages(temperature):
    # Two moves are left: that of the tree, and one that the second player's averages
    # decide. Its value is its own: averages are 0, 4, 10, scaled 0, 0.4, 1.
    book = Book(by_action)
    model = schedule((1, 2))
    settings = SearchSettings(
        simulations=6000,
        max_depth=1,
        value=book,
        rollout_policy="mast",
        mast_temperature=temperature,
        mast="rollout",
    )
    Search(model, settings).run(model.reset(new_generator(0)), 0, new_generator(3))
    # From where each action was seen and the range of values too.
    actions = [moves[1][1] for moves, _ in book.leaves[500:]]
    shares = np.bincount(actions, minlength=3) / len(actions)
    weights = np.array([math.exp(v / temperature) for v in (0.0, 0.4, 1.0)])
    np.testing.assert_allclose(shares, weights / weights.sum(), atol=0.03)


@pytest.mark.parametrize("default", [0.0, 1.0])
def test_unseen_actions_have_the_default(default):
    # At 0 what is good and known is repeated, at 1 what is unknown is tried.
    found = set()
    for seed in range(6):
        book = Book(by_action)
        run(
            book,
            seed=seed,
            simulations=60,
            rollout_policy="mast",
            mast_default=default,
            mast_temperature=0.01,
            mast="rollout",
        )
        tried = {row[1] for moves, _ in book.leaves for row in moves if row[1] >= 0}
        found.add(len(tried))
    assert (found == {3}) == (default == 1.0)


def test_as_an_action_heuristic():
    # Values tell the second player's moves apart, but the first move of its rollouts is
    # in the tree of no one: with the averages of the rollouts alone its decisions try
    # the best of them first.
    book = Book(by_action)
    _, found = run(
        book, max_depth=1000, simulations=400, action_heuristic="mast", mast="rollout"
    )
    firsts = []
    for child in found.tree()["children"]:
        (bandit,) = child["node"]["bandits"]
        firsts.append({a["action"]: a["visits"] for a in bandit["actions"]})
    assert len(firsts) == 3
    searching, _ = run(
        book,
        max_depth=1000,
        simulations=400,
        action_heuristic="mast",
        progressive_bias=1000.0,
        action_heuristic_interval=1,
        seed=1,
    )
    arrays = searching._memory.arrays
    low, high = searching._search["low"][0], searching._search["high"][0]
    averages = stored(searching)
    scaled = (averages[..., 1] / averages[..., 0] - low) / (high - low)
    first = int(arrays["nodes"]["first"][0])
    asked = arrays["statistics"]["heuristic"][first : first + 3]
    # Asked for at the last visit of the root, one iteration before the end.
    np.testing.assert_allclose(asked, scaled[0], atol=0.05)


def test_averages_are_scaled_to_the_range_seen():
    # TAG's temperature depended on the scale of the game's scores.
    actions = []
    for factor, offset in ((1.0, 0.0), (1000.0, -50.0)):
        book = Book(lambda moves, p, f=factor, o=offset: o + f * by_action(moves, p))
        run(book, rollout_policy="mast", seed=4)
        actions.append([moves for moves, _ in book.leaves])
    assert actions[0] == actions[1]
