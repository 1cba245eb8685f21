"""Searches of what a game's action filter keeps, against the plain definitions."""

import numpy as np
import pytest

from mcts_agents.minimax import Minimax, MinimaxSettings
from tests.minimax import reference
from tests.minimax.reference import Paranoid, considered, generator
from tests.minimax.test_references import positions
from tests.minimax.thicket import FILTERED, SURE

LIMITS = {
    "alphabeta": {},
    "negascout": {},
    "paranoid-alphabeta": {},
    "brs-plus": {"free_opponents": 1, "ranked_moves": 1},
}
DEPTH = 4


def worths(model, state, player, algorithm):
    """Return what each action is worth by the plain definition."""
    if algorithm == "max-n":
        found = reference.max_n(model, state, player, DEPTH, "score")
        return {action: values[player] for action, values in found.items()}
    plain = Paranoid(model, player, "score", **LIMITS[algorithm])
    return plain.actions(state, DEPTH)


@pytest.mark.parametrize("chosen", [None, "game"])
@pytest.mark.parametrize("algorithm", [*LIMITS, "max-n"])
def test_only_what_the_filter_keeps_is_searched(algorithm, chosen):
    players = 2 if algorithm in ("alphabeta", "negascout") else 3
    model = FILTERED.model(players=players)
    whole = SURE.model(players=players)
    settings = MinimaxSettings(
        algorithm, depth=DEPTH, value="score", action_filter=chosen
    )
    search = Minimax(model, settings)
    left_out = other = 0
    for state, player in positions(model, 60):
        result = search.run(state, player, generator())
        kept = considered(model, state, player)
        legal = model.legal_actions(state, player).tolist()
        assert result.actions.tolist() == legal
        assert result.action in kept
        if len(kept) == 1:  # there is nothing to search
            assert result.nodes == 0
            continue
        expected = worths(model, state, player, algorithm)
        assert set(expected) == set(kept)
        found = dict(zip(legal, result.values.tolist(), strict=True))
        best = max(expected.values())
        assert found[result.action] == expected[result.action] == best
        assert all(np.isnan(found[action]) for action in set(legal) - set(kept))
        assert not result.solved
        left_out += len(kept) < len(legal)
        # The same actions at the root, and all of them below it.
        unfiltered = worths(whole, state, player, algorithm)
        other += best != max(unfiltered[action] for action in kept)
    assert left_out > 10
    assert other > 10


@pytest.mark.parametrize("algorithm", [*LIMITS, "max-n"])
def test_all_actions_are_searched_if_that_is_asked_for(algorithm):
    players = 2 if algorithm in ("alphabeta", "negascout") else 3
    model, whole = FILTERED.model(players=players), SURE.model(players=players)
    settings = MinimaxSettings(
        algorithm, depth=DEPTH, value="score", action_filter="all"
    )
    filtered, plain = Minimax(model, settings), Minimax(whole, settings)
    for state, player in positions(model, 20):
        found, expected = (s.run(state, player, generator()) for s in (filtered, plain))
        assert found.nodes == expected.nodes
        np.testing.assert_array_equal(found.values, expected.values)


@pytest.mark.parametrize("algorithm", [*LIMITS, "max-n"])
def test_a_filter_that_keeps_nothing_is_an_error(algorithm):
    model = FILTERED.model(keeps_none=True)
    settings = MinimaxSettings(algorithm, depth=2, value="score")
    search = Minimax(model, settings)
    words = "^thicket_filtered: `filter_actions` must return from 1 to as many actions"
    below = [at for at in positions(model, 40) if model.view(at[0])["left"] == 6]
    below = [at for at in below if len(considered(model, *at)) > 1]
    assert below
    for state, player in below:
        with pytest.raises(RuntimeError, match=words):
            search.run(state, player, generator())
    unfiltered = MinimaxSettings(algorithm, depth=2, value="score", action_filter="all")
    assert Minimax(model, unfiltered).run(*below[0], generator()).depth == 2
