"""No way to plan shows a search what the live environment will throw."""

import copy
import random

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from mcts_agents import remember
from mcts_agents.model import new_generator
from mcts_agents.model.copying.copied import CopiedEnvironment

FACES = 10**9
OF_THE_MODULE = np.random.default_rng(0)


class Throws(gymnasium.Env):
    """Throws a die of very many faces in each step."""

    observation_space = spaces.Discrete(2)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.thrown = []
        self.begin(seed)
        return 0, {}

    def begin(self, seed):
        """Seed the dice."""

    def throw(self):
        return int(self.np_random.integers(FACES))

    def step(self, action):
        self.thrown.append(self.throw())
        return 0, 0.0, False, False, {}


class OfPython(Throws):
    def begin(self, seed):
        random.seed(seed)

    def throw(self):
        return random.randrange(FACES)


class OfNumpy(Throws):
    def begin(self, seed):
        np.random.seed(seed)  # noqa: NPY002

    def throw(self):
        return int(np.random.randint(FACES))  # noqa: NPY002


class OfTorch(Throws):
    def begin(self, seed):
        self.torch = pytest.importorskip("torch")
        self.torch.manual_seed(seed)

    def throw(self):
        return int(self.torch.randint(FACES, (1,)))


class InAClosure(Throws):
    def begin(self, seed):
        own = np.random.default_rng(seed)
        self.roll = lambda: int(own.integers(FACES))

    def throw(self):
        return self.roll()


class InADefault(Throws):
    def begin(self, seed):
        def roll(*, own=random.Random(seed)):  # noqa: B008
            return own.randrange(FACES)

        self.rolls = {"roll": [roll]}

    def throw(self):
        return self.rolls["roll"][0]()


class InASpace(Throws):
    def begin(self, seed):
        self.die = spaces.Dict({"die": spaces.Discrete(FACES, seed=seed)})
        self.die.seed(seed)

    def throw(self):
        return int(self.die.sample()["die"])


class InASpaceOfTheClass(Throws):
    die = spaces.Discrete(FACES)

    def begin(self, seed):
        self.die.seed(seed)

    def throw(self):
        return int(self.die.sample())


class InTheActionSpace(Throws):
    action_space = spaces.Box(0.0, 1.0, (2,))

    def begin(self, seed):
        self.action_space.seed(seed)

    def throw(self):
        return int(self.action_space.sample()[0] * FACES)


class OfTheModule(Throws):
    def begin(self, seed):
        OF_THE_MODULE.bit_generator.state = np.random.PCG64(seed).state

    def throw(self):
        return int(OF_THE_MODULE.integers(FACES))


class OfTheModuleAnew(OfTheModule):
    def begin(self, seed):
        global OF_THE_MODULE
        OF_THE_MODULE = np.random.default_rng(seed)


class OfTheClassAnew(Throws):
    own = None

    def begin(self, seed):
        type(self).own = random.Random(seed)

    def throw(self):
        return self.own.randrange(FACES)


class MadeAnewInSteps(Throws):
    """Copies meet the same dice then, but not the live ones."""

    def throw(self):
        self._np_random = copy.deepcopy(self.np_random)
        return super().throw()


KINDS = [
    *(Throws, OfPython, OfNumpy, OfTorch, InAClosure, InADefault, InASpace),
    *(InASpaceOfTheClass, InTheActionSpace, OfTheModule, OfTheModuleAnew),
    *(OfTheClassAnew, MadeAnewInSteps),
]


def started(kind, wrap):
    env = wrap(kind())
    env.reset(seed=7)
    env.step(env.action_space.low if isinstance(env.action_space, spaces.Box) else 0)
    return env


def thrown_by(env, steps=4):
    action = env.action_space.low if isinstance(env.action_space, spaces.Box) else 0
    for _ in range(steps):
        env.step(action)
    return env.unwrapped.thrown


def check(kind, wrap=lambda env: env, **options):
    """Two plans see nothing of what the live environment throws, and change nothing."""
    true = thrown_by(started(kind, wrap))
    env = started(kind, wrap)
    if isinstance(env.action_space, spaces.Box):
        options["continuous"] = 2
    model = CopiedEnvironment(env, perfect_information=True, **options)
    seen, rng = [], new_generator(0)
    for seed in range(2):
        with model.planning(None, new_generator(seed)) as (state, _):
            copies = [model.copy(state) for _ in range(3)]
            for _ in range(3):
                for twin in copies:  # in turn: replays begin again and again
                    model.apply(twin, [0], rng)
            seen += [list(model.environment(t).unwrapped.thrown) for t in copies]
    assert all(each[0] == true[0] and len(each) == 4 for each in seen)
    dice = [die for each in seen for die in each[1:]]
    assert len(set(dice)) == len(dice) or kind is MadeAnewInSteps
    assert not set(dice) & set(true)
    assert thrown_by(env) == true


@pytest.mark.parametrize("kind", KINDS)
def test_copies_foresee_nothing(kind):
    check(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_replays_foresee_nothing(kind):
    check(kind, remember, replay=kind)


def everything(env):
    return copy.deepcopy(vars(env))


def all_but_dice(env):
    return copy.deepcopy({k: v for k, v in vars(env).items() if k != "_np_random"})


def put(env, situation):
    vars(env).update(copy.deepcopy(situation))


# Modules cannot be copied by copy.deepcopy; dice that steps make anew are state.
@pytest.mark.parametrize("get", [everything, all_but_dice])
@pytest.mark.parametrize(
    "kind", [k for k in KINDS if k not in (OfTorch, MadeAnewInSteps)]
)
def test_snapshots_foresee_nothing(kind, get):
    check(kind, snapshots=(get, put))
