"""Gymnasium environments as a forward model sees them."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.toy_text.taxi import TaxiEnv
from gymnasium.wrappers import TimeLimit

from mcts_agents.model import clock
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.cloning_kinds import UncopyableEnvironmentError
from mcts_agents.model.copying.copied_parallel import (
    kept_mask,
    note_no_masks,
    seen_mask,
    shown_mask,
    to_pass,
)
from mcts_agents.model.copying.copy_options import CopyOptions
from mcts_agents.model.copying.faces import (
    BITS,
    COMMON,
    NO_RANGE,
    NOBODY,
    NUMBERS,
    Face,
    check_five,
    listed,
)
from mcts_agents.model.copying.watchers import layers
from mcts_agents.model.masks import PlainMasks, shows_masks

# Who decides, as a bit mask, while an episode lasts.
ALONE = 1

# What a step must return.
FIVE = "observation, reward, terminated, truncated and info"

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
        numbers = self.numbers[0]
        self._are_coded = numbers.are_coded or numbers.first > 0
        self._plain_masks = PlainMasks(numbers.limit)
        self._masks_method = self.asks_live = env.has_wrapper_attr("action_masks")
        # Whether masks that steps show are those of plain numbers.
        self._reads_masks = not (self._are_coded or self._masks_method)
        self._found_masks: set[bool] = set()  # shared by the copies
        # The situation after a step that shows no mask.
        self._free = ALONE, *self._ranges[0]

    def require_masks(self) -> None:
        """See `Face.require_masks`."""
        if shows_masks(self.env.observation_space) and self.checked_mask(0) is None:
            raise self._masks_are_unknown()

    def _masks_are_unknown(self) -> ValueError:
        return ValueError(
            f"{self.name}: its action masks are only in the return values of reset() "
            "and step(), which a Gymnasium environment does not store. Pass the latest "
            "mask: act(env, action_mask=observation['action_mask']), or "
            "info['action_mask']; or give the environment a method action_masks()"
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

    def situation(self, known: dict[int, list[int]]) -> tuple[int, int, int]:
        """See `Face.situation`."""
        if self._done:
            return NOBODY
        if self._asks():
            return ALONE, *NO_RANGE
        if self._mask is None:
            return ALONE, *self._ranges[0]
        found = None if self._are_coded else self._plain_masks.read(self._mask)
        if found is None:
            return ALONE, *NO_RANGE
        if not found[1]:
            return listed(0, found[0], known)
        known[0] = found[0]
        return ALONE, found[1], BITS

    def _asks(self) -> Any:
        """Whether there may be masks that no step has shown."""
        return self._at_root or self._masks_method or self._given

    def movers_mask(self) -> int:
        """See `Face.movers_mask`."""
        return 0 if self._done else 1

    def step(self, joint_action: list[int], returns: list[float]) -> None:
        """Take one step."""
        self.step_one(0, joint_action[0], returns, {})

    def step_one(
        self,
        player: int,
        action: int,
        returns: list[float],
        known: dict[int, list[int]],
    ) -> tuple[int, int, int]:
        """See `Face.step_one`."""
        if self._are_coded:
            action = self.action(0, action)
        try:
            shown, reward, terminated, truncated, info = self.env.step(action)
        except Exception as error:
            check_five(error, self.name, FIVE)
            if self._mask is None and not (self._masks_method or self._given):
                note_no_masks(error, self.name, to_pass("info['action_mask']"))
            raise
        if type(reward) in NUMBERS and -COMMON <= reward <= COMMON:
            returns[0] += reward
        else:
            self._earn({self.agents[0]: reward}, returns)
        mask = shown.get("action_mask") if isinstance(shown, dict) else None
        if mask is None and info:
            mask = info.get("action_mask")
        if self._at_root:
            if mask is not None and not self._knows_masks():
                raise self._masks_are_unknown()
            self._at_root = False
        if self._given or self._proposed:
            self._step_is_over()
        self._shown = shown
        self._done = done = bool(terminated or truncated)
        if mask is None:
            self._mask = None
            return self.situation(known) if done or self._masks_method else self._free
        if type(mask) is not np.ndarray:
            mask = seen_mask(shown, info)
        self._mask = mask = kept_mask(mask)
        # Here, as calls of functions take as long as what they would do.
        if self._reads_masks and not done and type(mask) is np.ndarray:
            plain = self._plain_masks
            if mask.shape == plain.shape:
                found = plain.known.get(mask.tobytes())
                if found and found[1]:
                    known[0] = found[0]
                    return ALONE, found[1], BITS
        return self.situation(known)

    def play(
        self,
        draws: Iterator[int],
        returns: list[float],
        limit: int,
        watch: clock.Watch | None,
        known: Mapping[int, list[int]],
    ) -> int:
        """See `Face.play`; plain are numbers as actions."""
        if self._done or limit <= 0 or self._are_coded or self._asks():
            return 0
        step, whole, mask = self.env.step, self._whole_spaces[0], self._mask
        masks = self._plain_masks
        legal_in, known, shape = masks.legal, masks.known, masks.shape
        legal = whole if mask is None else legal_in(mask)
        if not legal:
            return 0
        played, most, least, numbers = 0, COMMON, -COMMON, NUMBERS
        array, usual = np.ndarray, object()
        flags, look = ((0,), None) if watch is None else watch.in_a_loop()
        # In here, as calls of functions take as long as what they would do.
        for drawn in islice(draws, limit):
            try:
                shown, reward, terminated, truncated, info = step(
                    legal[drawn * len(legal) >> 32]
                )
            except Exception as error:
                check_five(error, self.name, FIVE)
                if mask is None:
                    note_no_masks(error, self.name, to_pass("info['action_mask']"))
                raise
            played += 1
            if reward is usual:  # an object that has been looked at before
                returns[0] += reward
            elif type(reward) in numbers and least <= reward <= most:
                usual = reward
                returns[0] += reward
            else:
                self._earn({self.agents[0]: reward}, returns)
            if terminated or truncated:
                self._done = True
                break
            mask = shown.get("action_mask") if isinstance(shown, dict) else None
            if mask is None and info:
                mask = info.get("action_mask")
            if mask is None:
                legal = whole
            elif known and type(mask) is array and mask.shape == shape:
                read = known.get(mask.tobytes())
                legal = read[0] if read else legal_in(mask)
            else:
                mask = seen_mask(shown, info)
                legal = legal_in(mask)
            if not legal or flags[0] or (look is not None and look()):
                break
        if played:
            self._shown, self._mask = shown, kept_mask(mask)
        return played

    def restart(self, seed: int) -> None:
        """See `Face.restart`."""
        self._shown, info = self.env.reset(seed=seed)
        self._step_is_over()
        self._done = self._at_root = False
        self._mask = shown_mask(self._shown, info)

    def _knows_masks(self) -> bool:
        """Whether masks can be had before a step; asked after one, while `_at_root`."""
        if not self._found_masks:
            found = self._masks_method or self.checked_mask(0) is not None
            self._found_masks.add(bool(found))
        return True in self._found_masks

    def mask_of(self, player: int) -> Any:
        """Return the mask of the next action if the environment shows one."""
        if self._masks_method:
            mask = self.env.get_wrapper_attr("action_masks")()
            return mask if isinstance(mask, tuple) else np.asarray(mask)
        if not self._at_root:
            return self._mask
        inner = self.env.unwrapped
        if isinstance(inner, TaxiEnv):
            return inner.action_mask(inner.s)
        if not any(_can_be_called(inner, name) for name in _ASKED):
            return None
        # A copy is asked: observations draw noise, or count how often they were made.
        try:
            inner = Cloner().clone(self.env).unwrapped
        except UncopyableEnvironmentError:
            pass  # a search will say so, or replays it
        return shown_mask(*(_called(inner, name) for name in _ASKED))

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


# Methods that return observations and infos, by Gymnasium's convention.
_ASKED = ("_get_obs", "_get_info")


def _can_be_called(env: Any, name: str) -> bool:
    """Whether an environment has a method of this name without arguments."""
    code = getattr(getattr(env, name, None), "__code__", None)
    return code is not None and code.co_argcount == 1


def _called(env: Any, name: str) -> Any:
    """Return what a method without arguments returns, None if there is none."""
    return getattr(env, name)() if _can_be_called(env, name) else None
