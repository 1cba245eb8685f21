"""`SearchAgent`: runs the compiled search, and keeps its memory between decisions.

`MCTSAgent` lets its user set all of `SearchSettings`, `OneStepAgent` a few of them.
"""

from typing import Any, Unpack

from mcts_agents.agents.agent import Agent, AgentOptions, Planner
from mcts_agents.model import ForwardModel
from mcts_agents.search import Search, SearchSettings
from mcts_agents.search.driver.one_thread import one_thread

# Searches (their memory) that an agent keeps, for as many games or seats at a time; for
# all seats of a game, if it has more.
KEPT_SEARCHES = 8


class SearchAgent(Planner):
    """A planner that runs `Search`.

    Args:
        settings: The search's settings.
        **agent: See `Agent`.
    """

    counts_visits = True

    def __init__(self, settings: SearchSettings, **agent: Unpack[AgentOptions]):
        self.settings = settings
        self._searches: dict[tuple[int, int, int | None], Search] = {}
        super().__init__(**agent)

    @property
    def seconds(self) -> float | None:
        """See `SearchSettings`."""
        return self.settings.seconds

    @property
    def safety_margin(self) -> float:
        """See `SearchSettings`."""
        return self.settings.safety_margin

    @property
    def uses_history(self) -> bool:
        """Whether anything from the last decision is kept for the next."""
        return self.settings.remembers_moves

    @property
    def is_timed(self) -> bool:
        """Whether the search, or an agent it uses, depends on the clock."""
        asked = (self.settings.rollout_policy, self.settings.opponent_model)
        return super().is_timed or any(
            isinstance(agent, Agent) and agent.is_timed for agent in asked
        )

    def value_scale(self, model: ForwardModel) -> str | None:
        """Return the name of the leaf heuristic."""
        value = self.settings.for_model(model).value
        return value if isinstance(value, str) else None

    @one_thread
    def reset(self, seed: int | None = None) -> None:
        """Reset the generator, and forget what was learned in earlier games."""
        super().reset(seed)
        for search in self._searches.values():
            search.forget()

    def cancel(self) -> None:
        """End a decision in another thread by a CancelledError; see `Planner.cancel`.

        The agent keeps nothing of earlier decisions. A decision that has not begun its
        first simulation may not hear it: call this until the decision has ended.
        """
        for search in list(self._searches.values()):
            search.cancel()

    @property
    def simulations_so_far(self) -> int:
        """Simulations of the decision that goes on in another thread, or of the last.

        It may be asked for at any time; 0 where nothing was searched yet.
        """
        searches = list(self._searches.values())
        return searches[-1].simulations_so_far if searches else 0

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_searches": {}}

    @one_thread
    def prepare(self, model: ForwardModel, player: int = 0) -> None:
        """Set up the search's memory and its compiled code; see `Agent.prepare`."""
        self.search_of(model, player)

    def search_of(self, model: ForwardModel, player: int = 0) -> Search:
        """Return the search kept for a model, so its memory is reused.

        What a search remembers from decision to decision belongs to one seat.
        """
        remembers = self.settings.remembers_moves or self.settings.needs_mast
        key = (id(model), id(self.settings), player if remembers else None)
        search = self._searches.pop(key, None)
        if search is None:
            if len(self._searches) >= max(KEPT_SEARCHES, model.players):
                del self._searches[next(iter(self._searches))]
            search = Search(model, self.settings)
        # The search holds both, so that their ids stay their own.
        self._searches[key] = search
        return search
