"""Tables 1 to 7 of the MCPS paper, played here and printed beside the paper's figures.

    pip install --editable ".[arena]"    # in the checkout
    python experiments/mcps/tables.py --games 100 --output out/mcps
    python experiments/mcps/tables.py --tables table1    # MCPS with ref 50 alone

Every table is a tournament of this folder (`table1.yaml` and so on), stored in the
folder `--output`; what is stored is not played again, so you can interrupt it, and go
on with more games. `--tables` takes numbers of the paper's tables, and names of files
for parts of them. `--games` is the number of each win rate's games; left out, it is
the paper's. Table 7 needs no games: it counts codes in 10,000 random playouts. The page
`tables.md` in the folder keeps the tables that were played earlier.

Rates are in percent with 95% Wilson intervals. The last column says whether they differ
from the paper's by more than both intervals together allow: the square root of the sum
of the squares of the two sides that face each other, as a Wilson interval is longer on
the side of 50%.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from mcts_agents.arena.analysis.intervals import wilson
from mcts_agents.arena.analysis.tournament_results import Results, read_results
from mcts_agents.arena.playing.backends import LocalBackend
from mcts_agents.arena.tournaments.spec_file import SpecFile
from mcts_agents.arena.tournaments.tournament import open_store, prepare
from mcts_agents.envs import make_model
from mcts_agents.model import new_generator

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))

from command import add_common_options, number, output_of, play_all  # noqa: E402
from paper import AVERAGE_HALF, AVERAGES, PAPER, TABLE_7, Rates  # noqa: E402

TABLES = ("1", "2", "3", "4", "5", "6", "7")
PLAYOUTS = 10_000
LONGEST = 10_000


def play(name: str, games: int | None, output: Path, jobs: int) -> Results:
    """Play what is not stored yet of one table's tournament; return all of it."""
    file = SpecFile(str(FOLDER / f"{name}.yaml"))
    spec = file.spec()
    if games is not None:
        spec = file.spec(games_each=games * len(spec.agents))
    schedule = prepare(spec)
    path = output / f"{name}.sqlite"
    with open_store(path, schedule) as store, LocalBackend(jobs) as workers:
        play_all(schedule, store, workers)
    return read_results(path)


def rows(results: Results, paper: Rates) -> list[str]:
    """Return a line for each win rate of a table, with the paper's."""
    lines = []
    for figures in results.summary.settings:
        setting = figures.setting
        for agent in figures.agents:
            if not agent.games or agent.agent not in results.description["agents"]:
                continue
            key = (setting.game, int(setting.budget), agent.agent)
            rate = agent.win_rate
            ours = (100 * rate.value, 100 * rate.low, 100 * rate.high)
            players = f" for {setting.players}" if setting.players > 2 else ""
            what = f"{setting.game}{players} | {setting.budget} | {agent.agent}"
            lines.append(line(what, agent.games, ours, paper.get(key)))
    return lines


def line(
    what: str,
    games: int,
    ours: tuple[float, float, float],
    paper: tuple[float, float] | None,
) -> str:
    """Return one line of a table.

    Args:
        what: Its first cells.
        games: Number of games.
        ours: Rate and 95% interval, percent.
        paper: The paper's rate and half of its interval; None: it has none.
    """
    rate, low, high = ours
    cells = f"| {what} | {games} | {rate:.2f} ({low:.1f}-{high:.1f}) |"
    if paper is None:
        return f"{cells} | |"
    theirs, half = paper
    apart = rate - theirs
    facing = rate - low if apart > 0 else high - rate
    allowed = np.hypot(facing, half)
    verdict = f"differs by {apart:+.2f}" if abs(apart) > allowed else "agrees"
    return f"{cells} {theirs:.2f} ± {half:.2f} | {verdict} |"


def averages(results: Results) -> list[str]:
    """Return lines for the averages over all games of Table 1."""
    lines = []
    for playouts, rates in AVERAGES.items():
        for ref, theirs in rates.items():
            found = [
                agent
                for figures in results.summary.settings
                if int(figures.setting.budget) == playouts
                for agent in figures.agents
                if agent.agent == f"ref={ref}" and agent.games
            ]
            if not found:
                continue
            games = sum(agent.games for agent in found)
            mean = wilson(sum(agent.wins for agent in found), games)
            ours = (100 * mean.value, 100 * mean.low, 100 * mean.high)
            what = f"all games | {playouts} | ref={ref}"
            lines.append(line(what, games, ours, (theirs, AVERAGE_HALF)))
    return lines


