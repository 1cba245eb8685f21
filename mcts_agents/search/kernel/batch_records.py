"""The records of a search whose leaves an evaluator values, a batch at a time.

A *leaf* is a position without a node, or one whose node no search has a prior for yet.
It has a *row* for each player who decides there. A *waiting* descent has its leaf's
rows; one without rows ran into a leaf that waits already.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model.addresses import as_pointer
from mcts_agents.search.kernel.parts import record_of

# Where a descent ended: no evaluator is asked; at a leaf; at one that waits already.
OVER, AT_LEAF, WAITING = range(3)

# A step of a waiting descent. Blocks of edges may move while it waits, so the edge is
# told by its place in the block.
WAITING_STEP = np.dtype([("node", np.int32), ("place", np.int32)])

LANE = np.dtype(
    [
        ("movers", np.int64),  # bit mask of the players who have a row each, ascending
        ("row", np.int64),  # the first of them
        # Behind these rows those of others whose moves the evaluator says (`answered`).
        ("others", np.int64),  # a bit mask
        ("home", np.int64),  # the node whose state they decide in
        ("first_step", np.int64),
        ("step_count", np.int64),
    ],
    align=True,
)

BATCH = np.dtype(
    [
        # asked; arrays are told by their addresses
        ("lanes", np.intp),  # LANE
        ("steps", np.intp),  # WAITING_STEP
        ("observations", np.intp),  # int8 (rows, observation_size); 0: not asked for
        ("states", np.intp),  # uint8 (rows, state_size); 0: not asked for
        ("players", np.intp),  # int64 (rows,)
        ("nodes", np.intp),  # int64 (rows,): whose priors are asked for, or NONE
        ("legal", np.intp),  # uint8 (rows, actions): 1 for an action that may be taken
        # float64, of descents with a discount: rows as in `rewards`
        ("rewards", np.intp),  # (step_limit, players)
        ("factors", np.intp),  # (step_limit,)
        ("scores", np.intp),  # (lane_limit, players)
        ("lane_limit", np.int64),
        ("step_limit", np.int64),
        ("row_limit", np.int64),
        ("size", np.int64),  # leaves in a batch
        ("virtual_loss", np.int64),
        ("observation_size", np.int64),
        ("actions", np.int64),
        ("shares", np.int64),  # values are shares of a win, from 0 to 1
        ("target", np.int64),  # simulations at which the search ends
        # used
        ("lane_count", np.int64),
        ("step_count", np.int64),
        ("row_count", np.int64),
        ("leaves", np.int64),
        ("others", np.int64),  # descents of this batch that brought no leaf
        # where the last descent ended
        ("ending", np.int64),
        ("movers", np.int64),  # who decides there, in trees: a bit mask
    ],
    align=True,
)

batch_of = record_of("batch", BATCH)


@njit
def lanes_of(batch):
    """View the batch's `lanes`."""
    return carray(as_pointer(batch.lanes), batch.lane_limit, LANE)


@njit
def steps_of(batch):
    """View the batch's `steps`."""
    return carray(as_pointer(batch.steps), batch.step_limit, WAITING_STEP)


@njit
def players_of(batch):
    """View the batch's `players`."""
    return carray(as_pointer(batch.players), batch.row_limit, np.int64)


@njit
def row_nodes_of(batch):
    """View the batch's `nodes`."""
    return carray(as_pointer(batch.nodes), batch.row_limit, np.int64)


@njit
def legal_row_of(batch, row):
    """View one row of the batch's `legal`."""
    address = batch.legal + row * batch.actions
    return carray(as_pointer(address), batch.actions, np.uint8)
