"""What a search works on: its record, its arrays, its plug-ins, and the slices it runs.

Everything here is thrown away and made anew after a decision that was interrupted.

The budgets `simulations` and `forward_model_calls` end the loop of slices here
(`_run_slices`), or of batches (`leaf_batches.py`). `kernel/iterations.py` counts what
was used, and `merging.py` shares both out among threads and determinizations.
"""

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

import numpy as np

from mcts_agents.model import ForwardModel, clock
from mcts_agents.model.calls import ACTION_VALUES
from mcts_agents.model.failures import wrong_number
from mcts_agents.search.driver.callbacks import Callbacks
from mcts_agents.search.driver.compiled import compiled
from mcts_agents.search.driver.failures import failure
from mcts_agents.search.driver.kept_trees import keep, keep_pools, roots_of
from mcts_agents.search.driver.leaf_batches import Evaluation
from mcts_agents.search.driver.memory import Block, Memory, zeros_apart
from mcts_agents.search.inspection.tree_reader import TreeReader
from mcts_agents.search.kernel import descent, plug_ins, rollout
from mcts_agents.search.kernel.backup_operators import BACKUPS
from mcts_agents.search.kernel.leaf_values import LEAF_VALUES
from mcts_agents.search.kernel.root_policies import root_policy_of
from mcts_agents.search.kernel.search_record import (
    SEARCH,
    blank_record,
    kernel_of,
    write_numbers,
)
from mcts_agents.search.kernel.status import (
    BUDGET_SPENT,
    EVALUATE,
    GROW,
    NO_LIMIT,
    SLICE_DONE,
)
from mcts_agents.search.kernel.tree_policies import tree_policy_of
from mcts_agents.search.options.settings import SearchSettings

# A slice is made about this long, so that clocks and Ctrl-C are heard; where it calls
# Python, each call hears them.
SLICE_SECONDS = 0.001
SLICE_SECONDS_WITH_PYTHON = 0.01
# Iterations of the first slice. Nobody knows yet how long one takes, so where time is
# short it is a single one.
FIRST_SLICE = 16
FIRST_TIMED_SLICE = 1
# Counts of visits have 32 bits.
MOST_VISITS = 2**31 - 2


