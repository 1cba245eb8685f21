"""Dots and Boxes as plainly as can be: a set of edges, each a pair of dots."""

import re
from functools import cache
from itertools import pairwise


@cache
def edge_of(text):
    """The two dots of an edge written as hR,C or vR,C."""
    kind, row, column = re.fullmatch(r"([hv])(\d+),(\d+)", text).groups()
    row, column = int(row), int(column)
    other = (row, column + 1) if kind == "h" else (row + 1, column)
    return frozenset({(row, column), other})


class Twin:
    """A game on `height` rows of `width` boxes; a dot or a box is (row, column)."""

    def __init__(self, width, height, players):
        self.width, self.height, self.players = width, height, players
        self.drawn = set()
        self.owners = {}
        self.mover = 0
        self.turns = 0

    def actions(self):
        """All edges as text, in the order of the rules sheet."""
        across = [
            f"h{r},{c}" for r in range(self.height + 1) for c in range(self.width)
        ]
        down = [f"v{r},{c}" for r in range(self.height) for c in range(self.width + 1)]
        return across + down

    def legal(self):
        return [text for text in self.actions() if edge_of(text) not in self.drawn]

    def boxes(self):
        return [(r, c) for r in range(self.height) for c in range(self.width)]

    def sides(self, box):
        """The four edges around a box, by walking around its corners."""
        r, c = box
        corners = [(r, c), (r, c + 1), (r + 1, c + 1), (r + 1, c), (r, c)]
        return [frozenset(pair) for pair in pairwise(corners)]

    def count(self, box):
        return sum(side in self.drawn for side in self.sides(box))

    def play(self, text):
        self.drawn.add(edge_of(text))
        full = [b for b in self.boxes() if self.count(b) == 4 and b not in self.owners]
        for box in full:
            self.owners[box] = self.mover
        if not full:
            self.mover = (self.mover + 1) % self.players
            self.turns += 1

    def scores(self):
        return [list(self.owners.values()).count(p) for p in range(self.players)]

    def is_over(self):
        return len(self.owners) == self.width * self.height

    def value(self, text):
        """1 for an edge that completes a box, 0 for one that gives one away."""
        before = [
            self.count(box) for box in self.boxes() if edge_of(text) in self.sides(box)
        ]
        return 1.0 if 3 in before else 0.0 if 2 in before else 0.5
