"""`TreePolicy`: all that a search knows of one way to choose in the tree.

A policy of this package is one such object in the file of its algorithm; a user's own,
given as the setting `tree_policy`, has the same form.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from mcts_agents.search.kernel.records import USER_PARAMETERS
from mcts_agents.search.kernel.tree_policies import first_play

KINDS = ("index", "sampling", "other")
NAME = re.compile(r"[A-Za-z]\w{0,59}", re.ASCII)

# What every policy of the kind `index` reads; see `extended`.
INDEX_OPTIONS = (
    "exploration",
    "normalise",
    *first_play.OPTIONS,
    "action_heuristic",
    "prior_temperature",
    "progressive_bias",
    "initial_visits",
    "abstraction",
)
OPTIONS = (*INDEX_OPTIONS, "epsilon", "temperature")


@dataclass(frozen=True, eq=False)
class TreePolicy:
    """How a decision in the tree chooses among its actions.

    The functions are compiled with `numba.njit` and called with three addresses: of
    their view, of SETTINGS and of the search's generator.

    Attributes:
        name: What the setting calls it: a letter, then up to 59 letters, digits and
            underscores.
        choose: Returns the index of the edge to take, one of the decision's candidates;
            its view is a DECISION record.
        kind: `index`: each action has an index, and the greatest is taken. It must
            avoid actions that `indices.is_lost`, because the solver goes with this
            kind. `sampling`: an action is drawn from a strategy, whose average the
            policy adds up in the edges' `strategy`; the final move is drawn from it.
            `other`: neither.
        options: The options of `SearchSettings` that it reads, besides those that all
            policies of its kind do (`INDEX_OPTIONS`); None: any.
        ignores: Those of its kind's options that it does not read; they are refused.
        plain: Of an index, a faster `choose` for when nothing is added to it. An action
            heuristic may order untried actions: see `extended.first_untried`.
        abstract: Likewise for when nothing but opponent move abstraction is added.
        evaluated: `choose` for when an evaluator gives the priors; None: it cannot. Not
            together with an `update`.
        update: Called after each iteration for each edge that was taken, before the
            value is taken in; its view is an OUTCOME record. It returns an integer,
            which means nothing.
        keeps_statistics: Whether it reads or writes the edges' STATISTIC records; with
            an `update` there always are some.
        parameters: Its own numbers, at most 16: `settings.user` holds their values, in
            this order.

    Raises:
        ValueError: A name of another form, an unknown kind or option, too many
            parameters or one that is not finite, a sampling policy without statistics,
            or both `update` and `evaluated`.
        TypeError: A function that is not compiled, or options that are no tuple.
    """

    name: str
    choose: Callable[..., Any]
    kind: str = "index"
    options: tuple[str, ...] | None = ()
    ignores: tuple[str, ...] = ()
    plain: Callable[..., Any] | None = None
    abstract: Callable[..., Any] | None = None
    evaluated: Callable[..., Any] | None = None
    update: Callable[..., Any] | None = None
    keeps_statistics: bool = False
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not NAME.fullmatch(self.name):
            raise ValueError(
                f"tree policy {self.name!r}: expected as a name a letter, then up to "
                "59 letters, digits and underscores"
            )
        if self.kind not in KINDS:
            raise ValueError(
                f"tree policy {self.name!r}: kind={self.kind!r}; expected one of "
                f"{', '.join(KINDS)}"
            )
        self._check_options()
        # A copy: nobody changes it afterwards.
        object.__setattr__(self, "parameters", dict(self.parameters))
        for parameter, value in self.parameters.items():
            if not isinstance(value, Real) or not math.isfinite(value):
                raise ValueError(
                    f"tree policy {self.name!r}: {parameter}={value!r}; expected a "
                    "finite number"
                )
        if self.update is not None and self.evaluated is not None:
            raise ValueError(
                f"tree policy {self.name!r} has both `update` and `evaluated`; leaves "
                "that wait for an evaluator do not keep what `update` is told; give one"
            )
        if self.update is not None:
            object.__setattr__(self, "keeps_statistics", True)
        if self.draws and not self.keeps_statistics:
            raise ValueError(
                f"tree policy {self.name!r}: kind='sampling' adds up its strategy in "
                "the edges' statistics; give keeps_statistics=True"
            )
        if len(self.parameters) > USER_PARAMETERS:
            raise ValueError(
                f"tree policy {self.name!r} has {len(self.parameters)} parameters; "
                f"expected at most {USER_PARAMETERS}"
            )
        for what in ("choose", "plain", "abstract", "evaluated", "update"):
            function = getattr(self, what)
            if function is not None and not hasattr(function, "py_func"):
                raise TypeError(
                    f"tree policy {self.name!r}: {what}={function!r}; decorate it with "
                    "numba.njit; it is called with the addresses of its view, of "
                    "SETTINGS and of a generator"
                )

    def _check_options(self) -> None:
        for what in ("options", "ignores"):
            names = getattr(self, what)
            if what == "options" and names is None:
                continue
            if not isinstance(names, tuple):
                raise TypeError(
                    f"tree policy {self.name!r}: {what}={names!r}; expected a tuple of "
                    "names"
                )
            for name in names:
                if name not in OPTIONS:
                    raise ValueError(
                        f"tree policy {self.name!r}: {what} names {name!r}; expected "
                        f"some of {', '.join(OPTIONS)}"
                    )

    def chooser(self, settings: Any) -> Callable[..., Any]:
        """Return the form of `choose` that settings need."""
        if settings.evaluator is not None and self.evaluated is not None:
            return self.evaluated
        adds = (
            settings.first_play_urgency is not None
            or settings.prior_temperature is not None
            or max(settings.progressive_bias, settings.initial_visits) > 0
        )
        if adds:
            return self.choose
        form = self.plain if settings.abstraction == "none" else self.abstract
        return form or self.choose

    @property
    def draws(self) -> bool:
        """Whether it draws actions from a strategy."""
        return self.kind == "sampling"

    def reads(self, option: str) -> bool:
        """Whether it reads an option."""
        if self.options is None or option in self.options:
            return True
        of_its_kind = self.kind == "index" and option in INDEX_OPTIONS
        return of_its_kind and option not in self.ignores
