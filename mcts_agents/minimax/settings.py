"""Settings of the minimax family: which algorithm, how far, in what order."""

from dataclasses import dataclass
from typing import Any

from mcts_agents.model import ForwardModel
from mcts_agents.model.rules import VALUES_OF_SCORES
from mcts_agents.search.kernel.leaf_values import LEAF_VALUES, check_value
from mcts_agents.search.options.families import Algorithm, FamilySettings
from mcts_agents.search.options.option import option

# Without any budget.
DEFAULT_NODES = 100_000
MOST_DEPTH = 200
MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class MinimaxAlgorithm(Algorithm):
    """One algorithm of the family.

    Attributes:
        two_players: Whether it is for two teams only.
        takes_chance: Whether it searches games in which chance intervenes.
    """

    two_players: bool = False
    takes_chance: bool = False


_FREE = {"free_opponents": None, "free_moves": None, "ranked_moves": 1}
ALGORITHMS: dict[str, MinimaxAlgorithm] = {
    "alphabeta": MinimaxAlgorithm(
        "minimax with alpha-beta pruning, for two players or teams",
        "Knuth, Moore 1975",
        two_players=True,
        options=("table", "killers", "history"),
    ),
    "negascout": MinimaxAlgorithm(
        "alpha-beta that tests all actions after the first with a null window",
        "Reinefeld 1983",
        two_players=True,
        options=("table", "killers", "history"),
    ),
    "expectiminimax": MinimaxAlgorithm(
        "alpha-beta that averages over chance, with Star1 pruning; all opponents "
        "form one coalition",
        "Ballard 1983",
        takes_chance=True,
        options=("table", "killers", "history", "samples", "star1"),
    ),
    "max-n": MinimaxAlgorithm(
        "every player maximises its own value",
        "Luckhardt, Irani 1986; Korf 1991",
        options=("shallow_pruning",),
    ),
    "paranoid-alphabeta": MinimaxAlgorithm(
        "all opponents form one coalition against the player, with alpha-beta",
        "Sturtevant, Korf 2000",
        options=("table", "killers", "history"),
    ),
    "brs": MinimaxAlgorithm(
        "Best-Reply Search: one opponent moves between two own turns, the others pass",
        "Schadd, Winands 2011",
        fixed={"free_opponents": 1, "ranked_moves": 0},
        options=("table", "killers", "history"),
    ),
    "brs-plus": MinimaxAlgorithm(
        "BRS+: one opponent moves freely, the others play the first move in static "
        "order",
        "Esser et al. 2013",
        fixed={"free_opponents": 1, "ranked_moves": 1},
        options=("table", "killers", "history"),
    ),
    "opps": MinimaxAlgorithm(
        "Opponent-Pruning Paranoid Search: limits how many opponents move freely, "
        "and how many actions each opponent considers",
        "Baier, Kaisers 2020",
        options=("table", "killers", "history", *_FREE),
    ),
}


