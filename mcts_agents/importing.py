"""Imports: PettingZoo before anything else does, and the modules that users name.

A module is looked for where Python looks, and then in the working folder. The folder
comes last, so that no file in it stands in for a library that something else imports.
A name that leads to two modules, one of them in the working folder, is an error.

To import a module is to run it. Whoever names one in a call wants that. A file that
names one is refused unless a call of this process has named the module before; a call
of `allow_in_files` does nothing else.

PettingZoo asks for the working folder when it is imported, and that may have been
deleted. The command line says so in one line, and a program that needs no folder goes
on.
"""

import hashlib
import importlib
import os
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from mcts_agents.names import error_line, line_of, nearest, quoted, shortened

try:
    os.getcwd()
except FileNotFoundError:
    gone = os.open(".", os.O_RDONLY)
    os.chdir("/")
    import pettingzoo  # noqa: F401

    os.fchdir(gone)
    os.close(gone)

# Names of objects that an error lists at most.
MOST_LISTED = 12

# Characters of a module's name in the command that an error proposes.
MOST_NAME = 200

_NOTHING = object()

# What names modules at this moment, if it is a file; empty for a call.
_file: ContextVar[str] = ContextVar("_file", default="")

# Modules that calls have named, so that files may name them.
_allowed: set[str] = set()

# SHA-256 of the source of each module that was named, as it was imported.
_sources: dict[str, str] = {}


@contextmanager
def named_in_file(place: str) -> Iterator[None]:
    """Say for a while that what is named stands in a file, not in a call.

    Modules that no call has named are then refused, and so is trust in a policy's file.

    Args:
        place: What names them, for errors, such as `the file`.
    """
    token = _file.set(place)
    try:
        yield
    finally:
        _file.reset(token)


def file_that_names() -> str:
    """Return the place of the innermost `named_in_file`, or an empty text."""
    return _file.get()


def allow_in_files(*modules: str, place: str = "allow_in_files") -> None:
    """Import modules, and let files name what is in them until the process ends.

    Files that name a module within one of these, such as `games.nim` for `games`, have
    it imported too.

    Args:
        *modules: Their names.
        place: Where they stand, for errors.

    Raises:
        ValueError: A module that does not exist, or whose import fails.
    """
    for module in modules:
        with named_in_file(""):
            module_named(module, place)


def sources_named(value: Any) -> dict[str, str]:
    """Return the modules that a JSON value names as `module:...`, and their sources.

    Args:
        value: What JSON can hold, such as the description of a tournament.

    Returns:
        By the name of each such module that this process has imported for a user: the
        SHA-256 of its source in hexadecimal. Modules without a source file are left
        out, and so is what a module imports.
    """
    if isinstance(value, str):
        module = value.partition(":")[0]
        return {module: _sources[module]} if module in _sources else {}
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return {}
    return {name: one for part in value for name, one in sources_named(part).items()}


def is_object_name(text: str) -> bool:
    """Say whether a text has the form `module:object`, with dots in both or neither."""
    parts = text.split(":")
    return len(parts) == 2 and all(map(is_module_name, parts))


def is_module_name(text: str) -> bool:
    """Say whether a text has the form of a module's name."""
    return all(part.isidentifier() for part in text.split("."))


def object_named(
    text: str,
    what: str,
    fits: Callable[[Any], bool] = callable,
    instead: Iterable[str] = (),
) -> Any:
    """Import the module of `module:object` and return the object.

    Args:
        text: The name, for which `is_object_name` holds.
        what: What is named, such as `game`, for errors.
        fits: Which objects of the module an error lists.
        instead: Names that may have been meant if there is no such module.

    Raises:
        ValueError: There is no such module or object, or the import raised an error;
            the message names the nearest names. Or a file names it.
    """
    module_name, _, path = text.partition(":")
    place = f"{what} {quoted(text)}"
    owner: Any = module_named(module_name, place, instead)
    for name in path.split("."):
        found = attribute(owner, name, place)
        if found is _NOTHING:
            raise ValueError(
                f"{place}: there is no object {quoted(name)} in it: "
                f"{_listed(name, owner, fits)}"
            )
        owner = found
    return owner


def attribute(owner: Any, name: str, place: str, default: Any = _NOTHING) -> Any:
    """Return an attribute, `default` if there is none.

    Raises:
        ValueError: A `__getattr__` of a module or a class raises something else.
    """
    try:
        return getattr(owner, name, default)
    except Exception as error:
        reason = error_line(error)
        raise ValueError(f"{place}: looking up {name} raised {reason}") from error


