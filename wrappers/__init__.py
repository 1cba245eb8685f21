"""Gymnasium wrappers: one learner plays a seat, and agents play the other seats.

`SingleAgentEnv` takes any PettingZoo environment, `single_agent_env` a game of this
package by name; the latter is what `gymnasium.make("mcts_agents/SushiGo-v0")` calls.
"""

from mcts_agents.wrappers.games import single_agent_env
from mcts_agents.wrappers.opponents import Mixture
from mcts_agents.wrappers.single_agent import SingleAgentEnv

__all__ = ["Mixture", "SingleAgentEnv", "single_agent_env"]