@dataclass(frozen=True)
class MinimaxSettings(FamilySettings):
    """Settings of the agents of the minimax family.

    Raises:
        ValueError: A value that is not allowed, or an option that the algorithm does
            not have; the message names it and what is.
    """

    algorithms = ALGORITHMS
    algorithm: str = option(
        "alphabeta",
        "The algorithm: " + ", ".join(f"`{name}`" for name in ALGORITHMS) + ".",
        "Algorithm",
        choices=tuple(ALGORITHMS),
    )
    # -- budget
    depth: int | None = option(
        None,
        "Maximum number of decisions to look ahead; iterative deepening increases "
        "the depth by one at a time up to this number.",
        "Budget",
        kind=int,
        least=1,
        most=MOST_DEPTH,
        optional=True,
    )
    nodes: int | None = option(
        None,
        f"Number of states to visit, over all depths; {DEFAULT_NODES} if no budget is "
        "given. With several budgets, the search ends when the first is spent.",
        "Budget",
        kind=int,
        least=1,
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
    # -- values
    value: Any = option(
        None,
        "Value of a state at the horizon: `win`, `score`, `leader` (lead over the "
        "best opponent) or the game's `evaluate`. None: `evaluate` if the game has "
        "it, `win` if the game prefers `win` or has no scores, else `leader`.",
        "Values",
        choices=tuple(LEAF_VALUES),
        optional=True,
        objects="a function (model, state) -> a value for each player",
    )
    score_bonus: float | None = option(
        None,
        "Share of the score's magnitude that a winner gains and a loser forfeits "
        "under `score` and `leader`. None: the game's choice (0 in third-party "
        "environments), else 0.5.",
        "Values",
        kind=float,
        least=0.0,
        most=1.0,
        optional=True,
    )
    # -- order
    ordering: str = option(
        "game",
        "`game`: actions are searched in order of the game's `action_values`, if it "
        "has them; `none`: in order of their numbers.",
        "Order",
        choices=("game", "none"),
    )
    action_filter: str | None = option(
        None,
        "`game`: only actions that the game's `filter_actions` keeps; `all`: every "
        "legal action. None: `game` if the game has a filter, else `all`.",
        "Order",
        choices=("game", "all"),
        optional=True,
    )
    killers: bool = option(
        True,
        "Try early those actions that refuted a sibling position (killer moves).",
        "Order",
        kind=bool,
    )
    history: bool = option(
        True,
        "Try actions early that have often caused cutoffs anywhere (history "
        "heuristic).",
        "Order",
        kind=bool,
    )
    table: int = option(
        16,
        "Size of the transposition table in MiB, for games that have a `state_key`; "
        "0: no table.",
        "Order",
        kind=int,
        least=0,
        most=1 << 20,
    )
    # -- opponents
    free_opponents: int | None = option(
        None,
        "How many opponents may move freely between two turns of the player; None: "
        "all.",
        "Opponents",
        kind=int,
        least=0,
        optional=True,
        source="Baier, Kaisers 2020",
    )
    free_moves: int | None = option(
        None,
        "How many actions an opponent who moves freely considers, from the first in "
        "static order (see `ordering`) on, but at least `ranked_moves`; None: all.",
        "Opponents",
        kind=int,
        least=1,
        optional=True,
        source="Baier, Kaisers 2020",
    )
    ranked_moves: int = option(
        1,
        "How many actions an opponent who does not move freely considers, from the "
        "first in static order (see `ordering`) on; 0: the opponent passes, using "
        "the game's `pass_turn`.",
        "Opponents",
        kind=int,
        least=0,
        source="Baier, Kaisers 2020",
    )
    # -- chance
    samples: int = option(
        8,
        "How many chance outcomes are sampled for each action if the game does not "
        "list them.",
        "Chance",
        kind=int,
        least=1,
        most=1000,
    )
    star1: bool = option(
        True,
        "Cut off once the remaining outcomes cannot matter; has no effect if values "
        "are unbounded (`score`, `leader`, functions).",
        "Chance",
        kind=bool,
        source="Ballard 1983",
    )
    # -- max-n
    shallow_pruning: bool = option(
        False,
        "Prune using the fact that the values of all players add up to 1. This holds "
        "under `win`, unless somebody wins before the others have finished; under "
        "`evaluate`, setting this option asserts that it holds.",
        "Max-n",
        kind=bool,
        source="Korf 1991",
    )

    def for_model(self, model: ForwardModel) -> "MinimaxSettings":
        """Fill what was left open with the game's choices, and check what it can do.

        Raises:
            ValueError: The game cannot be searched so; the message says why.
        """
        chosen: dict[str, Any] = {}
        if self.value is None:
            chosen["value"] = "leader"
            by_wins = model.search_defaults.get("value") == "win"
            if by_wins or not model.has_points:
                chosen["value"] = "win"
            if model.has("evaluate"):
                chosen["value"] = "evaluate"
        by_score = chosen.get("value", self.value) in VALUES_OF_SCORES
        self._refuse_unused("score_bonus", by_score, "value score or leader")
        if self.score_bonus is None and by_score:
            chosen["score_bonus"] = model.search_defaults.get("score_bonus", 0.5)
        has_time = self.seconds is not None
        self._refuse_unused("safety_margin", has_time, "a budget of seconds")
        if self.algorithm == "opps":
            has_limit = (self.free_opponents, self.free_moves) != (None, None)
            limits = "free_opponents or free_moves"
            self._refuse_unused("ranked_moves", has_limit, limits)
        if self.action_filter is None:
            has_filter = model.has("filter_actions")
            chosen["action_filter"] = "game" if has_filter else "all"
        if self.nodes is None and self.depth is None and self.seconds is None:
            chosen["nodes"] = DEFAULT_NODES
        filled = self._filled(chosen)
        filled._check(model)
        return filled

    def _check(self, model: ForwardModel) -> None:
        check_value(model, self)
        algorithm = ALGORITHMS[self.algorithm]
        name = f"{model.name}: {self.algorithm}"
        if algorithm.two_players and model.team_count > 2:
            raise ValueError(
                f"{name} is for two players or teams, but there are "
                f"{model.team_count}; use paranoid-alphabeta, max-n, brs-plus or opps"
            )
        if model.chance and not algorithm.takes_chance:
            copied = ", or pass deterministic=True if it has none"
            raise ValueError(
                f"{name} cannot search a game with chance; use expectiminimax"
                + (copied if model.copies_environments else "")
            )
        valued = "value='leader' or 'win'" if model.has_points else "value='win'"
        needed = [("value", "evaluate", "evaluate", f"use {valued}")]
        needed += [("action_filter", "game", "filter_actions", "use 'all'")]
        needed += [("ranked_moves", 0, "pass_turn", "use brs-plus")]
        for option_name, value, function, instead in needed:
            given = getattr(self, option_name)
            used = option_name != "ranked_moves" or self.leaves_out(model)
            if given == value and used and not model.has(function):
                raise ValueError(
                    f"{name}: {option_name}={value!r} needs the game's function "
                    f"`{function}`, which it lacks; {instead}"
                )
        if self.ranks(model) and self.ordering == "game":
            if not model.has("action_values"):
                raise ValueError(
                    f"{name} needs the game's function `action_values`, by which "
                    "opponents' actions are ranked, and the game lacks it; use "
                    "paranoid-alphabeta, or ordering='none' to rank them by number"
                )
        added = self.value in ("win", "evaluate") and model.team_count == model.players
        if self.shallow_pruning and not added:
            raise ValueError(
                f"{name}: shallow_pruning needs values that add up to 1: value='win', "
                "or 'evaluate' if the game's evaluation does, and no team mates"
            )

    def leaves_out(self, model: ForwardModel) -> bool:
        """Whether some opponents have no free move."""
        teams = list(model.teams)
        opponents = model.players - min(teams.count(team) for team in teams)
        return self.free_opponents is not None and self.free_opponents < opponents

    def passes(self, model: ForwardModel) -> bool:
        """Whether opponents who do not move freely pass."""
        return self.leaves_out(model) and self.ranked_moves == 0

    def ranks(self, model: ForwardModel) -> bool:
        """Whether static order decides what opponents consider."""
        by_rank = self.leaves_out(model) and self.ranked_moves > 0
        return by_rank or self.free_moves is not None

    def restricts(self, model: ForwardModel) -> bool:
        """Whether opponents do not consider all of their actions."""
        return self.leaves_out(model) or self.free_moves is not None
