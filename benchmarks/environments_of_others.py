"""A table of third-party environments: which plan, which are refused and why.

    pip install --editable ".[environments]"
    python benchmarks/environments_of_others.py [NAME ...] [--small] [--page FILE]

Each environment is played twice from the same seeds by the same random actions, each
time in a process of its own: without plans, and with plans before some of the steps. It
*plans* if both go on alike, and no plan changed anything in the live environment or
consumed random numbers. It is *refused* if the first plan raises a ValueError of one
line. All else is WRONG, and the command then ends with status 1.

--page FILE puts the table into a page, instead of the one that it has. All of them take
a quarter of an hour; to try them in several runs, collect the lines of --json in a file
and make the table of it with --read FILE.

Names are parts of names of environments; --small tries those alone that the tests try.
Environments that cannot be made here are listed below the table, with the message.
"""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from others.conformance import MISSING, PLANS, REFUSED, WRONG, Found, chosen, try_case

from mcts_agents.writing import replacing

# Between these comments a page has the table.
BEGIN = "<!-- The table is made by benchmarks/environments_of_others.py. -->"
END = "<!-- The table ends here. -->"


def table(found: list[Found]) -> str:
    """Return a Markdown table, notes, and what could not be made here."""
    lines = [
        "| environment | package | agents | simulations/s | copy, µs | step, µs |",
        "|---|---|---|--:|--:|--:|",
    ]
    notes: list[str] = []
    for one in found:
        if one.verdict == MISSING:
            continue
        note = ""
        if one.why:
            notes.append(f"{len(notes) + 1}. `{one.name}`: {_line(one.why)}")
            note = f" ({len(notes)})"
        numbers = (one.simulations, _micro(one.copy), _micro(one.step))
        lines.append(
            f"| `{one.name}` | {one.version} | {one.verdict}{note} | "
            + " | ".join(map(_number, numbers))
            + " |"
        )
    if notes:
        lines += ["", "Notes:", "", *notes]
    missing = [one for one in found if one.verdict == MISSING]
    if missing:
        told = "These could not be created on the machine that made this table:"
        lines += ["", told, ""]
        lines += [
            f"- `{one.name}` ({one.version}): {_line(one.why)}" for one in missing
        ]
    return "\n".join(lines) + "\n"


def with_table(page: str, text: str) -> str:
    """Return a page with another table between its two comments.

    Raises:
        ValueError: It lacks one of them.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"the page lacks the line {END if begin else BEGIN}")
    return f"{before}{BEGIN}\n\n{text}\n{END}{after}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def _micro(seconds: float | None) -> float | None:
    return None if seconds is None else 1e6 * seconds


def tried(arguments: argparse.Namespace) -> list[Found]:
    """Try the environments that are asked for, and tell of each."""
    found = []
    for case in chosen(arguments.names):
        if arguments.small and not case.is_small:
            continue
        one = try_case(case)
        found.append(one)
        if arguments.json:
            print(json.dumps(asdict(one)), flush=True)
        else:
            print(f"{one.name}: {one.verdict} {one.why}", file=sys.stderr, flush=True)
            for note in one.notes:
                print(f"    left behind: {note}", file=sys.stderr, flush=True)
    return found


def read(path: str) -> list[Found]:
    """Return what lines of --json tell of the environments, the last of each."""
    lines = Path(path).read_text().splitlines()
    told = [Found(**json.loads(line)) for line in lines if line.startswith("{")]
    by_name = {one.name: one for one in told}
    return [by_name[case.name] for case in chosen([]) if case.name in by_name]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--small", action="store_true", help="those of the tests only")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each")
    parser.add_argument("--read", help="make the table of lines of --json")
    parser.add_argument("--page", help="write the table into this page")
    arguments = parser.parse_args()
    if arguments.read and (arguments.names or arguments.small or arguments.json):
        parser.error("--read makes a table of what was tried, and tries nothing")
    found = read(arguments.read) if arguments.read else tried(arguments)
    counts = {
        verdict: sum(one.verdict == verdict for one in found)
        for verdict in (PLANS, REFUSED, WRONG, MISSING)
    }
    summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    text = f"{table(found)}\n{summary}.\n"
    if arguments.page:
        page = Path(arguments.page).read_text()
        with replacing(arguments.page) as file:
            file.write_text(with_table(page, text))
    elif not arguments.json:
        print(text, end="")
    return 1 if counts[WRONG] else 0


if __name__ == "__main__":
    raise SystemExit(main())
