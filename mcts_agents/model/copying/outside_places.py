"""Where an environment keeps something outside its own object: what its code names."""

import functools
import sys
import types
from enum import Enum
from typing import Any

from mcts_agents.model.copying.cloning_kinds import ATOMIC, CACHED_FUNCTION

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


class Places:
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
        # In an order that every process has: generators that are found get their seeds
        # one after another.
        for kind in dict.fromkeys(map(type, objects)):
            if kind not in self._kinds:
                self._kinds.add(kind)
                self.visit_class(kind)
        for value in objects:
            for held in getattr(value, "__dict__", {}).values():
                if isinstance(held, types.FunctionType | types.MethodType):
                    self._visit(held)

    def visit_class(self, kind: type) -> None:
        """Note the attributes of a class and its bases, and what its methods name."""
        for base in kind.__mro__:
            if not self._is_new(base) or is_foreign(module_of(base)):
                continue
            label = f"{module_of(base)}.{base.__qualname__}"
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
        if is_foreign(module) or not self._is_new(function):
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
                self._visit(content_of(cell))
        names = _names_in(function.__code__)
        self._visit_names(function.__globals__, module, names)

    def _visit_module(self, module: types.ModuleType, names: frozenset[str]) -> None:
        if is_foreign(module.__name__) or (id(module), names) in self._followed:
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
        for name in sorted(names):
            value = namespace.get(name)
            if isinstance(value, types.ModuleType):
                self._visit_module(value, names)
            elif name not in known:
                known.add(name)
                self._visit(value, names)


def content_of(cell: types.CellType) -> Any:
    """Return what a variable of a closure holds, None if nothing."""
    try:
        return cell.cell_contents
    except ValueError:  # empty
        return None


def module_of(kind: type) -> str:
    """Return the module of a type."""
    # Some types of compiled libraries have no module; they are treated as Python's own.
    return getattr(kind, "__module__", None) or "builtins"


@functools.cache
def is_foreign(module: str) -> bool:
    """Whether a module's own state is none of a game's."""
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
