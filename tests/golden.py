"""Where recorded games of reference implementations lie, for the tests that need them.

They are looked for in the folder that `MCTS_AGENTS_GOLDEN` names, else beside the
checkout (`../shared/golden`). Tests that need them are skipped where they are absent.
"""

import gzip
import json
import os
from pathlib import Path

import pytest


def golden_folder(reference: str) -> Path:
    """Return the folder of one reference's recordings, or skip the calling test."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "golden"
    folder = Path(os.environ.get("MCTS_AGENTS_GOLDEN", beside)) / reference
    if not folder.is_dir():
        pytest.skip(f"no recorded games at {folder}; set MCTS_AGENTS_GOLDEN")
    return folder


def recorded_games(path: Path) -> tuple[dict, list[dict]]:
    """Return the header and the games of a recorded file of OpenSpiel games."""
    with gzip.open(path, "rt") as lines:
        header, *games = map(json.loads, lines)
    return header, games
