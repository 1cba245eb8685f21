"""Opponent move abstraction against an independent book of pools.

Baier, Kaisers, CoG 2020: the value of an own action is mixed with its mean over all
positions that the same own moves led to, whatever the others played, by the weight
beta = sqrt(e / (3 n(a) + e)) (equation 5).
"""

import dataclasses
import functools
import math

import numpy as np
import pytest
from numba import njit

from mcts_agents.model import (
    DRAWN,
    PLAYING,
    History,
    Rules,
    Spec,
    new_generator,
    random_below,
)
from mcts_agents.model.hashing import mixed
from mcts_agents.search import Search, SearchSettings
from mcts_agents.search.kernel import abstraction as abstraction_module
from mcts_agents.search.kernel.abstraction import FIRST_CONTEXTS
from mcts_agents.search.kernel.tree_policies import TREE_POLICIES
from mcts_agents.search.kernel.tree_policies.indices import (
    candidate,
    decision_at,
    edges_at,
)
from tests.search.by_hand import Node
from tests.search.schedule_game import schedule

MODEL = schedule((1, 2, 1, 2, 1))
E = 5.0


def edges_of(tree, above=()):
    """Yield (path, player, action record) of visited edges; paths are (player, a)."""
    (bandit,) = tree["bandits"]
    for action in bandit["actions"]:
        if action["visits"]:
            yield above, bandit["player"], action
    for child in tree["children"]:
        ((player, action),) = child["actions"].items()
        yield from edges_of(child["node"], (*above, (player, action)))


def run(count, abstraction, exploration=0.4, **options):
    state = MODEL.reset(new_generator(0))
    searching = Search(
        MODEL,
        SearchSettings(
            simulations=count,
            abstraction=abstraction,
            abstraction_visits=E,
            exploration=exploration,
            **options,
        ),
    )
    return searching, searching.run(state, 0, new_generator(7))


def pools_of(tree, players):
    """Sum visits and values over all nodes with the same own moves before."""
    pools: dict[tuple, list[float]] = {}
    for path, player, action in edges_of(tree):
        if player in players:
            own = tuple(a for p, a in path if p == player)
            pool = pools.setdefault((player, own, action["action"]), [0, 0.0])
            pool[0] += action["visits"]
            pool[1] += action["visits"] * action["value"]
    return pools


@pytest.mark.parametrize(("abstraction", "players"), [("own", {0}), ("all", {0, 1})])
def test_pools_hold_the_means_over_all_that_the_others_played(abstraction, players):
    searching, found = run(400, abstraction)
    expected = sorted(
        (n, total / n) for n, total in pools_of(found.tree(), players).values()
    )
    stored = searching._workspace.memory.arrays["pools"]
    stored = stored[stored["visits"] > 0]
    assert (
        len(stored)
        == len(expected)
        == int(searching._workspace.record["pool_count"][0])
    )
    pairs = sorted(zip(stored["visits"].tolist(), stored["mean"].tolist(), strict=True))
    np.testing.assert_allclose(pairs, expected)


@pytest.mark.parametrize(("abstraction", "players"), [("own", {0}), ("all", {0, 1})])
def test_each_choice_is_that_of_equation_5(abstraction, players):
    checked = mattered = 0
    before = None
    for count in range(1, 250):
        searching, found = run(count, abstraction)
        record = searching._workspace.record[0]
        tree = found.tree()
        edges = {
            (path, player, a["action"]): (a["visits"], a["value"])
            for path, player, a in edges_of(tree)
        }
        if before is not None:
            old, pools, lows, highs = before
            changed = [k for k in edges if edges[k][0] > old.get(k, (0, 0))[0]]
            for path, player, taken in changed:
                known = [old.get((path, player, a)) for a in range(3)]
                if None in known:
                    continue
                total = sum(n for n, _ in known)
                low = lows[player]
                scale = 1 / (highs[player] - low)
                own = tuple(a for p, a in path if p == player)
                merits, plain = [], []
                for a, (n, q) in enumerate(known):
                    value = (q - low) * scale
                    exploration = 0.4 * math.sqrt(math.log(total) / n)
                    plain.append(value + exploration)
                    if player in players:
                        m, pooled = pools[player, own, a]
                        beta = math.sqrt(E / (3 * n + E))
                        value = beta * (pooled / m - low) * scale + (1 - beta) * value
                    merits.append(value + exploration)
                assert merits[taken] >= max(merits) - 1e-6
                checked += 1
                mattered += plain[taken] < max(plain) - 1e-6
        lows, highs = record["low"].tolist(), record["high"].tolist()
        before = edges, pools_of(tree, players), lows, highs
    assert checked > 200
    assert mattered > 5


