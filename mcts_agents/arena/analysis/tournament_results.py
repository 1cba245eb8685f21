"""A tournament read from its store: its plan and its results."""

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mcts_agents.arena.analysis.summaries import Summary, summarise
from mcts_agents.arena.playing.fixtures import Failure, GameRecord
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.arena.tournaments.tournament_spec import FIELD
from mcts_agents.names import MOST_ARGUMENT, shortened


@dataclass(frozen=True)
class Results:
    """A tournament, finished or not.

    Attributes:
        name: Name of its file.
        description: What is played, as `TournamentSpec.description` gives it; empty if
            nothing was written down yet.
        total: How many games it has, played or not.
        games: Those that were played, by their numbers.
        failures: Games that could not be played to their end.
    """

    name: str
    description: dict[str, Any]
    total: int
    games: tuple[GameRecord, ...]
    failures: tuple[Failure, ...] = ()

    def __repr__(self) -> str:
        """Show the name and how much was played, in one line."""
        name = shortened(self.name, MOST_ARGUMENT)
        return f"<Results of {name}: {len(self.games)} of {self.total} games>"

    @property
    def complete(self) -> bool:
        """Whether every game of the tournament was played."""
        return 0 < self.total == len({game.number for game in self.games})

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents in the tournament's order, the field last."""
        field = [FIELD] if self.description.get("field") else []
        return (*self.description.get("agents", {}), *field)

    @property
    def versions(self) -> tuple[str, ...]:
        """Versions of the package that played the games."""
        return tuple(sorted({game.version for game in self.games}))

    @cached_property
    def scored(self) -> frozenset[str]:
        """Games in which any score was not 0, as none is in games without points."""
        return frozenset(
            game.setting.game
            for game in self.games
            if any(seat.score for seat in game.seats)
        )

    @cached_property
    def summary(self) -> Summary:
        """The results of the games."""
        return summarise(self.games, self.agents)


def read_results(path: str | os.PathLike[str]) -> Results:
    """Read a store, even while a tournament is writing to it.

    Raises:
        StoreError: See `Store.read`.
    """
    with Store.read(path) as store:
        return Results(
            name=os.path.basename(path),
            description=store.description() or {},
            total=store.total(),
            games=tuple(store.games()),
            failures=tuple(store.failures()),
        )
