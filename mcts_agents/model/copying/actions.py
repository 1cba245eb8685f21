"""Numbers for the actions of a space: a search counts actions from 0.

Discrete spaces that start at 0 or above keep their own numbers. What else has finitely
many actions is numbered anew; of a Box a grid is numbered, or what a function of the
caller proposes in each state.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from mcts_agents.model.masks import as_mask

# With more actions a node's edges alone fill the memory.
MOST_ACTIONS = 2**20

# The most actions that a function may propose in one state.
MOST_PROPOSALS = 1024


class ActionNumbers(ABC):
    """The actions of one agent's space by number.

    Attributes:
        space: The space.
        limit: One more than the greatest number.
        first: The least number.
        are_coded: Whether numbers differ from the environment's own actions.
    """

    first = 0
    are_coded = True

    def __init__(self, space: spaces.Space, limit: int, whose: str):
        check_number_of_actions(limit, space, whose)
        self.space = space
        self.limit = limit

    @abstractmethod
    def action(self, number: int) -> Any:
        """Return what `step` takes for a number."""

    def number(self, action: Any) -> int:
        """Return the number of what was given to `step`.

        Raises:
            ValueError: The space is a Box, of which only some samples have numbers.
        """
        raise ValueError(f"{self.space}: actions in a Box have no numbers")

    def flat(self, mask: Any, whose: str) -> np.ndarray:
        """Return a mask as one of shape (limit - first,), if it is a mask.

        Raises:
            ValueError: It has another shape, or other values than 0 and 1.
        """
        return as_mask(np.asarray(mask), self.limit - self.first, whose)


class DiscreteNumbers(ActionNumbers):
    """Discrete: its own numbers, or those from 0 if it starts below 0."""

    def __init__(self, space: spaces.Discrete, whose: str):
        self.first = max(0, int(space.start))
        self._offset = min(0, int(space.start))
        self.are_coded = self._offset != 0
        super().__init__(space, self.first + int(space.n), whose)

    def action(self, number: int) -> int:
        """Return the number that the space uses."""
        return number + self._offset

    def number(self, action: Any) -> int:
        """Return the number of what was given to `step`."""
        return int(action) - self._offset


class MultiDiscreteNumbers(ActionNumbers):
    """MultiDiscrete and MultiBinary: all combinations, the last part changes first."""

    def __init__(self, space: spaces.MultiDiscrete | spaces.MultiBinary, whose: str):
        if isinstance(space, spaces.MultiBinary):
            sizes, start = np.full(space.shape, 2), np.zeros(space.shape, int)
        else:
            sizes, start = np.asarray(space.nvec), np.asarray(space.start)
        self._start = start
        self._shape = sizes.shape
        self._sizes = tuple(int(size) for size in sizes.ravel())
        limit = 1
        for size in self._sizes:
            limit *= size  # Python's integers do not overflow
        super().__init__(space, limit, whose)

    def action(self, number: int) -> np.ndarray:
        """Return an array of the space's shape and dtype."""
        parts = np.array(np.unravel_index(number, self._sizes)).reshape(self._shape)
        return (parts + self._start).astype(self.space.dtype)

    def number(self, action: Any) -> int:
        """Return the number of what was given to `step`."""
        parts = (np.asarray(action, int) - self._start).ravel()
        return int(np.ravel_multi_index(tuple(parts), self._sizes))

    def flat(self, mask: Any, whose: str) -> np.ndarray:
        """Return a mask of all combinations.

        Args:
            mask: One mask for each part, in a tuple or one after another in an array;
                or an array that has an axis for each part.
            whose: What the mask is, for messages.
        """
        sizes = self._sizes
        if not isinstance(mask, tuple | list):
            mask = np.asarray(mask)
            if len(sizes) > 1 and mask.shape == sizes:
                return as_mask(mask.ravel(), self.limit, whose)
            if mask.shape != (sum(sizes),):
                raise ValueError(
                    f"{whose} has the shape {mask.shape}; {self.space} needs {sizes}, "
                    f"or ({sum(sizes)},) for the masks of its parts one after another"
                )
            mask = np.split(mask, np.cumsum(sizes)[:-1])
        if len(mask) != len(sizes):
            raise ValueError(
                f"{whose} has {len(mask)} parts; {self.space} needs {len(sizes)}"
            )
        whole = np.ones((), np.int8)
        for part, size in zip(mask, sizes, strict=True):
            one = as_mask(np.asarray(part), size, whose).astype(np.int8)
            whole = np.multiply.outer(whole, one)
        return whole.ravel()


