"""The rules of Breakthrough: a pawn goes straight ahead, or diagonally, or captures so.

All but the steps is shared with Knightthrough, see `mcts_agents.envs.through.rules`.
"""

from mcts_agents.envs.through.rules import mirrored, rules_of, set_board

rules = rules_of("breakthrough")


@rules.variant
def variant(game, *, players=2, rows=8, columns=8):
    """Choose the board.

    Args:
        game: The variant's record, filled in place.
        players: 2.
        rows: Rows of the board, 6 to 16.
        columns: Columns of the board, 4 to 10; there are at most 64 squares.
    """
    return set_board(game, "breakthrough", players, rows, columns)


@rules.symmetries
def symmetries(game, spec):
    """Left and right may change places, and with them the steps to either side."""
    return mirrored(spec, "breakthrough")
