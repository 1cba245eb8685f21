"""A search's tree, node by node: each is read when it is looked at."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

from mcts_agents.search.inspection.tree_reader import TreeReader


class ShownNode(ABC):
    """A place of a tree, as it is shown: who decides there, and what is known of it.

    An agent that searches by other means than `Search` shows its tree by a subclass.
    """

    @property
    @abstractmethod
    def movers(self) -> list[int]:
        """The players of the tree who decide here, ascending."""

    @property
    @abstractmethod
    def visits(self) -> int | None:
        """How often the search was here; None: it does not count that."""

    @property
    @abstractmethod
    def bandits(self) -> list[dict[str, Any]]:
        """What each mover knows of its actions; see `SearchResult.tree`."""

    @abstractmethod
    def children(self) -> Iterator[tuple[dict[int, int], "ShownNode"]]:
        """Yield (action of each mover, node) of all that follows."""

    def as_dict(self, depth: int | None = None) -> dict[str, Any]:
        """Return this node and `depth` decisions below it (None: all) as dictionaries.

        See `SearchResult.tree` for the form.
        """
        children = []
        if depth is None or depth > 0:
            children = [
                {"actions": actions, "node": node.as_dict(depth and depth - 1)}
                for actions, node in self.children()
            ]
        return {
            "movers": self.movers,
            "visits": self.visits,
            "bandits": self.bandits,
            "children": children,
        }


class TreeNode(ShownNode):
    """What players who decide at once know of their actions at one place of a tree.

    The tree lies in the search's memory until its next decision; a node that is looked
    at later raises a RuntimeError.

    Args:
        reader: Returns the reader of the search's arrays, or raises if it has gone on.
        bandits: Where in the arrays each player's decision is.
        above: The nodes that lead here, by their first bandits.
    """

    def __init__(
        self,
        reader: Callable[[], TreeReader],
        bandits: dict[int, int],
        above: tuple[int, ...] = (),
    ):
        self._reader = reader
        self._bandits = bandits
        self._path = (*above, next(iter(bandits.values())))

    @property
    def movers(self) -> list[int]:
        """The players of the tree who decide here, ascending."""
        return list(self._bandits)

    @property
    def visits(self) -> int:
        """How often the search was here."""
        return int(self._reader().arrays["nodes"][self._path[-1]]["visits"])

    @property
    def bandits(self) -> list[dict[str, Any]]:
        """What each mover knows of its actions; see `SearchResult.tree`."""
        reader = self._reader()
        return [reader.statistics(p, bandit) for p, bandit in self._bandits.items()]

    def children(self) -> Iterator[tuple[dict[int, int], "TreeNode"]]:
        """Yield (action of each mover, node) of all that follows.

        After one choice there may be several, where chance or hidden information
        decides who is next. In a graph search no node is below itself.
        """
        for actions, bandits in self._reader().children(self._bandits, self._path):
            yield actions, TreeNode(self._reader, bandits, self._path)
