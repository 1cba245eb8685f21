"""The rules of Diamant in the TAG framework's version, without artifact cards.

Sources: the rules of A.R. Moon's and B. Faidutti's game (2005); the TAG framework
(Gaina et al., "TAG: A Tabletop Games Framework", 2020) as of April 2022, which the
MultiTree paper used.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.diamant.cards import (
    COPIES,
    FIRST_HAZARD,
    HAZARDS,
    LOOKALIKES,
    dangerous_cards,
    share_of,
    shares_in,
)
from mcts_agents.envs.diamant.caves import (
    CAVES,
    FEWEST_PLAYERS,
    MOST_PLAYERS,
    STATE,
    decide,
    set_up,
    shuffle_deck,
)
from mcts_agents.envs.diamant.notation import ACTION_NAMES, CONTINUE, EXIT
from mcts_agents.model import (
    DRAWN,
    LOST,
    PLAYING,
    WON,
    Rules,
    Spec,
    next_uint64,
)
from mcts_agents.model.bits import count_bits
from mcts_agents.model.hashing import mixed

# An observation: 20 faces on the path, more of the cave, SEAT_COLUMNS for each seat.
REMOVED_AT, ON_PATH_AT, CAVE_AT, SEATS_AT = 20, 25, 26, 27
SEAT_INSIDE, SEAT_CHEST, SEAT_CARRIED, SEAT_COLUMNS = 0, 1, 3, 5
DIGITS = 100  # int8 holds no chest: hundreds and the rest stand in two columns
MOST_SEEN = DIGITS - 1

rules = Rules("diamant", state=STATE, search_defaults={"value": "score", "rollout": 30})


@rules.variant
def variant(game, *, players=4):
    """Check the number of players; there is nothing else to choose."""
    if not FEWEST_PLAYERS <= players <= MOST_PLAYERS:
        raise ValueError(f"players={players}: diamant is for 2 to 6 players")
    return Spec(
        players=players,
        actions=len(ACTION_NAMES),
        observation_shape=(SEATS_AT + SEAT_COLUMNS * players,),
        observation_bounds=(0, MOST_SEEN),
    )


@rules.define
def reset(game, state, rng):
    """Shuffle; everybody enters the first cave and its first card is turned."""
    set_up(game, state, rng)


@rules.define
def movers(game, state):
    """Everybody in the cave; nobody once the last cave has ended."""
    return np.int64(state.inside)


@rules.define
def legal_actions(game, state, player, out):
    """Continue and Exit."""
    out[0] = CONTINUE
    out[1] = EXIT
    return 2


@rules.define
def random_action(game, state, player, rng):
    """Continue or Exit by the toss of a fair coin."""
    return np.int64(next_uint64(rng) >> np.uint64(63))


@rules.define
def apply(game, state, joint_action, rng):
    """Let players leave, then turn a card, or shuffle and enter the next cave."""
    inside = np.int64(state.inside)
    leaving = np.int64(0)
    for player in range(game.players):
        if inside >> player & 1 and joint_action[player] == EXIT:
            leaving |= 1 << player
    decide(game, state, leaving, rng)


@rules.define
def playout(game, state, rng, limit):
    """Random play; stops before a joint decision that would exceed `limit` actions.

    The coins of all players of a decision are bits of one draw.
    """
    played = 0
    while state.inside:
        inside = np.int64(state.inside)
        number = count_bits(inside)
        if played + number > limit:
            break
        coins = np.int64(next_uint64(rng) >> np.uint64(64 - MOST_PLAYERS))
        decide(game, state, inside & coins, rng)
        played += number
    return played


@rules.define
def scores(game, state, out):
    """Gems in the chests; what is carried does not count before it is safe."""
    for player in range(game.players):
        out[player] = state.chests[player]


@rules.define
def results(game, state, out):
    """The fullest chest wins; if several are as full these draw; the rest lose."""
    best, tied = -1, 0
    for player in range(game.players):
        if state.chests[player] > best:
            best, tied = state.chests[player], 0
        tied += state.chests[player] == best
    for player in range(game.players):
        if state.cave < CAVES:
            out[player] = PLAYING
        elif state.chests[player] < best:
            out[player] = LOST
        else:
            out[player] = WON if tied == 1 else DRAWN


@rules.define
def turn(game, state):
    """Joint decisions made."""
    return state.turn


@rules.define
def round(game, state):
    """Caves ended."""
    return state.cave


# -- what a player knows


@rules.define
def redeterminise(game, state, observer, rng):
    """Shuffle the deck, the one thing that is hidden: which cards it holds is known."""
    shuffle_deck(state, rng)


@rules.define
def visible_action(game, state, joint_action, actor, observer):
    """The action: decisions are carried out as soon as all have made theirs."""
    return joint_action[actor]


@rules.define
def state_key(game, state, observer):
    """A hash of all that matters for what follows; for observer -1 the order as well.

    In which order the path's cards came, and what happened at the last decision, is
    left out.
    """
    key = np.uint64(state.deck) | np.uint64(state.box) << np.uint64(32)
    word = np.uint64(state.inside) | np.uint64(state.cave) << np.uint64(8)
    word |= np.uint64(state.carried) << np.uint64(16)
    word |= np.uint64(state.on_path) << np.uint64(32)
    key = mixed(mixed(np.uint64(game.players), key), word)
    for player in range(0, MOST_PLAYERS, 3):
        word = np.uint64(state.chests[player])
        word |= np.uint64(state.chests[player + 1]) << np.uint64(16)
        word |= np.uint64(state.chests[player + 2]) << np.uint64(32)
        key = mixed(key, word)
    if observer < 0:
        key = mixed(mixed(key, state.deck_order[0]), state.deck_order[1])
    return np.int64(key)


@rules.define
def observe(game, state, player, out):
    """Facts of the cave, then each seat from the player's own on."""
    for place in range(state.path_length):
        out[state.path[place]] = 1  # faces are the treasures, then the hazards
    for hazard in range(len(HAZARDS)):
        left = count_bits(state.box & LOOKALIKES[FIRST_HAZARD + hazard])
        out[REMOVED_AT + hazard] = COPIES - left
    out[ON_PATH_AT] = state.on_path
    out[CAVE_AT] = state.cave
    for seat in range(game.players):
        owner = (player + seat) % game.players
        row = out[SEATS_AT + SEAT_COLUMNS * seat :]
        row[SEAT_INSIDE] = state.inside >> owner & 1
        row[SEAT_CHEST] = state.chests[owner] // DIGITS
        row[SEAT_CHEST + 1] = state.chests[owner] % DIGITS
        if state.inside >> owner & 1:
            row[SEAT_CARRIED] = state.carried // DIGITS
            row[SEAT_CARRIED + 1] = state.carried % DIGITS


