"""Count how hostile command lines and files end: `python -m tests.count_hostile`.

Each case is a process of its own, forked from one that has imported everything and
played a game, so that neither imports nor compiling count. Of each are measured the
seconds, and by how much its memory grew beyond what it began with.
"""

import argparse
import contextlib
import importlib
import os
import random
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

from mcts_agents.cli import main, results
from tests import hostile

MOST_SECONDS = 5.0
MOST_MIB = 200
# Beyond which a case is ended.
PATIENCE = 60.0


class _Clock:
    """Stands in for time where `watch` waits: the person at it has seen enough."""

    @staticmethod
    def sleep(seconds):
        raise KeyboardInterrupt


def resident():
    """Return the bytes of memory that this process has in use."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def run_case(make, seed, whole, folder):
    """Run one case in a process of its own; return its command line and its end."""
    hostile.copied(whole, folder)
    arguments = make(random.Random(seed), folder)
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        _run(arguments, folder)
    while True:
        pid, status, _ = os.wait4(child, os.WNOHANG)
        seconds = time.monotonic() - started
        if pid:
            code = os.waitstatus_to_exitcode(status)
            break
        if seconds > PATIENCE:
            os.killpg(child, 9)
            os.waitpid(child, 0)
            code = "still running"
            break
        time.sleep(0.002)
    errors = (folder / "stderr").read_text(errors="backslashreplace")
    grown = (folder / "grown").read_text() if (folder / "grown").exists() else "0"
    return arguments, code, errors, seconds, int(grown) / 2**20


def _run(arguments, folder):
    """Be the command: never returns."""
    os.setpgid(0, 0)
    os.chdir(folder)
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        file = os.open(folder / name, os.O_WRONLY | os.O_CREAT, 0o600)
        os.dup2(file, descriptor)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    results.time = _Clock
    sys.argv = ["mcts-agents", *arguments]
    # The most that was ever in use starts anew with 5.
    Path("/proc/self/clear_refs").write_text("5")
    before = resident()
    code = 99
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        import traceback

        traceback.print_exc()
    peak = 1024 * int(
        next(
            line.split()[1]
            for line in Path("/proc/self/status").read_text().splitlines()
            if line.startswith("VmHWM")
        )
    )
    (folder / "grown").write_text(str(max(0, peak - before)))
    sys.stderr.flush()
    os._exit(code)


def count(name, make, number, first, whole, folder):
    """Run the cases of one kind, print the figures and return how many went wrong."""
    ends, wrong, longest, largest = {}, 0, 0.0, 0.0
    for seed in range(first, first + number):
        case = Path(tempfile.mkdtemp(dir=folder))
        arguments, code, errors, seconds, grown = run_case(make, seed, whole, case)
        ends[code] = ends.get(code, 0) + 1
        if code != 0:
            longest = max(longest, seconds)
        largest = max(largest, grown)
        why = hostile.judge(code, errors)
        if seconds > MOST_SECONDS and code != 0:  # what is done may take its time
            why = f"{why or ''} {seconds:.1f} s"
        if grown > MOST_MIB:
            why = f"{why or ''} {grown:.0f} MiB"
        if why:
            wrong += 1
            shown = [argument[:80] for argument in arguments]
            print(f"{name} {seed}: {why}: {shown}\n{errors[-1500:]}", flush=True)
        shutil.rmtree(case)
    print(
        f"{number} {name}: {wrong} wrong; exit codes {ends}; the longest of those "
        f"that were not done took {longest:.1f} s; most memory {largest:.0f} MiB",
        flush=True,
    )
    return wrong


def main_here():
    """Count, and end with 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--first", type=int, default=0, help="seed of the first case")
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole")
        whole.mkdir()
        hostile.prepared(whole)
        for command in (  # imports and compiles what the cases use
            *(
                command
                # Not what starts workers: their threads do not live on in a fork.
                for name, readers in hostile.READERS.items()
                for command in readers
                if name != "tournament.yaml"
            ),
            ["bench", "tictactoe", "--simulations", "2"],
            ["tree", "hex:size=3", "--agent", "mcts:simulations=3"],
        ):
            _in_this_process(command, whole)
        shutil.rmtree(whole)
        whole.mkdir()
        hostile.prepared(whole)
        for name in ("optuna", "sqlalchemy", "pyarrow.parquet", "torch"):
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        wrong = 0
        for name, make, number in (
            ("lines", hostile.line, asked.lines),
            ("files", hostile.file, asked.files),
        ):
            wrong += count(name, make, number, asked.first, whole, folder)
    sys.exit(min(wrong, 1))


def _in_this_process(arguments, folder):
    os.chdir(folder)
    sys.argv = ["mcts-agents", *arguments]
    shown, sys.stdout = sys.stdout, open(os.devnull, "w")
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            print(arguments, "ended with", ended.code, file=sys.stderr)
    finally:
        sys.stdout = shown
        os.chdir("/")


if __name__ == "__main__":
    main_here()
