"""A stored game replayed: every position, every move, and its search result."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import mcts_agents
from mcts_agents.agents import Agent, Planner, make_agent
from mcts_agents.arena.playing.fixtures import GameRecord
from mcts_agents.arena.playing.tables import open_table
from mcts_agents.importing import named_in_file
from mcts_agents.model import RESULT_NAMES
from mcts_agents.search import SearchResult

# Who chose a move of a random opening, where moves name their agents.
OPENING = "random opening"


@dataclass(frozen=True)
class SeenAction:
    """What a search found about one action.

    Attributes:
        action: The action.
        name: As people write it.
        visits: How often the search took it.
        share: Its share of all visits, 0 to 1.
        value: Mean value to the player on the leaf heuristic's own scale; None if it
            was never taken.
    """

    action: int
    name: str
    visits: int
    share: float
    value: float | None

    @property
    def looked_at(self) -> bool:
        """Whether the search visited the action, or knows its value."""
        return self.visits > 0 or self.value is not None


@dataclass(frozen=True)
class SearchView:
    """What a search found for one decision.

    Attributes:
        actions: All actions, most visited first; then by value, then by number.
        principal_variation: (player, name of the action) of the most visited
            continuation, from the chosen action on; see `SearchResult`.
        simulations: Iterations; 0 if there was only one action to choose, or the agent
            does not count any.
        nodes: Decisions in all trees.
        depth: Longest path in any tree, in decisions; 0 if there is none.
        seconds: Time that this search took now, not when the game was played.
        solved: Whether the result under best play was proven.
    """

    actions: tuple[SeenAction, ...]
    principal_variation: tuple[tuple[int, str], ...]
    simulations: int
    nodes: int
    depth: int
    seconds: float
    solved: bool

    @property
    def searched(self) -> bool:
        """Whether there was anything to search."""
        return self.simulations > 0 or any(seen.looked_at for seen in self.actions)

    def top(self, count: int, played: int) -> tuple[SeenAction, ...]:
        """Return at most `count` actions: the most visited ones and the one played.

        Those that were never looked at are left out: a search that ends early, because
        the result is proven, has looked at few, perhaps at none.
        """
        shown = [s for s in self.actions if s.looked_at or s.action == played]
        late = [seen for seen in shown[count:] if seen.action == played]
        return (*shown[: count - len(late)], *late)


@dataclass(frozen=True)
class Move:
    """One decision of the stored game.

    Attributes:
        decision: Number of the decision in the game, from 1.
        player: Who decided.
        agent: Name of the agent; `OPENING` for a move that none chose.
        action: The stored action.
        name: As people write it.
        search: What the agent's search finds now; None without one.
        now: Name of the action that the agent chooses now if it is another one, else
            None.
        timed: Whether the agent has a budget of time, so that it may choose another.
    """

    decision: int
    player: int
    agent: str
    action: int
    name: str
    search: SearchView | None = None
    now: str | None = None
    timed: bool = False


@dataclass(frozen=True)
class Moment:
    """A position and the moves that led to it.

    Attributes:
        number: 0 for the opening position, which no move led to.
        moves: One move, or one of each player who decided at once, players ascending.
        position: The position after the moves, as text.
        state: The same, uint8 of shape (state_size,), hidden information included; of
            an environment of somebody else, which has no state of bytes, of shape (0,).
        over: Whether the game is over.
    """

    number: int
    moves: tuple[Move, ...]
    position: str
    state: np.ndarray
    over: bool


class Replay:
    """A stored game, played again through its environment.

    With `search`, every seat's agent is made again from its spec and seed, and asked
    wherever it was asked in the game; then the stored action is made, whatever the
    agent chooses now. Nobody is asked in a random opening.

    Args:
        record: The game.
        search: Whether agents plan again; without, no agent is made.
        pictures: Whether `picture` is going to be asked for.

    Attributes:
        differences: Filled while the game goes on: moves for which an agent whose
            budget is not one of time chose another action than the stored one.

    Raises:
        ValueError: A game that this version does not know, or that is not allowed.
    """

    def __init__(
        self, record: GameRecord, search: bool = True, *, pictures: bool = True
    ):
        self.record = record
        self.search = search
        setting = record.setting
        try:
            with named_in_file("the record of a game"):
                self._table = open_table(
                    setting.game, setting.players, pictures=pictures
                )
        except ValueError as error:
            raise ValueError(f"game {record.number}: {error}") from error
        self.game, self.model = self._table.game, self._table.model
        if len(record.seats) != self.model.players:
            raise ValueError(
                f"game {record.number}: {len(record.seats)} seats are stored for "
                f"{self.model.players} players"
            )
        self.differences: list[Move] = []
        self._agents: list[Agent] = []

    def moments(self) -> Iterator[Moment]:
        """Play the game; yield the opening position, then each position after moves.

        Players who decide at once share a moment. Asked for again, the game begins
        again.

        Raises:
            ValueError: The record does not fit the game: a move that is not legal or
                of a player who is not to move, too few or too many moves, or other
                results or scores at the end; or this version does not know an agent.
        """
        table = self._table
        self.differences = []
        try:
            table.begin(self.record.seed)
        except ValueError as error:
            raise self._broken(str(error)) from error
        self._agents = self._made_agents() if self.search else []
        yield self._moment(0, ())
        number, made = 0, 0
        while movers := table.movers():
            moves = []
            for player in movers:
                moves.append(self._decision(made, player))
                made += 1
            number += 1
            yield self._moment(number, tuple(moves))
        if made < len(self.record.moves):
            raise self._broken(
                f"the game is over after {made} decisions, "
                f"{len(self.record.moves)} are stored"
            )
        self._check_end()

    @property
    def picture_size(self) -> tuple[int, int]:
        """Width and height of the pictures, in pixels."""
        return self._table.picture_size()

    @property
    def together(self) -> bool:
        """Whether several players may decide at one moment."""
        return self._table.together

    def picture(self) -> np.ndarray:
        """Return the position of the last moment, uint8 of (height, width, 3)."""
        return self._table.picture()

    def _made_agents(self) -> list[Agent]:
        """Make the agents as they were at the start of the game."""
        agents = []
        for player, seat in enumerate(self.record.seats):
            try:
                with named_in_file("the record of a game"):
                    agent = make_agent(json.loads(seat.spec), seed=seat.seed)
                self._table.prepare(agent, player)  # refuses what the game lacks
            except ValueError as error:
                place = f"game {self.record.number}, seat {player}"
                raise ValueError(f"{place}: {error}") from error
            agents.append(agent)
        return agents

    def _moment(self, number: int, moves: tuple[Move, ...]) -> Moment:
        table = self._table
        return Moment(
            number, moves, table.text(None), table.state(), not table.movers()
        )

    def _decision(self, made: int, player: int) -> Move:
        """Let the player's agent plan, then make the stored move."""
        self._table.turn()  # takes those who are out of the game off the list
        if made == len(self.record.moves):
            raise self._broken(
                f"only {made} decisions are stored, and the game is not over"
            )
        stored_player, action = self.record.moves[made]
        decision = made + 1
        if stored_player != player:
            raise self._broken(
                f"decision {decision} is stored as player_{stored_player}'s, and "
                f"player_{player} is to move"
            )
        opens = made < self.record.opening
        now, result, timed = (None, None, False) if opens else self._plan(player)
        try:
            self._table.step(action)
        except ValueError as error:
            raise self._broken(f"decision {decision}: {error}") from error
        move = Move(
            decision=decision,
            player=player,
            agent=OPENING if opens else self.record.seats[player].agent,
            action=action,
            name=self._name(action),
            search=None if result is None else self._view(result),
            now=None if now in (None, action) else self._name(now),
            timed=timed,
        )
        if move.now is not None and not timed:
            self.differences.append(move)
        return move

    def _plan(self, player: int) -> tuple[int | None, SearchResult | None, bool]:
        """Return what the agent chooses now, its search, and if its time is limited."""
        if not self._agents:
            return None, None, False
        agent = self._agents[player]
        if isinstance(agent, Planner):
            result = agent.plan(self._table.planned)
            return result.action, result, agent.is_timed
        return agent.act(self._table.planned), None, agent.is_timed

    def _view(self, result: SearchResult) -> SearchView:
        total = max(1, int(result.visits.sum()))
        seen = [
            SeenAction(
                action=int(action),
                name=self._name(action),
                visits=int(visits),
                share=float(visits) / total,
                value=None if math.isnan(value) else float(value),
            )
            for action, visits, value in zip(
                result.actions, result.visits, result.values, strict=True
            )
        ]
        return SearchView(
            actions=tuple(sorted(seen, key=_most_visited_first)),
            principal_variation=tuple(
                (player, self._name(action))
                for player, action in result.principal_variation
            ),
            simulations=result.simulations,
            nodes=result.nodes,
            depth=result.depth,
            seconds=result.seconds,
            solved=result.solved,
        )

    def _name(self, action: int) -> str:
        return self._table.name(action)

    def _check_end(self) -> None:
        """Compare how the game ended with what is stored."""
        results, scores = self._table.outcome()
        for player, seat in enumerate(self.record.seats):
            for what, found, stored in (
                ("result", RESULT_NAMES[results[player]], seat.result),
                ("score", float(scores[player]), seat.score),
            ):
                if found != stored:
                    raise self._broken(
                        f"player_{player}'s {what} at the end is {found}, stored is "
                        f"{stored}"
                    )

    def _broken(self, reason: str) -> ValueError:
        before = f" {self.difference_text()}" if self.differences else ""
        return ValueError(
            f"game {self.record.number} does not fit its record: {reason} "
            f"({self._versions()}).{before}"
        )

    def difference_text(self) -> str:
        """Say which decisions came out differently; empty if none did.

        Only the first one is sure to have been made from the same knowledge: after it
        the agents' random generators may have gone other ways.
        """
        if not self.differences:
            return ""
        first = self.differences[0]
        more = len(self.differences) - 1
        others = f" So do {more} later ones." if more else ""
        same = self.record.version == mcts_agents.__version__
        why = (
            "the record was changed, or this machine computes otherwise"
            if same
            else "the two versions may search differently"
        )
        return (
            f"Decision {first.decision} differs: player_{first.player} "
            f"({first.agent}) now chooses {first.now}, stored is {first.name}."
            f"{others} The budget is not one of time, so the choice should be the "
            f"same; {self._versions()}: {why}."
        )

    def _versions(self) -> str:
        return (
            f"played by version {self.record.version}, replayed by "
            f"{mcts_agents.__version__}"
        )


def _most_visited_first(seen: SeenAction) -> tuple[int, float, int]:
    value = -math.inf if seen.value is None else seen.value
    return -seen.visits, -value, seen.action
