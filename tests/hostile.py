"""Hostile command lines and files, made by chance; a case is a function of a generator.

`line` and `file` return the arguments of one command. What they build is valid but for
what they spoil, and often that does not matter: then the command does what it says,
which is little, since budgets are tiny. `judge` says what was wrong with the end.
"""

import functools
import gzip
import importlib.util
import json
import os
import re
import shutil
from pathlib import Path

import typer
import yaml

from mcts_agents.arena.playing.workers import play
from mcts_agents.arena.tournaments.tournament import open_store, prepare, run_tournament
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.cli.app import app
from tests.agents.policies import arrays, saved
from tests.golden import SMALL_SET
from tests.learn.recorded import Here, record_here
from tests.test_cli import recorded_draw

COMMANDS = typer.main.get_command(app).commands

# Beyond what any option takes, or no number at all.
NUMBERS = (
    *("-1", "0", "9" * 23, "-" + "9" * 23, "9" * 5000, "1e999", "nan", "inf", "-0.0"),
    *("0x10", "1_0", "٣", "1.5", "", " ", "true", "none", "1e-400", "++1", "1" * 400),
)
TEXTS = (
    *("", " ", "\n", "-", "--", "=", ":", ",", "(", ")", "()", "a=b", "mcts:", "~"),
    *("[bold]x[/]", "%s{}{0}", "\x1b[31m", "é\u2028ü", "🦄" * 60, "\udcff", "a\tb"),
    *("a" * 70_000, "mcts:" * 40, "x.yaml", "(" * 9000, "mcts:rollout=" * 9, ".."),
)
AGENTS = (
    *("random", "one-step:samples=1", "mcts:simulations=3", "scripted:policy=x"),
    *("multitree:simulations=2", "mcts:simulations=2,opponent_model=(one-step)"),
    *("mcts:simulations=2,tree=multi,information=perfect", "pimc", "oma-pw"),
    *("policy:file=policy.npz", "agent.yaml", "agent.json:simulations=2", "mcts"),
)
GAMES = ("tictactoe", "hex:size=3", "hex:size=3,first_cell=a1", "tictactoe:players=2")

# What an option of this name is given as a rule; any other is 1. Work stays small.
VALUES = {
    "game": GAMES,
    "agent": AGENTS,
    "against": AGENTS,
    "field": AGENTS,
    "players": ("2",),
    "budget": ("2", "3calls", "1ms"),
    "simulations": ("2",),
    "store": ("store.sqlite", "new.sqlite"),
    "file": ("tournament.yaml",),
    "files": ("record.jsonl", "record.jsonl.gz"),
    "number": ("1", "2"),
    "output": ("o.html", "o.csv", "o.parquet", "o.gif"),
    "report": ("r.html",),
    "pictures": ("pictures",),
    "out": ("dataset", "new"),
    "parameter": ("exploration=log:0.1..10", "tree", "rollout=0|10", "rollout=1..3"),
    "design": ("round-robin", "all-seats"),
    "moves": ("b2", "b2 a1"),
    "backend": ("local",),
    "address": ("localhost:1",),
    "format": ("text", "json", "dot", "npz", "parquet"),
    "seconds": ("0.1",),
}
# Nothing but files of the case's own folder: some commands replace what they are given.
PATHS = ("folder", "pipe", "zero", "nowhere/x", "agent.yaml", "", "x" * 300, "a/../b")


def prepared(folder):
    """Fill a folder with valid files of all kinds, and return it."""
    folder = Path(folder)
    saved(folder / "policy.npz")
    settings = {"agent": "mcts", "simulations": 3, "tree": "multi"}
    inner = {**settings, "opponent_model": {"agent": "one-step", "samples": 1}}
    (folder / "agent.yaml").write_text(yaml.safe_dump(inner, sort_keys=False))
    (folder / "agent.json").write_text(json.dumps(inner))
    tag = {"class": "players.mcts.MCTSParams", "budgetType": "BUDGET_ITERATIONS"}
    (folder / "tag.json").write_text(json.dumps({**tag, "budget": 3, "K": 1.0}))
    tournament = {
        "games": [{"game": "tictactoe", "players": 2}],
        "agents": {"a": "random", "b": {"agent": "one-step", "samples": 1}},
        "games_each": 2,
    }
    (folder / "tournament.yaml").write_text(yaml.safe_dump(tournament))
    schedule = prepare(TournamentSpec(**tournament))
    with open_store(folder / "store.sqlite", schedule) as store:
        run_tournament(schedule, store, Here(play))
    (folder / "store.sqlite.lock").unlink(missing_ok=True)
    record = "\n".join(json.dumps(line) for line in recorded_draw())
    (folder / "record.jsonl").write_text(record)
    (folder / "record.jsonl.gz").write_bytes(gzip.compress(record.encode()))
    states = gzip.decompress((SMALL_SET / "tag" / "diamant.jsonl.gz").read_bytes())
    (folder / "states.jsonl").write_bytes(b"\n".join(states.splitlines()[:2]))
    record_here(folder / "dataset", **DATASET)
    if importlib.util.find_spec("safetensors"):
        from safetensors.numpy import save_file

        save_file(arrays(), folder / "policy.safetensors")
    if importlib.util.find_spec("torch"):
        import torch

        tensors = {name: torch.tensor(array) for name, array in arrays().items()}
        torch.save(tensors, folder / "policy.pt")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")
    return folder


