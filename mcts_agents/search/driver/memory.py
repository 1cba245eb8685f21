"""The arrays of a search: how long they are, and how they grow."""

import numpy as np

from mcts_agents.model import ForwardModel
from mcts_agents.search.driver.compiled import Compiled
from mcts_agents.search.kernel import closed_loop
from mcts_agents.search.kernel.abstraction import weights
from mcts_agents.search.kernel.backup_operators import is_complex
from mcts_agents.search.kernel.records import EDGE, JOINT, NODE, POOL, STATISTIC
from mcts_agents.search.kernel.rollout import policy_bytes
from mcts_agents.search.kernel.search_record import ARRAYS, keeps_statistics
from mcts_agents.search.kernel.status import (
    LACKS_EDGES,
    LACKS_JOINTS,
    LACKS_NODES,
    LACKS_POOLS,
)
from mcts_agents.search.options.settings import SearchSettings

# Room at the start; untouched memory costs nothing, and growing takes time that a
# decision of some milliseconds does not have.
FIRST_NODES = 1 << 18
FIRST_EDGES = 1 << 21
# Cleared before each decision, however short it is.
FIRST_JOINTS = 1 << 9

# About how fast arrays move to larger ones (measured: 0.7e9 to 1.7e9), and how fast
# hash tables are filled anew (4e7; pools 5e7).
BYTES_MOVED_PER_SECOND = 1e9
ENTRIES_HASHED_PER_SECOND = 4e7

# Two threads that write to one line of the processor's cache wait for each other.
CACHE_LINE = 64
# Bytes of a block's pieces, each of which is a whole number of huge pages; and of
# arrays that lie by themselves.
PIECE = 1 << 25
LARGE = 1 << 19


def zeros_apart(length: int, dtype: np.dtype) -> np.ndarray:
    """Return zeros that share no cache line with anything else.

    A cache line's bytes behind them belong to the array below, so code that reads whole
    vectors may read so far past the end (`permutation.kernel.lanes.write_common`).
    """
    size = length * dtype.itemsize
    lines = np.zeros(size + 2 * CACHE_LINE, np.uint8)
    start = -lines.ctypes.data % CACHE_LINE
    return lines[start : start + size].view(dtype)


