"""What the official Pommerman program tells a player, in its own form.

Agents that were written for the official program can be asked with these observations.
The environments of this package give the same facts as one flat array
(`observation`), which is quicker.
"""

from enum import Enum
from typing import Any

import numpy as np

from mcts_agents.envs.pommerman.observation import (
    AT_AMMO,
    AT_ENEMIES,
    AT_KICK,
    AT_MESSAGE,
    AT_POSITION,
    AT_STRENGTH,
    AT_TEAMMATE,
    FIRST_AGENT_CODE,
    MAPS,
)
from mcts_agents.model import ForwardModel


class Item(Enum):
    """The codes of the official program, by its names."""

    Passage = 0
    Rigid = 1
    Wood = 2
    Bomb = 3
    Flames = 4
    Fog = 5
    ExtraBomb = 6
    IncrRange = 7
    Kick = 8
    AgentDummy = 9
    Agent0 = 10
    Agent1 = 11
    Agent2 = 12
    Agent3 = 13


class GameType(Enum):
    """The kinds of games of the official program, by its names."""

    FFA = 1
    Team = 2
    TeamRadio = 3
    OneVsOne = 4


# The maps after the board, in the order of the flat observation.
MAP_NAMES = ("bomb_blast_strength", "bomb_life", "bomb_moving_direction", "flame_life")


def official_observation(
    model: ForwardModel, state: np.ndarray, player: int
) -> dict[str, Any]:
    """Return the official observation of a player, dead or alive.

    Out of sight the board shows `Item.Fog`, and all other maps are 0.

    Args:
        model: Forward model of Pommerman; it says whether there are fog and messages.
        state: The state, uint8 of shape `(model.state_size,)`; not changed.
        player: Whose view it is.

    Returns:
        A new dict with the keys of the official program. Maps have the shape
        (size, size), 11 or for two players 8:

        - `alive`: list of int, 10 + number of each player who lives
        - `board`: uint8 map of `Item` values
        - `bomb_blast_strength`: float64 map, 2 to 10, or 0 without a bomb
        - `bomb_life`: float64 map, steps until the bomb explodes, 1 to 9
        - `bomb_moving_direction`: float64 map, 0 rests, 1 up, 2 down, 3 left, 4 right
        - `flame_life`: float64 map, steps that flames still burn, 1 to 3
        - `game_type`: int, a value of `GameType`
        - `game_env`: str, the official class that plays such games
        - `position`: tuple of row and column; of the dead where they died
        - `blast_strength`, `ammo`: int
        - `can_kick`: bool
        - `teammate`: `Item`, `AgentDummy` without teams
        - `enemies`: list of `Item`, ascending; in teams `AgentDummy` is the third
        - `step_count`: int
        - `message`: tuple of the team mate's two words of the last step; only in games
          with messages, and (0, 0) in a new game

    Raises:
        ValueError: No such player.

    Source: `ForwardModel.get_observations` and the classes `Pomme` of
    MultiAgentLearning/playground (December 2023).
    """
    if not 0 <= player < model.players:
        raise ValueError(f"player={player}: expected 0 to {model.players - 1}")
    game, view = model.game[0], model.view(state)
    size = int(game["size"])
    seen = model.observe(state, player).astype(np.int64)
    board, *maps = seen[: MAPS * size * size].reshape(MAPS, size, size)
    facts = seen[MAPS * size * size :].tolist()
    others = facts[AT_ENEMIES : AT_ENEMIES + 3]
    observation = {
        "alive": [
            FIRST_AGENT_CODE + other
            for other in range(model.players)
            if view["alive"] >> other & 1
        ],
        "board": board.astype(np.uint8),
        **{n: m.astype(np.float64) for n, m in zip(MAP_NAMES, maps, strict=True)},
        "game_type": _game_type(model).value,
        "game_env": _game_env(model),
        "position": tuple(facts[AT_POSITION : AT_POSITION + 2]),
        "blast_strength": facts[AT_STRENGTH],
        "can_kick": bool(facts[AT_KICK]),
        "teammate": Item(facts[AT_TEAMMATE]),
        "ammo": facts[AT_AMMO],
        # One against one the official list has one entry; ours has three numbers.
        "enemies": [Item(other) for other in others[: model.players - 1]],
        "step_count": int(view["steps"]),
    }
    if game["message_bits"]:
        observation["message"] = tuple(facts[AT_MESSAGE : AT_MESSAGE + 2])
    return observation


def featurize(observation: dict[str, Any]) -> np.ndarray:
    """Return an official observation as the official flat vector.

    Board, blast strengths and lives of bombs row by row, then position, ammo, blast
    strength, kick, team mate, enemies, and the two words of a message if there is one.
    Directions, flames, step count and who lives are left out, as officially.

    Args:
        observation: What `official_observation` returns.

    Returns:
        float32 of shape (372,), 3 * 121 + 9; with messages (374,); for two players on
        8x8 (199,). (The official text says 3 * 121 + 12, which is not what comes.)

    Source: `Pomme.featurize` of the same program. Its version for messages cannot be
    called (`super()` in a static method); what it was meant to give is given here.
    """
    maps = (observation[name].reshape(-1) for name in ("board", *MAP_NAMES[:2]))
    facts = (
        *observation["position"],
        observation["ammo"],
        observation["blast_strength"],
        observation["can_kick"],
        observation["teammate"].value,
        *(enemy.value for enemy in observation["enemies"]),
        *observation.get("message", ()),
    )
    return np.concatenate((*maps, facts)).astype(np.float32)


def _game_type(model: ForwardModel) -> GameType:
    game = model.game[0]
    if model.players == 2:
        return GameType.OneVsOne
    if not game["team"]:
        return GameType.FFA
    return GameType.TeamRadio if game["message_bits"] else GameType.Team


def _game_env(model: ForwardModel) -> str:
    game = model.game[0]
    version = 2 if game["message_bits"] else 1 if game["first_collapse"] else 0
    return f"pommerman.envs.v{version}:Pomme"
