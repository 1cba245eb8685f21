"""What the records of a search say at the beginning of every decision."""

import numpy as np

from mcts_agents.model import ForwardModel
from mcts_agents.search import pair, rollout
from mcts_agents.search.memory import Memory, keeps_statistics
from mcts_agents.search.settings import SearchSettings

MEBIBYTE = 1 << 20

_ROLLOUT_ENDS = {
    "exact": rollout.EXACT,
    "action": rollout.END_ACTION,
    "start": rollout.START_ACTION,
    "turn": rollout.END_TURN,
    "round": rollout.END_ROUND,
}


def owners(model: ForwardModel, settings: SearchSettings, player: int) -> list[int]:
    """Return the players of each tree, as bit masks."""
    each = [1 << p for p in range(model.players)]
    return {
        "one": [sum(each)],
        "self": [1 << player],
        "pair": [1 << player],  # and one opponent, selected in each state
        "multi": each,
        "observers": each,
    }[settings.tree]


def tree_fields(
    model: ForwardModel, settings: SearchSettings
) -> dict[str, int | float]:
    """Return what the SEARCH record says of the game and of the trees."""
    trees = len(owners(model, settings, 0))
    everything = trees == 1 and settings.tree == "one"
    fixed_world = settings.information == "perfect" or settings.determinizations > 1
    stored = settings.loop != "open"
    serialised = settings.simultaneous == "serialised"
    information_set = model.hidden_information and not fixed_world and not stored
    determined = stored or (
        everything
        and not (model.chance or information_set or settings.graph or serialised)
    )
    return {
        "game": model.game_address,
        "error": model.error.ctypes.data,
        "players": model.players,
        "trees": trees,
        "edge_count": trees,
        "low": np.inf,
        "high": -np.inf,
        "legal_limit": model.legal_limit,
        "depth_limit": settings.max_depth,
        "paranoid": settings.paranoid,
        # Shares of a win mean the same to every player: one range serves all, and is
        # known sooner. Elsewhere scores of another scale would hide one's own.
        "own_ranges": settings.value != "win" or settings.paranoid,
        "information_set": information_set,
        "path_determined": determined,
        "listed": not determined or settings.widening > 0.0,
        "graph": settings.graph,
        "expand_after_clash": settings.expand_after_clash,
        "stored": stored,
        "observers": settings.tree == "observers",
        "serialised": serialised,
        "extended": is_extended(settings),
        "separate": settings.opponent_information == "separate",
        "has_visible_action": model.has("visible_action"),
        "state_size": model.state_size,
        "opponent": selection(model, settings),
        "has_is_out": model.has("is_out"),
        "ends_when_out": settings.tree in ("self", "pair") and model.has("is_out"),
        "filtered": settings.action_filter == "game",
    }


def selection(model: ForwardModel, settings: SearchSettings) -> int:
    """Return how the opponent is selected in whose name the tree decides too."""
    if settings.tree != "pair":
        return pair.NO_OPPONENT
    return pair.NEAREST if settings.opponent == "nearest" else pair.NEXT


def other_fields(
    model: ForwardModel,
    settings: SearchSettings,
    policy: list[int],
    heuristic: int,
    memory: Memory,
) -> dict[str, int | float]:
    """Return what the SEARCH record says of rollouts, values and statistics."""
    limit = settings.rollout * (model.players if settings.rollout_per_player else 1)
    notes = settings.mast in ("rollout", "both")
    plain = policy == [rollout.RANDOM, rollout.RANDOM] and not notes
    return {
        "rollout_limit": limit,
        "rollout_end": _ROLLOUT_ENDS[settings.rollout_end],
        "has_random_action": model.has("random_action"),
        "has_playout": model.has("playout")
        and plain
        and settings.rollout_end == "exact",
        "mast_tree": settings.mast in ("tree", "both"),
        "mast_rollout": notes,
        "mast_temperature": settings.mast_temperature,
        "mast_default": settings.mast_default,
        "solver": settings.solver,
        "needs_scores": settings.value in ("score", "leader"),
        "needs_evaluation": settings.value == "evaluate",
        "normalise": settings.normalise,
        "heuristic": heuristic,
        "recalculation": settings.action_heuristic_interval,
        "prior_temperature": np.inf
        if settings.prior_temperature is None
        else settings.prior_temperature,
        "widening": settings.widening,
        "widening_exponent": settings.widening_exponent,
        "keeps_statistics": keeps_statistics(settings),
        "updates": has_update(settings),
        "complex_backup": settings.backup != "monte_carlo",
        "memory_limit": (settings.memory or 0) * MEBIBYTE,
        "node_bytes": memory.node_bytes,
        "edge_bytes": memory.edge_bytes,
        "slot_size": memory.slot_size,
        "policy_bytes": memory.policy_bytes,
    }


def write_settings(
    settings: SearchSettings, arrays: dict[str, np.ndarray], logs: np.ndarray
) -> None:
    """Write the numbers that plug-ins read."""
    record = arrays["settings"]
    for name in (
        "exploration",
        "score_bonus",
        "epsilon",
        "temperature",
        "progressive_bias",
        "abstraction_visits",
        "backup_lambda",
        "backup_threshold",
        "initial_visits",
    ):
        record[name] = getattr(settings, name)
    urgency = settings.first_play_urgency
    record["first_play_urgency"] = np.inf if urgency is None else urgency
    record["use_prior"] = settings.prior_temperature is not None
    record["first_play_parent"] = settings.first_play_value == "parent"
    record["first_play_reduction"] = settings.first_play_reduction
    record["bonus_of_score"] = settings.score_bonus_by == "tag"
    record["ordered"] = settings.action_heuristic != "none"
    decision = arrays["decision"]
    decision["low"], decision["high"] = 0.0, 1.0
    decision["worst"] = 0.0
    decision["abstract_visits"] = 0
    decision["square_root_logs"] = logs.ctypes.data


def adds_to_index(settings: SearchSettings) -> bool:
    """Whether UCB1 needs more than its plain formula."""
    return (
        settings.first_play_urgency is not None
        or settings.action_heuristic != "none"
        or settings.abstraction != "none"
    )


def is_extended(settings: SearchSettings) -> bool:
    """Whether a search needs more than the plain kernel.

    One flag guards all that is not asked for most of the time: twenty tests an
    iteration that all fail cost a tenth of a search of Tic-Tac-Toe (measured).
    """
    return bool(
        keeps_statistics(settings)
        or settings.graph
        or settings.loop != "open"
        or settings.abstraction != "none"
        or settings.simultaneous == "serialised"
        or settings.tree in ("observers", "pair")
        or settings.opponent_information == "separate"
        or settings.rollout_end != "exact"
        or settings.mast != "none"
        or settings.memory is not None
    )


def has_update(settings: SearchSettings) -> bool:
    """Whether the tree policy learns from an iteration by an update of its own."""
    return settings.tree_policy in ("exp3", "regret_matching")
