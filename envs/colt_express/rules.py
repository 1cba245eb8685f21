"""The rules of Colt Express as the TAG framework plays it, without its slips.

Sources: the rules of C. Raimbault's game (2014); the TAG framework (Gaina et al., "TAG:
A Tabletop Games Framework", 2020) as of April 2022, which the MultiTree paper used.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.colt_express.cards import (
    ACTIONS,
    BULLET,
    BULLETS,
    CAR_LOOT,
    CLIMB,
    COLLECT,
    COLLECT_KIND,
    COLLECT_NOTHING,
    COPIES,
    DOC,
    DOCTOR_HAND,
    DOUBLE,
    DRAW,
    DRAWN_AT_ONCE,
    END_ROUNDS,
    GHOST,
    HAND,
    HIDDEN,
    JEWEL,
    MARSHAL,
    MARSHAL_LEFT,
    MARSHAL_RIGHT,
    MAX_CARS,
    MAX_SEATS,
    MIN_SEATS,
    MOVE,
    NO_KIND,
    PLAYABLE,
    PUNCH,
    PUNCH_NOBODY,
    PUNCH_SEAT,
    PURSE_KIND,
    PURSE_VALUES,
    PURSES,
    REGULAR_ROUNDS,
    REVERSE,
    ROUNDS,
    SHOOT,
    SHOOT_NOBODY,
    SHOOT_SEAT,
    STRONGBOX,
    TO_CAR,
    TURN_KINDS,
    TURN_NUMBERS,
    VERTICAL,
)
from mcts_agents.envs.colt_express.train import (
    GAME,
    STATE,
    arrive,
    end_round,
    number_of,
    place_marshal,
    punch,
    punching_targets,
    score_of,
    seats_at,
    shoot,
    shooting_targets,
    take_random,
)
from mcts_agents.model import LOST, PLAYING, WON, Rules, Spec, random_below

# Punches: five bandits, two directions, three kinds of loot.
LEGAL_LIMIT = 31

rules = Rules(
    "colt_express",
    state=STATE,
    game=GAME,
    search_defaults={"value": "score", "rollout": 30},
)


@rules.variant
def variant(
    game, *, players=4, asks_forced=False, marshal_guards=False, loses_least=False
):
    """Fill in the options."""
    if players not in range(MIN_SEATS, MAX_SEATS + 1):
        raise ValueError(f"players={players}: colt_express is for 2 to 6 players")
    options = {
        "asks_forced": asks_forced,
        "marshal_guards": marshal_guards,
        "loses_least": loses_least,
    }
    for name, value in options.items():
        if not isinstance(value, bool):
            raise ValueError(f"{name}={value!r}: expected true or false")
    game["asks_forced"] = asks_forced
    game["marshal_guards"] = marshal_guards
    game["least"] = loses_least
    return Spec(players=players, actions=ACTIONS, legal_limit=LEGAL_LIMIT)


# -- setting up


@rules.define
def reset(game, state, rng):
    """Lay out the train, deal characters and cards, and choose the round cards."""
    for seat in range(MAX_SEATS):
        state.places[seat] = 2 * (seat % 2)
        state.characters[seat] = seat
        state.bullets[seat] = BULLETS if seat < game.players else 0
        state.loot[seat] = 0
        state.hands[seat] = 0
        state.decks[seat] = 0
    for seat in range(MAX_SEATS):
        other = seat + random_below(rng, MAX_SEATS - seat)
        mine = state.characters[seat]
        state.characters[seat] = state.characters[other]
        state.characters[other] = mine
    state.unused[:] = PURSES
    for seat in range(game.players):
        state.loot[seat, 0] = 1
        state.unused[0] -= 1
        for card in range(PLAYABLE):
            state.decks[seat, card] = COPIES[card]
    load_train(game, state, rng)
    choose_rounds(state, rng)
    state.queued = 0
    state.executed = 0
    state.marshal = game.players
    state.ended = 0
    state.is_over = 0
    state.owners[:] = 0
    state.cards[:] = 0
    state.face_up[:] = 0
    begin_round(game, state, 0, rng)


@njit
def load_train(game, state, rng):
    """Put loot of a different configuration into each car, a strongbox in front."""
    for place in range(2 * MAX_CARS):
        state.on_train[place] = 0
    taken = np.int64(0)
    for car in range(game.players):
        layout = random_below(rng, len(CAR_LOOT))
        while taken >> layout & 1:
            layout = random_below(rng, len(CAR_LOOT))
        taken |= 1 << layout
        for _ in range(CAR_LOOT[layout, 0]):
            state.on_train[2 * car, random_purse(state, rng)] += 1
        state.on_train[2 * car, JEWEL] = CAR_LOOT[layout, 1]
    state.on_train[2 * game.players, STRONGBOX] = 1


@njit
def random_purse(state, rng):
    """Take a random purse from those outside of the game."""
    total = np.int64(0)
    for value in range(PURSE_VALUES):
        total += state.unused[value]
    left = random_below(rng, total)
    value = 0
    while left >= state.unused[value]:
        left -= state.unused[value]
        value += 1
    state.unused[value] -= 1
    return value


@njit
def choose_rounds(state, rng):
    """Draw four different round cards and one for the end."""
    taken = np.int64(0)
    for place in range(ROUNDS - 1):
        card = random_below(rng, REGULAR_ROUNDS)
        while taken >> card & 1:
            card = random_below(rng, REGULAR_ROUNDS)
        taken |= 1 << card
        state.rounds[place] = card
    state.rounds[ROUNDS - 1] = REGULAR_ROUNDS + random_below(rng, END_ROUNDS)


@njit
def draw_card(state, seat, rng):
    """Move a random card from a deck to the hand, if one is left."""
    total = np.int64(0)
    for card in range(BULLET + 1):
        total += state.decks[seat, card]
    if total == 0:
        return
    left = random_below(rng, total)
    card = 0
    while left >= state.decks[seat, card]:
        left -= state.decks[seat, card]
        card += 1
    state.decks[seat, card] -= 1
    state.hands[seat, card] += 1


@njit
def begin_round(game, state, number, rng):
    """Take all hands back, shuffle, and deal."""
    state.round = number
    state.queued = 0
    state.executed = 0
    state.is_executing = 0
    state.turn = 0
    state.moved = 0
    state.is_second = 0
    state.player = number % game.players
    for seat in range(game.players):
        for card in range(BULLET + 1):
            state.decks[seat, card] += state.hands[seat, card]
            state.hands[seat, card] = 0
        is_doctor = state.characters[seat] == DOC
        for _ in range(DOCTOR_HAND if is_doctor else HAND):
            draw_card(state, seat, rng)


# -- playing


@rules.define
def movers(game, state):
    """The player on turn."""
    return np.int64(0) if state.is_over else 1 << np.int64(state.player)


@rules.define
def apply(game, state, joint_action, rng):
    """Do an action, and those after it that have no alternative."""
    step(game, state, np.int64(joint_action[state.player]), rng)
    if not game.asks_forced:
        action = forced_action(game, state)
        while action >= 0:
            step(game, state, action, rng)
            action = forced_action(game, state)


@njit
def step(game, state, action, rng):
    """Do one action, forced ones included."""
    state.ended += 1
    if state.is_executing:
        execute(game, state, action, rng)
    else:
        plan(game, state, action, rng)


@njit
def turn_kind(game, state):
    """Return whether the turn is normal, hidden, double or reverse."""
    return TURN_KINDS[np.int64(game.players > 4), state.rounds[state.round], state.turn]


@njit
def plan(game, state, action, rng):
    """Play a card face up or down, or draw."""
    player = np.int64(state.player)
    kind = turn_kind(game, state)
    if action == DRAW:
        for _ in range(DRAWN_AT_ONCE):
            draw_card(state, player, rng)
    else:
        is_ghost = state.turn == 0 and state.characters[player] == GHOST
        state.hands[player, action] -= 1
        state.owners[state.queued] = player
        state.cards[state.queued] = action
        state.face_up[state.queued] = 0 if is_ghost or kind == HIDDEN else 1
        state.queued += 1
    if kind == DOUBLE and not state.is_second:
        state.is_second = 1
        return
    state.is_second = 0
    state.moved += 1
    if state.moved == game.players:
        state.moved = 0
        state.turn += 1
        crowded = np.int64(game.players > 4)
        if state.turn == TURN_NUMBERS[crowded, state.rounds[state.round]]:
            begin_execution(game, state, rng)
            return
        kind = turn_kind(game, state)
    first = np.int64(state.round) % game.players
    step = -np.int64(state.moved) if kind == REVERSE else np.int64(state.moved)
    state.player = (first + step + game.players) % game.players


@njit
def begin_execution(game, state, rng):
    """Let the owner of the first card decide, if a card was played."""
    state.turn = 0
    state.is_executing = 1
    if state.queued == 0:
        finish_round(game, state, rng)
    else:
        state.player = state.owners[0]


@njit
def execute(game, state, action, rng):
    """Execute the first card of the queue."""
    player = np.int64(state.player)
    place = np.int64(state.places[player])
    if action < VERTICAL:
        arrive(state, player, action - TO_CAR, place & 1)
    elif action == VERTICAL:
        if game.marshal_guards:
            arrive(state, player, place >> 1, 1 - (place & 1))
        else:
            state.places[player] = place ^ 1
    elif action <= MARSHAL_RIGHT:
        change = -1 if action == MARSHAL_LEFT else 1
        place_marshal(game, state, np.int64(state.marshal) + change)
    elif action < COLLECT_NOTHING:
        kind = action - COLLECT_KIND
        state.loot[player, take_random(state.on_train[place], kind, rng)] += 1
    elif SHOOT_SEAT <= action < SHOOT_NOBODY:
        shoot(game, state, player, action - SHOOT_SEAT)
    elif PUNCH_SEAT <= action < PUNCH_NOBODY:
        code = action - PUNCH_SEAT
        punch(game, state, player, code >> 3, code >> 2 & 1, code & 3, rng)
    state.decks[player, state.cards[state.executed]] += 1
    state.executed += 1
    if state.executed == state.queued:
        finish_round(game, state, rng)
    else:
        state.player = state.owners[state.executed]


@njit
def finish_round(game, state, rng):
    """Let the round's event happen, and begin the next round or end the game."""
    end_round(game, state, state.rounds[state.round], rng)
    if state.round + 1 < ROUNDS:
        begin_round(game, state, np.int64(state.round) + 1, rng)
    else:
        state.round = ROUNDS
        state.is_over = 1


