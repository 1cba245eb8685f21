"""Commands that experiments run, one after the other, each in a process of its own.

Scripts in the folders beside this file import it from here:
`sys.path.insert(0, str(Path(__file__).parents[1]))`.
"""

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

# Exit codes of mcts-agents.
FAILED = 1
INTERRUPTED = 130


def command(*arguments: Any, games_may_fail: bool = False) -> bool:
    """Run a command of mcts-agents; what it cannot do ends the script.

    Args:
        arguments: The words of the command.
        games_may_fail: Whether the script goes on if some games of the command failed.

    Returns:
        Whether no game failed.
    """
    words = ["-m", "mcts_agents"]
    return _run("mcts-agents", words, arguments, games_may_fail)


def script(path: Path, *arguments: Any) -> None:
    """Run a Python script; what it cannot do ends this one."""
    _run(f"python {shlex.quote(str(path))}", [str(path)], arguments)


def _run(
    shown: str,
    program: list[str],
    arguments: tuple[Any, ...],
    games_may_fail: bool = False,
) -> bool:
    words = [str(argument) for argument in arguments]
    print(f"{shown} {shlex.join(words)}", file=sys.stderr, flush=True)
    process = subprocess.Popen([sys.executable, *program, *words])
    interrupted = False
    while True:
        try:
            code = process.wait()
            break
        except KeyboardInterrupt:  # reaches the command too, which ends in order
            interrupted = True
    if code == FAILED and games_may_fail and not interrupted:
        return False
    if code or interrupted:
        sys.exit(code if code > 0 else INTERRUPTED if interrupted else 1)
    return True
