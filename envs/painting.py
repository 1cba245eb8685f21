"""Drawing shared by all games: smooth shapes, text, colours, and the screen.

pygame (the distribution pygame-ce) is imported when something is drawn and never
before. Only its font module and, for a window, its display module are started.

Shapes are drawn enlarged on a surface of their own and scaled down, which gives smooth
edges for any width and outline. Positions and sizes are in pixels, colours RGB tuples.
"""

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mcts_agents.extras import from_extra

Color = tuple[int, int, int]
Point = tuple[float, float]

BACKGROUND: Color = (246, 243, 236)
PANEL: Color = (255, 253, 248)
INK: Color = (44, 46, 53)
MUTED: Color = (136, 137, 143)
FAINT: Color = (219, 214, 203)
HIGHLIGHT: Color = (240, 173, 36)

# Told apart by people with any colour vision, in this order (after Okabe and Ito).
PLAYER_COLORS: tuple[Color, ...] = (
    (213, 70, 52),
    (0, 105, 178),
    (0, 148, 108),
    (222, 150, 20),
    (146, 78, 158),
    (77, 178, 222),
)

# Shapes are drawn this many times larger and scaled down.
ENLARGED = 4


def load_pygame() -> Any:
    """Return the pygame module.

    Raises:
        MissingExtraError: It is not installed.
    """
    with from_extra("pictures", "drawing needs pygame-ce"):
        import pygame
    return pygame


class Screen:
    """The picture of one environment, and the window that shows it.

    Args:
        title: The window's title.
        frames_per_second: `show` waits so that it is not called more often.
    """

    def __init__(self, title: str, frames_per_second: int):
        self._title = title
        self._frames_per_second = frames_per_second
        self._picture: Any = None
        self._clock: Any = None

    def picture(self, size: tuple[int, int]) -> Any:
        """Return the `pygame.Surface` to paint on, of (width, height) `size`."""
        if self._picture is None or self._picture.get_size() != size:
            self._picture = load_pygame().Surface(size, 0, 32)
        return self._picture

    def pixels(self) -> np.ndarray:
        """Return a copy of the picture, uint8 of shape (height, width, 3)."""
        width, height = self._picture.get_size()
        # `surfarray` has columns first; turning them round takes seven times as long.
        pixels = bytearray(load_pygame().image.tobytes(self._picture, "RGB"))
        return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)

    def show(self) -> None:
        """Show the picture in the window, which opens on the first call."""
        pygame = load_pygame()
        self._clock = self._clock or pygame.time.Clock()
        # One window a process: another environment may have closed or resized it.
        window = pygame.display.get_surface() if pygame.display.get_init() else None
        if window is None or window.get_size() != self._picture.get_size():
            pygame.display.init()
            window = pygame.display.set_mode(self._picture.get_size())
            pygame.display.set_caption(self._title)
        pygame.event.pump()
        window.blit(self._picture, (0, 0))
        pygame.display.update()
        self._clock.tick(self._frames_per_second)

    def close(self) -> None:
        """Close the window; can be called more than once."""
        if self._clock is not None:  # there was a window
            load_pygame().display.quit()
        self._picture = self._clock = None


def font(size: int) -> Any:
    """Return pygame's default font with letters of `size` pixels."""
    pygame = load_pygame()
    if not pygame.font.get_init():
        pygame.font.init()
        _font.cache_clear()  # fonts do not outlive the module's shutdown
    return _font(size)


@functools.lru_cache(maxsize=64)
def _font(size: int) -> Any:
    return load_pygame().font.Font(None, size)


def text(
    surface: Any,
    string: str,
    position: Point,
    size: int,
    color: Color = INK,
    anchor: str = "center",
) -> Any:
    """Write one line of text.

    Args:
        surface: The `pygame.Surface` to write on.
        string: What to write.
        position: Where the anchor comes to lie.
        size: Height of the letters in pixels.
        color: Colour of the letters.
        anchor: Which point of the text: `center`, `topleft`, `midleft`, `midright`,
            `midtop`, ... (attributes of `pygame.Rect`).

    Returns:
        The `pygame.Rect` that the text covers.
    """
    written = font(size).render(string, True, color)
    place = written.get_rect(**{anchor: (round(position[0]), round(position[1]))})
    return surface.blit(written, place)


def circle(
    surface: Any,
    center: Point,
    radius: float,
    color: Color,
    outline: Color | None = None,
    outline_width: float = 2,
) -> None:
    """Draw a filled circle, with an outline inside its radius if there is one."""
    sprite = _circle(radius, tuple(color), outline, outline_width)
    surface.blit(sprite, sprite.get_rect(center=(round(center[0]), round(center[1]))))


def ring(
    surface: Any, center: Point, radius: float, color: Color, width: float = 2
) -> None:
    """Draw a circle that is not filled, `width` wide inside its radius."""
    sprite = _circle(radius, None, tuple(color), width)
    surface.blit(sprite, sprite.get_rect(center=(round(center[0]), round(center[1]))))


