"""What `run.py` writes of its games: tables 2 and 3, and figures 2 to 5.

Each is written of what there is, and left out where there is nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mcts_agents.arena.analysis.intervals import Estimate, wilson
from mcts_agents.arena.analysis.summaries import AgentFigures, summarise
from mcts_agents.arena.playing.fixtures import GameRecord
from mcts_agents.arena.replay.replaying import Replay
from mcts_agents.arena.reports.drawing import colour, marker, style
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.envs import make_any
from mcts_agents.envs.pommerman.layout import place_of
from mcts_agents.learn import Dataset

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NETWORKS = ("SL", "SRL", "RL")
ACTIONS = ("stop", "up", "down", "left", "right", "bomb")
# Within how many steps figure 5 (C) counts cells.
WITHIN = 20

# Of the paper, by network and agent, 1,000 simulations. Table 2: win rate, tie rate,
# depth, milliseconds a step, steps of a game. Table 3: win rate, tie rate.
TABLE_2 = {
    ("SL", "SP-MCTS, SimpleUnbiased"): (0.78, 0.07, 17.91, 35.30, 188.99),
    ("SL", "SP-MCTS, RawNet"): (0.76, 0.10, 21.46, 266.62, 191.02),
    ("SL", "TP-MCTS, SimpleUnbiased"): (0.91, 0.06, 11.57, 36.89, 246.40),
    ("SL", "TP-MCTS, RawNet"): (0.92, 0.06, 12.14, 164.61, 254.79),
    ("SRL", "SP-MCTS, SimpleUnbiased"): (0.94, 0.02, 21.39, 37.34, 275.23),
    ("SRL", "SP-MCTS, RawNet"): (0.90, 0.04, 25.52, 315.74, 288.47),
    ("RL", "SP-MCTS, SimpleUnbiased"): (0.82, 0.07, 21.98, 36.49, 331.99),
    ("RL", "SP-MCTS, RawNet"): (0.71, 0.08, 28.30, 309.40, 316.81),
}
TABLE_3 = {
    ("SL", "SP-MCTS, SimpleUnbiased"): (0.78, 0.12),
    ("SL", "SP-MCTS, RawNet"): (0.67, 0.25),
    ("SL", "TP-MCTS, SimpleUnbiased"): (0.66, 0.32),
    ("SL", "TP-MCTS, RawNet"): (0.61, 0.34),
    ("SRL", "SP-MCTS, SimpleUnbiased"): (0.65, 0.30),
    ("SRL", "SP-MCTS, RawNet"): (0.63, 0.32),
    ("RL", "SP-MCTS, SimpleUnbiased"): (0.74, 0.22),
    ("RL", "SP-MCTS, RawNet"): (0.72, 0.23),
}


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


def write_results(folder: Path, size: dict[str, Any]) -> None:
    """Write the tables and the figures of what has been played.

    Args:
        folder: As `run.py` leaves it.
        size: As the YAML file says.
    """
    parts = []
    second = [
        one for made in size["table_2"] for one in played(folder, size, "table_2", made)
    ]
    if second:
        parts.append(table_2(second))
    third = played(folder, size, "table_3", None)
    if third:
        parts.append(table_3(third))
    timed = of_stores(folder, [f"equal_time-{seed}" for seed in size["seeds"]])
    if timed:
        parts.append(table_of_equal_time(timed, size["equal_time"]["budget"]))
    learned = {
        name: found
        for name in ("SRL", "RL")
        if (found := [iterations(folder, name, seed) for seed in size["seeds"]])
        and any(found)
    }
    if learned:
        parts.append(table_of_iterations(learned))
        _draw(folder, "figure_3", (7.0, 4.4), lambda f: figure_3(f, learned))
        shown = size["iterations_shown"]
        _draw(folder, "figure_4", (9.0, 4.0), lambda f: figure_4(f, learned, shown))
    levels = [
        one
        for made in size["figure_2"]
        for one in played(folder, size, "figure_2", made, ("SL", "random"))
    ]
    if levels:
        parts.append(table_of_levels(levels))
        _draw(folder, "figure_2", (7.0, 4.4), lambda f: figure_2(f, levels))
    walks = {
        name: found for name in ("SL", "RL") if (found := walks_of(folder, size, name))
    }
    if walks:
        _draw(folder, "figure_5", (9.5, 3.6), lambda f: figure_5(f, walks))
    text = "\n\n".join(parts)
    (folder / "results.md").write_text(text + "\n", encoding="utf-8")
    print(text or f"{folder}: nothing has been played yet")


# -- what was played


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


# -- tables


def _rate(rate: Estimate) -> str:
    return f"{rate.value:.1%} ({rate.low:.1%} to {rate.high:.1%})"


def _lines(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def table_2(found: Sequence[Played]) -> str:
    """Return table 2: against three SimpleUnbiased."""
    rows = []
    for one in found:
        figures, paper = one.figures, TABLE_2[one.network, one.agent]
        won, tied, depth, time, steps = paper
        rows.append(
            [
                one.network, one.agent, f"{one.simulations:,}", f"{figures.games:,}",
                f"{_rate(figures.won)}; {won:.0%}",
                f"{figures.drawn.value:.1%}; {tied:.0%}",
                f"{figures.depth:.1f}; {depth:.1f}",
                f"{figures.decisions.mean:.0f}; {time:.0f}",
                f"{figures.length.value:.0f}; {steps:.0f}",
            ]
        )  # fmt: skip
    head = [
        "network", "search, opponent model", "simulations", "games", "won (95%); paper",
        "drawn; paper", "depth; paper", "ms a step; paper", "steps; paper",
    ]  # fmt: skip
    return (
        "**Table 2**, against three SimpleUnbiased. The paper's figures are of 1,000 "
        "simulations.\n\n" + _lines(head, rows)
    )


def table_3(found: Sequence[Played]) -> str:
    """Return table 3: against three official SimpleAgents."""
    rows = []
    for one in found:
        figures, (won, tied) = one.figures, TABLE_3[one.network, one.agent]
        rows.append(
            [
                one.network, one.agent, f"{one.simulations:,}", f"{figures.games:,}",
                f"{_rate(figures.won)}; {won:.0%}",
                f"{figures.drawn.value:.1%}; {tied:.0%}",
            ]
        )  # fmt: skip
    head = [
        "network", "search, opponent model", "simulations", "games",
        "won (95%); paper", "drawn; paper",
    ]  # fmt: skip
    return (
        "**Table 3**, against three official SimpleAgents. The paper takes 1,000 "
        "simulations with SimpleUnbiased, and 250 with RawNet.\n\n" + _lines(head, rows)
    )


def table_of_equal_time(found: Sequence[AgentFigures], budget: str) -> str:
    """Return what agents win with the same time a decision."""
    rows = [
        [
            one.agent, f"{one.games:,}", _rate(one.won), f"{one.drawn.value:.1%}",
            f"{one.simulations_per_second * one.decisions.mean / 1000:,.0f}",
            f"{one.decisions.mean:.0f}",
        ]
        for one in found
    ]  # fmt: skip
    head = ["agent", "games", "won (95%)", "drawn", "simulations", "ms a step"]
    return (
        f"**With equal time**, {budget} a step, SP-MCTS against three SimpleUnbiased, "
        "who are also the opponent model.\n\n" + _lines(head, rows)
    )


def table_of_levels(found: Sequence[Played]) -> str:
    """Return figure 2 as a table."""
    rows = [
        [
            one.network, one.agent, f"{one.simulations:,}", f"{one.figures.games:,}",
            _rate(one.figures.won), f"{one.figures.drawn.value:.1%}",
        ]
        for one in found
    ]  # fmt: skip
    head = ["network", "agent", "simulations", "games", "won (95%)", "drawn"]
    return (
        "**Figure 2**, against three SimpleUnbiased, who are also the opponent model."
        "\n\n" + _lines(head, rows)
    )


def table_of_iterations(learned: dict[str, list[list[Iteration]]]) -> str:
    """Return figures 3 and 4 as a table."""
    rows = []
    for name, seeds in learned.items():
        for number, found in enumerate(_side_by_side(seeds)):
            games = sum(one.games for one in found)
            rate = wilson(sum(one.wins for one in found), games)
            actions = _mean_actions(found)
            decisions = sum(one.decisions for one in found)
            rows.append(
                [
                    name, str(number), f"{games:,}", f"{decisions:,}", _rate(rate),
                    *(f"{share:.1%}" for share in actions),
                ]
            )  # fmt: skip
    head = ["network", "iteration", "games", "decisions", "win rate (95%)", *ACTIONS]
    return (
        "**Figures 3 and 4**, SP-MCTS in the games of each iteration of reinforcement "
        "learning; who draws shares the win.\n\n" + _lines(head, rows)
    )


def _side_by_side(seeds: Sequence[Sequence[Iteration]]) -> list[list[Iteration]]:
    """Return what all seeds have of each iteration that one of them has."""
    most = max(map(len, seeds))
    return [[one[n] for one in seeds if n < len(one)] for n in range(most)]


def _mean_actions(found: Sequence[Iteration]) -> np.ndarray:
    weights = np.array([one.decisions for one in found], float)
    return np.average([one.actions for one in found], axis=0, weights=weights)


# -- figures


def _draw(
    folder: Path,
    name: str,
    inches: tuple[float, float],
    draw: Callable[["Figure"], None],
) -> None:
    from matplotlib.figure import Figure

    with style():
        figure = Figure(inches, layout="constrained")
        draw(figure)
        for ending in ("png", "svg"):
            figure.savefig(folder / f"{name}.{ending}", dpi=130)


def figure_2(figure: "Figure", found: Sequence[Played]) -> None:
    """Draw win rates by simulations; RawNet is what both methods begin with."""
    axes = figure.add_subplot()
    raw = {one.network: one for one in found if not one.simulations}
    lines: dict[tuple[str, str], list[Played]] = {}
    for one in found:
        if one.simulations:
            first = [raw[one.network]] if one.network in raw else []
            lines.setdefault((one.agent, one.network), list(first)).append(one)
    for number, ((agent, network), points) in enumerate(sorted(lines.items())):
        _line(
            axes,
            [one.simulations for one in points],
            [one.figures.won for one in points],
            f"{agent}, {'learned' if network == 'SL' else 'random'} network",
            number,
        )
    axes.set_title("Figure 2: against three SimpleUnbiased")
    axes.set_xlabel("simulations a step; 0: the network alone")
    _finish(axes)


def figure_3(figure: "Figure", learned: dict[str, list[list[Iteration]]]) -> None:
    """Draw win rates by iteration."""
    axes = figure.add_subplot()
    for number, (name, seeds) in enumerate(learned.items()):
        found = _side_by_side(seeds)
        rates = [
            wilson(sum(one.wins for one in each), sum(one.games for one in each))
            for each in found
        ]
        label = "from SL (SRL)" if name == "SRL" else "from a random network (RL)"
        _line(axes, range(len(rates)), rates, label, number)
    axes.set_title("Figure 3: SP-MCTS in reinforcement learning")
    axes.set_xlabel("iterations learned from")
    axes.xaxis.get_major_locator().set_params(integer=True)
    _finish(axes)


def _line(
    axes: "Axes", at: Sequence[float], rates: Sequence[Estimate], name: str, number: int
) -> None:
    low = [rate.value - rate.low for rate in rates]
    high = [rate.high - rate.value for rate in rates]
    axes.errorbar(
        at, [rate.value for rate in rates], yerr=[low, high], label=name, capsize=3,
        color=colour(number), marker=marker(number),
    )  # fmt: skip


def _finish(axes: "Axes") -> None:
    axes.axhline(0.25, color="#888888", linestyle="--", label="even")
    axes.set_ylabel("win rate, with 95% intervals")
    axes.set_ylim(0, 1)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))


def figure_4(
    figure: "Figure", learned: dict[str, list[list[Iteration]]], shown: Sequence[int]
) -> None:
    """Draw what is played in some iterations."""
    panels = figure.subplots(1, len(learned), sharey=True, squeeze=False)[0]
    for axes, (name, seeds) in zip(panels, learned.items(), strict=True):
        found = _side_by_side(seeds)
        there = [number for number in shown if number < len(found)]
        width = 0.8 / max(len(there), 1)
        for place, number in enumerate(there):
            each = [one.actions for one in found[number]]
            spread = np.std(each, axis=0) if len(each) > 1 else None
            axes.bar(
                np.arange(len(ACTIONS)) - 0.4 + (place + 0.5) * width,
                _mean_actions(found[number]), width, yerr=spread,
                color=colour(place), label=f"iteration {number}",
            )  # fmt: skip
        axes.set_title(f"Figure 4: SP-MCTS, {name}")
        axes.set_xticks(range(len(ACTIONS)), ACTIONS)
        axes.legend(frameon=False)
    panels[0].set_ylabel("share of decisions")


def figure_5(figure: "Figure", walks: dict[str, list[Walk]]) -> None:
    """Draw where the agents were, and how many cells they saw within 20 steps."""
    panels = figure.subplots(1, len(walks) + 1)
    boards = {}
    for name, games in walks.items():
        boards[name] = np.zeros((games[0].side, games[0].side))
        for one in games:
            np.add.at(boards[name], tuple(one.cells.T), 1.0 / len(games))
    top = max(float(board.max()) for board in boards.values())
    for axes, (name, board) in zip(panels, boards.items(), strict=False):
        image = axes.imshow(board, cmap="cividis", vmin=0.0, vmax=top)
        axes.set_title(f"Figure 5: {name}")
        axes.set_xlabel(f"games: {len(walks[name]):,}")
        axes.set_xticks([])
        axes.set_yticks([])
    figure.colorbar(image, ax=panels[-2], label="steps a game", shrink=0.8)
    axes = panels[-1]
    for number, (name, games) in enumerate(walks.items()):
        counts = np.concatenate([_unique_within(one.cells) for one in games])
        axes.hist(
            counts, bins=np.arange(0.5, WITHIN + 1.5), density=True, histtype="step",
            color=colour(number), label=name,
        )  # fmt: skip
    axes.set_title(f"movement within {WITHIN} steps")
    axes.set_xlabel("different cells")
    axes.set_ylabel("share")
    axes.legend(frameon=False)


def _unique_within(cells: np.ndarray) -> np.ndarray:
    """Return how many cells were visited in each stretch of 20 steps."""
    stretches = range(max(len(cells) - WITHIN + 1, 1))
    return np.array([len(np.unique(cells[n : n + WITHIN], axis=0)) for n in stretches])
