"""`mcts-agents`: list, play, bench, tree, verify.

Results go to standard output, with `--json` as one object and nothing else; progress,
compile notices and errors go to standard error. Exit codes: 0 done, 1 `verify` found a
mismatch or `replay` another choice, 2 something was asked for that does not exist,
130 interrupted.
"""

from mcts_agents.cli.app import app, main

__all__ = ["app", "main"]