# -- choosing


@rules.define
def legal_actions(game, state, player, out):
    """What the player may do, ascending."""
    if state.is_over or player != state.player:
        return 0
    return write_legal(game, state, player, out)


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
    if seats_at(game, state, place) == 1 << player:
        return np.int64(PUNCH_NOBODY)
    choices = np.empty(LEGAL_LIMIT, np.int32)
    n = write_punches(game, state, player, choices)
    return np.int64(choices[0]) if n == 1 else np.int64(-1)


# -- values


@rules.define
def scores(game, state, out):
    """Dollars."""
    for player in range(game.players):
        out[player] = score_of(game, state, player)


@rules.define
def results(game, state, out):
    """Most dollars, then fewest bullets received; all who are still tied win."""
    best = np.int64(-1)
    for player in range(game.players):
        hit = np.int64(state.hands[player, BULLET] + state.decks[player, BULLET])
        best = max(best, score_of(game, state, player) * 1024 - hit)
    for player in range(game.players):
        if not state.is_over:
            out[player] = PLAYING
        else:
            hit = np.int64(state.hands[player, BULLET] + state.decks[player, BULLET])
            mine = score_of(game, state, player) * 1024 - hit
            out[player] = WON if mine == best else LOST


@rules.define
def turn(game, state):
    """Actions done, forced ones included."""
    return np.int64(state.ended)


