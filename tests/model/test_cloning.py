"""Copies by real attributes: equal, independent, and with dice of their own."""

import array
import ctypes
import functools
import gc
import multiprocessing
import subprocess
import sys
import threading
import types
import weakref
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple

import gymnasium
import numpy as np
import pygame
import pytest
from gymnasium import spaces
from gymnasium.utils import EzPickle
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.cloning_checks import check_copy
from mcts_agents.model.copying.cloning_kinds import UncopyableEnvironmentError
from mcts_agents.model.copying.comparing import first_difference

Pair = namedtuple("Pair", "left right")


def exact(value):
    return Cloner().clone(value)


def planned(value, seed=0):
    return Cloner(np.random.default_rng(seed)).clone(value)


def held(**attributes):
    return types.SimpleNamespace(**attributes)


class Counted(EzPickle):
    """Its plain deep copy is a fresh one with nothing counted."""

    def __init__(self, start=0):
        EzPickle.__init__(self, start)
        self.count = start


class Slotted:
    __slots__ = ("__hidden", "shown")

    def __init__(self, shown):
        self.shown, self.__hidden = shown, [shown]

    def hidden(self):
        return self.__hidden


class Hand(list):
    """A list with attributes of its own."""


class Closed:
    """Keeps a lock, and says how to be pickled without it."""

    def __init__(self):
        self.lock, self.cards = threading.Lock(), [1, 2]

    def __getstate__(self):
        return {"cards": self.cards}

    def __setstate__(self, state):
        self.lock, self.cards = threading.Lock(), state["cards"]


@pytest.mark.parametrize(
    "hold",
    [
        lambda v: [v],
        lambda v: (v,),
        lambda v: {"a": v},
        lambda v: deque([v]),
        lambda v: defaultdict(list, a=v),
        lambda v: OrderedDict(a=v),
        lambda v: Pair(1, v),
        lambda v: Hand([v]),
        lambda v: Slotted(v),
        lambda v: np.array([v], object),
        lambda v: held(a=v),
        lambda v: lambda: v,
        lambda v: functools.partial(print, v),
    ],
)
def test_what_is_nested_is_copied_by_its_attributes_too(hold):
    def find(value):
        if callable(value) and not isinstance(value, functools.partial):
            return value()
        if isinstance(value, functools.partial):
            return value.args[0]
        if isinstance(value, dict):
            return value["a"]
        if isinstance(value, Slotted):
            return value.shown
        return value.a if hasattr(value, "a") else value[-1]

    counted = Counted(1)
    counted.count, counted.dice = 7, np.random.default_rng(3)
    original = hold(counted)
    twin = find(exact(original))
    assert twin is not counted
    assert twin.count == 7
    assert twin.dice.random() == np.random.default_rng(3).random()
    other = find(planned(original))
    assert other.count == 7
    assert other.dice.random() != np.random.default_rng(3).random()
    assert counted.dice.random() == np.random.default_rng(3).random()


leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
graphs = st.recursive(
    leaves | st.lists(st.integers(0, 9), max_size=4).map(np.array),
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.lists(parts, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2), parts, max_size=3)
        | st.lists(parts, max_size=3).map(deque)
        | parts.map(lambda v: held(a=v, again=v))
        | st.sets(st.integers(), max_size=3)
    ),
    max_leaves=12,
)


def mutables(value):
    """All parts of a graph that can change in place."""
    if isinstance(value, list | tuple | deque):
        parts = list(value)
    elif isinstance(value, dict):
        parts = list(value.values())
    else:
        parts = list(vars(value).values()) if hasattr(value, "__dict__") else []
    kinds = list | dict | deque | set | np.ndarray | types.SimpleNamespace
    return [v for p in parts for v in mutables(p)] + [value] * isinstance(value, kinds)


def spoil(value):
    if isinstance(value, np.ndarray):
        value += 1
    elif isinstance(value, types.SimpleNamespace):
        value.a = "spoilt"
    else:
        value.clear()


@settings(deadline=None, max_examples=200)
@given(graphs)
def test_copies_are_equal_and_independent(graph):
    before, twin = repr(graph), exact(graph)
    assert repr(twin) == before
    assert first_difference(graph, twin) is None
    for part in mutables(twin):
        spoil(part)
    assert repr(graph) == before


def test_one_thing_met_twice_is_one_thing_in_the_copy():
    shared = [1]
    graph = held(a=shared, b={"x": shared})
    graph.itself = graph
    twin = exact(graph)
    assert twin.a is twin.b["x"]
    assert twin.a is not shared
    assert twin.itself is twin


def test_a_function_that_calls_itself_is_copied():
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    assert exact(factorial)(5) == 120


