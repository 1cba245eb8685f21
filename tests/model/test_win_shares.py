"""Shares of a win: by seat, and as an observer lists the teams."""

import numpy as np
import pytest

from mcts_agents.model import DRAWN, LOST, WON
from mcts_agents.model.win_shares import (
    result_shares,
    shares_by_player,
    shares_by_team,
    team_places,
)

TEAMS = [(0,), (0, 1), (1, 0), (0, 1, 2), (0, 1, 0, 1), (0, 0, 1, 2), (2, 0, 1, 0, 2)]


def places_by_hand(teams, observer):
    """For each player the number of teams that are met before its own."""
    turn_order = [*range(observer, len(teams)), *range(observer)]
    met = list(dict.fromkeys(teams[player] for player in turn_order))
    return [met.index(team) for team in teams]


@pytest.mark.parametrize("teams", TEAMS)
def test_places_of_teams(teams):
    places = team_places(teams)
    for observer in range(len(teams)):
        assert places[observer].tolist() == places_by_hand(teams, observer)
        assert places[observer, observer] == 0


def test_places_that_the_documentation_names():
    assert team_places((0, 1, 0, 1))[0].tolist() == [0, 1, 0, 1]
    assert team_places((0, 1, 2))[1].tolist() == [2, 0, 1]


@pytest.mark.parametrize("teams", TEAMS)
def test_there_and_back(teams):
    draw = np.random.default_rng(0)
    of_teams = draw.dirichlet(np.ones(len(set(teams))), 20).astype(np.float32)
    by_player = of_teams[:, teams]
    observers = draw.integers(0, len(teams), 20)
    lists = shares_by_team(by_player, observers, teams)
    assert lists.dtype == np.float32 and lists.shape == of_teams.shape
    np.testing.assert_array_equal(lists[:, 0], by_player[np.arange(20), observers])
    np.testing.assert_array_equal(shares_by_player(lists, observers, teams), by_player)


@pytest.mark.parametrize(
    ("teams", "results", "expected"),
    [
        ((0, 1), (WON, LOST), (1, 0)),
        ((0, 1), (DRAWN, DRAWN), (1 / 2, 1 / 2)),
        ((0, 1, 2), (DRAWN, LOST, DRAWN), (1 / 2, 0, 1 / 2)),
        ((0, 1, 2), (LOST, LOST, LOST), (1 / 3, 1 / 3, 1 / 3)),
        ((0, 1, 2, 3), (WON, LOST, WON, LOST), (1 / 2, 0, 1 / 2, 0)),
        ((0, 1, 0, 1), (WON, LOST, WON, LOST), (1, 0, 1, 0)),
        ((0, 1, 0, 1), (DRAWN,) * 4, (1 / 2,) * 4),
        ((0,), (LOST,), (1,)),
    ],
)
def test_shares_of_results(teams, results, expected):
    found = result_shares(np.array(results, np.int32), teams)
    np.testing.assert_array_equal(found, expected)
    assert sum(dict(zip(teams, found, strict=True)).values()) == pytest.approx(1)
