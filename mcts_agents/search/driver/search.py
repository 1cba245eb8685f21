"""`Search`: decisions in one game with one set of settings; see `Workspace`, too.

`seconds` and `safety_margin` become a deadline here (`Search._deadline`), counted from
the time that the agent gives (`agents/agent.py`). `Workspace` ends slices by it,
`leaf_batches` ends batches, and `model/clock.py` ends rollouts in which Python runs.
`merging` shares the time out among determinizations.
"""

from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from mcts_agents.model import ForwardModel, History, clock
from mcts_agents.model.failures import wrong_number
from mcts_agents.search.driver.leaf_batches import AnsweredLater
from mcts_agents.search.driver.merging import search_forest, search_threads
from mcts_agents.search.driver.one_thread import OneThread
from mcts_agents.search.driver.reading import (
    forced_result,
    read_root,
    result_of,
)
from mcts_agents.search.driver.workspace import Workspace
from mcts_agents.search.inspection.result import SearchResult
from mcts_agents.search.inspection.root import RootStatistics
from mcts_agents.search.inspection.tree_node import TreeNode
from mcts_agents.search.inspection.tree_reader import TreeReader
from mcts_agents.search.kernel.records import UNPROVEN
from mcts_agents.search.kernel.root_policies import root_policy_of
from mcts_agents.search.kernel.status import NO_LIMIT
from mcts_agents.search.options.settings import SearchSettings


@dataclass
class Steps:
    """A decision that is searched in steps; `only` is its result if there is none."""

    run: int
    state: np.ndarray
    player: int
    rng: np.ndarray
    only: SearchResult | None
    started: float
    reused: int = 0


