"""Bandits, loot and the marshal on the train: what the cards and the rounds' ends do.

A place is `2 * car + is_on_roof`. Car 0 is the caboose, the last car the locomotive.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.colt_express.cards import (
    ACTIONS,
    ANGRY_MARSHAL,
    BELLE,
    BRAKING,
    BULLET,
    BULLETS,
    CHEYENNE,
    DJANGO,
    END_OF_KIND,
    FIRST_OF_KIND,
    HOSTAGE,
    ITEMS,
    JEWEL,
    JEWEL_KIND,
    LEFT,
    MAX_CARS,
    MAX_SEATS,
    MOST_QUEUED,
    NO_KIND,
    PICKPOCKET,
    PURSE_KIND,
    PURSE_VALUES,
    REBELLION,
    REVENGE,
    ROUNDS,
    STRONGBOX,
    SWIVEL_ARM,
    TAKE_IT_ALL,
    TUCO,
    VALUES,
)
from mcts_agents.envs.colt_express.heaps import (
    KINDS,
    heap_at,
    kinds_in,
    random_kind,
)

# Purses among items: as a mask of kinds, and as the bytes of a heap.
PURSES_MASK = np.uint64((1 << PURSE_VALUES) - 1)
PURSES_HEAP = np.uint64((1 << 8 * PURSE_VALUES) - 1)
NO_LOOT = np.uint64(1 << NO_KIND)

STATE = np.dtype(
    [
        ("ended", np.int32),  # turns ended, one per action
        ("places", np.uint8, MAX_SEATS),
        ("characters", np.uint8, MAX_SEATS),
        ("bullets", np.uint8, MAX_SEATS),  # left to shoot
        ("on_train", np.uint8, (2 * MAX_CARS, ITEMS)),  # loot by place
        ("loot", np.uint8, (MAX_SEATS, ITEMS)),
        ("unused", np.uint8, PURSE_VALUES),  # purses outside of the game
        ("hands", np.uint8, (MAX_SEATS, KINDS)),  # numbers by card
        ("decks", np.uint8, (MAX_SEATS, KINDS)),  # their order is chance to come
        ("owners", np.uint8, MOST_QUEUED),  # of the cards in the queue
        ("cards", np.uint8, MOST_QUEUED),
        ("face_up", np.uint8, MOST_QUEUED),
        ("queued", np.uint8),
        ("executed", np.uint8),  # of those
        ("rounds", np.uint8, ROUNDS),  # round cards
        ("marshal", np.uint8),  # car
        ("round", np.uint8),
        ("turn", np.uint8),  # of the round card
        ("moved", np.uint8),  # players who have finished this turn
        ("is_second", np.uint8),  # the second action of a double turn
        ("is_executing", np.uint8),
        ("is_over", np.uint8),
        ("player", np.uint8),
        ("last", np.uint8, MAX_SEATS),  # the last action of each, as all have seen it
    ]
)
# In `last`.
FACE_DOWN, NO_ACTION = ACTIONS, ACTIONS + 1
GAME = np.dtype([("asks_forced", np.bool_), ("published", np.bool_)])


@njit
def wound(state, seat):
    """Give a bandit a neutral bullet."""
    state.decks[seat, BULLET] += 1


@njit
def arrive(state, seat, car, is_on_roof):
    """Put a bandit into a car; the marshal shoots, and drives him up to the roof."""
    if car == state.marshal and not is_on_roof:
        wound(state, seat)
        is_on_roof = 1
    state.places[seat] = 2 * car + is_on_roof


@njit
def place_marshal(game, state, car):
    """Move the marshal; all bandits in the car are shot, and go up to the roof."""
    state.marshal = car
    for seat in range(game.players):
        if state.places[seat] == 2 * car:
            arrive(state, seat, car, 0)


@njit
def number_of(items, kind):
    """Return how many items of a kind there are."""
    number = np.int64(0)
    for item in range(FIRST_OF_KIND[kind], END_OF_KIND[kind]):
        number += items[item]
    return number


@njit
def loot_kinds(rows, number):
    """Return the mask of the kinds of loot in a row, NO_KIND if there is none."""
    items = kinds_in(heap_at(rows, number))
    purses = np.uint64(items & PURSES_MASK != 0)
    kinds = purses | items >> np.uint64(JEWEL) << np.uint64(JEWEL_KIND)
    return kinds if kinds else NO_LOOT


@njit
def take_random(rows, number, kind, rng):
    """Take a random item of a kind that is there out of a row, and return it."""
    if kind != PURSE_KIND:
        item = FIRST_OF_KIND[kind]
    else:
        item = random_kind(heap_at(rows, number) & PURSES_HEAP, rng)
    rows[number, item] -= 1
    return item


@njit
def score_of(game, state, player):
    """Return dollars: loot, and 200 a round for those with the fewest bullets left."""
    fewest = np.int64(BULLETS)
    for seat in range(game.players):
        fewest = min(fewest, np.int64(state.bullets[seat]))
    dollars = np.int64(0)
    for item in range(ITEMS):
        dollars += VALUES[item] * state.loot[player, item]
    if state.bullets[player] == fewest:
        dollars += 1000 // ROUNDS * np.int64(state.round)
    return dollars


@njit
def is_sheltered(state, targets):
    """Return the mask of targets without Belle, if there is anybody else."""
    others = targets
    for seat in range(MAX_SEATS):
        others &= ~(np.int64(state.characters[seat] == BELLE) << seat)
    return others if others else targets


@njit
def seats_at(game, state, place):
    """Return the mask of the bandits at a place."""
    mask = np.int64(0)
    for seat in range(MAX_SEATS):
        mask |= np.int64(state.places[seat] == place) << seat
    return mask & ((1 << np.int64(game.players)) - 1)


@njit
def shooting_targets(game, state, player):
    """Return the mask of the bandits at whom a player can shoot."""
    place = np.int64(state.places[player])
    targets = np.int64(0)
    for step in (-2, 2):
        other = place + step
        while 0 <= other < 2 * (game.players + 1):
            found = seats_at(game, state, other)
            targets |= found
            if found or not place & 1:
                break
            other += step
    if state.characters[player] == TUCO:
        targets |= seats_at(game, state, place ^ 1)
    return is_sheltered(state, targets)


@njit
def punching_targets(game, state, player):
    """Return the mask of the bandits whom a player can punch."""
    place = np.int64(state.places[player])
    return is_sheltered(state, seats_at(game, state, place) & ~(1 << player))


@njit
def shoot(game, state, player, target):
    """Give a bullet, if one is left; Django pushes, if there is a car to push into."""
    if state.bullets[player] > 0:
        state.bullets[player] -= 1
        state.decks[target, BULLET] += 1
    if state.characters[player] == DJANGO:
        car = np.int64(state.places[target]) >> 1
        from_car = np.int64(state.places[player]) >> 1
        car += np.sign(car - from_car)
        if 0 <= car <= game.players:
            arrive(state, target, car, np.int64(state.places[target]) & 1)


@njit
def punch(game, state, player, target, direction, kind, rng):
    """Let a bandit drop loot of a kind, if he has any, and push him."""
    place = np.int64(state.places[target])
    if kind != NO_KIND:
        item = take_random(state.loot, target, kind, rng)
        if kind == PURSE_KIND and state.characters[player] == CHEYENNE:
            state.loot[player, item] += 1
        else:
            state.on_train[place, item] += 1
    step = -1 if direction == LEFT else 1
    arrive(state, target, (place >> 1) + step, place & 1)


@njit
def end_round(game, state, card, rng):
    """Let the event of a round card happen."""
    marshal = np.int64(state.marshal)
    if card == TAKE_IT_ALL:
        state.on_train[2 * marshal, STRONGBOX] += 1
    for seat in range(game.players):
        place = np.int64(state.places[seat])
        is_on_roof, car = place & 1, place >> 1
        if card == ANGRY_MARSHAL and is_on_roof and car == marshal:
            wound(state, seat)
        elif card == BRAKING and is_on_roof:
            state.places[seat] = 2 * min(car + 1, game.players) + 1
        elif card == REBELLION and not is_on_roof:
            wound(state, seat)
        elif card == SWIVEL_ARM and is_on_roof:
            state.places[seat] = 1
        elif card == REVENGE and is_on_roof and car == marshal:
            lose_purse(game, state, seat)
        elif card == HOSTAGE and car == game.players:
            state.loot[seat, 0] += 1
        elif card == PICKPOCKET:
            is_alone = seats_at(game, state, place) == 1 << seat
            if is_alone and number_of(state.on_train[place], PURSE_KIND) > 0:
                item = take_random(state.on_train, place, PURSE_KIND, rng)
                state.loot[seat, item] += 1
    if card == ANGRY_MARSHAL and marshal > 0:
        state.marshal = marshal - 1  # nobody is shot in the car that he enters


@njit
def lose_purse(game, state, seat):
    """Take the most valuable purse out of the game, or the least valuable."""
    for n in range(PURSE_VALUES):
        item = n if game.published else JEWEL - 1 - n
        if state.loot[seat, item] > 0:
            state.loot[seat, item] -= 1
            return


@njit
def hits_of(state, seat):
    """Return how many bullets a bandit has received."""
    return np.int64(state.hands[seat, BULLET]) + np.int64(state.decks[seat, BULLET])
