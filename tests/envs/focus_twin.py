"""Focus as lists, after the rules word by word, to compare with."""

SQUARES = [
    (row, column)
    for row in range(8)
    for column in range(8)
    if (row, column)
    not in {
        (r if top else 7 - r, c if left else 7 - c)
        for r, c in ((0, 0), (0, 1), (1, 0))
        for top in (True, False)
        for left in (True, False)
    }
]
DIRECTIONS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
NEEDED = {2: (6, 6), 3: (3, 10), 4: (2, 10)}


class Twin:
    """A position; stacks are lists of players, the bottom first.

    Args:
        stacks: By square.
        players: Number of players.
        most_plies: Then the game is drawn.
    """

    def __init__(self, stacks, players, most_plies):
        self.stacks = {square: list(stacks.get(square, [])) for square in SQUARES}
        self.players, self.most_plies = players, most_plies
        self.reserves = [1 if players == 3 else 0] * players
        self.captured = [[0] * players for _ in range(players)]
        self.mover, self.plies, self.winner, self.is_over = 0, 0, None, False

    def controlled(self, player):
        return [s for s, stack in self.stacks.items() if stack and stack[-1] == player]

    def moves(self, player):
        """Return (origin or None, pieces, direction, target) of all legal moves."""
        found = []
        if not (self.players == 3 and self.plies < 3):
            for row, column in self.controlled(player):
                for pieces in range(1, len(self.stacks[row, column]) + 1):
                    for name, (down, right) in DIRECTIONS.items():
                        target = (row + pieces * down, column + pieces * right)
                        if target in self.stacks:
                            found.append(((row, column), pieces, name, target))
        if self.reserves[player]:
            found += [(None, 1, None, square) for square in SQUARES]
        return found

    def play(self, move):
        origin, pieces, _, target = move
        player = self.mover
        if origin is None:
            self.reserves[player] -= 1
            lifted = [player]
        else:
            lifted = self.stacks[origin][-pieces:]
            del self.stacks[origin][-pieces:]
        self.stacks[target] += lifted
        while len(self.stacks[target]) > 5:
            piece = self.stacks[target].pop(0)
            if piece == player:
                self.reserves[player] += 1
            else:
                self.captured[player][piece] += 1
        self.plies += 1
        others = [p for p in range(self.players) if p != player]
        each, in_all = NEEDED[self.players]
        taken = self.captured[player]
        able = [p for p in others if self.controlled(p) or self.reserves[p]]
        if all(taken[p] >= each for p in others) or sum(taken) >= in_all or not able:
            self.winner, self.is_over = player, True
        elif self.plies >= self.most_plies:
            self.is_over = True
        else:
            in_order = [(player + k) % self.players for k in range(1, self.players)]
            self.mover = next(p for p in in_order if p in able)

    def evaluation(self):
        worth = []
        each, in_all = NEEDED[self.players]
        for player in range(self.players):
            taken = self.captured[player]
            of_each = [
                max(0, each - taken[p]) for p in range(self.players) if p != player
            ]
            needed = min(sum(of_each), max(0, in_all - sum(taken)))
            worth.append(300 - 50 * needed + len(self.controlled(player)))
        return [value / sum(worth) for value in worth]

    def order(self, move):
        """Return the number by which moves are ordered, the greatest first."""
        origin, pieces, _, target = move
        height = len(self.stacks[target])
        places = [s for s in (origin, target) if s is not None]
        before = sum(self.stacks[s][-1:] == [self.mover] for s in places)
        after = 1
        if origin is not None:
            after += self.stacks[origin][:-pieces][-1:] == [self.mover]
        return pieces + height + after - before
