"""Kuhn poker for two as compiled rules; see `tests.exact.kuhn` for how it is played.

Action 0 is a pass (check or fold), 1 a bet (or call). Scores are the chips won or lost
at the end, 0 before. Each player sees the own card and every action.
"""

import numpy as np
from numba import njit

from mcts_agents.model import LOST, PLAYING, WON, Rules, Spec, random_below

PASS, BET = 0, 1

KUHN = Rules(
    "kuhn_poker",
    state=np.dtype(
        [
            ("cards", np.int8, 2),
            ("moves", np.int8),
            ("bets", np.int8),  # bit m: the move m was a bet
        ]
    ),
    chance=False,
    search_defaults={"value": "score", "score_bonus": 0.0},
)


@KUHN.variant
def variant(game, *, players=2):
    return Spec(players=2, actions=2)


@KUHN.define
def reset(game, state, rng):
    state.cards[0] = random_below(rng, 3)
    state.cards[1] = (state.cards[0] + 1 + random_below(rng, 2)) % 3
    state.moves = 0
    state.bets = 0


@njit
def is_over(state):
    """Two moves end a hand unless they were a pass and a bet; three always do."""
    return state.moves == 3 or (state.moves == 2 and state.bets != 0b10)


@njit
def won_chips(state):
    """What the first player won in a finished hand."""
    if state.moves == 2 and state.bets == 0b01:
        return 1
    if state.moves == 3 and state.bets == 0b010:
        return -1
    stake = 1 if state.bets == 0 else 2
    return stake if state.cards[0] > state.cards[1] else -stake


@KUHN.define
def movers(game, state):
    return 0 if is_over(state) else 1 << state.moves % 2


@KUHN.define
def legal_actions(game, state, player, out):
    out[0] = PASS
    out[1] = BET
    return 2


@KUHN.define
def apply(game, state, joint_action, rng):
    if joint_action[state.moves % 2] == BET:
        state.bets |= 1 << state.moves
    state.moves += 1


@KUHN.define
def redeterminise(game, state, observer, rng):
    other = (state.cards[observer] + 1 + random_below(rng, 2)) % 3
    state.cards[1 - observer] = other


@KUHN.define
def visible_action(game, state, joint_action, actor, observer):
    return joint_action[actor]


@KUHN.define
def state_key(game, state, observer):
    """The own card and the moves; both cards for nobody in particular."""
    key = state.moves * 8 + state.bets
    for player in range(2):
        if observer < 0 or observer == player:
            key = key * 4 + 1 + state.cards[player]
        else:
            key *= 4
    return key


@KUHN.define
def scores(game, state, out):
    won = won_chips(state) if is_over(state) else 0
    out[0] = won
    out[1] = -won


@KUHN.define
def results(game, state, out):
    for player in range(2):
        if not is_over(state):
            out[player] = PLAYING
        else:
            out[player] = WON if (won_chips(state) > 0) == (player == 0) else LOST


def place(model, card, history, other=None):
    """Return a state at which the owner of `card` decides after `history`.

    Args:
        model: The model of these rules.
        card: The card of the player to move, 0 to 2.
        history: The moves so far, such as `"pb"`.
        other: The opponent's card; default the next higher one, 0 after 2.
    """
    state = model.new_state()
    record = model.view(state)
    seat = len(history) % 2
    record["cards"][seat] = card
    record["cards"][1 - seat] = (card + 1) % 3 if other is None else other
    record["moves"] = len(history)
    record["bets"] = sum(1 << m for m, move in enumerate(history) if move == "b")
    return state
