"""The arrays of a search by permutation statistics: how long they are, how they grow.

What is kept for playouts grows with their number, rows for the codes of moves with how
many codes are in use, and the tree as it does.
"""

import functools
import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcts_agents.model import ForwardModel
from mcts_agents.model.contract import MOVE
from mcts_agents.permutation.kernel import records as kernel
from mcts_agents.permutation.kernel.codes import FIRST_PLACE
from mcts_agents.permutation.kernel.descent import MOST_GAPS
from mcts_agents.permutation.kernel.permutations import ROOM_LISTED
from mcts_agents.permutation.kernel.records import (
    ENTRY,
    ILLEGAL_NARROW,
    ILLEGAL_WIDE,
    MOST_NARROW,
    NARROW_LANES,
    NARROW_TYPES,
    NODE,
    WIDE_TYPES,
)
from mcts_agents.permutation.settings import PermutationSettings
from mcts_agents.search.driver.memory import zeros_apart
from mcts_agents.search.kernel.records import LEAF, SETTINGS

MEBIBYTE = 1 << 20

# Room at the start where no budget, or not one alone, says how many playouts there
# will be; with a limit of memory no more than half of it, but for so many playouts.
FIRST_PLAYOUTS, LEAST_FIRST_PLAYOUTS = 1 << 13, 16
# Where codes turn up as they come, each has a set of playouts: with room for many more
# than are made, each begins on a page of its own, and growing copies all these pages.
FIRST_PLAYOUTS_BY_CODE = 1 << 10
# Playouts that there is room for at the start, at most, and edges.
MOST_FIRST_PLAYOUTS, MOST_FIRST_EDGES = 1 << 20, 1 << 22
FIRST_BLOCKS = 64
# Places of moves, where the game numbers its codes itself.
FIRST_PLACES = 256
MOST_FIRST_PLACES = 1024
FIRST_CODES = 1024
# Where places turn up, many more do, and room for them takes no time.
MORE_PLACES = 4
# Playouts have rows of a byte for each place, unless there are more places: then rows
# are almost empty, and what is done move by move is faster and takes less memory.
MOST_ROW_PLACES = 1 << 13
# Rows of places are read eight bytes at a time.
_WORD = 8
_PAGE = 4096  # bytes that the operating system hands out at once

# Arrays of statistics: of counts, and of sums.
_OWN, _PERMUTATIONS, _AMAF = (
    ("edge_visits", "edge_sums"),
    ("edge_permutations", "edge_permutation_sums"),
    ("amaf_counts", "amaf_sums"),
)
# Of each edge too, and as wide as counts.
_CHILDREN = "edge_children"
# Other arrays of each edge.
_EDGES = {
    "edge_actions": np.int32,
    "edge_places": np.uint32,
}

# By what the next decision forgets the places of the last one.
_BETWEEN_DECISIONS = ("place_of", "place_players", "place_codes")

# What an estimate takes of a tree: half of the nodes have edges, and one path has so
# many nodes.
_EXPANDED, _PATH = 0.5, 16

# Near its limit of memory a search has room for so much more than it uses, of all.
SHARES = (0.5, 0.25, 0.125, 0.0625, 0.03125)


@dataclass
class Rooms:
    """How much there is room for."""

    nodes: int
    edges: int
    blocks: int
    moves: int
    entries: int
    playouts: int
    places: int
    codes: int
    wide: bool  # whether statistics are wide; see `kernel.records`