class Workspace:
    """The memory of one search, set up for a game and complete settings.

    Args:
        model: The game.
        settings: Complete settings.
        nodes: Nodes that there is room for at first, or None; see `Search`.
        edges: Edges likewise.
        block: Where everything lies that grows only if room is lacking; None: anywhere.

    Attributes:
        record: The SEARCH record, (1,).
        memory: The arrays.
        evaluation: The batches of an evaluator, or None.
        blank: What the record says at the beginning of every decision, (1,).
        calls_python: Whether slices run functions in Python.
    """

    def __init__(
        self,
        model: ForwardModel,
        settings: SearchSettings,
        nodes: int | None,
        edges: int | None,
        block: Block | None = None,
    ):
        zeros = zeros_apart if block is None else block.zeros
        self.model = model
        self.settings = settings
        self.compiled = compiled()
        self._cancelled = False
        self.memory = Memory(model, settings, self.compiled, nodes, edges, block)
        # Errors in callbacks are noted where the compiled code looks. Copied
        # environments note them with their model; searches of compiled rules share the
        # model with others, in other threads too, and have a place of their own.
        own = zeros(1, np.dtype(np.int64))
        self._error = model.error if model.copies_environments else own
        self._callbacks = Callbacks(model, self._error)
        self.evaluation: Evaluation | None = None
        if settings.evaluator is not None:
            batch = self.memory.arrays["batch"]
            self.evaluation = Evaluation(model, settings, self.compiled, batch, zeros)
        self._tree_policy = tree_policy_of(settings.tree_policy)
        self.record = zeros(1, SEARCH)
        self._record_bytes = self.record.view(np.uint8)
        self._simulations = self.record["simulations"]
        self._root_state = self.record["root_state"]
        self._record_address = self.record.ctypes.data
        self._rng = self.memory.arrays["rng"]
        self._legal = self.memory.arrays["legal"]
        self._legal_address = self._legal.ctypes.data
        self._write_plug_ins()
        # Nobody looks at the clock, or changes anything, while such a slice runs.
        self.calls_python = self._callbacks.used or model.copies_environments
        self._compiled_alone = not self.calls_python and self.evaluation is None
        self._state = zeros(model.state_size, np.dtype(np.uint8))
        self._trial_state = zeros(model.state_size, np.dtype(np.uint8))
        self.blank = blank_record(model, settings)
        self.blank["state"] = self._state.ctypes.data
        self.blank["trial_state"] = self._trial_state.ctypes.data
        self.blank["node_bytes"] = self.memory.node_bytes
        self.blank["edge_bytes"] = self.memory.edge_bytes
        self.blank["error"] = self._error.ctypes.data
        self._blanks: dict[int, np.ndarray] = {}
        self.tell_addresses()
        self._write_views()
        # Loaded now, and not in the first decision, which may have little time.
        self._run_slice = self.compiled.entry(f"{kernel_of(settings)}_run_slice")
        self._begin_decision = self.compiled.entry("begin_decision")
        self._choose_action = self.compiled.entry("choose_action")
        if settings.reuse_tree:
            self.compiled.entry("keep_subtrees")
        if settings.abstraction != "none":
            self.compiled.entry("enter_pools")  # and all of its module

    def tell_addresses(self) -> None:
        """Write where the arrays are into what decisions begin with."""
        self.memory.tell_addresses(self.blank)
        self._blanks.clear()

    def share_memory(self, searches: int) -> None:
        """Leave this search its part of the limit of memory, one of so many."""
        self.blank["memory_limit"] //= searches
        self._blanks.clear()

    @contextmanager
    def sharing_memory(self, searches: int) -> Iterator[None]:
        """Leave this search its part of the limit of memory for the time being."""
        whole = self.blank["memory_limit"].copy()
        self.share_memory(searches)
        try:
            yield
        finally:
            self.blank["memory_limit"] = whole
            self._blanks.clear()

    def beginning_of(self, player: int) -> np.ndarray:
        """Return what the record says when a player's decision begins, as bytes."""
        if player not in self._blanks:
            owns = descent.owners(self.model, self.settings, player)
            everybody = (1 << self.model.players) - 1
            blank = self.blank.copy()
            record = blank[0]
            record["root_player"] = player
            record["owns"][: len(owns)] = owns
            record["owned"] = owns[0] if len(owns) == 1 else everybody
            record["simulation_limit"] = NO_LIMIT
            if self.settings.abstraction != "none":
                own = self.settings.abstraction == "own"
                record["abstracted"] = 1 << player if own else everybody
            record["graph_observer"] = player if record["information_set"] else -1
            self._blanks[player] = blank.view(np.uint8)
        return self._blanks[player]

    def _write_views(self) -> None:
        """Write what the records that plug-ins see say at the beginning."""
        arrays, model = self.memory.arrays, self.model
        write_numbers(self.settings, arrays["settings"])
        decision = arrays["decision"]
        decision["low"], decision["high"] = 0.0, 1.0
        decision["worst"] = 0.0
        decision["abstract_visits"] = decision["edge_pools"] = 0
        decision["square_root_logs"] = self.compiled.square_root_logs.ctypes.data
        leaf = arrays["leaf"]
        leaf["game"] = model.game_address
        leaf["state"] = self._state.ctypes.data
        leaf["players"] = model.players
        leaf["team_count"] = model.team_count

    def _write_plug_ins(self) -> None:
        """Write the addresses of all that has behaviour into the tables."""
        settings, plug_in = self.settings, self.compiled.plug_in
        rows = self.memory.arrays["plug_ins"].reshape(-1, 2)
        policy = self._tree_policy
        rows[plug_ins.TREE_POLICY, 1] = plug_in(policy.name, policy.chooser(settings))
        if policy.update is not None:
            rows[plug_ins.UPDATE, 1] = plug_in(f"{policy.name}_update", policy.update)
        at_root = root_policy_of(settings.root_policy)
        if at_root.choose is not None:
            rows[plug_ins.ROOT_POLICY, 1] = plug_in(at_root.name, at_root.choose)
        if isinstance(settings.value, str):
            function = LEAF_VALUES[settings.value]
            rows[plug_ins.LEAF_VALUE, 1] = plug_in(settings.value, function)
        else:
            rows[plug_ins.LEAF_VALUE, 0] = self._callbacks.leaf_value(settings.value)
        if settings.backup in BACKUPS:
            function = BACKUPS[settings.backup]
            rows[plug_ins.BACKUP, 1] = plug_in(settings.backup, function)
        for seat, kind in enumerate(rollout.policies(settings)):
            if kind == rollout.FUNCTION:
                given = (settings.rollout_policy, settings.opponent_model)[seat]
                self._write_policy(seat, given)
        if not isinstance(settings.action_heuristic, str):
            table = self.memory.arrays["table"].reshape(-1, 2)
            address = self._callbacks.action_values(settings.action_heuristic)
            table[ACTION_VALUES] = (address, 0)

    def _write_policy(self, seat: int, policy: Any) -> None:
        row = self.memory.arrays["policies"].reshape(-1, 2)[seat]
        if isinstance(policy, str):
            row[1] = self.model.policy_address(policy)
            begins = self.memory.arrays["policy_begins"].reshape(-1, 2)
            begins[seat, 1] = self.model.policy_begin_address(policy)
        else:
            row[0] = self._callbacks.policy(policy)

    # -- beginning a decision

    def actions(self, at: int, player: int) -> tuple[np.ndarray | None, int | None]:
        """Return a player's legal actions, and the one to choose if there is only one.

        Args:
            at: The address of the root.
            player: The acting player.

        Returns:
            The actions, int32, or None: the player has none. And the only one that the
            settings' filter keeps, if it is only one.

        Raises:
            RuntimeError: There are more than `legal_limit`, or the game's filter keeps
                none, or more than there are.
        """
        call, legal = self.model.call, self._legal_address
        if not call("movers", at) >> player & 1:
            return None, None
        count = call("legal_actions", at, player, legal)
        if count <= 0:
            return None, None
        if count > self.model.legal_limit:
            raise wrong_number(self.model, player, count)
        actions = self._legal[:count].copy()
        if self.settings.action_filter == "game":
            kept = call("filter_actions", at, player, legal, count)
            self.model.check_kept(kept, count)
            count = kept
        return actions, int(self._legal[0]) if count == 1 else None

    def begin(
        self,
        at: int,
        player: int,
        rng: np.ndarray,
        played: Sequence[Sequence[int | None]] | None = None,
    ) -> None:
        """Set up the record and the trees, empty or kept from the last decision.

        Args:
            at: The address of the root, which must stay as it is while slices run.
            player: The acting player.
            rng: The search's generator, which is copied.
            played: The joint actions since the last decision, which was the same
                player's; None: nothing of it can be kept.
        """
        roots = None
        keeps_pools = played is not None and self.settings.keep_abstraction
        if played is not None and self.settings.reuse_tree:
            mask = self.model.call("movers", at)
            movers = tuple(p for p in range(self.model.players) if mask >> p & 1)
            owns = descent.owners(self.model, self.settings, player)
            roots = roots_of(self.reader(), player, played, movers, owns)
        keeps = roots is not None or keeps_pools
        last = self.record.copy() if keeps else None
        if roots is None and self.record["joint_count"][0] > 0:
            self.memory.arrays["joints"].view(np.uint8).fill(0)
        if not keeps_pools:
            self.memory.clear_pools(int(self.record["pool_count"][0]))
        # As bytes: NumPy copies a record of two hundred fields one by one.
        self._record_bytes[:] = self.beginning_of(player)
        self._root_state[0] = at
        self._rng[:] = rng
        self._begin_decision(self._record_address, roots is None)
        self._callbacks.seed(self._rng)
        if roots is not None:
            keep(self.memory, self.compiled, self.record, last, roots)
        if keeps_pools:
            keep_pools(self.memory, self.compiled, self.record, last, played)
        if keeps:
            self.tell_addresses()
        if self.evaluation:
            self.evaluation.begin(self.record)

    def decay_averages(self, decay: float) -> None:
        """Take weight from the move averages of earlier decisions, if there are any."""
        averages = self.memory.arrays["averages"]
        averages["visits"] *= decay
        averages["total"] *= decay

    # -- searching

    def run(self, budget: SearchSettings, deadline: float) -> None:
        """Search on until a budget is spent, and raise what callbacks have raised.

        Args:
            budget: Its `simulations` and `forward_model_calls` are meant.
            deadline: The time by `clock.now` at which to end; inf for none.

        Raises:
            CancelledError: `cancel` was called.
            RuntimeError: What the game does cannot be searched, see `failures`.
            BaseException: What functions in Python have raised.
        """
        if self._compiled_alone:
            self._run_slices(budget, deadline)
            self.check_cancelled()  # a slice that was stopped says its budget was spent
            return
        watch = clock.Watch(deadline, self.record["stop"])
        with self._callbacks.signals():
            clock.watched(watch, self._run_slices, budget, watch.deadline)
        self._raise_pending()
        self.check_cancelled()

    def cancel(self) -> None:
        """End a run that is going on in another thread, at its next action."""
        self._cancelled = True
        self.record["stop"] = 1

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled, so that it cannot run any more."""
        return self._cancelled

    def check_cancelled(self) -> None:
        """Raise CancelledError if it was cancelled."""
        if self._cancelled:
            raise CancelledError

    def _run_slices(self, budget: SearchSettings, deadline: float) -> None:
        """Run slices of a few milliseconds until a budget is spent."""
        left = min(budget.simulations or NO_LIMIT, self._visits_left())
        calls_limit = budget.forward_model_calls or NO_LIMIT
        if self.evaluation:
            self._run_batches(left, calls_limit, deadline)
            return
        long = SLICE_SECONDS_WITH_PYTHON if self.calls_python else SLICE_SECONDS
        timed = deadline < math.inf
        iterations = FIRST_TIMED_SLICE if timed else FIRST_SLICE
        slice_started = clock.now()
        while left > 0:
            self.check_cancelled()
            iterations = min(iterations, left)
            before = int(self._simulations[0])
            status = self._run_slice(self._record_address, iterations, calls_limit)
            done = int(self._simulations[0]) - before
            left -= done
            if status == BUDGET_SPENT:
                return
            if status == GROW:
                started = before + done > 0
                if timed and started and clock.now() + self._growing() >= deadline:
                    return
                self._grow()
            elif status != SLICE_DONE:
                self._fail(status)
            now = clock.now()
            each = (now - slice_started) / max(done, 1)
            slice_started = now
            # At most fourfold at a time: the first iterations are not typical.
            wanted = long / each if each > 0.0 else math.inf
            iterations = int(max(1, min(4 * iterations, wanted)))
            if timed and before + done > 0:
                if now + each >= deadline:
                    return
                if each > 0.0:
                    iterations = int(max(1, min(iterations, (deadline - now) / each)))

    def _run_batches(self, left: int, calls_limit: int, deadline: float) -> None:
        """Run batches of leaves through the evaluator until a budget is spent."""
        budgets = left, calls_limit, deadline
        asked = self.check_cancelled, self._grow, self._growing
        status = self.evaluation.run(self.record, *asked, *budgets)
        if status not in (SLICE_DONE, BUDGET_SPENT, EVALUATE):
            self._fail(status)

    def _visits_left(self) -> int:
        """Return how many simulations the counts of visits have room for."""
        visits = int(self._simulations[0])
        if self.settings.reuse_tree:
            player = int(self.record["root_player"][0])
            visits = max(visits, self.root_visits(player))
        return max(0, MOST_VISITS - visits)

    def _growing(self) -> float:
        """Return about how many seconds it takes to move to larger arrays."""
        return self.memory.seconds_to_grow(self.record)

    def _grow(self) -> None:
        self.memory.grow(self.record)
        self.tell_addresses()

    def _raise_pending(self) -> None:
        """Raise what a callback has caught, if any has."""
        self._callbacks.raise_pending()
        self.model.raise_pending()

    def _fail(self, status: int) -> None:
        self._raise_pending()
        raise failure(status, self.model, self.settings)

    def play_at_random(
        self, entry: str, state: np.ndarray, count: int, rng: np.ndarray
    ) -> int:
        """Play uniformly at random, whatever the settings say; return what it counts.

        Args:
            entry: `run_playouts` or `run_random_games`.
            state: Where each begins.
            count: How many.
            rng: Advanced.
        """
        self.begin(state.ctypes.data, 0, rng)
        self.record["policy"] = rollout.RANDOM
        self.record["traces_rollouts"] = 0
        answer = self.compiled.entry(entry)(self._record_address, count)
        rng[:] = self.memory.arrays["rng"]
        return answer

    # -- reading

    def root_tree(self, player: int) -> int:
        """Return the number of the player's own tree, or of the one it shares."""
        return player if self.settings.tree in ("multi", "observers") else 0

    def choose(self, player: int, actions: np.ndarray, rng: np.ndarray) -> int:
        """Return the best of the player's actions by `final`, `visits` or `value`.

        Args:
            player: The acting player.
            actions: The legal actions, int32.
            rng: Breaks ties; advanced.
        """
        link, by_value = self.root_tree(player), self.settings.final == "value"
        return self._choose_action(
            self._record_address, link, player, actions, by_value, rng
        )

    def root_visits(self, player: int) -> int:
        """Return the visits of the player's decision at the root."""
        for bandits in self.reader().bandits_below(self.root_tree(player)):
            if player in bandits:
                return int(self.memory.arrays["nodes"][bandits[player]]["visits"])
        return 0

    def reader(self) -> TreeReader:
        """Return what reads the trees as they are."""
        return TreeReader(
            self.memory.arrays,
            self.record,
            self.compiled.entry("link_of_joint"),
            self._tree_policy.draws,
        )
