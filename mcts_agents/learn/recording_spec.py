"""What a recording is: `RecordingSpec` in words, `Recording` with its agents made."""

import functools
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import loky
import numpy as np

from mcts_agents import __version__
from mcts_agents.agents import Agent, Planner, make_agent, to_mapping
from mcts_agents.agents.held import AgentSpec, HeldAgent
from mcts_agents.arena.playing.backends import Backend, LocalBackend
from mcts_agents.arena.playing.fixtures import Entrant, Failure, Fixture, Setting
from mcts_agents.arena.playing.tables import RulesTable, Table, open_table
from mcts_agents.arena.playing.workers import attempt
from mcts_agents.arena.tournaments.schedule import derived_seed
from mcts_agents.arena.tournaments.spec_values import (
    MOST_GAMES,
    MOST_SEED,
    agent_mapping,
)
from mcts_agents.envs import parse_game
from mcts_agents.learn.dataset_columns import Layout
from mcts_agents.learn.description import SCHEMA
from mcts_agents.learn.playing import GameRows, Observations, places_of, play_rows
from mcts_agents.learn.shards import check_format
from mcts_agents.model import ForwardModel

GAMES_PER_SHARD = 32


@dataclass(frozen=True)
class RecordingSpec:
    """What is recorded: who plays what, how often, and from which seed.

    Attributes:
        game: Spec of the game, such as `hex:size=5` or `mini_breakthrough:rules`.
        agents: What `make_agent` takes, or an agent or a class of agents, see
            `given_agent`. One for all seats; or one for each player, or each team where
            there are teams, who take turns in the seats from game to game.
        games: How many games.
        players: Number of players, the game's default if None.
        seed: Seed of the recording. Game number n is played from a seed that derives
            from it and n.
        format: `npz` or `parquet`.
        explore_moves: In the first so many steps of a game, moves of agents whose
            searches count visits are drawn in proportion to these, so that games
            differ. The column `choice` has what the agent itself would have played.
        games_per_shard: Games of one file. Its rows must fit into memory.

    Raises:
        ValueError: A number or a format that is not allowed.
    """

    game: str
    agents: AgentSpec | Sequence[AgentSpec]
    games: int
    players: int | None = None
    seed: int = 0
    format: str = "npz"
    explore_moves: int = 0
    games_per_shard: int = GAMES_PER_SHARD

    def __post_init__(self):
        for name, least, most in (
            ("games", 1, MOST_GAMES),
            ("seed", 0, MOST_SEED),
            ("explore_moves", 0, MOST_GAMES),
            ("games_per_shard", 1, MOST_GAMES),
        ):
            number = getattr(self, name)
            whole = isinstance(number, int | np.integer) and not isinstance(
                number, bool
            )
            if not whole or not least <= number <= most:
                raise ValueError(
                    f"{name}={number!r}: expected an integer from {least} to {most}"
                )
            object.__setattr__(self, name, int(number))
        check_format(self.format)

    def agent_mappings(self, model: ForwardModel) -> list[dict[str, Any]]:
        """Return the mapping of each agent, as short as can be.

        Raises:
            ValueError: There are not as many as the game needs, or one is none.
        """
        several = isinstance(self.agents, Sequence) and not isinstance(self.agents, str)
        given = self.agents if several else [self.agents]
        if len(given) not in (1, model.team_count):
            sides = "teams" if model.team_count < model.players else "players"
            raise ValueError(
                f"{len(given)} agents for {model.team_count} {sides}: name one for "
                "all of them or one for each"
            )
        return [_mapping(agent) for agent in given]


