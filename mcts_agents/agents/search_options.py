"""The options of `MCTSAgent` as type checkers and editors see them.

Made by `python docs/make_option_types.py` from `SearchSettings`: change the options
there. They are checked when an agent is made, whether anybody checks types or not.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from mcts_agents.agents.agent import Agent
from mcts_agents.agents.policy import PolicyAgent
from mcts_agents.model import ForwardModel
from mcts_agents.search import RootPolicy, TreePolicy

# (model, state, player) -> action
Policy = Callable[[ForwardModel, np.ndarray, int], int]

# A word, the name of a scripted policy, or any agent: its spec, mapping or object.
AgentChoice = str | Mapping[str, Any] | Agent | Policy

# (model, state, player, actions) -> a value for each action
ActionHeuristic = Callable[[ForwardModel, np.ndarray, int, np.ndarray], ArrayLike]

# (model, state) -> a value for each player
LeafHeuristic = Callable[[ForwardModel, np.ndarray], ArrayLike]

# (observations, players, legal) -> (values, logits)
Evaluator = Callable[[np.ndarray, np.ndarray, np.ndarray], Any]

TreeWord = Literal["one", "self", "pair", "multi", "observers"]
OpponentWord = Literal["nearest", "next"]
AbstractionWord = Literal["none", "own", "all"]
AbstractionContextWord = Literal["sequence", "last"]
SimultaneousWord = Literal["decoupled", "serialised"]
ActionFilterWord = Literal["all", "game"]
InformationWord = Literal["set", "perfect"]
LoopWord = Literal["open", "closed", "sampled"]
OpponentInformationWord = Literal["merged", "separate"]
CombineWord = Literal["average", "visits", "vote"]
TreePolicyWord = Literal[
    "ucb1",
    "ucb_tuned",
    "kl_ucb",
    "alphago",
    "exp3",
    "exp3_boltzmann",
    "regret_matching",
    "uniform",
    "epsilon_greedy",
    "gumbel",
]
RootPolicyWord = Literal["tree", "sequential_halving", "gumbel"]
FirstPlayValueWord = Literal["least", "parent"]
FinalWord = Literal["visits", "value", "sample"]
ActionHeuristicWord = Literal["none", "game", "mast"]
RolloutEndWord = Literal["exact", "action", "start", "turn", "round"]
MastWord = Literal["none", "tree", "rollout", "both"]
ValueWord = Literal["win", "score", "leader", "evaluate"]
ScoreBonusByWord = Literal["magnitude", "tag"]
BackupWord = Literal["monte_carlo", "lambda", "max_lambda", "max_mc"]


class SearchOptions(TypedDict, total=False):
    """Keywords of `MCTSAgent`; `help(MCTSAgent)` says what they mean."""

    simulations: int | None
    seconds: float | None
    safety_margin: float
    forward_model_calls: int | None
    memory: int | None
    threads: int
    reuse_tree: bool
    tree: TreeWord
    opponent: OpponentWord | None
    paranoid: bool
    abstraction: AbstractionWord
    abstraction_visits: float
    abstraction_context: AbstractionContextWord
    keep_abstraction: bool
    graph: bool
    expand_after_clash: bool
    simultaneous: SimultaneousWord
    action_filter: ActionFilterWord | None
    max_depth: int
    solver: bool | None
    information: InformationWord
    loop: LoopWord | None
    opponent_information: OpponentInformationWord
    determinizations: int
    combine: CombineWord
    tree_policy: TreePolicyWord | TreePolicy | Callable[..., Any]
    root_policy: RootPolicyWord | RootPolicy
    gumbel_actions: int
    gumbel_noise: float
    gumbel_visits: float
    gumbel_scale: float
    exploration: float
    epsilon: float
    temperature: float
    first_play_urgency: float | None
    first_play_value: FirstPlayValueWord
    first_play_reduction: float
    normalise: bool
    final: FinalWord | None
    action_heuristic: ActionHeuristicWord | ActionHeuristic
    action_heuristic_interval: int
    prior_temperature: float | None
    progressive_bias: float
    initial_visits: int
    widening: float
    widening_exponent: float
    rollout: int | None
    rollout_per_player: bool
    rollout_end: RolloutEndWord
    rollout_policy: AgentChoice | None
    opponent_model: AgentChoice | None
    mast: MastWord
    mast_decay: float
    mast_temperature: float
    mast_default: float
    value: ValueWord | LeafHeuristic | None
    score_bonus: float | None
    score_bonus_by: ScoreBonusByWord
    discount: float | None
    backup: BackupWord
    backup_lambda: float
    backup_threshold: float
    evaluator: Evaluator | PolicyAgent | str | Mapping[str, Any] | None
    batch: int
    virtual_loss: int
    root_noise: float
    root_noise_alpha: float
