"""What Sushi Go! pays at the end of a round and of the game, and how players rank."""

import numpy as np
from numba import njit

from mcts_agents.envs.sushi_go.cards import MAKI_1, MAKI_2, MAKI_3, PUDDING, count_of


@njit
def maki_icons(state, player):
    """Return the number of maki icons on a player's field."""
    field = state.fields[player]
    return (
        count_of(field, MAKI_1)
        + 2 * count_of(field, MAKI_2)
        + 3 * count_of(field, MAKI_3)
    )


@njit
def score_maki(game, state):
    """Most icons 6 points, second most 3, shared by the tied; no icons, no points."""
    most = second = tied_most = tied_second = 0
    for player in range(game.players):
        icons = maki_icons(state, player)
        if icons > most:
            second, tied_second = most, tied_most
            most, tied_most = icons, 1
        elif icons == most:
            tied_most += 1
        elif icons > second:
            second, tied_second = icons, 1
        elif icons == second:
            tied_second += 1
    if game.published and tied_most > 1:
        second = 0
    for player in range(game.players):
        icons = maki_icons(state, player)
        if icons == 0:
            continue
        if icons == most:
            state.scores[player] += 6 // tied_most
        elif icons == second:
            state.scores[player] += 3 // tied_second


@njit
def score_puddings(game, state):
    """Most puddings +6, fewest -6, shared by the tied; nothing if all have as many."""
    most, fewest, tied_most, tied_fewest = -1, 99, 0, 0
    for player in range(game.players):
        puddings = count_of(state.fields[player], PUDDING)
        if puddings > most:
            most, tied_most = puddings, 0
        if puddings < fewest:
            fewest, tied_fewest = puddings, 0
        tied_most += puddings == most
        tied_fewest += puddings == fewest
    if most == fewest:
        return
    for player in range(game.players):
        puddings = count_of(state.fields[player], PUDDING)
        if puddings == most:
            state.scores[player] += 6 // tied_most
        elif puddings == fewest and not (game.published and game.players == 2):
            state.scores[player] -= 6 // tied_fewest


@njit
def ranking(state, player):
    """Return points and puddings as one number to compare."""
    puddings = count_of(state.fields[player], PUDDING)
    return 16 * np.int64(state.scores[player]) + puddings
