"""The records of a search: tree, settings, views of plug-ins, and the running search.

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
        ("context", np.uint64),  # own moves up to this one, where they are abstracted
    ]
)

# What only some settings need to know of an edge; as many as edges, or none.
STATISTIC = np.dtype(
    [
        ("square", np.float64),  # mean of the squared values
        ("gain", np.float64),  # EXP3: importance-weighted gain; regret matching: regret
        ("strategy", np.float64),  # sum of the probabilities, exploration left out
        ("heuristic", np.float32),  # H(s, a) of the action heuristic
        ("prior", np.float32),  # P(s, a) made of H, or the evaluator's
        ("candidate_at", np.int64),  # simulation at which it was last a candidate
        ("valued_at", np.int64),  # visits of the node when H was last asked for, + 1
        ("virtual_visits", np.int64),  # virtual losses of descents that wait
    ]
)

# Opponent move abstraction: the value of a sequence of one player's own moves.
POOL = np.dtype([("key", np.uint64), ("visits", np.int64), ("mean", np.float64)])

# Move-average sampling: one a player and action.
AVERAGE = np.dtype([("visits", np.float64), ("total", np.float64)])

# An action taken in this descent, for move-average sampling.
TAKEN = np.dtype([("player", np.int32), ("action", np.int32)])

# The numbers of a search's settings; `params` of every plug-in. Append only.
SETTINGS = np.dtype(
    [
        ("exploration", np.float64),  # K of UCB1
        ("score_bonus", np.float64),  # 0.5: +50% for a win, -50% for a loss
        ("user", np.float64, 16),
        ("epsilon", np.float64),  # probability of a uniformly random action
        ("temperature", np.float64),  # of the softmax over mean values
        ("first_play_urgency", np.float64),  # value of an untried action; inf
        ("progressive_bias", np.float64),  # weight of H(s, a) / (n(a) + 1)
        ("use_prior", np.int64),  # multiply exploration by P(s, a)
        ("ordered", np.int64),  # try untried actions by descending H(s, a)
        ("abstraction_visits", np.float64),  # e of equation 5
        ("backup_lambda", np.float64),
        ("backup_threshold", np.float64),  # T of MaxMC
        ("initial_visits", np.int64),  # of value H(s, a), besides those of an edge
        ("first_play_parent", np.int64),  # an untried action counts as its node
        ("first_play_reduction", np.float64),  # less this
        ("bonus_of_score", np.int64),  # `score_bonus` of the score, not its magnitude
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
    ],
    align=True,
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

# The arrays that a search works on. Compiled code reaches them by the addresses in the
# SEARCH record: passing a dozen arrays through every function costs more than a
# simulation (measured: 4 microseconds against 0.5).
ARRAYS = {
    "table": np.dtype(np.intp),  # (2 * functions,): the model's functions
    "plug_ins": np.dtype(np.intp),  # (8,): see `calls`
    "policies": np.dtype(np.intp),  # (4,): of the root player and of the others
    "policy_memories": np.dtype(np.uint8),  # now, then at the root: for each player
    "nodes": NODE,
    "edges": EDGE,
    "joints": JOINT,  # length a power of two
    "path": STEP,
    "legal": np.dtype(np.int32),  # (legal_limit,)
    "candidates": np.dtype(np.int32),  # (legal_limit,)
    "slots": np.dtype(np.int32),  # (actions,): scratch, action -> edge
    "joint_action": np.dtype(np.int32),  # (players,)
    "teams": np.dtype(np.int32),  # (players,): the number of each player's team
    "results": np.dtype(np.int32),  # (players,)
    "scores": np.dtype(np.float64),  # (players,)
    "evaluation": np.dtype(np.float64),  # (players,)
    "values": np.dtype(np.float64),  # (players,)
    "statistics": STATISTIC,  # as many as edges, or none
    "edge_values": np.dtype(np.float64),  # players for each edge, or none
    "states": np.dtype(np.uint8),  # slot_size for each node, or none
    "pools": POOL,  # length a power of two, or none
    "contexts": np.dtype(np.uint64),  # (players,)
    "abstract_visits": np.dtype(np.float64),  # (legal_limit,)
    "abstract_means": np.dtype(np.float64),  # (legal_limit,)
    "heuristics": np.dtype(np.float64),  # (legal_limit,)
    "weights": np.dtype(np.float64),  # (legal_limit,): scratch
    "passed": np.dtype(np.float64),  # (players,)
    "averages": AVERAGE,  # (players * actions,), or none
    "taken": TAKEN,  # or none
    "decision": DECISION,  # (1,)
    "outcome": OUTCOME,  # (1,)
    "backup": BACKUP,  # (1,)
    "leaf": LEAF,  # (1,)
    "settings": SETTINGS,  # (1,)
    "rng": np.dtype(np.uint64),  # (2,)
}

JOINT_BYTES, POOL_BYTES = JOINT.itemsize, POOL.itemsize

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
        ("opponent", np.int64),  # how the tree's second player is selected, see `pair`
        ("has_is_out", np.int64),
        ("ends_when_out", np.int64),  # the tree, and what is settled for its player
        ("filtered", np.int64),  # actions in trees pass the game's filter
        ("legal_limit", np.int64),
        ("rollout_limit", np.int64),
        ("depth_limit", np.int64),
        ("paranoid", np.int64),
        ("own_ranges", np.int64),  # 1 if each player has a range of values of its own
        ("information_set", np.int64),  # a new determinization each iteration
        ("path_determined", np.int64),  # same path, same state: legal sets are fixed
        ("has_random_action", np.int64),
        ("has_playout", np.int64),
        ("solver", np.int64),  # prove results where the tree reaches the end
        ("needs_scores", np.int64),
        ("needs_evaluation", np.int64),
        ("state_size", np.int64),
        ("slot_size", np.int64),  # of a stored state with its policies' memories
        ("policy_bytes", np.int64),  # what a policy remembers of one player; 0: none
        ("memory_limit", np.int64),  # bytes; 0: none
        ("node_bytes", np.int64),  # what one takes, statistics and state included
        ("edge_bytes", np.int64),
        ("extended", np.int64),  # any of the following are asked for
        ("listed", np.int64),  # candidates are listed, not all of a node's edges
        ("normalise", np.int64),
        ("heuristic", np.int64),  # what values actions, see `action_heuristics`
        ("recalculation", np.int64),  # visits between two evaluations of actions
        ("prior_temperature", np.float64),  # of P(s, a); 0: H is one, inf: not used
        ("widening", np.float64),  # factor of progressive widening; 0: off
        ("widening_exponent", np.float64),
        ("abstracted", np.int64),  # players whose opponents' moves are abstracted
        ("graph", np.int64),  # nodes are found by state keys
        ("graph_observer", np.int64),  # whose knowledge the keys are of
        ("expand_after_clash", np.int64),
        ("stored", np.int64),  # nodes hold states: a closed loop
        ("serialised", np.int64),  # simultaneous movers choose one after another
        ("separate", np.int64),  # opponents' trees begin at what they know
        ("has_visible_action", np.int64),
        ("observers", np.int64),  # trees advance by what their players see
        ("rollout_end", np.int64),  # where a rollout of full length may end
        ("policy", np.int64, 2),  # rollout policy, opponent model, see `rollout`
        ("mast_temperature", np.float64),
        ("mast_default", np.float64),
        ("mast_tree", np.int64),  # actions in the tree are averaged
        ("mast_rollout", np.int64),  # actions in rollouts are averaged
        ("keeps_statistics", np.int64),  # squares, or a policy's own
        ("updates", np.int64),  # the tree policy has an update
        ("complex_backup", np.int64),
        # used
        ("lacking", np.int64),  # arrays to grow before the next iteration
        ("pool_count", np.int64),
        ("taken_count", np.int64),
        ("simulations", np.int64),
        ("forward_model_calls", np.int64),  # single players' actions applied
        ("cut_short", np.int64),  # the only simulation was stopped on its way
        ("idle", np.int64),  # iterations of a closed loop that applied none
        ("node_count", np.int64),
        ("edge_count", np.int64),
        ("joint_count", np.int64),
        ("deepest", np.int64),  # longest path in any tree, in its own decisions
        ("widest", np.int64),  # most edges of any bandit
        # Least and greatest value seen, for each player; of a win's shares, which are
        # alike for all, only the first entry is used.
        ("low", np.float64, MAX_PLAYERS),
        ("high", np.float64, MAX_PLAYERS),
        # lane
        ("step_count", np.int64),
        ("rollout_actions", np.int64),
        ("proven", np.int64),  # outcome at which this descent ended, 0: none
        ("active", np.int64),  # trees not yet left
        ("link", np.int64, MAX_PLAYERS),  # where each tree stands; NONE: left
        ("depth", np.int64, MAX_PLAYERS),
        ("graph_node", np.int64),  # where a graph search stands
        ("taken_link", np.int64),  # the link of the last selection
        ("arrived_fresh", np.int64),  # by an action taken for the first time
        ("last_movers", np.int64),  # who played the last joint action
        ("last_turn", np.int64),
        ("last_round", np.int64),
        # set from outside: the clock, or an interrupt, ends the search
        ("stop", np.int64),
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
def teams_of(search):
    """View the search's `teams`."""
    return carray(as_pointer(search.teams), search.teams_length, np.int32)


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
def statistics_of(search):
    """View the search's `statistics`."""
    return carray(as_pointer(search.statistics), search.statistics_length, STATISTIC)


