"""Where games are played: processes on this machine, or a Ray cluster.

A backend takes games and gives what became of them, in the order in which they end.
"""

import itertools
import os
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from typing import Any, Self

import loky
from loky.process_executor import BrokenProcessPool

from mcts_agents import __version__
from mcts_agents.agents.kinds import foreign_modules
from mcts_agents.arena.playing.fixtures import Failure, Fixture, GameRecord
from mcts_agents.arena.playing.workers import (
    SAFE_PATH,
    begin_worker,
    know_kinds,
    play,
)
from mcts_agents.extras import from_extra
from mcts_agents.interrupts import PATIENCE, interrupt_held

BACKENDS = ("local", "ray")

# Games handed out for each worker: one is played, and one lies ready.
HANDED_OUT = 2

# Seconds in which a cluster answers.
ANSWER = 10.0

DIED = "the process that played it died"

Outcome = GameRecord | Failure


class Backend(ABC):
    """Plays games; a context manager that ends its workers."""

    @abstractmethod
    def play(self, fixtures: Iterable[Fixture]) -> Generator[Outcome, None, None]:
        """Play the games; yield each as it ends. Workers stay for the next call.

        If the generator is closed before its end, the workers are ended.
        """

    @property
    def workers(self) -> int:
        """How many games are played at a time; 1, unless a backend says otherwise."""
        return 1

    @abstractmethod
    def close(self) -> None:
        """End the workers and their games; can be called repeatedly."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def make_backend(
    name: str,
    jobs: int | None,
    address: str | None,
    work: Callable[[Fixture], Any] | None = None,
) -> Backend:
    """Return a backend.

    Args:
        name: `local` or `ray`.
        jobs: How many games at a time, from 1; by default one for each core.
        address: Address of a running Ray cluster; None starts one on this machine.
        work: What is done with a game instead of playing it for a tournament; it must
            not raise, see `workers.attempt`.

    Raises:
        ValueError: A name or a number that is not allowed, or Ray is not installed.
    """
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs={jobs}: expected at least 1")
    if name == "local":
        if address is not None:
            raise ValueError(f"address={address!r}: only the ray backend has one")
        return LocalBackend(jobs or loky.cpu_count(), work)
    if name == "ray":
        return RayBackend(jobs, address, work)
    raise ValueError(f"backend={name!r}: expected one of {', '.join(BACKENDS)}")


class LocalBackend(Backend):
    """Processes on this machine, managed by loky.

    A process that dies ends the others' games too, and nobody says which game it was:
    those that were handed out are then played again one by one.

    Args:
        jobs: How many processes.
        work: See `make_backend`.
    """

    def __init__(self, jobs: int, work: Callable[[Fixture], Any] | None = None):
        self.jobs = jobs
        self._work = work
        self._executor: Any = None

    @property
    def workers(self) -> int:
        """See `Backend.workers`."""
        return self.jobs

    def play(self, fixtures: Iterable[Fixture]) -> Generator[Outcome, None, None]:
        """See `Backend.play`."""
        waiting = _portable(fixtures)
        while lost := (yield from self._play_until_broken(waiting)):
            with LocalBackend(1, self._work) as alone:
                for fixture in lost:
                    if (yield from alone._play_until_broken(iter([fixture]))):
                        yield Failure(fixture, DIED)

    def _play_until_broken(
        self, waiting: Iterator[Fixture]
    ) -> Generator[Outcome, None, list[Fixture]]:
        """Play until all is played, or a process dies; return the games then lost."""
        if self._executor is None:
            # One thread for linear algebra in each (NumPy's and torch's): workers would
            # fight for cores, and the order of sums would depend on their number.
            threads = os.environ.get("OMP_NUM_THREADS", "1")
            self._executor = loky.ProcessPoolExecutor(
                self.jobs,
                initializer=begin_worker,
                initargs=(os.getpid(), foreign_modules(), SAFE_PATH in os.environ),
                env={"OMP_NUM_THREADS": threads, SAFE_PATH: "1"},
            )
        running: dict[Future[Outcome], Fixture] = {}
        window = HANDED_OUT * self.jobs
        try:
            while True:
                # The locks taken in here are also those of the executor's thread.
                with interrupt_held():
                    for fixture in itertools.islice(waiting, window - len(running)):
                        future = _submit(self._executor, self._work or play, fixture)
                        running[future] = fixture
                    done, _ = wait(running, PATIENCE, FIRST_COMPLETED)
                if not running:
                    return []
                broken = {f for f in done if _is_broken(f)}
                for future in done - broken:
                    yield _outcome(future, running.pop(future))
                if broken:
                    return list(running.values())
        finally:
            if running:
                self.close()

    def close(self) -> None:
        """See `Backend.close`."""
        if self._executor is not None:
            with interrupt_held():
                self._executor.shutdown(wait=True, kill_workers=True)
                self._executor = None


def _portable(fixtures: Iterable[Fixture]) -> Iterator[Fixture]:
    """Give the games; objects among their agents are pickled here, once.

    Raises:
        ValueError: An agent cannot be pickled.
    """
    for fixture in fixtures:
        for entrant in fixture.seats:
            if entrant.held is not None:
                try:
                    entrant.held.pickled()
                except ValueError as error:
                    raise ValueError(f"{entrant.name}: {error}") from error
        yield fixture


def _is_broken(future: Future[Outcome]) -> bool:
    return isinstance(future.exception(), BrokenProcessPool)


def _submit(
    executor: Any, work: Callable[[Fixture], Any], fixture: Fixture
) -> Future[Outcome]:
    try:
        with _safe_path():
            return executor.submit(work, fixture)
    except BrokenProcessPool as error:  # since the last look
        future: Future[Outcome] = Future()
        future.set_exception(error)
        return future


@contextmanager
def _safe_path() -> Iterator[None]:
    """Let processes that are started now not look into the working folder first.

    A file there that has the name of some library would be imported instead. Workers
    get the import path of this process; loky starts a process of its own, too.
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


