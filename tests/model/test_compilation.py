"""Kept machine code: found again, never stale, and never needed.

Each test runs a small game of somebody's own in new processes with a cache folder of
its own. What the game counts by comes from everywhere that code can reach.
"""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from numba import cfunc, njit

from mcts_agents.model.compilation import compile_module

GAME = """
import numpy as np
from numba import njit
from mcts_agents.model import PLAYING, Rules, Spec, new_generator
from mcts_agents.model.compilation import statistics
import helpers
import package
from helpers import add_more
from package import tables

STEP = 1

def reached(x):
    value = STEP + 10 * helpers.add_more(x - x)
    value += 100 * package.deep.inside.digit() + 1000 * tables.TABLE[1]
    return value + 10000 * package.DIGIT

reached_by_rules = njit(reached)
rules = Rules("dial", state=np.dtype([("value", np.int64), ("cells", np.int32, 4),
                                       ("grid", np.int8, (2, 3))]))

@rules.variant
def variant(game, *, players=1):
    return Spec(players=players, actions=2)

@rules.define
def reset(game, state, rng):
    state.value = 0
    state.cells[:] = 7

@rules.define
def movers(game, state):
    return 1

@rules.define
def legal_actions(game, state, player, out):
    out[0] = 0
    return 1

@rules.define
def apply(game, state, joint_action, rng):
    state.value = reached_by_rules(joint_action[0])

@rules.define
def scores(game, state, out):
    out[0] = state.value

@rules.define
def results(game, state, out):
    out[0] = PLAYING

@rules.define
def playout(game, state, rng, limit):
    return 0
"""
HELPERS = """
from numba import njit
from other import further

@njit
def add_more(x):
    return further(x) + 1
"""
FILES = {
    "game.py": GAME,
    "helpers.py": HELPERS,
    "other.py": "from numba import njit\n@njit\ndef further(x):\n    return x + 1\n",
    "package/__init__.py": "from package import deep\nDIGIT = 5\n",
    "package/deep/__init__.py": "from package.deep import inside\n",
    "package/deep/inside.py": (
        "from numba import njit\n@njit\ndef digit():\n    return 3\n"
    ),
    "package/tables.py": "import numpy as np\nTABLE = np.array([3, 4])\n",
}
# Prints value, hits, misses, uncached.
PLAY = """
model = rules.model()
rng = new_generator(0)
state = model.reset(rng)
model.apply(state, [0], rng)
found = statistics()
print(int(model.view(state)["value"]),
      found.cache_hits, found.cache_misses, found.uncached)
"""
MAIN = "from game import rules, new_generator, statistics\n" + PLAY
# The same for the one function by itself, which is compiled in a moment.
ALONE = '''
from mcts_agents.model.compilation import compile_module, statistics
from game import njit, reached
source = """
@njit(int64(int64), cache=CACHE)
def call(x):
    return author(x)
"""
module = compile_module("alone", source, {"author": njit(reached)}, [reached])
found = statistics()
print(module.call(0), found.cache_hits, found.cache_misses, found.uncached)
'''


@pytest.fixture
def folder(tmp_path):
    """A game of somebody's own."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def run(folder, code, *, typed=False, fails=False, **variables):
    """Run code in a new process; return what it printed and said."""
    environment = {
        **os.environ,
        "NUMBA_BOUNDSCHECK": None,  # whatever this process was started with
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(folder), *sys.path]),
        **variables,
    }
    environment = {name: v for name, v in environment.items() if v is not None}
    done = subprocess.run(
        [sys.executable, "-"] if typed else [sys.executable, "-c", code],
        input=code if typed else None,
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        timeout=600,  # a guard against hanging
        check=False,
    )
    assert (done.returncode != 0) == fails, done.stderr
    return done.stdout, done.stderr


def play(folder, code=MAIN, **variables):
    """Return the game's value, and hits, misses and uncached functions."""
    out, _ = run(folder, code, **variables)
    value, hits, misses, uncached = map(int, out.split())
    return value, (hits, misses, uncached)


def compiled(folder):
    return {path.name for path in (folder / "cache" / "mcts_agents").glob("*.code")}


def edit(folder, name, old, new):
    text = (folder / name).read_text()
    assert text.count(old) == 1
    (folder / name).write_text(text.replace(old, new))


