"""Nodes, edges and links of the search tree; see `records` for what they are."""

import numpy as np
from numba import njit

from mcts_agents.model.bits import count_bits
from mcts_agents.model.hashing import mixed
from mcts_agents.search.kernel.records import (
    NONE,
    OBSERVATION,
    edge_pools_of,
    edge_values_of,
    edges_of,
    joints_of,
    nodes_of,
    statistics_of,
)


@njit
def count_players(mask):
    """Return the number of players in a bit mask."""
    return np.int64(count_bits(np.uint64(mask)))


@njit
def clear_node(node, movers, player):
    """Make a node record that of a decision without actions yet."""
    node.movers = movers
    node.player = player
    node.visits = 0
    node.tried = 0
    node.first = NONE
    node.count = 0
    node.capacity = 0
    node.sibling = NONE
    node.raw_value = np.nan


@njit
def add_node(search, movers, link):
    """Append a node for `movers` below `link`, one bandit a player; return it."""
    node = search.node_count
    player = np.int64(0)  # a literal would be a type of its own
    rest = movers
    while rest:
        if rest & 1:
            clear_node(nodes_of(search)[search.node_count], movers, player)
            search.node_count += 1
        rest >>= 1
        player += 1
    nodes_of(search)[node].sibling = max(edges_of(search)[link].child, NONE)
    edges_of(search)[link].child = node
    return node


@njit
def child_of(search, link, movers):
    """Return the node below `link` at which `movers` decide, made if need be."""
    child = edges_of(search)[link].child
    while child >= 0 and nodes_of(search)[child].movers != movers:
        child = nodes_of(search)[child].sibling
    if child < 0:
        child = add_node(search, movers, link)
    return child


@njit
def clear_edge(edge, action):
    """Make an edge record that of an untried `action`."""
    edge.action = action
    edge.visits = 0
    edge.available = 0
    edge.child = NONE
    edge.mean = 0.0
    edge.inverse_root = 0.0
    edge.outcome = 0


@njit
def add_link(search):
    """Append an edge that stands for no single action; return its index."""
    index = search.edge_count
    clear_edge(edges_of(search)[index], np.int32(NONE))
    search.edge_count = index + 1
    return index


@njit
def reserve_edges(search, bandit, needed):
    """Give a bandit room for `needed` edges; a block that grows moves to the end."""
    if needed <= bandit.capacity:
        return
    first = search.edge_count
    capacity = needed if bandit.capacity == 0 else max(needed, 2 * bandit.capacity)
    for i in range(bandit.count):
        edges_of(search)[first + i] = edges_of(search)[bandit.first + i]
    if search.statistics_length > 0:
        move_statistics(search, bandit.first, first, bandit.count)
    if search.edge_pools_length > 0:
        for i in range(bandit.count):
            edge_pools_of(search)[first + i] = edge_pools_of(search)[bandit.first + i]
    search.edge_count = first + capacity
    bandit.first = first
    bandit.capacity = capacity


@njit
def clear_statistics(search, index):
    """Clear what is kept of an edge besides the edge itself."""
    clear_statistic(statistics_of(search)[index])
    if search.edge_values_length > 0:
        for player in range(search.players):
            edge_values_of(search)[index * search.players + player] = 0.0


@njit
def clear_statistic(statistic):
    """Make a STATISTIC record that of an untried action."""
    statistic.square = 0.0
    statistic.accumulated = 0.0
    statistic.strategy = 0.0
    statistic.heuristic = 0.0
    statistic.prior = 0.0
    statistic.candidate_at = NONE
    statistic.valued_at = 0
    statistic.virtual_visits = 0


@njit
def clear_all_statistics(search, first, count):
    """Clear what is kept of a bandit's edges, `count` from `first` on, when it is new.

    Its priors are what they are if the edges are appended one by one.
    """
    statistics = statistics_of(search)
    for i in range(count):
        clear_statistic(statistics[first + i])
        statistics[first + i].prior = 1.0 / (i + 1)
    if search.edge_values_length > 0:
        players = search.players
        edge_values_of(search)[first * players : (first + count) * players] = 0.0


@njit
def move_statistics(search, source, target, count):
    """Move what is kept of `count` edges besides the edges themselves."""
    for i in range(count):
        statistics_of(search)[target + i] = statistics_of(search)[source + i]
    if search.edge_values_length > 0:
        values = edge_values_of(search)
        for i in range(count * search.players):
            values[target * search.players + i] = values[source * search.players + i]


@njit
def swap_edges(search, one, other):
    """Let two edges that were never candidates change places.

    They have no children, no values but the heuristic and no pools yet.
    """
    edges = edges_of(search)
    action, outcome = edges[one].action, edges[one].outcome
    edges[one].action, edges[one].outcome = edges[other].action, edges[other].outcome
    edges[other].action, edges[other].outcome = action, outcome
    statistics = statistics_of(search)
    heuristic, prior = statistics[one].heuristic, statistics[one].prior
    statistics[one].heuristic = statistics[other].heuristic
    statistics[one].prior = statistics[other].prior
    statistics[other].heuristic, statistics[other].prior = heuristic, prior


@njit
def append_edge(search, bandit, action):
    """Add an edge to a bandit that has room for it; return its index."""
    index = bandit.first + bandit.count
    clear_edge(edges_of(search)[index], action)
    if search.edge_pools_length > 0:
        edge_pools_of(search)[index] = 0
    if search.statistics_length > 0:
        clear_statistics(search, index)
        # An even share, until somebody knows better.
        statistics_of(search)[index].prior = 1.0 / (bandit.count + 1)
    bandit.count += 1
    return index


@njit
def place_of_joint(search, node, key):
    """Return the place in the hash table of a joint action, or of a free entry."""
    last = len(joints_of(search)) - 1
    place = np.int64(mixed(key, node) & np.uint64(last))
    while joints_of(search)[place].edge != 0:
        entry = joints_of(search)[place]
        if entry.node == node and entry.key == key:
            break
        place = (place + 1) & last
    return place


@njit
def joint_link(search, node, key):
    """Return (link, fresh) of a joint action of `node`; it is added if it is fresh."""
    entry = joints_of(search)[place_of_joint(search, node, key)]
    if entry.edge != 0:
        return np.int64(entry.edge), False
    entry.node = node
    entry.edge = add_link(search)
    entry.key = key
    search.joint_count += 1
    return np.int64(entry.edge), True


@njit
def observation_link(search, link, seen):
    """Return (link, fresh) of what a tree's player saw after `link`."""
    return joint_link(search, OBSERVATION - link, seen)


@njit
def link_of_joint(search, node, actions):
    """Return the link of a joint action of `node`, NONE where it was never taken."""
    key = np.uint64(0)
    for action in actions:
        key = mixed(key, np.int64(action))
    entry = joints_of(search)[place_of_joint(search, node, key)]
    return NONE if entry.edge == 0 else np.int64(entry.edge)


@njit
def rehash(old, new):
    """Enter all joint actions of `old` into `new`, a larger table of zeros."""
    last = len(new) - 1
    for entry in old:
        if entry.edge != 0:
            place = np.int64(mixed(entry.key, entry.node) & np.uint64(last))
            while new[place].edge != 0:
                place = (place + 1) & last
            new[place] = entry
    return 0