@rules.define
def round(game, state):
    """Rounds ended."""
    return np.int64(state.round)


# -- what a player knows


@rules.define
def visible_action(game, state, joint_action, actor, observer):
    """A card played face down is seen by nobody else."""
    action = np.int64(joint_action[actor])
    if actor == observer or state.is_executing or action == DRAW:
        return action
    is_ghost = state.turn == 0 and state.characters[actor] == GHOST
    return np.int64(-1) if is_ghost or turn_kind(game, state) == HIDDEN else action


@rules.define
def redeterminise(game, state, observer, rng):
    """Deal again what is hidden: cards of others, values of purses, later rounds."""
    for seat in range(game.players):
        if seat != observer:
            resample_cards(state, seat, rng)
    resample_purses(game, state, observer, rng)
    if state.round < ROUNDS - 1:
        resample_rounds(state, rng)


@njit
def resample_cards(state, seat, rng):
    """Shuffle a bandit's deck, hand and cards played face down, and deal them again."""
    size = np.int64(0)
    for card in range(BULLET + 1):
        size += state.hands[seat, card]
        state.decks[seat, card] += state.hands[seat, card]
        state.hands[seat, card] = 0
    for place in range(state.executed, state.queued):
        if state.owners[place] == seat and not state.face_up[place]:
            state.decks[seat, state.cards[place]] += 1
    for place in range(state.executed, state.queued):
        if state.owners[place] == seat and not state.face_up[place]:
            total = np.int64(0)
            for card in range(PLAYABLE):
                total += state.decks[seat, card]
            left = random_below(rng, total)
            card = 0
            while left >= state.decks[seat, card]:
                left -= state.decks[seat, card]
                card += 1
            state.decks[seat, card] -= 1
            state.cards[place] = card
    for _ in range(size):
        draw_card(state, seat, rng)


@njit
def resample_purses(game, state, observer, rng):
    """Shuffle the values of all purses that the observer does not have."""
    places = 2 * (game.players + 1)
    numbers = np.zeros(2 * MAX_CARS + MAX_SEATS, np.int64)
    for holder in range(places + game.players):
        if holder == places + observer:
            continue
        is_place = holder < places
        items = state.on_train[holder] if is_place else state.loot[holder - places]
        numbers[holder] = number_of(items, PURSE_KIND)
        for value in range(PURSE_VALUES):
            state.unused[value] += items[value]
            items[value] = 0
    for holder in range(places + game.players):
        is_place = holder < places
        items = state.on_train[holder] if is_place else state.loot[holder - places]
        for _ in range(numbers[holder]):
            items[random_purse(state, rng)] += 1


@njit
def resample_rounds(state, rng):
    """Draw the round cards after the open one again."""
    taken = np.int64(0)
    for place in range(state.round + 1):
        taken |= 1 << np.int64(state.rounds[place])
    for place in range(state.round + 1, ROUNDS - 1):
        card = random_below(rng, REGULAR_ROUNDS)
        while taken >> card & 1:
            card = random_below(rng, REGULAR_ROUNDS)
        taken |= 1 << card
        state.rounds[place] = card
    state.rounds[ROUNDS - 1] = REGULAR_ROUNDS + random_below(rng, END_ROUNDS)
