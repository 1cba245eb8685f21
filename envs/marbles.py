"""Glossy marbles for pictures, lit from the upper left."""

import functools
import math
from typing import Any

import numpy as np

from mcts_agents.envs.painting import ENLARGED, Color, Point, load_pygame


def paint_marble(surface: Any, center: Point, radius: float, color: Color) -> None:
    """Draw a glossy marble with its shadow."""
    sprite = _marble(round(radius, 2), color)
    surface.blit(sprite, sprite.get_rect(center=(round(center[0]), round(center[1]))))


@functools.lru_cache(maxsize=64)
def _marble(radius: float, color: Color) -> Any:
    """Return a glossy marble with its shadow on a transparent square."""
    pygame = load_pygame()
    side = 2 * math.ceil(radius * 1.25) + 2
    large = pygame.Surface((side * ENLARGED, side * ENLARGED), pygame.SRCALPHA, 32)
    red, green, blue = _glass(side * ENLARGED, radius * ENLARGED, color)
    pixels = pygame.surfarray.pixels3d(large)
    pixels[..., 0], pixels[..., 1], pixels[..., 2] = red, green, blue
    del pixels  # the surface is locked as long as it lives
    alpha = pygame.surfarray.pixels_alpha(large)
    alpha[:] = _cover(side * ENLARGED, radius * ENLARGED)
    del alpha
    return pygame.transform.smoothscale(large, (side, side))


def _grid(side: int, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Return x and y of each pixel, (side, side), in radii from the middle."""
    offsets = (np.arange(side) - (side - 1) / 2) / radius
    return offsets[:, None] + 0 * offsets, offsets + 0 * offsets[:, None]


def _glass(side: int, radius: float, color: Color) -> list[np.ndarray]:
    """Return red, green and blue of a marble lit from the upper left."""
    x, y = _grid(side, radius)
    inside = x**2 + y**2 <= 1
    height = np.sqrt(np.clip(1 - x**2 - y**2, 0, 1))
    light = np.clip(-0.5 * x - 0.6 * y + 0.62 * height, 0, 1)
    # Light that went through the glass gathers on the far side.
    glow = 0.3 * np.clip(0.55 * x + 0.7 * y, 0, 1) ** 2
    body = 0.5 + 0.52 * light + glow
    gloss = np.exp(-(((x + 0.34) / 0.3) ** 2) - ((y + 0.4) / 0.25) ** 2)
    channels = []
    for value in color:
        lit = np.clip(value * body, 0, 255)
        lit += (255 - lit) * np.minimum(0.9 * gloss + 0.12 * light, 1)
        channels.append(np.where(inside, lit, 30).astype(np.uint8))
    return channels


def _cover(side: int, radius: float) -> np.ndarray:
    """Return the opacity of a marble, full, and of its soft shadow around it."""
    x, y = _grid(side, radius)
    away = np.hypot(x - 0.08, y - 0.14)
    shadow = 110 * np.clip((1.16 - away) / 0.25, 0, 1)
    return np.where(x**2 + y**2 <= 1, 255, shadow).astype(np.uint8)
