"""On which machines games were played: a small file beside each store.

With a budget of time, the strength of an agent depends on the processor and on how many
workers share it, and a store does not hold either. Scripts in the folders beside this
file import it as they import `child_commands`.
"""

import json
import platform
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import loky

from mcts_agents.arena.tournaments.store import Store, StoreError
from mcts_agents.writing import replacing


class Machine(NamedTuple):
    """What played games: the model of its processor, its cores, how many workers."""

    processor: str
    cores: int
    workers: int


# Of games that were played before machines were noted.
NOT_NOTED = Machine("unknown", 0, 0)


@contextmanager
def noted(store: Path, workers: int) -> Iterator[None]:
    """Note this machine beside a store, if games are added to the store meanwhile.

    Raises:
        StoreError: The store or the note is damaged.
    """
    before = _games(store)
    known = machines_of(store) if before else []
    try:
        yield
    finally:  # after an interrupt as well
        if _games(store) > before:
            here = Machine(_processor(), loky.cpu_count(), workers)
            if here not in known:
                with replacing(_note(store)) as new:
                    new.write_text(f"{as_text([*known, here])}\n", encoding="utf-8")


def machines_of(store: Path) -> list[Machine]:
    """Return what played the games of a store, the first machine first.

    Raises:
        StoreError: The note is damaged.
    """
    path = _note(store)
    if not path.exists():
        return [NOT_NOTED]
    try:
        return from_text(path.read_text(encoding="utf-8"))
    except (ValueError, TypeError) as error:
        raise StoreError(f"{path}: damaged: {error}; delete it") from error


def as_text(machines: Iterable[Machine]) -> str:
    """Return machines as text that `from_text` reads."""
    return json.dumps([list(machine) for machine in machines], ensure_ascii=False)


def from_text(text: str) -> list[Machine]:
    """Return the machines in a text of `as_text`.

    Raises:
        ValueError: It is no such text; or a TypeError.
    """
    return [
        Machine(str(name), int(cores), int(n)) for name, cores, n in json.loads(text)
    ]


def told(machines: Iterable[Machine]) -> str:
    """Return on how many machines games were played, and with how many workers.

    The text continues "These games were played "; it is empty if all were played alike.
    """
    there = set(machines)
    known = there - {NOT_NOTED}
    hosts = {(machine.processor, machine.cores) for machine in known}
    workers = [str(count) for count in sorted({machine.workers for machine in known})]
    parts = []
    if len(hosts) > 1:
        parts.append(f"on {len(hosts)} machines")
    if len(workers) > 1:
        parts.append(f"with {', '.join(workers[:-1])} and {workers[-1]} workers")
    if known and NOT_NOTED in there:
        parts.append("in part on a machine that was not noted")
    return ", ".join(parts)


def _note(store: Path) -> Path:
    return store.with_suffix(".machines.json")


def _games(store: Path) -> int:
    if not store.exists() or not store.stat().st_size:
        return 0
    with Store.read(store) as opened:
        return len(opened.played())


def _processor() -> str:
    """Return the model of the processor, or its kind where the model is not told."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, model = line.partition(":")
            if name.strip() == "model name":
                return model.strip()
    except OSError:  # other systems have no such file
        pass
    return platform.processor() or platform.machine()
