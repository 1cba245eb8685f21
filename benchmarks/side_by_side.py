"""What several calls cost against one another, measured at the same time.

Other machines' work on the same processor makes one call take up to 1.7 times as long
as the same call a moment later. So each of several calls is repeated in a process of
its own, all at once, on one core: the operating system gives each a few milliseconds in
turn, whatever slows the core down slows all of them, and two equal calls are within 1%
of each other after eight seconds.
"""

import multiprocessing
import os
import statistics
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from typing import Any


def rates(
    calls: Mapping[str, Callable[[], Any]], seconds: float, rounds: int = 3
) -> dict[str, list[float]]:
    """Return how often each call is made in a second of its own processor time.

    Args:
        calls: By name. Each is made at least once a round, and in a copy of this
            process: what it changes is forgotten.
        seconds: Of a round, for each call.
        rounds: How often all this is measured.

    Returns:
        By name, one figure a round. Those of one round belong together.

    Raises:
        RuntimeError: A call failed; its traceback is on the standard error.
        OSError: This system cannot copy a process, or bind one to a core (Linux can).
    """
    if not hasattr(os, "fork") or not hasattr(os, "sched_setaffinity"):
        raise OSError("calls can be measured side by side on Linux only")
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, figure in zip(calls, _round(calls, seconds), strict=True):
            found[name].append(figure)
    return found


def _round(calls: Mapping[str, Callable[[], Any]], seconds: float) -> list[float]:
    context = multiprocessing.get_context("fork")
    together = context.Barrier(len(calls))
    core = min(os.sched_getaffinity(0))
    told = []
    for call in calls.values():
        receiver, sender = context.Pipe(duplex=False)
        arguments = (call, seconds * len(calls), core, together, sender)
        process = context.Process(target=_repeat, args=arguments, daemon=True)
        process.start()
        sender.close()
        told.append((receiver, process))
    figures = []
    for receiver, process in told:
        try:
            figures.append(receiver.recv())
        except EOFError as error:
            raise RuntimeError("a call failed") from error
        process.join()
    return figures


def _repeat(
    call: Callable[[], Any],
    seconds: float,
    core: int,
    together: Barrier,
    sender: Connection,
) -> None:
    os.sched_setaffinity(0, {core})
    together.wait()
    until, began, made = time.monotonic() + seconds, time.process_time(), 0
    while not made or time.monotonic() < until:
        call()
        made += 1
    sender.send(made / (time.process_time() - began))


def ratio(found: Mapping[str, list[float]], name: str, other: str) -> list[float]:
    """Return what `name` makes while `other` makes one, sorted, for each round."""
    pairs = zip(found[name], found[other], strict=True)
    return sorted(one / another for one, another in pairs)


def summary(ratios: list[float]) -> str:
    """Return the median of ratios, and the least and the greatest of them."""
    middle = statistics.median(ratios)
    return f"{middle:.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
