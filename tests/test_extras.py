"""The package without its extras: what works all the same, and what is said."""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.arena.playing import Here, run
from tests.test_rooms import MODULES

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
GAMES = ROOT / "tests" / "recordings" / "openspiel"
EXTRAS = PROJECT["optional-dependencies"]
# These are for people who work on the package.
OURS = ("test", "dev")

# What nobody can use without an extra.
LACKING = {
    "arena": (
        r"arena\.analysis(\..*)?", r"arena\.reports\.(pairs|pictures|report)",
        r"cli\.(report|results|tournament|tune)", r"ui\.stores",
    ),
    "pictures": (r"arena\.replay\.(film|gif|html|panel)",),
    "rl": (
        r"networks\.(evaluator|layers|losses|network|onnx_export|saving)",
        r"learn\.training\.(block_playing|checkpoints|cluster_playing|folder)",
        r"learn\.training\.(imitation|inference|learner|listeners|precision|trainer)",
        r"cli\.(imitate|train)",
    ),
    "ui": (
        r"cli\.ui", r"ui\.(guard|pictures|play_session|replay_session|server)",
        r"ui\.(search_views|views|worlds)",
    ),
}  # fmt: skip

# What the command line of a tournament needs, and of all that reads its store.
TOURNAMENT = [
    "tournament", "--game", "tictactoe", "--agent", "random", "--agent", "one-step",
    "--games", "2", "--store", "new.sqlite",
]  # fmt: skip
TUNE = ["tune", "--game", "tictactoe", "--budget", "5", "--store", "tune.sqlite"]
RECORD = ["record", "tictactoe", "--agent", "random", "--games", "2", "--jobs", "1"]
REFUSED = {
    "arena": [
        TOURNAMENT,
        [*TOURNAMENT, "--report", "new.html"],
        ["results", "s.sqlite"],
        ["results", "s.sqlite", "--json"],
        ["watch", "s.sqlite"],
        ["report", "s.sqlite", "--output", "new.html", "--pictures", "pictures"],
    ],
    "pictures": [
        ["replay", "s.sqlite", "1", "--output", "new.gif"],
        ["replay", "s.sqlite", "1", "--output", "new.html"],
    ],
    "rl": [["train", "tictactoe", "--out", "new"], ["imitate", "x", "--out", "new"]],
    "tune": [TUNE],
    "ui": [["ui", "--port", "0"]],
    "parquet": [
        ["export", "s.sqlite", "--output", "new.parquet"],
        [*RECORD, "--format", "parquet", "--out", "new"],
    ],
}
WORKING = [
    ["--help"],
    ["list"],
    [
        "play", "tictactoe", "--seed", "1",
        "--agent", "mcts:simulations=20", "--agent", "one-step",
    ],
    ["bench", "tictactoe", "--simulations", "100"],
    ["tree", "tictactoe", "--agent", "mcts:simulations=20"],
    ["compile", "tictactoe"],
    ["verify", "tictactoe", str(GAMES / "tic_tac_toe.jsonl.gz")],
    [*RECORD, "--out", "recorded"],
    ["replay", "s.sqlite", "1"],
    ["export", "s.sqlite", "--output", "rows.csv"],
]  # fmt: skip


