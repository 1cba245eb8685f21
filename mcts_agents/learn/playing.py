"""One game whose decisions are recorded."""

import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from mcts_agents.agents import Agent, Planner, agent_seed
from mcts_agents.arena.playing.fixtures import Fixture
from mcts_agents.arena.playing.tables import ChoiceError, EnvironmentTable, Table
from mcts_agents.envs import EnvironmentGame, environments, make_any
from mcts_agents.learn.dataset_columns import OBSERVED, Layout
from mcts_agents.model import draw_below, new_generator
from mcts_agents.model.actions import as_action
from mcts_agents.model.masks import space_without_mask
from mcts_agents.model.views import View
from mcts_agents.names import quoted
from mcts_agents.search import SearchResult

# Sets the generators that draw explored moves apart from those of the agents.
_EXPLORING = 1


@dataclass(frozen=True)
class GameRows:
    """The decisions of one game.

    Attributes:
        number: Number of the game.
        columns: The stored columns, see `Layout`.
    """

    number: int
    columns: dict[str, np.ndarray]


def places_of(number: int, agents: int, teams: Sequence[int]) -> list[int]:
    """Return which agent each player is in a game: agents take turns in the seats."""
    return [(number + team) % agents for team in teams]


def play_rows(fixture: Fixture, agents: int, explore_moves: int) -> GameRows:
    """Play a game and return its decisions.

    Agents are made anew, with seeds as in a tournament, so it does not matter which
    process plays the game, nor what that process played before.

    Args:
        fixture: The game.
        agents: How many agents take turns in the seats, see `places_of`.
        explore_moves: In the environment's first so many steps, moves of agents whose
            searches count visits are drawn in proportion to these.
    """
    game, model = make_any(fixture.setting.game, fixture.setting.players)
    if isinstance(game, EnvironmentGame):
        with closing(EnvironmentTable(game, model)) as table:
            return _rows_at(table, fixture, agents, explore_moves)
    env = environments(game)[2](**model.variant)
    model = env.forward_model
    layout = Layout(model.observation_shape, model.actions)
    players = range(model.players)
    seats = [
        entrant.make(agent_seed(fixture.seed, seat))
        for seat, entrant in enumerate(fixture.seats)
    ]
    for player, agent in enumerate(seats):
        agent.prepare(model, player)
    dice = [
        new_generator(np.random.SeedSequence([fixture.seed, player, _EXPLORING]))
        for player in players
    ]
    places = places_of(fixture.number, agents, model.teams)
    rows: list[dict[str, Any]] = []
    names = env.possible_agents
    seen, _ = env.reset(seed=fixture.seed)
    ply = 0
    while env.agents:
        joint_action = {}
        for player in players:
            name = names[player]
            if name not in env.agents or not seen[name]["action_mask"].any():
                continue
            mask = seen[name]["action_mask"]
            choice, result = decide(seats[player], env, name, mask)
            action = choice
            if result is not None and ply < explore_moves:
                action = _drawn(result, dice[player])
            joint_action[name] = action
            rows.append(
                {
                    "game": fixture.number,
                    "seed": fixture.seed,
                    "ply": ply,
                    "player": player,
                    "agent": places[player],
                    "action": action,
                    "choice": choice,
                    "value": math.nan if result is None else mean_value(result),
                    "observation": seen[name]["observation"],
                    **_searched(layout, seen[name]["action_mask"], choice, result),
                }
            )
        seen, _, _, _, _ = env.step(joint_action)
        ply += 1
    state = env.spectator_state()
    outcomes, scores = model.returns(state), model.scores(state)
    for row in rows:
        row["outcome"] = outcomes[row["player"]]
        row["score"] = scores[row["player"]]
    return GameRows(fixture.number, _columns(layout, rows))


class Observations:
    """What players of an environment observe, as datasets hold it.

    Observations that are arrays stay as they are, others are flattened as Gymnasium
    does it.

    Args:
        table: A table of an environment, at which a game has begun.

    Attributes:
        shape: Shape of an observation.
        dtype: Name of its NumPy type.

    Raises:
        ValueError: Players observe differently, or what no dataset can hold.
    """

    def __init__(self, table: Table):
        self._env = env = table.env
        self._views = []
        found = set()
        for agent in env.possible_agents:
            space = env.observation_space(agent)
            self._is_array = isinstance(space_without_mask(space), spaces.Box)
            kind = "dict" if self._is_array else "flat"
            view = View(kind, space, table.model.actions)
            shown = view.space["observation"] if self._is_array else view.space
            found.add((shown.shape, str(shown.dtype)))
            self._views.append(view)
        if len(found) > 1:
            raise ValueError(f"{table.game.name}: its players observe differently")
        ((self.shape, self.dtype),) = found
        if self.dtype not in OBSERVED:
            raise ValueError(
                f"{table.game.name}: observations of type {self.dtype} cannot be "
                f"recorded, only {', '.join(OBSERVED)}"
            )

    def of(self, player: int, mask: np.ndarray) -> np.ndarray:
        """Return what a player who is to move observes."""
        seen = self._env.observe(self._env.possible_agents[player])
        found = self._views[player].of(seen, mask)
        return np.asarray(found["observation"] if self._is_array else found)


