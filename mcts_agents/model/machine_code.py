"""One file for the machine code of a module, which is whole or not there.

Numba's own cache writes an index and a data file for each function and trusts what it
finds: a file that was cut short fails in every later process, and flipped bits are
executed. It also needs a folder that can be written, even to read from it. So Numba is
given a cache that keeps the functions of a module in one file with a checksum, which
is written aside and moved into place when all of them are compiled.

A process links what it loads by symbols, and the first of two that are alike serves
both. Numba makes a symbol of a function's name, its parameters, and its number in the
process that compiled it. So functions of one name and different code (a helper in two
kernels, a game of before and after an edit) would be taken for one another when they
were compiled by two processes under the same number: here processes count from numbers
that no two of them share.
"""

import hashlib
import itertools
import os
import pickle
import secrets
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from numba import njit
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaWarning
from numba.core.serialize import dumps

from mcts_agents.model.called_functions import only_called_by

# Of the files and what is in them; part of every key, so that others are not read.
FORMAT = 2

# Part of the symbol of a function that is called before it is compiled. Numba resolves
# it in the process that compiles; LLVM aborts one that only loads the code.
_UNRESOLVED = b".numba.unresolved$"

# What a file begins with, before the SHA-256 of all that follows.
_HEADER = f"mcts-agents machine code {FORMAT}\n".encode()


def _count_apart() -> None:
    """Let Numba number this process's functions as no other process does."""
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(62))


_count_apart()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_apart)


class CodeFile:
    """The compiled functions of one module and the file that they are kept in."""

    def __init__(self, path: Path):
        self.path = path
        # The pickle of a compiled function, by its name and signature.
        self.functions: dict[tuple[str, str], bytes] = {}
        self.added = False  # is there something that the file lacks?

    def read(self) -> bool:
        """Read the functions; return False if there is no file or a damaged one.

        Raises:
            OSError: There is a file that cannot be read.
        """
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return False
        start = len(_HEADER) + hashlib.sha256().digest_size
        body = memoryview(content)[start:]
        if content[:start] != _HEADER + hashlib.sha256(body).digest():
            return False
        self.functions = pickle.loads(body)
        return True

    def write(self) -> None:
        """Write the functions, all or nothing; the caller holds the file's lock.

        Raises:
            OSError: The file cannot be written; what was there before still is.
        """
        body = pickle.dumps(self.functions)
        # Always the same name, so that what a killed process left is written over.
        partial = self.path.with_suffix(".partial")
        try:
            partial.write_bytes(_HEADER + hashlib.sha256(body).digest() + body)
            partial.replace(self.path)
        except BaseException:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
            raise


def njit_with(code: CodeFile | None) -> Callable:
    """Return an `njit` for functions with signatures, whose `cache=True` means `code`.

    It takes one signature or a list of them, and the options of `numba.njit`.
    """

    def decorator(signatures, *, cache: bool = False, **options):
        if not isinstance(signatures, list):
            signatures = [signatures]

        def compiled(function: Callable) -> Callable:
            dispatcher = njit(**options)(function)
            if not isinstance(dispatcher, Dispatcher):
                return dispatcher  # NUMBA_DISABLE_JIT
            if cache and code is not None:
                dispatcher._cache = _FunctionCache(function.__qualname__, code)
            with only_called_by(dispatcher):
                for signature in signatures:
                    dispatcher.compile(signature)
            dispatcher.disable_compile()
            return dispatcher

        return compiled

    return decorator


class _FunctionCache(_Cache):
    """What Numba asks for one function's machine code, and gives it to."""

    def __init__(self, name: str, code: CodeFile):
        self.name, self.code = name, code

    @property
    def cache_path(self) -> str:
        return str(self.code.path.parent)

    def load_overload(self, sig, target_context):
        kept = self.code.functions.get((self.name, str(sig)))
        if kept is None:
            return None
        target_context.refresh()
        return CompileResult._rebuild(target_context, *pickle.loads(kept))

    def save_overload(self, sig, cres):
        if cres.library.has_dynamic_globals or any(
            not lifted.can_cache for lifted in cres.lifted
        ):
            warnings.warn(
                f"the machine code of {self.name} cannot be kept, as it uses lifted "
                "code or dynamic globals (such as ctypes pointers and large global "
                "arrays)",
                NumbaWarning,
                stacklevel=2,
            )
            return
        kept = dumps(cres._reduce())
        if _UNRESOLVED in kept:
            warnings.warn(
                f"the machine code of {self.name} cannot be kept: a function that it "
                "uses calls itself with arguments of other types. Convert them first, "
                "as in numpy.int64(number)",
                NumbaWarning,
                stacklevel=2,
            )
            return
        self.code.functions[self.name, str(sig)] = kept
        self.code.added = True

    def enable(self):
        raise NotImplementedError

    def disable(self):
        raise NotImplementedError

    def flush(self):
        raise NotImplementedError