@functools.lru_cache(maxsize=256)
def _circle(
    radius: float, color: Color | None, outline: Color | None, outline_width: float
) -> Any:
    """Return a circle on a transparent square; the same ones are drawn many times."""
    pygame = load_pygame()
    side = 2 * math.ceil(radius) + 2
    large = _transparent((side * ENLARGED, side * ENLARGED), color or outline)
    middle = (side * ENLARGED / 2, side * ENLARGED / 2)
    if color is not None:
        pygame.draw.circle(large, color, middle, radius * ENLARGED)
    if outline is not None:
        width = max(1, round(outline_width * ENLARGED))
        pygame.draw.circle(large, outline, middle, radius * ENLARGED, width)
    return pygame.transform.smoothscale(large, (side, side))


def polygon(
    surface: Any,
    points: Sequence[Point],
    color: Color,
    outline: Color | None = None,
    outline_width: float = 2,
) -> None:
    """Draw a filled polygon, with an outline centred on its edges if there is one."""
    pygame = load_pygame()
    margin = math.ceil(outline_width) + 1 if outline is not None else 1
    left = math.floor(min(x for x, _ in points)) - margin
    top = math.floor(min(y for _, y in points)) - margin
    width = math.ceil(max(x for x, _ in points)) + margin - left
    height = math.ceil(max(y for _, y in points)) + margin - top
    large = _transparent((width * ENLARGED, height * ENLARGED), outline or color)
    corners = [((x - left) * ENLARGED, (y - top) * ENLARGED) for x, y in points]
    pygame.draw.polygon(large, color, corners)
    if outline is not None:
        _outline(large, corners, outline, outline_width * ENLARGED)
    surface.blit(pygame.transform.smoothscale(large, (width, height)), (left, top))


def _outline(
    surface: Any, corners: Sequence[Point], color: Color, width: float
) -> None:
    """Draw the edges of a polygon with round joints."""
    pygame = load_pygame()
    for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
        band = _band(start, end, width)
        if band:
            pygame.draw.polygon(surface, color, band)
        pygame.draw.circle(surface, color, start, width / 2)


def _band(start: Point, end: Point, width: float) -> list[Point]:
    """Return the corners of a straight line of some width; none if it has no length."""
    length = math.dist(start, end)
    if length == 0:
        return []
    across_x = (start[1] - end[1]) / length * width / 2
    across_y = (end[0] - start[0]) / length * width / 2
    return [
        (start[0] + across_x, start[1] + across_y),
        (end[0] + across_x, end[1] + across_y),
        (end[0] - across_x, end[1] - across_y),
        (start[0] - across_x, start[1] - across_y),
    ]


def line(
    surface: Any, start: Point, end: Point, color: Color, width: float = 2
) -> None:
    """Draw a straight line with square ends; nothing if it has no length."""
    band = _band(start, end, width)
    if band:
        polygon(surface, band, color)


def rounded_rectangle(
    surface: Any,
    rectangle: tuple[float, float, float, float],
    radius: float,
    color: Color,
    outline: Color | None = None,
    outline_width: float = 2,
) -> None:
    """Draw a filled rectangle (left, top, width, height) with rounded corners.

    An outline lies inside the rectangle.
    """
    left, top, width, height = (round(value) for value in rectangle)
    sprite = _rounded(width, height, radius, tuple(color), outline, outline_width)
    surface.blit(sprite, (left, top))


@functools.lru_cache(maxsize=256)
def _rounded(
    width: int,
    height: int,
    radius: float,
    color: Color,
    outline: Color | None,
    outline_width: float,
) -> Any:
    """Return a rounded rectangle; cards of one size are drawn many times."""
    pygame = load_pygame()
    size = (width * ENLARGED, height * ENLARGED)
    large = _transparent(size, outline or color)
    whole = pygame.Rect((0, 0), size)
    rounding = round(radius * ENLARGED)
    if outline is None:
        pygame.draw.rect(large, color, whole, border_radius=rounding)
    else:
        edge = max(1, round(outline_width * ENLARGED))
        pygame.draw.rect(large, outline, whole, border_radius=rounding)
        inner = whole.inflate(-2 * edge, -2 * edge)
        pygame.draw.rect(large, color, inner, border_radius=max(0, rounding - edge))
    return pygame.transform.smoothscale(large, (width, height))


def _transparent(size: tuple[int, int], color: Color | None) -> Any:
    """Return a transparent surface that fades into `color` where it is scaled."""
    pygame = load_pygame()
    surface = pygame.Surface(size, pygame.SRCALPHA, 32)
    surface.fill((*(color or INK), 0))
    return surface


def mixed(color: Color, other: Color, share: float) -> Color:
    """Return a mix of `color` with a `share` (0 to 1) of another colour."""
    return tuple(round(a + (b - a) * share) for a, b in zip(color, other, strict=True))


def lighter(color: Color, share: float = 0.5) -> Color:
    """Return a mix of `color` with a `share` (0 to 1) of white."""
    return mixed(color, (255, 255, 255), share)


def darker(color: Color, share: float = 0.3) -> Color:
    """Return a mix of `color` with a `share` (0 to 1) of black."""
    return mixed(color, (0, 0, 0), share)
