"""Recorded games of Breakthrough; moves are those of `mcts_agents.envs.through`."""

import re
from collections.abc import Mapping


def recorded_variant(header: Mapping[str, object]) -> dict[str, object]:
    """Return the variant of a recorded file; ValueError if it is of another game."""
    name = str(header.get("openspiel"))
    if not re.match(r"breakthrough\b", name):
        raise ValueError(f"a record of {header.get('game')!r}, not of breakthrough")
    asked = {side: re.search(rf"{side}=(\d+)", name) for side in ("rows", "columns")}
    return {side: int(found[1]) for side, found in asked.items() if found}
