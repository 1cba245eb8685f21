"""The trace: who chose which move in one iteration, in the order of play.

Averages of moves (MAST, AMAF, permutations) credit what it holds with the iteration's
value. Its records are those of a playout that records its moves, see `MOVE`. Only what
somebody asks for is noted: moves chosen in trees, or by the policies of rollouts.
"""

import numpy as np
from numba import njit

from mcts_agents.model.contract import MOVE
from mcts_agents.search.kernel.parts import Array, Part, array_of

# Moves of one iteration up to which rollouts may add theirs, those in trees included.
LONGEST_ROLLOUT = 1 << 16


def in_trees(settings):
    """Whether moves in trees are noted."""
    return settings.mast in ("tree", "both")


def in_rollouts(settings):
    """Whether moves by the policies of rollouts are noted."""
    return settings.mast in ("rollout", "both")


def _moves(model, settings):
    path = model.players * settings.max_depth
    if in_rollouts(settings):
        return path + LONGEST_ROLLOUT
    return path if in_trees(settings) else 0


PART = Part(
    fields=[
        ("traces_trees", np.int64),
        ("traces_rollouts", np.int64),
        ("move_count", np.int64),
    ],
    values=lambda model, settings: {
        "traces_trees": in_trees(settings),
        "traces_rollouts": in_rollouts(settings),
    },
    arrays={"trace": Array(MOVE, _moves)},
)

trace_of = array_of("trace", MOVE)


@njit
def note_move(search, player, code):
    """Add a move to the trace, in which there is room for it."""
    move = trace_of(search)[search.move_count]
    move.player = player
    move.code = code
    search.move_count += 1


@njit
def has_room(search):
    """Whether there is room for a move of a rollout, and for all of the path's."""
    return search.move_count < search.trace_length - search.path_length
