"""`Place` and `Processes`: where the games of training are played, and by whom.

As in tournaments, a backend of the arena gives each process a game and takes what
became of it. The network travels with the game, inside an agent that has all seats.
"""

import functools
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import loky

from mcts_agents.agents import MCTSAgent
from mcts_agents.agents.held import HeldAgent
from mcts_agents.arena.playing.backends import Backend, make_backend
from mcts_agents.arena.playing.fixtures import Entrant, Failure, Fixture, Setting
from mcts_agents.arena.playing.workers import attempt
from mcts_agents.learn.recording import RecordingError
from mcts_agents.learn.training.config import SelfPlayConfig
from mcts_agents.learn.training.self_play import PlayedGame
from mcts_agents.model import ForwardModel
from mcts_agents.search.options.option import set_options


@dataclass(frozen=True)
class Place:
    """Where games are played, and where the network computes.

    Attributes:
        name: `local`, or `ray` for a cluster.
        jobs: How many threads or processes, from 1; None: one for each core of this
            machine, or of the cluster.
        address: Of a running cluster; None starts one on this machine.
        device: Where the network computes, as `torch.device` names it.

    Raises:
        ValueError: A value that is not allowed, or Ray is not installed.
    """

    name: str = "local"
    jobs: int | None = None
    address: str | None = None
    device: str = "cpu"

    def __post_init__(self) -> None:
        self.backend(None).close()  # refuses what is not allowed

    @property
    def cores(self) -> int:
        """How many cores of this machine play, if it is here that games are played."""
        return self.jobs or loky.cpu_count()

    def backend(self, work: Callable[[Fixture], Any] | None) -> Backend:
        """Return new processes that do something with games."""
        return make_backend(self.name, self.jobs, self.address, work)


def fixture_of(
    spec: str, model: ForwardModel, config: SelfPlayConfig, evaluator: Any
) -> Fixture:
    """Return a game in which the same agent has all seats."""
    held = HeldAgent(MCTSAgent(**set_options(config.settings(evaluator))))
    seats = (Entrant("self-play", "", held),) * model.players
    return Fixture(0, Setting(spec, model.players), 0, 0, seats)


class Processes:
    """Processes that play games; the first games begin them.

    Args:
        place: Where they are.
        play: Plays what a fixture stands for, and returns its games.
    """

    def __init__(self, place: Place, play: Callable[[Any], list[PlayedGame]]):
        self._place = place
        self._play = play
        self._backend: Backend | None = None

    @property
    def count(self) -> int:
        """How many there are."""
        return self._begun().workers

    def games(
        self, fixtures: Iterable[Fixture], told: Callable[[int], None]
    ) -> list[PlayedGame]:
        """Play games and return them by number.

        Args:
            fixtures: What the processes play.
            told: Called with the number of games that are over, after each fixture.

        Raises:
            RecordingError: A game failed; the message says which, and why.
        """
        found: list[PlayedGame] = []
        with closing(self._begun().play(fixtures)) as outcomes:
            for outcome in outcomes:
                if isinstance(outcome, Failure):
                    raise RecordingError(
                        f"{outcome.fixture}: {outcome.error}\n{outcome.details}".strip()
                    )
                found += outcome
                told(len(found))
        return sorted(found, key=lambda game: game.number)

    def _begun(self) -> Backend:
        if self._backend is None:
            self._backend = self._place.backend(functools.partial(attempt, self._play))
        return self._backend

    def close(self) -> None:
        """End the processes; the next games begin others."""
        if self._backend is not None:
            self._backend.close()
            self._backend = None
