"""Where an environment keeps something outside its own object: what its code names."""

import dis
import functools
import os
import sys
import types
from enum import Enum
from typing import Any

from mcts_agents.model.code_names import names_in
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
# It knows all environments that there are; every one of Gymnasium's holds a part of it.
_REGISTRATION = "gymnasium.envs.registration"


class Places:
    """Where things lie that the code of some classes can change.

    Attributes:
        names: For each namespace (a class, or a dictionary of globals or of a function)
            by its id: the namespace, its name, and the names in it that count, None for
            all.
        held: Values that functions hold, as pairs of name and value.
        cells: Variables of closures, as pairs of name and cell.
        kinds: The classes of all objects so far.
        count: How many names, values and variables there are.
    """

    def __init__(self) -> None:
        self.names: dict[int, tuple[Any, str, set[str] | None]] = {}
        self.held: list[tuple[str, Any]] = []
        self.cells: list[tuple[str, types.CellType]] = []
        self._seen: dict[int, Any] = {}
        self.kinds: set[type] = set()
        # The globals of each module that were followed.
        self._named: dict[int, set[str]] = {}
        self._followed: set[tuple[int, frozenset[str]]] = set()
        # What functions import when they are called, with the names that they use.
        self._imports: list[tuple[frozenset[str], frozenset[str]]] = []

    @property
    def count(self) -> int:
        """How many places there are."""
        named = [
            0 if names is None else len(names) for *_, names in self.names.values()
        ]
        return len(named) + sum(named) + len(self.held) + len(self.cells)

    def knows(self, function: types.FunctionType) -> bool:
        """Whether the variables of a function are among the places."""
        return id(function) in self._seen

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
            if kind not in self.kinds:
                self.visit_kind(kind)
        for value in objects:
            for held in getattr(value, "__dict__", {}).values():
                if isinstance(held, types.FunctionType | types.MethodType):
                    # Others are no more than copies, of this plan.
                    if not _holds_something(getattr(held, "__func__", held)):
                        self._visit(held)
        self._visit_imports()

    def visit_kind(self, kind: type) -> None:
        """Follow the class of some object, which was not met before."""
        self.kinds.add(kind)
        self.visit_class(kind)

    def visit_class(self, kind: type) -> None:
        """Note the attributes of a class and its bases, and what its methods name."""
        for base in kind.__mro__:
            if not self._is_new(base) or is_foreign(module_of(base)):
                continue
            label = f"{module_of(base)}.{base.__qualname__}"
            if not issubclass(base, Enum):
                self.names[id(base)] = (base, label, None)
            else:
                self.held += [(f"{label}.{m.name}", m) for m in base]
            for value in list(vars(base).values()):
                self._visit(value)
        if type(kind) is not type:
            self.visit_class(type(kind))

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
            if self._is_new(value):  # what it keeps can change
                self.held.append((f"{value.__module__}.{value.__qualname__}", value))
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
        if (attributes := vars(function)) and not is_made_by_library(function):
            self.names[id(attributes)] = (attributes, label, None)
        self.cells += self.follow(function)

    def follow(self, function: types.FunctionType) -> list[tuple[str, types.CellType]]:
        """Follow what a function names; return its variables that were not met yet."""
        module = function.__module__ or ""
        if is_foreign(module):
            return []
        self._visit(vars(function).get("__wrapped__"))
        cells = [
            (f"the variable {name} of {module}.{function.__qualname__}", cell)
            for name, cell in zip(
                function.__code__.co_freevars, function.__closure__ or (), strict=True
            )
            if name != "__class__" and id(cell) not in self._seen
        ]
        if is_made_by_library(function):
            self._visit_wrapped(function)
            return []
        for _, cell in cells:
            self._visit(content_of(cell))
        code = function.__code__
        if self._is_new(code):
            self._visit_names(function.__globals__, module, names_in(code))
            self._note_imports(function)
        return cells

    def _visit_wrapped(self, wrapper: types.FunctionType) -> None:
        """Follow functions within one that a library made, such as `singledispatch`.

        What else the library keeps there is none of a game's state.
        """
        held = [content_of(cell) for cell in wrapper.__closure__ or ()]
        for value in (*held, *vars(wrapper).values()):
            is_table = isinstance(value, dict | types.MappingProxyType)
            for function in value.values() if is_table else (value,):
                if isinstance(function, types.FunctionType):
                    self._visit(function)

    def visit_whole(self, module: types.ModuleType) -> None:
        """Note all globals of a module that some object holds, and follow them."""
        namespace = vars(module)
        if not is_foreign(module.__name__) and self._is_new(module):
            self.names[id(namespace)] = (namespace, module.__name__, None)
            for value in list(namespace.values()):
                if getattr(value, "__module__", None) == module.__name__:
                    self._visit(value)

    def _visit_module(self, module: types.ModuleType, names: frozenset[str]) -> None:
        if module is os and "environ" in names and self._is_new(os.environ):
            self.held.append(("os.environ", os.environ))
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
        known = self._named.setdefault(id(namespace), set())
        self.names.setdefault(id(namespace), (namespace, label, known))
        if "globals" in names:  # where code asks for them all
            self.names[id(namespace)] = (namespace, label, None)
        for name in sorted(names):
            value = namespace.get(name)
            if isinstance(value, types.ModuleType):
                self._visit_module(value, names)
            elif name not in known:
                known.add(name)
                self._visit(value, names)

    def _note_imports(self, function: types.FunctionType) -> None:
        """Note the modules that a function imports when it is called."""
        code = function.__code__
        package = function.__globals__.get("__package__") or ""
        for name in _imported_in(code):
            if not is_foreign(name):
                inside = {f"{package}.{name}"} if name else set()
                self._imports.append((frozenset({name, *inside}), names_in(code)))

    def _visit_imports(self) -> None:
        """Follow the modules that functions import, those that are imported by now."""
        waiting, self._imports = self._imports, []
        for modules, names in waiting:
            found = [sys.modules[name] for name in modules if name in sys.modules]
            for module in found:
                self._visit_module(module, names)
            if not found:
                self._imports.append((modules, names))


