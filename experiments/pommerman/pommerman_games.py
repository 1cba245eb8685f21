"""What was played in Pommerman: the games of tables, figures and iterations."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mcts_agents.arena.analysis.summaries import AgentFigures, summarise
from mcts_agents.arena.playing.fixtures import GameRecord
from mcts_agents.arena.replay.replaying import Replay
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.envs import make_any
from mcts_agents.envs.pommerman.layout import place_of
from mcts_agents.learn import Dataset

NETWORKS = ("SL", "SRL", "RL")
ACTIONS = ("stop", "up", "down", "left", "right", "bomb")


@dataclass(frozen=True)
class Played:
    """An agent's games, of all seeds together.

    Attributes:
        network: Which one guided it.
        agent: Its name.
        simulations: Of a decision.
        figures: Its results.
    """

    network: str
    agent: str
    simulations: int
    figures: AgentFigures


def games_of(path: Path) -> list[GameRecord]:
    """Return the games of a store; none if there is no store."""
    if not path.exists():
        return []
    with Store.read(path) as store:
        return list(store.games())


def played(
    folder: Path,
    size: dict[str, Any],
    table: str,
    simulations: int | None,
    networks: Sequence[str] = NETWORKS,
) -> list[Played]:
    """Return the results of a table or figure, at a number of simulations."""
    found = []
    for name in networks:
        ending = "" if simulations is None else f"-{simulations}"
        stores = [f"{table}-{name}-{seed}{ending}" for seed in size["seeds"]]
        found += [
            Played(name, one.agent, _made(size, one.agent, simulations), one)
            for one in of_stores(folder, stores)
        ]
    return found


def of_stores(folder: Path, names: Sequence[str]) -> list[AgentFigures]:
    """Return the results of several tournaments together, without the field's."""
    games = [
        game
        for name in names
        for game in games_of(folder / "tournaments" / f"{name}.sqlite")
    ]
    agents = summarise(games, resamples=0).overall.agents if games else ()
    return [one for one in agents if one.agent != "field"]


def _made(size: dict[str, Any], agent: str, simulations: int | None) -> int:
    if simulations is not None:
        return simulations
    return int(size["table_3"][agent.partition(", ")[2]])


@dataclass(frozen=True)
class Iteration:
    """The games of one iteration of reinforcement learning.

    Attributes:
        games: How many.
        decisions: Those of the learner.
        wins: Games won; who draws shares the win.
        actions: Share of each of the six actions, shape (6,).
    """

    games: int
    decisions: int
    wins: float
    actions: np.ndarray


def iterations(folder: Path, name: str, seed: int) -> list[Iteration]:
    """Return what was played in each iteration; the first is of the network it had."""
    blocks = folder / "networks" / f"{name}-{seed}" / "blocks"
    if not (blocks / "dataset.json").exists():
        return []
    data = Dataset(blocks)
    size = data.description["games_per_shard"]
    columns = data.whole("game", "player", "action", "shares")
    block = columns["game"] // size
    found = []
    for number in range(int(block.max()) + 1):
        rows = {column: values[block == number] for column, values in columns.items()}
        first = np.unique(rows["game"], return_index=True)[1]
        # Games without a decision of the learner have no rows, and are lost.
        won = rows["shares"][first, rows["player"][first]].sum()
        actions = np.bincount(rows["action"], minlength=len(ACTIONS))
        found.append(
            Iteration(size, len(rows["game"]), float(won), actions / actions.sum())
        )
    return found


@dataclass(frozen=True)
class Walk:
    """Where a player was in a game.

    Attributes:
        side: Rows of the board.
        cells: Row and column after each step, int64 of shape (steps, 2). Boards are
            turned so that it begins in the upper left corner.
    """

    side: int
    cells: np.ndarray


def walks_of(folder: Path, size: dict[str, Any], name: str) -> list[Walk]:
    """Return where SP-MCTS with SimpleUnbiased as model was in the games of table 3."""
    found = []
    for seed in size["seeds"]:
        path = folder / "tournaments" / f"table_3-{name}-{seed}.sqlite"
        for game in games_of(path):
            seats = [seat.agent for seat in game.seats]
            if "SP-MCTS, SimpleUnbiased" not in seats:
                continue
            player = seats.index("SP-MCTS, SimpleUnbiased")
            found.append(walk(game, player))
    return found


def walk(game: GameRecord, player: int) -> Walk:
    """Return where a player was from the beginning to its death."""
    model = make_any(game.setting.game, game.setting.players)[1]
    rows = []
    for moment in Replay(game, search=False, pictures=False).moments():
        state = model.view(moment.state)
        if not int(state["alive"]) >> player & 1:
            break
        rows.append(place_of(int(state["cells"][player])))
    cells, side = np.array(rows), model.observation_shape[-1]
    return Walk(side, np.where(cells[0] > side // 2, side - 1 - cells, cells))


def side_by_side(seeds: Sequence[Sequence[Iteration]]) -> list[list[Iteration]]:
    """Return what all seeds have of each iteration that one of them has."""
    most = max(map(len, seeds))
    return [[one[n] for one in seeds if n < len(one)] for n in range(most)]


def mean_actions(found: Sequence[Iteration]) -> np.ndarray:
    """Return the share of each action in the decisions of several iterations."""
    weights = np.array([one.decisions for one in found], float)
    return np.average([one.actions for one in found], axis=0, weights=weights)
