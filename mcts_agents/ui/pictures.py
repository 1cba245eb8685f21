"""Pictures of positions as data URLs, painted by one thread at a time."""

import base64
import io
import threading
from collections.abc import Callable

import numpy as np

from mcts_agents.arena.playing.tables import RulesTable, Table
from mcts_agents.envs import Game
from mcts_agents.envs.painting import Screen
from mcts_agents.envs.regions import Region
from mcts_agents.extras import from_extra

with from_extra("ui", "the page needs Pillow"):
    from PIL import Image

# pygame's fonts, and the games' caches of cards, are not made for several threads.
one_thread = threading.Lock()


def picture_of(table: Table, viewer: int | None) -> tuple[str, int, int]:
    """Return a position's picture as a data URL (PNG), its width and its height.

    Args:
        table: The table.
        viewer: What this player may see; None: everything. An environment of somebody
            else renders everything, so a player gets no picture of it: an empty text.
    """
    if viewer is not None and not isinstance(table, RulesTable):
        return "", 0, 0
    with one_thread:
        if isinstance(table, RulesTable):
            pixels = painted(table, table.state(), viewer)
        else:
            pixels = table.picture()
    return data_url(pixels), pixels.shape[1], pixels.shape[0]


def picture_of_state(table: RulesTable, state: np.ndarray) -> tuple[str, int, int]:
    """Return the picture of a state with all that is in it, as `picture_of` does."""
    with one_thread:
        pixels = painted(table, state, None)
    return data_url(pixels), pixels.shape[1], pixels.shape[0]


def painted(table: RulesTable, state: np.ndarray, viewer: int | None) -> np.ndarray:
    """Return the pixels of a state, uint8 of shape (height, width, 3)."""
    game = table.game
    assert isinstance(game, Game)
    screen = Screen(game.title, 1)
    surface = screen.picture(game.size(table.model))
    game.paint(surface, table.model, state, viewer)
    return screen.pixels()


def regions_of(table: Table) -> Callable[..., list[Region]] | None:
    """Return the function of a game that says where actions lie, if it has one."""
    return table.game.regions if isinstance(table.game, Game) else None


def data_url(pixels: np.ndarray) -> str:
    """Return pixels as a data URL."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=3)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
