"""The search tree as flat arrays of records, and the records of a running search.

Indices are positions in the arrays; `NONE` (-1) is no index. A *link* is the index of
an edge whose `child` leads on: the edge of a single decision, one stand-in edge for
each joint action of a simultaneous decision, or a tree's root link (edge `tree`).
"""

import numpy as np
from numba import carray, int64, intp, njit

from mcts_agents.model.addresses import as_pointer
from mcts_agents.model.contract import MAX_PLAYERS

NONE = -1

# Plug-ins are called with the addresses of their view, of SETTINGS and of a generator.
PLUG_IN = int64(intp, intp, intp)

# One bandit: the decision of one player. A node at which k players of the tree decide
# at once is k consecutive records, players ascending.
NODE = np.dtype(
    [
        ("movers", np.int64),  # bit mask of the tree's players who decide here
        ("player", np.int32),
        ("visits", np.int32),
        ("tried", np.int32),  # edges with at least one visit
        ("first", np.int32),  # its edges are edges[first : first + count]
        ("count", np.int32),
        ("capacity", np.int32),
        ("sibling", np.int32),  # next node below the same link, other movers
    ],
    align=True,
)

# One action of one bandit; 32 bytes, two to a cache line.
EDGE = np.dtype(
    [
        ("action", np.int32),
        ("visits", np.int32),  # n(a)
        ("available", np.int32),  # N(a), kept where the legal set can vary
        ("child", np.int32),  # first node below, NONE, or GAME_OVER
        ("mean", np.float64),  # Q(a) for the bandit's player
        ("inverse_root", np.float32),  # 1 / sqrt(n(a))
        ("outcome", np.int32),  # proven result of the game, see `solver`
    ],
    align=True,
)
GAME_OVER = -2

# Hash table entry: joint action -> link. An edge of 0 marks a free entry (edge 0 is
# the first tree's root link and never a joint action's).
JOINT = np.dtype([("node", np.int32), ("edge", np.int32), ("key", np.uint64)])

STEP = np.dtype([("node", np.int32), ("edge", np.int32)])

# The numbers of a search's settings; `params` of every plug-in. Append only.
SETTINGS = np.dtype(
    [
        ("exploration", np.float64),  # K of UCB1
        ("score_bonus", np.float64),  # 0.5: +50% for a win, -50% for a loss
        ("user", np.float64, 16),
    ],
    align=True,
)

# What a tree policy sees of a decision (its `view`). Append only.
DECISION = np.dtype(
    [
        ("edges", np.intp),  # address of the array of EDGE records
        ("edges_length", np.int64),  # how many of them are in use
        ("candidates", np.intp),  # address of int32 edge indices; 0: all, in order
        ("first", np.int64),  # index of the first edge
        ("count", np.int64),  # number of candidates
        ("visits", np.int64),  # visits of the node
        ("untried", np.int64),  # candidates without a visit
        ("player", np.int64),
        ("low", np.float64),  # least and greatest value seen in this search
        ("high", np.float64),
        ("square_root_logs", np.intp),  # table: sqrt(ln N) at N, float64
    ],
    align=True,
)

# What a leaf heuristic sees (its `view`). Append only.
LEAF = np.dtype(
    [
        ("game", np.intp),
        ("state", np.intp),
        ("players", np.int64),
        ("root_player", np.int64),
        ("results", np.intp),  # int32[players]
        ("scores", np.intp),  # float64[players]
        ("evaluation", np.intp),  # float64[players], filled if the game is unfinished
        ("out", np.intp),  # float64[players]: where the values go
    ],
    align=True,
)

# The arrays that a search works on. Compiled code reaches them by the addresses in the
# SEARCH record: passing a dozen arrays through every function costs more than a
# simulation (measured: 4 microseconds against 0.5).
ARRAYS = {
    "table": np.dtype(np.intp),  # (2 * functions,): the model's functions
    "plug_ins": np.dtype(np.intp),  # (4,): tree policy, leaf value
    "nodes": NODE,
    "edges": EDGE,
    "joints": JOINT,  # length a power of two
    "path": STEP,
    "legal": np.dtype(np.int32),  # (legal_limit,)
    "candidates": np.dtype(np.int32),  # (legal_limit,)
    "slots": np.dtype(np.int32),  # (actions,): scratch, action -> edge
    "joint_action": np.dtype(np.int32),  # (players,)
    "results": np.dtype(np.int32),  # (players,)
    "scores": np.dtype(np.float64),  # (players,)
    "evaluation": np.dtype(np.float64),  # (players,)
    "values": np.dtype(np.float64),  # (players,)
    "decision": DECISION,  # (1,)
    "leaf": LEAF,  # (1,)
    "settings": SETTINGS,  # (1,)
    "rng": np.dtype(np.uint64),  # (2,)
}

