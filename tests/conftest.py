"""Fixtures that several files share."""

import signal
import subprocess
import sys

import pytest

from mcts_agents.cli import main

# A suite that is started in the background inherits an interrupt that is ignored, and
# so do its children; some tests are about what an interrupt does.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def run_here(monkeypatch, capsys):
    """Run the command in this process: for the many whose end is all that matters."""

    def run_one(*arguments):
        monkeypatch.setattr(sys, "argv", ["mcts-agents", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return subprocess.CompletedProcess(
            arguments, ended.value.code, shown.out, shown.err
        )

    return run_one