def test_values_are_mixed_on_one_scale():
    # TAG mixes a raw mean with a scaled one. Far from 0 that decides everything.
    for offset in (0.0, 1000.0):
        node = Node(2, exploration=0.0, abstraction_visits=30.0)
        node.view["low"], node.view["high"] = offset, offset + 10.0
        node.visit([4, 100], [offset + 2.0, offset + 6.0])
        node.pool_visits[:] = [50, 100]
        node.pool_means[:] = offset + np.array([9.0, 6.0])
        # beta = sqrt(30 / 42): 0.845 * 0.9 + 0.155 * 0.2 = 0.79 > 0.6
        assert node.choose("ucb1_extended") == 0
        node.pool_means[0] = offset + 6.0  # 0.845 * 0.6 + 0.155 * 0.2 = 0.54 < 0.6
        assert node.choose("ucb1_extended") == 1


@pytest.mark.parametrize("visits", [1e-300, 1e12])
def test_extremes_of_the_equivalence_parameter(visits):
    state = MODEL.reset(new_generator(0))
    found = {}
    for name, options in (
        ("abstract", {"abstraction": "all", "abstraction_visits": visits}),
        ("plain", {}),
    ):
        settings = SearchSettings(simulations=300, tree_policy="alphago", **options)
        result = Search(MODEL, settings).run(state, 0, new_generator(1))
        found[name] = result.visits.tolist()
    assert (found["abstract"] == found["plain"]) == (visits < 1)


def test_paranoid_pools_hold_what_is_backed_up():
    searching, found = run(300, "all", paranoid=True)
    expected = sorted(
        (n, total / n) for n, total in pools_of(found.tree(), {0, 1}).values()
    )
    stored = searching._workspace.memory.arrays["pools"]
    stored = stored[stored["visits"] > 0]
    pairs = sorted(zip(stored["visits"].tolist(), stored["mean"].tolist(), strict=True))
    np.testing.assert_allclose(pairs, expected)


# -- Figure 2 of the paper


ROOT, OPP_1, OPP_2 = 0, 1, 2
X, Y = 0, 1
AFTER_O, AFTER_P = 0, 1


@functools.cache
def figure_2():
    """The paper's Figure 2: three players in turn, then the root player once more.

    The root player has x and y, opponent 1 one reply to each (m, n), opponent 2 has o
    and p after x, and q after y; then the root player has a and b.
    """
    rules = Rules(
        "figure_2",
        state=np.dtype([("step", np.int8), ("moves", np.int8, 4)]),
        chance=False,
        search_defaults={"value": "score"},
    )

    @rules.variant
    def variant(game, *, players=3):
        return Spec(players=3, actions=2)

    @rules.define
    def reset(game, state, rng):
        state.step = 0
        for step in range(4):
            state.moves[step] = 0

    @rules.define
    def movers(game, state):
        return 0 if state.step == 4 else 1 << (state.step % 3)

    @rules.define
    def legal_actions(game, state, player, out):
        count = 2
        if state.step == 1 or (state.step == 2 and state.moves[0] == 1):
            count = 1
        for action in range(count):
            out[action] = action
        return count

    @rules.define
    def apply(game, state, joint_action, rng):
        state.moves[state.step] = joint_action[state.step % 3]
        state.step += 1

    @rules.define
    def scores(game, state, out):
        for player in range(3):
            out[player] = -1000.0 * state.moves[2] + 100.0 * player

    @rules.define
    def results(game, state, out):
        for player in range(3):
            out[player] = DRAWN if state.step == 4 else PLAYING

    return rules.model()


