"""The record of a minimax search, its frames, and the arrays that both work on.

A *frame* is a node on the way from the root to where the search is: a decision of one
player, or what chance does after a joint action. Frame `ply` has its actions in row
`ply` of `moves`, its joint action in row `ply` of `joints`, and the best line found
below it in row `ply` of `lines`.
"""

import numpy as np
from numba import njit

from mcts_agents.search.kernel.parts import array_of, record_of
from mcts_agents.search.kernel.records import LEAF

# Who chooses at a frame: the root player's team, its opponents, chance, or, in max-n,
# a player who looks after itself.
MAXIMISES, MINIMISES, CHANCE, OWN = range(4)

# What a slice ends with, besides the statuses of `search.kernel.status`.
FINISHED = 100
BAD_OUTCOMES = 101
NOT_IN_TURN = 102
OUT_OF_BOUNDS = 103
NO_SHARES = 104
BAD_ACTION_VALUE = 105

# What `visit` did with a node: it has a value, its frame is open, or it is to be left
# out as if it were not there.
VALUED, OPENED, LEFT_OUT, FAILED = range(4)

# An action that passes, by `pass_turn`.
PASS = -2
NO_ACTION = -1

FRAME = np.dtype(
    [
        ("kind", np.int64),
        ("player", np.int64),
        ("slot", np.int64),  # where the state lies
        ("depth", np.int64),  # decisions to look ahead, this one included
        ("count", np.int64),  # actions, or outcomes
        ("next", np.int64),
        ("alpha", np.float64),  # the window, which narrows
        ("beta", np.float64),
        ("low", np.float64),  # the window with which the frame was opened
        ("high", np.float64),
        ("value", np.float64),  # the best so far; of chance the sum so far
        ("weight", np.float64),  # of chance: the probability of outcomes to come
        ("best", np.int64),  # the action of this value
        ("key", np.uint64),  # of the table of positions
        ("place", np.int64),  # in it
        ("pending", np.int64),  # bit mask of movers who have not chosen yet
        ("free", np.int64),  # bit mask of opponents who have moved freely, see OPPS
        ("passed", np.int64),  # bit mask of who has passed since the last action
        ("alone", np.int64),  # nobody else decides at this moment
        ("again", np.int64),  # negascout: the next action is searched again
        ("scouting", np.int64),  # negascout: it is searched with a null window
        ("complete", np.int64),  # nothing below ended at the horizon
    ],
    align=True,
)

# One position; `flag` says what the value is.
ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("value", np.float64),
        ("best", np.int32),
        ("depth", np.int16),
        ("flag", np.int8),
        ("complete", np.int8),
    ],
    align=True,
)
EMPTY, EXACT, AT_LEAST, AT_MOST = range(4)

MOVE = np.dtype(
    [
        ("action", np.int32),
        ("ranked", np.int32),  # whether static order puts it among the first
        ("rank", np.float64),  # what it looks like without the search's experience
        (
            "order",
            np.int64,
        ),  # the greatest is searched first
    ],
    align=True,
)

STEP = np.dtype([("player", np.int32), ("action", np.int32)])

_ARRAYS = (
    "table",
    "plug_ins",
    "frames",
    "moves",
    "joints",
    "states",
    "lines",
    "line_lengths",
    "entries",
    "killers",
    "history",
    "probabilities",
    "vectors",
    "root_values",
    "legal",
    "joint_action",
    "heuristics",
    "teams",
    "results",
    "scores",
    "evaluation",
    "values",
    "leaf",
    "settings",
    "rng",
)

# The names that `model.calls` and the plug-ins of leaf values read are theirs.
MINIMAX = np.dtype(
    [
        field
        for name in _ARRAYS
        for field in ((name, np.intp), (f"{name}_length", np.int64))
    ]
    + [
        ("game", np.intp),
        ("state", np.intp),  # the state that the model's functions are called with
        ("root_state", np.intp),
        ("error", np.intp),
        ("players", np.int64),
        ("root_player", np.int64),
        ("legal_limit", np.int64),
        ("action_count", np.int64),
        ("slot_size", np.int64),
        ("most_outcomes", np.int64),
        ("needs_scores", np.int64),
        ("needs_evaluation", np.int64),
        ("has_action_values", np.int64),
        ("has_key", np.int64),
        ("lists_outcomes", np.int64),
        ("chance", np.int64),
        ("samples", np.int64),
        ("star1", np.int64),
        ("scouts", np.int64),
        ("free_opponents", np.int64),  # how many may move freely between own turns
        ("free_moves", np.int64),  # actions of an opponent that moves freely
        ("ranked_moves", np.int64),  # actions of one that does not
        ("passes", np.int64),  # whether it passes instead
        ("restricts", np.int64),  # whether any of these three leaves anything out
        ("ordered", np.int64),
        ("uses_killers", np.int64),
        ("uses_history", np.int64),
        ("filters", np.int64),
        ("shallow", np.int64),  # max-n: prune by what values add up to
        ("total", np.float64),  # which is this
        ("lowest", np.float64),  # no value lies outside
        ("highest", np.float64),
        ("generation", np.uint64),
        # what goes on
        ("ply", np.int64),
        ("most_plies", np.int64),  # states at this ply are valued
        ("rows", np.int64),  # frames that there is room for
        ("value", np.float64),  # of the node that was left last
        ("complete", np.int64),  # whether nothing below it ended at the horizon
        ("nodes", np.int64),
        ("node_limit", np.int64),
        ("forward_model_calls", np.int64),
        ("greatest_history", np.int64),
        ("root_best", np.int64),
        ("together", np.int64),  # whether players were found to decide at once
        ("policy_bytes", np.int64),  # `model.calls` asks for these
        ("policies", np.intp),
        ("policy_memories", np.intp),
        ("stop", np.int64),
    ],
    align=True,
)

frames_of = array_of("frames", FRAME)
moves_of = array_of("moves", MOVE)
states_of = array_of("states", np.uint8)
lines_of = array_of("lines", STEP)
line_lengths_of = array_of("line_lengths", np.int64)
entries_of = array_of("entries", ENTRY)
killers_of = array_of("killers", np.int32)
history_of = array_of("history", np.int64)
probabilities_of = array_of("probabilities", np.float64)
vectors_of = array_of("vectors", np.float64)
root_values_of = array_of("root_values", np.float64)
joints_of = array_of("joints", np.int32)
legal_of = array_of("legal", np.int32)
joint_action_of = array_of("joint_action", np.int32)
heuristics_of = array_of("heuristics", np.float64)
teams_of = array_of("teams", np.int32)
results_of = array_of("results", np.int32)
values_of = array_of("values", np.float64)
leaf_of = record_of("leaf", LEAF)


@njit
def frame_at(search, ply):
    """Return the frame at a depth of the stack."""
    return frames_of(search)[ply]


@njit
def enter_slot(search, slot):
    """Let the model's functions work on the state in a slot."""
    search.state = search.states + slot * search.slot_size


@njit
def set_line(search, ply, player, action):
    """Begin the best line of a frame with an action, the next frame's behind it."""
    lines, lengths = lines_of(search), line_lengths_of(search)
    width = search.rows
    length = min(lengths[ply + 1], width - 1)
    lines[ply * width].player = player
    lines[ply * width].action = action
    for i in range(length):
        lines[ply * width + i + 1] = lines[(ply + 1) * width + i]
    lengths[ply] = length + 1
