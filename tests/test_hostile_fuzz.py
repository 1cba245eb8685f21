"""Command lines, specs and files by chance: one line and exit code 2, or what is asked.

The cases are the same in every run. With `MCTS_AGENTS_FUZZ=2000` so many other ones of
each kind are tried, new ones each time; `python -m tests.count_hostile` gives each case
a process of its own, and measures its time and memory.
"""

import io
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcts_agents.agents import make_agent
from mcts_agents.cli import main, results
from mcts_agents.envs import make_model
from mcts_agents.names import MOST_SPEC, parse_spec
from tests import hostile

pytestmark = pytest.mark.skipif(os.name == "nt", reason="makes pipes")

WANTED = os.environ.get("MCTS_AGENTS_FUZZ")
# Seconds after which a case is said to hang, with much patience for a busy machine.
HANGS = 600


def fuzz(examples):
    """Settings of the tests: so many cases, the same ones unless more are asked for."""
    return settings(
        max_examples=int(WANTED or examples),
        derandomize=not WANTED,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


RANDOM = st.randoms(use_true_random=False)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder with valid files of all kinds."""
    return hostile.prepared(tmp_path_factory.mktemp("whole"))


class Clock:
    """Stands in for time where `watch` waits: the person at it has seen enough."""

    @staticmethod
    def sleep(seconds):
        raise KeyboardInterrupt


def hang(number, frame):
    """Say where a case hangs."""
    raise AssertionError("a case takes too long")


def ended(make, rng, whole):
    """Run a case in a folder of its own; return its command line and how it ended."""
    before = os.getcwd()
    shown = sys.stdin, sys.stdout, sys.stderr
    previous = signal.signal(signal.SIGALRM, hang)
    folder = Path(tempfile.mkdtemp())
    try:
        hostile.copied(whole, folder)
        arguments = make(rng, folder)
        os.chdir(folder)
        sys.argv = ["mcts-agents", *arguments]
        sys.stdin, sys.stdout, sys.stderr = io.StringIO(), io.StringIO(), io.StringIO()
        errors = sys.stderr
        signal.alarm(HANGS)
        with pytest.raises(SystemExit) as exit:
            main()
        return arguments, exit.value.code, errors.getvalue()
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
        sys.stdin, sys.stdout, sys.stderr = shown
        os.chdir(before)
        shutil.rmtree(folder)


@pytest.mark.parametrize("make", [hostile.line, hostile.file])
def test_one_line_and_exit_code_2(whole, monkeypatch, make):
    monkeypatch.setattr(results, "time", Clock)
    monkeypatch.setattr("uvicorn.Server.run", lambda server: None)  # without an end
    monkeypatch.setattr(sys, "argv", sys.argv)

    @fuzz(100)
    @given(RANDOM)
    def check(rng):
        arguments, code, errors = ended(make, rng, whole)
        why = hostile.judge(code, errors)
        assert why is None, (arguments, errors)

    check()


@pytest.mark.parametrize("read", [make_agent, make_model, parse_spec])
def test_specs_are_read_or_refused(read):
    @fuzz(300)
    @given(RANDOM)
    def check(rng):
        spec = rng.choice(hostile.AGENTS + hostile.GAMES)
        for _ in range(rng.choice((1, 1, 2, 3))):
            spec = hostile.spoiled_text(rng, spec)
        try:
            read(spec)
        except ValueError as error:
            assert len(str(error)) < 2 * MOST_SPEC

    check()
