"""Breakthrough and Knightthrough once more, slow and plain: pieces in a dict."""

JUMPS = ((2, -1), (2, 1), (1, -2), (1, 2))


class Twin:
    """Owners by (row, column), rows from the top; player 0 moves down."""

    def __init__(self, rows, columns, knights):
        self.rows, self.columns, self.knights = rows, columns, knights
        squares = [(row, column) for row in range(rows) for column in range(columns)]
        self.owners = {square: 0 for square in squares if square[0] < 2}
        self.owners |= {square: 1 for square in squares if square[0] >= rows - 2}
        self.turn, self.plies, self.winner = 0, 0, None

    def name(self, square):
        return f"{'abcdefghij'[square[1]]}{self.rows - square[0]}"

    def targets(self, square, player):
        down = 1 if player == 0 else -1
        for forward, across in JUMPS if self.knights else ((1, -1), (1, 0), (1, 1)):
            there = square[0] + down * forward, square[1] + across
            if not (0 <= there[0] < self.rows and 0 <= there[1] < self.columns):
                continue
            owner = self.owners.get(there)
            if owner is None or (owner != player and across != 0):
                yield there

    def moves(self, player):
        """What a player may do: the origin and the target of each move, by its text."""
        return {
            self.name(square) + self.name(there): (square, there)
            for square, owner in self.owners.items()
            if owner == player
            for there in self.targets(square, player)
        }

    def play(self, text):
        origin, there = self.moves(self.turn)[text]
        self.owners[there] = self.owners.pop(origin)
        last_row = self.rows - 1 if self.turn == 0 else 0
        if there[0] == last_row or 1 - self.turn not in self.owners.values():
            self.winner = self.turn
        self.turn = 1 - self.turn
        self.plies += 1

    def count(self, player):
        return list(self.owners.values()).count(player)

    def way(self, row, player):
        """How many rows a row is away from a player's first."""
        return row if player == 0 else self.rows - 1 - row

    def foremost(self, player):
        rows = [square[0] for square, owner in self.owners.items() if owner == player]
        return max(self.way(row, player) for row in rows)

    def value(self):
        """What the games' pages say of an unfinished position, for player 0."""
        both = self.count(0), self.count(1)
        lead = 0.7 * (both[0] - both[1]) / sum(both)
        lead += 0.3 * (self.foremost(0) - self.foremost(1)) / (self.rows - 1)
        return 0.5 + 0.5 * lead

    def value_of(self, text):
        """What the games' pages say of a move."""
        _, there = self.moves(self.turn)[text]
        way = self.way(there[0], self.turn) / (self.rows - 1)
        return 1 if way == 1 else 0.4 * way + 0.5 * (there in self.owners)
