"""Fixtures that several files share."""

import subprocess
import sys

import pytest

from mcts_agents.cli import main


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
