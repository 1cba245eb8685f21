"""`mcts-agents`: games and agents (`app`), tournaments (`arena_app`).

Results go to standard output, with `--json` as one object and nothing else; progress,
compile notices and errors go to standard error. Exit codes: 0 done, 1 `verify` found a
mismatch, `replay` chose differently from the stored game, games of `tournament`,
`tune`, `record` or `train` failed, or the code of a game or an agent ended the process,
2 something was asked for that does not exist or cannot be read or written, 130
interrupted or left by a person, 141 the reader of standard output or of standard error
has gone.
"""

import sys

from mcts_agents.cli.streams import INTERRUPTED, prepare_streams, tell

__all__ = ["main"]


def main() -> None:
    """Run the command line; wrong requests get one line on standard error."""
    try:
        prepare_streams()
        # Here, because Ctrl-C may come while this is imported. It is no help while the
        # package itself is imported, which comes before.
        from mcts_agents.cli.app import run

        code = run(sys.argv[1:] or ["--help"])
    except KeyboardInterrupt:
        tell("mcts-agents: interrupted")
        code = INTERRUPTED
    sys.exit(code)
