"""What the things outside an environment held, and how to put that back."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from mcts_agents.model.copying import outside_iterators as iterators
from mcts_agents.model.copying.comparing_shallowly import is_same_value
from mcts_agents.model.copying.outside_kinds import Way


class Changes(NamedTuple):
    """The names of what has changed.

    Attributes:
        outside: Outside the environment's object.
        inside: In the live environment.
        lost: Those of both that could not be put back.
    """

    outside: dict[str, None]
    inside: dict[str, None]
    lost: dict[str, None]

    def joined(self, other: "Changes") -> "Changes":
        """Return these names and others."""
        return Changes(
            *({**mine, **more} for mine, more in zip(self, other, strict=True))
        )


class Record:
    """What one thing held, and where it was found."""

    __slots__ = ("before", "item", "label", "parent", "way")

    def __init__(self, label: str, item: Any, way: Way, before: Any, parent: int):
        self.label, self.item, self.way = label, item, way
        self.before, self.parent = before, parent


class Records:
    """What things held, in the order in which they were noted.

    Args:
        caches: Names of what may change.

    Attributes:
        inside: Which of them are parts of the live environment.
    """

    def __init__(self, caches: tuple[str, ...]):
        self._caches = caches
        self._records: list[Record] = []
        self.inside = range(0)

    def __len__(self) -> int:
        return len(self._records)

    def note(self, label: str, item: Any, way: Way, parent: int) -> Any:
        """Note what a thing holds; return it as it was read.

        Args:
            label: Where the walk to it began.
            item: The thing.
            way: How it is read.
            parent: The number of the record that led to it; -1: it is at `label`.
        """
        before = way.read(item)
        self._records.append(Record(label, item, way, before, parent))
        return before

    def forget(self) -> None:
        """Keep nothing."""
        self._records.clear()

    def put_back(self, which: Iterable[int] | None = None) -> Changes:
        """Undo what changed; return the names of where it did.

        Args:
            which: Of which records; all by default.
        """
        changes = Changes({}, {}, {})
        moved: dict[int, tuple[Any, list[str]]] = {}
        for index in range(len(self._records)) if which is None else which:
            record = self._records[index]
            now = record.way.read(record.item)
            if record.way.is_same(record.before, now):
                continue
            names = self._names_of(index, now)
            if not names:
                continue
            found = changes.outside if index not in self.inside else changes.inside
            found.update(dict.fromkeys(names))
            twin = _made_from(record)
            if twin is not None:
                moved[id(record.item)] = twin, names
            elif not _written(record):
                changes.lost.update(dict.fromkeys(names))
        placed = self._put_in({key: twin for key, (twin, _) in moved.items()})
        for key, (_, names) in moved.items():
            if key not in placed:
                changes.lost.update(dict.fromkeys(names))
        return changes

    @contextmanager
    def settling(self, own: set[int]) -> Iterator[None]:
        """Let what changes meanwhile be no error.

        It is undone inside, and noted anew outside or where it cannot be undone. What
        had changed outside before stays noted: that is undone when the plan ends.

        Args:
            own: The ids of parts of the live environment, wherever they were found.
        """
        found = [record.way.read(record.item) for record in self._records]
        yield
        inside = [
            index
            for index, record in enumerate(self._records)
            if index in self.inside or id(record.item) in own
        ]
        lost = self.put_back(inside).lost
        anew = set(range(len(self._records))).difference(() if lost else inside)
        for index in anew:
            record = self._records[index]
            now = record.way.read(record.item)
            if not record.way.is_same(found[index], now):
                record.before = now

    def _names_of(self, index: int, now: Any) -> list[str]:
        """Return what is changed of one thing, without what may change."""
        record = self._records[index]
        label = record.label if index not in self.inside else self._path(index)
        if record.way.is_named and (index in self.inside or record.parent < 0):
            names = [f"{label}.{name}" for name in _changed(record.before, now)]
        else:
            names = [label]
        return [name for name in names if name not in self._caches]

    def _path(self, index: int) -> str:
        """Return the way from the environment to a part of it."""
        record = self._records[index]
        if record.parent < 0:
            return record.label
        path = self._path(record.parent)
        owner = self._records[record.parent]
        parts = owner.before
        pairs = parts.items() if isinstance(parts, dict) else enumerate(parts)
        for key, part in pairs:
            if part is record.item:
                place = f".{key}" if owner.way.is_named else f"[{key!r}]"
                return re.sub(r"^env(\.(env|aec_env)\b)+", "env", path + place)
        return f"{path} ({type(record.item).__name__})"

    def _put_in(self, twins: dict[int, Any]) -> set[int]:
        """Put new iterators wherever those were that moved; return which were found."""
        found: set[int] = set()
        for record in self._records if twins else ():
            before = record.before
            if not isinstance(before, list | dict):
                continue
            values = before.values() if isinstance(before, dict) else before
            if held := {id(v) for v in values}.intersection(twins):
                record.before = (
                    {k: twins.get(id(v), v) for k, v in before.items()}
                    if isinstance(before, dict)
                    else [twins.get(id(v), v) for v in before]
                )
                if _written(record):
                    found |= held
        for record in self._records if found else ():
            if id(record.item) in found:
                record.item = twins[id(record.item)]
        return found


def _made_from(record: Record) -> Any:
    """Return a new iterator for one that has moved; None for all else."""
    if not isinstance(record.item, iterators.KINDS):
        return None
    return iterators.made_from(record.before)


def _written(record: Record) -> bool:
    """Write back what something held; return whether it holds that again."""
    way = record.way
    if way.write is None:
        return False
    try:
        way.write(record.item, record.before)
    except Exception:
        pass  # what cannot be written may have come back by way of another name
    return way.is_same(record.before, way.read(record.item))


def _changed(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Return the names of the attributes that are others now."""
    return [
        name
        for name in sorted(before.keys() | now.keys())
        if not (
            name in before and name in now and is_same_value(before[name], now[name])
        )
    ]
