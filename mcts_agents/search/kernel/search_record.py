"""The record of a running search and its arrays, put together from all parts."""

from typing import Any

import numpy as np

from mcts_agents.model import ForwardModel
from mcts_agents.search.kernel import (
    abstraction,
    action_heuristics,
    answered,
    back_up,
    backup_operators,
    batches,
    candidates,
    closed_loop,
    descent,
    graph,
    iterations,
    lane,
    leaf_values,
    mast,
    pair,
    priors,
    records,
    reuse,
    rewards,
    rollout,
    root_policies,
    solver,
    trace,
    tree_policies,
    widening,
)
from mcts_agents.search.kernel.parts import Array, Part

PARTS: tuple[Part, ...] = tuple(
    file.PART
    for file in (
        records,
        iterations,
        lane,
        descent,
        candidates,
        tree_policies,
        root_policies,
        action_heuristics,
        widening,
        abstraction,
        rollout,
        trace,
        mast,
        leaf_values,
        rewards,
        back_up,
        backup_operators,
        batches,
        priors,
        solver,
        graph,
        closed_loop,
        answered,
        pair,
        reuse,
    )
)

ARRAYS: dict[str, Array] = {n: a for part in PARTS for n, a in part.arrays.items()}

# What it was asked, what it has used, and one descent (lane).
SEARCH = np.dtype(
    [
        field
        for name in ARRAYS
        for field in ((name, np.intp), (f"{name}_length", np.int64))
    ]
    + [field for part in PARTS for field in part.fields],
    align=True,
)


def keeps_statistics(settings: Any) -> bool:
    """Whether edges have a STATISTIC record each."""
    return any(part.keeps_statistics(settings) for part in PARTS)


def is_extended(settings: Any) -> bool:
    """Whether a search needs more than the plain kernel."""
    return keeps_statistics(settings) or any(part.extended(settings) for part in PARTS)


def kernel_of(settings: Any) -> str:
    """Return the name of the kernel that a search runs in; see `variants`."""
    if batches.is_on(settings):
        return "waiting"
    if closed_loop.is_on(settings):
        return "stored"
    return "extended" if is_extended(settings) else "plain"


def blank_record(model: ForwardModel, settings: Any) -> np.ndarray:
    """Return what the SEARCH record says at the beginning of every decision, (1,).

    Addresses, and what depends on the acting player, are still to be written.
    """
    record = np.zeros(1, SEARCH)
    for part in PARTS:
        for name, value in part.values(model, settings).items():
            record[name] = value
    record["keeps_statistics"] = keeps_statistics(settings)
    return record


def write_numbers(settings: Any, record: np.ndarray) -> None:
    """Write the numbers that plug-ins read into a SETTINGS record, (1,)."""
    for part in PARTS:
        for name, value in part.numbers(settings).items():
            record[name] = value
