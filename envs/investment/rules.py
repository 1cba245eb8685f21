"""The rules of the Investment Pair Game for two and three teams.

The wealth of all agents lies in two words, in the order in which agents give (see
`mcts_agents.envs.slots`), and a third one says whose pairs are undecided, so that a
playout works on four numbers in registers.

Source: T. Cazenave, "Monte Carlo Permutation Search" (2025), sections 4.3 and 4.5. What
the paper leaves open fits the playouts of its table 7: wealth begins at 0, nothing may
be given to an agent whose pair is decided, winners go on giving, and which codes moves
have.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.slots import (
    GREATEST,
    MOST_SLOTS,
    number_at,
    plus_one,
    slot_after,
    slots_of,
)
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec, random_below
from mcts_agents.model.bits import bit_of, count_bits, nth_bit
from mcts_agents.model.hashing import mixed

FEWEST_PLAYERS, MOST_PLAYERS = 2, 3
MOST_PAIRS = {players: MOST_SLOTS // players for players in (2, 3)}
PAPER_PAIRS = {2: 11, 3: 10}
GOAL = GREATEST  # the wealth that wins a pair
NO_SLOT = -1

STATE = np.dtype(
    [
        ("ones", np.uint64),  # wealth of the agent in each slot
        ("twos", np.uint64),
        ("open", np.uint64),  # slots of the agents whose pair is undecided
        ("slot", np.int8),  # of the agent that gives next
        ("last", np.int8),  # slot of the last one that gave, NO_SLOT before the first
        ("target", np.int8),  # slot of whom it gave to
    ]
)
GAME = np.dtype(
    [
        ("pairs", np.int64),
        ("own", np.uint64, MOST_PLAYERS),  # slots of each team's agents
        ("mates", np.uint64, MOST_SLOTS),  # slots of the team of each slot's agent
        ("pair", np.uint64, MOST_SLOTS),  # slots of the pair of each slot's agent
        ("player_of", np.int8, MOST_SLOTS),
        ("agent_of", np.int8, MOST_SLOTS),
    ]
)

rules = Rules(
    "investment",
    state=STATE,
    game=GAME,
    chance=False,
    search_defaults={"value": "win"},
    move_codes=("exact", "abstract", "specific"),
)


@rules.variant
def variant(game, *, players=2, pairs=None):
    """Choose the teams.

    Args:
        game: The variant's record, filled in place.
        players: Teams, 2 or 3.
        pairs: Pairs, with three teams groups of three: 1 to 32 with two teams, 1 to 21
            with three. None means 11 with two and 10 with three.
    """
    pairs = _checked(players, pairs)
    game["pairs"] = pairs
    own = [slots_of(pairs, players, player) for player in range(players)]
    game["own"][:players] = own
    for slot in range(pairs * players):
        agent, player = divmod(slot, players)
        game["mates"][slot] = own[player]
        game["pair"][slot] = ((1 << players) - 1) << (agent * players)
        game["player_of"][slot] = player
        game["agent_of"][slot] = agent
    return Spec(
        players=players,
        actions=pairs,
        observation_shape=(4, players, pairs),
        observation_bounds=(0, GOAL),
    )


def _checked(players, pairs):
    """Return how many pairs there are."""
    if players not in MOST_PAIRS:
        raise ValueError(f"players={players}: investment is for 2 or 3 players")
    if pairs is None:
        return PAPER_PAIRS[players]
    whole = isinstance(pairs, int) and not isinstance(pairs, bool)
    if not whole or not 1 <= pairs <= MOST_PAIRS[players]:
        raise ValueError(
            f"pairs={pairs!r}: investment has 1 to {MOST_PAIRS[players]} pairs with "
            f"{players} teams, or None for {PAPER_PAIRS[players]}"
        )
    return pairs


@rules.define
def reset(game, state, rng):
    """Nobody has anything; agent 0 of team 0 begins."""
    state.ones = 0
    state.twos = 0
    state.open = ~np.uint64(0) >> np.uint64(MOST_SLOTS - game.players * game.pairs)
    state.slot = 0
    state.last = NO_SLOT
    state.target = NO_SLOT


@rules.define
def movers(game, state):
    """The team of the next agent, nobody once all pairs are decided."""
    return 1 << game.player_of[state.slot] if state.open else 0


@rules.define
def legal_actions(game, state, player, out):
    """Every agent of the team whose pair is undecided."""
    n = 0
    for agent in range(game.pairs):
        slot = agent * game.players + player
        out[n] = agent  # written always, counted if the pair is undecided
        n += np.int64(state.open >> np.uint64(slot)) & 1
    return n


@njit
def random_target(game, undecided, slot, rng):
    """Return the slot of a uniformly random agent to whom `slot` may give, int64."""
    mates = undecided & game.mates[slot]
    return nth_bit(mates, random_below(rng, count_bits(mates)))


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random agent of the team whose pair is undecided."""
    target = random_target(game, state.open, state.slot, rng)
    return np.int64(game.agent_of[target])


@njit
def given(game, ones, twos, undecided, slot, target):
    """Return the words after `slot` gave to `target`, and the next slot to give.

    The others of a pair that is decided pass from then on; its winner does not.
    """
    ones, twos = plus_one(ones, twos, target)
    winners = ones & twos
    if winners & bit_of(target):
        undecided &= ~game.pair[target]
    return ones, twos, undecided, slot_after(undecided | winners, slot)


