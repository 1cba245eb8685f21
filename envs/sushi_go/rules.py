"""The rules of Sushi Go!, in the TAG framework's version and as published.

Sources: the rules of P. Walker-Harding's game (2013); the TAG framework (Gaina et al.,
"TAG: A Tabletop Games Framework", 2020) as of April 2022, which the MultiTree paper
used. Where the two differ, the options of `variant` choose.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.sushi_go.cards import (
    ACTIONS,
    CHOPSTICKS,
    DECKS,
    NIGIRI,
    ON_WASABI,
    POINTS,
    SQUID,
    TYPES,
    USE_CHOPSTICKS,
    WASABI_CHANGE,
    count_of,
    draw_hand,
    gather,
    kinds_in,
    kinds_total,
    nth_kind,
    pack,
    spread,
)
from mcts_agents.envs.sushi_go.knowledge import (
    key_of_all,
    key_of_knowledge,
    knows_hand,
    shown_hand,
    unseen_cards,
    visible_choice,
)
from mcts_agents.envs.sushi_go.scoring import ranking
from mcts_agents.envs.sushi_go.turns import (
    GAME,
    HAND_SIZES,
    MAX_SEATS,
    NO_CHOICES,
    NONE,
    ROUNDS,
    STATE,
    clear_wasabi,
    commit,
    deal,
    moving,
    play,
    shuffle_pile,
)
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec, random_below

# Rows of an observation: the seats from the observer on, then a common one.
SEAT_HAND, SEAT_KNOWN, SEAT_FIELD, SEAT_ON_WASABI = 0, 12, 13, 25
SEAT_SCORE, SEAT_USES_CHOPSTICKS = 28, 29
COMMON_UNSEEN, COMMON_PENDING, COMMON_ROUND = 0, 12, 27
COMMON_HAND_SIZE, COMMON_STEP = 28, 29
COLUMNS = 30
OBSERVED_SCORES = (-6, 127)
MOST_AT_ONCE = int(POINTS.max())  # 10, for the third sashimi

rules = Rules(
    "sushi_go",
    state=STATE,
    game=GAME,
    chance=False,
    search_defaults={"value": "score", "rollout": 30},
)


@rules.variant
def variant(game, *, players=4, maki="tag2022", rulebook="tag"):
    """Fill in the hand size, the deck and the rule book."""
    if players not in HAND_SIZES:
        raise ValueError(f"players={players}: sushi_go is for 2 to 5 players")
    if maki not in DECKS:
        raise ValueError(f"maki={maki!r}: sushi_go has {', '.join(map(repr, DECKS))}")
    if rulebook not in ("tag", "published"):
        raise ValueError(f"rulebook={rulebook!r}: sushi_go has 'tag', 'published'")
    game["hand_size"] = HAND_SIZES[players]
    game["deck"] = pack(DECKS[maki])
    game["published"] = rulebook == "published"
    return Spec(
        players=players,
        actions=ACTIONS,
        legal_limit=ACTIONS,
        observation_shape=(players + 1, COLUMNS),
        observation_bounds=OBSERVED_SCORES,
    )


@rules.define
def reset(game, state, rng):
    """Shuffle and deal the first hands."""
    for player in range(MAX_SEATS):
        state.hands[player] = 0
        state.fields[player] = 0
        state.scores[player] = 0
        state.pending[player] = NONE
    clear_wasabi(state)
    state.last[0] = NO_CHOICES
    state.last[1] = NO_CHOICES
    state.users = 0
    state.step = 0
    state.round = 0
    state.pile = game.deck
    shuffle_pile(state, rng)
    deal(game, state)


@rules.define
def movers(game, state):
    """Everybody, or those who use chopsticks while they take their two cards."""
    return moving(game, state)


@rules.define
def apply(game, state, joint_action, rng):
    """Let the movers choose; when all have, reveal the cards and pass the hands."""
    mask = moving(game, state)
    choices = np.int64(0)
    for player in range(game.players):
        if mask >> player & 1:
            choices |= np.int64(joint_action[player]) << (4 * player)
    play(game, state, choices)


@rules.define
def scores(game, state, out):
    """Points so far; maki and puddings only once they are paid."""
    for player in range(game.players):
        out[player] = state.scores[player]


@rules.define
def results(game, state, out):
    """Most points win, then most puddings; those still tied draw, the rest lose."""
    best, tied = -(1 << 30), 0
    for player in range(game.players):
        rank = ranking(state, player)
        if rank > best:
            best, tied = rank, 0
        tied += rank == best
    for player in range(game.players):
        if state.round < ROUNDS:
            out[player] = PLAYING
        elif ranking(state, player) < best:
            out[player] = LOST
        else:
            out[player] = WON if tied == 1 else DRAWN


@rules.define
def turn(game, state):
    """Turns ended: cards laid and hands passed; two cards with chopsticks are one."""
    if state.round == ROUNDS:
        return ROUNDS * game.hand_size
    return state.round * game.hand_size + state.passes


@rules.define
def round(game, state):
    """Rounds ended."""
    return state.round


# -- choosing


@njit
def may_use_chopsticks(game, state, player):
    """Whether chopsticks lie on the field, the turn begins and two cards are left."""
    return (
        state.step == 0
        and state.passes < game.hand_size - 1
        and count_of(state.fields[player], CHOPSTICKS) > 0
    )


@rules.define
def legal_actions(game, state, player, out):
    """Each type in the hand, nigiri also on an unused wasabi, and using chopsticks."""
    hand = state.hands[player]
    has_wasabi = state.wasabi[player] > 0
    plain = kinds_in(hand)
    if has_wasabi and game.published:
        plain &= ~NIGIRI
    n = 0
    for card in range(TYPES):  # written always, counted if legal: no branch to miss
        out[n] = card
        n += count_of(plain, card)
    if has_wasabi:
        for nigiri in range(3):
            out[n] = ON_WASABI + nigiri
            n += count_of(hand, SQUID + nigiri) > 0
    if may_use_chopsticks(game, state, player):
        out[n] = USE_CHOPSTICKS
        n += 1
    return n


@njit
def random_choice(game, state, player, chopsticks, rng):
    """Return a uniformly random legal action; `chopsticks`: 1 if these may be used."""
    plain = kinds_in(state.hands[player])
    nigiri = np.uint64(0)
    if state.wasabi[player] > 0:
        nigiri = plain & NIGIRI
        if game.published:
            plain &= ~NIGIRI
    cards = kinds_total(plain)
    on_wasabi = kinds_total(nigiri)
    n = random_below(rng, cards + on_wasabi + chopsticks)
    if n < cards:
        return nth_kind(plain, n)
    n -= cards
    if n < on_wasabi:
        return nth_kind(nigiri, n) + ON_WASABI - SQUID
    return USE_CHOPSTICKS


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random legal action."""
    chopsticks = may_use_chopsticks(game, state, player)
    return random_choice(game, state, player, np.int64(chopsticks), rng)


