"""Which face an environment has, and which of its agents decides."""

from collections.abc import Mapping
from typing import Any

import gymnasium
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec_wrapper

from mcts_agents.model.copying.copied_aec import AECFace
from mcts_agents.model.copying.copied_gymnasium import GymnasiumFace
from mcts_agents.model.copying.copied_parallel import ParallelFace, SerialisedFace
from mcts_agents.model.copying.copy_options import CopyOptions
from mcts_agents.model.copying.faces import Face
from mcts_agents.model.copying.watchers import layers, seen_through


def face_of(env: Any, options: CopyOptions | None = None) -> Face:
    """Return the face of an environment after `reset`.

    Raises:
        ValueError: It is no environment, or an action space cannot be numbered.
        RuntimeError: It was not reset.
    """
    if isinstance(env, gymnasium.Env):
        return GymnasiumFace(env, options)
    if isinstance(env, ParallelEnv):
        return ParallelFace(env, options)
    if not isinstance(env, AECEnv):
        raise ValueError(
            f"{env!r} is neither a PettingZoo environment (AEC or parallel) nor a "
            "Gymnasium environment of one game (vectors of them cannot be planned on)"
        )
    replayed = options is not None and options.replay is not None
    inner = seen_through(env, replayed=replayed)
    if isinstance(inner, parallel_to_aec_wrapper):
        # Planned from the parallel environment, where no pending action lies.
        return SerialisedFace(inner, options)
    if any(isinstance(layer, parallel_to_aec_wrapper) for layer in layers(inner)):
        raise ValueError(
            f"{inner}: {type(inner).__name__} wraps the AEC form of a parallel "
            "environment, where actions lie that others must not see yet; wrap the "
            "parallel environment and give it to parallel_to_aec"
        )
    return AECFace(inner, options)


def player_with_masks(face: Face, agent: str | None, action_mask: Any) -> int:
    """Return the number of the agent that decides; its face takes the masks given.

    Args:
        face: The environment.
        agent: See `Face.player_of`.
        action_mask: See `Agent.act`.

    Raises:
        RuntimeError: The environment is done.
        ValueError: The agent has no decision to make, a mask is wrong, or there are
            masks that nobody has passed on.
    """
    if isinstance(action_mask, Mapping):
        face.give_masks(action_mask)
    player = face.player_of(agent)
    if action_mask is not None and not isinstance(action_mask, Mapping):
        face.give_masks({face.agents[player]: action_mask})
    face.require_masks()
    return player
