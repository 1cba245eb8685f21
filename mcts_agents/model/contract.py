"""The one contract between games and searches: the table of a forward model.

Every function is called with addresses (`intp`) and integers and returns an int64.
The first argument is always the address of the variant's read-only record (`game`).
Rules never see addresses: `Rules` wraps the author's functions, whose parameters
arrive as the records and arrays that it lists.
"""

from dataclasses import dataclass

import numpy as np
from numba import int64, intp

# What `results` writes for each player.
PLAYING, WON, DRAWN, LOST = 0, 1, 2, 3
RESULT_NAMES = ("playing", "won", "drawn", "lost")

# Kinds of codes of moves, as `move_code` gives them: one to one with moves; only what
# matters most of a move; or something in between, if a game has such codes.
MOVE_CODES = ("exact", "abstract", "specific")

# A move, as `playout_moves` writes it: who made it, and its code.
MOVE = np.dtype([("player", np.int64), ("code", np.int64)])

# `movers` is a bit mask in an int64.
MAX_PLAYERS = 62


@dataclass(frozen=True)
class Entry:
    """One function of the table: what it is called with and what it is for."""

    parameters: tuple[str, ...]
    purpose: str
    required: bool = False

    @property
    def signature(self):
        """The compiled signature: addresses are intp, players and actions int64."""
        return int64(*(KINDS[name] for name in self.parameters))


# How each parameter travels; players, actions and limits are int64.
KINDS = {
    "game": intp,
    "state": intp,
    "target": intp,
    "source": intp,
    "rng": intp,
    "joint_action": intp,
    "actions": intp,
    "out": intp,
    "memory": intp,
    "player": int64,
    "actor": int64,
    "observer": int64,
    "n": int64,
    "limit": int64,
    "action": int64,
    "kind": int64,
    "outcome": int64,
}

ENTRIES: dict[str, Entry] = {
    "reset": Entry(
        ("game", "state", "rng"),
        "write the opening position into `state`, chance included",
        required=True,
    ),
    "movers": Entry(
        ("game", "state"),
        "return the bit mask of the players who decide now, 0 when the game is over",
        required=True,
    ),
    "legal_actions": Entry(
        ("game", "state", "player", "out"),
        "write the legal actions of `player` into `out`, return their number",
        required=True,
    ),
    "apply": Entry(
        ("game", "state", "joint_action", "rng"),
        "let every mover p play joint_action[p] at once; chance happens in here",
        required=True,
    ),
    "scores": Entry(
        ("game", "state", "out"),
        "write the score of each player so far into `out`; without this function the "
        "game has no points, and searches value positions by who wins",
    ),
    "results": Entry(
        ("game", "state", "out"),
        "write PLAYING, WON, DRAWN or LOST for each player into `out`",
        required=True,
    ),
    "redeterminise": Entry(
        ("game", "state", "observer", "rng"),
        "resample all that `observer` cannot know, consistently with what it has seen",
    ),
    "evaluate": Entry(
        ("game", "state", "out"),
        "write the value of an unfinished state for each player, on the scale 0 to 1",
    ),
    "observe": Entry(
        ("game", "state", "player", "out"),
        "write what `player` sees into `out`, which arrives filled with zeros",
    ),
    "random_action": Entry(
        ("game", "state", "player", "rng"),
        "return a uniformly random legal action of `player`",
    ),
    "playout": Entry(
        ("game", "state", "rng", "limit"),
        "play uniformly random moves to the end of the game or until `limit` actions "
        "were played, return how many were",
    ),
    # Written by the library for compiled rules: a copy of the bytes.
    "copy": Entry(("game", "target", "source"), "make `target` equal to `source`"),
    "action_values": Entry(
        ("game", "state", "player", "actions", "n", "out"),
        "write how good each of `player`'s `n` legal `actions` looks into `out`, on "
        "the scale 0 to 1",
    ),
    "state_key": Entry(
        ("game", "state", "observer"),
        "return an int64 hash of all that `observer` knows of the state, of the whole "
        "state for observer -1; equal for positions that a graph search may merge",
    ),
    "turn": Entry(
        ("game", "state"), "return the number of turns ended since the opening"
    ),
    "round": Entry(
        ("game", "state"), "return the number of rounds ended since the opening"
    ),
    "filter_actions": Entry(
        ("game", "state", "player", "actions", "n"),
        "move those of `player`'s `n` legal `actions` that are worth a search to the "
        "front, return their number, at least 1",
    ),
    "is_out": Entry(
        ("game", "state", "player"),
        "return 1 if `player` will never decide again, else 0",
    ),
    "nearest_opponent": Entry(
        ("game", "state", "player"),
        "return the opponent still in the game who is nearest to `player`, -1 for none",
    ),
    "visible_action": Entry(
        ("game", "state", "joint_action", "actor", "observer"),
        "return a code of what `observer` sees, when it is played in `state`, of "
        "`actor`'s part of `joint_action`: the action itself if it is public, "
        "otherwise a number that is no legal action and does not depend on what stays "
        "hidden",
    ),
    "move_code": Entry(
        ("game", "state", "player", "action", "kind"),
        "return the code, from 0, under which move statistics count `player`'s "
        "`action` in `state`; `kind` is an index into MOVE_CODES. Without this "
        "function the code is the action",
    ),
    "pass_turn": Entry(
        ("game", "state"),
        "skip the turn of the only player to move, even where the rules do not allow "
        "it, so that the next one is to move; for searches that let opponents pass",
    ),
    "outcomes": Entry(
        ("game", "state", "joint_action", "limit", "out"),
        "write the probability of each possible chance outcome when every mover p "
        "plays joint_action[p] into `out`, which has room for `limit` of them; return "
        "their number, at least 1",
    ),
    "apply_outcome": Entry(
        ("game", "state", "joint_action", "outcome"),
        "like `apply`, but with the chance outcome whose index in the list written by "
        "`outcomes` is `outcome`",
    ),
    # Written by the library for compiled rules that have none, when it is asked for.
    "playout_moves": Entry(
        ("game", "state", "rng", "limit", "kind", "out"),
        "like `playout`, but also write each move into `out` as a MOVE record, with "
        "its code of this `kind`; the move that ends the game is the last one; return "
        "how many were written",
    ),
    "playout_sets": Entry(
        ("game", "state", "rng", "limit", "out"),
        "like `playout_moves` in a game without `move_code`, but record each player's "
        "actions as a set of bits: `out` arrives filled with zeros and has a row of "
        "64-bit words for each player; each action sets bit `action & 63` of word "
        "`action >> 6` in the row of its player; return how many moves were made. Of "
        "`state` only `movers`, `results` and `scores` must be right then",
    ),
}

# A scripted policy. `memory` is its own record of one player, 0 if it has none.
POLICY = Entry(
    ("game", "state", "player", "memory", "rng"),
    "return the action of `player`, who may know what the state holds",
)
POLICY_BEGIN = Entry(
    ("memory", "rng"), "write the memory with which a policy begins a game"
)

REQUIRED = tuple(name for name, entry in ENTRIES.items() if entry.required)

# Row of each function in a model's table of addresses.
ROW = {name: row for row, name in enumerate(ENTRIES)}

# Lists of legal actions have room for this many at least, or for all of the game's if
# these are fewer: a list that is longer than `legal_limit` is then found by its length
# and overwrites nothing.
LEGAL_ROOM = 65_536

# The head of every variant's record; the author's own fields follow.
HEADER = [
    ("players", np.int64),
    ("actions", np.int64),
    ("legal_limit", np.int64),
    ("observation_size", np.int64),
]
