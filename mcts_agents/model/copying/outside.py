"""What an environment keeps outside its own object, and whether planning changes it.

Class attributes, globals of modules, default arguments and what functions hold are the
same things for the live environment and all copies. A step that changes them makes
every copy wrong and moves the live game, so a plan that saw it happen puts everything
back and ends with an error.

Only what the code of an environment names is looked at: from the classes of its objects
to their methods, the globals that these name, and so on, within modules that are none
of Python's or of the libraries that environments are written with.
"""

import functools
import operator
import sys
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from mcts_agents.model.copying.cloning_kinds import ATOMIC, CACHED_FUNCTION
from mcts_agents.model.copying.comparing import slots_of
from mcts_agents.model.copying.dice import GENERATORS, reseed
from mcts_agents.model.copying.guards import unchanged

# Modules whose own state is none of a game's, with all below them.
_LIBRARIES = frozenset(
    """
    IPython PIL _pytest absl chex coverage cv2 dm_env gymnasium hypothesis ipykernel jax
    jaxlib llvmlite loguru matplotlib mcts_agents numba numpy pandas pettingzoo pluggy
    pygame pymunk pytest rich scipy torch tqdm typing_extensions
    """.split()
).union(sys.stdlib_module_names)
# Environments that live inside the libraries above.
_ENVIRONMENTS = (
    "gymnasium.envs.",
    "pettingzoo.atari",
    "pettingzoo.butterfly",
    "pettingzoo.classic",
    "pettingzoo.sisl",
)

# What environments of PettingZoo fill as they go, and no step depends on.
_KNOWN_CACHES = (
    "pettingzoo.classic.chess.chess_utils.actions_to_moves",
    "pettingzoo.classic.chess.chess_utils.moves_to_actions",
)

# With more items in all, a plan looks at them at each power of two only.
_FEW = 3000
# A larger table is only counted.
_LARGEST = 100_000

_CONTAINERS = list | deque | dict | set | bytearray | np.ndarray
_CODE = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    CACHED_FUNCTION,
    staticmethod,
    classmethod,
    property,
    type,
    Enum,
)


class SharedStateError(ValueError):
    """A step of a copy has changed something that the live environment uses too."""


class Outside:
    """What lies outside one environment object.

    Args:
        name: The environment's, for messages.
        caches: What may change; see `CopyOptions`.
    """

    def __init__(self, name: str, caches: tuple[str, ...] = ()):
        self._name = name
        self._caches = (*_KNOWN_CACHES, *caches)
        self._places = _Places()
        self._plans = 0
        self._contents: Contents | None = None

    @contextmanager
    def unchanged(self, met: tuple[set[int], list[Any]]) -> Iterator["Contents"]:
        """Look after what lies outside while a plan goes on; give what it is now.

        Args:
            met: The ids of all that an exact copy of the environment holds copies of,
                and these copies.

        Raises:
            SharedStateError: Something changed. It is as it was before.
        """
        own, objects = met
        self._places.visit_objects(objects)
        self._plans += 1
        if self._contents is not None and self._contents.items > _FEW:
            if self._plans & (self._plans - 1):
                with unchanged(self._contents.generators):
                    yield self._contents
                return
        found = self._contents = Contents(self._places, own, self._caches)
        with unchanged(found.generators):
            try:
                yield found
            finally:
                changed = found.put_back()
                found.forget()
        if changed:
            raise SharedStateError(
                f"{self._name}: steps of copies changed {', '.join(changed)}, which "
                "lies outside the environment object, where all copies and the live "
                "environment share it; it has been put back. Keep it in the object "
                "itself; or, if it only saves work and no step depends on it, pass "
                f"caches=({', '.join(map(repr, changed))},)"
            )


