"""The rules of Focus for two to four players.

A stack is up to five colours of two bits each, the bottom one lowest, so that pieces
are lifted, put down and taken from below by shifts. Whose stacks stand where is kept in
bits, too.

Sources: S. Sackson, "A Gamut of Games" (1969); J.A.M. Nijssen, M.H.M. Winands, "Search
policies in multi-player games", ICGA Journal 36 (2013) (winning with three and four
players); H. Baier, M. Kaisers, "Guiding multiplayer MCTS by focusing on yourself", IEEE
CoG 2020 (evaluation, order of moves).
"""

import numpy as np
from numba import njit

from mcts_agents.envs.focus.board import (
    EMPTY,
    NOWHERE,
    SQUARES,
    STEPS,
    TALLEST,
    beginning,
    targets,
)
from mcts_agents.model import (
    DRAWN,
    LOST,
    PLAYING,
    WON,
    Rules,
    Spec,
    random_below,
)
from mcts_agents.model.bits import bit_of, count_bits, lowest_bit
from mcts_agents.model.hashing import mixed

FEWEST_PLAYERS, MOST_PLAYERS = 2, 4
RESERVE_MOVES = SQUARES * STEPS  # actions from here on put a reserve on a square
ACTIONS = RESERVE_MOVES + SQUARES
NOBODY = -1
NO_ACTION = -1

# Pieces of each opponent, and of all together, that a player has to capture.
CAPTURES_EACH = {2: 6, 3: 3, 4: 2}
CAPTURES_IN_ALL = {2: 6, 3: 10, 4: 10}
# The paper's evaluation.
BASE, PER_CAPTURE = 300, 50
# The greatest number of the order of moves: pieces moved, height of the target, a stack
# more.
GREATEST_ORDER = TALLEST + TALLEST + 1
WORDS = 13  # of the key: four stacks in each

STATE = np.dtype(
    [
        ("own", np.uint64, MOST_PLAYERS),  # bit: a stack whose top is the player's
        ("stacks", np.uint16, SQUARES),  # two bits a piece, the bottom one lowest
        ("heights", np.uint8, SQUARES),
        ("reserves", np.uint8, MOST_PLAYERS),
        # pieces of the second player that the first has captured
        ("captured", np.uint8, (MOST_PLAYERS, MOST_PLAYERS)),
        ("mover", np.int8),  # NOBODY once the game is over
        ("winner", np.int8),  # NOBODY yet, or a draw
        ("plies", np.int32),
        ("last", np.int16),  # the last action, NO_ACTION before the first
    ]
)

GAME = np.dtype(
    [
        ("most_plies", np.int64),
        ("each", np.int64),
        ("in_all", np.int64),
        ("hand", np.int64),  # reserves that everybody begins with
        ("begin", np.int8, SQUARES),
        ("targets", np.uint8, (SQUARES, STEPS)),
        # steps of a square that stay on the board, those of fewer pieces first, and how
        # many of them a stack of each height can make
        ("steps", np.uint8, (SQUARES, STEPS)),
        ("counts", np.uint8, (SQUARES, TALLEST + 1)),
    ]
)

rules = Rules(
    "focus",
    state=STATE,
    game=GAME,
    chance=False,
    search_defaults={"value": "evaluate", "rollout": 0},
)


@rules.variant
def variant(game, *, players=4, max_plies_per_player=250):
    """Fill the tables.

    Args:
        game: The variant's record, filled in place.
        players: 2 to 4.
        max_plies_per_player: The game is drawn after this many moves times players.
    """
    _check(players, max_plies_per_player)
    game["most_plies"] = max_plies_per_player * players
    game["each"] = CAPTURES_EACH[players]
    game["in_all"] = CAPTURES_IN_ALL[players]
    game["hand"] = 1 if players == 3 else 0
    game["begin"] = beginning(players)
    table = targets()
    game["targets"] = table
    for square in range(SQUARES):
        steps = np.flatnonzero(table[square] != NOWHERE)
        game["steps"][square, : len(steps)] = steps
        for height in range(TALLEST + 1):
            game["counts"][square, height] = (steps < height * 4).sum()
    pieces = sum(colour != EMPTY for colour in beginning(players))
    pieces += players * int(game["hand"])
    return Spec(
        players=players,
        actions=ACTIONS,
        # A stack of h pieces has at most 4 h moves; a reserve goes to any square.
        legal_limit=4 * pieces + SQUARES,
        observation_shape=(TALLEST * players + players + players**2 + 1, 8, 8),
        observation_bounds=(0, SQUARES),
    )


def _check(players, max_plies_per_player):
    if not FEWEST_PLAYERS <= players <= MOST_PLAYERS:
        raise ValueError(
            f"players={players}: focus is for {FEWEST_PLAYERS} to {MOST_PLAYERS} "
            "players"
        )
    whole = type(max_plies_per_player) is int
    if not whole or not 1 <= max_plies_per_player <= 1_000_000:
        raise ValueError(
            f"max_plies_per_player={max_plies_per_player}: focus needs 1 to 1,000,000"
        )


