"""A short text that changes when anything in an environment does.

It shares no code with `mcts_agents.model.copying`, which makes copies and compares
them, so that one can be checked by the other.
"""

import hashlib
import random
import sys
import types
import warnings
from array import array
from collections import Counter, deque
from typing import Any

import numpy as np

from mcts_agents.model import ForwardModel, Rules

_PLAIN = (type(None), bool, int, float, complex, str)
# Classes and code are the same for all objects; they are told by their names.
_NAMED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)

_SETS = (set, frozenset)
_ANYWHERE = -1  # the place of a member of a set
# So many objects and links are looked at to tell apart those that are alike.
_MOST_WORK = 20_000

_PICKLED = ("__reduce_ex__", "__reduce__", "__getstate__")
_PICKLING = (*_PICKLED, "__getnewargs_ex__", "__getnewargs__")


def fingerprint(value: Any) -> str:
    """Return a hash of all numbers, texts and generators in an object, 32 digits.

    Objects that differ only in the order of sets have the same one. Those that are
    linked by sets are told apart by what leads to them and where they lead. Beyond
    `_MOST_WORK`, links among objects that are all alike may therefore differ unseen.
    """
    text = hashlib.blake2b(digest_size=16)
    # Items are kept alive here, so that no id comes twice.
    numbers: dict[int, tuple[int, Any]] = {}
    sets: list[Any] = []
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        if (plain := _plain(item)) is not None:
            text.update(plain)
            continue
        if id(item) in numbers:
            text.update(_known(item, numbers))
            continue
        numbers[id(item)] = len(numbers), item
        parts = _parts(item)
        text.update(_kind(item, parts))
        waiting.extend(reversed(parts))
        if isinstance(item, _SETS):
            sets.append(item)
    if sets:
        text.update(_Linked(sets, numbers).text())
    return text.hexdigest()


class _Linked:
    """What only sets lead to, which no order tells apart.

    Objects begin in classes, by what they hold themselves. A class is split as long as
    its objects have parts, members or holders in different classes, which is the colour
    refinement of Weisfeiler and Leman (1968). Classes get their numbers by what is in
    them, so that these are the same for every order of the sets.

    Args:
        sets: Those that were reached in an order.
        numbers: What was reached in an order: numbers and items, by id.
    """

    def __init__(self, sets: list[Any], numbers: dict[int, tuple[int, Any]]):
        # By object; a part's holders are told with the part's place in them.
        self._holds: list[bytes] = []
        self._parts: list[list[int]] = []
        self._members: list[list[int]] = []
        self._holders: list[list[tuple[int, int]]] = []
        self._numbers = numbers
        self._found: dict[int, int] = {}
        self._items = list(sets)
        for item in self._items:  # others are found on the way
            self._add(item)
        for holder, parts in enumerate(self._parts):
            for place, part in enumerate(parts):
                self._holders[part].append((place, holder))
        for holder, members in enumerate(self._members):
            for member in members:
                self._holders[member].append((_ANYWHERE, holder))

    def _add(self, item: Any) -> None:
        """Note what an object holds itself, and the objects that it leads to."""
        parts = _parts(item)
        holds = hashlib.blake2b(_kind(item, parts), digest_size=16)
        if id(item) in self._numbers:  # so that its class is known from the beginning
            holds.update(_known(item, self._numbers))
        if isinstance(item, _SETS):
            told = [(self._told(member), member) for member in item]
            holds.update(b"".join(sorted(text for text, _ in told if text)))
            members = [self._place(member) for text, member in told if not text]
        else:
            members = []
        told = [(self._told(part), part) for part in parts]
        holds.update(b"".join(text or b"object;" for text, _ in told))
        self._holds.append(holds.digest())
        self._parts.append([self._place(part) for text, part in told if not text])
        self._members.append(members)
        self._holders.append([])

    def _told(self, item: Any) -> bytes | None:
        """Return the text of what is known, None for an object of an own place."""
        if id(item) in self._numbers:
            return _known(item, self._numbers)
        return _plain(item)

    def _place(self, item: Any) -> int:
        if id(item) not in self._found:
            self._found[id(item)] = len(self._items)
            self._items.append(item)
        return self._found[id(item)]

    def text(self) -> bytes:
        """Return a text of all objects that is the same for every order of the sets."""
        places = range(len(self._holds))
        names = {held: name for name, held in enumerate(sorted(set(self._holds)))}
        classes = [names[held] for held in self._holds]
        self._split(classes, set(places))
        texts = [self._text(classes)]
        sizes = Counter(classes)
        alike = [place for place in places if sizes[classes[place]] > 1]
        links = sum(map(len, self._holders))
        if len(alike) * (len(places) + links) <= _MOST_WORK:
            # Classes cannot tell a ring of six from two rings of three. Seen from one
            # of the six, they can.
            seen = []
            for place in alike:
                pinned = classes.copy()
                pinned[place] = len(places)
                self._split(pinned, {place})
                seen.append(self._text(pinned))
            texts += sorted(seen)
        return b"".join(texts)

    def _split(self, classes: list[int], renamed: set[int]) -> None:
        """Split classes, in place, until all objects of each are linked alike.

        Args:
            classes: The class of each object.
            renamed: The objects whose class is new.
        """
        sizes = Counter(classes)
        name = max(classes) + 1
        while renamed:
            touched = {near for place in renamed for near in self._near(place)}
            groups: dict[int, dict[Any, list[int]]] = {}
            for place in touched:
                if sizes[own := classes[place]] > 1:
                    links = self._links(place, classes)
                    groups.setdefault(own, {}).setdefault(links, []).append(place)
            renamed = set()
            for own in sorted(groups):
                parts = [places for _, places in sorted(groups[own].items())]
                # One part keeps the name, so that little is looked at again: what was
                # not touched, else the largest.
                if sum(map(len, parts)) == sizes[own]:
                    del parts[max(range(len(parts)), key=lambda n: len(parts[n]))]
                for places in parts:
                    for place in places:
                        classes[place] = name
                    sizes[own] -= len(places)
                    sizes[name] = len(places)
                    renamed.update(places)
                    name += 1

    def _near(self, place: int) -> list[int]:
        holders = [holder for _, holder in self._holders[place]]
        return [*self._parts[place], *self._members[place], *holders]

    def _links(self, place: int, classes: list[int]) -> tuple[Any, ...]:
        """Return the classes of an object's parts, members and holders."""
        return (
            tuple([classes[part] for part in self._parts[place]]),
            tuple(sorted([classes[member] for member in self._members[place]])),
            tuple(sorted([(n, classes[holder]) for n, holder in self._holders[place]])),
        )

    def _text(self, classes: list[int]) -> bytes:
        """Return a hash of the classes, what is in them, and how they are linked."""
        lines = [
            f"{own}: {held.hex()} {self._links(place, classes)};"
            for place, (own, held) in enumerate(zip(classes, self._holds, strict=True))
        ]
        return hashlib.blake2b("".join(sorted(lines)).encode(), digest_size=16).digest()


