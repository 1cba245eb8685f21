"""Games of Pommerman in the fog for tests, and worlds that a player cannot tell apart.

Nothing here knows of beliefs or of how worlds are sampled: what is seen is asked of the
official observation.
"""

import numpy as np

from mcts_agents.envs.pommerman.official import painted_board
from mcts_agents.envs.pommerman.official_observation import official_observation
from mcts_agents.model import draw_below

RIGID, WOOD, FLAME, BOMB = 1, 2, 4, 8
STRIDE = 12
STEPS = {0: 0, 1: -STRIDE, 2: STRIDE, 3: -1, 4: 1}
VARIANTS = {
    "team": {"mode": "team", "fog": True},
    "radio": {"mode": "radio"},
    "collapse": {"mode": "team", "fog": True, "collapse": 40, "max_steps": 120},
    "small": {"players": 2, "fog": True},
    "corners": {"fog": True, "shuffle_corners": True},
}


def plain(observation):
    """An official observation as plain values that can be compared."""
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in observation.items()
    }


def seen_by(model, state, player):
    return plain(official_observation(model, state, player))


def cells_of(size):
    """The cells of the board."""
    return [(r + 1) * STRIDE + c + 1 for r in range(size) for c in range(size)]


def in_sight(view, player, cell):
    """Whether a player at its cell sees a cell."""
    own = int(view["cells"][player])
    rows = abs(cell // STRIDE - own // STRIDE)
    return max(rows, abs(cell % STRIDE - own % STRIDE)) <= 4


def bombs_of(view):
    """Bombs as (life, strength, owner, direction, cell)."""
    words = [int(w) for w in view["bombs"][: view["bomb_count"]]]
    return [(w & 15, w >> 4 & 15, w >> 8 & 3, w >> 10 & 7, w >> 16) for w in words]


def word_of(life, strength, owner, direction, cell):
    return life | strength << 4 | owner << 8 | direction << 10 | cell << 16


def careful_move(model, state, player, rng):
    """A random move that seldom kills: not into flames, nor where bombs soon reach."""
    view = model.view(state)
    own = int(view["cells"][player])
    bombs = bombs_of(view)

    def danger(cell):
        for life, strength, _, _, at in bombs:
            same_row = cell // STRIDE == at // STRIDE
            far = abs(cell - at) if same_row else abs(cell - at) // STRIDE
            in_line = same_row or cell % STRIDE == at % STRIDE
            if in_line and far < strength and life < 6:
                return True
        return bool(view["terrain"][cell] & FLAME)

    open_to = [
        move
        for move, step in STEPS.items()
        if move == 0 or not view["terrain"][own + step] & (RIGID | WOOD | BOMB)
    ]
    safe = [move for move in open_to if not danger(own + STEPS[move])]
    if not danger(own) and draw_below(rng, 12) == 0:
        return 5
    moves = safe or open_to
    return moves[draw_below(rng, len(moves))]


def joint_moves(model, state, rng):
    """A careful move of each player, with random words where there are messages."""
    bits = int(model.game["message_bits"][0])
    return [
        careful_move(model, state, player, rng) << bits | draw_below(rng, 1 << bits)
        for player in range(model.players)
    ]


def games(model, rng, steps):
    """Yield (state, first of its game) along careful games; states are changed."""
    state = model.reset(rng)
    first = True
    for _ in range(steps):
        yield state, first
        first = False
        model.apply(state, joint_moves(model, state, rng), rng)
        if model.is_over(state):
            state, first = model.reset(rng), True


def change_unseen(model, state, player, rng, beliefs=None):
    """Change, in place, all that a player cannot see of a state of a game in the fog.

    Items under wood and flames, older flames under newer ones, whose the bombs are and
    in which order they were laid, the others' powers, enemies' messages, counts, what
    the others remember, and everything out of sight: walls, items, flames, bombs and
    agents. `rng` is numpy's. The others' memories are those of `beliefs`, or noise.
    """
    view = model.view(state)
    size = int(model.game["size"][0])
    near = [c for c in cells_of(size) if in_sight(view, player, c)]
    far = [c for c in cells_of(size) if not in_sight(view, player, c)]
    terrain = view["terrain"]
    bombs = [b for b in bombs_of(view) if b[4] in near]
    flames = np.unpackbits(view["flames"].view(np.uint8), bitorder="little")
    flames = flames.reshape(3, -1)
    covered = np.zeros(192, np.uint8)
    for cell in near:
        if terrain[cell] & (WOOD | FLAME):
            kind = int(rng.integers(4))
            terrain[cell] = int(terrain[cell]) & ~(3 << 4) | kind << 4
        if terrain[cell] & FLAME:
            covered[cell] = rng.integers(2)
            newest = max(np.flatnonzero(flames[:, cell]))
            flames[:newest, cell] = rng.integers(0, 2, newest)
    for cell in far:
        kind = int(rng.integers(1, 4))
        terrain[cell] = rng.choice(
            [0, 0, RIGID, WOOD, WOOD | kind << 4, kind << 6, FLAME]
        )
        flames[:, cell] = 0
        if terrain[cell] == FLAME:
            flames[int(rng.integers(3)), cell] = 1
    free = [c for c in far if terrain[c] == 0]
    rng.shuffle(free)
    for other in range(model.players):
        if other == player:
            continue
        view["ammo"][other] = rng.integers(0, 6)
        view["strength"][other] = rng.integers(2, 5)
        view["kick"] = int(view["kick"]) & ~(1 << other) | int(rng.integers(2)) << other
        if int(view["cells"][other]) in far and free:
            view["cells"][other] = free.pop()
        if model.game["message_bits"][0] and (player + 2) % 4 != other:
            view["messages"][other] = rng.integers(64)
    for _ in range(int(rng.integers(0, 4))):
        if free:
            life, strength, way = (
                int(rng.integers(a, b)) for a, b in ((2, 9), (2, 5), (0, 5))
            )
            bombs.append((life, strength, 0, way, free.pop()))
            terrain[bombs[-1][4]] |= BOMB
    order = rng.permutation(len(bombs))
    owners = rng.integers(0, model.players, len(bombs))
    view["bombs"] = 0
    for place, (i, owner) in enumerate(zip(order, owners, strict=True)):
        life, strength, _, direction, cell = bombs[i]
        view["bombs"][place] = word_of(life, strength, int(owner), direction, cell)
    view["bomb_count"] = len(bombs)
    view["flames"] = np.packbits(flames, axis=1, bitorder="little").view(np.uint64)
    view["covered"] = np.packbits(covered, bitorder="little").view(np.uint64)
    view["unseen_items"] = rng.integers(5, 20)
    view["unseen_cells"] = rng.integers(20, 36)
    for other in range(model.players):
        if other == player:
            continue
        if beliefs is not None:
            view["beliefs"][other] = beliefs[other]
        else:
            noise = rng.integers(0, 256, view["beliefs"].dtype.itemsize, np.uint8)
            view["beliefs"][other] = noise.view(view["beliefs"].dtype)[0]


def faults(model, state):
    """What is wrong with a state, as a list of words; empty for one that can be."""
    view = model.view(state)
    size = int(model.game["size"][0])
    board = set(cells_of(size))
    found = []
    terrain = [int(t) for t in view["terrain"]]
    flames = np.unpackbits(view["flames"].view(np.uint8), bitorder="little")
    burning = set(np.flatnonzero(flames.reshape(3, -1).any(0)).tolist())
    covered = np.unpackbits(view["covered"].view(np.uint8), bitorder="little")
    bombs = bombs_of(view)
    cells = [bomb[4] for bomb in bombs]

    def require(holds, what):
        if not holds:
            found.append(what)

    require({c for c in range(160) if terrain[c] & FLAME} == burning, "flames")
    require(set(np.flatnonzero(covered).tolist()) <= burning, "covered")
    require(all(terrain[c] == RIGID for c in range(160) if c not in board), "border")
    require(len(set(cells)) == len(cells), "two bombs in a cell")
    require({c for c in board if terrain[c] & BOMB} == set(cells), "bombs on board")
    require(all(terrain[c] & ~BOMB == 0 for c in cells), "bombs in walls")
    require([b[0] for b in bombs] == sorted(b[0] for b in bombs), "order of bombs")
    require(len({(b[0], b[2]) for b in bombs}) == len(bombs), "two laid in a step")
    order = [(b[0], b[2]) for b in bombs]
    require(order == sorted(order), "order of owners")
    require(all(1 <= b[0] <= 9 and 2 <= b[1] <= 4 for b in bombs), "kinds of bombs")
    require(all(b[2] < model.players for b in bombs), "owners")
    living = [p for p in range(model.players) if view["alive"] >> p & 1]
    places = [int(view["cells"][p]) for p in living]
    require(len(set(places)) == len(places), "two agents in a cell")
    require(all(terrain[c] & ~BOMB == 0 for c in places), "agents in walls")
    rolling = {b[4] for b in bombs if b[3]}
    require(not rolling & set(places), "a bomb rolls under an agent")
    for player in range(model.players):
        require(view["ammo"][player] <= 10, "ammo")
        require(2 <= view["strength"][player] <= 4, "strength")
    wood = [c for c in board if terrain[c] & WOOD or covered[c]]
    hidden = [c for c in board if terrain[c] >> 4 & 3]
    require(set(hidden) <= set(wood) | burning, "hidden items without wood")
    require(view["unseen_cells"] >= len(wood), "count of wood")
    require(view["unseen_items"] >= len(hidden), "count of items")
    require((painted_board(model, state) <= 13).all(), "board")
    return found
