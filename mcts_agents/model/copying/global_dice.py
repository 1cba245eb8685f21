"""The random generators of whole libraries, which every environment may draw from.

Those of Python and NumPy; those that NumPy's and Python's functions draw from in code
that Numba has compiled, which are others; and PyTorch's for the CPU, if a program uses
PyTorch.
"""

import ctypes
import random
import sys
from typing import Any

import numpy as np
from numba import _helperlib as numba_library

_HALF = 32
_WORD = 2**_HALF - 1


class _NumbaState(ctypes.Structure):
    """Numba's `rnd_state_t`.

    Its own functions to read and write one leave out the normal number that was drawn
    ahead.
    """

    _fields_ = (
        ("index", ctypes.c_int),
        ("words", ctypes.c_uint * 624),
        ("has_gauss", ctypes.c_int),
        ("gauss", ctypes.c_double),
        ("is_initialized", ctypes.c_int),
    )


def _numba_states() -> tuple[int, int]:
    """Return the addresses of Numba's generators, those of the thread that calls."""
    return (
        numba_library.rnd_get_np_state_ptr(),
        numba_library.rnd_get_py_state_ptr(),
    )


def _torchs_generator() -> Any:
    """Return PyTorch's generator, None in a program without PyTorch."""
    return getattr(sys.modules.get("torch"), "default_generator", None)


def global_states() -> tuple[Any, ...]:
    """Return where all generators are, for `restore_globally`."""
    torch = _torchs_generator()
    return (
        random.getstate(),
        np.random.get_state(legacy=False),
        [
            ctypes.string_at(address, ctypes.sizeof(_NumbaState))
            for address in _numba_states()
        ],
        None if torch is None else torch.get_state(),
    )


def restore_globally(states: tuple[Any, ...]) -> None:
    """Put all generators back to where `global_states` saw them."""
    of_python, of_numpy, of_numba, of_torch = states
    random.setstate(of_python)
    np.random.set_state(of_numpy)
    for address, state in zip(_numba_states(), of_numba, strict=True):
        ctypes.memmove(address, state, len(state))
    if of_torch is not None:
        _torchs_generator().set_state(of_torch)


def seed_globally(dice: np.random.Generator) -> None:
    """Begin all generators anew, from `dice`."""
    _seed(int(dice.integers(2**63)), int(dice.integers(2**32)))


def throw_globally(dice: np.random.Generator) -> None:
    """Begin all generators anew, from a single number: replays do so in each step."""
    seed = int(dice.bit_generator.random_raw()) >> 1
    _seed(seed, seed >> _HALF // 4 & _WORD)


def _seed(seed: int, for_numpy: int) -> None:
    random.seed(seed)
    bits = np.random.get_bit_generator()
    if isinstance(bits, np.random.MT19937):
        np.random.seed(for_numpy)
    else:  # of which `seed` would keep the normal number that was drawn ahead
        np.random.set_state(type(bits)(for_numpy).state)
    # Those below begin with 32 bits, of which each has others.
    of_numpy, of_python = _numba_states()
    numba_library.rnd_seed(of_numpy, seed & _WORD)
    numba_library.rnd_seed(of_python, seed >> _HALF - 1 & _WORD)
    torch = _torchs_generator()
    if torch is not None:
        torch.manual_seed(seed >> _HALF // 2 & _WORD)
