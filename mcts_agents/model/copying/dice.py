"""Random generators in copies of an environment: the same dice, or fresh ones.

An exact copy of a generator would tell a search what the real game will throw. Copies
that are planned on therefore get new generators of the same kind, seeded by the
planner.
"""

import copy
import functools
import gc
import random
import sys
import types
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.random.bit_generator import ISpawnableSeedSequence

from mcts_agents.model.random import draw_uint64

GENERATORS = (
    np.random.Generator,
    np.random.RandomState,
    np.random.BitGenerator,
    random.Random,
)

# The walk below does not go through these: they lead to whole modules.
_WALLS = (type, types.ModuleType, types.FunctionType, types.CodeType, spaces.Space)


class PlannersSeed(ISpawnableSeedSequence):
    """Seeds new bit generators straight from the planner's numbers.

    `numpy.random.SeedSequence` costs 8 microseconds for every copy, which is as much
    as all the rest of a small game; the planner's numbers need no more mixing.
    """

    def __init__(self, dice: np.random.Generator):
        self._dice = dice

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> np.ndarray:
        """Return `n_words` random words, shape (n_words,), of `dtype`."""
        size = -(-n_words * np.dtype(dtype).itemsize // 8)
        return self._dice.bit_generator.random_raw(size).view(dtype)[:n_words]

    def spawn(self, n_children: int) -> list["PlannersSeed"]:
        """Return sequences for generators that the environment itself spawns."""
        seeds = self._dice.integers(2**63, size=n_children)
        return [PlannersSeed(np.random.default_rng(int(seed))) for seed in seeds]


def planners_dice(rng: np.ndarray) -> np.random.Generator:
    """Return numpy's generator seeded by the planner's own, which is advanced."""
    return np.random.default_rng(draw_uint64(rng))


def fresh(generator: Any, dice: np.random.Generator) -> Any:
    """Return a generator of the same kind whose numbers come from `dice`."""
    kind = type(generator)
    if kind is np.random.Generator:
        return np.random.Generator(fresh(generator.bit_generator, dice))
    if isinstance(generator, np.random.BitGenerator):
        return kind(PlannersSeed(dice))
    if kind is np.random.RandomState:
        return np.random.RandomState(fresh(generator._bit_generator, dice))
    if kind is random.Random:
        return random.Random(int(dice.integers(2**63)))
    if isinstance(generator, random.SystemRandom):
        return generator  # the system's own dice: nobody can foresee them
    twin = copy.deepcopy(generator)
    reseed(twin, dice)
    return twin


def reseed(generator: Any, dice: np.random.Generator) -> None:
    """Give a generator another future, in place."""
    if isinstance(generator, random.Random):
        generator.seed(int(dice.integers(2**63)))
    elif isinstance(generator, np.random.RandomState):
        generator.seed(int(dice.integers(2**32)))
    elif is_torchs(type(generator)):
        generator.manual_seed(int(dice.integers(2**32)))
    else:
        bits = getattr(generator, "bit_generator", generator)
        bits.state = type(bits)(PlannersSeed(dice)).state


def state_of(generator: Any) -> Any:
    """Return what `restore` takes."""
    if isinstance(generator, random.SystemRandom):
        return None
    if isinstance(generator, random.Random):
        return generator.getstate()
    if isinstance(generator, np.random.RandomState):
        return generator.get_state(legacy=False)
    if is_torchs(type(generator)):
        return generator.get_state().numpy().copy()
    return getattr(generator, "bit_generator", generator).state


def restore(generator: Any, state: Any) -> None:
    """Put a generator back to where `state_of` saw it."""
    if isinstance(generator, random.SystemRandom):
        return
    if isinstance(generator, random.Random):
        generator.setstate(state)
    elif isinstance(generator, np.random.RandomState):
        generator.set_state(state)
    elif is_torchs(type(generator)):
        held = generator.get_state()
        held.numpy()[:] = state
        generator.set_state(held)
    else:
        getattr(generator, "bit_generator", generator).state = state


def generators_in(value: Any) -> list[Any]:
    """Return all random generators that can be reached from an object."""
    found, seen, level = [], {id(value)}, [value]
    torchs = getattr(sys.modules.get("torch"), "Generator", None)
    while level:
        # What the garbage collector leaves alone holds nothing, or only numbers. Kinds
        # are asked for once: a walk through a board of chess takes a third less time.
        referents = gc.get_referents(*level)
        met, level = [*filter(gc.is_tracked, referents)], []
        if torchs is not None:  # left alone too, and so is what holds nothing else
            kinds = (torchs, dict, tuple)
            met += [item for item in referents if type(item) in kinds]
        for item in met:
            if id(item) in seen:
                continue
            seen.add(id(item))
            if is_generator(type(item)):
                found.append(item)
            elif not _is_wall(type(item)):
                level.append(item)
    return found


@functools.cache
def is_generator(kind: type) -> bool:
    """Whether objects of a class are random generators of Python, NumPy or PyTorch."""
    return issubclass(kind, GENERATORS) or is_torchs(kind)


@functools.cache
def is_torchs(kind: type) -> bool:
    """Whether a class is PyTorch's `Generator`, which need not be installed."""
    return kind.__qualname__ == "Generator" and (
        getattr(kind, "__module__", None) == "torch._C"
    )


@functools.cache
def _is_wall(kind: type) -> bool:
    return issubclass(kind, _WALLS)
