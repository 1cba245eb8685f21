"""Machine code of several processes, loaded into one, is not taken for one another's.

The functions are recursive, so that they have symbols, and are made in one place with
different constants, as the helpers of the kernels' variants are.
"""

import os
import subprocess
import sys

import pytest

COMPILING = '''
from numba import njit
from mcts_agents.model.compilation import compile_module, statistics

def counting(step):
    @njit("int64(int64)")
    def count(n):
        if n <= 1:
            return step
        return count(n - 1) + count(n - 2)
    return count

SOURCE = """
@njit(int64(int64), cache=CACHE)
def entry(n):
    return count(n)
"""

def compiled(step):
    count = counting(step)
    return compile_module(f"of {step}", SOURCE, {"count": count}, [count])
'''
ASKING = """
import sys
from counting import compiled, statistics

print(*(compiled(int(step)).entry(5) for step in sys.argv[1:]), flush=True)
print(statistics().cache_misses, file=sys.stderr)
"""
FORKING = """
import os
import sys
from counting import compiled

for step in sys.argv[1:]:
    if os.fork() == 0:
        compiled(int(step))
        os._exit(0)
    os.wait()
"""


@pytest.fixture
def python(tmp_path):
    """Return a function that runs a program, and returns the words that it prints."""
    (tmp_path / "counting.py").write_text(COMPILING)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run(program, *arguments):
        command = [sys.executable, "-c", program, *map(str, arguments)]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split(), done.stderr.split()[-1:]

    return run


def test_functions_of_two_processes(python):
    assert python(ASKING, 1)[0] == ["8"]
    assert python(ASKING, 100)[0] == ["800"]
    assert python(ASKING, 1, 100) == (["8", "800"], ["0"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
def test_functions_of_forked_processes(python):
    python(FORKING, 1, 100)
    assert python(ASKING, 1, 100) == (["8", "800"], ["0"])
