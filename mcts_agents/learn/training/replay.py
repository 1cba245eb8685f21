"""`Replay`: the most recent positions of self-play, from which batches are drawn."""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mcts_agents.learn.shards import Columns
from mcts_agents.learn.training.config import LearnerConfig
from mcts_agents.model import ForwardModel
from mcts_agents.model.symmetries import Symmetry, twins
from mcts_agents.model.win_shares import shares_by_team


class Batch(NamedTuple):
    """What one update learns from.

    Attributes:
        observations: int8 of shape (rows, *observation shape).
        policy: float32 of shape (rows, actions).
        legal: bool of shape (rows, actions).
        values: Shares of the win, float32 of shape (rows, teams), the observer's own
            team first.
    """

    observations: np.ndarray
    policy: np.ndarray
    legal: np.ndarray
    values: np.ndarray


class Replay:
    """A window over blocks of positions.

    Args:
        model: The game.
        config: What is made of positions before they are learned from.
    """

    def __init__(self, model: ForwardModel, config: LearnerConfig):
        self._model = model
        self._config = config
        self._symmetries = model.symmetries if config.symmetries else ()
        self._blocks: deque[Batch] = deque()
        self._ends = np.zeros(1, np.int64)

    def __len__(self) -> int:
        """Return the number of positions held."""
        return int(self._ends[-1])

    def add(self, columns: Columns, window: int) -> None:
        """Add a block, and forget the oldest ones beyond the window.

        Args:
            columns: Its rows, see `BlockFiles.read`.
            window: Positions to hold; whole blocks, so up to one block more.
        """
        model, config = self._model, self._config
        players, teams = columns["player"].astype(np.int64), model.teams
        shares = shares_by_team(columns["shares"], players, teams)
        self._blocks.append(
            Batch(
                columns["observation"],
                greedier(columns["visits"], config.greedy_share),
                columns["action_mask"].astype(bool),
                mixed(shares, columns["value"], config.search_value),
            )
        )
        sizes = [len(block.policy) for block in self._blocks]
        while len(sizes) > 1 and sum(sizes[1:]) >= window:
            sizes.pop(0)
            self._blocks.popleft()
        self._ends = np.cumsum([0, *sizes])

    def sample(self, rows: int, rng: np.random.Generator) -> Batch:
        """Return random positions of the window, each seen from a random side.

        Args:
            rows: How many, from 1; the window must not be empty.
            rng: Draws them.
        """
        chosen = np.sort(rng.integers(len(self), size=rows))
        blocks = np.searchsorted(self._ends, chosen, side="right") - 1
        parts = []
        for block in np.unique(blocks):
            inner = chosen[blocks == block] - self._ends[block]
            parts.append([column[inner] for column in self._blocks[int(block)]])
        batch = Batch(*map(np.concatenate, zip(*parts, strict=True)))
        return from_random_sides(batch, self._symmetries, rng)


def from_random_sides(
    batch: Batch, symmetries: Sequence[Symmetry], rng: np.random.Generator
) -> Batch:
    """Return a batch, each row seen from a random side; none: as it is."""
    if len(symmetries) < 2:
        return batch
    sides = rng.integers(len(symmetries), size=len(batch.policy))
    seen, policy, legal = twins(
        symmetries, sides, batch.observations, batch.policy, batch.legal
    )
    return Batch(seen, policy, legal, batch.values)


def greedier(policy: np.ndarray, share: float) -> np.ndarray:
    """Move a share of each policy to its best action.

    The target of Weil, Czech, Meuser, Kersting, "Know your enemy" (2023), section 3.3,
    with share 0.5. Actions that are best alike get even parts of it.

    Args:
        policy: float32 of shape (rows, actions), sum 1.
        share: From 0 to 1.

    Returns:
        float32 of shape (rows, actions), sum 1.
    """
    best = policy == policy.max(axis=1, keepdims=True)
    found: np.ndarray = (1.0 - share) * policy + share * best / best.sum(
        axis=1, keepdims=True
    )
    return found.astype(np.float32)


def mixed(shares: np.ndarray, values: np.ndarray, weight: float) -> np.ndarray:
    """Mix results of games with what searches have found.

    The other teams keep their proportions; where they have nothing, they get even
    shares of the rest.

    Args:
        shares: Of the win, float32 of shape (rows, teams), the observer's own first.
        values: The search's value to the observer, shape (rows,); NaN without one.
        weight: Share of the search's value, from 0 to 1.

    Returns:
        float32 of shape (rows, teams), sum 1.
    """
    own = shares[:, 0]
    searched = np.clip(np.where(np.isnan(values), own, values), 0.0, 1.0)
    target = (1.0 - weight) * own + weight * searched
    others = shares[:, 1:]
    left = others.sum(axis=1, keepdims=True)
    even = np.full_like(others, 1.0 / max(others.shape[1], 1))
    proportions = np.where(left > 0.0, others / np.maximum(left, 1e-9), even)
    rest = (1.0 - target)[:, None] * proportions
    found: np.ndarray = np.concatenate([target[:, None], rest], axis=1)
    return found.astype(np.float32)
