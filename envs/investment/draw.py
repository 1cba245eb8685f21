"""The Investment Pair Game as text and as a picture: the teams, pair by pair."""

from typing import Any

import numpy as np

from mcts_agents.envs.investment.notation import format_action, pairs_of
from mcts_agents.envs.lineup import (
    MARKS,
    NAMES,
    RADIUS,
    Lineup,
    paint_cells,
    paint_chip,
    paint_move,
    paint_next,
    paint_status,
    paint_unit,
)
from mcts_agents.envs.painting import (
    BACKGROUND,
    HIGHLIGHT,
    MUTED,
    PANEL,
    PLAYER_COLORS,
    Color,
    Point,
    lighter,
    mixed,
    polygon,
)
from mcts_agents.envs.regions import Rectangle, Region, legal_actions
from mcts_agents.model import DRAWN, WON, ForwardModel

GOLD: Color = (244, 196, 48)
GOAL = 3


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the wealth of all agents.

    Agents who have won their pair are `W`, those who have lost it `-`; `*` is before
    the next one to give.
    """
    pairs = pairs_of(model)
    lines = ["  " + "".join(f"{pair + 1:4d}" for pair in range(pairs))]
    wealth, giver = wealths(model, state), _next(model, state)
    for team in range(model.players):
        cells = []
        for pair in range(pairs):
            shown = str(wealth[team][pair])
            winner = winner_of(wealth, pair)
            if winner is not None:
                shown = "W" if winner == team else "-"
            sign = "*" if (team, pair) == giver else ""
            cells.append(f"{sign}{shown}".rjust(4))
        lines.append(f"{MARKS[team]} {''.join(cells)}")
    return "\n".join([*lines, _status(model, state)])


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    return _lineup(model).size


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw all agents with their wealth; winners have a crown, losers are pale."""
    surface.fill(BACKGROUND)
    lineup, record = _lineup(model), model.view(state)
    paint_cells(surface, lineup)
    if record["last"] >= 0:
        actor, target = (_place(model, record[name]) for name in ("last", "target"))
        paint_move(surface, lineup, actor, target)
    wealth, counts = wealths(model, state), model.scores(state)
    for team in range(model.players):
        for pair in range(pairs_of(model)):
            _paint_agent(surface, lineup.center(team, pair), wealth, team, pair)
            if (team, pair) == _next(model, state):
                paint_next(surface, lineup.center(team, pair))
            if wealth[team][pair] == GOAL:
                _paint_crown(surface, lineup.center(team, pair))
        words = f"{MARKS[team]}   {_pairs(int(counts[team]))} won"
        framed = team in model.movers(state)
        paint_chip(surface, lineup.chip(team), team, words, framed)
    paint_status(surface, lineup.size, _status(model, state))


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return the cells of the agents to whom a team may give."""
    lineup = _lineup(model)
    return [
        Region(
            action,
            Rectangle(*lineup.box(player, action)),
            format_action(model, action),
        )
        for action in legal_actions(model, state, player)
    ]


def wealths(model: ForwardModel, state: np.ndarray) -> list[list[int]]:
    """Return the wealth of all agents, a list for each team."""
    record, players = model.view(state), model.players
    ones, twos = int(record["ones"]), int(record["twos"])
    wealth = [
        (ones >> slot & 1) + 2 * (twos >> slot & 1)
        for slot in range(players * pairs_of(model))
    ]
    return [wealth[team::players] for team in range(players)]


def winner_of(wealth: list[list[int]], pair: int) -> int | None:
    """Return the team that has won a pair, None as long as it is undecided."""
    for team, agents in enumerate(wealth):
        if agents[pair] == GOAL:
            return team
    return None


def _lineup(model: ForwardModel) -> Lineup:
    return Lineup(model.players, pairs_of(model))


def _place(model: ForwardModel, slot: int) -> tuple[int, int]:
    """Return team and agent of a slot."""
    agent, team = divmod(int(slot), model.players)
    return team, agent


def _next(model: ForwardModel, state: np.ndarray) -> tuple[int, int]:
    """Return team and agent that give next, (-1, -1) at the end of the game."""
    if model.is_over(state):
        return -1, -1
    return _place(model, model.view(state)["slot"])


def _paint_agent(
    surface: Any, center: Point, wealth: list[list[int]], team: int, pair: int
) -> None:
    color, gold = PLAYER_COLORS[team], GOLD
    winner = winner_of(wealth, pair)
    if winner not in (None, team):
        color, gold = mixed(PANEL, MUTED, 0.45), lighter(GOLD, 0.6)
    paint_unit(surface, center, color, str(pair + 1), wealth[team][pair], gold)


def _paint_crown(surface: Any, center: Point) -> None:
    x, y = center[0], center[1] - RADIUS + 4
    outline = ((-13, 0), (-15, -13), (-6, -7), (0, -16), (6, -7), (15, -13), (13, 0))
    polygon(surface, [(x + a, y + b) for a, b in outline], GOLD, HIGHLIGHT, 1.5)


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count} pairs"


def _status(model: ForwardModel, state: np.ndarray) -> str:
    if model.is_over(state):
        results = model.results(state).tolist()
        if WON in results:
            winner = results.index(WON)
            won = _pairs(int(model.scores(state)[winner]))
            return f"{NAMES[winner]} ({MARKS[winner]}) wins with {won}"
        tied = [NAMES[team] for team, result in enumerate(results) if result == DRAWN]
        return f"{', '.join(tied[:-1])} and {tied[-1]} draw"
    record, done = model.view(state), ""
    if record["last"] >= 0:
        giver, target = (
            f"{MARKS[team]}{agent + 1}"
            for team, agent in (_place(model, record[k]) for k in ("last", "target"))
        )
        done = f"{giver} gave to {target}, "
    team, agent = _next(model, state)
    return f"{done}{MARKS[team]}{agent + 1} ({NAMES[team]}) to give"