def distribution(requirement):
    """The name of what is required, as all its spellings are written."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


def modules_of(*extras):
    """The modules that extras bring, as they are imported."""
    wanted = {distribution(r) for extra in extras for r in EXTRAS[extra]}
    wanted -= {distribution(PROJECT["name"])}
    return {
        module
        for module, names in packages_distributions().items()
        if wanted & set(map(distribution, names))
    }


def without_extras(place, hiding, **asked):
    """What happens in a folder where no extra is installed; see `without_extras`."""
    hidden = sorted(modules_of(*(extra for extra in EXTRAS if extra not in OURS)))
    (hiding / "sitecustomize.py").write_text(
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] in {hidden}:\n"
        "            raise ModuleNotFoundError('hidden by a test', name=name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
    )
    # Processes that a command starts find it too.
    paths = [str(hiding), str(ROOT), os.environ.get("PYTHONPATH", "")]
    paths = os.pathsep.join(filter(None, paths))
    done = subprocess.run(
        [sys.executable, "-m", "tests.without_extras"],
        input=json.dumps({**asked, "folder": str(place)}),
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": paths, "COLUMNS": "120"},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def hint(extra):
    return f'in the checkout of mcts-agents, run pip install --editable ".[{extra}]"'


def refused(done, extra):
    """Assert that a command said in one line what to install, and nothing else."""
    assert done["code"] == 2
    assert done["out"] == ""
    assert re.fullmatch(r"mcts-agents: .* needs? .*\n", done["errors"]), done["errors"]
    assert done["errors"].endswith(f": {hint(extra)}\n")


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """What the core alone does, and the names of the files that it leaves."""
    place = tmp_path_factory.mktemp("place")
    keys = {"games": ["tictactoe"], "agents": ["random", "one-step"], "budgets": ()}
    run(place / "s.sqlite", Here(), **keys, games_each=2)
    (place / "s.sqlite.lock").unlink()
    before = (place / "s.sqlite").read_bytes()
    seen = without_extras(
        place,
        tmp_path_factory.mktemp("hiding"),
        commands=[*WORKING, *(c for wrong in REFUSED.values() for c in wrong)],
        modules=list(MODULES),
    )
    assert (place / "s.sqlite").read_bytes() == before
    seen["left"] = {path.name for path in place.iterdir()}
    done = iter(seen["commands"])
    seen["working"] = [next(done) for _ in WORKING]
    seen["refused"] = {
        extra: [next(done) for _ in wrong] for extra, wrong in REFUSED.items()
    }
    return seen


def test_extras_bring_what_the_test_hides():
    assert {"scipy", "choix", "jinja2", "matplotlib"} <= modules_of("arena")
    assert {"PIL", "pygame"} <= modules_of("pictures")
    core = set(map(distribution, PROJECT["dependencies"]))
    for extra, requirements in EXTRAS.items():
        assert not core & set(map(distribution, requirements)), extra


def test_whoever_tests_or_trains_gets_statistics_and_pictures():
    for extra in ("test", "rl"):
        (own,) = (r for r in EXTRAS[extra] if r.startswith(PROJECT["name"]))
        assert {"arena", "pictures"} <= set(re.findall(r"[a-z]+", own.split("[")[1]))


def test_modules_of_the_core_can_be_imported(core):
    for module in MODULES:
        text = core["modules"].get(module, "")
        lacks = [
            extra
            for extra, patterns in LACKING.items()
            if any(re.fullmatch(rf"mcts_agents\.{p}", module) for p in patterns)
        ]
        said = [extra for extra in EXTRAS if text.endswith(hint(extra))]
        assert said == lacks, module


def test_games_are_played_in_every_loop(core):
    assert set(core["in turn"].values()) <= {-1.0, 0.0, 1.0}
    assert core["in turn"]["player_0"] == -core["in turn"]["player_1"]
    assert set(core["at once"]) == {"player_0", "player_1"}
    assert core["one learner"] in (-1.0, 1.0)


@pytest.mark.parametrize("number", range(len(WORKING)), ids=lambda n: WORKING[n][0])
def test_commands_of_the_core_work(core, number):
    done = core["working"][number]
    assert done["code"] == 0, done["errors"]
    assert done["out"]


def test_commands_say_what_to_install_and_write_nothing(core):
    for extra, commands in core["refused"].items():
        for done in commands:
            refused(done, extra)
    assert core["left"] == {"s.sqlite", "rows.csv", "recorded"}


def test_calls_say_what_to_install(core):
    said = dict(core["lacking"])
    network, onnx = said.pop("read_network"), said.pop("read_onnx")
    assert onnx.endswith(
        "net.onnx: networks in ONNX files need onnx and onnxruntime: " + hint("onnx")
    )
    assert network.endswith(
        "net.safetensors: reading this file takes safetensors, which is not installed: "
        + hint("rl")
    )
    assert said == {
        "draw": f"drawing needs pygame-ce: {hint('pictures')}",
        "open_window": f"drawing needs pygame-ce: {hint('pictures')}",
        "draw_curve": f"learning curves need matplotlib: {hint('arena')}",
        "evaluate": f"win rates and ratings need SciPy and choix: {hint('arena')}",
        "record_parquet": f"format='parquet' needs pyarrow: {hint('parquet')}",
        "check": f"check_rules needs SciPy: {hint('arena')}",
        "make_network": f"networks need PyTorch: {hint('rl')}",
        "ray": f"the ray backend needs Ray: {hint('ray')}",
    }
