"""States of Pommerman as the official program has them: boards, lists and rewards.

For people, recordings and tests; the search never comes here.
"""

from dataclasses import dataclass, fields

import numpy as np

from mcts_agents.envs.pommerman.layout import (
    BOMB,
    BOMB_CELL_SHIFT,
    CELLS,
    DIRECTION_SHIFT,
    FLAME,
    HIDDEN,
    HIDDEN_SHIFT,
    LIFE,
    MOST_BOMBS,
    OPEN_SHIFT,
    OWNER_SHIFT,
    RIGID,
    SEATS,
    STRENGTH_SHIFT,
    STRIDE,
    WOOD,
    WORDS,
    cell_at,
    place_of,
)
from mcts_agents.model import WON, ForwardModel

PASSAGE, RIGID_CODE, WOOD_CODE, BOMB_CODE, FLAMES_CODE, FOG_CODE = range(6)
FIRST_ITEM_CODE = 6  # extra bomb, range, kick
DUMMY_CODE = 9
FIRST_AGENT_CODE = 10
WIN, TIE, INCOMPLETE = 0, 2, 3

# What stays of each code in a cell's byte when bombs and agents are taken away.
_TERRAIN = np.zeros(FIRST_AGENT_CODE + SEATS, np.uint8)
_TERRAIN[[RIGID_CODE, WOOD_CODE, FLAMES_CODE]] = RIGID, WOOD, FLAME
_TERRAIN[FIRST_ITEM_CODE:DUMMY_CODE] = np.arange(1, 4) << OPEN_SHIFT

# The official environments, by name, as variants.
OFFICIAL = {
    "PommeFFACompetition-v0": {},
    "PommeFFACompetitionFast-v0": {},
    "PommeFFAFast-v0": {},
    "PommeFFA-v1": {"collapse": 500},
    "PommeTeam-v0": {"mode": "team"},
    "PommeTeamFast-v0": {"mode": "team"},
    "PommeTeamCompetition-v0": {"mode": "team", "fog": True},
    "PommeTeamCompetitionFast-v0": {"mode": "team", "fog": True},
    "PommeTeamCompetition-v1": {"mode": "team", "fog": True, "collapse": 500},
    "PommeRadio-v2": {"mode": "radio"},
    "PommeRadioCompetition-v2": {"mode": "radio"},
    "OneVsOne-v0": {"players": 2},
}


@dataclass
class Position:
    """All that a state of the official program holds.

    Attributes:
        board: Codes of the official program, uint8, (size, size).
        hidden_items: 0 or the code of the item under wood or flames, uint8, as `board`.
        agent_pos: Row and column of each agent, int8, (players, 2).
        agent_alive: 0 or 1, uint8, (players,).
        agent_ammo: Bombs that each agent can lay now, int8, (players,).
        agent_blast: Blast strength, 2 or more, int8, (players,).
        agent_kick: 0 or 1, uint8, (players,).
        bombs: Row, column, owner, life, blast strength and direction (0 to 4) of the
            bombs, in the order of the official list, int8, (n, 6).
        flames: Row, column and life (0 to 2) in the order of the official list, int8,
            (n, 3).
        step_count: Steps played.
    """

    board: np.ndarray
    hidden_items: np.ndarray
    agent_pos: np.ndarray
    agent_alive: np.ndarray
    agent_ammo: np.ndarray
    agent_blast: np.ndarray
    agent_kick: np.ndarray
    bombs: np.ndarray
    flames: np.ndarray
    step_count: int

    def differing(self, other: "Position") -> str | None:
        """Return the name of the first attribute that differs, None for equals."""
        for field in fields(self):
            if not np.array_equal(
                getattr(self, field.name), getattr(other, field.name)
            ):
                return field.name
        return None


