"""Things that stand over one memory: their copies do too, or are refused."""

import ctypes
import mmap
import types

import gymnasium
import numpy as np
import pygame
import pytest
from gymnasium import spaces

from mcts_agents import MCTSAgent
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.cloning_kinds import UncopyableEnvironmentError


class Walk(gymnasium.Env):
    """Writes where it is in one place and reads it in another; 2 is the goal."""

    observation_space = spaces.Discrete(100)
    action_space = spaces.Discrete(2)

    def __init__(self, parts):
        self.parts = parts

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.write, self.read = self.parts()
        self.steps = 0
        return 0, {}

    def step(self, action):
        at = int(self.read[0])
        self.write[0] = at + (1 if action else -1)
        self.steps += 1
        at = int(self.read[0])
        return at % 100, float(at == 2), at == 2, self.steps > 20, {}


class Named(np.ndarray):
    """An array with an attribute."""

    def __array_finalize__(self, other):
        self.label = getattr(other, "label", "none")


def labelled(array):
    found = array.view(Named)
    found.label = ["given"]
    return found


def zeros():
    return np.zeros(3, np.int64)


def records():
    table = np.zeros(3, [("x", "i8"), ("y", "i8")])
    return table.view(np.recarray).x, table["x"]


def plain_of_a_class():
    owner = np.ndarray.__new__(Named, 3, np.int64)
    owner[:] = 0
    return owner.view(np.ndarray), owner


def views_of_views():
    whole = zeros()
    inner = labelled(whole[1:])
    return inner.view(np.ndarray), whole[1:].view(np.matrix)[0].A1


def mapped():
    memory = mmap.mmap(-1, 64)
    return np.frombuffer(memory, np.int64, 3), np.frombuffer(memory, np.int64)


def tensors():
    torch = pytest.importorskip("torch")
    whole = torch.zeros((2, 2), dtype=torch.int64)
    return whole.numpy()[1], whole[1]


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    "parts",
    [
        lambda: (zero := zeros(), labelled(zero)),
        lambda: (zero := zeros(), np.ma.array(zero, copy=False)),
        records,
        plain_of_a_class,
        views_of_views,
        mapped,
        tensors,
    ],
)
def test_what_one_part_writes_another_reads_in_copies_too(parts, swapped):
    env = Walk(lambda: parts()[::-1] if swapped else parts())
    env.reset(seed=1)
    env.step(1)
    agent = MCTSAgent(simulations=100, perfect_information=True, seed=0, rollout=20)
    result = agent.plan(env)
    assert result.environment_action() == 1
    assert result.values[1] == 1.0
    assert int(env.read[0]) == 1


def test_arrays_of_a_class_keep_their_attributes():
    array = labelled(zeros())
    masked = np.ma.array([1, 2], mask=[False, True], fill_value=7)
    twin, also = Cloner().clone([array, masked])
    assert type(twin) is Named
    assert twin.label == ["given"]
    assert twin.label is not array.label
    assert (also.tolist(), also.fill_value) == ([1, None], 7)
    also.mask[0] = True
    assert masked.tolist() == [1, None]


def from_numpy():
    torch = pytest.importorskip("torch")
    array = zeros()
    return array, torch.from_numpy(array[1:])


def of_ctypes():
    array = zeros()
    return array, (ctypes.c_int64 * 2).from_buffer(array)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("parts", [from_numpy, of_ctypes])
def test_what_would_lose_its_memory_is_refused_by_name(parts, swapped):
    env = Walk(lambda: parts()[::-1] if swapped else parts())
    env.reset(seed=1)
    agent = MCTSAgent(simulations=10, perfect_information=True, seed=0)
    message = "share memory, but their copies would not"
    with pytest.raises(UncopyableEnvironmentError, match=message) as told:
        agent.act(env)
    assert "Walk.write" in str(told.value)
    assert "Walk.read" in str(told.value)
    # Neighbours do not touch.
    env.write, env.read = (np.zeros(3), np.zeros(3))
    agent.act(env)


def test_tables_in_a_file_that_nobody_writes_are_copied(tmp_path):
    np.save(tmp_path / "table.npy", np.arange(4))
    table = np.load(tmp_path / "table.npy", mmap_mode="r")
    env = Walk(lambda: (zero := zeros(), zero.view()))
    env.reset(seed=1)
    env.table, env.part = table, np.asarray(table)[1:]
    MCTSAgent(simulations=10, perfect_information=True, seed=0).act(env)


class Simulator:
    """Shows its memory as simulators in C++ do, which nobody can copy from outside."""

    def __init__(self):
        self._memory = zeros()
        self.__array_interface__ = self._memory.__array_interface__


def of_a_simulator():
    simulator = Simulator()
    return simulator, np.asarray(simulator)


def of_a_capsule():
    array = np.from_dlpack(zeros())
    return array.base, array


@pytest.mark.parametrize(
    ("owned", "kind"), [(of_a_simulator, "Simulator"), (of_a_capsule, "PyCapsule")]
)
@pytest.mark.parametrize("view", [lambda array: array, lambda array: array[1:]])
def test_arrays_over_memory_of_what_lives_on_are_refused(owned, kind, view):
    owner, array = owned()
    if not array.flags.writeable:  # NumPy 2.0 makes such arrays of a capsule
        pytest.skip("nobody can write there")
    message = (
        rf"\.array -> numpy array over memory of \S*{kind} .*read it from its owner"
    )
    with pytest.raises(UncopyableEnvironmentError, match=message):
        Cloner().clone(types.SimpleNamespace(array=view(array)))
    assert owner is not None


def test_arrays_whose_memory_nothing_else_refers_to_are_copied():
    alone = np.from_dlpack(zeros())
    strided = np.lib.stride_tricks.as_strided(zeros(), (2, 2), (8, 8))
    surface = pygame.Surface((2, 3))
    pixels = pygame.surfarray.pixels3d(surface)
    for array in (alone, alone[1:], strided, pixels):
        twin = Cloner().clone(array)
        assert (twin == array).all()
        assert not np.shares_memory(twin, array)
