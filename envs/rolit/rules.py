"""The rules of Rolit on 8x8 fields for 2 to 4 players.

Each colour's balls are the bits of one word (see `flanked`). The start is figure 3 of
H. Baier, M. Kaisers, "Guiding multiplayer MCTS by focusing on yourself" (CoG 2020), and
so are the evaluation and, after J.A.M. Nijssen and M.H.M. Winands, "Search policies in
multi-player games" (ICGA Journal 36, 2013), the static order of moves.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.flanked import (
    ONE,
    SIDE,
    SQUARES,
    ZERO,
    beside,
    captured,
    capturing,
)
from mcts_agents.envs.rolit.stable import safe_lines, stable
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec, random_below
from mcts_agents.model.bits import bit_of, count_bits, lowest_bit, nth_bit
from mcts_agents.model.hashing import mixed

FEWEST_PLAYERS, MOST_PLAYERS = 2, 4
COLORS = MOST_PLAYERS
# Row and column of the first ball of red, green, yellow and blue: clockwise.
START = ((3, 3), (3, 4), (4, 4), (4, 3))
NO_FIELD = -1

# How good a field is, after Othello: corners, then edges, then the inside; next to a
# corner is worst. The order of these is what matters, the numbers are ours.
_QUARTER = ((5, 2, 4, 3), (2, 1, 3, 3), (4, 3, 4, 4), (3, 3, 4, 5))
FIELD_VALUES = np.array(
    [
        _QUARTER[min(row, SIDE - 1 - row)][min(column, SIDE - 1 - column)]
        for row in range(SIDE)
        for column in range(SIDE)
    ]
)
# More than one move can capture, so that captures only decide between equal fields.
CAPTURES = 32
HIGHEST_VALUE = 5 * CAPTURES + CAPTURES - 1
STABLE_WEIGHT = 2

STATE = np.dtype(
    [
        ("balls", np.uint64, COLORS),  # bit: a ball of the colour
        ("turn", np.int8),  # who is to move, also on a full board
        ("left", np.int8),  # empty fields
        ("last", np.int8),  # field of the last ball, NO_FIELD before the first
    ]
)
GAME = np.dtype([("start_colors", np.int64)])  # how many lie on the board at first

rules = Rules(
    "rolit",
    state=STATE,
    game=GAME,
    chance=False,
    search_defaults={"value": "evaluate", "rollout": 0},
)


@rules.variant
def variant(game, *, players=4, neutral_fourth=True):
    """Choose the number of players, and what lies in the middle.

    Args:
        game: The variant's record, filled in place.
        players: 2 to 4.
        neutral_fourth: Whether the start has a ball of each of the four colours, of
            which those without a player are neutral: they can be captured, capture
            nothing, and count for nobody. With False their fields are empty. With 4
            players every colour has one.
    """
    if not FEWEST_PLAYERS <= players <= MOST_PLAYERS:
        raise ValueError(
            f"players={players}: rolit is for {FEWEST_PLAYERS} to {MOST_PLAYERS} "
            "players"
        )
    if not isinstance(neutral_fourth, bool):
        raise ValueError(f"neutral_fourth={neutral_fourth!r}: expected true or false")
    if players == MOST_PLAYERS and not neutral_fourth:
        raise ValueError(
            f"neutral_fourth=False: with players={players} no colour is neutral; "
            "expected True, or fewer players"
        )
    game["start_colors"] = COLORS if neutral_fourth else players
    return Spec(
        players=players,
        actions=SQUARES,
        observation_shape=(players + 2, SIDE, SIDE),
    )


@rules.define
def reset(game, state, rng):
    """Balls in the middle; player 0 begins."""
    for color in range(COLORS):
        row, column = START[color]
        placed = color < game.start_colors
        state.balls[color] = bit_of(row * SIDE + column) if placed else ZERO
    state.turn = 0
    state.left = SQUARES - game.start_colors
    state.last = NO_FIELD


@njit
def occupied(state):
    """Return the fields with a ball."""
    return state.balls[0] | state.balls[1] | state.balls[2] | state.balls[3]


@njit
def placeable(own, occupied):
    """Return the fields on which the owner of `own` may put a ball.

    Those that capture; if there are none, all that touch a ball.
    """
    fields = capturing(own, occupied & ~own)
    return fields if fields else beside(occupied) & ~occupied


@njit
def place(game, state, field):
    """Put the mover's ball on a field and colour what it captures."""
    mover = np.int64(state.turn)
    ball = bit_of(field)
    own = state.balls[mover]
    taken = captured(ball, own, occupied(state) & ~own)
    for color in range(COLORS):
        state.balls[color] &= ~taken
    state.balls[mover] |= ball | taken
    state.left -= 1
    state.last = field
    pass_on(game, state)


