"""Functions that only compiled code calls have no machine code of their own.

Numba makes everything that compiled code calls callable by itself, too: it writes two
wrappers around each function, for Python and for C, optimises it in two steps, and
turns it into machine code that nothing runs, as every caller holds a copy. A search
calls some two hundred functions, and all this takes 30% of the time in which it is
compiled. While an entry point is compiled (`only_called_by`), its functions stay LLVM
code that was optimised once. Callers optimise all that they hold anyway, so the entry
point is as fast.

Numba sees such functions only while an entry point is compiled. Whatever calls them
later, Python or code that others compile, has them compiled as they always were.
"""

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from numba.core.caching import NullCache
from numba.core.codegen import CPUCodeLibrary, RuntimeLinker
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.dispatcher import Dispatcher, LiftedLoop, LiftedWith
from numba.core.lowering import BaseLower

# What is compiled just now, by the thread that has Numba's lock: resolving types may
# compile another entry point.
_entries: list[Dispatcher] = []

# The function that this thread wants whole, if any.
_wanted = threading.local()

# What was compiled for callers: overloads by the types of their parameters.
_parts: weakref.WeakKeyDictionary[Dispatcher, dict[tuple, CompileResult]] = (
    weakref.WeakKeyDictionary()
)

# Their libraries by the symbols that they define, and symbols that are called before
# they are compiled, which Numba looks for in machine code.
_libraries: weakref.WeakValueDictionary[str, CPUCodeLibrary] = (
    weakref.WeakValueDictionary()
)
_called_too_early: set[str] = set()


@contextmanager
def only_called_by(entry: Dispatcher) -> Iterator[None]:
    """Compile what is called by `entry` as parts of it, in this thread.

    Args:
        entry: What is compiled meanwhile; it can be called from anywhere.
    """
    compiling = _Compiling()
    # With the lock, no other thread sees overloads that Python cannot call.
    with global_compiler_lock, ExitStack() as undo:
        for owner, name in (
            (Dispatcher, "compile"),
            (LiftedLoop, "compile"),
            (LiftedWith, "compile"),
            (Dispatcher, "add_overload"),
            (Dispatcher, "get_compile_result"),
            (BaseLower, "create_cpython_wrapper"),
            (BaseLower, "create_cfunc_wrapper"),
            (CPUContext, "get_env_manager"),
            (CPUContext, "get_executable"),
        ):
            compiling.replace(owner, name, undo)
        _entries.append(entry)
        undo.callback(_end_entry)
        for dispatcher, found in list(_parts.items()):
            for types, part in found.items():
                dispatcher.overloads.setdefault(types, part)
        yield


def _end_entry() -> None:
    _entries.pop()
    if _entries:
        return  # the one before still needs the parts
    for dispatcher, found in list(_parts.items()):
        for types, part in found.items():
            if dispatcher.overloads.get(types) is part:
                del dispatcher.overloads[types]


class _Compiling:
    """What is done instead of some of Numba's steps, in one thread."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        # The functions being compiled, those that become parts of their callers; None
        # for others. And the unique names of all that have become parts.
        self.stack: list[Callable | None] = []
        self.parts: set[str] = set()

    def replace(self, owner: type, name: str, undo: ExitStack) -> None:
        """Let a method of Numba's be the one of its name here, until `undo`."""
        usual, here = getattr(owner, name), getattr(self, name)

        def method(instance: Any, *given: Any, **named: Any) -> Any:
            if threading.get_ident() != self.thread:
                return usual(instance, *given, **named)
            return here(partial(usual, instance), instance, *given, **named)

        if name in vars(owner):
            undo.callback(setattr, owner, name, usual)
        else:
            undo.callback(delattr, owner, name)
        setattr(owner, name, method)

    def compile(self, usual: Callable, dispatcher: Any, signature: Any) -> Any:
        """Note which kind of function is compiled."""
        wanted = dispatcher in _entries or dispatcher is getattr(_wanted, "whole", None)
        # What runs in Python, within compiled code.
        lifted = isinstance(dispatcher, LiftedLoop | LiftedWith)
        # What its author lets Numba keep in a file.
        kept = not lifted and not isinstance(dispatcher._cache, NullCache)
        # What has a signature, which a function that is called has not.
        declared = not isinstance(signature, tuple)
        whole = wanted or lifted or kept or declared
        self.stack.append(None if whole else dispatcher.py_func)
        cache = dispatcher._cache if kept and not wanted else None
        if cache is not None:
            # That file does not notice that what the function calls has changed.
            dispatcher._cache = NullCache()
        try:
            return usual(signature)
        finally:
            self.stack.pop()
            if cache is not None:
                dispatcher._cache = cache

    def get_env_manager(self, usual: Callable, _: Any, *given: Any, **named: Any):
        """Make a function whole that finds Python objects by its own name."""
        if self.stack:
            self.stack[-1] = None
        return usual(*given, **named)

    def create_cpython_wrapper(
        self, usual: Callable, lower: BaseLower, *given: Any
    ) -> None:
        """Write no wrapper for Python.

        What Numba makes besides has none, such as loops that run in parallel, and
        callbacks of C, so that it never becomes a part.
        """
        if self.stack and lower.func_ir.func_id.func is self.stack[-1]:
            self.parts.add(lower.fndesc.unique_name)
        else:
            usual(*given)

    def create_cfunc_wrapper(self, usual: Callable, lower: BaseLower) -> None:
        """Write no wrapper for C."""
        if lower.fndesc.unique_name not in self.parts:
            usual()

    def get_executable(
        self,
        usual: Callable,
        _: Any,
        library: CPUCodeLibrary,
        described: Any,
        environment: Any,
    ) -> Any:
        """Leave a function as LLVM code."""
        if described.unique_name not in self.parts:
            if not library._finalized:
                library._finalize_final_module = partial(_finish_whole, library)
            return usual(library, described, environment)
        library._optimize_final_module = partial(_optimize_once, library)
        name = described.llvm_func_name
        library._finalize_final_module = partial(_finish_without_code, library, name)
        _libraries[name] = library
        return _Part()

    def add_overload(
        self, usual: Callable, dispatcher: Dispatcher, result: CompileResult
    ) -> None:
        """Hide parts from what calls functions for Python."""
        part = result.entry_point
        if not isinstance(part, _Part):
            usual(result)
            return
        types = tuple(result.signature.args)
        part.belongs_to(dispatcher, types)
        if dispatcher not in _parts:
            _parts[dispatcher] = {}
            weakref.finalize(dispatcher, _forget, _parts[dispatcher])
            dispatcher.recompile = partial(_recompile, weakref.ref(dispatcher))
        dispatcher.overloads[types] = _parts[dispatcher][types] = result

    def get_compile_result(
        self, usual: Callable, dispatcher: Dispatcher, signature: Any
    ) -> CompileResult:
        """Compile a function whole that is a value."""
        kept = dispatcher.overloads.get(tuple(signature.args))
        if kept is not None and isinstance(kept.entry_point, _Part):
            kept.entry_point.whole()
        with _wanting(dispatcher):
            return usual(signature)


