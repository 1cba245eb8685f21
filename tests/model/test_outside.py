"""State outside an environment's object: put back, and never silently changed."""

import functools
import os
import subprocess
import sys
import types
import weakref

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from mcts_agents import MCTSAgent
from mcts_agents.model import new_generator
from mcts_agents.model.copying.copied import CopiedEnvironment
from mcts_agents.model.copying.outside import SharedStateError

STEPS = {"count": 0, "taken": []}
TOTAL = 0
BOARD = np.zeros(3, np.int8)
DICE = np.random.default_rng(7)
UNRELATED = {"count": 0}


class Counter:
    """Counts in an object of a module."""

    __slots__ = ("count",)

    def __init__(self):
        self.count = 0


COUNTER = Counter()


def counted(by=[0]):  # noqa: B006
    by[0] += 1


def counter():
    count = 0

    def up():
        nonlocal count
        count += 1
        return count

    return up


up = counter()


class Sharing(gymnasium.Env):
    """Two actions, ten steps; a subclass changes what it shares with its copies."""

    observation_space = spaces.Discrete(11)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return 0, {}

    def step(self, action):
        self.steps += 1
        self.change(action)
        return self.steps, float(action), self.steps == 10, False, {}


class ClassAttribute(Sharing):
    played = 0

    def change(self, action):
        type(self).played += 1

    state = staticmethod(lambda: ClassAttribute.played)


class ListOfClass(Sharing):
    taken = []  # noqa: RUF012

    def change(self, action):
        self.taken.append(action)

    state = staticmethod(lambda: list(ListOfClass.taken))


class NewAttribute(Sharing):
    def change(self, action):
        if action == 0:
            type(self).last = action

    state = staticmethod(lambda: hasattr(NewAttribute, "last"))


class Global(Sharing):
    def change(self, action):
        global TOTAL
        TOTAL += 1

    state = staticmethod(lambda: TOTAL)


class NestedGlobal(Sharing):
    def change(self, action):
        STEPS["taken"].append(action)

    state = staticmethod(lambda: list(STEPS["taken"]))


class GlobalArray(Sharing):
    def change(self, action):
        BOARD[action] += 1

    state = staticmethod(lambda: BOARD.tolist())


class GlobalObject(Sharing):
    def change(self, action):
        COUNTER.count += 1

    state = staticmethod(lambda: COUNTER.count)


class DefaultArgument(Sharing):
    def change(self, action):
        counted()

    state = staticmethod(lambda: list(counted.__defaults__[0]))


class Closure(Sharing):
    def change(self, action):
        up()

    state = staticmethod(lambda: up.__closure__[0].cell_contents)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (ClassAttribute, r"test_outside\.ClassAttribute\.played"),
        (ListOfClass, r"test_outside\.ListOfClass\.taken"),
        (NewAttribute, r"test_outside\.NewAttribute\.last"),
        (Global, r"test_outside\.TOTAL"),
        (NestedGlobal, r"test_outside\.STEPS"),
        (GlobalArray, r"test_outside\.BOARD"),
        (GlobalObject, r"test_outside\.COUNTER"),
        (DefaultArgument, r"default argument of \S*test_outside\.counted"),
        (Closure, r"variable count of \S*test_outside\.counter\.<locals>\.up"),
    ],
)
def test_what_planning_changes_outside_is_named_and_put_back(kind, name):
    env = kind()
    env.reset(seed=0)
    env.step(1)
    before = kind.state()
    agent = MCTSAgent(simulations=20, perfect_information=True, seed=0)
    for _ in range(2):
        with pytest.raises(SharedStateError, match=name) as caught:
            agent.act(env)
        assert "\n" not in str(caught.value)
        assert kind.state() == before
    assert env.steps == 1


def test_what_is_shared_and_left_alone_does_no_harm():
    env = Sharing()
    env.change = lambda action: None
    env.reset(seed=0)
    env.table = STEPS
    agent = MCTSAgent(simulations=20, perfect_information=True, seed=0)
    assert agent.act(env) in (0, 1)


def test_what_a_users_function_counts_is_no_state_of_the_environment():
    env = Sharing()
    env.change = lambda action: None
    env.reset(seed=0)

    def redeterminise(copied, agent, generator):
        UNRELATED["count"] += 1

    UNRELATED["count"] = 0
    MCTSAgent(simulations=20, redeterminise=redeterminise, seed=0).act(env)
    assert UNRELATED["count"] > 20


def test_caches_by_name_may_change():
    env = ListOfClass()
    env.reset(seed=0)
    agent = MCTSAgent(
        simulations=20,
        perfect_information=True,
        caches=(f"{__name__}.ListOfClass.taken",),
        seed=0,
    )
    before = len(ListOfClass.taken)
    agent.act(env)
    assert len(ListOfClass.taken) > before
    for wrong in ("name", ["name"], (3,)):
        with pytest.raises(ValueError, match=r"caches=.*tuple of names"):
            MCTSAgent(simulations=20, caches=wrong)


def test_it_is_put_back_after_an_error_too():
    class Raising(Sharing):
        def change(self, action):
            STEPS["count"] += 1
            if self.steps == 3:
                raise ZeroDivisionError

    env = Raising()
    env.reset(seed=0)
    before = STEPS["count"]
    with pytest.raises(ZeroDivisionError):
        MCTSAgent(simulations=20, perfect_information=True, seed=0).act(env)
    assert STEPS["count"] == before