def test_functions_belong_to_the_copy():
    game = held(n=0, moves=[])
    game.count = lambda: setattr(game, "n", game.n + 1)
    game.by_default = lambda me=game: setattr(me, "n", me.n + 10)
    game.push = game.moves.append
    game.bound = types.MethodType(lambda self: self.moves, game)
    twin = exact(game)
    twin.count()
    twin.by_default()
    twin.push(3)
    assert (game.n, game.moves) == (0, [])
    assert (twin.n, twin.moves) == (11, [3])
    assert twin.bound() is twin.moves


def test_two_functions_share_a_variable_in_the_copy():
    def counter():
        n = 0

        def up():
            nonlocal n
            n += 1

        return up, lambda: n

    up, read = original = counter()
    twin_up, twin_read = exact(original)
    twin_up()
    assert (read(), twin_read()) == (0, 1)
    up()
    assert (read(), twin_read()) == (1, 1)


def test_a_function_that_holds_nothing_is_shared():
    assert exact(spoil) is spoil
    assert exact(len) is len


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (2, 0, 1)])
def test_views_of_arrays_in_any_order_of_memory_stay_views(axes):
    """Pictures are often transposed: pistonball's observations are."""
    base = np.arange(24).reshape(2, 3, 4).transpose(axes).copy(order="K")
    view = base.transpose(1, 0, 2)[1:, :, ::-1]
    base_twin, twin = Cloner().clone([base, view])
    assert twin.base is base_twin
    assert twin.strides == view.strides
    assert (twin == view).all()
    base_twin[...] = -1
    assert (twin == -1).all()
    assert (base >= 0).all()
    again, view_again = Cloner().clone([base_twin, twin])
    assert view_again.base is again


@pytest.mark.parametrize(
    "make",
    [
        lambda: bytearray(range(12)),
        lambda: array.array("B", range(12)),
        lambda: (ctypes.c_uint8 * 12)(*range(12)),
    ],
)
@pytest.mark.parametrize("memory_first", [False, True])
def test_arrays_over_other_memory_stay_over_it(make, memory_first):
    memory = make()
    board = np.frombuffer(memory, np.uint8)[2:].reshape(5, 2)
    if memory_first:
        game = held(memory=memory, board=board)
    else:
        game = held(board=board, memory=memory)
    twin = exact(exact(game))  # and a copy of a copy
    assert first_difference(game, twin) is None
    twin.memory[2] = 77
    twin.board[4, 1] = 78
    assert twin.board[0, 0] == 77
    assert twin.memory[11] == 78
    assert list(memory) == list(range(12))
    assert board.ravel().tolist() == list(range(2, 12))


def test_arrays_over_constant_or_no_memory_are_copied():
    constant, empty = np.frombuffer(b"abc", np.uint8), np.frombuffer(bytearray(8))[:0]
    twin = exact([constant, empty])
    assert twin[0].tolist() == [97, 98, 99]
    assert twin[1].shape == (0,)


def test_views_of_one_array_stay_views():
    board = np.zeros((3, 4), np.int8)
    game = held(row=board[1], board=board, turned=board.T[::2])
    game.fortran = np.asfortranarray(np.arange(6).reshape(2, 3))
    game.column = game.fortran[:, 1]
    twin = exact(game)
    twin.row[2] = 5
    assert twin.board[1, 2] == 5
    assert twin.turned[1, 1] == 5
    twin.fortran[0, 1] = 9
    assert twin.column[0] == 9
    assert not board.any()
    assert game.column.tolist() == [1, 4]


def test_a_record_inside_an_array_is_refused():
    table = np.zeros(2, [("a", int)])
    with pytest.raises(UncopyableEnvironmentError, match=r"SimpleNamespace\.row.*void"):
        exact(held(row=table[0]))
    twin = exact(held(table=table))
    twin.table[0]["a"] = 1
    assert table[0]["a"] == 0


def test_pygames_positions_are_copied_and_its_tools_are_not():
    rectangle, point = pygame.Rect(1, 2, 3, 4), pygame.Vector2(1, 2)
    sprite, group, clock = pygame.sprite.Sprite(), pygame.sprite.Group(), None
    clock = pygame.time.Clock()
    sprite.rect = rectangle
    group.add(sprite)
    twin = planned(held(group=group, rectangle=rectangle, point=point, clock=clock))
    twin.rectangle.x, twin.point.x = 50, 50
    assert next(iter(twin.group)).rect.x == 50
    twin.group.empty()
    assert (rectangle.x, point.x, len(group)) == (1, 1, 1)
    assert twin.clock is clock


def test_rectangles_with_attributes_keep_them():
    class Ball(pygame.Rect):
        def __init__(self, speed):
            super().__init__(1, 2, 3, 4)
            self.speed = speed

    ball = Ball([5, 5])
    twin = exact(ball)
    assert (type(twin), tuple(twin), twin.speed) == (Ball, (1, 2, 3, 4), [5, 5])
    assert twin.speed is not ball.speed


