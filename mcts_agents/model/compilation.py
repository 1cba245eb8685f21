"""Compile once per content, and find the machine code again in the next process.

Numba checks a cached function against its own file only: change a helper in another
module and stale machine code keeps running. So every function that is compiled for
the cache stands in a generated module whose name is a hash of *all* sources and
constants that the function can reach, of the versions that made it, of the processor,
and of the bounds-checking setting (which Numba's own cache key ignores). Whatever
changes, the name changes, and the next process compiles anew; whatever stays, hits.

The machine code of a module is one file with a checksum (see `machine_code`). A damaged
file is deleted and made again. While one process compiles a module, others that need
it wait; the lock is a file beside it, and the operating system ends it with the
process.

The files live in `NUMBA_CACHE_DIR` if that is set, else in the user's cache folder.
The folder is made so that only its owner can read and write it: the files hold pickles
and machine code, so whoever can write there decides what is executed. A folder that
others prepared, and that cannot be written, serves as well.

Functions typed into a notebook or standard input have no file to hash and are
compiled for the running process only.
"""

import dis
import enum
import hashlib
import inspect
import itertools
import linecache
import os
import platform
import re
import stat
import sys
import threading
import time
import types as python_types
import warnings
from collections.abc import Callable, Iterable
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path

import llvmlite
import numba
import numpy as np
from filelock import FileLock, Timeout
from numba import njit
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target

from mcts_agents.model.compile_progress import interrupt_held, say, told
from mcts_agents.model.machine_code import FORMAT, CodeFile, njit_with

# Modules whose content is fixed by the versions that enter the key.
_FIXED_BY_VERSION = {"numba", "numpy", "llvmlite", "math", "builtins"}

# What is written out the same in every process; and modules, which are looked into.
_PLAIN = (
    bool | int | float | complex | str | bytes | None | type | np.generic | np.dtype
    | np.ndarray | numba.types.Type | python_types.ModuleType
)  # fmt: skip

_VARIABLE_PARAMETERS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS

_PREAMBLE = """\
from numba import int64, intp, carray
"""

warnings.filterwarnings("ignore", "First-class function type feature is experimental")


@dataclass
class Statistics:
    """What compiling cost this process so far."""

    cache_hits: int = 0
    cache_misses: int = 0
    uncached: int = 0
    seconds: float = 0.0


_statistics = Statistics()

# A module is in `sys.modules` before its functions are compiled.
_one_thread = threading.RLock()

# Numbers of modules that no key names.
_unkept = itertools.count()


def statistics() -> Statistics:
    """Return a copy of this process's compile counts (functions) and seconds."""
    return Statistics(**vars(_statistics))


