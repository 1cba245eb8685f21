"""One game between agents, played through the game's PettingZoo environment."""

import functools
import random
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mcts_agents
from mcts_agents.agents import Agent, Planner, agent_seed
from mcts_agents.arena.playing.fixtures import Fixture, GameRecord, SeatRecord
from mcts_agents.arena.playing.tables import ChoiceError, Table, table_of
from mcts_agents.envs import EnvironmentGame, Game, make_any
from mcts_agents.model import DRAWN, RESULT_NAMES, WON, ForwardModel
from mcts_agents.model.actions import as_action
from mcts_agents.names import quoted
from mcts_agents.search import SearchResult

# In the order in which players are placed: who has not finished counts as having lost.
_PLACES = {WON: 0, DRAWN: 1}

# Openings that are drawn for a game until one does not end it.
MOST_DRAWN = 100


@dataclass
class Seat:
    """An agent at the table, and the time and simulations of its decisions."""

    agent: Agent
    seconds: list[float] = field(default_factory=list)
    simulations: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)

    def decide(self, env: Any) -> tuple[int, SearchResult | None]:
        """Return the action to take now, and the search result if there is one."""
        started = time.perf_counter()
        result = None
        if isinstance(self.agent, Planner):
            result = self.agent.plan(env)
            chosen = result.action
        else:
            chosen = self.agent.act(env)
        action = as_action(chosen)
        if action is None:
            raise ChoiceError(
                f"{self.agent!r} chose {quoted(chosen)}: expected an action, which is "
                "an integer"
            )
        self.seconds.append(time.perf_counter() - started)
        # Not every search counts simulations.
        if result is not None and (result.simulations or result.depth):
            self.simulations.append(result.simulations)
            self.depths.append(result.depth)
        return action, result


@dataclass(frozen=True)
class Decision:
    """What an observer of a game is told after each decision.

    Attributes:
        player: Who decided.
        action: The action.
        result: The search, if there was one; its tree can be read until the same agent
            decides again.
    """

    player: int
    action: int
    result: SearchResult | None


def play_match(
    table: Table,
    seats: Sequence[Seat],
    seed: int,
    told: Callable[[Decision], None] | None = None,
    begun: Callable[[], None] | None = None,
    opening: int = 0,
    before: Sequence[int] = (),
) -> tuple[tuple[tuple[int, int], ...], list[float]]:
    """Play one game at a table.

    Args:
        table: The table; its game is begun with `seed`.
        seats: One for each player; what their decisions take is added to them.
        seed: The game's seed.
        told: Called after each decision, when the environment has made the step.
        begun: Called once when the game has begun, before any agent's decision.
        opening: Decisions at the start that are made at random, see `open_game`.
        before: Actions after these that have been decided already; nobody is asked or
            told.

    Returns:
        The moves as (player, action), and the sum of each player's rewards.

    Raises:
        ChoiceError: An agent chooses what is no legal action.
        ValueError: The game is over after the opening, whatever is drawn.
    """
    table.begin(seed)
    moves = open_game(table, seed, opening)
    for action in before:
        if (player := table.turn()) is None:
            raise ChoiceError("the game is over before all its moves are made")
        table.step(action)
        moves.append((player, action))
    if begun is not None:
        begun()
    while (player := table.turn()) is not None:
        action, result = seats[player].decide(table.planned)
        try:
            table.step(action)
        except ChoiceError as error:
            agent = seats[player].agent
            raise ChoiceError(f"{agent!r}, player_{player}: {error}") from None
        moves.append((player, action))
        if told is not None:
            told(Decision(player, action, result))
    return tuple(moves), table.returns.tolist()


