import itertools
import json
from types import SimpleNamespace

import pytest

from mcts_agents import RandomAgent
from mcts_agents.arena.playing import workers
from mcts_agents.arena.playing.backends import Backend, LocalBackend
from mcts_agents.arena.playing.fixtures import Failure
from mcts_agents.arena.tournaments.store import Store, StoreError
from mcts_agents.arena.tournaments.tournament import open_store, prepare
from mcts_agents.arena.tournaments.tuning import TUNED, Tuning, TuningError, TuningSpec
from mcts_agents.cli import tune
from tests.command import run

# A hundred simulations a move beat one simulation, whatever else is tried.
SPEC = TuningSpec(
    game="hex:size=3",
    agent="mcts:solver=false",
    against="mcts:simulations=10",
    parameters=("simulations=1|100", "exploration=0.3..2"),
    games_each=6,
    seed=4,
)


@pytest.fixture(scope="module")
def backend():
    with LocalBackend(1) as workers:
        yield workers


def tuned(path, backend, trials, spec=SPEC):
    with Store.write(path) as store:
        tuning = Tuning(spec, store)
        while len(tuning.trials()) < trials:
            tuning.run_trial(backend)
        return tuning.trials()


def test_finds_the_better_value_and_confirms_it_on_fresh_deals(tmp_path, backend):
    path = tmp_path / "study.sqlite"
    tuned(path, backend, 6)
    with Store.write(path) as store:
        tuning = Tuning(SPEC, store)
        assert tuning.best().options["simulations"] == 100
        assert {t.options["simulations"] for t in tuning.trials()} == {1, 100}
        tuning.confirm(20, backend)
        records = list(store.games())
    wins = sum(s.win for record in records for s in record.seats if s.agent == TUNED)
    assert wins >= 12
    (spec,) = {s.spec for r in records for s in r.seats if s.agent == TUNED}
    assert json.loads(spec)["simulations"] == 100
    trial_seeds = {
        fixture.seed
        for number in range(1, 7)
        for fixture in prepare(SPEC.match({}, 6, number))
    }
    assert len(trial_seeds) == 36
    assert not trial_seeds & {record.seed for record in records}


def test_an_interrupted_study_goes_on_as_if_it_had_not_been(tmp_path, backend):
    whole = tuned(tmp_path / "whole.sqlite", backend, 5)
    path = tmp_path / "parts.sqlite"
    tuned(path, backend, 2)

    def interrupt(outcome):
        raise KeyboardInterrupt

    with Store.write(path) as store, pytest.raises(KeyboardInterrupt):
        Tuning(SPEC, store).run_trial(backend, interrupt)
    assert tuned(path, backend, 5) == whole


def test_options_are_tried_soon_also_after_an_interruption(tmp_path, backend):
    path = tmp_path / "study.sqlite"
    with Store.write(path) as store:
        tuning = Tuning(SPEC, store)
        for _ in range(2):  # once is enough
            tuning.try_soon({"simulations": 100, "exploration": 1.25})
            tuning.try_soon({"exploration": 0.75})
        with pytest.raises(ValueError, match="rollout is not tuned; tuned are simul"):
            tuning.try_soon({"rollout": 3})
        tuning._study.ask()  # a trial that never ends
    first, second, third = (t.options for t in tuned(path, backend, 3))
    assert {"simulations": 100, "exploration": 1.25} in (first, second)
    assert 0.75 in (first["exploration"], second["exploration"])
    assert third["exploration"] not in (1.25, 0.75)


def test_refused_options_are_told_and_do_not_end_a_study(tmp_path, backend):
    spec = SPEC.model_copy(
        update={
            "agent": {"agent": "mcts", "solver": True},
            "parameters": ("tree=one|multi",),
        }
    )
    trials = tuned(tmp_path / "study.sqlite", backend, 6, spec)
    refused = [trial for trial in trials if trial.win_rate is None]
    assert refused
    assert all("solver" in trial.refused for trial in refused)
    assert {trial.options["tree"] for trial in refused} == {"multi"}
    assert {t.options["tree"] for t in trials if t not in refused} == {"one"}


class Picky(RandomAgent):
    """An agent of a user whose constructor does not take every value."""

    def __init__(self, *, playouts: int = 1, **agent):
        super().__init__(**agent)
        self.share = 1 / playouts


def test_trials_whose_constructor_raises_do_not_end_a_study(tmp_path, backend):
    spec = SPEC.model_copy(
        update={
            "agent": {"agent": f"{__name__}:Picky"},
            "against": {"agent": "random"},
            "parameters": ("playouts=0..1",),
        }
    )
    trials = tuned(tmp_path / "study.sqlite", backend, 5, spec)
    refused = [trial for trial in trials if trial.win_rate is None]
    assert {trial.options["playouts"] for trial in refused} == {0}
    assert {t.options["playouts"] for t in trials if t not in refused} == {1}
    assert all("raised ZeroDivisionError" in trial.refused for trial in refused)


