"""Strategies read from the tree that a search exports.

A node is `{"movers": [0, 1], "visits": n, "bandits": [{"player": 0, "visits": n,
"actions": [{"action": a, "visits": n, "available": n, "value": q, "strategy":
probability or None}, ...]}, ...], "children": [{"actions": {0: a, 1: b}, "node":
{...}}, ...]}`.
"""

from collections.abc import Callable, Mapping

History = tuple[tuple[int, ...], ...]


def strategy_of_tree(
    tree: Mapping, *, visits: bool = False
) -> Callable[[History], dict[int, dict[int, float]]]:
    """Return a function from a history of joint actions to the players' strategies.

    Args:
        tree: The root. Every node's strategies are the averages that the search
            exports, else the frequencies of its visits.
        visits: Use the frequencies of visits in any case.

    A history is a tuple of joint actions, each one action a mover, players ascending.
    A player whose bandit was never visited is missing from what the function returns,
    which stands for uniform play.
    """
    nodes = dict(_nodes(tree, ()))

    def strategy(history: History) -> dict[int, dict[int, float]]:
        if history not in nodes:
            return {}
        strategies = {
            bandit["player"]: _strategy(bandit["actions"], visits)
            for bandit in nodes[history]["bandits"]
        }
        return {player: found for player, found in strategies.items() if found}

    return strategy


def _nodes(node: Mapping, history: History):
    """Yield every node with its history."""
    yield history, node
    for child in node["children"]:
        joint = tuple(child["actions"][player] for player in sorted(child["actions"]))
        yield from _nodes(child["node"], (*history, joint))


def _strategy(actions, visits: bool) -> dict[int, float]:
    """Return one bandit's strategy, empty if there is none yet."""
    weights = {entry["action"]: entry["strategy"] for entry in actions}
    if visits or None in weights.values():
        weights = {entry["action"]: entry["visits"] for entry in actions}
    total = sum(weights.values())
    return {a: weight / total for a, weight in weights.items()} if total > 0 else {}
