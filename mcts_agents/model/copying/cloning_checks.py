"""What the comparison of a copy with its original cannot see.

Do copies share memory where their originals do? Arrays that say whose memory they stand
over are copied rightly by `cloning_arrays`. Tensors of `torch.from_numpy`, objects of
`ctypes` and the like do not say. Where one of them stands over the same memory as
something else in the environment, but their copies do not, the copy is another game:
what one part writes, the other does not see.

And can keys be found? A key whose hash comes from what leads back to the key is put
into the copy before it is whole, and has another hash afterwards.
"""

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np

from mcts_agents.model.copying.cloning_arrays import C_DATA, is_tensor
from mcts_agents.model.copying.cloning_kinds import UncopyableEnvironmentError
from mcts_agents.model.copying.copier import Copier

# Where the first element lies; the first byte of all, and the one after the last.
Extent = tuple[int, int, int]


def check_copy(cloner: Copier, env: Any) -> None:
    """Raise an error if an exact copy is another game in a way that nobody sees.

    Args:
        cloner: After the copy.
        env: The original, to name the things in it.

    Raises:
        UncopyableEnvironmentError: Things that share memory have copies that do not, or
            a key is not found in the copy.
    """
    for owner, key, before in cloner.hashes:
        if hash(key) != before:
            raise UncopyableEnvironmentError(
                f"{_told(env, owner)}: a copy could not look up the key {key!r}, "
                "because its hash depends on an object that is copied only after the "
                "key; give the key a __hash__ that does not depend on what refers back "
                "to it"
            )
    _check_memory(cloner, env)


def _check_memory(cloner: Copier, env: Any) -> None:
    """Raise an error if things that share memory have copies that do not."""
    if not cloner.strangers:
        return
    strangers = {id(value) for value in cloner.strangers}
    everything = {id(value): value for value in cloner.arrays + cloner.strangers}
    lying = [(_extent(value), value) for value in everything.values()]
    lying = sorted([each for each in lying if each[0]], key=lambda each: each[0][1])
    for place, (mine, value) in enumerate(lying):
        for other, second in lying[place + 1 :]:
            if other[1] >= mine[2]:
                break
            is_known = not {id(value), id(second)} & strangers
            if is_known or not (_is_writeable(value) or _is_writeable(second)):
                continue
            twins = [_extent(cloner.known(each)) for each in (value, second)]
            if None in twins or twins[1][0] - twins[0][0] != other[0] - mine[0]:
                one, two = (_told(env, each) for each in (value, second))
                raise UncopyableEnvironmentError(
                    f"{one} and {two} share memory, but their copies would not. Store "
                    "only one of them and derive the other from it when needed (views "
                    "of arrays and tensor.numpy() arrays are already handled)"
                )


def _is_writeable(value: Any) -> bool:
    return not isinstance(value, np.ndarray) or value.flags.writeable


def _extent(value: Any) -> Extent | None:
    """Return where something lies in memory; None if nowhere, or nobody can tell."""
    if isinstance(value, np.ndarray):
        start, size = value.ctypes.data, value.itemsize
        shape, strides = value.shape, value.strides
    elif is_tensor(type(value)):
        try:
            start, size = value.data_ptr(), value.element_size()
            strides = tuple(stride * size for stride in value.stride())
        except (RuntimeError, NotImplementedError):  # sparse ones, say
            return None
        if value.device.type != "cpu":
            return None
        shape = tuple(value.shape)
    elif isinstance(value, C_DATA):
        start, size = ctypes.addressof(value), ctypes.sizeof(value)
        shape = strides = ()
    else:
        return None
    if 0 in shape or not start:
        return None
    spans = [(n - 1) * stride for n, stride in zip(shape, strides, strict=True)]
    low, high = sum(min(0, s) for s in spans), sum(max(0, s) for s in spans)
    return start, start + low, start + high + size


def _told(env: Any, value: Any) -> str:
    """Return what something is, and where in the environment it was found."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    for path, found in _parts(env):
        if found is value:
            return f"{path} ({kind})"
    return kind


def _parts(env: Any) -> Iterator[tuple[str, Any]]:
    """Give what is held by attributes and containers, with the way to it."""
    level, seen = [(type(env).__name__, env)], {id(env)}
    while level:
        deeper = []
        for path, value in level:
            yield path, value
            held = [
                (f"{path}.{k}", v) for k, v in getattr(value, "__dict__", {}).items()
            ]
            if isinstance(value, dict):
                held += [(f"{path}[{k!r}]", v) for k, v in value.items()]
            elif isinstance(value, list | tuple):
                held += [(f"{path}[{i}]", v) for i, v in enumerate(value)]
            for each in held:
                if id(each[1]) not in seen and not isinstance(each[1], type):
                    seen.add(id(each[1]))
                    deeper.append(each)
        level = deeper
