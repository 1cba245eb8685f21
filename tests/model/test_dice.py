"""Generators in copies: exact where compared, fresh where planned on."""

import random
import types
import warnings
from collections import Counter

import numpy as np
import pytest
from gymnasium import spaces
from numba import _helperlib as numba_library
from numba import njit

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.cloning_kinds import UncopyableEnvironmentError
from mcts_agents.model.copying.comparing import first_difference
from mcts_agents.model.copying.dice import (
    PlannersSeed,
    fresh,
    generators_in,
    planners_dice,
    reseed,
)
from mcts_agents.model.copying.global_dice import (
    _numba_states,
    _NumbaState,
    global_states,
    restore_globally,
    seed_globally,
    throw_globally,
)
from mcts_agents.model.copying.guards import unchanged, with_parts
from mcts_agents.model.random import new_generator, next_uint64

held = types.SimpleNamespace


def exact(value):
    return Cloner().clone(value)


def planned(value, seed=0):
    return Cloner(np.random.default_rng(seed)).clone(value)


class Selfish:
    """Copies itself, but shares its generator with the copy."""

    def __init__(self):
        self.generator = np.random.default_rng(0)

    def __deepcopy__(self, memo):
        twin = Selfish()
        twin.generator = self.generator
        return twin


class Fair(Selfish):
    """Copies itself, generator included."""

    def __deepcopy__(self, memo):
        twin = Fair()
        twin.generator.bit_generator.state = self.generator.bit_generator.state
        return twin


@pytest.mark.parametrize(
    "make",
    [
        np.random.default_rng,
        np.random.RandomState,
        random.Random,
        *(
            lambda seed, kind=kind: np.random.Generator(kind(seed))
            for kind in (np.random.MT19937, np.random.Philox, np.random.SFC64)
        ),
    ],
)
def test_generators_are_exact_or_fresh(make):
    first = exact(make(5))
    assert [first.random() for _ in range(5)] == [make(5).random()] + [
        value for g in [make(5)] for value in [g.random() for _ in range(5)][1:]
    ]
    dice = np.random.default_rng(0)
    throws = Counter(int(6 * fresh(make(5), dice).random()) for _ in range(600))
    assert min(throws[face] for face in range(6)) > 60  # 100 expected, deviation 9
    assert planned(make(5)).random() == planned(make(5)).random()


@pytest.mark.parametrize("kind", [np.random.MT19937, np.random.PCG64])
def test_old_generators_get_another_future(kind):
    generators = [np.random.RandomState(kind(1)) for _ in range(4)]
    for generator in generators:  # which thereby holds the next normal number, too
        generator.standard_normal()
    for generator, seed in zip(generators, (1, 1, 2), strict=False):
        reseed(generator, np.random.default_rng(seed))
    for draw in ("standard_normal", "random_sample"):
        one, same, other, real = (getattr(g, draw)() for g in generators)
        assert one == same
        assert len({one, other, real}) == 3


@pytest.mark.parametrize("kind", [np.random.MT19937, np.random.PCG64])
@pytest.mark.parametrize("begin", [seed_globally, throw_globally])
def test_numpys_global_generator_gets_another_future(kind, begin):
    def begun(seed):
        np.random.set_bit_generator(kind(1))
        np.random.standard_normal()
        if seed is not None:
            begin(np.random.default_rng(seed))
        return np.random.standard_normal(), np.random.random_sample()

    bits, states = np.random.get_bit_generator(), global_states()
    try:
        assert begun(1) == begun(1)
        for drawn in zip(begun(1), begun(2), begun(None), strict=True):
            assert len(set(drawn)) == 3
    finally:
        np.random.set_bit_generator(bits)
        restore_globally(states)


def test_numpys_global_generator_comes_back_whatever_its_kind():
    bits, states = np.random.get_bit_generator(), global_states()
    try:
        np.random.set_bit_generator(np.random.PCG64(1))
        np.random.standard_normal()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            before = global_states()
        real = np.random.standard_normal(3).tolist()
        restore_globally(before)
        assert np.random.standard_normal(3).tolist() == real
    finally:
        np.random.set_bit_generator(bits)
        restore_globally(states)