def test_kept_and_never_stale(folder):
    value, (hits, misses, uncached) = play(folder)
    assert value == 54321
    assert hits == uncached == 0
    assert misses > 0
    assert len(compiled(folder)) == 1
    out, said = run(folder, MAIN)
    assert out.split() == ["54321", str(misses), "0", "0"]
    assert "Compiling" not in said
    edit(folder, "other.py", "x + 1", "x + 3")
    assert play(folder) == (54341, (0, misses, 0))
    assert len(compiled(folder)) == 2
    # Back to the old text: the old code is found again.
    (folder / "other.py").write_text(FILES["other.py"])
    assert play(folder) == (54321, (misses, 0, 0))


RECURSIVE = """
from numba import njit

@njit
def twice(x):
    return twice(x - 1) + 2 if x > 0 else 0
"""


def test_functions_that_call_themselves_with_other_types_run_in_each_process(folder):
    """LLVM aborts a process that loads their machine code, so it is not kept."""
    edit(folder, "game.py", "STEP = 1\n", RECURSIVE)
    edit(folder, "game.py", "    value = STEP + ", "    value = twice(np.int8(x)) + ")
    for _ in range(2):
        value, (_, misses, _) = play(folder)
        assert value == 54320
        assert misses > 0
    _, said = run(folder, MAIN)
    assert "the machine code of apply cannot be kept" in said


def test_whatever_the_code_reaches_makes_it_anew(folder):
    assert play(folder, ALONE) == (54321, (0, 1, 0))
    # A constant, a helper's helper, a deep module, an array, a package's constant.
    for name, old, new, expected in (
        ("game.py", "STEP = 1", "STEP = 2", 54322),
        ("other.py", "x + 1", "x + 3", 54342),
        ("package/deep/inside.py", "return 3", "return 6", 54642),
        ("package/tables.py", "[3, 4]", "[3, 7]", 57642),
        ("package/__init__.py", "DIGIT = 5", "DIGIT = 8", 87642),
    ):
        edit(folder, name, old, new)
        assert play(folder, ALONE) == (expected, (0, 1, 0)), name
    assert len(compiled(folder)) == 6
    for name, text in FILES.items():
        (folder / name).write_text(text)
    assert play(folder, ALONE) == (54321, (1, 0, 0))


NAMESAKE = """
import functools
import numpy as np
from numba import njit
from mcts_agents.model.compilation import compile_module, statistics

STATE = np.dtype([("hands", np.int64), ("cards", np.int64)])

@functools.lru_cache
def hands():
    return 1

cards = {"functions": [hands]}

def helper(state):
    return state.hands + state.cards

source = '''
@njit(int64(intp), cache=CACHE)
def call(x):
    return author(carray(as_pointer(x), 1, STATE)[0])
'''
"""


def test_an_object_that_shares_its_name_with_a_field_changes_nothing(tmp_path):
    """Its text holds its address, which is another one in each process."""
    (tmp_path / "namesake.py").write_text(NAMESAKE)
    code = textwrap.dedent(
        """
        from namesake import *
        from mcts_agents.model.addresses import as_pointer
        namespace = {"author": njit(helper), "as_pointer": as_pointer, "STATE": STATE}
        module = compile_module("namesake", source, namespace, [helper, as_pointer])
        state = np.array([4, 1])
        print(module.call(state.ctypes.data), statistics().cache_misses)
        """
    )
    assert run(tmp_path, code)[0].split() == ["5", "1"]
    taken = "taken = [object() for _ in range(100_000)]\n"  # other addresses
    assert run(tmp_path, taken + code)[0].split() == ["5", "0"]
    assert len(compiled(tmp_path)) == 1


CLOSURES = """
import numpy as np
from numba import njit
from mcts_agents.model import Rules, Spec, new_generator

@njit
def plus_one(x):
    return x + 1

@njit
def plus_two(x):
    return x + 2

def made(by, helper):
    rules = Rules("made", state=np.dtype([("value", np.int64)]))
    rules.variant(variant)
    def reset(game, state, rng):
        state.value = by
    def movers(game, state):
        return 1
    def legal_actions(game, state, player, out):
        return 0
    def apply(game, state, joint_action, rng):
        state.value = helper(state.value)
    def scores(game, state, out):
        out[0] = 0
    def results(game, state, out):
        out[0] = 0
    def playout(game, state, rng, limit):
        return 0
    for function in (reset, movers, legal_actions, apply, scores, results, playout):
        rules.define(function)
    return rules

def variant(game, *, players=1):
    return Spec(players=players, actions=1)

def value_of(rules):
    model = rules.model()
    rng = new_generator(0)
    state = model.reset(rng)
    model.apply(state, [0], rng)
    return int(model.view(state)["value"])
"""
TYPED = CLOSURES + (
    "print(*(value_of(made(*a)) for a in ((10, plus_one), (20, plus_two))))\n"
    "from mcts_agents.model.compilation import statistics\n"
    "print(statistics().uncached, statistics().cache_misses)\n"
)