# -- heuristics; all of them use public facts only


@njit
def worth_of_leaving(state):
    """Gems that a player in the cave gets if all who are in it leave now."""
    shared = share_of(np.int64(state.on_path), count_bits(state.inside))
    return np.int64(state.carried) + shared


@rules.policy
def cautious(game, state, player, rng):
    """Exit when what the next card may cost exceeds what it may bring.

    Cards of hazards on the path times the gems that leaving brings, against the
    player's share summed over the treasures in the deck, if nobody leaves; both would
    have to be divided by the number of cards in the deck.
    """
    deck = np.int64(state.deck)
    loss = dangerous_cards(deck, state.hazards) * worth_of_leaving(state)
    gain = shares_in(deck, count_bits(state.inside))
    return EXIT if loss > gain else CONTINUE


@rules.define
def action_values(game, state, player, actions, n, out):
    """What leaving now brings against leaving after one more card, as shares of 1.

    Exit is worth w, the gems that leaving with all others brings; Continue is worth
    (1 - d) * w + g, where d is the chance that the next card ends the cave and g the
    share that it brings on average.
    """
    deck = np.int64(state.deck)
    size = count_bits(deck)
    exiting = float(worth_of_leaving(state))
    danger = dangerous_cards(deck, state.hazards) / size
    going_on = (1.0 - danger) * exiting + (
        shares_in(deck, count_bits(state.inside)) / size
    )
    total = exiting + going_on
    for place in range(n):
        worth = exiting if actions[place] == EXIT else going_on
        out[place] = worth / total if total > 0.0 else 0.5


@rules.define
def evaluate(game, state, out):
    """The share of each player in all gems that are safe or probably will be.

    A player's gems are those in the chest and, of those in the hand, the part that the
    next card leaves on average: (1 - d), with d the chance that it ends the cave. All
    have the same share while nobody has any.
    """
    danger = 0.0
    if state.inside:
        deck = np.int64(state.deck)
        danger = dangerous_cards(deck, state.hazards) / count_bits(deck)
    expected = (1.0 - danger) * state.carried
    total = 0.0
    for player in range(game.players):
        out[player] = state.chests[player] + expected * (state.inside >> player & 1)
        total += out[player]
    for player in range(game.players):
        out[player] = out[player] / total if total > 0.0 else 1.0 / game.players
