"""`OneStepAgent`: one-step look-ahead, the classic baseline.

Tries every legal action, lets the players who move at the same time act at random, and
takes the action after which the position is worth most by the leaf heuristic. It is
the search kernel with trees one decision deep, no rollout, and equal visits.
"""

from typing import Any, Unpack

import numpy as np

from mcts_agents.agents.agent import AgentOptions
from mcts_agents.agents.kinds import AgentKind
from mcts_agents.agents.search_agent import SearchAgent
from mcts_agents.agents.search_options import LeafHeuristic, ValueWord
from mcts_agents.model import ForwardModel, History, clock
from mcts_agents.search import SearchResult, SearchSettings
from mcts_agents.search.driver.one_thread import one_thread
from mcts_agents.search.options.option import Option, options_of

SAMPLES = 10

# So large that UCB1 always takes the action tried least.
EVEN_EXPLORATION = 1e9

DESCRIBED = {
    "samples": Option(
        "How often each action is tried. More than once matters where moves are "
        "simultaneous, information is hidden or chance intervenes.",
        "Search",
        kind=int,
        least=1,
    ),
    "value": options_of(SearchSettings)["value"],
}


class OneStepAgent(SearchAgent):
    """Chooses the action that looks best one step ahead.

    Args:
        samples: How often each action is tried, from 1. More than one matters where
            moves are simultaneous, information is hidden or chance intervenes.
        value: Leaf heuristic, `"win"`, `"score"`, `"leader"`, `"evaluate"` or a
            function (model, state) -> a value for each player; None: the game's own.
        seed: See `Agent`, as the other arguments.
    """

    def __init__(
        self,
        *,
        samples: int = SAMPLES,
        value: ValueWord | LeafHeuristic | None = None,
        **agent: Unpack[AgentOptions],
    ):
        DESCRIBED["samples"].check("samples", samples)
        self.samples = samples
        settings = SearchSettings(
            tree="self",
            max_depth=1,
            rollout=0,
            exploration=EVEN_EXPLORATION,
            final="value",
            value=value,
        )
        super().__init__(settings, **agent)

    def _given(self) -> dict[str, Any]:
        given = {"samples": self.samples, "value": self.settings.value}
        return {n: v for n, v in given.items() if v not in (SAMPLES, None)}

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
        """Try every action `samples` times."""
        started = clock.now() if started is None else started
        simulations = self.samples * len(model.legal_actions(state, player))
        search = self.search_of(model, player)
        return search.run(
            state, player, self._rng, started=started, simulations=simulations
        )


def _written(agent: OneStepAgent, full: bool) -> dict[str, Any]:
    value = agent.settings.value
    written = {"samples": agent.samples}
    return {**written, "value": value} if full or value is not None else written


KIND = AgentKind(
    name="one-step",
    agent=OneStepAgent,
    make=OneStepAgent,
    options=(*DESCRIBED, "seed"),
    written=_written,
    described=DESCRIBED,
)
