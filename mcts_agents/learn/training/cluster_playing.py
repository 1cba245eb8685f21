"""`ClusterWorkers`: games of one block, side by side in the processes of a cluster.

Each process plays a part of the block as `block_playing.Workers` does in a thread. A
game is the same whichever of them plays it.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcts_agents.arena.playing.fixtures import Fixture
from mcts_agents.envs import make_any
from mcts_agents.learn.training.block_playing import Workers
from mcts_agents.learn.training.config import SelfPlayConfig
from mcts_agents.learn.training.places import Place, Processes, fixture_of
from mcts_agents.learn.training.self_play import PlayedGame
from mcts_agents.model import ForwardModel


@dataclass(frozen=True)
class Part(Fixture):
    """Some games of a block, beginning with `number`.

    Attributes:
        games: How many.
    """

    games: int = 1


@dataclass
class ClusterWorkers:
    """Who plays, like `block_playing.Workers`.

    Attributes:
        spec: Spec of the game.
        place: Where the processes are. They stay from block to block.
        config: How they play.
        seed: From which all chance comes, with a game's number.
    """

    spec: str
    place: Place
    config: SelfPlayConfig
    seed: int

    def __post_init__(self) -> None:
        play = functools.partial(play_part, config=self.config, seed=self.seed)
        self._processes = Processes(self.place, play)

    @property
    def rows(self) -> int:
        """About how many positions the evaluator is asked about at once."""
        return max(1, self.config.games_at_once // self._processes.count)

    def rehearse(self, model: ForwardModel, evaluator: Any) -> None:
        """See `Workers.rehearse`; it is done in this process."""
        Workers(1, self.config, self.seed).rehearse(model, evaluator)

    def play(
        self,
        model: ForwardModel,
        evaluator: Any,
        numbers: range,
        told: Callable[[int], None] = lambda games: None,
    ) -> list[PlayedGame]:
        """Play games and return them by number.

        Args:
            model: The game.
            evaluator: As `SearchSettings.evaluator`; it is sent to the processes.
            numbers: Numbers of the games.
            told: Called with the number of games that are over, after each part.

        Raises:
            RecordingError: A part failed; the message says which, and why.
        """
        first = fixture_of(self.spec, model, self.config, evaluator)
        size = self.rows
        parts = (
            Part(**{**vars(first), "number": number}, games=min(size, left))
            for number in numbers[::size]
            if (left := numbers.stop - number)
        )
        return self._processes.games(parts, told)

    def close(self) -> None:
        """End the processes; the next call begins others."""
        self._processes.close()


def play_part(part: Part, config: SelfPlayConfig, seed: int) -> list[PlayedGame]:
    """Play a part of a block.

    Args:
        part: Its games, with the network in the seats.
        config: How they are played.
        seed: Of the training.
    """
    model = make_any(part.setting.game, part.setting.players)[1]
    evaluator = part.seats[0].make().settings.evaluator
    numbers = range(part.number, part.number + part.games)
    return Workers(1, config, seed).play(model, evaluator, numbers)
