"""The rules of the Video Game: two teams of agents that step and attack on a small map.

Who stands where are bits of a word for each team; the health of all agents lies in two
words, in the order in which they act (see `mcts_agents.envs.slots`). A move is a pair
of a cell to arrive at and a target near it; words of what lies near each cell count
them.

Source: T. Cazenave, "Monte Carlo Permutation Search" (2025), section 4.4. The paper
gives no rules in full; these fit the playouts of its table 7.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.slots import (
    GREATEST,
    less_one,
    number_at,
    slot_after,
)
from mcts_agents.envs.video_game.battlefield import (
    DIRECTIONS,
    LARGEST,
    MOST_CELLS,
    NOWHERE,
    RANGE,
    SMALLEST,
    STAY,
    beginning,
    most_agents,
    steps,
    within,
)
from mcts_agents.model import (
    DRAWN,
    LOST,
    PLAYING,
    WON,
    Rules,
    Spec,
    random_below,
)
from mcts_agents.model.bits import bit_of, count_bits, lowest_bit, nth_bit
from mcts_agents.model.hashing import mixed

TEAMS = 2
MOST_AGENTS = 16  # of a team
SLOTS = TEAMS * MOST_AGENTS
HEALTH = GREATEST  # of every agent at the start
WAYS = len(DIRECTIONS)
MOST_PLIES = 30_000
NO_SLOT, NO_CELL = -1, -1
ZERO, ONE = np.uint64(0), np.uint64(1)

# `action_values`: the most that a move without an attack is worth, next to an enemy.
NO_ATTACK = 0.25

STATE = np.dtype(
    [
        ("cells", np.uint8, SLOTS),  # of the agent in each slot, 0 for the dead
        ("taken", np.uint64, TEAMS),  # cells of each team
        ("ones", np.uint64),  # health of the agent in each slot
        ("twos", np.uint64),
        ("at", np.int8, MOST_CELLS),  # slot of the agent on each cell, or NO_SLOT
        ("plies", np.int16),
        ("slot", np.int8),  # of the agent that acts next
        ("last", np.int8),  # slot of the last agent that acted, NO_SLOT before
        ("origin", np.int8),  # cell that it left
        ("arrival", np.int8),  # cell that it came to
        ("target", np.int8),  # cell that it attacked, NO_CELL for none
    ]
)
GAME = np.dtype(
    [
        ("size", np.int64),
        ("agents", np.int64),
        ("most_plies", np.int64),
        ("begin", np.uint8, SLOTS),  # cell of the agent in each slot
        ("own", np.uint64, TEAMS),  # slots of each team
        ("steps", np.uint8, (MOST_CELLS, WAYS)),
        ("near", np.uint64, MOST_CELLS),  # cells that are one step away
        ("range", np.uint64, MOST_CELLS),  # cells in range of an attack
        ("reach", np.uint64, MOST_CELLS),  # cells in range after a step
    ]
)

rules = Rules(
    "video_game",
    state=STATE,
    game=GAME,
    chance=False,
    search_defaults={"value": "win"},
    move_codes=("exact", "abstract", "specific"),
)


@rules.variant
def variant(game, *, players=2, size=5, agents=10, max_plies=1000):
    """Fill the tables of one map.

    Args:
        game: The variant's record, filled in place.
        players: 2.
        size: Cells a side of the map, 3 to 8.
        agents: Agents of each team, 1 to 16, in at most half of the map's rows.
        max_plies: The game is drawn after so many moves, 1 to 30,000.
    """
    _check(players, size, agents, max_plies)
    game["size"], game["agents"], game["most_plies"] = size, agents, max_plies
    for team, cells in enumerate(beginning(size, agents)):
        slots = range(team, TEAMS * agents, TEAMS)
        game["begin"][list(slots)] = cells
        game["own"][team] = sum(1 << slot for slot in slots)
    cells = size * size
    game["steps"][:cells] = steps(size)
    game["near"][:cells] = within(size, 1)
    game["range"][:cells] = within(size, RANGE)
    game["reach"][:cells] = within(size, RANGE + 1)
    return Spec(
        players=TEAMS,
        actions=WAYS * (agents + 1),
        observation_shape=(5, size, size),
        observation_bounds=(0, max(HEALTH, agents)),
    )


def _check(players, size, agents, max_plies):
    if players != TEAMS:
        raise ValueError(f"players={players}: video_game is for 2 players")
    for name, value, least, most in (
        ("size", size, SMALLEST, LARGEST),
        ("agents", agents, 1, MOST_AGENTS),
        ("max_plies", max_plies, 1, MOST_PLIES),
    ):
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not whole or not least <= value <= most:
            raise ValueError(
                f"{name}={value!r}: video_game needs a whole number from {least} to "
                f"{most:,}"
            )
    if agents > most_agents(size):
        raise ValueError(
            f"agents={agents}: half of a map of {size} rows has room for "
            f"{most_agents(size)} agents"
        )


@rules.define
def reset(game, state, rng):
    """The teams stand in their rows, unhurt; agent 0 of team 0 begins."""
    for cell in range(MOST_CELLS):
        state.at[cell] = NO_SLOT
    state.taken[0] = state.taken[1] = ZERO
    for slot in range(SLOTS):
        state.cells[slot] = 0
        if slot < TEAMS * game.agents:
            cell = np.int64(game.begin[slot])
            state.cells[slot] = cell
            state.at[cell] = slot
            state.taken[slot & 1] |= bit_of(cell)
    everybody = game.own[0] | game.own[1]
    state.ones = everybody
    state.twos = everybody
    state.plies = 0
    state.slot = 0
    state.last = NO_SLOT
    state.origin = NO_CELL
    state.arrival = NO_CELL
    state.target = NO_CELL


@njit
def is_over(game, state):
    """Whether a team has lost all agents, or the game is drawn."""
    one_left = state.taken[0] == ZERO or state.taken[1] == ZERO
    return one_left or state.plies >= game.most_plies


@njit
def words_of(state):
    """Return what `move` changes.

    The cells of the team whose agent acts next, those of its enemies, and the health of
    all, as two words.
    """
    team = state.slot & 1
    return state.taken[team], state.taken[1 - team], state.ones, state.twos


@rules.define
def movers(game, state):
    """The team of the next agent, nobody once the game is over."""
    return 0 if is_over(game, state) else 1 << (state.slot & 1)


@njit
def free_near(game, own, foes, cell):
    """Return the cells at which an agent on `cell` may arrive, its own too."""
    return game.near[cell] & ~(own | foes) | bit_of(cell)


@njit
def direction_of(game, cell, arrival):
    """Return the direction of a step, STAY for none."""
    row, to_row = cell // game.size, arrival // game.size
    across = arrival - to_row * game.size - (cell - row * game.size)
    # Row by row, the own cell in the middle.
    place = (to_row - row + 1) * 3 + across + 1
    if place == 4:
        return STAY
    return place + 1 if place < 4 else place


@njit
def action_of(game, state, cell, arrival, target):
    """Return the action of a step and a target's cell, NO_CELL for no attack."""
    agent = game.agents if target == NO_CELL else np.int64(state.at[target]) >> 1
    return direction_of(game, cell, arrival) * (game.agents + 1) + agent


