"""What went wrong in compiled code, as exceptions that say what to do."""

from mcts_agents.model import ForwardModel, GameError
from mcts_agents.model.failures import definition
from mcts_agents.search.kernel.root_policies import root_policy_of
from mcts_agents.search.kernel.status import (
    BAD_ACTION,
    BAD_CHOICE,
    BAD_MOVERS,
    BAD_POLICY,
    NOT_ANSWERED,
    NOT_FINITE,
    NOTHING_KEPT,
    ROLLOUT_TOO_LONG,
    ROOTS_APART,
)
from mcts_agents.search.kernel.tree_policies import tree_policy_of
from mcts_agents.search.options.settings import SearchSettings

# The functions of the game that are at fault, if there are no others.
_AT_FAULT = {
    NOTHING_KEPT: "filter_actions",
    BAD_MOVERS: "movers",
    NOT_FINITE: "scores",
}


def failure(status: int, model: ForwardModel, settings: SearchSettings) -> RuntimeError:
    """Return the exception for a status that ends a search; see `kernel/status.py`."""
    words = f"{model.name}: {_words(status, model, settings)}"
    if status in (ROLLOUT_TOO_LONG, BAD_CHOICE, ROOTS_APART):
        return RuntimeError(words)
    if status == BAD_POLICY:
        return GameError(words)
    if status == NOT_ANSWERED:
        return GameError(words)
    if status == NOT_FINITE and (model.has("evaluate") or model.has("action_values")):
        return GameError(words)
    place = definition(model, _AT_FAULT.get(status, "legal_actions"))
    return GameError(f"{words}{place}")


def _words(status: int, model: ForwardModel, settings: SearchSettings) -> str:
    if status == ROLLOUT_TOO_LONG:
        return (
            "a rollout is longer than mast can take in; shorten it by `rollout`, or "
            "use mast='tree'"
        )
    if status == ROOTS_APART:
        return (
            "opponent_information='separate' with an evaluator: where opponents move "
            "at the same time as the acting player, nearly every determinization "
            "would begin with an evaluation of roots of their own; use 'merged'"
        )
    if status == NOTHING_KEPT:
        return "`filter_actions` must return from 1 to as many actions as it was given"
    if status == BAD_CHOICE:
        policies = [f"tree_policy={tree_policy_of(settings.tree_policy).name!r}"]
        root_policy = root_policy_of(settings.root_policy)
        if root_policy.choose is not None:
            policies.append(f"root_policy={root_policy.name!r}")
        return (
            f"{' or '.join(policies)} did not return the index of one of the "
            "decision's candidates"
        )
    if status == BAD_ACTION:
        return (
            "`legal_actions` lists an action outside of 0 to "
            f"{model.actions - 1} (Spec.actions)"
        )
    if status == BAD_POLICY:
        names = [
            f"{name}={given!r}"
            for name in ("rollout_policy", "opponent_model")
            if (given := getattr(settings, name)) not in ("random", "mast", "evaluator")
        ]
        return (
            f"{' or '.join(names)} chose an action outside of 0 to {model.actions - 1}"
        )
    if status == NOT_ANSWERED:
        return (
            "opponent_model='evaluator': there is a position in which no player of the "
            "tree decides, and the evaluator is asked only where one does; use "
            "tree='pair', or another opponent_model"
        )
    if status == BAD_MOVERS:
        return (
            "`movers` returns a mask of other players than 0 to "
            f"{model.players - 1}; return one bit for each player who decides"
        )
    if status == NOT_FINITE:
        return (
            "a leaf's value, or an action's heuristic value, is infinite or NaN; "
            "what `scores`, `evaluate` and `action_values` write must be finite"
        )
    return (
        "a player who is to move has no legal action, or more than "
        f"legal_limit={model.legal_limit}; `movers` and `legal_actions` must agree"
    )
