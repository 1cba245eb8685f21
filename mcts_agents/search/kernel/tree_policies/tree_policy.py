"""`TreePolicy`: all that a search knows of one way to choose in the tree.

A policy of this package is one such object in the file of its algorithm; a user's own,
given as the setting `tree_policy`, has the same form.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcts_agents.search.kernel.records import USER_PARAMETERS

KINDS = ("index", "sampling", "other")


@dataclass(frozen=True)
class TreePolicy:
    """How a decision in the tree chooses among its actions.

    The functions are compiled with `numba.njit` and called with three addresses: of
    their view, of SETTINGS and of the search's generator.

    Attributes:
        name: What the setting calls it.
        choose: Returns the index of the edge to take; its view is a DECISION record.
        kind: `index`: each action has an index, and the greatest is taken. `sampling`:
            an action is drawn from a strategy, whose average the policy adds up in the
            edges' `strategy`; the final move is drawn from it. `other`: neither.
        options: The options of `SearchSettings` that it reads, besides those that all
            policies of its kind do; None: any.
        plain: Of an index, a faster `choose` for when nothing is added to it.
        evaluated: `choose` for when an evaluator gives the priors; None: it cannot.
        update: Called after each iteration for each edge that was taken, before the
            value is taken in; its view is an OUTCOME record.
        keeps_statistics: Whether it reads or writes the edges' STATISTIC records.
        parameters: Its own numbers, at most 16: `settings.user` holds their values, in
            this order.

    Raises:
        ValueError: An unknown kind, or too many parameters.
        TypeError: A function that is not compiled.
    """

    name: str
    choose: Callable[..., Any]
    kind: str = "index"
    options: tuple[str, ...] | None = ()
    plain: Callable[..., Any] | None = None
    evaluated: Callable[..., Any] | None = None
    update: Callable[..., Any] | None = None
    keeps_statistics: bool = False
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(
                f"tree policy {self.name!r}: kind={self.kind!r}; expected one of "
                f"{', '.join(KINDS)}"
            )
        if len(self.parameters) > USER_PARAMETERS:
            raise ValueError(
                f"tree policy {self.name!r} has {len(self.parameters)} parameters; "
                f"expected at most {USER_PARAMETERS}"
            )
        for what in ("choose", "plain", "evaluated", "update"):
            function = getattr(self, what)
            if function is not None and not hasattr(function, "py_func"):
                raise TypeError(
                    f"tree policy {self.name!r}: {what}={function!r}; decorate it with "
                    "numba.njit; it is called with the addresses of its view, of "
                    "SETTINGS and of a generator"
                )

    def chooser(self, settings: Any) -> Callable[..., Any]:
        """Return the form of `choose` that settings need."""
        if settings.evaluator is not None and self.evaluated is not None:
            return self.evaluated
        plain = (
            settings.first_play_urgency is None
            and settings.action_heuristic == "none"
            and settings.abstraction == "none"
        )
        return self.plain if plain and self.plain is not None else self.choose

    @property
    def draws(self) -> bool:
        """Whether it draws actions from a strategy."""
        return self.kind == "sampling"

    def reads(self, option: str) -> bool:
        """Whether it reads an option."""
        if self.options is None or option in self.options:
            return True
        return self.kind == "index" and option in INDEX_OPTIONS


# What every policy of the kind `index` reads; see `extended`.
INDEX_OPTIONS = (
    "exploration",
    "normalise",
    "first_play_urgency",
    "first_play_value",
    "first_play_reduction",
    "action_heuristic",
    "prior_temperature",
    "progressive_bias",
    "initial_visits",
    "abstraction",
)
