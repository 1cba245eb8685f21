"""Small compiled games, each with something that makes a search hard.

- `auction`: three players bid at once; chance sets the next prize and who sleeps.
- `hands`: hidden hands, chance decides who is next, the legal set is the hand.
- `nim`: three players in turn, no chance, an evaluation function.
- `matrix`: two players choose at once, as often as wished, for any payoffs.
- `fuse`: goes wrong below the root in two ways.
"""

from functools import cache

import numpy as np
from numba import njit

from mcts_agents.model import (
    DRAWN,
    LOST,
    PLAYING,
    WON,
    CompiledModel,
    Rules,
    Spec,
    random_below,
)


@njit
def write_results(players, over, points, out):
    """Most points win; several with most points draw."""
    best = points[0]
    for player in range(players):
        best = max(best, points[player])
    winners = 0
    for player in range(players):
        winners += points[player] == best
    for player in range(players):
        if not over:
            out[player] = PLAYING
        elif points[player] < best:
            out[player] = LOST
        else:
            out[player] = WON if winners == 1 else DRAWN


@njit
def draw_prize(state, rng):
    state.prize = 1 + random_below(rng, 3)
    # Half of the time everybody is awake.
    state.awake = 7 if random_below(rng, 2) else 1 + random_below(rng, 7)


@cache
def auction() -> CompiledModel:
    rules = Rules(
        "auction",
        state=np.dtype(
            [
                ("coins", np.int8, 3),
                ("points", np.int8, 3),
                ("round", np.int8),
                ("prize", np.int8),
                ("awake", np.int8),  # bit mask
            ]
        ),
    )

    @rules.variant
    def variant(game, *, players=3):
        return Spec(players=players, actions=4)

    @rules.define
    def reset(game, state, rng):
        state.coins[:] = 5
        state.points[:] = 0
        state.round = 0
        draw_prize(state, rng)
        state.awake = 7

    @rules.define
    def movers(game, state):
        return state.awake if state.round < 4 else 0

    @rules.define
    def legal_actions(game, state, player, out):
        n = min(3, state.coins[player]) + 1
        for bid in range(n):
            out[bid] = n - 1 - bid
        return n

    @rules.define
    def apply(game, state, joint_action, rng):
        best = -1
        winner = -1
        for player in range(3):
            bid = joint_action[player]
            if bid < 0:  # sleeps
                continue
            state.coins[player] += 1 - bid
            if bid == best:
                winner = -1
            elif bid > best:
                best = bid
                winner = player
        if winner >= 0:
            state.points[winner] += state.prize
        state.round += 1
        draw_prize(state, rng)

    @rules.define
    def scores(game, state, out):
        for player in range(3):
            out[player] = 3 * state.points[player] + state.coins[player]

    @rules.define
    def results(game, state, out):
        points = 3 * state.points + state.coins
        write_results(3, state.round >= 4, points, out)

    @rules.define
    def evaluate(game, state, out):
        for player in range(3):
            out[player] = (3 * state.points[player] + state.coins[player]) / 40

    return rules.model()


HAND, CARDS = 3, 10


@njit
def draw_card(cards, rng):
    """Return one of a bit mask of cards."""
    while True:
        card = random_below(rng, CARDS)
        if cards >> card & 1:
            return card


@njit
def draw_next(players, state, rng):
    """Choose who is next among those with cards; -1 if nobody has any."""
    state.next = -1
    held = 0
    for player in range(players):
        held |= state.hands[player]
    while held and (state.next < 0 or state.hands[state.next] == 0):
        state.next = random_below(rng, players)


@cache
def hands(players: int = 2) -> CompiledModel:
    rules = Rules(
        "hands",
        state=np.dtype(
            [
                ("hands", np.int16, 3),  # bit c: holds card c
                ("played", np.int16),
                ("points", np.int16, 3),
                ("last", np.int8),
                ("next", np.int8),
            ]
        ),
    )

    @rules.variant
    def variant(game, *, players=2):
        return Spec(players=players, actions=CARDS, legal_limit=HAND)

    @rules.define
    def reset(game, state, rng):
        deck = (1 << CARDS) - 1
        state.played = 0
        state.last = 0
        state.hands[:] = 0
        state.points[:] = 0
        for player in range(game.players):
            for _ in range(HAND):
                card = draw_card(deck, rng)
                deck &= ~(1 << card)
                state.hands[player] |= 1 << card
        draw_next(game.players, state, rng)

    @rules.define
    def movers(game, state):
        return 0 if state.next < 0 else 1 << state.next

    @rules.define
    def legal_actions(game, state, player, out):
        n = 0
        for card in range(CARDS):
            if state.hands[player] >> card & 1:
                out[n] = card
                n += 1
        return n

    @rules.define
    def random_action(game, state, player, rng):
        return draw_card(state.hands[player], rng)

    @rules.define
    def apply(game, state, joint_action, rng):
        player = state.next
        card = joint_action[player]
        state.hands[player] &= ~(1 << card)
        state.played |= 1 << card
        if card > state.last:
            state.points[player] += card
        else:
            state.points[player] += 2
        state.last = card
        draw_next(game.players, state, rng)

    @rules.define
    def redeterminise(game, state, observer, rng):
        deck = ((1 << CARDS) - 1) & ~state.played & ~state.hands[observer]
        for player in range(game.players):
            if player == observer:
                continue
            held = 0
            for card in range(CARDS):
                if state.hands[player] >> card & 1:
                    drawn = draw_card(deck, rng)
                    deck &= ~(1 << drawn)
                    held |= 1 << drawn
            state.hands[player] = held

    @rules.define
    def scores(game, state, out):
        for player in range(game.players):
            out[player] = state.points[player]

    @rules.define
    def results(game, state, out):
        write_results(game.players, state.next < 0, state.points, out)

    @rules.define
    def evaluate(game, state, out):
        for player in range(game.players):
            out[player] = state.points[player] / 30

    return rules.model(players=players)


