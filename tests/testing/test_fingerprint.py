"""Fingerprints: what is equal has the same one, and every difference shows."""

import array
import collections
import datetime
import io
import itertools
import threading

import numpy as np
import pytest

from mcts_agents.testing.fingerprint import fingerprint


class Held:
    def __init__(self, value):
        self.value = value


class Tagged(bytearray):
    """Bytes that have an attribute, too."""

    def __init__(self, data, tag):
        super().__init__(data)
        self.tag = tag


def after(iterator, steps):
    for _ in range(steps):
        next(iterator)
    return iterator


def buffer(text):
    made = io.BytesIO(b"12345")
    made.write(text)
    return made


def tensor(*numbers, needs_gradient=False):
    torch = pytest.importorskip("torch")
    return torch.tensor(numbers, requires_grad=needs_gradient)


class Buffer(io.BytesIO):
    """A buffer of C that has an attribute, too."""

    def __init__(self, data):
        super().__init__(data)
        self.tag = 1


DIFFERENT = {
    "tensor": (lambda: tensor(1, 2), lambda: tensor(2, 1)),
    "tensor with a gradient": (
        lambda: tensor(1.0, needs_gradient=True),
        lambda: tensor(2.0, needs_gradient=True),
    ),
    "buffer with an attribute": (lambda: Buffer(b"1"), lambda: Buffer(b"2")),
    "set": (lambda: {1, 2}, lambda: {1, 3}),
    "bytearray": (lambda: bytearray(b"ab"), lambda: bytearray(b"ba")),
    "its attribute": (lambda: Tagged(b"ab", 1), lambda: Tagged(b"ab", 2)),
    "memoryview": (lambda: memoryview(b"ab"), lambda: memoryview(b"ac")),
    "view of every second": (
        lambda: memoryview(b"abcd")[::2],
        lambda: memoryview(b"abcd")[1::2],
    ),
    "array": (lambda: array.array("i", [1, 2]), lambda: array.array("i", [1, 3])),
    "kind of array": (lambda: array.array("i", [1]), lambda: array.array("I", [1])),
    "iterator of a list": (lambda: iter([1, 2]), lambda: after(iter([1, 2]), 1)),
    "counter": (lambda: itertools.count(3), lambda: itertools.count(4)),
    "date": (lambda: datetime.date(2000, 1, 1), lambda: datetime.date(2000, 1, 2)),
    "buffer": (lambda: buffer(b"1"), lambda: buffer(b"2")),
    "array of NumPy": (lambda: np.arange(3), lambda: np.arange(3.0)),
    "deque": (lambda: collections.deque([1]), lambda: collections.deque([2])),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_every_difference_shows(name):
    one, other = DIFFERENT[name]
    assert fingerprint(Held(one())) == fingerprint(Held(one()))
    assert fingerprint(Held(one())) != fingerprint(Held(other()))


class Asked:
    """Nobody may ask how it is pickled: an author's function may do anything."""

    def __reduce_ex__(self, protocol):
        raise AssertionError


class Node:
    """A part of a family whose members know each other."""

    def __init__(self, name, parent=None):
        self.name, self.parent, self.children = name, parent, set()
        if parent:
            parent.children.add(self)


def family(*names):
    root = Node("root")
    for name in names:
        Node("grandchild", Node(name, root))
    return root


def test_members_of_a_set_may_lead_back_to_it():
    one = fingerprint(family("a", "b", "c"))
    assert one == fingerprint(family("c", "a", "b"))
    assert one != fingerprint(family("a", "b", "d"))


def test_a_released_view_of_memory_is_told_by_its_class():
    view = memoryview(b"12")
    view.release()
    assert fingerprint(Held(view)) == fingerprint(Held(view))


def test_what_cannot_be_pickled_is_told_by_its_class():
    def generator():
        yield

    for item in (threading.Lock(), generator(), Asked(), object(), {}.keys()):
        assert fingerprint(item) == fingerprint(item)
    assert fingerprint(threading.Lock()) != fingerprint(object())


def test_looking_does_not_move_an_iterator():
    iterator = after(iter(range(9)), 2)
    fingerprint(iterator)
    assert next(iterator) == 2
