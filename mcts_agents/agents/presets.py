"""Presets: algorithms from the literature as named, complete settings of an agent.

Most are settings of `mcts`, some of the minimax family.

A preset's name is a spec, and its options can be overridden as those of an agent:
`multitree:simulations=200`. The budget is the user's.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_MULTITREE = "Goodman, Perez-Liebana, Lucas, CoG 2022"
_OMA = "Baier, Kaisers, CoG 2020"
_LISY = "Lisy, Acta Polytechnica 54, 2014"
_ISMCTS = "Cowling, Powley, Whitehouse 2012"
_WEIL = "Weil et al. 2023"


@dataclass(frozen=True)
class Preset:
    """Named settings of an agent.

    Attributes:
        about: What it is, in one line.
        source: Where it comes from.
        options: The settings that differ from their defaults.
        functions: Functions of the forward model that a game must have.
        functions_if_hidden: Those that it must have if anything is hidden.
        hidden: Whether it is only for games in which something is hidden.
        functions_for_many: Those that it must have for three players or more.
        copies: Whether it plans in third-party environments too, on copies.
        agent: The kind of agent whose settings these are.
        chance: Whether it takes games in which chance intervenes.
    """

    about: str
    source: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    functions: tuple[str, ...] = ()
    functions_if_hidden: tuple[str, ...] = ()
    hidden: bool = False
    functions_for_many: tuple[str, ...] = ()
    copies: bool = True
    agent: str = "mcts"
    chance: bool = True

    def mapping(self) -> dict[str, Any]:
        """Return the preset as an agent's mapping."""
        return {"agent": self.agent, **self.options}


# The searches of the OMA paper make no rollouts. What it tunes for each game (the
# exploration factor k, e, W and B) it does not print.
_NO_ROLLOUTS = {"rollout": 0, "value": "evaluate"}
_WIDENING = {"action_heuristic": "game", "widening": 1.0}


def _static(agent: str, about: str, functions: tuple[str, ...] = ()) -> Preset:
    return Preset(
        about,
        _OMA,
        {"killers": False, "history": False, "table": 0},
        functions_for_many=functions,
        copies=not functions,
        agent=agent,
        chance=False,
    )


def _quadrant(information: str, rollout: int) -> Preset:
    hidden = {"set": "information sets", "perfect": "one determinization"}
    length = f"rollout {rollout}" if rollout else "no rollout"
    return Preset(
        f"TAG's quadrant: {hidden[information]}, {length}.",
        _MULTITREE,
        {
            "information": information,
            "rollout": rollout,
            "max_depth": 30,
            "exploration": math.sqrt(2.0),
        },
        hidden=information == "perfect",
        copies=information != "perfect",
    )


PRESETS: dict[str, Preset] = {
    "maxn": Preset(
        "One tree; each player maximises its own value.", "Luckhardt, Irani 1986"
    ),
    "paranoid": Preset(
        "One tree; all opponents play against the agent.",
        "Sturtevant, Korf 2000",
        {"paranoid": True},
    ),
    "self-only": Preset(
        "A tree of the agent's own decisions only.",
        _MULTITREE,
        {"tree": "self"},
    ),
    "multitree": Preset(
        "A tree for each player (MultiTree MCTS).", _MULTITREE, {"tree": "multi"}
    ),
    "multitree-paranoid": Preset(
        "A tree for each player; all opponents are hostile.",
        _MULTITREE,
        {"tree": "multi", "paranoid": True},
    ),
    "oma": Preset(
        "Opponent move abstraction (MCTS-OMA).",
        _OMA,
        {"abstraction": "all", **_NO_ROLLOUTS},
        ("evaluate",),
        copies=False,
    ),
    "oma-pw": Preset(
        "MCTS-OMA with progressive widening (MCTS-OMA-PW).",
        _OMA,
        {"abstraction": "all", **_NO_ROLLOUTS, **_WIDENING},
        ("evaluate", "action_values"),
        copies=False,
    ),
    "pw": Preset(
        "Progressive widening alone (MCTS-PW).",
        _OMA,
        {**_NO_ROLLOUTS, **_WIDENING},
        ("evaluate", "action_values"),
        copies=False,
    ),
    "tag-oma": Preset(
        "TAG's abstraction, since the agent's last move.",
        f"TAG; after {_OMA}",
        {"abstraction": "own", "abstraction_context": "last"},
    ),
    "tag-oma-all": Preset(
        "TAG's abstraction at every player's nodes.",
        f"TAG; after {_OMA}",
        {"abstraction": "all", "abstraction_context": "last"},
    ),
    "mcgs": Preset(
        "One graph; equal positions share a node.",
        "TAG",
        {"graph": True},
        ("state_key",),
        copies=False,
    ),
    "mcgs-self-only": Preset(
        "One graph of the agent's own decisions only.",
        "TAG",
        {"graph": True, "tree": "self"},
        ("state_key",),
        copies=False,
    ),
    "mo-ismcts": Preset(
        "Information sets as each player sees them.",
        _ISMCTS,
        {"tree": "observers"},
        functions_if_hidden=("visible_action",),
    ),
    "ismcts": Preset(
        "Information sets as the agent sees them, as maxn.",
        _ISMCTS,
        {"information": "set"},
    ),
    "pimc": Preset(
        "Ten determinizations, one tree each, averaged.",
        "Ginsberg, JAIR 14, 2001; Long et al., AAAI 2010",
        {"determinizations": 10, "final": "value"},
        hidden=True,
        copies=False,
    ),
    "sp-mcts": Preset(
        "Own moves, replies by a model; same as self-only.",
        _WEIL,
        {"tree": "self"},
    ),
    "tp-mcts": Preset(
        "Own move, one opponent's, a model for the others.",
        _WEIL,
        {
            "tree": "pair",
            "paranoid": True,
            "simultaneous": "serialised",
        },
    ),
    "decoupled-regret-matching": Preset(
        "Regret matching for each; plays its average.",
        _LISY,
        {"tree_policy": "regret_matching"},
    ),
    "decoupled-exp3": Preset(
        "EXP3 for each player; plays its average strategy.",
        f"Auer et al. 2002; {_LISY}",
        {"tree_policy": "exp3"},
    ),
    "is-mcts-0": _quadrant("set", 0),
    "is-mcts-30": _quadrant("set", 30),
    "pi-mcts-0": _quadrant("perfect", 0),
    "pi-mcts-30": _quadrant("perfect", 30),
    "paranoid-static": _static(
        "paranoid-alphabeta", "Paranoid alpha-beta, static move ordering only."
    ),
    "brs-plus-static": _static(
        "brs-plus", "BRS+ with static move ordering only.", ("action_values",)
    ),
}
