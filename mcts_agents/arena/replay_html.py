"""A replay as one page that needs nothing but a browser."""

import base64
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jinja2
from PIL import Image

import mcts_agents
from mcts_agents.arena import replay_text
from mcts_agents.arena.replay_gif import png
from mcts_agents.arena.replaying import Moment, Replay
from mcts_agents.arena.whole_file import whole_file
from mcts_agents.envs.painting import PLAYER_COLORS

TEMPLATE = "replay.html.jinja"


def write(replay: Replay, moments: Iterable[Moment], actions: int, path: Path) -> None:
    """Write a replay as a page with all pictures in it; it asks no network.

    Args:
        replay: The replay.
        moments: Its moments, which are taken one after another.
        actions: Most actions of a search to show.
        path: The file, in UTF-8; it is there as a whole or not at all.

    Raises:
        OSError: It cannot be written.
        ValueError: See `Replay.moments`.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    frames = [(moment, _picture(replay)) for moment in moments]
    page = environment.get_template(TEMPLATE).render(
        title=replay_text.title(replay),
        record=replay.record,
        frames=frames,
        width=replay.game.size(replay.model)[0],
        together=replay.game.simultaneous,
        actions=actions,
        colors=["#{:02x}{:02x}{:02x}".format(*color) for color in PLAYER_COLORS],
        difference=replay.difference_text(),
        version=mcts_agents.__version__,
        text=replay_text,
        most=_most_visits,
    )
    with whole_file(path) as file:
        file.write(page.encode())


def _picture(replay: Replay) -> str:
    """Return the present position as a data URI."""
    packed = png(Image.fromarray(replay.picture()), 9)
    return f"data:image/png;base64,{base64.b64encode(packed).decode()}"


def _most_visits(view: Any) -> int:
    return max(1, view.actions[0].visits)
