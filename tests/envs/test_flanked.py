"""Captures and neighbours on 8x8, in whole words, against walks square by square."""

import numpy as np
import pytest

from mcts_agents.envs.flanked import SIDE, SQUARES, beside, captured, capturing

STEPS = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]


def squares_of(word):
    """Return the squares of a word as (row, column)."""
    return {divmod(s, SIDE) for s in range(SQUARES) if int(word) >> s & 1}


def word_of(squares):
    """Return the word of squares given as (row, column)."""
    return np.uint64(sum(1 << (row * SIDE + column) for row, column in squares))


def walked(square, own, other):
    """Return what a disc on a square captures, walking in all eight directions."""
    found = set()
    for down, right in STEPS:
        line = []
        row, column = square[0] + down, square[1] + right
        while (row, column) in other:
            line.append((row, column))
            row, column = row + down, column + right
        if (row, column) in own:
            found.update(line)
    return found


def random_boards(n, rng):
    """Yield two sets of squares without a common one, from few to nearly all."""
    for _ in range(n):
        full = rng.random(SQUARES) < rng.random()
        mine = rng.random(SQUARES) < rng.random()
        squares = {divmod(s, SIDE) for s in np.flatnonzero(full)}
        own = {(r, c) for r, c in squares if mine[r * SIDE + c]}
        yield own, squares - own


def test_captures_are_those_of_a_walk():
    longest = 0
    for own, other in random_boards(400, np.random.default_rng(1)):
        mine, theirs = word_of(own), word_of(other)
        empty = {divmod(s, SIDE) for s in range(SQUARES)} - own - other
        expected = set()
        for square in empty:
            taken = walked(square, own, other)
            assert squares_of(captured(word_of({square}), mine, theirs)) == taken
            longest = max(longest, len(taken))
            expected |= {square} if taken else set()
        assert squares_of(capturing(mine, theirs)) == expected
    assert longest > 8


@pytest.mark.parametrize("down, right", STEPS)
@pytest.mark.parametrize("length", range(1, SIDE))
def test_lines_of_all_lengths(down, right, length):
    """From every square: a line of `length`, with and without an own disc behind it."""
    for start in range(SQUARES):
        row, column = divmod(start, SIDE)
        line = [(row + i * down, column + i * right) for i in range(1, length + 2)]
        on_board = [s for s in line if min(s) >= 0 and max(s) < SIDE]
        other, own = set(on_board[:length]), set(on_board[length:])
        disc = word_of({(row, column)})
        found = captured(disc, word_of(own), word_of(other))
        assert squares_of(found) == (other if own else set())


def test_beside_is_the_squares_and_their_neighbours():
    rng = np.random.default_rng(2)
    for discs, _ in random_boards(200, rng):
        expected = {
            (row + down, column + right)
            for row, column in discs
            for down, right in [*STEPS, (0, 0)]
            if 0 <= row + down < SIDE and 0 <= column + right < SIDE
        }
        assert squares_of(beside(word_of(discs))) == expected