def test_namesakes_in_one_file_are_told_apart(tmp_path):
    (tmp_path / "closures.py").write_text(CLOSURES)
    code = "from closures import *\nprint(value_of(made({}, {})))"
    out, _ = run(tmp_path, code.format("10", "plus_one"))
    assert out.split() == ["11"]
    out, _ = run(
        tmp_path,
        "from closures import *\n"
        "print(value_of(made(10, plus_two)), value_of(made(10, plus_one)))",
    )
    assert out.split() == ["12", "11"]
    assert len(compiled(tmp_path)) == 2


NAMESAKES = (
    """
import numpy as np
from numba import njit
from mcts_agents.model.compilation import compile_module

SOURCE = """
    + '''"""
@njit(int64(int64), cache=CACHE)
def call(x):
    return inner(x)
"""'''
    + """

def by_default(k):
    @njit
    def inner(x, k=k):
        return x + k
    return inner

def part(k):
    @njit
    def inner(x):
        return x * 10 + k
    return inner

def of_parts(first, second):
    @njit
    def inner(x):
        return first(second(x))
    return inner

def of_arrays(*arrays):
    @njit
    def inner(x):
        return arrays[0][x]
    return inner

def value_of(inner):
    return compile_module("inner", SOURCE, {"inner": inner}, [inner]).call(1)
"""
)


# Two instances of a function each, and what they return for 1.
INSTANCES = {
    "defaults": [("by_default(2)", "3"), ("by_default(3)", "4")],
    "swapped parts": [
        ("of_parts(part(2), part(3))", "132"),
        ("of_parts(part(3), part(2))", "123"),
    ],
    "tuples of arrays": [
        ("of_arrays(np.arange(3000))", "1"),
        ("of_arrays(np.where(np.arange(3000) == 1, 7, np.arange(3000)))", "7"),
    ],
}


def test_instances_of_one_function_are_told_apart(tmp_path):
    """In processes of their own, and in one."""
    (tmp_path / "namesakes.py").write_text(NAMESAKES)
    ones, others = zip(*INSTANCES.values(), strict=True)
    both = [instance for pair in INSTANCES.values() for instance in pair]
    for asked in (ones, others, both):
        lines = "".join(f"print(value_of({code}))\n" for code, _ in asked)
        out, _ = run(tmp_path, f"from namesakes import *\n{lines}")
        assert out.split() == [value for _, value in asked]
    assert len(compiled(tmp_path)) == len(both)


ONE_FUNCTION = """
from enum import IntEnum
from numba import njit

class Phase(IntEnum):
    BEGIN = 1
"""
ITS_USER = """
from numba import njit
from phases import Phase

@njit
def inner(x):
    return x + 10 + Phase.BEGIN
"""


def test_a_file_that_is_edited_after_its_import(tmp_path):
    """What was imported is compiled, and is not what the file says now."""
    (tmp_path / "namesakes.py").write_text(NAMESAKES)
    (tmp_path / "phases.py").write_text(ONE_FUNCTION)
    (tmp_path / "user.py").write_text(ITS_USER)
    edited = ITS_USER.replace("x + 10", "x + 20")
    code = "from user import inner; from namesakes import value_of\n"
    editing = f"from pathlib import Path; Path('user.py').write_text({edited!r})\n"
    assert run(tmp_path, f"{code}{editing}print(value_of(inner))")[0].split() == ["12"]
    assert run(tmp_path, f"{code}print(value_of(inner))")[0].split() == ["22"]
    assert len(compiled(tmp_path)) == 2


def test_members_of_an_enum_of_another_file(tmp_path):
    (tmp_path / "namesakes.py").write_text(NAMESAKES)
    (tmp_path / "phases.py").write_text(ONE_FUNCTION)
    (tmp_path / "user.py").write_text(ITS_USER)
    code = "from user import inner; from namesakes import value_of\n"
    for member, value in ((1, "12"), (77, "88"), (1, "12")):
        text = ONE_FUNCTION.replace("BEGIN = 1", f"BEGIN = {member}")
        (tmp_path / "phases.py").write_text(text)
        assert run(tmp_path, f"{code}print(value_of(inner))")[0].split() == [value]
    assert len(compiled(tmp_path)) == 2


