"""The words in TAG's JSON files of MCTS parameters, and their equivalents here.

Keys and words are compared without case and underscores, since TAG's own files spell
them in several ways.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from mcts_agents.search import SearchSettings
from mcts_agents.search.options.option import option_of


def plain(text: object) -> str:
    """Return a key or a word of TAG without case, underscores and hyphens."""
    return str(text).lower().replace("_", "").replace("-", "")


# TAG's numbers and switches that are a setting here as they stand.
SAME: dict[str, str] = {
    plain(option_of(f).tag): f.name
    for f in fields(SearchSettings)
    if option_of(f).tag and option_of(f).kind is not str
    # Those that `tag_json` translates.
    if f.name not in ("simulations", "seconds", "forward_model_calls", "safety_margin")
    and f.name not in ("prior_temperature", "first_play_urgency", "graph")
}

TREES: dict[str, dict[str, Any]] = {
    "onetree": {},
    "maxn": {},
    "paranoid": {"paranoid": True},
    "selfonly": {"tree": "self"},
    "multitree": {"tree": "multi"},
    "multitreeparanoid": {"tree": "multi", "paranoid": True},
    "oma": {"abstraction": "own", "abstraction_context": "last"},
    "omaall": {"abstraction": "all", "abstraction_context": "last"},
    "mcgs": {"graph": True},
    "mcgsselfonly": {"graph": True, "tree": "self"},
}
INFORMATION: dict[str, dict[str, Any]] = {
    "informationset": {},
    "openloop": {"information": "perfect"},
    "closedloop": {"loop": "closed"},
}
TREE_POLICIES: dict[str, dict[str, Any]] = {
    "ucb": {},
    "ucbtuned": {"tree_policy": "ucb_tuned"},
    "alphago": {"tree_policy": "alphago"},
    # TAG's EXP3 is a softmax over mean values.
    "exp3": {"tree_policy": "exp3_boltzmann"},
    "regretmatching": {"tree_policy": "regret_matching"},
    "noaveragingrm": {"tree_policy": "regret_matching"},
    "uniform": {"tree_policy": "uniform"},
    "greedy": {"tree_policy": "epsilon_greedy"},
}
FINALS = {"simple": {"final": "value"}, "robust": {"final": "visits"}}
ROLLOUT_ENDS = {
    "exact": {},
    "default": {},
    "endaction": {"rollout_end": "action"},
    "startaction": {"rollout_end": "start"},
    "endturn": {"rollout_end": "turn"},
    "endround": {"rollout_end": "round"},
}
BACKUPS = {
    "montecarlo": {},
    "lambda": {"backup": "lambda"},
    "maxlambda": {"backup": "max_lambda"},
    "maxmc": {"backup": "max_mc"},
}
MAST = {
    "none": {},
    "tree": {"mast": "tree"},
    "rollout": {"mast": "rollout"},
    "both": {"mast": "both"},
}
COMBINE = {
    "averagevalue": {},
    "totalvisits": {"combine": "visits"},
    "singlevote": {"combine": "vote"},
}

# Parameters that are one word of a few.
WORDS: dict[str, Mapping[str, Mapping[str, Any]]] = {
    "opponenttreepolicy": TREES,
    "information": INFORMATION,
    "treepolicy": TREE_POLICIES,
    "selectionpolicy": FINALS,
    "rollouttermination": ROLLOUT_ENDS,
    "backuppolicy": BACKUPS,
    "mast": MAST,
    "perfectinformationpolicy": COMBINE,
}

# TAG multiplies the score by 1.5 or 0.5, negative ones too.
_SCORE_PLUS = {"value": "score", "score_bonus": 0.5, "score_bonus_by": "tag"}
# Leaf heuristics, by the last part of the class's name, or by `heuristicType`.
HEURISTICS: dict[str, dict[str, Any]] = {
    "winonlyheuristic": {"value": "win"},
    "winonly": {"value": "win"},
    "scoreheuristic": _SCORE_PLUS,
    "scoreplus": _SCORE_PLUS,
    "purescoreheuristic": {"value": "score", "score_bonus": 0.0},
    "scoreonly": {"value": "score", "score_bonus": 0.0},
    "leaderheuristic": {"value": "leader"},
    "leader": {"value": "leader"},
    "gamedefaultheuristic": {},
}

# Players that are agents here, by the last part of the class's name.
PLAYERS = {
    "mctsparams": "mcts",
    "mctsplayer": "mcts",
    "oslaplayer": "one-step",
    "oslaparameters": "one-step",
    "randomplayer": "random",
}

# Parameters without a counterpart that change nothing as long as they have one of
# these values. None: whatever their value.
WITHOUT_EFFECT: dict[str, tuple[Any, ...] | None] = {
    "resetseedeachgame": (False,),
    "epsilon": (1e-6,),
    "noiseepsilon": (1e-6,),
    "actionspacestructure": ("Default",),
    "actionspaceflexibility": ("Default",),
    "actionspacecontext": ("Default",),
    "actionrestriction": (None, ""),
    "comms": (None, ""),
    "mastactionkey": (None, ""),
    "maintainmasterstate": (False,),
    "discardstateaftereachiteration": None,
    "useactionheuristicformoveordering": None,
    "rolloutincrementtype": ("TICK",),
    "expansionpolicy": ("RANDOM",),
    "instantiationclass": ("players.mcts.MCTSPlayer",),
    "biasvisits": (0,),
}

# Parameters that `tag_json` has a function for.
SPECIAL = (
    "class", "budget", "budgettype", "breakms", "fpu", "puct", "pucttemperature",
    "heuristic", "actionheuristic", "usemastasactionheuristic", "rollouttype",
    "rolloutclass", "rolloutpolicyparams", "oppmodeltype", "oppmodelclass",
    "opponentmodelparams", "opponentmodel", "mcgsstatekey", "randomseed",
)  # fmt: skip

KNOWN = {*SAME, *WORDS, *WITHOUT_EFFECT, *SPECIAL}
