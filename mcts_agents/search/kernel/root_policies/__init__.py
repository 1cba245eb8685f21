"""Root policies: how the decision that is made differs from those in the tree.

Each is a `RootPolicy` in a file of its own. In compiled code the list below is all that
has to know of a new one. Then name it in its option's text (`options/settings.py`), run
`docs/make_options.py` and `docs/make_option_types.py`, write its page in
`docs/algorithms`, and give it a case in `tests/search/test_every_option.py` and
`option_pairs.py`. `sequential_halving.py` is an example, and
`docs/algorithms/README.md` has one that a user gives.
"""

from typing import Any

import numpy as np

from mcts_agents.search.kernel.parts import Condition, Part
from mcts_agents.search.kernel.records import USER_PARAMETERS
from mcts_agents.search.kernel.root_policies.gumbel import GUMBEL
from mcts_agents.search.kernel.root_policies.root_policy import RootPolicy
from mcts_agents.search.kernel.root_policies.sequential_halving import (
    SEQUENTIAL_HALVING,
)
from mcts_agents.search.kernel.tree_policies import tree_policy_of

# The decision at the root like all others.
TREE = RootPolicy("tree")

ROOT_POLICIES = {policy.name: policy for policy in (TREE, SEQUENTIAL_HALVING, GUMBEL)}


def root_policy_of(given: Any) -> RootPolicy:
    """Return the policy that the setting `root_policy` stands for."""
    return ROOT_POLICIES[given] if isinstance(given, str) else given


def _chooses(settings: Any) -> bool:
    return root_policy_of(settings.root_policy).choose is not None


def _numbers(settings: Any) -> dict[str, Any]:
    own = list(root_policy_of(settings.root_policy).parameters.values())
    return {"root_user": own + [0.0] * (USER_PARAMETERS - len(own))}


def _check(model: Any, settings: Any) -> None:
    policy = root_policy_of(settings.root_policy)
    if policy.needs_simulations and settings.simulations is None:
        raise ValueError(
            f"root_policy={policy.name!r} needs a budget of simulations, which it "
            "shares out among the actions; give simulations=1000, say"
        )
    if not policy.merges:
        for name in ("threads", "determinizations"):
            if getattr(settings, name) > 1:
                raise ValueError(
                    f"{name}={getattr(settings, name)}: root_policy={policy.name!r} "
                    f"needs the statistics of a single search; use {name}=1"
                )
    policy.check(settings)


PART = Part(
    fields=[("has_root_policy", np.int64)],  # one that chooses
    values=lambda model, settings: {"has_root_policy": _chooses(settings)},
    needs={
        "root_policy": [
            # Their strategies are sums over choices of their own.
            Condition(
                lambda s: not _chooses(s) or not tree_policy_of(s.tree_policy).draws,
                "a tree_policy that draws from no strategy",
            )
        ],
        "final": [
            Condition(
                lambda s: root_policy_of(s.root_policy).final is None,
                "a root_policy without a final choice of its own",
            )
        ],
    },
    numbers=_numbers,
    check=_check,
    extended=_chooses,
    keeps_statistics=_chooses,
)
