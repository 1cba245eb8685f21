"""What the player on turn may do."""

import numpy as np
from numba import njit

from mcts_agents.envs.colt_express.cards import (
    BULLET,
    CLIMB,
    COLLECT,
    COLLECT_KIND,
    COLLECT_NOTHING,
    DRAW,
    MARSHAL,
    MARSHAL_LEFT,
    MARSHAL_RIGHT,
    MOVE,
    NO_KIND,
    PLAYABLE,
    PUNCH,
    PUNCH_NOBODY,
    PUNCH_SEAT,
    SHOOT,
    SHOOT_NOBODY,
    SHOOT_SEAT,
    TO_CAR,
    VERTICAL,
)
from mcts_agents.envs.colt_express.train import (
    number_of,
    punching_targets,
    shooting_targets,
)

# Punches: five bandits, two directions, three kinds of loot.
LEGAL_LIMIT = 30


@njit
def write_legal(game, state, player, out):
    """Write the actions of the player on turn; return how many."""
    if not state.is_executing:
        n = 0
        for card in range(PLAYABLE):
            if state.hands[player, card] > 0:
                out[n] = card
                n += 1
        left = np.int64(0)
        for card in range(BULLET + 1):
            left += state.decks[player, card]
        if left > 0:
            out[n] = DRAW
            n += 1
        return n
    card = state.cards[state.executed]
    place = np.int64(state.places[player])
    if card == MOVE:
        return write_moves(game, place, out)
    if card == CLIMB:
        out[0] = VERTICAL
        return 1
    if card == PUNCH:
        return write_punches(game, state, player, out)
    n = 0
    if card == MARSHAL:
        if state.marshal > 0:
            out[n] = MARSHAL_LEFT
            n += 1
        if state.marshal < game.players:
            out[n] = MARSHAL_RIGHT
            n += 1
        return n
    if card == COLLECT:
        for kind in range(NO_KIND):
            if number_of(state.on_train[place], kind) > 0:
                out[n] = COLLECT_KIND + kind
                n += 1
        if n == 0:
            out[0] = COLLECT_NOTHING
            n = 1
        return n
    targets = shooting_targets(game, state, player)
    for seat in range(game.players):
        if targets >> seat & 1:
            out[n] = SHOOT_SEAT + seat
            n += 1
    if n == 0:
        out[0] = SHOOT_NOBODY
        n = 1
    return n


@njit
def write_moves(game, place, out):
    """Write the cars to go to: the next one, on roofs up to three away."""
    reach = 3 if place & 1 else 1
    car = place >> 1
    n = 0
    for other in range(max(car - reach, 0), min(car + reach, game.players) + 1):
        if other != car:
            out[n] = TO_CAR + other
            n += 1
    return n


@njit
def write_punches(game, state, player, out):
    """Write whom to punch, where to, and what he drops."""
    targets = punching_targets(game, state, player)
    car = np.int64(state.places[player]) >> 1
    n = 0
    for seat in range(game.players):
        if not targets >> seat & 1:
            continue
        for direction in range(2):
            if car == (game.players if direction else 0):
                continue
            code = PUNCH_SEAT + 8 * seat + 4 * direction
            has_any = False
            for kind in range(NO_KIND):
                if number_of(state.loot[seat], kind) > 0:
                    has_any = True
                    out[n] = code + kind
                    n += 1
            if not has_any:
                out[n] = code + NO_KIND
                n += 1
    if n == 0:
        out[0] = PUNCH_NOBODY
        n = 1
    return n


@njit
def forced_action(game, state):
    """Return the only action that there is, -1 if there are more or none."""
    if state.is_over:
        return np.int64(-1)
    player = np.int64(state.player)
    place = np.int64(state.places[player])
    if not state.is_executing:
        only = np.int64(-1)
        for card in range(BULLET + 1):
            if state.decks[player, card] > 0:
                only = np.int64(DRAW)
        for card in range(PLAYABLE):
            if state.hands[player, card] > 0:
                if only >= 0:
                    return np.int64(-1)
                only = np.int64(card)
        return only
    card = state.cards[state.executed]
    if card == CLIMB:
        return np.int64(VERTICAL)
    if card == MARSHAL:
        if state.marshal == 0:
            return np.int64(MARSHAL_RIGHT)
        at_front = state.marshal == game.players
        return np.int64(MARSHAL_LEFT if at_front else -1)
    if card == COLLECT:
        only = np.int64(COLLECT_NOTHING)
        for kind in range(NO_KIND):
            if number_of(state.on_train[place], kind) > 0:
                if only != COLLECT_NOTHING:
                    return np.int64(-1)
                only = np.int64(COLLECT_KIND + kind)
        return only
    if card == SHOOT:
        targets = shooting_targets(game, state, player)
        if targets == 0:
            return np.int64(SHOOT_NOBODY)
        if targets & (targets - 1):
            return np.int64(-1)
        seat = np.int64(0)
        while targets >> seat & 1 == 0:
            seat += 1
        return SHOOT_SEAT + seat
    if card == MOVE:
        car = place >> 1
        at_end = car == 0 or car == game.players
        if at_end and not place & 1:
            return np.int64(TO_CAR + (1 if car == 0 else car - 1))
        return np.int64(-1)
    return forced_punch(game, state, player)


@njit
def forced_punch(game, state, player):
    """Return the only punch that there is, -1 if there are more."""
    targets = punching_targets(game, state, player)
    if targets == 0:
        return np.int64(PUNCH_NOBODY)
    car = np.int64(state.places[player]) >> 1
    if targets & (targets - 1) or 0 < car < game.players:
        return np.int64(-1)
    seat = np.int64(0)
    while targets >> seat & 1 == 0:
        seat += 1
    only = np.int64(NO_KIND)
    for kind in range(NO_KIND):
        if number_of(state.loot[seat], kind) > 0:
            if only != NO_KIND:
                return np.int64(-1)
            only = np.int64(kind)
    return PUNCH_SEAT + 8 * seat + 4 * np.int64(car == 0) + only
