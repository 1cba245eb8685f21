"""`LiveSearch`: one decision of an agent, in steps that can be watched and stopped.

A search of `mcts` is run in steps (`Search.begin`, `advance`, `result`) that are about
as long as `SLICE_SECONDS`, so that whoever watches gets a new picture in time and the
search loses no speed. Its simulations are those of the agent's own search. Agents that
cannot be run in steps decide in one go.
"""

import itertools
import threading
from concurrent.futures import CancelledError
from dataclasses import replace

import numpy as np

from mcts_agents.agents import Agent, MCTSAgent, Planner
from mcts_agents.arena.playing.tables import ChoiceError, RulesTable, Table
from mcts_agents.model import ForwardModel, clock, new_generator
from mcts_agents.model.actions import as_action
from mcts_agents.names import quoted
from mcts_agents.search import Search, SearchResult
from mcts_agents.search.inspection.tree_node import ShownNode
from mcts_agents.search.options.option import GREATEST

SLICE_SECONDS = 0.05
FIRST_SLICE = 16
# Seconds after which a decision that goes on in spite of it is cancelled again.
CANCEL_SECONDS = 0.05
# Points of the curves of values.
MOST_POINTS = 120

_numbers = itertools.count(1)


class LiveSearch:
    """One decision of an agent.

    Args:
        agent: The agent.
        table: The table, where it is the player's turn.
        player: The player.
        number: The number of decisions before this one.
        kept: Searches of agents with a budget of time, see `search_in_steps`.

    Attributes:
        id: A number that no other search of this process has.
        result: What was found so far; None before anything was.
        done: Whether the decision is made.
        curve: (simulations, value of the best action) in the course of the search.
        why_whole: Why the search cannot be run in steps; empty if it can.
        state: The position that is searched, which holds what the player may know.
    """

    def __init__(
        self,
        agent: Agent,
        table: Table,
        player: int,
        number: int,
        kept: dict[tuple[int, int], Search],
    ):
        self.id = next(_numbers)
        self.agent, self.player, self.number = agent, player, number
        self._table = table
        self.result: SearchResult | None = None
        self.done = False
        self.curve: list[tuple[int, float]] = []
        self.why_whole = reason_against_steps(agent, table)
        self.state: np.ndarray | None = None
        self._search: Search | None = None
        self._allowed: float | None = None  # seconds of a decision
        self._seconds = 0.0
        self._simulations = 0
        self._rate = 0.0  # simulations a second, of the last slice
        self._thin = 1  # of how many points the curve keeps one
        self._points = 0
        self._cancelled, self._decided = threading.Event(), threading.Event()
        self._cancelling = threading.Lock()
        self._begun = False
        if isinstance(agent, MCTSAgent) and not self.why_whole:
            self._begin_steps(agent, kept)
        elif isinstance(table, RulesTable):
            # What the agent draws must not change, so this has a generator of its own.
            self.state = known_state(table, player, new_generator(number))

    def _begin_steps(
        self, agent: MCTSAgent, kept: dict[tuple[int, int], Search]
    ) -> None:
        self._allowed = agent.seconds
        env = self._table.planned
        with agent.position(env) as (model, state, player):
            search = search_in_steps(agent, model, player, kept)
            history = None
            if agent.uses_history:
                inner = env.unwrapped
                history = inner.history(inner.possible_agents[player])
            search.begin(state, player, agent._rng, history=history)
        self.state, self._search = state, search

    @property
    def worlds(self) -> bool:
        """Whether the search is over several worlds, as something is hidden."""
        return (
            self.state is not None
            and isinstance(self._table, RulesTable)
            and self._table.model.hidden_information
            and isinstance(self.agent, Planner)
        )

    @property
    def steps(self) -> bool:
        """Whether the decision is made in steps."""
        return self._search is not None

    @property
    def cancelled(self) -> bool:
        """Whether the decision was told to end early."""
        return self._cancelled.is_set()

    @property
    def simulations(self) -> int:
        """Simulations so far."""
        if self.result is not None and not self.steps:
            return self.result.simulations
        return self._simulations

    @property
    def seconds(self) -> float:
        """Seconds that the search took so far, pauses left out."""
        return self._seconds

    @property
    def per_second(self) -> float:
        """Simulations a second; 0 where none are counted."""
        return self.simulations / self._seconds if self._seconds > 0.0 else 0.0

    def advance(self, simulations: int | None = None) -> None:
        """Go on for a slice, or for so many simulations.

        Raises:
            ChoiceError: An agent chose what is no action.
        """
        started = clock.now()
        if self._search is None:
            self._decide(started)
            return
        wanted = simulations or self._slice()
        with self._search.model.signals():
            made = self._search.advance(wanted)
        taken = clock.now() - started
        self._seconds += taken
        self._simulations += made
        if made:
            self._rate = made / taken
        self.done = made == 0 or self._is_spent()

    def _slice(self) -> int:
        if not self._rate:
            return FIRST_SLICE
        left = SLICE_SECONDS
        if self._allowed is not None:
            left = min(left, self._allowed - self._seconds)
        # At most eightfold at a time: the first ones are not typical.
        most = 8 * max(self._simulations, FIRST_SLICE)
        return max(1, min(most, int(self._rate * left)))

    def _is_spent(self) -> bool:
        """Say whether a budget of time is spent; the search sees to the others."""
        return self._allowed is not None and self._seconds >= self._allowed

    def look(self) -> None:
        """Read what was found so far, and note a point of the curve."""
        if self._search is None:
            return
        try:
            with self._search.model.signals():
                self.result = self._search.result()
        except RuntimeError:  # there was no simulation yet
            return
        value = self.result.values[self.result.actions == self.result.action]
        if len(value) and np.isfinite(value[0]):
            self._note(float(value[0]))

    def _note(self, value: float) -> None:
        if self.curve and self.curve[-1][0] == self._simulations:
            return
        self._points += 1
        if self._points % self._thin:
            return
        self.curve.append((self._simulations, value))
        if len(self.curve) > MOST_POINTS:
            self.curve, self._thin = self.curve[::2], 2 * self._thin

    def finish(self) -> int:
        """End the search here; return the action to play.

        Raises:
            RuntimeError: Nothing was searched yet.
        """
        self.done = True
        self.look()
        if self.result is None:
            raise RuntimeError("there was no simulation yet")
        return int(self.result.action)

    def cancel(self) -> None:
        """End a decision that is made in one go, if its agent can; from any thread.

        An agent that has not begun to search does not notice `Planner.cancel`, so it is
        called until the decision ends.
        """
        if self.steps or not isinstance(self.agent, Planner):
            return
        with self._cancelling:
            if self._cancelled.is_set():
                return
            self._cancelled.set()
            if not self._begun:  # it will not begin any more
                return
        threading.Thread(target=self._cancel_until_decided, daemon=True).start()

    def _cancel_until_decided(self) -> None:
        assert isinstance(self.agent, Planner)
        while not self._decided.is_set():
            with self._cancelling:  # it never reaches the agent's next decision
                if not self._decided.is_set():
                    self.agent.cancel()
            self._decided.wait(CANCEL_SECONDS)

    def _decide(self, started: float) -> None:
        """Let the agent decide in one go."""
        env = self._table.planned
        try:
            with self._cancelling:
                if self._cancelled.is_set():
                    return
                self._begun = True
            if isinstance(self.agent, Planner):
                self.result = self.agent.plan(env)
                chosen = self.result.action
            else:
                chosen = self.agent.act(env)
        except CancelledError:
            return
        finally:
            with self._cancelling:
                self._decided.set()
        action = as_action(chosen)
        if action is None:
            raise ChoiceError(f"{self.agent!r} chose {quoted(chosen)}, not an action")
        if self.result is None:
            self.result = SearchResult(action, np.array([action], np.int32))
        self._seconds = clock.now() - started
        self.done = True

    # -- trees

    @property
    def tree_players(self) -> list[int]:
        """The players who have a tree that can be opened; each its own or a shared."""
        if self.result is None or not self.result.has_tree:
            return []
        settings = self._search.settings if self._search else None
        if settings is None or settings.tree not in ("multi", "observers"):
            return [self.player]
        if settings.opponent_information == "separate":  # others have several roots
            return [self.player]
        return list(range(self._search.model.players))

    def root(self, player: int) -> ShownNode:
        """Return the root of a player's tree.

        Raises:
            RuntimeError: There is none, or the agent has gone on to another decision.
        """
        if player not in self.tree_players:
            raise RuntimeError(f"player_{player} has no tree in this search")
        if self._search is not None and player != self.player:
            return self._search.tree_root(player)
        if self.result is None or self.result.root is None:
            raise RuntimeError("nothing was searched yet")
        return self.result.root


