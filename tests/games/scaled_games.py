"""Small games with one right first move, on scales of every kind.

The right move is best by far, whether the others play well, at random or against the
root player, so that every sound search finds it in a few hundred simulations.
"""

from functools import cache

from tests.exact import kuhn, tictactoe
from tests.games.tables import NOBODY, TABLES, Choice, Leaf, Table, choice, leaf

__all__ = ["TABLES", "Table"]


def _tictactoe(moves=(0, 2, 7, 4)) -> Choice:
    """A block in the cell 6 makes two threats; all else loses. Actions: free cells."""
    free = [cell for cell in range(9) if cell not in moves]

    @cache
    def node(board):
        won = tictactoe.winner(board)
        if won or "." not in board:
            share = {"X": 1.0, "O": 0.0, None: 0.5}[won]
            winner = {"X": 0, "O": 1, None: NOBODY}[won]
            return leaf(share, 1 - share, winner=winner)
        children = {
            (free.index(cell),): node(tictactoe.after(board, cell))
            for cell in tictactoe.move_values(board)
        }
        return Choice(("XO".index(tictactoe.mover(board)),), children)

    return node(tictactoe.position(moves))


def _nim(heaps=(3, 1)) -> Choice:
    """Who takes the last stone wins. Actions: 1 to 3 of the first, 1 of the second."""

    @cache
    def node(first, second, mover):
        if first + second == 0:
            return leaf(float(mover), 1.0 - mover, winner=1 - mover)
        children = {
            (taken - 1,): node(first - taken, second, 1 - mover)
            for taken in range(1, first + 1)
        }
        if second:
            children[(3,)] = node(first, second - 1, 1 - mover)
        return Choice((mover,), children)

    return node(*heaps, 0)


def _debt() -> Choice:
    """All scores of the searcher are negative, and the better of them are wins."""
    above = (  # -12; for each first move, reply, and second move
        ((1.25, 0.25), (1.0, 0.125)),
        ((2.0, 1.5), (1.875, 1.25)),
        ((0.5, 0.0), (1.375, 0.375)),
        ((0.75, 0.625), (0.875, 0.25)),
    )
    return choice(
        0,
        *(
            choice(
                1,
                *(
                    choice(
                        0,
                        *(
                            leaf(v - 12.0, 21.0 - v / 2, winner=int(v < 1.5))
                            for v in reply
                        ),
                    )
                    for reply in replies
                ),
            )
            for replies in above
        ),
    )


def _unequal() -> Choice:
    """What the opponent gets is a hundred times as much."""
    rows = (
        ((0.125, 64.0), (0.375, 128.0)),
        ((0.25, 48.0), (0.5, 32.0)),
        ((0.875, 2.0), (1.0, 8.0)),
    )
    return choice(
        0,
        *(
            choice(1, *(leaf(*scores, winner=int(a != 2)) for scores in row))
            for a, row in enumerate(rows)
        ),
    )


def _matrix() -> Choice:
    """Both choose at once; the second row is better against every column."""
    first = ((0.25, 0.5, 0.125), (1.0, 0.875, 0.75), (0.375, 0.0, 0.5))
    second = ((0.25, 0.5, 0.875), (0.0, 0.25, 0.75), (0.125, 0.375, 1.0))
    return Choice(
        (0, 1),
        {
            (i, j): leaf(first[i][j], second[i][j], winner=int(i != 1))
            for i in range(3)
            for j in range(3)
        },
    )


def _duel() -> Choice:
    """Both choose at once; then the searcher, who chose 0, can win at once.

    Where it chose 1 the opponent can win at once, or let it win after one more choice
    that both make at once, and that proves nothing.
    """
    win, draw, loss = (
        leaf(1.0, 0.0, winner=0),
        leaf(0.5, 0.5, winner=NOBODY),
        leaf(0.0, 1.0, winner=1),
    )
    gift = Choice((0, 1), {(i, j): win for i in range(2) for j in range(2)})
    after = (choice(0, win, draw), choice(1, loss, gift), choice(1, loss, draw))
    return Choice((0, 1), {(i, j): after[i] for i in range(3) for j in range(2)})


