"""What a player of Pommerman sees as planes, the usual input of a neural network.

Source: the 23 planes of PommerLearn (J. Weil, J. Czech, T. Meuser, K. Kersting, "Know
your Enemy: Investigating Monte-Carlo Tree Search with Opponent Models in Pommerman",
2023, github.com/jw3il/PommerLearn), without its optional centred view.
"""

import numpy as np

from mcts_agents.envs.pommerman.layout import OWNER_SHIFT, SEATS
from mcts_agents.envs.pommerman.observation import (
    AT_AMMO,
    AT_KICK,
    AT_STRENGTH,
    BOARD,
    BOMB_DIRECTION,
    BOMB_TIME,
    FIRST_AGENT_CODE,
    FLAME_TIME,
    MAPS,
    STRENGTH,
)
from mcts_agents.model import ForwardModel

PLANE_NAMES = (
    "rigid",
    "wood",
    "extra bomb",
    "range",
    "kick",
    "bomb timer",
    "bomb strength",
    "bomb to the right",
    "bomb upwards",
    "flames",
    "self",
    "next player",
    "second next player",
    "third next player",
    "own strength",
    "own bombs laid",
    "own bombs in all",
    "own kick",
    "self alive",
    "next player alive",
    "second next player alive",
    "third next player alive",
    "step",
)
PLANES = len(PLANE_NAMES)
CELL_PLANES = 14  # those that differ from cell to cell; the others are constant

BOMB_LIFE, FLAME_LIFE = 9, 3
FULL_STRENGTH, FULL_BOMBS = 11, 5  # that count as 1
_FIRST_AGENT, _FIRST_FACT, _FIRST_ALIVE, _STEP = 10, 14, 18, 22

# The code of the board that each of the first planes marks.
_CODES = np.array([1, 2, 6, 7, 8], np.int8)
# By direction: none, up, down, left, right.
_RIGHT = np.array([0, 0, 0, -1, 1], np.float32)
_UP = np.array([0, 1, -1, 0, 0], np.float32)


def planes(model: ForwardModel, state: np.ndarray, player: int) -> np.ndarray:
    """Return what a player sees as 23 planes.

    | plane | |
    |---|---|
    | 0-1 | 1 for rigid walls, for wood |
    | 2-4 | 1 for open items: extra bomb, range, kick |
    | 5 | bombs: 1 - life / 9, so 0 when just laid; under agents, too |
    | 6 | bombs: cells that they reach in one direction / 11 |
    | 7 | rolling bombs: -1 to the left, 1 to the right |
    | 8 | rolling bombs: 1 upwards, -1 downwards |
    | 9 | flames: steps that they still burn / 3 |
    | 10-13 | 1 for living agents: the player, then the next three by number |
    | 14 | own blast strength: reach / 11 |
    | 15 | own bombs lying on the board / 5 |
    | 16 | own bombs in all, lying or ready / 5 |
    | 17 | 1 if the player can kick |
    | 18-21 | 1 if alive: the player, then the next three |
    | 22 | steps played / (`max_steps` - 1) |

    Reach is the official blast strength less one, as the source counts it; it is 9 at
    most. Planes 14 to 22 are constant. Cells that the player does not see are 0 in
    planes 0 to 13. Of other players nothing is told but where they are seen and whether
    they live. Numbers go round: after the last player comes the first. In a game for
    two the planes of two more players are 0.

    Args:
        model: Forward model of Pommerman; it says whether there is fog.
        state: The state, uint8 of shape `(model.state_size,)`; not changed.
        player: Whose view it is, dead or alive.

    Returns:
        float32 of shape (23, 11, 11), for two players (23, 8, 8). Planes 7 and 8 go
        from -1 to 1, 15 to 2, 16 to 4 (officially there is no limit of 5 bombs), 22 to
        800 / 799 at the end of a game, all others from 0 to 1.

    Raises:
        ValueError: No such player.
    """
    if not 0 <= player < model.players:
        raise ValueError(f"player={player}: expected 0 to {model.players - 1}")
    game, view = model.game[0], model.view(state)
    size = int(game["size"])
    seen = model.observe(state, player)
    maps = seen[: MAPS * size * size].reshape(MAPS, size, size)
    facts = seen[MAPS * size * size :]
    board, direction = maps[BOARD], maps[BOMB_DIRECTION]
    is_bomb = maps[BOMB_TIME] > 0
    out = np.zeros((PLANES, size, size), np.float32)
    out[: len(_CODES)] = board == _CODES[:, None, None]
    out[5] = np.where(is_bomb, 1 - maps[BOMB_TIME] / np.float32(BOMB_LIFE), 0)
    out[6] = np.where(is_bomb, _reach(maps[STRENGTH]), 0)
    out[7], out[8] = _RIGHT[direction], _UP[direction]
    out[9] = maps[FLAME_TIME] / np.float32(FLAME_LIFE)
    players = np.roll(np.arange(model.players), -player)
    ends = _FIRST_AGENT + len(players)
    out[_FIRST_AGENT:ends] = board == FIRST_AGENT_CODE + players[:, None, None]

    bombs = view["bombs"][: view["bomb_count"]]
    laid = np.count_nonzero(bombs >> OWNER_SHIFT & SEATS - 1 == player)
    out[_FIRST_FACT] = _reach(facts[AT_STRENGTH])
    out[_FIRST_FACT + 1] = laid / FULL_BOMBS
    out[_FIRST_FACT + 2] = (laid + facts[AT_AMMO]) / FULL_BOMBS
    out[_FIRST_FACT + 3] = facts[AT_KICK]
    alive = view["alive"] >> players & 1
    out[_FIRST_ALIVE : _FIRST_ALIVE + len(players)] = alive[:, None, None]
    out[_STEP] = int(view["steps"]) / max(1, int(game["max_steps"]) - 1)
    return out


def _reach(strength: np.ndarray) -> np.ndarray:
    """Return how far a blast strength reaches, as a plane shows it."""
    return (strength - np.float32(1)) / FULL_STRENGTH
