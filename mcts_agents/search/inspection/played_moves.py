"""Where what was really played leads in the trees of an earlier decision."""

from mcts_agents.search.kernel.records import NONE


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
