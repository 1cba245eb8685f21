"""`History`: what has been played in a game, as one player has seen it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class History:
    """A game so far, as one player has seen it.

    Attributes:
        episode: Names the game: its seed, so that a copy of a game is the same game.
        moves: The joint actions since the opening, each a tuple with every player's
            action, -1 for those who did not move, None for an action not seen.
    """

    episode: object
    moves: tuple[tuple[int | None, ...], ...]

    def continues(self, earlier: "History") -> bool:
        """Whether this is the same game as an earlier one, later."""
        return (
            self.episode == earlier.episode
            and len(self.moves) > len(earlier.moves)
            and self.moves[: len(earlier.moves)] == earlier.moves
        )

    def since(self, earlier: "History") -> tuple[tuple[int | None, ...], ...]:
        """Return the joint actions since an earlier moment of the game."""
        return self.moves[len(earlier.moves) :]