@njit
def compiled_normal():
    return np.random.standard_normal()


@njit
def compiled_gauss():
    return random.gauss(0.0, 1.0)


@pytest.mark.parametrize("draw", [compiled_normal, compiled_gauss])
def test_numbas_generators_come_back_with_the_number_drawn_ahead(draw):
    draw()  # of two at a time
    states = global_states()
    expected = [draw() for _ in range(5)]
    for _ in range(2):
        restore_globally(states)
        assert [draw() for _ in range(5)] == expected


def test_numbas_generators_are_laid_out_as_we_read_them():
    for state, address in zip(global_states()[2], _numba_states(), strict=True):
        read = _NumbaState.from_buffer_copy(state)
        assert (read.index, list(read.words)) == numba_library.rnd_get_state(address)
        assert read.has_gauss in (0, 1)
        assert read.is_initialized == 1


def test_generators_of_pytorch_are_exact_or_fresh():
    torch = pytest.importorskip("torch")

    def throws(generator):
        return torch.rand(4, generator=generator).tolist()

    value = held(dice=torch.Generator().manual_seed(5))
    first, second = exact(value), exact(value)
    assert first_difference(value, first) is None
    assert throws(first.dice) == throws(second.dice)
    assert first_difference(value, first) is not None
    assert generators_in(value) == [value.dice]
    with unchanged([value.dice]):
        real = throws(value.dice)
    assert throws(value.dice) == real
    twin, other = planned(value), planned(value, seed=1)
    assert throws(planned(value).dice) == throws(twin.dice)
    assert throws(twin.dice) != throws(other.dice)


def test_a_shared_bit_generator_stays_shared():
    source = np.random.PCG64(1)
    pair = held(a=np.random.Generator(source), b=np.random.Generator(source))
    twin = exact(pair)
    first = [twin.a.random(), twin.b.random()]
    generator = np.random.default_rng(1)
    assert first == [generator.random(), generator.random()]
    assert planned(pair).a.bit_generator is not source


def test_spawned_generators_are_fresh_too():
    real = np.random.default_rng(1).spawn(1)[0].random()
    children = planned(np.random.default_rng(1)).spawn(2)
    assert len({real, *(child.random() for child in children)}) == 3
    words = PlannersSeed(np.random.default_rng(0)).generate_state(5, np.uint32)
    assert words.shape == (5,)
    assert words.dtype == np.uint32


def test_methods_of_generators_throw_the_copys_dice():
    legacy = np.random.RandomState(1)
    game = held(dice=legacy, draw=legacy.random_sample, pick=random.Random(1).choice)
    twin = exact(game)
    assert twin.draw() == np.random.RandomState(1).random_sample()
    assert planned(game).draw() != np.random.RandomState(1).random_sample()
    expected = random.Random(1).choice(range(10**9))
    assert planned(game).pick(range(10**9)) != expected
    assert game.draw() == np.random.RandomState(1).random_sample()
    assert game.pick(range(10**9)) == expected


def test_a_class_that_copies_itself_gets_other_dice_too():
    true = np.random.default_rng(0).random()
    assert exact(Fair()).generator.random() == true
    assert planned(Fair()).generator.random() != true
    with pytest.raises(UncopyableEnvironmentError, match=r"Selfish.*generator"):
        exact(Selfish())


def test_the_planners_generator_is_advanced_as_compiled_code_advances_it():
    rng, other = new_generator(3), new_generator(3)
    for _ in range(20):
        dice = planners_dice(rng)
        assert dice.random() == np.random.default_rng(int(next_uint64(other))).random()
        assert rng.tolist() == other.tolist()


def test_all_spaces_inside_of_a_space_are_found():
    numbers, edges, box = spaces.Discrete(3), spaces.Discrete(4), spaces.Box(0, 1)
    graph = spaces.Graph(node_space=box, edge_space=edges)
    space = spaces.Dict(a=spaces.Sequence(numbers), b=spaces.Tuple([graph]))
    found = [id(part) for part in with_parts(space)]
    assert len(set(found)) == len(found)  # each has one generator to put back
    assert {id(part) for part in (space, graph, box, numbers, edges)} <= set(found)
