"""The rules of Virus! as the TAG framework plays it.

Sources: the rules of Virus! (Cabrero, Lopez and Santisteban, 2015); the TAG framework
(Gaina et al., 2020) as of April 2022, which the MultiTree paper used.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.virus.cards import (
    ACTIONS,
    CARDS,
    COLOURS,
    COUNTS,
    DISCARD,
    DRAW_HAND,
    ERROR,
    GLOVE,
    HAND,
    IMMUNISED,
    INFECTED,
    KINDS,
    MEDICINE,
    NEUTRAL,
    NO_CARD,
    NONE,
    ORGAN,
    PLAY_ERROR,
    PLAY_GLOVE,
    PLAY_MEDICINE,
    PLAY_SPREADING,
    PLAY_THIEF,
    PLAY_TRANSPLANT,
    PLAY_VIRUS,
    SORTED_DECK,
    SPREADING,
    THIEF,
    TRANSPLANT,
    VACCINATED,
    VIRUS,
    WILD,
)
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec, random_below

MAX_SEATS = 6
MOST_ROUNDS = 100
HEALTHY_TO_WIN = 4
NOBODY = -1
DRAWN_GAME = -2

STATE = np.dtype(
    [
        ("pile", np.uint8, CARDS),  # the next card is `pile[pile_left - 1]`
        ("discards", np.uint8, KINDS),  # counts
        ("hands", np.uint8, (MAX_SEATS, HAND)),  # sorted, NO_CARD at the end
        ("bodies", np.uint8, (MAX_SEATS, COLOURS)),
        ("turn", np.int32),  # turns ended
        ("pile_left", np.uint8),
        ("player", np.uint8),  # on turn
        ("winner", np.int8),  # NOBODY while the game runs, DRAWN_GAME
    ]
)
GAME = np.dtype([("counts", np.int64, KINDS)])

rules = Rules(
    "virus", state=STATE, game=GAME, search_defaults={"value": "score", "rollout": 0}
)


@rules.variant
def variant(game, *, players=4):
    """Check the number of players and fill in the numbers of cards."""
    if not 2 <= players <= MAX_SEATS:
        raise ValueError(f"players={players}: virus is for 2 to 6 players")
    game["counts"] = COUNTS
    return Spec(players=players, actions=ACTIONS)


@rules.define
def reset(game, state, rng):
    """Shuffle and deal three cards each; player 0 starts."""
    state.pile[:] = SORTED_DECK
    state.pile_left = CARDS
    shuffle_pile(state, rng)
    state.discards[:] = 0
    state.bodies[:] = NONE
    state.hands[:] = NO_CARD
    state.turn = 0
    state.player = 0
    state.winner = NOBODY
    for player in range(game.players):
        refill(state, player, rng)


@rules.define
def movers(game, state):
    """The player on turn."""
    return np.int64(0) if state.winner != NOBODY else 1 << np.int64(state.player)


@rules.define
def apply(game, state, joint_action, rng):
    """Play or discard, refill the hand, and pass the turn on."""
    play(game, state, np.int64(joint_action[state.player]), rng)


@rules.define
def scores(game, state, out):
    """Healthy organs."""
    for player in range(game.players):
        out[player] = healthy_organs(state, player)


@rules.define
def results(game, state, out):
    """One player wins and all others lose, or all draw after 100 rounds."""
    for player in range(game.players):
        if state.winner == NOBODY:
            out[player] = PLAYING
        elif state.winner == DRAWN_GAME:
            out[player] = DRAWN
        else:
            out[player] = WON if state.winner == player else LOST


@rules.define
def turn(game, state):
    """Turns ended."""
    return np.int64(state.turn)


@rules.define
def round(game, state):
    """Rounds ended."""
    return np.int64(state.turn) // game.players


# -- cards


@njit
def shuffle_pile(state, rng):
    """Shuffle the cards left in the pile."""
    for last in range(np.int64(state.pile_left) - 1, 0, -1):
        other = random_below(rng, last + 1)
        card = state.pile[last]
        state.pile[last] = state.pile[other]
        state.pile[other] = card


@njit
def refill(state, player, rng):
    """Draw until the hand is full; the discards make a new pile if none is left."""
    hand = state.hands[player]
    for place in range(HAND):
        if hand[place] != NO_CARD:
            continue
        if state.pile_left == 0:
            for card in range(KINDS):
                for _ in range(state.discards[card]):
                    state.pile[state.pile_left] = card
                    state.pile_left += 1
                state.discards[card] = 0
            shuffle_pile(state, rng)
        if state.pile_left == 0:
            break
        state.pile_left -= 1
        hand[place] = state.pile[state.pile_left]
    sort_hand(hand)


@njit
def sort_hand(hand):
    """Sort the three places of a hand."""
    for first, second in ((0, 1), (1, 2), (0, 1)):
        if hand[first] > hand[second]:
            card = hand[first]
            hand[first] = hand[second]
            hand[second] = card


# -- bodies


@njit
def healthy_organs(state, player):
    """Count the organs that are not infected."""
    count = 0
    for slot in range(COLOURS):
        held = state.bodies[player, slot]
        count += held == NEUTRAL or held >= VACCINATED
    return count


@njit
def is_open(held, slot, colour):
    """Tell whether a virus or medicine of a colour may be played on an organ."""
    if held == NONE or held >= IMMUNISED:
        return False
    carries_wild = held == INFECTED + WILD or held == VACCINATED + WILD
    return colour == WILD or slot == WILD or colour == slot or carries_wild


@njit
def is_movable(held):
    """Tell whether an organ lies there that is not immunised."""
    return held != NONE and held < IMMUNISED


@njit
def can_spread(mine, my_slot, his, his_slot):
    """Tell whether the virus on my organ may move to his."""
    if mine < INFECTED or mine >= VACCINATED or his != NEUTRAL:
        return False
    return mine == INFECTED + WILD or his_slot == my_slot or his_slot == WILD


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
def card_of(action):
    """Return the kind of card that an action plays, NO_CARD if it plays none."""
    if action < PLAY_MEDICINE:
        return ORGAN + action
    if action < PLAY_VIRUS:
        return MEDICINE + (action - PLAY_MEDICINE) // COLOURS
    if action < PLAY_THIEF:
        return VIRUS + (action - PLAY_VIRUS) // (COLOURS * COLOURS)
    if action < PLAY_SPREADING:
        return THIEF
    if action < PLAY_TRANSPLANT:
        return SPREADING
    if action < PLAY_GLOVE:
        return TRANSPLANT
    if action < PLAY_ERROR:
        return GLOVE
    return ERROR if action <= DISCARD else NO_CARD


@njit
def play(game, state, action, rng):
    """Let the player on turn act; the hand is full again before the card works."""
    player = np.int64(state.player)
    hand = state.hands[player]
    card = card_of(action)
    if card == NO_CARD:
        for place in range(HAND):
            if action < DRAW_HAND and (action - DISCARD) >> place & 1:
                state.discards[hand[place]] += 1
                hand[place] = NO_CARD
    else:
        for place in range(HAND):
            if hand[place] == card:
                hand[place] = NO_CARD
                break
        if card >= THIEF:
            state.discards[card] += 1
    refill(state, player, rng)
    if card != NO_CARD:
        work(game, state, player, card, action)
    state.turn += 1
    state.player = (player + 1) % game.players
    for seat in range(game.players):
        if healthy_organs(state, seat) >= HEALTHY_TO_WIN:
            state.winner = seat
            return
    if state.turn >= MOST_ROUNDS * game.players:
        state.winner = DRAWN_GAME


@njit
def work(game, state, player, card, action):
    """Carry out what a played card does."""
    mine = state.bodies[player]
    if card < VIRUS:
        mine[card - ORGAN] = NEUTRAL
        return
    if MEDICINE <= card < THIEF:
        treat(state, mine, (action - PLAY_MEDICINE) % COLOURS, card - MEDICINE)
        return
    slot = action % COLOURS  # all blocks of actions start at multiples of five
    if card == GLOVE or card == ERROR:
        seat = slot
    else:
        seat = action // COLOURS % COLOURS
        if card == VIRUS + WILD or card < MEDICINE:
            seat = (action - PLAY_VIRUS) // COLOURS % COLOURS
        elif card == THIEF:
            seat = (action - PLAY_THIEF) // COLOURS
        elif card == SPREADING:
            seat = (action - PLAY_SPREADING) // COLOURS % COLOURS
        else:
            seat = (action - PLAY_TRANSPLANT) // COLOURS % COLOURS
    other = (player + 1 + seat) % game.players
    his = state.bodies[other]
    if card < MEDICINE:
        infect(state, his, slot, card - VIRUS)
    elif card == THIEF:
        mine[slot] = his[slot]
        his[slot] = NONE
    elif card == SPREADING:
        own = (action - PLAY_SPREADING) // (COLOURS * COLOURS)
        his[slot] = mine[own]
        mine[own] = NEUTRAL
    elif card == TRANSPLANT:
        own = (action - PLAY_TRANSPLANT) // (COLOURS * COLOURS)
        mine[slot] = his[slot]
        his[own] = mine[own]
        his[slot] = NONE
        mine[own] = NONE
    elif card == GLOVE:
        for place in range(HAND):
            if state.hands[other, place] != NO_CARD:
                state.discards[state.hands[other, place]] += 1
                state.hands[other, place] = NO_CARD
    else:
        for place in range(COLOURS):
            held = mine[place]
            mine[place] = his[place]
            his[place] = held


@rules.define
def legal_actions(game, state, player, out):
    """Each card with each target, then the different sets of cards to discard."""
    if player != state.player or state.winner != NOBODY:
        return 0
    hand = state.hands[player]
    if hand[0] == NO_CARD:
        out[0] = DRAW_HAND
        return 1
    n = 0
    for place in range(HAND):
        if hand[place] != NO_CARD and (place == 0 or hand[place] != hand[place - 1]):
            n = write_plays(game, state, player, np.int64(hand[place]), out, n)
    for mask in range(1, 1 << HAND):
        if is_first_mask(hand, mask):
            out[n] = DISCARD + mask
            n += 1
    out[:n].sort()
    return n


@njit
def is_first_mask(hand, mask):
    """Tell whether a set of places is the first of all with the same cards."""
    for place in range(HAND):
        if mask >> place & 1:
            if hand[place] == NO_CARD:
                return False
            is_same = place > 0 and hand[place] == hand[place - 1]
            if is_same and not mask >> (place - 1) & 1:
                return False
    return True


@njit
def write_plays(game, state, player, card, out, n):
    """Append the legal actions of one card to `out[:n]` and return the new length."""
    mine = state.bodies[player]
    if card < VIRUS:
        if mine[card] == NONE:
            out[n] = card
            n += 1
        return n
    if MEDICINE <= card < THIEF:
        for slot in range(COLOURS):
            if is_open(mine[slot], slot, card - MEDICINE):
                out[n] = PLAY_MEDICINE + (card - MEDICINE) * COLOURS + slot
                n += 1
        return n
    for seat in range(game.players - 1):
        his = state.bodies[(player + 1 + seat) % game.players]
        if card == GLOVE or card == ERROR:
            out[n] = (PLAY_GLOVE if card == GLOVE else PLAY_ERROR) + seat
            n += 1
            continue
        for slot in range(COLOURS):
            if card < MEDICINE:
                if is_open(his[slot], slot, card - VIRUS):
                    row = (card - VIRUS) * COLOURS + seat
                    out[n] = PLAY_VIRUS + row * COLOURS + slot
                    n += 1
            elif card == THIEF:
                if is_movable(his[slot]) and mine[slot] == NONE:
                    out[n] = PLAY_THIEF + seat * COLOURS + slot
                    n += 1
            else:
                n = write_pairs(mine, his, card, seat, slot, out, n)
    return n


@njit
def write_pairs(mine, his, card, seat, slot, out, n):
    """Append what spreading or a transplant may do with one organ of another."""
    for own in range(COLOURS):
        row = (own * COLOURS + seat) * COLOURS + slot
        if card == SPREADING:
            if can_spread(mine[own], own, his[slot], slot):
                out[n] = PLAY_SPREADING + row
                n += 1
        elif (
            is_movable(mine[own])
            and is_movable(his[slot])
            and mine[slot] == NONE
            and his[own] == NONE
        ):
            out[n] = PLAY_TRANSPLANT + row
            n += 1
    return n


# -- what a player knows


@rules.define
def visible_action(game, state, joint_action, actor, observer):
    """Plays and discards are public."""
    return np.int64(joint_action[actor])


@rules.define
def redeterminise(game, state, observer, rng):
    """Shuffle the pile and the other hands together, and deal hands as large again.

    The pile is sorted first, so that the result depends on no hidden order.
    """
    counts = np.zeros(KINDS, np.int64)
    for place in range(state.pile_left):
        counts[state.pile[place]] += 1
    left = np.int64(state.pile_left)
    for player in range(game.players):
        for place in range(HAND):
            card = state.hands[player, place]
            if player != observer and card != NO_CARD:
                counts[card] += 1
                left += 1
    place = 0
    for card in range(KINDS):
        for _ in range(counts[card]):
            state.pile[place] = card
            place += 1
    state.pile_left = left
    shuffle_pile(state, rng)
    for player in range(game.players):
        for place in range(HAND):
            if player != observer and state.hands[player, place] != NO_CARD:
                state.pile_left -= 1
                state.hands[player, place] = state.pile[state.pile_left]
        sort_hand(state.hands[player])
