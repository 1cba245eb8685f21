"""Functions that compiled code calls: parts of it, and whole for everybody else."""

import gc
import math
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
from numba import cfunc, float64, int64, njit, objmode, prange, vectorize
from numba.core.cpu import CPUContext
from numba.core.dispatcher import Dispatcher, LiftedLoop, LiftedWith
from numba.core.errors import TypingError
from numba.core.lowering import BaseLower
from numba.core.registry import cpu_target
from numba.extending import overload

from mcts_agents.model.called_functions import _parts, only_called_by

SCALE = 2  # until a test changes it

REPLACED = {
    Dispatcher: ("compile", "add_overload", "get_compile_result"),
    LiftedLoop: ("compile",),
    LiftedWith: ("compile",),
    BaseLower: ("create_cpython_wrapper", "create_cfunc_wrapper"),
    CPUContext: ("get_env_manager", "get_executable"),
}


def methods():
    return [vars(owner).get(name) for owner in REPLACED for name in REPLACED[owner]]


def compiled(function, *types):
    """Compile an entry point; return it, able to take no other types."""
    entry = njit(function)
    before = methods()
    with only_called_by(entry):
        assert methods() != before
        for one in types:
            entry.compile(one)
    assert methods() == before
    entry.disable_compile()
    return entry


def parts(dispatcher):
    """Return what a function is for those that were compiled with it."""
    return list(_parts.get(dispatcher, {}).values())


def parity():
    """Return two new functions that call each other: is a number even, is it odd?"""

    @njit
    def even(n):
        return True if n == 0 else odd(n - 1)

    @njit
    def odd(n):
        return False if n == 0 else even(n - 1)

    return even, odd


def test_what_is_called_is_a_part_until_python_calls_it():
    @njit
    def twice(x):
        return 2 * x

    @njit
    def one_more(x):
        return twice(x) + 1

    entry = compiled(lambda x: one_more(x) * 3, (int64,), (float64,))
    assert (entry(4), entry(0.5)) == (27, 6.0)
    for function in (twice, one_more):
        assert len(parts(function)) == 2
        assert not function.overloads
    assert (one_more(4), one_more(x=0.5)) == (9, 2.0)
    assert one_more(np.arange(3)).tolist() == [1, 3, 5]
    assert len(one_more.overloads) == 3
    assert compiled(lambda x: one_more(x) - 1, (int64,))(4) == 8


def test_a_part_is_compiled_once_for_all_that_call_it():
    @njit
    def half(x):
        return x / 2

    first = compiled(lambda x: half(x) + 1, (int64,))
    (part,) = parts(half)
    second = compiled(lambda x: half(x) + 2, (int64,))
    assert parts(half) == [part]
    assert (first(3), second(3)) == (2.5, 3.5)


def up_and_down():
    """Return two functions that nobody has called."""
    return njit(lambda x: x + 1), njit(lambda x: x - 1)


def test_functions_as_values_can_be_called_by_their_address():
    up, down = up_and_down()

    def directly_too(x):
        chosen = up if x > 5 else down
        return chosen(x) * 10 + up(x)

    chooses = compiled(directly_too, (int64,))
    assert (chooses(6), chooses(5)) == (77, 46)
    assert (up(1), down(1)) == (2, 0)


def test_parts_can_be_values_for_others():
    up, down = up_and_down()

    compiled(lambda x: up(x) + down(x), (int64,))

    @njit
    def chosen(x):
        function = up if x > 5 else down
        return function(x)

    @njit
    def linked(x):
        return up(x) * 10

    @njit
    def given(x):
        return up if x > 5 else down

    @njit
    def taken(x):
        return given(x)(x)

    assert (linked(1), chosen(6), chosen(5)) == (20, 7, 4)
    assert (taken(6), taken(5)) == (7, 4)


