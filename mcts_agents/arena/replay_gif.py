"""A replay as an animated GIF."""

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.spatial import cKDTree

from mcts_agents.arena.replay_panel import Panel
from mcts_agents.arena.replaying import Moment, Replay
from mcts_agents.arena.whole_file import whole_file

# One is left for Pillow to mark what stays as it was, which makes files far smaller.
COLORS = 255
# So many colours, the most frequent ones, are kept exactly: all plain areas.
EXACT = 144

# Milliseconds that a frame stays. Of a long game less, so that it ends some time.
SLOWEST, FASTEST = 1500, 500
WHOLE_GAME = 120_000
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
    counts: Counter[int] = Counter()
    packed: list[bytes] = []
    for moment in moments:
        frame = panel.frame(moment)
        for count, (red, green, blue) in frame.getcolors(frame.width * frame.height):
            counts[red << 16 | green << 8 | blue] += count
        # As they are, hundreds of frames would fill the memory.
        packed.append(png(frame, 1))
    frames = _reduced(packed, counts)
    with whole_file(path) as file:
        next(frames).save(
            file,
            format="GIF",
            save_all=True,
            append_images=frames,
            duration=durations(len(packed)),
            loop=0,
            optimize=True,  # what stays as it was is not written again
        )


def png(frame: Image.Image, level: int) -> bytes:
    """Return a picture as a PNG file, compressed from 0 (not) to 9 (best)."""
    file = io.BytesIO()
    frame.save(file, format="PNG", compress_level=level)
    return file.getvalue()


def durations(frames: int) -> list[int]:
    """Return how long each frame stays, in milliseconds."""
    each = min(SLOWEST, max(FASTEST, WHOLE_GAME // frames))
    return [each // 10 * 10] * (frames - 1) + [LAST]  # GIF counts hundredths


def common_palette(counts: Counter[int]) -> np.ndarray:
    """Return one palette for all frames, so that nothing flickers.

    Args:
        counts: How many pixels have each colour (0xRRGGBB).

    Returns:
        At most 255 colours, uint8 of shape (n, 3).
    """
    ordered = [color for color, _ in sorted(counts.items(), key=_frequent_first)]
    if len(ordered) <= COLORS:
        return _channels(ordered)
    rest = ordered[EXACT:]
    # By the root of its frequency, so that shades of small things get colours too.
    weights = [max(1, round(counts[color] ** 0.5)) for color in rest]
    repeated = Image.fromarray(_channels(np.repeat(rest, weights))[None])
    found = repeated.quantize(COLORS - EXACT, Image.Quantize.MEDIANCUT).getpalette()
    shades = np.array(found, np.uint8).reshape(-1, 3)[: COLORS - EXACT]
    return np.concatenate([_channels(ordered[:EXACT]), shades])


def _frequent_first(item: tuple[int, int]) -> tuple[int, int]:
    color, count = item
    return -count, color


def _channels(colors: Sequence[int]) -> np.ndarray:
    """Return 0xRRGGBB of shape (n,) as uint8 of shape (n, 3)."""
    packed = np.asarray(colors, np.uint32)
    return np.stack([packed >> 16, packed >> 8, packed], axis=-1).astype(np.uint8)


def _reduced(packed: list[bytes], counts: Counter[int]) -> Iterator[Image.Image]:
    """Give the frames in the colours of the palette, without dithering.

    Pillow's own way to a given palette takes colours that are only about the nearest;
    large plain areas would change their shade.
    """
    palette = common_palette(counts)
    colors = np.array(list(counts), np.uint32)
    index_of = np.zeros(1 << 24, np.uint8)
    index_of[colors] = cKDTree(palette).query(_channels(colors))[1]
    for frame in packed:
        pixels = np.asarray(Image.open(io.BytesIO(frame)), np.uint32)
        numbers = pixels[..., 0] << 16 | pixels[..., 1] << 8 | pixels[..., 2]
        image = Image.fromarray(index_of[numbers])
        image.putpalette(palette.tobytes())
        yield image