@rules.define
def action_values(game, state, player, actions, n, out):
    """Points that a card is paid at once, in tenths; chopsticks: of the two best."""
    field = state.fields[player]
    best = second = 0
    for place in range(n):
        out[place] = 0.0
        action = actions[place]
        if action != USE_CHOPSTICKS:
            points = POINTS[action, count_of(field, action) + 1]
            out[place] = points / MOST_AT_ONCE
            if points > best:
                best, second = points, best
            elif points > second:
                second = points
    for place in range(n):
        if actions[place] == USE_CHOPSTICKS:
            out[place] = min(1.0, (best + second) / MOST_AT_ONCE)


@rules.define
def playout(game, state, rng, limit):
    """Random play; stops before a joint decision that would exceed `limit` actions."""
    played = 0
    while state.round < ROUNDS:
        mask = moving(game, state)
        number = 0
        choices = np.int64(0)
        for player in range(game.players):
            if mask >> player & 1:
                number += 1
        if played + number > limit:
            break
        for player in range(game.players):
            if mask >> player & 1:
                chopsticks = np.int64(may_use_chopsticks(game, state, player))
                action = random_choice(game, state, player, chopsticks, rng)
                choices |= action << (4 * player)
        play(game, state, choices)
        played += number
    return played


# -- what a player knows


@rules.define
def redeterminise(game, state, observer, rng):
    """Resample pile, unknown hands and the others' pending choices.

    Who uses chopsticks is seen by all, since only these players decide next. The card
    that another player has chosen in a turn that waits for them is not: it is put back
    and chosen anew, uniformly among that player's choices.
    """
    unseen = unseen_cards(game, state, observer)
    for owner in range(game.players):
        if owner != observer and state.pending[owner] != NONE:
            state.hands[owner] = shown_hand(state, owner)
            state.wasabi[owner] -= WASABI_CHANGE[state.pending[owner]]
    shuffle_pile(state, rng)
    size = game.hand_size - state.passes
    low, high = spread(unseen)
    for owner in range(game.players):
        if not knows_hand(game, state, observer, owner):
            state.hands[owner], low, high = draw_hand(low, high, size, rng)
    state.pile = gather(low, high)
    for owner in range(game.players):
        if owner != observer and state.pending[owner] != NONE:
            commit(state, owner, random_choice(game, state, owner, 0, rng))


@rules.define
def visible_action(game, state, joint_action, actor, observer):
    """The action if it is open or one's own; see `visible_choice` for the others."""
    return visible_choice(game, state, joint_action, actor, observer)


@rules.define
def state_key(game, state, observer):
    """A hash of what the observer can see, of the whole state for observer -1.

    Which choices the last turn's cards came from is left out.
    """
    if observer < 0:
        return np.int64(key_of_all(game, state))
    return np.int64(key_of_knowledge(game, state, observer))


@rules.define
def observe(game, state, player, out):
    """A table of a row per seat from the player's own on, and one of common facts."""
    for seat in range(game.players):
        owner = (player + seat) % game.players
        row = out[seat * COLUMNS : (seat + 1) * COLUMNS]
        if owner == player:
            write_counts(state.hands[owner], row, SEAT_HAND)
            row[SEAT_KNOWN] = 1
        elif knows_hand(game, state, player, owner):
            write_counts(shown_hand(state, owner), row, SEAT_HAND)
            row[SEAT_KNOWN] = 1
        write_counts(state.fields[owner], row, SEAT_FIELD)
        for nigiri in range(3):
            row[SEAT_ON_WASABI + nigiri] = state.on_wasabi[owner, nigiri]
        row[SEAT_SCORE] = min(state.scores[owner], OBSERVED_SCORES[1])
        row[SEAT_USES_CHOPSTICKS] = state.users >> owner & 1
    row = out[game.players * COLUMNS :]
    write_counts(unseen_cards(game, state, player), row, COMMON_UNSEEN)
    if state.pending[player] != NONE:
        row[COMMON_PENDING + state.pending[player]] = 1
    row[COMMON_ROUND] = state.round
    row[COMMON_HAND_SIZE] = game.hand_size - state.passes
    row[COMMON_STEP] = state.step


@njit
def write_counts(bunch, row, start):
    """Write the twelve counts of a bunch into `row[start:start + 12]`."""
    for card in range(TYPES):
        row[start + card] = count_of(bunch, card)
