"""The columns of a dataset, as they are read and as they are stored."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

# With more actions than this, masks and visits are stored as lists of legal actions.
DENSE_ACTIONS = 1024

# Types of observations: int8 in games with rules, any of these in environments.
OBSERVED = (
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    "float32",
    "float64",
)


@dataclass(frozen=True)
class Column:
    """A column: one entry for each decision.

    Attributes:
        name: Its name.
        dtype: Its NumPy type.
        shape: Shape of an entry; () for a number.
        meaning: What it holds, in words.
        is_list: Whether entries are lists of different lengths, those of
            `legal_count`. NumPy archives hold them one after another.
    """

    name: str
    dtype: str
    meaning: str
    shape: tuple[int, ...] = ()
    is_list: bool = False

    def description(self) -> dict[str, Any]:
        """Return what `dataset.json` says of it."""
        shape = ["legal_count"] if self.is_list else list(self.shape)
        return {"dtype": self.dtype, "shape": shape, "meaning": self.meaning}


_NUMBERS = (
    Column("game", "int64", "number of the game, from 0"),
    Column("seed", "int64", "seed of the game, for `reset` of its environment"),
    Column("ply", "int32", "steps of the environment before the decision, from 0"),
    Column("player", "int8", "number of the player who decides"),
    Column("agent", "int16", "place of its agent in `agents`"),
    Column(
        "action",
        "int32",
        "the action played; with `explore_moves` it may be drawn by visits",
    ),
    Column("choice", "int32", "the action that the agent chose"),
    Column(
        "value",
        "float32",
        "mean of the search's values, weighted by visits, to the player who decides: "
        "on the scale of the leaf heuristic that `agents` names under `value`; NaN "
        "without visits",
    ),
    Column("outcome", "int8", "result of the player: 1 won, 0 drawn, -1 lost"),
    Column("score", "float64", "score of the player at the end of the game"),
)

# Self-play has one agent, and no environments that are seeded.
_SELF_PLAY = tuple(
    column
    for column in _NUMBERS
    if column.name in ("game", "ply", "player", "action", "value")
)

_SHARES = "each player's share of the win at the end of the game, by seat, sum 1"
_MASK = "1 for each legal action of the player, 0 for the others"
_VISITS = (
    "share of the search's visits that each action had, or what its `root_policy` "
    "tells instead, sum 1; all on `choice` without visits: agents that do not search, "
    "one action, a win proven at first sight"
)


@dataclass(frozen=True)
class Layout:
    """The columns of one game's datasets.

    Attributes:
        observation_shape: Shape of an observation.
        actions: Size of the action space.
        observation_dtype: NumPy type of an observation, one of `OBSERVED`.
        players: Number of players where each player's share of the win is stored, as in
            games of self-play; None elsewhere.
        columns: As they are read.
        stored: As they are in the files.
    """

    observation_shape: tuple[int, ...]
    actions: int
    observation_dtype: str = "int8"
    players: int | None = None
    columns: tuple[Column, ...] = field(init=False, repr=False)
    stored: tuple[Column, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        seen = Column(
            "observation",
            self.observation_dtype,
            "what the player sees before the decision, as from its environment",
            self.observation_shape,
        )
        dense = (
            Column("action_mask", "int8", _MASK, (self.actions,)),
            Column("visits", "float32", _VISITS, (self.actions,)),
        )
        lists = (
            Column("legal_count", "int32", "number of legal actions of the player"),
            Column("legal_actions", "int32", "the legal actions", is_list=True),
            Column("visit_shares", "float32", "`visits` of these", is_list=True),
        )
        common: tuple[Column, ...] = (*_NUMBERS, seen)
        if self.players is not None:
            shares = Column("shares", "float32", _SHARES, (self.players,))
            common = (*_SELF_PLAY, seen, shares)
        object.__setattr__(self, "columns", (*common, *dense))
        stored = lists if self.is_sparse else dense
        object.__setattr__(self, "stored", (*common, *stored))

    @property
    def is_sparse(self) -> bool:
        """Whether masks and visits are stored as lists of legal actions."""
        return self.actions > DENSE_ACTIONS

    def description(self) -> dict[str, Any]:
        """Return what `dataset.json` says of the stored columns."""
        return {column.name: column.description() for column in self.stored}


def named(columns: Iterable[Column]) -> dict[str, Column]:
    """Return columns by their names."""
    return {column.name: column for column in columns}
