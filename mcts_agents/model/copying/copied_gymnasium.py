"""Gymnasium environments as a forward model sees them."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.toy_text.taxi import TaxiEnv
from gymnasium.wrappers import TimeLimit

from mcts_agents.model.copying.copied_parallel import shown_mask
from mcts_agents.model.copying.copy_options import CopyOptions
from mcts_agents.model.copying.faces import Face
from mcts_agents.model.copying.watchers import layers
from mcts_agents.model.masks import shows_masks

# Attributes that are True when an episode has ended, in environments that have them.
ENDED = tuple(
    under + name
    for name in ("terminated", "truncated", "done", "game_over")
    for under in ("", "_")
)


class GymnasiumFace(Face):
    """A Gymnasium environment with the wrappers that matter, such as a time limit.

    Masks are asked of the method `action_masks()` if there is one. Else copies find
    them in what their own steps returned, at the root in what the caller passes on, or
    in what `_get_obs()` and `_get_info()` return, by Gymnasium's convention. Where none
    of these shows one, and a copy's step then does, planning ends with an error.

    Whether a live episode has ended cannot be seen, but for its time limit and for
    environments that note it under a usual name (`ENDED`).
    """

    def __init__(self, env: gymnasium.Env, options: CopyOptions | None = None):
        super().__init__(env, ["player_0"], options)
        if any(vars(layer).get("_has_reset") is False for layer in layers(env)):
            raise RuntimeError(f"{self.name}: call reset() first")
        self._done = any(_time_is_up(layer) or _says_it_ended(layer)
                         for layer in layers(env))  # fmt: skip
        self._mask: Any = None
        self._at_root = True
        self._masks_method = env.has_wrapper_attr("action_masks")

    def require_masks(self) -> None:
        """See `Face.require_masks`."""
        if shows_masks(self.env.observation_space) and self.checked_mask(0) is None:
            raise self._masks_are_unknown()

    def _masks_are_unknown(self) -> ValueError:
        return ValueError(
            f"{self.name}: its masks lie only in what reset() and step() returned, "
            "which a Gymnasium environment does not keep. Pass the last one on: "
            "act(env, action_mask=observation['action_mask']) or info['action_mask']; "
            "or give the environment a method action_masks()"
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
        action = self.action(0, joint_action[0])
        shown, reward, terminated, truncated, info = self.env.step(action)
        self._earn({self.agents[0]: reward}, returns)
        mask = shown_mask(shown, info)
        if self._at_root:
            if mask is not None and not self._knows_masks():
                raise self._masks_are_unknown()
            self._at_root = False
        self._step_is_over()
        self._done = bool(terminated or truncated)
        self._mask = mask
        self._shown = shown

    def restart(self, seed: int) -> None:
        """See `Face.restart`."""
        self._shown, info = self.env.reset(seed=seed)
        self._step_is_over()
        self._done = self._at_root = False
        self._mask = shown_mask(self._shown, info)

    def _knows_masks(self) -> bool:
        """Whether masks can be had before a step; asked after one, while `_at_root`."""
        return self._masks_method or self.checked_mask(0) is not None

    def mask_of(self, player: int) -> Any:
        """Return the mask of the next action if the environment shows one."""
        if self._masks_method:
            return np.asarray(self.env.get_wrapper_attr("action_masks")())
        if not self._at_root:
            return self._mask
        inner = self.env.unwrapped
        if isinstance(inner, TaxiEnv):
            return inner.action_mask(inner.s)
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


def _says_it_ended(layer: Any) -> bool:
    """Whether an environment notes, under a usual name, that its episode is over."""
    noted = getattr(layer, "__dict__", {})
    if noted.get("steps_beyond_terminated") is not None:  # CartPole
        return True
    return any(isinstance(v := noted.get(name), bool | np.bool_) and v
               for name in ENDED)  # fmt: skip


def _called(env: Any, name: str) -> Any:
    """Return what a method without arguments returns, None if there is none."""
    method = getattr(env, name, None)
    code = getattr(method, "__code__", None)
    return method() if code is not None and code.co_argcount == 1 else None
