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
    lack,
    place_codes_of,
    place_of_of,
    place_players_of,
)

# Instead of a place: there is no room for it, see `lacking`; or the code is none.
NO_ROOM, NO_CODE = -1, -2


@njit
def forget_places(search):
    """Begin without places."""
    place_of = place_of_of(search)
    for place in range(1, search.place_count):
        player = np.int64(place_players_of(search)[place])
        place_of[player * search.code_room + place_codes_of(search)[place]] = 0
    search.place_count = 1


@njit
def place_all(search):
    """Give all actions of all players places in their order, as sets of actions ask."""
    for player in range(search.players):
        for action in range(search.action_count):
            place_of_move(search, player, action)


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
    return place


@njit
def code_of_action(search, player, action):
    """Return the code of an action in the state."""
    if search.has_move_code:
        return call.move_code(search, player, action, search.code_kind)
    return action
