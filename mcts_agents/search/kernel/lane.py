"""A lane: where one descent stands, in every tree that the search has.

What a tree owns is fixed, but for a pair's: whom it owns besides the root player is
selected anew in each state (`pair`).
"""

import numpy as np
from numba import njit

from mcts_agents.model.contract import MAX_PLAYERS
from mcts_agents.search.kernel.parts import Part
from mcts_agents.search.kernel.records import NONE
from mcts_agents.search.kernel.variants import EXTENDED

PART = Part(
    fields=[
        ("trees", np.int64),
        ("owns", np.int64, MAX_PLAYERS),  # players of each tree, bit masks
        ("owned", np.int64),  # players of any tree
        ("depth_limit", np.int64),
        ("deepest", np.int64),  # longest path in any tree, in its own decisions
        # lane
        ("step_count", np.int64),
        ("active", np.int64),  # trees not yet left
        ("link", np.int64, MAX_PLAYERS),  # where each tree stands; NONE: left
        ("depth", np.int64, MAX_PLAYERS),
    ]
)


@njit
def begin_lane(search):
    """Put every tree's cursor to its root."""
    search.step_count = 0
    search.active = search.trees
    for tree in range(search.trees):
        search.link[tree] = tree
        search.depth[tree] = 0


@njit
def longest_path(search):
    """Return the most decisions that the next iteration may add to a tree's path.

    No path is longer than the deepest yet plus one, but a graph's, which may join
    others, and run in circles.
    """
    if EXTENDED:
        if search.graph:
            return search.depth_limit
    return min(search.deepest + 2, search.depth_limit)


@njit
def leave(search, tree):
    """Take a tree out of this iteration; its players follow a policy from now on."""
    search.link[tree] = NONE
    search.active -= 1


@njit
def owned_by(search, tree):
    """Return the mask of the players who choose in a tree, in the present state."""
    if EXTENDED:
        if search.opponent:
            return search.pair
    return search.owns[tree]


@njit
def owned_by_any(search):
    """Return the mask of the players who choose in any tree, in the present state."""
    if EXTENDED:
        if search.opponent:
            return search.pair
    return search.owned
