"""One game twice: as compiled rules, and as somebody else's environment.

Three heaps of 4, 1 to 3 stones from one of them; stones are worth something to who
takes them, and cost everybody else. So a search of the one has to decide what a search
of the other does, whatever its options.
"""

from functools import cache
from typing import ClassVar

import numpy as np
from gymnasium import spaces

from mcts_agents import remember
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, CompiledModel, Rules, Spec
from tests.model.third_party import InTurn

# What a stone of each heap is worth to who takes it, and costs the others.
WORTH, COST = (1.0, 2.5, -0.5), 0.75


@cache
def compiled(players: int = 2, chance: bool = False) -> CompiledModel:
    """Return the game as compiled rules."""
    rules = Rules(
        "gathering",
        state=np.dtype(
            [("heaps", np.int8, 3), ("turn", np.int8), ("points", np.float64, 3)]
        ),
        chance=chance,
        search_defaults={"value": "score", "score_bonus": 0.0},
    )

    @rules.variant
    def variant(game, *, players=2):
        return Spec(
            players=players,
            actions=9,
            observation_shape=(4,),
            observation_bounds=(0, 4),
        )

    @rules.define
    def reset(game, state, rng):
        state.heaps[:] = 4
        state.turn = 0
        state.points[:] = 0.0

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
        heap, stones = action // 3, action % 3 + 1
        worth = 1.0 if heap == 0 else (2.5 if heap == 1 else -0.5)
        for player in range(game.players):
            if player == state.turn:
                state.points[player] += worth * stones
            else:
                state.points[player] -= 0.75 * stones
        state.heaps[heap] -= stones
        state.turn = (state.turn + 1) % game.players

    @rules.define
    def scores(game, state, out):
        for player in range(game.players):
            out[player] = state.points[player]

    @rules.define
    def results(game, state, out):
        best, leaders = -1000.0, 0
        for player in range(game.players):
            if state.points[player] > best:
                best, leaders = state.points[player], 0
            leaders += state.points[player] == best
        for player in range(game.players):
            leads = state.points[player] == best
            if state.heaps.sum() > 0:
                out[player] = PLAYING
            elif leads:
                out[player] = WON if leaders == 1 and game.players > 1 else DRAWN
            else:
                out[player] = LOST

    @rules.define
    def observe(game, state, player, out):
        for heap in range(3):
            out[heap] = state.heaps[heap]
        out[3] = (player - state.turn) % game.players

    @rules.define
    def state_key(game, state, observer):
        key = np.int64(state.turn)
        for heap in range(3):
            key = key * 5 + state.heaps[heap]
        for player in range(game.players):
            key = key * 1009 + np.int64(state.points[player] * 4)
        return key

    return rules.model(players=players)


class Gathering(InTurn):
    """The same game as somebody else would write it.

    Args:
        players: How many play.
        shift: Added to each reward of everybody.
    """

    metadata: ClassVar = {"name": "gathering_v0", "render_modes": []}

    def __init__(self, players=2, shift=0.0):
        super().__init__(f"player_{p}" for p in range(players))
        self.shift = shift

    def observation_space(self, agent):
        return spaces.Dict(
            {
                "observation": spaces.Box(0, 4, (4,), np.float32),
                "action_mask": spaces.Box(0, 1, (9,), np.int8),
            }
        )

    def action_space(self, agent):
        return spaces.Discrete(9)

    def observe(self, agent):
        players = len(self.possible_agents)
        place = (self.possible_agents.index(agent) - self.turn) % players
        mask = [self.heaps[a // 3] > a % 3 for a in range(9)]
        return {
            "observation": np.array([*self.heaps, place], np.float32),
            "action_mask": np.array(mask, np.int8),
        }

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.heaps, self.turn, self.steps = [4, 4, 4], 0, 0

    def step(self, action):
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        heap, stones = action // 3, action % 3 + 1
        for agent in self.agents:
            worth = WORTH[heap] if agent == self.agent_selection else -COST
            self.rewards[agent] = worth * stones + self.shift
        self.heaps[heap] -= stones
        self.steps += 1
        self.turn = (self.turn + 1) % len(self.possible_agents)
        self.agent_selection = self.possible_agents[self.turn]
        if not any(self.heaps):
            self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()


def gathering(players=2, moves=(), shift=0.0):
    """Return an environment that remembers, after some moves."""
    env = remember(Gathering(players, shift))
    env.reset()
    for move in moves:
        env.step(move)
    return env
