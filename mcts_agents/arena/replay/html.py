"""A replay as one self-contained page for a browser."""

import base64
import io
from collections.abc import Iterable
from pathlib import Path

import mcts_agents
from mcts_agents.arena.replay import wording
from mcts_agents.arena.replay.film import Film
from mcts_agents.arena.replay.replaying import Moment, Replay
from mcts_agents.envs.seats import seat_color
from mcts_agents.extras import from_extra
from mcts_agents.writing import replacing

with from_extra("pictures", "the page of a replay needs Jinja and Pillow"):
    import jinja2
    from PIL import Image

TEMPLATE = "page.html.jinja"
MOST_COLUMNS = 4


def write(replay: Replay, moments: Iterable[Moment], actions: int, path: Path) -> None:
    """Write a replay as a page with all pictures inside; it needs no network.

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
    shown, film = [], Film()
    for moment in moments:
        film.add(Image.fromarray(replay.picture()))
        shown.append(moment)
    pictures = (_data_uri(frame) for frame in film.frames())
    page = environment.get_template(TEMPLATE).render(
        title=wording.title(replay),
        record=replay.record,
        has_points=replay.model.has_points,
        frames=list(zip(shown, pictures, strict=True)),
        width=replay.picture_size[0],
        together=replay.together,
        actions=actions,
        colors=[
            "#{:02x}{:02x}{:02x}".format(*seat_color(player))
            for player in range(replay.model.players)
        ],
        difference=replay.difference_text(),
        version=mcts_agents.__version__,
        text=wording,
        columns=columns(replay.model.players),
    )
    with replacing(path) as file:
        file.write_text(page, encoding="utf-8")


def columns(players: int) -> int:
    """Return the number of columns for the decisions of one moment."""
    rows = -(-players // MOST_COLUMNS)
    return -(-players // rows)


def _data_uri(frame: Image.Image) -> str:
    """Return a picture as a PNG file within the page."""
    file = io.BytesIO()
    frame.save(file, format="PNG", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
