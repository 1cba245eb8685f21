"""Rolit as slowly and as plainly as can be: owners of fields and walks along lines."""

SIDE = 8
DIRECTIONS = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]
AXES = [(0, 1), (1, 0), (1, 1), (1, -1)]
FIELDS = [(row, column) for row in range(SIDE) for column in range(SIDE)]
VALUES = """
5 2 4 3 3 4 2 5
2 1 3 3 3 3 1 2
4 3 4 4 4 4 3 4
3 3 4 5 5 4 3 3
3 3 4 5 5 4 3 3
4 3 4 4 4 4 3 4
2 1 3 3 3 3 1 2
5 2 4 3 3 4 2 5
"""
NEUTRAL = "neutral"


class Twin:
    """A position: `balls` has the owner of each occupied (row, column)."""

    def __init__(self, players, neutral_fourth=True):
        self.players = players
        self.balls = {}
        for color, field in enumerate([(3, 3), (3, 4), (4, 4), (4, 3)]):
            if color < players:
                self.balls[field] = color
            elif neutral_fourth:
                self.balls[field] = NEUTRAL
        self.turn = 0

    def captured(self, field, player):
        """Return all fields that the player's ball on an empty field would capture."""
        found = set()
        for down, right in DIRECTIONS:
            line = []
            row, column = field[0] + down, field[1] + right
            while self.balls.get((row, column), player) != player:
                line.append((row, column))
                row, column = row + down, column + right
            if (row, column) in self.balls:  # the player's own
                found.update(line)
        return found

    def legal(self, player):
        empty = [field for field in FIELDS if field not in self.balls]
        capturing = [field for field in empty if self.captured(field, player)]
        return capturing or [
            (row, column)
            for row, column in empty
            if any((row + r, column + c) in self.balls for r, c in DIRECTIONS)
        ]

    def play(self, field):
        for other in self.captured(field, self.turn):
            self.balls[other] = self.turn
        self.balls[field] = self.turn
        self.turn = (self.turn + 1) % self.players

    def count(self, player):
        return list(self.balls.values()).count(player)

    def stable(self, player):
        """Return the player's stable balls: found one by one until no more are."""
        own = {field for field, owner in self.balls.items() if owner == player}
        found = set()
        while True:
            more = {field for field in own - found if self.is_safe(field, found)}
            if not more:
                return found
            found |= more

    def is_safe(self, field, stable):
        return all(self.is_safe_along(field, axis, stable) for axis in AXES)

    def is_safe_along(self, field, axis, stable):
        row, column = field
        down, right = axis
        line = [(row + k * down, column + k * right) for k in range(-SIDE, SIDE + 1)]
        if all(place in self.balls for place in line if place in FIELDS):
            return True
        neighbours = [(row + down, column + right), (row - down, column - right)]
        return any(place not in FIELDS or place in stable for place in neighbours)

    def evaluation(self):
        worth = [
            2 * len(self.stable(player)) + len(self.legal(player))
            for player in range(self.players)
        ]
        if sum(worth) == 0:
            return [1 / self.players] * self.players
        return [w / sum(worth) for w in worth]

    def ordered(self, player):
        """Return the player's legal fields as the static order has them."""
        values = [
            [int(word) for word in line.split()] for line in VALUES.split("\n")[1:-1]
        ]

        def key(field):
            row, column = field
            return -int(values[row][column]), -len(self.captured(field, player)), field

        return sorted(self.legal(player), key=key)
