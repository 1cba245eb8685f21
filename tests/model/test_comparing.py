"""What two things differ in is found, wherever it lies."""

import types

import gymnasium
import numpy as np
import pytest

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.comparing import first_difference


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
