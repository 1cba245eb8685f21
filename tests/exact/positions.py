"""Positions with exactly one best move, and how to find more of them."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from tests.exact import dots_and_boxes, tictactoe

Moves = tuple[int, ...]


class Position(NamedTuple):
    """A position as the moves that lead to it; `kind` says what makes the best one."""

    moves: Moves
    best: int
    kind: str


TICTACTOE = (
    Position((0, 1, 3, 4), 6, "win at once"),
    Position((0, 1, 6, 4, 8), 7, "win at once, all else loses"),
    Position((0, 2, 7, 4), 6, "block that wins"),
    Position((0, 1, 2, 7), 4, "block that wins"),
    Position((0, 1, 7, 4), 6, "win in two"),
    Position((1, 3, 5, 7), 2, "win in two"),
    Position((1, 0, 5), 6, "win in two"),
    Position((0, 1, 2, 4), 7, "block that draws"),
    Position((0, 1, 4, 8, 5), 3, "block that draws"),
    Position((8, 6, 1), 0, "no threat yet, all else loses"),
    Position((0, 1, 5, 3, 7), 8, "no threat yet, all else loses"),
)
# Index policies and EXP3 see these after 20,000 simulations; the average strategy of
# regret matching, which early regrets weigh on, in eight and nine runs of ten.
DEEP_TICTACTOE = (
    Position((0,), 4, "no threat yet, all else loses"),
    Position((0, 2, 7), 8, "no threat yet, all else loses"),
)

# Best is the greatest final difference in boxes. "the only win": all else draws or
# loses; elsewhere several moves win, or none does.
DOTS_AND_BOXES = (
    Position((9, 7, 10, 8, 4), 2, "the only draw"),
    Position((4, 1, 7, 5, 10, 2), 9, "the only win, takes a box"),
    Position((6, 3, 2, 8, 0, 1), 7, "the only win, takes two boxes"),
    Position((9, 5, 8, 4, 11, 7, 2), 10, "the only win, takes a box"),
    Position((4, 2, 10, 0), 9, "wins by most"),
    Position((9, 8, 6, 0, 1), 4, "the only win"),
    Position((11, 2, 0, 3, 6, 7, 10), 5, "the only draw, a box behind"),
    Position((5, 8, 7, 2, 11, 1, 10), 3, "the only win, takes two boxes"),
    Position((1, 2, 6, 8, 9, 4, 5), 10, "loses by least"),
)

# A search with UCB1 sees these after 200,000 simulations and not yet after 20,000: in
# the first every other move loses, in the second four more moves win.
DEEP_DOTS_AND_BOXES = (
    Position((4, 8, 3), 2, "the only draw"),
    Position((1, 6, 9, 8), 2, "wins by most"),
)


def only_best(values: Mapping[int, int]) -> int | None:
    """Return the one move of greatest value, None if there are several."""
    best = [move for move in values if values[move] == max(values.values())]
    return best[0] if len(best) == 1 else None


def found_in_tictactoe() -> Iterator[tuple[Moves, int]]:
    """Yield the moves to, and the best move of, every position that has one best."""
    seen = set()
    open_ends: list[Moves] = [()]
    while open_ends:
        moves = open_ends.pop()
        board = tictactoe.position(moves)
        if board in seen or tictactoe.winner(board):
            continue
        seen.add(board)
        values = tictactoe.move_values(board)
        if len(values) > 1 and only_best(values) is not None:
            yield moves, only_best(values)
        open_ends += [(*moves, cell) for cell in values]


def found_in_dots_and_boxes() -> Iterator[tuple[Moves, int]]:
    """Yield the same for 2 x 2 boxes: each set of edges once, drawn in ascending order.

    Who is to move and the boxes so far depend on the order; the best move does not.
    """
    for count in range(dots_and_boxes.EDGES - 1):
        for moves in combinations(range(dots_and_boxes.EDGES), count):
            best = only_best(dots_and_boxes.move_leads(frozenset(moves)))
            if best is not None:
                yield moves, best
