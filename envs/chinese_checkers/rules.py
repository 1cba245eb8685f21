"""The rules of Chinese Checkers on stars of 73 and 121 fields.

A whole turn is one action, `from * fields + to`: a step, or a chain of hops of which
only the end points matter. Chains are found by flooding: see `board` for the layout
that hops all reached fields along an axis with one shift.

Sources: H. Baier, M. Kaisers, "Guiding multiplayer MCTS by focusing on yourself", IEEE
CoG 2020 (star of 73 fields, evaluation); J.A.M. Nijssen, M.H.M. Winands, "Search
policies in multi-player games", ICGA Journal 36 (2013).
"""

import numpy as np
from numba import njit

from mcts_agents.envs.chinese_checkers.board import (
    CLASSES,
    SEATS,
    SLOTS,
    distance,
    star,
)
from mcts_agents.envs.chinese_checkers.moves import (
    ONE,
    ZERO,
    can_move,
    random_move,
    targets_in,
)
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec
from mcts_agents.model.bits import bit_of, lowest_bit
from mcts_agents.model.hashing import mixed

MOST_PLAYERS, MOST_FIELDS, MOST_PIECES = 6, 121, 10
WIN_RULES = ("near", "any", "strict")
NEAR, ANY, STRICT = range(3)
NOBODY = -1
NO_FIELD = 255

STATE = np.dtype(
    [
        ("occupied", np.uint64, CLASSES),  # bit: somebody's piece, by class and bit
        ("pieces", np.uint8, (MOST_PLAYERS, MOST_PIECES)),  # slots, in no order
        ("distance", np.int16, MOST_PLAYERS),  # sum of the pieces' to the goal's tip
        ("home", np.int8, MOST_PLAYERS),  # pieces of the player in the goal
        ("turn", np.int8),  # NOBODY once the game is over
        ("winner", np.int8),  # NOBODY yet, or a draw
        ("plies", np.int32),  # moves made; a skipped player makes none
        ("last_player", np.int8),  # of the last move, for pictures
        ("last_from", np.uint8),  # field, NO_FIELD before the first move
        ("last_to", np.uint8),
    ]
)

GAME = np.dtype(
    [
        ("fields", np.int64),
        ("pieces", np.int64),  # of each player
        ("win_rule", np.int64),
        ("most_plies", np.int64),  # then the game is drawn
        ("goal_radius", np.int64),  # a field this close to the goal's tip lies in it
        ("near_radius", np.int64),  # of the win rule "near"
        ("distance_bound", np.int64),  # no sum of distances is greater
        ("board", np.uint64, CLASSES),  # bit: a field
        ("goals", np.uint64, (MOST_PLAYERS, CLASSES)),  # bit: a field of p's goal
        ("starts", np.uint8, (MOST_PLAYERS, MOST_PIECES)),  # slots
        ("slot", np.uint8, MOST_FIELDS),  # of each field
        ("field", np.uint8, SLOTS),  # of each slot
        ("distance", np.uint8, (MOST_PLAYERS, SLOTS)),  # of a slot to p's goal's tip
        ("steps", np.uint64, (SLOTS, CLASSES)),  # neighbours in class `class ^ k`
    ]
)

rules = Rules(
    "chinese_checkers",
    state=STATE,
    game=GAME,
    chance=False,
    search_defaults={"value": "evaluate", "rollout": 0},
)


@rules.variant
def variant(game, *, players=3, fields=73, win_rule="near", max_plies_per_player=300):
    """Fill the tables of one board, number of players and win rule.

    Args:
        game: The variant's record, filled in place.
        players: 2, 3, 4 or 6.
        fields: 73 (six pieces a player) or 121 (ten).
        win_rule: What fills a goal besides own pieces only: `"near"`, `"any"` or
            `"strict"`; see the game's page.
        max_plies_per_player: The game is drawn after this many moves times players.
    """
    _check(players, fields, win_rule, max_plies_per_player)
    board = star(fields)
    game["fields"], game["pieces"] = fields, board.pieces
    game["win_rule"] = WIN_RULES.index(win_rule)
    game["most_plies"] = max_plies_per_player * players
    game["goal_radius"] = board.arm - 1
    game["near_radius"] = board.arm + 1
    game["distance_bound"] = board.pieces * 4 * board.arm
    _fill_board(game, board)
    _fill_seats(game, board, SEATS[players])
    return Spec(
        players=players,
        actions=fields * fields,
        # Each piece reaches at most every field without one of the player's own.
        legal_limit=board.pieces * (fields - board.pieces),
        observation_shape=(players + 2, fields),
    )