def test_a_name_that_is_no_name_of_a_file(tmp_path):
    (tmp_path / "namesakes.py").write_text(NAMESAKES)
    code = (
        "from namesakes import *\n"
        "inner = part(3)\n"
        "for name in ('../outside', 'x[/dim]y', 'n' * 300):\n"
        "    print(compile_module(name, SOURCE, {'inner': inner}, [inner]).call(1))"
    )
    assert run(tmp_path, code)[0].split() == ["13", "13", "13"]
    assert len(compiled(tmp_path)) == 3
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["mcts_agents"]


@pytest.mark.parametrize("typed", [True, False])
def test_functions_without_a_file(tmp_path, typed):
    out, said = run(tmp_path, TYPED, typed=typed)
    values, counts = out.splitlines()
    # Two games of one name in one process: nothing of the first is left.
    assert values.split() == ["11", "22"]
    uncached, misses = map(int, counts.split())
    assert uncached == 2 * 8
    assert misses == 0
    assert "this process only" in said
    assert compiled(tmp_path) == set()


def test_a_cache_folder_that_cannot_be_made(folder):
    (folder / "file").write_text("not a folder")
    below = str(folder / "file" / "cache")
    out, said = run(folder, MAIN, NUMBA_CACHE_DIR=below)
    value, hits, misses, uncached = map(int, out.split())
    assert (value, hits, misses) == (54321, 0, 0)
    assert uncached > 0
    assert "compiled code cannot be kept in" in said
    assert "set NUMBA_CACHE_DIR to a writable folder" in said
    assert "Not a directory" in said


def test_where_the_folder_lies(monkeypatch, tmp_path):
    from mcts_agents.model.compilation import cache_folder

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen"))
    assert cache_folder() == tmp_path / "chosen" / "mcts_agents"
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "mcts_agents"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "mcts_agents"


NOBODY = """    return 'nobody'

@rules.define
def legal"""


def test_an_error_while_compiling_leaves_nothing_behind(folder):
    edit(folder, "game.py", "    return 1\n\n@rules.define\ndef legal", NOBODY)
    code = textwrap.dedent(
        """
        import sys
        from mcts_agents.model import RulesError
        from game import rules, new_generator, statistics
        for attempt in range(2):
            try:
                rules.model()
            except RulesError as error:
                print("refused", "nobody" in str(error))
            print([m for m in sys.modules if "compiled_dial" in m])
        """
    )
    out, _ = run(folder, code)
    assert out.splitlines() == ["refused True", "[]"] * 2
    cache = folder / "cache" / "mcts_agents"
    assert {path.suffix for path in cache.iterdir()} == {".lock"}
    (folder / "game.py").write_text(GAME)
    assert play(folder)[0] == 54321


# A playout whose `limit` picks the overrun, and legal actions behind `out`.
OVERRUNS = """    if limit == 1:
        state.cells[limit + 3] = 1
    if limit == 2:
        return state.cells[limit + 2]
    if limit == 3:
        state.cells[-limit - 2] = 1
    if limit == 4:
        return state.grid[1, limit - 1]
    if limit == 5:
        state.grid[limit - 3, 0] = 1
    if limit == 6:
        rng[limit - 4] = rng[0]
    return 0
"""


def test_overruns_are_found_when_bounds_are_checked(folder):
    """Warm unchecked machine code hides nothing, as it is kept under another key."""
    edit(folder, "game.py", "    return 0\n", OVERRUNS)
    edit(folder, "game.py", "out[0] = 0\n    return", "out[player] = 0\n    return")
    play(folder)
    unchecked = compiled(folder)
    assert len(unchecked) == 1
    code = MAIN + textwrap.dedent(
        """
        import numpy as np
        room, at = np.zeros(64, np.int64), state.ctypes.data
        room[:2] = 1, 2
        calls = [("legal_actions", at, player, room.ctypes.data) for player in (1, 2)]
        calls += [("playout", at, room.ctypes.data, limit) for limit in range(7)]
        for name, *arguments in calls:
            try:
                print(model.call(name, *arguments))
            except Exception as error:  # as it is, or with the function's name
                told = f"{type(error).__name__}: {error}"
                print("IndexError" if "IndexError" in told else told)
        """
    )
    out, _ = run(folder, code, NUMBA_BOUNDSCHECK="1")
    played, *calls = out.splitlines()
    value, hits, misses, _ = map(int, played.split())
    assert (value, hits) == (54321, 0)
    assert misses > 0
    assert len(compiled(folder) - unchecked) == 1
    assert calls == ["1", "IndexError", "0"] + ["IndexError"] * 6
    # The unchecked code is still there and still found.
    assert play(folder) == (54321, (misses, 0, 0))


