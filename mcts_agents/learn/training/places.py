"""`Place`: on which machine the games of training are played, and how they get there.

As in tournaments, a backend of the arena gives each process a game and takes what
became of it. The network travels with the game, inside an agent that has all seats.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import loky

from mcts_agents.agents import MCTSAgent
from mcts_agents.agents.held import HeldAgent
from mcts_agents.arena.playing.backends import Backend, make_backend
from mcts_agents.arena.playing.fixtures import Entrant, Failure, Fixture, Setting
from mcts_agents.learn.recording import RecordingError
from mcts_agents.learn.training.config import SelfPlayConfig
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


def played(backend: Backend, fixtures: Iterable[Fixture]) -> Iterator[Any]:
    """Give what became of games, as they end.

    Raises:
        RecordingError: A game failed; the message says which, and why.
    """
    with closing(backend.play(fixtures)) as outcomes:
        for outcome in outcomes:
            if isinstance(outcome, Failure):
                raise RecordingError(
                    f"{outcome.fixture}: {outcome.error}\n{outcome.details}".strip()
                )
            yield outcome
