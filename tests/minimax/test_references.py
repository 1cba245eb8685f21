"""The compiled searches find what the plain definitions in `reference.py` do."""

from functools import partial

import numpy as np
import pytest

from mcts_agents.minimax import Minimax, MinimaxSettings
from tests.minimax import reference
from tests.minimax.reference import Paranoid, generator
from tests.minimax.thicket import BARE, DICE, SURE

POSITIONS = 60
VARIANTS = {
    "plain": {},
    "ties": {"steps": 2},
    "large": {"scale": 1e6, "shift": -3e6},
    "shifted": {"shift": 100.0},
    "moves twice": {"extra": True},
    "few positions": {"nodes": 4, "extra": True},
}
NO_HELP = {"table": 0, "killers": False, "history": False, "ordering": "none"}


def positions(model, n=POSITIONS, levels=6):
    """Yield (position, a mover with several actions), at several levels."""
    rng, made, tried = generator(7), 0, 0
    while made < n:
        tried += 1
        state = model.reset(rng)
        for _ in range(tried % (levels - 1)):
            joint = {}
            for player in model.movers(state):
                legal = model.legal_actions(state, player)
                joint[player] = int(legal[tried % len(legal)])
            if joint:
                model.apply(state, joint, rng)
        for player in model.movers(state):
            if len(model.legal_actions(state, player)) > 1:
                yield state, player
                made += 1


def check(model, settings, worth, n=POSITIONS):
    """Compare a search's value and action with `worth(state, player)`, by action."""
    search = Minimax(model, settings)
    for state, player in positions(model, n):
        before = state.tobytes()
        result = search.run(state, player, generator())
        assert state.tobytes() == before
        expected = worth(state, player)
        assert set(expected) == set(result.actions.tolist())
        best = max(expected.values())
        found = dict(zip(result.actions.tolist(), result.values, strict=True))
        assert found[result.action] == pytest.approx(best, rel=1e-12, abs=1e-12)
        assert expected[result.action] == pytest.approx(best, rel=1e-12, abs=1e-12)
        for value in found.values():  # at most, if it was cut off
            assert np.isnan(value) or value <= best + 1e-9 * abs(best) + 1e-12


def worth_of(model, depth, value, **limits):
    """Return `worth` of an algorithm with a coalition of opponents."""

    def worth(state, player):
        return Paranoid(model, player, value, **limits).actions(state, depth)

    return worth


HELPS = [{}, NO_HELP, {"table": 0}, {"killers": False, "history": False}]


@pytest.mark.parametrize("value", ["win", "score", "leader", "evaluate"])
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("algorithm", ["alphabeta", "negascout"])
def test_two_players(algorithm, variant, value):
    model = SURE.model(**VARIANTS[variant])
    for depth, options in zip((1, 3, 5, 9), HELPS, strict=True):
        settings = MinimaxSettings(algorithm, depth=depth, value=value, **options)
        check(model, settings, worth_of(model, depth, value), 20)


@pytest.mark.parametrize("options", HELPS)
@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("variant", VARIANTS)
def test_paranoid(variant, players, options):
    model = SURE.model(players=players, **VARIANTS[variant])
    settings = MinimaxSettings("paranoid-alphabeta", depth=4, value="score", **options)
    check(model, settings, worth_of(model, 4, "score"), 20)


@pytest.mark.parametrize("algorithm", ["alphabeta", "negascout", "paranoid-alphabeta"])
@pytest.mark.parametrize("teams", [(0, 1, 0, 1), (0, 0, 1, 1), (0, 1, 1, 1)])
def test_teams(algorithm, teams):
    model = SURE.model(players=4, teams=teams, extra=True)
    for value in ("win", "leader"):
        settings = MinimaxSettings(algorithm, depth=4, value=value)
        check(model, settings, worth_of(model, 4, value), 20)


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("algorithm", ["paranoid-alphabeta", "expectiminimax"])
def test_moves_made_at_once(algorithm, players):
    model = SURE.model(players=players, together=True, levels=3)
    for depth, options in ((1, {}), (4, {"table": 0}), (9, {})):
        settings = MinimaxSettings(algorithm, depth=depth, value="leader", **options)
        check(model, settings, worth_of(model, depth, "leader"), 20)


OPPS = [
    {"free_opponents": 0, "ranked_moves": 1},
    {"free_opponents": 1, "ranked_moves": 1},
    {"free_opponents": 1, "ranked_moves": 2},
    {"free_opponents": 1, "ranked_moves": 0},
    {"free_opponents": 1, "free_moves": 2, "ranked_moves": 1},
    {"free_opponents": 2, "free_moves": 3, "ranked_moves": 1},
    {"free_opponents": 2, "free_moves": 1, "ranked_moves": 2},
    {"free_opponents": 2, "free_moves": 2, "ranked_moves": 0},
    {"free_moves": 2, "ranked_moves": 1},
    {"free_moves": 3, "ranked_moves": 0},
]


@pytest.mark.parametrize("limits", OPPS)
@pytest.mark.parametrize("variant", ["plain", "ties", "moves twice", "few positions"])
def test_opponent_pruning(variant, limits):
    for players, options in ((3, {}), (4, {"table": 0}), (4, {"ordering": "game"})):
        model = SURE.model(players=players, **VARIANTS[variant])
        settings = MinimaxSettings("opps", depth=4, value="score", **limits, **options)
        check(model, settings, worth_of(model, 4, "score", **limits), 15)


PASSING = [
    limits
    for limits in OPPS
    if "free_opponents" in limits and limits["ranked_moves"] == 0
]


