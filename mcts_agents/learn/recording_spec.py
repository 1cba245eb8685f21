"""What a recording is: `Recording`, checked when it is made."""

import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import loky
import numpy as np

from mcts_agents import __version__
from mcts_agents.agents import Agent, Planner, make_agent, to_mapping
from mcts_agents.arena.playing.backends import Backend, LocalBackend
from mcts_agents.arena.playing.fixtures import Entrant, Failure, Fixture, Setting
from mcts_agents.arena.playing.workers import attempt
from mcts_agents.arena.tournaments.schedule import derived_seed
from mcts_agents.arena.tournaments.tournament_spec import (
    MOST_GAMES,
    MOST_SEED,
    agent_mapping,
)
from mcts_agents.envs import make_model
from mcts_agents.learn.dataset_columns import Layout
from mcts_agents.learn.description import SCHEMA
from mcts_agents.learn.playing import GameRows, places_of, play_rows
from mcts_agents.learn.shards import check_format
from mcts_agents.model import ForwardModel

GAMES_PER_SHARD = 32

AgentSpec = str | PathLike[str] | Mapping[str, Any] | Agent


@dataclass(frozen=True)
class Recording:
    """What is recorded; see `record`.

    Attributes:
        setting: The game.
        entrants: The agents.
        games: How many games.
        seed: Seed of the recording.
        explore_moves: Steps in which moves are drawn.
        games_per_shard: Games of one file.
        format: Format of the files.
        description: What `dataset.json` says.
        layout: The columns.
        teams: The number of each player's team.
    """

    setting: Setting
    entrants: tuple[Entrant, ...]
    games: int
    seed: int
    explore_moves: int
    games_per_shard: int
    format: str
    description: dict[str, Any] = field(repr=False)
    layout: Layout = field(repr=False)
    teams: tuple[int, ...]

    @classmethod
    def of(
        cls,
        game: str,
        agents: AgentSpec | Sequence[AgentSpec],
        games: int,
        *,
        players: int | None = None,
        seed: int = 0,
        format: str = "npz",
        explore_moves: int = 0,
        games_per_shard: int = GAMES_PER_SHARD,
    ) -> "Recording":
        """Return a recording whose agents were made once; see `record`.

        So what the game cannot serve is refused before the first game, and what must
        be compiled is compiled by one process.
        """
        for name, number, least, most in (
            ("games", games, 1, MOST_GAMES),
            ("seed", seed, 0, MOST_SEED),
            ("explore_moves", explore_moves, 0, MOST_GAMES),
            ("games_per_shard", games_per_shard, 1, MOST_GAMES),
        ):
            whole = isinstance(number, int | np.integer) and not isinstance(
                number, bool
            )
            if not whole or not least <= number <= most:
                raise ValueError(
                    f"{name}={number!r}: expected an integer from {least} to {most}"
                )
        check_format(format)
        _, model = make_model(game, players)
        if model.observation_shape is None:
            raise ValueError(f"{game}: has no observations to record")
        several = isinstance(agents, Sequence) and not isinstance(agents, str)
        given = agents if several else [agents]
        if len(given) not in (1, model.team_count):
            sides = "teams" if model.team_count < model.players else "players"
            raise ValueError(
                f"{len(given)} agents for {model.team_count} {sides}: name one for "
                "all of them or one for each"
            )
        mappings = [_mapping(agent) for agent in given]
        made = [make_agent(mapping) for mapping in mappings]
        for agent in made:
            agent.prepare(model)
        counting = [isinstance(a, Planner) and a.counts_visits for a in made]
        if explore_moves and not any(counting):
            raise ValueError(
                f"explore_moves={explore_moves}: no agent searches and counts visits, "
                "so there are none to draw moves by"
            )
        layout = Layout(model.observation_shape, model.actions)
        description = {
            "schema": SCHEMA,
            "version": __version__,
            "game": model.name,
            "variant": model.variant,
            "teams": list(model.teams),
            "agents": [
                {"spec": mapping, "value": _scale(agent, model)}
                for mapping, agent in zip(mappings, made, strict=True)
            ],
            "seed": int(seed),
            "explore_moves": int(explore_moves),
            "format": format,
            "games_per_shard": int(games_per_shard),
            "games": int(games),
            "observation_shape": list(model.observation_shape),
            "observation_bounds": [int(bound) for bound in model.observation_bounds],
            "actions": model.actions,
            "columns": layout.description(),
        }
        return cls(
            Setting(game, model.players),
            tuple(Entrant(m["agent"], json.dumps(m)) for m in mappings),
            int(games),
            int(seed),
            int(explore_moves),
            int(games_per_shard),
            format,
            # As it is read back, so that it can be compared.
            json.loads(json.dumps(description)),
            layout,
            model.teams,
        )

    @property
    def work(self) -> Callable[[Fixture], GameRows | Failure]:
        """What a worker does with each game."""
        rows = functools.partial(
            play_rows, agents=len(self.entrants), explore_moves=self.explore_moves
        )
        return functools.partial(attempt, rows)

    def backend(self, jobs: int | None = None) -> Backend:
        """Return processes of this machine that play games of this recording.

        Raises:
            ValueError: `jobs` is not a number from 1.
        """
        if jobs is not None and jobs < 1:
            raise ValueError(f"jobs={jobs}: expected at least 1")
        return LocalBackend(jobs or loky.cpu_count(), self.work)

    def fixtures(self, shard: int) -> Iterator[Fixture]:
        """Return the games of a file."""
        for number in self.numbers(shard):
            places = places_of(number, len(self.entrants), self.teams)
            seats = tuple(self.entrants[place] for place in places)
            seed = derived_seed((self.seed, number))
            yield Fixture(number, self.setting, number, seed, seats)

    def numbers(self, shard: int) -> range:
        """Return the numbers of the games of a file."""
        first = shard * self.games_per_shard
        return range(first, min(first + self.games_per_shard, self.games))

    @property
    def shards(self) -> range:
        """The numbers of the files."""
        return range(-(-self.games // self.games_per_shard))


def _mapping(agent: AgentSpec) -> dict[str, Any]:
    """Return the mapping that makes an agent, as short as can be."""
    if not isinstance(agent, Agent):
        agent = make_agent(agent_mapping(agent))
    return to_mapping(agent)


def _scale(agent: Agent, model: ForwardModel) -> str | None:
    """Return the leaf heuristic on whose scale an agent's values are."""
    return agent.value_scale(model) if isinstance(agent, Planner) else None
