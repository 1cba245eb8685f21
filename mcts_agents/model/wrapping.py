"""The source of what stands between a table of addresses and an author's functions.

Each function of a game becomes one that takes addresses, turns them into records and
arrays, and calls the author's; see `Rules` for what is compiled with it.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

import numpy as np
from numba import int64

from mcts_agents.model.contract import (
    ENTRIES,
    KINDS,
    LEGAL_ROOM,
    MAX_PLAYERS,
    POLICY,
    POLICY_BEGIN,
)


@dataclass(frozen=True)
class ScriptedPolicy:
    """A scripted policy: how it acts, and what it remembers of a game, if anything."""

    act: Callable
    memory: np.dtype | None = None
    begin: Callable | None = None

    @property
    def plain_begin(self) -> Callable | None:
        """`begin` before it was compiled, for compiled helpers serve too.

        Not kept instead of it: rules that hold a function by another name than its
        module's cannot be pickled.
        """
        return getattr(self.begin, "py_func", self.begin)

    @property
    def parameters(self) -> tuple[str, ...]:
        """What the author's function is called with."""
        remembers = ("memory",) if self.memory is not None else ()
        return ("game", "state", "player", *remembers, "rng")


# How each parameter reaches the author's function, inside the generated wrapper.
_VIEWS = {
    "game": "carray(as_pointer(game), 1, GAME)[0]",
    "state": "carray(as_pointer(state), 1, STATE)[0]",
    "rng": "carray(as_pointer(rng), 2, UINT64)",
    "joint_action": "carray(as_pointer(joint_action), variant.players, INT32)",
    "actions": "carray(as_pointer(actions), n, INT32)",
}
_MEMORY = "carray(as_pointer(memory), 1, MEMORY)[0]"
_OUTPUTS = {
    "legal_actions": "carray(as_pointer(out), variant.legal_limit, INT32)",
    "scores": "carray(as_pointer(out), variant.players, FLOAT64)",
    "results": "carray(as_pointer(out), variant.players, INT32)",
    "evaluate": "carray(as_pointer(out), variant.players, FLOAT64)",
    "observe": "carray(as_pointer(out), variant.observation_size, INT8)",
    "action_values": "carray(as_pointer(out), n, FLOAT64)",
    "playout_moves": "carray(as_pointer(out), limit, MOVE)",
    "playout_sets": "carray(as_pointer(out), variant.players * ((variant.actions + 63)"
    " >> 6), UINT64)",
    "outcomes": "carray(as_pointer(out), limit, FLOAT64)",
}
# Functions of the contract that return a number; the others return nothing.
RETURNS_NUMBER = {
    "movers",
    "legal_actions",
    "random_action",
    "playout",
    "state_key",
    "turn",
    "round",
    "filter_actions",
    "is_out",
    "nearest_opponent",
    "visible_action",
    "move_code",
    "playout_moves",
    "playout_sets",
    "outcomes",
}


COPY = """
@njit(int64(intp, intp, intp), cache=CACHE)
def copy(game, target, source):
    to = carray(as_pointer(target), 1, STATE)
    to[0] = carray(as_pointer(source), 1, STATE)[0]
    return 0
"""


# Uniform playouts of a game whose author wrote none: the author's own functions in one
# loop, so that the compiler can inline them (measured on Tic-Tac-Toe: five times the
# speed of stepping through the table).
_PLAYOUT = """
@njit(int64({kinds}), cache=CACHE)
def {name}({parameters}):
    variant = carray(as_pointer(game), 1, GAME)[0]
    record = carray(as_pointer(state), 1, STATE)[0]
    generator = carray(as_pointer(rng), 2, UINT64)
    joint_action = carray(stack_int32({max_players}), variant.players, INT32)
    {legal}
    {moves}
    played = 0
    while True:
        movers = author_movers(variant, record)
        count = 0
        rest = movers
        while rest:
            rest &= rest - 1
            count += 1
        if count == 0 or played + count > limit:
            return played
        for player in range(variant.players):
            if movers >> player & 1:
                {choose}
                {note}
                joint_action[player] = action
            else:
                joint_action[player] = -1
        author_apply(variant, record, joint_action, generator)
        played += count
"""

_NOTE = """moves[written].player = player
                moves[written].code = {code}
                written += 1"""


