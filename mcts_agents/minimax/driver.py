"""`Minimax`: decisions in one game with one set of settings, deeper step by step."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcts_agents.minimax.compiled import compiled
from mcts_agents.minimax.kernel.nodes import KILLERS
from mcts_agents.minimax.kernel.records import (
    BAD_ACTION_VALUE,
    BAD_OUTCOMES,
    ENTRY,
    FINISHED,
    FRAME,
    MINIMAX,
    MOVE,
    NO_ACTION,
    NO_SHARES,
    NOT_IN_TURN,
    OUT_OF_BOUNDS,
    PASS,
    STEP,
)
from mcts_agents.minimax.settings import MEBIBYTE, MOST_DEPTH, MinimaxSettings
from mcts_agents.minimax.shown_root import ShownRoot
from mcts_agents.model import ForwardModel, clock
from mcts_agents.search.driver.callbacks import Callbacks
from mcts_agents.search.driver.decisions import Decisions
from mcts_agents.search.driver.memory import zeros_apart
from mcts_agents.search.inspection.result import SearchResult
from mcts_agents.search.kernel import plug_ins
from mcts_agents.search.kernel.records import LEAF, SETTINGS
from mcts_agents.search.kernel.status import (
    BAD_ACTION,
    BAD_MOVERS,
    BUDGET_SPENT,
    NO_LIMIT,
    NOT_FINITE,
    NOTHING_KEPT,
    SLICE_DONE,
)

# Nodes of the first slice.
FIRST_SLICE = 64
# Where Python code runs at each node, nobody knows how long it takes.
FIRST_SLOW_SLICE = 1
# Outcomes of one joint action that there is room for.
MOST_OUTCOMES = 1000


@dataclass
class Found:
    """What the deepest finished search found, or what one that was ended did.

    Attributes:
        action: The best action.
        value: The root player's value.
        values: The value of each action by its number: exact for the best one, at most
            this for others; NaN for those that were not searched.
        line: (player, action) pairs of best play.
        depth: Decisions looked ahead.
        complete: Whether nothing ended at the horizon.
    """

    action: int
    value: float
    values: np.ndarray
    line: list[tuple[int, int]]
    depth: int
    complete: bool


class Minimax(Decisions):
    """A minimax search of one model with one set of settings.

    It deepens one decision at a time until a budget is spent, the depth is reached, or
    nothing ends at the horizon any more. A step that is interrupted counts as far as it
    came, since it begins with the best action of the step before. If a budget does not
    suffice to value one action, which takes one state where players move in turn and
    many where they decide at once, the first action by static order is taken, and no
    value is known.

    Args:
        model: The game.
        settings: What to do; open choices are the game's.

    Raises:
        ValueError: Settings that the game cannot serve.
    """

    def __init__(self, model: ForwardModel, settings: MinimaxSettings):
        super().__init__(model, settings)
        name = "max_n" if settings.algorithm == "max-n" else "two_sided"
        module = compiled(name)
        self._begin, self._run_slice = module.begin, module.run_slice
        self._generation = 0
        self._set_up()

    # -- memory

    def _set_up(self) -> None:
        own = zeros_apart(1, np.dtype(np.int64))
        self._error = self.model.error if self.model.copies_environments else own
        self._callbacks = Callbacks(self.model, self._error)
        self.arrays = {
            name: zeros_apart(length, np.dtype(dtype))
            for name, (dtype, length) in self._lengths().items()
        }
        self.record = zeros_apart(1, MINIMAX)
        self._address = self.record.ctypes.data
        for name, array in self.arrays.items():
            self.record[name] = array.ctypes.data
            self.record[f"{name}_length"] = len(array)
        for name, number in self._numbers().items():
            self.record[name] = number
        self._write_leaf_value()
        self._whole = True

    @property
    def _plies(self) -> int:
        """The most frames on a path; a pass and a chance are no decisions."""
        model, settings = self.model, self.settings
        # Where the root player is skipped all opponents may be asked twice.
        each = 2 * (model.players - 1) if settings.passes(model) else 1
        plies = min((settings.depth or MOST_DEPTH) * each, MOST_DEPTH)
        return plies * (2 if model.chance else 1)

    @property
    def _rows(self) -> int:
        return self._plies + self.model.players + 3

    @property
    def _outcomes(self) -> int:
        """The most outcomes of a chance that are looked at."""
        if not self.model.chance:
            return 0
        return MOST_OUTCOMES if self.model.has("outcomes") else self.settings.samples

    @property
    def _slot(self) -> int:
        """Bytes that a state takes, in whole words."""
        word = np.dtype(np.uint64).itemsize
        return -(-self.model.state_size // word) * word

    def _lengths(self) -> dict[str, tuple[Any, int]]:
        """Return what each array is of, and its length."""
        model, rows = self.model, self._rows
        players, limit = model.players, model.legal_limit
        return {
            "table": (np.intp, model.table.size),
            "plug_ins": (np.intp, 10),
            "frames": (FRAME, rows),
            "moves": (MOVE, rows * (limit + 1)),
            "joints": (np.int32, rows * players),
            "states": (np.uint8, rows * self._slot),
            "lines": (STEP, rows * rows),
            "line_lengths": (np.int64, rows),
            "entries": (ENTRY, self._entries()),
            "killers": (np.int32, rows * KILLERS),
            "history": (np.int64, players * model.actions),
            "probabilities": (np.float64, rows * self._outcomes),
            "vectors": (np.float64, rows * players),
            "root_values": (np.float64, model.actions),
            "legal": (np.int32, model.legal_room),
            "joint_action": (np.int32, players),
            "heuristics": (np.float64, limit),
            "teams": (np.int32, players),
            "results": (np.int32, players),
            "scores": (np.float64, players),
            "evaluation": (np.float64, players),
            "values": (np.float64, players),
            "leaf": (LEAF, 1),
            "settings": (SETTINGS, 1),
            "rng": (np.uint64, 2),
        }

    def _numbers(self) -> dict[str, Any]:
        """Return what fields of the record say that are no arrays."""
        model, settings = self.model, self.settings
        bounded = settings.value in ("win", "evaluate")
        return {
            "game": model.game_address,
            "error": self._error.ctypes.data,
            "players": model.players,
            "legal_limit": model.legal_limit,
            "action_count": model.actions,
            "slot_size": self._slot,
            "most_outcomes": self._outcomes,
            "needs_scores": settings.value in ("score", "leader"),
            "needs_evaluation": settings.value == "evaluate",
            "has_action_values": model.has("action_values"),
            "has_key": model.has("state_key"),
            "lists_outcomes": model.has("outcomes"),
            "chance": model.chance,
            "samples": settings.samples,
            "star1": settings.star1 and bounded,
            "scouts": settings.algorithm == "negascout",
            "free_opponents": _number(settings.free_opponents),
            "free_moves": _number(settings.free_moves),
            "ranked_moves": settings.ranked_moves,
            "passes": settings.passes(model),
            "restricts": settings.restricts(model),
            "ordered": settings.ordering == "game",
            "uses_killers": settings.killers and self._cuts,
            "uses_history": settings.history and self._cuts,
            "filters": settings.action_filter == "game",
            "shallow": settings.shallow_pruning,
            "total": 1.0,
            "lowest": 0.0 if bounded else -math.inf,
            "highest": 1.0 if bounded else math.inf,
            "most_plies": self._plies,
            "rows": self._rows,
        }

    @property
    def _cuts(self) -> bool:
        # Max-n goes by static order alone, since it decides who wins ties.
        return self.settings.algorithm != "max-n"

    @property
    def _proves(self) -> bool:
        """Whether a search that never met its horizon has solved the game."""
        model, settings = self.model, self.settings
        return not (
            settings.restricts(model)
            or settings.action_filter == "game"
            or model.hidden_information
        )

    def _entries(self) -> int:
        """Return the length of the table of positions, a power of two or 0."""
        model, settings = self.model, self.settings
        sampled = model.chance and not model.has("outcomes")
        if (
            not settings.table
            or not model.has("state_key")
            or sampled
            or settings.algorithm == "max-n"
        ):
            return 0
        return 1 << ((settings.table * MEBIBYTE) // ENTRY.itemsize).bit_length() - 1

    def _write_leaf_value(self) -> None:
        arrays = self.arrays
        self._write_game(arrays)
        leaf = arrays["leaf"]
        for name in ("teams", "results", "scores", "evaluation"):
            leaf[name] = arrays[name].ctypes.data
        leaf["out"] = arrays["values"].ctypes.data
        value = self.settings.value
        if not isinstance(value, str):
            row = arrays["plug_ins"].reshape(-1, 2)[plug_ins.LEAF_VALUE]
            row[0] = self._callbacks.leaf_value(value)

    # -- a decision

    def _considered(self, state, player: int, actions: np.ndarray) -> np.ndarray:
        if self.settings.action_filter == "game":
            return self.model.filter_actions(state, player, actions)
        return actions

    def _search(self, state, player, rng, deadline) -> Found:
        self._start(state, player, rng)
        found = self._deepen(deadline)
        rng[:] = self.arrays["rng"]
        return found

    def _result(self, found, player, actions, rng) -> SearchResult:
        record = self.record
        return SearchResult(
            action=found.action,
            actions=actions,
            values=found.values[actions],
            forward_model_calls=int(record["forward_model_calls"][0]),
            nodes=int(record["nodes"][0]),
            depth=found.depth,
            bytes=sum(array.nbytes for array in self.arrays.values()),
            solved=found.complete and self._proves and not record["together"][0],
        ).showing(found.line, ShownRoot(player, actions, found.values[actions]))

    def _start(self, state, player, rng) -> None:
        record = self.record
        self._generation += 1
        self._state = state  # its address is in the record
        settings, arrays = self.settings, self.arrays
        arrays["rng"][:] = rng
        arrays["killers"][:] = NO_ACTION
        arrays["history"][:] = 0
        arrays["leaf"]["root_player"] = player
        record["root_state"] = state.ctypes.data
        record["root_player"] = player
        # What is found for one player is none of another's values.
        record["generation"] = self._generation
        record["node_limit"] = settings.nodes or NO_LIMIT
        record["root_best"] = NO_ACTION
        for name in (
            "nodes",
            "forward_model_calls",
            "stop",
            "greatest_history",
            "together",
        ):
            record[name] = 0
        self._error[0] = 0

    def _deepen(self, deadline: float) -> Found:
        watch = clock.Watch(deadline, self.record["stop"])
        with self._callbacks.signals():
            found = clock.watched(watch, self._deepen_within, deadline)
        self._raise_pending()
        return found

    def _deepen_within(self, deadline: float) -> Found:
        found: Found | None = None
        last = self.settings.depth or MOST_DEPTH
        for depth in range(1, last + 1):
            self.arrays["root_values"][:] = np.nan
            status = self._search_to(depth, deadline)
            if status not in (FINISHED, BUDGET_SPENT):
                self._fail(status)
            now = self._read(depth, status == FINISHED)
            if now is not None:
                found = now
                self.record["root_best"] = found.action
            if found is None:
                return self._first()
            if status == BUDGET_SPENT or found.complete:
                break
            spent = self.record["nodes"][0] >= self.record["node_limit"][0]
            if spent or clock.now() >= deadline:
                break
        return found

    def _search_to(self, depth: int, deadline: float) -> int:
        """Search to one depth; return the status."""
        status = self._begin(self._address, depth)
        if status != SLICE_DONE:
            return status
        slow = self._callbacks.used or self.model.copies_environments
        first = FIRST_SLOW_SLICE if slow else FIRST_SLICE
        return self._run_slices(self.record["nodes"], first, deadline)

    def _slice(self, size: int) -> int:
        return self._run_slice(self._address, size)

    def _read(self, depth: int, finished: bool) -> Found | None:
        """Return what the search has found; None if it has not valued one action."""
        root = self.arrays["frames"][0]
        if root["best"] == NO_ACTION:
            return None
        length = int(self.arrays["line_lengths"][0])
        steps = self.arrays["lines"][:length].tolist()
        return Found(
            action=int(root["best"]),
            value=float(root["value"]),
            values=self.arrays["root_values"].copy(),
            line=[(player, action) for player, action in steps if action != PASS],
            depth=depth if finished else depth - 1,
            complete=finished and bool(root["complete"]),
        )

    def _first(self) -> Found:
        """Return the action that a search tried first, of which it knows nothing."""
        action = int(self.arrays["moves"][0]["action"])
        line = [(int(self.arrays["frames"][0]["player"]), action)]
        values = self.arrays["root_values"].copy()
        return Found(action, math.nan, values, line, depth=0, complete=False)

    def _raise_pending(self) -> None:
        self._callbacks.raise_pending()
        self.model.raise_pending()

    def _fail(self, status: int) -> None:
        self._raise_pending()
        values = self.arrays["values"].tolist()
        words = {
            BAD_ACTION: "`legal_actions` lists an action outside of 0 to "
            f"{self.model.actions - 1} (Spec.actions)",
            BAD_MOVERS: "`movers` returns a mask of other players than 0 to "
            f"{self.model.players - 1}; return one bit for each player who decides",
            NOT_FINITE: f"a state's value is infinite or NaN: {values}",
            BAD_ACTION_VALUE: "`action_values` must write finite numbers",
            OUT_OF_BOUNDS: f"`evaluate` must give values from 0 to 1, not {values}",
            NO_SHARES: f"the values of a state add up to more than 1: {values}; use "
            "shallow_pruning=False",
            NOTHING_KEPT: "`filter_actions` must return from 1 to as many actions as "
            "it was given",
            BAD_OUTCOMES: f"`outcomes` must list from 1 to {MOST_OUTCOMES} "
            "probabilities, none below 0, whose sum is 1",
            NOT_IN_TURN: "several players decide at once, and opponents who do can "
            "not pass; use brs-plus or paranoid-alphabeta",
        }
        raise RuntimeError(
            f"{self.model.name}: {words.get(status, self._no_legal_action())}"
        )


def _number(limit: int | None) -> int:
    return NO_LIMIT if limit is None else limit