def _outcome(future: Future[Outcome], fixture: Fixture) -> Outcome:
    error = future.exception()
    return future.result() if error is None else Failure(fixture, repr(error))


def _check_answer(address: str) -> None:
    """See that somebody listens at an address; Ray would try for many minutes.

    Raises:
        ConnectionError: Nobody does.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        return  # a word such as `auto`, of which Ray knows what it means
    try:
        socket.create_connection((host.strip("[]"), int(port)), ANSWER).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise ConnectionError(f"no answer: {error}") from error


class RayBackend(Backend):
    """Workers of a Ray cluster; this package must be installed on all its machines.

    Args:
        jobs: How many games at a time; None: one for each CPU of the cluster.
        address: Address of a running cluster; None starts one on this machine, with
            `jobs` CPUs, that ends with the backend.
        work: See `make_backend`.

    Raises:
        ValueError: Ray is not installed; in `play`: there is no cluster at the address,
            or one of its machines has another version of this package.
    """

    def __init__(
        self,
        jobs: int | None = None,
        address: str | None = None,
        work: Callable[[Fixture], Any] | None = None,
    ):
        # Nothing is sent to anybody about the use of Ray unless the user says so.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        with from_extra("ray", "the ray backend needs Ray"):
            import ray
        self._ray = ray
        self._address = address
        self._connected = False
        self._work = work
        self.jobs = jobs

    @property
    def workers(self) -> int:
        """See `Backend.workers`; without `jobs`, the cluster is asked.

        Raises:
            ValueError: There is no cluster at the address.
        """
        if self.jobs is not None:
            return self.jobs
        if not self._ray.is_initialized():
            self._connect()
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def play(self, fixtures: Iterable[Fixture]) -> Generator[Outcome, None, None]:
        """See `Backend.play`."""
        ray = self._ray
        if not ray.is_initialized():
            self._connect()
        jobs = self.workers
        # A game that kills its process would kill the next one as well.
        task = ray.remote(max_retries=0)(_versioned)
        work, modules = self._work or play, foreign_modules()
        # Where the CPUs are fewer than the games, some games wait at the workers.
        own = self._connected and self._address is None
        most = HANDED_OUT * jobs if own or self.jobs is None else jobs
        waiting = _portable(fixtures)
        running: dict[Any, Fixture] = {}
        try:
            while True:
                for fixture in itertools.islice(waiting, most - len(running)):
                    running[task.remote(work, fixture, modules)] = fixture
                if not running:
                    return
                done, _ = ray.wait(list(running), num_returns=1)
                for reference in done:
                    yield self._outcome(reference, running.pop(reference))
        finally:
            for reference in running:
                ray.cancel(reference, force=True)
            if running:
                self.close()

    def close(self) -> None:
        """See `Backend.close`; a Ray that was already running stays."""
        if self._connected:
            self._ray.shutdown()
            self._connected = False

    def _connect(self) -> None:
        options: dict[str, Any] = {"address": self._address}
        if self._address is None:
            options = {
                "address": "local",
                "num_cpus": self.jobs or loky.cpu_count(),
                "include_dashboard": False,
            }
        try:
            if self._address is not None:
                _check_answer(self._address)
            self._ray.init(log_to_driver=False, logging_level="error", **options)
            self._connected = True
        except (ConnectionError, ValueError, RuntimeError) as error:
            reason = " ".join(str(error).split())
            raise ValueError(
                f"address={self._address!r}: no Ray cluster: {reason} (a cluster with "
                "tokens needs RAY_AUTH_MODE=token where the address is not auto)"
            ) from error

    def _outcome(self, reference: Any, fixture: Fixture) -> Outcome:
        try:
            version, outcome = self._ray.get(reference)
        except self._ray.exceptions.WorkerCrashedError:
            return Failure(fixture, DIED)
        except self._ray.exceptions.RayError as error:
            return Failure(fixture, " ".join(str(error).split()))
        if version != __version__:
            raise ValueError(
                f"a worker of the cluster has mcts-agents {version}, this machine "
                f"{__version__}: install the same version everywhere"
            )
        return outcome


def _versioned(
    work: Callable[[Fixture], Any], fixture: Fixture, modules: Sequence[str]
) -> tuple[str, Any]:
    """Do something with a game; say with which version of this package."""
    know_kinds(modules)
    return __version__, work(fixture)
