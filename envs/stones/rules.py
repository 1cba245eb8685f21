"""The rules that Nogo and Atarigo share: stones, groups, liberties and who is out.

Points are numbered `row * size + column` from the top left. Stones of one colour on
neighbouring points are a group, and the empty neighbours of a group are its liberties.

A stone is legal if all groups near it keep a liberty. A playout draws points until one
is legal: it looks at stones with an empty neighbour first, all at once, and floods from
these only if a stone beside the new one is not among them. For all legal points at
once, stones with two empty neighbours, and what is linked to them, are safe; the few
groups without any are looked at one by one. After a move by `apply` it is enough to
know that the next player has a legal move, which neighbours mostly show.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.stones.points import (
    NOTHING,
    ONE,
    WORD,
    WORDS,
    ZERO,
    common,
    count,
    earlier,
    flood,
    later,
    lowest,
    nth_place,
    point_at,
    row_of,
    set_of,
    some,
    united,
    without,
)
from mcts_agents.model import LOST, PLAYING, WON, Rules, Spec, random_below
from mcts_agents.model.bits import bit_of, lowest_bit
from mcts_agents.model.hashing import mixed
from mcts_agents.model.symmetries import EIGHT, board_symmetries

SMALLEST, LARGEST = 2, 11
FEWEST_PLAYERS, MOST_PLAYERS = 2, 3
NOBODY = -1
NO_POINT = -1

STATE = np.dtype(
    [
        ("stones", np.uint64, (MOST_PLAYERS, WORDS)),
        ("last", np.int16),  # point of the last stone, NO_POINT before the first
        ("turn", np.int8),  # the player to move, the winner at the end
        ("winner", np.int8),
        ("out", np.int8),  # bit: the player had no legal move and has lost
    ]
)
GAME = np.dtype(
    [
        ("size", np.int64),
        ("points", np.int64),
        ("stride", np.uint64),  # points from a row to the next
        ("capturing", np.int64),  # 1 if who captures wins, 0 if nobody may
        ("wide", np.int64),  # 1 if the board needs two words
        ("board", np.uint64, WORDS),  # all points
        ("inner", np.uint64, WORDS),  # all but the first column
        ("near", np.uint64, (LARGEST * LARGEST, WORDS)),  # a point and its neighbours
    ]
)


def set_board(game, name, players, size, capturing):
    """Fill the record of a variant and return its sizes.

    Args:
        game: The variant's record, filled in place.
        name: The game's name.
        players: How many play.
        size: Points a side.
        capturing: Whether a capture wins; otherwise it is not allowed.

    Raises:
        ValueError: A size that is not allowed.
    """
    if type(size) is not int or not SMALLEST <= size <= LARGEST:
        raise ValueError(
            f"size={size!r}: {name} has boards of {SMALLEST} to {LARGEST} points a side"
        )
    points = size * size
    game["size"], game["points"], game["stride"] = size, points, size
    game["capturing"], game["wide"] = capturing, points > 64
    places = range(points)
    game["board"] = _words(places)
    game["inner"] = _words(place for place in places if place % size)
    for place in places:
        row, column = divmod(place, size)
        game["near"][place] = _words(
            other
            for other in places
            if abs(other // size - row) + abs(other % size - column) <= 1
        )
    # With three players, who has lost is to be seen, too.
    planes = players + 1 + (players if players > 2 else 0)
    return Spec(players=players, actions=points, observation_shape=(planes, size, size))


def _words(places):
    """Return a set as two numbers."""
    bits = sum(1 << place for place in places)
    return bits & 2**64 - 1, bits >> 64


def symmetries(game, spec):
    """All eight of the square."""
    return board_symmetries(spec.observation_shape, EIGHT)


@njit
def with_neighbours(game, points, wide):
    """Return the neighbours of points, and also some that are not on the board."""
    inner = set_of(game.inner, wide)
    along = united(
        common(later(points, ONE), inner), earlier(common(points, inner), ONE)
    )
    return united(
        along, united(later(points, game.stride), earlier(points, game.stride))
    )


@njit
def with_two_neighbours(game, points, wide):
    """Return what has two or more neighbours in a set, and some off the board."""
    inner = set_of(game.inner, wide)
    right, left = common(later(points, ONE), inner), earlier(common(points, inner), ONE)
    below, above = later(points, game.stride), earlier(points, game.stride)
    return united(
        united(common(right, left), common(below, above)),
        common(united(right, left), united(below, above)),
    )


@njit
def links_of(game, state, wide):
    """Return which stones are linked to the one before them, and to the one above."""
    beside, below = NOTHING, NOTHING
    for player in range(game.players):
        own = row_of(state.stones, player, wide)
        beside = united(beside, common(own, later(own, ONE)))
        below = united(below, common(own, later(own, game.stride)))
    return common(beside, set_of(game.inner, wide)), below


@njit
def linked_further(game, links, own, stone, wide):
    """Return the links once a stone has come to the `own` ones of its colour."""
    beside, below = links
    inner = set_of(game.inner, wide)
    along = united(common(stone, later(own, ONE)), common(later(stone, ONE), own))
    across = united(
        common(stone, later(own, game.stride)), common(later(stone, game.stride), own)
    )
    return united(beside, common(along, inner)), united(below, across)


@njit
def empty_points(game, state, wide):
    """Return the points without a stone."""
    empty = set_of(game.board, wide)
    for player in range(game.players):
        empty = without(empty, row_of(state.stones, player, wide))
    return empty


@njit
def legal_points(game, state, player, wide):
    """Return where a player may put a stone."""
    own = row_of(state.stones, player, wide)
    empty = empty_points(game, state, wide)
    stones = without(set_of(game.board, wide), empty)
    links = links_of(game, state, wide)
    # Groups with two liberties or more.
    safe = flood(
        common(stones, with_two_neighbours(game, empty, wide)),
        links,
        game.stride,
        stones,
    )
    last = NOTHING  # the last liberties of others' groups
    others = without(stones, safe)
    while some(others):
        group = flood(lowest(others), links, game.stride, others)
        others = without(others, group)
        liberties = common(empty, with_neighbours(game, group, wide))
        if count(liberties) > 1:
            safe = united(safe, group)
        elif not some(common(group, own)):
            last = united(last, liberties)
    open_ = united(empty, common(own, safe))  # what gives a new stone a liberty
    free = common(empty, with_neighbours(game, open_, wide))
    return united(free, last) if game.capturing else without(free, last)


@njit
def surely_has_move(game, empty, wide):
    """Whether every player has a legal move, by a look at no more than neighbours.

    It is one where a new stone has an empty neighbour and, if it must not capture, each
    stone beside it has another one. False says nothing.
    """
    free = common(empty, with_neighbours(game, empty, wide))
    if game.capturing == 0:
        stones = without(set_of(game.board, wide), empty)
        weak = without(stones, with_two_neighbours(game, empty, wide))
        free = without(free, with_neighbours(game, weak, wide))
    return some(free)


@njit
def next_player(game, state):
    """Return the player after the one who was to move, of those who are not out."""
    player = np.int64(state.turn)
    while True:
        player += 1
        if player == game.players:
            player = 0
        if not np.int64(state.out) >> player & 1:
            return player


@njit
def leaves(game, state, player):
    """Note that a player had no legal move; the last one who is not out wins."""
    state.out |= 1 << player
    state.turn = player
    left = 0
    for other in range(game.players):
        left += 1 - (np.int64(state.out) >> other & 1)
    if left == 1:
        wins(state, next_player(game, state))


@njit
def wins(state, player):
    """Note the winner; nobody is to move any more."""
    state.winner = player
    state.turn = player


@njit
def give_turn(game, state, empty, wide):
    """Let the next player who has a legal move be to move, or end the game."""
    sure = surely_has_move(game, empty, wide)
    while state.winner == NOBODY:
        player = next_player(game, state)
        if sure or some(legal_points(game, state, player, wide)):
            state.turn = player
            return
        leaves(game, state, player)


@njit(inline="always")  # as a call it costs a playout a third more
def dead_stones(game, place, left, links, wide):
    """Return stones without a liberty, of those on a point and beside it.

    Args:
        game: The variant's record.
        place: The point, with a new stone.
        left: The points that are empty now.
        links: As `links_of` returns them, with the new stone.
        wide: True for a board of two words, None for one word.
    """
    beside_empty = with_neighbours(game, left, wide)
    dead = without(row_of(game.near, place, wide), united(left, beside_empty))
    if some(dead):
        seeds = common(without(set_of(game.board, wide), left), beside_empty)
        dead = without(dead, flood(seeds, links, game.stride, dead))
    return dead


@njit
def put(game, state, place, wide):
    """Put a legal stone of the player to move."""
    player = np.int64(state.turn)
    state.stones[player, place >> 6] |= bit_of(place)
    state.last = place
    empty = empty_points(game, state, wide)
    if game.capturing != 0:
        links = links_of(game, state, wide)
        dead = dead_stones(game, place, empty, links, wide)
        if some(without(dead, row_of(state.stones, player, wide))):
            wins(state, player)
            return
    give_turn(game, state, empty, wide)


def reset(game, state, rng):
    """Empty the board; player 0 begins."""
    for player in range(MOST_PLAYERS):
        for word in range(WORDS):
            state.stones[player, word] = 0
    state.last = NO_POINT
    state.turn = 0
    state.winner = NOBODY
    state.out = 0


def movers(game, state):
    """The player to move, nobody once somebody has won; there are no draws."""
    return 0 if state.winner != NOBODY else 1 << state.turn


@njit
def legal_set(game, state, player):
    """Return where a player may put a stone, on a board of any size."""
    if game.wide:
        return legal_points(game, state, player, True)
    return legal_points(game, state, player, None)


def legal_actions(game, state, player, out):
    """Every point where a stone is legal."""
    legal = legal_set(game, state, player)
    n = 0
    for word in range(WORDS):
        places = legal[word]
        while places != ZERO:
            out[n] = WORD * word + lowest_bit(places)
            places &= places - ONE
            n += 1
    return n


def random_action(game, state, player, rng):
    """A uniformly random legal action."""
    legal = legal_set(game, state, player)
    return nth_place(legal, random_below(rng, count(legal)), True)


def apply(game, state, joint_action, rng):
    """Put a stone; the next player who has a legal move is to move."""
    place = np.int64(joint_action[state.turn])
    if game.wide:
        put(game, state, place, True)
    else:
        put(game, state, place, None)


@njit
def random_play(game, state, rng, limit, moves, wide):
    """Play random moves on words that stay in registers; return how many.

    To draw points until one is legal gives each legal one the same chance. In Nogo a
    point that is illegal for a player stays so: the groups that would have no liberty
    have this one alone. So a player draws from the points that were not yet refused.

    Args:
        game: The variant's record.
        state: The position, changed in place.
        rng: The generator.
        limit: The most moves.
        moves: Where moves are recorded with their exact codes; None for nowhere.
        wide: True for a board of two words, None for one word.
    """
    if state.winner != NOBODY or limit <= 0:
        return 0
    player = np.int64(state.turn)
    empty = empty_points(game, state, wide)
    links = links_of(game, state, wide)
    # Points that may be legal for the player to move, the next one, and the third.
    mine, following, third = empty, empty, empty
    played = 0
    place = np.int64(state.last)
    while played < limit:
        own = row_of(state.stones, player, wide)
        is_legal, captures = False, False
        while some(mine) and not is_legal:
            place = nth_place(mine, random_below(rng, count(mine)), wide)
            stone = point_at(place, wide)
            mine = without(mine, stone)
            left = without(empty, stone)
            linked = linked_further(game, links, own, stone, wide)
            dead = dead_stones(game, place, left, linked, wide)
            captures = game.capturing != 0 and some(without(dead, united(own, stone)))
            is_legal = captures or not some(dead)
        if is_legal:
            if moves is not None:
                moves[played].player = player
                moves[played].code = player * game.points + place
            own = united(own, stone)
            state.stones[player, 0] = own[0]
            if wide is not None:
                state.stones[player, 1] = own[1]
            empty, links = left, linked
            state.last = place
            state.turn = player
            played += 1
            if captures:
                wins(state, player)
                return played
        else:
            leaves(game, state, player)
            if state.winner != NOBODY:
                return played
        while True:
            if game.capturing:
                mine = empty
            if game.players == 2:
                mine, following = following, mine
            else:
                mine, following, third = following, third, mine
            player += 1
            if player == game.players:
                player = 0
            if not np.int64(state.out) >> player & 1:
                break
        mine = common(mine, empty)
    give_turn(game, state, empty, wide)
    return played


def playout(game, state, rng, limit):
    """Random play to the end."""
    if game.wide:
        return random_play(game, state, rng, limit, None, True)
    return random_play(game, state, rng, limit, None, None)


def playout_moves(game, state, rng, limit, kind, out):
    """Random play to the end; each move is recorded."""
    if game.wide:
        return random_play(game, state, rng, limit, out, True)
    return random_play(game, state, rng, limit, out, None)


def move_code(game, state, player, action, kind):
    """Who puts a stone where."""
    return player * game.points + action


def is_out(game, state, player):
    """Whether a player had no legal move when the turn came."""
    return np.int64(state.out) >> player & 1


def scores(game, state, out):
    """No points: 1 for the winner."""
    for player in range(game.players):
        out[player] = 1.0 if state.winner == player else 0.0


def results(game, state, out):
    """One player wins; all others lose."""
    for player in range(game.players):
        if state.winner == NOBODY:
            out[player] = PLAYING
        else:
            out[player] = WON if state.winner == player else LOST


def state_key(game, state, observer):
    """A hash of the stones, of who is to move and of who is out."""
    key = mixed(np.uint64(0), np.int64(state.turn) << 8 | np.int64(state.out))
    for player in range(game.players):
        key = mixed(key, state.stones[player, 0])
        if game.wide:
            key = mixed(key, state.stones[player, 1])
    return np.int64(key)


@njit
def stones_put(game, state):
    """Return the number of moves: each put one stone."""
    return game.points - count(empty_points(game, state, True))


def turn(game, state):
    """Moves made."""
    return stones_put(game, state)


def round(game, state):
    """A round is as many moves as there are players."""
    return stones_put(game, state) // game.players


def observe(game, state, player, out):
    """Planes of stones, the own first; whether I am to move; with three, who is out."""
    points = game.points
    for seat in range(game.players):
        owner = (player + seat) % game.players
        own = row_of(state.stones, owner, True)
        for place in range(points):
            out[seat * points + place] = some(common(own, point_at(place, True)))
            if game.players > 2:
                lost = (game.players + 1 + seat) * points + place
                out[lost] = np.int64(state.out) >> owner & 1
    for place in range(points):
        is_mine = state.winner == NOBODY and state.turn == player
        out[game.players * points + place] = is_mine


def rules_of(name):
    """Return the rules of a game without its board, which `set_board` makes."""
    rules = Rules(
        name, state=STATE, game=GAME, chance=False, search_defaults={"value": "win"}
    )
    for function in (
        reset,
        movers,
        legal_actions,
        random_action,
        apply,
        playout,
        playout_moves,
        move_code,
        is_out,
        scores,
        results,
        state_key,
        turn,
        round,
        observe,
    ):
        rules.define(function)
    rules.symmetries(symmetries)
    return rules