class GridNumbers(ActionNumbers):
    """Box: a number of samples on each axis, both ends among them."""

    def __init__(self, space: spaces.Box, samples: int, whose: str):
        if not space.is_bounded("both"):
            raise ValueError(
                f"{whose} is {space}, which has no bounds to take samples between; "
                "pass continuous=function(env_copy, agent_name, generator), which "
                "returns an array of proposals"
            )
        axes = int(np.prod(space.shape))
        super().__init__(space, samples**axes, whose)
        steps = np.linspace(space.low.ravel(), space.high.ravel(), samples)
        if samples == 1:
            steps = (steps + space.high.ravel()) / 2  # the middle
        self._steps = steps  # float64 [samples, axes]
        self._counts = (samples,) * axes

    def action(self, number: int) -> np.ndarray:
        """Return an array of the space's shape and dtype."""
        places = np.unravel_index(number, self._counts)
        values = self._steps[np.array(places, int), np.arange(len(places))]
        return values.reshape(self.space.shape).astype(self.space.dtype)


class ProposedNumbers(ActionNumbers):
    """Box: what a function proposes in a state; see `CopyOptions.continuous`."""

    def __init__(self, space: spaces.Box, propose: Callable[..., Any], whose: str):
        super().__init__(space, MOST_PROPOSALS, whose)
        self._box = space
        self._propose = propose
        self._whose = whose

    def action(self, number: int) -> Any:
        """Not known without a state."""
        raise TypeError(
            f"{self._whose}: with a function as continuous=, an action number has a "
            "meaning only in the state whose proposals it counts"
        )

    def proposals(self, env: Any, agent: str, seed: int) -> np.ndarray:
        """Return the proposals in a state, shape (n, *space.shape).

        Raises:
            ValueError: They are no array of 1 to `MOST_PROPOSALS` actions in the space.
        """
        space = self._box
        found = self._propose(env, agent, np.random.default_rng(seed))
        array = np.asarray(found)
        shape = (MOST_PROPOSALS, *space.shape)
        if array.ndim != len(shape) or array.shape[1:] != space.shape or not len(array):
            raise ValueError(
                f"{self._whose}: continuous= returned an array of the shape "
                f"{array.shape}, expected (n, {str(space.shape)[1:]}"
            )
        if len(array) > MOST_PROPOSALS:
            raise ValueError(
                f"{self._whose}: continuous= returned {len(array)} proposals, at most "
                f"{MOST_PROPOSALS} are allowed"
            )
        array = array.astype(space.dtype)
        outside = ~((array >= space.low) & (array <= space.high))
        if outside.any():
            wrong = array[outside.reshape(len(array), -1).any(1)][0]
            raise ValueError(
                f"{self._whose}: continuous= proposed {wrong}, which is not in {space}"
            )
        return array


def numbers_of(
    space: spaces.Space, whose: str, continuous: int | Callable[..., Any] | None = None
) -> ActionNumbers:
    """Return the numbers of a space's actions.

    Args:
        space: The space.
        whose: What the space is, for messages.
        continuous: See `CopyOptions`.

    Raises:
        ValueError: A space that cannot be numbered, or not without `continuous`.
    """
    if isinstance(space, spaces.Discrete):
        return DiscreteNumbers(space, whose)
    if isinstance(space, spaces.MultiDiscrete | spaces.MultiBinary):
        return MultiDiscreteNumbers(space, whose)
    if not isinstance(space, spaces.Box):
        raise ValueError(
            f"{whose} is {space}; planning needs a Discrete, MultiDiscrete, "
            "MultiBinary or Box space"
        )
    if continuous is None:
        raise ValueError(
            f"{whose} is {space}, not Discrete; pass continuous=5 to plan with five "
            "samples on each axis, or continuous=function(env_copy, agent_name, "
            "generator), which returns an array of proposals"
        )
    if callable(continuous):
        return ProposedNumbers(space, continuous, whose)
    return GridNumbers(space, continuous, whose)


def check_number_of_actions(limit: int, space: spaces.Space, whose: str) -> None:
    """Raise ValueError if a space has more actions than can be planned for.

    Args:
        limit: One more than the greatest number of an action.
        space: The space.
        whose: What it is, for the message.
    """
    if limit > MOST_ACTIONS:
        raise ValueError(
            f"{whose} is {space}; planning allows actions up to {MOST_ACTIONS - 1}"
        )
