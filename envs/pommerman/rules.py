"""The rules of Pommerman as the official Python program plays it.

Source: C. Resnick et al., "Pommerman: A Multi-Agent Playground" (2018), and its program
`MultiAgentLearning/playground` (December 2023), followed to the letter where both
differ. The order within a step is in `step`, `collisions` and `flames`.
"""

import numpy as np
from numba import carray

from mcts_agents.envs.pommerman.advice import (
    is_worth_trying,
    nearest_enemy,
    standing,
)
from mcts_agents.envs.pommerman.belief import begin_beliefs, bring_forward
from mcts_agents.envs.pommerman.keys import key_of
from mcts_agents.envs.pommerman.knowledge import resample, seen_action
from mcts_agents.envs.pommerman.layout import (
    GAME,
    LARGEST,
    MOVES,
    OF_FOG,
    SEATS,
    STATE,
    STOP,
    world_of,
)
from mcts_agents.envs.pommerman.observation import (
    BOUNDS,
    FACTS,
    MAPS,
    write_facts,
    write_maps,
)
from mcts_agents.envs.pommerman.observed_planes import (
    MOST,
    OBSERVED_PLANES,
    plane_symmetries,
    write_planes,
)
from mcts_agents.envs.pommerman.opening import set_up
from mcts_agents.envs.pommerman.scripted import random_moves
from mcts_agents.envs.pommerman.scripted import simple as simple_agent
from mcts_agents.envs.pommerman.scripted import simple_unbiased as unbiased_agent
from mcts_agents.envs.pommerman.step import EVEN_TEAM, ODD_TEAM, advance
from mcts_agents.model import (
    DRAWN,
    LOST,
    PLAYING,
    WON,
    Rules,
    Spec,
    next_uint64,
    random_below,
)
from mcts_agents.model.addresses import stack_int32
from mcts_agents.model.bits import count_bits

MODES = ("ffa", "team", "radio")
OBSERVATIONS = ("official", "planes")
VIEW = 4
# An accident of the official program: the limit of the blast strength is the radius
# of the view where there is one.
MOST_STRENGTH = 10
SMALL = 8  # one against one
MESSAGE_BITS = 6
COLLAPSES = 4
BOTTOM_16, BOTTOM_6 = np.uint64(0xFFFF), 0x3F

rules = Rules(
    "pommerman",
    state=STATE,
    game=GAME,
    chance=False,
    search_defaults={
        "value": "evaluate",
        "rollout": 40,
        "rollout_policy": "simple_unbiased",
        "opponent_model": "simple_unbiased",
    },
)


@rules.variant
def variant(
    game,
    *,
    players=4,
    mode="ffa",
    fog=None,
    collapse=None,
    shuffle_corners=False,
    max_steps=800,
    observation="official",
):
    """Fill in one variant.

    Args:
        game: The variant's record, filled in place.
        players: 4 on 11x11, or 2 against each other on 8x8.
        mode: `"ffa"` (all against all), `"team"` (0 and 2 against 1 and 3) or
            `"radio"` (a team game with messages).
        fog: Whether a player sees no further than four cells; None for what the mode
            has in official play: only `"radio"` has fog.
        collapse: The step after which the outermost ring turns rigid (500 in official
            play); another follows after each quarter of the steps that were left until
            `max_steps`, rounded down. None for never.
        shuffle_corners: Whether the agents start in random corners.
        max_steps: The game ends after so many steps.
        observation: `"official"`, flat numbers; or `"planes"`, for networks that learn.
    """
    if observation not in OBSERVATIONS:
        allowed = " or ".join(map(repr, OBSERVATIONS))
        raise ValueError(f"observation={observation!r}: expected {allowed}")
    _check(players, mode, fog, collapse, shuffle_corners, max_steps)
    if fog is None:
        fog = mode == "radio"
    game["team"] = mode != "ffa"
    game["message_bits"] = MESSAGE_BITS if mode == "radio" else 0
    game["sight"] = VIEW if fog else 0
    game["most_strength"] = VIEW if fog else MOST_STRENGTH
    game["size"] = LARGEST if players == SEATS else SMALL
    game["rigid"] = game["wood"] = 36 if players == SEATS else 16
    game["items"] = 20 if players == SEATS else 10
    game["shuffle_corners"] = shuffle_corners
    game["first_collapse"] = collapse or 0
    game["collapse_interval"] = (max_steps - collapse) // COLLAPSES if collapse else 0
    game["max_steps"] = max_steps
    game["planes"] = observation == "planes"
    size = int(game["size"])
    shape, bounds = (MAPS * size * size + FACTS,), BOUNDS
    if observation == "planes":
        shape, bounds = (OBSERVED_PLANES, size, size), (0, MOST)
    return Spec(
        players=players,
        actions=MOVES << int(game["message_bits"]),
        observation_shape=shape,
        observation_bounds=bounds,
        teams=None if mode == "ffa" else (0, 1, 0, 1),
        leaves_out=() if fog else OF_FOG,
    )