def test_functions_that_call_each_other():
    even, odd = parity()

    @njit
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    @njit
    def power(n, x):
        if n <= 0:
            return 1.5
        return power(n - 1, float(x))

    @njit
    def one(n, x):
        return 2.5 if n <= 0 else other(n - 1, x)

    @njit
    def other(n, x):
        return one(n - 1, float(x))

    entry = compiled(lambda n: (even(n), factorial(n)), (int64,))
    assert [entry(n) for n in (4, 5)] == [(True, 24), (False, 120)]
    assert (odd(3), factorial(3)) == (True, 6)
    entry = compiled(lambda n: power(n, 3) + one(n, 2), (int64,))
    assert entry(4) == 4.0
    assert (power(4, 3), power(4, 3.0), one(4, 2), other(3, 1)) == (1.5, 1.5, 2.5, 2.5)


def test_functions_that_call_each_other_and_of_which_one_is_whole():
    @njit
    def one(n, x):
        if n < 0:
            raise ValueError("too small", n)  # a Python object: whole
        return 2.5 if n <= 0 else other(n - 1, x)

    @njit
    def other(n, x):
        return one(n - 1, float(x))

    entry = compiled(lambda n: one(n, 2), (int64,))
    assert entry(4) == 2.5
    assert (one(4, 1), other(3, 1), one(2, 0.5)) == (2.5, 2.5, 2.5)
    with pytest.raises(ValueError, match="too small"):
        entry(3)


def test_python_calls_functions_that_call_each_other_while_more_is_compiled():
    even, odd = parity()

    called = []

    def on_typing(n):
        called.append((odd(5), even(5)))
        return lambda n: even(n)

    def typed(n):
        raise NotImplementedError  # for compiled code only

    overload(typed)(on_typing)
    entry = compiled(lambda n: odd(n) and typed(n + 1), (int64,))
    assert (entry(3), entry(4)) == (True, False)
    assert set(called) == {(True, False)}
    assert (even(4), odd(4)) == (True, False)


def test_recompiled_functions_are_compiled_anew_for_all(monkeypatch):
    @njit
    def scaled(x):
        return x * SCALE

    def use(x):
        return scaled(x) + 1

    before = compiled(use, (int64,))
    monkeypatch.setitem(globals(), "SCALE", 10)
    scaled.recompile()
    assert (before(9), compiled(use, (int64,))(9), scaled(9)) == (19, 91, 90)
    monkeypatch.setitem(globals(), "SCALE", 20)
    scaled.recompile()
    assert (compiled(use, (int64,))(9), scaled(9)) == (181, 180)


def test_callbacks_of_the_same_name_are_no_parts():
    def on_typing(x):
        def named(x):
            return x + 7

        named.__qualname__ = "lambda"  # as all of a module's are
        callback = cfunc("int64(int64)")(named)
        return lambda x: callback(x)

    def typed(x):
        raise NotImplementedError  # for compiled code only

    def doubled(x):
        return typed(x) * 2

    overload(typed)(on_typing)
    doubled.__qualname__ = "lambda"
    part = njit(doubled)
    assert compiled(lambda x: part(x), (int64,))(3) == 20


def test_errors_arrays_generators_and_python_within_parts():
    @njit
    def refuse(x):
        if x < 0:
            raise ValueError("too small", x)
        return math.sqrt(x)

    @njit
    def countdown(n):
        while n > 0:
            yield n
            n -= 1

    @njit
    def told(x):
        with objmode(text="int64"):
            text = int(str(x) + "1")
        return text

    @njit
    def gathered(n):
        found = np.zeros(n)
        for i in countdown(n):
            found[n - i] = refuse(i)
        return np.sort(found[::-1]).sum()

    def all_of_it(n):
        return refuse(n) + gathered(n) + told(n)

    entry = compiled(all_of_it, (int64,))
    assert entry(4) == pytest.approx(1 + math.sqrt(2) + math.sqrt(3) + 2 + 41 + 2)
    with pytest.raises(ValueError, match="too small"):
        entry(-3)
    assert list(countdown(3)) == [3, 2, 1]


