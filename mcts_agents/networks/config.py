"""`NetworkConfig`: what goes into a network, what comes out, and how large it is."""

import math
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from gymnasium import spaces

from mcts_agents.model import ForwardModel
from mcts_agents.names import quoted, unknown_name

# Each kind of network with the sizes that it has, and their defaults.
KINDS: dict[str, dict[str, Any]] = {
    "residual": {
        "planes_last": False,
        "channels": 64,
        "blocks": 5,
        "policy_channels": 4,
        "value_channels": 2,
        "value_hidden": 64,
    },
    "mobile": {
        "planes_last": False,
        "channels": 256,
        "blocks": 13,
        "inner_channels": 128,
        "inner_growth": 64,
        "squeezing_blocks": 5,
        "policy_channels": 8,
        "value_channels": 8,
        "value_hidden": 256,
    },
    "perceptron": {"hidden": (256, 256)},
}

# The greatest value of each size; the least is 1 unless it is in `_FROM_ZERO`.
MOST = {
    "channels": 1024,
    "blocks": 64,
    "inner_channels": 4096,
    "inner_growth": 1024,
    "squeezing_blocks": 64,
    "policy_channels": 256,
    "value_channels": 256,
    "value_hidden": 4096,
}
_FROM_ZERO = ("inner_growth", "squeezing_blocks")
MOST_HIDDEN = 16  # layers of a perceptron
MOST_UNITS = 8192  # of one of them

# Numbers in an observation, dimensions of one, actions.
MOST_INPUTS = 1 << 20
MOST_DIMENSIONS = 8
MOST_ACTIONS = 1 << 20
MOST_TEAMS = 62

# A board on which a convolution of 3x3 cells makes sense.
LEAST_SIDE = 3


@dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """The architecture of a network.

    A size that is None takes the default of the kind. A size that the kind does not
    have must be None.

    - `residual`: residual blocks of two 3x3 convolutions, as in AlphaGo Zero (Silver et
      al., Nature 550, 2017).
    - `mobile`: RISEv2 mobile, whose blocks widen, convolve each channel by itself and
      narrow again (Czech et al., Frontiers in Artificial Intelligence 3, 2020), as Weil
      et al. 2023 use it in Pommerman.
    - `perceptron`: fully connected layers on the flattened observation.

    Attributes:
        kind: `residual`, `mobile` or `perceptron`. The first two take observations of
            three dimensions: planes, rows, columns; or rows, columns, planes.
        observation_shape: Shape of an observation, 1 to 8 dimensions.
        actions: Number of actions, from 1 to 2**20.
        teams: Number of teams, from 1 to 62. With one team, the value is the expected
            return; otherwise it is the logit of each team's share of the win.
        planes_last: Whether the planes are the last axis of an observation, as in
            PettingZoo's board games, and not the first; default False.
        channels: Channels between blocks, 1 to 1024. 64 (residual), 256 (mobile).
        blocks: Number of blocks, 1 to 64. 5 (residual), 13 (mobile).
        inner_channels: Channels inside the first mobile block, 1 to 4096; default 128.
        inner_growth: How many more each further mobile block has inside, 0 to 1024;
            default 64.
        squeezing_blocks: How many of the last mobile blocks begin with squeeze and
            excitation, 0 to `blocks`; default 5, or all if there are fewer.
        policy_channels: Channels of the policy head, 1 to 256. 4 (residual), 8
            (mobile).
        value_channels: Channels of the value head, 1 to 256. 2 (residual), 8 (mobile).
        value_hidden: Units of the value head's hidden layer, 1 to 4096. 64
            (residual), 256 (mobile).
        hidden: Units of each hidden layer of a perceptron: 1 to 16 layers of 1 to 8192;
            default (256, 256).

    Raises:
        ValueError: An unknown kind, or a value that is not allowed or not used.
    """

    kind: str
    observation_shape: tuple[int, ...]
    actions: int
    teams: int
    planes_last: bool | None = None
    channels: int | None = None
    blocks: int | None = None
    inner_channels: int | None = None
    inner_growth: int | None = None
    squeezing_blocks: int | None = None
    policy_channels: int | None = None
    value_channels: int | None = None
    value_hidden: int | None = None
    hidden: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(unknown_name("kind of network", str(self.kind), KINDS))
        self._check_ends()
        defaults = dict(KINDS[self.kind])
        if self.kind == "mobile" and _is_whole(self.blocks, 1, MOST["blocks"]):
            defaults["squeezing_blocks"] = min(5, self.blocks or 0)
        for size in SIZES:
            given = getattr(self, size)
            if given is None:
                object.__setattr__(self, size, defaults.get(size))
            elif size not in defaults:
                raise ValueError(
                    f"{size}={quoted(given)}: a {self.kind} network has no such size; "
                    f"it has {', '.join(defaults)}"
                )
        if self.hidden is None:
            self._check_sizes(defaults)
        else:
            units = _whole_numbers("hidden", self.hidden, MOST_HIDDEN, MOST_UNITS)
            object.__setattr__(self, "hidden", units)

    def _check_ends(self) -> None:
        """Check what comes in and what goes out."""
        shape = _whole_numbers(
            "observation_shape", self.observation_shape, MOST_DIMENSIONS, MOST_INPUTS
        )
        object.__setattr__(self, "observation_shape", shape)
        if math.prod(shape) > MOST_INPUTS:
            raise ValueError(
                f"observation_shape={shape}: expected at most {MOST_INPUTS:,} numbers"
            )
        if self.kind != "perceptron" and len(shape) != 3:
            raise ValueError(
                f"observation_shape={shape}: a {self.kind} network takes planes, "
                "shape (planes, rows, columns) or, with planes_last, (rows, columns, "
                "planes); choose kind='perceptron'"
            )
        for name, most in (("actions", MOST_ACTIONS), ("teams", MOST_TEAMS)):
            _check_whole(name, getattr(self, name), 1, most)

    def _check_sizes(self, names: dict[str, Any]) -> None:
        if type(self.planes_last) is not bool:
            raise ValueError(
                f"planes_last={quoted(self.planes_last)}: expected true or false"
            )
        for name in names:
            if name in MOST:
                least = name not in _FROM_ZERO
                _check_whole(name, getattr(self, name), least, MOST[name])
        if self.kind == "mobile" and self.size("squeezing_blocks") > self.size(
            "blocks"
        ):
            raise ValueError(
                f"squeezing_blocks={self.squeezing_blocks}: expected at most "
                f"blocks={self.blocks}"
            )

    @property
    def planes(self) -> tuple[int, int, int]:
        """Planes, rows and columns of an observation; no perceptron has them."""
        first, second, third = self.observation_shape
        return (third, first, second) if self.planes_last else (first, second, third)

    def size(self, name: str) -> int:
        """Return a size that this kind has, such as `channels`."""
        value = getattr(self, name)
        if value is None:
            raise ValueError(f"a {self.kind} network has no {name}")
        return int(value)

    @classmethod
    def for_model(
        cls, model: ForwardModel, kind: str | None = None, **sizes: Any
    ) -> Self:
        """Return the architecture for a game.

        Args:
            model: The game, for its observations, actions and teams. Of copied
                environments the observation space must be a Box.
            kind: See the class; None takes `residual` for planes of at least 3x3 cells
                and `perceptron` for everything else.
            **sizes: Sizes that differ from their defaults. In copied environments the
                default of `planes_last` is what the shape suggests, see
                `are_planes_last`.

        Raises:
            ValueError: A value that is not allowed, or a game without observations.
        """
        for size in sizes:
            if size not in SIZES:
                raise ValueError(unknown_name("size of a network", size, SIZES))
        shape = observation_shape_of(model)
        last = False
        if len(shape) == 3 and model.own_observation_space is not None:
            last = bool(sizes.get("planes_last", are_planes_last(shape)))
        if kind is None:
            sides = shape[:2] if last else shape[1:]
            is_board = len(shape) == 3 and min(sides) >= LEAST_SIDE
            kind = "residual" if is_board else "perceptron"
        if last and kind != "perceptron":
            sizes = {"planes_last": True, **sizes}
        return cls(
            kind=kind,
            observation_shape=shape,
            actions=model.actions,
            teams=model.team_count,
            **sizes,
        )

    def to_mapping(self) -> dict[str, Any]:
        """Return the fields that this kind has, as JSON can hold them."""
        return {name: _listed(v) for name, v in asdict(self).items() if v is not None}

    @classmethod
    def from_mapping(cls, mapping: Any) -> Self:
        """Return what `to_mapping` has written.

        Raises:
            ValueError: It has not written this.
        """
        if not isinstance(mapping, dict):
            raise ValueError(f"config={quoted(mapping)}: expected a mapping")
        names = [field.name for field in fields(cls)]
        for name in mapping:
            if name not in names:
                raise ValueError(unknown_name("field of a network", str(name), names))
        for name in names[:4]:
            if name not in mapping:
                raise ValueError(f"the config of a network lacks {name}")
        return cls(**mapping)


