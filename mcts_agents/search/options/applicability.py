"""Which options apply beside which others, and to which games.

An option that differs from its default where it has no effect, or that the game cannot
serve, is refused with what it takes. What that is says the part of its algorithm, in
the algorithm's own file; those of options that belong to no compiled file stand here.
"""

from typing import Any

from mcts_agents.model import ForwardModel
from mcts_agents.search.kernel.parts import Condition, Part, one_of
from mcts_agents.search.kernel.search_record import PARTS
from mcts_agents.search.kernel.tree_policies import TREE_POLICIES, tree_policy_of


def _draws(settings: Any) -> bool:
    return tree_policy_of(settings.tree_policy).draws


def _in_python(function: Any) -> bool:
    """Whether it is a function of the user's that was not compiled."""
    return callable(function) and not hasattr(function, "py_func")


def _check_worlds(model: ForwardModel, settings: Any) -> None:
    if settings.information == "perfect" and not model.hidden_information:
        raise ValueError(
            f"information='perfect': nothing is hidden in {model.name}; leave it out"
        )


def _check_final(model: ForwardModel, settings: Any) -> None:
    if settings.final == "sample" and not _draws(settings):
        drawing = [name for name, policy in TREE_POLICIES.items() if policy.draws]
        raise ValueError(
            "final='sample' draws from an average strategy, which only tree_policy "
            f"{', '.join(drawing)} keep"
        )


def _check_copies(model: ForwardModel, settings: Any) -> None:
    """Refuse what copies of environments cannot do."""
    if not model.copies_environments:
        return
    if model.states_are_values:
        if settings.threads > 1:
            raise ValueError(
                f"threads={settings.threads}: {model.name} runs in Python, which "
                "threads cannot share; use threads=1"
            )
        return
    if settings.threads != 1:
        raise ValueError(
            f"threads={settings.threads!r}: {model.name} is a copied environment, of "
            "which only threads=1 can be searched"
        )
    if settings.value == "win" and model.players == 1:
        raise ValueError(
            f"value='win': {model.name} has one agent, whose result is always the "
            "same; use value='score', its rewards"
        )
    if settings.loop == "closed" and model.chance:
        raise ValueError(
            f"loop='closed': {model.name} is a copied environment, whose random "
            "numbers are not visible from outside; if it uses none, pass "
            "deterministic=True to the agent, otherwise use loop='open' or "
            "loop='sampled'"
        )
    if settings.graph and not model.has("state_key"):
        raise ValueError(
            f"graph=True: {model.name} is a copied environment, whose positions "
            "cannot be distinguished from outside; pass state_key=function(env_copy) "
            "to the agent"
        )
    if settings.reuse_tree and settings.loop != "open":
        raise ValueError(
            f"reuse_tree=True: {model.name} is a copied environment, whose copies end "
            "with the decision; use loop='open'"
        )
    for name in ("reuse_tree", "keep_abstraction"):
        if getattr(settings, name) and model.hidden_information:
            raise ValueError(
                f"{name}=True: {model.name} is a copied environment that hides "
                "something, and what its players have seen of each other's actions "
                "cannot be known from outside; leave it out"
            )


def may_be_closed(given: Any, model: ForwardModel) -> bool:
    """Whether nodes may hold states beside all that a user has asked for.

    Args:
        given: `SearchSettings` as the user gave them.
        model: A game without chance.
    """
    alone = given.tree == "self" and model.players == 1
    return (
        (given.tree == "one" or alone)
        and not (given.graph or given.reuse_tree or given.solver)
        and not model.hidden_information
    )


def _check_counting(model: ForwardModel, settings: Any) -> None:
    """Refuse a budget of calls where rollouts do not count theirs."""
    uncounted = model.uncounted_rollout
    calls = settings.forward_model_calls
    if calls is not None and uncounted is not None and settings.rollout >= uncounted:
        raise ValueError(
            f"forward_model_calls={calls}: a rollout of {model.name} to the end of "
            "the game does not count its actions; make the game with counted=true, or "
            "use a budget of simulations or seconds"
        )


