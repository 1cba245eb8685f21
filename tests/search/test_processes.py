"""Decisions searched in several processes: shared out, reproducible, and tidy."""

import contextlib
import os
import signal
import sys
import threading
import time
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces

from mcts_agents import MCTSAgent, OneStepAgent, RandomAgent
from mcts_agents.envs import tictactoe
from mcts_agents.search.forks import in_forks
from tests.model.third_party import Dice, Failing

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")


def planner(simulations=90, processes=3, **settings):
    return MCTSAgent(
        simulations=simulations,
        perfect_information=True,
        seed=0,
        processes=processes,
        **settings,
    )


def connect_four(moves=()):
    env = pettingzoo.make("aec", "classic/connect_four")
    env.reset(seed=0)
    for move in moves:
        env.step(move)
    return env


def children():
    """Return the processes that this one has started and not waited for."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            _, _, rest = stat.read_text().rpartition(")")
            if int(rest.split()[1]) == os.getpid():
                found.add(stat.parent.name)
    return found


@pytest.fixture(autouse=True)
def no_child_is_left():
    """Whatever a test does with processes, none of them is left."""
    before = children()
    yield
    assert children() <= before


def test_a_decision_is_shared_out_and_merged():
    env = connect_four([0, 6, 0, 6, 0, 5])
    result = planner(300).plan(env)
    assert result.action == 0
    assert result.simulations == 300
    # All of a budget has been used; the first visit of each process makes the root.
    assert 290 <= result.visits.sum() <= 300
    assert result.principal_variation[0] == (0, 0)


def test_processes_share_the_limit_of_memory():
    result = planner(30_000, memory=1, rollout=2).plan(connect_four())
    assert result.simulations < 30_000
    assert 2**19 < result.bytes <= 2**20


@pytest.mark.parametrize("make", [connect_four, Dice, lambda: Dice("numpy.random")])
def test_the_same_seed_and_number_of_processes_decide_the_same(make):
    found = []
    for processes in (2, 2, 3):
        env = make()
        env.reset(seed=1)
        agent = planner(60, processes, rollout=10)
        results = [agent.plan(env) for _ in range(2)]
        found.append([(r.visits.tolist(), r.values.tolist()) for r in results])
    assert found[0] == found[1]
    assert found[0] != found[2]


def test_each_process_throws_its_own_dice():
    env = Dice()
    env.reset(seed=1)
    # With the same dice in both, each number would be thrown an even number of times.
    agent = planner(40, 2, rollout=0, max_depth=1)
    sums = []
    for _ in range(5):
        result = agent.plan(env)
        sums += (result.values * result.visits).round().astype(int).tolist()
    assert any(number % 2 for number in sums)


def test_choosing_is_what_planning_would_choose():
    env = connect_four([3, 3, 2])
    assert planner().act(env) == planner().plan(env).action


def test_one_legal_action_is_taken_without_a_search():
    env = Dice()
    env.action_space = spaces.Discrete(1)
    env.reset(seed=0)
    result = planner().plan(env)
    assert (result.action, result.simulations) == (0, 0)


@pytest.mark.parametrize("error", [ZeroDivisionError("odd"), SystemExit(3)])
def test_exceptions_in_a_process_come_out_as_themselves(error):
    caller = os.getpid()

    def fail():
        if os.getpid() != caller:
            raise error

    env = Failing(fail)
    env.reset()
    with pytest.raises(type(error), match=str(error)) as caught:
        planner().act(env)
    assert "in fail" in "".join(caught.value.__notes__)
    assert env.steps == 0
    assert planner(20).act(connect_four()) in range(7)


def test_an_exception_that_cannot_be_sent_is_told():
    class Odd(Exception):
        def __reduce__(self):
            raise TypeError

    def work(number):
        if number == 0:
            raise Odd("very")

    with pytest.raises(RuntimeError, match="Odd: very"):
        in_forks(work, 2)


def test_a_process_that_is_killed_is_an_error():
    caller = os.getpid()

    def fail():
        if os.getpid() != caller:
            os.kill(os.getpid(), signal.SIGKILL)

    env = Failing(fail)
    env.reset()
    with pytest.raises(RuntimeError, match=r"without a result: signal 9"):
        planner().act(env)


def test_ctrl_c_ends_all_processes():
    class Slow(Dice):
        def step(self, action):
            time.sleep(0.01)
            return super().step(action)

    before = children()

    def interrupt():
        while len(children() - before) < 2:
            time.sleep(0.01)
        time.sleep(0.3)  # all search by then, if the machine is not too slow
        os.kill(os.getpid(), signal.SIGINT)

    env = Slow()
    env.reset(seed=0)
    agent = planner(100_000)
    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        agent.act(env)
    thread.join()
    assert env.thrown == 0


def test_ctrl_c_while_the_others_are_waited_for(tmp_path):
    caller = os.getpid()
    timer = threading.Timer(0.3, lambda: os.kill(caller, signal.SIGINT))

    def work(number):
        if os.getpid() == caller:
            timer.start()
        else:
            time.sleep(30)
            (tmp_path / str(number)).touch()

    with pytest.raises(KeyboardInterrupt):
        in_forks(work, 3)
    timer.join()
    assert not list(tmp_path.iterdir())  # nobody has waited for their end


def test_what_waited_to_be_printed_is_printed_once(capfd):
    sys.stdout.write("before ")
    assert in_forks(lambda number: print(number) or number, 2) == [0, 1]
    sys.stdout.flush()
    shown = capfd.readouterr().out
    assert shown.count("before") == 1
    # Both may print between each other's number and end of line.
    assert sorted("".join(shown.replace("before", "").split())) == ["0", "1"]


def test_results_come_in_order_whatever_their_size():
    found = in_forks(lambda number: np.full(200_000, number), 4)
    assert [int(part[0]) for part in found] == [0, 1, 2, 3]


def test_a_budget_in_seconds_is_that_of_all_processes(ticking_clock):
    """Each has a clock of its own, which only its own readings move on."""

    def made(processes):
        result = planner(None, processes, seconds=1.0).plan(env)
        assert result.seconds == pytest.approx(1.0, abs=0.05)
        return result.simulations

    env = gymnasium.make("CartPole-v1")
    env.reset(seed=0)
    alone = made(1)
    assert alone > 20
    for processes in (2, 3):
        assert made(processes) == pytest.approx(processes * alone, rel=0.1)


def test_what_has_no_use_for_processes_refuses_them():
    for kind in (RandomAgent, OneStepAgent):
        with pytest.raises(ValueError, match=rf"processes=2: {kind.__name__}"):
            kind(processes=2)
    for wrong in (0, True, 1.5):
        with pytest.raises(ValueError, match=r"processes=.*integer from 1"):
            planner(processes=wrong)
    env = tictactoe.env()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"compiled; use threads=2"):
        MCTSAgent(simulations=10, processes=2).act(env)
    with pytest.raises(ValueError, match=r"rollout_policy=.*state of its own"):
        planner(rollout_policy=RandomAgent(seed=1)).act(connect_four())


def test_a_system_without_forks_refuses_them(monkeypatch):
    monkeypatch.delattr(os, "fork")
    with pytest.raises(ValueError, match=r"processes=2: this system has no os\.fork"):
        planner(processes=2)
