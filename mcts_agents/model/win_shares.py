"""Shares of a win: who gets how much of it, by seat and as one player sees it.

A network values a position for the player who observes it. So its answer lists teams as
observations list players: the observer's own team first, then the teams of the next
players in turn order. Searches and results list players by seat. The functions here
translate.
"""

import functools
from collections.abc import Sequence

import numpy as np

from mcts_agents.model.contract import DRAWN, WON


@functools.cache  # it is asked for with every small batch of a network
def team_places(teams: tuple[int, ...]) -> np.ndarray:
    """Return where each observer finds each player's team.

    Args:
        teams: The team of each player, from 0.

    Returns:
        int64 of shape (players, players), by observer and player: 0 for the observer's
        own team, then 1, 2, ... in the order in which the players after the observer
        belong to them. So with the teams (0, 1, 0, 1) row 0 is (0, 1, 0, 1), and for
        three players without team mates row 1 is (2, 0, 1). Read-only.
    """
    players = len(teams)
    places = np.zeros((players, players), np.int64)
    for observer in range(players):
        seen: list[int] = []
        for distance in range(players):
            player = (observer + distance) % players
            if teams[player] not in seen:
                seen.append(teams[player])
            places[observer, player] = seen.index(teams[player])
    places.flags.writeable = False
    return places


def shares_by_player(
    shares: np.ndarray, observers: np.ndarray, teams: Sequence[int]
) -> np.ndarray:
    """Return what observers' lists of teams say of each player.

    Args:
        shares: A number for each team as the row's observer lists them, shape
            (rows, teams).
        observers: The observer of each row, shape (rows,).
        teams: The team of each player, from 0.

    Returns:
        Shape (rows, players), by seat. Team mates have the same number.
    """
    return np.take_along_axis(shares, team_places(tuple(teams))[observers], axis=1)


def shares_by_team(
    shares: np.ndarray, observers: np.ndarray, teams: Sequence[int]
) -> np.ndarray:
    """Return what seats have as each row's observer lists the teams.

    It undoes `shares_by_player`.

    Args:
        shares: A number for each player, shape (rows, players), the same for team
            mates.
        observers: The observer of each row, shape (rows,).
        teams: The team of each player, from 0.

    Returns:
        Shape (rows, teams), the observer's own team first.
    """
    found = np.zeros((len(shares), len(set(teams))), shares.dtype)
    np.put_along_axis(found, team_places(tuple(teams))[observers], shares, axis=1)
    return found


def result_shares(results: np.ndarray, teams: Sequence[int]) -> np.ndarray:
    """Return each player's share of the win at the end of a game.

    Teams that won share it equally; if none did, those that drew do, as under
    `value=win`; if none did either, all teams.

    Args:
        results: WON, DRAWN or LOST for each player, shape (players,).
        teams: The team of each player, from 0.

    Returns:
        float64 of shape (players,). Team mates have the same share, and the shares of
        the teams sum to 1.
    """
    for result in (WON, DRAWN):
        sharing = np.asarray(results) == result
        if sharing.any():
            break
    else:
        sharing = np.ones(len(teams), bool)
    numbers = np.asarray(teams)
    winners = set(numbers[sharing].tolist())
    found: np.ndarray = np.isin(numbers, list(winners)) / len(winners)
    return found
