"""Settings of RAVE, GRAVE and MCPS."""

from dataclasses import dataclass
from typing import Any

from mcts_agents.model import ForwardModel
from mcts_agents.model.contract import MOVE_CODES
from mcts_agents.search.kernel.leaf_values import check_value
from mcts_agents.search.options.families import Algorithm, FamilySettings
from mcts_agents.search.options.option import option

# Without any budget.
DEFAULT_SIMULATIONS = 1000
# Playouts and nodes are numbered in 32 bits.
MOST_SIMULATIONS = 1 << 30
# Times two counts and a sum it stays finite, so Q* is a number.
MOST_BIAS = 1e6
_CAZENAVE = "Cazenave 2025"


@dataclass(frozen=True)
class PermutationAlgorithm(Algorithm):
    """One algorithm of the family.

    Attributes:
        permutes: Whether it keeps permutation statistics.
    """

    permutes: bool = False


ALGORITHMS: dict[str, PermutationAlgorithm] = {
    "rave": PermutationAlgorithm(
        "AMAF statistics of the node itself",
        "Gelly, Silver 2011",
        options=("bias",),
        fixed={"ref": 0},
    ),
    "grave": PermutationAlgorithm(
        "AMAF statistics of the last ancestor with enough playouts",
        "Cazenave 2015",
        options=("ref", "bias"),
    ),
    "mcps": PermutationAlgorithm(
        "AMAF statistics as in GRAVE, and statistics of playouts that contain the "
        "moves of the path in any order",
        _CAZENAVE,
        options=("ref",),
        fixed={"bias": 0.0},
        permutes=True,
    ),
}