# A running search: what it was asked, what it has used, and one descent (lane).
SEARCH = np.dtype(
    [(name, np.intp) for name in ARRAYS]
    + [(f"{name}_length", np.int64) for name in ARRAYS]
    + [
        # asked
        ("game", np.intp),
        ("root_state", np.intp),
        ("state", np.intp),
        ("trial_state", np.intp),  # where the solver tries actions
        ("error", np.intp),  # address of the model's int64 error flag
        ("players", np.int64),
        ("root_player", np.int64),
        ("trees", np.int64),
        ("owns", np.int64, MAX_PLAYERS),  # players of each tree, bit masks
        ("owned", np.int64),  # players of any tree
        ("legal_limit", np.int64),
        ("rollout_limit", np.int64),
        ("depth_limit", np.int64),
        ("paranoid", np.int64),
        ("information_set", np.int64),  # a new determinization each iteration
        ("path_determined", np.int64),  # same path, same state: legal sets are fixed
        ("has_random_action", np.int64),
        ("has_playout", np.int64),
        ("solver", np.int64),  # prove results where the tree reaches the end
        ("needs_scores", np.int64),
        ("needs_evaluation", np.int64),
        # used
        ("simulations", np.int64),
        ("forward_model_calls", np.int64),  # single players' actions applied
        ("node_count", np.int64),
        ("edge_count", np.int64),
        ("joint_count", np.int64),
        ("deepest", np.int64),  # longest path in any tree, in its own decisions
        ("widest", np.int64),  # most edges of any bandit
        ("low", np.float64),
        ("high", np.float64),
        # lane
        ("step_count", np.int64),
        ("rollout_actions", np.int64),
        ("proven", np.int64),  # outcome at which this descent ended, 0: none
        ("active", np.int64),  # trees not yet left
        ("link", np.int64, MAX_PLAYERS),  # where each tree stands; NONE: left
        ("depth", np.int64, MAX_PLAYERS),
    ],
    align=True,
)


@njit
def nodes_of(search):
    """View the search's `nodes`."""
    return carray(as_pointer(search.nodes), search.nodes_length, NODE)


@njit
def edges_of(search):
    """View the search's `edges`."""
    return carray(as_pointer(search.edges), search.edges_length, EDGE)


@njit
def joints_of(search):
    """View the search's `joints`."""
    return carray(as_pointer(search.joints), search.joints_length, JOINT)


@njit
def path_of(search):
    """View the search's `path`."""
    return carray(as_pointer(search.path), search.path_length, STEP)


@njit
def legal_of(search):
    """View the search's `legal`."""
    return carray(as_pointer(search.legal), search.legal_length, np.int32)


@njit
def candidates_of(search):
    """View the search's `candidates`."""
    return carray(as_pointer(search.candidates), search.candidates_length, np.int32)


@njit
def slots_of(search):
    """View the search's `slots`."""
    return carray(as_pointer(search.slots), search.slots_length, np.int32)


@njit
def joint_action_of(search):
    """View the search's `joint_action`."""
    return carray(as_pointer(search.joint_action), search.joint_action_length, np.int32)


@njit
def results_of(search):
    """View the search's `results`."""
    return carray(as_pointer(search.results), search.results_length, np.int32)


@njit
def values_of(search):
    """View the search's `values`."""
    return carray(as_pointer(search.values), search.values_length, np.float64)


@njit
def rng_of(search):
    """View the search's `rng`."""
    return carray(as_pointer(search.rng), search.rng_length, np.uint64)


@njit
def decision_of(search):
    """View the search's one DECISION record."""
    return carray(as_pointer(search.decision), 1, DECISION)[0]


@njit
def add_node(search, movers, link):
    """Append a node for `movers` below `link`, one bandit a player; return it."""
    node = search.node_count
    player = 0
    rest = movers
    while rest:
        if rest & 1:
            bandit = nodes_of(search)[search.node_count]
            bandit.movers = movers
            bandit.player = player
            bandit.visits = 0
            bandit.tried = 0
            bandit.first = NONE
            bandit.count = 0
            bandit.capacity = 0
            bandit.sibling = NONE
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
    clear_edge(edges_of(search)[index], NONE)
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
    search.edge_count = first + capacity
    bandit.first = first
    bandit.capacity = capacity


@njit
def append_edge(search, bandit, action):
    """Add an edge to a bandit that has room for it; return its index."""
    index = bandit.first + bandit.count
    clear_edge(edges_of(search)[index], action)
    bandit.count += 1
    return index


@njit
def mixed(key, action):
    """Fold one more action into a joint action's key (finaliser of MurmurHash3).

    Keys are 64 bits of a bijective mixer: among a million joint actions of one node
    two share a key with probability below 1e-7.
    """
    key = (key ^ np.uint64(action + 1)) * np.uint64(0xFF51AFD7ED558CCD)
    key ^= key >> np.uint64(33)
    key *= np.uint64(0xC4CEB9FE1A85EC53)
    return key ^ (key >> np.uint64(33))


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
def child_of_joint(search, node, actions):
    """Return the first node below a joint action, NONE where it was never taken."""
    key = np.uint64(0)
    for action in actions:
        key = mixed(key, action)
    entry = joints_of(search)[place_of_joint(search, node, key)]
    return NONE if entry.edge == 0 else np.int64(edges_of(search)[entry.edge].child)


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
