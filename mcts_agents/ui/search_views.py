"""What a search found, as messages: actions, lines of play, nodes, and comparisons."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mcts_agents.agents import Planner
from mcts_agents.arena.playing.tables import RulesTable, Table
from mcts_agents.arena.replay.wording import ONLY_ONE
from mcts_agents.envs.regions import to_json
from mcts_agents.model import ForwardModel, new_generator
from mcts_agents.search import SearchResult
from mcts_agents.search.inspection.tree_node import ShownNode
from mcts_agents.search.inspection.tree_views import actions_by_visits
from mcts_agents.ui.live_search import LiveSearch
from mcts_agents.ui.pictures import regions_of

Name = Callable[[int], str]

# Rows of a message; the rest is counted.
MOST_ACTIONS = 200
MOST_CHILDREN = 60
MOST_LINE = 12


def search_message(live: LiveSearch, name: Name) -> dict[str, Any]:
    """Return how far a search is and what it found.

    Args:
        live: The search.
        name: Writes an action.
    """
    result = live.result
    told = {
        "id": live.id,
        "player": live.player,
        "number": live.number,
        "done": live.done,
        "steps": live.steps,
        "why_whole": live.why_whole,
        "simulations": live.simulations,
        "budget": _budget(live),
        "seconds": round(live.seconds, 3),
        "per_second": round(live.per_second),
        "curve": live.curve,
        "trees": live.tree_players,
        "worlds": live.worlds,
    }
    if result is None:
        return told
    rows = action_rows(result.actions, result.visits, result.values, name)
    return {
        **told,
        "best": int(result.action),
        "best_name": name(int(result.action)),
        "actions": rows[:MOST_ACTIONS],
        "more": len(rows[MOST_ACTIONS:]),
        "nodes": result.nodes,
        "depth": result.depth,
        "solved": result.solved,
        "proven": result.proven,
        "unsearched": _unsearched(live, result),
    }


def _unsearched(live: LiveSearch, result: SearchResult) -> str:
    """Say why a choice was made without a search; empty if there was one."""
    if not isinstance(live.agent, Planner):
        return live.why_whole
    known = result.visits.any() or np.isfinite(result.values).any()
    alone = len(result.actions) == 1
    return ONLY_ONE if alone and not known and not result.simulations else ""


def _budget(live: LiveSearch) -> dict[str, float]:
    settings = getattr(live.agent, "settings", None)
    names = ("simulations", "seconds", "forward_model_calls", "nodes")
    given = {name: getattr(settings, name, None) for name in names}
    return {n: v for n, v in given.items() if isinstance(v, int | float) and finite(v)}


def action_rows(
    actions: np.ndarray, visits: np.ndarray, values: np.ndarray, name: Name
) -> list[dict[str, Any]]:
    """Return each action with its visits, share of visits and value, best first."""
    total = max(1, int(visits.sum()))
    columns = actions.tolist(), visits.tolist(), values.tolist()
    rows = [
        {
            "action": action,
            "name": name(action),
            "visits": count,
            "share": round(count / total, 4),
            "value": None if finite(value) is None else round(value, 4),
        }
        for action, count, value in zip(*columns, strict=True)
    ]
    return sorted(rows, key=_order)


def finite(value: float | None) -> float | None:
    """Return a number, None for one that JSON does not have."""
    return value if value is not None and math.isfinite(value) else None


def _order(row: dict[str, Any]) -> tuple[float, float, int]:
    value = -math.inf if row["value"] is None else row["value"]
    return -row["visits"], -value, row["action"]


def variation_of(live: LiveSearch, name: Name) -> list[dict[str, Any]]:
    """Return the principal variation as (player, action, name)."""
    if live.result is None:
        return []
    return [
        {"player": player, "action": int(action), "name": name(int(action))}
        for player, action in live.result.principal_variation[:MOST_LINE]
    ]


def variation_on_board(
    live: LiveSearch, table: Table, viewer: int | None
) -> list[dict[str, Any] | None]:
    """Return where each move of the principal variation lies on the picture.

    The moves are made on a copy of the searched state, and each is looked up in the
    regions of its position. Where that cannot be done (the line leaves out a player
    who decides, or another player's moves are hidden) the places end.

    Args:
        live: The search.
        table: The table, with the rules and the regions.
        viewer: Who looks; None sees everything.
    """
    if live.result is None or live.state is None or not isinstance(table, RulesTable):
        return []
    regions = regions_of(table)
    if regions is None:
        return []
    model, state = table.model, table.model.copy(live.state)
    rng = new_generator(0)
    line = [(p, int(a)) for p, a in live.result.principal_variation[:MOST_LINE]]
    places: list[dict[str, Any] | None] = []
    while line:
        movers = model.movers(state)
        joint = dict(line[: len(movers)])
        if len(movers) != 1 or set(joint) != set(movers):
            break
        (player,) = movers
        if model.hidden_information and player != live.player:
            break
        if joint[player] not in model.legal_actions(state, player):
            break  # chance, or another world than the one that was searched
        seen_by = viewer if viewer is None else player
        found = to_json(regions(model, state, seen_by, player))
        at = {entry["action"]: entry for entry in found}
        places.append(at.get(joint[player]))
        model.apply(state, joint, rng)
        line = line[1:]
        if model.chance:
            break
    return places


# -- trees


def node_message(
    root: ShownNode, path: list[dict[str, Any]], name: Name
) -> dict[str, Any]:
    """Return one node of a tree, and how often each of its children was visited.

    Args:
        root: The root.
        path: The steps that lead to the node: `{"actions": {player: action}, "movers":
            [player]}`, where the movers are those of the node below.
        name: Writes an action.

    Raises:
        RuntimeError: There is no such node any more.
    """
    node = root
    for step in path:
        node = _child(node, step)
    children: list[dict[str, Any]] = [
        {
            "actions": {str(p): int(a) for p, a in actions.items()},
            "names": {str(p): name(int(a)) for p, a in actions.items()},
            "movers": below.movers,
            "visits": below.visits,
        }
        for actions, below in node.children()
    ]
    children.sort(key=lambda child: -(child["visits"] or 0))
    return {
        "movers": node.movers,
        "visits": node.visits,
        "bandits": [_bandit(bandit, name) for bandit in node.bandits],
        "children": children[:MOST_CHILDREN],
        "more": len(children[MOST_CHILDREN:]),
    }


def _child(node: ShownNode, step: dict[str, Any]) -> ShownNode:
    wanted = {int(p): int(a) for p, a in step["actions"].items()}
    for actions, below in node.children():
        if dict(actions) == wanted and list(below.movers) == list(step["movers"]):
            return below
    raise RuntimeError("this part of the tree is not there any more")


def _bandit(bandit: dict[str, Any], name: Name) -> dict[str, Any]:
    rows = [
        {**_finite(row), "name": name(row["action"])}
        for row in actions_by_visits(bandit)
    ]
    return {
        "player": bandit["player"],
        "visits": bandit["visits"],
        "actions": rows[:MOST_CHILDREN],
        "more": len(rows[MOST_CHILDREN:]),
    }


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row in which numbers that JSON does not have are None."""
    return {key: finite(v) if isinstance(v, float) else v for key, v in row.items()}


# -- why not this move?


def comparison(
    live: LiveSearch, actions: tuple[int, int], model: ForwardModel, name: Name
) -> dict[str, Any]:
    """Return what the search thinks of two actions, side by side.

    Args:
        live: The search.
        actions: The two actions.
        model: The game.
        name: Writes an action.

    Raises:
        ValueError: An action that the searched position does not have.
        RuntimeError: Nothing was searched yet, or the agent has gone on.
    """
    result = live.result
    if result is None:
        raise RuntimeError("nothing was searched yet")
    rows = {
        row["action"]: row
        for row in action_rows(result.actions, result.visits, result.values, name)
    }
    for action in actions:
        if action not in rows:
            raise ValueError(f"{action} is not one of the actions that were searched")
    sides = []
    for action in actions:
        line = _line_after(live, action, name)
        sides.append({**rows[action], "line": line})
    return {"sides": sides, "verdict": _verdict(*sides)}


def _line_after(live: LiveSearch, action: int, name: Name) -> list[dict[str, Any]]:
    """Return the most visited continuation after an action of the root."""
    if not live.tree_players:
        return []
    node = live.root(live.player)
    forced = {live.player: action}
    line: list[dict[str, Any]] = []
    while len(line) < MOST_LINE:
        found = [
            (below.visits or 0, actions, below)
            for actions, below in node.children()
            if all(actions.get(p) == a for p, a in forced.items())
        ]
        if not found:
            break
        _, actions, node = max(found, key=lambda one: one[0])
        forced = {}
        line += [
            {"player": p, "action": int(a), "name": name(int(a))}
            for p, a in actions.items()
        ]
    return line


def _verdict(one: dict[str, Any], other: dict[str, Any]) -> str:
    """Say in a sentence or two why the search prefers one of two actions."""
    if one["visits"] == other["visits"] == 0 and one["value"] == other["value"]:
        if one["value"] is None:
            return "The search has looked at neither move."
        return f"The search expects the same after both moves: {one['value']:.3f}."
    better, worse = sorted((one, other), key=_order)
    if worse["visits"] == 0 and worse["value"] is None:
        return f"The search never tried {worse['name']}."
    if better["value"] is None or worse["value"] is None:
        return f"The search prefers {better['name']}."
    gap = better["value"] - worse["value"]
    text = (
        f"The search prefers {better['name']}: it expects {better['value']:.3f} "
        f"there, and {worse['value']:.3f} after {worse['name']}."
    )
    if gap < 0:
        text = (
            f"{worse['name']} has the higher mean value ({worse['value']:.3f} against "
            f"{better['value']:.3f}), but the search tried {better['name']} more often "
            f"({better['visits']:,} visits against {worse['visits']:,}), so it knows "
            "that value better."
        )
    elif worse["visits"] * 10 < better["visits"]:
        text += (
            f" It gave {worse['name']} only {worse['visits']:,} of its visits, so that "
            "value is a rough estimate."
        )
    line = [step["name"] for step in worse.get("line", [])[1:4]]
    if line:
        text += f" After {worse['name']} it expects {', '.join(line)}."
    return text
