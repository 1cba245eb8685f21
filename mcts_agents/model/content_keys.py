"""What compiled code depends on, as a key: the same content has the same key.

The key of code whose functions stand in files holds these files, so that another
process finds the code. Functions that have none (typed into a notebook, or sent to a
worker process by the script that runs) have a key for the running process: it holds
what they do, and which objects they use. A worker gets such a function anew with every
game, and finds what it compiled for the game before.
"""

import dis
import enum
import hashlib
import inspect
import platform
import sys
import types as python_types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target

from mcts_agents.model.code_names import names_in
from mcts_agents.model.machine_code import FORMAT

# Modules whose content is fixed by the versions that enter the key.
_FIXED_BY_VERSION = {"numba", "numpy", "llvmlite", "math", "builtins"}

# What is written out the same in every process; and modules, which are looked into.
_PLAIN = (
    bool | int | float | complex | str | bytes | None | type | np.generic | np.dtype
    | np.ndarray | numba.types.Type | python_types.ModuleType
)  # fmt: skip

# Values that are the same if their texts and their types are.
_SAME_BY_TEXT = (
    bool | int | float | complex | str | bytes | None | np.generic | np.dtype
    | np.ndarray
)  # fmt: skip


@dataclass
class ContentKey:
    """The key of a module that is to be compiled.

    Args:
        text: A hash of all that the compiled code depends on.
        functions: How many functions are to be compiled.
        kept: Whether other processes have the same key. False: some function has no
            file, and the key is one of this process.
        objects: What the key knows by its place in memory; whoever keeps the key keeps
            these, or others could take their places.
    """

    text: str
    functions: int
    kept: bool = True
    objects: list[object] = field(default_factory=list)


def content_key(
    source: str, namespace: dict[str, object], roots: Iterable[Callable[..., Any]]
) -> ContentKey:
    """Hash all that the code compiled from `source` depends on.

    Args:
        source: Python source, which uses the names of `namespace`.
        namespace: Its globals.
        roots: The functions that it calls.
    """
    digest = hashlib.sha256()
    versions = [FORMAT, *(m.__version__ for m in (numba, llvmlite, np))]
    processor = cpu_target.target_context.codegen().magic_tuple()
    checked = numba.config.BOUNDSCHECK  # 0 overrules what functions say, None does not
    digest.update(
        repr((versions, platform.python_version(), processor, checked)).encode()
    )
    digest.update(source.encode())
    for name in sorted(namespace):
        if not callable(namespace[name]) or isinstance(namespace[name], np.dtype):
            digest.update(f"{name}={namespace[name]!r}".encode())
    # Everything has the number of its discovery, in an order that is always the same:
    # functions of one place in a file are told apart by what they reach.
    numbers: dict[int, int] = {}
    found: list[object] = []

    def number_of(value: object) -> int:
        if id(value) not in numbers:
            numbers[id(value)] = len(found)
            found.append(value)
        return numbers[id(value)]

    lines = [f"root {number_of(root)}" for root in roots]
    called = sorted(name for name in namespace if callable(namespace[name]))
    lines += [f"{name} is {number_of(namespace[name])}" for name in called]
    files: dict[str, str] = {}
    key = ContentKey("", 0)
    for value in found:  # which grows on the way
        function = _python_function(value)
        if function is None:
            continue
        library = (function.__module__ or "").partition(".")[0]
        if library in _FIXED_BY_VERSION:
            lines.append(f"{function.__module__}.{function.__qualname__}")
            continue
        number = number_of(value)
        file = _file_of(function)
        if file is None:
            key.kept = False
            lines += [
                f"{number}: {line}"
                for line in _without_file(value, function, key.objects)
            ]
        else:
            if file not in files:
                files[file] = hashlib.sha256(Path(file).read_bytes()).hexdigest()
            place = _place(function)
            lines.append(f"{number}: {function.__module__} {files[file]} {place}")
        if isinstance(value, Dispatcher):
            lines.append(f"{number}: {_declared(value)}")
        # The file may have been edited since it was imported.
        lines.append(f"{number}: {_instructions(function.__code__)}")
        reached = sorted(_reached(function), key=lambda entry: entry[0])
        for name, inner, constant in reached:
            what = f"={inner}" if constant else f" is {number_of(inner)}"
            lines.append(f"{number}.{name}{what}")
    digest.update(repr(lines).encode())
    key.text = digest.hexdigest()[:20]
    compiled = sum(isinstance(value, Dispatcher) for value in found)
    key.functions = compiled + source.count("@njit")
    return key


def _file_of(function: python_types.FunctionType) -> str | None:
    """Return the file that a function stands in; None: other processes have none."""
    file = inspect.getsourcefile(function)
    if file is None or not Path(file).is_file():
        return None
    # Cached code names the modules of its functions and imports them again.
    return file if function.__module__ in sys.modules else None


def _without_file(
    value: object, function: python_types.FunctionType, objects: list[object]
) -> Iterator[str]:
    """Give what a file would say of a function, but for what all functions say.

    Args:
        value: The function, plain or compiled.
        function: The plain one.
        objects: Where objects are added that are known by their place in memory.
    """
    yield repr(_parameters(function.__code__))
    if value is not function and not isinstance(value, Dispatcher):
        yield _known_by_place(value, objects)
    if isinstance(value, Dispatcher) and not value._can_compile:
        yield repr(value.nopython_signatures)
    used = names_in(function.__code__)
    for name, outer in sorted(_outer(function), key=lambda entry: entry[0]):
        for place, part in _parts(name, outer, used):
            leaf = type(part) if isinstance(part, tuple) else part
            text = type(leaf).__qualname__
            by_content = isinstance(leaf, _SAME_BY_TEXT | Dispatcher)
            if not by_content and leaf is not _python_function(leaf):
                text = _known_by_place(leaf, objects)
            yield f"{place}: {text}"


