"""Steps of the pieces, and where they lead."""

# Rows forward, and columns to the right as the mover sees them.
STEPS = {
    "breakthrough": ((1, -1), (1, 0), (1, 1)),
    "knightthrough": ((2, -1), (2, 1), (1, -2), (1, 2)),
}
MOST_STEPS = 4
# Steps that do not capture.
QUIET = ((1, 0),)


def target_of(
    square: int, player: int, step: tuple[int, int], rows: int, columns: int
) -> int | None:
    """Return the square to which a step leads, None if that is not on the board.

    Args:
        square: `row * columns + column`, both from 0 at the top left.
        player: 0, who moves down, or 1, who moves up.
        step: An entry of `STEPS`.
        rows: Rows of the board.
        columns: Columns of the board.
    """
    forward, right = step if player else (-step[0], -step[1])
    row, column = square // columns - forward, square % columns + right
    if 0 <= row < rows and 0 <= column < columns:
        return row * columns + column
    return None
