"""The records that all algorithms share: tree, settings, and the views of plug-ins.

Indices are positions in the arrays; `NONE` (-1) is no index. A *link* is the index of
an edge whose `child` leads on: the edge of a single decision, one stand-in edge for
each joint action of a simultaneous decision, or a tree's root link (edge `tree`).
"""

from typing import Any

import numpy as np
from numba import carray, int64, intp, njit

from mcts_agents.model import ForwardModel
from mcts_agents.model.addresses import as_pointer
from mcts_agents.model.contract import MAX_PLAYERS
from mcts_agents.search.kernel.parts import Array, Part, array_of, record_of

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
        # to its player, by the evaluator, less the score if returns are discounted;
        # NaN: never asked
        ("raw_value", np.float32),
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

# Outcome of an edge: nothing proven, team t wins (1 + t), or all draw.
UNPROVEN = 0
FIRST_WINNER = 1
ALL_DRAW = FIRST_WINNER + MAX_PLAYERS

# Hash table entry: joint action of a node -> link. An edge of 0 marks a free entry
# (edge 0 is the first tree's root link and never a joint action's). Negative nodes
# stand for other keys: GRAPH for states (-> node + 1), OBSERVATION - link for what a
# player saw after that link (-> link).
GRAPH, OBSERVATION = -2, -3
JOINT = np.dtype([("node", np.int32), ("edge", np.int32), ("key", np.uint64)])

STEP = np.dtype(
    [
        ("node", np.int32),
        ("edge", np.int32),
        ("probability", np.float64),  # with which the edge was chosen, where kept
    ]
)

# What only some settings need to know of an edge; as many as edges, or none.
STATISTIC = np.dtype(
    [
        ("square", np.float64),  # mean of the squared values
        # EXP3: importance-weighted gain; regret matching: regret; Gumbel: g(a)
        ("accumulated", np.float64),
        ("strategy", np.float64),  # sum of the probabilities, exploration left out
        ("heuristic", np.float32),  # H(s, a) of the action heuristic
        ("prior", np.float32),  # P(s, a) made of H, or the evaluator's
        ("candidate_at", np.int64),  # simulation at which it was last a candidate
        ("valued_at", np.int64),  # visits of the node when H was last asked for, + 1
        ("virtual_visits", np.int64),  # virtual losses of descents that wait
    ]
)

# How many numbers of its own a user's tree policy may have.
USER_PARAMETERS = 16

# The numbers of a search's settings; `settings` of every plug-in. Append only.
SETTINGS = np.dtype(
    [
        ("exploration", np.float64),  # K of UCB1
        ("score_bonus", np.float64),  # 0.5: +50% for a win, -50% for a loss
        ("user", np.float64, USER_PARAMETERS),  # a tree policy's own, in its order
        ("epsilon", np.float64),  # probability of a uniformly random action
        ("temperature", np.float64),  # of the softmax over mean values
        ("first_play_urgency", np.float64),  # exploration of an untried action; inf
        ("progressive_bias", np.float64),  # weight of H(s, a) / (n(a) + 1)
        ("use_prior", np.int64),  # multiply exploration by P(s, a)
        ("ordered", np.int64),  # try untried actions by descending H(s, a)
        ("abstraction_visits", np.float64),  # e of the weight, see `abstraction`
        ("backup_lambda", np.float64),
        ("backup_threshold", np.float64),  # T of MaxMC
        ("initial_visits", np.int64),  # of value H(s, a), besides those of an edge
        ("first_play_parent", np.int64),  # an untried action counts as its node
        ("first_play_reduction", np.float64),  # less this
        ("bonus_of_score", np.int64),  # `score_bonus` of the score, not its magnitude
        ("shares", np.int64),  # values are shares of a win, from 0 to 1
        ("root_user", np.float64, USER_PARAMETERS),  # a root policy's own, in order
        ("gumbel_actions", np.int64),  # sampled at the root
        ("gumbel_noise", np.float64),  # weight of the samples
        ("gumbel_visits", np.float64),  # c_visit and c_scale of sigma
        ("gumbel_scale", np.float64),
        ("virtual_loss", np.int64),  # of a waiting descent in `virtual_visits`
    ],
    align=True,
)