# What is edited in another file than any function that is reached stands in: the file
# before, the file after, and the module that uses it.
ELSEWHERE = {
    "fields of a named tuple": (
        "from collections import namedtuple\nP = namedtuple('P', 'a b')\nC = P(3, 5)",
        "from collections import namedtuple\nP = namedtuple('P', 'b a')\nC = P(3, 5)",
        "@njit\ndef inner(x):\n    return x * C.a",
        ("3", "5"),
    ),
    "a vectorized function": (
        "from numba import vectorize\n"
        "@vectorize(['float64(float64)'])\ndef C(x):\n    return x",
        "from numba import vectorize\n"
        "@vectorize(['float64(float64)'])\ndef C(x):\n    return 2 * x",
        "@njit\ndef inner(x):\n    return int(C(float(x)))",
        ("1", "2"),
    ),
    "a method of a jitclass": (
        "from numba import int64\nfrom numba.experimental import jitclass\n"
        "@jitclass([('v', int64)])\nclass C:\n"
        "    def __init__(self, v):\n        self.v = v\n"
        "    def more(self):\n        return self.v * 2",
        "from numba import int64\nfrom numba.experimental import jitclass\n"
        "@jitclass([('v', int64)])\nclass C:\n"
        "    def __init__(self, v):\n        self.v = v\n"
        "    def more(self):\n        return self.v * 3",
        "@njit\ndef inner(x):\n    return C(x).more()",
        ("2", "3"),
    ),
    "an option of a decorator": (
        "C = 'numpy'",
        "C = 'python'",
        "@njit(error_model=C)\ndef divided(x):\n    return 1 / (x - 1)\n"
        "@njit\ndef inner(x):\n    return 1 if divided(x) > 0 else 0",
        ("1", "ZeroDivisionError"),
    ),
    "a type": (
        "import numpy\nC = numpy.int8",
        "import numpy\nC = numpy.int64",
        "@njit\ndef inner(x):\n    return int(C(x + 255))",
        ("0", "256"),
    ),
    "declared types": (
        "from numba import types\nC = {'y': types.int8}",
        "from numba import types\nC = {'y': types.int64}",
        "@njit(locals=C)\ndef inner(x):\n    y = x * 300\n    return y",
        ("44", "300"),
    ),
    "a member with a text of its own": (
        "import enum\nclass P(enum.IntEnum):\n    A = 1\n"
        "    def __repr__(self):\n        return self.name\nC = P.A",
        "import enum\nclass P(enum.IntEnum):\n    A = 2\n"
        "    def __repr__(self):\n        return self.name\nC = P.A",
        "@njit\ndef inner(x):\n    return x + C.value",
        ("2", "3"),
    ),
    "an alias in an enum": (
        "import enum\nclass C(enum.IntEnum):\n    A = 1\n    B = 2\n    FIRST = 1",
        "import enum\nclass C(enum.IntEnum):\n    A = 1\n    B = 2\n    FIRST = 2",
        "@njit\ndef inner(x):\n    return x + C.FIRST.value",
        ("2", "3"),
    ),
    "what a function calls that Numba keeps in a file of its own": (
        "from numba import njit\n@njit\ndef C(x):\n    return 1",
        "from numba import njit\n@njit\ndef C(x):\n    return 2",
        "@njit(cache=True)\ndef kept(x):\n    return x + C(x)\n"
        "@njit\ndef inner(x):\n    return kept(x)",
        ("2", "3"),
    ),
}


PLAY_ALL = """
from importlib import import_module
from namesakes import value_of
for number in range({count}):
    inner = import_module(f"user_{{number}}").inner
    try:
        print(value_of(inner))
    except ZeroDivisionError as error:
        print(type(error).__name__)
"""


