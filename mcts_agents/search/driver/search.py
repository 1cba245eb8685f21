"""`Search`: the compiled kernel, its memory, and the loop of slices around it."""

import math
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from mcts_agents.model import ForwardModel, History, clock
from mcts_agents.model.calls import ACTION_VALUES
from mcts_agents.search.driver.callbacks import Callbacks
from mcts_agents.search.driver.compiled import compiled
from mcts_agents.search.driver.leaf_batches import Evaluation
from mcts_agents.search.driver.memory import Memory, zeros_apart
from mcts_agents.search.driver.merging import search_forest, search_threads
from mcts_agents.search.driver.one_thread import OneThread
from mcts_agents.search.inspection.played_moves import follow
from mcts_agents.search.inspection.result import SearchResult
from mcts_agents.search.inspection.root import RootStatistics
from mcts_agents.search.inspection.tree_node import TreeNode
from mcts_agents.search.inspection.tree_reader import TreeReader
from mcts_agents.search.kernel import descent, plug_ins, rollout
from mcts_agents.search.kernel.backup_operators import BACKUPS
from mcts_agents.search.kernel.leaf_values import LEAF_VALUES
from mcts_agents.search.kernel.records import NONE, UNPROVEN
from mcts_agents.search.kernel.search_record import (
    SEARCH,
    blank_record,
    kernel_of,
    write_numbers,
)
from mcts_agents.search.kernel.status import (
    BAD_CHOICE,
    BUDGET_SPENT,
    EVALUATE,
    GROW,
    NO_LIMIT,
    NOT_FINITE,
    NOTHING_KEPT,
    ROLLOUT_TOO_LONG,
    SLICE_DONE,
)
from mcts_agents.search.kernel.tree_policies import tree_policy_of
from mcts_agents.search.options.settings import SearchSettings

