"""Kinds of things outside an environment's object: seen to change, and put back."""

import argparse
import array
import collections
import contextvars
import ctypes
import functools
import importlib
import io
import itertools
import os
import queue
import sys
import threading
import types
import weakref

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from mcts_agents import MCTSAgent
from mcts_agents.model.copying.outside import SharedStateError

IDS = itertools.count()
TURNS = itertools.cycle("abc")
CARDS = iter([*range(99999)])
NAMES = types.SimpleNamespace(score=0)
SETTINGS = argparse.Namespace(score=0)
TALLY = collections.Counter(a=3)
ORDERED = collections.OrderedDict(a=1, b=2, c=3, d=4, e=5)
USERS = collections.UserDict(n=0)
NUMBERS = array.array("i", [0])
VIEW = memoryview(bytearray(2))
C_NUMBER = ctypes.c_int(0)
WRITTEN = io.StringIO()
QUEUE = queue.Queue()
OF_THREAD = threading.local()
OF_THREAD.score = 0
OF_CONTEXT = contextvars.ContextVar("OF_CONTEXT")
WEAK = weakref.WeakSet()
HELD = functools.partial(dict, score=[0])
ZERO_D = np.array(0)
SCORE = SECOND = 0
TENSOR = None  # a test puts one here: torch may not be installed


class Point(tuple):
    """Fixed numbers, and attributes that are not."""


class Group(frozenset):
    """The same, of a set."""


POINT, GROUP = Point([1, 2]), Group([1])
POINT.score, GROUP.scores = 0, [0]


class Kept(list):
    """A list with an attribute and a way of its own to add."""

    score = 0

    def extend(self, items):
        raise AssertionError


KEPT = Kept([1])


class Meta(type):
    score = 0


class WithMeta(metaclass=Meta):
    pass


class Inner:
    pass


def by_table():
    global SCORE
    SCORE += 1


TABLE = {"plus": [by_table]}


@functools.singledispatch
def dispatched(value):
    pass


@dispatched.register
def _(value: int):
    global SECOND
    SECOND += 1


@functools.lru_cache
def board(size):
    return [0] * size


def numbers():
    number = 0
    while True:
        number += 1
        yield number


GENERATOR = numbers()
PAIR = itertools.count(), 1


class Ten(gymnasium.Env):
    """Ten steps, each of which calls a function."""

    observation_space = spaces.Discrete(100)
    action_space = spaces.Discrete(2)

    def __init__(self, change):
        self.change = change

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps, self.made = 0, []
        return 0, {}

    def step(self, action):
        self.steps += 1
        self.change(self)
        return self.steps, 0.0, self.steps == 10, False, {}


def plus(thing, name="score"):
    setattr(thing, name, getattr(thing, name) + 1)


def make_inner(env):
    inner = Inner()
    env.made.append(inner)
    WEAK.add(inner)


def add_to_environ(env):
    os.environ["A_NUMBER"] = os.environ.get("A_NUMBER", "") + "1"


def add_to_globals(env):
    globals()["NEW"] = globals().get("NEW", 0) + 1


def add_to_queue(env):
    QUEUE.put(1)


def add_to_kept(env):
    KEPT.append(1)
    KEPT.score += 1


KINDS = {
    "IDS": (lambda env: next(IDS), lambda: repr(IDS)),
    "TURNS": (lambda env: next(TURNS), lambda: repr(TURNS.__reduce__()[2])),
    "CARDS": (lambda env: next(CARDS), lambda: CARDS.__length_hint__()),
    "NAMES": (lambda env: plus(NAMES), lambda: NAMES.score),
    "SETTINGS": (lambda env: plus(SETTINGS), lambda: SETTINGS.score),
    "TALLY": (lambda env: TALLY.update("a"), lambda: dict(TALLY)),
    "ORDERED": (
        lambda env: ORDERED.move_to_end(next(iter(ORDERED))),
        lambda: list(ORDERED),
    ),
    "POINT": (lambda env: plus(POINT), lambda: POINT.score),
    "GROUP": (lambda env: GROUP.scores.append(1), lambda: list(GROUP.scores)),
    "USERS": (lambda env: USERS.update(n=USERS["n"] + 1), lambda: dict(USERS)),
    "KEPT": (add_to_kept, lambda: (list(KEPT), KEPT.score)),
    "NUMBERS": (lambda env: NUMBERS.append(1), NUMBERS.tolist),
    "VIEW": (lambda env: VIEW.__setitem__(0, (VIEW[0] + 1) % 250), VIEW.tolist),
    "C_NUMBER": (lambda env: plus(C_NUMBER, "value"), lambda: C_NUMBER.value),
    "WRITTEN": (lambda env: WRITTEN.write("a"), WRITTEN.getvalue),
    "QUEUE": (add_to_queue, lambda: (QUEUE.qsize(), QUEUE.unfinished_tasks)),
    "OF_THREAD": (lambda env: plus(OF_THREAD), lambda: OF_THREAD.score),
    "WEAK": (make_inner, lambda: len(WEAK)),
    "HELD": (lambda env: HELD()["score"].append(1), lambda: list(HELD()["score"])),
    "ZERO_D": (lambda env: ZERO_D.__iadd__(1), ZERO_D.item),
    "Meta.score": (lambda env: plus(type(WithMeta)), lambda: Meta.score),
    "SCORE": (lambda env: TABLE["plus"][0](), lambda: SCORE),
    "SECOND": (lambda env: dispatched(1), lambda: SECOND),
    "board": (lambda env: board(3).append(1), lambda: len(board(3))),
    "os.environ": (add_to_environ, lambda: os.environ.get("A_NUMBER")),
    "NEW": (add_to_globals, lambda: globals().get("NEW")),
}


