"""The result of a decision: the statistics of its root, and the move that is made."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from mcts_agents.model import clock
from mcts_agents.search.driver.workspace import Workspace
from mcts_agents.search.inspection.result import SearchResult
from mcts_agents.search.inspection.root import (
    RootStatistics,
    checked_place,
    checked_shares,
)
from mcts_agents.search.inspection.tree_node import TreeNode
from mcts_agents.search.inspection.tree_reader import TreeReader, proven_text
from mcts_agents.search.kernel.abstraction import POOL_BYTES
from mcts_agents.search.kernel.records import JOINT_BYTES, UNPROVEN
from mcts_agents.search.kernel.root_policies import root_policy_of
from mcts_agents.search.kernel.tree_policies import tree_policy_of
from mcts_agents.search.options.settings import SearchSettings


def forced_result(
    settings: SearchSettings, player: int, actions: np.ndarray, only: int
) -> SearchResult:
    """Return the result of a decision that needs no search.

    Args:
        settings: Complete settings.
        player: The acting player.
        actions: The legal actions, int32.
        only: The action that there is to choose.
    """
    draws = tree_policy_of(settings.tree_policy).draws
    return SearchResult(
        action=only,
        actions=actions,
        visits=np.zeros(len(actions), np.int64),
        values=np.full(len(actions), np.nan),
        strategy=(actions == only) * 1.0 if draws else None,
        _read_variation=lambda: [(player, only)],
    )


def read_root(
    workspace: Workspace,
    player: int,
    actions: np.ndarray,
    reused: int,
    reader: Callable[[], TreeReader],
) -> RootStatistics:
    """Read the statistics of the acting player's decision.

    Args:
        workspace: That of the search.
        player: The acting player.
        actions: The legal actions, int32.
        reused: Visits of the root that were left from the last decision.
        reader: Returns what reads the trees, or raises if the search has gone on.
    """
    search, memory = workspace.record, workspace.memory
    root_tree = workspace.root_tree(player)
    record = search[0]
    outcome = int(memory.arrays["edges"]["outcome"][0])
    nodes, edges = int(record["node_count"]), int(record["edge_count"])
    tables = 4 * int(record["joint_count"]) * JOINT_BYTES
    tables += int(record["pool_count"]) * POOL_BYTES
    strategy = None
    if tree_policy_of(workspace.settings.tree_policy).draws:
        strategy = workspace.reader().average_strategy(root_tree, player, actions)
    return RootStatistics.read(
        partial(workspace.compiled.entry("read_root"), search.ctypes.data),
        root_tree,
        player,
        actions,
        strategy=strategy,
        principal_variation=lambda action: reader().principal_variation(
            root_tree, player, action
        ),
        list_best=workspace.compiled.entry("list_best"),
        simulations=int(record["simulations"]),
        forward_model_calls=int(record["forward_model_calls"]),
        nodes=nodes,
        depth=int(record["deepest"]),
        solved=outcome != UNPROVEN,
        proven=proven_text(outcome, int(memory.arrays["teams"][player])),
        reused=reused,
        cut_short=bool(record["cut_short"]),
        value_range=_value_range(record, player),
        bytes=nodes * memory.node_bytes + edges * memory.edge_bytes + tables,
        read_node=lambda: TreeNode(reader, reader().node(root_tree, player)),
        read_evaluation=lambda: reader().evaluation(root_tree, player, actions),
    )


def _value_range(record: np.void, player: int) -> tuple[float, float]:
    """Return which of a player's values count as 0 and 1."""
    if not record["normalise"]:
        return 0.0, 1.0
    own = player * int(record["own_ranges"])
    return float(record["low"][own]), float(record["high"][own])


def result_of(
    parts: Sequence[RootStatistics],
    settings: SearchSettings,
    rng: np.ndarray,
    started: float,
) -> SearchResult:
    """Return the result of the searches of one decision.

    Args:
        parts: What each has found.
        settings: Complete settings.
        rng: Breaks ties of the final move; advanced.
        started: When the decision began, by `clock.now`.

    Raises:
        ValueError: What the root policy chooses or tells is no action, or are no
            probabilities.
    """
    root = RootStatistics.merged(parts, settings)
    policy = root_policy_of(settings.root_policy)
    if policy.final is not None:
        best = checked_place(policy, policy.final(root, settings, rng), root)
    else:
        final = settings.final
        if settings.determinizations > 1 and settings.combine == "vote":
            final = "sample" if final == "sample" else "visits"  # which are votes
        best = root.best(final, rng)
    told = None
    if policy.policy is not None:
        told = checked_shares(policy, policy.policy(root, settings), root)
    shown = parts[-1]
    action = int(root.actions[best])
    return SearchResult(
        action=action,
        actions=root.actions,
        visits=root.visits,
        values=root.values,
        strategy=root.strategy,
        _read_variation=lambda: shown.principal_variation(action),
        simulations=root.simulations,
        forward_model_calls=root.forward_model_calls,
        seconds=clock.now() - started,
        nodes=root.nodes,
        depth=root.depth,
        solved=root.solved,
        proven=root.proven,
        reused=root.reused,
        bytes=root.bytes,
        _read_root=shown.read_node,
        _policy=told,
    )
