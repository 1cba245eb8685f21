"""`TrainingConfig`, `ImitationConfig`: all choices, with defaults and ranges."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from mcts_agents.learn.training.game_settings import GameSettings
from mcts_agents.model import ForwardModel
from mcts_agents.names import quoted, unknown_name
from mcts_agents.networks.config import KINDS, SIZES, NetworkConfig
from mcts_agents.search import SearchSettings
from mcts_agents.search.options.option import options_of

# Options of a search that this file sets by other names, or that self-play needs as
# they are: why they cannot be set.
_SET_HERE = {
    "evaluator": "training uses its own network",
    "simulations": "use self_play.simulations",
    "root_policy": "use self_play.method",
    "tree_policy": "use self_play.method",
    "root_noise": "use self_play.root_noise",
    "root_noise_alpha": "use self_play.root_noise_alpha",
    "value": "training always uses value=win",
}

# What training takes where the network's own defaults are larger: on two cores, more
# games teach more than a larger network does in an hour.
_SIZES = {"residual": {"channels": 48, "blocks": 4}}

Share = Annotated[float, Field(ge=0.0, le=1.0)]


class Section(BaseModel):
    """A part of the config; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class SelfPlayConfig(Section):
    """How games of self-play are played."""

    method: Literal["gumbel", "puct"] = Field(
        default="gumbel",
        description="Search and exploration: `gumbel` (Danihelka et al. 2022), or "
        "`puct` with Dirichlet noise at the root (AlphaZero).",
    )
    simulations: int = Field(
        default=32, ge=1, le=1_000_000, description="Simulations of each decision."
    )
    games_at_once: int = Field(
        default=128,
        ge=1,
        le=65536,
        description="Games played concurrently, over all workers.",
    )
    block_games: int = Field(
        default=256,
        ge=1,
        le=1_000_000,
        description="Games of one block. After each block the network learns, and a "
        "checkpoint is written.",
    )
    random_moves: int = Field(
        default=8,
        ge=0,
        le=1_000_000,
        description="Every second game begins with 1 to this many random plies, which "
        "are not learned from. 0: none does.",
    )
    opponents: str | None = Field(
        default=None,
        description="Name of a scripted policy of the game, such as `simple_unbiased` "
        "in Pommerman. All players follow it except one team, whose decisions the "
        "network learns from; teams take turns. `null`: all players search.",
    )
    explore_moves: int = Field(
        default=16,
        ge=0,
        le=1_000_000,
        description="With `puct`: in this many plies at the start of a game, moves "
        "are drawn in proportion to visits ** (1 / temperature).",
    )
    temperature: float = Field(
        default=1.0, gt=0.0, le=100.0, description="With `puct`: see `explore_moves`."
    )
    root_noise: Share = Field(
        default=0.25,
        description="With `puct`: the share of Dirichlet noise in the priors.",
    )
    root_noise_alpha: float = Field(
        default=0.5, gt=0.0, le=100.0, description="With `puct`: the noise's parameter."
    )
    search: dict[str, Any] = Field(
        default={},
        description="Further options of the search, as `mcts` takes them, such as "
        "`{tree: multi}`.",
    )

    @field_validator("search")
    @classmethod
    def _known(cls, search: dict[str, Any]) -> dict[str, Any]:
        known = [name for name in options_of(SearchSettings) if name not in _SET_HERE]
        for name in search:
            if name in _SET_HERE:
                raise ValueError(f"{name} cannot be set here; {_SET_HERE[name]}")
            if name not in known:
                raise ValueError(unknown_name("option", str(name), known))
        SearchSettings(**search)
        return search

    @model_validator(mode="after")
    def _used(self) -> "SelfPlayConfig":
        if self.method == "gumbel":
            for name in (
                "explore_moves", "temperature", "root_noise", "root_noise_alpha"
            ):  # fmt: skip
                if name in self.model_fields_set:
                    raise ValueError(
                        f"{name} is for method: puct; gumbel explores by sampling"
                    )
        return self

    def settings(self, evaluator: Any) -> SearchSettings:
        """Return the settings of each decision's search."""
        # Shares of a win are on one scale from the first game on. To stretch the range
        # that a search has seen would make much of an untrained network's noise.
        options: dict[str, Any] = {"batch": 1, "normalise": False}
        if self.method == "gumbel":
            options |= {"root_policy": "gumbel", "tree_policy": "gumbel"}
        else:
            options |= {"tree_policy": "alphago", "exploration": 1.25}
            if self.root_noise > 0.0:
                options |= {
                    "root_noise": self.root_noise,
                    "root_noise_alpha": self.root_noise_alpha,
                }
        options |= self.search
        return SearchSettings(
            evaluator=evaluator, simulations=self.simulations, value="win", **options
        )

    def game_settings(self) -> GameSettings:
        """Return which moves are not those of the searches."""
        exploring = {}
        if self.method == "puct":
            exploring = {
                "explore_moves": self.explore_moves,
                "temperature": self.temperature,
            }
        return GameSettings(
            random_moves=self.random_moves, opponents=self.opponents, **exploring
        )