class _Places:
    """Where things lie that the code of some classes can change.

    Attributes:
        names: For each namespace (a class, or a dictionary of globals or of a function)
            by its id: the namespace, its name, and the names in it that count, None for
            all.
        held: Values that functions hold, as pairs of name and value.
        cells: Variables of closures, as pairs of name and cell.
    """

    def __init__(self) -> None:
        self.names: dict[int, tuple[Any, str, set[str] | None]] = {}
        self.held: list[tuple[str, Any]] = []
        self.cells: list[tuple[str, types.CellType]] = []
        self._seen: dict[int, Any] = {}
        self._kinds: set[type] = set()
        self._followed: set[tuple[int, frozenset[str]]] = set()

    def _is_new(self, value: Any) -> bool:
        if id(value) in self._seen:
            return False
        self._seen[id(value)] = value  # kept alive, so that its id stays its own
        return True

    def visit_objects(self, objects: list[Any]) -> None:
        """Follow the code of objects' classes, and functions that they hold."""
        for kind in set(map(type, objects)) - self._kinds:
            self._kinds.add(kind)
            self.visit_class(kind)
        for value in objects:
            for held in getattr(value, "__dict__", {}).values():
                if isinstance(held, types.FunctionType | types.MethodType):
                    self._visit(held)

    def visit_class(self, kind: type) -> None:
        """Note the attributes of a class and its bases, and what its methods name."""
        for base in kind.__mro__:
            if not self._is_new(base) or _is_foreign(_module_of(base)):
                continue
            label = f"{_module_of(base)}.{base.__qualname__}"
            if not issubclass(base, Enum):
                self.names[id(base)] = (base, label, None)
            for value in list(vars(base).values()):
                self._visit(value)

    def _visit(self, value: Any, names: frozenset[str] = frozenset()) -> None:
        """Follow code; `names` are those that the code which found it uses."""
        if isinstance(value, type):
            self.visit_class(value)
        elif isinstance(value, types.ModuleType):
            self._visit_module(value, names)
        elif isinstance(value, types.FunctionType):
            self._visit_function(value)
        elif isinstance(value, property):
            for function in (value.fget, value.fset, value.fdel):
                self._visit(function)
        elif isinstance(value, staticmethod | classmethod | types.MethodType):
            self._visit(value.__func__)
        elif isinstance(value, CACHED_FUNCTION):
            self._visit(value.__wrapped__)
        elif isinstance(value, functools.partial | functools.cached_property):
            self._visit(value.func)
        elif type(value) not in ATOMIC:
            self.visit_class(type(value))

    def _visit_function(self, function: types.FunctionType) -> None:
        module = function.__module__ or ""
        if _is_foreign(module) or not self._is_new(function):
            return
        label = f"{module}.{function.__qualname__}"
        for default in function.__defaults__ or ():
            self.held.append((f"a default argument of {label}", default))
        for name, default in (function.__kwdefaults__ or {}).items():
            self.held.append((f"the default argument {name} of {label}", default))
        if attributes := vars(function):
            self.names[id(attributes)] = (attributes, label, None)
            self._visit(attributes.get("__wrapped__"))
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            if name != "__class__" and self._is_new(cell):
                self.cells.append((f"the variable {name} of {label}", cell))
                self._visit(_content(cell))
        names = _names_in(function.__code__)
        self._visit_names(function.__globals__, module, names)

    def _visit_module(self, module: types.ModuleType, names: frozenset[str]) -> None:
        if _is_foreign(module.__name__) or (id(module), names) in self._followed:
            return
        self._followed.add((id(module), names))
        namespace = vars(module)
        self._visit_names(namespace, module.__name__, names.intersection(namespace))

    def _visit_names(
        self, namespace: dict[str, Any], module: str, names: frozenset[str]
    ) -> None:
        """Note the globals of a module that some code names, and follow them."""
        label = namespace.get("__name__", module)
        known = self.names.setdefault(id(namespace), (namespace, label, set()))[2]
        assert known is not None  # only classes count whole
        for name in names:
            value = namespace.get(name)
            if isinstance(value, types.ModuleType):
                self._visit_module(value, names)
            elif name not in known:
                known.add(name)
                self._visit(value, names)


