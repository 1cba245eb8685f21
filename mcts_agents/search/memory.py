"""The arrays of a search: how long they are, and how they grow."""

import numpy as np

from mcts_agents.model import ForwardModel
from mcts_agents.search.closed_loop import COUNTER_BYTES
from mcts_agents.search.compiled import Compiled
from mcts_agents.search.records import ARRAYS, EDGE, JOINT, NODE, POOL, STATISTIC
from mcts_agents.search.settings import SAMPLING_POLICIES, SearchSettings
from mcts_agents.search.status import (
    LACKS_EDGES,
    LACKS_JOINTS,
    LACKS_NODES,
    LACKS_POOLS,
)

# Room at the start; untouched memory costs nothing, and growing takes time that a
# decision of some milliseconds does not have.
FIRST_NODES = 1 << 18
FIRST_EDGES = 1 << 21
FIRST_JOINTS = 1 << 12
FIRST_POOLS = 1 << 14

# Actions of one rollout that move-average sampling can take in.
LONGEST_ROLLOUT = 1 << 16


# Two threads that write to one line of the processor's cache wait for each other.
CACHE_LINE = 64


def zeros_apart(length: int, dtype: np.dtype) -> np.ndarray:
    """Return zeros that share no cache line with anything else."""
    size = length * dtype.itemsize
    lines = np.zeros(size + 2 * CACHE_LINE, np.uint8)
    start = -lines.ctypes.data % CACHE_LINE
    return lines[start : start + size].view(dtype)


def keeps_statistics(settings: SearchSettings) -> bool:
    """Whether edges have a STATISTIC record each."""
    return (
        settings.tree_policy in ("ucb_tuned", *SAMPLING_POLICIES)
        or not isinstance(settings.tree_policy, str)
        or settings.action_heuristic != "none"
        or settings.evaluator is not None
        or settings.backup != "monte_carlo"
    )


