"""Monte Carlo tree search: one compiled kernel, its plug-ins, and what drives it."""

from mcts_agents.search.result import SearchResult
from mcts_agents.search.search import Search
from mcts_agents.search.settings import SearchSettings

__all__ = ["Search", "SearchResult", "SearchSettings"]
