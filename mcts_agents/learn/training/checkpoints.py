"""Checkpoints: all that training goes on with, in one file, written as a whole."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcts_agents.extras import from_extra
from mcts_agents.learn.shards import DatasetError
from mcts_agents.reading import read_bytes
from mcts_agents.writing import replacing

with from_extra("rl", "training needs PyTorch and safetensors"):
    import safetensors.torch
    import torch
    from safetensors import SafetensorError

    from mcts_agents.networks.saving import checksum

if TYPE_CHECKING:
    from mcts_agents.learn.training.learner import Learner

FORMAT = 1
KEY = "mcts_agents_training"
# Checkpoints that stay; older ones are deleted.
KEPT = 3
MOST_BYTES = 1 << 33


@dataclass
class Progress:
    """How far training has come.

    Attributes:
        blocks: Blocks that were learned from.
        positions: Positions of each of them.
        updates: Updates of the network.
        seconds: Time of all runs together, up to here.
        self_play_seconds: Time of self-play among it.
        evaluated: `seconds` at the last evaluation.
        evaluations: What `summary.json` says of each evaluation.
        losses: Mean losses of each block: policy, value.
    """

    blocks: int = 0
    positions: list[int] = field(default_factory=list)
    updates: int = 0
    seconds: float = 0.0
    self_play_seconds: float = 0.0
    evaluated: float = 0.0
    evaluations: list[dict[str, Any]] = field(default_factory=list)
    losses: list[list[float]] = field(default_factory=list)


def checkpoint_path(folder: Path, block: int) -> Path:
    """Return the file of the checkpoint after a number of blocks."""
    return folder / f"checkpoint-{block:06d}.safetensors"


def checkpoints(folder: Path) -> list[Path]:
    """Return the checkpoints of a folder, the earliest first."""
    return sorted(folder.glob("checkpoint-*.safetensors"))


def write_checkpoint(
    folder: Path, tensors: dict[str, torch.Tensor], progress: Progress
) -> None:
    """Write a checkpoint, and then delete old ones.

    Raises:
        OSError: It cannot be written.
    """
    tensors = {n: t.detach().cpu().contiguous().clone() for n, t in tensors.items()}
    said = {"format": FORMAT, "digest": checksum(tensors), "progress": asdict(progress)}
    folder.mkdir(exist_ok=True)
    with replacing(checkpoint_path(folder, progress.blocks)) as temporary:
        content = safetensors.torch.save(tensors, {KEY: json.dumps(said)})
        temporary.write_bytes(content)
    for path in checkpoints(folder)[:-KEPT]:
        path.unlink(missing_ok=True)


def read_checkpoint(path: Path) -> tuple[dict[str, torch.Tensor], Progress]:
    """Read a checkpoint; nothing in it is executed.

    Raises:
        DatasetError: It is damaged. The message names it, and the earlier one with
            which training can go on.
    """
    try:
        content = read_bytes(path, MOST_BYTES)
        tensors = safetensors.torch.load(content)
        said = _said(content)
        if said["format"] != FORMAT:
            raise ValueError(f"its format is {said['format']!r}, not {FORMAT}")
        if said["digest"] != checksum(tensors):
            raise ValueError("its numbers are not those that were written")
        return tensors, Progress(**said["progress"])
    except (
        OSError, ValueError, KeyError, TypeError, RecursionError, SafetensorError
    ) as error:  # fmt: skip
        reason = " ".join(str(error).split())
        raise DatasetError(f"{path}: damaged: {reason}; {_offer(path)}") from error


def go_on(folder: Path, learner: "Learner") -> Progress:
    """Let a learner go on from the last checkpoint of a folder.

    If there is none, it begins again: a run that was interrupted before its first
    checkpoint may have changed it.

    Returns:
        How far it has come.

    Raises:
        DatasetError: The checkpoint is damaged, or that of another network.
    """
    stored = checkpoints(folder)
    if not stored:
        learner.begin_again()
        return Progress()
    tensors, progress = read_checkpoint(stored[-1])
    try:
        learner.restore(tensors)
    except ValueError as error:
        raise DatasetError(f"{stored[-1]}: {error}") from error
    return progress


def _said(content: bytes) -> dict[str, Any]:
    """Return what the metadata say, of a file whose header safetensors has checked."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    said = json.loads(header["__metadata__"][KEY])
    if not isinstance(said, dict):
        raise ValueError("its metadata are not a mapping")
    return said


def _offer(path: Path) -> str:
    earlier = [other for other in checkpoints(path.parent) if other.name < path.name]
    if earlier:
        return f"delete it, and the same command goes on from {earlier[-1].name}"
    return "there is no earlier one; train in another folder"