def known_state(table: RulesTable, player: int, rng: np.ndarray) -> np.ndarray:
    """Return the position with what a player does not know drawn at random."""
    inner = table.env.unwrapped
    state, _ = inner.planning_state(inner.possible_agents[player], rng)
    return np.asarray(state)


def search_in_steps(
    agent: MCTSAgent,
    model: ForwardModel,
    player: int,
    kept: dict[tuple[int, int], Search],
) -> Search:
    """Return a search of an agent that has no clock of its own.

    Args:
        agent: An agent whose searches can be run in steps.
        model: The game.
        player: Who decides.
        kept: Searches of agents that have a budget of time, by the agent's id and
            seat; one that is missing is added.
    """
    settings = agent.settings
    if settings.seconds is None:
        return agent.search_of(model, player)
    key = id(agent), player
    if key not in kept:
        untimed = replace(
            settings,
            seconds=None,
            safety_margin=0.0,
            simulations=settings.simulations or GREATEST,
        )
        kept[key] = Search(model, untimed)
    return kept[key]


def reason_against_steps(agent: Agent, table: Table) -> str:
    """Say why an agent's decisions cannot be made in steps; empty if they can."""
    if not isinstance(agent, Planner):
        return "this agent does not search"
    if not isinstance(agent, MCTSAgent):
        return "this agent's search always runs to its end"
    if not isinstance(table, RulesTable):
        return "searches in copies of an environment always run to their end"
    settings = agent.settings
    for name, most in (("threads", 1), ("determinizations", 1)):
        if getattr(settings, name) != most:
            given = getattr(settings, name)
            return f"a search with {name}={given} always runs to its end"
    if agent.copying.processes > 1:
        return "a search in several processes always runs to its end"
    return ""
