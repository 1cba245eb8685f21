"""The rules of the Wargame for two and three players.

The health of all units lies in two words, in the order in which units attack (see
`mcts_agents.envs.slots`), so that a playout works on three numbers in registers.

Source: T. Cazenave, "Monte Carlo Permutation Search" (2025), sections 4.2 and 4.5. That
the slot of a dead unit is lost, and that exact codes hold the health of both units,
fits the playouts of its table 7.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.slots import (
    GREATEST,
    MOST_SLOTS,
    less_one,
    number_at,
    slot_after,
    slots_of,
)
from mcts_agents.model import LOST, PLAYING, WON, Rules, Spec, random_below
from mcts_agents.model.bits import count_bits, nth_bit
from mcts_agents.model.hashing import mixed

FEWEST_PLAYERS, MOST_PLAYERS = 2, 3
MOST_UNITS = {players: MOST_SLOTS // players for players in (2, 3)}
HEALTH = GREATEST  # of every unit at the start
NO_SLOT = -1

STATE = np.dtype(
    [
        ("ones", np.uint64),  # health of the unit in each slot
        ("twos", np.uint64),
        ("slot", np.int8),  # of the unit that attacks next, or would if any enemy lived
        ("last", np.int8),  # slot of the last attacker, NO_SLOT before the first
        ("target", np.int8),  # slot of the last target
    ]
)
GAME = np.dtype(
    [
        ("units", np.int64),
        ("own", np.uint64, MOST_PLAYERS),  # slots of each player's units
        ("enemies", np.uint64, MOST_SLOTS),  # slots of the enemies of each slot's unit
        ("player_of", np.int8, MOST_SLOTS),
        ("unit_of", np.int8, MOST_SLOTS),
    ]
)

rules = Rules(
    "wargame",
    state=STATE,
    game=GAME,
    chance=False,
    search_defaults={"value": "win"},
    move_codes=("exact", "abstract"),
)


@rules.variant
def variant(game, *, players=2, units=10):
    """Choose the armies.

    Args:
        game: The variant's record, filled in place.
        players: 2 or 3.
        units: Units of each player, 1 to 32 with two players, 1 to 21 with three.
    """
    _check(players, units)
    game["units"] = units
    own = [slots_of(units, players, player) for player in range(players)]
    game["own"][:players] = own
    for slot in range(units * players):
        unit, player = divmod(slot, players)
        game["enemies"][slot] = sum(own) - own[player]
        game["player_of"][slot] = player
        game["unit_of"][slot] = unit
    return Spec(
        players=players,
        actions=units * (players - 1),
        observation_shape=(3, players, units),
        observation_bounds=(0, HEALTH),
    )


def _check(players, units):
    if players not in MOST_UNITS:
        raise ValueError(f"players={players}: wargame is for 2 or 3 players")
    whole = isinstance(units, int) and not isinstance(units, bool)
    if not whole or not 1 <= units <= MOST_UNITS[players]:
        raise ValueError(
            f"units={units!r}: wargame has 1 to {MOST_UNITS[players]} units a player "
            f"with {players} players"
        )


@rules.define
def reset(game, state, rng):
    """All units are unhurt; unit 0 of player 0 begins."""
    everybody = ~np.uint64(0) >> np.uint64(MOST_SLOTS - game.players * game.units)
    state.ones = everybody
    state.twos = everybody
    state.slot = 0
    state.last = NO_SLOT
    state.target = NO_SLOT


@njit
def targets(game, state):
    """Return the slots of the units that the next one to attack may hit."""
    return (state.ones | state.twos) & game.enemies[state.slot]


@rules.define
def movers(game, state):
    """The player of the next unit, nobody once only one player has units."""
    if not targets(game, state):
        return 0
    return 1 << game.player_of[state.slot]


@njit
def slot_of(game, slot, action):
    """Return the slot of the unit that an action of the unit in `slot` hits."""
    behind = action // game.units  # enemies who come first in seat order
    player = (game.player_of[slot] + 1 + behind) % game.players
    return (action - behind * game.units) * game.players + player


@njit
def action_on(game, slot, target):
    """Return the action by which the unit in `slot` hits the one in `target`."""
    behind = np.int64(game.player_of[target]) - game.player_of[slot] - 1
    if behind < 0:
        behind += game.players
    return behind * game.units + game.unit_of[target]


@rules.define
def legal_actions(game, state, player, out):
    """Every living unit of an enemy."""
    living = state.ones | state.twos
    n = 0
    for action in range(game.units * (game.players - 1)):
        out[n] = action  # written always, counted if the unit lives
        n += np.int64(living >> np.uint64(slot_of(game, state.slot, action))) & 1
    return n


@njit
def random_target(game, living, slot, rng):
    """Return the slot of a uniformly random living enemy, int64."""
    enemies = living & game.enemies[slot]
    return nth_bit(enemies, random_below(rng, count_bits(enemies)))


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random living unit of an enemy."""
    target = random_target(game, state.ones | state.twos, state.slot, rng)
    return action_on(game, state.slot, target)


