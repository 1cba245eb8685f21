"""What the arena plays (`Fixture`) and records (`GameRecord`)."""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mcts_agents.agents import Agent, make_agent
from mcts_agents.agents.held import HeldAgent


@dataclass(frozen=True)
class Entrant:
    """An agent of a fixture: its name in results, and the spec to make it.

    Attributes:
        name: Name in results, tables and pictures.
        spec: The mapping from which `make_agent` makes it, as JSON, with the budget and
            the game's search options in it: everything but the seed.
        held: The agent, if the caller passed an object; `spec` then says no more.
    """

    name: str
    spec: str
    held: HeldAgent | None = field(default=None, repr=False, compare=False)

    def mapping(self) -> dict[str, Any]:
        """Return the spec as a mapping for `make_agent`."""
        return json.loads(self.spec)

    def make(self, seed: int | None = None) -> Agent:
        """Return a new agent for one game."""
        if self.held is not None:
            return self.held.make(seed)
        return make_agent(self.mapping(), seed=seed)


@dataclass(frozen=True)
class Setting:
    """One table of a tournament: a game, a number of players and a budget.

    Attributes:
        game: Spec of the game, such as `hex:size=5`.
        players: Number of players.
        budget: The budget of each decision as it was written, `40ms` or `1000`; empty
            if the agents have their own.
    """

    game: str
    players: int
    budget: str = ""

    def __str__(self) -> str:
        budget = f", {self.budget}" if self.budget else ""
        players = "1 player" if self.players == 1 else f"{self.players} players"
        return f"{self.game}, {players}{budget}"


@dataclass(frozen=True)
class Fixture:
    """A game to be played.

    Attributes:
        number: Number in the tournament, from 1; the same however it is played.
        setting: Where it belongs.
        round: Number of the game within its setting, from 0.
        seed: The game's seed; the opening and seeds of agents derive from it.
        seats: Who sits where.
        opening: Decisions at the start that are made at random.
    """

    number: int
    setting: Setting
    round: int
    seed: int
    seats: tuple[Entrant, ...]
    opening: int = 0

    def __str__(self) -> str:
        names = " ".join(f"{n}={s.name}" for n, s in enumerate(self.seats))
        return f"game {self.number}, {self.setting}, seed {self.seed}: {names}"


def outcome_text(result: str, score: float, has_points: bool) -> str:
    """Write how a game ended for a seat: `won, score 1`, or `won` without points."""
    return f"{result}, score {score:g}" if has_points else result


@dataclass(frozen=True)
class SeatRecord:
    """The result of one seat.

    Attributes:
        agent: Name of the entrant.
        spec: See `Entrant.spec`.
        seed: The agent's seed.
        team: The number of its team, from 0; that of the seat in a game without teams.
        result: `won`, `drawn` or `lost`.
        win: Its share of the win, 0 to 1: winners of one game share it, and so do
            those who drew if nobody won. Team mates have their team's.
        rank: Place from 1, by result and then by score; equals get the mean place.
            Team mates have their team's, by result alone.
        score: Score at the end of the game.
        seconds: Time of each decision in seconds, float32 of shape (decisions,).
        simulations: Simulations of all decisions.
        searches: Decisions that were searched for; those with one legal action are not.
        depth: Mean over these of the longest path in the tree, in decisions; 0 without
            any.
    """

    agent: str
    spec: str
    seed: int
    team: int
    result: str
    win: float
    rank: float
    score: float
    seconds: np.ndarray
    simulations: int = 0
    searches: int = 0
    depth: float = 0.0

    def outcome(self, has_points: bool) -> str:
        """See `outcome_text`."""
        return outcome_text(self.result, self.score, has_points)


@dataclass(frozen=True)
class GameRecord:
    """A game that was played.

    Attributes:
        number: Number in the tournament, from 1.
        setting: Where it belongs.
        round: Number of the game within its setting, from 0.
        seed: The game's seed.
        moves: (player, action) in the order of the decisions, those of a random
            opening included; players who decide at once stand side by side, in
            ascending order.
        seconds: Time that the game took.
        version: Version of the package that played it.
        seats: One record for each seat.
    """

    number: int
    setting: Setting
    round: int
    seed: int
    moves: tuple[tuple[int, int], ...]
    seconds: float
    version: str
    seats: tuple[SeatRecord, ...]

    @property
    def team_count(self) -> int:
        """Number of teams; the number of players in games without teams."""
        return len({seat.team for seat in self.seats})

    @property
    def opening(self) -> int:
        """Number of moves at the start that no agent chose."""
        return len(self.moves) - sum(len(seat.seconds) for seat in self.seats)

    def met(self, one: str, other: str) -> bool:
        """Say whether two agents, or two seats of one agent, sat in different teams."""
        teams = [{s.team for s in self.seats if s.agent == a} for a in (one, other)]
        return bool(teams[0] and teams[1]) and len(teams[0] | teams[1]) > 1

    def wins(self, agent: str) -> float:
        """Return an agent's share of the win, 0 to 1; a team counts once."""
        shares = {s.team: s.win for s in self.seats if s.agent == agent}
        return sum(shares.values())


@dataclass(frozen=True)
class Failure:
    """A game that could not be played to its end.

    Attributes:
        fixture: The game.
        error: What happened, in one line.
        details: A traceback, or empty if the process died.
    """

    fixture: Fixture
    error: str
    details: str = ""