# What a tree policy, or a root policy, sees of a decision (its `view`). Append only.
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
        ("low", np.float64),  # least and greatest value seen of this player's
        ("high", np.float64),
        ("square_root_logs", np.intp),  # table: sqrt(ln N) at N, float64
        ("statistics", np.intp),  # address of STATISTIC records, as many as edges
        ("abstract_visits", np.intp),  # of each candidate's pool: float64; 0: none
        ("abstract_means", np.intp),  # of each candidate's pool: float64
        ("probability", np.float64),  # a sampling policy writes its choice's here
        ("weights", np.intp),  # scratch: float64, one for each candidate
        ("won", np.int64),  # outcome of an action that wins for the player's team
        ("worst", np.float64),  # least value seen, less `low`; 0 with `normalise`
        ("depth", np.int64),  # decisions of the tree above this one
        ("simulations_left", np.int64),  # that the budget has, this one included
        ("raw_value", np.float64),  # the node's, by the evaluator; NaN: none
        ("abstract_weights", np.intp),  # of pools, by an action's visits: float64
        # Instead of what is said of each candidate's pool: all POOL records, and the
        # number of each edge's from 1, int32; 0: it has none. No address: no pools.
        ("pools", np.intp),
        ("pools_length", np.int64),
        ("edge_pools", np.intp),
    ],
    align=True,
)

# The value of an action in a context (`abstraction`).
POOL = np.dtype(
    [
        ("key", np.uint64),  # of context and action
        ("visits", np.int64),
        ("mean", np.float64),
        ("context", np.uint64),
    ]
)

# What a tree policy's update sees after an iteration (its `view`). Append only.
OUTCOME = np.dtype(
    [
        ("edges", np.intp),
        ("edges_length", np.int64),
        ("statistics", np.intp),
        ("first", np.int64),  # the node's edges
        ("count", np.int64),
        ("edge", np.int64),  # the one that was taken
        ("probability", np.float64),  # with which it was
        ("value", np.float64),  # of the iteration to the node's player
        ("low", np.float64),
        ("high", np.float64),
        ("simulation", np.int64),  # candidates are those with this `candidate_at`;
        ("all_candidates", np.int64),  # or all of them
    ],
    align=True,
)

# What a backup sees of one decision of the path (its `view`). Append only.
BACKUP = np.dtype(
    [
        ("edges", np.intp),
        ("edges_length", np.int64),
        ("edge_values", np.intp),  # float64[players] an edge: mean value vectors
        ("first", np.int64),
        ("count", np.int64),
        ("edge", np.int64),
        ("visits", np.int64),  # of the node, this one included
        ("player", np.int64),
        ("players", np.int64),
        ("simultaneous", np.int64),
        ("values", np.intp),  # float64[players]: passed up, changed in place
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
        ("teams", np.intp),  # int32[players]: the number of each player's team
        ("team_count", np.int64),
    ],
    align=True,
)

JOINT_BYTES = JOINT.itemsize


def each_player(model: ForwardModel, settings: Any) -> int:
    """Return the length of an array with an entry for each player."""
    return model.players


def each_legal_action(model: ForwardModel, settings: Any) -> int:
    """Return the length of an array with an entry for each action of a decision."""
    return model.legal_limit


def once(model: ForwardModel, settings: Any) -> int:
    """Return the length of an array of one record."""
    return 1