def table_7() -> list[str]:
    """Return the lines of Table 7: ours, and the paper's in brackets."""
    lines = [
        "| game | first moves | length | codes | presence |",
        "|---|---|---|---|---|",
    ]
    for spec, players, moves, length, presences in TABLE_7:
        model = make_model(spec, players)[1]
        for kind, presence in presences.items():
            found = measured(model, kind)
            lines.append(
                f"| {spec}{f' for {players}' if players > 2 else ''} | "
                f"{found[0]} ({moves}) | {found[1]:.2f} ({length:.2f}) | {kind} | "
                f"{found[2]:.3f} ({presence:.3f}) |"
            )
    return lines


def measured(model, kind: str) -> tuple[int, float, float]:
    """Return first moves, mean length of playouts, and presence of codes in them.

    The presence is the share of playouts that have the code of a first move, on the
    average of the first moves.
    """
    rng = new_generator(np.random.SeedSequence(7))
    opening = model.reset(rng)
    (player,) = model.movers(opening)
    actions = model.legal_actions(opening, player).tolist()
    codes = [model.move_code(opening, player, action, kind) for action in actions]
    length = present = 0
    for _ in range(PLAYOUTS):
        state = model.copy(opening)
        played = model.playout_moves(state, rng, LONGEST, kind)
        length += len(played)
        own = set(played["code"][played["player"] == player].tolist())
        present += sum(code in own for code in codes) / len(codes)
    return len(actions), length / PLAYOUTS, present / PLAYOUTS


class Page:
    """The page of all tables; those that are not asked for now stay in it.

    Args:
        path: The file, rewritten with each table.
    """

    def __init__(self, path: Path):
        self._path = path
        self._tables: dict[str, str] = {}
        if path.is_file():
            _, *tables = path.read_text(encoding="utf-8").split("\n## ")
            self._tables = {table.split()[0]: table.strip() for table in tables}

    def add(self, name: str, told: str, lines: list[str]) -> None:
        """Print a table, and write it into the page.

        Args:
            name: Its name, `table1` and so on.
            told: What the heading says after it.
            lines: The table.
        """
        table = "\n".join([f"{name} ({told})\n", *lines])
        print(f"\n## {table}", flush=True)
        self._tables[name] = table
        known = (*PAPER, "table7")
        tables = [f"## {self._tables[one]}" for one in known if one in self._tables]
        parts = ["# Tables of the MCPS paper", *tables]
        self._path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def main() -> None:
    """Play the tables, print them, and write them into a page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--games", type=number)
    add_common_options(parser)
    chosen = parser.parse_args()
    wanted = [name.strip() for name in chosen.tables.split(",")]
    if unknown := set(wanted) - {*TABLES, *PAPER}:
        allowed = ", ".join([*TABLES, *PAPER])
        parser.error(f"--tables: no table {min(unknown)!r}; there are {allowed}")
    with output_of(parser, chosen.output):
        fill(Page(chosen.output / "tables.md"), wanted, chosen)


def fill(page: Page, wanted: list[str], chosen: argparse.Namespace) -> None:
    """Play the tables that are wanted, and add them to the page."""
    head = [
        "| game | playouts | agent | games | here | paper | |",
        "|---|" + "---|" * 6,
    ]
    for name, paper in PAPER.items():
        table = name.removeprefix("table").partition("_")[0]
        if not {name, table} & set(wanted):
            continue
        began = time.monotonic()
        results = play(name, chosen.games, chosen.output, chosen.jobs)
        lines = head + rows(results, paper)
        if table == "1":
            lines += averages(results)
        page.add(name, f"{time.monotonic() - began:.0f} s", lines)
    if "7" in wanted:
        page.add("table7", "the paper's in brackets", table_7())


if __name__ == "__main__":  # the workers import this file
    main()
