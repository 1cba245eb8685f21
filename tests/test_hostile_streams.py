"""Standard output, terminals and names as they may be, each in a real process."""

import json
import os
import subprocess
import sys

import pytest

from tests.command import COMMAND

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")


def shell(line, **environment):
    """Run a line of a shell, in which $M is the command."""
    command = " ".join(f"'{word}'" for word in COMMAND)
    return subprocess.run(
        ["bash", "-c", f'M() {{ {command} "$@"; }}; {line}'],
        capture_output=True,
        env={**os.environ, "COLUMNS": "120", **environment},
        check=False,
    )


def one_line(done, code, words):
    """Assert how a process ended, and what it said."""
    told = done.stderr.decode()
    assert done.returncode == code, told
    assert len(told.splitlines()) == 1, told
    assert words in told


@pytest.mark.parametrize("arguments", ["list", "list --json", "--help"])
@pytest.mark.parametrize(
    ("output", "words"),
    [("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")],
)
def test_output_that_cannot_be_written(arguments, output, words):
    done = shell(f"M {arguments} {output}")
    one_line(done, 2, f"standard output: cannot be written: {words}")


def test_errors_that_cannot_be_written():
    for errors in ("2> /dev/full", "2>&-", "2>&- >&- <&-"):
        done = shell(f"M lst {errors}")
        assert (done.returncode, done.stderr) == (2, b"")


def test_a_closed_descriptor_is_no_stores(tmp_path):
    """The first file that is opened would take the number of standard error."""
    store = tmp_path / "s.sqlite"
    done = shell(
        f"M tournament --game tictactoe --agent random --agent a=random --games 2 "
        f"--jobs 1 --store {store} 2>&- <&-"
    )
    assert done.returncode == 0
    assert b"complete" in shell(f"M results {store}").stdout


def test_a_reader_that_has_gone():
    done = shell("M list | head -1; exit ${PIPESTATUS[0]}")
    assert done.stderr == b""
    assert done.returncode == 141
    assert len(done.stdout.splitlines()) == 1


# What a command does, or code that it calls, when nobody reads its standard error.
TELLS = """
import sys
from mcts_agents.cli import listing, main
from mcts_agents.model.compile_progress import say, told

def list_all(*_):
    {}

listing.list_all = list_all
sys.argv = ["mcts-agents", "list"]
main()
"""


@pytest.mark.parametrize(
    "line",
    [
        "print('x', file=sys.stderr)",
        "say('x')",
        "with told('x', 1, 'kept'): print('compiled')",
    ],
)
@pytest.mark.parametrize("terminal", ["", "1"])
def test_a_reader_of_standard_error_that_has_gone(line, terminal):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-c", TELLS.format(line)],
        stdout=subprocess.PIPE,
        stderr=write,
        env={**os.environ, "FORCE_COLOR": terminal},
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stdout) == (141, b"")


def test_an_alphabet_without_lines_and_accents(tmp_path):
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    listed = shell("M list", **ascii_only)
    assert (listed.returncode, listed.stderr) == (0, b"")
    store = tmp_path / "s.sqlite"
    played = shell(
        "M tournament --game tictactoe --agent é=random --agent 日=random --games 2 "
        f"--jobs 1 --store {store} --json",
        **ascii_only,
    )
    assert played.returncode == 0, played.stderr
    names = {agent["agent"] for agent in json.loads(played.stdout)["agents"]}
    assert names == {"é", "日"}
    shown = shell(f"M results {store}", **ascii_only)
    assert shown.returncode == 0
    assert rb"\xe9" in shown.stdout
    assert shown.stdout.isascii()


@pytest.mark.parametrize("columns", ["0", "²", "999999999999", "-1", ""])
def test_widths_that_no_terminal_has(columns):
    done = shell("M list", COLUMNS=columns)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"tictactoe" in done.stdout


def test_a_working_folder_that_was_deleted(tmp_path):
    done = shell(f"mkdir {tmp_path}/d; cd {tmp_path}/d; rmdir ../d; M list")
    one_line(done, 2, "the working folder cannot be used: No such file")


def test_names_that_are_not_utf_8():
    for line in ("play $'\\xff'", "results $'\\xff.sqlite'", "lst$'\\xff'"):
        one_line(shell(f"M {line}"), 2, "expected UTF-8")
