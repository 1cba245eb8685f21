"""Random positions of Chinese Checkers, whose legal moves are compared with the twin's.

    python -m tests.envs.chinese_checkers_positions [POSITIONS]

compares 10,000 of them, or as many as are asked for; the tests compare fewer.
"""

import sys

import numpy as np

from mcts_agents.envs.chinese_checkers.board import star
from mcts_agents.envs.chinese_checkers.rules import rules
from mcts_agents.model import new_generator
from tests.envs.chinese_checkers_twin import Twin

PLAYERS, FIELDS = (2, 3, 4, 6), (73, 121)


def arranged(pieces, turn=0, **options):
    """A model and a state with the pieces of each player on these fields."""
    model = rules.model(players=len(pieces), **options)
    state = model.reset(new_generator(1))
    view, game, board = model.view(state), model.game[0], star(model.variant["fields"])
    view["occupied"] = 0
    for player, fields in enumerate(pieces):
        slots = board.slots[list(fields)]
        assert len(slots) == board.pieces
        view["pieces"][player, : len(slots)] = slots
        away = game["distance"][player, slots]
        view["distance"][player] = away.sum()
        view["home"][player] = (away < board.arm).sum()
        for slot in slots:
            view["occupied"][slot // 64] |= np.uint64(1 << int(slot) % 64)
    view["turn"] = turn
    return model, state


def compare_moves(players, fields, rng):
    """Put all pieces anywhere, and compare every player's moves with the twin's.

    Half of the positions use few fields of the board, so that chains of hops are long.
    """
    board = star(fields)
    total = players * board.pieces
    room = fields if rng.random() < 0.5 else rng.integers(total + 1, fields + 1)
    near = np.arange(fields)
    if room < fields:  # the fields nearest to some field
        middle = board.coordinates[int(rng.integers(fields))]
        away = np.abs(np.array(board.coordinates) - middle).max(axis=1)
        near = np.argsort(away + rng.random(fields), kind="stable")[:room]
    placed = rng.permutation(near)[:total].reshape(players, -1).tolist()
    model, state = arranged(placed, fields=fields)
    twin = Twin(players, fields)
    twin.pieces = {
        twin.fields[field]: player for player, own in enumerate(placed) for field in own
    }
    number = {place: field for field, place in enumerate(twin.fields)}
    for player in range(players):
        actions = model.legal_actions(state, player).tolist()
        expected = {
            number[origin] * fields + number[end] for origin, end in twin.moves(player)
        }
        assert len(actions) == len(set(actions))
        assert set(actions) == expected, (placed, player)
    return len(actions)


def compare_positions(positions, seed=1):
    """Compare so many positions, of all numbers of players on both boards in turn."""
    rng = np.random.default_rng(seed)
    kinds = [(players, fields) for players in PLAYERS for fields in FIELDS]
    return sum(compare_moves(*kinds[n % len(kinds)], rng) for n in range(positions))


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    compare_positions(asked)
    print(f"{asked:,} positions: all legal moves are those of the twin")
