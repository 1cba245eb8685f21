"""What was asked for, turned into games and agents, or into one clear line."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mcts_agents.agents import Agent, agent_seed, make_agent
from mcts_agents.agents.specs import names_an_agent, unknown_agent
from mcts_agents.arena.playing.tables import Table, open_table
from mcts_agents.cli.streams import ReaderGone

HUMAN = "human"

PACKAGE = __name__.partition(".")[0]


class RequestError(Exception):
    """Something was asked for that does not exist or is not allowed."""


@contextmanager
def requested(file: Path | None = None) -> Iterator[None]:
    """Turn ValueErrors of what the user named into RequestErrors.

    Args:
        file: What the errors are about, where they do not name it themselves.
    """
    try:
        yield
    except ValueError as error:
        told = str(error) if file is None else f"{file}: {error}"
        raise RequestError(told) from error


@contextmanager
def told_of(output: Path) -> Iterator[None]:
    """Turn what goes wrong when a file or a folder is written into RequestErrors."""
    try:
        yield
    except OSError as error:
        # Standard output by its name, for example.
        if isinstance(error, BrokenPipeError) and output.is_fifo():
            raise ReaderGone from error
        raise RequestError(
            f"{output}: cannot be written: {error.strerror or error}"
        ) from error


@contextmanager
def refusals() -> Iterator[None]:
    """Turn what a search refuses when it is to begin into RequestErrors.

    These are the ValueErrors that this package raises, such as for too little memory.
    Those of an agent, an evaluator or an environment of somebody else are mistakes in
    their code, which the traceback shows.
    """
    try:
        yield
    except ValueError as error:
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        if frame.f_globals.get("__name__", "").partition(".")[0] != PACKAGE:
            raise
        raise RequestError(str(error)) from error


def requested_table(spec: str, players: int | None) -> Table:
    """Return a table for a game or one of its variants, such as `hex:size=11`."""
    with requested():
        return open_table(spec, players)


def requested_agents(
    specs: list[str], table: Table, seed: int, human: Agent
) -> tuple[list[str], list[Agent]]:
    """Return the spec and the agent of each seat, when the game has begun.

    One spec is for all seats; as many as there are teams are for a team each.
    Each seat's seed derives from `seed` and the seat.
    """
    model = table.model
    teams = model.team_count
    if len(specs) not in (1, teams, model.players):
        by_team = f", one for each of {teams} teams" * (teams < model.players)
        raise RequestError(
            f"{len(specs)} agents for {model.players} players: name one for all seats"
            f"{by_team} or one for each"
        )
    seats = specs
    if len(specs) < model.players:
        seats = [specs[team % len(specs)] for team in model.teams]
    agents = []
    with requested():
        for seat, spec in enumerate(seats):
            agents.append(_agent(spec, agent_seed(seed, seat), human))
        for player, agent in enumerate(agents):
            # Refuse what the game cannot serve, and compile, before the first move.
            table.prepare(agent, player)
    return seats, agents


def _agent(spec: str, seed: int, human: Agent) -> Agent:
    """Return the agent of a spec, in which a person may be named too."""
    name, colon, _ = spec.partition(":")
    if name.strip() == HUMAN:
        if colon:
            raise RequestError(f"{spec!r}: {HUMAN} has no options")
        return human
    if not names_an_agent(spec):
        raise RequestError(unknown_agent(spec if "," in spec else name, [HUMAN]))
    return make_agent(spec, seed=seed)
