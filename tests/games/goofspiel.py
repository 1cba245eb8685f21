"""Goofspiel with four cards, prizes 4, 3, 2, 1, as compiled rules.

Both players bid one card of 1 to 4 at once for each prize (action a is the card a + 1);
the higher card takes it, equal cards discard it. Everything is seen by both. The scores
are +1, 0 and -1 for the winner, a draw and the loser, 0 before the end.
"""

import numpy as np

from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec

CARDS = 4

GOOFSPIEL = Rules(
    "goofspiel4",
    state=np.dtype(
        [
            ("hands", np.int8, 2),  # bit a: holds the card a + 1
            ("round", np.int8),
            ("lead", np.int8),  # prizes of the first player less those of the second
        ]
    ),
    chance=False,
    search_defaults={"value": "score", "score_bonus": 0.0},
)


@GOOFSPIEL.variant
def variant(game, *, players=2):
    return Spec(players=2, actions=CARDS, observation_shape=(2, CARDS))


@GOOFSPIEL.define
def reset(game, state, rng):
    state.hands[:] = (1 << CARDS) - 1
    state.round = 0
    state.lead = 0


@GOOFSPIEL.define
def movers(game, state):
    return 3 if state.round < CARDS else 0


@GOOFSPIEL.define
def legal_actions(game, state, player, out):
    n = 0
    for card in range(CARDS):
        if state.hands[player] >> card & 1:
            out[n] = card
            n += 1
    return n


@GOOFSPIEL.define
def observe(game, state, player, out):
    """Write the cards that are left to the player, and to the opponent."""
    for row in range(2):
        for card in range(CARDS):
            out[CARDS * row + card] = state.hands[player ^ row] >> card & 1


@GOOFSPIEL.define
def apply(game, state, joint_action, rng):
    prize = CARDS - state.round
    if joint_action[0] > joint_action[1]:
        state.lead += prize
    elif joint_action[0] < joint_action[1]:
        state.lead -= prize
    for player in range(2):
        state.hands[player] &= ~(1 << joint_action[player])
    state.round += 1


@GOOFSPIEL.define
def scores(game, state, out):
    out[:] = 0.0
    if state.round == CARDS:
        out[0] = np.sign(state.lead)
        out[1] = -out[0]


@GOOFSPIEL.define
def results(game, state, out):
    for player in range(2):
        lead = state.lead if player == 0 else -state.lead
        if state.round < CARDS:
            out[player] = PLAYING
        elif lead == 0:
            out[player] = DRAWN
        else:
            out[player] = WON if lead > 0 else LOST