def _check(players, mode, fog, collapse, shuffle_corners, max_steps):
    if players not in (2, SEATS):
        raise ValueError(f"players={players}: pommerman is for 2 or 4 players")
    if mode not in MODES:
        allowed = ", ".join(map(repr, MODES))
        raise ValueError(f"mode={mode!r}: pommerman has {allowed}")
    if players == 2 and mode != "ffa":
        raise ValueError(f"mode={mode!r} is for 4 players; 2 play mode='ffa'")
    if fog is not None and not isinstance(fog, bool):
        raise ValueError(f"fog={fog!r}: expected true, false or none")
    if not isinstance(shuffle_corners, bool):
        raise ValueError(f"shuffle_corners={shuffle_corners!r}: expected true or false")
    whole = isinstance(max_steps, int) and not isinstance(max_steps, bool)
    if not whole or not 1 <= max_steps <= 10_000:
        raise ValueError(f"max_steps={max_steps!r}: pommerman has 1 to 10000")
    if collapse is None:
        return
    if players == 2:
        raise ValueError("collapse: only the board of 4 players collapses")
    whole = isinstance(collapse, int) and not isinstance(collapse, bool)
    if not whole or not 1 <= collapse <= max_steps - COLLAPSES:
        raise ValueError(
            f"collapse={collapse!r}: expected none or a step from 1 to max_steps - "
            f"{COLLAPSES}, here {max_steps - COLLAPSES}"
        )


@rules.define
def reset(game, state, rng):
    """A random board; the corners are those of the seats unless shuffled."""
    set_up(game, state, rng)
    if game.sight:
        begin_beliefs(game, state)


@rules.define
def movers(game, state):
    """The living, until the game is over."""
    return 0 if state.over else np.int64(state.alive)


