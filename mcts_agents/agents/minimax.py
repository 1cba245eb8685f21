"""The agents of the minimax family: alpha-beta and its kin, for any number of players.

One class a kind, all of them `MinimaxAgent` with another algorithm.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from mcts_agents.agents.agent import Planner
from mcts_agents.agents.kinds import AgentKind
from mcts_agents.minimax import Minimax, MinimaxSettings
from mcts_agents.minimax.settings import ALGORITHMS, options_of_algorithm
from mcts_agents.model import ForwardModel, History, clock
from mcts_agents.model.copying.copy_options import (
    COPY_OPTIONS,
    CopyKeywords,
    CopyOptions,
)
from mcts_agents.names import unknown_name
from mcts_agents.search import SearchResult
from mcts_agents.search.driver.one_thread import one_thread
from mcts_agents.search.options.option import options_of, set_options
from mcts_agents.search.options.showing import show_options

# Searches (their memory) that an agent keeps, for as many games at a time.
KEPT_SEARCHES = 8

Values = Callable[[ForwardModel, np.ndarray], ArrayLike]


class MinimaxOptions(CopyKeywords, total=False):
    """The keywords of all agents of the family; `help` says what they mean."""

    depth: int | None
    nodes: int | None
    seconds: float | None
    safety_margin: float
    value: Literal["win", "score", "leader", "evaluate"] | Values | None
    score_bonus: float | None
    ordering: Literal["game", "none"]
    action_filter: Literal["game", "all"] | None


class MaxNOptions(MinimaxOptions, total=False):
    """The keywords of `MaxNAgent`."""

    shallow_pruning: bool


class TwoSidedOptions(MinimaxOptions, total=False):
    """The keywords of agents that search with windows."""

    killers: bool
    history: bool
    table: int


class ExpectiminimaxOptions(TwoSidedOptions, total=False):
    """The keywords of `ExpectiminimaxAgent`."""

    samples: int
    star1: bool


class OPPSOptions(TwoSidedOptions, total=False):
    """The keywords of `OPPSAgent`."""

    free_opponents: int | None
    free_moves: int | None
    ranked_moves: int


class MinimaxAgent(Planner):
    """Plans by one algorithm of the minimax family; make one of its subclasses.

    Where something is hidden, it plans in one world that is sampled from all that the
    player cannot rule out, as if everybody saw it.

    Attributes:
        algorithm: The algorithm, of `mcts_agents.minimax.ALGORITHMS`.
        settings: The search's settings.

    Args:
        seed: See `Agent`.
        **options: Options of the search, such as `depth=4`, `nodes=100_000` or
            `seconds=0.1`; docs/minimax_options.md lists them. And what only you can say
            of environments of other people, such as `perfect_information=True`; see
            `CopyOptions`.

    Raises:
        ValueError: An unknown option or a value that is not allowed.
    """

    algorithm: ClassVar[str]

    def __init__(self, *, seed: int | None = None, **options: Any):
        if not hasattr(self, "algorithm"):
            names = ", ".join(agent.__name__ for agent in AGENTS)
            raise TypeError(f"MinimaxAgent has no algorithm; make one of {names}")
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
        self.settings = MinimaxSettings(algorithm=self.algorithm, **searching)
        self._searches: dict[int, Minimax] = {}
        super().__init__(seed=seed, **copying)

    @property
    def seconds(self) -> float | None:
        """See `MinimaxSettings`."""
        return self.settings.seconds

    @property
    def safety_margin(self) -> float:
        """See `MinimaxSettings`."""
        return self.settings.safety_margin

    def value_scale(self, model: ForwardModel) -> str | None:
        """Return the name of what states are worth."""
        value = self.settings.for_model(model).value
        return value if isinstance(value, str) else None

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

    def _search_of(self, model: ForwardModel) -> Minimax:
        """Return the search kept for a model, so that its memory is used again."""
        search = self._searches.pop(id(model), None)
        if search is None:
            if len(self._searches) == KEPT_SEARCHES:
                del self._searches[next(iter(self._searches))]
            search = Minimax(model, self.settings)
        # The search holds the model, so that its id stays its own.
        self._searches[id(model)] = search
        return search

    def _given(self) -> dict[str, Any]:
        return _written(self, False)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_searches": {}}


class AlphaBetaAgent(MinimaxAgent):
    """Minimax with alpha-beta pruning, for two players or teams."""

    algorithm = "alphabeta"

    def __init__(self, *, seed: int | None = None, **options: Unpack[TwoSidedOptions]):
        super().__init__(seed=seed, **options)


class NegaScoutAgent(MinimaxAgent):
    """Alpha-beta with null windows (NegaScout), for two players or teams."""

    algorithm = "negascout"

    def __init__(self, *, seed: int | None = None, **options: Unpack[TwoSidedOptions]):
        super().__init__(seed=seed, **options)


class ExpectiminimaxAgent(MinimaxAgent):
    """Alpha-beta that averages over chance, with Star1 pruning."""

    algorithm = "expectiminimax"

    def __init__(
        self, *, seed: int | None = None, **options: Unpack[ExpectiminimaxOptions]
    ):
        super().__init__(seed=seed, **options)


class MaxNAgent(MinimaxAgent):
    """Max-n: every player after its own value."""

    algorithm = "max-n"

    def __init__(self, *, seed: int | None = None, **options: Unpack[MaxNOptions]):
        super().__init__(seed=seed, **options)


class ParanoidAlphaBetaAgent(MinimaxAgent):
    """Alpha-beta for any number of players: all others play to harm me."""

    algorithm = "paranoid-alphabeta"

    def __init__(self, *, seed: int | None = None, **options: Unpack[TwoSidedOptions]):
        super().__init__(seed=seed, **options)


class BRSAgent(MinimaxAgent):
    """Best-Reply Search: one opponent moves between two own turns, the others pass."""

    algorithm = "brs"

    def __init__(self, *, seed: int | None = None, **options: Unpack[TwoSidedOptions]):
        super().__init__(seed=seed, **options)


class BRSPlusAgent(MinimaxAgent):
    """BRS+: one opponent moves freely, the others play what their order puts first."""

    algorithm = "brs-plus"

    def __init__(self, *, seed: int | None = None, **options: Unpack[TwoSidedOptions]):
        super().__init__(seed=seed, **options)


class OPPSAgent(MinimaxAgent):
    """OPPS: limits to how many opponents move freely, and among how many actions."""

    algorithm = "opps"

    def __init__(self, *, seed: int | None = None, **options: Unpack[OPPSOptions]):
        super().__init__(seed=seed, **options)


AGENTS = (
    AlphaBetaAgent,
    NegaScoutAgent,
    ExpectiminimaxAgent,
    MaxNAgent,
    ParanoidAlphaBetaAgent,
    BRSAgent,
    BRSPlusAgent,
    OPPSAgent,
)
assert {agent.algorithm for agent in AGENTS} == ALGORITHMS.keys()

# What `tune` tries, by option; an algorithm's own options among these.
_SEARCH_SPACE = {
    "ordering": "game|none",
    "killers": "",
    "history": "",
    "samples": "2|4|8|16",
    "free_opponents": "0|1|2|none",
    "free_moves": "2|4|8|none",
    "ranked_moves": "1|2|3",
}


def _written(agent: MinimaxAgent, full: bool) -> dict[str, Any]:
    names = options_of_algorithm(agent.algorithm)
    if full:
        return {name: getattr(agent.settings, name) for name in names}
    return {n: v for n, v in set_options(agent.settings).items() if n in names}


def _kind(agent: type[MinimaxAgent]) -> AgentKind:
    names = options_of_algorithm(agent.algorithm)
    described = options_of(MinimaxSettings)
    tried = {n: words for n, words in _SEARCH_SPACE.items() if n in names}
    return AgentKind(
        name=agent.algorithm,
        agent=agent,
        make=agent,
        options=(*names, "seed"),
        written=_written,
        described={name: described[name] for name in names},
        budgets=("nodes", "seconds"),
        search_space=tuple(f"{n}={w}" if w else n for n, w in tried.items()),
    )


for _agent in AGENTS:
    show_options(
        _agent,
        MinimaxSettings,
        besides=CopyOptions,
        only=options_of_algorithm(_agent.algorithm),
    )

KINDS = tuple(map(_kind, AGENTS))
