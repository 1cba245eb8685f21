"""`Spec`: the sizes of one variant of a game."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Spec:
    """The sizes of one variant, returned by a game's `variant` function.

    Attributes:
        players: Number of players, 1 to 62.
        actions: Size of the fixed discrete action space.
        legal_limit: Greatest number of legal actions of one player; default `actions`.
        observation_shape: Shape of an observation, if the game has `observe`.
        observation_bounds: Least and greatest value in an observation (int8).
        teams: The number of each player's team, from 0, as in (0, 1, 0, 1): `results`
            are the same for all of a team. Default: every player for itself.
        leaves_out: The last fields of the state's record, by name, if this variant
            has no use for them: its states end before them and are copied faster. The
            author's functions must not touch them then.
    """

    players: int
    actions: int
    legal_limit: int | None = None
    observation_shape: tuple[int, ...] | None = None
    observation_bounds: tuple[int, int] = (0, 1)
    teams: tuple[int, ...] | None = None
    leaves_out: tuple[str, ...] = ()
