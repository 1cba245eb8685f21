"""Agents: drop-in players for PettingZoo and Gymnasium loops.

`agent` says what all of them can do, `specs` makes them of a line of text, a mapping or
a file.
"""

from mcts_agents.agents import (
    mcts,
    minimax,
    one_step,
    permutation,
    policy,
    random_agent,
    scripted,
)
from mcts_agents.agents.agent import Agent, Planner, agent_seed
from mcts_agents.agents.kinds import AgentKind, register
from mcts_agents.agents.mcts import MCTSAgent
from mcts_agents.agents.minimax import (
    AlphaBetaAgent,
    BRSAgent,
    BRSPlusAgent,
    ExpectiminimaxAgent,
    MaxNAgent,
    NegaScoutAgent,
    OPPSAgent,
    ParanoidAlphaBetaAgent,
)
from mcts_agents.agents.one_step import OneStepAgent
from mcts_agents.agents.permutation import GRAVEAgent, MCPSAgent, RAVEAgent
from mcts_agents.agents.policy import PolicyAgent
from mcts_agents.agents.random_agent import RandomAgent
from mcts_agents.agents.saving import agent_spec, save_agent, to_mapping
from mcts_agents.agents.scripted import ScriptedAgent
from mcts_agents.agents.showing import show
from mcts_agents.agents.specs import make_agent, parse_spec

for _file in (mcts, one_step, random_agent, scripted, policy):
    register(_file.KIND)
for _kind in (*minimax.KINDS, *permutation.KINDS):
    register(_kind)

__all__ = [
    "Agent",
    "AgentKind",
    "AlphaBetaAgent",
    "BRSAgent",
    "BRSPlusAgent",
    "ExpectiminimaxAgent",
    "GRAVEAgent",
    "MCPSAgent",
    "MCTSAgent",
    "MaxNAgent",
    "NegaScoutAgent",
    "OPPSAgent",
    "OneStepAgent",
    "ParanoidAlphaBetaAgent",
    "Planner",
    "PolicyAgent",
    "RAVEAgent",
    "RandomAgent",
    "ScriptedAgent",
    "agent_seed",
    "agent_spec",
    "make_agent",
    "parse_spec",
    "register",
    "save_agent",
    "show",
    "to_mapping",
]
