"""The one random generator of forward models and searches: xoroshiro128++.

Two `uint64` of state, passed by whoever owns them, so that no copy of a game ever
carries the live game's generator. All arithmetic is on integers or exact, so a seed
gives the same stream on every machine.

Source: D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators",
ACM TOMS 47 (2021); bounded integers by multiplication after D. Lemire, ACM TOMACS 29
(2019), without rejection: for n <= 2**16 no outcome's probability is off by more than
n / 2**32 of itself.
"""

import numpy as np
from numba import njit

_A, _B, _C = np.uint64(49), np.uint64(21), np.uint64(28)
_17, _64, _32, _11 = np.uint64(17), np.uint64(64), np.uint64(32), np.uint64(11)
_FLOAT = 1.0 / (1 << 53)
_BITS = (1 << 64) - 1


def new_generator(seed: int | np.random.SeedSequence) -> np.ndarray:
    """Return a generator, shape (2,), uint64, seeded through numpy's SeedSequence.

    Args:
        seed: A non-negative integer of any size, or a `SeedSequence`.
    """
    if not isinstance(seed, np.random.SeedSequence):
        seed = np.random.SeedSequence(seed)
    state = seed.generate_state(2, np.uint64)
    if not state.any():  # the one state from which the generator never leaves
        state[0] = 1
    return state


@njit
def next_uint64(rng):
    """Return the next 64 random bits; `rng` is modified in place."""
    s0 = rng[0]
    s1 = rng[1]
    total = s0 + s1
    result = ((total << _17) | (total >> (_64 - _17))) + s0
    s1 ^= s0
    rng[0] = ((s0 << _A) | (s0 >> (_64 - _A))) ^ s1 ^ (s1 << _B)
    rng[1] = (s1 << _C) | (s1 >> (_64 - _C))
    return result


@njit
def random_below(rng, n):
    """Return a uniform int64 in [0, n), for 1 <= n < 2**31."""
    return np.int64(((next_uint64(rng) >> _32) * np.uint64(n)) >> _32)


def draw_below(rng: np.ndarray, n: int) -> int:
    """Return what `random_below` would, for Python code, without compiling anything."""
    return (draw_uint64(rng) >> 32) * n >> 32


def draw_uint64(rng: np.ndarray) -> int:
    """Return what `next_uint64` would, for Python code, without compiling anything."""
    # Python's integers, cut off at 64 bits: NumPy's cost five times as much.
    s0, s1 = rng.tolist()
    total = (s0 + s1) & _BITS
    drawn = ((total << 17 | total >> 47) + s0) & _BITS
    s1 ^= s0
    rng[0] = (s0 << 49 | s0 >> 15) & _BITS ^ s1 ^ (s1 << 21 & _BITS)
    rng[1] = (s1 << 28 | s1 >> 36) & _BITS
    return drawn


@njit
def random_float(rng):
    """Return a uniform float64 in [0, 1) with 53 random bits."""
    return np.float64(next_uint64(rng) >> _11) * _FLOAT


@njit
def shuffle(rng, values, n):
    """Shuffle `values[:n]` in place, all orders equally likely."""
    for i in range(n - 1, 0, -1):
        j = random_below(rng, i + 1)
        values[i], values[j] = values[j], values[i]
