"""What can be changed about an environment at one moment, and how to put it back.

That is all that lies outside its object, and the live object itself: no step of a copy
may change either.
"""

import types
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from gymnasium import spaces

from mcts_agents.model.copying.cloning_kinds import ATOMIC, CACHED_FUNCTION
from mcts_agents.model.copying.comparing_shallowly import same_names, same_row
from mcts_agents.model.copying.dice import is_generator, reseed
from mcts_agents.model.copying.outside_kinds import ATTRIBUTES, Way
from mcts_agents.model.copying.outside_places import (
    Places,
    content_of,
    is_made_by_library,
)
from mcts_agents.model.copying.outside_records import Changes, Records
from mcts_agents.model.copying.outside_ways import cached_results, led_to, ways_of
from mcts_agents.model.copying.snapshots import Snapshot
from mcts_agents.model.copying.watchers import WATCHERS

# What holds nothing that changes. Classes are none of these.
_PLAIN = (ATOMIC | {Snapshot, property}) - {type}
# What attributes of classes are not told apart.
_CODE = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    staticmethod,
    classmethod,
    property,
    type,
)
_SIZED = (list, dict, set, bytes)
# What cannot change, and may hold what can.
_FIXED = (tuple, frozenset)


class Contents:
    """What lay in all places at one moment, shallowly, object by object.

    Args:
        places: Outside the environment's object.
        own: The ids of all parts of the live environment that copies have for
            themselves.
        env: The live environment.
        caches: Names of what may change.
        last: What was noted before, if what lies outside is not looked at this time.

    Attributes:
        generators: The random generators outside.
        spaces: The spaces outside, which have generators of their own.
        own_generators: Those of the live environment, which nothing draws from but
            what refers to them from outside.
        items: How many things were noted outside that are no parts of the environment.
        is_kept: Whether all of it was noted, and can be put back.
    """

    def __init__(
        self,
        places: Places,
        own: set[int],
        env: Any,
        caches: tuple[str, ...],
        last: "Contents | None" = None,
    ):
        self._caches = caches
        self._own = own
        self._places = places
        self._seen: dict[int, Any] = {}
        self._records = Records(caches)
        self._caching: list[tuple[str, Any, int, set[int]]] = []
        # What was noted of the places so far.
        self._names: dict[int, frozenset[str] | None] = {}
        self._cells = self._held = 0
        self._count = -1
        self.generators: list[Any] = []
        self.spaces: list[spaces.Space] = []
        self.own_generators: list[Any] = []
        self._led_out: list[Any] = []
        self.items = 0
        self.is_kept = self._is_outside = last is None
        if last is None:
            self._note_outside()
        else:
            self.generators, self.spaces = last.generators, last.spaces
            self.items = last.items
            self._led_out = [g for g in last._led_out if id(g) in own]
        self._is_outside = False
        first = len(self._records)
        self._walk("env", env)
        self._records.inside = range(first, len(self._records))
        if last is None:  # functions that the objects hold may lead to more
            self._is_outside = True
            self._note_outside()

    # -- noting

    def _note_outside(self) -> None:
        """Note what lies in all places; more of them may be found on the way."""
        places = self._places
        while self._count != places.count:
            self._count = places.count
            for key, (namespace, label, names) in list(places.names.items()):
                self._note_names(key, namespace, label, names)
            while self._cells < len(places.cells):
                label, cell = places.cells[self._cells]
                self._cells += 1
                self._walk(label, self._note(label, cell, _CELL, -1)[0])
            while self._held < len(places.held):
                self._held += 1
                self._walk(*places.held[self._held - 1])

    def _note_names(
        self, key: int, namespace: Any, label: str, names: set[str] | None
    ) -> None:
        noted = self._names.get(key, frozenset())
        if noted is None or (names is not None and len(noted) == len(names)):
            return  # names are only added
        new = None if names is None else names.difference(noted)
        self._names[key] = None if names is None else frozenset(names)
        without = {c.removeprefix(f"{label}.") for c in self._caches}
        way = _way_of_names(namespace, new, without)
        for name, value in self._note(label, namespace, way, -1).items():
            self._walk(f"{label}.{name}", value)

    def _note(self, label: str, item: Any, way: Way, parent: int) -> Any:
        before = self._records.note(label, item, way, parent)
        if self._is_outside and id(item) not in self._own:
            self.items += len(before) if type(before) in _SIZED else 1
        return before

    def _walk(self, label: str, value: Any) -> None:
        """Note all that can change about a value and its parts."""
        if label in self._caches:
            return
        seen, own = self._seen, self._own
        waiting = [] if type(value) in _PLAIN else [(value, -1)]
        while waiting:
            item, parent = waiting.pop()
            kind, key = type(item), id(item)
            if key in seen:
                continue
            if isinstance(item, _FIXED):
                if kind not in _FIXED and hasattr(item, "__dict__"):
                    seen[key] = item  # of somebody's class
                    waiting += self._parts_of(label, item, ATTRIBUTES, parent)
                if _PLAIN.issuperset(map(type, item)):
                    continue
                parts = item
            elif is_generator(kind):
                seen[key] = item
                self._note_generator(item, key in own)
                continue
            else:
                seen[key] = item
                if (
                    isinstance(item, spaces.Space)
                    and self._is_outside
                    and key not in own
                ):
                    self.spaces.append(item)
                if kind not in self._places.kinds:
                    self._places.visit_kind(kind)
                ways = ways_of(kind, key in own)
                parts = self._led_to(label, item) if ways is None else ()
                for way in ways or ():
                    waiting += self._parts_of(label, item, way.chosen(item), parent)
            waiting += [(p, parent) for p in parts if type(p) not in _PLAIN]

    def _parts_of(
        self, label: str, item: Any, way: Way, parent: int
    ) -> list[tuple[Any, int]]:
        """Note what one thing holds; return its parts with the number of its record."""
        noted = way.parts(self._note(label, item, way, parent))
        at = len(self._records) - 1
        return [(part, at) for part in noted if type(part) not in _PLAIN]

    def _note_generator(self, generator: Any, is_own: bool) -> None:
        if is_own:
            self.own_generators.append(generator)
            if self._is_outside:
                self._led_out.append(generator)
        elif self._is_outside:
            self.generators.append(generator)

    def _led_to(self, label: str, item: Any) -> Iterable[Any]:
        """Return what something leads to; note where code keeps more."""
        if type(item) in WATCHERS:
            return (item.env,)
        if isinstance(item, types.FunctionType):
            return self._note_function(item)
        if isinstance(item, type):
            self._places.visit_class(item)
            return ()
        if isinstance(item, types.ModuleType):
            self._places.visit_whole(item)
            return ()
        if isinstance(item, CACHED_FUNCTION):
            results = cached_results(item)
            misses = item.cache_info().misses
            self._caching.append((label, item, misses, set(map(id, results))))
            return item.__wrapped__, *results
        return led_to(item)

    def _note_function(self, function: types.FunctionType) -> Iterable[Any]:
        """Note the variables of a function that some object holds; return the parts."""
        places = self._places
        if places.knows(function):
            return ()
        cells = places.follow(function)
        for label, cell in cells:
            self._note(label, cell, _CELL, -1)
        parts = [content_of(cell) for _, cell in cells]
        if vars(function) and not is_made_by_library(function):
            label = f"{function.__module__}.{function.__qualname__}"
            parts += self._note(label, function, ATTRIBUTES, -1).values()
        parts += function.__defaults__ or ()
        return [*parts, *(function.__kwdefaults__ or {}).values()]

    # -- what becomes of it

    def forget(self) -> None:
        """Keep nothing but the generators: what was noted may change from now on."""
        self.is_kept = False
        self._records.forget()
        self._seen.clear()
        self._caching.clear()
        self.own_generators = []

    def reseed(self, dice: np.random.Generator) -> None:
        """Let the random generators draw from `dice`."""
        for generator in self.generators:
            reseed(generator, dice)
        if self._led_out:  # from dice of their own
            apart = np.random.Generator(dice.bit_generator.jumped())
            for generator in self._led_out:
                reseed(generator, apart)

    def drop_results(self) -> None:
        """Empty caches that held nothing that can change, and now do.

        What copies made and changed there would come to the live environment.
        """
        for _, function, misses, held in self._caching:
            if not held and function.cache_info().misses != misses:
                if cached_results(function):
                    function.cache_clear()

    def put_back(self) -> Changes:
        """Undo what changed; return the names of where it did."""
        changes = self._records.put_back()
        for label, function, misses, held in self._caching:
            # Emptied, as `reset` may do: what it handed out before is gone from it.
            if held and function.cache_info().misses <= misses:
                if not held <= set(map(id, cached_results(function))):
                    changes.outside[label] = changes.lost[label] = None
        return changes

    def settling(self) -> AbstractContextManager[None]:
        """Let what changes meanwhile be no error; see `Records.settling`."""
        return self._records.settling(self._own)


def _write_cell(cell: types.CellType, before: list[Any]) -> None:
    cell.cell_contents = before[0]


_CELL = Way(lambda cell: [content_of(cell)], same_row, _write_cell)


def _way_of_names(namespace: Any, names: set[str] | None, without: set[str]) -> Way:
    is_class = isinstance(namespace, type)
    # In an order that every process has; see `Places.visit_objects`.
    counted = None if names is None else sorted(names - without)

    def read(_: Any) -> dict[str, Any]:
        inside = vars(namespace) if is_class else namespace
        if counted is not None:
            return {n: inside[n] for n in counted if n in inside}
        return {
            name: value
            for name, value in inside.items()
            if not (name.startswith(("__", "_abc_")) or isinstance(value, _CODE))
            and name not in without
        }

    def write(_: Any, before: dict[str, Any]) -> None:
        now = read(_)
        for name in now.keys() | before.keys():
            if name not in before:
                delattr(namespace, name) if is_class else namespace.pop(name)
            elif name not in now or now[name] is not before[name]:
                if is_class:
                    setattr(namespace, name, before[name])
                else:
                    namespace[name] = before[name]

    return Way(read, same_names, write, is_named=True)
