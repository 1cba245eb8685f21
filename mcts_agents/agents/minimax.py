"""The minimax family: alpha-beta and its relatives, for any number of players.

One class a kind, all of them `MinimaxAgent` with another algorithm.
"""

from collections.abc import Callable
from typing import Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from mcts_agents.agents.families import FamilyAgent, kind_of
from mcts_agents.minimax import ALGORITHMS, Minimax, MinimaxSettings
from mcts_agents.model import ForwardModel
from mcts_agents.model.copying.copy_options import CopyKeywords

Values = Callable[[ForwardModel, np.ndarray], ArrayLike]


class MinimaxOptions(CopyKeywords, total=False):
    """The keywords of all agents of the family; `help` explains them."""

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


class MinimaxAgent(FamilyAgent):
    """Plans with one algorithm of the minimax family; use one of the subclasses.

    Where something is hidden, it plans in one world that is sampled from all that the
    player cannot rule out, as if everybody saw it.

    Attributes:
        algorithm: The algorithm, of `mcts_agents.minimax.ALGORITHMS`.
        settings: The search's settings.

    Args:
        seed: See `Agent`.
        **options: Options of the search, such as `depth=4`, `nodes=100_000` or
            `seconds=0.1`; docs/minimax_options.md lists them. And what only you can say
            of third-party environments, such as `perfect_information=True`; see
            `CopyOptions`.

    Raises:
        ValueError: An unknown option or a value that is not allowed.
    """

    settings_class = MinimaxSettings
    search_class = Minimax


class AlphaBetaAgent(MinimaxAgent):
    """Minimax with alpha-beta pruning, for two players or teams.

    Source: Knuth, Moore, "An analysis of alpha-beta pruning", 1975.
    """

    algorithm = "alphabeta"

    def __init__(self, *, seed: int | None = None, **options: Unpack[TwoSidedOptions]):
        super().__init__(seed=seed, **options)


class NegaScoutAgent(MinimaxAgent):
    """Alpha-beta with null windows (NegaScout), for two players or teams.

    Source: Reinefeld, "An improvement to the Scout tree search algorithm", 1983.
    """

    algorithm = "negascout"

    def __init__(self, *, seed: int | None = None, **options: Unpack[TwoSidedOptions]):
        super().__init__(seed=seed, **options)


class ExpectiminimaxAgent(MinimaxAgent):
    """Alpha-beta that averages over chance, with Star1 pruning.

    Source: Ballard, "The *-minimax search procedure for trees containing chance
    nodes", 1983.
    """

    algorithm = "expectiminimax"

    def __init__(
        self, *, seed: int | None = None, **options: Unpack[ExpectiminimaxOptions]
    ):
        super().__init__(seed=seed, **options)


class MaxNAgent(MinimaxAgent):
    """Max-n: every player maximises its own value.

    Source: Luckhardt, Irani, "An algorithmic solution of N-person games", 1986.
    """

    algorithm = "max-n"

    def __init__(self, *, seed: int | None = None, **options: Unpack[MaxNOptions]):
        super().__init__(seed=seed, **options)


class ParanoidAlphaBetaAgent(MinimaxAgent):
    """Alpha-beta for any number of players: all opponents play against the agent.

    Source: Sturtevant, Korf, "On pruning techniques for multi-player games", 2000.
    """

    algorithm = "paranoid-alphabeta"

    def __init__(self, *, seed: int | None = None, **options: Unpack[TwoSidedOptions]):
        super().__init__(seed=seed, **options)


class BRSAgent(MinimaxAgent):
    """Best-Reply Search: one opponent moves between own turns, the others pass.

    Source: Schadd, Winands, "Best Reply Search for multiplayer games", 2011.
    """

    algorithm = "brs"

    def __init__(self, *, seed: int | None = None, **options: Unpack[TwoSidedOptions]):
        super().__init__(seed=seed, **options)


class BRSPlusAgent(MinimaxAgent):
    """BRS+: one opponent moves freely, the others play their first-ranked action.

    Source: Esser, Gras, Winands, Schadd, Lanctot, "Improving Best-Reply Search", 2013.
    """

    algorithm = "brs-plus"

    def __init__(self, *, seed: int | None = None, **options: Unpack[TwoSidedOptions]):
        super().__init__(seed=seed, **options)


class OPPSAgent(MinimaxAgent):
    """OPPS: limits how many opponents move freely, and among how many actions.

    Source: Baier, Kaisers, "Opponent-Pruning Paranoid Search", FDG 2020.
    """

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

# What `tune` tries; see `kind_of`.
_TRIED = {
    "ordering": "game|none",
    "killers": "",
    "history": "",
    "samples": "2|4|8|16",
    "free_opponents": "0|1|2|none",
    "free_moves": "2|4|8|none",
    "ranked_moves": "1|2|3",
}


KINDS = tuple(kind_of(agent, ("nodes", "seconds"), _TRIED) for agent in AGENTS)
