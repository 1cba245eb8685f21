"""The rules of Virus! as the TAG framework plays it, or as published.

Sources: the rules of Virus! (Cabrero, Lopez and Santisteban, 2015); the TAG framework
(Gaina et al., "TAG: A Tabletop Games Framework", 2020) as of April 2022, which the
MultiTree paper used.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.virus.cards import (
    ACTIONS,
    CARDS,
    COLOURS,
    DISCARD,
    DRAW_HAND,
    HAND,
    IMMUNISED,
    INFECTED,
    KINDS,
    MAX_SEATS,
    NEUTRAL,
    NO_CARD,
    NONE,
    VACCINATED,
)
from mcts_agents.envs.virus.turns import (
    DRAWN_GAME,
    GAME,
    MOST_ROUNDS,
    NOBODY,
    STATE,
    deal,
    healthy_organs,
    play,
    sort_hand,
    write_legal,
)
from mcts_agents.model import (
    DRAWN,
    LOST,
    PLAYING,
    WON,
    Rules,
    Spec,
    shuffle,
)
from mcts_agents.model.hashing import mixed

PLAYER_COUNTS = tuple(range(2, MAX_SEATS + 1))
RULEBOOKS = ("tag", "published")
# A Spreading has at most 65 pairs, since there is one wild virus, a Transplant 30, any
# other card 25, and 7 sets of cards can be discarded; equal cards have equal actions.
LEGAL_LIMIT = 65 + 30 + 25 + 7

# An observation: counts of the own hand and of the discards by kind, some numbers, then
# SEAT_COLUMNS for each seat, of these three for each slot of the body.
HAND_AT, DISCARDS_AT, PILE_AT = 0, KINDS, 2 * KINDS
ROUND_AT, SPREADING_AT, SEATS_AT = PILE_AT + 1, PILE_AT + 2, PILE_AT + 3
SEAT_CARDS, SEAT_ON_TURN, SEAT_BODY = 0, 1, 2
SLOT_STATE, SLOT_FIRST, SLOT_SECOND, SLOT_COLUMNS = 0, 1, 2, 3
SEAT_COLUMNS = SEAT_BODY + SLOT_COLUMNS * COLOURS
SEEN_NONE, SEEN_NEUTRAL, SEEN_INFECTED, SEEN_VACCINATED, SEEN_IMMUNISED = range(5)

rules = Rules(
    "virus", state=STATE, game=GAME, search_defaults={"value": "score", "rollout": 0}
)


@rules.variant
def variant(game, *, players=4, rulebook="tag"):
    """Check the options."""
    if players not in PLAYER_COUNTS:
        raise ValueError(f"players={players}: virus is for 2 to {MAX_SEATS} players")
    if rulebook not in RULEBOOKS:
        raise ValueError(f"rulebook={rulebook!r}: virus has 'tag', 'published'")
    game["published"] = rulebook == "published"
    return Spec(
        players=players,
        actions=ACTIONS,
        legal_limit=LEGAL_LIMIT,
        observation_shape=(SEATS_AT + SEAT_COLUMNS * players,),
        observation_bounds=(0, MOST_ROUNDS),
    )


@rules.define
def reset(game, state, rng):
    """Shuffle and deal three cards each; player 0 begins."""
    deal(game, state, rng)


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


@rules.define
def visible_action(game, state, joint_action, actor, observer):
    """Plays are public; of a discard others see the cards, not their places."""
    action = np.int64(joint_action[actor])
    if observer == actor or action <= DISCARD or action == DRAW_HAND:
        return action
    code = np.int64(0)
    for place in range(HAND):
        if (action - DISCARD) >> place & 1:
            code = code * KINDS + state.hands[actor, place] + 1
    return ACTIONS + code


@rules.define
def legal_actions(game, state, player, out):
    """Each card with each target, then the different sets of cards to discard."""
    if player != state.player or state.winner != NOBODY:
        return 0
    return write_legal(game, state, player, out)


# -- what a player knows


@rules.define
def redeterminise(game, state, observer, rng):
    """Shuffle the pile and the other hands together, and deal hands as large again.

    The cards are counted by kind first, so that nothing of where they were is left.
    """
    counts = np.zeros(KINDS, np.int64)
    for place in range(state.pile_left):
        counts[state.pile[place]] += 1
    for player in range(game.players):
        for place in range(HAND):
            card = state.hands[player, place]
            if player != observer and card != NO_CARD:
                counts[card] += 1
    number = 0
    for card in range(KINDS):
        for _ in range(counts[card]):
            state.pile[number] = card
            number += 1
    shuffle(rng, state.pile, number)
    for player in range(game.players):
        for place in range(HAND):
            if player != observer and state.hands[player, place] != NO_CARD:
                number -= 1
                state.hands[player, place] = state.pile[number]
        sort_hand(state.hands[player])
    for place in range(number, CARDS):
        state.pile[place] = 0


@rules.define
def state_key(game, state, observer):
    """A hash of all that matters for what follows; for observer -1 the hidden cards."""
    facts = np.int64(state.turn) | np.int64(state.pile_left) << 32
    facts |= np.int64(state.spreading) << 40
    key = mixed(np.uint64(game.players), facts)
    for card in range(KINDS):
        key = mixed(key, np.int64(state.discards[card]))
    for player in range(game.players):
        body = cards = np.int64(0)
        for slot in range(COLOURS):
            body = body << 8 | np.int64(state.bodies[player, slot])
        for place in range(HAND):
            card = np.int64(state.hands[player, place])
            is_seen = observer < 0 or player == observer
            cards = cards << 8 | (card if is_seen else np.int64(card != NO_CARD))
        key = mixed(mixed(key, body), cards)
    if observer < 0:
        for place in range(state.pile_left):
            key = mixed(key, np.int64(state.pile[place]))
    return np.int64(key)


@rules.define
def observe(game, state, player, out):
    """Counts of cards that the player sees, then each seat from the own on."""
    for place in range(HAND):
        card = state.hands[player, place]
        if card != NO_CARD:
            out[HAND_AT + card] += 1
    for card in range(KINDS):
        out[DISCARDS_AT + card] = state.discards[card]
    out[PILE_AT] = state.pile_left
    out[ROUND_AT] = state.turn // game.players
    out[SPREADING_AT] = state.spreading
    for seat in range(game.players):
        owner = (player + seat) % game.players
        row = out[SEATS_AT + SEAT_COLUMNS * seat :]
        for place in range(HAND):
            row[SEAT_CARDS] += state.hands[owner, place] != NO_CARD
        row[SEAT_ON_TURN] = state.winner == NOBODY and state.player == owner
        for slot in range(COLOURS):
            held = np.int64(state.bodies[owner, slot])
            describe(held, row[SEAT_BODY + SLOT_COLUMNS * slot :])


@njit
def describe(held, out):
    """Write the state of an organ and the colours of the cards on it, plus 1."""
    if held == NONE:
        out[SLOT_STATE] = SEEN_NONE
    elif held == NEUTRAL:
        out[SLOT_STATE] = SEEN_NEUTRAL
    elif held < VACCINATED:
        out[SLOT_STATE] = SEEN_INFECTED
        out[SLOT_FIRST] = held - INFECTED + 1
    elif held < IMMUNISED:
        out[SLOT_STATE] = SEEN_VACCINATED
        out[SLOT_FIRST] = held - VACCINATED + 1
    else:
        out[SLOT_STATE] = SEEN_IMMUNISED
        out[SLOT_FIRST] = (held - IMMUNISED) // COLOURS + 1
        out[SLOT_SECOND] = (held - IMMUNISED) % COLOURS + 1