@pytest.mark.parametrize("name", KINDS)
def test_it_is_named_and_put_back(name):
    change, state = KINDS[name]
    env = Ten(change)
    env.reset(seed=0)
    env.step(1)
    before = state()
    agent = MCTSAgent(simulations=3, rollout=4, perfect_information=True, seed=0)
    for _ in range(2):
        with pytest.raises(SharedStateError, match=rf"{name}\b.*has been restored\."):
            agent.act(env)
        assert state() == before
    env.step(1)
    assert state() != before


def test_what_a_plan_was_first_to_cache_is_dropped():
    board.cache_clear()
    env = Ten(KINDS["board"][0])
    env.reset(seed=0)
    agent = MCTSAgent(simulations=3, rollout=4, perfect_information=True, seed=0)
    agent.act(env)
    assert len(board(3)) == 3
    with pytest.raises(SharedStateError, match=r"board\b"):
        agent.act(env)


def test_context_variables_are_not_set():
    env = Ten(lambda env: OF_CONTEXT.set(OF_CONTEXT.get(0) + 1))
    env.reset(seed=0)
    MCTSAgent(simulations=3, perfect_information=True, seed=0).act(env)
    assert OF_CONTEXT.get(None) is None


def test_what_cannot_be_put_back_is_named():
    for change, name in (
        (lambda env: next(GENERATOR), "GENERATOR"),
        (lambda env: next(PAIR[0]), "PAIR"),
    ):
        env = Ten(change)
        env.reset(seed=0)
        with pytest.raises(SharedStateError, match=rf"except \S+{name}, which cannot"):
            MCTSAgent(simulations=3, perfect_information=True, seed=0).act(env)


@pytest.mark.parametrize(
    "kind", ["float32", "bfloat16", "complex64", "sparse", "nested"]
)
def test_tensors_are_put_back(kind, monkeypatch):
    torch = pytest.importorskip("torch")
    if kind == "sparse":
        tensor = torch.eye(2).to_sparse()
    elif kind == "nested":
        tensor = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    else:
        tensor = torch.ones(2, dtype=getattr(torch, kind))
    monkeypatch.setitem(globals(), "TENSOR", tensor)
    env = Ten(lambda env: TENSOR.mul_(2))
    env.reset(seed=0)
    # Nobody knows the numbers of these two, only that they were changed.
    has_numbers = kind not in ("sparse", "nested")
    fate = "it has been restored. Keep" if has_numbers else "cannot"
    with pytest.raises(SharedStateError, match=rf"TENSOR.*{fate}"):
        MCTSAgent(simulations=3, perfect_information=True, seed=0).act(env)
    assert not has_numbers or (tensor == 1).all()


def test_tensors_without_plain_numbers_are_allowed(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setitem(globals(), "TENSOR", torch.empty(2, device="meta"))
    env = Ten(lambda env: TENSOR.shape)
    env.reset(seed=0)
    MCTSAgent(simulations=3, perfect_information=True, seed=0).act(env)


def test_modules_imported_in_a_step_are_followed(tmp_path, monkeypatch):
    (tmp_path / "counted_late.py").write_text("SCORE = 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("counted_late")

    def change(env):
        import counted_late

        counted_late.SCORE += 1

    env = Ten(change)
    env.reset(seed=0)
    with pytest.raises(SharedStateError, match=r"counted_late\.SCORE"):
        MCTSAgent(simulations=3, perfect_information=True, seed=0).act(env)
    assert sys.modules.pop("counted_late").SCORE == 0


class Counted(Ten):
    """Counts its objects."""

    alive = 0

    def __init__(self):
        type(self).alive += 1
        self.change = lambda env: None

    def __del__(self):
        type(self).alive -= 1


def test_what_copies_change_when_they_go_is_put_back():
    env = Counted()
    env.reset(seed=0)
    for of_itself in (None, None, env):  # copies go later if they hold themselves
        env.itself = of_itself
        with pytest.raises(SharedStateError, match=r"Counted\.alive"):
            MCTSAgent(simulations=5, perfect_information=True, seed=0).act(env)
        assert Counted.alive == 1


class Accessed(gymnasium.Env):
    """A cached accessor hands out the list that the instance holds as well."""

    observation_space = spaces.Discrete(100)
    action_space = spaces.Discrete(2)

    @staticmethod
    @functools.lru_cache
    def track():
        return [0]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        Accessed.track.cache_clear()
        self.place = Accessed.track()
        return 0, {}

    def step(self, action):
        self.track()[0] += 1 if action else -1
        return abs(self.place[0]), float(self.place[0] == 3), False, False, {}


def test_a_cached_accessor_that_a_class_holds_is_watched():
    env = Accessed()
    env.reset(seed=1)
    env.step(1)
    agent = MCTSAgent(simulations=30, perfect_information=True, seed=0)
    with pytest.raises(SharedStateError, match=r"Accessed\.track"):
        agent.plan(env)


class Bound(gymnasium.Env):
    """Holds a bound method of NumPy's generator."""

    observation_space = spaces.Discrete(7)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.throw = np.random.default_rng(seed).integers
        return 0, {}

    def step(self, action):
        face = int(self.throw(6))
        return face, float(face), face == 0, False, {}


def test_bound_methods_of_compiled_classes_are_planned_with():
    env, untouched = Bound(), Bound()
    for each in (env, untouched):
        each.reset(seed=1)
    MCTSAgent(simulations=30, perfect_information=True, seed=0).act(env)
    assert [env.step(0)[0] for _ in range(9)] == [
        untouched.step(0)[0] for _ in range(9)
    ]