DATASET = {"game": "tictactoe", "agents": ["random"], "games": 2, "explore_moves": 0}

# What reads each kind of file.
_STORE = [
    ["results", "store.sqlite"],
    ["results", "store.sqlite", "--json"],
    ["replay", "store.sqlite", "1"],
    ["replay", "store.sqlite", "2", "--json"],
    ["export", "store.sqlite", "--output", "o.csv"],
    ["report", "store.sqlite", "--output", "o.html"],
    ["tournament", "tournament.yaml", "--store", "store.sqlite", "--jobs", "1"],
]
_RECORD = [
    *("record", "tictactoe", "--agent", "random", "--games", "2", "--seed", "4"),
    *("--out", "dataset", "--games-per-shard", "3", "--jobs", "1"),
]


def _player(spec):
    return [["play", "tictactoe", "--agent", spec, "--json"]]


READERS = {
    "agent.yaml": _player("agent.yaml"),
    "agent.json": _player("agent.json"),
    "tag.json": _player("tag.json"),
    "policy.npz": _player("policy:file=policy.npz"),
    "policy.safetensors": _player("policy:file=policy.safetensors"),
    "policy.pt": _player("policy:file=policy.pt"),
    "tournament.yaml": [["tournament", "tournament.yaml", "--store", "new.sqlite"]],
    "store.sqlite": _STORE,
    "states.jsonl": [["verify", "diamant", "states.jsonl"]],
    "record.jsonl": [["verify", "tictactoe", "record.jsonl"]],
    "record.jsonl.gz": [["verify", "tictactoe", "record.jsonl.gz"]],
    "dataset/dataset.json": [_RECORD],
    "dataset/shard-00000.npz": [_RECORD],
}


def line(rng, folder):
    """Return a command line in which something may be hostile.

    The options of each command are those that the command line itself has.
    """
    # What `train` accepts takes minutes; tests/training have its bad input.
    name = rng.choice(sorted(COMMANDS.keys() - {"train"}))
    arguments = [name]
    for parameter in COMMANDS[name].params:
        wanted = parameter.required or parameter.name in ("games", "trials", "confirm")
        if rng.random() > (0.98 if wanted else 0.3):
            continue
        flag = parameter.opts[0]
        is_option = flag.startswith("-")
        if is_option and getattr(parameter, "is_flag", False):
            arguments.append(flag)
            continue
        for _ in range(rng.choice((1, 1, 1, 2)) if parameter.multiple else 1):
            value = _value(rng, parameter)
            arguments += [flag, value] if is_option else [value]
    if rng.random() < 0.1:
        arguments.insert(rng.randrange(len(arguments) + 1), rng.choice(TEXTS))
    if name in ("tournament", "record", "tune"):
        arguments += ["--jobs", "1"]
    return [argument.replace("\0", "") for argument in arguments]


def _value(rng, parameter):
    """Return a value of an option: valid, spoiled, or absurd."""
    name, chance = parameter.name, rng.random()
    known = VALUES.get(name, ("1",))
    if name == "format":
        known = VALUES[name]
    if chance < 0.6:
        return rng.choice(known)
    if chance < 0.75:
        return spoiled_text(rng, rng.choice(known))
    if chance < 0.85:
        return rng.choice(NUMBERS)
    if chance < 0.93 or name in ("budget", "simulations", "seconds"):
        return rng.choice(TEXTS)
    return rng.choice(PATHS)


def spoiled_text(rng, text):
    """Return a text with a part of it replaced, doubled, moved or left out."""
    kind = rng.randrange(6)
    at = rng.randrange(len(text) + 1)
    if kind == 0:  # each number is beyond what is allowed
        return re.sub(r"\d+", lambda _: rng.choice(NUMBERS), text)
    if kind == 1:
        return text[:at] + rng.choice(TEXTS) + text[at:]
    if kind == 2:
        return text[:at]
    if kind == 3:
        return text[at:] + text[:at]
    if kind == 4:
        return re.sub(r"(?<==)[^,)]*", lambda _: rng.choice(TEXTS), text)
    return ",".join([text] * rng.choice((2, 50)))


