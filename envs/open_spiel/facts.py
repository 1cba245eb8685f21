"""`Facts`: one of pyspiel's games, and what the package has to know of it."""

from typing import Any

import numpy as np

from mcts_agents.envs.open_spiel.records import MOST_LISTED

# Of int8, in which environments of this package show what players see.
OBSERVATION_BOUNDS = (-128, 127)

# What `observation` may be, besides the default `auto`.
OBSERVATIONS = ("auto", "observation", "information_state", "blank")

_BLANK = (
    "observation=blank, with which observations are a single 0: agents that plan need "
    "no more"
)

# A position of these games is all that matters for what follows, and OpenSpiel's text
# of it shows it whole: no repetitions, no counters, no pieces that once moved.
HISTORY_FREE = frozenset(
    {
        "amazons", "breakthrough", "clobber", "connect_four", "dots_and_boxes",
        "gomoku", "havannah", "hex", "mnk", "nim", "othello", "pentago",
        "tic_tac_toe", "ultimate_tic_tac_toe", "y",
    }
)  # fmt: skip


# What a player knows of these is its own cards (or the like) and everybody's actions,
# and OpenSpiel samples the rest with the probabilities of chance.
ENUMERABLE = frozenset({"bargaining", "kuhn_poker", "leduc_poker", "universal_poker"})


# Partners sit opposite each other and get the same, what the other two lose.
PARTNERS = frozenset({"euchre"})


class Facts:
    """One of pyspiel's games, and what the package has to know of it.

    Args:
        rules: What the game was made from.
        game: The pyspiel.Game.
        pyspiel: The module.
        observation: One of OBSERVATIONS.
        counted: Whether rollouts count their actions and keep their last positions.
        worlds: How many worlds a search samples, before it uses them again; 0: no end.

    Attributes:
        name: The game's name in the registry.
        players: Number of players.
        at_once: Whether several players may decide at once.
        chance: Whether there are chance nodes.
        sampled: Whether OpenSpiel draws what happens there itself.
        hidden: Whether players may not see everything.
        pays_on_the_way: Whether returns may change before the end of the game.
        sum: What all returns add up to, in games where that is fixed.
        shared: Whether all players get the same.
        one_return: Whether the return of who is to move says what everybody gets.
        keeps_children: Whether compiled code may keep where actions led: one player
            decides at a time, and returns come at the end.
        worlds: How many worlds a search samples, before it uses them again; 0: no end.
        enumerable: Whether all worlds of a player can be listed.
        longest: More actions than any game has, all players together.
        tells_information_state: Whether there are information states as text.
        tells_observation: Whether there are observations as text.
        has_key: Whether positions, or what players know, have keys.
        observation: Which tensor players see; `blank` for none.
        observation_shape: Its shape.
        search_defaults: The settings that suit the game.

    Raises:
        ValueError: OpenSpiel has no such observation of the game.
    """

    def __init__(
        self,
        rules: Any,
        game: Any,
        pyspiel: Any,
        *,
        observation: str,
        counted: bool,
        worlds: int,
    ):
        self.rules, self.game, self.pyspiel = rules, game, pyspiel
        self.counted, self.worlds = counted, worlds
        self.name: str = rules.name
        self.at_once: bool = rules.at_once
        self.chance: bool = rules.chance
        self.hidden: bool = rules.hidden
        kind = game.get_type()
        self.players: int = game.num_players()
        rewards = pyspiel.GameType.RewardModel.REWARDS
        self.pays_on_the_way: bool = kind.reward_model == rewards
        self.sum: float = game.utility_sum() or 0.0
        utility = kind.utility.name
        self.shared = utility == "IDENTICAL"
        fixed = self.shared or utility in ("ZERO_SUM", "CONSTANT_SUM")
        modes = pyspiel.GameType.ChanceMode
        self.sampled: bool = kind.chance_mode == modes.SAMPLED_STOCHASTIC
        simple = not (self.at_once or self.pays_on_the_way or self.sampled)
        self.one_return: bool = simple and (
            self.players == 1
            or (self.players == 2 and fixed)
            or kind.short_name in PARTNERS
        )
        listed = max(game.num_distinct_actions(), game.max_chance_outcomes())
        self.keeps_children: bool = simple and listed <= MOST_LISTED
        self.enumerable: bool = kind.short_name in ENUMERABLE
        # OpenSpiel counts a joint action as one.
        most = self.players if self.at_once else 1
        self.longest: int = game.max_game_length() * most
        self.tells_information_state: bool = kind.provides_information_state_string
        self.tells_observation: bool = kind.provides_observation_string
        self.has_key: bool = kind.short_name in HISTORY_FREE
        if self.hidden:
            self.has_key = self.tells_information_state
        self.observation = self._chosen(kind, observation)
        self.observation_shape: tuple[int, ...] = (1,)
        if self.observation != "blank":
            try:
                shape = getattr(game, f"{self.observation}_tensor_shape")()
            except pyspiel.SpielError as error:
                raise ValueError(f"{self.name}: {error}; add {_BLANK}") from error
            self.observation_shape = tuple(shape)
        self.search_defaults: dict[str, object] = {"rollout": self.longest}
        extremes = game.min_utility(), game.max_utility()
        if utility == "ZERO_SUM" and self.players == 2 and extremes == (-1.0, 1.0):
            self.search_defaults |= {"value": "win"}
        else:
            self.search_defaults |= {"value": "score", "score_bonus": 0.0}

    def _chosen(self, kind: Any, observation: str) -> str:
        """Return which tensor players see, of those that OpenSpiel has."""
        offered = {
            "observation": kind.provides_observation_tensor,
            "information_state": kind.provides_information_state_tensor,
        }
        here = [name for name, has in offered.items() if has]
        if observation == "auto" and here:
            return here[0]
        if observation in (*here, "blank"):
            return observation
        if observation == "auto":
            raise ValueError(
                f"{self.name}: OpenSpiel has no tensor of what a player sees there; "
                f"add the option {_BLANK}"
            )
        raise ValueError(
            f"observation={observation!r}: {self.name} has "
            f"{', '.join(('auto', *here, 'blank'))}"
        )

    def with_dice(self, position: Any, seed: int) -> Any:
        """Return a position like one, for which OpenSpiel draws from another seed.

        Only for games in which it does. The seed is the game's, so a game is made; what
        came before the position is not known to it.
        """
        name = self.game.get_type().short_name
        parameters = {**self.game.get_parameters(), "rng_seed": seed}
        return self.pyspiel.load_game(name, parameters).deserialize_state(
            position.serialize()
        )

    def thrown(self, position: Any, seed: int) -> Any:
        """Return what follows a chance node, by OpenSpiel's own dice from a seed."""
        after = self.with_dice(position, seed)
        ((outcome, _),) = after.chance_outcomes()
        after.apply_action(outcome)
        return after

    def observe(self, position: Any, player: int) -> np.ndarray:
        """Return what a player sees in a position, int8, flat.

        Raises:
            RuntimeError: It has values that are no int8.
        """
        if self.observation == "blank":
            return np.zeros(1, np.int8)
        values = getattr(position, f"{self.observation}_tensor")(player)
        exact = np.asarray(values)
        seen = exact.astype(np.int8)
        if (seen != exact).any():
            wrong = exact[seen != exact][0]
            low, high = OBSERVATION_BOUNDS
            raise RuntimeError(
                f"{self.name}: OpenSpiel's {self.observation} tensor holds {wrong:g}, "
                f"and environments have whole numbers from {low} to {high}; add the "
                f"option {_BLANK}"
            )
        return seen
