"""Planning agents and cloneable games for PettingZoo and Gymnasium."""

from mcts_agents.importing import allow_in_files

# isort: split
from mcts_agents.agents import (
    Agent,
    MCTSAgent,
    OneStepAgent,
    Planner,
    PolicyAgent,
    RandomAgent,
    ScriptedAgent,
    make_agent,
    show,
)
from mcts_agents.envs import register_all
from mcts_agents.model.copying.remembering import remember
from mcts_agents.search import SearchResult, SearchSettings

__version__ = "0.1.0"

register_all()

__all__ = [
    "Agent",
    "MCTSAgent",
    "OneStepAgent",
    "Planner",
    "PolicyAgent",
    "RandomAgent",
    "ScriptedAgent",
    "SearchResult",
    "SearchSettings",
    "__version__",
    "allow_in_files",
    "make_agent",
    "remember",
    "show",
]