# An entry of `legal` that nobody wrote must not reach `apply`, which may index by it.
_CHOOSE = """n = author_legal_actions(variant, record, player, legal)
                if n <= 0 or n > variant.legal_limit:
                    raise RuntimeError({message})
                action = legal[random_below(generator, n)]"""
_NO_LEGAL_ACTION = (
    "a player who is to move has no legal action, or more than legal_limit; `movers` "
    "and `legal_actions` must agree"
)


def playout_source(
    name: str, functions: Collection[str], entry: str, *, own_codes: bool = False
) -> str:
    """Write a playout for compiled rules that have none of their own.

    Args:
        name: The game's name.
        functions: The names of the author's functions.
        entry: `playout`, or `playout_moves`, which records moves.
        own_codes: Whether codes of moves are a user's, which have no kinds.
    """
    moves = note = ""
    if entry == "playout_moves":
        moves = f"moves = {_OUTPUTS[entry]}\n    written = 0"
        code = "action"
        if "move_code" in functions:
            kind = "" if own_codes else ", kind"
            code = f"author_move_code(variant, record, player, action{kind})"
        note = _NOTE.format(code=code)
    if "random_action" in functions:
        legal = ""
        choose = "action = author_random_action(variant, record, player, generator)"
    else:
        legal = (
            "legal = numpy_empty(max(variant.legal_limit, "
            f"min(variant.actions, {LEGAL_ROOM})), INT32)"
        )
        choose = _CHOOSE.format(message=repr(f"{name}: {_NO_LEGAL_ACTION}"))
    parameters = ENTRIES[entry].parameters
    return _PLAYOUT.format(
        name=entry,
        kinds=_kinds(parameters),
        parameters=", ".join(parameters),
        max_players=MAX_PLAYERS,
        legal=legal,
        moves=moves,
        choose=choose,
        note=note,
    )


def _kinds(parameters: Iterable[str]) -> str:
    return ", ".join("int64" if KINDS[p] == int64 else "intp" for p in parameters)


def policy_source(policy: ScriptedPolicy) -> str:
    """Write the wrapper of a scripted policy."""
    kinds = ", ".join(str(KINDS[p]) for p in POLICY.parameters)
    views = {**_VIEWS, "game": "variant", "memory": _MEMORY}
    arguments = ", ".join(views.get(p, p) for p in policy.parameters)
    return (
        f"\n@njit(int64({kinds}), cache=CACHE)\n"
        f"def act({', '.join(POLICY.parameters)}):\n"
        f"    variant = {_VIEWS['game']}\n"
        f"    return author_act({arguments}) | 0\n"  # see `wrapper_source`
    )


def begin_source() -> str:
    """Write the wrapper of what makes a policy's memory that of a new game."""
    kinds = ", ".join(str(KINDS[p]) for p in POLICY_BEGIN.parameters)
    return (
        f"\n@njit(int64({kinds}), cache=CACHE)\n"
        f"def begin({', '.join(POLICY_BEGIN.parameters)}):\n"
        # One that always raises returns nothing, of which Numba makes no function.
        "    if memory == 0:\n        return 0\n"
        f"    author_begin({_MEMORY}, {_VIEWS['rng']})\n"
        "    return 0\n"
    )


def wrapper_source(name: str, taken: Iterable[str] | None = None) -> str:
    """Write the function that turns addresses into records and calls the author's.

    Args:
        name: The function of the contract.
        taken: Those of its parameters that the author's function has; None: all.
    """
    parameters = ENTRIES[name].parameters
    arguments = []
    for parameter in parameters if taken is None else taken:
        if parameter == "game":
            arguments.append("variant")
        elif parameter == "out":
            arguments.append(_OUTPUTS[name])
        else:
            arguments.append(_VIEWS.get(parameter, parameter))
    call = f"author_{name}({', '.join(arguments)})"
    # `| 0` refuses fractions, which the conversion to int64 would cut.
    returns = name in RETURNS_NUMBER
    body = f"    return {call} | 0" if returns else f"    {call}\n    return 0"
    return (
        f"\n@njit(int64({_kinds(parameters)}), cache=CACHE)\n"
        f"def {name}({', '.join(parameters)}):\n"
        f"    variant = {_VIEWS['game']}\n{body}\n"
    )
