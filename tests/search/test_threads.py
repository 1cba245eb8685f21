"""Threads: one to an agent, and what ends those that a search starts."""

import copy
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from mcts_agents import MCTSAgent
from mcts_agents.envs import make_model, tictactoe
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.faults import found_by

# Long enough for any machine, and only spent where a test fails.
PATIENCE = 60.0


class Gate:
    """A leaf heuristic that waits in its first call until it is let through."""

    def __init__(self):
        self.reached, self.open = threading.Event(), threading.Event()

    def __deepcopy__(self, memo):
        return self

    def __call__(self, model, state):
        if not self.reached.is_set():
            self.reached.set()
            assert self.open.wait(PATIENCE)
        return [0.5, 0.5]


def begun():
    """Return an environment that has begun."""
    env = tictactoe.env()
    env.reset(seed=1)
    return env


def in_a_thread(function, *arguments):
    """Start a thread; return it and the list that gets what the function returns."""
    answers = []

    def run():
        answers.append(function(*arguments))

    thread = threading.Thread(target=run)
    thread.start()
    return thread, answers


QUESTIONS = {
    "act": lambda agent, env: agent.act(env),
    "plan": lambda agent, env: agent.plan(env),
    "reset": lambda agent, env: agent.reset(2),
    "prepare": lambda agent, env: agent.prepare(env.unwrapped.forward_model),
    "decide": lambda agent, env: agent.decide(
        env.unwrapped.forward_model,
        *env.unwrapped.planning_state("player_0", new_generator(0)),
    ),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_agent_refuses_a_second_thread(question):
    gate = Gate()
    agent = MCTSAgent(simulations=30, value=gate, seed=1)
    expected = copy.deepcopy(agent)
    thread, answers = in_a_thread(found_by, agent, begun())
    assert gate.reached.wait(PATIENCE)
    try:
        with pytest.raises(RuntimeError, match=r"in another thread.*copy\.deepcopy"):
            QUESTIONS[question](agent, begun())
        # A copy is another agent.
        assert copy.deepcopy(agent).plan(begun()).simulations == 30
    finally:
        gate.open.set()
        thread.join()
    assert answers == [found_by(expected, begun())]
    assert agent.plan(begun()).simulations == 30


def test_a_search_refuses_to_run_inside_itself():
    model = make_model("tictactoe")[1]
    state = model.reset(new_generator(0))
    asked = []

    def policy(model, state, player):
        asked.append(player)
        return search.run(state, player, new_generator(0)).action

    search = Search(model, SearchSettings(simulations=10, rollout_policy=policy))
    with pytest.raises(RuntimeError, match="running already"):
        search.run(state, 0, new_generator(0))
    assert len(asked) == 1


def test_an_agent_refuses_to_play_its_own_rollouts():
    agents = []
    agent = MCTSAgent(
        simulations=10,
        rollout_policy=lambda model, state, player: agents[0].decide(
            model, state, player
        ),
        seed=1,
    )
    agents.append(agent)
    with pytest.raises(RuntimeError, match="running already"):
        agent.act(begun())


def test_agents_in_two_threads_do_not_disturb_each_other():
    # Both plan with one and the same model; callbacks of one of them fail.
    model = make_model("tictactoe")[1]
    state = model.reset(new_generator(0))
    ended = threading.Event()

    def fails(model, state):
        raise ZeroDivisionError

    def value(model, state):
        return [0.5, 0.5]

    def plans():
        agent = MCTSAgent(simulations=20, value=value, seed=1)
        return [agent.search(model, state, 0).visits.tolist() for _ in range(100)]

    def failures():
        agent = MCTSAgent(simulations=20, value=fails, seed=1)
        while not ended.is_set():
            with pytest.raises(ZeroDivisionError):
                agent.search(model, state, 0)

    expected = plans()
    thread, _ = in_a_thread(failures)
    try:
        assert plans() == expected
    finally:
        ended.set()
        thread.join()


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to send")
@pytest.mark.parametrize("determinizations", [1, 2])
def test_an_interrupt_is_heard_while_threads_search(determinizations):
    game = "love_letter:players=3" if determinizations > 1 else "hex:size=5"
    model = make_model(game)[1]
    rng = new_generator(0)
    state = model.reset(rng)
    player = model.movers(state)[0]
    many = 10**9  # more than any wait lasts
    settings = SearchSettings(
        simulations=many, threads=2, solver=False, determinizations=determinizations
    )
    search = Search(model, settings)
    search.run(state, player, new_generator(1), simulations=100)
    parts = list(search._threads)
    before = set(threading.enumerate())

    def interrupt():
        while any(part._workspace.record["simulations"][0] < 1000 for part in parts):
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    thread, _ = in_a_thread(interrupt)
    with pytest.raises(KeyboardInterrupt):
        search.run(state, player, new_generator(1))
    thread.join()
    assert all(part._workspace.record["simulations"][0] < many // 2 for part in parts)
    assert set(threading.enumerate()) <= before
    again = search.run(state, player, new_generator(1), simulations=500)
    fresh = Search(model, settings).run(
        state, player, new_generator(1), simulations=500
    )
    assert again.visits.tolist() == fresh.visits.tolist()
    assert again.values.tolist() == fresh.values.tolist()


def test_a_thread_that_fails_ends_the_others():
    # Enough memory for neither of the threads' later needs: the first to grow fails.
    model = make_model("hex:size=5")[1]
    state = model.reset(new_generator(0))
    settings = SearchSettings(simulations=10**7, threads=2, solver=False)
    search = Search(model, settings)
    search.run(state, 0, new_generator(1), simulations=100)
    failing, other = search._threads

    def fail():
        raise MemoryError("no room")

    failing._workspace._grow = fail
    failing._workspace.memory.new_tree(64, 4096)
    failing._workspace.tell_addresses()
    with pytest.raises(MemoryError, match="no room"):
        search.run(state, 0, new_generator(1))
    assert other._workspace.record["simulations"][0] < 10**7 // 2
    again = search.run(state, 0, new_generator(1), simulations=500)
    fresh = Search(model, settings).run(state, 0, new_generator(1), simulations=500)
    assert again.visits.tolist() == fresh.visits.tolist()


def test_a_tree_of_an_earlier_decision_is_not_taken_for_the_last_one_with_threads():
    model = make_model("tictactoe")[1]
    state = model.reset(new_generator(0))
    search = Search(model, SearchSettings(simulations=50, threads=2))
    first = search.run(state, 0, new_generator(1))
    assert first.tree()["bandits"]
    search.run(state, 0, new_generator(2))
    with pytest.raises(RuntimeError, match="another decision"):
        first.tree()


def test_an_interrupt_while_threads_start_leaves_none_at_work(monkeypatch):
    model = make_model("hex:size=5")[1]
    state = model.reset(new_generator(0))
    settings = SearchSettings(simulations=10**7, threads=3, solver=False)
    search = Search(model, settings)
    search.run(state, 0, new_generator(1), simulations=30)
    started = []

    def interrupted_start(thread):
        started.append(thread)
        start(thread)
        if len(started) == 2:
            raise KeyboardInterrupt

    start = threading.Thread.start
    parts = list(search._threads)
    before = [int(part._runs) for part in parts]
    monkeypatch.setattr(threading.Thread, "start", interrupted_start)
    with pytest.raises(KeyboardInterrupt):
        search.run(state, 0, new_generator(1))
    monkeypatch.undo()
    for thread in started:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert [part._runs for part in parts] == before
    again = search.run(state, 0, new_generator(1), simulations=300)
    fresh = Search(model, settings).run(state, 0, new_generator(1), simulations=300)
    assert again.visits.tolist() == fresh.visits.tolist()


# Interrupts when the main thread has just taken the lock of a condition or an event:
# first while threads start, then while it waits for them.
IN_A_LOCK = """
import signal
import threading

from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings

left, main = 0, threading.get_ident()

def interrupted(condition):
    global left
    found = taken(condition)
    if left and threading.get_ident() == main:
        left -= 1
        if not left:
            signal.raise_signal(signal.SIGINT)
    return found

model = make_model("hex:size=5")[1]
state = model.reset(new_generator(0))
settings = SearchSettings(simulations=10**9, threads=2, solver=False)
search = Search(model, settings)
search.run(state, 0, new_generator(1), simulations=30)
taken = threading.Condition.__enter__
threading.Condition.__enter__ = interrupted
for moment in range(1, 13):
    left = moment
    try:
        search.run(state, 0, new_generator(1))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def test_an_interrupt_in_the_midst_of_a_lock_does_not_hang():
    done = subprocess.run(
        [sys.executable, "-c", IN_A_LOCK], capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("interrupted") == 12