@pytest.mark.parametrize("nodes", [40, 4])
@pytest.mark.parametrize("players, depth", [(3, 4), (4, 3)])
@pytest.mark.parametrize("limits", PASSING)
def test_opponents_of_a_player_who_is_skipped(limits, players, depth, nodes):
    """They do not pass on and on, which takes no depth."""
    model = SURE.model(players=players, out=4, nodes=nodes)
    for options in ({}, {"table": 0}):
        settings = MinimaxSettings(
            "opps", depth=depth, value="score", **limits, **options
        )
        check(model, settings, worth_of(model, depth, "score", **limits), 15)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_opponent_pruning_reduces_to(players):
    model = SURE.model(players=players)
    opps = partial(MinimaxSettings, "opps", depth=5, value="leader")
    same = {
        "brs-plus": opps(free_opponents=1, ranked_moves=1),
        "brs": opps(free_opponents=1, ranked_moves=0),
        "paranoid-alphabeta": opps(),
    }
    for name, general in same.items():
        special = MinimaxSettings(name, depth=5, value="leader")
        one, other = Minimax(model, special), Minimax(model, general)
        for state, player in positions(model):
            left, right = (s.run(state, player, generator()) for s in (one, other))
            assert left.action == right.action
            assert left.nodes == right.nodes
            np.testing.assert_array_equal(left.values, right.values)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_best_reply_search(players):
    model = SURE.model(players=players, levels=5)

    def worth(state, player):
        return {
            action: reference.best_reply(
                model,
                reference.after(model, state, {player: action}),
                player,
                depth - 1,
                "score",
            )
            for action in model.legal_actions(state, player).tolist()
        }

    for depth in (1, 2, 3, 4):
        settings = MinimaxSettings("brs", depth=depth, value="score")
        check(model, settings, worth, 20)


@pytest.mark.parametrize("star1", [True, False])
@pytest.mark.parametrize("value", ["win", "evaluate", "leader"])
@pytest.mark.parametrize("players", [2, 3])
def test_listed_chance(players, value, star1):
    for together in (False, True):
        model = DICE.model(players=players, chance=True, levels=4, together=together)
        for depth, table in ((2, 16), (3, 0)) if together else ((2, 16), (4, 16)):
            settings = MinimaxSettings(
                "expectiminimax",
                depth=depth,
                value=value,
                star1=star1,
                table=0 if together else table,
            )
            check(model, settings, worth_of(model, depth, value), 10)


def test_star1_visits_less_for_the_same_values():
    model = DICE.model(chance=True, levels=6)
    nodes = {}
    for star1 in (True, False):
        search = Minimax(
            model,
            MinimaxSettings("expectiminimax", depth=5, value="win", star1=star1),
        )
        found = [search.run(*at, generator()) for at in positions(model)]
        nodes[star1] = sum(result.nodes for result in found)
    assert nodes[True] < 0.9 * nodes[False]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_max_n(players, variant):
    model = SURE.model(players=players, **VARIANTS[variant])
    for depth, value in ((1, "score"), (4, "leader"), (4, "win"), (9, "evaluate")):

        def worth(state, player, depth=depth, value=value):
            found = reference.max_n(model, state, player, depth, value)
            return {action: values[player] for action, values in found.items()}

        settings = MinimaxSettings("max-n", depth=depth, value=value)
        check(model, settings, worth, 10)


def test_max_n_of_moves_made_at_once():
    model = SURE.model(players=3, together=True, levels=3)

    def worth(state, player):
        found = reference.max_n(model, state, player, 4, "score")
        return {action: values[player] for action, values in found.items()}

    check(model, MinimaxSettings("max-n", depth=4, value="score"), worth, 20)


@pytest.mark.parametrize("value", ["win", "evaluate"])
@pytest.mark.parametrize("players", [2, 3])
def test_shallow_pruning_changes_no_value(players, value):
    model = SURE.model(players=players, steps=99)
    full = MinimaxSettings("max-n", depth=5, value=value)
    pruned = MinimaxSettings("max-n", depth=5, value=value, shallow_pruning=True)
    one, other = Minimax(model, full), Minimax(model, pruned)
    nodes = np.zeros(2, int)
    for state, player in positions(model):
        found = [s.run(state, player, generator()) for s in (one, other)]
        nodes += [result.nodes for result in found]
        if value == "evaluate":  # no ties: nobody's choice depends on the order
            assert found[0].action == found[1].action
        left, right = (r.values[r.actions == r.action][0] for r in found)
        assert left == pytest.approx(right)
    assert nodes[1] < nodes[0]


def test_max_n_is_minimax_where_one_gains_what_the_other_loses():
    model = SURE.model(extra=True)
    one = Minimax(model, MinimaxSettings("max-n", depth=5, value="leader"))
    other = Minimax(model, MinimaxSettings("alphabeta", depth=5, value="leader"))
    for state, player in positions(model, 200):
        left, right = (s.run(state, player, generator()) for s in (one, other))
        assert np.nanmax(left.values) == pytest.approx(np.nanmax(right.values))


def test_python_functions_as_values():
    model = BARE.model(players=3)
    asked = []

    def value(model, state):
        asked.append(int(model.view(state)["left"]))
        return model.scores(state) * [1.0, -2.0, 3.0]

    for name in ("paranoid-alphabeta", "max-n"):
        search = Minimax(model, MinimaxSettings(name, depth=3, value=value))
        for state, player in positions(model, 20):
            result = search.run(state, player, generator())
            if name == "max-n":
                found = reference.max_n(model, state, player, 3, value)
                expected = {action: values[player] for action, values in found.items()}
            else:
                expected = Paranoid(model, player, value).actions(state, 3)
            assert np.nanmax(result.values) == max(expected.values())
    assert len(set(asked)) > 2