class _Record(NamedTuple):
    """What one thing held: how to read it, what it was, how to write it back."""

    label: str
    read: Callable[[], Any]
    before: Any
    write: Callable[[Any], None]


class Contents:
    """What lay in all places at one moment, shallowly, object by object.

    Attributes:
        generators: The random generators among them.
        items: How many things were noted.
        is_kept: Whether it can be put back.
    """

    def __init__(self, places: _Places, own: set[int], caches: tuple[str, ...]):
        self._caches = caches
        self._seen: dict[int, Any] = dict.fromkeys(own)
        self._records: list[_Record] = []
        self.generators: list[Any] = []
        self.items = 0
        self.is_kept = True
        for namespace, label, names in places.names.values():
            without = {c.removeprefix(f"{label}.") for c in caches}
            read, write = _ways_of_names(namespace, names, without)
            for name, value in self._note(label, read, write).items():
                self._walk(f"{label}.{name}", value)
        for label, cell in places.cells:
            read, write = _ways_of_cell(cell)
            self._walk(label, self._note(label, read, write)[0])
        for label, value in places.held:
            self._walk(label, value)

    def _note(
        self, label: str, read: Callable[[], Any], write: Callable[[Any], None]
    ) -> Any:
        before = read()
        self.items += len(before)
        self._records.append(_Record(label, read, before, write))
        return before

    def _walk(self, label: str, value: Any) -> None:
        """Note all that can change about a value and its parts."""
        if label in self._caches:
            return
        waiting = [value]
        while waiting:
            item = waiting.pop()
            if type(item) in ATOMIC or id(item) in self._seen:
                continue
            if isinstance(item, tuple | frozenset):
                waiting.extend(item)
                continue
            self._seen[id(item)] = item
            if isinstance(item, GENERATORS):
                self.generators.append(item)
            elif isinstance(item, _CONTAINERS):
                waiting.extend(self._note_container(label, item))
            elif not isinstance(item, _CODE) and not _is_foreign(
                _module_of(type(item))
            ):
                waiting.extend(self._note_object(label, item))

    def _note_container(self, label: str, item: Any) -> Iterable[Any]:
        """Note what a container holds; return its parts."""
        if len(item) > _LARGEST and not isinstance(item, np.ndarray):
            self._note(label, lambda: [len(item)], _cannot_write)
            return ()
        content = self._note(label, *_ways_of_container(item))
        return () if isinstance(content, bytes | np.ndarray) else content

    def _note_object(self, label: str, item: Any) -> Iterable[Any]:
        """Note the attributes of an object; return them."""
        parts: list[Any] = []
        if isinstance(attributes := getattr(item, "__dict__", None), dict):
            parts += self._note(label, *_ways_of_container(attributes))
        if slots := [name for name in _slots(type(item)) if hasattr(item, name)]:
            parts += self._note(label, *_ways_of_slots(item, slots))
        return parts

    def forget(self) -> None:
        """Keep nothing but the generators: what lies outside may change from now on."""
        self.is_kept = False
        self._records.clear()
        self._seen.clear()

    def reseed(self, dice: np.random.Generator) -> None:
        """Let the random generators draw from `dice`."""
        for generator in self.generators:
            reseed(generator, dice)

    def put_back(self) -> list[str]:
        """Undo what changed; return the names of where it did."""
        names: dict[str, None] = {}
        for label, read, before, write in self._records:
            now = read()
            if not _same(before, now):
                names.update(dict.fromkeys(_changed_names(label, before, now)))
                write(before)
        return list(names)


_slots = functools.cache(slots_of)


Ways = tuple[Callable[[], Any], Callable[[Any], None]]


