"""Gymnasium environments as a forward model sees them."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit

from mcts_agents.model.copying.copied_parallel import shown_mask
from mcts_agents.model.copying.faces import Face
from mcts_agents.model.copying.watchers import layers
from mcts_agents.model.masks import shows_masks


class GymnasiumFace(Face):
    """A Gymnasium environment with the wrappers that matter, such as a time limit.

    Masks are asked of the method `action_masks()` if there is one. Else copies find
    them in what their own steps returned, at the root in what `_get_obs()` and
    `_get_info()` return, by Gymnasium's convention; where neither shows one there,
    every action counts as legal at the root.

    Whether a live episode has ended cannot be seen, but for its time limit.
    """

    def __init__(self, env: gymnasium.Env):
        super().__init__(env, ["player_0"])
        if any(vars(layer).get("_has_reset") is False for layer in layers(env)):
            raise RuntimeError(f"{self.name}: call reset() first")
        self._done = any(_time_is_up(layer) for layer in layers(env))
        self._mask: np.ndarray | None = None
        self._at_root = True
        self._masks_method = env.has_wrapper_attr("action_masks")
        if shows_masks(env.observation_space) and self.mask_of(0) is None:
            raise ValueError(
                f"{self.name}: its masks lie only in what step() returned, which a "
                "Gymnasium environment does not keep; give it a method action_masks()"
            )

    def _action_space(self, agent: str) -> spaces.Space:
        return self.env.action_space

    def _observation_space(self, agent: str) -> spaces.Space:
        return self.env.observation_space

    def _shown_to(self, player: int) -> Any:
        return self._shown

    def movers(self) -> list[int]:
        """Return the one player until the episode ends."""
        return [] if self._done else [0]

    def step(self, joint_action: list[int], returns: list[float]) -> None:
        """Take one step."""
        shown, reward, terminated, truncated, info = self.env.step(joint_action[0])
        self._earn({self.agents[0]: reward}, returns)
        self._done = bool(terminated or truncated)
        masked = (info and "action_mask" in info) or isinstance(shown, dict)
        self._mask = shown_mask(shown, info) if masked else None
        self._shown = shown
        self._at_root = False

    def mask_of(self, player: int) -> np.ndarray | None:
        """Return the mask of the next action if the environment shows one."""
        if self._masks_method:
            return np.asarray(self.env.get_wrapper_attr("action_masks")())
        if not self._at_root:
            return self._mask
        inner = self.env.unwrapped
        return shown_mask(_called(inner, "_get_obs"), _called(inner, "_get_info"))

    def prepare(self, dice: np.random.Generator) -> None:
        """Also give the copy a generator where the live one has not made its own yet.

        Made on first use, it would be seeded by the system.
        """
        super().prepare(dice)
        inner = self.env.unwrapped
        if getattr(inner, "_np_random", dice) is None:
            seed = int(dice.integers(2**63))
            inner._np_random = np.random.Generator(np.random.PCG64(seed))


def _time_is_up(layer: Any) -> bool:
    if not isinstance(layer, TimeLimit) or layer._elapsed_steps is None:
        return False
    return layer._elapsed_steps >= layer._max_episode_steps


def _called(env: Any, name: str) -> Any:
    """Return what a method without arguments returns, None if there is none."""
    method = getattr(env, name, None)
    code = getattr(method, "__code__", None)
    return method() if code is not None and code.co_argcount == 1 else None