@njit
def top_of(stack, height):
    """The colour of a stack's top piece."""
    return np.int64(stack >> (2 * height - 2) & 3)


@njit
def can_move(state, player):
    """Whether a player has a stack or a reserve; then there is a legal move."""
    return state.own[player] != 0 or state.reserves[player] > 0


@njit
def next_player(game, state, mover):
    """The next player who can move; the mover if nobody else can."""
    player = mover
    for _ in range(game.players - 1):
        player += 1
        if player == game.players:
            player = 0
        if can_move(state, player):
            return player
    return mover


@njit
def has_won(game, state, player):
    """Whether a player has captured enough."""
    in_all = 0
    of_each = True
    for other in range(game.players):
        if other != player:
            taken = np.int64(state.captured[player, other])
            in_all += taken
            of_each &= taken >= game.each
    return of_each or in_all >= game.in_all


@njit
def land(state, player, square, pieces, count):
    """Put pieces onto a square, and take from below what is too much."""
    height = np.int64(state.heights[square])
    if height > 0:
        state.own[top_of(state.stacks[square], height)] &= ~bit_of(square)
    stack = np.int64(state.stacks[square]) | pieces << 2 * height
    height += count
    while height > TALLEST:
        colour = stack & 3
        if colour == player:
            state.reserves[player] += 1
        else:
            state.captured[player, colour] += 1
        stack >>= 2
        height -= 1
    state.stacks[square] = stack
    state.heights[square] = height
    state.own[top_of(stack, height)] |= bit_of(square)


@njit
def play(game, state, player, action):
    """Make a move; decide whether the game ends, and who is next."""
    if action >= RESERVE_MOVES:
        state.reserves[player] -= 1
        land(state, player, action - RESERVE_MOVES, np.int64(player), 1)
    else:
        square = action // STEPS
        step = action - square * STEPS
        count = step // 4 + 1
        height = np.int64(state.heights[square])
        stack = np.int64(state.stacks[square])
        left = height - count
        state.own[player] &= ~bit_of(square)
        state.stacks[square] = stack & (1 << 2 * left) - 1
        state.heights[square] = left
        if left > 0:
            state.own[top_of(stack, left)] |= bit_of(square)
        target = np.int64(game.targets[square, step])
        land(state, player, target, stack >> 2 * left, count)
    state.plies += 1
    state.last = action
    following = next_player(game, state, player)
    if following == player or has_won(game, state, player):
        state.winner = player
        state.mover = NOBODY
    elif state.plies >= game.most_plies:
        state.mover = NOBODY
    else:
        state.mover = following


@njit
def must_place(game, state, player):
    """Whether a player has to put its piece in hand on the board (three players).

    Where a search lets opponents pass, a second turn may come in the first round; the
    hand is empty then.
    """
    early = state.plies < game.players and game.hand > 0
    return early and state.reserves[player] > 0


@njit
def random_move(game, state, player, rng):
    """A uniformly random legal move: all are counted, none is listed."""
    reserve = SQUARES if state.reserves[player] > 0 else 0
    if must_place(game, state, player):
        return RESERVE_MOVES + random_below(rng, SQUARES)
    total = reserve
    squares = state.own[player]
    while squares != 0:
        square = lowest_bit(squares)
        squares &= squares - np.uint64(1)
        total += np.int64(game.counts[square, state.heights[square]])
    drawn = random_below(rng, total)
    squares = state.own[player]
    while squares != 0:
        square = lowest_bit(squares)
        squares &= squares - np.uint64(1)
        count = np.int64(game.counts[square, state.heights[square]])
        if drawn < count:
            return square * STEPS + np.int64(game.steps[square, drawn])
        drawn -= count
    return RESERVE_MOVES + drawn


@rules.define
def reset(game, state, rng):
    """One piece on every square that a game begins with; player 0 begins."""
    for player in range(MOST_PLAYERS):
        state.own[player] = 0
        state.reserves[player] = game.hand if player < game.players else 0
        for other in range(MOST_PLAYERS):
            state.captured[player, other] = 0
    for square in range(SQUARES):
        colour = np.int64(game.begin[square])
        state.stacks[square] = 0
        state.heights[square] = 0
        if colour >= 0:
            state.stacks[square] = colour
            state.heights[square] = 1
            state.own[colour] |= bit_of(square)
    state.mover = 0
    state.winner = NOBODY
    state.plies = 0
    state.last = NO_ACTION


@rules.define
def movers(game, state):
    """The player to move, nobody once the game is over."""
    return 0 if state.mover < 0 else 1 << state.mover


