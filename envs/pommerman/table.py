"""Pommerman as text, and what a picture of it shows of each cell."""

from dataclasses import dataclass

import numpy as np

from mcts_agents.envs.pommerman.official import (
    BOMB_CODE,
    FIRST_AGENT_CODE,
    FIRST_ITEM_CODE,
    FLAMES_CODE,
    PASSAGE,
    RIGID_CODE,
    WOOD_CODE,
    Position,
    position,
)
from mcts_agents.model import RESULT_NAMES, ForwardModel

ARROWS = "o^v<>"
ITEM_LETTERS = "brk"  # extra bomb, range, kick


@dataclass(frozen=True)
class Seen:
    """A position as somebody sees it.

    Attributes:
        position: The whole position.
        is_visible: Which cells are seen, bool, (size, size).
        bombs: Life and direction of the bombs that are seen, by (row, column).
        flames: Steps that each cell will still burn, uint8, (size, size).
    """

    position: Position
    is_visible: np.ndarray
    bombs: dict[tuple[int, int], tuple[int, int]]
    flames: np.ndarray


def seen(model: ForwardModel, state: np.ndarray, observer: int | None) -> Seen:
    """Return what a player sees, or with None everything but what wood covers."""
    whole = position(model, state)
    is_visible = np.ones(whole.board.shape, bool)
    view = int(model.game["sight"][0])
    if observer is not None and view:
        rows, columns = np.indices(whole.board.shape)
        row, column = whole.agent_pos[observer]
        is_visible = np.maximum(abs(rows - row), abs(columns - column)) <= view
    flames = np.zeros_like(whole.board)
    for row, column, life in whole.flames:  # the newest last
        flames[row, column] = life + 1
    bombs = {
        (row, column): (life, direction)
        for row, column, _, life, _, direction in whole.bombs.tolist()
        if is_visible[row, column]
    }
    return Seen(whole, is_visible, bombs, flames)


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the board and the players as text, two letters a cell.

    `##` rigid, `%%` wood, `+b` `+r` `+k` items, `*2` flames for two more steps, `o7` a
    bomb that explodes in 7 steps (an arrow for `o` if it rolls), `@0` player 0, `07`
    player 0 on such a bomb, `~~` out of sight.

    Args:
        model: The forward model.
        state: The state.
        observer: Whose view it is; None shows all but what wood covers.
    """
    sight = seen(model, state, observer)
    size = len(sight.is_visible)
    lines = [
        " ".join(_cell(sight, row, column) for column in range(size))
        for row in range(size)
    ]
    players = _players(model, state, sight, observer)
    return "\n".join([headline(model, state), *lines, *players])


def headline(model: ForwardModel, state: np.ndarray) -> str:
    """Return the step, and who has won."""
    steps = int(model.view(state)["steps"])
    if not model.is_over(state):
        return f"step {steps}"
    winners = [
        f"player_{player}"
        for player, result in enumerate(model.results(state))
        if RESULT_NAMES[result] == "won"
    ]
    return f"step {steps}: " + (f"{' and '.join(winners)} won" if winners else "a tie")


def _cell(sight: Seen, row: int, column: int) -> str:
    if not sight.is_visible[row, column]:
        return "~~"
    code = int(sight.position.board[row, column])
    bomb = sight.bombs.get((row, column))
    if code >= FIRST_AGENT_CODE:
        player = code - FIRST_AGENT_CODE
        return f"@{player}" if bomb is None else f"{player}{bomb[0]}"
    if code >= FIRST_ITEM_CODE:
        return f"+{ITEM_LETTERS[code - FIRST_ITEM_CODE]}"
    if code == BOMB_CODE and bomb is not None:
        life, direction = bomb
        return f"{ARROWS[direction]}{life}"
    if code == FLAMES_CODE:
        return f"*{sight.flames[row, column]}"
    return {PASSAGE: " .", RIGID_CODE: "##", WOOD_CODE: "%%"}[code]


def _players(
    model: ForwardModel, state: np.ndarray, sight: Seen, observer: int | None
) -> list[str]:
    """Return a line for each player; what others carry is not for an observer."""
    here, results = sight.position, model.results(state)
    lines = []
    for player in range(model.players):
        words = [f"player_{player} ", "alive" if here.agent_alive[player] else "dead "]
        if observer in (None, player):
            words.append(f" bombs {here.agent_ammo[player]}")
            words.append(f" reach {here.agent_blast[player] - 1}")
            words.append(" kicks" if here.agent_kick[player] else "      ")
        words.append(f" {RESULT_NAMES[results[player]]}")
        lines.append(" ".join(words))
    return lines
