"""`mcts-agents tree`."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcts_agents.agents import Planner, make_agent
from mcts_agents.arena.playing.tables import Table
from mcts_agents.cli.command_options import TreeFormat, TreeOptions
from mcts_agents.cli.requests import (
    RequestError,
    refusals,
    requested,
    requested_table,
    told_of,
)
from mcts_agents.cli.terminal import PlainConsole
from mcts_agents.names import quoted
from mcts_agents.search import SearchResult
from mcts_agents.writing import replacing

# Between two moves, and behind the last one.
_SEPARATOR = re.compile(r"\s*,?\s*")
_END = re.compile(r"[\s,]|$")

# Of a text that is written to a file.
FILE_WIDTH = 100


def show_tree(options: TreeOptions) -> None:
    """Search one position and print or write the search tree."""
    table = requested_table(options.game, options.players)
    with requested():
        agent = make_agent(options.agent, seed=options.seed)
        if not isinstance(agent, Planner):
            raise RequestError(f"{options.agent!r}: tree needs an agent that searches")
        table.begin(options.seed)
        table.prepare(agent, 0)  # refuses what the game cannot serve
    played = _play(table, options.moves)
    player = table.turn()
    if player is None:
        raise RequestError(f"the game is over after {' '.join(played)}")
    with refusals():
        result = agent.plan(table.planned)
    if result.action not in table.legal_actions():
        raise RequestError(
            f"{agent!r} chose {quoted(result.action)}, which is not legal for "
            f"player_{player}"
        )
    name = table.name
    if not result.has_tree:
        only = name(result.action)
        raise RequestError(
            f"player_{player} has only one legal move, {only}, so there is no search "
            "to show"
            if len(result.actions) == 1
            else f"player_{player} plays {only}: {options.agent!r} has no tree to show"
        )

    if options.format is TreeFormat.text:
        _print_text(
            table.seen(player, agent._rng),
            _summary(result, player, name),
            result.text(options.depth - 1, name, options.actions),
            options.output,
        )
        return
    if options.format is TreeFormat.dot:
        text = result.dot(options.depth, name)  # decisions are edges
    else:
        found = {
            "game": options.game,
            "players": table.model.players,
            "seed": options.seed,
            "agent": options.agent,
            "moves": played,
            "player": player,
            "action": result.action,
            "name": name(result.action),
            "tree": _named(result.tree(options.depth - 1), name),
        }
        text = json.dumps(found) + "\n"
    _write(text, options.output)


def _play(table: Table, moves: str) -> list[str]:
    """Make moves as people write them; return them."""
    by_comma = "," in moves
    played: list[str] = []
    rest = moves.strip()
    while rest:
        player = table.turn()
        legal = [] if player is None else table.legal_actions()
        move = _first_move(rest, [table.name(action) for action in legal], by_comma)
        rest = _SEPARATOR.sub("", rest[len(move) :], count=1)
        played.append(move)
        place = f"move {len(played)}, {move!r}"
        if player is None:
            raise RequestError(f"{place}: the game is already over before this move")
        with requested():
            try:
                action = table.action_of(move)
            except ValueError as error:
                raise RequestError(f"{place}: {error}") from error
        if action not in legal:
            raise RequestError(f"{place}: not legal for player_{player}")
        table.step(action)
    return played


def _first_move(text: str, legal: list[str], by_comma: bool) -> str:
    """Return the move with which a text begins.

    Args:
        text: One move or more.
        legal: The legal moves, which may have spaces and commas: the longest that the
            text begins with is meant.
        by_comma: What ends any other move: a comma or, if False, a space.
    """
    found = [name for name in legal if name and text.startswith(name)]
    found = [name for name in found if _END.match(text, len(name))]
    if found:
        return max(found, key=len)
    return text.partition(",")[0].rstrip() if by_comma else text.split()[0]


def _summary(result: SearchResult, player: int, name: Callable[[int], str]) -> str:
    counts = [
        f"{result.simulations:,} simulations" * (result.simulations > 0),
        f"{result.nodes:,} nodes" * (result.nodes > 0),
        f"depth {result.depth}" * (result.depth > 0),
        "solved" * result.solved,
    ]
    told = ", ".join(filter(None, counts))
    variation = "  ".join(f"{p}: {name(a)}" for p, a in result.principal_variation)
    return (
        f"player_{player} plays {name(result.action)}{': ' if told else ''}{told}\n"
        f"principal variation  {variation}"
    )


def _named(node: dict[str, Any], name: Callable[[int], str]) -> dict[str, Any]:
    """Return a tree with the name of each action beside its number."""
    bandits = [
        {
            **bandit,
            "actions": [{**a, "name": name(a["action"])} for a in bandit["actions"]],
        }
        for bandit in node["bandits"]
    ]
    children = [
        {**child, "node": _named(child["node"], name)} for child in node["children"]
    ]
    return {**node, "bandits": bandits, "children": children}


def _print_text(position: str, summary: str, tree: Any, output: Path | None) -> None:
    file = None if output is None else io.StringIO()
    console = PlainConsole(file=file, width=None if file is None else FILE_WIDTH)
    console.print(position, soft_wrap=True)
    console.print(f"\n{summary}")
    console.print(tree)
    if file is not None:
        _write(file.getvalue(), output)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        print(text, end="")
        return
    with told_of(output), replacing(output) as temporary:
        temporary.write_text(text, encoding="utf-8")
