"""Ctrl-C is held where it would do harm, and always heard."""

import signal

import pytest

from mcts_agents.interrupts import interrupt_held


@pytest.fixture(autouse=True)
def as_usual():
    """Interrupts raise, and nobody leaves another handler behind."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    after = signal.signal(signal.SIGINT, before)
    assert after is signal.default_int_handler


def press():
    signal.raise_signal(signal.SIGINT)


def test_the_first_one_is_heard_at_the_end():
    heard, done = [], []
    with pytest.raises(KeyboardInterrupt), interrupt_held(lambda: heard.append(1)):
        press()
        done.append(1)
    assert heard == done == [1]


def test_the_second_one_is_heard_at_once():
    done = []
    with pytest.raises(KeyboardInterrupt), interrupt_held():
        press()
        press()
        done.append(1)
    assert not done


def test_inside_another_one_the_first_is_heard_when_the_outer_one_is_done():
    heard, done = [], []
    with pytest.raises(KeyboardInterrupt), interrupt_held(lambda: heard.append(1)):
        with interrupt_held(lambda: heard.append(2)):
            press()
            done.append("inner")
        done.append("outer")
    assert heard == [1, 2]
    assert done == ["inner", "outer"]


def test_inside_another_one_the_second_is_heard_at_once():
    done = []
    with pytest.raises(KeyboardInterrupt), interrupt_held():
        with interrupt_held():
            press()
            press()
            done.append("inner")
        done.append("outer")
    assert not done


def test_a_press_before_an_inner_one_counts():
    done = []
    with pytest.raises(KeyboardInterrupt), interrupt_held():
        press()
        with interrupt_held():
            done.append("inner")
            press()
            done.append("never")
    assert done == ["inner"]


def test_an_error_inside_is_not_lost():
    with pytest.raises(ValueError, match="inside"), interrupt_held(), interrupt_held():
        raise ValueError("inside")
    with pytest.raises(KeyboardInterrupt) as caught, interrupt_held():
        press()
        raise ValueError("inside")
    assert isinstance(caught.value.__context__, ValueError)