class DiceOfModule(Sharing):
    """Guess a die of the module."""

    action_space = spaces.Discrete(6)

    def step(self, action):
        thrown = int(DICE.integers(6))
        return 0, float(thrown == action), True, False, {}


def test_generators_of_modules_are_neither_seen_nor_moved():
    right = 0
    for seed in range(40):
        env = DiceOfModule()
        env.reset(seed=seed)
        before = DICE.bit_generator.state
        agent = MCTSAgent(simulations=30, perfect_information=True, seed=seed)
        action = agent.act(env)
        assert DICE.bit_generator.state == before
        right += env.step(action)[1] == 1
    assert right < 18  # 6.7 expected


def test_each_simulation_throws_the_modules_dice_anew():
    env = DiceOfModule()
    env.reset(seed=0)
    model = CopiedEnvironment(env, perfect_information=True)
    thrown = set()
    with model.planning(None, new_generator(0)) as (state, _):
        for _ in range(40):
            twin = model.copy(state)
            model.apply(twin, [0], new_generator(0))
            thrown.add(float(model.scores(twin)[0]))
    assert thrown == {0.0, 1.0}


class BegunAnew(Sharing):
    """Its `reset` changes something outside, its `step` does not."""

    number = 0

    def reset(self, *, seed=None, options=None):
        type(self).number += 1
        return super().reset(seed=seed)

    def change(self, action):
        pass


def test_what_only_reset_changes_is_no_reason_to_refuse():
    env = BegunAnew()
    env.reset(seed=0)
    number = BegunAnew.number
    agent = MCTSAgent(simulations=20, perfect_information=True, seed=0)
    for _ in range(3):
        agent.act(env)
    assert BegunAnew.number == number


class Tabled(Sharing):
    """Reads a large table, and counts in its class in its later steps."""

    table = dict.fromkeys(range(5000))
    played = 0

    def change(self, action):
        if self.steps > 8:
            type(self).played += 1


def test_large_tables_are_looked_at_now_and_then_and_stay_current():
    env = Tabled()
    env.reset(seed=0)
    agent = MCTSAgent(simulations=4, rollout=1, perfect_information=True, seed=0)
    for plan in range(1, 7):
        agent.act(env)
        Tabled.table[plan] = plan  # by the live game, between plans
    assert [Tabled.table[plan] for plan in range(1, 7)] == [1, 2, 3, 4, 5, 6]
    env.steps = 8
    with pytest.raises(SharedStateError, match=r"Tabled\.played"):
        for _ in range(2):
            agent.act(env)
    assert agent._copied._outside._plans == 8


def count_in_module(action):
    STEPS["count"] += 1


def test_functions_that_an_object_holds_are_followed():
    env = Sharing()
    env.change = count_in_module
    env.reset(seed=0)
    before = STEPS["count"]
    with pytest.raises(SharedStateError, match=r"test_outside\.STEPS"):
        MCTSAgent(simulations=20, perfect_information=True, seed=0).act(env)
    assert STEPS["count"] == before


def numbered(function):
    calls = 0

    @functools.wraps(function)
    def call(action):
        nonlocal calls
        calls += 1
        return function(action)

    return call


@numbered
def pass_turn(action):
    """Do nothing."""


def test_what_a_decorated_function_of_a_module_keeps_lies_outside():
    """Copies share the function, so that they can compare it."""
    env = Sharing()
    env.change = pass_turn
    env.reset(seed=0)
    before = pass_turn.__closure__[0].cell_contents
    with pytest.raises(SharedStateError, match=r"variable calls of \S*\.pass_turn"):
        MCTSAgent(simulations=20, perfect_information=True, seed=0).act(env)
    assert pass_turn.__closure__[0].cell_contents == before


class Piece:
    """Can be referred to weakly."""


def noticing(env):
    def gone(reference):
        env.noticed.append(reference)
        STEPS["count"] += 1

    return gone


def test_callbacks_of_weak_references_are_followed():
    env = Sharing()
    env.change = types.MethodType(lambda self, action: vars(self).pop("piece", 0), env)
    env.reset(seed=0)
    env.piece, env.noticed = Piece(), []
    env.reference = weakref.ref(env.piece, noticing(env))
    before = STEPS["count"]
    with pytest.raises(SharedStateError, match=r"test_outside\.STEPS"):
        MCTSAgent(simulations=20, perfect_information=True, seed=0).act(env)
    assert (STEPS["count"], env.noticed) == (before, [])


# An environment that throws the dice of some generators of its module.
GENERATORS = """
import random

import gymnasium
import numpy as np
from gymnasium import spaces

from mcts_agents import MCTSAgent

FIRST, SECOND = random.Random(1), np.random.RandomState(2)
THIRD, FOURTH = np.random.default_rng(3), random.Random(4)


class Throwing(gymnasium.Env):
    observation_space = spaces.Discrete(9)
    action_space = spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return 0, {}

    def step(self, action):
        self.steps += 1
        throw = FIRST.random, SECOND.random_sample, THIRD.random, FOURTH.random
        thrown = throw[action]()
        return self.steps, thrown, self.steps == 8, False, {}


env = Throwing()
env.reset(seed=0)
agent = MCTSAgent(simulations=20, perfect_information=True, seed=1)
print(agent.plan(env).values.tolist())
"""


def test_generators_of_modules_get_the_same_dice_in_every_process(tmp_path):
    script = tmp_path / "throwing.py"
    script.write_text(GENERATORS)
    told = {
        subprocess.run(
            [sys.executable, script],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in range(4)
    }
    assert len(told) == 1
