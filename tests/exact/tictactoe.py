"""Tic-Tac-Toe solved by minimax on strings; cells 0 to 8 row by row, X begins."""

from functools import cache

LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


def position(moves: tuple[int, ...]) -> str:
    """Return the board after `moves`: nine characters, X, O or a dot."""
    board = ["."] * 9
    for number, cell in enumerate(moves):
        assert board[cell] == ".", f"{moves}: cell {cell} is taken"
        board[cell] = "XO"[number % 2]
    return "".join(board)


def mover(board: str) -> str:
    """Return whose turn it is."""
    return "X" if board.count("X") == board.count("O") else "O"


def winner(board: str) -> str | None:
    """Return whose marks stand in a line."""
    for line in LINES:
        marks = {board[int(cell)] for cell in line}
        if len(marks) == 1 and "." not in marks:
            return marks.pop()
    return None


def after(board: str, cell: int) -> str:
    """Return the board after the mover's mark is put on `cell`."""
    return board[:cell] + mover(board) + board[cell + 1 :]


@cache
def value(board: str) -> int:
    """Return what the mover gets under best play: 1, 0 or -1."""
    if winner(board):  # made by the other player's last mark
        return -1
    return max(move_values(board).values(), default=0)


def move_values(board: str) -> dict[int, int]:
    """Return what the mover gets after each move, under best play."""
    return {cell: -value(after(board, cell)) for cell in range(9) if board[cell] == "."}
