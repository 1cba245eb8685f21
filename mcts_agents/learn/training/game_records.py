"""The records of games that are played side by side, each by one search of a fleet."""

import numpy as np

# What a game does: somebody is to decide; its search goes on; it is over; it is over
# and no other game follows.
DECIDING, SEARCHING, OVER, DONE = range(4)

# One game.
SEAT = np.dtype(
    [
        ("number", np.int64),
        ("status", np.int64),
        ("undecided", np.int64),  # bit mask of movers who have not decided yet
        ("player", np.int64),  # who decides
        ("ply", np.int64),  # joint actions so far
        ("rows", np.int64),  # decisions so far
        ("random_plies", np.int64),  # the first so many are played at random
        ("learners", np.int64),  # bit mask of players who search
        # addresses
        ("state", np.intp),
        ("known", np.intp),  # what the player who decides may know: the search's root
        ("joint_action", np.intp),  # int32[players]
        ("shares", np.intp),  # float64[players]: of the win, once it is over
        ("dice", np.intp),  # uint64[2]: the game's generator
        ("rng", np.intp),  # uint64[2]: the searches' generator
        ("opponents_rng", np.intp),  # uint64[2]: the opponents' generator
        ("memories", np.intp),  # what opponents remember, one after the other
    ],
    align=True,
)

# Decisions are columns, `capacity` rows a game: name, dtype, and the field of PLAY that
# says how many numbers a row has.
COLUMNS = (
    ("observation", np.int8, "observation_size"),
    ("legal", np.bool_, "actions"),
    ("policy", np.float32, "actions"),
    ("value", np.float32, "one"),
    ("action", np.int32, "one"),
    ("player", np.int8, "one"),
    ("ply", np.int32, "one"),
)

# All games.
PLAY = np.dtype(
    [
        # what `model/calls.py` asks for
        ("table", np.intp),
        ("game", np.intp),
        ("state", np.intp),
        ("rng", np.intp),
        ("error", np.intp),
        ("legal", np.intp),
        ("joint_action", np.intp),
        ("results", np.intp),
        ("root_player", np.int64),
        ("players", np.int64),
        # what opponents follow: two addresses; and the size of a player's memory
        ("policies", np.intp),
        ("policy_bytes", np.int64),
        ("policy_memories", np.intp),
        # what `games.write_shares` asks for
        ("teams", np.intp),
        ("team_count", np.int64),
        # asked
        ("actions", np.int64),
        ("legal_limit", np.int64),
        ("observation_size", np.int64),
        ("one", np.int64),
        ("filtered", np.int64),  # searches choose among what the game's filter keeps
        ("hidden", np.int64),  # players may not know everything
        ("by_value", np.int64),  # moves are chosen by value before visits
        ("sampled", np.int64),  # moves and policies are those of Gumbel
        ("gumbel_visits", np.float64),
        ("gumbel_scale", np.float64),
        ("explore_moves", np.int64),
        ("temperature", np.float64),
        ("blanks", np.intp),  # see `Fleet.blanks`
        # used
        ("next", np.int64),  # the game to go on with
        ("decisions", np.int64),  # made so far, in all games
        ("wrong_action", np.int64),  # of an opponent, after BAD_POLICY
        ("capacity", np.int64),
        *((f"{name}_column", np.intp) for name, _, _ in COLUMNS),
    ],
    align=True,
)
