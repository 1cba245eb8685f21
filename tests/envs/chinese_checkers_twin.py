"""Chinese Checkers in slow, obvious Python: pieces in a dict by cube coordinates."""

DIRECTIONS = [
    (1, -1, 0), (0, -1, 1), (-1, 0, 1), (-1, 1, 0), (0, 1, -1), (1, 0, -1),
]  # fmt: skip
START_CORNERS = {2: [0, 3], 3: [0, 2, 4], 4: [0, 1, 3, 4], 6: [0, 1, 2, 3, 4, 5]}


def distance(a, b):
    return max(abs(p - q) for p, q in zip(a, b, strict=True))


def plus(place, way, times=1):
    return tuple(p + times * w for p, w in zip(place, way, strict=True))


class Twin:
    """One game; a move is a pair of fields.

    Args:
        players: Number of players.
        fields: 73 or 121.
        win_rule: near, any or strict.
        most_plies: Draw after so many moves.
    """

    def __init__(self, players, fields=73, win_rule="near", most_plies=10**9):
        arm = {73: 3, 121: 4}[fields]
        reach = range(-2 * arm, 2 * arm + 1)
        self.fields = [
            (x, y, -x - y)
            for x in reversed(reach)
            for y in reach
            if min(x, y, -x - y) >= -arm or max(x, y, -x - y) <= arm
        ]
        tips = [
            (2, -1, -1), (1, 1, -2), (-1, 2, -1), (-2, 1, 1), (-1, -1, 2), (1, -2, 1),
        ]  # fmt: skip
        tips = [tuple(arm * value for value in tip) for tip in tips]
        corners = [
            [field for field in self.fields if distance(field, tip) < arm]
            for tip in tips
        ]
        seats = START_CORNERS[players]
        self.players = players
        self.near = arm + 1
        self.win_rule = win_rule
        self.most_plies = most_plies
        self.tips = [tips[(corner + 3) % 6] for corner in seats]
        self.goals = [corners[(corner + 3) % 6] for corner in seats]
        self.pieces = {
            field: player
            for player, corner in enumerate(seats)
            for field in corners[corner]
        }
        self.turn = 0
        self.plies = 0
        self.winner = None
        self.over = False

    def own(self, player):
        return [field for field, owner in self.pieces.items() if owner == player]

    def moves(self, player):
        """The set of (origin, destination)."""
        found = set()
        for origin in self.own(player):
            del self.pieces[origin]
            ends = self._chain(origin, {origin}) | {
                plus(origin, way) for way in DIRECTIONS if self._free(plus(origin, way))
            }
            self.pieces[origin] = player
            found |= {(origin, end) for end in ends if end != origin}
        return found

    def _free(self, place):
        return place in self.fields and place not in self.pieces

    def _chain(self, place, visited):
        for way in DIRECTIONS:
            landing = plus(place, way, 2)
            if (
                plus(place, way) in self.pieces
                and self._free(landing)
                and landing not in visited
            ):
                visited.add(landing)
                self._chain(landing, visited)
        return visited

    def to_go(self, player):
        return sum(distance(field, self.tips[player]) for field in self.own(player))

    def play(self, origin, end):
        player = self.pieces.pop(origin)
        self.pieces[end] = player
        self.plies += 1
        if self._has_won(player):
            self.winner = player
        self.over = self.winner is not None or self.plies >= self.most_plies
        self.turn = next(
            other % self.players
            for other in range(player + 1, player + 1 + self.players)
            if self.moves(other % self.players)
        )

    def _has_won(self, player):
        inside = [self.pieces.get(field) for field in self.goals[player]]
        if self.win_rule == "strict":
            return all(owner == player for owner in inside)
        if None in inside or player not in inside:
            return False
        return self.win_rule == "any" or all(
            distance(field, self.tips[player]) <= self.near
            for field in self.own(player)
        )