@cache
def nim(chance: bool = False) -> CompiledModel:
    """Three heaps of 4, 1 to 3 from one of them; who takes the last stone wins.

    `chance=True` only says that there might be some, which costs a search its trust
    that a path determines the state.
    """
    rules = Rules(
        "three_player_nim",
        state=np.dtype([("heaps", np.int8, 3), ("turn", np.int8)]),
        chance=chance,
        search_defaults={"value": "win"},
    )

    @rules.variant
    def variant(game, *, players=3):
        return Spec(players=players, actions=9)

    @rules.define
    def reset(game, state, rng):
        state.heaps[:] = 4
        state.turn = 0

    @rules.define
    def movers(game, state):
        return 0 if state.heaps.sum() == 0 else 1 << state.turn

    @rules.define
    def legal_actions(game, state, player, out):
        n = 0
        for heap in range(3):
            for stones in range(min(3, state.heaps[heap])):
                out[n] = 3 * heap + stones
                n += 1
        return n

    @rules.define
    def apply(game, state, joint_action, rng):
        action = joint_action[state.turn]
        state.heaps[action // 3] -= action % 3 + 1
        state.turn = (state.turn + 1) % game.players

    @rules.define
    def scores(game, state, out):
        for player in range(game.players):
            out[player] = (player == state.turn) + 0.25 * player

    @rules.define
    def results(game, state, out):
        over = state.heaps.sum() == 0
        winner = (state.turn - 1) % game.players
        for player in range(game.players):
            if not over:
                out[player] = PLAYING
            else:
                out[player] = WON if player == winner else LOST

    @rules.define
    def evaluate(game, state, out):
        for player in range(game.players):
            distance = (player - state.turn) % game.players
            out[player] = (state.heaps.max() + distance) / 8

    return rules.model()


MATRIX = Rules(
    "matrix",
    state=np.dtype([("round", np.int8), ("points", np.float64, 2)]),
    game=np.dtype([("rounds", np.int8), ("payoffs", np.float64, (2, 2, 2))]),
    chance=False,
    search_defaults={"value": "score"},
)


@MATRIX.variant
def matrix_variant(game, *, players=2, payoffs=(0,) * 8, rounds=1):
    """Payoffs to (first, second) at (0, 0), (0, 1), (1, 0), (1, 1)."""
    game["rounds"] = rounds
    game["payoffs"] = np.reshape(payoffs, (2, 2, 2))
    return Spec(players=players, actions=2)


@MATRIX.define
def reset(game, state, rng):
    state.round = 0
    state.points[:] = 0


@MATRIX.define
def movers(game, state):
    return 3 if state.round < game.rounds else 0


@MATRIX.define
def legal_actions(game, state, player, out):
    out[0] = 0
    out[1] = 1
    return 2


@MATRIX.define
def apply(game, state, joint_action, rng):
    for player in range(2):
        payoff = game.payoffs[joint_action[0], joint_action[1], player]
        state.points[player] += payoff
    state.round += 1


@MATRIX.define
def scores(game, state, out):
    out[0] = state.points[0]
    out[1] = state.points[1]


@MATRIX.define
def results(game, state, out):
    out[:] = DRAWN if state.round >= game.rounds else PLAYING


FUSE_SOUND, FUSE_RAISES, FUSE_STUCK = range(3)


@cache
def fuse() -> CompiledModel:
    """Ten moves of two actions; from the fifth on, `state.fault` shows."""
    rules = Rules(
        "fuse",
        state=np.dtype([("moves", np.int8), ("ones", np.int8), ("fault", np.int8)]),
        chance=False,
    )

    @rules.variant
    def variant(game, *, players=2):
        return Spec(players=players, actions=2)

    @rules.define
    def reset(game, state, rng):
        state.moves = 0
        state.ones = 0
        state.fault = FUSE_SOUND

    @rules.define
    def movers(game, state):
        return 1 << state.moves % 2 if state.moves < 10 else 0

    @rules.define
    def legal_actions(game, state, player, out):
        if state.fault == FUSE_STUCK and state.moves >= 4:
            return 0
        out[0] = 0
        out[1] = 1
        return 2

    @rules.define
    def apply(game, state, joint_action, rng):
        if state.fault == FUSE_RAISES and state.moves >= 4:
            raise ArithmeticError("the fuse is blown")
        state.ones += joint_action[state.moves % 2]
        state.moves += 1

    @rules.define
    def scores(game, state, out):
        out[0] = state.ones
        out[1] = -state.ones

    @rules.define
    def results(game, state, out):
        out[:] = DRAWN if state.moves >= 10 else PLAYING

    return rules.model()
