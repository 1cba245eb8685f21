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

Functions typed into a notebook or standard input, or sent to this process by a script,
have no file to hash and are compiled for the running process only: once for all that
do the same.
"""

import inspect
import linecache
import os
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

from filelock import FileLock, Timeout
from numba import njit
from numba.core.dispatcher import Dispatcher

from mcts_agents.model.compile_progress import (
    interrupt_held_until_compiled,
    say,
    told,
)
from mcts_agents.model.content_keys import content_key
from mcts_agents.model.machine_code import CodeFile, njit_with

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

# What the keys of modules of this process know by its place in memory, by their names.
_held: dict[str, list[object]] = {}


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
        key = content_key(source, namespace, roots)
        module_name = f"mcts_agents_compiled_{name}_{key.text}"
        if module_name in sys.modules:
            return sys.modules[module_name]
        shown = name.replace("_", " ")
        code = None
        if key.kept:
            code = _find_code(cache_folder() / f"{name}_{key.text}.code", shown, held)
        saying = holding = nullcontext()
        if code is None or not code.functions:
            kept = "this process only" if code is None else "once for this version"
            saying = told(shown, key.functions, kept)
            holding = interrupt_held_until_compiled(shown)
        with holding:
            with saying:
                inlined = {name: _inlined(value) for name, value in namespace.items()}
                module = _run(module_name, source, inlined, code)
                _held[module_name] = key.objects
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