@njit
def as_in_figure_2(view_address, settings_address, rng_address):
    """Lead 14 simulations through a of node 1, 23 through a of node 2, then 5 via y.

    The first visit of an action ends in the position after it, so x takes one more, m
    one more, o and p one more each.
    """
    view = decision_at(view_address)
    visits = edges_at(view)[candidate(view, 0)].visits
    if view.depth == 0:  # x first
        return candidate(view, 0 if visits < 41 else 1)
    if view.depth == 2 and view.count == 2:  # o first, then p
        return candidate(view, 0 if visits < 15 else 1)
    return candidate(view, 0)


def edge_of(tree, *path):
    """Return the action record at the end of a path of actions."""
    for action in path[:-1]:
        (tree,) = (
            c["node"] for c in tree["children"] if action in c["actions"].values()
        )
    ((record,),) = (
        [a for a in bandit["actions"] if a["action"] == path[-1]]
        for bandit in tree["bandits"]
    )
    return record


def own_key(*moves):
    """Return the key of the root player's pool after these own moves."""
    key = FIRST_CONTEXTS[ROOT]
    for move in moves:
        key = np.uint64(mixed(key, move))
    return key


@pytest.mark.parametrize("abstraction", ["own", "all"])
def test_the_example_of_figure_2(abstraction):
    """Move a, 14 times from node 1 and 23 times from node 2, has 37 in context x."""
    settings = SearchSettings(
        simulations=41 + 8,
        abstraction=abstraction,
        tree_policy=as_in_figure_2,
        rollout=0,
        solver=False,
    )
    model = figure_2()
    searching = Search(model, settings)
    state = model.reset(new_generator(0))
    tree = searching.run(state, ROOT, new_generator(0)).tree()
    node_1, node_2 = edge_of(tree, X, 0, AFTER_O, 0), edge_of(tree, X, 0, AFTER_P, 0)
    node_3 = edge_of(tree, Y, 0, 0, 0)
    assert (node_1["visits"], node_2["visits"], node_3["visits"]) == (14, 23, 5)
    pools = searching._workspace.memory.arrays["pools"]
    found = {pool["key"]: pool for pool in pools if pool["visits"] > 0}
    assert found[own_key(X, 0)]["visits"] == 37
    assert found[own_key(X, 0)]["mean"] == pytest.approx(-1000.0 * 23 / 37)
    assert found[own_key(Y, 0)]["visits"] == 5
    own = {own_key(X), own_key(Y), own_key(X, 0), own_key(Y, 0)}
    assert own <= set(found)
    # Of all players opponent 1 has a pool more, for m and n alike, opponent 2 has two:
    # o and q are both action 0, and no context of its own tells x from y.
    assert len(found) == (4 if abstraction == "own" else 4 + 1 + 2)
    if abstraction == "all":
        assert found[mixed(FIRST_CONTEXTS[OPP_1], 0)]["visits"] == 40 + 7
        assert found[mixed(FIRST_CONTEXTS[OPP_2], AFTER_O)]["visits"] == 15 + 6


# -- TAG's context: only what opponents did since the last own decision


def pools_since_last(tree, players):
    """As `pools_of`, for actions that follow another decision of the same player."""
    pools: dict[tuple, list[float]] = {}
    for path, player, action in edges_of(tree):
        own = [n for n, (p, _) in enumerate(path) if p == player]
        if player in players and own:
            at = own[-1]
            pool = pools.setdefault(
                (player, path[:at], path[at], action["action"]), [0, 0.0]
            )
            pool[0] += action["visits"]
            pool[1] += action["visits"] * action["value"]
    return pools


@pytest.mark.parametrize(("abstraction", "players"), [("own", {0}), ("all", {0, 1})])
def test_the_context_last_tells_the_positions_of_the_last_decision_apart(
    abstraction, players
):
    searching, found = run(2000, abstraction, abstraction_context="last")
    tree = found.tree()
    expected = pools_since_last(tree, players)
    stored = searching._workspace.memory.arrays["pools"]
    stored = stored[stored["visits"] > 0]
    pairs = sorted(zip(stored["visits"].tolist(), stored["mean"].tolist(), strict=True))
    np.testing.assert_allclose(
        pairs, sorted((n, total / n) for n, total in expected.values())
    )
    # Third decisions have contexts of their own here; in the paper's form they share.
    assert len(expected) > len(
        {(p, path_own(above, p), last, a) for p, above, last, a in expected}
    )