@dataclass(frozen=True)
class Recording:
    """A recording that can be played; `of` makes it.

    Attributes:
        spec: What is recorded.
        setting: The game.
        entrants: The agents.
        description: What `dataset.json` says.
        layout: The columns.
        teams: The number of each player's team.
    """

    spec: RecordingSpec
    setting: Setting
    entrants: tuple[Entrant, ...]
    description: dict[str, Any] = field(repr=False)
    layout: Layout = field(repr=False)
    teams: tuple[int, ...]

    @classmethod
    def of(cls, spec: RecordingSpec) -> "Recording":
        """Return a recording whose agents were made once.

        So what the game cannot serve is refused before the first game, and what must
        be compiled is compiled by one process.

        Raises:
            ValueError: The game has no observations, or an agent cannot play it.
        """
        table = open_table(spec.game, spec.players)
        model = table.model
        table.begin(spec.seed)
        layout, said = _observed(table, spec)
        mappings = spec.agent_mappings(model)
        entrants = tuple(_entrant(mapping) for mapping in mappings)
        agents = [entrant.make() for entrant in entrants]
        with closing(table):
            for agent in agents:
                table.prepare(agent, 0)
        counting = [isinstance(a, Planner) and a.counts_visits for a in agents]
        if spec.explore_moves and not any(counting):
            raise ValueError(
                f"explore_moves={spec.explore_moves}: no agent searches and counts "
                "visits, so there are none to draw moves by"
            )
        described = [
            {"spec": mapping, "value": _scale(agent, model)}
            for mapping, agent in zip(mappings, agents, strict=True)
        ]
        return cls(
            spec,
            Setting(spec.game, model.players),
            entrants,
            _description(spec, model, {"agents": described, **said}, layout),
            layout,
            model.teams,
        )

    @property
    def work(self) -> Callable[[Fixture], GameRows | Failure]:
        """What a worker does with each game."""
        rows = functools.partial(
            play_rows, agents=len(self.entrants), explore_moves=self.spec.explore_moves
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
            seed = derived_seed((self.spec.seed, number))
            yield Fixture(number, self.setting, number, seed, seats)

    def numbers(self, shard: int) -> range:
        """Return the numbers of the games of a file."""
        each = self.spec.games_per_shard
        return range(shard * each, min((shard + 1) * each, self.spec.games))

    @property
    def shards(self) -> range:
        """The numbers of the files."""
        return range(-(-self.spec.games // self.spec.games_per_shard))


def _mapping(agent: AgentSpec) -> dict[str, Any]:
    """Return the mapping that makes an agent, as short as can be."""
    mapping = agent_mapping(agent)
    if isinstance(mapping, HeldAgent):
        return mapping
    return to_mapping(make_agent(mapping))


def _entrant(mapping: dict[str, Any]) -> Entrant:
    held = mapping if isinstance(mapping, HeldAgent) else None
    return Entrant(mapping["agent"], json.dumps(mapping), held)


def _observed(table: Table, spec: RecordingSpec) -> tuple[Layout, dict[str, Any]]:
    """Return the columns, and what the description says of the variant."""
    model = table.model
    name, options = parse_game(spec.game)
    if not isinstance(table, RulesTable):
        seen = Observations(table)
        layout = Layout(seen.shape, model.actions, seen.dtype)
        return layout, {"variant": options, "observation_dtype": seen.dtype}
    if model.observation_shape is None:
        raise ValueError(f"{name}: has no observations to record")
    bounds = [int(bound) for bound in model.observation_bounds]
    said = {"variant": model.variant, "observation_bounds": bounds}
    return Layout(model.observation_shape, model.actions), said


def _description(
    spec: RecordingSpec,
    model: ForwardModel,
    said: dict[str, Any],
    layout: Layout,
) -> dict[str, Any]:
    """Return what `dataset.json` says, as it is read back, to be compared with it."""
    description = {
        "schema": SCHEMA,
        "version": __version__,
        "game": parse_game(spec.game)[0],
        "teams": list(model.teams),
        "seed": spec.seed,
        "explore_moves": spec.explore_moves,
        "format": spec.format,
        "games_per_shard": spec.games_per_shard,
        "games": spec.games,
        "observation_shape": list(layout.observation_shape),
        "actions": model.actions,
        "columns": layout.description(),
        **said,
    }
    return json.loads(json.dumps(description))


def _scale(agent: Agent, model: ForwardModel) -> str | None:
    """Return the leaf heuristic on whose scale an agent's values are."""
    return agent.value_scale(model) if isinstance(agent, Planner) else None
