"""A replay as an animated GIF."""

from collections.abc import Iterable
from pathlib import Path

from mcts_agents.arena.replay.film import Film
from mcts_agents.arena.replay.panel import Panel
from mcts_agents.arena.replay.replaying import Moment, Replay
from mcts_agents.writing import replacing

# Milliseconds that a frame stays. Of a long game less, so that it ends some time, and
# less again where no searches are to be read.
SLOWEST, FASTEST = 1500, 100
WITH_SEARCHES, WITHOUT = 120_000, 45_000
LAST = 5000


def write(replay: Replay, moments: Iterable[Moment], actions: int, path: Path) -> None:
    """Write a replay as a GIF that loops, one frame for each moment.

    Args:
        replay: The replay.
        moments: Its moments, which are taken one after another.
        actions: Most actions of a search to show.
        path: The file; it is there as a whole or not at all.

    Raises:
        OSError: It cannot be written.
        ValueError: See `Replay.moments`.
    """
    panel = Panel(replay, actions)
    film = Film()
    for moment in moments:
        film.add(panel.frame(moment))
    frames = film.frames()
    with replacing(path) as file:
        next(frames).save(
            file,
            format="GIF",
            save_all=True,
            append_images=frames,
            duration=durations(len(film), replay.search),
            loop=0,
            optimize=True,  # what stays as it was is not written again
        )


def durations(frames: int, searched: bool) -> list[int]:
    """Return how long each frame stays, in milliseconds."""
    whole = WITH_SEARCHES if searched else WITHOUT
    each = min(SLOWEST, max(FASTEST, whole // frames))
    return [each // 10 * 10] * (frames - 1) + [LAST]  # GIF counts hundredths
