"""Geometry of the star: fields, corners, and the bit layout that the rules use.

A field has cube coordinates (x, y, z) with x + y + z = 0; x grows to the top of the
picture, y to the right. On the star whose corners are triangles of side `arm` lie the
fields with `min(x, y, z) >= -arm` or `max(x, y, z) <= arm`: 73 for arm 3, 121 for 4.
Fields are numbered row by row from the top, from the left within a row.

Corners are numbered clockwise from the top: N, NE, SE, S, SW, NW.

Slots. A hop moves a piece by two, so it keeps the parities of x and y: the fields fall
into four classes, and a chain of hops never leaves its class. Each class is again a
small triangular grid and fits into one 64-bit word; bit 8 * (x // 2) + (y // 2) + 31.
A slot is 64 * class + bit. Within a class a hop along one of the three axes is a shift
by 8, 1 or 7 bits, and the field hopped over lies in the class whose number differs by
exclusive or with 1, 2 or 3, at an offset that depends on the class alone.
"""

import functools
from dataclasses import dataclass

import numpy as np

# The corner in which each player starts, in turn order; the goal lies opposite.
SEATS = {2: (0, 3), 3: (0, 2, 4), 4: (0, 1, 3, 4), 6: (0, 1, 2, 3, 4, 5)}

SLOTS = 256
CLASSES = 4
# AXES[k]: the step (x, y) that leads into the class `class ^ k`, upwards in bits.
AXES = ((0, 0), (1, 0), (0, 1), (1, -1))
_CENTRE_BIT = 31


def distance(a: tuple[int, int], b: tuple[int, int]) -> int:
    """Return the number of steps between two fields, given as (x, y)."""
    x, y = a[0] - b[0], a[1] - b[1]
    return max(abs(x), abs(y), abs(x + y))


def slot_of(x: int, y: int) -> int:
    """Return the slot of the field (x, y); see the module's text."""
    return 64 * (x % 2 + 2 * (y % 2)) + 8 * (x // 2) + y // 2 + _CENTRE_BIT


def bridge_shifts() -> np.ndarray:
    """Return how far the hopped-over field's bit lies above the lower end's, plus one.

    Returns:
        Shape (4, 4), uint64: by class of the moving piece and by axis (column 0 is
        unused). The least difference is -1, hence the plus one.
    """
    shifts = np.zeros((CLASSES, 4), np.uint64)
    for x in range(2):
        for y in range(2):
            low = slot_of(x, y)
            for axis in (1, 2, 3):
                middle = slot_of(x + AXES[axis][0], y + AXES[axis][1])
                shifts[low // 64, axis] = middle % 64 - low % 64 + 1
    return shifts


@dataclass(frozen=True, eq=False)
class Star:
    """One size of board.

    Attributes:
        arm: Side of a corner triangle, 3 or 4.
        coordinates: (x, y) of each field, by number.
        rows: Numbers of the fields of each row, from the top.
        tips: (x, y) of the outermost field of each corner.
        corners: Numbers of the fields of each corner.
        slots: Shape (fields,), uint8: the slot of each field.
    """

    arm: int
    coordinates: tuple[tuple[int, int], ...]
    rows: tuple[tuple[int, ...], ...]
    tips: tuple[tuple[int, int], ...]
    corners: tuple[tuple[int, ...], ...]
    slots: np.ndarray

    @property
    def fields(self) -> int:
        """Number of fields."""
        return len(self.coordinates)

    @property
    def pieces(self) -> int:
        """Number of pieces of a player: they fill a corner."""
        return len(self.corners[0])

    @functools.cached_property
    def number(self) -> dict[tuple[int, int], int]:
        """The number of the field at each (x, y)."""
        return {place: field for field, place in enumerate(self.coordinates)}

    def neighbours(self, field: int) -> list[int]:
        """Return the adjacent fields."""
        return list(self._reached(field, 1).values())

    def hops(self, field: int) -> list[tuple[int, int]]:
        """Return (field hopped over, field landed on) for the directions with both."""
        over, landings = self._reached(field, 1), self._reached(field, 2)
        return [(over[way], landing) for way, landing in landings.items()]

    def _reached(self, field: int, steps: int) -> dict[tuple[int, int], int]:
        """Return the field so many steps away in each direction that has one."""
        x, y = self.coordinates[field]
        ways = [(sign * a, sign * b) for a, b in AXES[1:] for sign in (1, -1)]
        ends = {(a, b): (x + steps * a, y + steps * b) for a, b in ways}
        return {w: self.number[end] for w, end in ends.items() if end in self.number}


@functools.cache
def star(fields: int) -> Star:
    """Return the board with 73 or 121 fields."""
    arm = {73: 3, 121: 4}[fields]
    span = range(-2 * arm, 2 * arm + 1)
    rows = [
        [(x, y) for y in span if min(x, y, -x - y) >= -arm or max(x, y, -x - y) <= arm]
        for x in reversed(span)
    ]
    coordinates = tuple(place for row in rows for place in row)
    number = {place: field for field, place in enumerate(coordinates)}
    n, m = arm, 2 * arm
    tips = ((m, -n), (n, n), (-n, m), (-m, n), (-n, -n), (n, -m))
    return Star(
        arm=arm,
        coordinates=coordinates,
        rows=tuple(tuple(number[place] for place in row) for row in rows),
        tips=tips,
        corners=tuple(
            tuple(f for f, c in enumerate(coordinates) if distance(c, tip) < arm)
            for tip in tips
        ),
        slots=np.array([slot_of(x, y) for x, y in coordinates], np.uint8),
    )
