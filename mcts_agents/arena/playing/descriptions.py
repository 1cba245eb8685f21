"""What descriptions of tournaments and of recordings have in common."""

from collections.abc import Iterable, Mapping
from typing import Any

from mcts_agents.agents import make_agent
from mcts_agents.agents.saving import to_mapping
from mcts_agents.agents.specs import resolve
from mcts_agents.arena.playing.budgets import BUDGET_SETTINGS

MOST_GAMES = 10**9


def agent_mapping(value: Any) -> dict[str, Any]:
    """Return an agent's spec as a mapping, files and presets read.

    Raises:
        ValueError: It is none, or names a seed.
    """
    agent = make_agent(value)
    _, options = resolve(value)
    if "seed" in options:
        raise ValueError(f"seed={options['seed']}: every agent gets a seed of its own")
    # A search that was given no budget has 1000 simulations, unless the tournament has
    # budgets: those are only its own if they were written.
    own = any(option in options for option in BUDGET_SETTINGS)
    short, full = to_mapping(agent), to_mapping(agent, full=True)
    return {
        name: short.get(name, value)
        for name, value in full.items()
        # What was written stays, also where it is the default: the search options of a
        # game are for what an agent leaves open.
        if (name in short or name in options) and (own or name not in BUDGET_SETTINGS)
    }


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterable[str]:
    """Return the keys in which two descriptions differ."""
    return [key for key in {**one, **other} if one.get(key) != other.get(key)]
