"""Agents that search with AMAF and permutation statistics: RAVE, GRAVE and MCPS.

One class a kind, all of them `PermutationAgent` with another algorithm.
"""

from collections.abc import Callable
from typing import Any, Literal, Unpack

from mcts_agents.agents.families import FamilyAgent, kind_of
from mcts_agents.model.copying.copy_options import CopyKeywords
from mcts_agents.permutation import (
    ALGORITHMS,
    PermutationSearch,
    PermutationSettings,
)

# `int(game, state, player, action)`, compiled: records, not addresses.
Codes = Callable[[Any, Any, int, int], int]


class PermutationOptions(CopyKeywords, total=False):
    """The keywords of all agents of the family; `help` explains them."""

    simulations: int | None
    seconds: float | None
    safety_margin: float
    forward_model_calls: int | None
    memory: int | None
    codes: Literal["exact", "abstract", "specific"] | Codes
    value: Literal["win", "score", "leader"]
    score_bonus: float | None
    rollout: int
    nodes: Literal["position", "path"] | None
    max_depth: int
    final: Literal["visits", "value"]


class RAVEOptions(PermutationOptions, total=False):
    """The keywords of `RAVEAgent`."""

    bias: float


class MCPSOptions(PermutationOptions, total=False):
    """The keywords of `MCPSAgent`."""

    ref: int


class GRAVEOptions(RAVEOptions, MCPSOptions, total=False):
    """The keywords of `GRAVEAgent`."""


class PermutationAgent(FamilyAgent):
    """Plans with AMAF or permutation statistics; use one of the subclasses.

    Where something is hidden, each playout begins in a world that is sampled from all
    that the player cannot rule out.

    Attributes:
        algorithm: The algorithm, of `mcts_agents.permutation.ALGORITHMS`.
        settings: The search's settings.

    Args:
        seed: See `Agent`.
        **options: Options of the search, such as `simulations=5000`, `ref=50` or
            `codes="abstract"`; docs/permutation_options.md lists them.

    Raises:
        ValueError: An unknown option or a value that is not allowed.
    """

    counts_visits = True
    settings_class = PermutationSettings
    search_class = PermutationSearch


class RAVEAgent(PermutationAgent):
    """RAVE: mixes the AMAF statistics and the mean values of a node.

    Source: Gelly, Silver, "Monte-Carlo tree search and rapid action value estimation in
    computer Go", 2011.
    """

    algorithm = "rave"

    def __init__(self, *, seed: int | None = None, **options: Unpack[RAVEOptions]):
        super().__init__(seed=seed, **options)


class GRAVEAgent(PermutationAgent):
    """GRAVE: AMAF statistics of the last ancestor with enough playouts.

    Source: Cazenave, "Generalized rapid action value estimation", IJCAI 2015.
    """

    algorithm = "grave"

    def __init__(self, *, seed: int | None = None, **options: Unpack[GRAVEOptions]):
        super().__init__(seed=seed, **options)


class MCPSAgent(PermutationAgent):
    """Monte Carlo Permutation Search: GRAVE, and playouts with the path's moves.

    Source: Cazenave, "Monte Carlo Permutation Search", 2025.
    """

    algorithm = "mcps"

    def __init__(self, *, seed: int | None = None, **options: Unpack[MCPSOptions]):
        super().__init__(seed=seed, **options)


AGENTS = (RAVEAgent, GRAVEAgent, MCPSAgent)
assert {agent.algorithm for agent in AGENTS} == ALGORITHMS.keys()

# What `tune` tries; see `kind_of`.
_TRIED = {
    "ref": "0|20|50|100|200|400",
    "bias": "0|1e-7|1e-5|1e-3",
    "final": "visits|value",
}


_BUDGETS = ("simulations", "seconds", "forward_model_calls")
KINDS = tuple(kind_of(agent, _BUDGETS, _TRIED) for agent in AGENTS)
