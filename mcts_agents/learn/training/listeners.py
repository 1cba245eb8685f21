"""`Listener`: who is told how training goes on; and the logs of TensorBoard."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcts_agents.extras import from_extra
from mcts_agents.learn.training.checkpoints import Progress


@dataclass(frozen=True)
class BlockReport:
    """What there is to say after a block.

    Attributes:
        progress: How far training has come.
        self_play_seconds: Time of the block's games.
        learning_rate: Of the next update.
        spent: Share of the budget that is spent.
    """

    progress: Progress
    self_play_seconds: float
    learning_rate: float
    spent: float

    @property
    def rate(self) -> float:
        """Positions a second of the block's self-play; 0 if it was there already."""
        if self.self_play_seconds <= 0.0:
            return 0.0
        return self.progress.positions[-1] / self.self_play_seconds


class Listener:
    """Is told how training goes on. It does nothing; override what you want."""

    def begun(self, progress: Progress, spent: float) -> None:
        """Training begins, or goes on."""

    def playing(self, games: int, of: int) -> None:
        """So many games of a block are over."""

    def learning(self, updates: int, of: int) -> None:
        """So many updates of a block were made."""

    def block(self, report: BlockReport) -> None:
        """A block was played and learned from, and the checkpoint is written."""

    def evaluating(self, number: int, of: int, opponent: str) -> None:
        """Games against an opponent begin."""

    def evaluated(self, found: dict[str, Any]) -> None:
        """They are over."""

    def say(self, text: str) -> None:
        """There is something to say in one line."""


class Listeners(Listener):
    """Tells several listeners the same."""

    def __init__(self, *listeners: Listener):
        self._all = listeners

    def begun(self, progress: Progress, spent: float) -> None:
        """See `Listener`."""
        for one in self._all:
            one.begun(progress, spent)

    def playing(self, games: int, of: int) -> None:
        """See `Listener`."""
        for one in self._all:
            one.playing(games, of)

    def learning(self, updates: int, of: int) -> None:
        """See `Listener`."""
        for one in self._all:
            one.learning(updates, of)

    def block(self, report: BlockReport) -> None:
        """See `Listener`."""
        for one in self._all:
            one.block(report)

    def evaluating(self, number: int, of: int, opponent: str) -> None:
        """See `Listener`."""
        for one in self._all:
            one.evaluating(number, of, opponent)

    def evaluated(self, found: dict[str, Any]) -> None:
        """See `Listener`."""
        for one in self._all:
            one.evaluated(found)

    def say(self, text: str) -> None:
        """See `Listener`."""
        for one in self._all:
            one.say(text)


class TensorBoardLog(Listener):
    """Writes logs that TensorBoard shows; its steps are positions.

    Args:
        folder: Where they go.

    Raises:
        MissingExtraError: TensorBoard is not installed.
    """

    def __init__(self, folder: Path):
        with from_extra("tensorboard", "logs for TensorBoard need tensorboard"):
            from torch.utils.tensorboard import SummaryWriter

        self._open = SummaryWriter
        self._folder = folder
        self._writer: Any = None

    def begun(self, progress: Progress, spent: float) -> None:
        """Begin a log that hides what was written after the last checkpoint."""
        step = sum(progress.positions)
        self._writer = self._open(str(self._folder), purge_step=step + 1)

    def block(self, report: BlockReport) -> None:
        """See `Listener`."""
        progress = report.progress
        policy, value = progress.losses[-1]
        for name, number in (
            ("loss/policy", policy),
            ("loss/value", value),
            ("self-play/positions per second", report.rate),
            ("learner/learning rate", report.learning_rate),
            ("learner/updates", progress.updates),
        ):
            self._writer.add_scalar(name, number, sum(progress.positions))
        self._writer.flush()

    def evaluated(self, found: dict[str, Any]) -> None:
        """See `Listener`."""
        name = f"win rate/{found['opponent']}"
        self._writer.add_scalar(name, found["win_rate"], found["positions"])
        self._writer.flush()
