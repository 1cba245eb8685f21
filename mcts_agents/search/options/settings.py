"""The settings of a search: what they may be, and what they mean."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from mcts_agents.model import ForwardModel
from mcts_agents.names import made_with
from mcts_agents.search.kernel import mast, solver
from mcts_agents.search.kernel.backup_operators import BACKUPS
from mcts_agents.search.kernel.leaf_values import LEAF_VALUES
from mcts_agents.search.kernel.rollout import ENDS
from mcts_agents.search.kernel.root_policies import ROOT_POLICIES
from mcts_agents.search.kernel.root_policies.root_policy import RootPolicy
from mcts_agents.search.kernel.tree_policies import TREE_POLICIES, tree_policy_of
from mcts_agents.search.kernel.tree_policies.tree_policy import TreePolicy
from mcts_agents.search.options.applicability import (
    check_applicable,
    may_be_closed,
)
from mcts_agents.search.options.option import check_options, option, set_options

TREES = ("one", "self", "pair", "multi", "observers")
_MULTITREE = "Goodman, Perez-Liebana, Lucas, CoG 2022"
_OMA = "Baier, Kaisers, CoG 2020"
_MANUAL = "TAG's manual"
_WEIL = "Weil et al. 2023"


@dataclass(frozen=True)
class SearchSettings:
    """Settings of `MCTSAgent`; `docs/options.md` lists them with their meaning.

    None leaves a choice to the game. An option that has no effect beside the others, or
    that the game cannot serve, is refused by `for_model`.

    Raises:
        ValueError: A value that is not allowed; the message names it and what is.
    """

    # -- budget
    simulations: int | None = option(
        None,
        "Number of iterations; 1000 if no budget is given. With several budgets, the "
        "search ends when the first is spent.",
        "Budget",
        kind=int,
        least=1,
        optional=True,
        tag="BUDGET_ITERATIONS",
        file="driver/workspace.py",
    )
    seconds: float | None = option(
        None,
        "Seconds for each decision, from the call of `act` until it returns.",
        "Budget",
        kind=float,
        above=0.0,
        optional=True,
        tag="BUDGET_TIME",
        file="driver/search.py",
    )
    safety_margin: float = option(
        0.0,
        "Seconds by which a search with a time budget ends early.",
        "Budget",
        kind=float,
        least=0.0,
        tag="breakMS",
        file="driver/search.py",
    )
    forward_model_calls: int | None = option(
        None,
        "Number of actions applied in trees, in rollouts and by the solver; a joint "
        "action counts once for each player who acts.",
        "Budget",
        kind=int,
        least=1,
        optional=True,
        tag="BUDGET_FM_CALLS",
        file="driver/workspace.py",
    )
    memory: int | None = option(
        None,
        "Memory limit in MiB for trees and stored states; the search ends before it "
        "exceeds the limit. Threads share it.",
        "Budget",
        kind=int,
        least=1,
        most=1 << 24,  # 16 TiB
        optional=True,
        file="kernel/iterations.py",
    )
    threads: int = option(
        1,
        "Number of parallel searches from the same root (root parallelisation), each "
        "with its share of the budget; their root statistics are merged. A time "
        "budget is not divided: every thread uses all of it.",
        "Budget",
        kind=int,
        least=1,
        most=256,
        source="Chaslot, Winands, van den Herik, CG 2008",
        file="driver/merging.py",
    )
    reuse_tree: bool = option(
        False,
        "Keep the previous decision's tree and start from the node reached by the "
        "moves played since. Its visits do not count towards the budget.",
        "Budget",
        kind=bool,
        tag="reuseTree",
        file="kernel/reuse.py",
    )
    # -- tree
    tree: str = option(
        "one",
        "`one`: one tree with nodes of all players (MaxN). `self`: one tree of the "
        "acting player; the opponent model plays the others (SP-MCTS). `pair`: one "
        "tree of the acting player and one `opponent` (TP-MCTS). `multi`: a tree for "
        "each player (MultiTree). `observers`: a tree for each player, which also "
        "branches on what its player sees of the others' actions (MO-ISMCTS).",
        "Tree",
        choices=TREES,
        source=f"{_MULTITREE}; Cowling, Powley, Whitehouse 2012; {_WEIL}",
        tag="opponentTreePolicy",
        file="kernel/descent.py",
    )
    opponent: str | None = option(
        None,
        "Which opponent `tree=pair` expands besides the acting player: in each state "
        "the `nearest` one, by the game's measure, or the `next` one to decide. "
        "None: `nearest` if the game has a measure, else `next`.",
        "Tree",
        choices=("nearest", "next"),
        optional=True,
        source=_WEIL,
        file="kernel/pair.py",
    )
    paranoid: bool = option(
        False,
        "Back up the negated value of the acting player for all opponents; team "
        "mates get the acting player's value.",
        "Tree",
        kind=bool,
        source=_MULTITREE,
        tag="paranoid",
        file="kernel/back_up.py",
    )
    abstraction: str = option(
        "none",
        "Opponent move abstraction: mix the value of an action with its mean over "
        "all positions that the player reached by the same moves of its own, "
        "whatever the opponents did. `all`: at the nodes of every player, as in the "
        "paper; `own`: only at the nodes of the acting player.",
        "Tree",
        choices=("none", "own", "all"),
        source=_OMA,
        tag="opponentTreePolicy",
        file="kernel/abstraction.py",
    )
    abstraction_visits: float = option(
        30.0,
        "Equivalence parameter e of the abstraction: the weight of the abstraction's "
        "mean is sqrt(e / (3 n(a) + e)), where n(a) is the action's visit count.",
        "Tree",
        kind=float,
        above=0.0,
        source=f"{_OMA}, equation 5",
        tag="omaVisits",
        file="kernel/abstraction.py",
    )
    abstraction_context: str = option(
        "sequence",
        "Which positions share a mean of the abstraction: those with the same "
        "`sequence` of own moves (as in the paper), or those that differ only in the "
        "opponents' moves since the player's `last` decision (as in TAG).",
        "Tree",
        choices=("sequence", "last"),
        source=f"{_OMA}, Figure 2; {_MANUAL}",
        file="kernel/abstraction.py",
    )
    keep_abstraction: bool = option(
        False,
        "Keep the abstraction's means for the whole game (f in the paper) instead of "
        "discarding them after each decision.",
        "Tree",
        kind=bool,
        source=f"{_OMA}, section V",
        file="kernel/abstraction.py",
    )
    graph: bool = option(
        False,
        "Graph search: positions with the same state key share a node (MCGS).",
        "Tree",
        kind=bool,
        source=_MANUAL,
        tag="opponentTreePolicy",
        file="kernel/graph.py",
    )
    expand_after_clash: bool = option(
        True,
        "In a graph search, continue in the graph if an untried action leads to a "
        "known position; if false, start the rollout there.",
        "Tree",
        kind=bool,
        tag="MCGSExpandAfterClash",
        file="kernel/graph.py",
    )
    simultaneous: str = option(
        "decoupled",
        "How players who decide at once choose in one tree: `decoupled`, without "
        "seeing the others' choices; or `serialised`, one after another with the "
        "acting player first, each seeing the earlier choices. `serialised` reveals "
        "secret choices and is meant for comparison.",
        "Tree",
        choices=("decoupled", "serialised"),
        source="Finnsson, Bjornsson, AAAI 2008",
        file="kernel/descent.py",
    )
    action_filter: str | None = option(
        None,
        "Which actions trees contain: `all` legal ones, or those that pass the "
        "filter of the `game`. None: `game` if the game has a filter, else `all`.",
        "Tree",
        choices=("all", "game"),
        optional=True,
        source=_WEIL,
        file="kernel/candidates.py",
    )
    max_depth: int = option(
        1000,
        "Maximum number of decisions on a path in any tree.",
        "Tree",
        kind=int,
        least=1,
        most=100_000,
        tag="maxTreeDepth",
        file="kernel/descent.py",
    )
    solver: bool | None = option(
        None,
        "Prove results near the end of the game (MCTS-Solver). A search whose root "
        "is proven ends early. None: on if it applies and `value` is `win`.",
        "Tree",
        kind=bool,
        optional=True,
        source="Winands, Bjornsson, Saito, CG 2008",
        file="kernel/solver.py",
    )
    # -- information
    information: str = option(
        "set",
        "If information is hidden, `set`: a new determinization in each iteration; "
        "`perfect`: one determinization for the whole search (PI-MCTS). With several "
        "`determinizations`, each tree has one anyway.",
        "Information",
        choices=("set", "perfect"),
        source=_MULTITREE,
        tag="information",
        file="kernel/descent.py",
    )
    loop: str | None = option(
        None,
        "`open`: nodes stand for sequences of actions, which are applied in every "
        "iteration. `closed`: nodes hold states; only without chance and hidden "
        "information. `sampled`: nodes hold states on one determinization; what "
        "chance and modelled players do is sampled only once for each edge. None: "
        "`open`; in third-party environments with `deterministic=True`, `closed` "
        "wherever that applies.",
        "Information",
        choices=("open", "closed", "sampled"),
        optional=True,
        source=f"{_MANUAL}; Weil et al. 2023",
        tag="information",
        file="kernel/closed_loop.py",
    )
    opponent_information: str = option(
        "merged",
        "If information is hidden and each player has a tree, `merged`: an "
        "opponent's tree has one root, whatever cards the opponent holds in a "
        "determinization; `separate`: one root for each of the opponent's "
        "information sets (by `state_key`), so that its moves depend on what it "
        "holds.",
        "Information",
        choices=("merged", "separate"),
        file="kernel/descent.py",
    )
    determinizations: int = option(
        1,
        "Number of determinizations, with one tree each. They share the budget, and "
        "`combine` says how they are merged.",
        "Information",
        kind=int,
        least=1,
        most=10_000,
        tag="numDeterminizations",
        file="driver/merging.py",
    )
    combine: str = option(
        "average",
        "How determinizations are merged for the final move: by `average` value, by "
        "total `visits`, or by `vote`, where each tree votes for its own best action.",
        "Information",
        choices=("average", "visits", "vote"),
        tag="perfectInformationPolicy",
        file="inspection/root.py",
    )
    # -- tree policy
    tree_policy: Any = option(
        "ucb1",
        "How actions are selected in the tree; docs/algorithms has a page for each "
        "policy.",
        "Tree policy",
        choices=tuple(TREE_POLICIES),
        objects="a `TreePolicy`, or a function compiled with numba.njit, "
        "(view, settings, rng) -> edge",
        instances=(TreePolicy,),
        tag="treePolicy",
        file="kernel/tree_policies/__init__.py",
    )
    root_policy: Any = option(
        "tree",
        "How the acting player explores at the root, which move is made, and which "
        "probabilities learners receive. `tree`: as elsewhere in the tree; "
        "`sequential_halving`: spends a budget of simulations in rounds and drops "
        "half of the actions after each round; `gumbel`: does the same with actions "
        "sampled from the priors.",
        "Tree policy",
        choices=tuple(ROOT_POLICIES),
        objects="a `RootPolicy`",
        instances=(RootPolicy,),
        functions=False,
        source="Karnin, Koren, Somekh, ICML 2013; Pepels et al., CGW 2014; Danihelka "
        "et al., ICLR 2022",
        file="kernel/root_policies/__init__.py",
    )
    gumbel_actions: int = option(
        16,
        "m, the number of actions sampled from the priors at the root.",
        "Tree policy",
        kind=int,
        least=1,
        source="Danihelka et al., ICLR 2022",
        file="kernel/root_policies/gumbel.py",
    )
    gumbel_noise: float = option(
        1.0,
        "Factor by which the Gumbel variables are multiplied. Use 1 to sample "
        "actions, for learning; use 0 to take the actions with the greatest priors, "
        "for playing strength.",
        "Tree policy",
        kind=float,
        least=0.0,
        file="kernel/root_policies/gumbel.py",
    )
    gumbel_visits: float = option(
        50.0,
        "c_visit, added to the greatest visit count when values are weighed against "
        "priors.",
        "Tree policy",
        kind=float,
        least=0.0,
        source="Danihelka et al., ICLR 2022",
        file="kernel/tree_policies/gumbel.py",
    )
    gumbel_scale: float = option(
        1.0,
        "c_scale, the weight of values against priors.",
        "Tree policy",
        kind=float,
        least=0.0,
        source="Danihelka et al., ICLR 2022",
        file="kernel/tree_policies/gumbel.py",
    )
    exploration: float = option(
        1.0,
        "K, the weight of exploration, for values normalised to the range seen so far.",
        "Tree policy",
        kind=float,
        least=0.0,
        tag="K",
        file="kernel/tree_policies/ucb1.py",
    )
    epsilon: float = option(
        0.1,
        "Probability of a uniformly random action (EXP3, regret matching, "
        "epsilon-greedy); for `exp3` also the learning rate.",
        "Tree policy",
        kind=float,
        above=0.0,
        most=1.0,
        tag="exploreEpsilon",
        file="kernel/tree_policies/sampling.py",
    )
    temperature: float = option(
        0.1,
        "Temperature of the softmax over mean values in `exp3_boltzmann`.",
        "Tree policy",
        kind=float,
        above=0.0,
        tag="exp3Boltzmann",
        file="kernel/tree_policies/exp3.py",
    )
    first_play_urgency: float | None = option(
        None,
        "Exploration term of an untried action. None: infinite, so that untried "
        "actions come first; with an evaluator, the same formula as for tried "
        "actions.",
        "Tree policy",
        kind=float,
        least=0.0,
        optional=True,
        tag="FPU",
        file="kernel/tree_policies/first_play.py",
    )
    first_play_value: str = option(
        "least",
        "Value of an untried action, without exploration: the `least` value that the "
        "search has seen for the player (with `value=win`, for any player), or the "
        "mean value of its `parent` minus `first_play_reduction`.",
        "Tree policy",
        choices=("least", "parent"),
        source="Wu 2019, section 3; Leela Zero",
        file="kernel/tree_policies/first_play.py",
    )
    first_play_reduction: float = option(
        0.0,
        "Amount subtracted from the parent's value, on the scale on which values are "
        "compared. With priors, it is multiplied by the square root of the total "
        "prior of the tried actions.",
        "Tree policy",
        kind=float,
        least=0.0,
        file="kernel/tree_policies/first_play.py",
    )
    normalise: bool = option(
        True,
        "Scale each player's values to [0, 1] by the least and greatest value that "
        "the search has seen for that player (with `value=win`, for any player).",
        "Tree policy",
        kind=bool,
        tag="normaliseRewards",
        file="kernel/tree_policies/__init__.py",
    )
    final: str | None = option(
        None,
        "Which move is made: the one with most `visits` (robust), the one with the "
        "greatest mean `value` (simple), or a `sample` from the average strategy. "
        "None: `sample` for EXP3 and regret matching, `value` for averaged "
        "determinizations, else `visits`.",
        "Tree policy",
        choices=("visits", "value", "sample"),
        optional=True,
        tag="selectionPolicy",
        file="inspection/root.py",
    )
    # -- action heuristics
    action_heuristic: Any = option(
        "none",
        "H(s, a), which sets the order of untried actions and is used by the other "
        "options of this group. `game`: the game's own heuristic; `mast`: move "
        "averages.",
        "Action heuristics",
        choices=("none", "game", "mast"),
        objects="a function (model, state, player, actions) -> values",
        tag="actionHeuristic",
        file="kernel/action_heuristics.py",
    )
    action_heuristic_interval: int = option(
        20,
        "Number of visits of a node after which H is computed again, if it may "
        "change. The game's own heuristic does not change if a node stands for one "
        "state.",
        "Action heuristics",
        kind=int,
        least=1,
        tag="actionHeuristicRecalculation",
        file="kernel/action_heuristics.py",
    )
    prior_temperature: float | None = option(
        None,
        "pUCT: multiply exploration by P(s, a), the softmax of H with this "
        "temperature; 0: H itself, normalised; none: off.",
        "Action heuristics",
        kind=float,
        least=0.0,
        optional=True,
        source="Silver et al., Nature 550, 2017",
        tag="pUCTTemperature",
        file="kernel/action_heuristics.py",
    )
    progressive_bias: float = option(
        0.0,
        "Weight of H(s, a) / (n(a) + 1), added to an action's value.",
        "Action heuristics",
        kind=float,
        least=0.0,
        source="Chaslot et al. 2008",
        tag="progressiveBias",
        file="kernel/tree_policies/extended.py",
    )
    initial_visits: int = option(
        0,
        "Number of visits with which an action starts, each with the value H(s, a) "
        "on the normalised scale. Tree policies count them; results do not.",
        "Action heuristics",
        kind=int,
        least=0,
        most=1_000_000,
        source="Gelly, Silver, ICML 2007",
        tag="initialiseVisits",
        file="kernel/tree_policies/extended.py",
    )
    widening: float = option(
        0.0,
        "W of progressive widening: after N visits of a node, the ceil(W N^B) "
        "actions with the greatest H are candidates; 0: off.",
        "Action heuristics",
        kind=float,
        least=0.0,
        source=f"{_OMA}, equation 3; Chaslot et al. 2008",
        tag="progressiveWideningConstant",
        file="kernel/widening.py",
    )
    widening_exponent: float = option(
        0.5,
        "B of progressive widening.",
        "Action heuristics",
        kind=float,
        least=0.0,
        most=1.0,
        tag="progressiveWideningExponent",
        file="kernel/widening.py",
    )
    # -- rollouts
    rollout: int | None = option(
        None,
        "Number of actions in a rollout, over all players. None: 0 with an "
        "`evaluator`, else the game's choice, else 1000.",
        "Rollouts",
        kind=int,
        least=0,
        optional=True,
        tag="rolloutLength",
        file="kernel/rollout.py",
    )
    rollout_per_player: bool = option(
        False,
        "Multiply the rollout length `rollout` by the number of players.",
        "Rollouts",
        kind=bool,
        tag="rolloutLengthPerPlayer",
        file="kernel/rollout.py",
    )
    rollout_end: str = option(
        "exact",
        "Where a rollout ends once it has reached its length. `exact`: at once; "
        "`action`: at the end of a sequence of consecutive actions of the acting "
        "player; `start`: when that player's next sequence starts; `turn`: at the "
        "end of that player's turn; `round`: at the end of a round.",
        "Rollouts",
        choices=tuple(ENDS),
        tag="rolloutTermination",
        file="kernel/rollout.py",
    )
    rollout_policy: Any = option(
        None,
        "Policy that plays for the acting player below the tree: `random`, `mast`, a "
        "scripted policy of the game, or any agent. None: the game's choice, else "
        "`random`.",
        "Rollouts",
        optional=True,
        objects="an agent or a function (model, state, player) -> action",
        tag="rolloutType",
        file="kernel/rollout.py",
    )
    opponent_model: Any = option(
        None,
        "Policy that plays for the other players below the tree, and also in it "
        "with `tree=self` and `tree=pair`. `evaluator`: the action that the "
        "evaluator's policy finds most probable, computed in the same batch as the "
        "leaf (RawNet in Weil et al. 2023; needs `loop=sampled`). None: the game's "
        "choice, else the rollout policy.",
        "Rollouts",
        optional=True,
        objects="an agent or a function (model, state, player) -> action",
        tag="oppModelType",
        file="kernel/rollout.py",
    )
    mast: str = option(
        "none",
        "Which actions are averaged (MAST): actions in the `tree`, in the `rollout`, "
        "or `both`. With `none`, both are averaged if another option needs averages.",
        "Rollouts",
        choices=("none", "tree", "rollout", "both"),
        source="Finnsson, Bjornsson, AAAI 2008",
        tag="MAST",
        file="kernel/mast.py",
    )
    mast_decay: float = option(
        0.5,
        "Share of the averages' weight that is kept from one decision to the next.",
        "Rollouts",
        kind=float,
        least=0.0,
        most=1.0,
        tag="MASTGamma",
        file="kernel/mast.py",
    )
    mast_temperature: float = option(
        0.1,
        "Temperature of the softmax over move averages, scaled to [0, 1].",
        "Rollouts",
        kind=float,
        above=0.0,
        tag="MASTBoltzmann",
        file="kernel/mast.py",
    )
    mast_default: float = option(
        0.5,
        "Average assumed for an action that was never seen, from 0 to 1.",
        "Rollouts",
        kind=float,
        least=0.0,
        most=1.0,
        tag="MASTDefaultValue",
        file="kernel/mast.py",
    )
    # -- leaves
    value: Any = option(
        None,
        "Value of a leaf: `win`, `score`, `leader` (lead over the best opponent) or "
        "the game's `evaluate`. None: the game's choice, else `score`.",
        "Leaves and backup",
        choices=tuple(LEAF_VALUES),
        optional=True,
        objects="a function (model, state) -> a value for each player",
        tag="heuristic",
        file="kernel/leaf_values.py",
    )
    score_bonus: float | None = option(
        None,
        "Share of the score that a winner gains and a loser forfeits under `score` "
        "and `leader`. None: the game's choice, else 0.5.",
        "Leaves and backup",
        kind=float,
        least=0.0,
        most=1.0,
        optional=True,
        source=_MULTITREE,
        file="kernel/leaf_values.py",
    )
    score_bonus_by: str = option(
        "magnitude",
        "What `score_bonus` is a share of: the score's `magnitude`, so that it never "
        "lowers a winner's value; or the score itself, as in `tag`, so that a winner "
        "with a negative score is worse off.",
        "Leaves and backup",
        choices=("magnitude", "tag"),
        source="TAG",
        file="kernel/leaf_values.py",
    )
    discount: float | None = option(
        None,
        "Discount factor for each move of the game. Each decision is credited with "
        "its discounted return: the later changes of its player's score, plus what "
        "the leaf's value adds to the score. None: the leaf's whole value, including "
        "what was scored before the decision.",
        "Leaves and backup",
        kind=float,
        above=0.0,
        most=1.0,
        optional=True,
        source="Kocsis, Szepesvari, ECML 2006",
        file="kernel/rewards.py",
    )
    backup: str = option(
        "monte_carlo",
        "Which value a decision passes up: `monte_carlo`, the iteration's value; "
        "`lambda`, a mix of it with the mean of the action taken; `max_lambda`, a "
        "mix of it with the mean of the best action; `max_mc`, such a mix only if "
        "the node has enough visits (`backup_threshold`) and the action taken was "
        "not the best, otherwise the iteration's value.",
        "Leaves and backup",
        choices=("monte_carlo", *BACKUPS),
        source="Khandelwal et al., ICML 2016",
        tag="backupPolicy",
        file="kernel/backup_operators.py",
    )
    backup_lambda: float = option(
        0.9,
        "Weight of the iteration's value under `lambda` and `max_lambda`.",
        "Leaves and backup",
        kind=float,
        least=0.0,
        most=1.0,
        tag="backupLambda",
        file="kernel/backup_operators.py",
    )
    backup_threshold: float = option(
        100.0,
        "Number of visits T above which `max_mc` mixes in the mean of the best "
        "action, with weight (N - T) / N after N visits of the node.",
        "Leaves and backup",
        kind=float,
        least=0.0,
        tag="maxBackupThreshold",
        file="kernel/backup_operators.py",
    )
    # -- leaf evaluation in batches
    evaluator: Any = option(
        None,
        "Evaluates leaves in place of rollouts and supplies the priors of PUCT, "
        "usually with a neural network; see [neural "
        "evaluation](neural_evaluation.md).",
        "Leaf evaluation in batches",
        kind=object,
        optional=True,
        objects="a function (observations, players, legal) -> (values, logits), or a "
        "PolicyAgent",
        source="Silver et al., Science 362, 2018",
        file="kernel/batches.py",
    )
    batch: int = option(
        8,
        "Maximum number of leaves that the evaluator evaluates in one call.",
        "Leaf evaluation in batches",
        kind=int,
        least=1,
        most=65_536,
        file="kernel/batches.py",
    )
    virtual_loss: int = option(
        1,
        "Number of losses counted on the path to a pending leaf, so that the rest of "
        "the batch explores elsewhere.",
        "Leaf evaluation in batches",
        kind=int,
        least=0,
        most=1_000_000,
        source="Chaslot, Winands, van den Herik, CG 2008",
        file="kernel/batches.py",
    )
    root_noise: float = option(
        0.0,
        "Share of noise in the acting player's priors at the root.",
        "Leaf evaluation in batches",
        kind=float,
        least=0.0,
        most=1.0,
        source="Silver et al., Nature 550, 2017",
        file="kernel/priors.py",
    )
    root_noise_alpha: float = option(
        0.3,
        "Parameter of the noise's Dirichlet distribution. The smaller it is, the "
        "more the noise is concentrated on a few actions.",
        "Leaf evaluation in batches",
        kind=float,
        above=0.0,
        file="kernel/priors.py",
    )

    def __post_init__(self):
        check_options(self)
        if self.simulations is self.seconds is self.forward_model_calls is None:
            object.__setattr__(self, "simulations", 1000)

    def __repr__(self) -> str:
        """Show the options that differ from their defaults, in one line."""
        return made_with("SearchSettings", set_options(self))

    def for_model(self, model: ForwardModel) -> "SearchSettings":
        """Fill what was left open with the game's choices, and check what it can do.

        Raises:
            ValueError: An option that has no effect beside the others, or that the
                game cannot serve; the message says what it takes.
        """
        return self._with_bound_evaluator(model)._for_model(model)

    def _with_bound_evaluator(self, model: ForwardModel) -> "SearchSettings":
        """Let an evaluator see somebody else's environment, and take its values."""
        if not model.copies_environments or not hasattr(self.evaluator, "for_model"):
            return self
        bound = self.evaluator.for_model(model)
        needed = getattr(bound, "required_value", None)
        value = needed if self.value is None else self.value
        return replace(self, evaluator=bound, value=value)

    def _for_model(self, model: ForwardModel) -> "SearchSettings":
        chosen: Mapping[str, object] = {
            "value": "score",
            "rollout": 1000,
            "rollout_policy": "random",
            "loop": "open",
            **model.search_defaults,
        }
        if self.evaluator is not None or (
            # Steps of environments of others take long, values of users none of them.
            model.copies_environments and callable(self.value)
        ):
            chosen = {**chosen, "rollout": 0}
        if chosen["loop"] == "closed" and not may_be_closed(self, model):
            chosen = {**chosen, "loop": "open"}
        unknown = set(chosen) - {f.name for f in fields(self)}
        if unknown:
            raise ValueError(
                f"{model.name}: search_defaults names {sorted(unknown)}, which are "
                f"not settings of a search: {[f.name for f in fields(self)]}"
            )
        fixed = [f.name for f in fields(self) if f.default is not None]
        if taken := set(chosen) & set(fixed):
            raise ValueError(
                f"{model.name}: search_defaults names {sorted(taken)}, which already "
                "have fixed defaults; a game may only set options whose default is "
                f"None: {[f.name for f in fields(self) if f.default is None]}"
            )
        if self.action_filter is None:
            has_filter = model.has("filter_actions")
            chosen = {**chosen, "action_filter": "game" if has_filter else "all"}
        if self.opponent is None and self.tree == "pair":
            has_measure = model.has("nearest_opponent")
            chosen = {**chosen, "opponent": "nearest" if has_measure else "next"}
        filled = replace(
            self, **{n: v for n, v in chosen.items() if getattr(self, n) is None}
        )
        check_applicable(filled, self, model)
        defaults: dict[str, Any] = {}
        if filled.score_bonus is None:
            defaults["score_bonus"] = 0.5
        if filled.solver is None:
            applies = solver.applies(model, filled)
            defaults["solver"] = applies and filled.value == "win"
        if filled.final is None:
            averaged = filled.determinizations > 1 and filled.combine == "average"
            best = "value" if averaged else "visits"
            defaults["final"] = (
                "sample" if tree_policy_of(filled.tree_policy).draws else best
            )
        if filled.opponent_model is None:
            defaults["opponent_model"] = filled.rollout_policy
        if filled.rollout == 0:  # nobody plays below the tree
            defaults["rollout_policy"] = "random"
            if filled.tree not in ("self", "pair"):
                defaults["opponent_model"] = "random"
        if filled.mast == "none" and mast.is_asked_for(filled):
            defaults["mast"] = "both"
        return replace(filled, **defaults)

    @property
    def remembers_moves(self) -> bool:
        """Whether a decision keeps what the moves played since the last one allow."""
        return self.reuse_tree or self.keep_abstraction

    @functools.cached_property
    def needs_mast(self) -> bool:
        """Whether move averages are asked for."""
        return mast.is_asked_for(self)
