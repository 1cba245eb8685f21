"""How often codes of first moves occur in random games: the numbers of a paper's table.

T. Cazenave, "Monte Carlo Permutation Search" (2025), table 7: for 10,000 random games
from the opening their mean length, the number of first moves, and the share of games in
which a move with the code of a first move is made by the first player, as a mean over
the first moves.
"""

import numpy as np

from mcts_agents.model import new_generator

PLAYOUTS = 10_000


def statistics(model, kind, seed):
    """Return the mean length of random games, first moves, and presence of codes."""
    rng = new_generator(seed)
    opening = model.reset(rng)
    (player,) = model.movers(opening)
    actions = model.legal_actions(opening, player).tolist()
    first = {model.move_code(opening, player, action, kind) for action in actions}
    length = present = 0
    for _ in range(PLAYOUTS):
        moves = model.playout_moves(opening.copy(), rng, 5000, kind)
        own = moves["code"][moves["player"] == player]
        length += len(moves)
        present += len(first.intersection(own.tolist()))
    return length / PLAYOUTS, len(actions), present / PLAYOUTS / len(first)


def assert_near(found, expected):
    """Check that a number is within 2% or 0.003 of a published one."""
    assert abs(found - expected) <= max(0.02 * expected, 0.003), (found, expected)


def random_action(model, state, rng):
    """Return the player to move and a uniformly random legal action."""
    (player,) = model.movers(state)
    legal = model.legal_actions(state, player)
    return player, int(np.random.default_rng(rng).choice(legal))