def file(rng, folder):
    """Spoil one file of a prepared folder, and return a command that reads it."""
    name = rng.choice([name for name in READERS if (folder / name).exists()])
    path = folder / name
    spoil = rng.choice(_SPOILERS)
    if spoil in _TEXT_SPOILERS and path.suffix not in (".yaml", ".json", ".jsonl"):
        spoil = rng.choice(_BYTE_SPOILERS)
    spoil(rng, path)
    return rng.choice(READERS[name])


def _bytes(change):
    @functools.wraps(change)
    def spoil(rng, path):
        path.write_bytes(change(rng, path.read_bytes()))

    return spoil


@_bytes
def _cut(rng, content):
    return content[: rng.randrange(len(content))]


@_bytes
def _flip(rng, content):
    spoiled = bytearray(content)
    for _ in range(rng.choice((1, 3, 30))):
        spoiled[rng.randrange(len(spoiled))] ^= 1 << rng.randrange(8)
    return bytes(spoiled)


@_bytes
def _overwrite(rng, content):
    at = rng.randrange(len(content))
    size = rng.choice((1, 4, 8, 100))
    filling = rng.choice((b"\xff", b"\0", b"9", b"[", b"\x7f"))
    return content[:at] + filling * size + content[at + size :]


@_bytes
def _repeat(rng, content):
    return content * rng.choice((2, 100))


@_bytes
def _append(rng, content):
    return content + rng.choice((b"\0", b"x", b"\xff\xfe", content[:100], b"\n\n{}"))


@_bytes
def _replace_all(rng, content):
    nothing = (b"", b"\0" * 5000, b"\xff\xfe\x00", b"PK\x03\x04", b"SQLite format 3\0")
    deep = (b"[" * 100_000, b'{"a":' * 100_000, b"- " * 100_000, b"{a: " * 5000)
    wide = (b"[" + b"1," * 10**6 + b"1]", b"9" * 10**6, b"a: b\n" * 10**5)
    return rng.choice((*nothing, *deep, *wide, _bomb()))


def _bomb():
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 11)]
    return "\n".join(["a0: &a0 [x, x]", *levels]).encode()


@_bytes
def _number(rng, content):
    """Put an absurd number where a number is, or a word."""
    places = list(re.finditer(rb"\d+(\.\d+)?", content)) or [re.search(b"", content)]
    place = rng.choice(places)
    number = rng.choice(NUMBERS).encode()
    return content[: place.start()] + number + content[place.end() :]


@_bytes
def _value_of_another_kind(rng, content):
    """Put something else where a word is."""
    places = list(re.finditer(rb'"[^"]*"|[\w.]+', content)) or [re.search(b"", content)]
    place = rng.choice(places)
    others = (b"[]", b"{}", b"null", b"true", b'"x"', b"[[1]]", b'{"a": 1}', b"1e400")
    new = rng.choice((*others, b"*a", b"&a", b"!!python/name:os.system", b'"\\ud800"'))
    return content[: place.start()] + new + content[place.end() :]


def _be_a_folder(rng, path):
    path.unlink()
    path.mkdir()


def _be_a_pipe(rng, path):
    path.unlink()
    os.mkfifo(path)


def _be_endless(rng, path):
    path.unlink()
    path.symlink_to("/dev/zero")


def _be_huge(rng, path):
    os.truncate(path, 10**11)


def _be_a_circle(rng, path):
    path.unlink()
    path.symlink_to(path.name)


def _be_gone(rng, path):
    path.unlink()


_TEXT_SPOILERS = [_number, _value_of_another_kind] * 3
_BYTE_SPOILERS = [_cut, _flip, _overwrite, _repeat, _append, _replace_all]
_SPOILERS = [
    *_TEXT_SPOILERS,
    *_BYTE_SPOILERS * 2,
    *(_be_a_folder, _be_a_pipe, _be_endless, _be_huge, _be_a_circle, _be_gone),
]


def copied(prepared_folder, folder):
    """Copy a prepared folder, pipes and links as they are."""
    shutil.copytree(
        prepared_folder,
        folder,
        symlinks=True,
        ignore=shutil.ignore_patterns("pipe"),
        dirs_exist_ok=True,
    )
    os.mkfifo(folder / "pipe")
    return folder


def judge(code, errors):
    """Return what is wrong with how a command ended, None if nothing is.

    Args:
        code: Its exit code.
        errors: What it wrote to standard error.
    """
    if "Traceback" in errors:
        return "a traceback"
    if code not in (0, 1, 2, 130):
        return f"exit code {code}"
    told = [line for line in errors.splitlines() if line.startswith("mcts-agents: ")]
    others = [
        line
        for line in errors.splitlines()
        if line.strip()
        and not line.startswith(("Compiling", "mcts-agents: "))
        # How far it came before the error is no complaint; a bar shows after a second.
        and "elapsed" not in line
    ]
    if code == 2 and (len(told) != 1 or others or len(told[0]) > 2100):
        return f"{len(told)} lines, and {len(others)} others"
    return None
