"""The Python side of batched leaf evaluation: the evaluator's calls and its answers."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from mcts_agents.model import ForwardModel
from mcts_agents.search.batch_records import BATCH, LANE, WAITING_STEP
from mcts_agents.search.compiled import Compiled
from mcts_agents.search.memory import zeros_apart
from mcts_agents.search.settings import SearchSettings
from mcts_agents.search.status import (
    BAD_LOGITS,
    BAD_VALUES,
    EVALUATE,
    GROW,
    NO_LIMIT,
    SLICE_DONE,
)

# Descents in one call of compiled code, if no batch gets full.
DESCENTS = 256
# Steps of waiting descents that a batch has room for, besides one longest path.
STEPS_A_LANE = 64


class Evaluation:
    """The batches of one search, and the evaluator that answers them.

    Args:
        model: The game.
        settings: Complete settings, with an evaluator.
        compiled: The compiled functions.
    """

    def __init__(
        self, model: ForwardModel, settings: SearchSettings, compiled: Compiled
    ):
        self.model = model
        evaluator = settings.evaluator
        if hasattr(evaluator, "for_model"):
            evaluator = evaluator.for_model(model)
        self._evaluator = evaluator
        self._observe = getattr(evaluator, "observe", None)
        self._fill = compiled.entry("fill_batch")
        self._take_in = compiled.entry("take_in")
        self._add_noise = compiled.entry("add_root_noise")
        self._noise = float(settings.root_noise), float(settings.root_noise_alpha)
        self._shares = settings.value in ("win", "evaluate")
        movers = {"one": model.players, "pair": 2}.get(settings.tree, 1)
        lanes = 2 * settings.batch
        rows = settings.batch * movers
        steps = model.players * settings.max_depth + STEPS_A_LANE * lanes
        own = self._observe is not None
        shape = () if own else model.observation_shape
        lengths = {
            "lanes": (lanes, LANE),
            "steps": (steps, WAITING_STEP),
            "observations": (0 if own else rows * model.observation_size, np.int8),
            "states": (rows * model.state_size if own else 0, np.uint8),
            "players": (rows, np.int64),
            "legal": (rows * model.actions, np.uint8),
        }
        self._arrays = {
            name: zeros_apart(length, np.dtype(kind))
            for name, (length, kind) in lengths.items()
        }
        self._record = zeros_apart(1, BATCH)
        record = self._record[0]
        for name, array in self._arrays.items():
            record[name] = array.ctypes.data if len(array) else 0
        record["lane_limit"] = lanes
        record["step_limit"] = len(self._arrays["steps"])
        record["row_limit"] = rows
        record["size"] = settings.batch
        record["virtual_loss"] = settings.virtual_loss
        record["observation_size"] = model.observation_size
        record["actions"] = model.actions
        record["shares"] = self._shares
        # What the evaluator is shown: views that it cannot write to.
        self._shown = {
            "observations": self._view("observations", (rows, *shape)),
            "states": self._view("states", (rows, model.state_size)),
            "players": self._view("players", (rows,)),
            "legal": self._view("legal", (rows, model.actions)).view(np.bool_),
        }

    def _view(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        array = self._arrays[name]
        view = array.reshape(shape) if len(array) else array.view()
        view.flags.writeable = False
        return view

    def run(
        self,
        search: np.ndarray,
        grow: Callable[[], None],
        simulations: int,
        call_limit: int,
        deadline: float,
    ) -> int:
        """Search until a budget is spent; return the status of the last slice.

        Args:
            search: The SEARCH record.
            grow: Makes room in the search's arrays.
            simulations: Iterations to run.
            call_limit: Forward-model calls to make.
            deadline: `time.perf_counter()` at which to end.
        """
        addresses = search.ctypes.data, self._record.ctypes.data
        noise = search.ctypes.data, *self._noise
        for name in ("lane_count", "step_count", "row_count", "leaves", "others"):
            self._record[name] = 0
        # A root that is left of the last decision has its priors already.
        noise_due = self._noise[0] > 0.0 and not self._add_noise(*noise)
        done = search["simulations"]
        target = min(int(done[0]) + simulations, NO_LIMIT)
        while done[0] < target:
            began = time.perf_counter()
            status = self._fill(*addresses, DESCENTS, target, call_limit)
            if status == EVALUATE:
                self._answer(addresses)
                noise_due = noise_due and not self._add_noise(*noise)
            elif status == GROW:
                grow()
            elif status != SLICE_DONE:
                return status
            if deadline < NO_LIMIT:
                now = time.perf_counter()
                if now + (now - began) >= deadline:
                    if self._record["lane_count"][0]:
                        self._answer(addresses)
                    return SLICE_DONE
        return SLICE_DONE

    def _answer(self, addresses: tuple[int, int]) -> None:
        """Ask the evaluator about all that waits, and take its answers in."""
        rows = int(self._record["row_count"][0])
        shown = {name: view[:rows] for name, view in self._shown.items()}
        if self._observe is None:
            seen = shown["observations"]
        else:
            seen = self._observe(self.model, shown["states"], shown["players"])
        answer = self._evaluator(seen, shown["players"], shown["legal"])
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise ValueError(
                f"{self._named} returned {type(answer).__name__}; expected the tuple "
                "(values, logits)"
            )
        values = self._numbers("values", answer[0], (rows, self.model.players))
        logits = self._numbers("logits", answer[1], (rows, self.model.actions))
        status = self._take_in(*addresses, values.ravel(), logits.ravel())
        if status == BAD_VALUES:
            allowed = "shares of a win, from 0 to 1" if self._shares else "finite"
            raise ValueError(
                f"{self._named} returned values from {values.min()} to {values.max()};"
                f" expected numbers that are {allowed}"
            )
        if status == BAD_LOGITS:
            raise ValueError(
                f"{self._named} returned logits that are no numbers, infinite, or -inf "
                "for all legal actions of a position; expected finite ones, or -inf "
                "for some"
            )

    def _numbers(self, name: str, given: Any, shape: tuple[int, int]) -> np.ndarray:
        """Return what the evaluator gave as numbers of the right shape."""
        array = np.ascontiguousarray(given, np.float64)
        if array.shape != shape:
            raise ValueError(
                f"{self._named} returned {name} of shape {array.shape}; expected "
                f"{shape}: one row for each position"
            )
        return array

    @property
    def _named(self) -> str:
        return f"the evaluator {self._evaluator!r}"
