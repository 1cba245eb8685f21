"""What the cards of Virus! do, and what a player may do with them."""

import numpy as np
from numba import njit

from mcts_agents.envs.virus.cards import (
    CARD_OF,
    CARDS,
    COLOURS,
    DISCARD,
    DRAW_HAND,
    ERROR,
    GLOVE,
    HAND,
    IMMUNISED,
    INFECTED,
    KINDS,
    MAX_SEATS,
    MEDICINE,
    NEUTRAL,
    NO_CARD,
    NONE,
    ORGAN,
    OTHER_OF,
    OWN_OF,
    PLAY_ERROR,
    PLAY_GLOVE,
    PLAY_MEDICINE,
    PLAY_SPREADING,
    PLAY_THIEF,
    PLAY_TRANSPLANT,
    PLAY_VIRUS,
    SLOT_NUMBERS,
    SLOT_OF,
    SORTED_DECK,
    SPREADING,
    THIEF,
    TRANSPLANT,
    VACCINATED,
    VIRUS,
    WILD,
)
from mcts_agents.model import shuffle

MOST_ROUNDS = 100
HEALTHY_TO_WIN = 4
NOBODY, DRAWN_GAME = -1, -2
NO_ACTION = -1

STATE = np.dtype(
    [
        ("pile", np.uint8, CARDS),  # the next card is `pile[pile_left - 1]`, then zeros
        ("discards", np.uint8, KINDS),  # counts
        ("hands", np.uint8, (MAX_SEATS, HAND)),  # sorted, NO_CARD at the end
        ("bodies", np.uint8, (MAX_SEATS, COLOURS)),
        ("last", np.int16, MAX_SEATS),  # see `seen_by_all`; NO_ACTION before the first
        ("turn", np.int32),  # turns ended
        ("pile_left", np.uint8),
        ("player", np.uint8),  # on turn
        ("spreading", np.uint8),  # 1 while a played Spreading goes on
        ("winner", np.int8),  # NOBODY while the game runs, DRAWN_GAME
    ]
)
GAME = np.dtype([("published", np.int64)])


# -- cards


@njit
def deal(game, state, rng):
    """Shuffle all cards and deal three each; player 0 begins."""
    state.pile[:] = SORTED_DECK
    state.pile_left = CARDS
    shuffle(rng, state.pile, CARDS)
    state.discards[:] = 0
    state.bodies[:] = NONE
    state.hands[:] = NO_CARD
    state.last[:] = NO_ACTION
    state.turn = 0
    state.player = 0
    state.spreading = 0
    state.winner = NOBODY
    for player in range(game.players):
        refill(state, player, rng)


@njit
def refill(state, player, rng):
    """Draw until the hand is full; the discards make a new pile if none is left."""
    hand = state.hands[player]
    for place in range(HAND):
        if hand[place] != NO_CARD:
            continue
        if state.pile_left == 0:
            turn_discards(state, rng)
        if state.pile_left == 0:
            break
        state.pile_left -= 1
        hand[place] = state.pile[state.pile_left]
        state.pile[state.pile_left] = 0
    sort_hand(hand)


@njit
def turn_discards(state, rng):
    """Make a new pile of the discards."""
    number = 0
    for card in range(KINDS):
        for _ in range(state.discards[card]):
            state.pile[number] = card
            number += 1
        state.discards[card] = 0
    shuffle(rng, state.pile, number)
    state.pile_left = number


@njit
def sort_hand(hand):
    """Sort the three places of a hand."""
    first, second, third = hand[0], hand[1], hand[2]
    first, second = min(first, second), max(first, second)
    second, third = min(second, third), max(second, third)
    hand[0], hand[1], hand[2] = min(first, second), max(first, second), third


@njit
def discard_hand(state, player):
    """Discard all cards of a hand."""
    for place in range(HAND):
        card = state.hands[player, place]
        if card != NO_CARD:
            state.discards[card] += 1
            state.hands[player, place] = NO_CARD


# -- bodies


def _healthy() -> np.ndarray:
    """Return for each number of a slot 1 if its organ is not infected, else 0."""
    held = np.arange(SLOT_NUMBERS)
    return ((held == NEUTRAL) | (held >= VACCINATED)).astype(np.int64)


def _open() -> np.ndarray:
    """Return for each slot and its number the colours that may be played, as bits."""
    colours = np.zeros((COLOURS, SLOT_NUMBERS), np.int64)
    for slot in range(COLOURS):
        for held in range(NEUTRAL, IMMUNISED):
            carries_wild = held in (INFECTED + WILD, VACCINATED + WILD)
            is_any = slot == WILD or carries_wild
            fitting = range(COLOURS) if is_any else (slot, WILD)
            colours[slot, held] = sum(1 << colour for colour in fitting)
    return colours