def is_made_by_library(function: types.FunctionType) -> bool:
    """Whether a function's code is a library's, whatever name it was given."""
    return is_foreign(function.__globals__.get("__name__") or "builtins")


def _holds_something(function: Any) -> bool:
    """Whether a function has variables or values of its own."""
    return bool(
        getattr(function, "__closure__", None)
        or getattr(function, "__defaults__", None)
        or getattr(function, "__kwdefaults__", None)
        or getattr(function, "__dict__", None)
    )


def content_of(cell: types.CellType) -> Any:
    """Return what a variable of a closure holds, None if nothing."""
    try:
        return cell.cell_contents
    except ValueError:  # empty
        return None


def module_of(kind: type) -> str:
    """Return the module of a type."""
    # Some types of compiled libraries have none, or a descriptor in its place; they are
    # treated as Python's own.
    module = getattr(kind, "__module__", None)
    return module if isinstance(module, str) and module else "builtins"


@functools.cache
def is_foreign(module: str) -> bool:
    """Whether a module's own state is none of a game's."""
    if module.partition(".")[0] not in _LIBRARIES:
        return False
    return module == _REGISTRATION or not module.startswith(_ENVIRONMENTS)


_IMPORT = dis.opmap["IMPORT_NAME"]


@functools.cache
def _imported_in(code: types.CodeType) -> tuple[str, ...]:
    """Return the names of modules that some code and what is inside imports."""
    found = []
    if _IMPORT in code.co_code[::2]:
        found = [
            step.argval for step in dis.get_instructions(code) if step.opcode == _IMPORT
        ]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found += _imported_in(constant)
    return tuple(found)
