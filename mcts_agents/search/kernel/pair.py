"""Whom a tree of two owns: the root player and one opponent, selected in each state.

The two-player search of Weil, Czech, Meuser, Kersting, "Know your enemy: investigating
Monte-Carlo tree search with opponent models in Pommerman" (2023), section 2.2: the
acting player and one opponent, by default the closest, are expanded; the selected
opponent may change from step to step; all the others follow the opponent model. With
values negated for the opponent (`paranoid`) and the opponent choosing after the player
(`simultaneous=serialised`) it is the paper's Algorithm 2.
"""

import numpy as np
from numba import njit

from mcts_agents.model import calls as call
from mcts_agents.search.kernel.parts import NeededFunction, Part, one_of
from mcts_agents.search.kernel.records import teams_of

NO_OPPONENT, NEAREST, NEXT = range(3)


def _selection(settings):
    if settings.tree != "pair":
        return NO_OPPONENT
    return NEAREST if settings.opponent == "nearest" else NEXT


PART = Part(
    fields=[
        ("opponent", np.int64),  # how the tree's second player is selected
        ("pair", np.int64),  # lane: root player and opponent, in the present state
        ("root_pair", np.int64),  # those of the root, when they are known
    ],
    values=lambda model, settings: {"opponent": _selection(settings)},
    needs={"opponent": [one_of("tree", "pair")]},
    entries=[
        NeededFunction("opponent", "nearest", "nearest_opponent", "use opponent='next'")
    ],
    extended=lambda settings: settings.tree == "pair",
)


@njit
def select_opponent(search):
    """Let the tree own the root player and the opponent selected in this state.

    Players who choose together at the root choose together in all determinizations,
    even if another opponent is the nearest in some: the root player has one bandit.
    """
    root = search.root_player
    together = search.link[0] == 0 and not search.serialised and not search.stored
    if together and search.root_pair != 0:
        search.pair = search.root_pair
        return
    owned = np.int64(1) << root
    if search.opponent == NEAREST:
        other = call.nearest_opponent(search, root)
        if other >= 0:
            owned |= np.int64(1) << other
    else:
        others = call.movers(search) & ~owned
        for step in range(1, search.players):
            other = (root + step) % search.players
            if (
                others >> other & 1
                and teams_of(search)[other] != teams_of(search)[root]
            ):
                owned |= np.int64(1) << other
                break
    search.pair = owned
    if together:
        search.root_pair = owned