# Legal actions are asked for at each step of a rollout, and who has won after each.
_HEALTHY, _OPEN = _healthy(), _open()


@njit
def healthy_organs(state, player):
    """Count the organs that are not infected."""
    count = 0
    for slot in range(COLOURS):
        count += _HEALTHY[state.bodies[player, slot]]
    return count


@njit
def is_movable(held):
    """Tell whether an organ lies there that is not immunised."""
    return held != NONE and held < IMMUNISED


@njit
def can_spread(mine, own, his, slot):
    """Tell whether the virus on my organ may move to his."""
    if mine < INFECTED or mine >= VACCINATED or his != NEUTRAL:
        return False
    return mine == INFECTED + WILD or slot == own or slot == WILD


@njit
def can_swap(game, mine, own, his, slot):
    """Tell whether my organ may be transplanted for his."""
    if not is_movable(mine[own]) or not is_movable(his[slot]):
        return False
    if own == slot:
        return game.published != 0
    return mine[slot] == NONE and his[own] == NONE


@njit
def infect(state, body, slot, colour):
    """Play a virus on an organ."""
    held = np.int64(body[slot])
    if held == NEUTRAL:
        body[slot] = INFECTED + colour
        return
    state.discards[VIRUS + colour] += 1
    if held >= VACCINATED:
        state.discards[MEDICINE + held - VACCINATED] += 1
        body[slot] = NEUTRAL
    else:
        state.discards[VIRUS + held - INFECTED] += 1
        state.discards[ORGAN + slot] += 1
        body[slot] = NONE


@njit
def treat(state, body, slot, colour):
    """Play a medicine on an organ."""
    held = np.int64(body[slot])
    if held == NEUTRAL:
        body[slot] = VACCINATED + colour
    elif held >= VACCINATED:
        body[slot] = IMMUNISED + COLOURS * (held - VACCINATED) + colour
    else:
        state.discards[VIRUS + held - INFECTED] += 1
        state.discards[MEDICINE + colour] += 1
        body[slot] = NEUTRAL


# -- turns


@njit
def play(game, state, action, rng):
    """Let the player on turn act, and pass the turn on.

    As in TAG the hand is full again before the card works.
    """
    player = np.int64(state.player)
    card = CARD_OF[action]
    if not state.spreading:
        lay_off(state, player, card, action)
        refill(state, player, rng)
    if card != NO_CARD:
        work(game, state, player, card, action)
    state.last[player] = seen_by_all(action)
    state.spreading = (
        card == SPREADING and game.published != 0 and may_spread(game, state, player)
    )
    if state.spreading:
        return
    state.turn += 1
    state.player = seat_of(game, player, 0)
    for seat in range(game.players):
        if healthy_organs(state, seat) >= HEALTHY_TO_WIN:
            state.winner = seat
            return
    if state.turn >= MOST_ROUNDS * game.players:
        state.winner = DRAWN_GAME


@njit
def lay_off(state, player, card, action):
    """Take the cards that are played or discarded out of the hand."""
    hand = state.hands[player]
    if card == NO_CARD:
        for place in range(HAND):
            if action < DRAW_HAND and (action - DISCARD) >> place & 1:
                state.discards[hand[place]] += 1
                hand[place] = NO_CARD
        return
    for place in range(HAND):
        if hand[place] == card:
            hand[place] = NO_CARD
            break
    if card >= THIEF:
        state.discards[card] += 1


@njit
def work(game, state, player, card, action):
    """Carry out what a played card does."""
    mine, own, slot = state.bodies[player], OWN_OF[action], SLOT_OF[action]
    other = seat_of(game, player, OTHER_OF[action])
    his = state.bodies[other]
    if card < MEDICINE:
        mine[slot] = NEUTRAL
    elif card < VIRUS:
        treat(state, mine, slot, card - MEDICINE)
    elif card < THIEF:
        infect(state, his, slot, card - VIRUS)
    elif card == THIEF:
        mine[slot] = his[slot]
        his[slot] = NONE
    elif card == SPREADING:
        his[slot] = mine[own]
        mine[own] = NEUTRAL
    elif card == TRANSPLANT:
        given, taken = mine[own], his[slot]
        mine[own] = NONE
        his[slot] = NONE
        mine[slot] = taken
        his[own] = given
    elif card == GLOVE and game.published:
        for seat in range(game.players):
            if seat != player:
                discard_hand(state, seat)
    elif card == GLOVE:
        discard_hand(state, other)
    else:
        for place in range(COLOURS):
            held = mine[place]
            mine[place] = his[place]
            his[place] = held


@njit
def seat_of(game, player, other):
    """Return the seat of another player, counted from 0 for the next seat."""
    seat = player + 1 + other
    return seat if seat < game.players else seat - game.players


