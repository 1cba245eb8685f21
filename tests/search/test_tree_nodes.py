"""Trees read node by node."""

import pytest

from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from mcts_agents.search.inspection.tree_reader import TreeReader
from tests.toy_games import auction, hands, nim


def searched(model, **chosen):
    rng = new_generator(0)
    state = model.reset(rng)
    search = Search(model, SearchSettings(simulations=300, **chosen))
    player = model.movers(state)[0]
    return search, search.run(state, player, rng), state


def plain(node, depth):
    """What `tree(depth)` returns, from what a node says of itself."""
    children = []
    if depth != 0:
        for actions, child in node.children():
            children.append({"actions": actions, "node": plain(child, depth - 1)})
    return {
        "movers": node.movers,
        "visits": node.visits,
        "bandits": node.bandits,
        "children": children,
    }


@pytest.mark.parametrize(
    ("game", "chosen"),
    [
        (nim, {}),
        (nim, {"tree_policy": "exp3"}),
        (auction, {}),
        (auction, {"tree": "multi"}),
        (hands, {"determinizations": 3}),
        (lambda: make_model("tictactoe")[1], {"graph": True}),
    ],
    ids=["turns", "strategies", "at once", "one each", "worlds", "graph"],
)
@pytest.mark.parametrize("depth", [0, 1, 3, -1])
def test_nodes_say_what_the_whole_tree_says(game, chosen, depth):
    _, found, _ = searched(game(), **chosen)
    whole = found.tree(None if depth < 0 else depth)
    assert plain(found.root, depth) == whole
    assert whole["visits"] == found.root.visits > 0


def test_only_what_is_looked_at_is_read(monkeypatch):
    _, found, _ = searched(make_model("hex:size=5")[1])
    read = []
    told = TreeReader.statistics
    monkeypatch.setattr(
        TreeReader,
        "statistics",
        lambda self, *where: read.append(where) or told(self, *where),
    )
    actions, child = next(found.root.children())
    assert read == []
    assert len(actions) == 1
    assert child.bandits[0]["actions"]
    assert len(read) == 1


def test_a_tree_that_is_gone_says_so():
    search, found, state = searched(nim())
    root = found.root
    (child, *_) = (node for _, node in root.children())
    search.run(state, 0, new_generator(1))
    for look in (
        lambda: found.root,
        lambda: found.principal_variation,
        lambda: root.visits,
        lambda: child.bandits,
        lambda: list(child.children()),
    ):
        with pytest.raises(RuntimeError, match="moved on to another decision"):
            look()