class UpdateConfig(Section):
    """How a network is updated."""

    optimiser: Literal["adam", "sgd"] = Field(
        default="adam", description="AdamW, or SGD with Nesterov momentum."
    )
    learning_rate: float = Field(
        default=0.002, gt=0.0, le=10.0, description="At the start of training."
    )
    final_learning_rate: float = Field(
        default=0.0001,
        gt=0.0,
        le=10.0,
        description="At the end of the budget; in between, it follows half a cosine "
        "over the share of the budget that is spent.",
    )
    momentum: float = Field(default=0.9, ge=0.0, lt=1.0, description="Of `sgd`.")
    weight_decay: float = Field(
        default=0.0001, ge=0.0, le=1.0, description="L2 penalty."
    )
    batch_size: int = Field(
        default=512, ge=2, le=1_000_000, description="Positions per update."
    )
    value_weight: Share = Field(
        default=0.5,
        description="Weight of the value in the loss; the policy has the rest.",
    )
    symmetries: bool = Field(
        default=True,
        description="Data augmentation: apply a random symmetry of the board to each "
        "position, if the game declares symmetries.",
    )

    @model_validator(mode="after")
    def _momentum_is_used(self) -> Self:
        if self.optimiser == "adam" and "momentum" in self.model_fields_set:
            raise ValueError(
                f"momentum={self.momentum} applies only to optimiser: sgd; leave it "
                "out for adam"
            )
        return self


class LearnerConfig(UpdateConfig):
    """How the network learns from what was played."""

    passes: float = Field(
        default=4.0,
        gt=0.0,
        le=1000.0,
        description="How often a position is learned from, on average.",
    )
    greedy_share: Share = Field(
        default=0.0,
        description="Weight of the best action alone in the policy target; the rest "
        "is what the search found. Weil et al. (2023) use 0.5.",
    )
    search_value: Share = Field(
        default=0.25,
        description="Share of the search's value in the value target; the rest is the "
        "result of the game.",
    )
    least_window: int = Field(
        default=20_000,
        ge=1,
        le=1_000_000_000,
        description="Smallest window: until there are this many positions, the "
        "network learns from all of them.",
    )
    window_share: float = Field(
        default=0.4,
        gt=0.0,
        le=1.0,
        description="Later, the window is this share of all positions, the most "
        "recent ones.",
    )
    most_window: int = Field(
        default=500_000,
        ge=1,
        le=1_000_000_000,
        description="Largest window, in positions.",
    )

    @model_validator(mode="after")
    def _window_fits(self) -> Self:
        if self.least_window > self.most_window:
            raise ValueError(
                f"least_window={self.least_window}: expected at most "
                f"most_window={self.most_window}"
            )
        return self

    def window(self, positions: int) -> int:
        """Return how many of the most recent positions are learned from."""
        share = max(self.least_window, int(self.window_share * positions))
        return min(share, self.most_window)


