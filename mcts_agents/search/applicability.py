"""Which options apply beside which others, and to which games.

No option is accepted and ignored: one that differs from its default where it has no
effect, or that the game cannot serve, is refused with what it takes.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcts_agents.model import ForwardModel

if TYPE_CHECKING:
    from mcts_agents.search.settings import SearchSettings

_INDEX = ("ucb1", "ucb_tuned", "alphago")
_SAMPLING = ("exp3", "exp3_boltzmann", "regret_matching")


def _one_of(name: str, *values: str) -> tuple[Callable[[Any], bool], str]:
    """Say that an option takes another one to have one of some values.

    A user's own function, a tree policy say, may make use of any option.
    """
    return (
        lambda settings: (
            getattr(settings, name) in values or callable(getattr(settings, name))
        ),
        f"{name} {' or '.join(values)}",
    )


def _heuristic(settings: Any) -> bool:
    return settings.action_heuristic != "none"


def _samples(settings: Any) -> bool:
    return settings.tree_policy in _SAMPLING


_WITH_HEURISTIC = (_heuristic, "an action_heuristic")
_WITH_MAST = (
    lambda s: s.needs_mast,
    "rollout_policy, opponent_model or action_heuristic mast",
)
_BY_INDEX = _one_of("tree_policy", *_INDEX)
# With them no action is untried.
_WITHOUT_INITIAL_VISITS = (
    lambda s: s.initial_visits == 0 or callable(s.tree_policy),
    "initial_visits 0",
)

# What an option takes to have an effect, if it differs from its default.
_NEEDS: dict[str, list[tuple[Callable[[Any], bool], str]]] = {
    "exploration": [_BY_INDEX],
    "first_play_urgency": [_BY_INDEX, _WITHOUT_INITIAL_VISITS],
    "first_play_value": [
        _BY_INDEX,
        (
            lambda s: s.first_play_urgency is not None or s.evaluator is not None,
            "a first_play_urgency or an evaluator",
        ),
    ],
    "first_play_reduction": [_one_of("first_play_value", "parent")],
    "epsilon": [
        _one_of(
            "tree_policy",
            "exp3",
            "exp3_boltzmann",
            "regret_matching",
            "epsilon_greedy",
        )
    ],
    "temperature": [_one_of("tree_policy", "exp3_boltzmann")],
    "abstraction": [_one_of("tree", "one"), _BY_INDEX],
    "abstraction_visits": [_one_of("abstraction", "own", "all")],
    "opponent": [_one_of("tree", "pair")],
    "graph": [_one_of("tree", "one", "self"), _one_of("loop", "open")],
    "expand_after_clash": [(lambda s: s.graph, "graph=true")],
    "simultaneous": [
        _one_of("tree", "one", "pair"),
        (lambda s: not s.graph, "graph=false"),
    ],
    "opponent_information": [
        _one_of("tree", "multi", "observers"),
        _one_of("information", "set"),
        (lambda s: s.determinizations == 1, "determinizations 1"),
    ],
    "safety_margin": [(lambda s: s.seconds is not None, "a budget of seconds")],
    "combine": [
        (lambda s: s.determinizations > 1, "determinizations above 1"),
        (
            lambda s: (s.final or ("sample" if _samples(s) else "")) != "sample",
            "final visits or value",
        ),
    ],
    "normalise": [_one_of("tree_policy", *_INDEX, "exp3", "exp3_boltzmann")],
    "action_heuristic": [
        _BY_INDEX,
        (
            lambda s: (
                s.first_play_urgency is None
                or callable(s.tree_policy)
                or s.prior_temperature is not None
                or max(s.progressive_bias, s.widening, s.initial_visits) > 0
            ),
            "first_play_urgency none, or with prior_temperature, progressive_bias, "
            "widening or initial_visits",
        ),
    ],
    "action_heuristic_interval": [_WITH_HEURISTIC],
    "prior_temperature": [_WITH_HEURISTIC, _BY_INDEX],
    "progressive_bias": [_WITH_HEURISTIC, _BY_INDEX],
    "initial_visits": [_WITH_HEURISTIC, _BY_INDEX],
    "widening": [_WITH_HEURISTIC],
    "widening_exponent": [(lambda s: s.widening > 0.0, "widening above 0")],
    "mast": [_WITH_MAST],
    "mast_decay": [_WITH_MAST],
    "mast_temperature": [
        (
            lambda s: "mast" in (s.rollout_policy, s.opponent_model),
            "rollout_policy or opponent_model mast",
        )
    ],
    "mast_default": [_WITH_MAST],
    "score_bonus": [_one_of("value", "score", "leader")],
    "score_bonus_by": [
        _one_of("value", "score", "leader"),
        (lambda s: s.score_bonus != 0.0, "score_bonus above 0"),
    ],
    "backup_lambda": [_one_of("backup", "lambda", "max_lambda")],
    "backup_threshold": [_one_of("backup", "max_mc")],
    "rollout_per_player": [(lambda s: s.rollout > 0, "rollout above 0")],
    "rollout_end": [(lambda s: s.rollout > 0, "rollout above 0")],
    "rollout_policy": [(lambda s: s.rollout > 0, "rollout above 0")],
    "loop": [_one_of("tree", "one", "self", "pair")],
}
_WITH_EVALUATOR = (lambda s: s.evaluator is not None, "an evaluator")
_NEEDS |= {
    "evaluator": [
        _one_of("tree", "one", "self", "pair"),
        _one_of("tree_policy", "alphago"),
        (lambda s: s.rollout == 0, "rollout 0"),
        (lambda s: not _heuristic(s), "action_heuristic none"),
        (lambda s: not s.needs_mast, "no mast"),
        _one_of("abstraction", "none"),
        (lambda s: not s.graph, "graph=false"),
        _one_of("simultaneous", "decoupled"),
        (lambda s: s.threads == 1, "threads 1"),
    ],
    "batch": [_WITH_EVALUATOR],
    "virtual_loss": [
        _WITH_EVALUATOR,
        (lambda s: s.batch > 1, "batch above 1"),
    ],
    "root_noise": [_WITH_EVALUATOR],
    "root_noise_alpha": [(lambda s: s.root_noise > 0.0, "root_noise above 0")],
}
_NEEDS["opponent_model"] = [
    (
        lambda s: s.rollout > 0 or s.tree in ("self", "pair"),
        "rollout above 0, or tree self or pair",
    )
]


def check_applicable(
    settings: "SearchSettings", given: "SearchSettings", model: ForwardModel
) -> None:
    """Raise ValueError for the first option that cannot have its effect.

    Args:
        settings: With the game's choices filled in.
        given: As the user gave them.
        model: The game.
    """
    defaults = type(settings)()
    for name, needs in _NEEDS.items():
        value = getattr(given, name)
        if value is None or value is getattr(defaults, name):
            continue
        if isinstance(value, str | int | float) and value == getattr(defaults, name):
            continue
        for applies, text in needs:
            if not applies(settings):
                raise ValueError(f"{name}={value!r} has an effect only with {text}")
    if given.evaluator is not None and given.value == "evaluate":
        raise ValueError(
            "value='evaluate': the evaluator values unfinished positions; use "
            "value='win', which values finished ones alike"
        )
    _check_policies(settings, model)
    _check_game(settings, model)
    _check_combinations(settings, model)


def _check_policies(settings, model):
    if settings.final == "sample" and settings.tree_policy not in _SAMPLING:
        raise ValueError(
            "final='sample' draws from an average strategy, which only tree_policy "
            f"{', '.join(_SAMPLING)} keep"
        )
    for name in ("rollout_policy", "opponent_model"):
        value = getattr(settings, name)
        if isinstance(value, str) and value not in ("random", "mast", *model.policies):
            raise ValueError(
                f"{name}={value!r}: expected random, mast, an agent"
                + (f" or a policy of {model.name}: " if model.policies else "")
                + ", ".join(model.policies)
            )


def _check_game(settings, model):
    """Refuse what the game's table has no function for."""
    needed = [
        ("value", "evaluate", "evaluate", "use value='score' or value='win'"),
        ("action_heuristic", "game", "action_values", "use action_heuristic='mast'"),
        ("rollout_end", "turn", "turn", "use rollout_end='action'"),
        ("rollout_end", "round", "round", "use rollout_end='action'"),
        ("graph", True, "state_key", "use graph=false"),
        ("opponent_information", "separate", "state_key", "use 'merged'"),
        ("opponent", "nearest", "nearest_opponent", "use opponent='next'"),
        ("action_filter", "game", "filter_actions", "use action_filter='all'"),
    ]
    words = {"evaluate": "evaluation function"}
    for name, value, function, instead in needed:
        asked = getattr(settings, name)
        if isinstance(asked, str | bool) and asked == value:
            if not model.has(function):
                raise ValueError(
                    f"{name}={value!r}: {model.name} has no "
                    f"{words.get(function, f'function `{function}`')}; {instead}"
                )
    if settings.tree == "observers" and model.hidden_information:
        if not model.has("visible_action"):
            raise ValueError(
                f"tree='observers': {model.name} has no function `visible_action`, "
                "which says what players see of each other's actions; use tree='multi'"
            )
    if model.copies_environments:
        for name, allowed in (
            ("loop", "open"),
            ("threads", 1),
            ("reuse_tree", False),
            ("evaluator", None),
        ):
            if getattr(settings, name) != allowed:
                raise ValueError(
                    f"{name}={getattr(settings, name)!r}: {model.name} is a copied "
                    f"environment, of which only {name}={allowed!r} can be searched"
                )
    value = getattr(settings.evaluator, "required_value", settings.value)
    if settings.value != value:
        raise ValueError(
            f"value={settings.value!r}: {settings.evaluator!r} values positions by "
            f"value={value!r}; give that"
        )
    if settings.evaluator is not None and model.observation_shape is None:
        if not hasattr(settings.evaluator, "observe"):
            raise ValueError(
                f"evaluator={settings.evaluator!r}: {model.name} has no function "
                "`observe`; give the evaluator a method `observe(model, states, "
                "players)`"
            )


