"""Calling a forward model from compiled code.

Whatever plays on from a state (a tree search, say) keeps a record of where things are:
`table` (of the model's functions), `game`, `state`, `rng` and `error` are addresses;
`legal`, `joint_action`, `results`, `scores`, `evaluation` and `heuristics` those of
arrays that the functions write to. Each function here loads a first-class function from
the table and calls it; the load costs less than passing all functions on and on.

`copy` needs `root_state`, and `redeterminise` `root_player`. Scripted policies have
addresses of their own (`policies`, two of them), as do the functions that begin their
memories (`policy_begins`, 0 where there is none), and `policy_bytes` of memory for each
player in `policy_memories`, twice: now, and at the root.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model.addresses import (
    ROW_BYTES,
    as_pointer,
    first_class,
    int32_at,
    int64_at,
)
from mcts_agents.model.contract import ENTRIES, POLICY, POLICY_BEGIN, ROW

_MOVERS = ROW["movers"]
_PASS_TURN = ROW["pass_turn"]
_OUTCOMES = ROW["outcomes"]
_APPLY_OUTCOME = ROW["apply_outcome"]
_LEGAL_ACTIONS = ROW["legal_actions"]
_APPLY = ROW["apply"]
_SCORES = ROW["scores"]
_RESULTS = ROW["results"]
_REDETERMINISE = ROW["redeterminise"]
_EVALUATE = ROW["evaluate"]
_RANDOM_ACTION = ROW["random_action"]
_PLAYOUT = ROW["playout"]
_COPY = ROW["copy"]
ACTION_VALUES = ROW["action_values"]
_OBSERVE = ROW["observe"]
_STATE_KEY = ROW["state_key"]
_TURN = ROW["turn"]
_ROUND = ROW["round"]
_FILTER_ACTIONS = ROW["filter_actions"]
_IS_OUT = ROW["is_out"]
_NEAREST_OPPONENT = ROW["nearest_opponent"]
_VISIBLE_ACTION = ROW["visible_action"]
_MOVE_CODE = ROW["move_code"]
_PLAYOUT_MOVES = ROW["playout_moves"]
_PLAYOUT_SETS = ROW["playout_sets"]
_load_pass_turn = first_class(ENTRIES["pass_turn"].signature)
_load_outcomes = first_class(ENTRIES["outcomes"].signature)
_load_apply_outcome = first_class(ENTRIES["apply_outcome"].signature)
_load_movers = first_class(ENTRIES["movers"].signature)
_load_legal_actions = first_class(ENTRIES["legal_actions"].signature)
_load_apply = first_class(ENTRIES["apply"].signature)
_load_scores = first_class(ENTRIES["scores"].signature)
_load_results = first_class(ENTRIES["results"].signature)
_load_redeterminise = first_class(ENTRIES["redeterminise"].signature)
_load_evaluate = first_class(ENTRIES["evaluate"].signature)
_load_random_action = first_class(ENTRIES["random_action"].signature)
_load_playout = first_class(ENTRIES["playout"].signature)
_load_copy = first_class(ENTRIES["copy"].signature)
_load_action_values = first_class(ENTRIES["action_values"].signature)
_load_observe = first_class(ENTRIES["observe"].signature)
_load_state_key = first_class(ENTRIES["state_key"].signature)
_load_counter = first_class(ENTRIES["turn"].signature)
_load_filter_actions = first_class(ENTRIES["filter_actions"].signature)
_load_of_player = first_class(ENTRIES["is_out"].signature)
_load_visible_action = first_class(ENTRIES["visible_action"].signature)
_load_move_code = first_class(ENTRIES["move_code"].signature)
_load_playout_moves = first_class(ENTRIES["playout_moves"].signature)
_load_playout_sets = first_class(ENTRIES["playout_sets"].signature)
_load_policy = first_class(POLICY.signature)
_load_policy_begin = first_class(POLICY_BEGIN.signature)


@njit
def failed(run):
    """Whether a callback into Python raised an exception (checked after every one)."""
    return int64_at(run.error) != 0


@njit
def movers(run):
    """Return the bit mask of the players who decide now."""
    function = _load_movers(run.table + ROW_BYTES * _MOVERS)
    return function(run.game, run.state)


@njit
def legal_actions(run, player):
    """Write a player's legal actions into `legal`; return their number."""
    function = _load_legal_actions(run.table + ROW_BYTES * _LEGAL_ACTIONS)
    return function(run.game, run.state, player, run.legal)


