"""Run the command line as scripts do."""

import os
import subprocess
import sys

COMMAND = [sys.executable, "-m", "mcts_agents"]


def run(*arguments, stdin=None):
    """Run the command in a process of its own."""
    return subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "120"},
    )
