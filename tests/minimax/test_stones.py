"""The minimax family on Rolit and Focus, three moves ahead, against definitions."""

from functools import cache

import numpy as np
import pytest

from mcts_agents.minimax import Minimax, MinimaxSettings
from tests.minimax import reference
from tests.minimax.reference import Paranoid, generator
from tests.minimax.test_games import TWO_SIDED, best_value, model_of, played

DEPTH = 3
# Plies before the positions, and the most actions there: plain Python looks at all.
GAMES = {"rolit": ((12, 30, 50), 12), "focus": ((60,), 24)}


@cache
def positions(name, players):
    """Return (model, state, mover): a position after each number of plies.

    In Focus for two players so few actions are rare: that takes 2,000 random games.
    """
    model = model_of(name, players=players)
    plies, widest = GAMES[name]
    rng, made = generator(players), []
    for n in plies:
        found = None
        while found is None or not 2 <= len(model.legal_actions(*found)) <= widest:
            found = played(model, n, rng)
        made.append((model, *found))
    return made


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("algorithm", ["paranoid-alphabeta", "brs-plus"])
@pytest.mark.parametrize("name", GAMES)
def test_two_sided_searches(name, algorithm, players):
    settings = MinimaxSettings(algorithm, depth=DEPTH, value="evaluate")
    for model, state, player in positions(name, players):
        result = Minimax(model, settings).run(state, player, generator())
        plain = Paranoid(model, player, "evaluate", **TWO_SIDED[algorithm])
        expected = plain.actions(state, DEPTH)
        best = max(expected.values())
        assert best_value(result) == pytest.approx(best, abs=1e-12)
        assert expected[result.action] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", GAMES)
def test_max_n(name, players):
    settings = MinimaxSettings("max-n", depth=DEPTH, value="evaluate")
    for model, state, player in positions(name, players):
        result = Minimax(model, settings).run(state, player, generator())
        found = reference.max_n(model, state, player, DEPTH, "evaluate")
        expected = [found[action][player] for action in result.actions.tolist()]
        np.testing.assert_allclose(result.values, expected, atol=1e-12)
        assert best_value(result) == pytest.approx(max(expected), abs=1e-12)