def cache_folder() -> Path:
    """Return the folder of generated modules; `NUMBA_CACHE_DIR` overrides it."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen) / "mcts_agents"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "mcts_agents"


def compile_module(
    name: str,
    source: str,
    namespace: dict[str, object],
    roots: Iterable[Callable],
) -> python_types.ModuleType:
    """Run `source`, which defines `@njit(...)` functions, as a cached module.

    If another process is compiling the same module, this one waits for it, and takes
    over if that process ends before it is done.

    Args:
        name: What is being compiled, for the file's name and the progress line.
        source: Python source using `njit`, `int64`, `intp`, `carray` and the names of
            `namespace`. The text `CACHE` stands for the right value of `cache=`.
        namespace: Further globals of the module.
        roots: The functions that the source calls; their sources, and those of all
            they reach, make the key.

    Returns:
        The module, its functions compiled or loaded.
    """
    started = time.perf_counter()
    with _one_thread, ExitStack() as held:
        name = re.sub(r"\W", "_", name)[:100]  # a user's may be no name of a file
        key, functions = _content_key(source, namespace, roots)
        module_name = f"mcts_agents_compiled_{name}_{key or next(_unkept)}"
        if module_name in sys.modules:
            return sys.modules[module_name]
        shown = name.replace("_", " ")
        code = None
        if key is not None:
            code = _find_code(cache_folder() / f"{name}_{key}.code", shown, held)
        saying = holding = nullcontext()
        if code is None or not code.functions:
            kept = "this process only" if code is None else "once for this version"
            saying, holding = told(shown, functions, kept), interrupt_held(shown)
        with holding:
            with saying:
                inlined = {name: _inlined(value) for name, value in namespace.items()}
                module = _run(module_name, source, inlined, code)
            if code is not None and code.added:
                _keep(code)
    for value in vars(module).values():
        if isinstance(value, Dispatcher) and value.__module__ == module_name:
            if code is None:
                _statistics.uncached += 1
                continue
            _statistics.cache_hits += sum(value.stats.cache_hits.values())
            _statistics.cache_misses += sum(value.stats.cache_misses.values())
    _statistics.seconds += time.perf_counter() - started
    return module


def _inlined(value: object) -> object:
    """Return a function that is compiled as a part of what calls it.

    An entry point calls one function and adds nothing to it, but LLVM would optimise
    all that it holds once more. Options such as `fastmath` would become those of the
    caller, and declared types and signatures would be lost, so a function that has any
    stays as it is; so does one of parameters that Numba cannot inline.
    """
    if isinstance(value, Dispatcher):
        options = {name for name, given in value.targetoptions.items() if given}
        code = value.py_func.__code__
        parameters = code.co_kwonlyargcount or code.co_flags & _VARIABLE_PARAMETERS
        declared = value.locals or not value._can_compile
        if options <= {"nopython"} and not parameters and not declared:
            return njit(value.py_func, inline="always")
    return value


def _find_code(path: Path, shown: str, held: ExitStack) -> CodeFile | None:
    """Read a module's machine code; if there is none, hold the lock to make it.

    Returns:
        The file, empty if it is to be made; None where it cannot be kept.
    """
    code = CodeFile(path)
    try:
        if code.read():
            return code
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # The lock ends with the process, however that ends.
        lock = FileLock(path.with_suffix(".lock"))
        try:
            held.enter_context(lock.acquire(timeout=0))
        except Timeout:
            say(f"Waiting for another process, which is compiling {shown}")
            held.enter_context(lock.acquire())
        if not code.read() and path.exists():
            say(f"{path} is damaged and is made again")
            path.unlink()
    # A disk that has no locks is the second.
    except (OSError, NotImplementedError) as error:
        _warn_not_kept(path.parent, error)
        return None
    return code


def _run(module_name, source, namespace, code: CodeFile | None):
    """Run a module's source, which finds its functions in `code` or compiles them."""
    source = (_PREAMBLE + source).replace("CACHE", str(code is not None))
    file = f"<{module_name}>"
    # For the lines shown in error messages. None: no file to compare it with.
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    module = python_types.ModuleType(module_name)
    module.__file__ = file
    module.__dict__.update(namespace, njit=njit_with(code))
    # Numba looks functions up by their module's name when it loads them.
    sys.modules[module_name] = module
    try:
        exec(compile(source, file, "exec"), module.__dict__)
    except BaseException:
        del sys.modules[module_name]
        raise
    return module


def _keep(code: CodeFile) -> None:
    """Write a file of machine code, or warn why that cannot be done."""
    folder = code.path.parent
    try:
        code.write()
        mode = folder.stat().st_mode
    except OSError as error:
        _warn_not_kept(folder, error)
        return
    # Who writes there decides what later processes execute. Other systems than POSIX
    # show these bits whatever the rights are.
    if os.name == "posix" and mode & stat.S_IWOTH:
        warnings.warn(
            f"everybody can write to {folder}, and files there are executed; remove "
            "that permission (chmod o-w) or set NUMBA_CACHE_DIR to another folder",
            stacklevel=3,
        )


def _warn_not_kept(folder: Path, error: Exception) -> None:
    warnings.warn(
        f"compiled code cannot be kept in {folder} "
        f"({getattr(error, 'strerror', None) or error}) and is compiled again in each "
        "process; set NUMBA_CACHE_DIR to a writable folder",
        stacklevel=4,  # whoever called compile_module
    )