def _check(players, fields, win_rule, max_plies_per_player):
    name = "chinese_checkers"
    if players not in SEATS:
        raise ValueError(f"players={players}: {name} is for 2, 3, 4 or 6 players")
    if type(fields) is not int or fields not in (73, 121):
        raise ValueError(f"fields={fields!r}: {name} has boards of 73 or 121 fields")
    if win_rule not in WIN_RULES:
        allowed = ", ".join(map(repr, WIN_RULES))
        raise ValueError(f"win_rule={win_rule!r}: {name} knows {allowed}")
    whole = type(max_plies_per_player) is int
    if not whole or not 1 <= max_plies_per_player <= 1_000_000:
        raise ValueError(
            f"max_plies_per_player={max_plies_per_player}: {name} needs 1 to 1,000,000"
        )


def _add(words, slot):
    words[slot // 64] |= np.uint64(1 << int(slot) % 64)


def _fill_board(game, board):
    game["field"] = NO_FIELD
    for field, slot in enumerate(board.slots):
        game["slot"][field] = slot
        game["field"][slot] = field
        _add(game["board"], slot)
        for neighbour in board.neighbours(field):
            other = int(board.slots[neighbour])
            axis = slot // 64 ^ other // 64
            game["steps"][slot, axis] |= np.uint64(1 << other % 64)


def _fill_seats(game, board, seats):
    for player, corner in enumerate(seats):
        goal = (corner + 3) % 6
        start = board.slots[list(board.corners[corner])]
        game["starts"][player, : board.pieces] = start
        for field in board.corners[goal]:
            _add(game["goals"][player], board.slots[field])
        for field, slot in enumerate(board.slots):
            away = distance(board.coordinates[field], board.tips[goal])
            game["distance"][player, slot] = away


@njit
def has_won(game, state, player):
    """Whether the player's goal is filled as the win rule demands."""
    if state.home[player] == game.pieces:
        return True
    if game.win_rule == STRICT or state.home[player] == 0:
        return False
    for group in range(CLASSES):
        if game.goals[player, group] & ~state.occupied[group] != ZERO:
            return False
    if game.win_rule == ANY:
        return True
    for piece in range(game.pieces):
        slot = state.pieces[player, piece]
        if game.distance[player, slot] > game.near_radius:
            return False
    return True


@njit
def next_player(game, state, mover):
    """The next player who can move; others are skipped.

    Nobody is ever left without anybody to move: every move can be taken back by the
    same step or hops, so that the mover has one.
    """
    player = mover
    for _ in range(game.players - 1):
        player += 1
        if player == game.players:
            player = 0
        if can_move(game, state, player):
            return player
    return mover


@njit
def move(game, state, player, piece, target):
    """Move a piece to the slot `target`; decide whether the game ends, who is next."""
    origin = np.int64(state.pieces[player, piece])
    state.occupied[origin >> 6] ^= bit_of(origin)
    state.occupied[target >> 6] ^= bit_of(target)
    state.pieces[player, piece] = target
    before = np.int64(game.distance[player, origin])
    after = np.int64(game.distance[player, target])
    state.distance[player] += after - before
    state.home[player] += (after <= game.goal_radius) - (before <= game.goal_radius)
    state.last_player = player
    state.last_from = game.field[origin]
    state.last_to = game.field[target]
    state.plies += 1
    if has_won(game, state, player):
        state.winner = player
        state.turn = NOBODY
    elif state.plies >= game.most_plies:
        state.turn = NOBODY
    else:
        state.turn = next_player(game, state, player)


@rules.define
def reset(game, state, rng):
    """Fill the start corners; player 0 begins."""
    for group in range(CLASSES):
        state.occupied[group] = 0
    for player in range(game.players):
        state.distance[player] = 0
        state.home[player] = 0
        for piece in range(game.pieces):
            slot = np.int64(game.starts[player, piece])
            state.pieces[player, piece] = slot
            state.occupied[slot >> 6] |= bit_of(slot)
            state.distance[player] += game.distance[player, slot]
    state.turn = 0
    state.winner = NOBODY
    state.plies = 0
    state.last_player = NOBODY
    state.last_from = NO_FIELD
    state.last_to = NO_FIELD


@rules.define
def movers(game, state):
    """The player to move, nobody once the game is over."""
    return 0 if state.turn < 0 else 1 << state.turn


@rules.define
def legal_actions(game, state, player, out):
    """Every step, and every field that a chain of hops reaches, of every piece."""
    n = 0
    for piece in range(game.pieces):
        slot = np.int64(state.pieces[player, piece])
        start = np.int64(game.field[slot]) * game.fields
        for axis in range(4):
            targets = targets_in(game, state, slot, axis)
            base = ((slot >> 6) ^ axis) << 6
            while targets != ZERO:
                out[n] = start + game.field[base + lowest_bit(targets)]
                targets &= targets - ONE
                n += 1
    return n


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random move: destinations are counted, none is listed."""
    piece, target = random_move(game, state, player, rng)
    origin = state.pieces[player, piece]
    return np.int64(game.field[origin]) * game.fields + game.field[target]


@rules.define
def apply(game, state, joint_action, rng):
    """Move one piece to the end of its step or chain of hops."""
    player = np.int64(state.turn)
    origin = joint_action[player] // game.fields
    target = np.int64(game.slot[joint_action[player] - origin * game.fields])
    piece = 0
    while state.pieces[player, piece] != game.slot[origin]:
        piece += 1
    move(game, state, player, piece, target)


@rules.define
def playout(game, state, rng, limit):
    """Uniformly random moves, without their translation into actions."""
    played = 0
    while played < limit and state.turn >= 0:
        player = np.int64(state.turn)
        piece, target = random_move(game, state, player, rng)
        move(game, state, player, piece, target)
        played += 1
    return played


@rules.define
def scores(game, state, out):
    """The winner has 1; a draw gives everybody the same share of 1."""
    for player in range(game.players):
        out[player] = 0.0
        if state.winner == player:
            out[player] = 1.0
        elif state.turn < 0 and state.winner < 0:
            out[player] = 1.0 / game.players


@rules.define
def results(game, state, out):
    """One winner and losers, or a draw when the limit on moves is reached."""
    for player in range(game.players):
        if state.winner >= 0:
            out[player] = WON if state.winner == player else LOST
        else:
            out[player] = PLAYING if state.turn >= 0 else DRAWN


@rules.define
def evaluate(game, state, out):
    """The share of each player in the way made: (bound - d_i) / sum of (bound - d_j).

    d_i is the sum of the distances of i's pieces to the far tip of the goal; the bound
    is the number of pieces times the distance between opposite tips (72 or 160).
    """
    total = 0
    for player in range(game.players):
        total += game.distance_bound - state.distance[player]
    for player in range(game.players):
        made = game.distance_bound - state.distance[player]
        out[player] = made / total


@rules.define
def action_values(game, state, player, actions, n, out):
    """Steps that the piece comes closer to the goal's tip.

    0.5 for none, 1 for as many as there are between opposite tips (12 or 16), 0 for as
    many away.
    """
    most = game.distance_bound // game.pieces
    for place in range(n):
        origin = actions[place] // game.fields
        target = actions[place] - origin * game.fields
        before = np.int64(game.distance[player, game.slot[origin]])
        after = np.int64(game.distance[player, game.slot[target]])
        out[place] = 0.5 + 0.5 * (before - after) / most


@rules.define
def pass_turn(game, state):
    """The next player who can move is to move, as if this one had been skipped."""
    state.turn = next_player(game, state, np.int64(state.turn))


@rules.define
def state_key(game, state, observer):
    """A hash of who stands where, who is to move and how many moves were made.

    The last belongs to it because the number of moves is limited; so a line of play
    never comes back to a position, and what is merged has come about in another order.
    """
    key = mixed(np.uint64(state.plies), np.uint64(state.turn + 1))
    total = key
    for player in range(game.players):
        for piece in range(game.pieces):  # a sum, since pieces are in no order
            place = player * SLOTS + np.int64(state.pieces[player, piece])
            total += mixed(np.uint64(place), np.uint64(0))
    return np.int64(mixed(total, key))


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
    """Planes over the fields: each player's pieces, own first; own goal; own turn."""
    fields = game.fields
    for other in range(game.players):
        plane = (other - player) % game.players
        for piece in range(game.pieces):
            out[plane * fields + game.field[state.pieces[other, piece]]] = 1
    for field in range(fields):
        away = np.int64(game.distance[player, game.slot[field]])
        out[game.players * fields + field] = away <= game.goal_radius
        out[(game.players + 1) * fields + field] = state.turn == player