def path_own(path, player):
    return tuple(a for p, a in path if p == player)


# -- statistics kept for the whole game: the paper's option f


def own_edges(node, above):
    """Yield (player, own actions up to this one, action record) of visited edges.

    `above` has each player's own actions before the node; several may decide at once.
    """
    for bandit in node["bandits"] if node else ():
        player = bandit["player"]
        for action in bandit["actions"]:
            if action["visits"]:
                yield player, (*above[player], action["action"]), action
    for child in node["children"] if node else ():
        more = {p: (action,) for p, action in child["actions"].items()}
        below = {p: own + more.get(p, ()) for p, own in above.items()}
        yield from own_edges(child["node"], below)


class Book:
    """The pools of a whole game, by player and own moves since its first search."""

    def __init__(self, players):
        self.players = players
        self.played = dict.fromkeys(range(players), ())
        self.pools: dict[tuple, list[float]] = {}

    def add(self, tree, before=None):
        """Take in a search's tree, less what it held `before` the search."""
        for sign, node in ((1, tree), (-1, before)):
            for player, own, action in own_edges(node, dict(self.played)):
                pool = self.pools.setdefault((player, *own), [0, 0.0])
                pool[0] += sign * action["visits"]
                pool[1] += sign * action["visits"] * action["value"]

    def play(self, joint):
        for player, action in enumerate(joint):
            if action != -1:
                self.played[player] += (action,)

    def reachable(self):
        """(visits, mean) of pools below what was played."""
        found = []
        for (player, *own), (visits, total) in self.pools.items():
            played = self.played[player]
            if len(own) > len(played) and tuple(own[: len(played)]) == played:
                found.append((visits, total / visits))
        return sorted(found)


def stored_pools(searching):
    stored = searching._workspace.memory.arrays["pools"]
    stored = stored[stored["visits"] > 0]
    return sorted(zip(stored["visits"].tolist(), stored["mean"].tolist(), strict=True))


KEPT = {
    "in turn": (schedule((1, 2, 4, 1, 2, 4, 1, 2, 4), players=3), {}),
    "twice in a row": (schedule((1, 2, 2, 1, 4, 1, 2, 4, 1), players=3), {}),
    "at once": (schedule((3, 3, 3, 3)), {}),
    "chance": (schedule((1, 2, 1, 2, 1, 2), chance=True), {}),
    "values far from 0": (
        schedule((1, 2, 1, 2, 1, 2)),
        {"value": lambda model, state: [-1e6 + 3.0 * s for s in model.scores(state)]},
    ),
    "reused tree": (schedule((1, 2, 1, 2, 1, 2)), {"reuse_tree": True}),
}


@pytest.mark.parametrize("keeps", [True, False])
@pytest.mark.parametrize("name", KEPT)
def test_statistics_are_kept_for_the_whole_game_or_forgotten(name, keeps, monkeypatch):
    """Kept pools hold what every search of the game has added, and can still be met."""
    monkeypatch.setattr(abstraction_module, "FIRST_POOLS", 8)  # so that tables grow
    model, options = KEPT[name]
    searching = Search(
        model,
        SearchSettings(
            simulations=150,
            abstraction="all",
            keep_abstraction=keeps,
            solver=False,
            **options,
        ),
    )
    rng = new_generator(3)
    state, moves = model.reset(rng), []
    book, decisions = Book(model.players), 0
    while movers := model.movers(state):
        if 0 in movers:
            history = History("a game", tuple(moves))
            searching.begin(state, 0, new_generator(len(moves)), history=history)
            if not keeps:
                book.pools.clear()
                assert stored_pools(searching) == []
            np.testing.assert_allclose(stored_pools(searching), book.reachable())
            before = (
                searching.read_tree(0) if "reuse_tree" in options and moves else None
            )
            searching.advance(150)
            book.add(searching.read_tree(0), before)
            decisions += 1
        joint = {p: int(random_below(rng, 3)) for p in movers}
        model.apply(state, joint, rng)
        joint = tuple(joint.get(p, -1) for p in range(model.players))
        moves.append(joint)
        book.play(joint)
    assert decisions >= 3