def open_game(table: Table, seed: int, opening: int) -> list[tuple[int, int]]:
    """Begin a game by random decisions, each legal action equally likely.

    Agents without chance of their own would play the same game again and again.

    Decisions that end the game are taken back, and others drawn from the same seed: so
    they do not depend on who sits where.

    Args:
        table: The table, its game just begun with `seed`; changed.
        seed: From which the decisions derive.
        opening: How many; where several players decide at once each of them counts.

    Returns:
        The moves as (player, action).

    Raises:
        ValueError: The game is over when they are made, whatever is drawn.
    """
    dice = random.Random(seed)
    for attempt in range(MOST_DRAWN):
        if attempt:
            table.begin(seed)
        moves: list[tuple[int, int]] = []
        while len(moves) < opening and (player := table.turn()) is not None:
            action = dice.choice(table.legal_actions())
            table.step(action)
            moves.append((player, action))
        if not opening or table.movers():
            return moves
    raise ValueError(
        f"opening={opening}: with seed {seed} the game is over before any agent is "
        f"asked, in each of {MOST_DRAWN} openings that were drawn; expected fewer "
        "random decisions"
    )


def play_fixture(fixture: Fixture) -> GameRecord:
    """Play a game of a tournament.

    Agents are made anew for each game, so that it does not matter which process plays
    it, nor which games that process played before.
    """
    game, model = _game(fixture.setting.game, fixture.setting.players)
    table = table_of(game, model)
    seeds = [agent_seed(fixture.seed, seat) for seat in range(model.players)]
    seats = [
        Seat(entrant.make(seed))
        for entrant, seed in zip(fixture.seats, seeds, strict=True)
    ]
    started = time.perf_counter()

    def begun() -> None:
        """Set up memory, and load compiled code, outside of any budget of time."""
        nonlocal started
        for player, seat in enumerate(seats):
            table.prepare(seat.agent, player)
        started = time.perf_counter()

    with closing(table):
        moves, _ = play_match(
            table, seats, fixture.seed, begun=begun, opening=fixture.opening
        )
        seconds = time.perf_counter() - started
        results, scores = table.outcome()
    teams = model.teams
    wins, ranks = win_shares(results, teams), places(results, scores, teams)
    return GameRecord(
        number=fixture.number,
        setting=fixture.setting,
        round=fixture.round,
        seed=fixture.seed,
        moves=moves,
        seconds=seconds,
        version=mcts_agents.__version__,
        seats=tuple(
            SeatRecord(
                agent=entrant.name,
                spec=entrant.spec,
                seed=seeds[n],
                team=teams[n],
                result=RESULT_NAMES[results[n]],
                win=wins[n],
                rank=ranks[n],
                score=float(scores[n]),
                seconds=np.array(seat.seconds, np.float32),
                simulations=sum(seat.simulations),
                searches=len(seat.depths),
                depth=float(np.mean(seat.depths)) if seat.depths else 0.0,
            )
            for n, (entrant, seat) in enumerate(zip(fixture.seats, seats, strict=True))
        ),
    )


def win_shares(results: Sequence[int], teams: Sequence[int]) -> list[float]:
    """Return each player's share of the win; team mates have the same share.

    Teams that won share it, else those that drew.
    """
    best = WON if WON in list(results) else DRAWN
    pairs = zip(teams, results, strict=True)
    sharing = len({team for team, result in pairs if int(result) == best})
    return [1.0 / sharing if int(result) == best else 0.0 for result in results]


def places(
    results: Sequence[int], scores: Sequence[float], teams: Sequence[int]
) -> list[float]:
    """Return each player's place from 1, by result and then by score.

    Equals get the mean of their places. Team mates have the place of their team, and
    where there are any teams are placed by result alone: it is all they have in common.
    """
    alone = len(set(teams)) == len(teams)
    keys = {
        team: (_PLACES.get(int(result), 2), -float(score) if alone else 0.0)
        for team, result, score in zip(teams, results, scores, strict=True)
    }
    ranked = list(keys.values())
    place = {
        team: sum(other < key for other in ranked) + (ranked.count(key) + 1) / 2
        for team, key in keys.items()
    }
    return [place[team] for team in teams]


@functools.lru_cache(maxsize=32)
def _game(game: str, players: int) -> tuple[Game | EnvironmentGame, ForwardModel]:
    return make_any(game, players)
