"""The calls of a running search: its model's functions and its plug-ins.

Each loads a first-class function from the search's table of addresses and calls it;
the load costs less than passing all functions through every function of the kernel.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model.addresses import ROW_BYTES, as_pointer, first_class, int64_at
from mcts_agents.model.contract import ENTRIES, POLICY, ROW
from mcts_agents.search.kernel.records import PLUG_IN, joint_action_of

_MOVERS = ROW["movers"]
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
_load_policy = first_class(POLICY.signature)
_load_plug_in = first_class(PLUG_IN)

# Rows of the table of plug-ins.
TREE_POLICY, LEAF_VALUE, UPDATE, BACKUP = range(4)


@njit
def failed(search):
    """Whether a callback into Python raised an exception (checked after every one)."""
    return int64_at(search.error) != 0


@njit
def movers(search):
    """Return the bit mask of the players who decide now."""
    function = _load_movers(search.table + ROW_BYTES * _MOVERS)
    return function(search.game, search.state)


@njit
def legal_actions(search, player):
    """Write a player's legal actions into `legal`; return their number."""
    function = _load_legal_actions(search.table + ROW_BYTES * _LEGAL_ACTIONS)
    return function(search.game, search.state, player, search.legal)


@njit
def apply(search):
    """Let the movers play `joint_action`; it is -1 for the others, then for all."""
    function = _load_apply(search.table + ROW_BYTES * _APPLY)
    done = function(search.game, search.state, search.joint_action, search.rng)
    joint_action = joint_action_of(search)
    for player in range(search.players):
        joint_action[player] = -1
    return done


@njit
def scores(search):
    """Write the scores."""
    function = _load_scores(search.table + ROW_BYTES * _SCORES)
    return function(search.game, search.state, search.scores)


@njit
def results(search):
    """Write the results."""
    function = _load_results(search.table + ROW_BYTES * _RESULTS)
    return function(search.game, search.state, search.results)


@njit
def redeterminise(search):
    """Resample what the root player cannot know."""
    function = _load_redeterminise(search.table + ROW_BYTES * _REDETERMINISE)
    return function(search.game, search.state, search.root_player, search.rng)


@njit
def evaluate(search):
    """Write the evaluation."""
    function = _load_evaluate(search.table + ROW_BYTES * _EVALUATE)
    return function(search.game, search.state, search.evaluation)


@njit
def random_action(search, player):
    """Return a uniformly random legal action of a player."""
    function = _load_random_action(search.table + ROW_BYTES * _RANDOM_ACTION)
    return function(search.game, search.state, player, search.rng)


@njit
def playout(search, limit):
    """Play at random, `limit` actions at most; return how many were played."""
    function = _load_playout(search.table + ROW_BYTES * _PLAYOUT)
    return function(search.game, search.state, search.rng, limit)


@njit
def copy(search):
    """Set the state, and what policies remember, to the root's."""
    if search.policy_bytes:
        size = search.players * search.policy_bytes
        memories = search.policy_memories
        copy_words(memories, memories + size, size)
    function = _load_copy(search.table + ROW_BYTES * _COPY)
    return function(search.game, search.state, search.root_state)


@njit
def copy_words(target, source, size):
    """Copy `size` bytes, a multiple of 8."""
    words = carray(as_pointer(target), size >> 3, np.uint64)
    from_words = carray(as_pointer(source), size >> 3, np.uint64)
    for i in range(size >> 3):
        words[i] = from_words[i]


@njit
def copy_between(search, target, source):
    """Set the state at address `target` to that at `source`."""
    function = _load_copy(search.table + ROW_BYTES * _COPY)
    return function(search.game, target, source)


@njit
def tree_policy(search):
    """Return the edge to take, given the DECISION record."""
    function = _load_plug_in(search.plug_ins + ROW_BYTES * TREE_POLICY)
    return function(search.decision, search.settings, search.rng)


@njit
def leaf_value(search):
    """Write the value of the state, given the LEAF record."""
    function = _load_plug_in(search.plug_ins + ROW_BYTES * LEAF_VALUE)
    return function(search.leaf, search.settings, search.rng)


@njit
def policy_update(search):
    """Let the tree policy learn from an iteration, given the OUTCOME record."""
    function = _load_plug_in(search.plug_ins + ROW_BYTES * UPDATE)
    return function(search.outcome, search.settings, search.rng)


@njit
def backup(search):
    """Change the values that are passed up, given the BACKUP record."""
    function = _load_plug_in(search.plug_ins + ROW_BYTES * BACKUP)
    return function(search.backup, search.settings, search.rng)


@njit
def policy(search, seat, player):
    """Return the action of a player by the policy of a seat (root player, others)."""
    function = _load_policy(search.policies + ROW_BYTES * seat)
    memory = 0
    if search.policy_bytes:
        memory = search.policy_memories + player * search.policy_bytes
    return function(search.game, search.state, player, memory, search.rng)


@njit
def action_values(search, player, n):
    """Write H(s, a) of the `n` actions in `legal` into `heuristics`."""
    function = _load_action_values(search.table + ROW_BYTES * ACTION_VALUES)
    return function(
        search.game, search.state, player, search.legal, n, search.heuristics
    )


@njit
def observe(search, player, out, size):
    """Write what a player sees to address `out`, where there is room for it."""
    seen = carray(as_pointer(out), size, np.int8)
    seen[:] = 0
    function = _load_observe(search.table + ROW_BYTES * _OBSERVE)
    return function(search.game, search.state, player, out)


@njit
def state_key(search, observer):
    """Return the key of what an observer knows of the state."""
    function = _load_state_key(search.table + ROW_BYTES * _STATE_KEY)
    return function(search.game, search.state, observer)


@njit
def turn(search):
    """Return the number of turns ended."""
    function = _load_counter(search.table + ROW_BYTES * _TURN)
    return function(search.game, search.state)


@njit
def round_number(search):
    """Return the number of rounds ended."""
    function = _load_counter(search.table + ROW_BYTES * _ROUND)
    return function(search.game, search.state)


@njit
def filter_actions(search, player, n):
    """Move the actions worth a search to the front of `legal`; return their number."""
    function = _load_filter_actions(search.table + ROW_BYTES * _FILTER_ACTIONS)
    return function(search.game, search.state, player, search.legal, n)


@njit
def is_out(search, player):
    """Return whether a player will never decide again."""
    function = _load_of_player(search.table + ROW_BYTES * _IS_OUT)
    return function(search.game, search.state, player) != 0


@njit
def nearest_opponent(search, player):
    """Return the opponent nearest to a player, -1 for none."""
    function = _load_of_player(search.table + ROW_BYTES * _NEAREST_OPPONENT)
    return function(search.game, search.state, player)


@njit
def visible_action(search, actor, observer):
    """Return what an observer sees of an actor's part of the joint action."""
    function = _load_visible_action(search.table + ROW_BYTES * _VISIBLE_ACTION)
    return function(search.game, search.state, search.joint_action, actor, observer)
