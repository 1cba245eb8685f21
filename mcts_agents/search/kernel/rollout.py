"""Rollouts: who plays how below the trees, and where a rollout ends.

The root player follows the rollout policy, everybody else the opponent model: uniformly
random actions, MAST, or a function `int64(game, state, player, memory, rng)`, which is
a scripted policy of the game or a callback into any agent. The opponent model also
plays for those whom no tree owns (Self-only). It may be the evaluator of the leaves;
see `answered`.

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

from mcts_agents.model import calls as call
from mcts_agents.model.random import random_below
from mcts_agents.search.kernel.mast import mast_action
from mcts_agents.search.kernel.parts import Array, Condition, NeededFunction, Part
from mcts_agents.search.kernel.records import (
    are_actions,
    joint_action_of,
    legal_of,
    rng_of,
)
from mcts_agents.search.kernel.status import (
    BAD_ACTION,
    BAD_POLICY,
    MODEL_ERROR,
    NO_LEGAL_ACTION,
    ROLLOUT_TOO_LONG,
    SLICE_DONE,
)
from mcts_agents.search.kernel.trace import has_room, in_rollouts, note_move
from mcts_agents.search.kernel.variants import EXTENDED

RANDOM, MAST, FUNCTION, EVALUATOR = range(4)
EXACT, END_ACTION, START_ACTION, END_TURN, END_ROUND = range(5)
ROOT_PLAYER, OTHERS = range(2)
ENDS = {
    "exact": EXACT,
    "action": END_ACTION,
    "start": START_ACTION,
    "turn": END_TURN,
    "round": END_ROUND,
}


def policies(settings):
    """Return what the root player and the others follow below the trees."""
    kinds = {"random": RANDOM, "mast": MAST, "evaluator": EVALUATOR}
    given = settings.rollout_policy, settings.opponent_model
    return [kinds.get(g, FUNCTION) if isinstance(g, str) else FUNCTION for g in given]


def policy_bytes(model, settings):
    """Return the room for what a game's scripted policies remember of one player."""
    sizes = [
        model.policy_bytes(name)
        for name in (settings.rollout_policy, settings.opponent_model)
        if isinstance(name, str) and name in model.policies
    ]
    return -(-max(sizes, default=0) // 8) * 8


def _values(model, settings):
    plain = policies(settings) == [RANDOM, RANDOM]
    # Without a discount it does not matter when a reward comes.
    at_once = settings.discount in (None, 1.0)
    whole = plain and at_once and not in_rollouts(settings)
    by_player = model.players if settings.rollout_per_player else 1
    return {
        "rollout_limit": settings.rollout * by_player,
        "rollout_end": ENDS[settings.rollout_end],
        "policy": policies(settings),
        "policy_bytes": policy_bytes(model, settings),
        "has_random_action": model.has("random_action"),
        "has_playout": (
            model.has("playout") and whole and settings.rollout_end == "exact"
        ),
    }


def _check(model, settings):
    for name in ("rollout_policy", "opponent_model"):
        value = getattr(settings, name)
        words = ["random", "mast", *model.policies]
        if name == "opponent_model":
            words.append("evaluator")
        if isinstance(value, str) and value not in words:
            raise ValueError(
                f"{name}={value!r}: expected random, mast, "
                + ("evaluator, " if name == "opponent_model" else "")
                + "an agent"
                + (f" or a policy of {model.name}: " if model.policies else "")
                + ", ".join(model.policies)
            )


# None, which the game has not yet chosen, may be above 0.
_WITH_ROLLOUTS = Condition(lambda settings: settings.rollout != 0, "rollout above 0")
PART = Part(
    fields=[
        ("rollout_limit", np.int64),
        ("rollout_end", np.int64),  # where a rollout of full length may end
        ("policy", np.int64, 2),  # rollout policy, opponent model
        ("policy_bytes", np.int64),  # what a policy remembers of one player; 0: none
        ("has_random_action", np.int64),
        ("has_playout", np.int64),
        # lane
        ("rollout_actions", np.int64),
        ("last_movers", np.int64),  # who played the last joint action
        ("last_turn", np.int64),
        ("last_round", np.int64),
    ],
    values=_values,
    arrays={
        # two addresses each, see `first_class`
        "policies": Array(np.intp, lambda model, settings: 4),
        "policy_begins": Array(np.intp, lambda model, settings: 4),
        # now, then at the root: for each player
        "policy_memories": Array(
            np.uint8, lambda model, s: 2 * model.players * policy_bytes(model, s)
        ),
    },
    needs={
        "rollout_per_player": [_WITH_ROLLOUTS],
        "rollout_end": [_WITH_ROLLOUTS],
        "rollout_policy": [_WITH_ROLLOUTS],
        "opponent_model": [
            Condition(
                lambda s: s.rollout > 0 or s.tree in ("self", "pair"),
                "rollout above 0, or tree self or pair",
            )
        ],
    },
    entries=[
        NeededFunction("rollout_end", "turn", "turn", "use rollout_end='action'"),
        NeededFunction("rollout_end", "round", "round", "use rollout_end='action'"),
    ],
    check=_check,
    extended=lambda settings: settings.rollout_end != "exact",
)


@njit
def choose_by_policy(search, players):
    """Let `players` (a mask) choose by rollout policy and opponent model."""
    player = np.int64(0)  # a literal would be a type of its own
    while players:
        if players & 1:
            seat = ROOT_PLAYER if player == search.root_player else OTHERS
            status = choose(search, player, seat)
            if status != SLICE_DONE:
                return status
            if EXTENDED and search.traces_rollouts:
                if not has_room(search):
                    return ROLLOUT_TOO_LONG
                note_move(search, player, joint_action_of(search)[player])
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
            return MODEL_ERROR if call.failed(search) else BAD_POLICY
    else:
        n = call.legal_actions(search, player)
        if n <= 0 or n > search.legal_limit:
            return MODEL_ERROR if call.failed(search) else NO_LEGAL_ACTION
        if EXTENDED and policy == MAST:
            if not are_actions(search, n):  # averages would be read elsewhere
                return MODEL_ERROR if call.failed(search) else BAD_ACTION
            action = mast_action(search, player, n, rng_of(search))
        else:
            action = np.int64(legal_of(search)[random_below(rng_of(search), n)])
    if call.failed(search):
        return MODEL_ERROR
    if EXTENDED and search.traces_rollouts:
        if action < 0 or action >= search.slots_length:
            return BAD_ACTION
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