@njit
def apply(run):
    """Let the movers play `joint_action`; it is -1 for the others, then for all."""
    function = _load_apply(run.table + ROW_BYTES * _APPLY)
    done = function(run.game, run.state, run.joint_action, run.rng)
    joint_action = int32_at(run.joint_action, run.players)
    for player in range(run.players):
        joint_action[player] = -1
    return done


@njit(forceinline=True)
def apply_of(run, player):
    """Do what `apply` does where a player is the only mover."""
    function = _load_apply(run.table + ROW_BYTES * _APPLY)
    done = function(run.game, run.state, run.joint_action, run.rng)
    int32_at(run.joint_action, run.players)[player] = -1
    return done


@njit
def pass_turn(run):
    """Let the only player to move do nothing."""
    function = _load_pass_turn(run.table + ROW_BYTES * _PASS_TURN)
    return function(run.game, run.state)


@njit
def outcomes(run, limit, out):
    """Write the probabilities of the joint action's outcomes to address `out`."""
    function = _load_outcomes(run.table + ROW_BYTES * _OUTCOMES)
    return function(run.game, run.state, run.joint_action, limit, out)


@njit
def apply_outcome(run, outcome):
    """Let the movers play `joint_action` with one of its outcomes."""
    function = _load_apply_outcome(run.table + ROW_BYTES * _APPLY_OUTCOME)
    return function(run.game, run.state, run.joint_action, outcome)


@njit
def scores(run):
    """Write the scores."""
    function = _load_scores(run.table + ROW_BYTES * _SCORES)
    return function(run.game, run.state, run.scores)


@njit
def results(run):
    """Write the results."""
    function = _load_results(run.table + ROW_BYTES * _RESULTS)
    return function(run.game, run.state, run.results)


@njit
def redeterminise(run):
    """Resample what the root player cannot know."""
    function = _load_redeterminise(run.table + ROW_BYTES * _REDETERMINISE)
    return function(run.game, run.state, run.root_player, run.rng)


@njit
def evaluate(run):
    """Write the evaluation."""
    function = _load_evaluate(run.table + ROW_BYTES * _EVALUATE)
    return function(run.game, run.state, run.evaluation)


@njit
def random_action(run, player):
    """Return a uniformly random legal action of a player."""
    function = _load_random_action(run.table + ROW_BYTES * _RANDOM_ACTION)
    return function(run.game, run.state, player, run.rng)


@njit
def playout(run, limit):
    """Play at random, `limit` actions at most; return how many were played."""
    function = _load_playout(run.table + ROW_BYTES * _PLAYOUT)
    return function(run.game, run.state, run.rng, limit)


@njit
def playout_moves(run, limit, kind, out):
    """Play at random, and write the moves to address `out`; return their number."""
    function = _load_playout_moves(run.table + ROW_BYTES * _PLAYOUT_MOVES)
    return function(run.game, run.state, run.rng, limit, kind, out)


@njit(forceinline=True)
def playout_sets(run, limit, out):
    """Play at random, and add each player's actions to the sets at address `out`."""
    function = _load_playout_sets(run.table + ROW_BYTES * _PLAYOUT_SETS)
    return function(run.game, run.state, run.rng, limit, out)


