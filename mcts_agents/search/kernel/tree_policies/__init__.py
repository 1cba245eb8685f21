"""Tree policies: how a decision in the tree chooses among its actions.

Each is a `TreePolicy` in a file of its own. In compiled code the list below is all that
has to know of a new one. Then name it in its option's text (`options/settings.py`), run
`docs/make_options.py` and `docs/make_option_types.py`, write its page in
`docs/algorithms` (a test looks for `tree_policy=NAME`), and give it a case in
`tests/search/test_every_option.py` and `option_pairs.py`.

For `normalise`, `back_up.py` keeps the ranges of values seen, `selection.choose` shows
a policy its player's range, and policies scale values by it (`indices.scale_of`).
"""

from typing import Any

import numpy as np

from mcts_agents.search.kernel.parts import Condition, Part
from mcts_agents.search.kernel.records import USER_PARAMETERS
from mcts_agents.search.kernel.tree_policies import first_play
from mcts_agents.search.kernel.tree_policies.alphago import ALPHAGO
from mcts_agents.search.kernel.tree_policies.exp3 import EXP3, EXP3_BOLTZMANN
from mcts_agents.search.kernel.tree_policies.gumbel import GUMBEL
from mcts_agents.search.kernel.tree_policies.kl_ucb import KL_UCB
from mcts_agents.search.kernel.tree_policies.regret_matching import REGRET_MATCHING
from mcts_agents.search.kernel.tree_policies.tree_policy import TreePolicy
from mcts_agents.search.kernel.tree_policies.ucb1 import UCB1
from mcts_agents.search.kernel.tree_policies.ucb_tuned import UCB_TUNED
from mcts_agents.search.kernel.tree_policies.uniform import EPSILON_GREEDY, UNIFORM

TREE_POLICIES = {
    policy.name: policy
    for policy in (
        UCB1,
        UCB_TUNED,
        KL_UCB,
        ALPHAGO,
        EXP3,
        EXP3_BOLTZMANN,
        REGRET_MATCHING,
        UNIFORM,
        EPSILON_GREEDY,
        GUMBEL,
    )
}


def tree_policy_of(given: Any) -> TreePolicy:
    """Return the policy that the setting `tree_policy` stands for.

    Args:
        given: The name of one of this package's, a `TreePolicy`, or a compiled function
            `(view, settings, rng) -> edge`, which may read every option.
    """
    if isinstance(given, str):
        return TREE_POLICIES[given]
    if isinstance(given, TreePolicy):
        return given
    return TreePolicy(
        getattr(given, "__name__", repr(given)),
        choose=given,
        kind="other",
        options=None,
        keeps_statistics=True,
    )


def reads(option: str) -> Condition:
    """Return the condition that the tree policy reads an option."""
    names = [name for name, policy in TREE_POLICIES.items() if policy.reads(option)]
    return Condition(
        lambda settings: tree_policy_of(settings.tree_policy).reads(option),
        f"tree_policy {' or '.join(names)}",
    )


def _numbers(settings: Any) -> dict[str, Any]:
    own = list(tree_policy_of(settings.tree_policy).parameters.values())
    return {
        "exploration": settings.exploration,
        "epsilon": settings.epsilon,
        "temperature": settings.temperature,
        **first_play.numbers(settings),
        "progressive_bias": settings.progressive_bias,
        "initial_visits": settings.initial_visits,
        "use_prior": settings.prior_temperature is not None,
        "ordered": settings.action_heuristic != "none",
        "abstraction_visits": settings.abstraction_visits,
        "gumbel_actions": settings.gumbel_actions,
        "gumbel_noise": settings.gumbel_noise,
        "gumbel_visits": settings.gumbel_visits,
        "gumbel_scale": settings.gumbel_scale,
        "virtual_loss": settings.virtual_loss,
        "shares": settings.value == "win" and not settings.paranoid,
        "user": own + [0.0] * (USER_PARAMETERS - len(own)),
    }


# The solver needs an index policy, which takes the value of proven losses off itself
# (`indices.is_lost`).
BY_INDEX = Condition(
    lambda settings: tree_policy_of(settings.tree_policy).kind == "index",
    "tree_policy "
    + " or ".join(n for n, p in TREE_POLICIES.items() if p.kind == "index"),
)

# An evaluator's priors need a policy that takes them.
TAKES_PRIORS = Condition(
    lambda settings: takes_priors(tree_policy_of(settings.tree_policy)),
    f"tree_policy {' or '.join(n for n, p in TREE_POLICIES.items() if p.evaluated)}",
)


def takes_priors(policy: TreePolicy) -> bool:
    """Whether a policy can be asked with an evaluator's priors.

    Leaves that wait do not keep what an `update` is told.
    """
    asks_itself = policy.options is None and policy.update is None
    return policy.evaluated is not None or asks_itself


# With them no action is untried.
_WITHOUT_INITIAL_VISITS = Condition(
    lambda s: s.initial_visits == 0 or tree_policy_of(s.tree_policy).options is None,
    "initial_visits 0",
)
_NORMALISES = reads("normalise")
_AT_THE_ROOT = Condition(lambda s: s.root_policy == "gumbel", "root_policy gumbel")
_COMPLETES_VALUES = Condition(
    lambda s: "gumbel" in (s.root_policy, s.tree_policy),
    "root_policy gumbel or tree_policy gumbel",
)
PART = Part(
    fields=[
        ("normalise", np.int64),
        ("updates", np.int64),  # the tree policy has an update
        ("own_policy", np.int64),  # it is a user's, or the root's is
    ],
    values=lambda model, settings: {
        "normalise": settings.normalise,
        "updates": tree_policy_of(settings.tree_policy).update is not None,
        "own_policy": not (
            isinstance(settings.tree_policy, str)
            and isinstance(settings.root_policy, str)
        ),
    },
    needs={
        "exploration": [reads("exploration")],
        "first_play_urgency": [reads("first_play_urgency"), _WITHOUT_INITIAL_VISITS],
        "first_play_value": [
            reads("first_play_value"),
            Condition(
                lambda s: s.first_play_urgency is not None or s.evaluator is not None,
                "a first_play_urgency or an evaluator",
            ),
        ],
        "first_play_reduction": [
            Condition(
                lambda s: s.first_play_value == "parent", "first_play_value parent"
            )
        ],
        "epsilon": [reads("epsilon")],
        "temperature": [reads("temperature")],
        "normalise": [
            Condition(
                lambda s: _NORMALISES.holds(s) or s.root_policy == "gumbel",
                f"{_NORMALISES.words} or root_policy gumbel",
            )
        ],
        "gumbel_actions": [_AT_THE_ROOT],
        "gumbel_noise": [_AT_THE_ROOT],
        "gumbel_visits": [_COMPLETES_VALUES],
        "gumbel_scale": [_COMPLETES_VALUES],
    },
    numbers=_numbers,
    # A user's policy is shown where in the tree it chooses.
    extended=lambda s: not isinstance(s.tree_policy, str),
    keeps_statistics=lambda s: tree_policy_of(s.tree_policy).keeps_statistics,
)