class Block:
    """Memory in which the arrays of many searches lie one behind the other.

    Arrays that are made one by one are spread over more pages than a processor finds
    its way to quickly, and each simulation of a fleet is another search's. Pieces lie
    on huge pages where the system has them. (With 256 games of Connect Four a
    simulation takes 1.2 microseconds instead of 1.9.)

    All of a piece takes memory once some of it is used, so large arrays, which may
    never be used as a whole, lie by themselves.
    """

    def __init__(self) -> None:
        self._piece = np.empty(0, np.uint8)
        self._used = 0

    def empty(self, length: int, dtype: np.dtype | type) -> np.ndarray:
        """Return an array of undefined content."""
        dtype = np.dtype(dtype)
        size = length * dtype.itemsize
        if size >= LARGE:
            return np.empty(length, dtype)
        if self._used + size > len(self._piece):
            self._piece = np.empty(PIECE, np.uint8)
            self._used = -self._piece.ctypes.data % CACHE_LINE
        start = self._used
        self._used += -(-size // CACHE_LINE) * CACHE_LINE
        return self._piece[start : start + size].view(dtype)

    def zeros(self, length: int, dtype: np.dtype | type) -> np.ndarray:
        """Return zeros that begin a cache line."""
        if length * np.dtype(dtype).itemsize >= LARGE:
            return zeros_apart(length, np.dtype(dtype))
        array = self.empty(length, dtype)
        array.view(np.uint8)[:] = 0
        return array


class Memory:
    """The arrays of one search, by name (see `search_record.ARRAYS`).

    Args:
        model: The game.
        settings: Complete settings.
        compiled: The compiled functions.
        nodes: Nodes that there is room for at the start.
        edges: Edges likewise.
        block: Where the arrays are, until they grow; None: anywhere.
    """

    def __init__(
        self,
        model: ForwardModel,
        settings: SearchSettings,
        compiled: Compiled,
        nodes: int | None = None,
        edges: int | None = None,
        block: Block | None = None,
    ):
        zeros = zeros_apart if block is None else block.zeros
        self._empty = np.empty if block is None else block.empty
        self.settings = settings
        self._compiled = compiled
        self._edge_values = is_complex(settings)
        self._statistics = keeps_statistics(settings)
        self._stored = closed_loop.is_on(settings)
        self._abstracts = settings.abstraction != "none"
        self._model = model
        self.slot_size = closed_loop.slot_size(model, settings)
        self.policy_bytes = policy_bytes(model, settings)
        self.arrays = {
            name: zeros(array.length(model, settings), np.dtype(array.dtype))
            for name, array in ARRAYS.items()
            if array.length is not None
        }
        self.arrays["joints"] = zeros(FIRST_JOINTS, JOINT)
        self.new_tree(nodes or FIRST_NODES, edges or FIRST_EDGES)
        self._empty = np.empty
        self.arrays["table"][:] = model.table.ravel()
        self.arrays["teams"][:] = model.teams
        if self._abstracts:
            self.arrays["abstract_weights"][:] = weights(settings)

    @property
    def node_bytes(self) -> int:
        """What one node takes, its stored state included."""
        return NODE.itemsize + (self.slot_size if self._stored else 0)

    @property
    def edge_bytes(self) -> int:
        """What one edge takes, its statistics included."""
        optional = STATISTIC.itemsize if self._statistics else 0
        return EDGE.itemsize + optional + 8 * self._vector + 4 * self._abstracts

    @property
    def _vector(self) -> int:
        return self._model.players if self._edge_values else 0

    def new_tree(self, nodes: int, edges: int) -> None:
        """Set up fresh arrays for so many nodes and edges, of undefined content.

        Each tree has an edge before any iteration.
        """
        edges = max(edges, self._model.players)
        self.arrays.update(self._new_nodes(nodes) | self._new_edges(edges))

    def _new_nodes(self, nodes: int) -> dict[str, np.ndarray]:
        states = nodes * self.slot_size if self._stored else 0
        # Zeros are states of copied environments that stand for nothing yet.
        made = np.zeros if self._model.copies_environments else self._empty
        return {"nodes": self._empty(nodes, NODE), "states": made(states, np.uint8)}

    def _new_edges(self, edges: int) -> dict[str, np.ndarray]:
        empty = self._empty
        return {
            "edges": empty(edges, EDGE),
            "statistics": empty(edges * self._statistics, STATISTIC),
            "edge_values": empty(edges * self._vector, np.float64),
            "edge_pools": empty(edges * self._abstracts, np.int32),
        }

    def clear_pools(self, count: int) -> None:
        """Forget all pools of an abstraction, of which there are so many."""
        if count > 0:
            self.arrays["pools"][:count] = 0
            self.arrays["pool_places"][:] = 0

    def seconds_to_grow(self, search: np.ndarray) -> float:
        """Return about how long `grow` would take."""
        lacking = int(search["lacking"][0])
        moved = entered = 0
        if lacking & LACKS_NODES:
            moved += int(search["node_count"][0]) * self.node_bytes
        if lacking & LACKS_EDGES:
            moved += int(search["edge_count"][0]) * self.edge_bytes
        if lacking & LACKS_JOINTS:
            entered += int(search["joint_count"][0])
        if lacking & LACKS_POOLS:
            entered += int(search["pool_count"][0])
        return moved / BYTES_MOVED_PER_SECOND + entered / ENTRIES_HASHED_PER_SECOND

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
            used |= {"edge_pools": edges * self._abstracts}
        for name, count in used.items():
            grown[name][:count] = old[name][:count]
        if lacking & LACKS_JOINTS:
            grown["joints"] = np.zeros(2 * len(old["joints"]), JOINT)
            self._compiled.entry("rehash")(old["joints"], grown["joints"])
        if lacking & LACKS_POOLS:
            count = int(search["pool_count"][0])
            grown["pools"] = np.zeros(2 * len(old["pools"]), POOL)
            grown["pools"][:count] = old["pools"][:count]
            places = np.zeros(2 * len(old["pool_places"]), np.int32)
            self._compiled.entry("enter_pools")(grown["pools"], count, places)
            grown["pool_places"] = places
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
        for name in ("abstract_means", "abstract_weights", "pools"):
            arrays["decision"][name] = arrays[name].ctypes.data
        arrays["decision"]["pools_length"] = len(arrays["pools"])
        arrays["backup"]["values"] = arrays["passed"].ctypes.data
        arrays["backup"]["players"] = self._model.players
        leaf = arrays["leaf"]
        for name in ("teams", "results", "scores", "evaluation"):
            leaf[name] = arrays[name].ctypes.data
        leaf["out"] = arrays["values"].ctypes.data
