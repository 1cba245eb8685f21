"""Positions of Pommerman for tests: drawn in text, random, or played."""

import numpy as np

from mcts_agents.envs.pommerman.official import Position, position, set_position
from mcts_agents.envs.pommerman.rules import rules
from mcts_agents.model import new_generator

PASSAGE, RIGID, WOOD, BOMB, FLAMES = range(5)
LETTERS = {".": PASSAGE, "#": RIGID, "+": WOOD, "*": FLAMES, "b": 6, "r": 7, "k": 8}
STOP, UP, DOWN, LEFT, RIGHT, LAY = range(6)
SIZE = 11
FAR = [(10, 0), (10, 2), (10, 4), (10, 6)]


def drawn(
    *rows, bombs=(), hidden=(), flame_life=2, size=SIZE, steps=0, cap=10, **agents
):
    """A model and a state from a picture of the top left corner.

    Digits are agents; those that are not drawn are dead. The rest of the board is
    passage, or rigid in rows that are not drawn.

    Args:
        rows: Letters of `LETTERS` and digits of agents.
        bombs: (row, column, owner, life, strength, direction).
        hidden: (row, column, code) of items under wood or flames.
        flame_life: Of all flames drawn.
        size: Of the board.
        steps: Played so far.
        cap: 10, or 4 for the fog's.
        agents: `kick`, `ammo`, `blast`: by player, to change from 0, 1, 2.
    """
    board = np.full((size, size), RIGID, np.uint8)
    players = 4
    cells, alive = list(FAR), [0] * players
    flames = []
    for r, line in enumerate(rows):
        board[r] = PASSAGE
        for c, letter in enumerate(line):
            if letter.isdigit():
                cells[int(letter)], alive[int(letter)] = (r, c), 1
                board[r, c] = 10 + int(letter)
            else:
                board[r, c] = LETTERS[letter]
            if letter == "*":
                flames.append((r, c, flame_life))
    for r, c, *_ in bombs:
        if board[r, c] < 10:
            board[r, c] = BOMB
    items = np.zeros((size, size), np.uint8)
    for r, c, code in hidden:
        items[r, c] = code

    def by_player(name, default):
        values = np.full(players, default, np.int8)
        for player, value in agents.get(name, {}).items():
            values[player] = value
        return values

    wanted = Position(
        board=board,
        hidden_items=items,
        agent_pos=np.array(cells, np.int8),
        agent_alive=np.array(alive, np.uint8),
        agent_ammo=by_player("ammo", 1),
        agent_blast=by_player("blast", 2),
        agent_kick=by_player("kick", 0).astype(np.uint8),
        bombs=np.array(bombs, np.int8).reshape(-1, 6),
        flames=np.array(flames, np.int8).reshape(-1, 3),
        step_count=steps,
    )
    model = rules.model(mode="team", fog=cap == 4) if cap == 4 else rules.model()
    state = model.new_state()
    set_position(model, state, wanted)
    return model, state


def after(model, state, *joint_actions):
    """The position after some steps; agents that are not named stop."""
    rng = new_generator(0)
    for actions in joint_actions:
        joint = [actions.get(player, STOP) for player in range(model.players)]
        model.apply(state, joint, rng)
    return position(model, state)


def plain(found):
    """A position as plain Python values."""
    return {
        name: np.asarray(value).tolist() if name != "step_count" else int(value)
        for name, value in vars(found).items()
    }


def crowded(model, rng):
    """A random state that could arise: agents and rolling bombs close to each other."""
    size = int(model.game["size"][0])
    board = np.full((size, size), PASSAGE, np.uint8)
    walls = rng.random((size, size))
    board[walls < 0.15] = RIGID
    board[(walls > 0.15) & (walls < 0.25)] = WOOD
    items = np.where(rng.random(board.shape) < 0.5, rng.integers(6, 9, board.shape), 0)
    shown = (rng.random(board.shape) < 0.1) & (board == PASSAGE)
    board[shown] = rng.integers(6, 9, board.shape)[shown]
    height, width = rng.integers(3, 7, 2)
    top, left = (int(rng.integers(0, size - n + 1)) for n in (height, width))
    cells = [(top + r, left + c) for r in range(height) for c in range(width)]
    rng.shuffle(cells)
    players = model.players
    agents = [cells.pop() for _ in range(players)]
    alive = rng.random(players) < 0.85
    alive[:2] = True
    bombs, flames = [], []
    for cell in cells[: int(rng.integers(0, 7))]:
        strength, direction = int(rng.integers(2, 6)), int(rng.integers(0, 5))
        owner, life = int(rng.integers(players)), int(rng.integers(1, 10))
        bombs.append((*cell, owner, life, strength, direction))
        board[tuple(cell)] = BOMB
    for player in range(players):
        board[tuple(agents[player])] = 10 + player if alive[player] else PASSAGE
    for life in range(3):
        burning = (rng.random(board.shape) < 0.06) & np.isin(board, (PASSAGE, FLAMES))
        board[burning] = FLAMES
        flames += [(r, c, life) for r, c in np.argwhere(burning).tolist()]
    bombs += [  # some stand on a bomb
        (*agents[player], player, int(rng.integers(1, 10)), 3, 0)
        for player in np.flatnonzero(alive).tolist()
        if rng.random() < 0.2
    ]
    items[(board != WOOD) & (board != FLAMES)] = 0
    wanted = Position(
        board=board,
        hidden_items=items.astype(np.uint8),
        agent_pos=np.array(agents, np.int8),
        agent_alive=alive.astype(np.uint8),
        agent_ammo=rng.integers(0, 11, players).astype(np.int8),
        agent_blast=rng.integers(2, 11, players).astype(np.int8),
        agent_kick=(rng.random(players) < 0.6).astype(np.uint8),
        bombs=np.array(bombs, np.int8).reshape(-1, 6),
        flames=np.array(flames, np.int8).reshape(-1, 3),
        step_count=int(rng.integers(0, 700)),
    )
    state = model.new_state()
    set_position(model, state, wanted)
    return state


def permute_hidden(model, state, observer, rng):
    """Hide the items under wood elsewhere, keeping what everybody knows."""
    view = model.view(state)
    wood = [c for c in range(160) if view["terrain"][c] & 2]
    kinds = [int(view["terrain"][c]) >> 4 & 3 for c in wood]
    rng.shuffle(kinds)
    for cell, kind in zip(wood, kinds, strict=True):
        kind = rng.choice((1, 2, 3)) if kind else 0
        view["terrain"][cell] = int(view["terrain"][cell]) & ~(3 << 4) | kind << 4