def test_all_refused(tmp_path, backend):
    spec = SPEC.model_copy(
        update={
            "agent": {"agent": "mcts", "tree": "multi", "solver": True},
            "parameters": ("exploration=0.3..2",),
        }
    )
    path = tmp_path / "study.sqlite"
    tuned(path, backend, 2, spec)
    with Store.write(path) as store:
        with pytest.raises(TuningError, match="solver"):
            Tuning(spec, store).best()


def test_the_match_of_the_best_ends_the_trials(tmp_path, backend):
    path = tmp_path / "study.sqlite"
    tuned(path, backend, 2)
    with Store.write(path) as store:
        tuning = Tuning(SPEC, store)
        tuning.confirm(2, backend)
        tuning.confirm(4, backend)
        assert len(store.played()) == 4
        with pytest.raises(StoreError, match="another store"):
            tuning.run_trial(backend)


def test_a_store_of_something_else(tmp_path, backend):
    path = tmp_path / "study.sqlite"
    tuned(path, backend, 1)
    other = SPEC.model_copy(update={"seed": 5})
    with Store.write(path) as store, pytest.raises(StoreError, match="its seed is 4"):
        Tuning(other, store)
    path = tmp_path / "tournament.sqlite"
    open_store(path, prepare(SPEC.match({}, 4, "x"))).close()
    with Store.write(path) as store, pytest.raises(StoreError, match="a tournament"):
        Tuning(SPEC, store)


def test_command_line(tmp_path):
    command = [
        "tune", "--game", "tictactoe", "--budget", "20", "--parameter", "tree=one|self",
        "--trials", "3", "--games", "4", "--confirm", "4", "--jobs", "1",
        "--store", str(tmp_path / "study.sqlite"),
    ]  # fmt: skip
    done = run(*command, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["trials"] == 3
    assert found["confirmation"]["games"] == 4
    assert found["confirmation"]["even"] == 0.5
    assert found["best"]["spec"].startswith("mcts:simulations=20")
    again = run(*command)
    assert "Best of 3 trials" in again.stdout
    refused = run(*command, "--parameter", "explore=1..2")
    assert refused.returncode == 2
    assert "did you mean exploration" in refused.stderr


class Failing(Backend):
    """Plays the trials; of the match after them, all games fail but the first few."""

    def __init__(self, trials, succeed):
        self.left, self.succeed = trials, succeed

    def play(self, fixtures):
        fail_after = None if self.left else self.succeed
        self.left -= 1
        for number, fixture in enumerate(fixtures):
            if fail_after is None or number < fail_after:
                yield workers.play(fixture)
            else:
                yield Failure(fixture, "out of luck")

    def close(self):
        pass


def small_study(folder):
    """Return the command of a study of one trial in a folder."""
    return [
        "tune", "--game", "tictactoe", "--budget", "20", "--parameter", "tree=one|self",
        "--trials", "1", "--games", "2", "--confirm", "3", "--json",
        "--store", str(folder / "study.sqlite"),
    ]  # fmt: skip


def test_a_game_of_a_trial_that_fails_is_told(tmp_path, run_here, monkeypatch):
    monkeypatch.setattr(tune, "make_backend", lambda *_: Failing(0, 1))
    done = run_here(*small_study(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert "failed: " in done.stderr
    assert "out of luck\nthe same command tries the trial again\n" in done.stderr
    monkeypatch.setattr(tune, "make_backend", lambda *_: Failing(2, 0))
    again = run_here(*small_study(tmp_path))
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["trials"] == 1


@pytest.mark.parametrize("succeed", [0, 1])
def test_games_of_the_match_that_fail_are_told(
    tmp_path, run_here, monkeypatch, succeed
):
    monkeypatch.setattr(tune, "make_backend", lambda *_: Failing(1, succeed))
    command = small_study(tmp_path)
    done = run_here(*command)
    assert done.returncode == 1
    assert done.stderr.count("out of luck") == 3 - succeed
    assert f"{3 - succeed} games of the match failed" in done.stderr
    assert "again, unless a module or a policy's file that it names" in done.stderr
    if succeed:
        assert json.loads(done.stdout)["confirmation"]["games"] == 1
    else:
        assert not done.stdout
    monkeypatch.setattr(tune, "make_backend", lambda *_: Failing(0, 3))
    again = run_here(*command)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["confirmation"]["games"] == 3


class Told(Backend):
    """Gives outcomes of a trial in some order."""

    def __init__(self, shares):
        self.shares = shares

    def play(self, fixtures):
        for share, _ in zip(self.shares, fixtures, strict=True):
            yield SimpleNamespace(wins=lambda _, share=share: share)

    def close(self):
        pass


def test_the_order_in_which_games_end_makes_no_difference(tmp_path):
    shares = [1 / 3, 1.0, 1 / 3, 0.5, 1 / 3, 1.0]
    rates = set()
    for number, order in enumerate(itertools.permutations(shares, 6)):
        if number % 90 == 0:
            path = tmp_path / f"{number}.sqlite"
            (trial,) = tuned(path, Told(order), 1)
            rates.add(trial.win_rate)
    assert len({sum(order) for order in itertools.permutations(shares)}) > 1
    assert rates == {3.5 / 6}