def test_what_stands_elsewhere_makes_it_anew(tmp_path):
    (tmp_path / "namesakes.py").write_text(NAMESAKES)
    for number, (_, _, user, _) in enumerate(ELSEWHERE.values()):
        (tmp_path / f"user_{number}.py").write_text(
            f"from numba import njit\nfrom elsewhere_{number} import C\n{user}"
        )
    for edition in (0, 1, 0):
        expected = {}
        for number, (kind, case) in enumerate(ELSEWHERE.items()):
            (tmp_path / f"elsewhere_{number}.py").write_text(case[edition])
            expected[kind] = case[3][edition]
        out, _ = run(tmp_path, PLAY_ALL.format(count=len(ELSEWHERE)))
        assert dict(zip(ELSEWHERE, out.split(), strict=True)) == expected
    assert len(compiled(tmp_path)) == 2 * len(ELSEWHERE)


def sent(text):
    """Return a compiled function and all it reaches, anew, as a worker process does."""
    scope = {"np": np, "njit": njit}
    exec(textwrap.dedent(text), scope)
    return scope["inner"]


IN_THIS_PROCESS = """
@njit(int64(int64), cache=CACHE)
def call(x):
    return inner(x)
"""
# Two texts of functions that must be told apart, and what the functions return for 1.
WITHOUT_FILES = {
    "a constant": (
        "K = 2\n@njit\ndef inner(x):\n    return x + K",
        "K = 3\n@njit\ndef inner(x):\n    return x + K",
        (3, 4),
    ),
    "a helper": (
        "@njit\ndef one(x):\n    return x + 1\n@njit\ndef inner(x):\n    return one(x)",
        "@njit\ndef one(x):\n    return x + 2\n@njit\ndef inner(x):\n    return one(x)",
        (2, 3),
    ),
    "a default": (
        "@njit\ndef inner(x, k=1):\n    return x + k",
        "@njit\ndef inner(x, k=2):\n    return x + k",
        (2, 3),
    ),
    "an array": (
        "K = np.arange(5)\n@njit\ndef inner(x):\n    return K[x]",
        "K = 2 * np.arange(5)\n@njit\ndef inner(x):\n    return K[x]",
        (1, 2),
    ),
    "a type": (
        "T = np.int8\n@njit\ndef inner(x):\n    return int(T(x + 255))",
        "T = np.int64\n@njit\ndef inner(x):\n    return int(T(x + 255))",
        (0, 256),
    ),
    "the type of a constant": (
        "K = np.float32(16777216)\n@njit\ndef inner(x):\n"
        "    return int(K + np.float32(x))",
        "K = np.float64(16777216)\n@njit\ndef inner(x):\n"
        "    return int(K + np.float32(x))",
        (16777216, 16777217),
    ),
    "a closure": (
        "def made(a, b):\n    @njit\n    def inner(x):\n        return x + 10 * a - b\n"
        "    return inner\ninner = made(1, 2)",
        "def made(b, a):\n    @njit\n    def inner(x):\n        return x + 10 * a - b\n"
        "    return inner\ninner = made(1, 2)",
        (9, 20),
    ),
    "a signature": (
        "@njit('int64(int8)')\ndef inner(x):\n    return x + 300",
        "@njit('int64(int64)')\ndef inner(x):\n    return x + 300",
        (301, 301),
    ),
}


@pytest.mark.parametrize(
    ("one", "other", "values"), WITHOUT_FILES.values(), ids=WITHOUT_FILES
)
def test_functions_without_a_file_are_found_again_by_what_they_do(one, other, values):
    modules = []
    for text in (one, one, other, one):
        inner = sent(text)
        given = "again", IN_THIS_PROCESS, {"inner": inner}, [inner]
        modules.append(compile_module(*given))
    assert modules[0] is modules[1] is modules[3]
    assert modules[0] is not modules[2]
    assert (modules[0].call(1), modules[2].call(1)) == values


def test_objects_that_no_text_tells_apart():
    """Of two C callbacks of one name the text is the same."""
    text = "@njit\ndef inner(x):\n    return back(x)"
    backs = [cfunc("int64(int64)")(f) for f in (lambda x: x + 1, lambda x: x + 2)]
    values = []
    for back in (*backs, backs[0]):
        inner = sent(text)
        inner.py_func.__globals__["back"] = back
        given = "again", IN_THIS_PROCESS, {"inner": inner}, [inner]
        values.append(compile_module(*given).call(1))
    assert values == [2, 3, 2]
