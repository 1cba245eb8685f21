"""The 23 planes of Pommerman, cell by cell, from the description of the source."""

import numpy as np

from mcts_agents.envs.pommerman.official import position

RIGID, WOOD, EXTRA_BOMB, RANGE, KICK = 1, 2, 6, 7, 8
SIDEWAYS = {0: 0, 1: 0, 2: 0, 3: -1, 4: 1}
UPWARDS = {0: 0, 1: 1, 2: -1, 3: 0, 4: 0}


def planes_of(model, state, player):
    """Return the planes of a player, float64 of shape (23, size, size)."""
    whole = position(model, state)
    size, players = len(whole.board), model.players
    out = np.zeros((23, size, size))
    has_fog = model.variant["fog"] or (
        model.variant["fog"] is None and model.variant["mode"] == "radio"
    )
    own_row, own_column = map(int, whole.agent_pos[player])

    def sees(row, column):
        far = max(abs(row - own_row), abs(column - own_column))
        return not has_fog or far <= 4

    def number(other):
        return (int(other) - player) % players

    for row in range(size):
        for column in range(size):
            if not sees(row, column):
                continue
            code = whole.board[row, column]
            for plane, marked in enumerate((RIGID, WOOD, EXTRA_BOMB, RANGE, KICK)):
                if code == marked:
                    out[plane, row, column] = 1
            if code >= 10:
                out[10 + number(code - 10), row, column] = 1
    laid = 0
    for row, column, owner, life, strength, direction in whole.bombs.tolist():
        laid += owner == player
        if sees(row, column):
            out[5, row, column] = 1 - life / 9
            out[6, row, column] = (strength - 1) / 11
            out[7, row, column] = SIDEWAYS[direction]
            out[8, row, column] = UPWARDS[direction]
    for row, column, life in whole.flames.tolist():
        if sees(row, column):
            out[9, row, column] = max(out[9, row, column], (life + 1) / 3)
    out[14] = (whole.agent_blast[player] - 1) / 11
    out[15] = laid / 5
    out[16] = (laid + int(whole.agent_ammo[player])) / 5
    out[17] = whole.agent_kick[player]
    for other in range(players):
        out[18 + number(other)] = whole.agent_alive[other]
    out[22] = whole.step_count / 799
    return out
