"""Gifts as text: the number of the agent of the own team who gets it, from 1."""

import re

from mcts_agents.model import ForwardModel


def pairs_of(model: ForwardModel) -> int:
    """Return the number of pairs, and so of agents of each team and of actions."""
    return model.actions


def format_action(model: ForwardModel, action: int) -> str:
    """Return the agent that an action gives to, such as `7`."""
    return str(int(action) + 1)


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action of an agent; ValueError says what was expected."""
    if re.fullmatch(r"[0-9]{1,2}", text.strip()):
        action = int(text) - 1
        if 0 <= action < pairs_of(model):
            return action
    raise ValueError(f"{text!r}: expected an agent, 1 to {pairs_of(model)}")
