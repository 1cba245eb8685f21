"""A test that waits for a message which does not come fails instead of waiting on."""

import signal

import pytest

MOST_SECONDS = 400  # compiling a search may take two minutes of them on a busy machine


@pytest.fixture(autouse=True)
def ends_in_time():
    """Raise TimeoutError in a test that takes longer."""

    def give_up(*_):
        raise TimeoutError(f"no end within {MOST_SECONDS} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(MOST_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
