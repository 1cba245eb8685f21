"""Nothing is lost in random games; `python -m tests.envs.soak` plays many more."""

import pytest

from tests.envs.soak import GAMES, soak


@pytest.mark.parametrize("game", GAMES)
def test_random_games_lose_nothing(game):
    assert soak(game, 2 * len(GAMES[game][1])) > 100