# Compiled code reaches arrays by the addresses in the SEARCH record: passing all of
# them through every function costs more than a simulation (measured: 4 microseconds
# against 0.5).
PART = Part(
    fields=[
        # asked
        ("game", np.intp),
        ("root_state", np.intp),
        ("state", np.intp),
        ("trial_state", np.intp),  # where the solver tries actions
        ("error", np.intp),  # address of the model's int64 error flag
        ("players", np.int64),
        ("root_player", np.int64),
        ("legal_limit", np.int64),
        ("state_size", np.int64),
        # used
        ("lacking", np.int64),  # arrays to grow before the next iteration
        ("simulations", np.int64),
        ("forward_model_calls", np.int64),  # single players' actions applied
        ("node_count", np.int64),
        ("edge_count", np.int64),
        ("joint_count", np.int64),
        ("simulation_limit", np.int64),  # the budget of this decision
        # set from outside: the clock, or an interrupt, ends the search
        ("stop", np.int64),
    ],
    values=lambda model, settings: {
        "game": model.game_address,
        "error": model.error.ctypes.data,
        "players": model.players,
        "legal_limit": model.legal_limit,
        "state_size": model.state_size,
    },
    arrays={
        # the model's functions, two addresses each
        "table": Array(np.intp, lambda model, settings: model.table.size),
        "plug_ins": Array(np.intp, lambda model, settings: 10),  # see `plug_ins`
        "nodes": Array(NODE),
        "edges": Array(EDGE),
        "statistics": Array(STATISTIC),  # as many as edges, or none
        "edge_values": Array(np.float64),  # one a player for each edge, or none
        "joints": Array(JOINT),  # length a power of two
        "path": Array(STEP, lambda model, s: model.players * s.max_depth),
        "legal": Array(np.int32, lambda model, settings: model.legal_room),
        "candidates": Array(np.int32, each_legal_action),
        "weights": Array(np.float64, each_legal_action),  # scratch
        # scratch, action -> edge
        "slots": Array(np.int32, lambda model, settings: model.actions),
        "joint_action": Array(np.int32, each_player),
        "teams": Array(np.int32, each_player),  # the number of each player's team
        "results": Array(np.int32, each_player),
        "scores": Array(np.float64, each_player),
        "evaluation": Array(np.float64, each_player),
        "values": Array(np.float64, each_player),
        "decision": Array(DECISION, once),
        "outcome": Array(OUTCOME, once),
        "backup": Array(BACKUP, once),
        "leaf": Array(LEAF, once),
        "settings": Array(SETTINGS, once),
        "rng": Array(np.uint64, lambda model, settings: 2),
    },
)

nodes_of = array_of("nodes", NODE)
edges_of = array_of("edges", EDGE)
edge_pools_of = array_of("edge_pools", np.int32)
statistics_of = array_of("statistics", STATISTIC)
edge_values_of = array_of("edge_values", np.float64)
joints_of = array_of("joints", JOINT)
path_of = array_of("path", STEP)
legal_of = array_of("legal", np.int32)
candidates_of = array_of("candidates", np.int32)
weights_of = array_of("weights", np.float64)
slots_of = array_of("slots", np.int32)
joint_action_of = array_of("joint_action", np.int32)
teams_of = array_of("teams", np.int32)
results_of = array_of("results", np.int32)
scores_of = array_of("scores", np.float64)
values_of = array_of("values", np.float64)
rng_of = array_of("rng", np.uint64)
decision_of = record_of("decision", DECISION)
outcome_of = record_of("outcome", OUTCOME)
backup_of = record_of("backup", BACKUP)
leaf_of = record_of("leaf", LEAF)


@njit
def candidate_edge(search, i):
    """Return the index of the edge of the decision's `i`-th candidate."""
    decision = decision_of(search)
    if decision.candidates == 0:
        return np.int64(decision.first + i)
    return np.int64(candidates_of(search)[i])


@njit
def settings_at(address):
    """View the SETTINGS record at an address."""
    return carray(as_pointer(address), 1, SETTINGS)[0]


@njit
def are_actions(search, n):
    """Whether the first `n` numbers in `legal` are actions of the game."""
    # As unsigned numbers, so that one comparison finds negative ones too.
    greatest = np.uint32(0)
    for i in range(n):
        greatest = max(greatest, np.uint32(legal_of(search)[i]))
    return greatest < search.slots_length
