"""What learners and policies see: flat or structured observations."""

import copy
from typing import Any

import numpy as np
from gymnasium import spaces

from mcts_agents.model.forward_model import ForwardModel
from mcts_agents.model.masks import mask_in, shows_masks, space_without_mask

OBSERVATIONS = ("flat", "dict")


def observation_space(model: ForwardModel) -> spaces.Dict:
    """Return the observation space of every player of a model, masks included.

    Of a copied environment the observations are its own.
    """
    seen = model.own_observation_space  # without the mask
    if seen is None:
        low, high = model.observation_bounds
        seen = spaces.Box(low, high, model.observation_shape, np.int8)
    return spaces.Dict(
        {
            "observation": seen,
            "action_mask": spaces.Box(0, 1, (model.actions,), np.int8),
        }
    )


class View:
    """One agent's observations as a learner gets them.

    Args:
        kind: `"flat"`, `"dict"`.
        space: The agent's observation space in the PettingZoo environment.
        actions: Number of its actions.

    Attributes:
        space: The learner's observation space: for `"flat"` a Box of shape (n,), with
            the data type and the bounds that the environment has; for `"dict"`
            `{"observation", "action_mask"}`, the mask int8 of shape (actions,). If the
            environment's space has a mask but no "observation", all else in it is the
            observation.

    Raises:
        ValueError: Another kind, or a space that has no flat form.
    """

    def __init__(self, kind: str, space: spaces.Space, actions: int):
        if kind not in OBSERVATIONS:
            raise ValueError(f"observation={kind!r}: expected 'flat' or 'dict'")
        self._is_nested = shows_masks(space) and "observation" in space.spaces
        self._inner = space_without_mask(space)
        self._is_flat = kind == "flat"
        if not self._is_flat:
            mask = spaces.Box(0, 1, (actions,), np.int8)
            parts = {"observation": self._inner, "action_mask": mask}
            self.space: spaces.Space = spaces.Dict(parts)
            return
        if not self._inner.is_np_flattenable:
            raise ValueError(
                f"observation='flat': {self._inner} has no flat form; take 'dict'"
            )
        self.space = spaces.flatten_space(self._inner)

    def of(self, observation: Any, mask: np.ndarray) -> Any:
        """Return the learner's observation; it shares no memory with the environment.

        Args:
            observation: What the environment shows.
            mask: The learner's mask.
        """
        shows_mask = mask_in(observation) is not None
        if self._is_nested or (shows_mask and "observation" in observation):
            observation = observation["observation"]
        if isinstance(self._inner, spaces.Dict):
            # The mask may lie between the parts of the observation.
            known = self._inner.spaces
            observation = {key: v for key, v in observation.items() if key in known}
        if isinstance(self._inner, spaces.Box):
            # As `spaces.flatten` does it, which takes longer to find that out.
            array = np.array(observation, self._inner.dtype)
            observation = array.reshape(-1) if self._is_flat else array
        elif self._is_flat:
            observation = spaces.flatten(self._inner, observation)
        if self._is_flat:
            return observation
        if isinstance(self._inner, spaces.Discrete):
            observation = int(observation)  # often an array of shape ()
        elif not isinstance(self._inner, spaces.Box):
            observation = copy.deepcopy(observation)
        return {"observation": observation, "action_mask": mask.copy()}
