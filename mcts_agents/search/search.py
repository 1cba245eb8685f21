"""`Search`: the compiled kernel, its memory, and the loop of slices around it."""

import time

import numpy as np
from numba import from_dtype

from mcts_agents.model import ForwardModel, draw_below
from mcts_agents.model.addresses import as_pointer, compiled_address
from mcts_agents.model.compilation import compile_module
from mcts_agents.search import calls, kernel, leaf_values, solver, ucb1
from mcts_agents.search.result import SearchResult
from mcts_agents.search.settings import SearchSettings
from mcts_agents.search.tree import (
    ARRAYS,
    EDGE,
    JOINT,
    NODE,
    NONE,
    PLUG_IN,
    SEARCH,
    child_of_joint,
    rehash,
)

# A slice is made about this long, so that clocks and Ctrl-C are heard.
SLICE_SECONDS = 0.001
FIRST_SLICE = 16

# Room at the start; untouched memory costs nothing, and growing takes time that a
# decision of some milliseconds does not have.
FIRST_NODES = 1 << 18
FIRST_EDGES = 1 << 21
FIRST_JOINTS = 1 << 12

_SOURCE = """
@njit(int64(intp, int64, int64), cache=CACHE)
def run_slice(search, iterations, call_limit):
    return kernel_run_slice(
        carray(as_pointer(search), 1, SEARCH)[0], iterations, call_limit
    )

@njit(int64(intp, int64), cache=CACHE)
def run_playouts(search, count):
    return kernel_run_playouts(carray(as_pointer(search), 1, SEARCH)[0], count)

@njit(int64(intp, int64), cache=CACHE)
def run_random_games(search, count):
    return kernel_run_random_games(carray(as_pointer(search), 1, SEARCH)[0], count)

@njit(int64(FLOATS), cache=CACHE)
def fill_logs(table):
    return kernel_fill_logs(table)

@njit(int64(intp, int64, ACTIONS), cache=CACHE)
def child_of_joint(search, node, actions):
    return kernel_child_of_joint(
        carray(as_pointer(search), 1, SEARCH)[0], node, actions
    )

@njit(int64(JOINTS, JOINTS), cache=CACHE)
def rehash(old, new):
    return kernel_rehash(old, new)
"""
_PLUG_IN_SOURCE = """
@njit(PLUG_IN, cache=CACHE)
def {name}(view, settings, rng):
    return plug_in_{name}(view, settings, rng)
"""
_PLUG_INS = {
    "ucb1": ucb1.ucb1,
    "win": leaf_values.win,
    "score": leaf_values.score,
    "evaluate": leaf_values.evaluate,
}


class _Compiled:
    """The kernel and the plug-ins, compiled once per process."""

    def __init__(self):
        namespace = {
            "SEARCH": SEARCH,
            "as_pointer": as_pointer,
            "FLOATS": from_dtype(np.dtype(np.float64))[::1],
            "JOINTS": from_dtype(JOINT)[::1],
            "ACTIONS": from_dtype(np.dtype(np.int32))[::1],
            "PLUG_IN": PLUG_IN,
            "kernel_run_slice": kernel.run_slice,
            "kernel_run_playouts": kernel.run_playouts,
            "kernel_run_random_games": kernel.run_random_games,
            "kernel_fill_logs": ucb1.fill_square_root_logs,
            "kernel_rehash": rehash,
            "kernel_child_of_joint": child_of_joint,
        }
        source = _SOURCE
        for name, function in _PLUG_INS.items():
            namespace[f"plug_in_{name}"] = function
            source += _PLUG_IN_SOURCE.format(name=name)
        roots = [value for value in namespace.values() if hasattr(value, "py_func")]
        module = compile_module("search_kernel", source, namespace, roots)
        self.run_slice = module.run_slice
        self.run_playouts = module.run_playouts
        self.run_random_games = module.run_random_games
        self.rehash = module.rehash
        self.child_of_joint = module.child_of_joint
        self.plug_ins = {
            name: compiled_address(getattr(module, name), PLUG_IN) for name in _PLUG_INS
        }
        self.square_root_logs = np.empty(ucb1.LOG_TABLE_SIZE)
        module.fill_logs(self.square_root_logs)


_compiled: _Compiled | None = None


def compiled() -> _Compiled:
    """Compile or load the kernel on first use."""
    global _compiled
    if _compiled is None:
        _compiled = _Compiled()
    return _compiled


