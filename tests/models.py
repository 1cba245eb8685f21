"""Models by name that are made, and so compiled, when a test first asks for one.

Every worker collects all tests before it runs any, so what a test module compiles at
its top is waited for by all.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any


class Models(Mapping[str, Any]):
    """What functions without arguments make, each called once."""

    def __init__(self, makers: Mapping[str, Callable[[], Any]]):
        self._makers = makers
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)
