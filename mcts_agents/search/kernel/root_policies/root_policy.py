"""`RootPolicy`: all that a search knows of one way to decide at its root.

The decision at the root is the one that is made: what a search tries there, which move
it makes at the end, and what it tells a learner may each differ from what a tree policy
does further down. A policy of this package is one such object in the file of its
algorithm; a user's own, given as the setting `root_policy`, has the same form. `choose`
is not asked where there is but one candidate, and without a budget of simulations the
simulations left are a number beyond all budgets.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from mcts_agents.search.kernel.records import USER_PARAMETERS
from mcts_agents.search.kernel.tree_policies.tree_policy import NAME


@dataclass(frozen=True, eq=False)
class RootPolicy:
    """How the acting player's decision at the root is made, and what is told of it.

    Attributes:
        name: What the setting calls it: a letter, then up to 59 letters, digits and
            underscores.
        choose: Returns the index of the edge to take at the root in this iteration,
            one of the decision's candidates, as `TreePolicy.choose` does: compiled with
            `numba.njit`, and called with the addresses of a DECISION record (which says
            `simulations_left`, `depth` and `raw_value`, too), of SETTINGS and of the
            search's generator. None: the tree policy chooses.
        final: `final(root, settings, rng)` returns the place in `root.actions` of the
            move that is made; `root` is a `RootStatistics`, `rng` a generator for
            `mcts_agents.model.random`. None: the option `final` says.
        policy: `policy(root, settings)` returns the probability of each of
            `root.actions`, shape (n,), that a learner is told. None: its share of the
            visits.
        needs_simulations: Whether it takes a budget of simulations.
        merges: Whether several searches of one decision can be merged: those of
            threads, processes and determinizations.
        parameters: Its own numbers, at most 16: `settings.root_user` holds their
            values, in this order.
        check: `check(settings)` raises ValueError for settings with which it cannot
            work.

    Raises:
        ValueError: A name of another form, too many parameters, or one that is not
            finite.
        TypeError: A `choose` that is not compiled, or another function that cannot be
            called.
    """

    name: str
    choose: Callable[..., Any] | None = None
    final: Callable[..., int] | None = None
    policy: Callable[..., Any] | None = None
    needs_simulations: bool = False
    merges: bool = True
    parameters: Mapping[str, float] = field(default_factory=dict)
    check: Callable[[Any], None] = lambda settings: None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not NAME.fullmatch(self.name):
            raise ValueError(
                f"root policy {self.name!r}: expected as a name a letter, then up to "
                "59 letters, digits and underscores"
            )
        # A copy: nobody changes it afterwards.
        object.__setattr__(self, "parameters", dict(self.parameters))
        for parameter, value in self.parameters.items():
            if not isinstance(value, Real) or not math.isfinite(value):
                raise ValueError(
                    f"root policy {self.name!r}: {parameter}={value!r}; expected a "
                    "finite number"
                )
        if len(self.parameters) > USER_PARAMETERS:
            raise ValueError(
                f"root policy {self.name!r} has {len(self.parameters)} parameters; "
                f"expected at most {USER_PARAMETERS}"
            )
        if self.choose is not None and not hasattr(self.choose, "py_func"):
            raise TypeError(
                f"root policy {self.name!r}: choose={self.choose!r}; decorate it with "
                "numba.njit; it is called with the addresses of a DECISION record, of "
                "SETTINGS and of a generator"
            )
        for what in ("final", "policy", "check"):
            function = getattr(self, what)
            if function is not None and not callable(function):
                raise TypeError(
                    f"root policy {self.name!r}: {what}={function!r}; expected a "
                    "function"
                )
