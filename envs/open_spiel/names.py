"""How OpenSpiel's games are named and shown.

OpenSpiel names an action in a position, and the name may depend on the position
(`a7b6*` captures, `x3` and `o3` are the same column). Here an action has one name
wherever it is taken: what its names in some random games have in common, if no other
action has that name.
"""

import random
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from mcts_agents.envs.open_spiel.model import SpielModel
from mcts_agents.envs.open_spiel.positions import CHANCE, SIMULTANEOUS
from mcts_agents.envs.open_spiel.records import SEED_BITS
from mcts_agents.model import ForwardModel

# Random games from which names are taken, and how many positions all in all.
_GAMES = 20
_POSITIONS = 1500


def format_action(model: ForwardModel, action: int) -> str:
    """Return an action's name, or its number where OpenSpiel's names do not tell."""
    assert isinstance(model, SpielModel)
    if model.names is None:
        model.names = _unique(_names_met(model))
    return model.names.get(int(action), str(int(action)))


def _names_met(model: SpielModel) -> dict[int, str]:
    """Return what is common to the names of each action met in random games."""
    names: dict[int, str] = {}
    seen: set[tuple[int, str]] = set()
    draws = random.Random(0)
    positions = 0
    for _ in range(_GAMES):
        position = model.facts.game.new_initial_state()
        while not position.is_terminal() and positions < _POSITIONS:
            if position.current_player() == CHANCE and model.facts.sampled:
                position = model.facts.thrown(position, draws.randrange(SEED_BITS))
                continue
            if position.current_player() == CHANCE:
                outcomes = [action for action, p in position.chance_outcomes() if p]
                position.apply_action(draws.choice(outcomes))
                continue
            positions += 1
            joint = []
            for player in _deciding(position, model.players):
                legal = position.legal_actions(player)
                for action in legal:
                    name = position.action_to_string(player, action)
                    if (action, name) not in seen:
                        seen.add((action, name))
                        names[action] = _common(names.get(action, name), name)
                joint.append(draws.choice(legal) if legal else 0)
            if position.current_player() == SIMULTANEOUS:
                position.apply_actions(joint)
            else:
                position.apply_action(joint[0])
    return names


def _deciding(position: Any, players: int) -> list[int]:
    if position.current_player() == SIMULTANEOUS:
        return list(range(players))
    return [position.current_player()]


def _common(first: str, second: str) -> str:
    """Return the longest text that two names have in common."""
    if first == second:
        return first
    match = SequenceMatcher(None, first, second, autojunk=False)
    at, _, size = match.find_longest_match()
    return first[at : at + size].strip().lstrip(")]},;:").rstrip("([{,;:").strip()


def _unique(names: dict[int, str]) -> dict[int, str]:
    """Leave out names that say nothing, are another action's, or its number."""
    count: dict[str, int] = {}
    for name in names.values():
        count[name] = count.get(name, 0) + 1
    return {
        action: name
        for action, name in names.items()
        if count[name] == 1
        and any(sign.isalnum() for sign in name)
        and (not name.isdecimal() or name == str(action))
    }


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return OpenSpiel's text of a position; of a hidden game what an observer knows.

    Raises:
        ValueError: OpenSpiel has no text of what a player knows.
    """
    assert isinstance(model, SpielModel)
    position = model.position(state)
    if observer is not None and model.hidden_information:
        return model.knowledge(position, observer)
    return str(position)


def rewards(model: ForwardModel, state: np.ndarray) -> list[float]:
    """Return what OpenSpiel pays each player for the last joint action."""
    assert isinstance(model, SpielModel)
    return model.rewards(state)