class Search:
    """A search of one model with one set of settings, its memory kept between runs.

    Args:
        model: The game.
        settings: What to do; open choices are the game's.
        nodes: Nodes that there is room for at first; None: as many as most searches
            need. Room grows where it is lacking, whatever it is at first; hundreds of
            small searches side by side want little.
        edges: Edges (actions of nodes) likewise.

    Raises:
        ValueError: Settings that the game cannot serve.
    """

    def __init__(
        self,
        model: ForwardModel,
        settings: SearchSettings,
        *,
        nodes: int | None = None,
        edges: int | None = None,
    ):
        for name, room in (("nodes", nodes), ("edges", edges)):
            if room is not None and room < 1:
                raise ValueError(f"{name}={room}: expected room for at least 1")
        self.model = model
        self._first_room = nodes, edges
        self.settings = settings.for_model(model)
        self._given = settings
        # Whether one search decides, by what its root says.
        self._decides_alone = (
            self.settings.threads == self.settings.determinizations == 1
            and self.settings.final != "sample"
            and root_policy_of(self.settings.root_policy).final is None
            and not isinstance(self.settings.evaluator, AnsweredLater)
        )
        self._one_thread = OneThread()
        self._runs = 0
        self._steps: Steps | None = None
        self._set_up()

    def __reduce__(self):
        """Copy and pickle by making a new search: addresses do not travel."""
        nodes, edges = self._first_room
        return partial(Search, nodes=nodes, edges=edges), (self.model, self._given)

    def _set_up(self) -> None:
        """Set up all that decisions write to, as for a search that never ran."""
        self._whole = False
        self._workspace = Workspace(self.model, self.settings, *self._first_room)
        self._threads: list[Search] = []
        # What the last decision was about: its player, and the game so far.
        self._player: int | None = None
        self._history: History | None = None
        self._whole = True

    def run(
        self,
        state: np.ndarray,
        player: int,
        rng: np.ndarray,
        *,
        started: float | None = None,
        reserve: float = 0.0,
        simulations: int | None = None,
        history: History | None = None,
    ) -> SearchResult:
        """Search from `state` for `player`, who must be one of its movers.

        A budget in seconds ends the search between two iterations. Where Python code
        runs inside it (an environment's, an agent's, an evaluator's) it ends rollouts
        too, at the next action, or with the call that was going on. If
        a rollout is cut short the search leaves it out, unless it is the first: where
        there is a choice at least one simulation is made, however little time there is.
        Inside a callback of another search this one ends when that one has to.

        Args:
            state: The root, not modified; must hold only what `player` may know.
            player: The acting player.
            rng: The search's generator, advanced.
            started: The time by `clock.now` from which a budget in seconds counts.
            reserve: Seconds before the end of such a budget at which to end.
            simulations: Iterations to run instead of the settings' budget of them.
            history: The game so far, as far as the player has seen it; without it no
                tree is reused.

        Raises:
            ValueError: `player` has no decision to make in `state`.
            RuntimeError: The game lists no legal action for a mover, or its filter
                keeps none; or this search is running already, in another thread or
                around the callback that asks for this run.
            BaseException: Whatever the game's own functions raise. The search forgets
                all then, and the next run is that of a new one.
        """
        budget = {"started": started, "reserve": reserve, "simulations": simulations}
        return self._one_thread.call(
            self._refusal, self._run, state, player, rng, history=history, **budget
        )

    def _refusal(self) -> str:
        return (
            f"{self.model.name}: this search is running already, in another thread "
            "or around a callback of its own; use another Search, or another agent"
        )

    def _run(
        self, state, player, rng, *, started, reserve, simulations, history
    ) -> SearchResult:
        """See `run`."""
        evaluation = self._workspace.evaluation
        if evaluation and evaluation.later:
            raise ValueError(
                f"evaluator={self.settings.evaluator!r} has no answers itself: search "
                "in steps, with `Search.begin`, `advance`, `leaves` and `answer`"
            )
        settings = self.settings
        if simulations is not None:
            settings = replace(settings, simulations=simulations)

        def parts(deadline: float, actions: np.ndarray) -> list[RootStatistics]:
            if settings.threads == 1:
                return self.search_share(
                    state, player, rng, settings, deadline, history, actions
                )
            if not self._threads:
                alone = replace(self._given, threads=1)
                self._threads = [
                    Search(self.model, alone) for _ in range(settings.threads)
                ]
                for thread in self._threads:
                    own = thread._workspace
                    own.share_memory(settings.threads)
                    if evaluation:
                        own.evaluation.lock = evaluation.lock
            self._workspace.check_cancelled()  # before there were threads to be told
            return search_threads(self._threads, state, player, rng, settings, deadline)

        return self._run_by(parts, state, player, rng, started, reserve)

    def run_by(
        self,
        parts: Callable[[float, np.ndarray], list[RootStatistics]],
        state: np.ndarray,
        player: int,
        rng: np.ndarray,
        *,
        started: float | None = None,
        reserve: float = 0.0,
    ) -> SearchResult:
        """Decide as `run` does, by the roots of searches that others share out.

        Args:
            parts: Called where there is a choice, with the deadline (a time by
                `clock.now`, inf for none) and the player's legal actions; returns the
                root statistics of all searches. The result shows the last one's tree.
            state: As in `run`, as are the arguments below.
            player: The acting player.
            rng: The search's generator.
            started: When the decision began.
            reserve: Seconds before the end of a budget at which to end.

        Raises:
            ValueError: As `run`.
            RuntimeError: As `run`.
            BaseException: Whatever `parts` raises; the search forgets all then.
        """
        return self._one_thread.call(
            self._refusal, self._run_by, parts, state, player, rng, started, reserve
        )

    def _run_by(self, parts, state, player, rng, started, reserve) -> SearchResult:
        """See `run_by`."""
        started = clock.now() if started is None else started
        actions, only = self._actions(state.ctypes.data, player)
        if only is not None:
            forced = forced_result(self.settings, player, actions, only)
            return replace(forced, seconds=clock.now() - started)
        deadline = self._deadline(started, reserve)
        self._begin_changes()
        found = result_of(parts(deadline, actions), self.settings, rng, started)
        self._whole = True
        return found

    def search_share(
        self,
        state: np.ndarray,
        player: int,
        rng: np.ndarray,
        budget: SearchSettings,
        deadline: float,
        history: History | None = None,
        actions: np.ndarray | None = None,
    ) -> list[RootStatistics]:
        """Search all determinizations from one root, in this thread; see `run`.

        Args:
            state: As in `run`.
            player: As in `run`.
            rng: As in `run`.
            budget: Whose determinizations, simulations and forward-model calls to use.
            deadline: The time by `clock.now` at which to end; inf for none.
            history: As in `run`; of no use to several determinizations.
            actions: The player's legal actions, if they are known already.
        """
        if budget.determinizations > 1:
            return search_forest(self, state, player, rng, budget, deadline)
        self.decay_averages(player)
        return [
            self.search_once(state, player, rng, budget, deadline, history, actions)
        ]

    def choose(
        self,
        state: np.ndarray,
        player: int,
        rng: np.ndarray,
        *,
        started: float | None = None,
        reserve: float = 0.0,
        history: History | None = None,
    ) -> int:
        """Return the action that `run` would choose, and no more than that.

        It takes half of what `run` takes besides simulations. Arguments and errors are
        those of `run`.
        """
        budget = {"started": started, "reserve": reserve}
        return self._one_thread.call(
            self._refusal, self._choose, state, player, rng, history=history, **budget
        )

    def _choose(self, state, player, rng, *, started, reserve, history) -> int:
        if not self._decides_alone:
            budget = {"started": started, "reserve": reserve, "simulations": None}
            return self._run(state, player, rng, history=history, **budget).action
        started = clock.now() if started is None else started
        at = state.ctypes.data
        actions, only = self._actions(at, player)
        if only is not None:
            return only
        self._begin_changes()
        self.decay_averages(player)
        deadline = self._deadline(started, reserve)
        self._search_once(at, player, rng, self.settings, deadline, history)
        action = self._workspace.choose(player, actions, rng)
        self._whole = True
        return action

    def _deadline(self, started: float, reserve: float) -> float:
        """Return when a decision has to end by its own budget, or by that around it."""
        settings = self.settings
        if settings.seconds is None:
            return clock.deadline()
        own = started + settings.seconds - settings.safety_margin - reserve
        return min(own, clock.deadline())

    def _actions(self, at, player) -> tuple[np.ndarray, int | None]:
        """Return the acting player's legal actions; see `Workspace.actions`."""
        actions, only = self._workspace.actions(at, player)
        if actions is None:
            mask = self.model.call("movers", at)
            movers = tuple(p for p in range(self.model.players) if mask >> p & 1)
            if player in movers:
                raise wrong_number(self.model, player, 0)
            raise ValueError(
                f"{self.model.name}: player {player} has no decision to make here; "
                f"the movers are {movers}"
            )
        return actions, only

    def _begin_changes(self) -> None:
        """Get ready for changes; if they are interrupted, all is thrown away later.

        An exception, Ctrl-C among them, may come at any place between here and the end:
        while arrays grow, say. No place has to put anything right, because whoever
        finds that the last run has not come to its end begins with everything new.
        """
        if not self._whole or self._workspace.cancelled:
            self._set_up()
        self._whole = False

    def cancel(self) -> None:
        """End a run that is going on in another thread, at its next action.

        It raises CancelledError, as `advance` does in a decision in steps. A run that
        has not begun its first simulation may not hear it. The next run begins with
        nothing kept.
        """
        self._workspace.cancel()
        for thread in self._threads:
            thread.cancel()

    @property
    def simulations_so_far(self) -> int:
        """Simulations of the run that goes on in another thread, or of the last one.

        Of several determinizations it is those of the present one.
        """
        searches = self._threads or [self]
        return sum(int(s._workspace.record["simulations"][0]) for s in searches)

    def search_once(
        self,
        state: np.ndarray,
        player: int,
        rng: np.ndarray,
        settings: SearchSettings,
        deadline: float,
        history: History | None = None,
        actions: np.ndarray | None = None,
    ) -> RootStatistics:
        """Search one tree, or one a player, from one root; see `run`.

        Args:
            state: As in `run`.
            player: As in `run`.
            rng: As in `run`.
            settings: Whose simulations and forward-model calls are the budget.
            deadline: The time by `clock.now` at which to end; inf for none.
            history: As in `run`.
            actions: The player's legal actions, if they are known already.
        """
        at = state.ctypes.data
        reused = self._search_once(at, player, rng, settings, deadline, history)
        if actions is None:
            actions = self.model.legal_actions(state, player)
        return self._root(player, actions, reused)

    def _search_once(self, at, player, rng, settings, deadline, history) -> int:
        """Search from one root; return the visits that were left from before."""
        workspace = self._workspace
        workspace.check_cancelled()
        self._runs += 1
        self._begin(at, player, rng, history, settings.simulations)
        reused = workspace.root_visits(player) if self.settings.reuse_tree else 0
        workspace.run(settings, deadline)
        rng[:] = workspace.memory.arrays["rng"]
        return reused

    def _begin(self, at, player, rng, history, simulations) -> None:
        """Begin a decision, with what can be kept of the last one's trees."""
        played, last = None, self._history
        if self.settings.remembers_moves and self._player == player:
            if last is not None and history is not None and history.continues(last):
                played = history.since(last)
        self._workspace.begin(at, player, rng, played)
        self._workspace.record["simulation_limit"] = simulations or NO_LIMIT
        self._player = player
        self._history = history

    def decay_averages(self, player: int) -> None:
        """Take weight from move averages, once for each decision: all if another's."""
        if self.settings.mast != "none":
            same = self._player == player
            self._workspace.decay_averages(self.settings.mast_decay if same else 0.0)

    def _root(self, player, actions, reused) -> RootStatistics:
        run = self._runs

        def reader() -> TreeReader:
            # A root policy of this very decision may read it.
            if self._runs != run or not (self._whole or self._one_thread.mine):
                raise RuntimeError(
                    "this result's tree is gone, because the search has moved on to "
                    "another decision; read the tree or the principal variation before "
                    "the next decision"
                )
            return self._workspace.reader()

        return read_root(self._workspace, player, actions, reused, reader)

    def forget(self) -> None:
        """Forget trees and move averages of earlier decisions, as for a new game."""
        self._player = self._history = None
        for thread in self._threads:
            thread.forget()

    def read_tree(self, player: int, depth: int | None = None) -> dict[str, Any]:
        """Return `player`'s own tree, or the one it shares, of the last decision.

        The form is that of `SearchResult.tree`, which gives the acting player's.

        Raises:
            RuntimeError: There was no decision, or the last one was interrupted.
        """
        return self.tree_root(player).as_dict(depth)

    def tree_root(self, player: int) -> TreeNode:
        """Return the root of `player`'s own tree, or of the one it shares.

        It is read node by node, as long as the search makes no other decision.

        Raises:
            RuntimeError: As `read_tree`; or the player's tree has no root yet.
        """
        if self._threads and self._whole:
            return self._threads[-1].tree_root(player)
        # A callback of this very search may read it as it is.
        if not self._runs or not (self._whole or self._one_thread.mine):
            raise RuntimeError(f"{self.model.name}: there is no finished decision")
        workspace = self._workspace
        separate = self.settings.opponent_information == "separate"
        if separate and player != workspace.record["root_player"][0]:
            raise RuntimeError(
                f"player_{player} has a root for each of its information sets "
                "(opponent_information='separate'), and none of them is the tree's; "
                "only the tree of the acting player can be read"
            )
        bandits = workspace.reader().node(workspace.root_tree(player), player)
        return TreeNode(workspace.reader, bandits)

    def sharing_memory(self, searches: int) -> AbstractContextManager[None]:
        """Leave this search its part of the limit of memory, within a context."""
        return self._workspace.sharing_memory(searches)

    def playouts(self, state: np.ndarray, count: int, rng: np.ndarray) -> int:
        """Run `count` random playouts from `state` with no tree; return `count`.

        For measuring: it is what a simulation costs without the search.
        """
        return self._play_at_random("run_playouts", state, count, rng)

    def random_games(self, state: np.ndarray, count: int, rng: np.ndarray) -> int:
        """Step through `count` random games; return how many actions were applied."""
        return self._play_at_random("run_random_games", state, count, rng)

    def _play_at_random(self, entry: str, state, count: int, rng: np.ndarray) -> int:
        self._begin_changes()
        self._runs += 1  # trees of earlier decisions are gone
        self._player, self._history = 0, None
        answer = self._workspace.play_at_random(entry, state, count, rng)
        self._whole = True
        return answer

    # -- in steps

    def begin(
        self,
        state: np.ndarray,
        player: int,
        rng: np.ndarray,
        *,
        history: History | None = None,
    ) -> None:
        """Begin a decision that `advance` goes on with, as far as its caller wants.

        Simulations in steps are those that `run` makes. A search in steps has one tree,
        or one a player, and no clock: threads, several determinizations and a budget in
        seconds are refused. Anything else that the search is asked meanwhile, `run`
        above all, ends the decision.

        Args:
            state: As in `run`; it must stay as it is until the decision ends.
            player: As in `run`.
            rng: As in `run`; advanced by every step.
            history: As in `run`.

        Raises:
            ValueError: `player` has no decision to make in `state`, or the settings
                cannot be searched in steps.
            RuntimeError: As in `run`.
        """
        for name, most in (("threads", 1), ("determinizations", 1), ("seconds", None)):
            value = getattr(self.settings, name)
            if value != most:
                raise ValueError(f"a search in steps needs {name}={most}, not {value}")
        self._one_thread.call(
            self._refusal, self._begin_steps, state, player, rng, history
        )

    def _begin_steps(self, state, player, rng, history) -> None:
        at = state.ctypes.data
        actions, only = self._actions(at, player)
        forced = None
        if only is not None:
            forced = forced_result(self.settings, player, actions, only)
        if self.waiting:  # the tree has leaves that nobody has answered
            self.forget()
        self._begin_changes()
        self._runs += 1
        self._steps = Steps(self._runs, state, player, rng, forced, clock.now())
        if forced is None:
            self.decay_averages(player)
            self._begin(at, player, rng, history, self.settings.simulations)
            if self.settings.reuse_tree:
                self._steps.reused = self._workspace.root_visits(player)
        self._whole = True

    def advance(self, simulations: int) -> int:
        """Make up to so many simulations; return how many were made.

        Fewer are made where a budget of the settings is spent, or nothing is left to
        search. With an `AnsweredLater` for an evaluator it ends at leaves that wait,
        too: nothing goes on before `answer`.

        Raises:
            ValueError: `simulations` is below 1.
            CancelledError: `cancel` was called; the decision is over.
            RuntimeError: There is no decision to go on with, or leaves wait for an
                answer; or as in `run`.
        """
        if not isinstance(simulations, int | np.integer) or simulations < 1:
            raise ValueError(
                f"simulations={simulations!r}: expected at least 1, an integer"
            )
        return self._one_thread.call(self._refusal, self._advance, simulations)

    def _advance(self, simulations: int) -> int:
        steps = self._going_on()
        if self.waiting:
            raise RuntimeError(
                f"{self.model.name}: {self.waiting} leaves wait for an answer; see "
                "`leaves` and `answer`"
            )
        if steps.only is not None:
            return 0
        workspace = self._workspace
        if workspace.cancelled:
            self._steps = None
            raise CancelledError
        # Not `_begin_changes`: a `cancel` that comes now must not empty the workspace.
        self._whole = False
        done = workspace.record["simulations"]
        before = int(done[0])
        left = simulations
        if self.settings.simulations is not None:
            left = min(left, self.settings.simulations - before)
        if left > 0:
            budget = replace(self.settings, simulations=left)
            workspace.run(budget, clock.deadline())
        steps.rng[:] = workspace.memory.arrays["rng"]
        self._whole = True
        return int(done[0]) - before

    def _going_on(self) -> Steps:
        """Return the decision in steps that is going on."""
        steps = self._steps
        if steps is None or steps.run != self._runs or not self._whole:
            raise RuntimeError(f"{self.model.name}: no decision was begun, see `begin`")
        return steps

    @property
    def waiting(self) -> int:
        """Rows of leaves that wait for an answer, in a search in steps."""
        steps = self._steps
        evaluation = self._workspace.evaluation
        if evaluation is None or steps is None or steps.only is not None:
            return 0
        return evaluation.waiting

    def leaves(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what waits for an answer, for an evaluator of many searches.

        Returns:
            Observations, int8, shape (rows, *observation_shape); players, int64, shape
            (rows,); and legal actions, bool, shape (rows, actions). They are read-only
            and valid until they are answered: copy them into an array of your own.

        Raises:
            RuntimeError: Nothing waits.
        """
        self._going_on()
        if not self.waiting:
            raise RuntimeError(f"{self.model.name}: no leaf waits for an answer")
        return self._workspace.evaluation.shown()

    def answer(self, values: np.ndarray, logits: np.ndarray) -> None:
        """Answer all leaves that wait.

        Args:
            values: Shape (rows, players), on the scale that `value` says.
            logits: Shape (rows, actions).

        Raises:
            ValueError: Another shape, or numbers that are no values or logits; nothing
                has changed then.
            RuntimeError: Nothing waits.
        """
        self._one_thread.call(self._refusal, self._answer, values, logits)

    def _answer(self, values, logits) -> None:
        self._going_on()
        if not self.waiting:
            raise RuntimeError(f"{self.model.name}: no leaf waits for an answer")
        workspace = self._workspace
        workspace.evaluation.answer(values, logits)
        # Noise was drawn from it.
        self._steps.rng[:] = workspace.memory.arrays["rng"]

    def result(self) -> SearchResult:
        """Return what the decision in steps has found so far.

        It may be asked for at any time, and changes nothing; ties of the final move are
        broken as they would be if the search ended here.

        Raises:
            RuntimeError: No decision was begun, or there was no simulation yet.
        """
        return self._one_thread.call(self._refusal, self._result_so_far)

    def _result_so_far(self) -> SearchResult:
        steps = self._going_on()
        if steps.only is not None:
            return replace(steps.only, seconds=clock.now() - steps.started)
        workspace = self._workspace
        outcomes = workspace.memory.arrays["edges"]["outcome"]
        # A kept root may be proven before it is visited.
        proven = outcomes[workspace.root_tree(steps.player)] != UNPROVEN
        if not (workspace.record["simulations"][0] or steps.reused or proven):
            raise RuntimeError(f"{self.model.name}: there was no simulation yet")
        actions = self.model.legal_actions(steps.state, steps.player)
        root = self._root(steps.player, actions, steps.reused)
        rng = workspace.memory.arrays["rng"].copy()
        return result_of([root], self.settings, rng, steps.started)
