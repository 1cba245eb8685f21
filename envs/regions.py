"""The regions of legal actions on a game's picture, as plain data.

A `Region` says which part of the picture stands for an action, so that a picture can be
clicked. An action that is made in two steps (a piece and where it goes, a card and whom
it is played at) has two shapes, one for each click; its region is a from-to pair.

Positions and lengths are in pixels of the picture, the same numbers with which it is
painted: the origin is its upper left corner, x grows to the right and y downwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from mcts_agents.envs.painting import Point
from mcts_agents.model import ForwardModel


@dataclass(frozen=True)
class Rectangle:
    """An upright rectangle, without its right and lower edges.

    Raises:
        ValueError: A width or height that is not positive.
    """

    left: float
    top: float
    width: float
    height: float

    def __post_init__(self) -> None:
        if not (self.width > 0 and self.height > 0):
            raise ValueError(f"{self}: width and height must be above 0")

    def contains(self, point: Point) -> bool:
        """Whether a point (x, y) lies in the rectangle."""
        right, bottom = self.left + self.width, self.top + self.height
        return self.left <= point[0] < right and self.top <= point[1] < bottom


@dataclass(frozen=True)
class Circle:
    """A disc around (x, y).

    Raises:
        ValueError: A radius that is not positive.
    """

    x: float
    y: float
    radius: float

    def __post_init__(self) -> None:
        if not self.radius > 0:
            raise ValueError(f"{self}: the radius must be above 0")

    def contains(self, point: Point) -> bool:
        """Whether a point (x, y) lies in the disc."""
        across, down = point[0] - self.x, point[1] - self.y
        return across * across + down * down <= self.radius * self.radius


@dataclass(frozen=True)
class Polygon:
    """A polygon given by its corners (x, y) in order; the last is joined to the first.

    Raises:
        ValueError: Fewer than three corners.
    """

    corners: tuple[Point, ...]

    def __post_init__(self) -> None:
        if len(self.corners) < 3:
            raise ValueError(f"{self}: a polygon has at least 3 corners")

    def contains(self, point: Point) -> bool:
        """Whether a point (x, y) lies in the polygon."""
        x, y = point
        inside = False
        before_x, before_y = self.corners[-1]
        for corner_x, corner_y in self.corners:
            # A ray to the right crosses the outline an odd number of times from inside.
            if (corner_y > y) != (before_y > y):
                share = (y - corner_y) / (before_y - corner_y)
                inside ^= x < corner_x + share * (before_x - corner_x)
            before_x, before_y = corner_x, corner_y
        return inside


Shape = Rectangle | Circle | Polygon
_KINDS = {"rectangle": Rectangle, "circle": Circle, "polygon": Polygon}


@dataclass(frozen=True)
class Region:
    """The region of one legal action on the picture.

    Attributes:
        action: The action.
        shape: Where to click; the first click if the region is a from-to pair.
        label: The action as the game's notation writes it.
        until: Where to click next, None if one click is enough. Several actions may
            share a first shape if each of them has an `until` of its own.
    """

    action: int
    shape: Shape
    label: str
    until: Shape | None = None


def legal_actions(model: ForwardModel, state: Any, player: int) -> list[int]:
    """Return the legal actions of a player; none if the player has no decision now."""
    if player not in model.movers(state):
        return []
    return model.legal_actions(state, player).tolist()


def check_observer(observer: int | None, player: int) -> None:
    """Check that a picture shows a player's actions, in games with hidden information.

    Raises:
        ValueError: The picture is what another player sees.
    """
    if observer not in (None, player):
        raise ValueError(
            f"observer={observer}: the picture for player_{observer} does not show "
            f"what player_{player} can do; expected None or {player}"
        )


def action_at(
    regions: Sequence[Region], point: Point, then: Point | None = None
) -> int | None:
    """Return the action at a clicked point, or None.

    Args:
        regions: The regions of a picture.
        point: Where the first click was, (x, y).
        then: Where the second click was, for from-to pairs. Without it only actions
            that one click makes are found, with it only pairs.
    """
    for region in regions:
        if (region.until is None) == (then is None) and region.shape.contains(point):
            if region.until is None or region.until.contains(then):
                return region.action
    return None


def to_json(regions: Sequence[Region]) -> list[dict[str, Any]]:
    """Return regions as lists, dicts, numbers and strings, for `json.dumps`.

    A shape is a dict of its fields and its `"kind"`: `rectangle`, `circle` or
    `polygon`.
    """
    return [
        {
            "action": int(region.action),
            "label": region.label,
            "shape": _shape_to_json(region.shape),
            "until": None if region.until is None else _shape_to_json(region.until),
        }
        for region in regions
    ]


def _shape_to_json(shape: Shape) -> dict[str, Any]:
    kind = type(shape).__name__.lower()
    if isinstance(shape, Polygon):
        return {
            "kind": kind,
            "corners": [[float(x), float(y)] for x, y in shape.corners],
        }
    return {"kind": kind, **{key: float(n) for key, n in asdict(shape).items()}}


def from_json(data: Sequence[Mapping[str, Any]]) -> list[Region]:
    """Return the regions that `to_json` wrote.

    Raises:
        ValueError: A shape of an unknown kind, or without one of its fields.
    """
    return [
        Region(
            action=entry["action"],
            shape=_shape_from_json(entry["shape"]),
            label=entry["label"],
            until=None if entry["until"] is None else _shape_from_json(entry["until"]),
        )
        for entry in data
    ]


def _shape_from_json(data: Mapping[str, Any]) -> Shape:
    kind = _KINDS.get(data.get("kind", ""))
    if kind is None:
        raise ValueError(f'{data}: expected a "kind" of {", ".join(_KINDS)}')
    names = [field.name for field in fields(kind)]
    if set(data) != {"kind", *names}:
        raise ValueError(f"{data}: a {data['kind']} has kind, {', '.join(names)}")
    if kind is Polygon:
        return Polygon(tuple((x, y) for x, y in data["corners"]))
    return kind(**{name: data[name] for name in names})
