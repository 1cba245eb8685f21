"""What is kept of the last decision: trees and pools that the game can still reach.

A kept root that is proven ends the search at once, with the kept root's answer.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from mcts_agents.search.driver.compiled import Compiled
from mcts_agents.search.driver.memory import Memory
from mcts_agents.search.inspection.played_moves import follow
from mcts_agents.search.inspection.tree_reader import TreeReader
from mcts_agents.search.kernel.records import NONE


def roots_of(
    reader: TreeReader,
    player: int,
    played: Sequence[Sequence[int | None]],
    movers: Iterable[int],
    owners: Sequence[int],
) -> np.ndarray | None:
    """Return the link of each tree that becomes its root, or None if none has one.

    Args:
        reader: Of the trees as the last decision has left them.
        player: The acting player, who was that of the last decision, too.
        played: The joint actions since then, as far as the player has seen them.
        movers: Who decides at the new root.
        owners: The players of each tree, bit masks.
    """
    roots = [
        follow(reader, tree, owned, player, played) for tree, owned in enumerate(owners)
    ]
    if max(roots) == NONE:
        return None
    mask = sum(1 << mover for mover in movers)
    for tree, link in enumerate(roots):
        _narrow(reader, link, mask & owners[tree])
    return np.array(roots, np.int64)


def _narrow(reader: TreeReader, link: int, movers: int) -> None:
    """Leave only the node of the real movers below a link that becomes a root.

    Where chance says who is next there may be others, never to be met again.
    """
    nodes, edges = reader.arrays["nodes"], reader.arrays["edges"]
    if link == NONE or movers == 0:
        return
    node = int(edges[link]["child"])
    while node >= 0 and nodes[node]["movers"] != movers:
        node = int(nodes[node]["sibling"])
    if node >= 0:
        nodes[node]["sibling"] = NONE
    edges[link]["child"] = max(node, NONE)


def keep(
    memory: Memory,
    compiled: Compiled,
    record: np.ndarray,
    old: np.ndarray,
    roots: np.ndarray,
) -> None:
    """Copy what lies below the new roots into fresh arrays.

    Args:
        memory: The arrays of the search.
        compiled: The compiled functions.
        record: The SEARCH record, which has begun the new decision, (1,).
        old: The record of the last decision, (1,).
        roots: See `roots_of`.
    """
    before = dict(memory.arrays)
    joints = before["joints"]
    order = np.flatnonzero(joints["edge"] != 0)
    order = order[np.argsort(joints["node"][order], kind="stable")]
    memory.new_tree(len(before["nodes"]), len(before["edges"]))
    memory.arrays["joints"] = np.zeros_like(joints)
    memory.tell_addresses(record)
    keep_ranges(record, old)
    remap = np.empty(int(old["node_count"][0]), np.int32)
    compiled.entry("keep_subtrees")(
        old.ctypes.data, record.ctypes.data, roots, order, remap
    )
    for name in ("deepest", "widest"):  # bounds, which stay valid
        record[name] = old[name]


def keep_pools(
    memory: Memory,
    compiled: Compiled,
    record: np.ndarray,
    old: np.ndarray,
    played: Sequence[Sequence[int | None]],
) -> None:
    """Copy the pools of an abstraction that the game can still reach.

    Args:
        memory: The arrays of the search.
        compiled: The compiled functions.
        record: The SEARCH record, which has begun the new decision, (1,).
        old: The record of the last decision, (1,).
        played: The joint actions since then, see `roots_of`.
    """
    moves = [
        (player, NONE if action is None else action)
        for joint in played
        for player, action in enumerate(joint)
        if action != -1
    ]
    movers, actions = np.array(moves, np.int64).reshape(-1, 2).T.copy()
    contexts = old["root_contexts"][0].copy()
    before, places = memory.arrays["pools"], memory.arrays["pool_places"]
    kept, new_places = np.zeros_like(before), np.zeros_like(places)
    count = compiled.entry("keep_pools")(
        before, places, kept, contexts, movers, actions
    )
    compiled.entry("enter_pools")(kept, count, new_places)
    memory.arrays |= {"pools": kept, "pool_places": new_places}
    memory.tell_addresses(record)
    record["pool_count"] = count
    record["root_contexts"][0] = contexts
    # Kept means lie in these ranges.
    keep_ranges(record, old)


def keep_ranges(record: np.ndarray, old: np.ndarray) -> None:
    """Keep the ranges that values were scaled by."""
    record["low"], record["high"] = old["low"], old["high"]
