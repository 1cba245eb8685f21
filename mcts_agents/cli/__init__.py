"""`mcts-agents`: games and agents (`app`), tournaments (`arena_app`).

Results go to standard output, with `--json` as one object and nothing else; progress,
compile notices and errors go to standard error. Exit codes: 0 done, 1 `verify` found a
mismatch, `replay` chose differently from the stored game, or games of `tournament` or
`record` failed, 2 something was asked for that does not exist or cannot be read or
written, 130 interrupted or left by a person, 141 the reader of standard output has
gone.
"""

from mcts_agents.cli.app import app, main

__all__ = ["app", "main"]
