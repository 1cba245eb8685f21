"""`Dataset`: recorded decisions for learners, read file by file."""

import hashlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from mcts_agents.learn.dataset_columns import Column, named
from mcts_agents.learn.description import layout_of, read_description
from mcts_agents.learn.shards import Columns, DatasetError, read_shard, shard_path

Row = dict[str, Any]


class Dataset:
    """The decisions of a folder that `record` wrote, finished or not.

    A row is a mapping from the names of columns to NumPy scalars and arrays. Several
    rows are one mapping, to arrays whose first axis counts the rows. `columns`
    describes the columns, which are the same in both formats. Masks and visits always
    cover the whole action space, however they are stored.

    `torch.utils.data.DataLoader` uses `len` and `[...]`. An object that is sent to
    another process takes no rows along.

    Args:
        folder: The folder.
        memory: Greatest number of bytes of rows to keep in memory, 1 GiB by default; at
            least one file is kept.

    Attributes:
        folder: The folder.
        description: What `dataset.json` says.
        layout: The columns, as read and as stored.
        games: Number of games recorded so far.

    Raises:
        DatasetError: There is no dataset, or a file of it is damaged.
    """

    def __init__(self, folder: str | PathLike[str], *, memory: int = 1 << 30):
        if memory < 1:
            raise ValueError(f"memory={memory}: expected a number of bytes, from 1")
        self.folder = Path(folder)
        self.memory = memory
        self.description = read_description(self.folder)
        self.layout = layout_of(self.description)
        shards = -(-self.description["games"] // self.description["games_per_shard"])
        paths = [
            shard_path(self.folder, number, self.description["format"])
            for number in range(shards)
        ]
        self._paths = [path for path in paths if path.is_file()]
        numbers = [
            read_shard(path, self.layout, ["game"])["game"] for path in self._paths
        ]
        self.games = sum(len(np.unique(games)) for games in numbers)
        self._starts = np.cumsum([0, *map(len, numbers)])
        self._held: OrderedDict[int, Columns] = OrderedDict()

    @property
    def columns(self) -> dict[str, Column]:
        """The columns of rows, by name."""
        return named(self.layout.columns)

    @property
    def is_complete(self) -> bool:
        """Whether all games are there that were to be recorded."""
        return self.games == self.description["games"]

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __repr__(self) -> str:
        return f"<Dataset {self.folder}: {len(self)} rows of {self.games} games>"

    def __getitem__(self, index: int | slice | Sequence[int] | np.ndarray) -> Row:
        """Return one row, or the rows of a slice or a sequence of indices.

        Rows that lie far apart are in different files: for random batches of a dataset
        larger than `memory`, `batches` is much quicker.

        Raises:
            IndexError: No such row.
            DatasetError: A file is damaged.
        """
        if isinstance(index, slice):
            return self._rows(np.arange(*index.indices(len(self))))
        indices = np.asarray(index)
        if indices.size == 0:
            indices = indices.astype(np.int64)
        if indices.ndim > 1 or not np.issubdtype(indices.dtype, np.integer):
            raise IndexError(f"{index!r}: expected a row's number, or several")
        count = len(self)
        outside = (indices < -count) | (indices >= count)
        if outside.any():
            wrong = int(indices[outside].flat[0])
            raise IndexError(f"row {wrong}: the dataset has {count} rows")
        rows = self._rows(np.atleast_1d(indices) % max(count, 1))
        if indices.ndim == 0:
            return {name: values[0] for name, values in rows.items()}
        return rows

    def __iter__(self) -> Iterator[Row]:
        for index in range(len(self)):
            yield self[index]

    def whole(self, *names: str) -> Row:
        """Return some columns of all rows, without reading the others.

        Args:
            *names: Columns that are stored as they are read: all but masks and visits
                of games with many actions, see `layout`.

        Raises:
            DatasetError: A file is damaged.
        """
        parts = [read_shard(path, self.layout, names) for path in self._paths]
        return {name: np.concatenate([part[name] for part in parts]) for name in names}

    def checksum(self) -> str:
        """Return the SHA-256 of all its files, in hexadecimal digits.

        Raises:
            OSError: One cannot be read.
        """
        found = hashlib.sha256()
        for path in self._paths:
            with path.open("rb") as file:
                found.update(hashlib.file_digest(file, "sha256").digest())
        return found.hexdigest()

    def batches(
        self, size: int, *, seed: int | None = None, among: np.ndarray | None = None
    ) -> Iterator[Row]:
        """Give all rows once, `size` at a time; the last batch may be smaller.

        Args:
            size: Rows of a batch, from 1.
            among: Whether a row is given, bool of shape (rows,); None: each is.
            seed: Shuffles: files in random order, and the rows of as many files as
                `memory` holds at a time. The same seed gives the same order where
                `memory` is the same. None: in the order of the games.

        Raises:
            DatasetError: A file is damaged.
        """
        if size < 1:
            raise ValueError(f"size={size}: expected at least 1")
        order = np.arange(len(self)) if seed is None else self._shuffled(seed)
        if among is not None:
            order = order[among[order]]
        for start in range(0, len(order), size):
            yield self._rows(order[start : start + size])

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_held": OrderedDict()}

    def _shuffled(self, seed: int) -> np.ndarray:
        """Return all rows' numbers in random order, files side by side."""
        rng = np.random.default_rng(seed)
        order, pool, rows = [], [], 0
        room = self.memory // self._row_bytes()
        for shard in rng.permutation(len(self._paths)):
            numbers = np.arange(self._starts[shard], self._starts[shard + 1])
            if pool and rows + len(numbers) > room:
                order.append(rng.permutation(np.concatenate(pool)))
                pool, rows = [], 0
            pool.append(numbers)
            rows += len(numbers)
        if pool:
            order.append(rng.permutation(np.concatenate(pool)))
        return np.concatenate(order) if order else np.arange(0)

    def _row_bytes(self) -> int:
        return sum(
            np.dtype(c.dtype).itemsize * int(np.prod(c.shape, dtype=np.int64))
            for c in self.layout.columns
        )

    def _rows(self, indices: np.ndarray) -> Row:
        rows = {
            c.name: np.zeros((len(indices), *c.shape), c.dtype)
            for c in self.layout.columns
        }
        shards = np.searchsorted(self._starts, indices, side="right") - 1
        # What is held already first, so that it is not given up for what is not.
        for shard in sorted(set(shards.tolist()), key=lambda s: s not in self._held):
            where = np.flatnonzero(shards == shard)
            stored = self._shard(shard)
            inner = indices[where] - self._starts[shard]
            for name, values in rows.items():
                if name in stored:
                    values[where] = stored[name][inner]
            if self.layout.is_sparse:
                _spread(rows, where, stored, inner)
        return rows

    def _shard(self, number: int) -> Columns:
        """Return the stored columns of a file, and hold them for a while."""
        if number in self._held:
            self._held.move_to_end(number)
            return self._held[number]
        stored = read_shard(self._paths[number], self.layout)
        rows = int(self._starts[number + 1] - self._starts[number])
        if len(stored["game"]) != rows:
            raise DatasetError(
                f"{self._paths[number]}: has {len(stored['game'])} rows, and had "
                f"{rows} before: open the dataset again"
            )
        self._held[number] = stored
        while len(self._held) > 1 and self._held_bytes() > self.memory:
            self._held.popitem(last=False)
        return stored

    def _held_bytes(self) -> int:
        return sum(
            values.nbytes for held in self._held.values() for values in held.values()
        )


def _spread(rows: Row, where: np.ndarray, stored: Columns, inner: np.ndarray) -> None:
    """Write lists of legal actions into masks and visits of the whole action space."""
    counts = stored["legal_count"].astype(np.int64)
    starts, counts = (np.cumsum(counts) - counts)[inner], counts[inner]
    before = np.cumsum(counts) - counts
    entries = np.repeat(starts - before, counts) + np.arange(counts.sum())
    lines = np.repeat(where, counts)
    actions = stored["legal_actions"][entries]
    rows["action_mask"][lines, actions] = 1
    rows["visits"][lines, actions] = stored["visit_shares"][entries]