def _content_key(source, namespace, roots) -> tuple[str | None, int]:
    """Hash all that the compiled code depends on, and count its functions.

    The hash is None if a source has no file.
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
    for value in found:  # which grows on the way
        function = _python_function(value)
        if function is None:
            continue
        if function.__module__.partition(".")[0] in _FIXED_BY_VERSION:
            lines.append(f"{function.__module__}.{function.__qualname__}")
            continue
        file = inspect.getsourcefile(function)
        if file is None or not Path(file).is_file():
            return None, len(found)
        # Cached code names the modules of its functions and imports them again.
        if function.__module__ not in sys.modules:
            return None, len(found)
        if file not in files:
            files[file] = hashlib.sha256(Path(file).read_bytes()).hexdigest()
        number = number_of(value)
        lines.append(
            f"{number}: {function.__module__} {files[file]} {_place(function)}"
        )
        if isinstance(value, Dispatcher):
            lines.append(f"{number}: {_declared(value)}")
        # The file may have been edited since it was imported.
        lines.append(f"{number}: {_instructions(function.__code__)}")
        reached = sorted(_reached(function), key=lambda entry: entry[0])
        for name, inner, constant in reached:
            what = f"={inner}" if constant else f" is {number_of(inner)}"
            lines.append(f"{number}.{name}{what}")
    digest.update(repr(lines).encode())
    compiled = sum(isinstance(value, Dispatcher) for value in found)
    return digest.hexdigest()[:20], compiled + source.count("@njit")


def _python_function(value) -> python_types.FunctionType | None:
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


def _place(function) -> str:
    """Where in its file a function stands."""
    return f"{function.__qualname__}:{function.__code__.co_firstlineno}"


def _instructions(code) -> str:
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


def _reached(function):
    """Yield (name, value, is constant) for all that a function's code names."""
    used = _names_in(function.__code__)
    outer = {n: v for n, v in function.__globals__.items() if n in used}
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        outer[name] = cell.cell_contents
    for number, value in enumerate(function.__defaults__ or ()):
        yield from _classified(f"default {number}", value, used)
    for name, value in sorted((function.__kwdefaults__ or {}).items()):
        yield from _classified(f"default {name}", value, used)
    for name, value in outer.items():
        # The text of other objects may hold addresses, which differ in each process.
        # Most of them only share their name with a field, as in `state.name`.
        usual = isinstance(value, _PLAIN) or _python_function(value) is not None
        if usual or name in _globals_in(function.__code__):
            yield from _classified(name, value, used)


def _names_in(code) -> set[str]:
    """Return the global and attribute names in a function and those inside it."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, python_types.CodeType):
            names |= _names_in(constant)
    return names


def _globals_in(code) -> set[str]:
    """Return the names that a function and those inside it load from outside."""
    loads = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF")
    names = {i.argval for i in dis.get_instructions(code) if i.opname in loads}
    for constant in code.co_consts:
        if isinstance(constant, python_types.CodeType):
            names |= _globals_in(constant)
    return names


def _classified(name, value, used, within=()):
    if isinstance(value, python_types.ModuleType):
        fixed = value.__name__.partition(".")[0] in _FIXED_BY_VERSION
        if fixed or value in within:
            return
        for attribute in sorted(used & vars(value).keys()):
            inner, found = f"{name}.{attribute}", vars(value)[attribute]
            yield from _classified(inner, found, used, (*within, value))
    elif isinstance(value, tuple):
        fields = getattr(value, "_fields", ())
        yield name, f"{type(value).__qualname__} of {len(value)} {fields}", True
        for number, item in enumerate(value):
            yield from _classified(f"{name}[{number}]", item, used, within)
    elif isinstance(value, np.ndarray):
        yield name, f"{value.dtype}{value.shape}{value.tobytes().hex()}", True
    elif _python_function(value) is not None:
        yield name, value, False
    elif isinstance(value, enum.Enum):
        yield name, f"{type(value).__qualname__}.{value.name} {value.value!r}", True
    elif hasattr(value, "class_type"):  # a `numba.experimental.jitclass`
        yield name, repr(list(value.class_type.struct.items())), True
        for method, compiled in sorted(value.class_type.jit_methods.items()):
            yield f"{name}.{method}", compiled, False
    elif isinstance(value, enum.EnumMeta):
        yield name, repr([(member.name, member.value) for member in value]), True
    elif not isinstance(value, type):
        yield name, repr(value), True
    elif hasattr(value, "_fields"):
        yield name, repr(value._fields), True