def test_pictures_are_copied_once_and_then_shared():
    picture = pygame.Surface((4, 4))
    part = picture.subsurface((1, 1, 2, 2))
    root = exact(held(part=part, picture=picture))
    root.part.fill((255, 0, 0))
    assert root.picture.get_at((1, 1))[0] == 255
    assert picture.get_at((1, 1))[0] == 0
    assert planned(root).picture is root.picture


def test_slots_hidden_names_and_weak_references():
    original = Slotted(2)
    twin = exact(original)
    assert (twin.shown, twin.hidden()) == (2, [2])
    assert twin.hidden() is not original.hidden()
    game = held(strong=Counted())
    game.weak = weakref.ref(game.strong)
    assert exact(game).weak() is not game.strong
    other = exact(game)
    assert other.weak() is other.strong


def test_cached_functions_of_an_object_belong_to_the_copy():
    game = held(n=1)
    game.read = functools.lru_cache(maxsize=8)(lambda: game.n)
    assert game.read() == 1
    twin = exact(game)
    twin.n = 2
    assert (twin.read(), game.read()) == (2, 1)
    assert twin.read.cache_parameters()["maxsize"] == 8


def test_a_lock_is_named_with_the_way_to_it():
    game = held(deck={"cards": [held(lock=threading.Lock())]})
    with pytest.raises(UncopyableEnvironmentError) as caught:
        exact(game)
    assert "SimpleNamespace.deck -> SimpleNamespace.lock" in str(caught.value)
    for odd in (open(__file__), (i for i in range(3))):
        with pytest.raises(UncopyableEnvironmentError, match=r"\.odd"):
            exact(held(odd=odd))
        odd.close()


def test_pipes_are_refused_and_stay_open():
    here, there = multiprocessing.Pipe()
    queue = multiprocessing.SimpleQueue()
    # A queue has two pipes, and a lock that is met after them.
    for game in (held(pipe=here), held(pipe=queue), held(pipe=vars(queue))):
        with pytest.raises(UncopyableEnvironmentError, match=r"\.pipe -> "):
            exact(game)
    gc.collect()
    there.send("still here")
    assert here.recv() == "still here"
    queue.put(3)
    assert queue.get() == 3


def test_processes_are_refused():
    process = subprocess.Popen([sys.executable, "-c", ""])
    with pytest.raises(UncopyableEnvironmentError, match=r"Popen.*operating system"):
        exact(held(process=process))
    process.wait()


def test_a_class_that_leaves_its_lock_out_is_copied_as_it_says():
    game = Closed()
    game.cards.append(3)
    twin = exact(game)
    assert twin.cards == [1, 2, 3]
    assert twin.cards is not game.cards


def test_spaces_are_shared_and_noted():
    cloner = Cloner()
    space = spaces.Discrete(3)
    assert cloner.clone({"space": space})["space"] is space
    assert cloner.spaces == [space]


def test_watching_wrappers_are_left_out_and_others_stay():
    env = gymnasium.make("CartPole-v1", max_episode_steps=7)
    env = gymnasium.wrappers.RecordEpisodeStatistics(env)
    env = gymnasium.wrappers.TransformReward(env, lambda reward: 2 * reward)
    env.reset(seed=0)
    twin = exact(env)
    assert str(twin) == "<TransformReward<TimeLimit<CartPoleEnv<CartPole-v1>>>>"
    assert first_difference(env, twin) is None


def test_constant_tables_are_shared():
    env = gymnasium.make("Taxi-v4").unwrapped
    env.reset(seed=0)
    twin = exact(env)
    assert twin.P is env.P
    assert twin.np_random is not env.np_random


class Ring:
    """Hashed by what it belongs to, which may belong to it."""

    def __init__(self, owner):
        self.owner = owner

    def __hash__(self):
        return hash(self.owner)

    def __eq__(self, other):
        return self is other


@pytest.mark.parametrize("kind", [dict, set])
def test_a_key_that_a_copy_would_not_find_is_refused(kind):
    owner = Counted()
    ring = Ring(owner)
    for count in range(20):  # by chance, a place in a small table may be the same
        owner.table = kind.fromkeys([ring], 0) if kind is dict else {ring}
        env = held(ring=ring, table={Ring(owner): count, (1, 2): 3})
        cloner = Cloner()
        cloner.clone(env)
        with pytest.raises(UncopyableEnvironmentError, match=r"owner\.table.*__hash__"):
            check_copy(cloner, env)
    owner.table = None
    cloner = Cloner()
    assert cloner.clone(env).table[1, 2] == 3
    check_copy(cloner, env)