class _Part:
    """Stands for the machine code of a function that has none.

    If Python calls the function while an entry point is compiled, Numba finds nothing
    that could be called, asks for it to be compiled, and gets this.
    """

    def belongs_to(self, dispatcher: Dispatcher, types: tuple) -> None:
        """Note whose part it is, for which types of parameters."""
        self._dispatcher, self._types = weakref.ref(dispatcher), types

    def whole(self) -> CompileResult:
        """Compile the function as always, if that was not done meanwhile."""
        dispatcher = self._dispatcher()
        assert dispatcher is not None  # who calls it holds it
        if dispatcher.overloads[self._types].entry_point is self:
            del dispatcher.overloads[self._types]
            with _wanting(dispatcher):
                dispatcher.compile(self._types)
        return dispatcher.overloads[self._types]

    def __call__(self, *arguments: Any) -> Any:
        return self.whole().entry_point(*arguments)


@contextmanager
def _wanting(dispatcher: Dispatcher) -> Iterator[None]:
    before = getattr(_wanted, "whole", None)
    _wanted.whole = dispatcher
    try:
        yield
    finally:
        _wanted.whole = before


def _optimize_once(library: CPUCodeLibrary) -> None:
    del library._optimize_final_module  # this, which keeps the library alive
    made = library._codegen._module_pass_manager()
    # Before Numba 0.62 there is no builder.
    passes, *builder = made if isinstance(made, tuple) else (made,)
    passes.run(library._final_module, *builder)


def _finish_without_code(library: CPUCodeLibrary, name: str) -> None:
    if name in _called_too_early or _unresolved(library):
        _finish_whole(library)
        return
    del library._finalize_final_module
    library._finalize_dynamic_globals()
    library._finalized = True


def _finish_whole(library: CPUCodeLibrary) -> None:
    del library._finalize_final_module
    # Functions that call each other find one another in the machine code.
    called = _unresolved(library)
    _called_too_early.update(called)
    library._finalize_final_module()
    for other in called:
        there = _libraries.get(other)
        if there is None:
            continue  # still being compiled: it finds its name above
        if not there._finalized:
            there.finalize()
        elif not there._codegen._engine.is_symbol_defined(other):
            there._finalize_final_module()


def _unresolved(library: CPUCodeLibrary) -> set[str]:
    """Return the symbols that a library calls and does not have."""
    prefix = RuntimeLinker.PREFIX
    names = (one.name for one in library._final_module.global_variables)
    return {name.removeprefix(prefix) for name in names if name.startswith(prefix)}


def _recompile(reference: weakref.ref[Dispatcher]) -> None:
    """Do what a function's own `recompile` does, which knows no parts."""
    dispatcher = reference()
    assert dispatcher is not None  # who calls it holds it
    for types, part in _parts.pop(dispatcher, {}).items():
        if dispatcher.overloads.get(types) is part:  # an entry point is compiled
            del dispatcher.overloads[types]
    type(dispatcher).recompile(dispatcher)


def _forget(parts: dict[tuple, CompileResult]) -> None:
    """Let Numba forget the parts of a function that is no more."""
    for part in parts.values():
        part.target_context._defns.pop(part.entry_point, None)
