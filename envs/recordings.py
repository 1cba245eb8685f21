"""Results of replaying a file of recorded games, shared by all file formats."""

from collections.abc import Callable
from dataclasses import dataclass

# Called with the games done and the games in the file.
Progress = Callable[[int, int], None]


class RecordError(ValueError):
    """A file that is not a record of games, or is for another game."""


@dataclass(frozen=True)
class Mismatch:
    """One difference between a record and the rules."""

    file: str
    game: int
    ply: int
    what: str
    recorded: object
    found: object
    position: str

    def __str__(self) -> str:
        return (
            f"{self.file}: game {self.game}, ply {self.ply}: {self.what} differs\n"
            f"recorded: {self.recorded}\n"
            f"found:    {self.found}\n"
            f"{self.position}"
        )


@dataclass
class Report:
    """The result of replaying one file.

    Attributes:
        file: The file.
        games: Games replayed.
        plies: Their plies.
        mismatches: Games that differ from the rules.
        first: The first difference.
        known_deviations: How many plies the file itself marks as played against the
            rules, by its words for each; None if files of this format mark none.
        ends_left_out: How many finished games have an end that was not compared, since
            such a ply decides it, by the file's words for that; None like the above.
    """

    file: str
    games: int = 0
    plies: int = 0
    mismatches: int = 0
    first: Mismatch | None = None
    known_deviations: dict[str, int] | None = None
    ends_left_out: dict[str, int] | None = None
