"""The mailbox of a table's thread: who comes, who goes, and what was asked."""

import asyncio
import threading

import pytest

from mcts_agents.ui.audience import Listener
from mcts_agents.ui.worker import MOST_COMMANDS, Task, Worker


class Busy(Task):
    """Does one thing until it is told to go on, and notes what is done then."""

    def __init__(self):
        super().__init__()
        self.goes_on = threading.Event()
        self.busy = threading.Event()
        self.done = []

    def prepare(self):
        pass

    def join(self, listener):
        listener.admitted = True
        self.done.append(("join", listener))

    def handle(self, command, listener):
        self.done.append((command, listener))
        if command == "fail":
            raise IndexError("out of range")
        if command == "work":
            self.busy.set()
            assert self.goes_on.wait(60)

    def work(self):
        pass

    @property
    def delay(self):
        return None


@pytest.fixture
def loop():
    made = asyncio.new_event_loop()
    yield made
    made.close()


@pytest.fixture
def worker():
    made = Worker(Busy(), "busy")
    made.start()
    yield made
    made.task.goes_on.set()
    made.close()
    assert made.wait(60)


def test_pages_that_come_get_a_place_and_commands_of_those_gone_none(worker, loop):
    first, second = Listener(loop, None), Listener(loop, None)
    task = worker.task
    worker.join(first)
    assert worker.send("work", first) and task.busy.wait(60)
    sent = 0
    while worker.send("more", first):
        sent += 1
    assert sent == MOST_COMMANDS
    worker.join(second)
    worker.leave(first)
    task.goes_on.set()
    ended = threading.Event()
    worker._mailbox.put(ended.set)
    assert ended.wait(60)
    assert task.done == [("join", first), ("work", first), ("join", second)]
    assert worker.send("again", second)  # there is room for commands once more


def test_whatever_a_command_raises_the_thread_goes_on(worker, loop, capfd):
    page = Listener(loop, None)
    worker.join(page)
    worker.send("fail", page)
    ended = threading.Event()
    worker._mailbox.put(ended.set)
    assert ended.wait(60) and worker.alive and worker.failed is None
    assert page._waiting["refused"]["reason"] == "IndexError: out of range"
    assert "Traceback" in capfd.readouterr().err