def _rows_at(
    table: EnvironmentTable, fixture: Fixture, agents: int, explore_moves: int
) -> GameRows:
    """Play a game of an environment and return its decisions; see `play_rows`."""
    model = table.model
    table.begin(fixture.seed)
    seen = Observations(table)
    layout = Layout(seen.shape, model.actions, seen.dtype)
    places = places_of(fixture.number, agents, model.teams)
    seats, dice = [], []
    for player, entrant in enumerate(fixture.seats):
        seats.append(entrant.make(agent_seed(fixture.seed, player)))
        table.prepare(seats[-1], player)
        sequence = np.random.SeedSequence([fixture.seed, player, _EXPLORING])
        dice.append(new_generator(sequence))
    rows: list[dict[str, Any]] = []
    while (player := table.turn()) is not None:
        mask = np.zeros(model.actions, np.int8)
        mask[table.legal_actions()] = 1
        choice, result = decide(seats[player], table.planned, None, mask)
        action = choice
        if result is not None and table.ply < explore_moves:
            action = _drawn(result, dice[player])
        rows.append(
            {
                "game": fixture.number,
                "seed": fixture.seed,
                "ply": table.ply,
                "player": player,
                "agent": places[player],
                "action": action,
                "choice": choice,
                "value": math.nan if result is None else mean_value(result),
                "observation": seen.of(player, mask),
                **_searched(layout, mask, choice, result),
            }
        )
        table.step(action)
    results, scores = table.outcome()
    outcomes = [(0, 1, 0, -1)[result] for result in results]
    for row in rows:
        row["outcome"] = outcomes[row["player"]]
        row["score"] = scores[row["player"]]
    return GameRows(fixture.number, _columns(layout, rows))


def decide(
    agent: Agent, env: Any, name: str | None, mask: np.ndarray
) -> tuple[int, SearchResult | None]:
    """Return an agent's choice, and its search if that visited anything.

    Raises:
        ChoiceError: The choice is not legal.
    """
    result = agent.plan(env, name) if isinstance(agent, Planner) else None
    chosen = agent.act(env, name) if result is None else result.action
    action = as_action(chosen)
    if action is None or not 0 <= action < len(mask) or not mask[action]:
        raise ChoiceError(
            f"{agent!r} chose {quoted(chosen)}, expected a legal action: "
            f"{quoted(np.flatnonzero(mask).tolist())}"
        )
    return action, result if result is not None and result.visits.any() else None


def _drawn(result: SearchResult, rng: np.ndarray) -> int:
    """Return an action drawn in proportion to visits."""
    ends = np.cumsum(result.visits)
    drawn = draw_below(rng, int(ends[-1]))
    return int(result.actions[np.searchsorted(ends, drawn, side="right")])


def mean_value(result: SearchResult) -> float:
    """Return the mean value by visits; summed exactly, so alike on all machines."""
    tried = ~np.isnan(result.values) & (result.visits > 0)
    visits, values = result.visits[tried].tolist(), result.values[tried].tolist()
    if not visits:
        return math.nan
    products = (n * value for n, value in zip(visits, values, strict=True))
    return math.fsum(products) / sum(visits)


def _searched(
    layout: Layout, mask: np.ndarray, choice: int, result: SearchResult | None
) -> dict[str, Any]:
    """Return legal actions and the shares of visits, as they are stored."""
    shares = np.zeros(layout.actions, np.float32)
    if result is None:
        shares[choice] = 1.0
    else:
        shares[result.actions] = result.policy
    if not layout.is_sparse:
        return {"action_mask": mask, "visits": shares}
    legal = np.flatnonzero(mask)
    return {
        "legal_count": len(legal),
        "legal_actions": legal,
        "visit_shares": shares[legal],
    }


def _columns(layout: Layout, rows: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    join = {True: np.concatenate, False: np.array}
    return {
        column.name: join[column.is_list]([row[column.name] for row in rows]).astype(
            column.dtype
        )
        for column in layout.stored
    }
