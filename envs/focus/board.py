"""The board of Focus: squares, where moves lead, and how a game begins.

Squares are numbered row by row, from the top left, without the three that each corner
lacks.
"""

import numpy as np

SIDE, SQUARES, TALLEST = 8, 52, 5
DIRECTIONS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # north, east, south, west
STEPS = TALLEST * len(DIRECTIONS)
NOWHERE = 255
EMPTY = -1


def _is_on_board(row: int, column: int) -> bool:
    if not (0 <= row < SIDE and 0 <= column < SIDE):
        return False
    return min(row, SIDE - 1 - row) + min(column, SIDE - 1 - column) > 1


# (row, column) of each square, and the other way round.
PLACES = tuple(
    (row, column)
    for row in range(SIDE)
    for column in range(SIDE)
    if _is_on_board(row, column)
)
SQUARE_AT = {place: square for square, place in enumerate(PLACES)}


def targets() -> np.ndarray:
    """Return where moves lead, uint8 (SQUARES, STEPS), NOWHERE for none.

    The second index is `(pieces - 1) * 4 + direction`.
    """
    found = np.full((SQUARES, STEPS), NOWHERE, np.uint8)
    for square, (row, column) in enumerate(PLACES):
        for pieces in range(1, TALLEST + 1):
            for direction, (down, right) in enumerate(DIRECTIONS):
                place = row + pieces * down, column + pieces * right
                if place in SQUARE_AT:
                    step = (pieces - 1) * len(DIRECTIONS) + direction
                    found[square, step] = SQUARE_AT[place]
    return found


# Four players: a pinwheel, which looks the same to all of them.
_FOUR = """
. . A A C B . .
. B B B C B C .
A A A A C B C B
B B B B C B C B
D A D A D D D D
D A D A C C C C
. A D A D D D .
. . D A C C . .
"""


def beginning(players: int) -> list[int]:
    """Return the colour of the piece on each square, EMPTY for none.

    Two and three players begin on the six by six squares in the middle, in pairs of one
    colour side by side that move on by one colour from row to row.
    """
    if players == 4:
        rows = [line.split() for line in _FOUR.split("\n") if line]
        return ["ABCD".index(rows[row][column]) for row, column in PLACES]
    return [
        ((column - 1) // 2 + row - 1) % players
        if 1 <= row <= SIDE - 2 and 1 <= column <= SIDE - 2
        else EMPTY
        for row, column in PLACES
    ]
