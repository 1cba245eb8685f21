"""The record of a search by permutation statistics, and the arrays that it works on.

A *position* has one node, however it was reached; or, where nodes are found by path, a
player who decides after what the root player has seen. A node gets its edges when a
descent first chooses there, and a block of AMAF statistics when it first serves as a
reference.
A *place* is the number under which a player's code of a move is counted, from 1, in the
order in which codes turn up; place 0 stands for moves that are not counted.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model.addresses import as_pointer
from mcts_agents.search.kernel.parts import array_of, record_of
from mcts_agents.search.kernel.records import LEAF

# Instead of the number of a node, edge, entry or block.
NONE = -1
# Of an edge: where it leads is not known yet, or the game is over there.
UNKNOWN, OVER = -1, -2

# What a slice ends with, besides the statuses of `search.kernel.status`.
NOT_IN_TURN = 100
BAD_CODE = 101

# What a search that must grow lacks room for, as bits.
(
    LACKS_NODES,
    LACKS_EDGES,
    LACKS_BLOCKS,
    LACKS_MOVES,
    LACKS_ENTRIES,
    LACKS_PLAYOUTS,
    LACKS_PLACES,
    LACKS_CODES,
    LACKS_WIDTH,
) = (1 << bit for bit in range(9))

# Codes are below this number.
MOST_CODES = 1 << 24
# Values are no greater, so that sums of all, times a bias and two counts, are finite.
MOST_VALUE = 1e200

# As long as a line of the cache.
NODE = np.dtype(
    [
        ("key", np.uint64),
        ("first", np.int64),  # the first of its edges, side by side; NONE: none yet
        ("seen", np.int64),  # the descent that was here last
        ("block", np.int32),  # of AMAF statistics, or NONE
        ("count", np.int32),  # edges
        ("run", np.int32),  # the place of the first edge, or 0; see LANES
        ("room", np.int32),  # edges that there is room for at `first`
        ("player", np.int32),  # who decides
        ("visits", np.int32),  # playouts from here on, n(s)
        ("counted", np.int32),  # playouts that its permutation statistics cover
        ("parent", np.int32),  # the node from which it was first reached,
        ("place", np.int32),  # and by which move
        ("entry", np.int32),  # its last ENTRY, or NONE
    ],
    align=True,
)

# A playout that went through a node which has no AMAF statistics yet.
ENTRY = np.dtype(
    [
        ("playout", np.int32),
        ("depth", np.int32),  # how many of its moves were made before the node
        ("previous", np.int32),  # the node's ENTRY before this one, or NONE
    ]
)

# Where a search takes sets of actions, the edges of most nodes are a run: edge i is of
# action i and has the place `run` + i, so that statistics of places are read in a row,
# and neither is written down. A run has edges of all actions, illegal ones with a sum
# that is never the greatest, and its sums begin with a line of the cache, which so many
# float64 take: more there are in no processor's step. Other nodes have 0 for `run`.
LANES = 8

# Where a search takes sets of actions, statistics are *narrow*, counts and sums int16,
# as long as each playout is worth 0 or 1 to everybody, and there are no more than this.
# Otherwise they are *wide*, counts int32 and sums float64. Steps over narrow ones take
# more lanes, of which a narrow run has a multiple. An illegal action of a run has the
# least sum that there is.
NARROW_LANES, MOST_NARROW = 16, (1 << 15) - 1
ILLEGAL_NARROW, ILLEGAL_WIDE = -(1 << 15), -np.inf
NARROW_TYPES, WIDE_TYPES = (np.int16, np.int16), (np.int32, np.float64)

_ARRAYS = (
    # fixed
    "table",
    "plug_ins",
    "legal",
    "joint_action",
    "teams",
    "results",
    "scores",
    "evaluation",
    "values",
    "leaf",
    "settings",
    "rng",
    "trace",  # MOVE records of the iteration
    "scratch",  # a value for each edge of a node
    "path_nodes",
    "path_edges",
    # grow with the tree
    "nodes",
    "positions",  # hash table: node + 1
    "edge_visits",  # N(s, a)
    "edge_sums",  # N(s, a) Q(s, a)
    "edge_permutations",  # of permutations: how many playouts
    "edge_permutation_sums",  # and the sum of their values to the node's player
    "edge_actions",
    "edge_places",
    "edge_children",
    # of each place, block after block
    "amaf_counts",  # how many playouts have the move
    "amaf_sums",  # and the sum of their values to the player who makes it
    # grow with the playouts
    "moves",  # the places of each playout's moves, in order
    "starts",  # where a playout's moves begin
    "entries",
    "playout_values",  # of each playout to each player
    "sets",  # for each playout and player the actions of the random game, as bits
    "bits",  # for each place the set of playouts that have it
    # with `sets`: `bits` for 64 playouts after the other, of each place a word; `bits`
    # lacks the latest ones
    "columns",
    "all_sets",  # like `sets`, with the moves in the tree; of the playout that ends
    "kept_sets",  # for each playout what `all_sets` was
    "rows",  # otherwise: for each playout a byte for each place: whether it has it
    "won",  # for each player the set of playouts that are worth 1 to it
    "parts",  # the playouts that are worth neither 0 nor 1 to somebody
    "masks",  # scratch: three sets of playouts
    # grow with the codes
    "place_of",  # of each player's codes
    "place_players",
    "place_codes",
    "place_seen",  # the playout that had it last, while moves are taken in
    "sums",  # scratch: two rows
    "listed",  # scratch: playouts
)

# The names that `model.calls` and the plug-ins of leaf values read are theirs.
PERMUTATION = np.dtype(
    [
        field
        for name in _ARRAYS
        for field in ((name, np.intp), (f"{name}_length", np.int64))
    ]
    + [
        ("game", np.intp),
        ("state", np.intp),
        ("root_state", np.intp),
        ("error", np.intp),
        ("players", np.int64),
        ("root_player", np.int64),
        ("legal_limit", np.int64),
        ("action_count", np.int64),
        ("needs_scores", np.int64),
        ("has_move_code", np.int64),
        ("code_kind", np.int64),
        # words of one player's set of actions; 0: the game lists the moves of playouts
        ("set_words", np.int64),
        ("narrow", np.int64),  # whether statistics are narrow; bytes of each of them
        ("count_bytes", np.int64),
        ("sum_bytes", np.int64),
        ("permutes", np.int64),  # whether permutation statistics are kept
        ("by_path", np.int64),  # whether nodes are found by path, not by position
        ("redeterminises", np.int64),  # whether each iteration samples a world
        ("has_visible_action", np.int64),
        ("ref", np.int64),
        ("bias", np.float64),
        ("rollout", np.int64),
        ("depth_limit", np.int64),
        ("simulation_limit", np.int64),
        ("call_limit", np.int64),
        # what goes on
        ("lacking", np.int64),
        ("wanted_code", np.int64),  # a code beyond those that there is room for
        ("wanted_moves", np.int64),  # moves of a playout for which there is no room
        ("simulations", np.int64),
        # whether a playout is worth neither 0 nor 1 to somebody
        ("has_parts", np.int64),
        ("forward_model_calls", np.int64),
        ("descents", np.int64),
        ("open_count", np.int64),  # by path: edges of legal actions
        # the first nodes of the path, which has led to each of them before
        ("known_nodes", np.int64),
        ("path_moves", np.int64),  # by path: moves of the descent before its node
        ("deepest", np.int64),
        ("node_count", np.int64),
        ("edge_count", np.int64),
        ("block_count", np.int64),
        ("move_count", np.int64),
        ("entry_count", np.int64),
        ("place_count", np.int64),
        ("code_room", np.int64),  # codes of one player that `place_of` has room for
        ("place_room", np.int64),  # places that blocks and rows have room for
        ("words", np.int64),  # of one set of playouts
        ("policy_bytes", np.int64),  # `model.calls` asks for these
        ("policies", np.intp),
        ("policy_memories", np.intp),
        ("stop", np.int64),
    ],
    align=True,
)

nodes_of = array_of("nodes", NODE)
positions_of = array_of("positions", np.int32)
# Of wide statistics, and of some the addresses of counts and sums, narrow or wide.
edge_visits_of = array_of("edge_visits", np.int32)
edge_sums_of = array_of("edge_sums", np.float64)
edge_permutations_of = array_of("edge_permutations", np.int32)
edge_permutation_sums_of = array_of("edge_permutation_sums", np.float64)
edge_actions_of = array_of("edge_actions", np.int32)
edge_places_of = array_of("edge_places", np.uint32)
edge_children_of = array_of("edge_children", np.int32)
moves_of = array_of("moves", np.uint32)
starts_of = array_of("starts", np.int64)
entries_of = array_of("entries", ENTRY)
playout_values_of = array_of("playout_values", np.float64)
bits_of = array_of("bits", np.uint64)
columns_of = array_of("columns", np.uint64)
won_of = array_of("won", np.uint64)
parts_of = array_of("parts", np.uint64)
place_of_of = array_of("place_of", np.int32)
place_players_of = array_of("place_players", np.int32)
place_codes_of = array_of("place_codes", np.int32)
place_seen_of = array_of("place_seen", np.int64)
trace_of = array_of("trace", np.dtype([("player", np.int64), ("code", np.int64)]))
path_nodes_of = array_of("path_nodes", np.int32)
path_edges_of = array_of("path_edges", np.int64)
legal_of = array_of("legal", np.int32)
joint_action_of = array_of("joint_action", np.int32)
values_of = array_of("values", np.float64)
rng_of = array_of("rng", np.uint64)
leaf_of = record_of("leaf", LEAF)


@njit
def node_at(search, node):
    """View a node, whose number is not negative: so it is not asked whether it is."""
    return nodes_of(search)[np.uint64(node)]


@njit
def own_at(search, edge):
    """Return where N(s, a) of an edge is, and its sum of values."""
    visits = search.edge_visits + search.count_bytes * edge
    return visits, search.edge_sums + search.sum_bytes * edge


@njit
def permuted_at(search, edge):
    """Return where the permutation statistics of an edge are, count and sum."""
    counts = search.edge_permutations + search.count_bytes * edge
    return counts, search.edge_permutation_sums + search.sum_bytes * edge


@njit
def amaf_at(search, block, place):
    """Return where the AMAF statistics of a place in a block are, count and sum."""
    at = search.place_room * block + place
    counts = search.amaf_counts + search.count_bytes * at
    return counts, search.amaf_sums + search.sum_bytes * at


@njit
def columns_at(addresses, count, kinds):
    """View some counts and their sums, of NARROW_TYPES or WIDE_TYPES."""
    counts, sums = addresses
    return (
        carray(as_pointer(counts), count, kinds[0]),
        carray(as_pointer(sums), count, kinds[1]),
    )


@njit
def lack(search, what):
    """Note that there is no room for something, as a bit."""
    search.lacking |= what