EMPTY = object()


def test_bare_objects_are_constants_compared_by_identity():
    twin = exact(held(board=[EMPTY, 1], by_name={EMPTY: "empty"}))
    assert twin.board[0] is EMPTY
    assert twin.by_name[EMPTY] == "empty"
    assert planned(twin).board[0] is EMPTY


def checked(function):
    @functools.wraps(function)
    def call(*arguments):
        assert arguments
        return function(*arguments)

    return call


@checked
def double(number):
    return 2 * number


class Rule:
    @checked
    def apply(self):
        return self


def test_decorated_functions_are_found_by_what_their_names_stand_for():
    costs = exact(held(by_rule={double: 1, Rule.apply: 2})).by_rule
    assert (costs[double], costs[Rule.apply]) == (1, 2)
    other = checked(double.__wrapped__)  # called the same, and bound to another name
    assert exact([other])[0] is not other


@pytest.mark.parametrize(
    "make",
    [
        lambda game: functools.partial(held, game=game),
        lambda game: functools.lru_cache(lambda: game),
    ],
)
def test_partial_and_cached_functions_met_twice_are_one_in_the_copy(make):
    game = held()
    game.play = make(game)
    game.costs = {game.play: 1}
    game.again = game.ring = [game.play]
    twin = exact(game)
    assert twin.play is not game.play
    assert twin.costs[twin.play] == 1
    assert twin.again[0] is twin.play


def test_partial_and_cached_functions_that_hold_themselves_are_one_in_the_copy():
    ring = []
    ring.append(functools.partial(print, ring))
    twin = exact(ring[0])
    assert twin.args[0][0] is twin

    @functools.lru_cache
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    twin = exact(factorial)
    assert twin.__wrapped__.__closure__[0].cell_contents is twin
    assert twin(5) == 120


class Limited(list):
    """Asks for its limit, which a copy gets last."""

    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def append(self, item):
        assert len(self) < self.limit
        super().append(item)


class Observed(dict):
    """Counts what is written."""

    def __init__(self, name):
        super().__init__()
        self.name, self.written = name, 0

    def __setitem__(self, key, item):
        self.written += 1
        super().__setitem__(key, item)


class ObservedInOrder(OrderedDict):
    def __setitem__(self, key, item):
        self.written = getattr(self, "written", 0) + 1
        super().__setitem__(key, item)


class Recent(deque):
    def append(self, item):
        assert self.open
        super().append(item)


def test_containers_with_methods_of_their_own_are_filled_without_them():
    limited, recent = Limited(2), Recent()
    limited.append([1])
    recent.open = True
    recent.append([2])
    observed, ordered = Observed("moves"), ObservedInOrder()
    for table in (observed, ordered):
        table["b"], table["a"] = [3], [4]
    twins = exact([limited, recent, observed, ordered])
    assert [type(twin) for twin in twins] == [
        Limited,
        Recent,
        Observed,
        ObservedInOrder,
    ]
    assert (list(twins[0]), twins[0].limit) == ([[1]], 2)
    assert (list(twins[1]), twins[1].open) == ([[2]], True)
    assert [list(twin.items()) for twin in twins[2:]] == [[("b", [3]), ("a", [4])]] * 2
    assert [twin.written for twin in twins[2:]] == [2, 2]
    assert twins[0][0] is not limited[0]


class Grouped(defaultdict):
    pass


class Tally(Counter):
    pass


def test_containers_that_leave_their_attributes_out_keep_them():
    grouped, tally = Grouped(list, a=[1]), Tally("aab")
    grouped.names = tally.names = ["x"]
    twins = exact([grouped, tally])
    assert twins == [grouped, tally]
    assert [twin.names for twin in twins] == [["x"], ["x"]]
    assert twins[0].names is twins[1].names is not tally.names


class Numbered(set):
    """Takes a number instead of members."""

    def __init__(self, number):
        super().__init__(range(number))


def test_a_class_that_cannot_be_made_as_it_says_is_named():
    with pytest.raises(UncopyableEnvironmentError, match=r"\.cards -> .*\.Numbered \("):
        exact(held(cards=Numbered(3)))


def test_callbacks_of_weak_references_belong_to_the_copy():
    def begun():
        game = held(piece=Counted(), lost=[])
        game.reference = weakref.ref(game.piece, lambda _: game.lost.append(1))
        game.other = game.reference
        return game

    game = begun()
    twin = exact(game)
    assert twin.other is twin.reference
    assert twin.reference() is twin.piece
    twin.piece = None
    assert (twin.lost, game.lost) == ([1], [])
    # It would be called whenever a copy goes.
    game.reference = weakref.ref(game.piece, print)
    twin = exact(game)
    assert twin.reference() is twin.piece
    assert twin.reference.__callback__ is None
