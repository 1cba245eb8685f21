"""The values of each option that `test_option_pairs` sets against each other."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from itertools import combinations
from typing import Any

import numpy as np

from mcts_agents.search import SearchSettings

# -- what is no word and no number


def scores(model, state):
    """A leaf heuristic in Python: the scores."""
    return model.scores(state)


def worths_after(model, state, player, actions):
    """An action heuristic in Python: the game's own."""
    legal = model.legal_actions(state, player).tolist()
    known = dict(zip(legal, model.action_values(state, player), strict=True))
    return [known[action] for action in actions.tolist()]


def likely(model, state, player):
    """A policy in Python: the game's own."""
    return model.policy_action("sensible", state, player, 0, np.zeros(2, np.uint64))


class Sight:
    """An evaluator that sees what random play would bring, and prefers no move."""

    def __init__(self, value: str):
        self.value = value

    def observe(self, model, states, players):
        if self.value == "win":
            return np.array([model.evaluate(state) for state in states])
        found = np.array([model.scores(state) for state in states])
        if self.value == "leader":
            teams = np.array(model.teams)
            others = [found[:, teams != team].max(axis=1) for team in teams]
            found = found - np.transpose(others)
        return found

    def __call__(self, observations, players, legal):
        return observations, np.zeros(legal.shape)

    def __repr__(self):
        return f"Sight({self.value!r})"


SIGHT = object()  # stands for the evaluator of whatever `value` is

# -- the cases


@dataclass(frozen=True)
class Case:
    """A value of an option, and what it takes to have an effect."""

    name: str
    value: Any
    needs: dict[str, Any] = field(default_factory=dict)

    def __str__(self):
        value = self.value
        shown = getattr(value, "__name__", "SIGHT" if value is SIGHT else value)
        return f"{self.name}={shown}"


def _cases(name: str, *values: Any, **needs: Any) -> list[Case]:
    return [Case(name, value, needs) for value in values]


_BY_GAME = {"action_heuristic": "game"}
_BY_PARENT = {"first_play_value": "parent"}
_BY_MAST = {"rollout_policy": "mast"}
_DETERMINIZED = {"determinizations": 3}
_EVALUATED = {"evaluator": SIGHT, "tree_policy": "alphago"}

