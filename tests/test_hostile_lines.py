"""Command lines of absurd values: one line on standard error, and exit code 2."""

import pytest

from mcts_agents.arena.tournaments.store import Store
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec

DIGITS = "9" * 23


def one_line(done, *words):
    """Assert that a command was refused as it should be."""
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert len(done.stderr) < 2100
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["replay", "no.sqlite", DIGITS], "no.sqlite: there is no such file"),
        (["play", "tictactoe", "--seed", DIGITS], "'--seed'"),
        (["play", "hex", "--players", DIGITS], f"players={DIGITS}"),
        (["tree", "tictactoe", "--depth", DIGITS], "'--depth'"),
        (["tree", "tictactoe", "--actions", DIGITS], "'--actions'"),
        (["watch", "no.sqlite", "--seconds", "1e300"], "'--seconds'"),
        (["record", "hex", "--agent", "random", "--games", "2", "--out", ""], "--out"),
        (["results", ""], "expected the name of a file"),
        (["tree", "tictactoe", "--output", " "], "'--output'"),
        (["verify", "hex", ""], "expected the name of a file"),
        (["play", "tictactoe", "--agent", f"mcts:memory={2**62}"], "to 16777216"),
        (["play", "tictactoe", "--agent", f"mcts:simulations={DIGITS}"], "simulations"),
        (["play", f"hex:size={DIGITS}"], "size"),
        (["play", "\udcff"], "expected UTF-8"),
    ],
)
def test_numbers_and_names(run_here, arguments, words):
    one_line(run_here(*arguments), words)


@pytest.mark.parametrize(
    "arguments",
    [
        ["play", "{}"],
        ["play", "hex", "--agent", "{}"],
        ["play", "hex", "--agent", "mcts:{}"],
        ["play", "hex", "--agent", "mcts:tree={}"],
        ["play", "hex:{}"],
        ["play", "hex", "--players", "{}"],
        ["{}"],
        ["play", "hex", "--{}"],
        ["tree", "tictactoe", "--moves", "{}"],
        ["tune", "--game", "tictactoe", "--store", "s.sqlite", "--parameter", "{}"],
        ["tournament", "--game", "hex", "--agent", "{}", "--store", "s.sqlite"],
        ["tournament", "{}", "--store", "s.sqlite"],
        ["verify", "hex", "{}"],
        ["results", "{}"],
    ],
)
def test_long_values_are_shortened(run_here, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    for text in ("a" * 100_000, "(" * 100_000, "a," * 50_000):
        one_line(run_here(*(word.format(text) for word in arguments)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--budget", "10", "--parameter", "simulations=1..5"], "--parameter: sim"),
        (["--budget", "10", "--agent", "mcts:simulations=3"], "--agent: simulations"),
        (["--budget", "10", "--against", "mcts:seconds=1"], "--against: seconds"),
        (["--budget", "9" * 400], "--budget: "),
    ],
)
def test_what_every_trial_would_refuse(run_here, tmp_path, arguments, words):
    pytest.importorskip("optuna")
    store = tmp_path / "study.sqlite"
    done = run_here("tune", "--game", "tictactoe", "--store", str(store), *arguments)
    one_line(done, words)
    assert list(tmp_path.iterdir()) == []


def test_a_tournament_is_no_study_and_stays_as_it_was(run_here, tmp_path):
    pytest.importorskip("optuna")
    path = tmp_path / "tournament.sqlite"
    with Store.write(path) as store:
        spec = TournamentSpec(games="tictactoe", agents=["random", "one-step"])
        store.describe(spec.description(), 0)
    before = path.read_bytes()
    done = run_here("tune", "--game", "tictactoe", "--store", str(path))
    one_line(done, "holds a tournament; use another store")
    assert path.read_bytes() == before


def test_a_study_is_no_tournament_and_stays_as_it_was(run_here, tmp_path):
    optuna = pytest.importorskip("optuna")
    path = tmp_path / "study.sqlite"
    Store.write(path).close()
    optuna.create_study(storage=f"sqlite:///{path}", study_name="options")
    before = path.read_bytes()
    agents = ("--agent", "random", "--agent", "one-step")
    done = run_here("tournament", "--game", "tictactoe", *agents, "--store", str(path))
    one_line(done, "holds a study of `tune`; use another store")
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["a?b", "{0}", "%41", "a#b"])
def test_names_that_would_be_read_as_an_address(run_here, tmp_path, name):
    pytest.importorskip("optuna")
    path = tmp_path / f"{name}.sqlite"
    done = run_here("tune", "--game", "tictactoe", "--store", str(path))
    one_line(done, "the name of a study's store cannot have")
    assert list(tmp_path.iterdir()) == []
