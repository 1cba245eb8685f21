"""What two things differ in is found, wherever it lies."""

import types
import weakref

import gymnasium
import numpy as np
import pytest

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.comparing import first_difference
from mcts_agents.model.copying.comparing_shallowly import same_names


class Slotted:
    __slots__ = ("__hidden",)

    def __init__(self):
        self.__hidden = [1]

    def hidden(self):
        return self.__hidden


def exact(value):
    return Cloner().clone(value)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda g: g.numbers.append(1),
        lambda g: g.numbers.__setitem__(0, 5),
        lambda g: g.table.update(a=2),
        lambda g: g.table.update(b=2),
        lambda g: g.board.__setitem__(0, 1.0),
        lambda g: setattr(g, "board", g.board.astype(np.float32)),
        lambda g: g.things.__setitem__(0, "y"),
        lambda g: g.seen.add(3),
        lambda g: g.seen.symmetric_difference_update({1, 3}),
        lambda g: g.dice.random(),
        lambda g: g.legacy.random_sample(),
        lambda g: g.slotted.hidden().append(1),
        lambda g: setattr(g, "more", 1),
        lambda g: delattr(g, "name"),
        lambda g: setattr(g, "name", "other"),
        lambda g: g.counted.__dict__.update(count=1),
    ],
)
def test_every_difference_is_found(spoil):
    game = types.SimpleNamespace(
        numbers=[1, 2],
        table={"a": 1},
        board=np.zeros(3),
        things=np.array(["x", None], object),
        seen={1, 2},
        dice=np.random.default_rng(0),
        legacy=np.random.RandomState(0),
        slotted=Slotted(),
        name="game",
        counted=types.SimpleNamespace(count=0),
        nothing=float("nan"),
    )
    twin = exact(game)
    assert first_difference(game, twin) is None
    spoil(twin)
    assert first_difference(game, twin, "game").startswith("game")


def test_wrappers_that_watch_make_no_difference():
    first, second = gymnasium.make("CartPole-v1"), gymnasium.make("CartPole-v1")
    first.reset(seed=0)
    second.reset(seed=0)
    watched = gymnasium.wrappers.RecordEpisodeStatistics(first)
    assert first_difference(watched, second) is None
    second.step(0)
    assert "CartPole" in first_difference(watched, second, "CartPole")


class Piece:
    """Compared by identity."""


def test_ids_as_keys_have_to_be_those_of_the_copies():
    piece, other = Piece(), Piece()
    game = types.SimpleNamespace(piece=piece, points={id(piece): 1}, seen=set())
    assert "id of a Piece" in first_difference(game, exact(game))
    twin = types.SimpleNamespace(piece=other, points={id(other): 1}, seen=set())
    assert first_difference(game, twin) is None  # as a faithful __deepcopy__ has it
    twin.points = {id(piece) + 16: 1}
    assert "points" in first_difference(game, twin)
    game.points = {2**50 + 1: 1, 5: 2}  # of nothing here
    assert first_difference(game, exact(game)) is None
    game.seen.add(id(piece))
    assert "seen key" in first_difference(game, exact(game))


class Elsewhere:
    """A descriptor that keeps the values of all objects itself."""

    def __init__(self):
        self.values = weakref.WeakKeyDictionary()

    def __get__(self, owner, kind=None):
        return self if owner is None else self.values.get(owner, 0)

    def __set__(self, owner, value):
        self.values[owner] = value


class Described:
    points = Elsewhere()

    @property
    def computed(self):
        raise RuntimeError("nobody asks")


def test_what_a_descriptor_keeps_elsewhere_is_compared():
    game = Described()
    assert first_difference(game, exact(game)) is None
    game.points = 3
    assert first_difference(game, exact(game)) == "env.points is 3 but 0 in the copy"


def test_attributes_that_were_set_in_another_order_are_compared_by_name():
    assert same_names({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not same_names({"a": 1, "b": 2}, {"b": 1, "a": 2})
