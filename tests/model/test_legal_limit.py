"""A `legal_limit` that is too small is told of, and nothing is overwritten by it."""

import json
import os
import subprocess
import sys

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

# Agents, and the turn from which on there are too many actions.
PLAYED = [
    ("random", 1),
    ("one-step", 1),
    ("mcts:simulations=200", 0),
    ("mcts:simulations=200", 1),
    ("mcts:simulations=200,tree=multi,rollout_policy=mast", 1),
    ("alphabeta:depth=3", 0),
    ("max-n:depth=3", 1),
    ("grave:simulations=200", 1),
    ("grave:simulations=200,nodes=path", 1),
]
# Plays with each, and prints the exit codes and what was said.
PLAYING = """\
import contextlib, io, json, sys
from mcts_agents.cli import main
told = []
for agent, wide_from in json.loads(sys.argv[1]):
    sys.argv = ["mcts-agents", "play", f"wide:rules:wide_from={wide_from}"]
    sys.argv += ["--agent", agent, "--agent", "random", "--seed", "1"]
    sys.argv += ["--render", "none"]
    with contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            main()
        except SystemExit as ended:
            told.append((ended.code, said.getvalue()))
print(json.dumps(told))
"""

# What plays at random.
CALLS = [
    "model.playout(state, rng, 100)",
    "model.prepare_moves(); model.playout_moves(state, rng, 100)",
    "model.apply(state, {0: 0}, rng); model.legal_actions(state, 1)",
]
CALLING = """\
import json, sys
from mcts_agents.model import GameError, new_generator
from wide import rules
for call in json.loads(sys.argv[1]):
    model, rng = rules.model(), new_generator(1)
    state = model.reset(rng)
    try:
        exec(call)
    except GameError as error:
        print(error)
"""


def told_by(tmp_path, code, asked):
    """Return what code prints in a process where the game is."""
    (tmp_path / "wide.py").write_text(GAME)
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(asked)],
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_no_agent_plays_on(tmp_path):
    *_, told = told_by(tmp_path, PLAYING, PLAYED)
    for asked, (code, said) in zip(PLAYED, json.loads(told), strict=True):
        assert code == 2, (asked, said)
        lines = said.splitlines()
        (line,) = [line for line in lines if not line.startswith("Compiling")]
        assert line.startswith("mcts-agents: wide"), asked
        assert "legal_actions" in line, asked
        assert "legal_limit" in line, asked


def test_nothing_that_is_called_is_overwritten(tmp_path):
    told = told_by(tmp_path, CALLING, CALLS)
    for call, line in zip(CALLS, told, strict=True):
        assert "legal_limit" in line, call
