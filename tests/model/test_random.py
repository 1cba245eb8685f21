"""The generator against its published definition, and what is drawn from it."""

import math

import numpy as np
import pytest
from numba import njit
from scipy.stats import chisquare

from mcts_agents.model import (
    draw_below,
    new_generator,
    next_uint64,
    random_below,
    random_float,
    shuffle,
)
from mcts_agents.search.kernel.arithmetic import exponential, natural_log

MASK = (1 << 64) - 1
# Each test has one seed, so a failure is a change, never bad luck.
LEAST_PROBABILITY = 1e-4


def rotated(word, by):
    return (word << by | word >> (64 - by)) & MASK


def reference_next(state):
    """xoroshiro128++ 1.0 on Python integers, from Blackman and Vigna's description."""
    s0, s1 = state
    result = (rotated((s0 + s1) & MASK, 17) + s0) & MASK
    s1 ^= s0
    state[:] = [rotated(s0, 49) ^ s1 ^ (s1 << 21) & MASK, rotated(s1, 28)]
    return result


@njit
def draws_below(rng, n, counts):
    for _ in range(200 * len(counts)):
        counts[random_below(rng, n)] += 1


@njit
def draw_floats(rng, out):
    for i in range(len(out)):
        out[i] = random_float(rng)


@njit
def count_orders(rng, repeats, counts):
    """Count the orders of four values by their number in base 4."""
    values = np.empty(5, np.int8)
    for _ in range(repeats):
        for i in range(5):
            values[i] = i
        shuffle(rng, values, 4)
        if values[4] != 4:
            raise ValueError("a value behind the end was moved")
        number = 0
        for i in range(4):
            number = 4 * number + values[i]
        counts[number] += 1


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**200])
def test_generator_is_xoroshiro128_plus_plus(seed):
    rng = new_generator(seed)
    state = [int(word) for word in rng]
    for _ in range(1000):
        assert int(next_uint64(rng)) == reference_next(state)
        assert [int(word) for word in rng] == state


def test_generator_at_the_words_limits():
    for start in ([1, 0], [0, 1], [MASK, MASK], [1 << 63, 1], [MASK, 0]):
        rng, state = np.array(start, np.uint64), list(start)
        for _ in range(100):
            assert int(next_uint64(rng)) == reference_next(state)


def test_distinct_seeds_give_distinct_generators():
    states = {new_generator(seed).tobytes() for seed in range(2000)}
    assert len(states) == 2000
    first = {int(next_uint64(new_generator(seed))) for seed in range(2000)}
    assert len(first) == 2000
    child, other = np.random.SeedSequence(7).spawn(2)
    assert new_generator(child).tolist() != new_generator(other).tolist()
    assert (
        new_generator(7).tolist() == new_generator(np.random.SeedSequence(7)).tolist()
    )
    assert new_generator(7).shape == (2,)
    assert new_generator(7).dtype == np.uint64


def test_the_all_zero_state_is_avoided():
    class Zeros(np.random.SeedSequence):
        def generate_state(self, n_words, dtype=np.uint32):
            return np.zeros(n_words, dtype)

    rng = new_generator(Zeros(0))
    assert rng.any()
    assert len({int(next_uint64(rng)) for _ in range(10)}) == 10


@pytest.mark.parametrize("n", [1, 2, 3, 7, 52, 1000])
def test_random_below_is_uniform(n):
    counts = np.zeros(n, np.int64)
    draws_below(new_generator(n), n, counts)
    assert counts.sum() == 200 * n
    if n > 1:
        assert chisquare(counts).pvalue > LEAST_PROBABILITY


def test_random_below_takes_the_upper_half_by_multiplication():
    rng = new_generator(5)
    state = [int(word) for word in rng]
    for n in [1, 2, 10, 2**16, 2**31 - 1] * 20:
        assert random_below(rng, n) == (reference_next(state) >> 32) * n >> 32


def test_random_float_is_uniform_on_the_unit_interval():
    values = np.empty(100_000)
    draw_floats(new_generator(3), values)
    assert 0.0 <= values.min() < values.max() < 1.0
    error = 1 / math.sqrt(12 * len(values))
    assert abs(values.mean() - 1 / 2) < 4 * error
    assert abs(values.var() - 1 / 12) < 4 / math.sqrt(180 * len(values))
    assert abs(np.corrcoef(values[1:], values[:-1])[0, 1]) < 4 / math.sqrt(len(values))
    assert chisquare(np.histogram(values, 100, (0, 1))[0]).pvalue > LEAST_PROBABILITY
    assert (values * 2**53 == np.floor(values * 2**53)).all()


def test_shuffle_makes_all_orders_equally_likely():
    counts = np.zeros(4**4, np.int64)
    count_orders(new_generator(4), 24_000, counts)
    found = counts[counts > 0]
    assert len(found) == math.factorial(4)
    assert chisquare(found).pvalue > LEAST_PROBABILITY


def test_shuffle_of_nothing_and_of_one_value():
    rng = new_generator(0)
    before = rng.copy()
    values = np.array([5, 6], np.int32)
    shuffle(rng, values, 0)
    shuffle(rng, values, 1)
    assert values.tolist() == [5, 6]
    assert rng.tolist() == before.tolist()


def test_natural_log():
    whole = [*range(1, 5000), *(2**k for k in range(13, 30)), 10**9]
    spread = np.exp(np.random.default_rng(0).uniform(0, math.log(1e9), 20_000))
    for x in [*whole, *spread.tolist(), 1.5, math.nextafter(1.5, 2), 3.0]:
        exact = math.log(x)
        assert abs(natural_log(float(x)) - exact) <= 1e-14 * exact, x
    # Just above 1 the logarithm is as small as the rounding of its argument.
    for gap in (1e-15, 1e-12, 1e-9, 1e-6, 1e-3):
        assert natural_log(1.0 + gap) == pytest.approx(math.log(1.0 + gap), rel=1e-14)


def test_exponential():
    @njit
    def of_each(xs):
        return np.array([exponential(x) for x in xs])

    rng = np.random.default_rng(0)
    xs = np.concatenate([-(10.0 ** rng.uniform(-12, 2.84, 20_000)), [0.0, -700.0]])
    for x, found in zip(xs.tolist(), of_each(xs).tolist(), strict=True):
        assert found == pytest.approx(math.exp(x), rel=1e-15), x
    beyond = of_each(np.array([-700.1, -math.inf, math.nan, -0.0, 1e-16]))
    np.testing.assert_array_equal(beyond, [0.0, 0.0, math.nan, 1.0, 1.0])


def test_python_code_draws_the_same_without_compiling():
    compiled, drawn = new_generator(9), new_generator(9)
    for n in (1, 2, 7, 1000, 2**31 - 1) * 20:
        assert draw_below(drawn, n) == random_below(compiled, n)
    assert drawn.tolist() == compiled.tolist()
