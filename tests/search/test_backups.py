"""Backups against their formulas, alone and in a search on a path made by hand."""

import numpy as np
import pytest

from mcts_agents.model import PLAYING, Rules, Spec, new_generator
from mcts_agents.model.contract import DRAWN
from mcts_agents.search import Search, SearchSettings
from tests.search.by_hand import Node
from tests.toy_games import auction, nim

R = [0.2, 0.9]  # what comes up
VISITS = [3, 0, 5, 2]
MEANS = np.array([[0.5, 0.1], [0.0, 0.0], [0.8, 0.3], [0.6, 0.7]])


def node(player, **settings):
    """Four actions, the second untried; the third is best for player 0."""
    made = Node(4, **settings)
    made.visit(VISITS, MEANS[:, player] * (np.array(VISITS) > 0))
    made.means[:] = MEANS
    return made


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_lambda_mixes_with_the_action_taken(share):
    passed = node(0, backup_lambda=share).pass_up("lambda", 3, R)
    assert passed == pytest.approx(share * np.array(R) + (1 - share) * MEANS[3])


@pytest.mark.parametrize(("player", "best"), [(0, 2), (1, 3)])
def test_max_lambda_mixes_with_the_best_for_who_decides(player, best):
    made = node(player, backup_lambda=0.25)
    passed = made.pass_up("max_lambda", 0, R, player=player)
    assert passed == pytest.approx(0.25 * np.array(R) + 0.75 * MEANS[best])


def test_untried_actions_are_not_the_best():
    made = node(0, backup_lambda=0.0)
    made.means[:] -= 10.0
    made.edges["mean"] = [-9.5, 0.0, -9.2, -9.4]
    assert made.pass_up("max_lambda", 0, R) == pytest.approx(MEANS[2] - 10.0)


@pytest.mark.parametrize("threshold", [0, 4, 9, 10, 1000])
@pytest.mark.parametrize("taken", [0, 2])
def test_max_mc_corrects_what_was_not_the_best(threshold, taken):
    passed = node(0, backup_threshold=threshold).pass_up("max_mc", taken, R)
    weight = max(0.0, (10 - threshold) / 10) if taken != 2 else 0.0
    assert passed == pytest.approx((1 - weight) * np.array(R) + weight * MEANS[2])


@pytest.mark.parametrize("backup", ["lambda", "max_lambda", "max_mc"])
def test_a_simultaneous_decision_changes_only_its_players_entry(backup):
    made = node(1, backup_lambda=0.5, backup_threshold=0.0)
    alone = made.pass_up(backup, 0, R, player=1)
    passed = made.pass_up(backup, 0, R, player=1, simultaneous=True)
    assert passed[0] == R[0]
    assert passed[1] == alone[1] != R[1]


# -- in a search

LADDER = Rules(
    "ladder",
    state=np.dtype([("moves", np.int8), ("code", np.int8)]),
    chance=False,
    search_defaults={"value": "score", "score_bonus": 0.0},
)


@LADDER.variant
def variant(game, *, players=2):
    """Three moves in turn of two actions; eight endings, each of its own value."""
    return Spec(players=players, actions=2)


@LADDER.define
def reset(game, state, rng):
    state.moves = 0
    state.code = 0


@LADDER.define
def movers(game, state):
    return 1 << state.moves % 2 if state.moves < 3 else 0


@LADDER.define
def legal_actions(game, state, player, out):
    out[0], out[1] = 0, 1
    return 2


@LADDER.define
def apply(game, state, joint_action, rng):
    state.code = 2 * state.code + joint_action[state.moves % 2]
    state.moves += 1


@LADDER.define
def scores(game, state, out):
    out[0] = (5 * state.code) % 8
    out[1] = (3 * state.code + 2) % 8


@LADDER.define
def results(game, state, out):
    for player in range(2):
        out[player] = PLAYING if state.moves < 3 else DRAWN


@LADDER.policy
def always_one(game, state, player, rng):
    return 1


def values_of(code):
    return np.array([(5 * code) % 8, (3 * code + 2) % 8], float)


class Twin:
    """The tree of the ladder, mean vectors at every action, in plain Python."""

    def __init__(self, backup, share, threshold):
        self.backup, self.share, self.threshold = backup, share, threshold
        self.visits: dict[tuple, int] = {}
        self.means: dict[tuple, np.ndarray] = {}

    def take_in(self, path, value):
        """`path` is the actions chosen in the tree, `value` the iteration's."""
        for depth in range(len(path), 0, -1):
            edge, player = path[:depth], (depth - 1) % 2
            n = self.visits[edge] = self.visits.get(edge, 0) + 1
            mean = self.means.setdefault(edge, np.zeros(2))
            mean += (value - mean) / n
            tried = [e for a in (0, 1) if (e := (*edge[:-1], a)) in self.visits]
            best = max(tried, key=lambda e: (self.means[e][player], e == edge))
            total = sum(self.visits[e] for e in tried)
            if self.backup == "lambda":
                value = self.share * value + (1 - self.share) * mean
            elif self.backup == "max_lambda":
                value = self.share * value + (1 - self.share) * self.means[best]
            elif total > self.threshold and best != edge:
                w = (total - self.threshold) / total
                value = (1 - w) * value + w * self.means[best]


