"""`show`: a game and what an agent would do, as HTML for notebooks."""

import itertools
from dataclasses import dataclass
from html import escape
from typing import Any

from mcts_agents.agents.agent import Planner
from mcts_agents.model import ForwardModel, new_generator
from mcts_agents.search.inspection.notebook import MOST_LINE, result_html

# Groups of buttons on one page need names of their own.
_NUMBERS = itertools.count(1)

_STYLE = (
    "<style>.mcts-show input{display:none}.mcts-show section{display:none}"
    ".mcts-show label{display:inline-block;padding:.2em .7em;margin:0 .3em .3em 0;"
    "border:1px solid #888;border-radius:6px;cursor:pointer}"
    ".mcts-show input:checked+label{background:#3987c9;color:#fff;border-color:#3987c9}"
    ".mcts-show pre{line-height:1.25}%s</style>"
)


@dataclass(frozen=True)
class Shown:
    """What `show` returns: a notebook shows it, and `html` is a text to keep."""

    html: str

    def _repr_html_(self) -> str:
        return self.html


def show(env: Any, agent: Planner) -> Shown:
    """Show the position, what an agent would play, and the line that it expects.

    Buttons lead along the line, from the position before it to that after each move.
    They need neither a running kernel nor a script. Where something is hidden, the
    positions are those of one determinization, as the player sees them, and the line
    ends before anybody else decides.

    Args:
        env: An environment of this package, AEC, after `reset`.
        agent: An agent that searches. It plans once, as for a move.

    Raises:
        TypeError: The environment is not one of this package, or the agent does not
            search.
        RuntimeError: The game has not begun, or it is over.
    """
    inner = getattr(env, "unwrapped", env)
    if not hasattr(inner, "planning_state") or not hasattr(inner, "game"):
        raise TypeError(f"{env!r}: show needs an environment of this package")
    if not isinstance(agent, Planner):
        raise TypeError(f"{agent!r}: show needs an agent that searches")
    if not inner.agents:
        raise RuntimeError(f"{env!r}: the game has not begun, or it is over")
    game, model = inner.game, inner.forward_model
    result = agent.plan(env)
    rng = new_generator(0)
    state, player = inner.planning_state(inner.agent_selection, rng)

    def name(action: int) -> str:
        return str(game.format_action(model, action))

    boards = _boards(game, model, state, player, result, rng)
    return Shown(_page(boards, result_html(result, name)))


def _boards(
    game: Any, model: ForwardModel, state: Any, player: int, result: Any, rng: Any
) -> list[tuple[str, str]]:
    """Return positions as (the button's text, the board)."""
    seen_by = player if model.hidden_information else None
    state = model.copy(state)
    boards = [("Now", game.ansi(model, state, seen_by))]
    for mover, action in result.principal_variation[:MOST_LINE]:
        alone = list(model.movers(state)) == [mover]
        own = mover == player or not model.hidden_information
        if not (alone and own) or action not in model.legal_actions(state, mover):
            break
        word = f"player_{mover} {game.format_action(model, int(action))}"
        model.apply(state, {mover: int(action)}, rng)
        boards.append((word, game.ansi(model, state, seen_by)))
        if model.is_over(state) or model.chance:
            break
    return boards


def _page(boards: list[tuple[str, str]], found: str) -> str:
    number = next(_NUMBERS)
    name = f"mcts-show-{number}"
    choices, sections, rules = [], [], []
    for place, (word, board) in enumerate(boards):
        key = f"{name}-{place}"
        checked = " checked" if place == 0 else ""
        choices.append(
            f'<input type="radio" name="{name}" id="{key}"{checked}>'
            f'<label for="{key}">{escape(word)}</label>'
        )
        sections.append(f'<section class="{key}"><pre>{escape(board)}</pre></section>')
        rules.append(f"#{key}:checked~.{key}{{display:block}}")
    return (
        f'<div class="mcts-show">{_STYLE % "".join(rules)}'
        f"{''.join(choices)}{''.join(sections)}</div>{found}"
    )