@rules.define
def legal_actions(game, state, player, out):
    """Every action; one that has no effect is a stop."""
    for action in range(game.actions):
        out[action] = action
    return game.actions


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random action."""
    return random_below(rng, game.actions)


@rules.define
def apply(game, state, joint_action, rng):
    """Carry out one step; the dead stay silent."""
    moves = carray(stack_int32(SEATS), SEATS, np.int32)
    for player in range(SEATS):
        moves[player] = 0
    for player in range(game.players):
        if state.alive >> player & 1:
            moves[player] = joint_action[player] >> game.message_bits
    if game.message_bits:
        for player in range(game.players):
            speaks = state.alive >> player & 1
            state.messages[player] = joint_action[player] & BOTTOM_6 if speaks else 0
    advance(game, world_of(state), moves)
    # In a planner's copy, where only one belief is left, none is brought forward.
    if game.sight and state.remembering == (1 << game.players) - 1:
        for player in range(game.players):
            bring_forward(game, state, player, np.int64(moves[player]))


@rules.define
def playout(game, state, rng, limit):
    """Random play of all living agents, one step at a time.

    In the fog nobody remembers anything of it: it is for imagined worlds.
    """
    if game.sight and state.remembering == (1 << game.players) - 1:
        state.remembering = 0
    moves = carray(stack_int32(SEATS), SEATS, np.int32)
    played = 0
    while not state.over and state.alive:
        number = count_bits(state.alive)
        if played + number > limit:
            break
        bits = next_uint64(rng)
        for player in range(SEATS):
            drawn = np.int64(bits & BOTTOM_16) * game.actions >> 16
            bits >>= np.uint64(16)
            moves[player] = drawn >> game.message_bits
            if game.message_bits:
                speaks = state.alive >> player & 1
                state.messages[player] = drawn & BOTTOM_6 if speaks else 0
        advance(game, world_of(state), moves)
        played += number
    return played


@rules.define
def scores(game, state, out):
    """1 for the living."""
    for player in range(game.players):
        out[player] = state.alive >> player & 1


@rules.define
def results(game, state, out):
    """The last alive wins, or the team of the last alive.

    Alone, who dies has lost, unless the last ones die in the same step, who draw; so do
    all who live when the time is up. A team loses, wins or draws as one.
    """
    alive = np.int64(state.alive)
    is_over = state.over or alive == 0
    for player in range(game.players):
        bit = 1 << player
        if game.team:
            own = EVEN_TEAM if player & 1 == 0 else ODD_TEAM
            if not is_over:
                out[player] = PLAYING
            elif alive & own and not alive & ~own:
                out[player] = WON
            elif alive & ~own and not alive & own:
                out[player] = LOST
            else:
                out[player] = DRAWN
        elif alive & bit:
            if not is_over:
                out[player] = PLAYING
            else:
                out[player] = WON if alive == bit else DRAWN
        elif is_over and alive == 0 and state.alive_before & bit:
            out[player] = DRAWN
        else:
            out[player] = LOST


@rules.define
def turn(game, state):
    """Steps played."""
    return np.int64(state.steps)


@rules.define
def round(game, state):
    """Steps played, in which all act."""
    return np.int64(state.steps)


# -- advice for searches


@rules.define
def filter_actions(game, state, player, actions, n):
    """Moves that can do more than a stop; without a message, where there are any."""
    kept = 0
    silence = (1 << game.message_bits) - 1
    for i in range(n):
        action = np.int64(actions[i])
        if action & silence:
            continue
        if is_worth_trying(state, player, action >> game.message_bits):
            actions[kept] = action
            kept += 1
    return kept


@rules.define
def is_out(game, state, player):
    """Whether a player is dead."""
    return 0 if state.alive >> player & 1 else 1


@rules.define
def nearest_opponent(game, state, player):
    """The nearest living enemy."""
    return nearest_enemy(game, state, player)


@rules.define
def evaluate(game, state, out):
    """The chances of sides by how many of them live and what they carry."""
    total = 0.0
    for player in range(game.players):
        out[player] = standing(state, player) if state.alive >> player & 1 else 0.0
        total += out[player]
    for player in range(game.players):
        out[player] = out[player] / total if total > 0.0 else 1.0 / game.players
    if game.team:
        for player in range(2):
            both = out[player] + out[player + 2]
            out[player] = out[player + 2] = both


# -- what a player knows


@rules.define
def redeterminise(game, state, observer, rng):
    """Hide items anew under the wood; in the fog also draw all that is unknown."""
    resample(game, state, observer, rng)


@rules.define
def visible_action(game, state, joint_action, actor, observer):
    """Where the actor went or that it laid a bomb, if seen; messages for its mate."""
    return seen_action(game, state, joint_action, actor, observer)


@rules.define
def state_key(game, state, observer):
    """A hash of what the observer knows; of the whole board for observer -1."""
    return key_of(game, state, observer)


@rules.define
def observe(game, state, player, out):
    """The official observation as flat numbers, or planes; see `observation`."""
    if game.planes:
        write_planes(game, state, player, out)
    else:
        write_maps(game, state, player, out)
        write_facts(game, state, player, out[MAPS * game.size * game.size :])


@rules.symmetries
def symmetries(game, spec):
    """The board may be turned and mirrored, seen as planes."""
    if not game["planes"]:
        return []
    return plane_symmetries(int(game["size"]), int(game["message_bits"]))


# -- scripted agents: their moves, as actions without a message


@rules.policy
def idle(game, state, player, rng):
    """Stand still."""
    return np.int64(STOP)


@rules.policy(memory=random_moves.MEMORY, begin=random_moves.begin)
def safe_random(game, state, player, memory, rng):
    """Draw one of the moves that are safe in this step."""
    move = random_moves.act_safe_random(game, state, player, memory, rng)
    return move << game.message_bits


@rules.policy(memory=simple_agent.MEMORY, begin=simple_agent.begin)
def simple(game, state, player, memory, rng):
    """Play as the official SimpleAgent does."""
    return simple_agent.act(game, state, player, memory, rng) << game.message_bits


@rules.policy(memory=unbiased_agent.MEMORY, begin=unbiased_agent.begin)
def simple_unbiased(game, state, player, memory, rng):
    """Play as the SimpleUnbiasedAgent of pomcpp2 does."""
    return unbiased_agent.act(game, state, player, memory, rng) << game.message_bits