def module_named(name: str, place: str, instead: Iterable[str] = ()) -> ModuleType:
    """Import a module that a user has named, as the head of this file says.

    Args:
        name: The module.
        place: What names it, for errors, which begin with it.
        instead: Names that may have been meant if there is no such module.

    Raises:
        ValueError: There is no such module, or two; its import raised an error; or a
            file names it that the caller has not allowed.
    """
    if not is_module_name(name):
        raise ValueError(f"{place}: {quoted(name)} is not the name of a module")
    if name == "__main__":
        raise ValueError(
            f"{place}: objects defined in __main__ cannot be imported by the processes "
            "that play games; save it in a file and use that file's module name"
        )
    file = file_that_names()
    if file and not _is_allowed(name):
        raise ValueError(
            f"{place}: {file} names a module, and modules named in files are imported "
            "only with your permission; if you trust this one: mcts-agents --import "
            f"{shortened(name, MOST_NAME)} ..., or mcts_agents.allow_in_files in "
            "Python"
        )
    folder = _search_working_folder()
    is_new = name not in sys.modules
    if is_new:
        importlib.invalidate_caches()  # the file may have been written a moment ago
    _check_unambiguous(name, place, folder)
    try:
        # What a module prints must not stand in the JSON of a command.
        with redirect_stdout(sys.stderr):
            module = importlib.import_module(name)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and _is_within(name, error.name):
            missing = str(error.name)
            near = nearest(missing, [*_neighbours(missing, folder), *instead])
            if name.endswith(".py"):  # the name of its file
                near = [name.removesuffix(".py")]
            hint = f"did you mean {' or '.join(near)}? " if near else ""
            where = folder or "which is gone"
            raise ValueError(
                f"{place}: there is no module {quoted(missing)}: {hint}neither in "
                f"the working folder ({where}) nor where Python looks for modules "
                "(sys.path)"
            ) from error
        reason = error_line(error)
        line = line_of(error, lambda code: code.co_name == "<module>")
        raise ValueError(f"{place}: importing {name} raised {reason}{line}") from error
    if not file:
        _allowed.add(name)
    if is_new or name not in _sources:
        _note_source(name, module)
    return module


def _note_source(name: str, module: ModuleType) -> None:
    path = Path(getattr(module, "__file__", None) or "")
    if path.suffix == ".py" and path.is_file():
        _sources[name] = hashlib.sha256(path.read_bytes()).hexdigest()


def _is_allowed(name: str) -> bool:
    """Say whether a call has named a module, or a package that it lies in."""
    return any(
        f"{name}.".startswith(f"{known}.") and known in sys.modules
        for known in _allowed
    )


def _search_working_folder() -> str:
    """Let Python find modules of the working folder, after all others; return it."""
    try:
        folder = os.getcwd()
    except OSError:
        return ""
    if "" not in sys.path and folder not in sys.path:
        sys.path.append(folder)
    return folder


def _check_unambiguous(name: str, place: str, folder: str) -> None:
    """Refuse a module of the working folder if another one has its name.

    Python would take the first, and which that is depends on how it was started.
    """
    top = name.partition(".")[0]
    here = _file_of(PathFinder.find_spec(top, [folder])) if folder else None
    if here is None:
        return
    others = [
        path for path in sys.path if path and Path(path).absolute() != Path(folder)
    ]
    found = [_file_of(PathFinder.find_spec(top, others))]
    if top in sys.builtin_module_names:
        found.append("Python itself")
    if top in sys.modules:
        found.append(getattr(sys.modules[top], "__file__", None))
    for other in found:
        if other is not None and not _is_same(here, other):
            raise ValueError(
                f"{place}: there are two modules {quoted(top)}, {here} and {other}: "
                "rename the one in the working folder"
            )


def _file_of(spec: ModuleSpec | None) -> str | None:
    """Return the file of a module; a folder without `__init__.py` has none."""
    return None if spec is None or spec.loader is None else spec.origin


def _is_same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _is_within(name: str, missing: str | None) -> bool:
    """Say whether a module that is missing is the one named, or a package around it."""
    return missing is not None and f"{name}.".startswith(f"{missing}.")


def _neighbours(name: str, folder: str) -> list[str]:
    """Return the names of the modules beside one that does not exist."""
    package, _, _ = name.rpartition(".")
    folders = [*sys.path[:1], folder]
    if package:
        folders = list(getattr(sys.modules.get(package), "__path__", []))
    before = f"{package}." if package else ""
    return [f"{before}{found.name}" for found in pkgutil.iter_modules(folders)]


def _listed(name: str, owner: Any, fits: Callable[[Any], bool]) -> str:
    """Return the names like `name` that an object has, and those that fit."""
    known = getattr(owner, "__dict__", {})
    public = {n: value for n, value in known.items() if not n.startswith("_")}
    fitting = [n for n, value in public.items() if fits(value)]
    near = nearest(name, fitting) or nearest(name, list(public))
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    shown = ", ".join(fitting[:MOST_LISTED]) or "none that fits"
    more = f" and {len(fitting) - MOST_LISTED} more" * (len(fitting) > MOST_LISTED)
    return f"{hint}known: {shown}{more}"
