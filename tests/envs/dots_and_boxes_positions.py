"""Positions of Dots and Boxes: how tests reach them and compare them with the twin."""

import numpy as np

from mcts_agents.envs.dots_and_boxes import GAME
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, new_generator


def call(model, name, state, *arguments):
    return int(model.call(name, state.ctypes.data, *arguments))


def playout(model, state, rng, limit=1000):
    return call(model, "playout", state, rng.ctypes.data, limit)


def greedy(model, state, player, rng):
    return model.policy_action("greedy", state, player, 0, rng)


def random_action(model, state, player, rng):
    return call(model, "random_action", state, player, rng.ctypes.data)


def position(model, names):
    rng = new_generator(0)
    state = model.reset(rng)
    for name in names.split():
        action = GAME.parse_action(model, name)
        model.apply(state, {model.movers(state)[0]: action}, rng)
    return state


def expected_results(scores, tag_ties):
    best = [p for p, score in enumerate(scores) if score == max(scores)]
    if len(best) == 1 or tag_ties:
        return [WON if p == best[0] else LOST for p in range(len(scores))]
    return [DRAWN if p in best else LOST for p in range(len(scores))]


def check(model, state, twin):
    """Compare all that the rules say of a position with the twin."""
    players, boxes = twin.players, twin.width * twin.height
    scores, over = twin.scores(), twin.is_over()
    assert model.movers(state) == (() if over else (twin.mover,))
    assert model.scores(state).tolist() == scores
    assert model.turn(state) == twin.turns
    assert model.round(state) == twin.turns // players
    assert not twin.legal() if over else twin.legal()
    results = expected_results(scores, model.variant["tag_ties"])
    assert model.results(state).tolist() == (results if over else [PLAYING] * players)
    guess = (boxes - sum(scores)) / players
    assert np.allclose(
        model.evaluate(state), [(score + guess) / boxes for score in scores]
    )
    if not over:
        actions = model.legal_actions(state, twin.mover).tolist()
        names = [GAME.format_action(model, action) for action in actions]
        assert names == twin.legal()
        values = model.action_values(state, twin.mover).tolist()
        assert values == [twin.value(name) for name in names]
    for player in {0, twin.mover, players - 1}:
        check_observation(model, state, twin, player)


def check_observation(model, state, twin, player):
    seen = model.observe(state, player)
    expected = np.zeros_like(seen)
    for row in range(twin.height + 1):
        for column in range(twin.width + 1):
            dot = (row, column)
            for plane, other in ((0, (row, column + 1)), (1, (row + 1, column))):
                expected[plane, row, column] = frozenset({dot, other}) in twin.drawn
    for box, owner in twin.owners.items():
        expected[2 + (owner - player) % twin.players][box] = 1
    if not twin.is_over():
        expected[2 + twin.players + (twin.mover - player) % twin.players] = 1
    assert np.array_equal(seen, expected)
