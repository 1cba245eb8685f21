"""Output files: replaced as a whole, and never in place of a device or a pipe."""

import contextlib
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from mcts_agents import make_agent
from mcts_agents.agents.policies.files import write_npz
from mcts_agents.agents.policies.perceptron import Perceptron
from mcts_agents.agents.saving import save_agent
from mcts_agents.arena.analysis.intervals import wilson
from mcts_agents.arena.analysis.tournament_results import read_results
from mcts_agents.arena.reports.export import export_rows
from mcts_agents.arena.reports.report import write_report
from mcts_agents.cli import tree
from mcts_agents.learn import draw_learning_curve
from mcts_agents.writing import replacing
from tests.arena.stored import store
from tests.arena.synthetic import names, tournament

as_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can make devices")


def write(path, text):
    with replacing(path) as temporary:
        temporary.write_text(text)


def test_a_file_is_made_and_replaced_and_nothing_else_is_left(tmp_path):
    path = tmp_path / ("ü" * 125)  # 250 bytes; names have 255 at most
    for text in ("one", "two"):
        write(path, text)
        assert path.read_text() == text
        assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_rights_of_any_new_file_and_an_old_one_keeps_its(tmp_path):
    new, old, any_other = tmp_path / "new", tmp_path / "old", tmp_path / "other"
    any_other.touch()
    old.touch()
    old.chmod(0o640)
    for path in (new, old):
        write(path, "x")
    assert new.stat().st_mode == any_other.stat().st_mode
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_what_was_there_stays_if_writing_fails(tmp_path, error):
    path = tmp_path / "page.html"
    write(path, "before")
    with pytest.raises(error), replacing(path) as temporary:
        temporary.write_text("half")
        raise error
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    link.symlink_to(Path("folder", "target"))
    for text in ("through a link that leads nowhere yet", "and through one that does"):
        write(link, text)
        assert link.is_symlink()
        assert not target.is_symlink()
        assert target.read_text() == text
        assert list(target.parent.iterdir()) == [target]
    assert sorted(tmp_path.iterdir()) == [target.parent, link]


def test_what_cannot_be_a_file_is_named(tmp_path):
    file, loop = tmp_path / "file", tmp_path / "loop"
    file.write_text("before")
    loop.symlink_to(loop)
    for path, error, why in (
        (tmp_path, IsADirectoryError, "Is a directory"),
        (file / "page", NotADirectoryError, "Not a directory"),
        (tmp_path / "none" / "page", FileNotFoundError, "No such file"),
        (loop, OSError, "symbolic links"),
        (tmp_path / ("n" * 300), OSError, "File name too long"),
    ):
        with pytest.raises(error, match=why) as raised:
            write(path, "x")
        assert raised.value.filename == str(path)
    assert file.read_text() == "before"
    assert sorted(tmp_path.iterdir()) == [file, loop]


@contextlib.contextmanager
def drained(path):
    """Make a pipe and give what is written into it, also if nothing ever is."""
    os.mkfifo(path)
    held = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    found, ended = bytearray(), threading.Event()

    def drain():
        with contextlib.suppress(BlockingIOError):
            while block := os.read(held, 65536):
                found.extend(block)

    def read():
        while not ended.wait(0.01):
            drain()

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield found
    finally:
        ended.set()
        reader.join()
        drain()
        os.close(held)


def test_a_pipe_is_written_into(tmp_path):
    path = tmp_path / "pipe"
    text = "more than a pipe holds at once" * 10_000
    with drained(path) as found:
        write(path, text)
    assert found.decode() == text
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def device(tmp_path):
    """Make devices that are like the system's own, which no test may touch."""

    def make(name):
        original = os.stat(f"/dev/{name}")
        path = tmp_path / name
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, original.st_rdev)
            os.close(os.open(path, os.O_WRONLY))
        except OSError as error:
            pytest.skip(f"no device can be made here: {error}")
        return path

    return make


def is_device(path, name):
    found = os.lstat(path)
    return stat.S_ISCHR(found.st_mode) and (
        found.st_rdev == os.stat(f"/dev/{name}").st_rdev
    )


