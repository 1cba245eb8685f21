"""Specs: agents named by a line of text such as `mcts:tree=multi,simulations=1000`."""

from mcts_agents.agents.agent import Agent
from mcts_agents.agents.mcts import SETTING_NAMES, MCTSAgent
from mcts_agents.agents.one_step import OneStepAgent
from mcts_agents.agents.random_agent import RandomAgent
from mcts_agents.names import parse_spec, unknown_name

AGENTS: dict[str, type[Agent]] = {
    "mcts": MCTSAgent,
    "one-step": OneStepAgent,
    "random": RandomAgent,
}

# What an option of each agent may be called, for messages and completion.
OPTIONS: dict[str, tuple[str, ...]] = {
    "mcts": (*SETTING_NAMES, "seed"),
    "one-step": ("samples", "value", "seed"),
    "random": ("seed",),
}


def make_agent(spec: str, *, seed: int | None = None) -> Agent:
    """Make an agent from its spec, `name` or `name:option=value,option=value`.

    Args:
        spec: The spec; values are integers, numbers, true, false, none or words.
        seed: The agent's seed, unless the spec names one.

    Raises:
        ValueError: An unknown agent or option, a repeated option, or a value that is
            not allowed; the message names it and what is allowed.
    """
    name, options = parse_spec(spec)
    if name not in AGENTS:
        raise ValueError(unknown_name("agent", name, AGENTS))
    for option in options:
        if option not in OPTIONS[name]:
            raise ValueError(unknown_name(f"option of {name}", option, OPTIONS[name]))
    return AGENTS[name](**{"seed": seed, **options})
