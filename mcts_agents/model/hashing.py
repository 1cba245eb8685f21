"""Hashes of positions, for `state_key`, and of whatever a search looks up.

Source of the constants: D. Stafford's mix 13, the finisher of splitmix64 (G. Steele,
D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
"""

import numpy as np
from numba import njit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_A, _B = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_27, _30, _31 = np.uint64(27), np.uint64(30), np.uint64(31)


@njit
def mixed(key, word):
    """Return a hash, uint64, of a hash and one more word, an integer.

    For each word it is a bijection of the hash: among a million hashes of as many
    different lists of words two are equal with a probability below 1e-7.
    """
    key = (np.uint64(key) ^ np.uint64(word)) + _GOLDEN
    key = (key ^ (key >> _30)) * _A
    key = (key ^ (key >> _27)) * _B
    return key ^ (key >> _31)