@as_root
def test_a_device_stays_a_device(tmp_path, device):
    null, full = device("null"), device("full")
    write(null, "x")
    link = tmp_path / "link"
    link.symlink_to(full)
    for path in (full, link):
        with pytest.raises(OSError, match="No space left on device"):
            write(path, "x")
    assert is_device(null, "null")
    assert is_device(full, "full")
    assert link.is_symlink()
    assert sorted(tmp_path.iterdir()) == [full, link, null]


def save(path):
    save_agent(make_agent("mcts:tree=multi"), path)


def export(path):
    export_rows(tournament(agents=2, games=2, players=(2,)), path)


def report(path):
    games = tournament(agents=2, games=2, players=(2,))
    kept = store(path.parent / "games.db", games, names(2))
    try:
        write_report(read_results(kept), path)
    finally:
        kept.unlink()
        kept.with_name("games.db.lock").unlink(missing_ok=True)


def policy(path):
    arrays = {"policy.0.weight": np.ones((3, 2)), "policy.0.bias": np.ones(3)}
    write_npz(path, Perceptron(arrays, "tanh"), "flat")


def curve(path):
    draw_learning_curve(path, {"random": [(0, wilson(1, 2))]}, title="x")


WRITERS = {
    "agent.yaml": save,
    "rows.csv": export,
    "rows.parquet": export,
    "page.html": report,
    "policy.npz": policy,
    "curve.svg": curve,
    "curve.png": curve,
    "tree.txt": lambda path: tree._write("a tree", path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_goes_this_way(name, tmp_path):
    """Through a link, and into a pipe that must not become a file."""
    plain, link, pipe = (tmp_path / kind / name for kind in ("plain", "link", "pipe"))
    for path in (plain, link, pipe):
        path.parent.mkdir()
    link.symlink_to(link.with_name("target"))
    with drained(pipe) as found:
        for path in (plain, link, pipe):
            WRITERS[name](path)
    assert link.is_symlink()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    written = [plain.read_bytes(), link.read_bytes(), bytes(found)]
    if name == "curve.svg":  # has the time and random names in it
        assert all(content.endswith(b"</svg>\n") for content in written)
    else:
        assert written[0] == written[1] == written[2] != b""
    for folder, left in (("plain", {name}), ("link", {name, "target"})):
        assert {path.name for path in (tmp_path / folder).iterdir()} == left


SCRIPT = """
import sys
from mcts_agents.writing import replacing
print("before", end=" ")
with replacing(sys.argv[1]) as temporary:
    temporary.write_text("page")
print(" after", end="")
"""


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs Linux's /proc")
def test_the_standard_output_by_its_name(tmp_path):
    """A pipe, and a file to which others add."""
    # As /dev/stdout is, which no test may touch.
    name = tmp_path / "stdout"
    name.symlink_to("/proc/self/fd/1")
    command = [sys.executable, "-c", SCRIPT, str(name)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "before page after"
    path = tmp_path / "log"
    path.write_text("first ")
    with path.open("a") as log:
        subprocess.run(command, stdout=log, check=True)
    assert path.read_text() == "first before page after"
    assert os.readlink(name) == "/proc/self/fd/1"
    assert sorted(tmp_path.iterdir()) == [path, name]


@as_root
def test_the_command_writes_into_devices(tmp_path, device, run_here):
    full = device("full")
    games = tournament(agents=2, games=2, players=(2,))
    kept = str(store(tmp_path / "games.db", games, names(2)))
    done = run_here("report", kept, "--output", str(full))
    assert is_device(full, "full")
    assert done.returncode == 2
    assert done.stderr == (
        f"mcts-agents: {full}: cannot be written: No space left on device\n"
    )


def test_the_command_names_what_cannot_be_written(tmp_path, run_here):
    games = tournament(agents=2, games=2, players=(2,))
    kept = str(store(tmp_path / "games.db", games, names(2)))
    (tmp_path / "file").touch()
    (tmp_path / "nowhere").symlink_to(tmp_path / "none" / "page.html")
    for output, why in (
        (".", "this is a folder; name a file"),
        ("file/page.html", f"there is no folder {tmp_path / 'file'}"),
        ("nowhere", "cannot be written: No such file or directory"),
        ("games.db", "this is the store itself; use another name"),
    ):
        path = tmp_path / output
        done = run_here("report", kept, "--output", str(path))
        assert done.returncode == 2
        assert done.stderr == f"mcts-agents: {path}: {why}\n"