def _check_several(model: ForwardModel, settings: Any) -> None:
    """Refuse several searches of one decision where there is no sense in them."""
    if settings.determinizations > 1 and not model.hidden_information:
        raise ValueError(
            f"determinizations={settings.determinizations}: nothing is hidden in "
            f"{model.name}"
        )
    if settings.threads > 1:
        for name in ("rollout_policy", "opponent_model", "value", "action_heuristic"):
            value = getattr(settings, name)
            if value is not None and not isinstance(value, str):
                raise ValueError(
                    f"threads={settings.threads}: {name}={value!r} runs in Python, "
                    "which threads cannot share; use threads=1"
                )


_NOT_PYTHON = Condition(
    lambda s: not _in_python(s.value), "a value that is not a function in Python"
)
DRIVER_PARTS = (
    Part(
        needs={
            "safety_margin": [
                Condition(lambda s: s.seconds is not None, "a budget of seconds")
            ],
        }
    ),
    Part(
        needs={
            "information": [
                Condition(lambda s: s.determinizations == 1, "determinizations 1"),
                one_of("loop", "open", "closed"),
            ],
            "score_bonus": [_NOT_PYTHON],
            "score_bonus_by": [_NOT_PYTHON],
            "action_heuristic_interval": [
                Condition(
                    lambda s: s.loop == "open" or s.action_heuristic == "mast",
                    "loop open or action_heuristic mast",
                )
            ],
        },
        check=_check_worlds,
    ),
    Part(check=_check_final),
    Part(check=_check_counting),
    Part(
        needs={
            "combine": [
                Condition(lambda s: s.determinizations > 1, "determinizations above 1"),
                Condition(
                    lambda s: (s.final or ("sample" if _draws(s) else "")) != "sample",
                    "final visits or value",
                ),
            ],
        },
        check=_check_several,
    ),
)
ALL_PARTS = (*DRIVER_PARTS, *PARTS)

NEEDS: dict[str, list[Condition]] = {}
for _part in ALL_PARTS:
    for _name, _needs in _part.needs.items():
        NEEDS.setdefault(_name, []).extend(_needs)


def check_applicable(settings: Any, given: Any, model: ForwardModel) -> None:
    """Raise ValueError for the first option that cannot have its effect.

    Args:
        settings: `SearchSettings` with the game's choices filled in.
        given: The same as the user gave them.
        model: The game.
    """
    defaults = type(settings)()
    for name, needs in NEEDS.items():
        value = getattr(given, name)
        if value is None or value is getattr(defaults, name):
            continue
        if isinstance(value, str | int | float) and value == getattr(defaults, name):
            continue
        if (name, value) == ("loop", "open"):  # what a choice left open is otherwise
            continue
        for condition in needs:
            if not condition.holds(settings):
                raise ValueError(
                    f"{name}={value!r} has an effect only with {condition.words}"
                )
    if given.evaluator is not None and given.value == "evaluate":
        raise ValueError(
            "value='evaluate': the evaluator values unfinished positions; use "
            "value='win', which gives finished positions the same values"
        )
    # First, since other parts ask the game what copies have no answer to.
    _check_copies(model, settings)
    for part in ALL_PARTS:
        _check_entries(part, settings, model)
    for part in ALL_PARTS:
        part.check(model, settings)


def _check_entries(part: Part, settings: Any, model: ForwardModel) -> None:
    """Refuse what the game's table has no function for."""
    words = {"evaluate": "evaluation function"}
    for entry in part.entries:
        asked = getattr(settings, entry.option)
        if isinstance(asked, str | bool) and asked == entry.value:
            if not model.has(entry.function):
                named = words.get(entry.function, f"function `{entry.function}`")
                instead = entry.instead
                raise ValueError(
                    f"{entry.option}={entry.value!r}: {model.name} has no {named}; "
                    f"{instead(model) if callable(instead) else instead}"
                )


def needed(name: str) -> tuple[Condition, ...]:
    """Return what an option takes to have an effect.

    Empty for an option that always has one.
    """
    return tuple(NEEDS.get(name, ()))