def _check_combinations(settings, model):
    if settings.loop == "closed" and (model.chance or model.hidden_information):
        what = "chance" if model.chance else "hidden information"
        raise ValueError(
            f"loop='closed': {model.name} has {what}, so that an action does not lead "
            "to one state; use loop='open' or loop='sampled'"
        )
    modelled = {"self": 1, "pair": 2}.get(settings.tree, model.players)
    if settings.loop == "closed" and modelled < model.players:
        raise ValueError(
            f"loop='closed': with tree={settings.tree!r} the others' moves are not in "
            "the tree, so that an action does not lead to one state; use loop='sampled'"
        )
    if settings.opponent_information == "separate" and not model.hidden_information:
        raise ValueError(
            f"opponent_information='separate': nothing is hidden in {model.name}"
        )
    if settings.determinizations > 1:
        if not model.hidden_information:
            raise ValueError(
                f"determinizations={settings.determinizations}: nothing is hidden in "
                f"{model.name}"
            )
        if settings.reuse_tree:
            raise ValueError("reuse_tree=true goes with determinizations=1 only")
    if settings.reuse_tree:
        for name, value in (
            ("graph", True),
            ("tree", "observers"),
            ("tree", "pair"),
            ("loop", "sampled"),
            ("opponent_information", "separate"),
            ("simultaneous", "serialised"),
        ):
            if getattr(settings, name) == value:
                raise ValueError(
                    f"reuse_tree=true: with {name}={value!r} what was really played "
                    "does not lead through the tree"
                )
        if settings.threads > 1:
            raise ValueError("reuse_tree=true goes with threads=1 only")
        if settings.information == "perfect" and model.hidden_information:
            raise ValueError(
                "reuse_tree=true: with information='perfect' each decision has a "
                f"determinization of its own, and in {model.name} the last one's tree "
                "holds actions that are impossible in it; use information='set'"
            )
    if settings.threads > 1:
        for name in ("rollout_policy", "opponent_model", "value", "action_heuristic"):
            value = getattr(settings, name)
            if value is not None and not isinstance(value, str):
                raise ValueError(
                    f"threads={settings.threads}: {name}={value!r} runs in Python, "
                    "which threads cannot share; use threads=1"
                )
    if settings.solver and not settings.provable(model):
        raise ValueError(
            f"solver=true: {model.name} with these settings has nothing to prove; it "
            "takes tree='one', an open loop, no action_filter, tree_policy ucb1, "
            "ucb_tuned or alphago, no evaluator, backup='monte_carlo', no chance, "
            "nothing hidden, value 'win' or 'evaluate', and no Paranoid with more than "
            "two players or teams"
        )


def needed(name: str) -> list[tuple[Callable[[Any], bool], str]]:
    """Return what an option takes to have an effect: conditions on settings, in words.

    Empty for an option that always has one.
    """
    return list(_NEEDS.get(name, ()))
