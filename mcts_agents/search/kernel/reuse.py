"""Keeping the part of a tree that what was really played leads to.

Everything below the new roots is copied into fresh arrays, node after node in the order
in which nodes were made (a node is never older than the one above it). Which link that
is finds `inspection/played_moves.py`; `driver/kept_trees.py` prepares it, and
`Search._begin` asks for it when a decision begins.

The history must go on from the same player's last decision. Ranges of values stay;
pools of an abstraction begin anew unless `keep_abstraction` says otherwise. If a kept
root is proven (`solver.py`) the search ends at once, without a simulation, with the
kept root's answer.

`reuse_tree` is refused beside what is in `_check` below, beside sequential halving, and
in copies of environments that hide something (`options/applicability.py`).
"""

import numpy as np
from numba import njit

from mcts_agents.search.kernel.parts import Part, array_of
from mcts_agents.search.kernel.records import (
    NONE,
    edge_pools_of,
    edge_values_of,
    edges_of,
    joints_of,
    nodes_of,
    statistics_of,
)
from mcts_agents.search.kernel.tree import count_players, place_of_joint


def _check(model, settings):
    if not settings.reuse_tree:
        return
    for name, value in (
        ("graph", True),
        ("tree", "observers"),
        ("tree", "pair"),
        ("loop", "sampled"),
        ("opponent_information", "separate"),
        ("simultaneous", "serialised"),
    ):
        if getattr(settings, name) == value:
            raise ValueError(
                f"reuse_tree=true: with {name}={value!r}, the moves actually played "
                "cannot be followed in the tree; leave reuse_tree out"
            )
    for name in ("determinizations", "threads"):
        if (given := getattr(settings, name)) > 1:
            raise ValueError(f"reuse_tree=true works only with {name}=1, not {given}")
    if settings.information == "perfect" and model.hidden_information:
        raise ValueError(
            "reuse_tree=true: with information='perfect' each decision has a "
            f"determinization of its own, and in {model.name} the last one's tree "
            "holds actions that are impossible in it; use information='set'"
        )


PART = Part(check=_check)

states_of = array_of("states", np.uint8)


@njit
def keep_subtrees(old, new, roots, order, remap):
    """Copy what lies below `roots` from one search's arrays into another's.

    Args:
        old: The SEARCH record of the tree that is left.
        new: The SEARCH record with fresh arrays, large enough; its counts are set here
            (`joint_count` is 0 before).
        roots: For each tree the link that becomes its root, NONE for an empty tree.
        order: Places of `old`'s joint actions, ascending by node.
        remap: Scratch, int32, one for each old node.

    Returns:
        How many nodes were kept.
    """
    mark(old, roots, order, remap)
    kept = 0
    for node in range(old.node_count):
        if remap[node] != NONE:
            remap[node] = kept
            kept += 1
    new.edge_count = len(roots)
    for tree in range(len(roots)):
        copy_edge(old, new, roots[tree], tree, remap)
    for node in range(old.node_count):
        if remap[node] != NONE:
            copy_node(old, new, node, remap)
    new.node_count = kept
    for place in order:
        entry = joints_of(old)[place]
        if entry.node >= 0 and remap[entry.node] != NONE:
            link = new.edge_count
            copy_edge(old, new, np.int64(entry.edge), link, remap)
            new.edge_count += 1
            node = np.int64(remap[entry.node])
            target = joints_of(new)[place_of_joint(new, node, entry.key)]
            target.node = node
            target.edge = link
            target.key = entry.key
            new.joint_count += 1
    return kept


@njit
def mark(old, roots, order, remap):
    """Set `remap` to 0 for nodes that are kept, NONE for the others."""
    for node in range(old.node_count):
        remap[node] = NONE
    for link in roots:
        if link != NONE:
            mark_below(old, link, remap)
    at = 0
    for node in range(old.node_count):
        while at < len(order) and joints_of(old)[order[at]].node < node:
            at += 1
        if remap[node] == NONE:
            continue
        first = nodes_of(old)[node].first
        for index in range(first, first + nodes_of(old)[node].count):
            mark_below(old, index, remap)
        while at < len(order) and joints_of(old)[order[at]].node == node:
            mark_below(old, np.int64(joints_of(old)[order[at]].edge), remap)
            at += 1


@njit
def mark_below(old, link, remap):
    """Mark the nodes right below a link."""
    child = np.int64(edges_of(old)[link].child)
    while child >= 0:
        for bandit in range(max(count_players(nodes_of(old)[child].movers), 1)):
            remap[child + bandit] = 0
        child = np.int64(nodes_of(old)[child].sibling)


@njit
def copy_edge(old, new, source, target, remap):
    """Copy an edge; a root without a past (NONE) begins empty."""
    edge = edges_of(new)[target]
    if source == NONE:
        edge.child = NONE
        edge.outcome = 0
        return
    edges_of(new)[target] = edges_of(old)[source]
    if new.edge_pools_length > 0:  # pools are forgotten, or have other numbers
        edge_pools_of(new)[target] = 0
    if edge.child >= 0:
        edge.child = remap[edge.child]


@njit
def copy_node(old, new, node, remap):
    """Copy one bandit with its edges and all that is kept of them."""
    target = np.int64(remap[node])
    nodes_of(new)[target] = nodes_of(old)[node]
    bandit = nodes_of(new)[target]
    if bandit.sibling >= 0:
        bandit.sibling = remap[bandit.sibling]
    if new.states_length > 0:
        size = old.slot_size
        for i in range(size):
            states_of(new)[target * size + i] = states_of(old)[node * size + i]
    first = new.edge_count
    source = np.int64(bandit.first)
    for i in range(bandit.count):
        copy_edge(old, new, source + i, first + i, remap)
        if new.statistics_length > 0:
            statistics_of(new)[first + i] = statistics_of(old)[source + i]
            statistics_of(new)[first + i].candidate_at = NONE
        if new.edge_values_length > 0:
            for player in range(old.players):
                edge_values_of(new)[(first + i) * old.players + player] = (
                    edge_values_of(old)[(source + i) * old.players + player]
                )
    bandit.first = first
    bandit.capacity = bandit.count
    new.edge_count += bandit.count
