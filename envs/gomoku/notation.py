"""Recorded games of Gomoku; cells are named as those of Hex."""

import re
from collections.abc import Mapping


def recorded_variant(header: Mapping[str, object]) -> dict[str, object]:
    """Return the variant of a recorded file; ValueError if it is of another game.

    OpenSpiel's `mnk` is this game on a square board on which five in a row win.
    """
    board = str(header.get("openspiel"))
    found = re.fullmatch(r"mnk\(m=(\d+),n=(\d+),k=5\)", board)
    if not found or found[1] != found[2]:
        raise ValueError(
            f"a record of {header.get('game')!r}, openspiel={board!r}, not of gomoku: "
            "expected mnk(m=SIZE,n=SIZE,k=5)"
        )
    return {"size": int(found[1])}
