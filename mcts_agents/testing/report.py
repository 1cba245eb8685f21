"""What a check found: a `CheckError` at the first mistake, else a `Report`."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NoReturn


class CheckError(AssertionError):
    """A game or an environment breaks a rule; the message says which, where and how."""


@dataclass
class Report:
    """What was checked and what was not.

    Attributes:
        name: The game or the environment.
        checked: How often each property was checked, by its description.
        skipped: Why a property was not checked, by its description.
        advice: What is no mistake but probably not meant, each one line.
    """

    name: str
    checked: Counter[str] = field(default_factory=Counter)
    skipped: dict[str, str] = field(default_factory=dict)
    advice: list[str] = field(default_factory=list)

    def skip(self, what: str, why: str) -> None:
        """Note that a property is not checked."""
        self.skipped.setdefault(what, why)

    def merge(self, other: "Report") -> None:
        """Add another report; what either of them checked does not count as skipped."""
        self.checked += other.checked
        self.skipped = {
            what: why
            for what, why in {**other.skipped, **self.skipped}.items()
            if not self.checked[what]
        }
        self.advice += [line for line in other.advice if line not in self.advice]

    def __str__(self) -> str:
        lines = [f"{self.name}: no mistake found"]
        lines += [f"  checked {n:>7} x  {what}" for what, n in self.checked.items()]
        reasons: dict[str, list[str]] = {}
        for what, why in self.skipped.items():
            reasons.setdefault(why, []).append(what)
        lines += [f"  skipped  {', '.join(e)}: {why}" for why, e in reasons.items()]
        lines += [f"  advice   {line}" for line in self.advice]
        return "\n".join(lines)


@dataclass
class Place:
    """Where a check is: for the messages.

    Attributes:
        game: The game with its variant, or the environment.
        seed: The seed of the check.
        episode: Number of the episode, from 0.
        move: Number of decisions since its opening.
    """

    game: str
    seed: int
    episode: int = 0
    move: int = 0

    def fail(self, function: str, problem: str, advice: str) -> NoReturn:
        """Raise the error that says what is wrong, where, and what to do."""
        raise CheckError(self.message(function, problem, advice))

    def message(self, function: str, problem: str, advice: str) -> str:
        """Return one line that says what is wrong, where, and what to do."""
        # An author's exception may bring a text of several lines.
        problem = " ".join(problem.split())
        return (
            f"{self.game}: `{function}` {problem} (episode {self.episode}, move "
            f"{self.move}, seed {self.seed}). {advice}"
        )