@rules.define
def legal_actions(game, state, player, out):
    """All pairs of an arrival and a target; if there are none, all arrivals."""
    cell = np.int64(state.cells[state.slot])
    own, foes, _, _ = words_of(state)
    free = free_near(game, own, foes, cell)
    n = 0
    for direction in range(WAYS):
        arrival = game.steps[cell, direction]
        if arrival == NOWHERE or not free & bit_of(arrival):
            continue
        near = foes & game.range[arrival]
        for agent in range(game.agents):
            slot = agent * TEAMS + 1 - player
            if near & bit_of(state.cells[slot]) and alive(state, slot):
                out[n] = direction * (game.agents + 1) + agent
                n += 1
    if n > 0:
        return n
    for direction in range(WAYS):
        arrival = game.steps[cell, direction]
        if arrival != NOWHERE and free & bit_of(arrival):
            out[n] = direction * (game.agents + 1) + game.agents
            n += 1
    return n


@njit
def alive(state, slot):
    """Whether the agent in a slot lives."""
    return (state.ones | state.twos) & bit_of(slot) != ZERO


@njit
def random_move(game, own, foes, cell, rng):
    """Return arrival and target cell of a uniformly random legal move, as int64s.

    Pairs of an arrival and a target are counted by target, and then the drawn one is
    found in the same order.
    """
    free = free_near(game, own, foes, cell)
    foes &= game.reach[cell]
    n, rest = 0, foes
    while rest:
        n += count_bits(free & game.range[lowest_bit(rest)])
        rest &= rest - ONE
    if n == 0:
        return nth_bit(free, random_below(rng, count_bits(free))), NO_CELL
    n = random_below(rng, n)
    while True:
        target = lowest_bit(foes)
        near = free & game.range[target]
        count = count_bits(near)
        if n < count:
            return nth_bit(near, n), target
        n -= count
        foes &= foes - ONE


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random legal pair of an arrival and a target."""
    cell = np.int64(state.cells[state.slot])
    own, foes, _, _ = words_of(state)
    arrival, target = random_move(game, own, foes, cell, rng)
    return action_of(game, state, cell, arrival, target)


@njit
def move(state, words, slot, arrival, target):
    """Let the agent in `slot` step and attack; return the new words.

    Who stands where is changed in `state`; an agent without health leaves the map.
    """
    own, foes, ones, twos = words
    cell = np.int64(state.cells[slot])
    own ^= bit_of(cell) ^ bit_of(arrival)
    state.at[cell] = NO_SLOT
    state.at[arrival] = slot
    state.cells[slot] = arrival
    if target != NO_CELL:
        hit = np.int64(state.at[target])
        ones, twos = less_one(ones, twos, hit)
        if not (ones | twos) & bit_of(hit):
            foes ^= bit_of(target)
            state.at[target] = NO_SLOT
            state.cells[hit] = 0
    return own, foes, ones, twos


@njit
def target_of(game, state, action):
    """Return the cell of the agent that an action attacks, NO_CELL for none."""
    agent = action % (game.agents + 1)
    if agent == game.agents:
        return NO_CELL
    return np.int64(state.cells[agent * TEAMS + 1 - (state.slot & 1)])


@njit
def arrival_of(game, state, action):
    """Return the cell at which an action arrives."""
    direction = action // (game.agents + 1)
    return np.int64(game.steps[state.cells[state.slot], direction])


@rules.define
def apply(game, state, joint_action, rng):
    """Step and attack; the next living agent in the order is next."""
    slot = np.int64(state.slot)
    action = np.int64(joint_action[slot & 1])
    state.last, state.origin = slot, state.cells[slot]
    state.arrival = arrival_of(game, state, action)
    state.target = target_of(game, state, action)
    state.taken[slot & 1], state.taken[1 - (slot & 1)], state.ones, state.twos = move(
        state, words_of(state), slot, np.int64(state.arrival), np.int64(state.target)
    )
    state.plies += 1
    state.slot = slot_after(state.ones | state.twos, slot)


@rules.define
def playout(game, state, rng, limit):
    """Random play without looking up actions."""
    return play(game, state, rng, limit, None, 0)


@rules.define
def playout_moves(game, state, rng, limit, kind, out):
    """As `playout`, with the code of each move."""
    return play(game, state, rng, limit, out, kind)


@njit
def play(game, state, rng, limit, moves, kind):
    """Play at random on words that stay in registers; return the number of moves.

    `moves` is where their codes of this kind are written, None for nowhere.
    """
    if limit <= 0 or is_over(game, state):
        return 0
    words, slot = words_of(state), np.int64(state.slot)
    most = min(limit, game.most_plies - state.plies)
    played = 0
    while True:
        cell = np.int64(state.cells[slot])
        arrival, target = random_move(game, words[0], words[1], cell, rng)
        if moves is not None:
            moves[played].player = slot & 1
            moves[played].code = code_of(
                game, state, words, slot, arrival, target, kind
            )
        own, foes, ones, twos = move(state, words, slot, arrival, target)
        played += 1
        last, slot = slot, slot_after(ones | twos, slot)
        other = (last ^ slot) & 1
        words = (foes, own, ones, twos) if other else (own, foes, ones, twos)
        if foes == ZERO or played == most:
            break
    state.taken[slot & 1], state.taken[1 - (slot & 1)], state.ones, state.twos = words
    state.plies += played
    state.slot, state.last = slot, last
    state.origin, state.arrival, state.target = cell, arrival, target
    return played


@njit
def code_of(game, state, words, slot, arrival, target, kind):
    """Return the code of a move; `kind` is 0 for exact, 1 abstract, 2 specific."""
    _, _, ones, twos = words
    agent, health = game.agents, 0
    if target != NO_CELL:
        other = np.int64(state.at[target])
        agent, health = other >> 1, number_at(ones, twos, other)
    team = slot & 1
    cells = game.size * game.size
    if kind == 2:
        there = cells if target == NO_CELL else target
        code = (team * cells + arrival) * (cells + 1) + there
        return code * (HEALTH + 1) + health
    attacker = team * game.agents + (slot >> 1)
    if kind == 1:
        return attacker * (game.agents + 1) + agent
    cell = np.int64(state.cells[slot])
    code = attacker * cells + cell
    code = code * HEALTH + number_at(ones, twos, slot) - 1
    code = code * WAYS + direction_of(game, cell, arrival)
    return (code * (game.agents + 1) + agent) * (HEALTH + 1) + health


@rules.define
def move_code(game, state, player, action, kind):
    """Codes from who attacks whom (abstract) to everything about it (exact).

    Specific codes know cells in place of agents: arrival, target, the target's health.
    """
    arrival, target = arrival_of(game, state, action), target_of(game, state, action)
    slot = np.int64(state.slot)
    return code_of(game, state, words_of(state), slot, arrival, target, kind)


@rules.define
def is_out(game, state, player):
    """Whether a team has lost all agents."""
    return 0 if state.taken[player] else 1


@rules.define
def scores(game, state, out):
    """Living agents."""
    for player in range(TEAMS):
        out[player] = count_bits(state.taken[player])


@rules.define
def results(game, state, out):
    """Who alone has agents wins; too many moves are a draw."""
    for player in range(TEAMS):
        if state.taken[player] == ZERO:
            out[player] = LOST
        elif state.taken[1 - player] == ZERO:
            out[player] = WON
        else:
            out[player] = DRAWN if is_over(game, state) else PLAYING


@njit
def health_of(game, state, player):
    """Return the health of all agents of a team together."""
    own = game.own[player]
    return count_bits(state.ones & own) + 2 * count_bits(state.twos & own)


@rules.define
def evaluate(game, state, out):
    """Each team's share of the health of all agents."""
    first, second = health_of(game, state, 0), health_of(game, state, 1)
    out[0] = first / (first + second)
    out[1] = 1.0 - out[0]


