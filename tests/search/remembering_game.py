"""A game of simultaneous steps with scripted policies that remember something.

Who moves at each step is given; everybody plays 0 to 4, and the state keeps it all, so
that a leaf heuristic in Python sees what each policy did and when.
"""

from functools import cache

import numpy as np
from numba import njit

from mcts_agents.model import DRAWN, PLAYING, CompiledModel, Rules, Spec, random_below

LONGEST, ACTIONS = 16, 5

COUNT = np.dtype([("first", np.int8), ("calls", np.int16)])
LARGE = np.dtype([("marks", np.int64, 4), ("count", COUNT), ("last", np.int8)])


@njit
def begin_count(memory, rng):
    """Draw where to begin."""
    memory.first = random_below(rng, ACTIONS)
    memory.calls = 0


@njit
def begin_from_two(memory, rng):
    """Begin with 2, always."""
    memory.first = 2
    memory.calls = 0


@njit
def begin_large(memory, rng):
    """Mark every word, so that a policy sees if somebody else wrote there."""
    for i in range(4):
        memory.marks[i] = 7 + i
    memory.count.first = 1
    memory.count.calls = 0
    memory.last = 0


@cache
def remembering(masks: tuple[int, ...], players: int = 3) -> CompiledModel:
    """Return the game in which the players of each mask move at a step."""
    rules = Rules(
        "remembering",
        state=np.dtype([("step", np.int8), ("played", np.int8, (LONGEST, 3))]),
        game=np.dtype([("steps", np.int8), ("masks", np.int8, LONGEST)]),
        chance=False,
        search_defaults={"value": "score", "score_bonus": 0.0},
    )

    @rules.variant
    def variant(game, *, players=3, masks=()):
        game["steps"] = len(masks)
        game["masks"][: len(masks)] = masks
        return Spec(players=players, actions=ACTIONS)

    @rules.define
    def reset(game, state, rng):
        state.step = 0
        state.played[:] = -1

    @rules.define
    def movers(game, state):
        return game.masks[state.step] if state.step < game.steps else 0

    @rules.define
    def legal_actions(game, state, player, out):
        for action in range(ACTIONS):
            out[action] = action
        return ACTIONS

    @rules.define
    def apply(game, state, joint_action, rng):
        for player in range(game.players):
            if game.masks[state.step] >> player & 1:
                state.played[state.step, player] = joint_action[player]
        state.step += 1

    @rules.define
    def scores(game, state, out):
        for player in range(game.players):
            out[player] = 0.0
            for step in range(state.step):
                for other in range(game.players):
                    weight = 5 if other == player else 3 + other + step
                    out[player] += weight * max(state.played[step, other], 0) % 7

    @rules.define
    def results(game, state, out):
        out[:] = DRAWN if state.step >= game.steps else PLAYING

    @rules.policy(memory=COUNT, begin=begin_count)
    def counts(game, state, player, memory, rng):
        memory.calls += 1
        return (memory.first + memory.calls - 1) % ACTIONS

    @rules.policy(memory=COUNT, begin=begin_from_two)
    def counts_from_two(game, state, player, memory, rng):
        memory.calls += 1
        return (memory.first + memory.calls - 1) % ACTIONS

    @rules.policy(memory=COUNT, begin=begin_count)
    def persists(game, state, player, memory, rng):
        return memory.first

    @rules.policy(memory=LARGE, begin=begin_large)
    def guarded(game, state, player, memory, rng):
        for i in range(4):
            if memory.marks[i] != 7 + i:
                return 0
        memory.count.calls += 1
        memory.last = 1 + (memory.count.calls - 1) % 2
        return memory.last

    @rules.policy
    def highest(game, state, player, rng):
        return 4

    return rules.model(players=players, masks=masks)


def moves_of(model, state, player) -> list[int]:
    """The moves of one player that led to a state."""
    played = model.view(np.frombuffer(bytes(state), np.uint8).copy())["played"]
    return [int(move) for move in played[:, player] if move >= 0]
