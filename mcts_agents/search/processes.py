"""One decision searched in several processes (root parallelism), where threads cannot.

Copied environments run in Python, of which a process runs one thread at a time. Each
process searches the same root with dice of its own and its share of the budget, as
threads do; visits are added, values averaged by visits. The result depends on the seed
and on the number of processes, not on how they are scheduled.
"""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from mcts_agents.model import ForwardModel, draw_uint64, new_generator
from mcts_agents.search.driver.merging import held_at_once, shared
from mcts_agents.search.driver.search import Search
from mcts_agents.search.forks import in_forks
from mcts_agents.search.inspection.result import SearchResult
from mcts_agents.search.inspection.root import RootStatistics
from mcts_agents.search.kernel.root_policies import root_policy_of
from mcts_agents.search.options.settings import SearchSettings

# What of a root is read from a tree, which stays in the process that has it.
_READ = ("principal_variation", "list_best", "read_node", "read_evaluation")
_SENT = tuple(f.name for f in fields(RootStatistics) if f.name not in _READ)


def search_in_processes(
    search: Search,
    state: np.ndarray,
    player: int,
    rng: np.ndarray,
    processes: int,
    *,
    started: float,
    reserve: float,
) -> SearchResult:
    """Search from `state` for `player`; see `Search.run`.

    The tree that the result shows is that of one process.

    Args:
        search: Of a copied environment.
        state: As in `Search.run`, as are the arguments below.
        player: The acting player.
        rng: The search's generator, advanced.
        processes: How many, from 2.
        started: When the decision began.
        reserve: Seconds before the end of a budget at which to end.

    Raises:
        ValueError: Something of the search cannot be shared out; or as `Search.run`.
        BaseException: Whatever the environment raises, in any process.
    """
    _check(search.model, search.settings, processes)

    def parts(deadline: float, actions: np.ndarray) -> list[RootStatistics]:
        seeds = [draw_uint64(rng) for _ in range(processes)]
        own: list[RootStatistics] = []

        def work(part: int) -> list[dict[str, Any]]:
            seed = np.random.SeedSequence([seeds[part], part])
            # Forks begin alike, with the same dice in the same copies.
            search.model.throw_again(state, seed.spawn(1)[0])
            generator = new_generator(seed)
            budget = shared(search.settings, processes, part)
            with search.sharing_memory(processes):
                own[:] = search.search_share(state, player, generator, budget, deadline)
            return [{name: getattr(root, name) for name in _SENT} for root in own]

        sent = in_forks(work, processes)
        # The last part was searched here: its tree can be read.
        others = [[replace(own[-1], **root) for root in part] for part in sent[:-1]]
        return held_at_once([*others, own])

    return search.run_by(parts, state, player, rng, started=started, reserve=reserve)


def _check(model: ForwardModel, settings: SearchSettings, processes: int) -> None:
    if not model.copies_environments:
        raise ValueError(
            f"processes={processes}: {model.name} is compiled; use threads={processes}"
        )
    policy = root_policy_of(settings.root_policy)
    if not policy.merges:
        raise ValueError(
            f"processes={processes}: root_policy={policy.name!r} needs the statistics "
            "of a single search; use processes=1"
        )
    for name in ("rollout_policy", "opponent_model", "evaluator"):
        value = getattr(settings, name)
        if value is not None and not isinstance(value, str):
            raise ValueError(
                f"processes={processes}: {name}={value!r} has a state of its own, "
                "which processes cannot share; use processes=1"
            )
    for name in ("reuse_tree", "keep_abstraction"):
        if getattr(settings, name):
            raise ValueError(
                f"processes={processes}: {name}=True needs a search that continues in "
                "one process; use processes=1"
            )
