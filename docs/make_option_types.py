"""Write the options of `MCTSAgent` as a typed dictionary, for type checkers.

`python docs/make_option_types.py`; a test asserts that the file is up to date.
"""

from dataclasses import fields
from pathlib import Path

from mcts_agents.search import SearchSettings
from mcts_agents.search.options.option import Option, option_of

ROOT = Path(__file__).parents[1]
FILE = ROOT / "mcts_agents" / "agents" / "search_options.py"

# What an option takes besides words; `HEAD` defines these names.
OBJECTS = {
    "tree_policy": "TreePolicy | Callable[..., Any]",
    "root_policy": "RootPolicy",
    "action_heuristic": "ActionHeuristic",
    "rollout_policy": "AgentChoice",
    "opponent_model": "AgentChoice",
    "value": "LeafHeuristic",
    "evaluator": "Evaluator | PolicyAgent | str | Mapping[str, Any]",
}

HEAD = '''"""The options of `MCTSAgent` as type checkers and editors see them.

Made by `python docs/make_option_types.py` from `SearchSettings`: change the options
there. They are checked when an agent is made, whether anybody checks types or not.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from mcts_agents.agents.agent import Agent
from mcts_agents.agents.policy import PolicyAgent
from mcts_agents.model import ForwardModel
from mcts_agents.search import RootPolicy, TreePolicy

# (model, state, player) -> action
Policy = Callable[[ForwardModel, np.ndarray, int], int]

# A word, the name of a scripted policy, or any agent: its spec, mapping or object.
AgentChoice = str | Mapping[str, Any] | Agent | Policy

# (model, state, player, actions) -> a value for each action
ActionHeuristic = Callable[[ForwardModel, np.ndarray, int, np.ndarray], ArrayLike]

# (model, state) -> a value for each player
LeafHeuristic = Callable[[ForwardModel, np.ndarray], ArrayLike]

# (observations, players, legal) -> (values, logits)
Evaluator = Callable[[np.ndarray, np.ndarray, np.ndarray], Any]
'''

CLASS = '''

class SearchOptions(TypedDict, total=False):
    """Keywords of `MCTSAgent`; `help(MCTSAgent)` says what they mean."""

'''


def types_file() -> str:
    """Return mcts_agents/agents/search_options.py, laid out as `ruff format` does."""
    words, lines = [], []
    for field in fields(SearchSettings):
        option = option_of(field)
        if option.choices:
            words.append(literal(word_name(field.name), option.choices))
        lines.append(f"    {field.name}: {type_of(field.name, option)}\n")
    return f"{HEAD}\n{''.join(words)}{CLASS}{''.join(lines)}"


def type_of(name: str, option: Option) -> str:
    """Return what an option may be, as an annotation."""
    parts = []
    if option.choices:
        parts.append(word_name(name))
    elif option.kind is not object and not (option.kind is str and option.objects):
        parts.append(option.kind.__name__)
    if option.objects:
        parts.append(OBJECTS[name])
    return " | ".join(parts + ["None"] * option.optional)


def word_name(name: str) -> str:
    """Return the name of the type of an option's words."""
    return "".join(part.capitalize() for part in name.split("_")) + "Word"


def literal(name: str, choices: tuple[str, ...]) -> str:
    """Return the definition of a type of words."""
    joined = ", ".join(f'"{word}"' for word in choices)
    line = f"{name} = Literal[{joined}]\n"
    if len(line) <= 89:  # with its end
        return line
    words = "".join(f'    "{word}",\n' for word in choices)
    return f"{name} = Literal[\n{words}]\n"


def main() -> None:
    """Write the file."""
    FILE.write_text(types_file(), encoding="utf-8")


if __name__ == "__main__":
    main()