def _padded(number: int, step: int = _WORD) -> int:
    return -(-number // step) * step


@functools.cache
def _itemsize(dtype: Any) -> int:
    """Return the bytes of an item; numpy takes microseconds to say so."""
    return np.dtype(dtype).itemsize


def _words(playouts: int) -> int:
    """Return the words of a set of playouts; rows do not share lines of the cache."""
    words = -(-playouts // 64)
    return words + (words % 8 == 0)


class Memory:
    """The arrays of one search, by name, and the record that says where they are.

    Args:
        model: The game.
        settings: Complete settings.
        record: The PERMUTATION record, shape (1,); its addresses are written.
    """

    def __init__(
        self, model: ForwardModel, settings: PermutationSettings, record: np.ndarray
    ):
        self._model, self._settings = model, settings
        self._permutes = settings.permutes
        self.record = record
        numbered = model.has("move_code") or callable(settings.codes)
        self.set_words = 0
        by_position = settings.nodes == "position"
        if model.has("playout_sets") and not numbered and by_position:
            self.set_words = -(-model.actions // 64)
        self.rooms = self._first_rooms(numbered)
        self.arrays = {
            name: zeros_apart(length, np.dtype(dtype))
            for name, (dtype, length) in self._fixed().items()
        }
        for name, (dtype, shape) in self._growing(self.rooms).items():
            self.arrays[name] = _new(shape, dtype)
        self.tell()

    def _first_rooms(self, numbered: bool) -> Rooms:
        """Return how much there is room for at the start.

        Args:
            numbered: Whether moves have codes other than their actions.
        """
        settings = self._settings
        first = FIRST_PLAYOUTS
        if numbered and self._permutes:
            first = FIRST_PLAYOUTS_BY_CODE
        playouts = settings.simulations or first
        if settings.seconds is not None or settings.forward_model_calls is not None:
            playouts = min(playouts, first)
        playouts = min(playouts, MOST_FIRST_PLAYOUTS)
        rooms = self._rooms_for(playouts, numbered)
        if settings.memory is not None:
            half = settings.memory * MEBIBYTE // 2
            while playouts > LEAST_FIRST_PLAYOUTS and self.bytes_of(rooms) > half:
                playouts = max(playouts // 2, LEAST_FIRST_PLAYOUTS)
                rooms = self._rooms_for(playouts, numbered)
        return rooms

    def _rooms_for(self, playouts: int, numbered: bool) -> Rooms:
        model, limit = self._model, self._edges()
        codes = FIRST_CODES if numbered else model.actions
        places = FIRST_PLACES
        if not numbered:
            places = model.players * model.actions + 1
            # Sets of actions fix all places; see `first_place`.
            if self.set_words:
                places = FIRST_PLACE + 64 * model.players * self.set_words
            else:
                places = min(places, MOST_FIRST_PLACES + 1)
        return Rooms(
            nodes=playouts + model.players,
            edges=max(min(playouts * limit // 2, MOST_FIRST_EDGES), 16 * limit),
            blocks=FIRST_BLOCKS,
            moves=(8 if self.set_words else 32) * playouts,
            entries=8 * playouts,
            playouts=playouts,
            places=_padded(places),
            codes=codes,
            wide=self._is_wide(playouts),
        )

    def _is_wide(self, playouts: int) -> bool:
        """Return whether statistics are wide at the latest when there are so many."""
        return not self.set_words or playouts > MOST_NARROW

    def _edges(self) -> int:
        """Return the most edges of a node."""
        if self.set_words:
            return _padded(self._model.actions, NARROW_LANES)
        return self._model.legal_limit

    def _fixed(self) -> dict[str, tuple[Any, int]]:
        model, settings = self._model, self._settings
        players, limit = model.players, model.legal_limit
        # One joint action may be deeper.
        depth = settings.max_depth + players
        edges = 2 * limit + MOST_GAPS
        if settings.nodes == "path":  # edges for all actions that were ever legal
            edges = _padded(model.actions, 64) + limit
        return {
            "table": (np.intp, model.table.size),
            "plug_ins": (np.intp, 10),
            "legal": (np.int32, model.legal_room),
            "joint_action": (np.int32, players),
            "all_sets": (np.uint64, players * self.set_words),
            "teams": (np.int32, players),
            "results": (np.int32, players),
            "scores": (np.float64, players),
            "evaluation": (np.float64, players),
            "values": (np.float64, players),
            "leaf": (LEAF, 1),
            "settings": (SETTINGS, 1),
            "rng": (np.uint64, 2),
            "trace": (MOVE, depth + settings.rollout),
            "scratch": (np.float64, _padded(edges, 64)),
            "listed": (np.uint32, ROOM_LISTED),
            "path_nodes": (np.int32, depth + 1),
            "path_edges": (np.int64, depth + 1),
        }

    def _growing(self, rooms: Rooms) -> dict[str, tuple[Any, tuple[int, ...]]]:
        """Return dtype and shape of each array that grows."""
        players = self._model.players
        permuting = players if self._permutes else 0
        edges = rooms.edges if self._permutes else 0
        playouts = rooms.playouts if self._permutes else 0
        places = rooms.places if self._permutes else 0
        columns = -(-playouts // 64) if self.set_words else 0
        pairs = playouts + 1 if self._permutes else 0
        has_rows = not self.set_words and rooms.places <= MOST_ROW_PLACES
        table = 1 << (2 * rooms.nodes - 1).bit_length()
        types = WIDE_TYPES if rooms.wide else NARROW_TYPES

        def statistics(names: tuple[str, str], *shape: int) -> dict[str, Any]:
            pairs = zip(names, types, strict=True)
            return {name: (dtype, shape) for name, dtype in pairs}

        return {
            "nodes": (NODE, (rooms.nodes,)),
            "positions": (np.int32, (table,)),
            **{name: (dtype, (rooms.edges,)) for name, dtype in _EDGES.items()},
            **statistics(_OWN, rooms.edges),
            _CHILDREN: (types[0], (rooms.edges,)),
            **statistics(_PERMUTATIONS, edges),
            **statistics(_AMAF, rooms.blocks, rooms.places),
            "moves": (np.uint32, (rooms.moves,)),
            "starts": (np.int64, (rooms.playouts + 1,)),
            "entries": (ENTRY, (rooms.entries,)),
            "playout_values": (np.float64, (rooms.playouts, players)),
            "sets": (np.uint64, (rooms.playouts + 1, players * self.set_words)),
            "bits": (np.uint64, (places, _words(rooms.playouts))),
            # One more, without actions.
            "kept_sets": (np.uint64, (pairs, players * self.set_words)),
            "rows": (np.uint8, (playouts if has_rows else 0, rooms.places)),
            "columns": (np.uint64, (columns, places)),
            "won": (np.uint64, (permuting, _words(rooms.playouts))),
            "parts": (np.uint64, (min(permuting, 1), _words(rooms.playouts))),
            "masks": (np.uint64, (3 * _words(rooms.playouts),)),
            "place_of": (np.int32, (players, rooms.codes)),
            "place_players": (np.int32, (rooms.places,)),
            "place_codes": (np.int32, (rooms.places,)),
            "place_seen": (np.int64, (rooms.places,)),
            "sums": (np.uint8, (2 * max(rooms.places, 64 * self.set_words),)),
        }

    def clear(self, rooms: Rooms | None = None) -> None:
        """Empty what a decision must not find as the last one left it.

        Args:
            rooms: Make so much room, which takes no time when nothing is kept.
        """
        used = self.used_rooms()
        # The playout that is being made may be in a new word.
        places, words = used.places, used.playouts // 64 + 1
        emptied = {
            "positions": ...,
            "won": (..., slice(words)),
            "parts": (..., slice(words)),
            "place_seen": slice(places),
        }
        if not self.set_words:  # else words of `bits` are written as a whole
            emptied["bits"] = slice(places), slice(words)
        # Not the arrays themselves, so that old and new ones do not exist at once.
        before = {name: self.arrays[name].shape for name in emptied}
        if rooms is not None:
            self._change(rooms, _BETWEEN_DECISIONS)
        for name, part in emptied.items():
            array = self.arrays[name]
            if array.shape == before[name]:  # new ones are empty
                array[part] = 0

    def tell(self) -> None:
        """Write where the arrays are into the record."""
        record, rooms = self.record, self.rooms
        for name, array in self.arrays.items():
            record[name] = array.ctypes.data
            record[f"{name}_length"] = array.size
        record["starts_length"] = rooms.playouts + 1
        record["code_room"] = rooms.codes
        record["place_room"] = rooms.places
        record["words"] = _words(rooms.playouts)
        record["set_words"] = self.set_words
        types = WIDE_TYPES if rooms.wide else NARROW_TYPES
        bytes_ = (np.dtype(kind).itemsize for kind in types)
        record["narrow"] = not rooms.wide
        record["count_bytes"], record["sum_bytes"] = bytes_
        leaf = self.arrays["leaf"]
        for name in ("teams", "results", "scores", "evaluation"):
            leaf[name] = self.arrays[name].ctypes.data
        leaf["out"] = self.arrays["values"].ctypes.data

    def wanted_rooms(self) -> Rooms:
        """Return how much there must be room for to go on."""
        lacking = int(self.record["lacking"][0])
        rooms = Rooms(**vars(self.rooms))
        if lacking & kernel.LACKS_NODES:
            rooms.nodes *= 2
        if lacking & kernel.LACKS_EDGES:
            rooms.edges *= 2
        if lacking & kernel.LACKS_BLOCKS:
            rooms.blocks *= 2
        if lacking & kernel.LACKS_MOVES:
            rooms.moves = 2 * rooms.moves + int(self.record["wanted_moves"][0])
        if lacking & kernel.LACKS_ENTRIES:
            rooms.entries = 2 * rooms.entries + self._settings.max_depth
            rooms.entries += self._model.players
        if lacking & kernel.LACKS_PLAYOUTS:
            rooms.playouts *= 2
        if lacking & kernel.LACKS_PLACES:
            rooms.places *= MORE_PLACES
        if lacking & kernel.LACKS_CODES:
            wanted = int(self.record["wanted_code"][0])
            rooms.codes = 1 << wanted.bit_length()
        if lacking & kernel.LACKS_WIDTH:
            rooms.wide = True
        return rooms

    def bytes_of(self, rooms: Rooms) -> int:
        """Return what the arrays take with so much room."""
        return sum(
            _itemsize(dtype) * math.prod(shape)
            for dtype, shape in self._growing(rooms).values()
        )

    def grow(self, rooms: Rooms, enter_all: Any) -> None:
        """Make so much room, and keep what there is.

        Only what is used is copied, so that growing takes no longer than what it makes
        room for; and one array after the other, so that two of most never exist at
        once. After an exception the record is not to be used.

        Args:
            rooms: See `wanted_rooms`.
            enter_all: The compiled function that fills an empty table of positions.
        """
        positions = self.arrays["positions"]
        self._change(rooms, self._used_shapes())
        if self.arrays["positions"] is not positions:
            enter_all(self.record.ctypes.data)

    def _change(self, rooms: Rooms, kept: Collection[str]) -> None:
        """Make so much room, and keep what is used of some arrays."""
        used = self._used_shapes()
        for name, (dtype, shape) in self._growing(rooms).items():
            old = self.arrays[name]
            if shape == old.shape and dtype == old.dtype:
                continue
            new = self.arrays[name] = _new(shape, dtype)
            if name in kept:
                part = _part(used[name], shape, old.shape)
                new[part] = old[part]
                if name == "edge_sums" and dtype != old.dtype:
                    new[part][old[part] == ILLEGAL_NARROW] = ILLEGAL_WIDE
        self.rooms = rooms
        self.tell()

    def touched(self, rooms: Rooms) -> int:
        """Return about how many bytes lie on the pages that growing has to copy."""
        used, bytes_ = self._used_shapes(), 0
        for name, (dtype, shape) in self._growing(rooms).items():
            old = self.arrays[name]
            if name not in used or (shape == old.shape and dtype == old.dtype):
                continue
            *rows, length = (part.stop for part in _part(used[name], shape))
            size, row = np.dtype(dtype).itemsize, shape[-1]
            bytes_ += math.prod(rows) * min(row * size, length * size + _PAGE)
        return bytes_

    def _used_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return what is used of each array that grows, but of scratch."""
        rooms, players = self.used_rooms(), self._model.players
        # The playout that is being made has sets of actions, and may be in a new word.
        playouts, words = rooms.playouts + 1, rooms.playouts // 64 + 1
        edges = (*_EDGES, _CHILDREN, *_OWN, *_PERMUTATIONS)
        by_place = ("place_players", "place_codes", "place_seen")
        return {
            "nodes": (rooms.nodes,),
            **dict.fromkeys(edges, (rooms.edges,)),
            **dict.fromkeys(_AMAF, (rooms.blocks, rooms.places)),
            "moves": (rooms.moves,),
            "starts": (playouts,),
            "entries": (rooms.entries,),
            "playout_values": (playouts, players),
            "sets": (playouts, players * self.set_words),
            "bits": (rooms.places, words),
            "kept_sets": (playouts - 1, players * self.set_words),
            "rows": (playouts, rooms.places),
            "columns": (words, rooms.places),
            "won": (players, words),
            "parts": (1, words),
            "place_of": (players, rooms.codes),
            **dict.fromkeys(by_place, (rooms.places,)),
        }

    def used_rooms(self) -> Rooms:
        """Return how much of the room is used."""
        record = self.record[0]
        return Rooms(
            nodes=int(record["node_count"]),
            edges=int(record["edge_count"]),
            blocks=int(record["block_count"]),
            moves=int(record["move_count"]),
            entries=int(record["entry_count"]),
            playouts=int(record["simulations"]),
            places=int(record["place_count"]),
            codes=self.rooms.codes,
            wide=self.rooms.wide,
        )

    def used(self) -> int:
        """Return the bytes that the search works on, without room that is not used."""
        rooms = self.used_rooms()
        rooms.places = self.rooms.places if self.set_words else _padded(rooms.places)
        return self.bytes_of(rooms)

    def fitting_rooms(self, limit: int) -> Rooms | None:
        """Return room for what is used, for one iteration, and for a share more.

        Args:
            limit: The most bytes that all may take.

        Returns:
            The rooms with the greatest share that the limit allows; None: it allows
            none.
        """
        used, wanted = vars(self.used_rooms()), vars(self.wanted_rooms())
        model = self._model
        one = {
            "nodes": 2 * model.players,
            "edges": 2 * max(self._edges(), _padded(model.actions, 64)),
            "blocks": 1,
            "moves": int(self.record["wanted_moves"][0]),
            "entries": 2 * (int(self.record["deepest"][0]) + model.players),
            "playouts": 1,
            "places": _WORD,
        }
        for share in SHARES:
            rooms = {n: int(used[n] * (1.0 + share)) + more for n, more in one.items()}
            rooms = {n: min(room, wanted[n]) for n, room in rooms.items()}
            rooms["places"] = _padded(rooms["places"])
            if self.set_words:
                rooms["places"] = self.rooms.places
            elif self.rooms.places > MOST_ROW_PLACES:  # what has no rows gets none
                rooms["places"] = max(rooms["places"], MOST_ROW_PLACES + _WORD)
            found = Rooms(**rooms, codes=wanted["codes"], wide=wanted["wide"])
            if self.bytes_of(found) <= limit:
                return found
        return None

    def expected(
        self,
        simulations: int,
        length: int,
        places: int,
        greatest: int,
        deciding: int,
        parts: bool,
    ) -> int:
        """Return about how many bytes so many playouts will take.

        Args:
            simulations: How many.
            length: Moves of one.
            places: Codes of moves that turn up.
            greatest: The greatest of them.
            deciding: Players who decide at once.
            parts: Whether playouts are worth neither 0 nor 1 to somebody.
        """
        path = min(_PATH * deciding, length)
        ref = self._settings.ref
        nodes = simulations * deciding
        codes = self.rooms.codes
        # A node needs playouts to become a reference, and edges. The last references
        # of all paths share the playouts; and if each other one leads to two or more,
        # there are fewer others than last ones.
        seldom = simulations * min(path, 2 * deciding) // (ref + 1)
        return self.bytes_of(
            Rooms(
                nodes=nodes + deciding,
                edges=int(_EXPANDED * nodes * self._edges()),
                blocks=1 + min(int(_EXPANDED * nodes), seldom),
                moves=simulations * (path if self.set_words else length),
                entries=simulations * path,
                playouts=simulations,
                places=self.rooms.places if self.set_words else _padded(places + 1),
                codes=codes if greatest < codes else 1 << greatest.bit_length(),
                wide=parts or self._is_wide(simulations),
            )
        )


def _part(*shapes: tuple[int, ...]) -> tuple[slice, ...]:
    """Return the part of an array that all shapes have."""
    return tuple(slice(min(lengths)) for lengths in zip(*shapes, strict=True))


def _new(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Return zeros that begin at a line of the cache; untouched, they cost nothing.

    Raises:
        MemoryError: The machine does not give so much.
    """
    try:
        return zeros_apart(math.prod(shape), np.dtype(dtype)).reshape(shape)
    except MemoryError:
        wanted = math.prod(shape) * np.dtype(dtype).itemsize // MEBIBYTE
        raise MemoryError(
            f"the search needs an array of {wanted} MiB, which this machine does not "
            "give: set memory= (in MiB), or allow fewer simulations"
        ) from None
