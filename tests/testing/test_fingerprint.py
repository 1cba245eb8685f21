"""Fingerprints: what is equal has the same one, and every difference shows."""

import array
import collections
import contextlib
import copy
import datetime
import io
import itertools
import random
import sys
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


def tensor_of(kind, numbers):
    torch = pytest.importorskip("torch")
    return torch.tensor(numbers, dtype=torch.float32).to(getattr(torch, kind))


def conjugated(number):
    torch = pytest.importorskip("torch")
    return torch.tensor([number]).conj()


def sharing(*sizes):
    """Return a set of objects, of which so many hold the same list."""
    return {Held(part) for size in sizes for part in [[1]] * size}


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
    "tensor of numbers that NumPy lacks": (
        lambda: tensor_of("bfloat16", [1, 2]),
        lambda: tensor_of("bfloat16", [5, 2]),
    ),
    "tensor of one such number": (
        lambda: tensor_of("bfloat16", 1),
        lambda: tensor_of("bfloat16", 5),
    ),
    "shape of such a tensor": (
        lambda: tensor_of("bfloat16", [[1, 2]]),
        lambda: tensor_of("bfloat16", [[1], [2]]),
    ),
    "kind of such numbers": (
        lambda: tensor_of("float8_e4m3fn", [0, 0]),
        lambda: tensor_of("float8_e5m2", [0, 0]),
    ),
    "tensor that is conjugated when it is read": (
        lambda: conjugated(1 + 2j),
        lambda: conjugated(1 + 3j),
    ),
    "which members share a part": (lambda: sharing(3, 1), lambda: sharing(2, 2)),
    "which of many share a part": (lambda: sharing(90, 30), lambda: sharing(60, 60)),
    "where a list ends": (lambda: [[1], 2], lambda: [[1, 2]]),
    "where a list of a set ends": (
        lambda: {Held([[1], 2]), 3},
        lambda: {Held([[1, 2]]), 3},
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


class Cell:
    """It only knows its neighbours, of which none comes first."""

    def __init__(self, value=0):
        self.value, self.near = value, set()


def cells(links, seed=0):
    """Return cells by name; the seed says in which order they are made and linked."""
    shuffle = random.Random(seed).shuffle
    links = list(links)
    names = sorted({name for link in links for name in link})
    shuffle(links)
    shuffle(names)
    made = {name: Cell() for name in names}
    for one, other in links:
        made[one].near.add(made[other])
        made[other].near.add(made[one])
    return made


def grid(size):
    lines = [[(n, line) for n in range(size)] for line in range(size)]
    rows = [link for line in lines for link in itertools.pairwise(line)]
    return rows + [((y, x), (v, u)) for (x, y), (u, v) in rows]


def ring(names):
    return list(itertools.pairwise([*names, names[0]]))


@contextlib.contextmanager
def deep_copies_allowed():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


# All cells, or one that leads to them.
FROM = {
    "all": lambda board: set(board.values()),
    "one": lambda board: board[min(board)],
}


@pytest.mark.parametrize("begin", FROM)
def test_a_grid_of_cells_that_are_linked_by_sets(begin):
    board = cells(grid(20))
    held = FROM[begin](board)
    before = fingerprint(held)
    with deep_copies_allowed():
        twin = copy.deepcopy(held)
    assert fingerprint(twin) == before
    assert fingerprint(FROM[begin](cells(grid(20), seed=1))) == before
    board[7, 12].value = 1
    assert fingerprint(held) != before
    assert fingerprint(twin) == before
    board[7, 12].value = 0
    assert fingerprint(held) == before
    board[7, 12].near.remove(board[7, 13])
    assert fingerprint(held) != before


@pytest.mark.parametrize("begin", FROM)
def test_a_long_chain_of_sets(begin):
    links = list(itertools.pairwise(range(1000)))
    chain = cells(links)
    before = fingerprint(FROM[begin](chain))
    assert fingerprint(FROM[begin](cells(links, seed=1))) == before
    chain[999].value = 1
    assert fingerprint(FROM[begin](chain)) != before


# The cells of each have as many neighbours as those of the other one.
ALIKE = {
    "rings": (ring(range(6)), [*ring(range(3)), *ring(range(3, 6))]),
    "prism": (
        [*ring(range(3)), *ring(range(3, 6)), (0, 3), (1, 4), (2, 5)],
        list(itertools.product(range(3), range(3, 6))),
    ),
}


@pytest.mark.parametrize("name", ALIKE)
def test_links_among_objects_that_are_all_alike(name):
    seen = [
        {fingerprint(set(cells(links, seed).values())) for seed in range(5)}
        for links in ALIKE[name]
    ]
    assert [len(found) for found in seen] == [1, 1]
    assert seen[0] != seen[1]


def test_small_graphs_have_the_same_fingerprint_exactly_if_they_are_the_same():
    choices = random.Random(0)
    seen = {}
    for _ in range(400):
        size = choices.randint(2, 5)
        pairs = itertools.product(range(size), repeat=2)
        links = [pair for pair in pairs if choices.random() < 0.3]
        friends = [choices.choice([*range(size), None]) for _ in range(size)]
        values = [choices.randrange(2) for _ in range(size)]
        # The least of all its names, by trying all.
        named = min(
            (
                sorted((order[n], value) for n, value in enumerate(values)),
                sorted((order[one], order[other]) for one, other in links),
                sorted(
                    (order[n], order[friend])
                    for n, friend in enumerate(friends)
                    if friend is not None
                ),
            )
            for order in itertools.permutations(range(size))
        )
        made = [Cell(value) for value in values]
        for one, other in choices.sample(links, len(links)):
            made[one].near.add(made[other])
        for cell, friend in zip(made, friends, strict=True):
            cell.friend = None if friend is None else made[friend]
        seen.setdefault(fingerprint(set(made)), set()).add(str(named))
    assert {len(graphs) for graphs in seen.values()} == {1}
    graphs = [graph for found in seen.values() for graph in found]
    assert len(graphs) == len(set(graphs)) > 200


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
