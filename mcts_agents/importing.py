"""Imports: PettingZoo before anything else does, and objects that users name.

PettingZoo asks for the working folder when it is imported, and that may have been
deleted. The command line says so in one line, and a program that needs no folder goes
on.
"""

import importlib
import os
import pkgutil
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from mcts_agents.names import nearest, quoted

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

_NOTHING = object()

# Whether modules of the working folder can be named; see `import_from_working_folder`.
_from_working_folder = False


def import_from_working_folder() -> None:
    """Let `object_named` find modules in the working folder first, as `python -m` does.

    The folder joins the import path when the first object is named. Before that, a file
    beside the user that has the name of some library must not be imported instead.
    """
    global _from_working_folder
    _from_working_folder = True


def is_object_name(text: str) -> bool:
    """Say whether a text has the form `module:object`, with dots in both or neither."""
    parts = text.split(":")
    return len(parts) == 2 and all(
        name.isidentifier() for part in parts for name in part.split(".")
    )


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
            the message names the nearest names.
    """
    module_name, _, path = text.partition(":")
    place = f"{what} {quoted(text)}"
    owner: Any = _imported(module_name, place, instead)
    for name in path.split("."):
        found = getattr(owner, name, _NOTHING)
        if found is _NOTHING:
            raise ValueError(
                f"{place}: there is no object {quoted(name)} in it: "
                f"{_listed(name, owner, fits)}"
            )
        owner = found
    return owner


def _imported(name: str, place: str, instead: Iterable[str]) -> ModuleType:
    """Import a module; whatever goes wrong is a ValueError that begins with `place`."""
    if name == "__main__":
        raise ValueError(
            f"{place}: other processes cannot import what is typed into a notebook or "
            "the script that runs; save it in a file and name that file's module"
        )
    if _from_working_folder and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    if name not in sys.modules:
        importlib.invalidate_caches()  # the file may have been written a moment ago
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and _is_within(name, error.name):
            missing = str(error.name)
            near = nearest(missing, [*_neighbours(missing), *instead])
            hint = f"did you mean {' or '.join(near)}? " if near else ""
            raise ValueError(
                f"{place}: there is no module {quoted(missing)}: {hint}expected one "
                "that Python can import, such as a file in the working folder"
            ) from error
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"{place}: importing it failed: {reason}") from error


def _is_within(name: str, missing: str | None) -> bool:
    """Say whether a module that is missing is the one named, or a package around it."""
    return missing is not None and f"{name}.".startswith(f"{missing}.")


def _neighbours(name: str) -> list[str]:
    """Return the names of the modules beside one that does not exist."""
    package, _, _ = name.rpartition(".")
    folders = sys.path[:1]
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