@njit
def way_to_foes(game, state, cell):
    """Return how many steps the nearest enemy is away from a cell."""
    foes = state.taken[1 - (state.slot & 1)]
    nearest = LARGEST
    while foes:
        other = lowest_bit(foes)
        down = abs(other // game.size - cell // game.size)
        across = abs(other % game.size - cell % game.size)
        nearest = min(nearest, max(down, across))
        foes &= foes - ONE
    return nearest


@rules.define
def action_values(game, state, player, actions, n, out):
    """1 for an attack that kills, 2/3 if one more is needed then, 1/3 if two are.

    Moves without an attack are worth more the nearer they come to an enemy, at most
    NO_ATTACK.
    """
    for i in range(n):
        target = target_of(game, state, actions[i])
        if target == NO_CELL:
            arrival = arrival_of(game, state, actions[i])
            out[i] = NO_ATTACK / max(1, way_to_foes(game, state, arrival))
        else:
            health = number_at(state.ones, state.twos, np.int64(state.at[target]))
            out[i] = (HEALTH + 1 - health) / HEALTH


@rules.define
def pass_turn(game, state):
    """The next living agent acts, which may be one of the same team."""
    state.slot = slot_after(state.ones | state.twos, state.slot)


@rules.define
def state_key(game, state, observer):
    """A hash of cells and health of all agents, who acts next, and the moves made."""
    key = mixed(mixed(state.ones, ZERO), state.twos)
    key = mixed(key, np.uint64(state.slot))
    key = mixed(key, np.uint64(state.plies))
    words = state.cells.view(np.uint64)
    for i in range((TEAMS * game.agents + 7) // 8):
        key = mixed(key, words[i])
    return np.int64(key)


@rules.define
def turn(game, state):
    """Moves made."""
    return state.plies


@rules.define
def round(game, state):
    """A round is a move of each team."""
    return state.plies // TEAMS


@rules.define
def observe(game, state, player, out):
    """Planes: health of own agents and of enemies, numbers, the next to act, turn."""
    cells = game.size * game.size
    for slot in range(TEAMS * game.agents):
        if alive(state, slot):
            cell = np.int64(state.cells[slot])
            plane = (slot & 1) ^ player
            out[plane * cells + cell] = number_at(state.ones, state.twos, slot)
            out[2 * cells + cell] = (slot >> 1) + 1
            out[3 * cells + cell] = slot == state.slot
    my_turn = (state.slot & 1) == player and not is_over(game, state)
    for cell in range(cells):
        out[4 * cells + cell] = my_turn
