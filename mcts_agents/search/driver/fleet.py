"""`Fleet`: many searches of one game side by side, one call of a network for all."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mcts_agents.model import ForwardModel, clock
from mcts_agents.model.addresses import compiled_address
from mcts_agents.search.driver.compiled import compiled
from mcts_agents.search.driver.failures import failure
from mcts_agents.search.driver.leaf_batches import (
    AnsweredLater,
    bad_answer,
    is_of_shares,
    observing,
    rows_of_leaf,
    rows_of_numbers,
)
from mcts_agents.search.driver.memory import Block, zeros_apart
from mcts_agents.search.driver.one_thread import OneThread
from mcts_agents.search.driver.reading import forced_result, read_root, result_of
from mcts_agents.search.driver.workspace import Workspace
from mcts_agents.search.inspection.result import SearchResult
from mcts_agents.search.kernel.fleets import (
    ASKING,
    FINISHED,
    FLEET,
    IDLE,
    MEMBER,
    RUN_SLICE,
)
from mcts_agents.search.kernel.status import BUDGET_SPENT, GROW, NO_LIMIT, SLICE_DONE
from mcts_agents.search.options.settings import SearchSettings

# Descents in one call of compiled code, after which Ctrl-C is heard: some milliseconds.
DESCENTS = 1 << 14
# Edges that a node has room for at first, where it may have more.
FIRST_EDGES = 128


@dataclass
class Decision:
    """What one search decides; `forced` is its result if there is no choice."""

    root: np.ndarray
    player: int
    actions: np.ndarray
    forced: SearchResult | None


class Fleet:
    """Searches of one game with the same settings, each with its own tree.

    Each makes the simulations that `Search.run` makes with an evaluator that gives the
    same answers, and finds the same.

    Args:
        model: The game, of compiled rules.
        settings: What each search does; its `evaluator` is an `AnsweredLater`.
        size: How many searches.
        nodes: Nodes that each has room for at first; None: for its simulations. Room
            grows where it is lacking.
        edges: Edges (actions of nodes) likewise.

    Attributes:
        model: The game.
        settings: Complete settings.
        size: How many searches.
        record: The FLEET record, (1,).
        address: Of that record.
        members: The MEMBER records, (size,).
        blanks: Addresses of what a SEARCH record says when a decision begins, intp,
            shape (size, players).

    Raises:
        ValueError: Settings that the game or a fleet cannot serve.
    """

    def __init__(
        self,
        model: ForwardModel,
        settings: SearchSettings,
        size: int,
        *,
        nodes: int | None = None,
        edges: int | None = None,
    ):
        for name, value in (("size", size), ("nodes", nodes), ("edges", edges)):
            if value is not None and value < 1:
                raise ValueError(f"{name}={value}: expected at least 1")
        self.model = model
        self.settings = settings.for_model(model)
        self.size = size
        self._check()
        self._one_thread = OneThread()
        made = self.settings.simulations or 1000
        nodes = nodes or model.players * (made + 2)
        edges = edges or nodes * min(model.legal_limit, FIRST_EDGES)
        block = Block()
        self._workspaces = [
            Workspace(model, self.settings, nodes, edges, block) for _ in range(size)
        ]
        if any(workspace.calls_python for workspace in self._workspaces[:1]):
            raise ValueError(
                f"{model.name}: a fleet runs compiled code alone; its settings ask "
                "functions in Python"
            )
        self._make_records()
        # The search whose arrays move; if that is interrupted, it begins with this.
        self._moving: int | None = None
        self._decisions: list[Decision | None] = [None] * size

    def _check(self) -> None:
        """Refuse settings with which searches cannot run side by side."""
        settings, model = self.settings, self.model
        if model.copies_environments:
            raise ValueError(
                f"{model.name}: a fleet takes compiled rules, not a copied environment"
            )
        if not isinstance(settings.evaluator, AnsweredLater):
            raise ValueError(
                f"evaluator={settings.evaluator!r}: a fleet takes AnsweredLater()"
            )
        for name, value in (
            ("threads", 1),
            ("determinizations", 1),
            ("seconds", None),
            ("reuse_tree", False),
        ):
            if getattr(settings, name) != value:
                raise ValueError(
                    f"{name}={getattr(settings, name)!r}: a fleet takes {name}={value}"
                )

    def _make_records(self) -> None:
        """Make what compiled code reads and writes."""
        model, settings = self.model, self.settings
        self._compiled = compiled()
        run_slice = self._compiled.entry("waiting_run_slice")
        self._run_slice = np.array([0, compiled_address(run_slice, RUN_SLICE)], np.intp)
        self._begin = self._compiled.entry("begin_search")
        self._advance = self._compiled.entry("advance_fleet")
        self._answer = self._compiled.entry("answer_fleet")
        rows = self.size * settings.batch * rows_of_leaf(model, settings)
        self._observe = observing(model, settings.evaluator)
        seen = () if self._observe else model.observation_shape
        self._rows = {
            "observations": np.zeros((0,) if self._observe else (rows, *seen), np.int8),
            "states": np.zeros(
                (rows if self._observe else 0, model.state_size), np.uint8
            ),
            "players": np.zeros(rows, np.int64),
            "legal": np.zeros((rows, model.actions), np.bool_),
        }
        self.record = record = zeros_apart(1, FLEET)
        self.address = record.ctypes.data
        for name, array in self._rows.items():
            record[name] = array.ctypes.data if array.size else 0
        record["run_slice"] = self._run_slice.ctypes.data
        record["observation_size"] = model.observation_size
        record["state_size"] = model.state_size
        record["actions"] = model.actions
        record["player_count"] = model.players
        record["simulations"] = settings.simulations or NO_LIMIT
        record["call_limit"] = settings.forward_model_calls or NO_LIMIT
        record["root_noise"] = settings.root_noise
        record["root_noise_alpha"] = settings.root_noise_alpha
        self._shown = {name: array.view() for name, array in self._rows.items()}
        for view in self._shown.values():
            view.flags.writeable = False
        self.members = zeros_apart(self.size, MEMBER)
        self.blanks = np.zeros((self.size, model.players), np.intp)
        for index, workspace in enumerate(self._workspaces):
            self.members["search"][index] = workspace.record.ctypes.data
            self._tell_blanks(index)

    def _tell_blanks(self, index: int) -> None:
        workspace = self._workspaces[index]
        for player in range(self.model.players):
            self.blanks[index, player] = workspace.beginning_of(player).ctypes.data

    # -- decisions

    def begin(
        self, index: int, state: np.ndarray, player: int, rng: np.ndarray
    ) -> None:
        """Begin a decision of one search, whatever it was doing.

        Args:
            index: Which search, from 0.
            state: The root, not modified; must hold only what `player` may know.
            player: The acting player, one of the movers.
            rng: The search's generator; it goes on with a copy.

        Raises:
            ValueError: No such search, or `player` has no decision to make.
            RuntimeError: Leaves of this search wait for an answer; or the game
                contradicts itself.
        """
        self._one_thread.call(self._refusal, self._begin_one, index, state, player, rng)

    def _begin_one(self, index, state, player, rng) -> None:
        if not 0 <= index < self.size:
            raise ValueError(f"index={index}: expected 0 to {self.size - 1}")
        if self.members["status"][index] == ASKING:
            raise RuntimeError(f"search {index}: its leaves wait for an answer")
        root = self.model.copy(state)
        workspace = self._workspaces[index]
        actions, only = workspace.actions(root.ctypes.data, player)
        if actions is None:
            raise ValueError(
                f"{self.model.name}: player {player} has no decision to make here; "
                f"the movers are {self.model.movers(state)}"
            )
        forced = None
        if only is not None:
            forced = forced_result(self.settings, player, actions, only)
        self._decisions[index] = Decision(root, player, actions, forced)
        self.members["status"][index] = IDLE
        if forced is None:
            member = self.members[index : index + 1].ctypes.data
            blank = self.blanks[index, player]
            at = root.ctypes.data
            self._begin(self.address, member, blank, at, rng)

    def advance(self) -> int:
        """Search on until every search waits for answers or has spent its budget.

        Returns:
            The number of rows that wait; 0: no search goes on.

        Raises:
            RuntimeError: A search must be given up, for what its game does.
            BaseException: Whatever the game's own functions raise.
        """
        return self._one_thread.call(self._refusal, self._advance_all)

    def _advance_all(self) -> int:
        self._finish_move()
        while True:
            status = self._advance(self.address, self.members, DESCENTS)
            if status == BUDGET_SPENT:
                return int(self.record["rows"][0])
            if status == GROW:
                self._grow(int(self.record["next"][0]))
            elif status != SLICE_DONE:
                self.model.raise_pending()
                self.members["status"][self.record["next"][0]] = IDLE
                raise failure(status, self.model, self.settings)

    def _grow(self, index: int) -> None:
        """Make room in one search, so that an interrupt at any place does no harm.

        Compiled code reads new addresses and old ones; the old arrays are there until
        all new ones have been told, now or at the next call.
        """
        workspace = self._workspaces[index]
        self._held = dict(workspace.memory.arrays)
        self._moving = index
        workspace.memory.grow(workspace.record)
        self._finish_move()

    def _finish_move(self) -> None:
        if self._moving is not None:
            workspace = self._workspaces[self._moving]
            workspace.memory.tell_addresses(workspace.record)
            workspace.tell_addresses()
            self._tell_blanks(self._moving)
            self._moving = None
            self._held = {}

    def leaves(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what the evaluator is asked: observations, players and legal actions.

        A row for each player who decides at a leaf, search by search.

        Returns:
            Observations, int8, shape (rows, *observation_shape), or what the
            evaluator's `observe` returns; players, int64, shape (rows,); legal actions,
            bool, shape (rows, actions). Read-only, and valid until they are answered.
        """
        rows = int(self.record["rows"][0])
        players = self._shown["players"][:rows]
        if self._observe is None:
            seen = self._shown["observations"][:rows]
        else:
            seen = self._observe(self.model, self._shown["states"][:rows], players)
        return seen, players, self._shown["legal"][:rows]

    def answer(self, values: Any, logits: Any) -> None:
        """Answer all rows that wait.

        Args:
            values: Shape (rows, players), on the scale that `value` says.
            logits: Shape (rows, actions).

        Raises:
            ValueError: Another shape, or numbers that are no values or logits; nothing
                has changed then.
            RuntimeError: `advance` was interrupted; call it again first.
        """
        self._one_thread.call(self._refusal, self._answer_all, values, logits)

    def _answer_all(self, values: Any, logits: Any) -> None:
        if self.record["next"][0]:
            raise RuntimeError(
                f"{self.model.name}: `advance` has not come to its end; call it again"
            )
        rows = int(self.record["rows"][0])
        asked = self.settings.evaluator
        values = rows_of_numbers(asked, "values", values, (rows, self.model.players))
        logits = rows_of_numbers(asked, "logits", logits, (rows, self.model.actions))
        given = values.ravel(), logits.ravel()
        status = self._answer(self.address, self.members, *given)
        if status != SLICE_DONE:
            shares = is_of_shares(self.settings)
            raise bad_answer(asked, status, values, shares)

    def result(self, index: int) -> SearchResult:
        """Return what one search has found so far; it changes nothing.

        Raises:
            ValueError: No such search.
            RuntimeError: No decision was begun, or there was no simulation yet.
        """
        if not 0 <= index < self.size:
            raise ValueError(f"index={index}: expected 0 to {self.size - 1}")
        decision = self._decisions[index]
        workspace = self._workspaces[index]
        if decision is None:
            raise RuntimeError(f"search {index}: no decision was begun, see `begin`")
        if decision.forced is not None:
            return decision.forced
        if not workspace.record["simulations"][0]:
            raise RuntimeError(f"search {index}: there was no simulation yet")
        root = read_root(
            workspace, decision.player, decision.actions, 0, workspace.reader
        )
        rng = workspace.memory.arrays["rng"].copy()
        return result_of([root], self.settings, rng, clock.now())

    def finished(self, index: int) -> bool:
        """Whether one search has spent its budget, or has nothing to choose."""
        decision = self._decisions[index]
        forced = decision is not None and decision.forced is not None
        return forced or self.members["status"][index] == FINISHED

    def _refusal(self) -> str:
        return (
            f"{self.model.name}: this fleet is running already, in another thread or "
            "around a function of the game; use another Fleet"
        )