def _three() -> Choice:
    """Three players in turn, each with an action that is best for itself."""
    own = ((0.25, 0.0, 1.5), (1.0, 0.125), (0.25, 1.125))

    def end(*actions):
        scores = [
            own[p][actions[p]] + 0.125 * ((actions[p - 1] + 2 * actions[p - 2] + p) % 3)
            for p in range(3)
        ]
        return leaf(*scores, winner=0 if actions[0] == 2 else 1 + actions[2])

    return choice(
        0,
        *(
            choice(1, *(choice(2, *(end(a, b, c) for c in (0, 1))) for b in (0, 1)))
            for a in range(3)
        ),
    )


def _kuhn() -> Choice:
    """The first player has bet; action 0 folds, 1 calls."""

    def end(history):
        chips = [kuhn.chips(deal, history) for deal in kuhn.DEALS]
        scores = [(float(c), float(-c)) for c in chips]
        return Leaf(scores, [int(c < 0) for c in chips])

    return choice(1, end("bp"), end("bb"))


def _cards() -> Choice:
    """The opponent holds two of three cards, and replies with one of them."""

    def end(first, reply, second):
        worlds = [
            (
                (0.0, 1.5, 0.375)[first]
                + 0.125 * ((reply * first + world) % 3)
                + 0.5 * second,
                0.5 * reply + 0.25 * ((world + first) % 2) - 0.25 * second,
            )
            for world in range(3)
        ]
        return Leaf(worlds, [int(first != 1)] * 3)

    def reply(first):
        children = {
            (card,): choice(0, end(first, card, 0), end(first, card, 1))
            for card in range(3)
        }
        held = [[card for card in range(3) if card != world] for world in range(3)]
        return Choice((1,), children, held)

    return choice(0, *(reply(first) for first in range(3)))


def _stones(left=5) -> Choice:
    """Four players of two teams take 1 to 3 stones; the last one wins for its team.

    All draw if player 3 takes it.
    """

    @cache
    def node(left, mover):
        if left == 0:
            last = (mover - 1) % 4
            winner = NOBODY if last == 3 else last % 2
            shares = [0.5 if last == 3 else float(p % 2 == winner) for p in range(4)]
            return leaf(*shares, winner=winner)
        taken = range(1, min(3, left) + 1)
        children = {(n - 1,): node(left - n, (mover + 1) % 4) for n in taken}
        return Choice((mover,), children)

    return node(left, 0)


def _dice() -> Choice:
    """A throw follows each action, and the last one counts."""

    def end(first, reply):
        worlds = [
            (
                (1.5, 0.25, 0.5)[first] + 0.25 * ((throw + reply + first) % 3),
                0.5 * reply + 0.375 * ((throw * 2 + first) % 3),
            )
            for throw in range(3)
        ]
        return Leaf(worlds, [int(first != 0)] * 3)

    return choice(
        0, *(choice(1, *(end(first, reply) for reply in (0, 1))) for first in range(3))
    )


Table("tictactoe", _tictactoe(), best=3, value="win", simulations=1000)
Table("nim", _nim(), best=1, simulations=600)
Table("debt", _debt(), best=1, reply=1, then=0)
Table("unequal", _unequal(), best=2)
Table("matrix", _matrix(), best=1)
Table("duel", _duel(), best=0, value="win")
Table("three", _three(), best=2, players=3)
Table(
    "king",
    _kuhn(),
    best=1,
    player=1,
    knows=kuhn.DEALS,
    world=kuhn.DEALS.index((0, 2)),
)
Table("cards", _cards(), best=1, knows=((0, 0), (0, 1), (0, 2)))
Table("stones", _stones(), best=0, players=4, value="win", teams=(0, 1, 0, 1))
Table("dice", _dice(), best=0, dice=True)
