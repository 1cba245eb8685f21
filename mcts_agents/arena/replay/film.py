"""Frames of a replay with few colours, the same in every frame."""

import io
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from mcts_agents.extras import from_extra

with from_extra("pictures", "pictures of a replay need Pillow"):
    from PIL import Image

# One of 256 is left for GIF to mark what stays as it was, which makes files smaller.
COLORS = 255
# So many colours, the most frequent ones, are kept exactly: all plain areas.
EXACT = 144
# Colours that are compared with a palette at once, in 16 MB.
AT_ONCE = 1 << 14


class Film:
    """Frames in the order in which they were added.

    They are kept packed: as they are, hundreds of them would fill the memory.
    """

    def __init__(self) -> None:
        self._packed: list[bytes] = []
        self._counts: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self._packed)

    def add(self, frame: Image.Image) -> None:
        """Add a frame in mode RGB."""
        for count, (red, green, blue) in frame.getcolors(frame.width * frame.height):
            self._counts[red << 16 | green << 8 | blue] += count
        file = io.BytesIO()
        frame.save(file, format="PNG", compress_level=1)
        self._packed.append(file.getvalue())

    def frames(self) -> Iterator[Image.Image]:
        """Yield all frames in mode P with one palette, so that nothing flickers.

        There is no dithering, and every pixel gets the nearest colour. Pillow's own way
        to a given palette takes colours that are only about the nearest; large plain
        areas would change their shade.
        """
        palette = common_palette(self._counts)
        colors = np.array(list(self._counts), np.uint32)
        index_of = np.zeros(1 << 24, np.uint8)
        index_of[colors] = nearest(_channels(colors), palette)
        for packed in self._packed:
            pixels = np.asarray(Image.open(io.BytesIO(packed)), np.uint32)
            numbers = pixels[..., 0] << 16 | pixels[..., 1] << 8 | pixels[..., 2]
            frame = Image.fromarray(index_of[numbers])
            frame.putpalette(palette.tobytes())
            yield frame


def common_palette(counts: Counter[int]) -> np.ndarray:
    """Return the colours that represent all others.

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


def nearest(colors: np.ndarray, palette: np.ndarray) -> np.ndarray:
    """Return the nearest colour of a palette, the first of several.

    Args:
        colors: uint8 of shape (n, 3).
        palette: uint8 of shape (m, 3), m up to 256.

    Returns:
        Positions in the palette, uint8 of shape (n,).
    """
    # Squares of distances without what is the same for the whole palette. All are whole
    # numbers below 2**24, which float32 holds exactly.
    points = palette.astype(np.float32)
    squares = (points**2).sum(axis=1)
    found = np.empty(len(colors), np.uint8)
    for first in range(0, len(colors), AT_ONCE):
        some = colors[first : first + AT_ONCE].astype(np.float32)
        found[first : first + AT_ONCE] = (squares - 2 * some @ points.T).argmin(axis=1)
    return found


def _frequent_first(item: tuple[int, int]) -> tuple[int, int]:
    color, count = item
    return -count, color


def _channels(colors: Sequence[int] | np.ndarray) -> np.ndarray:
    """Return 0xRRGGBB of shape (n,) as uint8 of shape (n, 3)."""
    packed = np.asarray(colors, np.uint32)
    return np.stack([packed >> 16, packed >> 8, packed], axis=-1).astype(np.uint8)
