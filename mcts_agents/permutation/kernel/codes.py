"""Codes of moves as places: small numbers, in the order in which codes turn up.

A code belongs to the player who makes the move. Games number their codes as they like;
what is kept for each code is as long as there are codes in use.
"""

import numpy as np
from numba import njit

from mcts_agents.model import calls as call
from mcts_agents.permutation.kernel.records import (
    LACKS_CODES,
    LACKS_PLACES,
    LANES,
    NARROW_LANES,
    WIDE_TYPES,
    amaf_at,
    columns_at,
    lack,
    place_codes_of,
    place_of_of,
    place_players_of,
)

# Instead of a place: there is no room for it, see `lacking`; or the code is none.
NO_ROOM, NO_CODE = -1, -2
# Where a game hands over sets of actions each word of a set has 64 places of its own,
# from this one on: statistics of 64 places then begin with a line of the cache.
FIRST_PLACE = 4 * LANES


@njit
def forget_places(search):
    """Begin without places."""
    place_of = place_of_of(search)
    for place in range(1, search.place_count):
        player = np.int64(place_players_of(search)[place])
        code = np.int64(place_codes_of(search)[place])
        if code != NO_CODE:
            place_of[player * search.code_room + code] = 0
    search.place_count = 1


@njit
def place_all(search):
    """Give all actions of all players places in their order, as sets of actions ask.

    Places behind a player's last action have no code.
    """
    search.place_count = first_place(search, search.players, 0)
    codes, players = place_codes_of(search), place_players_of(search)
    for place in range(1, search.place_count):
        codes[place] = NO_CODE
    for player in range(search.players):
        for action in range(search.action_count):
            place = first_place(search, player, 0) + action
            codes[place] = action
            players[place] = player
            place_of_of(search)[player * search.code_room + action] = place


@njit
def first_place(search, player, word):
    """Return the place of the first action of a word of a player's set."""
    return FIRST_PLACE + 64 * (player * search.set_words + word)


@njit
def padded(edges):
    """Return so many edges, or a few more, so that steps of LANES are whole."""
    return edges + LANES - 1 & -LANES


@njit
def run_room(search, edges):
    """Return so many edges, or a few more, so that the next ones begin with a step."""
    if search.narrow:
        return edges + NARROW_LANES - 1 & -NARROW_LANES
    return padded(edges)


@njit
def place_of_move(search, player, code):
    """Return the place of a player's code; make it if it is new."""
    if code < 0:
        return np.int64(NO_CODE)
    if code >= search.code_room:
        search.wanted_code = code
        lack(search, LACKS_CODES)
        return np.int64(NO_ROOM)
    at = player * search.code_room + code
    place = np.int64(place_of_of(search)[at])
    if place == 0:
        place = search.place_count
        if place == search.place_room:
            lack(search, LACKS_PLACES)
            return np.int64(NO_ROOM)
        place_of_of(search)[at] = place
        place_players_of(search)[place] = player
        place_codes_of(search)[place] = code
        search.place_count += 1
        for block in range(search.block_count):
            counts, sums = columns_at(amaf_at(search, block, place), 1, WIDE_TYPES)
            counts[0], sums[0] = 0, 0.0
    return place


@njit
def code_of_action(search, player, action):
    """Return the code of an action in the state."""
    if search.has_move_code:
        return call.move_code(search, player, action, search.code_kind)
    return action
