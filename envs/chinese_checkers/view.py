"""A position of Chinese Checkers as people look at it, and as text."""

from collections import deque
from dataclasses import dataclass

import numpy as np

from mcts_agents.envs.chinese_checkers.board import SEATS, Star, star
from mcts_agents.envs.chinese_checkers.notation import format_field
from mcts_agents.envs.chinese_checkers.rules import NO_FIELD
from mcts_agents.model import DRAWN, RESULT_NAMES, WON, ForwardModel

LETTERS = "ABCDEF"


@dataclass(frozen=True)
class Position:
    """What lies on the board, by numbers of fields.

    Attributes:
        board: The board.
        owner: The player whose piece is on a field; fields without one are missing.
        goal_of: The player whose goal a field belongs to; others are missing.
        home: For each player, the number of pieces in the goal.
        to_go: For each player, the sum of the distances of the pieces to the far tip
            of the goal.
        turn: The player to move, -1 once the game is over.
        results: PLAYING, WON, DRAWN or LOST for each player.
        last_player: The player of the last move, -1 before the first.
        path: The fields that the last move touched, origin first; empty before it.
    """

    board: Star
    owner: dict[int, int]
    goal_of: dict[int, int]
    home: list[int]
    to_go: list[int]
    turn: int
    results: list[int]
    last_player: int
    path: list[int]

    @property
    def steps_left(self) -> list[int]:
        """For each player, steps between the pieces and a goal filled with them."""
        filled = sum(far * (far + 1) for far in range(self.board.arm))
        return [far - filled for far in self.to_go]


def position(model: ForwardModel, state: np.ndarray) -> Position:
    """Return the position of a state."""
    board, record = star(model.variant["fields"]), model.view(state)
    field_of = {int(slot): field for field, slot in enumerate(board.slots)}
    owner = {
        field_of[int(slot)]: player
        for player in range(model.players)
        for slot in record["pieces"][player, : board.pieces]
    }
    goal_of = {
        field: player
        for player, corner in enumerate(SEATS[model.players])
        for field in board.corners[(corner + 3) % 6]
    }
    path = []
    if record["last_from"] != NO_FIELD:
        path = move_path(board, owner, int(record["last_from"]), int(record["last_to"]))
    return Position(
        board=board,
        owner=owner,
        goal_of=goal_of,
        home=record["home"][: model.players].tolist(),
        to_go=record["distance"][: model.players].tolist(),
        turn=int(record["turn"]),
        results=model.results(state).tolist(),
        last_player=int(record["last_player"]),
        path=path,
    )


def move_path(
    board: Star, occupied: dict[int, int], origin: int, target: int
) -> list[int]:
    """Return the fields of a move that has been made: a step, or the fewest hops.

    Args:
        board: The board.
        occupied: The fields with pieces, after the move.
        origin: Where the piece stood.
        target: Where it stands.
    """
    if target in board.neighbours(origin):
        return [origin, target]
    before = {origin: origin}
    waiting = deque([origin])
    while target not in before:
        field = waiting.popleft()
        for over, landing in board.hops(field):
            hops = over in occupied and over != target
            free = landing not in occupied or landing == target
            if hops and free and landing not in before:
                before[landing] = field
                waiting.append(landing)
    path = [target]
    while path[-1] != origin:
        path.append(before[path[-1]])
    return path[::-1]


def name(player: int, observer: int | None) -> str:
    """Return the player's name, marked if it is who looks."""
    return f"player_{player}" + (" (you)" if player == observer else "")


def status(shown: Position) -> str:
    """Return who is to move, or how the game ended."""
    if shown.turn >= 0:
        return f"player_{shown.turn} to move"
    if DRAWN in shown.results:
        return "A draw"
    return f"player_{shown.results.index(WON)} wins"


def last_move(shown: Position) -> str:
    """Return the last move's fields as written in moves, hop by hop; or nothing."""
    return " > ".join(format_field(shown.board, field) for field in shown.path)


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the star with a letter a player, and a table of the players.

    Empty fields of a goal are small letters of the player who wants to get there.
    """
    shown = position(model, state)
    lines = [_row(shown, number) for number in range(len(shown.board.rows))]
    lines.append("")
    for player in range(model.players):
        marker = ">" if shown.turn == player else " "
        word = "" if shown.turn >= 0 else "  " + RESULT_NAMES[shown.results[player]]
        lines.append(
            f"{marker} {LETTERS[player]}  {name(player, observer):<14}"
            f"{shown.home[player]:>3} of {shown.board.pieces} home"
            f"{shown.steps_left[player]:>5} steps to go{word}"
        )
    if shown.path:
        lines.append(f"last move: player_{shown.last_player} {last_move(shown)}")
    return "\n".join([*lines, status(shown)])


def _row(shown: Position, number: int) -> str:
    """Return one row of the star behind its number."""
    board = shown.board
    row = board.rows[number]
    x, y = board.coordinates[row[0]]
    indent = " " * (2 * y + x + 3 * board.arm)
    return f"{number:>2}  {indent}{' '.join(_mark(shown, field) for field in row)}"


def _mark(shown: Position, field: int) -> str:
    if field in shown.owner:
        return LETTERS[shown.owner[field]]
    if field in shown.goal_of:
        return LETTERS[shown.goal_of[field]].lower()
    return "."