def policy_bytes(model: ForwardModel, settings: SearchSettings) -> int:
    """Return the room for what a game's scripted policies remember of one player."""
    names = (settings.rollout_policy, settings.opponent_model)
    sizes = [
        model.policy_bytes(name)
        for name in names
        if isinstance(name, str) and name in model.policies
    ]
    return -(-max(sizes, default=0) // 8) * 8


class Memory:
    """The arrays of one search, by name (see `records.ARRAYS`).

    Args:
        model: The game.
        settings: Complete settings.
        compiled: The compiled functions.
    """

    def __init__(
        self, model: ForwardModel, settings: SearchSettings, compiled: Compiled
    ):
        self.settings = settings
        self._compiled = compiled
        self._edge_values = settings.backup != "monte_carlo"
        self._statistics = keeps_statistics(settings)
        self._stored = settings.loop != "open"
        self._model = model
        self.policy_bytes = policy_bytes(model, settings)
        memories = model.players * self.policy_bytes
        # Words of 8 bytes are copied.
        counters = COUNTER_BYTES if settings.rollout_end != "exact" else 0
        self.slot_size = -(-model.state_size // 8) * 8 + counters + memories
        lengths = {
            "table": model.table.size,
            "plug_ins": 8,
            "policies": 4,
            "policy_memories": 2 * memories,
            "joints": FIRST_JOINTS,
            "path": model.players * settings.max_depth,
            "legal": model.legal_limit,
            "candidates": model.legal_limit,
            "heuristics": model.legal_limit,
            "weights": model.legal_limit,
            "abstract_visits": model.legal_limit,
            "abstract_means": model.legal_limit,
            "slots": model.actions,
            "pools": FIRST_POOLS if settings.abstraction != "none" else 0,
            "averages": model.players * model.actions if settings.mast != "none" else 0,
            "taken": LONGEST_ROLLOUT if settings.mast in ("rollout", "both") else 0,
            "decision": 1,
            "outcome": 1,
            "backup": 1,
            "leaf": 1,
            "settings": 1,
            "rng": 2,
        }
        large = {"nodes", "edges", "statistics", "edge_values", "states"}
        self.arrays = {
            name: zeros_apart(lengths.get(name, model.players), dtype)
            for name, dtype in ARRAYS.items()
            if name not in large
        }
        self.new_tree(FIRST_NODES, FIRST_EDGES)
        self.arrays["table"][:] = model.table.ravel()
        self.arrays["teams"][:] = model.teams

    @property
    def node_bytes(self) -> int:
        """What one node takes, its stored state included."""
        return NODE.itemsize + (self.slot_size if self._stored else 0)

    @property
    def edge_bytes(self) -> int:
        """What one edge takes, its statistics included."""
        optional = STATISTIC.itemsize if self._statistics else 0
        return EDGE.itemsize + optional + 8 * self._vector

    @property
    def _vector(self) -> int:
        return self._model.players if self._edge_values else 0

    def new_tree(self, nodes: int, edges: int) -> None:
        """Set up fresh arrays for so many nodes and edges, of undefined content."""
        self.arrays.update(self._new_nodes(nodes) | self._new_edges(edges))

    def _new_nodes(self, nodes: int) -> dict[str, np.ndarray]:
        states = nodes * self.slot_size if self._stored else 0
        return {"nodes": np.empty(nodes, NODE), "states": np.empty(states, np.uint8)}

    def _new_edges(self, edges: int) -> dict[str, np.ndarray]:
        return {
            "edges": np.empty(edges, EDGE),
            "statistics": np.empty(edges * self._statistics, STATISTIC),
            "edge_values": np.empty(edges * self._vector),
        }

    def grow(self, search: np.ndarray) -> None:
        """Double the arrays that the SEARCH record says lack room."""
        old = dict(self.arrays)
        lacking = int(search["lacking"][0])
        nodes, edges = int(search["node_count"][0]), int(search["edge_count"][0])
        grown: dict[str, np.ndarray] = {}
        used: dict[str, int] = {}
        if lacking & LACKS_NODES:
            grown |= self._new_nodes(2 * len(old["nodes"]))
            used |= {"nodes": nodes}
            if self._stored:
                used |= {"states": nodes * self.slot_size}
        if lacking & LACKS_EDGES:
            grown |= self._new_edges(2 * len(old["edges"]))
            used |= {"edges": edges, "statistics": edges}
            used |= {"edge_values": edges * self._vector}
        for name, count in used.items():
            grown[name][:count] = old[name][:count]
        if lacking & LACKS_JOINTS:
            grown["joints"] = np.zeros(2 * len(old["joints"]), JOINT)
            self._compiled.entry("rehash")(old["joints"], grown["joints"])
        if lacking & LACKS_POOLS:
            grown["pools"] = np.zeros(2 * len(old["pools"]), POOL)
            self._compiled.entry("rehash_pools")(old["pools"], grown["pools"])
        # `old` holds the old arrays until the record says where the new ones are.
        self.arrays.update(grown)
        self.tell_addresses(search)

    def tell_addresses(self, search: np.ndarray) -> None:
        """Write where the arrays are into the records that compiled code reads."""
        arrays = self.arrays
        for name, array in arrays.items():
            search[name] = array.ctypes.data
            search[f"{name}_length"] = len(array)
        addresses = {
            name: arrays[name].ctypes.data
            for name in ("edges", "statistics", "edge_values", "weights")
        }
        for view, names in (
            ("decision", ("edges", "statistics", "weights")),
            ("outcome", ("edges", "statistics")),
            ("backup", ("edges", "edge_values")),
        ):
            for name in names:
                arrays[view][name] = addresses[name]
            arrays[view]["edges_length"] = len(arrays["edges"])
        arrays["decision"]["abstract_means"] = arrays["abstract_means"].ctypes.data
        arrays["backup"]["values"] = arrays["passed"].ctypes.data
        arrays["backup"]["players"] = self._model.players
        leaf = arrays["leaf"]
        for name in ("teams", "results", "scores", "evaluation"):
            leaf[name] = arrays[name].ctypes.data
        leaf["out"] = arrays["values"].ctypes.data
