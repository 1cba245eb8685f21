"""The agents that search by AMAF and permutation statistics: RAVE, GRAVE and MCPS.

One class a kind, all of them `PermutationAgent` with another algorithm.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Unpack

import numpy as np

from mcts_agents.agents.agent import Planner
from mcts_agents.agents.kinds import AgentKind
from mcts_agents.model import ForwardModel, History, clock
from mcts_agents.model.copying.copy_options import (
    COPY_OPTIONS,
    CopyKeywords,
    CopyOptions,
)
from mcts_agents.names import unknown_name
from mcts_agents.permutation import PermutationSearch, PermutationSettings
from mcts_agents.permutation.settings import ALGORITHMS, options_of_algorithm
from mcts_agents.search import SearchResult
from mcts_agents.search.driver.one_thread import one_thread
from mcts_agents.search.options.option import options_of, set_options
from mcts_agents.search.options.showing import show_options

# Searches (their memory) that an agent keeps, for as many games at a time.
KEPT_SEARCHES = 8

# `int(game, state, player, action)`, compiled: records, not addresses.
Codes = Callable[[Any, Any, int, int], int]


class PermutationOptions(CopyKeywords, total=False):
    """The keywords of all agents of the family; `help` says what they mean."""

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


class PermutationAgent(Planner):
    """Plans by AMAF or permutation statistics; make one of its subclasses.

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

    algorithm: ClassVar[str]
    counts_visits = True

    def __init__(self, *, seed: int | None = None, **options: Any):
        if not hasattr(self, "algorithm"):
            names = ", ".join(agent.__name__ for agent in AGENTS)
            raise TypeError(f"PermutationAgent has no algorithm; make one of {names}")
        known = options_of_algorithm(self.algorithm)
        copying, searching = {}, {}
        for name, value in options.items():
            if name in COPY_OPTIONS:
                copying[name] = value
            elif name in known:
                searching[name] = value
            else:
                kind = f"option of {self.algorithm}"
                raise ValueError(unknown_name(kind, name, known))
        self.settings = PermutationSettings(algorithm=self.algorithm, **searching)
        self._searches: dict[int, PermutationSearch] = {}
        super().__init__(seed=seed, **copying)

    @property
    def seconds(self) -> float | None:
        """See `PermutationSettings`."""
        return self.settings.seconds

    @property
    def safety_margin(self) -> float:
        """See `PermutationSettings`."""
        return self.settings.safety_margin

    def value_scale(self, model: ForwardModel) -> str | None:
        """Return the name of what playouts are worth."""
        return self.settings.value

    @one_thread
    def prepare(self, model: ForwardModel, player: int = 0) -> None:
        """Set up the search's memory and its compiled code; see `Agent.prepare`."""
        self._search_of(model)

    @one_thread
    def search(
        self,
        model: ForwardModel,
        state: np.ndarray,
        player: int,
        history: History | None = None,
        *,
        started: float | None = None,
    ) -> SearchResult:
        """Search for `player`; see `Planner.search`."""
        started = clock.now() if started is None else started
        return self._search_of(model).run(
            state, player, self._rng, started=started, reserve=self._reserve
        )

    def _search_of(self, model: ForwardModel) -> PermutationSearch:
        """Return the search kept for a model, so that its memory is used again."""
        search = self._searches.pop(id(model), None)
        if search is None:
            if len(self._searches) == KEPT_SEARCHES:
                del self._searches[next(iter(self._searches))]
            search = PermutationSearch(model, self.settings)
        # The search holds the model, so that its id stays its own.
        self._searches[id(model)] = search
        return search

    def _given(self) -> dict[str, Any]:
        return _written(self, False)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_searches": {}}


class RAVEAgent(PermutationAgent):
    """RAVE: AMAF statistics of the node, mixed with those of its actions."""

    algorithm = "rave"

    def __init__(self, *, seed: int | None = None, **options: Unpack[RAVEOptions]):
        super().__init__(seed=seed, **options)


class GRAVEAgent(PermutationAgent):
    """GRAVE: AMAF statistics of the last ancestor with enough playouts."""

    algorithm = "grave"

    def __init__(self, *, seed: int | None = None, **options: Unpack[GRAVEOptions]):
        super().__init__(seed=seed, **options)


class MCPSAgent(PermutationAgent):
    """Monte Carlo Permutation Search: GRAVE, and playouts with the path's moves."""

    algorithm = "mcps"

    def __init__(self, *, seed: int | None = None, **options: Unpack[MCPSOptions]):
        super().__init__(seed=seed, **options)


AGENTS = (RAVEAgent, GRAVEAgent, MCPSAgent)
assert {agent.algorithm for agent in AGENTS} == ALGORITHMS.keys()

# What `tune` tries, by option; an algorithm's own options among these.
_SEARCH_SPACE = {
    "ref": "0|20|50|100|200|400",
    "bias": "0|1e-7|1e-5|1e-3",
    "final": "visits|value",
}


def _written(agent: PermutationAgent, full: bool) -> dict[str, Any]:
    names = options_of_algorithm(agent.algorithm)
    if full:
        return {name: getattr(agent.settings, name) for name in names}
    return {n: v for n, v in set_options(agent.settings).items() if n in names}


def _kind(agent: type[PermutationAgent]) -> AgentKind:
    names = options_of_algorithm(agent.algorithm)
    described = options_of(PermutationSettings)
    return AgentKind(
        name=agent.algorithm,
        agent=agent,
        make=agent,
        options=(*names, "seed"),
        written=_written,
        described={name: described[name] for name in names},
        budgets=("simulations", "seconds", "forward_model_calls"),
        search_space=tuple(f"{n}={w}" for n, w in _SEARCH_SPACE.items() if n in names),
    )


for _agent in AGENTS:
    show_options(
        _agent,
        PermutationSettings,
        besides=CopyOptions,
        only=options_of_algorithm(_agent.algorithm),
    )

KINDS = tuple(map(_kind, AGENTS))
