"""The kernels that are made of one source."""

import itertools
import json
import os
import subprocess
import sys

import numpy as np
from numba.core.dispatcher import Dispatcher

from mcts_agents.envs import make_model
from mcts_agents.model import calls
from mcts_agents.model.content_keys import content_key
from mcts_agents.search import SearchSettings
from mcts_agents.search.kernel import iterations, plug_ins, variants
from mcts_agents.search.kernel.search_record import kernel_of
from mcts_agents.search.kernel.variants import VARIANTS, variant_of
from tests.search.evaluators import PUCT, Even, run

CONSTANTS = ("EXTENDED", "STORED", "WAITS")

# Settings of which each kernel is a search's.
SETTINGS = {
    "plain": {},
    "extended": {"graph": True},
    "stored": {"loop": "closed"},
    "waiting": {"evaluator": Even(2), **PUCT},
}


def test_there_are_four():
    assert list(VARIANTS) == list(SETTINGS)
    for constants in VARIANTS.values():
        assert set(constants) == set(CONSTANTS)
    model = make_model("tictactoe")[1]
    for kernel, chosen in SETTINGS.items():
        assert kernel_of(SearchSettings(**chosen).for_model(model)) == kernel


def test_the_source_says_all_constants_true():
    assert all(getattr(variants, name) is True for name in CONSTANTS)
    everything = dict.fromkeys(CONSTANTS, True)
    assert variant_of(iterations.run_slice, everything) is iterations.run_slice


def test_each_constant_is_part_of_the_key():
    keys = {}
    for values in itertools.product([False, True], repeat=len(CONSTANTS)):
        constants = dict(zip(CONSTANTS, values, strict=True))
        kernel = variant_of(iterations.run_slice, constants)
        key = keys[values] = content_key("f()", {"f": kernel}, [kernel])
        assert key.functions > 50
        assert key.kept
        again = variant_of(iterations.run_slice, constants)
        assert content_key("f()", {"f": again}, [again]) == key
    assert len({key.text for key in keys.values()}) == 2 ** len(CONSTANTS)


def test_functions_without_a_constant_are_shared():
    plain = variant_of(iterations.run_slice, VARIANTS["plain"])
    scope, source = plain.py_func.__globals__, iterations.run_slice.py_func.__globals__
    assert scope["next_status"] is not source["next_status"]
    assert scope["is_full"] is not source["is_full"]  # asks how long a path may be
    below = scope["next_status"].py_func.__globals__
    assert below["nodes_of"] is iterations.nodes_of


def test_what_is_called_through_a_module_reaches_no_constant():
    """`variant_of` does not look into modules, such as `call.apply`."""
    nothing = dict.fromkeys(CONSTANTS, False)
    names = {**vars(calls), **vars(plug_ins)}
    functions = [f for f in names.values() if isinstance(f, Dispatcher)]
    assert len(functions) > 20
    assert all(variant_of(f, nothing) is f for f in functions)


def searched(model, kernel):
    """Search with a kernel."""
    chosen = dict(SETTINGS[kernel])
    evaluator = chosen.pop("evaluator", None)
    if evaluator is None:
        chosen["tree_policy"] = "ucb1"
    run(model, evaluator, simulations=20, **chosen)


RUN = """
import json
from mcts_agents.envs import make_model
from mcts_agents.model.compilation import statistics
from tests.search.test_variants import SETTINGS, searched

model = make_model("tictactoe")[1]
for kernel in SETTINGS:
    searched(model, kernel)
    print(json.dumps(vars(statistics())))
"""


def test_a_second_process_finds_all_code():
    model = make_model("tictactoe")[1]
    for kernel in SETTINGS:
        searched(model, kernel)
    printed = subprocess.run(
        [sys.executable, "-c", RUN],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    ).stdout
    counts = [json.loads(line) for line in printed.splitlines()]
    assert len(counts) == len(VARIANTS)
    hits = [0, *(count["cache_hits"] for count in counts)]
    # Those of the game and, for each kernel, at least the code of its own.
    assert hits[1] > 5
    assert all(np.diff(hits) > 0)
    assert counts[-1]["cache_misses"] == counts[-1]["uncached"] == 0
