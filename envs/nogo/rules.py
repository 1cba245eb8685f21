"""The rules of Nogo: no stone may take the last liberty of any group.

All but the board is shared with Atarigo, see `mcts_agents.envs.stones.rules`.

Source: T. Cazenave, "Monte Carlo Permutation Search" (2025), also for three players.
"""

from mcts_agents.envs.stones.rules import MOST_PLAYERS, rules_of, set_board

rules = rules_of("nogo")


@rules.variant
def variant(game, *, players=2, size=5):
    """Choose the board.

    Args:
        game: The variant's record, filled in place.
        players: 2 or 3.
        size: Points a side, 2 to 11.
    """
    if not 2 <= players <= MOST_PLAYERS:
        raise ValueError(f"players={players}: nogo is for 2 or 3 players")
    return set_board(game, "nogo", players, size, capturing=False)