class Search:
    """A search of one model with one set of settings, its memory kept between runs.

    Args:
        model: The game.
        settings: What to do; open choices are the game's.

    Raises:
        ValueError: Settings that the game cannot serve.
    """

    def __init__(self, model: ForwardModel, settings: SearchSettings):
        self.model = model
        self.settings = settings.for_model(model)
        self._compiled = compiled()
        self._arrays = self._new_arrays()
        self._search = np.zeros(1, SEARCH)
        plug_ins = self._arrays["plug_ins"].reshape(-1, 2)
        plug_ins[calls.TREE_POLICY, 1] = self._compiled.plug_ins["ucb1"]
        plug_ins[calls.LEAF_VALUE, 1] = self._compiled.plug_ins[self.settings.value]
        self._state = model.new_state()
        self._trial_state = model.new_state()

    def run(
        self,
        state: np.ndarray,
        player: int,
        rng: np.ndarray,
        *,
        started: float | None = None,
        simulations: int | None = None,
    ) -> SearchResult:
        """Search from `state` for `player`, who must be one of its movers.

        Args:
            state: The root, not modified; must hold only what `player` may know.
            player: The acting player.
            rng: The search's generator, advanced.
            started: `time.perf_counter()` from which a budget in seconds counts.
            simulations: Iterations to run instead of the settings' budget of them.

        Raises:
            ValueError: `player` has no decision to make in `state`.
            RuntimeError: The game lists no legal action for a mover.
            BaseException: Whatever the game's own functions raise.
        """
        started = time.perf_counter() if started is None else started
        actions = self.model.legal_actions(state, player)
        if len(actions) == 0:
            raise ValueError(
                f"{self.model.name}: player {player} has no decision to make here; "
                f"the movers are {self.model.movers(state)}"
            )
        if len(actions) == 1:
            return SearchResult(
                action=int(actions[0]),
                actions=actions,
                visits=np.zeros(1, np.int64),
                values=np.full(1, np.nan),
                principal_variation=[(player, int(actions[0]))],
                seconds=time.perf_counter() - started,
            )
        self._begin(state, player, rng)
        self._run_slices(started, simulations or self.settings.simulations)
        rng[:] = self._arrays["rng"]
        return self._result(player, actions, rng, started)

    def playouts(self, state: np.ndarray, count: int, rng: np.ndarray) -> int:
        """Run `count` random playouts from `state` with no tree; return `count`.

        For measuring: it is what a simulation costs without the search.
        """
        self._begin(state, 0, rng)
        count = self._compiled.run_playouts(self._search.ctypes.data, count)
        rng[:] = self._arrays["rng"]
        return count

    def random_games(self, state: np.ndarray, count: int, rng: np.ndarray) -> int:
        """Step through `count` random games; return how many actions were applied."""
        self._begin(state, 0, rng)
        actions = self._compiled.run_random_games(self._search.ctypes.data, count)
        rng[:] = self._arrays["rng"]
        return actions

    # -- beginning

    def _new_arrays(self) -> dict[str, np.ndarray]:
        model, settings = self.model, self.settings
        lengths = {
            "table": model.table.size,
            "plug_ins": 4,
            "nodes": FIRST_NODES,
            "edges": FIRST_EDGES,
            "joints": FIRST_JOINTS,
            "path": model.players * settings.max_depth,
            "legal": model.legal_limit,
            "candidates": model.legal_limit,
            "slots": model.actions,
            "decision": 1,
            "leaf": 1,
            "settings": 1,
            "rng": 2,
        }
        small = set(ARRAYS) - {"nodes", "edges"}
        arrays = {
            name: (np.zeros if name in small else np.empty)(
                lengths.get(name, model.players), dtype
            )
            for name, dtype in ARRAYS.items()
        }
        arrays["table"][:] = model.table.ravel()
        return arrays

    def _tell_addresses(self) -> None:
        """Write where the arrays are into the record that compiled code reads."""
        for name, array in self._arrays.items():
            self._search[name] = array.ctypes.data
            self._search[f"{name}_length"] = len(array)
        decision = self._arrays["decision"]
        decision["edges"] = self._arrays["edges"].ctypes.data
        decision["edges_length"] = len(self._arrays["edges"])

    def _begin(self, state, player, rng):
        model, settings, arrays = self.model, self.settings, self._arrays
        search = self._search
        everybody = (1 << model.players) - 1
        owns = {
            "one": [everybody],
            "self": [1 << player],
            "multi": [1 << p for p in range(model.players)],
        }[settings.tree]
        information_set = model.hidden_information and settings.information == "set"
        search[:] = 0
        for name, value in {
            "game": model.game_address,
            "root_state": state.ctypes.data,
            "state": self._state.ctypes.data,
            "trial_state": self._trial_state.ctypes.data,
            "error": model.error.ctypes.data,
            "players": model.players,
            "root_player": player,
            "trees": len(owns),
            "owned": owns[0] if len(owns) == 1 else everybody,
            "legal_limit": model.legal_limit,
            "rollout_limit": settings.rollout,
            "depth_limit": settings.max_depth,
            "paranoid": settings.paranoid,
            "information_set": information_set,
            "path_determined": owns == [everybody]
            and not (model.chance or information_set),
            "has_random_action": model.has("random_action"),
            "has_playout": model.has("playout"),
            "solver": settings.solver,
            "needs_scores": settings.value == "score",
            "needs_evaluation": settings.value == "evaluate",
            "low": np.inf,
            "high": -np.inf,
            "edge_count": len(owns),
        }.items():
            search[name] = value
        search["owns"][0, : len(owns)] = owns
        self._tell_addresses()
        arrays["edges"]["child"][: len(owns)] = NONE
        arrays["edges"]["outcome"][: len(owns)] = solver.UNPROVEN
        arrays["joints"][:] = 0
        arrays["joint_action"][:] = -1
        arrays["rng"][:] = rng
        arrays["settings"]["exploration"] = settings.exploration
        arrays["settings"]["score_bonus"] = settings.score_bonus
        arrays["decision"]["square_root_logs"] = (
            self._compiled.square_root_logs.ctypes.data
        )
        leaf = arrays["leaf"]
        leaf["game"], leaf["state"] = model.game_address, self._state.ctypes.data
        leaf["players"], leaf["root_player"] = model.players, player
        for name in ("results", "scores", "evaluation"):
            leaf[name] = arrays[name].ctypes.data
        leaf["out"] = arrays["values"].ctypes.data

    # -- searching

    def _run_slices(self, started: float, simulations: int | None) -> None:
        """Run slices of about a millisecond until a budget is spent."""
        settings, search = self.settings, self._search
        left = simulations or kernel.NO_LIMIT
        calls = settings.forward_model_calls or kernel.NO_LIMIT
        deadline = (
            kernel.NO_LIMIT if settings.seconds is None else started + settings.seconds
        )
        iterations = FIRST_SLICE
        slice_started = time.perf_counter()
        while left > 0:
            iterations = min(iterations, left)
            before = int(search["simulations"][0])
            status = self._compiled.run_slice(search.ctypes.data, iterations, calls)
            done = int(search["simulations"][0]) - before
            left -= done
            if status == kernel.BUDGET_SPENT:
                return
            if status == kernel.GROW:
                self._grow()
            elif status != kernel.SLICE_DONE:
                self._raise(status)
            now = time.perf_counter()
            each = (now - slice_started) / max(done, 1)
            slice_started = now
            # At most fourfold at a time: the first iterations are not typical.
            iterations = max(1, min(4 * iterations, int(SLICE_SECONDS / each)))
            if deadline < kernel.NO_LIMIT:
                if now + each >= deadline:
                    return
                iterations = max(1, min(iterations, int((deadline - now) / each)))

    def _grow(self) -> None:
        """Double the arrays; what they hold stays where it is."""
        for name, used in (("nodes", "node_count"), ("edges", "edge_count")):
            old = self._arrays[name]
            new = np.empty(2 * len(old), old.dtype)
            count = int(self._search[used][0])
            new[:count] = old[:count]
            self._arrays[name] = new
        joints = np.zeros(2 * len(self._arrays["joints"]), JOINT)
        self._compiled.rehash(self._arrays["joints"], joints)
        self._arrays["joints"] = joints
        self._tell_addresses()

    def _raise(self, status: int) -> None:
        if status == kernel.MODEL_ERROR:
            self.model.raise_pending()
        raise RuntimeError(
            f"{self.model.name}: a player who is to move has no legal action, or more "
            f"than legal_limit={self.model.legal_limit}; `movers` and `legal_actions` "
            "must agree"
        )

    # -- results

    def _result(self, player, actions, rng, started) -> SearchResult:
        search = self._search
        root_tree = player if self.settings.tree == "multi" else 0
        edges = self._edges_of(self._bandit(root_tree, player))
        position = {int(edge["action"]): edge for edge in edges}
        visits = np.array(
            [position[a]["visits"] if a in position else 0 for a in actions.tolist()],
            np.int64,
        )
        values = np.array(
            [
                position[a]["mean"] if n else np.nan
                for a, n in zip(actions.tolist(), visits, strict=True)
            ]
        )
        ranks = np.array(
            [
                self._rank(position[a], player) if a in position else 1
                for a in actions.tolist()
            ]
        )
        best = self._best(visits, values, ranks, rng)
        nodes, edges = int(search["node_count"][0]), int(search["edge_count"][0])
        return SearchResult(
            action=int(actions[best]),
            actions=actions,
            visits=visits,
            values=values,
            principal_variation=self._principal_variation(
                root_tree, player, int(actions[best])
            ),
            simulations=int(search["simulations"][0]),
            forward_model_calls=int(search["forward_model_calls"][0]),
            seconds=time.perf_counter() - started,
            nodes=nodes,
            depth=int(search["deepest"][0]),
            solved=bool(self._arrays["edges"]["outcome"][0] != solver.UNPROVEN),
            bytes=nodes * NODE.itemsize
            + edges * EDGE.itemsize
            + len(self._arrays["joints"]) * JOINT.itemsize,
        )

    def _rank(self, edge: np.void, player: int) -> int:
        """Return 2 for an action that is proven to win, 0 to lose, 1 for others."""
        if edge["outcome"] in (solver.UNPROVEN, solver.ALL_DRAW):
            return 1
        return 2 if edge["outcome"] == solver.FIRST_WINNER + player else 0

    def _best(self, visits, values, ranks, rng) -> int:
        """Return the position of the final move; ties are broken at random."""
        tried = np.where(visits > 0, values, -np.inf)
        keys = [ranks, visits, tried]
        if self.settings.final == "value":
            keys = [ranks, tried, visits]
        best = np.arange(len(visits))
        for key in keys:
            best = best[key[best] == key[best].max()]
        return int(best[draw_below(rng, len(best))])

    def _bandit(self, tree: int, player: int) -> np.void:
        """Return the root bandit of a player in a tree."""
        node = int(self._arrays["edges"][tree]["child"])
        return self._bandits_at(node)[player]

    def _bandits_at(self, node: int) -> dict[int, np.void]:
        """Return the bandits of a node by player."""
        nodes = self._arrays["nodes"]
        count = int(nodes[node]["movers"]).bit_count()
        return {int(nodes[i]["player"]): nodes[i] for i in range(node, node + count)}

    def _edges_of(self, bandit: np.void) -> np.ndarray:
        first = int(bandit["first"])
        return self._arrays["edges"][first : first + int(bandit["count"])]

    def _principal_variation(self, tree, player, action) -> list[tuple[int, int]]:
        """Follow the most visited actions from the root, the first one given."""
        variation: list[tuple[int, int]] = []
        node = int(self._arrays["edges"][tree]["child"])
        forced = {player: action}
        while node >= 0:
            bandits = self._bandits_at(node)
            links = {}
            for mover, bandit in bandits.items():
                edges = self._edges_of(bandit)
                order = edges["visits"].copy()
                if mover in forced:
                    order[edges["action"] != forced[mover]] = -1
                if order.max(initial=0) <= 0:  # proven before it was sampled
                    return variation or [(player, action)]
                links[mover] = edges[int(order.argmax())]
            variation += [(mover, int(e["action"])) for mover, e in links.items()]
            forced = {}
            if len(links) == 1:
                child = int(next(iter(links.values()))["child"])
            else:
                joint = np.array([e["action"] for e in links.values()], np.int32)
                child = self._compiled.child_of_joint(
                    self._search.ctypes.data, node, joint
                )
            node = self._most_visited(child)
        return variation

    def _most_visited(self, node: int) -> int:
        """Return the most visited of a node and its siblings (other next movers)."""
        nodes = self._arrays["nodes"]
        best = node
        while node >= 0:
            if nodes[node]["visits"] > nodes[best]["visits"]:
                best = node
            node = int(nodes[node]["sibling"])
        return best
