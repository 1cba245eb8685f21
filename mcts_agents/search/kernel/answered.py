"""The evaluator as opponent model: others play what its policy finds most probable.

    when a state is stored, and its leaf waits for the evaluator:
        put what each of the others sees into the batch, too
    when the answers come:
        keep for each of them the action of its greatest logit, the first of several
    when a descent goes on from that state:
        let each of them play it

So opponents cost no call of their own. A state has one answer of each opponent, as it
has with every model in a sampled loop.

Source: "RawNet" of Weil, Czech, Meuser, Kersting, "Know your enemy: investigating
Monte-Carlo tree search with opponent models in Pommerman" (2023), section 3.4, which
asks for each opponent's action by itself.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model.addresses import as_pointer
from mcts_agents.search.kernel.parts import Part
from mcts_agents.search.kernel.records import joint_action_of
from mcts_agents.search.kernel.status import NOT_ANSWERED, SLICE_DONE

UNKNOWN = -1
MODEL = "evaluator"
_BYTES = 8  # of a move


def is_on(settings):
    """Whether the evaluator is the opponent model."""
    return isinstance(settings.opponent_model, str) and settings.opponent_model == MODEL


def bytes_of_moves(model, settings):
    """Return the room for one move of each player, at the end of a state's slot."""
    return _BYTES * model.players if is_on(settings) else 0


def _check(model, settings):
    if not is_on(settings):
        return
    if settings.evaluator is None:
        raise ValueError(f"opponent_model={MODEL!r}: there is no evaluator; give one")
    if settings.tree not in ("self", "pair") or settings.loop != "sampled":
        raise ValueError(
            f"opponent_model={MODEL!r}: needs tree self or pair, and loop sampled, "
            "whose nodes keep what the evaluator says of a state"
        )


PART = Part(
    fields=[("answered", np.int64)],
    values=lambda model, settings: {"answered": is_on(settings)},
    check=_check,
)


@njit
def moves_of(search, node):
    """View the moves that are kept with a state, one for each player."""
    end = search.states + (node + 1) * search.slot_size
    return carray(as_pointer(end - _BYTES * search.players), search.players, np.int64)


@njit
def begin_moves(search, node):
    """Say that nothing is known of a state that has just been stored."""
    moves = moves_of(search, node)
    for player in range(search.players):
        moves[player] = UNKNOWN


@njit
def keep_move(search, node, player, logits, legal):
    """Keep the legal action of the greatest logit, the first of several."""
    best = UNKNOWN
    for action in range(len(logits)):
        if legal[action] and (best == UNKNOWN or logits[action] > logits[best]):
            best = action
    moves_of(search, node)[player] = best


@njit
def play_kept_moves(search, node, players):
    """Write the kept moves of `players` (a mask) into the joint action."""
    moves = moves_of(search, node)
    for player in range(search.players):
        if players >> player & 1:
            if moves[player] == UNKNOWN:  # nobody was asked
                return NOT_ANSWERED
            joint_action_of(search)[player] = moves[player]
    return SLICE_DONE
