"""The cache of machine code when files are damaged, processes die and disks are full.

Every test runs real processes that compile a small module in a cache of their own.
"""

import errno
import os
import shutil
import stat

import pytest

from tests.model.compiling import FUNCTIONS, Compiling, Fault, in_two_threads

VALUE = 7


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def files(cache):
    """Return the files of the cache by the ends of their names, locks apart."""
    found = [path for path in cache.rglob("*") if path.is_file()]
    return sorted(path.suffix for path in found if path.suffix != ".lock")


def code_file(cache):
    (path,) = (cache / "mcts_agents").glob("toy_*.code")
    return path


def check_compiled(told):
    assert (told.value, told.hits, told.misses) == (VALUE, 0, FUNCTIONS), told.said


def check_found(told):
    assert (told.value, told.hits, told.misses) == (VALUE, FUNCTIONS, 0), told.said
    assert told.said == ""


def test_one_file_is_found_again(cache):
    told = Compiling(cache).end()
    check_compiled(told)
    assert told.said == "Compiling toy (2 functions; once for this version)\n"
    assert files(cache) == [".code"]
    check_found(Compiling(cache).end())


def flipped(content, at):
    changed = bytearray(content)
    changed[at] ^= 16
    return bytes(changed)


def damages(content):
    """Yield what may have become of a file."""
    yield b""
    for length in (1, 40, len(content) - 1):
        yield content[:length]
    for at in (0, 40, 100, len(content) // 2):
        yield flipped(content, at)
    yield content + b"more"
    yield b"of another format"


def test_a_damaged_file_is_made_again(cache):
    """Each file that a process leaves, each kind of damage: said once and healed."""
    check_compiled(Compiling(cache).end())
    left = [p for p in cache.rglob("*") if p.is_file() and p.stat().st_size]
    assert left
    for path in left:
        whole = path.read_bytes()
        for content in damages(whole):
            path.write_bytes(content)
            told = Compiling(cache).end()
            check_compiled(told)
            damaged, compiling = told.said.splitlines()
            assert damaged == f"{path} is damaged and is made again"
            assert compiling.startswith("Compiling toy")
    check_found(Compiling(cache).end())


def test_a_deleted_file_is_made_again(cache):
    check_compiled(Compiling(cache).end())
    code_file(cache).unlink()
    told = Compiling(cache).end()
    check_compiled(told)
    assert "damaged" not in told.said
    check_found(Compiling(cache).end())


def test_one_process_waits_for_the_other(cache):
    first = Compiling(cache, stops=("compiled",))
    assert first.until("at")
    second = Compiling(cache)
    assert second.until("said", "Waiting for another process, which is compiling toy\n")
    first.go_on()
    check_compiled(first.end())
    told = second.end()
    assert (told.value, told.hits, told.misses) == (VALUE, FUNCTIONS, 0)
    assert "Compiling" not in told.said


def test_of_many_processes_one_compiles(cache):
    told = [process.end() for process in [Compiling(cache) for _ in range(6)]]
    assert [one.value for one in told] == [VALUE] * 6
    assert sum(one.misses for one in told) == FUNCTIONS
    assert sum(one.hits for one in told) == 5 * FUNCTIONS


@pytest.mark.parametrize("place", ["begun", "compiled"])
def test_a_process_that_was_killed_is_succeeded(cache, place):
    first = Compiling(cache, stops=(place,))
    assert first.until("at")
    second = Compiling(cache)
    assert second.until("said", "Waiting")
    first.kill()
    told = second.end()
    check_compiled(told)
    assert told.said.splitlines()[-1].startswith("Compiling toy")
    assert files(cache) == [".code"]
    check_found(Compiling(cache).end())


@pytest.mark.parametrize("kind", ["error", "interrupt", "kill"])
def test_a_change_of_the_folder_that_fails(tmp_path, kind):
    """At each folder or file made, renamed or removed: the next process works."""
    failed = 0
    for at in range(7):
        cache = tmp_path / str(at)
        told = Compiling(cache, fault=Fault(kind, at)).end()
        if kind == "error":  # the code serves the process all the same
            assert told.value == VALUE
            failed += "(No space left on device)" in told.said
        else:
            failed += told.value is None
        after = Compiling(cache).end()
        assert after.value == VALUE
        assert "damaged" not in after.said
        assert files(cache) == [".code"]
    check_found(Compiling(cache).end())
    # The folders, the lock, the file beside and its renaming.
    assert failed >= 5


@pytest.mark.parametrize("size", [0, 1000])
@pytest.mark.parametrize("kind", ["size", "kill size"])
def test_a_disk_that_is_full(cache, kind, size):
    told = Compiling(cache, fault=Fault(kind, size)).end()
    if kind == "size":
        assert (told.value, told.misses) == (VALUE, FUNCTIONS)
        assert "cannot be kept" in told.said
        assert "(File too large)" in told.said
        assert files(cache) == []
    else:
        assert told.value is None
    check_compiled(Compiling(cache).end())
    assert files(cache) == [".code"]


def test_a_folder_that_cannot_be_written_serves(cache, tmp_path):
    """As part of an image, at another place than where it was made."""
    read_only = Fault("error", 0, errno.EROFS, lasting=True)
    check_compiled(Compiling(cache).end())
    copied = tmp_path / "image" / "cache"
    shutil.copytree(cache, copied)
    os.utime(code_file(copied), (0, 0))
    check_found(Compiling(copied, fault=read_only).end())
    # Without a file, or with a damaged one, the code serves the process only.
    code_file(copied).write_bytes(b"")
    told = Compiling(copied, fault=read_only).end()
    assert (told.value, told.hits, told.misses) == (VALUE, 0, 0)
    assert "cannot be kept in" in told.said
    assert "(Read-only file system)" in told.said
    assert "this process only" in told.said


def test_nobody_else_can_write_into_the_folder(cache):
    old = os.umask(0)
    try:
        check_compiled(Compiling(cache).end())
    finally:
        os.umask(old)
    folder = cache / "mcts_agents"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o777)
    # Said by those who write, not by all who read.
    check_found(Compiling(cache).end())
    code_file(cache).unlink()
    told = Compiling(cache).end()
    assert f"everybody can write to {folder}" in told.said
    assert "chmod o-w" in told.said


def test_a_second_thread_waits_for_the_first(cache, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(cache))
    assert in_two_threads() == [True, True]
