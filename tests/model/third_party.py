"""Third-party environments for tests: awkward ones, small."""

import functools
import threading

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import parallel_to_aec


class InTurn(AECEnv):
    """What nearly all AEC environments have alike: agents, spaces, a beginning."""

    metadata = {"name": "in_turn_v0", "render_modes": []}
    render_mode = None

    def __init__(self, agents):
        self.possible_agents = list(agents)

    def observation_space(self, agent):
        return spaces.Discrete(100)

    def action_space(self, agent):
        return spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]


class AtOnce(ParallelEnv):
    """What parallel environments mostly have alike; it shows how often all acted."""

    metadata = {"name": "at_once_v0", "render_modes": [], "is_parallelizable": True}
    render_mode = None

    def __init__(self, agents):
        self.possible_agents = list(agents)

    def observation_space(self, agent):
        return spaces.Discrete(100)

    def action_space(self, agent):
        return spaces.Discrete(2)

    def observations(self):
        return dict.fromkeys(self.agents, self.rounds)

    def infos(self):
        return {agent: {} for agent in self.agents}

    def reset(self, seed=None, options=None):
        self.agents = list(self.possible_agents)
        self.rounds = 0
        return self.observations(), self.infos()

    def outcome(self, rewards, over):
        """Return what `step` returns where all end together."""
        shown = self.observations(), self.infos()
        ends = dict.fromkeys(self.agents, over), dict.fromkeys(self.agents, False)
        if over:
            self.agents = []
        return shown[0], rewards, *ends, shown[1]


class Matching(AtOnce):
    """Two players choose at once, three rounds: equal choices pay player_0."""

    metadata = AtOnce.metadata | {"name": "matching_v0"}

    def __init__(self):
        super().__init__(["player_0", "player_1"])

    def observation_space(self, agent):
        return spaces.Box(0, 3, (1,), np.int8)

    def observations(self):
        return {agent: np.array([self.rounds], np.int8) for agent in self.agents}

    def step(self, actions):
        self.rounds += 1
        paid = 1.0 if actions["player_0"] == actions["player_1"] else -1.0
        return self.outcome({"player_0": paid, "player_1": -paid}, self.rounds == 3)


def serialised_matching():
    """The same as an AEC environment by PettingZoo's converter."""
    return parallel_to_aec(Matching())


class Countdown(InTurn, EzPickle):
    """Players take 1 or 2 from a number; who takes the last one is out, and so on.

    An AEC environment without masks, whose agents die one by one, and whose plain deep
    copy is a fresh game.
    """

    metadata = {"name": "countdown_v0", "render_modes": []}

    def __init__(self, players=3, start=4):
        EzPickle.__init__(self, players, start)
        super().__init__(f"player_{p}" for p in range(players))
        self.start = start

    def observe(self, agent):
        return self.left

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.left = self.start

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        following = self.agents[(self.agents.index(agent) + 1) % len(self.agents)]
        self.left -= action + 1
        if self.left <= 0:
            self.rewards[agent] = -1.0
            self.terminations[agent] = True
            self.left = self.start
            alive = [a for a in self.agents if not self.terminations[a]]
            if len(alive) == 1:
                self.rewards[alive[0]] = 1.0
                self.terminations[alive[0]] = True
        self.agent_selection = following
        self._accumulate_rewards()
        self._deads_step_first()


class Uneven(InTurn):
    """Two take turns: the first has two actions, the second has five."""

    metadata = {"name": "uneven_v0", "render_modes": []}

    def __init__(self):
        super().__init__(["first", "second"])

    def action_space(self, agent):
        return spaces.Discrete(2 if agent == "first" else 5)

    def observe(self, agent):
        return self.steps

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.steps = 0

    def step(self, action):
        assert action in range(self.action_space(self.agent_selection).n)
        self.steps += 1
        self.last_action = action
        self.terminations = dict.fromkeys(self.agents, self.steps == 6)
        self.agent_selection = self.agents[self.steps % 2]


class Dice(gymnasium.Env):
    """Guess a die that is thrown after the guess; ten throws."""

    observation_space = spaces.Discrete(7)
    action_space = spaces.Discrete(6)

    def __init__(self, source="np_random"):
        self.source = source

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.thrown = 0
        return 0, {}

    def throw(self):
        if self.source == "np_random":
            return int(self.np_random.integers(6))
        return int(np.random.randint(6))

    def step(self, action):
        self.thrown += 1
        face = self.throw()
        return face + 1, float(face == action), self.thrown == 10, False, {}


class Failing(gymnasium.Env):
    """Calls a function that raises in its third step, and counts its steps."""

    observation_space = spaces.Discrete(1)
    action_space = spaces.Discrete(2)

    def __init__(self, fail):
        self.fail = fail

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return 0, {}

    def step(self, action):
        self.steps += 1
        if self.steps == 3:
            self.fail()
        return 0, 1.0, False, False, {}


class Locked(Dice):
    """Holds something that nobody can copy."""

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()


class Forgetful(Dice):
    """Its deep copy is another situation, without an error."""

    def __deepcopy__(self, memo):
        twin = Forgetful()
        twin.reset(seed=0)
        return twin


class Sampling(gymnasium.Env):
    """Guess a number that the environment draws from its own action space."""

    observation_space = spaces.Discrete(7)

    def __init__(self):
        self.action_space = spaces.Discrete(6)

    def _get_info(self):
        return {"action_mask": np.array([1, 1, 1, 1, 1, self.drawn == 0], np.int8)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.action_space.seed(seed)
        self.drawn = 0
        return 0, self._get_info()

    def step(self, action):
        assert self._get_info()["action_mask"][action], "illegal"
        self.drawn += 1
        number = int(self.action_space.sample())
        over = self.drawn == 10
        return number + 1, float(number == action), over, False, self._get_info()


class Cached(Countdown):
    """As PettingZoo's tutorial has it: spaces in a cache that holds the environment."""

    @functools.lru_cache(maxsize=None)  # noqa: B019, UP033
    def action_space(self, agent):
        return spaces.Discrete(2)

    @functools.cache  # noqa: B019
    def square(self, number):
        return number**2

    def step(self, action):
        assert self.action_space(self.agent_selection).contains(action)
        assert self.square(self.left) == self.left * self.left
        super().step(action)


class OwnDice:
    """Brings its own way of being copied, generator and all."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)

    def __deepcopy__(self, memo):
        twin = OwnDice(0)
        twin.generator.bit_generator.state = self.generator.bit_generator.state
        return twin


class HiddenDice(Dice):
    """Throws with a generator inside an object that copies itself."""

    def reset(self, *, seed=None, options=None):
        self.dice = OwnDice(seed)
        return super().reset(seed=seed)

    def throw(self):
        return int(self.dice.generator.integers(6))


class Noisy(Countdown):
    """Shows its number with an error that is drawn whenever somebody looks."""

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.np_random = np.random.default_rng(seed)

    def observe(self, agent):
        return self.left + int(self.np_random.integers(-1, 10**6))
