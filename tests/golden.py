"""Where recorded games of reference implementations lie, for the tests that need them.

`tests/recordings` holds a small set. The tests use a larger set where there is one: in
the folder that the environment variable `MCTS_AGENTS_GOLDEN` names, else beside the
checkout (`../shared/golden`).
"""

import gzip
import json
import os
from pathlib import Path

SMALL_SET = Path(__file__).resolve().parent / "recordings"

# What tests count in the small set; of the larger set each test says it itself.
IN_SMALL_SET = {
    "openspiel: games of tic_tac_toe": 16,
    "openspiel: games of hex_7x7": 17,
    "openspiel: games of hex_11x11": 24,
    "openspiel: games of hex_7x7_forced_b2": 17,
    "openspiel: games of hex_7x7_forced_c3": 16,
    "openspiel: games of connect_four": 15,
    "openspiel: games of othello": 13,
    "openspiel: games of breakthrough_6x5": 10,
    "openspiel: games of breakthrough_8x8": 16,
    "openspiel: games of gomoku_9x9": 8,
    "openspiel: games of gomoku_15x15": 9,
    "openspiel: games of nogo_5x5": 6,
    "openspiel: games of nogo_7x7": 8,
    "openspiel: games of nogo_9x9": 9,
    "openspiel: games of atarigo_6x6": 8,
    "openspiel: games of atarigo_7x7": 10,
    "openspiel: games of atarigo_9x9": 11,
    "openspiel: games of dots_and_boxes_2x2": 7,
    "openspiel: games of dots_and_boxes_3x4": 14,
    "openspiel: games of dots_and_boxes_5x7": 12,
    "openspiel: games of dots_and_boxes_6x6": 10,
    "openspiel: games of chinese_checkers_turns_2p": 8,
    "openspiel: games of chinese_checkers_turns_3p": 8,
    "openspiel: games of chinese_checkers_turns_4p": 6,
    "openspiel: games of chinese_checkers_turns_6p": 5,
    "tag: games of colt_express": 9,
    "tag: steps of colt_express": 1364,
    "tag: games of diamant": 28,
    "tag: steps of diamant": 588,
    "tag: games of dominion": 7,
    "tag: steps of dominion": 1705,
    "tag: games of exploding_kittens": 16,
    "tag: steps of exploding_kittens": 1098,
    "tag: games of love_letter": 15,
    "tag: steps of love_letter": 1800,
    "tag: games of poker": 13,
    "tag: steps of poker": 706,
    "tag: games of sushi_go": 33,
    "tag: steps of sushi_go": 834,
    "tag: games of sushi_go_published": 29,
    "tag: steps of sushi_go_published": 726,
    "tag: games of uno": 6,
    "tag: steps of uno": 681,
    "tag: games of virus": 5,
    "tag: steps of virus": 480,
    "pommerman: games of games": 22,
    "pommerman: games of midgame": 300,
    "pommerman: steps of games": 4444,
    "pommerman: steps of midgame": 1442,
    "pommerman: steps of game 0": 800,
    "pommerman: observed games": 22,
    "pommerman: observations": 372,
    "pommerman: messages heard": 25,
    "pommerman: filtered states": 507,
    "pommerman: states near fire": 373,
    "pommerman: states with fatal moves": 76,
}


def golden_folder(reference: str) -> Path:
    """Return the folder of one reference's recordings, of the larger set if present."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "golden"
    folder = Path(os.environ.get("MCTS_AGENTS_GOLDEN", beside)) / reference
    return folder if folder.is_dir() else SMALL_SET / reference


def is_small(reference: str) -> bool:
    """Whether the tests use the small set of one reference's recordings."""
    return golden_folder(reference).resolve() == SMALL_SET / reference


def exactly(what: str, in_larger_set: int) -> int:
    """Return what a test must count in the set in use, `"REFERENCE: WHAT"`."""
    return IN_SMALL_SET[what] if is_small(what.split(":")[0]) else in_larger_set


def are_enough(found: int, what: str, least_in_larger_set: int) -> bool:
    """Whether a test counted enough: in the small set, exactly what lies in it."""
    if is_small(what.split(":")[0]):
        return found == IN_SMALL_SET[what]
    return found >= least_in_larger_set


def recorded_games(path: Path) -> tuple[dict, list[dict]]:
    """Return the header and the games of a recorded file of OpenSpiel games."""
    with gzip.open(path, "rt") as lines:
        header, *games = map(json.loads, lines)
    return header, games
