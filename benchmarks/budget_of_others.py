"""How well 200 ms are kept in third-party environments whose steps take long.

    pip install --editable ".[environments]"
    python benchmarks/budget_of_others.py [--seconds 0.2] [--decisions 100]

Measured as `decision_times.py` says: the budget holds where the 99th percentile of
decisions is below the budget plus one step of the environment.
"""

import argparse
import sys

from decision_times import Case, Times, line, print_head
from others.conformance import chosen

NAMES = ("chess_v6", "go_v5, 9x9", "go_v5, 19x19", "highway-v0", "highway-fast-v0")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--decisions", type=int, default=100)
    parser.add_argument("--only", default="", help="part of the names to measure")
    arguments = parser.parse_args()
    print_head(arguments.seconds)
    held = []
    for other in chosen(NAMES):
        if arguments.only in other.name:
            case = Case(other.name, other.make)
            text, holds = line(
                case, Times(case, arguments.seconds, arguments.decisions)
            )
            print(text, flush=True)
            held.append(holds)
    print(f"{sum(held)} of {len(held)} hold")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
