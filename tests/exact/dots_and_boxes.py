"""Dots and Boxes of 2 x 2 boxes for two, solved by minimax on bit masks.

Edges are numbered as in the rules sheet: horizontal ones r * 2 + c (r 0 to 2, c 0 and
1), then vertical ones 6 + r * 3 + c (r 0 and 1, c 0 to 2). Whoever completes a box owns
it and moves again.
"""

from functools import cache

EDGES = 12
# The edges of each box: above, below, left, right.
BOXES = tuple(
    frozenset({2 * r + c, 2 * (r + 1) + c, 6 + 3 * r + c, 6 + 3 * r + c + 1})
    for r in range(2)
    for c in range(2)
)


def completed(drawn: frozenset[int], edge: int) -> int:
    """Return how many boxes `edge` completes."""
    return sum(edge in box and box <= drawn | {edge} for box in BOXES)


def position(moves: tuple[int, ...]) -> tuple[frozenset[int], int, list[int]]:
    """Return (drawn edges, player to move, boxes of each player) after `moves`."""
    drawn, player, boxes = frozenset(), 0, [0, 0]
    for edge in moves:
        assert edge not in drawn, f"{moves}: edge {edge} is drawn twice"
        gained = completed(drawn, edge)
        boxes[player] += gained
        drawn |= {edge}
        player = player if gained else 1 - player
    return drawn, player, boxes


@cache
def lead(drawn: frozenset[int]) -> int:
    """Return how many boxes more than the other the mover still gets."""
    return max(move_leads(drawn).values(), default=0)


def move_leads(drawn: frozenset[int]) -> dict[int, int]:
    """Return how many boxes more the mover still gets after each move."""
    leads = {}
    for edge in range(EDGES):
        if edge not in drawn:
            gained = completed(drawn, edge)
            rest = lead(drawn | {edge})
            leads[edge] = gained + rest if gained else -rest
    return leads


def final_leads(moves: tuple[int, ...]) -> dict[int, int]:
    """Return the mover's final box difference after each move, under best play."""
    drawn, player, boxes = position(moves)
    ahead = boxes[player] - boxes[1 - player]
    return {edge: ahead + rest for edge, rest in move_leads(drawn).items()}
