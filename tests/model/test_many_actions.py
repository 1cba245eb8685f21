"""Legal actions of large action spaces, which states list so that nobody is asked."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from mcts_agents import MCTSAgent
from mcts_agents.model import new_generator
from mcts_agents.model.copying.copied import CopiedEnvironment
from mcts_agents.model.copying.faces import LISTED, MOST_LISTED
from mcts_agents.model.copying.situations import HEAD
from tests.model.third_party import InTurn

ACTIONS = 300


class Pool(InTurn):
    """Players take numbers out of a pool, and all within three of them."""

    def __init__(self, left=ACTIONS, shows_in="infos"):
        super().__init__(["player_0", "player_1"])
        self.begin, self.shows_in = left, shows_in

    def observation_space(self, agent):
        if self.shows_in == "infos":
            return spaces.Discrete(ACTIONS + 1)
        ones = spaces.MultiBinary(ACTIONS)
        return spaces.Dict({"observation": spaces.Discrete(2), "action_mask": ones})

    def action_space(self, agent):
        return spaces.Discrete(ACTIONS)

    def mask(self):
        mask = np.zeros(ACTIONS, np.int8)
        mask[list(self.left)] = 1
        return mask

    def note(self):
        if self.shows_in == "infos":
            self.infos = {agent: {"action_mask": self.mask()} for agent in self.agents}

    def observe(self, agent):
        if self.shows_in == "infos":
            return len(self.left)
        return {"observation": 0, "action_mask": self.mask()}

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.left = set(range(self.begin))
        self.note()

    def step(self, action):
        assert action in self.left
        self.left -= set(range(action - 3, action + 4))
        self.rewards[self.agent_selection] = float(action % 7 == 0)
        self.rewards["player_1"] -= 0.5
        if not self.left:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[self.agent_selection == self.agents[0]]
        self.note()


class Alone(gymnasium.Env):
    """The same for one, whose steps show masks in infos."""

    observation_space = spaces.Discrete(2)
    action_space = spaces.Discrete(ACTIONS)

    def __init__(self, left=ACTIONS):
        self.begin = left

    def shown(self):
        mask = np.zeros(ACTIONS, np.int8)
        mask[list(self.left)] = 1
        return {"action_mask": mask}

    def _get_info(self):
        return self.shown()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = set(range(self.begin))
        return 0, self.shown()

    def step(self, action):
        assert action in self.left
        self.left -= set(range(action - 3, action + 4))
        return 0, 1.0, not self.left, False, self.shown()


def started(make, *arguments):
    env = make(*arguments)
    env.reset(seed=0)
    return env


KINDS = {
    "infos": lambda left: started(Pool, left),
    "observations": lambda left: started(Pool, left, "observations"),
    "one player": lambda left: started(Alone, left),
}


def how_many_listed(state):
    """Return how many actions a state's own bytes list, None if they do not."""
    head = state[: HEAD.itemsize].view(HEAD)[0]
    return int(head["first_legal"]) if head["legal"] == LISTED else None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("left", [80, MOST_LISTED, MOST_LISTED + 1, ACTIONS])
def test_what_is_legal_is_what_the_environment_says(kind, left):
    env, rng = KINDS[kind](left), np.random.default_rng(left)
    model = CopiedEnvironment(env, perfect_information=True)
    lengths = []
    with model.planning(None, new_generator(0)) as (root, _):
        assert how_many_listed(root) == (left if left <= MOST_LISTED else None)
        for _ in range(3):
            state = model.copy(root)
            while movers := model.movers(state):
                (player,) = movers
                before = model.copy(state)
                legal = model.legal_actions(state, player)
                inside = model.environment(state)
                assert legal.tolist() == sorted(inside.left)
                lengths.append(len(legal))
                if kind != "observations":
                    known = len(legal) if len(legal) <= MOST_LISTED else None
                    assert how_many_listed(state) == known
                joint = [-1] * model.players
                joint[player] = int(rng.choice(legal))
                model.apply(state, joint, new_generator(1))
                # A copy keeps what was legal there.
                kept = model.legal_actions(before, player)
                assert kept.tolist() == legal.tolist()
        assert model.legal_actions(root, 0).tolist() == list(range(left))
    assert max(lengths) == left and min(lengths) < 10


def test_large_spaces_are_searched_alike_wherever_masks_are_shown():
    """Also where the list is too long at first, and short enough in later positions."""
    for left in (MOST_LISTED, MOST_LISTED + 3):
        found = []
        for kind in ("infos", "observations"):
            agent = MCTSAgent(
                simulations=600, rollout=5, perfect_information=True, seed=3
            )
            result = agent.plan(KINDS[kind](left))
            found.append((result.visits.tolist(), result.values.tolist()))
        assert found[0] == found[1]
        assert len(found[0][0]) == left