@rules.define
def legal_actions(game, state, player, out):
    """Every move of own stacks, and a reserve to every square."""
    n = 0
    if not must_place(game, state, player):
        squares = state.own[player]
        while squares != 0:
            square = lowest_bit(squares)
            squares &= squares - np.uint64(1)
            for i in range(game.counts[square, state.heights[square]]):
                out[n] = square * STEPS + game.steps[square, i]
                n += 1
    if state.reserves[player] > 0:
        for square in range(SQUARES):
            out[n] = RESERVE_MOVES + square
            n += 1
    return n


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random legal action."""
    return random_move(game, state, player, rng)


@rules.define
def apply(game, state, joint_action, rng):
    """Move pieces from the top of a stack, or a piece from the reserve."""
    mover = np.int64(state.mover)
    play(game, state, mover, np.int64(joint_action[mover]))


@rules.define
def playout(game, state, rng, limit):
    """Uniformly random moves."""
    played = 0
    while played < limit and state.mover >= 0:
        mover = np.int64(state.mover)
        play(game, state, mover, random_move(game, state, mover, rng))
        played += 1
    return played


@rules.define
def pass_turn(game, state):
    """The next player who can move is to move."""
    state.mover = next_player(game, state, np.int64(state.mover))


@rules.define
def scores(game, state, out):
    """The winner has 1; a draw gives everybody the same share of 1."""
    for player in range(game.players):
        out[player] = 0.0
        if state.winner == player:
            out[player] = 1.0
        elif state.mover < 0 and state.winner < 0:
            out[player] = 1.0 / game.players


@rules.define
def results(game, state, out):
    """One winner and losers, or a draw when the limit on moves is reached."""
    for player in range(game.players):
        if state.winner >= 0:
            out[player] = WON if state.winner == player else LOST
        else:
            out[player] = PLAYING if state.mover >= 0 else DRAWN


@njit
def missing_captures(game, state, player):
    """The fewest captures with which a player would have captured enough."""
    each = 0
    in_all = game.in_all
    for other in range(game.players):
        if other != player:
            taken = np.int64(state.captured[player, other])
            each += max(0, game.each - taken)
            in_all -= taken
    return min(each, max(0, in_all))


@rules.define
def evaluate(game, state, out):
    """Each player's share of e_i = 300 - 50 u_i + v_i.

    u_i are the fewest captures that i still needs, v_i the stacks that i controls.
    """
    total = 0
    for player in range(game.players):
        worth = BASE - PER_CAPTURE * missing_captures(game, state, player)
        worth += np.int64(count_bits(state.own[player]))
        out[player] = worth
        total += worth
    for player in range(game.players):
        out[player] = out[player] / total if total > 0 else 1.0 / game.players


@rules.define
def action_values(game, state, player, actions, n, out):
    """Pieces moved, the target's height and stacks won, on the scale 0 to 1."""
    for i in range(n):
        action = np.int64(actions[i])
        if action >= RESERVE_MOVES:
            target = action - RESERVE_MOVES
            count, more = 1, 1
        else:
            square = action // STEPS
            step = action - square * STEPS
            target = np.int64(game.targets[square, step])
            count = step // 4 + 1
            left = np.int64(state.heights[square]) - count
            more = 0
            if left > 0 and top_of(np.int64(state.stacks[square]), left) == player:
                more = 1
        if state.own[player] & bit_of(target):
            more -= 1
        order = count + np.int64(state.heights[target]) + more
        out[i] = order / GREATEST_ORDER


@rules.define
def state_key(game, state, observer):
    """A hash of stacks, reserves, captures, mover and how many moves were made.

    The last belongs to it because the number of moves is limited; so a line of play
    never comes back to a position, and what is merged has come about in another order.
    """
    key = mixed(np.uint64(state.plies), np.uint64(state.mover + 1))
    for word in range(WORDS):
        four = np.uint64(0)
        for square in range(4 * word, 4 * word + 4):
            stack = np.uint64(state.heights[square]) << np.uint64(10)
            four = four << np.uint64(13) | stack | np.uint64(state.stacks[square])
        key = mixed(key, four)
    for player in range(game.players):
        held = np.uint64(state.reserves[player])
        for other in range(game.players):
            held = held << np.uint64(8) | np.uint64(state.captured[player, other])
        key = mixed(key, held)
    return np.int64(key)


@rules.define
def turn(game, state):
    """Moves made."""
    return state.plies


@rules.define
def round(game, state):
    """As many moves as there are players are a round, whoever is skipped."""
    return state.plies // game.players


@rules.define
def observe(game, state, player, out):
    """Planes of pieces by level and seat, of reserves, captures and the turn."""
    players = game.players
    square = 0
    for place in range(64):
        row, column = place // 8, place % 8
        if min(row, 7 - row) + min(column, 7 - column) < 2:
            continue
        for level in range(np.int64(state.heights[square])):
            colour = np.int64(state.stacks[square]) >> 2 * level & 3
            seat = (colour - player + players) % players
            out[(level * players + seat) * 64 + place] = 1
        square += 1
    plane = TALLEST * players
    for seat in range(players):
        owner = (player + seat) % players
        fill(out, plane + seat, state.reserves[owner])
        for other in range(players):
            taken = state.captured[owner, (player + other) % players]
            fill(out, plane + players + seat * players + other, taken)
    if state.mover == player:
        fill(out, plane + players + players * players, 1)


@njit
def fill(out, plane, value):
    """Fill a plane."""
    for place in range(plane * 64, plane * 64 + 64):
        out[place] = value
