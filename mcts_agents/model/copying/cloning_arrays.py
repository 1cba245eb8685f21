"""How arrays are copied: those that share their memory go on sharing it.

What is written in one array shows in all that stand over the same memory: views, views
of another class (`numpy.recarray`, masked arrays), arrays over a `bytearray`, a
`torch.Tensor` or an `mmap`. `base` leads from an array to the owner of its memory; the
copy of the array is made over the copy of the owner.

A tensor of `torch.from_numpy` does not say over whose memory it stands. Such strangers
are copied as their class says, and `cloning_checks` looks whether they have lost
something.
"""

import array
import ctypes
import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from mcts_agents.model.copying.cloning_kinds import UncopyableEnvironmentError
from mcts_agents.model.copying.cloning_objects import (
    copy_by_its_own_way,
    copy_reduced,
)
from mcts_agents.model.copying.comparing import package_of, slots_of
from mcts_agents.model.copying.copier import Copier

# Whose memory arrays may stand over, as `numpy.frombuffer` makes them, and that can be
# copied themselves.
BUFFERS = (bytearray, array.array, ctypes.Array, ctypes.Structure)
C_DATA = (ctypes.Array, ctypes.Structure, ctypes.Union, ctypes._SimpleCData)


def handler_of(kind: type) -> Callable[[Copier, Any], Any] | None:
    """Return how arrays of subclasses, and tensors, are copied; None: neither."""
    if issubclass(kind, np.ndarray):
        names = [
            base for base in kind.__mro__[: kind.__mro__.index(np.ndarray)]
            if "__deepcopy__" in base.__dict__ and package_of(base) != "numpy"
        ]  # fmt: skip
        if names or issubclass(kind, np.memmap):
            return copy_stranger
        return copy_array_of_a_class
    if is_tensor(kind):
        return copy_stranger
    return copy_c_data if issubclass(kind, C_DATA) else None


@functools.cache
def is_tensor(kind: type) -> bool:
    """Whether a class is PyTorch's `Tensor`, which need not be installed."""
    tensor = getattr(sys.modules.get("torch"), "Tensor", None)
    return tensor is not None and issubclass(kind, tensor)


def copy_array(cloner: Copier, value: np.ndarray) -> np.ndarray:
    """Copy an array."""
    if cloner.dice is None:
        cloner.arrays.append(value)
    if value.base is None and not value.dtype.hasobject:
        twin = cloner.memo[id(value)] = value.copy(order="K")
        return twin
    shared = _over_the_same_memory(cloner, value)
    if shared is not None:
        return cloner.remember(value, shared)
    twin = cloner.remember(value, value.copy(order="K"))
    _copy_objects(cloner, value, twin)
    return twin


def copy_array_of_a_class(cloner: Copier, value: np.ndarray) -> np.ndarray:
    """Copy an array of a subclass, with its attributes."""
    if cloner.dice is None:
        cloner.arrays.append(value)
    kind = type(value)
    plain = _over_the_same_memory(cloner, value)
    is_own = plain is None
    if plain is None:
        plain = np.array(value, order="K", subok=False)
    try:
        twin = np.ndarray.view(plain, kind)
    except Exception as error:
        name = f"{kind.__module__}.{kind.__qualname__}"
        raise UncopyableEnvironmentError(f"{name} ({error})") from error
    cloner.remember(value, twin)
    if is_own:
        _copy_objects(cloner, np.ndarray.view(value, np.ndarray), plain)
    attributes = getattr(value, "__dict__", None)
    if attributes is not None:
        own = {name: cloner.part(value, name, v) for name, v in attributes.items()}
        twin.__dict__.clear()
        twin.__dict__.update(own)
    for name in slots_of(kind):
        if hasattr(value, name):
            item = cloner.part(value, name, getattr(value, name))
            object.__setattr__(twin, name, item)
    return twin


def _copy_objects(cloner: Copier, value: np.ndarray, twin: np.ndarray) -> None:
    """Copy the objects that an array holds, if it holds objects."""
    if not value.dtype.hasobject:
        return
    if value.dtype != object:
        raise UncopyableEnvironmentError(f"numpy.ndarray of {value.dtype}")
    for place in np.ndindex(value.shape):
        twin[place] = cloner.clone(value[place])


