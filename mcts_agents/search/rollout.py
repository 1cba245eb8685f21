"""Rollouts: who plays how below the trees, and where a rollout ends.

The root player follows the rollout policy, everybody else the opponent model: uniformly
random actions, MAST, or a function `int64(game, state, player, memory, rng)`, which is
a scripted policy of the game or a callback into any agent. The opponent model also
plays for those who own no tree (Self-only).

A rollout ends when as many actions were played as its length says, and then

- `exact`: at once;
- `action`: when the root player has finished a sequence of actions, and is not asked
  next (or several decided at once, so that every decision ends its sequence);
- `start`: when the others have finished theirs, and the root player is asked next;
- `turn`: when a turn of the root player ended, by the game's count of turns;
- `round`: when a round ended, by the game's count of rounds.

Once the root player is out of the game, only a round is still waited for.
"""

import numpy as np
from numba import njit

from mcts_agents.model.random import random_below
from mcts_agents.search import calls as call
from mcts_agents.search.mast import mast_action, note_action
from mcts_agents.search.records import joint_action_of, legal_of, rng_of
from mcts_agents.search.status import (
    MODEL_ERROR,
    NO_LEGAL_ACTION,
    ROLLOUT_TOO_LONG,
    SLICE_DONE,
)

RANDOM, MAST, FUNCTION = range(3)
EXACT, END_ACTION, START_ACTION, END_TURN, END_ROUND = range(5)
ROOT_PLAYER, OTHERS = range(2)


@njit
def choose_by_policy(search, players):
    """Let `players` (a mask) choose by rollout policy and opponent model."""
    player = 0
    while players:
        if players & 1:
            seat = ROOT_PLAYER if player == search.root_player else OTHERS
            status = choose(search, player, seat)
            if status != SLICE_DONE:
                return status
            action = joint_action_of(search)[player]
            if search.mast_rollout and not note_action(search, player, action):
                return ROLLOUT_TOO_LONG
        players >>= 1
        player += 1
    return SLICE_DONE


@njit
def choose(search, player, seat):
    """Write the action of one player into the joint action."""
    policy = search.policy[seat]
    if policy == RANDOM and search.has_random_action:
        action = call.random_action(search, player)
    elif policy == FUNCTION:
        action = call.policy(search, seat, player)
        if action < 0 or action >= search.slots_length:
            return MODEL_ERROR if call.failed(search) else NO_LEGAL_ACTION
    else:
        n = call.legal_actions(search, player)
        if n <= 0 or n > search.legal_limit:
            return MODEL_ERROR if call.failed(search) else NO_LEGAL_ACTION
        if policy == MAST:
            action = mast_action(search, player, n, rng_of(search))
        else:
            action = np.int64(legal_of(search)[random_below(rng_of(search), n)])
    if call.failed(search):
        return MODEL_ERROR
    joint_action_of(search)[player] = action
    return SLICE_DONE


@njit
def may_end(search, movers):
    """Whether a rollout of full length ends in this position, before `movers` play."""
    root = np.int64(1) << search.root_player
    last = search.last_movers
    if search.has_is_out and search.rollout_end != END_ROUND:
        if call.is_out(search, search.root_player):
            return True
    if search.rollout_end == END_ACTION:
        return last & root != 0 and (movers & root == 0 or last != root)
    if search.rollout_end == START_ACTION:
        return movers & root != 0 and last & ~root != 0
    if search.rollout_end == END_TURN:
        return last & root != 0 and call.turn(search) != search.last_turn
    if search.rollout_end == END_ROUND:
        return call.round_number(search) != search.last_round
    return True


@njit
def note_counters(search, movers):
    """Remember what `may_end` compares with, before `movers` play."""
    search.last_movers = movers
    if search.rollout_end == END_TURN:
        search.last_turn = call.turn(search)
    elif search.rollout_end == END_ROUND:
        search.last_round = call.round_number(search)