CASES = [
    *_cases("forward_model_calls", 2000),
    *_cases("seconds", 600.0),
    *_cases("safety_margin", 1.0, seconds=600.0),
    *_cases("memory", 1),
    *_cases("threads", 2),
    *_cases("reuse_tree", True),
    *_cases("tree", "self", "pair", "multi", "observers"),
    *_cases("opponent", "nearest", "next", tree="pair"),
    *_cases("paranoid", True),
    *_cases("abstraction", "own", "all"),
    *_cases("abstraction_visits", 5.0, abstraction="own"),
    *_cases("abstraction_context", "last", abstraction="all"),
    *_cases("keep_abstraction", True, abstraction="all"),
    *_cases("graph", True),
    *_cases("expand_after_clash", False, graph=True),
    *_cases("simultaneous", "serialised"),
    *_cases("action_filter", "game"),
    *_cases("max_depth", 1, 2),
    *_cases("solver", False, True, value="win"),
    *_cases("information", "perfect"),
    *_cases("loop", "open", "closed", "sampled"),
    *_cases("opponent_information", "separate", tree="multi"),
    *_cases("determinizations", 3),
    *_cases("combine", "visits", "vote", **_DETERMINIZED),
    *_cases("tree_policy", "ucb_tuned", "kl_ucb", "alphago", "exp3", "exp3_boltzmann"),
    *_cases("tree_policy", "regret_matching"),
    # Visits say nothing under the one, and are late under the other; values are not.
    *_cases("tree_policy", "uniform", "epsilon_greedy", final="value"),
    # It explores nothing itself.
    *_cases("tree_policy", "gumbel", root_policy="gumbel"),
    *_cases("root_policy", "sequential_halving", "gumbel"),
    *_cases("gumbel_actions", 8, root_policy="gumbel"),
    *_cases("gumbel_noise", 0.0, root_policy="gumbel"),
    *_cases("gumbel_visits", 20.0, root_policy="gumbel"),
    *_cases("gumbel_scale", 0.5, root_policy="gumbel"),
    *_cases("exploration", 0.25, 2.0),
    *_cases("epsilon", 0.3, tree_policy="exp3"),
    *_cases("temperature", 0.5, tree_policy="exp3_boltzmann"),
    # Below the value of a tried action plus its exploration the others wait for long.
    *_cases("first_play_urgency", 2.0, 4.0),
    *_cases("first_play_value", "parent", first_play_urgency=2.0),
    *_cases("first_play_reduction", 0.25, first_play_urgency=2.0, **_BY_PARENT),
    *_cases("normalise", False),
    *_cases("final", "value"),
    *_cases("final", "visits", "sample", tree_policy="exp3"),
    *_cases("action_heuristic", "game", "mast", worths_after),
    *_cases("action_heuristic_interval", 1, **_BY_GAME),
    *_cases("prior_temperature", 0.0, 0.5, **_BY_GAME),
    *_cases("progressive_bias", 1.0, **_BY_GAME),
    *_cases("initial_visits", 3, **_BY_GAME),
    *_cases("widening", 1.0, **_BY_GAME),
    *_cases("widening_exponent", 0.3, **_BY_GAME, widening=1.0),
    *_cases("rollout", 0, 1),
    *_cases("rollout_per_player", True, rollout=1),
    *_cases("rollout_end", "action", "start", "turn", "round", rollout=1),
    *_cases("rollout_policy", "mast", "sensible", likely),
    *_cases("opponent_model", "mast", "sensible"),
    *_cases("mast", "tree", "rollout", **_BY_MAST),
    *_cases("mast_decay", 1.0, **_BY_MAST),
    *_cases("mast_temperature", 1.0, **_BY_MAST),
    *_cases("mast_default", 0.0, **_BY_MAST),
    *_cases("value", "win", "score", "leader", "evaluate", scores),
    *_cases("score_bonus", 0.5, value="score"),
    *_cases("score_bonus_by", "tag", value="score", score_bonus=0.5),
    *_cases("discount", 0.5, 1.0, value="score"),
    *_cases("evaluator", SIGHT, **_EVALUATED),
    *_cases("batch", 1, 3, **_EVALUATED),
    *_cases("virtual_loss", 0, 3, **_EVALUATED),
    *_cases("root_noise", 0.25, **_EVALUATED),
    *_cases("root_noise_alpha", 1.0, **_EVALUATED, root_noise=0.25),
    *_cases("backup", "lambda", "max_lambda", "max_mc"),
    *_cases("backup_lambda", 0.5, backup="lambda"),
    *_cases("backup_threshold", 10.0, backup="max_mc"),
]
# Options without a case, and why.
WITHOUT = {"simulations": "every search has them"}


def names() -> list[str]:
    """Return the names of all options, in their order."""
    return [f.name for f in fields(SearchSettings)]


def pairs() -> Iterator[tuple[Case, Case]]:
    """Yield all pairs of cases of two options, the earlier option first."""
    order = names()
    cases = sorted(CASES, key=lambda case: order.index(case.name))
    for first, second in combinations(cases, 2):
        if first.name != second.name:
            yield first, second


def merged(first: Case, second: Case, base: dict[str, Any]) -> dict[str, Any] | None:
    """Return the settings of a pair; None if the two need opposite things."""
    for name in first.needs.keys() & second.needs.keys():
        if first.needs[name] != second.needs[name]:
            return None
    chosen = base | first.needs | second.needs
    chosen |= {first.name: first.value, second.name: second.value}
    if chosen.get("evaluator") is SIGHT:
        chosen["evaluator"] = Sight(chosen["value"])
    return chosen