@dataclass(frozen=True)
class PermutationSettings(FamilySettings):
    """Settings of the agents that search by AMAF and permutation statistics.

    Raises:
        ValueError: A value that is not allowed, or an option that the algorithm does
            not have; the message names it and what is.
    """

    algorithms = ALGORITHMS
    algorithm: str = option(
        "mcps",
        "The algorithm: " + ", ".join(f"`{name}`" for name in ALGORITHMS) + ".",
        "Algorithm",
        choices=tuple(ALGORITHMS),
    )
    # -- budget
    simulations: int | None = option(
        None,
        f"Number of playouts; {DEFAULT_SIMULATIONS} if no budget is given. With "
        "several budgets, the search ends when the first is spent.",
        "Budget",
        kind=int,
        least=1,
        most=MOST_SIMULATIONS,
        optional=True,
    )
    seconds: float | None = option(
        None,
        "Seconds for each decision, from the call of `act` until it returns.",
        "Budget",
        kind=float,
        above=0.0,
        optional=True,
    )
    safety_margin: float = option(
        0.0,
        "Seconds by which a search with a time budget ends early.",
        "Budget",
        kind=float,
        least=0.0,
    )
    forward_model_calls: int | None = option(
        None,
        "Number of actions applied, in the tree and in playouts.",
        "Budget",
        kind=int,
        least=1,
        optional=True,
    )
    memory: int | None = option(
        None,
        "Memory limit of the search in MiB; a search that reaches the limit ends "
        "there. If `simulations` is the only budget and is expected to need more "
        "memory, the first decision raises an error instead of starting a search.",
        "Budget",
        kind=int,
        least=1,
        most=1 << 24,
        optional=True,
    )
    # -- statistics
    codes: Any = option(
        "exact",
        "Which moves count as the same: `exact` codes differ for all moves of a "
        "player; `abstract` and `specific` codes come from the game, if it has them.",
        "Statistics",
        choices=MOVE_CODES,
        objects="a function (game, state, player, action) -> code from 0, which is "
        "compiled",
        source=f"{_CAZENAVE}, section 3.5",
    )
    ref: int = option(
        50,
        "AMAF statistics are taken from the last node on the way down with more than "
        "`ref` playouts, or else from the root.",
        "Statistics",
        kind=int,
        least=0,
        source="Cazenave 2015",
    )
    bias: float = option(
        1e-5,
        "How fast the weight of AMAF statistics falls as an action's visits grow.",
        "Statistics",
        kind=float,
        least=0.0,
        most=MOST_BIAS,
        source="Gelly, Silver 2011; Cazenave 2015",
    )
    # -- playouts
    value: str = option(
        "win",
        "Value of the end of a playout for each player: `win` (1, or a share of 1 "
        "for a draw, else 0), `score` or `leader` (lead over the best opponent).",
        "Playouts",
        choices=("win", "score", "leader"),
    )
    score_bonus: float | None = option(
        None,
        "Share of the score's magnitude that a winner gains and a loser forfeits "
        "under `score` and `leader`. None: the game's choice, else 0.5.",
        "Playouts",
        kind=float,
        least=0.0,
        most=1.0,
        optional=True,
    )
    rollout: int = option(
        10_000,
        "Maximum number of actions in a playout; a playout that is cut off is "
        "evaluated where it ends.",
        "Playouts",
        kind=int,
        least=1,
        most=1 << 24,
    )
    # -- tree
    nodes: str | None = option(
        None,
        "What a node stands for. `position`: a position, however it was reached; "
        "`path`: the sequence of moves that the player has seen. With `path`, each "
        "playout samples a determinization, and players who decide at once have a "
        "node each. None: `position` in games that have a `state_key` and neither "
        "chance nor hidden information, else `path`.",
        "Tree",
        choices=("position", "path"),
        optional=True,
        source="Cowling, Powley, Whitehouse 2012 (path)",
    )
    max_depth: int = option(
        1000,
        "Maximum number of decisions on a path in the tree.",
        "Tree",
        kind=int,
        least=1,
        most=100_000,
    )
    final: str = option(
        "visits",
        "Which move is made: the one with most `visits`, or with the greatest mean "
        "`value`.",
        "Tree",
        choices=("visits", "value"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        by_score = self.value != "win"
        self._refuse_unused("score_bonus", by_score, "value score or leader")

    def for_model(self, model: ForwardModel) -> "PermutationSettings":
        """Fill what was left open, and check what the game can do.

        Raises:
            ValueError: The game cannot be searched so; the message says why.
        """
        self._check(model)
        has_time = self.seconds is not None
        self._refuse_unused("safety_margin", has_time, "a budget of seconds")
        chosen: dict[str, Any] = {}
        if self.score_bonus is None:
            chosen["score_bonus"] = model.search_defaults.get("score_bonus", 0.5)
        if self.nodes is None:
            chosen["nodes"] = "path" if _without_positions(model) else "position"
        budgets = (self.simulations, self.seconds, self.forward_model_calls)
        if budgets == (None, None, None):
            chosen["simulations"] = DEFAULT_SIMULATIONS
        return self._filled(chosen)

    @property
    def permutes(self) -> bool:
        """Whether the search keeps permutation statistics."""
        return ALGORITHMS[self.algorithm].permutes

    def _check(self, model: ForwardModel) -> None:
        check_value(model, self)
        name = f"{model.name}: {self.algorithm}"
        if model.copies_environments:
            raise ValueError(
                f"{name} records the moves of playouts, which copies of environments "
                "do not; use mcts, or write the game's rules"
            )
        missing = _without_positions(model)
        if self.nodes == "position" and missing:
            raise ValueError(f"{name}: nodes='position': the game {missing}; use path")
        if isinstance(self.codes, str) and self.codes not in model.move_codes:
            raise ValueError(
                f"{name}: codes={self.codes!r}: the game has "
                f"{' and '.join(model.move_codes)} codes only"
            )


def _without_positions(model: ForwardModel) -> str:
    """Return why a game's positions cannot be found again, empty if they can."""
    if model.chance:
        return "has chance, so an action may lead to several positions"
    if model.hidden_information:
        return "hides something, so the player does not know the position"
    return "" if model.has("state_key") else "has no function `state_key`"
