"""Plays one environment in this process; `conformance` starts it."""

import json
import sys

from others.cases import cases
from others.conformance import play


def main() -> None:
    """Print one line of JSON: what `play` has seen."""
    name, *flags = sys.argv[1:]
    (case,) = (case for case in cases() if case.name == name)
    print(json.dumps(play(case, "--plans" in flags)), flush=True)


if __name__ == "__main__":
    main()
