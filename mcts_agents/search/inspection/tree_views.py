"""A search tree, exported as a dictionary, as DOT and as rich text.

Where a search does not count visits the greatest values come first instead.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

from rich.text import Text
from rich.tree import Tree


def actions_by_visits(bandit: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a bandit's actions, most visited first."""

    def key(action: dict[str, Any]) -> tuple[float, int]:
        shown = action["value"] if action["visits"] is None else action["visits"]
        return math.inf if shown is None else -shown, action["action"]

    return sorted(bandit["actions"], key=key)


def action_text(action: dict[str, Any], name: Callable[[int], str]) -> str:
    """Write one action with its statistics."""
    told = []
    if action["visits"] is not None:
        told.append(_visits(action["visits"]))
    if action["visits"] != 0 and action["value"] is not None:
        told.append(f"value {action['value']:.3f}")
    if action["strategy"] is not None:
        told.append(f"played {action['strategy']:.1%}")
    if action["proven"]:
        told.append(action["proven"])
    return "  ".join([name(action["action"]), ", ".join(told)]).rstrip()


def _visits(count: int | None, before: str = "") -> str:
    """Write how often the search was somewhere; empty if it does not count that."""
    return "" if count is None else f"{before}{count} visits"


def joint_name(actions: dict[int, int], name: Callable[[int], str]) -> str:
    """Write the action or the joint action that leads to a child."""
    return ", ".join(f"{p}: {name(a)}" for p, a in sorted(actions.items()))


def rich_tree(
    root: dict[str, Any], name: Callable[[int], str], limit: int | None = None
) -> Tree:
    """Return a tree to print with rich: each player's actions, then what follows.

    Args:
        root: The tree, see `SearchResult.tree`.
        name: Writes an action.
        limit: Most actions, or joint actions, shown of a node, the most visited ones.
    """
    tree = Tree(Text(_visits(root["visits"]) or "root", "bold"))
    _add(tree, root, name, limit)
    return tree


def _add(
    branch: Tree, node: dict[str, Any], name: Callable[[int], str], limit: int | None
) -> None:
    below: dict[tuple[int, ...], list[dict[str, Any]]] = {}
    for child in node["children"]:
        key = tuple(child["actions"].values())
        below.setdefault(key, []).append(child)
    alone = len(node["bandits"]) == 1
    for bandit in node["bandits"]:
        who = f"player {bandit['player']}: "
        actions = actions_by_visits(bandit)
        shown = actions[:limit]
        if limit is not None:
            shown = [action for action in shown if action["visits"] != 0]
        for action in shown:
            leaf = branch.add(Text(who + action_text(action, name)))
            if alone:
                for child in below.get((action["action"],), []):
                    _add(leaf, child["node"], name, limit)
        _add_rest(branch, who, actions[len(shown) :])
    if not alone:
        order = sorted(node["children"], key=lambda c: -(c["node"]["visits"] or 0))
        for child in order[:limit]:
            title = joint_name(child["actions"], name)
            visits = _visits(child["node"]["visits"], "  ")
            leaf = branch.add(Text(f"[{title}]{visits}"))
            _add(leaf, child["node"], name, limit)
        _add_rest(branch, "", [c["node"] for c in order[len(order[:limit]) :]])


def _add_rest(branch: Tree, who: str, rest: list[dict[str, Any]]) -> None:
    """Say how many more there are, and how often they were visited in all."""
    if rest:
        counted = [e["visits"] for e in rest if e["visits"] is not None]
        visits = _visits(sum(counted) if counted else None, "  ")
        branch.add(Text(f"{who}and {len(rest)} more{visits}", "dim"))


def dot(root: dict[str, Any], name: Callable[[int], str]) -> str:
    """Return the tree in Graphviz's DOT language."""
    lines = ["digraph search {", "  node [shape=box, fontname=sans];"]
    numbers: Iterator[int] = iter(range(1 << 62))

    def write(node: dict[str, Any]) -> int:
        own = next(numbers)
        players = ", ".join(f"player {b['player']}" for b in node["bandits"])
        visits = _visits(node["visits"], "\\n")
        lines.append(f'  n{own} [label="{players}{visits}"];')
        for child in node["children"]:
            number = write(child["node"])
            label = _quoted(_edge_label(node, child, name))
            lines.append(f'  n{own} -> n{number} [label="{label}"];')
        return own

    write(root)
    return "\n".join([*lines, "}", ""])


def _edge_label(node, child, name) -> str:
    if len(node["bandits"]) > 1 or not child["actions"]:
        return joint_name(child["actions"], name)
    (action,) = child["actions"].values()
    for entry in node["bandits"][0]["actions"]:
        if entry["action"] == action:
            return action_text(entry, name).replace("  ", "\n", 1)
    return name(action)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
