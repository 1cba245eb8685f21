"""Blocks of self-play: their games as files of a dataset, written as a whole."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mcts_agents import __version__
from mcts_agents.learn.dataset_columns import Layout
from mcts_agents.learn.description import SCHEMA, write_description
from mcts_agents.learn.shards import (
    Columns,
    DatasetError,
    read_shard,
    shard_path,
    write_shard,
)
from mcts_agents.learn.training.self_play import PlayedGame
from mcts_agents.model import ForwardModel

FORMAT = "npz"


class BlockFiles:
    """The blocks of a training run, in a folder that `Dataset` reads.

    Args:
        folder: The folder; made if it is not there.
        model: The game.
        spec: Its spec.
        block_games: Games of a block.
    """

    def __init__(self, folder: Path, model: ForwardModel, spec: str, block_games: int):
        assert model.observation_shape is not None
        self.folder = folder
        self.block_games = block_games
        self._model = model
        self._spec = spec
        seen = model.own_observation_space
        self._layout = Layout(
            tuple(map(int, model.observation_shape)),
            model.actions,
            "int8" if seen is None else str(seen.dtype),
            players=model.players,
        )
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, block: int) -> Path:
        """Return the file of a block."""
        return shard_path(self.folder, block, FORMAT)

    def write(self, block: int, games: Sequence[PlayedGame]) -> None:
        """Write a block; afterwards it is there as a whole.

        Raises:
            OSError: It cannot be written.
        """
        write_shard(self.path(block), self._columns(games), self._layout)
        self.describe()

    def describe(self) -> None:
        """Write how many blocks there are.

        Raises:
            OSError: It cannot be written.
        """
        found = [path.stem for path in self.folder.glob(f"shard-*.{FORMAT}")]
        last = max(int(name.removeprefix("shard-")) for name in found)
        write_description(self.folder, self._description(last + 1))

    def read(self, block: int) -> Columns:
        """Return the rows of a block: all columns, masks and policies in full.

        Raises:
            DatasetError: The file is missing or damaged.
        """
        try:
            columns = read_shard(self.path(block), self._layout)
        except DatasetError as error:
            told = str(error).partition("; without it")[0]
            raise DatasetError(
                f"{told}; delete it, and the same command plays these "
                f"{self.block_games} games again"
            ) from error
        if self._layout.is_sparse:
            columns |= _dense(columns, self._layout.actions)
        return columns

    def _columns(self, games: Sequence[PlayedGame]) -> Columns:
        joined: Columns = {
            name: np.concatenate([getattr(game, name) for game in games])
            for name in ("observation", "ply", "player", "action", "value")
        }
        legal = np.concatenate([game.legal for game in games])
        policy = np.concatenate([game.policy for game in games])
        joined["game"] = np.concatenate([np.full(len(g), g.number) for g in games])
        joined["shares"] = np.concatenate(
            [np.tile(game.outcome, (len(game), 1)) for game in games]
        )
        if self._layout.is_sparse:
            joined["legal_count"] = legal.sum(axis=1)
            joined["legal_actions"] = np.nonzero(legal)[1]
            joined["visit_shares"] = policy[legal]
        else:
            joined["action_mask"], joined["visits"] = legal, policy
        return {
            column.name: joined[column.name].astype(column.dtype)
            for column in self._layout.stored
        }

    def _description(self, blocks: int) -> dict[str, Any]:
        model, layout = self._model, self._layout
        return {
            "schema": SCHEMA,
            "version": __version__,
            "game": self._spec,
            "teams": list(model.teams),
            "format": FORMAT,
            "games_per_shard": self.block_games,
            "games": blocks * self.block_games,
            "observation_shape": list(layout.observation_shape),
            "observation_dtype": layout.observation_dtype,
            "actions": model.actions,
            "agents": [{"spec": "self-play", "value": "win"}],
            "columns": layout.description(),
        }


def _dense(columns: Columns, actions: int) -> Columns:
    """Return masks and policies of the whole action space."""
    counts, listed = columns["legal_count"], columns["legal_actions"]
    lines = np.repeat(np.arange(len(counts)), counts)
    mask = np.zeros((len(counts), actions), np.int8)
    visits = np.zeros((len(counts), actions), np.float32)
    mask[lines, listed] = 1
    visits[lines, listed] = columns["visit_shares"]
    return {"action_mask": mask, "visits": visits}