def _plain(item: Any) -> bytes | None:
    """Return the text of an item that leads nowhere, None for an object."""
    if isinstance(item, bytes):
        return f"{len(item)} bytes:".encode() + item
    if isinstance(item, np.void) and not item.dtype.hasobject:  # long ones are cut
        return f"{item.dtype}:".encode() + item.tobytes()
    if isinstance(item, (*_PLAIN, np.generic)):
        return f"{type(item).__name__}:{item!r};".encode()
    return None


def _known(item: Any, numbers: dict[int, tuple[int, Any]]) -> bytes:
    return f"{type(item).__qualname__}:same as {numbers[id(item)][0]};".encode()


def _kind(item: Any, parts: list[Any]) -> bytes:
    size = f", {len(item)} members" if isinstance(item, _SETS) else ""
    return f"{type(item).__qualname__} of {len(parts)} parts{size}:".encode()


def _parts(item: Any) -> list[Any]:
    """Return what an object is made of, in a fixed order."""
    if isinstance(item, _NAMED):
        return [item.__name__]
    if isinstance(item, Rules):
        return [item.name]  # beside it only what was compiled so far
    if isinstance(item, ForwardModel):
        return [item.name, item.variant]  # beside it what was compiled or kept so far
    if type(item).__module__.startswith("numba."):
        return []  # compiled code
    if isinstance(item, np.ndarray):
        if item.dtype.hasobject:
            return [item.shape, item.tolist()]
        return [str(item.dtype), item.shape, item.tobytes()]
    if isinstance(item, random.Random):
        return [] if isinstance(item, random.SystemRandom) else [item.getstate()]
    if isinstance(item, np.random.RandomState):
        return [item.get_state(legacy=False)]
    if isinstance(item, np.random.BitGenerator):
        return [item.state]
    if isinstance(item, np.random.Generator):
        return [item.bit_generator]
    if isinstance(item, _SETS):  # its members have no order
        return _attributes(item)
    if isinstance(item, dict):
        return [*item.keys(), *item.values(), *_attributes(item)]
    if isinstance(item, list | tuple | deque):
        return [*item, *_attributes(item)]
    if isinstance(item, types.MethodType):
        return [item.__func__.__qualname__, item.__self__]
    if isinstance(item, bytearray):
        return [bytes(item), *_attributes(item)]
    if isinstance(item, memoryview):
        try:
            return [item.format, item.shape, item.tobytes()]
        except ValueError:  # it was released
            return []
    if isinstance(item, array):
        return [item.typecode, item.tobytes(), *_attributes(item)]
    attributes = _attributes(item)
    if hasattr(type(item), "__array__") and (found := _array(item)) is not None:
        return [*found, *attributes]
    if attributes and all(
        getattr(type(item), name) is getattr(object, name) for name in _PICKLED
    ):
        return attributes
    return [*attributes, *_reduced(item)]


def _array(item: Any) -> list[Any] | None:
    """Return what a tensor holds, None if it cannot be had."""
    try:
        if hasattr(item, "detach"):  # torch, which puts off conjugating and negating
            item = item.detach().cpu().resolve_conj().resolve_neg()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # libraries that lag behind NumPy
            return [np.array(item)]
    except Exception:  # whatever a library raises: it has no such form
        pass
    try:  # torch has kinds of numbers that NumPy lacks
        held = item.contiguous().flatten().view(sys.modules["torch"].uint8)
        return [str(item.dtype), tuple(item.shape), held.numpy()]
    except Exception:
        return None


def _reduced(item: Any) -> list[Any]:
    """Return what an object is pickled as, nothing if it is not.

    Iterators, dates and many classes of C and C++ keep what they hold out of sight. A
    class that says in Python how it is pickled is not asked: its function may do
    anything.
    """
    for kind in type(item).__mro__:
        if any(isinstance(vars(kind).get(n), types.FunctionType) for n in _PICKLING):
            return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # iterators are soon pickled no more
            return [item.__reduce_ex__(2)]
    except Exception:  # whatever a library raises: it cannot be pickled
        return []


def _attributes(item: Any) -> list[Any]:
    found: list[Any] = []
    for name, value in getattr(item, "__dict__", {}).items():
        found += [name, value]
    for kind in type(item).__mro__:
        for name, member in vars(kind).items():
            if isinstance(member, types.MemberDescriptorType) and hasattr(item, name):
                found += [name, getattr(item, name)]
    return found
