"""Settings of a family of algorithms, some of whose options only some of them have."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

from mcts_agents.search.options.option import check_options


@dataclass(frozen=True)
class Algorithm:
    """One algorithm of a family.

    Attributes:
        about: What it is, in one line.
        source: Where it comes from.
        options: Options that only some algorithms have, of which this one has these.
        fixed: Options that make it what it is; users cannot change these.
    """

    about: str
    source: str
    options: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)


class FamilySettings:
    """Settings that name the algorithm they are for; a dataclass is made of these.

    Attributes:
        algorithms: The family's algorithms, by name.
        algorithm: The name of one of them.
    """

    algorithms: ClassVar[Mapping[str, Algorithm]]
    algorithm: str

    @classmethod
    def options_of(cls, algorithm: str) -> tuple[str, ...]:
        """Return the names of the options that an algorithm has, in their order."""
        names = [described.name for described in fields(cls)]  # type: ignore[arg-type]
        names.remove("algorithm")
        missing = cls._only_others_have(algorithm)
        return tuple(name for name in names if name not in missing)

    @classmethod
    def _only_others_have(cls, algorithm: str) -> set[str]:
        only_some = {name for a in cls.algorithms.values() for name in a.options}
        return only_some - set(cls.algorithms[algorithm].options)

    def __post_init__(self) -> None:
        check_options(self)
        fixed = self.algorithms[self.algorithm].fixed
        missing = self._only_others_have(self.algorithm)
        for described in fields(self):  # type: ignore[arg-type]
            name = described.name
            given = getattr(self, name)
            default = described.default
            if name in missing and given not in (default, fixed.get(name, default)):
                having = [n for n, a in self.algorithms.items() if name in a.options]
                raise ValueError(
                    f"{name}={given!r}: {self.algorithm} has no such option; "
                    f"{', '.join(having)} have"
                )

    def _refuse_unused(self, name: str, has_effect: bool, needs: str) -> None:
        """Raise ValueError for an option that was given and has no effect."""
        given = getattr(self, name)
        if given != getattr(type(self), name) and not has_effect:
            raise ValueError(f"{name}={given!r}: has an effect only with {needs}")

    def _filled(self, chosen: Mapping[str, Any]) -> Self:
        """Return settings with what the algorithm fixes and what was left open."""
        chosen = {**self.algorithms[self.algorithm].fixed, **chosen}
        filled = object.__new__(type(self))
        for described in fields(self):  # type: ignore[arg-type]
            name = described.name
            value = chosen.get(name, getattr(self, name))
            object.__setattr__(filled, name, value)
        return filled
