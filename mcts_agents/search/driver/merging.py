"""Several searches of one decision: on several determinizations, in several threads.

`Search.run` asks for both (`threads`, `determinizations`). With several
determinizations no iteration draws a world of its own, whatever `information` says
(`descent.samples_worlds`). Simulations and forward-model calls are shared out, at least
1 for each part. `RootStatistics.merged` merges the parts of several determinizations as
`combine` says, and `SearchSettings.for_model` makes `value` the default of `final` for
averages.

Determinizations refuse games that hide nothing. Threads refuse copied environments and
Python functions, but take an evaluator (`options/applicability.py`). Both refuse
`reuse_tree` (`kernel/reuse.py`) and searches in steps (`Search.begin`), and
`opponent_information=separate` refuses several determinizations (`kernel/descent.py`).
"""

import threading
from concurrent.futures import (
    FIRST_EXCEPTION,
    CancelledError,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import replace

import numpy as np

from mcts_agents.interrupts import PATIENCE, interrupt_held
from mcts_agents.model import clock, draw_uint64, new_generator
from mcts_agents.search.inspection.root import RootStatistics

# More than threads ever take to start.
STARTING_SECONDS = 60.0


def share(budget: int | None, parts: int, part: int) -> int | None:
    """Return a part's share of a budget of integers; at least 1."""
    if budget is None:
        return None
    return max(1, budget // parts + (part < budget % parts))


def shared(settings, parts: int, part: int):
    """Return settings with a part's share of simulations and calls."""
    return replace(
        settings,
        simulations=share(settings.simulations, parts, part),
        forward_model_calls=share(settings.forward_model_calls, parts, part),
    )


def search_forest(
    search, state, player, rng, settings, deadline
) -> list[RootStatistics]:
    """Search a tree on each of several determinizations, one after another (PIMC).

    Each has an even share of the time that is left when it begins; once the time is
    over no further one is begun.

    Source: J. Long, N. Sturtevant, M. Buro, T. Furtak, "Understanding the success of
    perfect information Monte Carlo sampling in game tree search", AAAI 2010.
    """
    parts = []
    search.decay_averages(player)
    count = settings.determinizations
    for part in range(count):
        now = clock.now()
        if parts and now >= deadline:
            break
        world = search.model.copy(state)
        search.model.redeterminise(world, player, rng)
        budget = shared(settings, count, part)
        end = now + (deadline - now) / (count - part)
        parts.append(search.search_once(world, player, rng, budget, end))
    return parts


def held_at_once(parts: list[list[RootStatistics]]) -> list[RootStatistics]:
    """Return the roots of searches that went on at once, each with the bytes of all.

    Args:
        parts: The roots of each search; it held their trees one after another.
    """
    whole = sum(max(root.bytes for root in roots) for roots in parts)
    return [replace(root, bytes=whole) for roots in parts for root in roots]


def search_threads(
    searches, state, player, rng, settings, deadline
) -> list[RootStatistics]:
    """Search the same root in several threads, each with a generator of its own.

    Compiled code runs without Python's lock. The result depends on the seed and on the
    number of threads, not on how they are scheduled.
    """
    count = len(searches)
    seeds = [draw_uint64(rng) for _ in range(count)]
    # Nobody searches before all threads are there: the pool never waits for a thread
    # that was just being started when Ctrl-C came, so such a one must not be at work.
    begun, complete = threading.Event(), False

    def run(part: int) -> list[RootStatistics]:
        # The limit is for an interrupt of what an interrupt leads to.
        if not begun.wait(STARTING_SECONDS) or not complete:
            raise CancelledError
        own = new_generator(np.random.SeedSequence([seeds[part], part]))
        budget = replace(shared(settings, count, part), threads=1)
        return searches[part].search_share(state, player, own, budget, deadline)

    with ThreadPoolExecutor(count) as pool:
        try:
            with interrupt_held():
                try:
                    running = [pool.submit(run, part) for part in range(count)]
                    complete = True
                finally:
                    begun.set()
            ended, left = set(), set(running)
            # Ctrl-C is heard here; and if one fails the others need not go on.
            while left and not any(future.exception() for future in ended):
                with interrupt_held():
                    ended, left = wait(running, PATIENCE, FIRST_EXCEPTION)
            for future in ended:
                future.result()
            return held_at_once([future.result() for future in running])
        except BaseException:
            for search in searches:
                search.cancel()
            raise
