"""`make demo`: a Sushi Go game of four different agents, then Chinese Checkers.

python examples/demo.py                  # the last positions, and tables of results
python examples/demo.py --render ansi    # every move and position
"""

import argparse
import subprocess
import sys

GAMES = [
    ["sushi_go", "--players", "4",
     "--agent", "mcts:tree=multi,simulations=2000",
     "--agent", "mcts:simulations=2000",
     "--agent", "one-step",
     "--agent", "random"],
    ["chinese_checkers", "--players", "3",
     "--agent", "mcts:tree=multi,simulations=1000",
     "--agent", "mcts:paranoid=true,simulations=1000",
     "--agent", "one-step"],
]  # fmt: skip


def main() -> int:
    """Play both games by the command line and return the exit code."""
    parser = argparse.ArgumentParser(description="Play two games between agents.")
    parser.add_argument("--render", choices=("last", "ansi", "none"), default="last")
    render = parser.parse_args().render
    for game in GAMES:
        command = [sys.executable, "-m", "mcts_agents", "play", *game, "--seed", "7"]
        command += ["--render", render]
        print("$ mcts-agents", " ".join(command[3:]), flush=True)
        code = subprocess.run(command, check=False).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