@njit
def pass_on(game, state):
    """Make the next player the one to move."""
    following = state.turn + 1
    state.turn = 0 if following == game.players else following


@njit
def random_field(state, rng):
    """Return a uniformly random legal field of the mover."""
    fields = placeable(state.balls[state.turn], occupied(state))
    return nth_bit(fields, random_below(rng, count_bits(fields)))


@rules.define
def movers(game, state):
    """The player to move, nobody on a full board; nobody ever passes."""
    return 0 if state.left == 0 else 1 << state.turn


@rules.define
def legal_actions(game, state, player, out):
    """Fields that capture, else all empty fields beside a ball."""
    fields = placeable(state.balls[player], occupied(state))
    n = 0
    while fields:
        out[n] = lowest_bit(fields)
        fields &= fields - ONE
        n += 1
    return n


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random legal field."""
    return random_field(state, rng)


@rules.define
def apply(game, state, joint_action, rng):
    """Put a ball and capture."""
    place(game, state, np.int64(joint_action[state.turn]))


@rules.define
def playout(game, state, rng, limit):
    """Random play until the board is full or `limit` balls were put."""
    played = min(np.int64(state.left), limit)
    for _ in range(played):
        place(game, state, random_field(state, rng))
    return max(played, 0)


@rules.define
def scores(game, state, out):
    """Own balls."""
    for player in range(game.players):
        out[player] = count_bits(state.balls[player])


@rules.define
def results(game, state, out):
    """Most balls win on a full board; who has equally many of them draws."""
    most = 0
    winners = 0
    for player in range(game.players):
        balls = count_bits(state.balls[player])
        winners = 1 if balls > most else winners + (balls == most)
        most = max(most, balls)
    for player in range(game.players):
        if state.left > 0:
            out[player] = PLAYING
        elif count_bits(state.balls[player]) < most:
            out[player] = LOST
        else:
            out[player] = WON if winners == 1 else DRAWN


@rules.define
def evaluate(game, state, out):
    """A player's share of 2 * stable balls + legal moves, as if it were to move."""
    balls = occupied(state)
    safe = safe_lines(balls)
    total = 0
    for player in range(game.players):
        own = state.balls[player]
        worth = STABLE_WEIGHT * count_bits(stable(own, safe))
        worth += count_bits(placeable(own, balls))
        out[player] = worth
        total += worth
    for player in range(game.players):
        out[player] = out[player] / total if total else 1 / game.players


@rules.define
def action_values(game, state, player, actions, n, out):
    """A fixed value of each field; among equals, more captures are better."""
    own = state.balls[player]
    foreign = occupied(state) & ~own
    for place in range(n):
        field = np.int64(actions[place])
        taken = count_bits(captured(bit_of(field), own, foreign))
        out[place] = (FIELD_VALUES[field] * CAPTURES + taken) / HIGHEST_VALUE


@rules.define
def pass_turn(game, state):
    """The next player is to move, which the rules never allow without a ball put."""
    pass_on(game, state)


@rules.define
def state_key(game, state, observer):
    """A hash of the balls and of who is to move."""
    key = mixed(np.uint64(0), np.uint64(state.turn))
    for color in range(COLORS):
        key = mixed(key, state.balls[color])
    return np.int64(key)


@njit
def balls_put(game, state):
    """Return the number of balls that players have put."""
    return SQUARES - game.start_colors - np.int64(state.left)


@rules.define
def turn(game, state):
    """Each ball is a turn."""
    return balls_put(game, state)


@rules.define
def round(game, state):
    """A round is a ball of each player."""
    return balls_put(game, state) // game.players


@rules.define
def observe(game, state, player, out):
    """Planes of balls, own first; of neutral balls; and whether I am to move."""
    for color in range(COLORS):
        plane = game.players
        if color < game.players:
            plane = (color - player + game.players) % game.players
        for field in range(SQUARES):
            if state.balls[color] & bit_of(field):
                out[plane * SQUARES + field] = 1
    if state.left > 0 and state.turn == player:
        for field in range(SQUARES):
            out[(game.players + 1) * SQUARES + field] = 1