def position(model: ForwardModel, state: np.ndarray) -> Position:
    """Return a state as the official program has it."""
    view, size, players = model.view(state), _size(model), model.players
    terrain = _grid(view["terrain"], size)
    hidden = (terrain & HIDDEN) >> HIDDEN_SHIFT
    flags = np.arange(players)
    return Position(
        board=painted_board(model, state),
        hidden_items=np.where(hidden, hidden + FIRST_ITEM_CODE - 1, 0).astype(np.uint8),
        agent_pos=np.array([place_of(c) for c in view["cells"][:players]], np.int8),
        agent_alive=(view["alive"] >> flags & 1).astype(np.uint8),
        agent_ammo=view["ammo"][:players].astype(np.int8),
        agent_blast=view["strength"][:players].astype(np.int8),
        agent_kick=(view["kick"] >> flags & 1).astype(np.uint8),
        bombs=_bombs(view),
        flames=_flames(view),
        step_count=int(view["steps"]),
    )


def painted_board(model: ForwardModel, state: np.ndarray) -> np.ndarray:
    """Return the official board, uint8 of shape (size, size), agents on top."""
    view, size = model.view(state), _size(model)
    terrain = _grid(view["terrain"], size)
    items = terrain >> OPEN_SHIFT
    board = np.where(items, items + FIRST_ITEM_CODE - 1, PASSAGE).astype(np.uint8)
    for flag, code in (
        (RIGID, RIGID_CODE),
        (WOOD, WOOD_CODE),
        (BOMB, BOMB_CODE),
        (FLAME, FLAMES_CODE),
    ):
        board[terrain & flag != 0] = code
    for player in range(model.players):
        if view["alive"] >> player & 1:
            board[place_of(view["cells"][player])] = FIRST_AGENT_CODE + player
    return board


def _size(model: ForwardModel) -> int:
    return int(model.game["size"][0])


def _places(size: int) -> np.ndarray:
    """Return the cells of the board, (size, size)."""
    rows = np.arange(1, size + 1)
    return rows[:, None] * STRIDE + rows


def _grid(cells: np.ndarray, size: int) -> np.ndarray:
    """Return the bytes of all cells as rows and columns of the board."""
    return cells[_places(size)]


def _bombs(view: np.void) -> np.ndarray:
    words = view["bombs"][: view["bomb_count"]].astype(np.int64)
    columns = (
        *place_of(words >> BOMB_CELL_SHIFT),
        words >> OWNER_SHIFT & 3,
        words & LIFE,
        words >> STRENGTH_SHIFT & 15,
        words >> DIRECTION_SHIFT & 7,
    )
    return np.stack(columns, axis=1).astype(np.int8)


def _flames(view: np.void) -> np.ndarray:
    is_burning = np.unpackbits(view["flames"].view(np.uint8), bitorder="little")
    life, cell = np.nonzero(is_burning.reshape(3, -1))
    return np.stack((*place_of(cell), life), axis=1).astype(np.int8)


def _set_of(cells: np.ndarray) -> np.ndarray:
    """Return a set of cells as words."""
    bits = np.zeros(WORDS * 64, np.uint8)
    bits[cells] = 1
    return np.packbits(bits, bitorder="little").view(np.uint64)


