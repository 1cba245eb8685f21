"""Games that an agent plays against itself, as data for a network.

`self_play` plays them, many side by side in a fleet of searches. The loop over games is
compiled (`games.py`); Python calls the network and hands out what was played.
"""

from mcts_agents.learn.training.game_settings import GameSettings
from mcts_agents.learn.training.self_play import PlayedGame, SelfPlay

__all__ = ["GameSettings", "PlayedGame", "SelfPlay"]
