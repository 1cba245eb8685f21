"""The rules of Atarigo: who takes the last liberty of an enemy group first wins.

All but the board is shared with Nogo, see `mcts_agents.envs.stones.rules`.
"""

from mcts_agents.envs.stones.rules import rules_of, set_board

rules = rules_of("atarigo")


@rules.variant
def variant(game, *, players=2, size=6):
    """Choose the board.

    Args:
        game: The variant's record, filled in place.
        players: 2.
        size: Points a side, 2 to 11.
    """
    if players != 2:
        raise ValueError(f"players={players}: atarigo is for 2 players")
    return set_board(game, "atarigo", players, size, capturing=True)