class EvaluationConfig(Section):
    """How the network is measured in the arena while it learns."""

    minutes: float = Field(
        default=10.0,
        ge=0.0,
        le=1_000_000.0,
        description="Minutes of training between evaluations; 0: none.",
    )
    games: int = Field(
        default=20, ge=1, le=1_000_000, description="Games against each opponent."
    )
    opening: int = Field(
        default=2,
        ge=0,
        le=1000,
        description="Random decisions at the start of each game, so that games differ.",
    )
    simulations: int = Field(
        default=64, ge=1, le=1_000_000, description="Simulations of each decision."
    )
    opponents: list[str] = Field(
        default=["mcts:simulations=1000"], description="Specs of agents."
    )
    earlier: bool = Field(
        default=True,
        description="Also play against the network of the previous evaluation.",
    )


def check_teams(model: ForwardModel) -> None:
    """Raise ValueError if nobody can win against another team."""
    if model.team_count < 2:
        raise ValueError(
            f"{model.name} has a single team; training learns shares of a win, which "
            "takes at least two"
        )


class NetworkSection(Section):
    """The network that learns, and how it computes."""

    network: dict[str, Any] = Field(
        default={},
        description="`kind` and sizes of the network, as `NetworkConfig` has them. A "
        "residual network has 48 channels and 4 blocks by default.",
    )
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        default="auto",
        description="How the network's body computes while it is trained; its heads "
        "take `float32`. `bfloat16` is up to twice as fast on processors that have "
        "instructions for it; `auto` takes it on those, and `float32` elsewhere.",
    )

    @field_validator("network")
    @classmethod
    def _sizes(cls, network: dict[str, Any]) -> dict[str, Any]:
        for name in network:
            if name not in ("kind", *SIZES):
                raise ValueError(unknown_name("key", str(name), ("kind", *SIZES)))
        if network.get("kind") not in (None, *KINDS):
            raise ValueError(
                unknown_name("kind of network", str(network["kind"]), KINDS)
            )
        return network

    def network_config(self, model: ForwardModel) -> NetworkConfig:
        """Return the architecture for a game.

        Raises:
            ValueError: It does not fit the game.
        """
        check_teams(model)
        sizes = {name: _tuple(size) for name, size in self.network.items()}
        kind = sizes.pop("kind", None) or NetworkConfig.for_model(model).kind
        try:
            return NetworkConfig.for_model(
                model, kind, **{**_SIZES.get(kind, {}), **sizes}
            )
        except TypeError as error:
            raise ValueError(f"network={quoted(self.network)}: {error}") from error


class TrainingConfig(NetworkSection):
    """A training run; every key has a default.

    Raises:
        ValidationError: A key that is unknown, or a value that is not allowed.
    """

    self_play: SelfPlayConfig = Field(default_factory=SelfPlayConfig)
    learner: LearnerConfig = Field(default_factory=LearnerConfig)
    evaluation: EvaluationConfig = Field(default_factory=EvaluationConfig)


class DemonstrationsConfig(UpdateConfig):
    """How the network learns from what others played."""

    learning_rate: float = Field(
        default=0.001, gt=0.0, le=10.0, description="At the start."
    )
    batch_size: int = Field(
        default=256, ge=2, le=1_000_000, description="Positions per update."
    )
    passes: int = Field(
        default=5, ge=1, le=1000, description="How often each position is learned from."
    )
    value_weight: Share = Field(
        default=0.1,
        description="Weight of the value in the loss; the policy has the rest.",
    )
    held_out: float = Field(
        default=0.05,
        ge=0.0,
        le=0.5,
        description="Share of the games that are held out to measure accuracy.",
    )


class ImitationConfig(NetworkSection):
    """Learning from recorded decisions; every key has a default.

    Raises:
        ValidationError: A key that is unknown, or a value that is not allowed.
    """

    learner: DemonstrationsConfig = Field(default_factory=DemonstrationsConfig)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
