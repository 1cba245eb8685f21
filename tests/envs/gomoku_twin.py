"""Gomoku as slowly and as plainly as can be: a dict of stones, lines step by step."""

STEPS = ((0, 1), (1, -1), (1, 0), (1, 1))


class Twin:
    """A board of `size` cells a side; a cell is (row, column)."""

    def __init__(self, size):
        self.size = size
        self.stones = {}
        self.turn = 0
        self.winner = None

    def legal(self):
        cells = ((r, c) for r in range(self.size) for c in range(self.size))
        return [cell for cell in cells if cell not in self.stones]

    def is_over(self):
        return self.winner is not None or len(self.stones) == self.size**2

    def play(self, cell):
        self.stones[cell] = self.turn
        if self.longest(cell, self.turn) >= 5:
            self.winner = self.turn
        self.turn = 1 - self.turn

    def longest(self, cell, player):
        """Return the length of the longest line through a stone that a player puts."""
        return max(
            1
            + self.run(cell, player, down, right)
            + self.run(cell, player, -down, -right)
            for down, right in STEPS
        )

    def run(self, cell, player, down, right):
        """Return how many stones of the player follow a cell in one direction."""
        n = 0
        while True:
            place = cell[0] + (n + 1) * down, cell[1] + (n + 1) * right
            if self.stones.get(place, None) != player:
                return n
            n += 1

    def lines(self):
        """Return the cells of every line of five, as lists."""
        found = []
        for row in range(self.size):
            for column in range(self.size):
                for down, right in STEPS:
                    cells = [(row + k * down, column + k * right) for k in range(5)]
                    end_row, end_column = cells[-1]
                    if end_row < self.size and 0 <= end_column < self.size:
                        found.append(cells)
        return found

    def lines_worth(self, player):
        """Return what the lines without a stone of the other player are worth."""
        total = 0
        for line in self.lines():
            owners = [self.stones.get(cell) for cell in line]
            if 1 - player not in owners:
                total += (1, 2, 8, 32, 128)[owners.count(player)]
        return total

    def action_value(self, cell):
        """Return what the mover's stone on a cell is worth."""
        for player, value in ((self.turn, 1.0), (1 - self.turn, 0.9)):
            if self.longest(cell, player) >= 5:
                return value
        through = {}
        for line in self.lines():
            for place in line:
                through[place] = through.get(place, 0) + 1
        return 0.8 * through[cell] / max(through.values())
