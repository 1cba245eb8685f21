"""Keys of positions: what a user's `state_key` returns, as 64 bits.

Alike in every process and on every machine, which Python's own hashes of texts are not.
"""

import hashlib
import struct
from typing import Any

import numpy as np

TAKEN = (
    "None, bool, int, float, str, bytes, a NumPy array or number, or a tuple, list, "
    "dict, set or frozenset of these"
)


def key_of(value: Any, whose: str, beside: Any = None) -> int:
    """Return the 64 bits of a key, as an int64.

    Values that are equal and of one type have one key; others have the same one by
    chance only. True and 1 are two keys, 1 and 1.0 too; NumPy's numbers are Python's.

    Args:
        value: What the function returned.
        whose: What it is, for the message.
        beside: What else tells positions apart, of the same types.

    Raises:
        ValueError: It is nothing that has a key.
    """
    try:
        told = _told(value) if beside is None else _told((value, beside))
    except TypeError as error:
        raise ValueError(
            f"{whose} returned {value!r}, which has {error}; expected {TAKEN}"
        ) from error
    digest = hashlib.blake2b(told, digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def _told(value: Any) -> bytes:
    """Return a value as bytes that stand for no other value."""
    if value is None or isinstance(value, bool):
        return _part(b"c", str(value).encode())
    if isinstance(value, bytes):
        return _part(b"b", value)
    if isinstance(value, str):
        return _part(b"s", value.encode("utf-8", "surrogatepass"))
    if isinstance(value, int):
        size = value.bit_length() // 8 + 1
        return _part(b"i", int(value).to_bytes(size, "little", signed=True))
    if isinstance(value, np.generic) and not isinstance(value, np.void):
        return _told(value.item())
    if isinstance(value, float):
        return _part(b"f", struct.pack("<d", value + 0.0))  # -0.0 is 0.0
    if isinstance(value, tuple | list):
        return _part(b"t", b"".join(map(_told, value)))
    if isinstance(value, dict):
        items = sorted(_told(k) + _told(v) for k, v in value.items())
        return _part(b"d", b"".join(items))
    if isinstance(value, set | frozenset):
        return _part(b"u", b"".join(sorted(map(_told, value))))
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        about = f"{value.dtype.str}{value.shape}".encode()
        return _part(b"a", _part(b"", about) + value.tobytes())
    raise TypeError(f"a {type(value).__name__} in it")


def _part(kind: bytes, content: bytes) -> bytes:
    return kind + len(content).to_bytes(8, "little") + content