@rules.define
def apply(game, state, joint_action, rng):
    """Give one unit of wealth; the next agent that has not lost its pair is next."""
    slot = np.int64(state.slot)
    player = game.player_of[slot]
    target = np.int64(joint_action[player]) * game.players + player
    state.ones, state.twos, state.open, state.slot = given(
        game, state.ones, state.twos, state.open, slot, target
    )
    state.last, state.target = slot, target


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
    ones, twos, undecided = state.ones, state.twos, state.open
    slot, last = np.int64(state.slot), np.int64(state.last)
    target = np.int64(state.target)
    played = 0
    while played < limit and undecided:
        last, target = slot, random_target(game, undecided, slot, rng)
        if moves is not None:
            moves[played].player = game.player_of[slot]
            moves[played].code = code_of(game, ones, twos, slot, target, kind)
        ones, twos, undecided, slot = given(game, ones, twos, undecided, slot, target)
        played += 1
    state.ones, state.twos, state.open = ones, twos, undecided
    state.slot, state.last, state.target = slot, last, target
    return played


@njit
def code_of(game, ones, twos, slot, target, kind):
    """Return the code of a gift; `kind` is 0 for exact, 1 abstract, 2 specific."""
    player = np.int64(game.player_of[slot])
    agent = np.int64(game.agent_of[target])
    code = player * game.pairs + agent
    if kind == 1:
        return code
    code = code * GOAL + number_at(ones, twos, target)
    if kind == 2:
        return code
    code = code * (GOAL + 1) + number_at(ones, twos, slot)
    for other in range(game.players):
        if other != player:
            code = code * GOAL + number_at(ones, twos, agent * game.players + other)
    return code


@rules.define
def move_code(game, state, player, action, kind):
    """Team and target (abstract), and wealth before the gift.

    In specific codes that of the target; in exact ones also that of the agent who gives
    and of the target's opponents.
    """
    target = np.int64(action) * game.players + player
    return code_of(game, state.ones, state.twos, state.slot, target, kind)


@njit
def pairs_won(game, state, player):
    """Return how many pairs a team has won."""
    return count_bits(state.ones & state.twos & game.own[player])


@rules.define
def scores(game, state, out):
    """Pairs won."""
    for player in range(game.players):
        out[player] = pairs_won(game, state, player)


@rules.define
def results(game, state, out):
    """Most pairs win; several teams that have most draw, and the others lose."""
    most = leaders = 0
    for player in range(game.players):
        won = pairs_won(game, state, player)
        if won > most:
            most, leaders = won, 0
        leaders += won == most
    for player in range(game.players):
        if state.open:
            out[player] = PLAYING
        elif pairs_won(game, state, player) < most:
            out[player] = LOST
        else:
            out[player] = WON if leaders == 1 else DRAWN


@rules.define
def evaluate(game, state, out):
    """The mean of a team's shares in all pairs.

    That is all of a pair that is won. In an undecided one it is the share in what all
    have, each with one more than it has.
    """
    for player in range(game.players):
        out[player] = pairs_won(game, state, player)
    for pair in range(game.pairs):
        first = pair * game.players
        if not state.open & bit_of(first):
            continue
        total = game.players
        for player in range(game.players):
            total += number_at(state.ones, state.twos, first + player)
        for player in range(game.players):
            wealth = number_at(state.ones, state.twos, first + player)
            out[player] += (wealth + 1) / total
    for player in range(game.players):
        out[player] /= game.pairs


@rules.define
def action_values(game, state, player, actions, n, out):
    """1 for a gift that wins a pair, 2/3 if one more is needed then, 1/3 if two are."""
    for i in range(n):
        target = np.int64(actions[i]) * game.players + player
        out[i] = (number_at(state.ones, state.twos, target) + 1) / GOAL


@rules.define
def pass_turn(game, state):
    """The next agent that has not lost gives, which may be one of the same team."""
    state.slot = slot_after(state.open | state.ones & state.twos, state.slot)


@rules.define
def state_key(game, state, observer):
    """A hash of the wealth of all agents and of who gives next."""
    key = mixed(mixed(state.ones, np.uint64(0)), state.twos)
    key = mixed(key, np.uint64(state.slot))
    return np.int64(key)


@njit
def gifts(state):
    """Return the number of gifts so far: each is one unit of wealth."""
    return count_bits(state.ones) + 2 * count_bits(state.twos)


@rules.define
def turn(game, state):
    """Gifts made."""
    return gifts(state)


@rules.define
def round(game, state):
    """A round is as many gifts as there are teams."""
    return gifts(state) // game.players


@rules.define
def observe(game, state, player, out):
    """Planes of teams, the own one first, by agents.

    Wealth, 1 where the pair is undecided, the next to give, turn.
    """
    plane = game.players * game.pairs
    my_turn = game.player_of[state.slot] == player and state.open != 0
    for seat in range(game.players):
        owner = (player + seat) % game.players
        for agent in range(game.pairs):
            slot = agent * game.players + owner
            at = seat * game.pairs + agent
            out[at] = number_at(state.ones, state.twos, slot)
            out[plane + at] = state.open >> np.uint64(slot) & np.uint64(1)
            out[2 * plane + at] = state.slot == slot
            out[3 * plane + at] = my_turn
