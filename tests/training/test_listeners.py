"""What listeners are told while a network learns, and what TensorBoard shows of it."""

import pytest

pytest.importorskip("torch")

from mcts_agents.learn.training.checkpoints import Progress
from mcts_agents.learn.training.listeners import (
    BlockReport,
    Listener,
    Listeners,
    TensorBoardLog,
)

POSITIONS = [100, 50, 75]


def progress(blocks):
    """After some blocks; the losses of block n are n and n / 10."""
    return Progress(
        blocks=blocks,
        positions=POSITIONS[:blocks],
        updates=3 * blocks,
        losses=[[block, block / 10] for block in range(1, blocks + 1)],
    )


def report(blocks, seconds=0.5):
    return BlockReport(progress(blocks), seconds, 0.01 * blocks, blocks / 4)


def found(rate, positions, opponent="random"):
    return {"opponent": opponent, "win_rate": rate, "positions": positions}


def test_the_rate_is_that_of_the_last_block():
    assert report(2).rate == 50 / 0.5
    assert report(3, 2.0).rate == 75 / 2.0
    assert report(2, 0.0).rate == 0.0  # it was there already


def test_all_listeners_are_told_everything_in_their_order():
    told = []

    class Noting(Listener):
        def __init__(self, name):
            for method in ("begun", "playing", "learning", "block", "evaluating",
                           "evaluated", "say"):  # fmt: skip
                setattr(self, method, self._note(name, method))

        def _note(self, name, method):
            return lambda *values: told.append((name, method, *values))

    both = Listeners(Noting("one"), Noting("two"))
    calls = [
        ("begun", progress(0), 0.0),
        ("playing", 3, 8),
        ("learning", 1, 4),
        ("block", report(1)),
        ("evaluating", 0, 2, "random"),
        ("evaluated", found(0.5, 100)),
        ("say", "a line"),
    ]
    for method, *values in calls:
        getattr(both, method)(*values)
    assert told == [(name, *call) for call in calls for name in ("one", "two")]


def scalars(folder):
    """All curves that TensorBoard shows: (step, value) of each point, by name."""
    accumulators = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator"
    )
    log = accumulators.EventAccumulator(str(folder)).Reload()
    return {
        name: [(point.step, pytest.approx(point.value)) for point in log.Scalars(name)]
        for name in log.Tags()["scalars"]
    }


def test_tensorboard_shows_curves_over_positions(tmp_path):
    pytest.importorskip("tensorboard", reason="tensorboard is not installed")
    log = TensorBoardLog(tmp_path)
    log.begun(progress(0), 0.0)
    for blocks in (1, 2):
        log.block(report(blocks))
    log.evaluated(found(0.25, 150))
    log.evaluated(found(0.75, 150, "earlier self"))
    assert scalars(tmp_path) == {
        "loss/policy": [(100, 1.0), (150, 2.0)],
        "loss/value": [(100, 0.1), (150, 0.2)],
        "self-play/positions per second": [(100, 200.0), (150, 100.0)],
        "learner/learning rate": [(100, 0.01), (150, 0.02)],
        "learner/updates": [(100, 3.0), (150, 6.0)],
        "win rate/random": [(150, 0.25)],
        "win rate/earlier self": [(150, 0.75)],
    }


def test_what_was_logged_after_the_last_checkpoint_is_hidden(tmp_path):
    """The second run goes on after the first block, and plays the second one again."""
    pytest.importorskip("tensorboard", reason="tensorboard is not installed")
    first = TensorBoardLog(tmp_path)
    first.begun(progress(0), 0.0)
    for blocks in (1, 2, 3):
        first.block(report(blocks))
    second = TensorBoardLog(tmp_path)
    second.begun(progress(1), 0.25)
    second.block(report(2, 2.0))
    shown = scalars(tmp_path)
    assert shown["self-play/positions per second"] == [(100, 200.0), (150, 25.0)]
    assert shown["loss/policy"] == [(100, 1.0), (150, 2.0)]
