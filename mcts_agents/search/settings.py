"""The settings of a search: what they may be, and what they mean."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace

from mcts_agents.model import ForwardModel

TREES = ("one", "self", "multi")
INFORMATION = ("set", "perfect")
VALUES = ("win", "score", "evaluate")
FINAL_MOVES = ("visits", "value")


@dataclass(frozen=True)
class SearchSettings:
    """Settings of `MCTSAgent`; None leaves the choice to the game.

    Attributes:
        simulations: Budget in iterations, from 1. 1000 if no budget is given.
        seconds: Budget in seconds a decision, above 0.
        forward_model_calls: Budget in actions applied (one for each player), from 1.
            Where several budgets are given, the first to be spent ends the search.
        tree: `one`, a single tree with nodes of all players (MaxN); `self`, a single
            tree of the acting player, the others act at random; `multi`, one tree a
            player (MultiTree MCTS, Goodman et al. 2022).
        paranoid: Back up -1 times the acting player's value for all others.
        information: `set`, a new determinization each iteration; `perfect`, one
            determinization for the whole search (PI-MCTS).
        exploration: K of UCB1, from 0, for values normalised to the range seen.
        rollout: Most actions in a rollout, all players together, from 0. Game's
            choice, else 1000.
        max_depth: Most decisions on a path in any tree, 1 to 100000.
        value: Leaf heuristic: `win`, `score` or `evaluate` (see `leaf_values`).
        score_bonus: Share of the score that a winner gains and a loser forfeits under
            `value=score`, 0 to 1. Game's choice, else 0.5.
        solver: Prove results near the end of the game (MCTS-Solver). Applies to one
            tree in games without chance and hidden information, with `value` `win` or
            `evaluate`, and not to Paranoid with more than two players. None: on where
            it applies and `value` is `win`. A search whose root is proven ends before
            its budget.
        final: Take the root action with most `visits` or of greatest mean `value`.
    """

    simulations: int | None = None
    seconds: float | None = None
    forward_model_calls: int | None = None
    tree: str = "one"
    paranoid: bool = False
    information: str = "set"
    exploration: float = 1.0
    rollout: int | None = None
    max_depth: int = 1000
    value: str | None = None
    score_bonus: float | None = None
    solver: bool | None = None
    final: str = "visits"

    def __post_init__(self):
        for name in ("simulations", "forward_model_calls"):
            check_integer(name, getattr(self, name), least=1, optional=True)
        check_integer("rollout", self.rollout, least=0, optional=True)
        check_integer("max_depth", self.max_depth, least=1, most=100_000)
        check_number("seconds", self.seconds, above=0.0, optional=True)
        check_number("exploration", self.exploration, least=0.0)
        check_number(
            "score_bonus", self.score_bonus, least=0.0, most=1.0, optional=True
        )
        check_choice("tree", self.tree, TREES)
        check_choice("information", self.information, INFORMATION)
        check_choice("final", self.final, FINAL_MOVES)
        if self.value is not None:
            check_choice("value", self.value, VALUES)
        if not isinstance(self.paranoid, bool):
            raise ValueError(f"paranoid={self.paranoid!r}: expected true or false")
        if not isinstance(self.solver, bool | None):
            raise ValueError(f"solver={self.solver!r}: expected true, false or none")
        if self.simulations is self.seconds is self.forward_model_calls is None:
            object.__setattr__(self, "simulations", 1000)

    def for_model(self, model: ForwardModel) -> "SearchSettings":
        """Fill what was left open with the game's choices, and check what it can do.

        Raises:
            ValueError: The game has no evaluation function but one is asked for.
        """
        chosen: Mapping[str, object] = {
            "value": "score",
            "rollout": 1000,
            "score_bonus": 0.5,
            **model.search_defaults,
        }
        unknown = set(chosen) - {f.name for f in fields(self)}
        if unknown:
            raise ValueError(
                f"{model.name}: search_defaults names {sorted(unknown)}, which are no "
                f"settings of a search: {[f.name for f in fields(self)]}"
            )
        given = asdict(self)
        filled = replace(
            self, **{name: v for name, v in chosen.items() if given[name] is None}
        )
        if filled.value == "evaluate" and not model.has("evaluate"):
            raise ValueError(
                f"value='evaluate': {model.name} has no evaluation function; "
                "use value='score' or value='win'"
            )
        provable = (
            filled.tree == "one"
            and not (model.chance or model.hidden_information)
            and filled.value != "score"
            and not (filled.paranoid and model.players > 2)
        )
        if filled.solver and not provable:
            raise ValueError(
                f"solver=true: {model.name} with these settings has nothing to prove; "
                "it takes tree='one', no chance, nothing hidden, value 'win' or "
                "'evaluate', and no Paranoid with more than two players"
            )
        solver = filled.solver
        if solver is None:
            solver = provable and filled.value == "win"
        return replace(filled, solver=solver)


def check_integer(name, value, *, least, most=None, optional=False):
    """Raise ValueError unless `value` is an integer in [least, most]."""
    if value is None and optional:
        return
    allowed = f"an integer from {least}" + (f" to {most}" if most else "")
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name}={value!r}: expected {allowed}")
    if value < least or (most is not None and value > most):
        raise ValueError(f"{name}={value}: expected {allowed}")


def check_number(name, value, *, least=None, above=None, most=None, optional=False):
    """Raise ValueError unless `value` is a finite number within the bounds."""
    if value is None and optional:
        return
    bounds = [
        f"{word} {bound}"
        for word, bound in (("at least", least), ("above", above), ("at most", most))
        if bound is not None
    ]
    message = f"{name}={value!r}: expected a number " + " and ".join(bounds)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(message)
    if not math.isfinite(value):
        raise ValueError(message)
    if (
        (least is not None and value < least)
        or (above is not None and value <= above)
        or (most is not None and value > most)
    ):
        raise ValueError(message)


def check_choice(name, value, allowed):
    """Raise ValueError unless `value` is one of `allowed`."""
    if value not in allowed:
        raise ValueError(f"{name}={value!r}: expected one of {', '.join(allowed)}")
