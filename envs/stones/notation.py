"""Recorded games of Nogo and Atarigo; points are named as the cells of Hex."""

import re
from collections.abc import Mapping


def recorded_variant(name: str, header: Mapping[str, object]) -> dict[str, object]:
    """Return the variant of a recorded file; ValueError if it is of another game.

    OpenSpiel has neither game: the recordings are made with its Go.

    Args:
        name: The game's name.
        header: The first line of the file.
    """
    if header.get("game") != name:
        raise ValueError(f"a record of {header.get('game')!r}, not of {name}")
    board = str(header.get("openspiel"))
    found = re.search(r"\bgo\(board_size=(\d+)\)", board)
    if not found:
        raise ValueError(f"openspiel={board!r}: expected a size, go(board_size=5)")
    return {"size": int(found[1])}