# A slice is made about this long, so that clocks and Ctrl-C are heard.
SLICE_SECONDS = 0.001
# Iterations of the first slice. Nobody knows yet how long one takes, so where time is
# short it is a single one.
FIRST_SLICE = 16
FIRST_TIMED_SLICE = 1


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
        self.model = model
        self._first_room = nodes, edges
        self.settings = settings.for_model(model)
        self._given = settings
        self._compiled = compiled()
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
        self._cancelled = False
        model = self.model
        room = self._first_room
        self._memory = Memory(model, self.settings, self._compiled, *room)
        # Errors in callbacks are noted where the compiled code looks. Copied
        # environments note them with their model; searches of compiled rules share the
        # model with others, in other threads too, and have a place of their own.
        own = zeros_apart(1, np.dtype(np.int64))
        self._error = model.error if model.copies_environments else own
        self._callbacks = Callbacks(model, self._error)
        self._evaluation = None
        if self.settings.evaluator is not None:
            batch = self._memory.arrays["batch"]
            self._evaluation = Evaluation(model, self.settings, self._compiled, batch)
        self._tree_policy = tree_policy_of(self.settings.tree_policy)
        self._search = zeros_apart(1, SEARCH)
        self._write_plug_ins()
        self._state = zeros_apart(model.state_size, np.dtype(np.uint8))
        self._trial_state = zeros_apart(model.state_size, np.dtype(np.uint8))
        # What the record says at the beginning of every decision.
        self._blank = blank_record(model, self.settings)
        self._blank["state"] = self._state.ctypes.data
        self._blank["trial_state"] = self._trial_state.ctypes.data
        self._blank["node_bytes"] = self._memory.node_bytes
        self._blank["edge_bytes"] = self._memory.edge_bytes
        self._blank["error"] = self._error.ctypes.data
        self._memory.tell_addresses(self._blank)
        self._write_views()
        # Loaded now, and not in the first decision, which may have little time.
        kernel = kernel_of(self.settings)
        self._run_slice = self._compiled.entry(f"{kernel}_run_slice")
        if self.settings.reuse_tree:
            self._compiled.entry("keep_subtrees")
        if self.settings.abstraction != "none":
            self._compiled.entry("rehash_pools")
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
        started = clock.now() if started is None else started
        actions = self._actions(state, player)
        if self._evaluation and self._evaluation.later:
            raise ValueError(
                f"evaluator={self.settings.evaluator!r} has no answers itself: search "
                "in steps, with `Search.begin`, `advance`, `leaves` and `answer`"
            )
        settings = self.settings
        if simulations is not None:
            settings = replace(settings, simulations=simulations)
        only = self._only_move(state, player, actions)
        if only is not None:
            return replace(only, seconds=clock.now() - started)
        deadline = clock.deadline()
        if settings.seconds is not None:
            own = started + settings.seconds - settings.safety_margin - reserve
            deadline = min(own, deadline)
        self._begin_changes()
        if settings.threads > 1:
            if not self._threads:
                alone = replace(self._given, threads=1)
                self._threads = [
                    Search(self.model, alone) for _ in range(settings.threads)
                ]
                for thread in self._threads:
                    thread._blank["memory_limit"] //= settings.threads
                    if self._evaluation:
                        thread._evaluation.lock = self._evaluation.lock
            parts = search_threads(
                self._threads, state, player, rng, settings, deadline
            )
        elif settings.determinizations > 1:
            parts = search_forest(self, state, player, rng, settings, deadline)
        else:
            part = self.search_once(
                state, player, rng, settings, deadline, history, actions=actions
            )
            parts = [part]
        found = self._result(parts, player, rng, started)
        self._whole = True
        return found

    def _actions(self, state, player) -> np.ndarray:
        """Return the acting player's legal actions."""
        movers = self.model.call("movers", state.ctypes.data)
        actions = None
        if movers >> player & 1:
            actions = self.model.legal_actions(state, player)
        if actions is None or len(actions) == 0:
            raise ValueError(
                f"{self.model.name}: player {player} has no decision to make here; "
                f"the movers are {self.model.movers(state)}"
            )
        return actions

    def _only_move(self, state, player, actions) -> SearchResult | None:
        """Return the result where there is one action to choose, else None."""
        kept = actions
        if self.settings.action_filter == "game":
            kept = self.model.filter_actions(state, player)
        if len(kept) > 1:
            return None
        only = int(kept[0])
        return SearchResult(
            action=only,
            actions=actions,
            visits=np.zeros(len(actions), np.int64),
            values=np.full(len(actions), np.nan),
            strategy=(actions == only) * 1.0 if self._sampling else None,
            _read_variation=lambda: [(player, only)],
        )

    def _begin_changes(self) -> None:
        """Get ready for changes; if they are interrupted, all is thrown away later.

        An exception, Ctrl-C among them, may come at any place between here and the end:
        while arrays grow, say. No place has to put anything right, because whoever
        finds that the last run has not come to its end begins with everything new.
        """
        if not self._whole:
            self._set_up()
        self._whole = False

    def cancel(self) -> None:
        """End a run that is going on in another thread, at its next action."""
        self._cancelled = True
        self._search["stop"] = 1

    def search_once(
        self,
        state,
        player,
        rng,
        settings,
        deadline,
        history=None,
        *,
        part=0,
        actions=None,
    ) -> RootStatistics:
        """Search one tree, or one a player, from one root; see `run`.

        Args:
            state: As in `run`.
            player: As in `run`.
            rng: As in `run`.
            settings: Whose simulations and forward-model calls are the budget.
            deadline: The time by `clock.now` at which to end; inf for none.
            history: As in `run`.
            part: Counts the determinizations of one decision.
            actions: The player's legal actions, if they are known already.
        """
        if self._cancelled:
            raise CancelledError
        self._runs += 1
        if part == 0:
            self._decay_averages(player)
        self._begin(state, player, rng, history)
        reused = self._root_visits(player) if self.settings.reuse_tree else 0
        watch = clock.Watch(deadline, self._search["stop"])
        with self._callbacks.signals():
            clock.watched(watch, self._run_slices, settings, deadline)
        self._raise_pending()
        rng[:] = self._memory.arrays["rng"]
        if actions is None:
            actions = self.model.legal_actions(state, player)
        return self._root(player, actions, reused)

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
        if self._threads and self._whole:
            return self._threads[-1].read_tree(player, depth)
        # A callback of this very search may read it as it is.
        if not self._runs or not (self._whole or self._one_thread.mine):
            raise RuntimeError(f"{self.model.name}: there is no finished decision")
        bandits = self._reader().node(self._root_tree(player), player)
        return TreeNode(self._reader, bandits).as_dict(depth)

    def playouts(self, state: np.ndarray, count: int, rng: np.ndarray) -> int:
        """Run `count` random playouts from `state` with no tree; return `count`.

        For measuring: it is what a simulation costs without the search.
        """
        return self._play_at_random("run_playouts", state, count, rng)

    def random_games(self, state: np.ndarray, count: int, rng: np.ndarray) -> int:
        """Step through `count` random games; return how many actions were applied."""
        return self._play_at_random("run_random_games", state, count, rng)

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
        actions = self._actions(state, player)
        only = self._only_move(state, player, actions)
        if self.waiting:  # the tree has leaves that nobody has answered
            self.forget()
        self._begin_changes()
        self._runs += 1
        self._steps = Steps(self._runs, state, player, rng, only, clock.now())
        if only is None:
            self._decay_averages(player)
            self._begin(state, player, rng, history)
            if self.settings.reuse_tree:
                self._steps.reused = self._root_visits(player)
        self._whole = True

    def advance(self, simulations: int) -> int:
        """Make up to so many simulations; return how many were made.

        Fewer are made where a budget of the settings is spent, or nothing is left to
        search. With an `AnsweredLater` for an evaluator it ends at leaves that wait,
        too: nothing goes on before `answer`.

        Raises:
            ValueError: `simulations` is below 1.
            RuntimeError: There is no decision to go on with, or leaves wait for an
                answer; or as in `run`.
        """
        if simulations < 1:
            raise ValueError(f"simulations={simulations}: expected at least 1")
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
        self._begin_changes()
        done = self._search["simulations"]
        before = int(done[0])
        left = simulations
        if self.settings.simulations is not None:
            left = min(left, self.settings.simulations - before)
        if left > 0:
            budget = replace(self.settings, simulations=left)
            watch = clock.Watch(clock.deadline(), self._search["stop"])
            with self._callbacks.signals():
                clock.watched(watch, self._run_slices, budget, watch.deadline)
            self._raise_pending()
        steps.rng[:] = self._memory.arrays["rng"]
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
        if self._evaluation is None or steps is None or steps.only is not None:
            return 0
        return self._evaluation.waiting

    def leaves(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what waits for an answer, for an evaluator of many searches.

        Returns:
            Observations, int8, shape (rows, *observation_shape); players, int64, shape
            (rows,); and legal actions, bool, shape (rows, actions). They are read-only
            and valid until they are answered: copy them into an array of your own.
        """
        self._going_on()
        return self._evaluation.shown()

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
        self._evaluation.answer(self._search, values, logits)
        self._steps.rng[:] = self._memory.arrays["rng"]  # which noise was drawn from

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
        if not self._search["simulations"][0]:
            raise RuntimeError(f"{self.model.name}: there was no simulation yet")
        actions = self.model.legal_actions(steps.state, steps.player)
        root = self._root(steps.player, actions, steps.reused)
        rng = self._memory.arrays["rng"].copy()
        return self._result([root], steps.player, rng, steps.started)

    # -- beginning

    @property
    def _sampling(self) -> bool:
        return self._tree_policy.draws

    def _write_views(self) -> None:
        """Write what the records that plug-ins see say at the beginning."""
        arrays, model = self._memory.arrays, self.model
        write_numbers(self.settings, arrays["settings"])
        decision = arrays["decision"]
        decision["low"], decision["high"] = 0.0, 1.0
        decision["worst"] = 0.0
        decision["abstract_visits"] = 0
        decision["square_root_logs"] = self._compiled.square_root_logs.ctypes.data
        leaf = arrays["leaf"]
        leaf["game"] = model.game_address
        leaf["state"] = self._state.ctypes.data
        leaf["players"] = model.players
        leaf["team_count"] = model.team_count

    def _write_plug_ins(self) -> None:
        """Write the addresses of all that has behaviour into the tables."""
        settings, plug_in = self.settings, self._compiled.plug_in
        rows = self._memory.arrays["plug_ins"].reshape(-1, 2)
        policy = self._tree_policy
        rows[plug_ins.TREE_POLICY, 1] = plug_in(policy.name, policy.chooser(settings))
        if policy.update is not None:
            rows[plug_ins.UPDATE, 1] = plug_in(f"{policy.name}_update", policy.update)
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
            table = self._memory.arrays["table"].reshape(-1, 2)
            address = self._callbacks.action_values(settings.action_heuristic)
            table[ACTION_VALUES] = (address, 0)

    def _write_policy(self, seat: int, policy: Any) -> None:
        row = self._memory.arrays["policies"].reshape(-1, 2)[seat]
        if isinstance(policy, str):
            row[1] = self.model.policy_address(policy)
        else:
            row[0] = self._callbacks.policy(policy)

    def _play_at_random(self, entry: str, state, count: int, rng: np.ndarray) -> int:
        """Play uniformly at random, whatever the settings say."""
        self._begin_changes()
        self._runs += 1  # trees of earlier decisions are gone
        self._begin(state, 0, rng, None)
        self._search["policy"] = rollout.RANDOM
        self._search["mast_rollout"] = 0
        answer = self._compiled.entry(entry)(self._search.ctypes.data, count)
        rng[:] = self._memory.arrays["rng"]
        self._whole = True
        return answer

    def _begin(self, state, player, rng, history) -> None:
        """Set up the records, and the trees, empty or kept from the last decision."""
        model, search, arrays = self.model, self._search, self._memory.arrays
        owns = descent.owners(self.model, self.settings, player)
        roots = self._roots(state, player, history, owns)
        kept = search.copy() if roots is not None else None
        if kept is None:
            self._clear_tables()
        # As bytes: NumPy copies a record of two hundred fields one by one.
        search.view(np.uint8)[:] = self._blank.view(np.uint8)
        record = search[0]
        record["root_state"] = state.ctypes.data
        record["root_player"] = player
        record["owns"][: len(owns)] = owns
        record["owned"] = owns[0] if len(owns) == 1 else (1 << model.players) - 1
        if self.settings.abstraction != "none":
            own = self.settings.abstraction == "own"
            record["abstracted"] = 1 << player if own else (1 << model.players) - 1
        record["graph_observer"] = player if record["information_set"] else -1
        arrays["rng"][:] = rng
        arrays["leaf"]["root_player"] = player
        arrays["joint_action"][:] = -1
        self._begin_policies(player)
        self._error[0] = 0
        self._callbacks.seed(arrays["rng"])
        if kept is None:
            arrays["edges"]["child"][: len(owns)] = NONE
            arrays["edges"]["outcome"][: len(owns)] = UNPROVEN
        else:
            self._keep(kept, roots)
        if self._evaluation:
            self._evaluation.begin(search)
        self._player = player
        self._history = history

    def _clear_tables(self) -> None:
        """Clear the hash tables that the last run has written to."""
        for table, count in (("joints", "joint_count"), ("pools", "pool_count")):
            if self._search[count][0] > 0:
                self._memory.arrays[table].view(np.uint8).fill(0)

    def _begin_policies(self, root_player: int) -> None:
        """Let the policies of modelled players begin, whose past nobody knows."""
        each = self._memory.policy_bytes
        if each == 0:
            return
        memories = self._memory.arrays["policy_memories"]
        at_root = memories.ctypes.data + self.model.players * each
        for player in range(self.model.players):
            name = "rollout_policy" if player == root_player else "opponent_model"
            policy = getattr(self.settings, name)
            if isinstance(policy, str) and policy in self.model.policies:
                rng = self._memory.arrays["rng"]
                self.model.begin_policy(policy, at_root + player * each, rng)

    def _decay_averages(self, player: int) -> None:
        """Take weight from the move averages of the same player's last decision."""
        if self.settings.mast != "none":
            decay = self.settings.mast_decay if self._player == player else 0.0
            averages = self._memory.arrays["averages"]
            averages["visits"] *= decay
            averages["total"] *= decay

    # -- reusing the last decision's trees

    def _roots(self, state, player, history, owners) -> np.ndarray | None:
        """Return the links that become roots, if anything can be kept."""
        last = self._history
        if not self.settings.reuse_tree or self._player != player:
            return None
        if last is None or history is None or not history.continues(last):
            return None
        reader = self._reader()
        played = history.since(last)
        roots = [
            follow(reader, tree, owned, player, played)
            for tree, owned in enumerate(owners)
        ]
        if max(roots) == NONE:
            return None
        movers = sum(1 << mover for mover in self.model.movers(state))
        for tree, link in enumerate(roots):
            self._narrow(link, movers & owners[tree])
        return np.array(roots, np.int64)

    def _narrow(self, link: int, movers: int) -> None:
        """Leave only the node of the real movers below a link that becomes a root.

        Where chance says who is next there may be others, never to be met again.
        """
        nodes, edges = self._memory.arrays["nodes"], self._memory.arrays["edges"]
        if link == NONE or movers == 0:
            return
        node = int(edges[link]["child"])
        while node >= 0 and nodes[node]["movers"] != movers:
            node = int(nodes[node]["sibling"])
        if node >= 0:
            nodes[node]["sibling"] = NONE
        edges[link]["child"] = max(node, NONE)

    def _keep(self, old: np.ndarray, roots: np.ndarray) -> None:
        """Copy what lies below the new roots into fresh arrays."""
        before = dict(self._memory.arrays)
        joints = before["joints"]
        order = np.flatnonzero(joints["edge"] != 0)
        order = order[np.argsort(joints["node"][order], kind="stable")]
        self._memory.new_tree(len(before["nodes"]), len(before["edges"]))
        self._memory.arrays["joints"] = np.zeros_like(joints)
        self._memory.arrays["pools"][:] = 0
        self._memory.tell_addresses(self._blank)
        self._memory.tell_addresses(self._search)
        self._search["low"], self._search["high"] = old["low"], old["high"]
        remap = np.empty(int(old["node_count"][0]), np.int32)
        self._compiled.entry("keep_subtrees")(
            old.ctypes.data, self._search.ctypes.data, roots, order, remap
        )
        for name in ("deepest", "widest"):  # bounds, which stay valid
            self._search[name] = old[name]

    def _root_visits(self, player: int) -> int:
        reader = self._reader()
        for bandits in reader.bandits_below(self._root_tree(player)):
            if player in bandits:
                return int(self._memory.arrays["nodes"][bandits[player]]["visits"])
        return 0

    # -- searching

    def _run_slices(self, settings: SearchSettings, deadline: float) -> None:
        """Run slices of about a millisecond until a budget is spent."""
        search = self._search
        left = settings.simulations or NO_LIMIT
        calls_limit = settings.forward_model_calls or NO_LIMIT
        if self._evaluation:
            self._run_batches(left, calls_limit, deadline)
            return
        timed = deadline < math.inf
        iterations = FIRST_TIMED_SLICE if timed else FIRST_SLICE
        slice_started = clock.now()
        while left > 0:
            if self._cancelled:
                raise CancelledError
            iterations = min(iterations, left)
            before = int(search["simulations"][0])
            status = self._run_slice(search.ctypes.data, iterations, calls_limit)
            done = int(search["simulations"][0]) - before
            left -= done
            if status == BUDGET_SPENT:
                return
            if status == GROW:
                self._grow()
            elif status != SLICE_DONE:
                self._raise(status)
            now = clock.now()
            each = (now - slice_started) / max(done, 1)
            slice_started = now
            # At most fourfold at a time: the first iterations are not typical.
            wanted = SLICE_SECONDS / each if each > 0.0 else math.inf
            iterations = int(max(1, min(4 * iterations, wanted)))
            if timed and before + done > 0:
                if now + each >= deadline:
                    return
                if each > 0.0:
                    iterations = int(max(1, min(iterations, (deadline - now) / each)))

    def _run_batches(self, left: int, calls_limit: int, deadline: float) -> None:
        """Run batches of leaves through the evaluator until a budget is spent."""
        budgets = left, calls_limit, deadline
        status = self._evaluation.run(self._search, self._grow, *budgets)
        if status not in (SLICE_DONE, BUDGET_SPENT, EVALUATE):
            self._raise(status)

    def _grow(self) -> None:
        self._memory.grow(self._search)
        self._memory.tell_addresses(self._blank)

    def _raise_pending(self) -> None:
        """Raise what a callback has caught, if any has."""
        self._callbacks.raise_pending()
        self.model.raise_pending()

    def _raise(self, status: int) -> None:
        self._raise_pending()
        if status == ROLLOUT_TOO_LONG:
            raise RuntimeError(
                f"{self.model.name}: a rollout is longer than mast can take in; "
                "shorten it by `rollout`, or use mast='tree'"
            )
        if status == NOTHING_KEPT:
            raise RuntimeError(
                f"{self.model.name}: `filter_actions` must return from 1 to as many "
                "actions as it was given"
            )
        if status == BAD_CHOICE:
            raise RuntimeError(
                f"{self.model.name}: tree_policy={self.settings.tree_policy!r} did not "
                "return the index of one of the decision's candidates"
            )
        if status == NOT_FINITE:
            raise RuntimeError(
                f"{self.model.name}: a leaf's value, or an action's heuristic value, "
                "is infinite or no number; what `scores`, `evaluate` and "
                "`action_values` write must be finite"
            )
        raise RuntimeError(
            f"{self.model.name}: a player who is to move has no legal action, or more "
            f"than legal_limit={self.model.legal_limit}; `movers` and `legal_actions` "
            "must agree"
        )

    # -- results

    def _root_tree(self, player: int) -> int:
        return player if self.settings.tree in ("multi", "observers") else 0

    def _reader(self) -> TreeReader:
        return TreeReader(
            self._memory.arrays,
            self._search,
            self._compiled.entry("link_of_joint"),
            self._sampling,
        )

    def _root(self, player, actions, reused) -> RootStatistics:
        """Read the statistics of the acting player's decision."""
        search, memory = self._search, self._memory
        root_tree = self._root_tree(player)
        record = search[0]
        nodes, edges = int(record["node_count"]), int(record["edge_count"])
        tables = 4 * (int(record["joint_count"]) * 16 + int(record["pool_count"]) * 24)
        read_root = partial(self._compiled.entry("read_root"), search.ctypes.data)
        run = self._runs

        def reader() -> TreeReader:
            if self._runs != run or not self._whole:
                raise RuntimeError(
                    "the search has gone on to another decision; read a tree, or the "
                    "principal variation, before"
                )
            return self._reader()

        strategy = None
        if self._sampling:
            strategy = self._reader().average_strategy(root_tree, player, actions)
        return RootStatistics.read(
            read_root,
            root_tree,
            player,
            actions,
            strategy=strategy,
            principal_variation=lambda action: reader().principal_variation(
                root_tree, player, action
            ),
            list_best=self._compiled.entry("list_best"),
            simulations=int(record["simulations"]),
            forward_model_calls=int(record["forward_model_calls"]),
            nodes=nodes,
            depth=int(record["deepest"]),
            solved=int(memory.arrays["edges"]["outcome"][0]) != UNPROVEN,
            reused=reused,
            cut_short=bool(record["cut_short"]),
            bytes=nodes * memory.node_bytes + edges * memory.edge_bytes + tables,
            read_node=lambda: TreeNode(reader, reader().node(root_tree, player)),
        )

    def _result(self, parts, player, rng, started) -> SearchResult:
        settings = self.settings
        root = RootStatistics.merged(parts, settings)
        final = settings.final
        if settings.determinizations > 1 and settings.combine == "vote":
            final = "sample" if final == "sample" else "visits"  # which are votes
        best = root.best(final, rng)
        shown = parts[-1]
        action = int(root.actions[best])
        return SearchResult(
            action=action,
            actions=root.actions,
            visits=root.visits,
            values=root.values,
            strategy=root.strategy,
            _read_variation=lambda: shown.principal_variation(action),
            simulations=root.simulations,
            forward_model_calls=root.forward_model_calls,
            seconds=clock.now() - started,
            nodes=root.nodes,
            depth=root.depth,
            solved=root.solved,
            reused=root.reused,
            bytes=root.bytes,
            _read_root=shown.read_node,
        )
