"""Pommerman as text, and what a picture of it shows of each cell."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mcts_agents.envs.pommerman.notation import MOVE_NAMES, WORD_VALUES
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


class Bomb(NamedTuple):
    """A bomb: its owner, steps until it explodes, cells of reach, and direction."""

    owner: int
    life: int
    reach: int
    direction: int


@dataclass(frozen=True)
class Seen:
    """A position as somebody sees it.

    Attributes:
        position: The whole position.
        is_visible: Which cells are seen, bool, (size, size).
        bombs: The bombs that are seen, by (row, column).
        flames: Steps that each cell will still burn, uint8, (size, size).
        heard: The two words that each player said in the last step, as far as they are
            heard; empty without messages.
    """

    position: Position
    is_visible: np.ndarray
    bombs: dict[tuple[int, int], Bomb]
    flames: np.ndarray
    heard: dict[int, tuple[int, int]]

    def burning_soon(self) -> np.ndarray:
        """Return in how many steps each cell that is seen will burn, 0 for never.

        As long as nothing moves: by the bombs that are seen, the first one to explode
        there, chains left aside. Uint8, (size, size).
        """
        steps = np.zeros_like(self.flames)
        for (row, column), bomb in self.bombs.items():
            for down, right in ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)):
                for far in range(1, bomb.reach + 1):
                    there = row + far * down, column + far * right
                    if not self._is_hit(there):
                        break
                    steps[there] = min(steps[there] or bomb.life, bomb.life)
                    if self.position.board[there] == WOOD_CODE:
                        break
        return steps

    def _is_hit(self, there: tuple[int, int]) -> bool:
        size = len(self.flames)
        return (
            all(0 <= place < size for place in there)
            and bool(self.is_visible[there])
            and self.position.board[there] != RIGID_CODE
        )


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
        (row, column): Bomb(owner, life, strength - 1, direction)
        for row, column, owner, life, strength, direction in whole.bombs.tolist()
        if is_visible[row, column]
    }
    heard = {}
    if model.game["message_bits"][0]:
        words = model.view(state)["messages"].tolist()
        heard = {
            player: divmod(said, WORD_VALUES)
            for player, said in enumerate(words)
            if observer is None or (player - observer) % 2 == 0
        }
    return Seen(whole, is_visible, bombs, flames, heard)


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the board as text, two letters a cell, then the players and the bombs.

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
    bombs = _bombs(sight, observer)
    return "\n".join([headline(model, state), *lines, *players, *bombs])


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
        return f"@{player}" if bomb is None else f"{player}{bomb.life}"
    if code >= FIRST_ITEM_CODE:
        return f"+{ITEM_LETTERS[code - FIRST_ITEM_CODE]}"
    if code == BOMB_CODE and bomb is not None:
        return f"{ARROWS[bomb.direction]}{bomb.life}"
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
        facts = ""
        if observer in (None, player):
            facts = f"bombs {here.agent_ammo[player]}"
            facts += f"  reach {here.agent_blast[player] - 1}"
            facts += "  kicks" if here.agent_kick[player] else ""
        life = "alive" if here.agent_alive[player] else "dead"
        result = RESULT_NAMES[results[player]]
        words = ""
        if player in sight.heard and here.agent_alive[player]:
            words = "says {} {}".format(*sight.heard[player])
        line = f"player_{player}  {life:5}  {facts:23}  {result:7}  {words}"
        lines.append(line.rstrip())
    return lines


def _bombs(sight: Seen, observer: int | None) -> list[str]:
    """Return a line for each bomb that is seen; whose it is only a spectator knows."""
    lines = []
    for (row, column), bomb in sorted(sight.bombs.items()):
        line = f"bomb in row {row}, column {column}: life {bomb.life}, "
        line += f"reach {bomb.reach}"
        if bomb.direction:
            line += f", rolls {MOVE_NAMES[bomb.direction]}"
        lines.append(line if observer is not None else f"{line}, player_{bomb.owner}'s")
    return lines
