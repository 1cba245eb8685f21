"""Fixtures that several files share."""

import io
import itertools
import signal
import subprocess
import sys
import time

import hypothesis
import pytest

from mcts_agents.cli import main

# A suite that is started in the background inherits an interrupt that is ignored, and
# so do its children; some tests are about what an interrupt does.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No test fails because the machine is slow or busy, nor because other examples are
# tried than in the run before.
hypothesis.settings.register_profile(
    "any machine",
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("any machine")


@pytest.fixture
def ticking_clock(monkeypatch):
    """Let a millisecond pass each time the clock is read, and no other time."""
    readings = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: 1000 + next(readings) / 1000)


@pytest.fixture
def run_here(monkeypatch, capsys):
    """Run the command in this process: for the many whose end is all that matters."""

    def run_one(*arguments, stdin=None):
        monkeypatch.setattr(sys, "argv", ["mcts-agents", *arguments])
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return subprocess.CompletedProcess(
            arguments, ended.value.code, shown.out, shown.err
        )

    return run_one
