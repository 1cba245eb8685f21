"""Fixtures that several files of the arena share."""

import pytest

from tests.arena.playing import GAMES, Here, run


@pytest.fixture(scope="session")
def expected(tmp_path_factory):
    """The rows of the tournament, played in one process."""
    found = run(tmp_path_factory.mktemp("expected") / "s.db", Here())
    assert [row["number"] for row in found[:GAMES]] == list(range(1, GAMES + 1))
    assert len(found) == GAMES + 6 * 2 + 6 * 2 + 6 * 4
    assert len({row["moves"] for row in found[:GAMES]}) == GAMES
    return found