@njit
def seen_by_all(action):
    """Return an action without the places of the discarded cards, only their number.

    Places in a sorted hand would tell something about the cards that stay.
    """
    if action <= DISCARD or action == DRAW_HAND:
        return action
    number = 0
    for place in range(HAND):
        number += (action - DISCARD) >> place & 1
    return DISCARD + (1 << number) - 1


# -- choosing


@njit
def write_legal(game, state, player, out):
    """Write the legal actions of the player on turn, ascending; return how many."""
    if state.spreading:
        return write_pairs(game, state, player, SPREADING, out, 0)
    hand = state.hands[player]
    if hand[0] == NO_CARD:
        out[0] = DRAW_HAND
        return 1
    n = 0
    for place in range(HAND):
        if hand[place] != NO_CARD and (place == 0 or hand[place] != hand[place - 1]):
            n = write_plays(game, state, player, np.int64(hand[place]), out, n)
    size = HAND - (hand[1] == NO_CARD) - (hand[2] == NO_CARD)
    masks = _DISCARDS[size, np.int64(hand[0] == hand[1]), np.int64(hand[1] == hand[2])]
    for number in range(masks[0]):
        out[n + number] = DISCARD + masks[1 + number]
    return n + masks[0]


def _discards() -> np.ndarray:
    """Return the sets of places that are the first of all with the same cards.

    Shape (HAND + 1, 2, 2, 2**HAND), by the number of cards in a sorted hand, whether
    the first two are equal, and the last two: how many sets, then the sets as bits.
    """
    masks = np.zeros((HAND + 1, 2, 2, 1 << HAND), np.int64)
    for size, *equal in np.ndindex(HAND + 1, 2, 2):
        found = [
            mask
            for mask in range(1, 1 << size)
            if not any(
                equal[place - 1] and mask >> place & 1 and not mask >> (place - 1) & 1
                for place in range(1, size)
            )
        ]
        masks[size, *equal, : len(found) + 1] = len(found), *found
    return masks


_DISCARDS = _discards()


@njit
def write_plays(game, state, player, card, out, n):
    """Append the legal actions of one card to `out[:n]` and return the new length.

    Without branches where it is any one's guess: actions are written, and count if they
    are legal. There is always room for one more, a set of cards to discard.
    """
    mine = state.bodies[player]
    if card < MEDICINE:
        if mine[card] == NONE:
            out[n] = card
            n += 1
        return n
    if card < VIRUS:
        colour = card - MEDICINE
        for slot in range(COLOURS):
            out[n] = PLAY_MEDICINE + colour * COLOURS + slot
            n += _OPEN[slot, mine[slot]] >> colour & 1
        return n
    if card == GLOVE or card == ERROR:
        first = PLAY_GLOVE if card == GLOVE else PLAY_ERROR
        number = 1 if card == GLOVE and game.published else game.players - 1
        for other in range(number):
            out[n] = first + other
            n += 1
        return n
    if card == SPREADING or card == TRANSPLANT:
        return write_pairs(game, state, player, card, out, n)
    for other in range(game.players - 1):
        his = state.bodies[seat_of(game, player, other)]
        for slot in range(COLOURS):
            if card == THIEF:
                out[n] = PLAY_THIEF + other * COLOURS + slot
                n += is_movable(his[slot]) and mine[slot] == NONE
            else:
                row = (card - VIRUS) * COLOURS + other
                out[n] = PLAY_VIRUS + row * COLOURS + slot
                n += _OPEN[slot, his[slot]] >> (card - VIRUS) & 1
    return n


@njit
def write_pairs(game, state, player, card, out, n):
    """Append the pairs of organs on which a Spreading or a Transplant works."""
    mine = state.bodies[player]
    first = PLAY_SPREADING if card == SPREADING else PLAY_TRANSPLANT
    for own in range(COLOURS):
        held = mine[own]
        if not is_movable(held) or (card == SPREADING and held == NEUTRAL):
            continue
        for other in range(game.players - 1):
            his = state.bodies[seat_of(game, player, other)]
            for slot in range(COLOURS):
                if card == SPREADING:
                    is_legal = can_spread(held, own, his[slot], slot)
                else:
                    is_legal = can_swap(game, mine, own, his, slot)
                if is_legal:
                    out[n] = first + (own * COLOURS + other) * COLOURS + slot
                    n += 1
    return n


@njit
def may_spread(game, state, player):
    """Tell whether any virus of a player can move to another player's organ."""
    for own in range(COLOURS):
        held = state.bodies[player, own]
        if held < INFECTED or held >= VACCINATED:
            continue
        for seat in range(game.players):
            for slot in range(COLOURS):
                his = state.bodies[seat, slot]
                if seat != player and can_spread(held, own, his, slot):
                    return True
    return False