def _known_by_place(value: object, objects: list[object]) -> str:
    objects.append(value)
    return f"object {id(value)}"


def _parameters(code: python_types.CodeType) -> tuple[object, ...]:
    """Return what `_instructions` leaves to the text of a file."""
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    inside = [
        _parameters(constant)
        for constant in code.co_consts
        if isinstance(constant, python_types.CodeType)
    ]
    names = code.co_freevars, code.co_cellvars
    return *counts, *names, code.co_flags, code.co_exceptiontable, inside


def _python_function(value: Any) -> python_types.FunctionType | None:
    value = getattr(value, "_dispatcher", value)  # of `numba.vectorize`
    function = getattr(value, "py_func", None) or getattr(value, "_defn", value)
    return function if isinstance(function, python_types.FunctionType) else None


def _declared(dispatcher: Dispatcher) -> str:
    """Return what a function's decorator says, which may stand in another file."""
    options = {
        name: getattr(given, "__qualname__", repr(given))
        for name, given in sorted(dispatcher.targetoptions.items())
    }
    return f"{options} {sorted(map(repr, dispatcher.locals.items()))}"


def _place(function: python_types.FunctionType) -> str:
    """Where in its file a function stands."""
    return f"{function.__qualname__}:{function.__code__.co_firstlineno}"


def _instructions(code: python_types.CodeType) -> str:
    """Return a text of what a code object, and those inside it, do."""
    constants = [
        _instructions(constant)
        if isinstance(constant, python_types.CodeType)
        else repr(sorted(map(repr, constant)))
        if isinstance(constant, frozenset)
        else repr(constant)
        for constant in code.co_consts
    ]
    return repr((code.co_code.hex(), code.co_names, code.co_varnames, constants))


def _reached(
    function: python_types.FunctionType,
) -> Iterator[tuple[str, object, bool]]:
    """Yield (name, value, is constant) for all that a function's code names."""
    used = names_in(function.__code__)
    for name, value in _outer(function):
        for place, part in _parts(name, value, used):
            yield from _classified(place, part)


def _outer(function: python_types.FunctionType) -> Iterator[tuple[str, object]]:
    """Yield (name, value) for what a function's code names or has as a default."""
    used = names_in(function.__code__)
    outer = {n: v for n, v in function.__globals__.items() if n in used}
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        outer[name] = cell.cell_contents
    for number, value in enumerate(function.__defaults__ or ()):
        yield f"default {number}", value
    for name, value in sorted((function.__kwdefaults__ or {}).items()):
        yield f"default {name}", value
    for name, value in outer.items():
        # The text of other objects may hold addresses, which differ in each process.
        # Most of them only share their name with a field, as in `state.name`.
        usual = isinstance(value, _PLAIN) or _python_function(value) is not None
        if usual or name in _globals_in(function.__code__):
            yield name, value


def _parts(
    name: str,
    value: object,
    used: frozenset[str],
    within: tuple[python_types.ModuleType, ...] = (),
) -> Iterator[tuple[str, object]]:
    """Yield (name, value) for a value, what a tuple holds, what is used of a module."""
    if isinstance(value, python_types.ModuleType):
        fixed = value.__name__.partition(".")[0] in _FIXED_BY_VERSION
        if fixed or value in within:
            return
        for attribute in sorted(used & vars(value).keys()):
            inner = f"{name}.{attribute}", vars(value)[attribute]
            yield from _parts(*inner, used, (*within, value))
        return
    yield name, value
    if isinstance(value, tuple):
        for number, item in enumerate(value):
            yield from _parts(f"{name}[{number}]", item, used, within)


def _globals_in(code: python_types.CodeType) -> set[str]:
    """Return the names that a function and those inside it load from outside."""
    loads = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF")
    names = {i.argval for i in dis.get_instructions(code) if i.opname in loads}
    for constant in code.co_consts:
        if isinstance(constant, python_types.CodeType):
            names |= _globals_in(constant)
    return names


def _classified(name: str, value: Any) -> Iterator[tuple[str, object, bool]]:
    """Yield (name, value, is constant) for one part; of a tuple only what it is."""
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", ())
        yield name, f"{type(value).__qualname__} of {len(value)} {fields}", True
    elif isinstance(value, np.ndarray):
        yield name, f"{value.dtype}{value.shape}{value.tobytes().hex()}", True
    elif _python_function(value) is not None:
        yield name, value, False
    elif isinstance(value, enum.Enum):
        yield name, f"{type(value).__qualname__}.{value.name} {value.value!r}", True
    elif hasattr(value, "class_type"):  # a `numba.experimental.jitclass`
        yield name, repr(list(value.class_type.struct.items())), True
        for kind in ("jit_methods", "jit_static_methods"):
            for method, compiled in sorted(getattr(value.class_type, kind).items()):
                yield f"{name}.{method}", compiled, False
        for of, accessors in sorted(value.class_type.jit_props.items()):
            for accessor, compiled in sorted(accessors.items()):
                yield f"{name}.{of}.{accessor}", compiled, False
    elif isinstance(value, enum.EnumMeta):
        # Aliases, too, and what several flags make together.
        members = [(n, member.value) for n, member in value.__members__.items()]
        yield name, repr(members), True
    elif isinstance(value, np.void):  # whose text is shortened
        yield name, f"{value.dtype}{value.tobytes().hex()}", True
    elif not isinstance(value, type):
        yield name, repr(value), True
    else:
        # Where it stands, as another one may have taken its name; a named tuple's
        # fields may be others there.
        fields = getattr(value, "_fields", "")
        yield name, f"{value.__module__}.{value.__qualname__}{fields}", True
