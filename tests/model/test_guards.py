"""What planning borrows from the process comes back; no exception is ever lost."""

import ctypes
import gc
import random
import signal
import sys
import threading
import time

import numpy as np
import pytest
from gymnasium import spaces
from numba import intp, njit

from mcts_agents import MCTSAgent
from mcts_agents.model import new_generator
from mcts_agents.model.addresses import first_class
from mcts_agents.model.contract import ENTRIES, ROW
from mcts_agents.model.copying.copied import CopiedEnvironment
from mcts_agents.model.copying.guards import (
    global_generators,
    no_full_collections,
    noted_signals,
    space_generators,
)
from tests.model.third_party import Countdown, Dice, Failing

load_movers = first_class(ENTRIES["movers"].signature)
raise_signal = ctypes.CDLL(None)["raise"]
raise_signal.argtypes, raise_signal.restype = [ctypes.c_int], ctypes.c_int


@njit((intp, intp, intp, intp))
def movers_after_a_signal(number, row, game, state):
    # Python learns of the signal when the callback enters it.
    raise_signal(number)
    return load_movers(row)(game, state)


@pytest.fixture
def model():
    env = Countdown()
    env.reset()
    return CopiedEnvironment(env, perfect_information=True)


class TooLong(Exception):
    pass


def too_long(number, frame):
    raise TooLong


@pytest.mark.parametrize(
    ("number", "handler", "error"),
    [
        (signal.SIGINT, signal.default_int_handler, KeyboardInterrupt),
        (signal.SIGALRM, too_long, TooLong),
    ],
)
def test_a_signal_at_the_entry_of_a_callback_is_not_lost(
    model, number, handler, error, recwarn
):
    before = signal.signal(number, handler)
    try:
        with pytest.raises(error), model.planning(None, new_generator(0)) as (state, _):
            returned = movers_after_a_signal(
                number,
                model.table[ROW["movers"]].ctypes.data,
                model.game_address,
                state.ctypes.data,
            )
            assert (returned, model.error[0]) == (0, 1)
            model.raise_pending()
        assert signal.getsignal(number) is handler
        assert model.error[0] == 0
    finally:
        signal.signal(number, before)
    assert not recwarn.list  # nothing was printed and forgotten


def test_a_signal_elsewhere_comes_out_at_once(model):
    with pytest.raises(KeyboardInterrupt), model.planning(None, new_generator(0)):
        signal.raise_signal(signal.SIGINT)
    assert model.error[0] == 0
    assert not model._copies


def test_ctrl_c_comes_out_of_act():
    def interrupt():
        signal.raise_signal(signal.SIGINT)

    env = Failing(interrupt)
    env.reset()
    with pytest.raises(KeyboardInterrupt):
        MCTSAgent(simulations=50, perfect_information=True, seed=0).act(env)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_handlers_that_do_not_raise_only_run():
    calls = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: calls.append(number))
    try:
        with noted_signals(calls.append, test_ctrl_c_comes_out_of_act.__code__):
            signal.raise_signal(signal.SIGALRM)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert calls == [signal.SIGALRM]


def test_another_thread_plans_without_signals_but_not_at_the_same_time(model):
    found = []

    def plan():
        env = Countdown()
        env.reset()
        try:
            agent = MCTSAgent(simulations=5, perfect_information=True, seed=0)
            found.append(agent.act(env))
        except RuntimeError as error:
            found.append(str(error))

    for inside in (False, True):
        thread = threading.Thread(target=plan)
        if inside:
            with model.planning(None, new_generator(0)):
                thread.start()
                thread.join()
        else:
            thread.start()
            thread.join()
    assert found[0] in (0, 1)
    assert "another thread is planning" in found[1]


def test_one_model_plans_one_thing_at_a_time(model):
    with model.planning(None, new_generator(0)) as (state, _):
        with (
            pytest.raises(RuntimeError, match="already planning"),
            model.planning(None, new_generator(0)),
        ):
            pass
        assert model.movers(state) == (0,)


def test_the_first_exception_is_the_one_that_comes_out(model):
    model._note(ZeroDivisionError())
    model._note(KeyboardInterrupt())
    with pytest.raises(ZeroDivisionError):
        model.raise_pending()
    model.raise_pending()
    assert model.error[0] == 0


def test_global_generators_draw_from_the_dice():
    random.seed(1)
    np.random.seed(1)
    real = random.random(), np.random.random()
    random.seed(1)
    np.random.seed(1)
    throws = []
    for _ in range(2):
        with global_generators(np.random.default_rng(0)):
            throws.append((random.random(), np.random.random()))
    assert throws[0] == throws[1]
    assert not set(throws[0]) & set(real)
    assert (random.random(), np.random.random()) == real


