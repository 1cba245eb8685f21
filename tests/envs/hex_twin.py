"""Hex as slowly and as plainly as can be: sets of cells and a flood fill."""


class Twin:
    """A board of `size` cells a side; a cell is (row, column)."""

    def __init__(self, size, first=None):
        self.size = size
        self.stones = {}
        self.turn = 0
        if first is not None:
            self.play(first)

    def legal(self):
        cells = ((r, c) for r in range(self.size) for c in range(self.size))
        return [cell for cell in cells if cell not in self.stones]

    def play(self, cell):
        self.stones[cell] = self.turn
        self.turn = 1 - self.turn

    def winner(self):
        for player in range(2):
            if self.joined(player):
                return player
        return None

    def joined(self, player):
        """Whether a chain of the player joins both of its borders."""
        along = 0 if player == 0 else 1
        own = {cell for cell, owner in self.stones.items() if owner == player}
        reached = {cell for cell in own if cell[along] == 0}
        waiting = list(reached)
        while waiting:
            r, c = waiting.pop()
            near = {(r - 1, c), (r - 1, c + 1), (r, c - 1), (r, c + 1)}
            near |= {(r + 1, c - 1), (r + 1, c)}
            near &= own - reached
            reached |= near
            waiting += near
        return any(cell[along] == self.size - 1 for cell in reached)