@njit
def edge_values_of(search):
    """View the search's `edge_values`."""
    return carray(as_pointer(search.edge_values), search.edge_values_length, np.float64)


@njit
def pools_of(search):
    """View the search's `pools`."""
    return carray(as_pointer(search.pools), search.pools_length, POOL)


@njit
def contexts_of(search):
    """View the search's `contexts`."""
    return carray(as_pointer(search.contexts), search.contexts_length, np.uint64)


@njit
def abstract_visits_of(search):
    """View the search's `abstract_visits`."""
    return carray(
        as_pointer(search.abstract_visits), search.abstract_visits_length, np.float64
    )


@njit
def abstract_means_of(search):
    """View the search's `abstract_means`."""
    return carray(
        as_pointer(search.abstract_means), search.abstract_means_length, np.float64
    )


@njit
def heuristics_of(search):
    """View the search's `heuristics`."""
    return carray(as_pointer(search.heuristics), search.heuristics_length, np.float64)


@njit
def passed_of(search):
    """View the search's `passed`."""
    return carray(as_pointer(search.passed), search.passed_length, np.float64)


@njit
def averages_of(search):
    """View the search's `averages`."""
    return carray(as_pointer(search.averages), search.averages_length, AVERAGE)


@njit
def taken_of(search):
    """View the search's `taken`."""
    return carray(as_pointer(search.taken), search.taken_length, TAKEN)


@njit
def settings_of(search):
    """View the search's one SETTINGS record."""
    return carray(as_pointer(search.settings), 1, SETTINGS)[0]


@njit
def outcome_of(search):
    """View the search's one OUTCOME record."""
    return carray(as_pointer(search.outcome), 1, OUTCOME)[0]


@njit
def backup_of(search):
    """View the search's one BACKUP record."""
    return carray(as_pointer(search.backup), 1, BACKUP)[0]


@njit
def weights_of(search):
    """View the search's `weights`."""
    return carray(as_pointer(search.weights), search.weights_length, np.float64)


@njit
def candidate_edge(search, i):
    """Return the index of the edge of the decision's `i`-th candidate."""
    decision = decision_of(search)
    if decision.candidates == 0:
        return np.int64(decision.first + i)
    return np.int64(candidates_of(search)[i])


@njit
def states_of(search):
    """View the search's `states`."""
    return carray(as_pointer(search.states), search.states_length, np.uint8)