@njit
def move_code(run, player, action, kind):
    """Return the code of a player's action in the state."""
    function = _load_move_code(run.table + ROW_BYTES * _MOVE_CODE)
    return function(run.game, run.state, player, action, kind)


@njit
def copy(run):
    """Set the state, and what policies remember, to the root's."""
    if run.policy_bytes:
        size = run.players * run.policy_bytes
        memories = run.policy_memories
        copy_words(memories, memories + size, size)
    function = _load_copy(run.table + ROW_BYTES * _COPY)
    return function(run.game, run.state, run.root_state)


@njit
def copy_words(target, source, size):
    """Copy `size` bytes, a multiple of 8."""
    words = carray(as_pointer(target), size >> 3, np.uint64)
    from_words = carray(as_pointer(source), size >> 3, np.uint64)
    for i in range(size >> 3):
        words[i] = from_words[i]


@njit
def copy_between(run, target, source):
    """Set the state at address `target` to that at `source`."""
    function = _load_copy(run.table + ROW_BYTES * _COPY)
    return function(run.game, target, source)


@njit
def policy(run, seat, player):
    """Return the action of a player by the policy of a seat (root player, others)."""
    function = _load_policy(run.policies + ROW_BYTES * seat)
    memory = 0
    if run.policy_bytes:
        memory = run.policy_memories + player * run.policy_bytes
    return function(run.game, run.state, player, memory, run.rng)


@njit
def begin_policies(run):
    """Let what policies remember of each player at the root be that of a new game."""
    if run.policy_bytes == 0:
        return
    for player in range(run.players):
        row = run.policy_begins
        if player != run.root_player:
            row += ROW_BYTES
        if int64_at(row + 8) != 0:
            function = _load_policy_begin(row)
            place = run.players + player
            function(run.policy_memories + place * run.policy_bytes, run.rng)


@njit
def action_values(run, player, n):
    """Write H(s, a) of the `n` actions in `legal` into `heuristics`."""
    function = _load_action_values(run.table + ROW_BYTES * ACTION_VALUES)
    return function(run.game, run.state, player, run.legal, n, run.heuristics)


@njit
def observe(run, player, out, size):
    """Write what a player sees to address `out`, where there is room for it."""
    seen = carray(as_pointer(out), size, np.int8)
    seen[:] = 0
    function = _load_observe(run.table + ROW_BYTES * _OBSERVE)
    return function(run.game, run.state, player, out)


@njit
def state_key(run, observer):
    """Return the key of what an observer knows of the state."""
    function = _load_state_key(run.table + ROW_BYTES * _STATE_KEY)
    return function(run.game, run.state, observer)


@njit
def turn(run):
    """Return the number of turns ended."""
    function = _load_counter(run.table + ROW_BYTES * _TURN)
    return function(run.game, run.state)


@njit
def round_number(run):
    """Return the number of rounds ended."""
    function = _load_counter(run.table + ROW_BYTES * _ROUND)
    return function(run.game, run.state)


@njit
def filter_actions(run, player, n):
    """Move the actions worth a run to the front of `legal`; return their number."""
    function = _load_filter_actions(run.table + ROW_BYTES * _FILTER_ACTIONS)
    return function(run.game, run.state, player, run.legal, n)


@njit
def is_out(run, player):
    """Return whether a player will never decide again."""
    function = _load_of_player(run.table + ROW_BYTES * _IS_OUT)
    return function(run.game, run.state, player) != 0


@njit
def nearest_opponent(run, player):
    """Return the opponent nearest to a player, -1 for none."""
    function = _load_of_player(run.table + ROW_BYTES * _NEAREST_OPPONENT)
    return function(run.game, run.state, player)


@njit
def visible_action(run, actor, observer):
    """Return what an observer sees of an actor's part of the joint action."""
    function = _load_visible_action(run.table + ROW_BYTES * _VISIBLE_ACTION)
    return function(run.game, run.state, run.joint_action, actor, observer)