def _over_the_same_memory(cloner: Copier, value: np.ndarray) -> np.ndarray | None:
    """Return an array over the copy of what an array stands over; None: its own."""
    root = value
    while isinstance(root.base, np.ndarray):
        root = root.base
    if root.base is not None:
        return _over_a_buffer(cloner, value, root) if value.size else None
    if root is value:
        return None
    whole = cloner.clone(root)
    if whole.strides != root.strides:
        raise UncopyableEnvironmentError("numpy.ndarray that is a view of a view")
    # Flat, in the order of the memory: a buffer has to be contiguous in C's order.
    memory = np.ndarray.view(whole, np.ndarray).ravel(order="K")
    return _at(memory, value, value.ctypes.data - root.ctypes.data)


def _over_a_buffer(
    cloner: Copier, value: np.ndarray, root: np.ndarray
) -> np.ndarray | None:
    """Return an array over the copy of memory that is none of NumPy's.

    Args:
        cloner: Makes the copy.
        value: The array.
        root: The array itself, or that of which it is a view, directly over the memory.
    """
    if is_tensor(type(_owner_of(root))):
        owner = _owner_of(root)
        flat = _bytes_of(cloner.clone(owner))
        return _at(flat, value, value.ctypes.data - _bytes_of(owner).ctypes.data)
    memory = _memory_below(root)
    if memory is None:
        _check_unowned(root)
        if cloner.dice is None:
            cloner.strangers.append(value)
        return None
    if not memory.flags.writeable:
        return None  # it cannot change
    owner = _owner_of(root)
    twin = cloner.known(owner)
    if twin is None and isinstance(owner, BUFFERS):
        twin = cloner.clone(owner)
    if twin is None:
        twin = cloner.remember(owner, bytearray(memory.tobytes()))
    return _at(twin, value, value.ctypes.data - memory.ctypes.data)


def _owner_of(root: np.ndarray) -> Any:
    base = root.base
    is_view = isinstance(base, memoryview) and base.obj is not None
    return base.obj if is_view else base


def _memory_below(root: np.ndarray) -> np.ndarray | None:
    """Return all the memory that an array's owner shows; None if it shows none."""
    try:
        return np.frombuffer(_owner_of(root), np.uint8)
    except (TypeError, ValueError, BufferError):
        return None


def _check_unowned(root: np.ndarray) -> None:
    """Raise an error if memory that cannot be had belongs to something that lives on.

    A simulator goes on writing there; the array's copy would not see it. A capsule
    that nothing else refers to only frees the memory.

    Raises:
        UncopyableEnvironmentError: It does, or may.
    """
    kind = type(_owner_of(root))
    if not root.flags.writeable or package_of(kind) in _KNOWN_OWNERS:
        return
    is_alone = sys.getrefcount(root.base) <= sys.getrefcount(_ALONE.base)
    if kind.__name__ == "PyCapsule" and is_alone:
        return
    raise UncopyableEnvironmentError(
        f"numpy array over memory of {kind.__module__}.{kind.__qualname__} (its copy "
        "would miss what the owner writes there; do not keep the array, but read it "
        "from its owner when needed)"
    )


# Views of other arrays, by `as_strided`; and pixels, which no copy draws.
_KNOWN_OWNERS = ("numpy", "pygame")
# An array over memory whose owner nothing else refers to; how many references are
# counted then differs between versions of Python.
_ALONE = np.frombuffer(bytearray(1), np.uint8)


def _at(memory: Any, value: np.ndarray, start: int) -> np.ndarray:
    return np.ndarray(value.shape, value.dtype, memory, start, value.strides)


def _bytes_of(tensor: Any) -> np.ndarray:
    """View all the memory that a tensor stands over, uint8."""
    whole = tensor.detach().new_empty(0).view(sys.modules["torch"].uint8)
    return whole.set_(tensor.untyped_storage()).numpy()


def copy_stranger(cloner: Copier, value: Any) -> Any:
    """Copy as the class says; whose memory it is cannot be asked."""
    if cloner.dice is None:
        cloner.strangers.append(value)
    return copy_by_its_own_way(cloner, value)


def copy_c_data(cloner: Copier, value: Any) -> Any:
    """Copy an object of `ctypes`, which may stand over the memory of another."""
    if cloner.dice is None:
        cloner.strangers.append(value)
    return copy_reduced(cloner, value)


def copy_record(cloner: Copier, value: np.void) -> np.void:
    """Copy a record of its own; one inside an array is an error."""
    if value.base is not None:
        raise UncopyableEnvironmentError("numpy.void that is a view of an array")
    return cloner.remember(value, value.copy())