def _ways_of_container(item: Any) -> Ways:
    """Return how to read and write back a container: bytes, an array, a set, a list.

    The list of a dictionary is its keys, then its values.
    """
    if isinstance(item, np.ndarray) and not item.dtype.hasobject:
        return item.copy, functools.partial(item.__setitem__, ...)

    def write(before: Any) -> None:
        if isinstance(item, np.ndarray):
            for place, value in zip(np.ndindex(item.shape), before, strict=True):
                item[place] = value
            return
        item.clear()
        if isinstance(item, dict):
            half = len(before) // 2
            item.update(zip(before[:half], before[half:], strict=True))
        elif isinstance(item, set):
            item.update(before)
        else:
            item.extend(before)

    if isinstance(item, np.ndarray):
        return lambda: item.ravel().tolist(), write
    if isinstance(item, dict):
        return lambda: [*item, *item.values()], write
    if isinstance(item, bytearray):
        return lambda: bytes(item), write
    return item.copy if isinstance(item, set) else lambda: list(item), write


def _ways_of_slots(item: Any, slots: list[str]) -> Ways:
    def write(before: list[Any]) -> None:
        for name, value in zip(slots, before, strict=True):
            object.__setattr__(item, name, value)

    return lambda: [getattr(item, name, None) for name in slots], write


def _ways_of_cell(cell: types.CellType) -> Ways:
    def write(before: list[Any]) -> None:
        cell.cell_contents = before[0]

    return lambda: [_content(cell)], write


def _ways_of_names(namespace: Any, names: set[str] | None, without: set[str]) -> Ways:
    is_class = isinstance(namespace, type)

    def read() -> dict[str, Any]:
        inside = vars(namespace) if is_class else namespace
        if names is not None:
            return {n: inside[n] for n in names - without if n in inside}
        return {
            name: value
            for name, value in inside.items()
            if not (name.startswith(("__", "_abc_")) or isinstance(value, _CODE))
            and name not in without
        }

    def write(before: dict[str, Any]) -> None:
        now = read()
        for name in now.keys() | before.keys():
            if name not in before:
                delattr(namespace, name) if is_class else namespace.pop(name)
            elif name not in now or now[name] is not before[name]:
                if is_class:
                    setattr(namespace, name, before[name])
                else:
                    namespace[name] = before[name]

    return read, write


def _cannot_write(before: Any) -> None:
    """Leave what was too large to keep; its change is an error all the same."""


def _same(before: Any, now: Any) -> bool:
    """Whether two contents hold the same objects, or equal numbers and texts."""
    if isinstance(before, np.ndarray):
        return before.shape == now.shape and before.tobytes() == now.tobytes()
    if len(before) != len(now):
        return False
    if isinstance(before, set | bytes):
        return before == now
    if isinstance(before, dict):
        return before.keys() == now.keys() and all(
            _is_same(before[name], now[name]) for name in before
        )
    return all(map(operator.is_, before, now)) or all(map(_is_same, before, now))


def _is_same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    return type(a) is type(b) and type(a) in ATOMIC and (a == b or (a != a and b != b))


def _changed_names(label: str, before: Any, now: Any) -> list[str]:
    if not isinstance(before, dict):
        return [label]
    return [
        f"{label}.{name}"
        for name in sorted(before.keys() | now.keys())
        if not (name in before and name in now and _is_same(before[name], now[name]))
    ]


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # empty
        return None


def _module_of(kind: type) -> str:
    # Some types of compiled libraries have no module; they are treated as Python's own.
    return getattr(kind, "__module__", None) or "builtins"


@functools.cache
def _is_foreign(module: str) -> bool:
    return module.partition(".")[0] in _LIBRARIES and not module.startswith(
        _ENVIRONMENTS
    )


@functools.cache
def _names_in(code: types.CodeType) -> frozenset[str]:
    """Return all names of globals and attributes in some code and what is inside."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names_in(constant)
    return frozenset(names)
