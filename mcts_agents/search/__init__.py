"""Monte Carlo tree search: one compiled kernel, its plug-ins, and what drives it.

`options` says what can be asked for, `kernel` holds the algorithms, `driver` runs them,
and `inspection` reads what they found.
"""

from mcts_agents.search.driver.fleet import Fleet
from mcts_agents.search.driver.leaf_batches import AnsweredLater
from mcts_agents.search.driver.search import Search
from mcts_agents.search.inspection.result import SearchResult
from mcts_agents.search.inspection.tree_node import ShownNode, TreeNode
from mcts_agents.search.kernel.root_policies.root_policy import RootPolicy
from mcts_agents.search.kernel.tree_policies.tree_policy import TreePolicy
from mcts_agents.search.options.settings import SearchSettings

__all__ = [
    "AnsweredLater",
    "Fleet",
    "RootPolicy",
    "Search",
    "SearchResult",
    "SearchSettings",
    "ShownNode",
    "TreeNode",
    "TreePolicy",
]
