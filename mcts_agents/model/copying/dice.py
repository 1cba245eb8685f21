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
        bits = generator._bit_generator
        if isinstance(bits, np.random.MT19937):
            generator.seed(int(dice.integers(2**32)))
        else:  # which `seed` does not take; the normal number that is held goes, too
            generator.set_state(fresh(bits, dice).state)
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
    """Return all random generators that can be reached from an object.

    Not those of spaces, and not through functions; see `reached_from`.
    """
    return Reached(value).generators


def reached_from(value: Any) -> "Reached":
    """Return what can be reached from an object, through functions and spaces too."""
    reached = Reached(value)
    while reached.waiting:
        reached.follow()
    return reached


class Reached:
    """What can be reached from an object, level by level.

    Functions lead to what they hold in closures, default arguments and attributes, once
    `follow` is called; they do not lead to the globals of their modules. Neither do
    classes and modules lead anywhere.

    Args:
        value: The object.

    Attributes:
        generators: The random generators, those that no function and no space holds
            first.
        spaces: The spaces, with their parts.
        functions: The functions.
        examples: One object of each class.
        waiting: What functions and spaces hold that was not followed yet.
    """

    def __init__(self, value: Any):
        self.generators: list[Any] = []
        self.spaces: list[spaces.Space] = []
        self.functions: list[types.FunctionType] = []
        self.examples: dict[type, Any] = {type(value): value}
        self.waiting: list[Any] = []
        self._seen: dict[int, Any] = {id(value): value}
        self._go([value])

    def follow(self) -> None:
        """Go on with what functions and spaces hold."""
        held, self.waiting = self.waiting, []
        level = []
        for item in held:
            if isinstance(item, types.FunctionType):
                parts = (item.__closure__, item.__defaults__, item.__kwdefaults__)
                level += [part for part in (*parts, vars(item)) if part]
            else:  # a space: its generator is its own business
                parts = {k: v for k, v in vars(item).items() if k != "_np_random"}
                level.append(parts)
        self._go(level)

    def code(self) -> list[Any]:
        """Return an object of each class, and one that holds all functions.

        In an order that every process has.
        """
        kinds = sorted(self.examples, key=lambda kind: (str(kind), kind.__name__))
        held = {str(i): function for i, function in enumerate(self.functions)}
        examples = [self.examples[kind] for kind in kinds]
        return [*examples, types.SimpleNamespace(**held)]

    def _go(self, level: list[Any]) -> None:
        torchs = getattr(sys.modules.get("torch"), "Generator", None)
        seen, examples = self._seen, self.examples
        while level:
            # What the garbage collector leaves alone holds nothing, or only numbers.
            # Kinds are asked for once: a walk through a board of chess takes a third
            # less time.
            referents = gc.get_referents(*level)
            met, level = [*filter(gc.is_tracked, referents)], []
            if torchs is not None:  # left alone too, and so is what holds nothing else
                kinds = (torchs, dict, tuple)
                met += [item for item in referents if type(item) in kinds]
            for item in met:
                if id(item) in seen:
                    continue
                seen[id(item)] = item
                kind = type(item)
                examples.setdefault(kind, item)
                if is_generator(kind):
                    self.generators.append(item)
                elif not _is_wall(kind):
                    level.append(item)
                elif kind is types.FunctionType:
                    self.functions.append(item)
                    self.waiting.append(item)
                elif issubclass(kind, spaces.Space):
                    self.spaces.append(item)
                    self.waiting.append(item)


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