@rules.define
def apply(game, state, joint_action, rng):
    """Hit a unit; the next living unit in the order attacks next."""
    slot = np.int64(state.slot)
    target = slot_of(game, slot, joint_action[game.player_of[slot]])
    state.ones, state.twos = less_one(state.ones, state.twos, target)
    state.last, state.target = slot, target
    state.slot = slot_after(state.ones | state.twos, slot)


@rules.define
def playout(game, state, rng, limit):
    """Random play on numbers that stay in registers."""
    return play(game, state, rng, limit, None, 0)


@rules.define
def playout_moves(game, state, rng, limit, kind, out):
    """As `playout`, with the code of each move."""
    return play(game, state, rng, limit, out, kind)


@njit
def play(game, state, rng, limit, moves, kind):
    """Play at random; return the number of moves.

    `moves` is where their codes of this kind are written, None for nowhere.
    """
    ones, twos, slot = state.ones, state.twos, np.int64(state.slot)
    last, target = np.int64(state.last), np.int64(state.target)
    played = 0
    while played < limit and (ones | twos) & game.enemies[slot]:
        last, target = slot, random_target(game, ones | twos, slot, rng)
        if moves is not None:
            moves[played].player = game.player_of[slot]
            moves[played].code = code_of(game, ones, twos, slot, target, kind)
        ones, twos = less_one(ones, twos, target)
        slot = slot_after(ones | twos, slot)
        played += 1
    state.ones, state.twos, state.slot = ones, twos, slot
    state.last, state.target = last, target
    return played


@njit
def code_of(game, ones, twos, slot, target, kind):
    """Return the code of an attack; `kind` is 0 for exact, 1 for abstract."""
    attacker = game.player_of[slot] * game.units + game.unit_of[slot]
    pair = attacker * game.actions + action_on(game, slot, target)
    if kind == 1:
        return pair
    strong = number_at(ones, twos, slot) - 1
    return (pair * HEALTH + strong) * HEALTH + number_at(ones, twos, target) - 1


@rules.define
def move_code(game, state, player, action, kind):
    """Attacker and target; in exact codes also the health of both before the hit."""
    target = slot_of(game, state.slot, action)
    return code_of(game, state.ones, state.twos, state.slot, target, kind)


@rules.define
def is_out(game, state, player):
    """Whether a player has lost all units."""
    return 0 if (state.ones | state.twos) & game.own[player] else 1


@rules.define
def scores(game, state, out):
    """Living units."""
    for player in range(game.players):
        out[player] = count_bits((state.ones | state.twos) & game.own[player])


@rules.define
def results(game, state, out):
    """Who alone has units wins; one always does in the end."""
    over = not targets(game, state)
    for player in range(game.players):
        out[player] = PLAYING
        if over:
            out[player] = WON if game.player_of[state.slot] == player else LOST


@njit
def health_of(game, state, player):
    """Return the health of all units of a player together."""
    own = game.own[player]
    return count_bits(state.ones & own) + 2 * count_bits(state.twos & own)


@rules.define
def evaluate(game, state, out):
    """Each player's share of the health of all units."""
    total = 0
    for player in range(game.players):
        out[player] = health_of(game, state, player)
        total += health_of(game, state, player)
    for player in range(game.players):
        out[player] /= total


@rules.define
def action_values(game, state, player, actions, n, out):
    """1 for a hit that kills, 2/3 if one more is needed then, 1/3 if two are."""
    for i in range(n):
        target = slot_of(game, state.slot, actions[i])
        health = number_at(state.ones, state.twos, target)
        out[i] = (HEALTH + 1 - health) / HEALTH


@rules.define
def pass_turn(game, state):
    """The next living unit attacks, which may be one of the same player."""
    state.slot = slot_after(state.ones | state.twos, state.slot)


@rules.define
def state_key(game, state, observer):
    """A hash of the health of all units and of who attacks next."""
    key = mixed(mixed(state.ones, np.uint64(0)), state.twos)
    key = mixed(key, np.uint64(state.slot))
    return np.int64(key)


@njit
def hits(game, state):
    """Return the number of attacks so far: each took one health."""
    left = count_bits(state.ones) + 2 * count_bits(state.twos)
    return HEALTH * game.players * game.units - left


@rules.define
def turn(game, state):
    """Attacks made."""
    return hits(game, state)


@rules.define
def round(game, state):
    """A round is as many attacks as there are players."""
    return hits(game, state) // game.players


@rules.define
def observe(game, state, player, out):
    """Planes of players, the own first, by units: health, the next to attack, turn."""
    plane = game.players * game.units
    my_turn = game.player_of[state.slot] == player and targets(game, state) != 0
    for seat in range(game.players):
        owner = (player + seat) % game.players
        for unit in range(game.units):
            slot = unit * game.players + owner
            at = seat * game.units + unit
            out[at] = number_at(state.ones, state.twos, slot)
            out[plane + at] = state.slot == slot
            out[2 * plane + at] = my_turn