@njit
def seed_in_compiled_code(seed):
    np.random.seed(seed)
    random.seed(seed)


@njit
def throw_in_compiled_code():
    return np.random.random(), random.random()


def check_throws(seed, throw):
    seed(1)
    real = throw()
    seed(1)
    throws = []
    for number in (0, 0, 2):
        with global_generators(np.random.default_rng(number)):
            throws.append(throw())
    assert throws[0] == throws[1]
    assert throws[2] != throws[0] != real
    assert throw() == real


def test_generators_of_compiled_code_draw_from_the_dice():
    check_throws(seed_in_compiled_code, throw_in_compiled_code)
    with global_generators(np.random.default_rng(0)):
        every = (*throw_in_compiled_code(), random.random(), np.random.random())
    assert len(set(every)) == 4


def test_the_generator_of_pytorch_draws_from_the_dice():
    torch = pytest.importorskip("torch")
    check_throws(torch.manual_seed, lambda: torch.rand(3).tolist())


def test_spaces_draw_from_the_dice_and_so_do_their_parts():
    inner = spaces.Discrete(10**9, seed=1)
    unused = spaces.Discrete(10**9)
    space = spaces.Dict({"a": inner, "b": spaces.Tuple([unused])})
    real = spaces.Discrete(10**9, seed=1).sample()
    with space_generators([space, space], np.random.default_rng(0)):
        throws = inner.sample(), unused.sample()
    assert real not in throws
    assert inner.sample() == real
    assert unused._np_random is None
    with space_generators([space], np.random.default_rng(0)):
        assert (inner.sample(), unused.sample()) == throws


def test_all_is_given_back_after_an_error_inside():
    env = Dice()
    env.reset(seed=0)
    model = CopiedEnvironment(env, perfect_information=True)
    before = random.getstate(), np.random.get_state()[1].tolist()
    with pytest.raises(ZeroDivisionError), model.planning(None, new_generator(0)):
        random.random()
        1 / 0  # noqa: B018
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before
    with model.planning(None, new_generator(0)) as (state, _):
        assert model.movers(state) == (0,)


BY_AGE = sys.version_info < (3, 14)  # later ones collect step by step


@pytest.mark.skipif(not BY_AGE, reason="no full collections")
def test_full_collections_are_put_off_and_come_back():
    before = gc.get_threshold()
    with pytest.raises(ZeroDivisionError), no_full_collections():
        assert gc.get_threshold()[2] > 10**9
        assert gc.get_threshold()[:2] == before[:2]
        with no_full_collections():  # an agent inside an agent, or in another thread
            pass
        assert gc.get_threshold()[2] > 10**9
        raise ZeroDivisionError
    assert gc.get_threshold() == before


@pytest.mark.skipif(not BY_AGE, reason="no full collections")
def test_full_collections_come_back_beside_decisions_without_a_pause():
    before = gc.get_threshold()
    first, second = no_full_collections(), no_full_collections()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold() == before
    with no_full_collections():
        second.__exit__(None, None, None)
        assert gc.get_threshold()[2] > 10**9
    assert gc.get_threshold() == before


@pytest.mark.skipif(not BY_AGE, reason="no full collections")
def test_full_collections_come_back_after_an_interrupted_end(monkeypatch):
    before = gc.get_threshold()
    interrupted = no_full_collections()
    interrupted.__enter__()  # and its end never comes
    later = time.monotonic() + 10.0
    monkeypatch.setattr(time, "monotonic", lambda: later)
    with no_full_collections():
        assert gc.get_threshold() == before
    assert gc.get_threshold() == before


@pytest.mark.skipif(not BY_AGE, reason="no full collections")
def test_a_threshold_that_was_set_meanwhile_stays():
    before = gc.get_threshold()
    try:
        with no_full_collections():
            gc.set_threshold(*before[:2], 77)
        assert gc.get_threshold() == (*before[:2], 77)
    finally:
        gc.set_threshold(*before)


class Circular(Countdown):
    """An environment whose copies are garbage that only a collection finds."""

    def reset(self, *arguments, **options):
        self.itself = self
        return super().reset(*arguments, **options)


def test_copies_that_refer_to_themselves_do_not_pile_up():
    env = Circular()
    env.reset(seed=0)
    agent = MCTSAgent(seconds=0.5, simulations=20, seed=0, perfect_information=True)
    alive = []
    for decision in range(100):
        agent.act(env)
        if decision % 10 == 9:  # to look at every object takes long in a large process
            alive.append(sum(type(thing) is Circular for thing in gc.get_objects()))
    assert max(alive) < 700
