"""Plays environments in this process; `conformance.in_process` starts it."""

import argparse
import json

from others.cases import cases
from others.conformance import LINE, MEASURED, play


def main() -> None:
    """Print one line for each environment: what `play` has seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--plans", action="store_true")
    parser.add_argument("--measured", type=float, default=MEASURED)
    arguments = parser.parse_args()
    known = {case.name: case for case in cases()}
    for name in arguments.names:
        seen = play(known[name], arguments.plans, arguments.measured)
        print(f"\n{LINE}{json.dumps(seen)}", flush=True)


if __name__ == "__main__":
    main()