def test_loops_in_parallel_and_functions_of_elements():
    @vectorize
    def third(x):
        return x / 3

    @njit(parallel=True)
    def squares(n):
        found = np.zeros(n)
        for i in prange(n):
            found[i] = i * i
        return third(found)

    @njit
    def thirds(n):
        return squares(n).sum() + third(3.0 * n)

    entry = compiled(lambda n: thirds(n), (int64,))
    assert entry(4) == pytest.approx(14 / 3 + 4)
    assert parts(thirds)
    assert third(6.0) == 2.0
    assert squares(3).tolist() == [0, 1 / 3, 4 / 3]


def test_what_its_author_keeps_in_a_file_is_whole(tmp_path, monkeypatch):
    (tmp_path / "kept_helper.py").write_text(
        "from numba import njit\n\n\n"
        "@njit(cache=True)\ndef kept(x):\n    return x + 7\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("numba.config.CACHE_DIR", "")
    from kept_helper import kept

    assert compiled(lambda x: kept(x), (int64,))(1) == 8
    assert [len(parts(kept)), len(kept.overloads)] == [0, 1]


def test_an_error_leaves_nothing_behind():
    @njit
    def fine(x):
        return x + 1

    @njit
    def wrong(x):
        return x + "text"

    before = methods()
    with pytest.raises(TypingError):
        compiled(lambda x: fine(x) + wrong(x), (int64,))
    assert methods() == before
    assert (compiled(lambda x: fine(x), (int64,))(1), fine(1)) == (2, 2)


def test_other_threads_compile_as_always():
    @njit
    def shared(x):
        return x + 1

    @njit
    def theirs(x):
        return x + 2

    entry, found = njit(lambda x: shared(x) * 2), []
    with only_called_by(entry):
        other = threading.Thread(target=lambda: found.append(theirs(1)))
        other.start()
        entry.compile((int64,))
        others = [
            threading.Thread(target=lambda: found.append(shared(1))) for _ in range(3)
        ]
        for one in others:
            one.start()
        assert len(parts(shared)) == 1
    for one in (other, *others):
        one.join()
    assert not parts(theirs)
    assert sorted(found) == [2, 2, 2, 3]
    assert len(shared.overloads) == 1
    assert entry(1) == 4


def test_python_calls_parts_while_more_is_compiled():
    @njit
    def size(x):
        return x + 1

    @njit
    def table(x):
        return x

    called = []

    def on_typing(x):
        @njit("int64(int64)")
        def sevenfold(x):
            return 7 * x

        inner = compiled(lambda x: table(x) - size(x), (int64,))
        called.append((size(3), sevenfold(2), inner(5)))
        return lambda x: table(x) + size(x)

    def typed(x):
        raise NotImplementedError

    overload(typed)(on_typing)
    first = compiled(lambda x: size(x), (int64,))
    second = compiled(lambda x: typed(x), (int64,))
    assert (first(1), second(1)) == (2, 3)
    assert set(called) == {(4, 14, -1)}


def test_functions_that_are_gone_are_forgotten():
    def made():
        @njit
        def inner(x):
            return x + 3

        compiled(lambda x: inner(x), (int64,))
        (part,) = parts(inner)
        assert part.entry_point in part.target_context._defns
        return weakref.ref(inner), weakref.ref(part.library), part.entry_point

    inner, library, key = made()
    gc.collect()
    assert inner() is library() is None
    assert key not in cpu_target.target_context._defns


PROGRAM = """\
from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
model = make_model("sushi_go")[1]
rng = new_generator(1)
state = model.reset(rng)
print(Search(model, SearchSettings(simulations=50)).run(state, 0, rng).visits.tolist())
"""


def test_code_that_was_kept_plays_as_code_that_was_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    first, second = (
        subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        )
        for _ in range(2)
    )
    assert "Compiling" in first.stderr
    assert "Compiling" not in second.stderr
    assert first.stdout == second.stdout != ""
