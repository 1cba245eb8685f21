"""The map of the Video Game: cells, what lies near them, and where agents begin.

Cell `row * size + column` is a bit of a word.
"""

import numpy as np

SMALLEST, LARGEST = 3, 8
MOST_CELLS = LARGEST * LARGEST
RANGE = 2  # of an attack, in steps of a king of chess
NOWHERE = 255

# (down, right) by direction: stay, then the eight neighbours row by row.
DIRECTIONS = (
    (0, 0),
    *((r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)),
)
STAY = 0


def steps(size: int) -> np.ndarray:
    """Return where each direction leads, uint8 (cells, 9), NOWHERE off the map."""
    found = np.full((size * size, len(DIRECTIONS)), NOWHERE, np.uint8)
    for cell in range(size * size):
        row, column = divmod(cell, size)
        for direction, (down, right) in enumerate(DIRECTIONS):
            if 0 <= row + down < size and 0 <= column + right < size:
                found[cell, direction] = (row + down) * size + column + right
    return found


def within(size: int, distance: int) -> list[int]:
    """Return for each cell the cells at most `distance` away, itself too, as bits."""
    cells = [divmod(cell, size) for cell in range(size * size)]
    return [
        sum(
            1 << other
            for other, (r, c) in enumerate(cells)
            if max(abs(r - row), abs(c - column)) <= distance
        )
        for row, column in cells
    ]


def beginning(size: int, agents: int) -> list[list[int]]:
    """Return the cells on which the agents of both teams begin.

    Teams stand at the upper and the lower edge; their first agents are the front rows.
    """
    rows = -(-agents // size)
    fronts = (range(rows - 1, -1, -1), range(size - rows, size))
    return [
        [row * size + column for row in front for column in range(size)][:agents]
        for front in fronts
    ]


def most_agents(size: int) -> int:
    """Return how many agents of a team find room in its half of the map."""
    return size // 2 * size
