"""`MCTSAgent`: Monte Carlo tree search with every setting of `SearchSettings`."""

from dataclasses import fields
from typing import Any, Unpack

import numpy as np

from mcts_agents.agents.kinds import AgentKind
from mcts_agents.agents.search_agent import SearchAgent
from mcts_agents.agents.search_options import SearchOptions
from mcts_agents.agents.specs import evaluator_of, policy_of
from mcts_agents.model import ForwardModel, History, clock
from mcts_agents.model.copying.copy_options import (
    COPY_OPTIONS,
    CopyKeywords,
    CopyOptions,
)
from mcts_agents.names import unknown_name
from mcts_agents.search import Search, SearchResult, SearchSettings
from mcts_agents.search.driver.one_thread import one_thread
from mcts_agents.search.options.option import options_of, set_options
from mcts_agents.search.options.showing import show_options
from mcts_agents.search.processes import search_in_processes

SETTING_NAMES = tuple(field.name for field in fields(SearchSettings))

# Settings that may be agents themselves, given as such or as specs.
POLICIES = ("rollout_policy", "opponent_model")


class MCTSKeywords(SearchOptions, CopyKeywords, total=False):
    """The keywords of `MCTSAgent` except the seed."""


class MCTSAgent(SearchAgent):
    """Plans by Monte Carlo tree search.

    Args:
        seed: See `Agent`.
        **options: Options of the search, such as `simulations=500`, `seconds=0.04`,
            `tree="multi"`, `paranoid=True`, `rollout=30`; `help(MCTSAgent)` and
            docs/options.md list them. `rollout_policy` and `opponent_model` also take
            agents, as objects, specs (`"one-step:samples=3"`) or mappings; see
            `make_agent`. `evaluator` also takes a `PolicyAgent`, as object, spec or
            mapping. Facts about third-party environments, such as
            `perfect_information=True`, are options too; see `CopyOptions`.

    Raises:
        ValueError: An unknown option or a value that is not allowed.
    """

    plans_in_processes = True

    def __init__(
        self,
        *,
        seed: int | None = None,
        **options: Unpack[MCTSKeywords],
    ):
        copying, searching = {}, {}
        for name, value in options.items():
            if name in COPY_OPTIONS:
                copying[name] = value
            elif name in SETTING_NAMES:
                searching[name] = value
            else:
                known = (*SETTING_NAMES, *COPY_OPTIONS)
                raise ValueError(unknown_name("option of mcts", name, known))
        settings = SearchSettings(**_with_agents(searching))
        super().__init__(settings, seed=seed, **copying)
        if self.copying.state_key is not None and not settings.graph:
            raise ValueError("state_key has an effect only with graph=True")

    def _given(self) -> dict[str, Any]:
        return set_options(self.settings)

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
        search = self.search_of(model, player)
        if self.copying.processes > 1:
            return self._search_in_processes(search, state, player, started)
        return search.run(
            state,
            player,
            self._rng,
            started=started,
            reserve=self._reserve,
            history=history,
        )

    @one_thread
    def choose(
        self,
        model: ForwardModel,
        state: np.ndarray,
        player: int,
        history: History | None = None,
        *,
        started: float | None = None,
    ) -> int:
        """Return the action of `search`; see `Planner.choose`."""
        started = clock.now() if started is None else started
        search = self.search_of(model, player)
        if self.copying.processes > 1:
            return self._search_in_processes(search, state, player, started).action
        return search.choose(
            state,
            player,
            self._rng,
            started=started,
            reserve=self._reserve,
            history=history,
        )

    def _search_in_processes(
        self, search: Search, state: np.ndarray, player: int, started: float
    ) -> SearchResult:
        return search_in_processes(
            search,
            state,
            player,
            self._rng,
            self.copying.processes,
            started=started,
            reserve=self._reserve,
        )


show_options(MCTSAgent, SearchSettings, besides=CopyOptions)


def _with_agents(settings: dict[str, Any]) -> dict[str, Any]:
    """Turn specs of agents among the settings into agents."""
    made: dict[str, Any] = {**settings}
    readers = {**dict.fromkeys(POLICIES, policy_of), "evaluator": evaluator_of}
    for name, read in readers.items():
        if name in made:
            try:
                made[name] = read(made[name])
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from error
    return made


def _written(agent: MCTSAgent, full: bool) -> dict[str, Any]:
    if full:
        return {name: getattr(agent.settings, name) for name in SETTING_NAMES}
    return set_options(agent.settings)


KIND = AgentKind(
    name="mcts",
    agent=MCTSAgent,
    make=MCTSAgent,
    options=(*SETTING_NAMES, "seed"),
    written=_written,
    described=options_of(SearchSettings),
    budgets=("simulations", "seconds", "forward_model_calls"),
    # The dimensions that matter most in TAG's tuning of these games (Goodman,
    # Perez-Liebana, Lucas, CoG 2022, section V), and the constant of UCB1.
    search_space=(
        "tree=one|self|multi",
        "rollout=0|10|30|100",
        "exploration=log:0.1..10",
    ),
)
