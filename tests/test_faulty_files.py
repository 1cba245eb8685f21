"""Nothing is lost or left behind, at whichever call writing fails; see `faulty_files`.

After each failure the old file is as it was, or the new one is whole; no temporary file
is left (but by a kill); and doing it again gives what an undisturbed run gives.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
OPERATIONS = {  # and at how many points at least each is disturbed
    "agent.yaml": 20,
    "agent.json": 20,
    "p.npz": 20,
    "page.html": 20,
    "rows.csv": 20,
    "rows.parquet": 20,
    "g.html": 10,
    "a new file": 20,
    "a store goes on": 100,
    "a new store": 100,
    "a dataset goes on": 60,
}


@pytest.fixture(scope="module")
def found(tmp_path_factory, request):
    if sys.platform != "linux" or COMPILER is None:
        pytest.skip("needs Linux and a C compiler")
    folder = tmp_path_factory.mktemp("faults")
    place = folder
    if os.access("/dev/shm", os.W_OK):  # where nothing waits for a disk
        place = Path(tempfile.mkdtemp(dir="/dev/shm"))
        request.addfinalizer(lambda: shutil.rmtree(place))
    library = folder / "faulty_calls.so"
    source = Path(__file__).with_name("faulty_calls.c")
    subprocess.run(
        [COMPILER, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True
    )
    done = subprocess.run(
        [sys.executable, "-m", "tests.faulty_files", str(place / "files")],
        env={**os.environ, "LD_PRELOAD": str(library)},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_whatever_fails_the_old_file_or_the_new_one_is_there(operation, found):
    assert set(found) == set(OPERATIONS)
    points = found[operation]
    assert isinstance(points, int), points
    assert points >= OPERATIONS[operation]