def set_position(
    model: ForwardModel, state: np.ndarray, wanted: Position, before: int | None = None
) -> None:
    """Write a position into a state, in place.

    What was said and who died in the last step are not part of a position: nobody has
    said anything, and `before` (a mask, default the living) was alive before.

    Raises:
        ValueError: Something that no game can come to, as far as it matters here.
    """
    _check(wanted)
    view = model.view(state)
    places, board = _places(_size(model)), wanted.board
    kinds = np.where(wanted.hidden_items, wanted.hidden_items - FIRST_ITEM_CODE + 1, 0)
    view["terrain"] = RIGID
    view["terrain"][places] = _TERRAIN[board] | kinds << HIDDEN_SHIFT
    covered = places[(board == FLAMES_CODE) & (kinds != 0)]
    view["covered"] = _set_of(covered)
    for life in range(3):
        row, column, _ = wanted.flames[wanted.flames[:, 2] == life].T
        view["flames"][life] = _set_of(cell_at(row.astype(int), column.astype(int)))
    row, column, owner, life, strength, direction = wanted.bombs.T.astype(int)
    cells = cell_at(row, column)
    view["bombs"] = 0
    view["bombs"][: len(cells)] = (
        life
        | strength << STRENGTH_SHIFT
        | owner << OWNER_SHIFT
        | direction << DIRECTION_SHIFT
        | cells << BOMB_CELL_SHIFT
    )
    view["terrain"][cells] |= BOMB
    view["messages"] = 0
    view["bomb_count"] = len(wanted.bombs)
    players = model.players
    view["cells"][:players] = cell_at(*wanted.agent_pos.T.astype(int))
    view["ammo"][:players] = wanted.agent_ammo
    view["strength"][:players] = wanted.agent_blast
    view["alive"] = _mask(wanted.agent_alive)
    view["alive_before"] = view["alive"] if before is None else before
    view["kick"] = _mask(wanted.agent_kick)
    view["steps"] = wanted.step_count
    view["over"] = official_done(model, state)
    view["unseen_items"] = np.count_nonzero(wanted.hidden_items)
    view["unseen_cells"] = np.count_nonzero(board == WOOD_CODE) + len(covered)
    view["walled_in"] = 0


def _check(wanted: Position) -> None:
    if len(wanted.bombs) > MOST_BOMBS:
        raise ValueError(f"{len(wanted.bombs)} bombs; at most {MOST_BOMBS} can exist")
    row, column, life = wanted.flames.T.astype(int)
    if (np.diff(life * CELLS + cell_at(row, column)) <= 0).any():
        raise ValueError("the flames are not in the order in which they can arise")


def _mask(flags: np.ndarray) -> int:
    return sum(int(flag) << player for player, flag in enumerate(flags))


# -- the end of a game, as the official environment reports it after each step


def official_done(model: ForwardModel, state: np.ndarray) -> bool:
    """Whether the official environment calls a state done."""
    view, game = model.view(state), model.game[0]
    alive = [p for p in range(SEATS) if view["alive"] >> p & 1]
    one_team = game["team"] and len({p % 2 for p in alive}) == 1
    return bool(view["steps"] >= game["max_steps"] or len(alive) <= 1 or one_team)


def official_rewards(model: ForwardModel, state: np.ndarray) -> list[int]:
    """Return what the official environment pays each player for the last step.

    -1 to the dead on every step of a game without teams, and -1 to all who draw. Who is
    left over by the collapse wins at the end of the next step; if nobody is, the game
    ends here at once, and pays what the official program pays a step later.
    """
    view, game = model.view(state), model.game[0]
    waits = game["first_collapse"] and not view["over"]
    players = range(model.players)
    alive = [p for p in players if view["alive"] >> p & 1]
    time_is_up = view["steps"] >= game["max_steps"]
    if game["team"]:
        teams = {p % 2 for p in alive}
        if len(teams) == 1 and not waits:
            return [1 if p % 2 in teams else -1 for p in players]
        return [-1 if time_is_up or not alive else 0 for _ in players]
    if len(alive) == 1 and not waits:
        return [1 if p in alive else -1 for p in players]
    if time_is_up:
        return [-1 for _ in players]
    if model.players == 2:
        return [0, 0]
    if not alive:
        return [-1 for _ in players]
    # The collapse is paid for a step later, flames in the same step are not.
    waiting = [p for p in players if view["walled_in"] >> p & 1]
    return [0 if p in alive or p in waiting else -1 for p in players]


def official_result(model: ForwardModel, state: np.ndarray) -> int:
    """Return the official result: `WIN`, `TIE` or `INCOMPLETE`."""
    if not official_done(model, state):
        return INCOMPLETE
    return WIN if WON in model.results(state) else TIE


def messages_heard(model: ForwardModel, state: np.ndarray) -> list[tuple[int, int]]:
    """Return the two words that each player hears from its team mate."""
    said = model.view(state)["messages"]
    if not model.game["message_bits"][0]:
        return [(0, 0)] * model.players
    return [divmod(int(said[(p + 2) % SEATS]), 8) for p in range(model.players)]
