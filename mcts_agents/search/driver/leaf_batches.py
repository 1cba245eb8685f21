"""The Python side of batched leaf evaluation: the evaluator's calls and its answers."""

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from mcts_agents.model import ForwardModel, clock
from mcts_agents.model.copying.copied import CopiedEnvironment
from mcts_agents.search.driver.compiled import Compiled
from mcts_agents.search.driver.memory import zeros_apart
from mcts_agents.search.kernel import answered, rewards
from mcts_agents.search.kernel.batch_records import LANE, WAITING_STEP
from mcts_agents.search.kernel.status import (
    BAD_VALUES,
    BUDGET_SPENT,
    EVALUATE,
    GROW,
    NO_LIMIT,
    SLICE_DONE,
)
from mcts_agents.search.options.settings import SearchSettings

# Descents in one call of compiled code, if no batch gets full; where a decision has a
# budget of time, as many as take so many seconds.
DESCENTS = 256
SLICE_SECONDS = 0.001
# Steps of waiting descents that a batch has room for, besides one longest path.
STEPS_A_LANE = 64


class AnsweredLater:
    """An evaluator whose answers the caller of a search in steps gives; see `Search`.

    So one call of a network may serve hundreds of searches.

    Args:
        observe: `(model, states, players) -> observations`, as of other evaluators;
            None: the game's own observations.
    """

    def __init__(self, observe: Callable[..., np.ndarray] | None = None):
        if observe is not None:
            self.observe = observe

    def __call__(self, observations, players, legal):
        """Raise RuntimeError: there are no answers here."""
        raise RuntimeError(
            "AnsweredLater has no answers itself: search in steps, with "
            "`Search.begin`, `advance`, `leaves` and `answer`"
        )


def rows_of_leaf(model: ForwardModel, settings: SearchSettings) -> int:
    """Return the most rows that a leaf has: one for each player that is asked for."""
    if answered.is_on(settings):
        return model.players
    return {"self": 1, "pair": 2}.get(settings.tree, model.players)


