"""Agents of a search family: one class for each algorithm."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from mcts_agents.agents.agent import Planner
from mcts_agents.agents.kinds import AgentKind
from mcts_agents.model import ForwardModel, History, clock
from mcts_agents.model.copying.copy_options import COPY_OPTIONS, CopyOptions
from mcts_agents.names import unknown_name
from mcts_agents.search import SearchResult
from mcts_agents.search.driver.decisions import Decisions
from mcts_agents.search.driver.one_thread import one_thread
from mcts_agents.search.options.families import FamilySettings
from mcts_agents.search.options.option import options_of, set_options
from mcts_agents.search.options.showing import show_options

# Searches (their memory) that an agent keeps, for as many games at a time.
KEPT_SEARCHES = 8


class FamilyAgent(Planner):
    """Plans with one algorithm of a family; use a subclass that names the algorithm.

    Attributes:
        algorithm: The algorithm.
        settings: The search's settings.
        settings_class: What `settings` is made of.
        search_class: Makes a search from a model and settings.

    Args:
        seed: See `Agent`.
        **options: The algorithm's options, and those of `CopyOptions`.

    Raises:
        ValueError: An unknown option or a value that is not allowed.
        TypeError: The class names no algorithm.
    """

    algorithm: ClassVar[str]
    settings_class: ClassVar[type[FamilySettings]]
    search_class: ClassVar[Callable[[ForwardModel, Any], Decisions]]

    def __init__(self, *, seed: int | None = None, **options: Any):
        if not hasattr(self, "algorithm"):
            family = type(self)
            names = ", ".join(agent.__name__ for agent in family.__subclasses__())
            raise TypeError(f"{family.__name__} has no algorithm; use one of {names}")
        known = self.settings_class.options_of(self.algorithm)
        copying, searching = {}, {}
        for name, value in options.items():
            if name in COPY_OPTIONS:
                copying[name] = value
            elif name in known:
                searching[name] = value
            else:
                kind = f"option of {self.algorithm}"
                raise ValueError(unknown_name(kind, name, known))
        self.settings = self.settings_class(algorithm=self.algorithm, **searching)
        self._searches: dict[int, Decisions] = {}
        super().__init__(seed=seed, **copying)

    @property
    def seconds(self) -> float | None:
        """Seconds per decision; None if time is not a budget."""
        return self.settings.seconds

    @property
    def safety_margin(self) -> float:
        """Seconds by which a decision ends before its budget."""
        return self.settings.safety_margin

    def value_scale(self, model: ForwardModel) -> str | None:
        """Return the name of the value of states."""
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

    def cancel(self) -> None:
        """End a decision in another thread with the best so far; see `Planner`."""
        for search in list(self._searches.values()):
            search.cancel()

    def _search_of(self, model: ForwardModel) -> Decisions:
        """Return the search kept for a model, so its memory is reused."""
        search = self._searches.pop(id(model), None)
        if search is None:
            if len(self._searches) == KEPT_SEARCHES:
                del self._searches[next(iter(self._searches))]
            search = self.search_class(model, self.settings)
        # The search holds the model, so that its id stays its own.
        self._searches[id(model)] = search
        return search

    def _given(self) -> dict[str, Any]:
        return _written(self, False)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_searches": {}}


def kind_of(
    agent: type[FamilyAgent], budgets: tuple[str, ...], tried: Mapping[str, str]
) -> AgentKind:
    """Describe an agent for the registry, and its options for `help`.

    Args:
        agent: The class.
        budgets: The options that limit a decision.
        tried: What `tune` tries, by option; "" for what the option suggests itself.
            Options that the algorithm does not have are left out.
    """
    settings = agent.settings_class
    names = settings.options_of(agent.algorithm)
    show_options(agent, settings, besides=CopyOptions, only=names)
    described = options_of(settings)
    own = {name: words for name, words in tried.items() if name in names}
    return AgentKind(
        name=agent.algorithm,
        agent=agent,
        make=agent,
        options=(*names, "seed"),
        written=_written,
        described={name: described[name] for name in names},
        budgets=budgets,
        search_space=tuple(f"{n}={w}" if w else n for n, w in own.items()),
    )


def _written(agent: FamilyAgent, full: bool) -> dict[str, Any]:
    names = agent.settings_class.options_of(agent.algorithm)
    if full:
        return {name: getattr(agent.settings, name) for name in names}
    return {n: v for n, v in set_options(agent.settings).items() if n in names}
