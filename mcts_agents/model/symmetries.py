"""Symmetries of games: boards that may be mirrored or turned without a difference.

A game that has some declares them with `@rules.symmetries`. Learners then see each
position from all sides, as AlphaGo Zero did (Silver et al., Nature 550, 2017).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

# Of a grid of cell numbers, (rows, columns): the same grid seen from another side.
View = Callable[[np.ndarray], np.ndarray]

# How boards may be seen, beside as they are. All eight views of a square, without that:
EIGHT: tuple[View, ...] = (
    *(lambda grid, turns=turns: np.rot90(grid, turns) for turns in (1, 2, 3)),
    *(lambda grid, turns=turns: np.rot90(grid, turns).T for turns in range(4)),
)
MIRROR: tuple[View, ...] = (np.fliplr,)
HALF_TURN: tuple[View, ...] = (lambda grid: np.rot90(grid, 2),)
DIAGONALS: tuple[View, ...] = (np.transpose, lambda grid: np.rot90(grid, 2).T)


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A game seen from another side: where each number of the twin is found.

    Both arrays are permutations, read as `twin = original[..., symmetry.actions]`; so
    action a of the original is action `symmetry.twin_of(a)` of the twin. Each player
    stays who it is.

    Attributes:
        observation: int64 of shape (observation size,), for flat observations.
        actions: int64 of shape (actions,), for what has a number for each action.
    """

    observation: np.ndarray
    actions: np.ndarray

    def twin_of(self, action: int) -> int:
        """Return what an action is called in the twin."""
        return int((self.actions == action).nonzero()[0][0])


def board_symmetries(
    shape: tuple[int, int, int],
    views: Iterable[View],
    actions: Callable[[np.ndarray], Sequence[int] | np.ndarray] = lambda cells: cells,
) -> list[Symmetry]:
    """Return the symmetries of a board whose observations are planes.

    Args:
        shape: Planes, rows and columns of an observation.
        views: How the board may be seen; of a grid of cell numbers each gives the
            twin's.
        actions: The permutation of actions that goes with one of cells, int64 of shape
            (rows * columns,): the cell of the original for each cell of the twin. By
            default an action is a cell.
    """
    planes, rows, columns = shape
    grid = np.arange(rows * columns).reshape(rows, columns)
    found = []
    for view in views:
        cells = view(grid).reshape(-1)
        observation = (np.arange(planes)[:, None] * cells.size + cells).reshape(-1)
        found.append(Symmetry(observation, np.asarray(actions(cells), np.int64)))
    return found


def with_identity(
    declared: Iterable[Symmetry], observation_size: int, actions: int
) -> tuple[Symmetry, ...]:
    """Return a game's symmetries after the one that changes nothing.

    Raises:
        ValueError: One of them is no pair of permutations of these lengths.
    """
    found = [Symmetry(np.arange(observation_size), np.arange(actions)), *declared]
    for number, symmetry in enumerate(found):
        for name, length in (("observation", observation_size), ("actions", actions)):
            order = np.asarray(getattr(symmetry, name))
            if order.shape != (length,) or (np.sort(order) != np.arange(length)).any():
                raise ValueError(
                    f"symmetry {number}: {name} is not a permutation of the numbers "
                    f"from 0 to {length - 1}"
                )
    return tuple(found)


def twins(
    symmetries: Sequence[Symmetry],
    chosen: np.ndarray,
    observations: np.ndarray,
    *by_action: np.ndarray,
) -> tuple[np.ndarray, ...]:
    """Return a batch of rows, each seen from a side of its own.

    Args:
        symmetries: Those of the game, `model.symmetries`.
        chosen: The number of each row's symmetry, from 0, shape (rows,).
        observations: Shape (rows, *observation shape).
        *by_action: What has a number for each action, such as masks and policies, each
            of shape (rows, actions).

    Returns:
        New arrays of the same shapes and dtypes: observations, then the others.
    """
    seen = np.stack([symmetry.observation for symmetry in symmetries])[chosen]
    acted = np.stack([symmetry.actions for symmetry in symmetries])[chosen]
    flat = observations.reshape(len(observations), -1)
    turned = np.take_along_axis(flat, seen, axis=1).reshape(observations.shape)
    return turned, *(np.take_along_axis(rows, acted, axis=1) for rows in by_action)