def test_another_game_begins_without_kept_statistics():
    settings = SearchSettings(simulations=50, abstraction="all", keep_abstraction=True)
    searching = Search(MODEL, settings)
    state = MODEL.reset(new_generator(0))
    searching.run(state, 0, new_generator(0), history=History("one", ()))
    MODEL.apply(state, {0: 1}, new_generator(0))
    MODEL.apply(state, {1: 2}, new_generator(0))
    played = ((1, -1), (-1, 2))
    for history, kept in [
        (History("one", played), True),
        (History("another", played), False),
        (None, False),
    ]:
        again = Search(MODEL, settings)
        start = MODEL.reset(new_generator(0))
        again.run(start, 0, new_generator(0), history=History("one", ()))
        again.begin(state, 0, new_generator(0), history=history)
        assert bool(stored_pools(again)) == kept
    # An action that nobody saw ends the statistics of its player alone.
    again = Search(MODEL, settings)
    again.run(
        MODEL.reset(new_generator(0)), 0, new_generator(0), history=History(1, ())
    )
    seen = History(1, played)
    unseen = History(1, ((1, -1), (-1, None)))
    counts = []
    for history in (seen, unseen):
        one = Search(MODEL, settings)
        one.run(
            MODEL.reset(new_generator(0)), 0, new_generator(0), history=History(1, ())
        )
        one.begin(state, 0, new_generator(0), history=history)
        counts.append(len(stored_pools(one)))
    assert 0 < counts[1] < counts[0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "abstraction own or all"),
        ({"abstraction": "all", "abstraction_context": "last"}, "context sequence"),
        ({"abstraction": "all", "threads": 2}, "works only with threads=1"),
    ],
    ids=str,
)
def test_statistics_that_cannot_be_kept_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        Search(MODEL, SearchSettings(keep_abstraction=True, **options))


# -- beside other options


def test_pools_of_all_players_in_a_simultaneous_game():
    model = schedule((3, 7, 5, 7), players=3)
    settings = SearchSettings(simulations=500, abstraction="all", solver=False)
    searching = Search(model, settings)
    result = searching.run(model.reset(new_generator(0)), 0, new_generator(0))
    book = Book(3)
    book.add(result.tree())
    np.testing.assert_allclose(stored_pools(searching), book.reachable())


def test_threads_have_pools_of_their_own():
    model = schedule((1, 2, 4) * 3, players=3)
    settings = SearchSettings(simulations=600, abstraction="all", threads=2)
    searching = Search(model, settings)
    result = searching.run(model.reset(new_generator(0)), 0, new_generator(0))
    assert result.simulations == 600
    again = searching.run(model.reset(new_generator(0)), 0, new_generator(0))
    assert again.visits.tolist() == result.visits.tolist()
    for part in searching._threads:
        pools = dict(pools_of(part.read_tree(0), {0, 1, 2}))
        expected = sorted((n, total / n) for n, total in pools.values())
        np.testing.assert_allclose(stored_pools(part), expected)


@pytest.mark.parametrize("tree_policy", ["ucb1", "ucb_tuned", "kl_ucb", "alphago"])
def test_pools_are_looked_up_where_they_are_read_only(tree_policy):
    """A policy of the user's sees them at every node, and chooses the same."""
    own = dataclasses.replace(TREE_POLICIES[tree_policy], name="mine")
    model = schedule((1, 2, 4) * 3, players=3)
    found = []
    for policy in (tree_policy, own):
        settings = SearchSettings(
            simulations=800, abstraction="all", tree_policy=policy, solver=False
        )
        searching = Search(model, settings)
        result = searching.run(model.reset(new_generator(0)), 0, new_generator(0))
        found.append((result.visits.tolist(), result.values.tolist()))
    assert found[0] == found[1]