def edges_of(tree, above=()):
    """Yield the actions that lead to each visited edge, with visits and value."""
    for action in tree["bandits"][0]["actions"]:
        if action["visits"]:
            yield (*above, action["action"]), action["visits"], action["value"]
    for child in tree["children"]:
        (taken,) = child["actions"].values()
        yield from edges_of(child["node"], (*above, taken))


@pytest.mark.parametrize("backup", ["lambda", "max_lambda", "max_mc"])
def test_search_backs_up_as_its_twin(backup):
    share, threshold = 0.6, 2.0
    options = {"backup": backup, "rollout_policy": "always_one", "exploration": 2.0}
    if backup == "max_mc":
        options["backup_threshold"] = threshold
    else:
        options["backup_lambda"] = share
    model = LADDER.model()
    state = model.reset(new_generator(0))
    twin = Twin(backup, share, threshold)
    known: dict[tuple, int] = {}
    for count in range(1, 60):
        settings = SearchSettings(simulations=count, **options)
        found = Search(model, settings).run(state, 0, new_generator(4))
        edges = {path: (n, value) for path, n, value in edges_of(found.tree())}
        # What the last iteration added is its path.
        path = max((p for p, (n, _) in edges.items() if n > known.get(p, 0)), key=len)
        known = {p: n for p, (n, _) in edges.items()}
        code = int("".join(map(str, (*path, 1, 1)[:3])), 2)
        twin.take_in(path, values_of(code))
        assert twin.visits == known
        for path, (_, value) in edges.items():
            assert value == pytest.approx(twin.means[path][(len(path) - 1) % 2])


@pytest.mark.parametrize("tree", ["one", "self", "multi"])
def test_lambda_of_one_and_a_high_threshold_are_monte_carlo(tree):
    for model in (auction(), nim()):
        state = model.reset(new_generator(3))
        player = model.movers(state)[0]
        found = [
            Search(model, SearchSettings(simulations=400, tree=tree, **options))
            .run(state, player, new_generator(5))
            .visits.tolist()
            for options in (
                {"solver": False},
                {"backup": "lambda", "backup_lambda": 1.0},
                {"backup": "max_lambda", "backup_lambda": 1.0},
                {"backup": "max_mc", "backup_threshold": 400.0},
            )
        ]
        assert found[1:] == found[:1] * 3


def test_max_lambda_of_zero_finds_the_best_line_among_random_ones():
    # Uniform selection, but values of best play: what the manual says it is good for.
    model = LADDER.model()
    state = model.reset(new_generator(0))
    settings = SearchSettings(
        simulations=4000,
        tree_policy="uniform",
        backup="max_lambda",
        backup_lambda=0.0,
        final="value",
    )
    found = Search(model, settings).run(state, 0, new_generator(1))

    def best(code, moves):
        if moves == 3:
            return values_of(code)
        options = [best(2 * code + a, moves + 1) for a in (0, 1)]
        return max(options, key=lambda values: values[moves % 2])

    exact = [best(a, 1)[0] for a in (0, 1)]
    assert found.values == pytest.approx(exact, abs=0.1)
    assert found.action == int(np.argmax(exact))


def test_initial_visits_are_not_in_what_is_passed_up():
    # H is 1 for everything, which says nothing of the game's own scale.
    model = LADDER.model()
    state = model.reset(new_generator(0))
    options = {
        "action_heuristic": lambda model, state, player, actions: [1.0] * len(actions),
        "initial_visits": 2,
        "rollout_policy": "always_one",
    }
    settings = SearchSettings(
        simulations=2, backup="lambda", backup_lambda=0.0, max_depth=2, **options
    )
    search = Search(model, settings)
    found = search.run(state, 0, new_generator(4))
    # Each iteration takes another action or goes on below the first one.
    own = search._workspace.memory.arrays["edge_values"].reshape(-1, 2)
    edges = search._workspace.memory.arrays["edges"]
    for bandit in range(int(search._workspace.record["node_count"][0])):
        record = search._workspace.memory.arrays["nodes"][bandit]
        block = slice(record["first"], record["first"] + record["count"])
        np.testing.assert_allclose(own[block, record["player"]], edges["mean"][block])
    assert found.visits.sum() == 2
    assert found.values[found.visits > 0].max() > 1.0
