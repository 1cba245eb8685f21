"""Nogo and Atarigo once more, slow and plain: stones in a dict, groups by a search."""


class Twin:
    """Owners of stones by (row, column), both from 0 at the top left."""

    def __init__(self, size, players=2, capturing=False):
        self.size, self.players, self.capturing = size, players, capturing
        self.owners, self.turn, self.lost, self.winner = {}, 0, [], None

    def copy(self):
        other = Twin(self.size, self.players, self.capturing)
        other.owners, other.lost = dict(self.owners), list(self.lost)
        other.turn, other.winner = self.turn, self.winner
        return other

    def position(self):
        return frozenset(self.owners.items()), self.turn, frozenset(self.lost)

    def beside(self, point):
        row, column = point
        points = (row - 1, column), (row + 1, column), (row, column - 1)
        points += ((row, column + 1),)
        return [p for p in points if 0 <= min(p) and max(p) < self.size]

    def group(self, point):
        found, waiting = {point}, [point]
        while waiting:
            for other in self.beside(waiting.pop()):
                if other not in found and self.owners.get(other) == self.owners[point]:
                    found.add(other)
                    waiting.append(other)
        return found

    def has_liberty(self, point):
        return any(
            other not in self.owners
            for stone in self.group(point)
            for other in self.beside(stone)
        )

    def outcome(self, point, player):
        """What a stone does: "captures", "suicide", or "lives"."""
        self.owners[point] = player
        near = [p for p in self.beside(point) if self.owners.get(p, player) != player]
        captures = not all(map(self.has_liberty, near))
        lives = self.has_liberty(point)
        del self.owners[point]
        return "captures" if captures else "lives" if lives else "suicide"

    def moves(self, player):
        allowed = ("captures", "lives") if self.capturing else ("lives",)
        places = ((r, c) for r in range(self.size) for c in range(self.size))
        return [
            point
            for point in places
            if point not in self.owners and self.outcome(point, player) in allowed
        ]

    def play(self, point):
        if self.outcome(point, self.turn) == "captures":
            assert self.capturing
            self.winner = self.turn
        self.owners[point] = self.turn
        while self.winner is None:
            self.turn = (self.turn + 1) % self.players
            if self.turn in self.lost:
                continue
            if self.moves(self.turn):
                break
            self.lost.append(self.turn)
            if len(self.lost) == self.players - 1:
                (self.winner,) = {*range(self.players)} - {*self.lost}


def random_ends(twin, known):
    """Return the chance of each (moves, winner) when all play at random from here.

    Args:
        twin: A position that is not over.
        known: What was found before, by position; filled.
    """
    position = twin.position()
    if position not in known:
        ends = {}
        moves = twin.moves(twin.turn)
        for point in moves:
            after = twin.copy()
            after.play(point)
            found = {(0, after.winner): 1.0}
            if after.winner is None:
                found = random_ends(after, known)
            for (plies, winner), chance in found.items():
                end = plies + 1, winner
                ends[end] = ends.get(end, 0) + chance / len(moves)
        known[position] = ends
    return known[position]