class Evaluation:
    """The batches of one search, and the evaluator that answers them.

    Args:
        model: The game.
        settings: Complete settings, with an evaluator.
        compiled: The compiled functions.
        record: The search's BATCH record, (1,).
        zeros: What makes the arrays, from a length and a dtype.
    """

    def __init__(
        self,
        model: ForwardModel,
        settings: SearchSettings,
        compiled: Compiled,
        record: np.ndarray,
        zeros: Callable[[int, np.dtype], np.ndarray] = zeros_apart,
    ):
        self.model = model
        evaluator = settings.evaluator
        if hasattr(evaluator, "for_model"):
            evaluator = evaluator.for_model(model)
        self._evaluator = evaluator
        self._observe = observing(model, evaluator)
        self.later = isinstance(evaluator, AnsweredLater)
        # Held while the evaluator works; searches in threads have one together.
        self.lock = threading.Lock()
        self._run_slice = compiled.entry("waiting_run_slice")
        self._take_in = compiled.entry("take_answers")
        self._add_noise = compiled.entry("add_root_noise")
        self._noise = float(settings.root_noise), float(settings.root_noise_alpha)
        self._noise_due = False
        self._answering = 0.0  # seconds of the evaluator's last call
        self._shares = is_of_shares(settings)
        lanes = 2 * settings.batch
        rows = settings.batch * rows_of_leaf(model, settings)
        steps = model.players * settings.max_depth + STEPS_A_LANE * lanes
        own = self._observe is not None
        discounted = rewards.is_on(settings)
        shape = () if own else model.observation_shape
        lengths = {
            "lanes": (lanes, LANE),
            "steps": (steps, WAITING_STEP),
            "observations": (0 if own else rows * model.observation_size, np.int8),
            "states": (rows * model.state_size if own else 0, np.uint8),
            "players": (rows, np.int64),
            "nodes": (rows, np.int64),
            "legal": (rows * model.actions, np.uint8),
            "rewards": (steps * model.players * discounted, np.float64),
            "factors": (steps * discounted, np.float64),
            "scores": (lanes * model.players * discounted, np.float64),
        }
        self._arrays = {
            name: zeros(length, np.dtype(kind))
            for name, (length, kind) in lengths.items()
        }
        self._record = record
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
        check_cancelled: Callable[[], None],
        grow: Callable[[], None],
        growing: Callable[[], float],
        simulations: int,
        call_limit: int,
        deadline: float,
    ) -> int:
        """Search until a budget is spent; return the status of the last slice.

        The evaluator is not asked for another batch that would not be answered in time,
        if it takes as long as the last one; a batch that waits is always answered.
        Where Python steps an environment, the clock is looked at after each step, and
        no other is made when so much time is left as the last call took. So a decision
        ends later than `deadline` by one step or one call of the evaluator at the most,
        and it takes up to two calls, however little time there is: of the root (unless
        it was kept) and of a leaf (unless the game is over there).

        Args:
            search: The SEARCH record.
            check_cancelled: Raises if the search was cancelled.
            grow: Makes room in the search's arrays.
            growing: Returns about how many seconds that will take.
            simulations: Iterations to run.
            call_limit: Forward-model calls to make.
            deadline: The time by `clock.now` at which to end; inf for none.
        """
        done = search["simulations"]
        target = min(int(done[0]) + simulations, NO_LIMIT)
        waiting = self._record["lane_count"]
        self._record["target"] = target
        watch = clock.running()
        assert watch is not None  # a search with an evaluator always has one
        timed = deadline < math.inf
        descents = 1 if timed else DESCENTS
        status = SLICE_DONE
        while done[0] < target:
            check_cancelled()
            began, before = clock.now(), int(done[0]) + int(waiting[0])
            # Descends until a batch is full, or so many times.
            watch.deadline = deadline - self._answering
            status = self._run_slice(self._address, descents, call_limit)
            watch.deadline = deadline
            filled = clock.now()
            descended = int(done[0]) + int(waiting[0]) - before
            if status == EVALUATE and self.later:
                return status
            if status == EVALUATE:
                self._ask()
            elif status == GROW:
                late = filled + growing() + self._answering >= deadline
                if timed and late and self._has_simulation(search):
                    status = BUDGET_SPENT
                    break
                grow()
            elif status != SLICE_DONE:
                break
            status = SLICE_DONE
            if timed and self._has_simulation(search):
                if descended:
                    descents = _descents_in_time(descended, filled - began)
                if clock.now() + (filled - began) + self._answering >= deadline:
                    status = BUDGET_SPENT
                    break
        if status == BUDGET_SPENT and waiting[0] and not self.later:
            self._ask()
        return status

    def _has_simulation(self, search: np.ndarray) -> bool:
        """Whether there was one, or one waits: the root's own evaluation is none."""
        below = self._arrays["lanes"]["step_count"][0] > 0
        return bool(
            search["simulations"][0] or (self._record["lane_count"][0] and below)
        )

    def begin(self, search: np.ndarray) -> None:
        """Begin a decision: nothing waits, and the root has no noise yet."""
        for name in ("lane_count", "step_count", "row_count", "leaves", "others"):
            self._record[name] = 0
        self._address = search.ctypes.data
        self._noise_due = self._noise[0] > 0.0
        # A root that is left of the last decision has its priors already.
        self._add_noise_once()

    def _add_noise_once(self) -> None:
        if self._noise_due:
            self._noise_due = not self._add_noise(self._address, *self._noise)

    @property
    def waiting(self) -> int:
        """How many rows wait for an answer."""
        return int(self._record["row_count"][0])

    def shown(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what the evaluator is asked: observations, players and legal sets.

        Row by row of all that waits; read-only, and valid until they are answered.
        """
        rows, shown = self.waiting, self._shown
        players = shown["players"][:rows]
        if self._observe is None:
            seen = shown["observations"][:rows]
        else:
            seen = self._observe(self.model, shown["states"][:rows], players)
        return seen, players, shown["legal"][:rows]

    def _ask(self) -> None:
        """Ask the evaluator about all that waits, and take its answers in."""
        began = clock.now()
        with self.lock:
            answer = self._evaluator(*self.shown())
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise ValueError(
                f"the evaluator {self._evaluator!r} returned {type(answer).__name__}; "
                "expected the tuple (values, logits)"
            )
        self.answer(*answer)
        self._answering = clock.now() - began

    def answer(self, values: Any, logits: Any) -> None:
        """Take in the values and logits of all that waits, a row each.

        Raises:
            ValueError: Another shape, or numbers that are no values or logits; then
                nothing has been taken in.
        """
        rows, asked = self.waiting, self._evaluator
        values = rows_of_numbers(asked, "values", values, (rows, self.model.players))
        logits = rows_of_numbers(asked, "logits", logits, (rows, self.model.actions))
        status = self._take_in(self._address, values.ravel(), logits.ravel())
        if status != SLICE_DONE:
            raise bad_answer(asked, status, values, self._shares)
        self._add_noise_once()


def observing(model: ForwardModel, evaluator: Any) -> Callable[..., np.ndarray] | None:
    """Return what shows states to an evaluator, or None: the game's own observations.

    It is called with the model, the states, and a player for each.
    """
    own = getattr(evaluator, "observe", None)
    if own is None and isinstance(model, CopiedEnvironment):
        return CopiedEnvironment.observations
    return own


def is_of_shares(settings: SearchSettings) -> bool:
    """Whether values are shares of a win, from 0 to 1."""
    return settings.value in ("win", "evaluate")


def rows_of_numbers(
    evaluator: Any, name: str, given: Any, shape: tuple[int, int]
) -> np.ndarray:
    """Return what an evaluator gave as float64 of the right shape.

    Args:
        evaluator: Who gave it. (To write down what a network consists of takes longer
            than a small batch, so that is done for a message only.)
        name: What it gave.
        given: What NumPy makes an array of.
        shape: What is expected.

    Raises:
        ValueError: Another shape.
    """
    array = np.asarray(given, np.float64, order="C")
    if not array.flags.behaved:
        array = array.copy()  # compiled code takes none that is read-only
    if array.shape != shape:
        raise ValueError(
            f"the evaluator {evaluator!r} returned {name} of shape {array.shape}; "
            f"expected {shape}: one row for each position"
        )
    return array


def bad_answer(
    evaluator: Any, status: int, values: np.ndarray, shares: bool
) -> ValueError:
    """Return the exception for answers that compiled code did not take.

    Args:
        evaluator: Who gave them.
        status: BAD_VALUES or BAD_LOGITS.
        values: What it gave as values.
        shares: Whether these are shares of a win.
    """
    named = f"the evaluator {evaluator!r}"
    if status == BAD_VALUES:
        allowed = "shares of a win, from 0 to 1" if shares else "finite"
        return ValueError(
            f"{named} returned values from {values.min()} to {values.max()}; expected "
            f"numbers that are {allowed}"
        )
    return ValueError(
        f"{named} returned logits that are NaN, infinite, or -inf for all legal "
        "actions of a position; expected finite ones, or -inf for some"
    )


def _descents_in_time(last: int, seconds: float) -> int:
    """Return the descents of the next slice; `last` of them took so many seconds."""
    wanted = SLICE_SECONDS * last / seconds if seconds > 0.0 else math.inf
    return int(max(1, min(4 * last, wanted, DESCENTS)))
