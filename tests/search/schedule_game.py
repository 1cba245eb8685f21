"""A game whose order of moves is given: who moves when, where turns and rounds end.

At each step every player of the schedule's mask plays 0, 1 or 2, which adds to its
total. Positions of the same totals and step are the same, whatever the order of moves
(`state_key`), but the state remembers what was played, for a test to read. With chance
a total may grow by one more.
"""

from functools import cache

import numpy as np

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

LONGEST = 12
HEURISTIC = (0.5, 0.2, 0.8)  # H(s, a) of actions 0, 1, 2


@cache
def rules(chance: bool) -> Rules:
    made = Rules(
        "noisy_schedule" if chance else "schedule",
        state=np.dtype(
            [
                ("step", np.int8),
                ("totals", np.int8, 3),
                ("moves", np.int8, (LONGEST, 3)),  # -1: did not move
            ]
        ),
        game=np.dtype(
            [
                ("steps", np.int64),
                ("masks", np.int8, LONGEST),
                ("turns", np.int8, LONGEST + 1),
                ("rounds", np.int8, LONGEST + 1),
            ]
        ),
        chance=chance,
        search_defaults={"value": "score", "score_bonus": 0.0},
    )

    @made.variant
    def variant(game, *, players=2, masks=(1, 2) * 3, turns=(), rounds=()):
        """`turns`, `rounds`: how many have ended before each step, and at the end."""
        game["steps"] = len(masks)
        game["masks"][: len(masks)] = masks
        game["turns"][: len(turns)] = turns
        game["rounds"][: len(rounds)] = rounds
        return Spec(players=players, actions=3)

    @made.define
    def reset(game, state, rng):
        state.step = 0
        for player in range(3):
            state.totals[player] = 0
            for step in range(LONGEST):
                state.moves[step, player] = -1

    @made.define
    def movers(game, state):
        return game.masks[state.step] if state.step < game.steps else 0

    @made.define
    def legal_actions(game, state, player, out):
        for action in range(3):
            out[action] = action
        return 3

    @made.define
    def apply(game, state, joint_action, rng):
        for player in range(game.players):
            if game.masks[state.step] >> player & 1:
                action = joint_action[player]
                state.moves[state.step, player] = action
                state.totals[player] += action
                if chance:
                    state.totals[player] += random_below(rng, 2)
            elif joint_action[player] != -1:
                raise ValueError("who does not move has an action")
        state.step += 1

    @made.define
    def scores(game, state, out):
        every = state.totals.sum()
        for player in range(game.players):
            out[player] = (7 * state.totals[player] + 3 * every + player) % 11

    @made.define
    def results(game, state, out):
        best = -1
        winners = 0
        for player in range(game.players):
            points = (7 * state.totals[player] + 3 * state.totals.sum() + player) % 11
            if points > best:
                best, winners = points, 0
            winners += points == best
        for player in range(game.players):
            points = (7 * state.totals[player] + 3 * state.totals.sum() + player) % 11
            out[player] = PLAYING
            if state.step >= game.steps:
                out[player] = LOST
                if points == best:
                    out[player] = WON if winners == 1 else DRAWN

    @made.define
    def evaluate(game, state, out):
        for player in range(game.players):
            out[player] = (5 * state.totals[player] % 7) / 7

    @made.define
    def action_values(game, state, player, actions, n, out):
        for i in range(n):
            out[i] = HEURISTIC[actions[i]]

    @made.define
    def state_key(game, state, observer):
        key = np.int64(state.step)
        for player in range(3):
            key = 64 * key + state.totals[player]
        return key

    @made.define
    def turn(game, state):
        return game.turns[state.step]

    @made.define
    def round(game, state):
        return game.rounds[state.step]

    @made.policy
    def lowest(game, state, player, rng):
        return 0

    @made.policy
    def highest(game, state, player, rng):
        return 2

    return made


@cache
def schedule(masks=(1, 2) * 3, *, chance=False, **options) -> CompiledModel:
    """Return the model of one schedule: (1, 2) are two players in turn."""
    return rules(chance).model(masks=masks, **options)


def points(totals, player) -> int:
    """The score, for a test that works it out by itself."""
    return (7 * totals[player] + 3 * sum(totals) + player) % 11


def played(model, state) -> list[tuple[int, ...]]:
    """The moves that led to a state: of each step every player's, -1 for none."""
    view = model.view(state)
    return [tuple(map(int, row)) for row in view["moves"][: int(view["step"])]]
