"""A `legal_limit` that is too small is told of, and nothing is overwritten by it."""

import os
import subprocess
import sys

import pytest

from tests.command import COMMAND

# From the turn `wide_from` on there are twenty times as many actions as allowed.
GAME = """\
import numpy as np

from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec

rules = Rules(
    "wide",
    state=np.dtype([("turn", np.int64)]),
    game=np.dtype([("wide", np.int64)]),
    chance=False,
)


@rules.variant
def variant(game, *, players=2, wide_from=1):
    game["wide"] = wide_from
    return Spec(players=players, actions=40, legal_limit=2, observation_shape=(1,))


@rules.define
def reset(game, state, rng):
    state.turn = 0


@rules.define
def movers(game, state):
    return 1 << state.turn % 2 if state.turn < 8 else 0


@rules.define
def legal_actions(game, state, player, out):
    n = 40 if state.turn >= game.wide else 2
    for i in range(n):
        out[i] = i
    return n


@rules.define
def apply(game, state, joint_action, rng):
    state.turn += 1


@rules.define
def results(game, state, out):
    out[0] = PLAYING if state.turn < 8 else WON
    out[1] = PLAYING if state.turn < 8 else LOST


@rules.define
def observe(game, state, player, out):
    out[0] = state.turn
"""

# Calls of what plays at random, made in one process each.
CALLS = {
    "playout": "model.playout(state, rng, 100)",
    "playout_moves": "model.prepare_moves(); model.playout_moves(state, rng, 100)",
    "legal_actions": "model.apply(state, {0: 0}, rng); model.legal_actions(state, 1)",
}
WHOLE = """\
import sys
from mcts_agents.model import GameError, new_generator
from wide import rules
model, rng = rules.model(), new_generator(1)
state = model.reset(rng)
try:
    {call}
except GameError as error:
    print(error)
    sys.exit(2)
"""


@pytest.fixture
def run(tmp_path):
    """Return a function that runs Python where the game is."""
    (tmp_path / "wide.py").write_text(GAME)

    def run_in_folder(command):
        return subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "120"},
            capture_output=True,
            text=True,
            check=False,
        )

    return run_in_folder


def only_line(text):
    (line,) = [line for line in text.splitlines() if not line.startswith("Compiling")]
    return line


@pytest.mark.parametrize(
    ("agent", "wide_from"),
    [
        ("random", 1),
        ("one-step", 1),
        ("mcts:simulations=200", 0),
        ("mcts:simulations=200", 1),
        ("mcts:simulations=200,tree=multi,rollout_policy=mast", 1),
        ("alphabeta:depth=3", 0),
        ("max-n:depth=3", 1),
        ("grave:simulations=200", 1),
        ("grave:simulations=200,nodes=path", 1),
    ],
)
def test_no_agent_plays_on(agent, wide_from, run):
    game = f"wide:rules:wide_from={wide_from}"
    asked = ["play", game, "--agent", agent, "--agent", "random", "--render", "none"]
    found = run([*COMMAND, *asked, "--seed", "1"])
    assert found.returncode == 2, found.stderr
    line = only_line(found.stderr)
    assert line.startswith("mcts-agents: wide")
    assert "legal_actions" in line
    assert "legal_limit" in line


@pytest.mark.parametrize("call", CALLS)
def test_nothing_that_is_called_is_overwritten(call, run):
    found = run([sys.executable, "-c", WHOLE.format(call=CALLS[call])])
    assert found.returncode == 2, found.stderr
    assert "legal_limit" in only_line(found.stdout)
