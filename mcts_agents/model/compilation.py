"""Compile once per content, and find the machine code again in the next process.

Numba checks a cached function against its own file only: change a helper in another
module and stale machine code keeps running. So every function that is compiled for
the cache stands in a generated module whose file name is a hash of *all* sources and
constants that the function can reach, of the versions that made it, and of the
bounds-checking setting (which Numba's own cache key ignores). Whatever changes, the
name changes, and the next process compiles anew; whatever stays, hits.

The files live in `NUMBA_CACHE_DIR` if that is set, else in the user's cache folder.
Functions typed into a notebook or standard input have no file to hash and are
compiled for the running process only.
"""

import hashlib
import inspect
import itertools
import os
import platform
import sys
import time
import types as python_types
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher
from rich.console import Console

# Modules whose content is fixed by the versions that enter the key.
_FIXED_BY_VERSION = {"numba", "numpy", "llvmlite", "math", "builtins"}

_PREAMBLE = """\
from numba import njit
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
    key = _content_key(source, namespace, roots)
    path = None if key is None else _write_module(name, key, source)
    module_name = f"mcts_agents_compiled_{name}_{key or next(_unkept)}"
    if module_name in sys.modules:
        return sys.modules[module_name]
    code = compile(
        (_PREAMBLE + source).replace("CACHE", str(path is not None)),
        str(path or f"<{name}>"),
        "exec",
    )
    module = python_types.ModuleType(module_name)
    module.__file__ = str(path or f"<{name}>")
    module.__dict__.update(namespace)
    # Numba looks functions up by their module's name when it loads them.
    sys.modules[module_name] = module
    done = None if path is None else path.with_suffix(".done")
    if done is None or not done.exists():
        Console(stderr=True).print(
            f"[dim]Compiling {name.replace('_', ' ')} (a few seconds; "
            + ("once for this version)" if done else "this process only)"),
            highlight=False,
        )
    try:
        exec(code, module.__dict__)
    except BaseException:
        del sys.modules[module_name]
        raise
    if done is not None:
        done.touch()
    for value in vars(module).values():
        if isinstance(value, Dispatcher) and value.__module__ == module_name:
            if path is None:
                _statistics.uncached += 1
                continue
            _statistics.cache_hits += sum(value.stats.cache_hits.values())
            _statistics.cache_misses += sum(value.stats.cache_misses.values())
    _statistics.seconds += time.perf_counter() - started
    return module


def _write_module(name: str, key: str, source: str) -> Path | None:
    """Write the module's file if it is not there; None where nothing can be kept."""
    folder = cache_folder()
    path = folder / f"{name}_{key}.py"
    try:
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            # Written aside and moved: another process may be doing the same.
            partial = folder / f"{name}_{key}.{os.getpid()}.partial"
            partial.write_text((_PREAMBLE + source).replace("CACHE", "True"))
            partial.replace(path)
    except OSError as error:
        warnings.warn(
            f"compiled code cannot be kept in {folder} ({error.strerror}) and is "
            "compiled anew in each process; set NUMBA_CACHE_DIR to a writable folder",
            stacklevel=3,
        )
        return None
    return path


def _content_key(source, namespace, roots) -> str | None:
    """Hash all that the compiled code depends on; None if a source has no file."""
    digest = hashlib.sha256()
    versions = (numba.__version__, np.__version__, platform.python_version())
    digest.update(repr((versions, bool(numba.config.BOUNDSCHECK))).encode())
    digest.update(source.encode())
    for name in sorted(namespace):
        if not callable(namespace[name]) or isinstance(namespace[name], np.dtype):
            digest.update(f"{name}={namespace[name]!r}".encode())
    seen: dict[int, object] = {}
    files: set[str] = set()
    waiting: list[object] = [*roots, *(v for v in namespace.values() if callable(v))]
    constants: set[str] = set()
    for name in sorted(namespace):
        constants.add(f"{name} is {_place(namespace[name])}")
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        function = _python_function(value)
        if function is None:
            continue
        if function.__module__.partition(".")[0] in _FIXED_BY_VERSION:
            continue
        file = inspect.getsourcefile(function)
        if file is None or not Path(file).is_file():
            return None
        # Cached code names the modules of its functions and imports them again.
        if function.__module__ not in sys.modules:
            return None
        constants.add(f"module {function.__module__}")
        files.add(file)
        for name, found, constant in _reached(function):
            # One file may hold many functions and constants of the same name.
            if constant:
                constants.add(f"{_place(value)}.{name}={found}")
            else:
                constants.add(f"{_place(value)}.{name} is {_place(found)}")
                waiting.append(found)
    contents = sorted(hashlib.sha256(Path(f).read_bytes()).hexdigest() for f in files)
    digest.update(repr((contents, sorted(constants))).encode())
    return digest.hexdigest()[:20]


def _python_function(value) -> python_types.FunctionType | None:
    function = getattr(value, "py_func", None) or getattr(value, "_defn", value)
    return function if isinstance(function, python_types.FunctionType) else None


def _place(value) -> str:
    """Where in its file a function stands."""
    function = _python_function(value)
    if function is None:
        return ""
    return f"{function.__qualname__}:{function.__code__.co_firstlineno}"


def _reached(function):
    """Yield (name, value, is constant) for all that a function's code names."""
    used = _names_in(function.__code__)
    outer = {n: v for n, v in function.__globals__.items() if n in used}
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        outer[name] = cell.cell_contents
    for name, value in outer.items():
        yield from _classified(name, value, used)


def _names_in(code) -> set[str]:
    """Return the global and attribute names in a function and those inside it."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, python_types.CodeType):
            names |= _names_in(constant)
    return names


def _classified(name, value, used, within=()):
    if isinstance(value, python_types.ModuleType):
        fixed = value.__name__.partition(".")[0] in _FIXED_BY_VERSION
        if fixed or value in within:
            return
        for attribute in sorted(used & vars(value).keys()):
            inner, found = f"{name}.{attribute}", vars(value)[attribute]
            yield from _classified(inner, found, used, (*within, value))
    elif isinstance(value, np.ndarray):
        yield name, f"{value.dtype}{value.shape}{value.tobytes().hex()}", True
    elif isinstance(value, python_types.FunctionType | Dispatcher) or hasattr(
        value, "_defn"
    ):
        yield name, value, False
    elif not isinstance(value, type):
        yield name, repr(value), True
