"""Playouts of Gomoku: which stone ends a random game, without the moves before it."""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.gomoku.cells import (
    FEW,
    MANY,
    ONE,
    SET_AS_INT32,
    WORDS,
    ZERO,
    copy_set,
    draw,
    has_five,
    narrow,
    nth_between,
    toggle,
)
from mcts_agents.model import random_below
from mcts_agents.model.addresses import stack_int32
from mcts_agents.model.bits import lowest_bit

NOBODY = -1


@njit
def play(game, state, rng, limit, moves):
    """Play at random; see `play_words`."""
    if game.words <= len(FEW):
        return play_words(game, state, rng, limit, moves, FEW)
    return play_words(game, state, rng, limit, moves, MANY)


@njit
def play_words(game, state, rng, limit, moves, words):
    """Play at random, all sequences of empty cells equally likely.

    Were the game to go on after five in a row, the players would share the empty cells,
    each share equally likely, and each would come to its stones in an order of its own,
    any order equally likely. So both shares are drawn at once. The first player's is
    searched for the stone that completes five: `narrow` halves it at random again and
    again. The second player has so many stones by then, any of its share; among these
    its own five are looked for in the same way. No order is drawn for the stones before
    the last one, unless the moves are recorded: none changes how the game ends.

    Args:
        game: The variant's record.
        state: The position, changed in place.
        rng: The generator.
        limit: The most moves.
        moves: Where moves are recorded with their codes; None for nowhere.
        words: `FEW` or `MANY`, as the board needs.

    Returns:
        How many moves were made.
    """
    free = np.int64(state.free)
    most = min(free, np.int64(limit))
    if state.winner != NOBODY or most <= 0:
        return 0
    first = np.int64(state.turn)
    own = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    other = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    own_high = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    other_high = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    low = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    scratch = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    own_count, other_count = (most + 1) >> 1, most >> 1
    copy_set(state.stones[first], own, words)
    copy_set(state.stones[1 - first], other, words)
    copy_set(game.board, scratch, words)
    for i in range(len(words)):
        low[i] = own[i] | other[i]
    draw(rng, low, scratch, free, own_count, own_high, words)
    draw(rng, own_high, scratch, free - own_count, other_count, other_high, words)
    for i in range(len(words)):
        other_high[i] ^= own_high[i] ^ other[i]
        own_high[i] ^= other[i]

    last, winner = NOBODY, NOBODY
    if has_five(game, own_high, words):
        copy_set(own, low, words)
        before = narrow(game, rng, low, own_high, own_count, scratch, words)
        last, winner = nth_between(low, own_high, 0, words), first
        own_count = before + 1
        draw(rng, other, other_high, other_count, before, scratch, words)
        copy_set(scratch, other_high, words)
        other_count = before
    if has_five(game, other_high, words):
        if winner == first:  # its last stone is not reached
            toggle(own_high, last, words)
            own_count -= 1
        copy_set(other, low, words)
        before = narrow(game, rng, low, other_high, other_count, scratch, words)
        last, winner = nth_between(low, other_high, 0, words), 1 - first
        other_count = before + 1
        draw(rng, own, own_high, own_count, other_count, scratch, words)
        copy_set(scratch, own_high, words)
        own_count = other_count
    played = own_count + other_count
    if winner == NOBODY:
        if played & 1:
            at = random_below(rng, own_count)
            last = nth_between(own, own_high, at, words)
        else:
            at = random_below(rng, other_count)
            last = nth_between(other, other_high, at, words)
    if moves is not None:
        record(game, rng, first, 0, own, own_high, last, moves)
        record(game, rng, 1 - first, 1, other, other_high, last, moves)
    copy_set(own_high, state.stones[first], words)
    copy_set(other_high, state.stones[1 - first], words)
    state.free = free - played
    state.last = last
    state.turn = first ^ (played & 1)
    state.winner = winner
    return played


@njit
def record(game, rng, player, place, low, high, last, moves):
    """Record a player's new stones in random order, the last stone of all at the end.

    Args:
        game: The variant's record.
        rng: The generator.
        player: Whose stones these are.
        place: Of the player's first move: 0 or 1.
        low: The player's stones before.
        high: The player's stones after.
        last: Cell of the last stone, of either player.
        moves: The moves of both players, one after the other.
    """
    n = 0
    for i in range(game.words):
        cells = high[i] & ~low[i]
        while cells != ZERO:
            code = player * game.cells + 64 * i + lowest_bit(cells)
            cells &= cells - ONE
            other = place + 2 * random_below(rng, n + 1)
            at = place + 2 * n
            moves[at].player = player
            moves[at].code = moves[other].code
            moves[other].code = code
            n += 1
    ends = player * game.cells + last
    for at in range(place, place + 2 * n, 2):
        if moves[at].code == ends:
            moves[at].code = moves[place + 2 * n - 2].code
            moves[place + 2 * n - 2].code = ends