# The fields that kinds have or lack: all after the kind and the two ends.
SIZES = tuple(field.name for field in fields(NetworkConfig))[4:]


def observation_shape_of(model: ForwardModel) -> tuple[int, ...]:
    """Return the shape of a game's observations.

    Raises:
        ValueError: It has none, or they are no arrays (Box).
    """
    space = model.own_observation_space
    if space is None and model.copies_environments:
        raise ValueError(
            f"the players of {model.name} have different observation spaces; a network "
            "takes arrays of numbers of one shape, type and range"
        )
    shape = model.observation_shape if space is None else space.shape
    if not shape or not isinstance(space, spaces.Box | None):
        seen = "no observations" if space is None else f"observations {space}"
        raise ValueError(
            f"{model.name} has {seen}; a network takes arrays of numbers (Box)"
        )
    return tuple(map(int, shape))


def are_planes_last(shape: tuple[int, ...]) -> bool:
    """Return whether an observation's axes seem to be rows, columns, planes.

    Rows and columns are the two axes of the same length, if the third has another one;
    else planes are the shorter one of the first and the last axis, or the first.

    Args:
        shape: Three lengths.
    """
    first, second, third = shape
    if (first == second) != (second == third):
        return first == second
    return third < first


def _is_whole(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _check_whole(name: str, value: Any, least: int, most: int) -> None:
    if not _is_whole(value, least, most):
        raise ValueError(
            f"{name}={quoted(value)}: expected a whole number from {int(least)} to "
            f"{most:,}"
        )


def _whole_numbers(name: str, values: Any, longest: int, most: int) -> tuple[int, ...]:
    if not isinstance(values, tuple | list) or not 1 <= len(values) <= longest:
        raise ValueError(
            f"{name}={quoted(values)}: expected 1 to {longest} whole numbers"
        )
    for value in values:
        _check_whole(name, value, 1, most)
    return tuple(values)


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
