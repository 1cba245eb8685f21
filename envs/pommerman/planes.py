"""What a player of Pommerman sees as planes, the usual input of a neural network.

Source: the 23 planes of PommerLearn (J. Weil, J. Czech, T. Meuser, K. Kersting, "Know
your Enemy: Investigating Monte-Carlo Tree Search with Opponent Models in Pommerman",
2023, github.com/jw3il/PommerLearn), without its optional centred view.
"""

import functools
from typing import Any

import numpy as np

from mcts_agents.envs.pommerman.layout import DOWN, LEFT, RIGHT, UP
from mcts_agents.envs.pommerman.observed_planes import (
    BOMB_LIFE,
    FIRST_AGENT,
    FIRST_DIRECTION,
    FLAME_LIFE,
    FLAMES_PLANE,
    REACH_PLANE,
    STEPS_PLANE,
    TIMER_PLANE,
)
from mcts_agents.envs.pommerman.rules import rules
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

FULL_STRENGTH, FULL_BOMBS = 11, 5  # that count as 1


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
    seen = _observing(tuple(model.variant.items())).observe(state, player)
    out = np.zeros((PLANES, *seen.shape[1:]), np.float32)
    out[:TIMER_PLANE] = seen[:TIMER_PLANE]
    is_bomb = seen[REACH_PLANE] > 0
    out[5] = np.where(is_bomb, seen[TIMER_PLANE] / np.float32(BOMB_LIFE), 0)
    out[6] = seen[REACH_PLANE] / np.float32(FULL_STRENGTH)
    ways = seen[FIRST_DIRECTION - UP :]
    out[7], out[8] = ways[RIGHT] - ways[LEFT], ways[UP] - ways[DOWN]
    out[9] = seen[FLAMES_PLANE] / np.float32(FLAME_LIFE)
    out[10:22] = seen[FIRST_AGENT:STEPS_PLANE]
    out[14] /= FULL_STRENGTH
    out[15:17] /= FULL_BOMBS
    steps, most = int(model.view(state)["steps"]), int(model.game[0]["max_steps"])
    out[22] = steps / max(1, most - 1)
    return out


@functools.cache
def _observing(variant: tuple[tuple[str, Any], ...]) -> ForwardModel:
    """Return the same game with planes as observation."""
    return rules.model(**{**dict(variant), "observation": "planes"})
