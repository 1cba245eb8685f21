"""What has been played, and where it leads in the trees of an earlier decision."""

from dataclasses import dataclass

from mcts_agents.search.records import NONE


@dataclass(frozen=True)
class History:
    """A game so far, as one player has seen it.

    Attributes:
        episode: Names the game; two games never have the same.
        moves: The joint actions since the opening, each a tuple with every player's
            action, -1 for those who did not move, None for an action not seen.
    """

    episode: object
    moves: tuple[tuple[int | None, ...], ...]

    def continues(self, earlier: "History") -> bool:
        """Whether this is the same game as an earlier one, later."""
        return self.episode == earlier.episode and len(self.moves) > len(earlier.moves)

    def since(self, earlier: "History") -> tuple[tuple[int | None, ...], ...]:
        """Return the joint actions since an earlier moment of the game."""
        return self.moves[len(earlier.moves) :]


def follow(reader, root, owned, player, moves) -> int:
    """Return the link that `moves` lead to from a tree's root, NONE if it has none.

    Args:
        reader: A `TreeReader`.
        root: The tree's root link.
        owned: Players of the tree, a bit mask.
        player: Who watched.
        moves: Joint actions, see `History`.
    """
    link = root
    for joint in moves:
        actions = {
            p: action
            for p, action in enumerate(joint)
            if action != -1 and owned >> p & 1
        }
        if not actions:
            continue
        if None in actions.values():
            return NONE
        for bandits in reader.bandits_below(link):
            if list(bandits) == list(actions):
                link = reader.link_of(bandits, actions)
                break
        else:
            return NONE
        if link < 0:
            return NONE
    return link
