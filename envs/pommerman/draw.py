"""Pictures of Pommerman: the board, and a line for each player."""

import functools
from typing import Any

import numpy as np

from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    INK,
    MUTED,
    circle,
    load_pygame,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.pommerman import artwork
from mcts_agents.envs.pommerman.artwork import CELL
from mcts_agents.envs.pommerman.notation import (
    MESSAGES,
    MOVE_NAMES,
    WORD_VALUES,
    format_action,
)
from mcts_agents.envs.pommerman.official import (
    BOMB_CODE,
    FIRST_AGENT_CODE,
    FIRST_ITEM_CODE,
    FLAMES_CODE,
    FOG_CODE,
    RIGID_CODE,
    WOOD_CODE,
    position,
)
from mcts_agents.envs.pommerman.table import Bomb, Seen, headline, seen
from mcts_agents.envs.regions import Rectangle, Region, legal_actions
from mcts_agents.model import RESULT_NAMES, ForwardModel

MARGIN = 20
HEADER = 44
ROW = 52  # of the list of players
LIST_GAP = 10  # between the board and that list
AHEAD = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
# How hot a cell is by the steps until it burns, 0 for never: few shades, so that they
# are told apart, and a film does not change all over the board on every step.
HEAT = (0.0, *(0.42,) * 3, *(0.24,) * 3, *(0.1,) * 4)


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    board = int(model.game["size"][0]) * CELL
    rows = -(-model.players // 2)
    return board + 2 * MARGIN, HEADER + board + rows * ROW + MARGIN


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the board, and under it what each player has.

    A bomb shows the steps until it explodes, its reach on a small disc, and where it
    rolls; the sooner a cell will burn the redder it is. The ring of a bomb has the
    colour of its owner, and agents are shown where they have just died, but not for an
    observer, to whom the rules do not tell it. In teams players 1 and 3 wear masks.
    """
    sight = seen(model, state, observer)
    board = len(sight.is_visible)
    surface.fill(BACKGROUND)
    text(surface, headline(model, state), (MARGIN, HEADER / 2), 26, INK, "midleft")
    if observer is not None:
        whose = f"as player_{observer} sees it"
        right = MARGIN + board * CELL
        text(surface, whose, (right, HEADER / 2), 20, MUTED, "midright")
    teams = bool(model.game["team"][0])
    steps = sight.burning_soon()
    for row in range(board):
        for column in range(board):
            what = _content(sight, row, column, teams, observer is None)
            surface.blit(_cell(*what, HEAT[steps[row, column]]), _corner(row, column))
    before = int(model.view(state)["alive_before"])
    for player in range(model.players):
        is_alive = sight.position.agent_alive[player]
        if before >> player & 1 and not is_alive and observer in (None, player):
            row, column = sight.position.agent_pos[player].tolist()
            center = _corner(row + 0.5, column + 0.5)
            artwork.dead(surface, center, player)
    results = model.results(state)
    for player in range(model.players):
        known = observer in (None, player)
        masked = teams and player % 2 == 1
        corner = _entry(board, player)[:2]
        _paint_player(surface, sight, player, results[player], corner, known, masked)


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return what a player may do.

    The agent's own cell stands for a stop, the four around it for steps (at the edge of
    the board a strip outside it), and the player's entry under the board, where the
    bombs are counted, for laying one. With messages a second click says the two words:
    it falls into one of eight rows, for the first word, and eight columns of the board.
    """
    board = int(model.game["size"][0])
    actions = legal_actions(model, state, player)
    if not actions:
        return []
    row, column = position(model, state).agent_pos[player].tolist()
    first = {
        "stop": _cell_box(board, row, column),
        "bomb": Rectangle(*_entry(board, player)),
    }
    for move, (down, right) in AHEAD.items():
        first[move] = _cell_box(board, row + down, column + right)
    found = []
    for action in actions:
        move, until = action, None
        if model.actions > len(MOVE_NAMES):
            move, message = divmod(action, MESSAGES)
            until = _words_box(board, *divmod(message, WORD_VALUES))
        label = format_action(model, action)
        found.append(Region(action, first[MOVE_NAMES[move]], label, until))
    return found


def _corner(row: float, column: float) -> tuple[float, float]:
    """Return the upper left corner of a cell."""
    return MARGIN + column * CELL, HEADER + row * CELL


def _cell_box(board: int, row: int, column: int) -> Rectangle:
    """Return a cell; if it lies beside the board, a strip as wide as the gap below."""
    left, top = _corner(row, column)
    right, bottom = left + CELL, top + CELL
    (first_x, first_y), (last_x, last_y) = _corner(0, 0), _corner(board, board)
    left, top = max(left, first_x - LIST_GAP), max(top, first_y - LIST_GAP)
    right, bottom = min(right, last_x + LIST_GAP), min(bottom, last_y + LIST_GAP)
    return Rectangle(left, top, right - left, bottom - top)


def _words_box(board: int, first: int, second: int) -> Rectangle:
    """Return the part of the board that stands for two words."""
    part = board * CELL / WORD_VALUES
    return Rectangle(MARGIN + second * part, HEADER + first * part, part, part)


def _entry(board: int, player: int) -> tuple[int, int, int, int]:
    """Return left, top, width and height of a player's entry under the board."""
    half = (board * CELL + MARGIN) // 2
    top = HEADER + board * CELL + LIST_GAP + player // 2 * ROW
    return MARGIN + player % 2 * half, top, half - MARGIN, ROW


def _content(
    sight: Seen, row: int, column: int, teams: bool, owners: bool
) -> tuple[int, int, Bomb | None, bool]:
    """Return code, flame and bomb of a cell, and whether teams are told apart."""
    if not sight.is_visible[row, column]:
        return FOG_CODE, 0, None, False
    bomb = sight.bombs.get((row, column))
    if bomb is not None and not owners:
        bomb = bomb._replace(owner=-1)
    code = int(sight.position.board[row, column])
    return code, int(sight.flames[row, column]), bomb, teams


@functools.lru_cache(maxsize=2048)
def _cell(code: int, flame: int, bomb: Bomb | None, teams: bool, heat: float) -> Any:
    """Return the picture of one cell; the same ones are drawn again and again."""
    surface = load_pygame().Surface((CELL, CELL), 0, 32)
    surface.fill(BACKGROUND)
    center, box = (CELL / 2, CELL / 2), (1, 1, CELL - 2, CELL - 2)
    if code == FOG_CODE:
        rounded_rectangle(surface, box, 3, artwork.FOG)
        text(surface, "?", center, 22, BACKGROUND)
    elif code == RIGID_CODE:
        artwork.rigid(surface, box)
    elif code == WOOD_CODE:
        artwork.wood(surface, box, heat)
    else:
        artwork.floor(surface, box, heat)
    owner = None if bomb is None or bomb.owner < 0 else bomb.owner
    if code == FLAMES_CODE:
        artwork.flame(surface, center, flame)
    elif FIRST_ITEM_CODE <= code < FIRST_AGENT_CODE:
        artwork.item(surface, center, code - FIRST_ITEM_CODE)
    elif code >= FIRST_AGENT_CODE:
        player = code - FIRST_AGENT_CODE
        artwork.agent(surface, center, player, teams and player % 2 == 1)
        if bomb is not None:
            artwork.underfoot(surface, center, bomb.life, bomb.reach, owner)
    elif code == BOMB_CODE and bomb is not None:
        artwork.bomb(surface, center, bomb.life, bomb.reach, bomb.direction, owner)
    return surface


def _paint_player(
    surface: Any,
    sight: Seen,
    player: int,
    result: int,
    corner: tuple[float, float],
    known: bool,
    masked: bool,
) -> None:
    """Write what a player has; of others only who looks at everything knows it."""
    left, top = corner
    here = sight.position
    alive = bool(here.agent_alive[player])
    if alive:
        artwork.face(surface, (left + 14, top + 20), player, masked)
    else:
        circle(surface, (left + 14, top + 20), 12, FAINT)
    words = [f"player_{player}", _fate(alive, RESULT_NAMES[result])]
    if alive and player in sight.heard:
        words.append('says "{} {}"'.format(*sight.heard[player]))
    name = "  ".join(filter(None, words))
    text(surface, name, (left + 36, top + 11), 20, INK if alive else MUTED, "midleft")
    if alive and known:
        facts = f"bombs {here.agent_ammo[player]}  reach {here.agent_blast[player] - 1}"
        facts += "  kicks" if here.agent_kick[player] else ""
        text(surface, facts, (left + 36, top + 31), 20, MUTED, "midleft")


def _fate(alive: bool, result: str) -> str:
    """Say how a player stands; the dead may still win with their team."""
    if alive:
        return "" if result == "playing" else result
    return f"dead, {result}" if result in ("won", "drawn") else "dead"
