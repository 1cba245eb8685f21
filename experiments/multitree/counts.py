"""Seats and wins of each agent in each setting: what the page needs of a tournament.

A store holds whole games and is too large for a repository. `results.csv` beside this
file holds a row for each agent of each setting that was played.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from mcts_agents.arena.analysis.intervals import Estimate, wilson
from mcts_agents.arena.analysis.tournament_results import Results, read_results
from mcts_agents.arena.playing.budgets import budget_order
from mcts_agents.arena.playing.fixtures import Setting
from mcts_agents.arena.tournaments.spec_file import SpecFile
from mcts_agents.arena.tournaments.spec_values import MOST_GAMES
from mcts_agents.arena.tournaments.tournament_spec import FIELD
from mcts_agents.names import quoted, shortened
from mcts_agents.writing import replacing

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results.csv"

# Everything that a part of a tournament has in common with the whole.
_SHARED = ("agents", "field", "design", "seed", "opening")


@dataclass(frozen=True)
class Count:
    """How an agent did in a setting of a tournament.

    Attributes:
        tournament: The name of the tournament's file in this folder, without `.yaml`.
        game: The game.
        players: Number of players.
        budget: Budget of each decision.
        games: Games that were played of the setting.
        agent: The agent.
        seats: Seats that it played.
        wins: Seats that won, ties split.
    """

    tournament: str
    game: str
    players: int
    budget: str
    games: int
    agent: str
    seats: int
    wins: float

    @property
    def rate(self) -> Estimate:
        """The win rate with its 95% Wilson interval."""
        return wilson(self.wins, self.seats)

    @property
    def setting(self) -> Setting:
        """Which game, for how many, at which budget."""
        return Setting(self.game, self.players, self.budget)


_COLUMNS = [field.name for field in fields(Count)]


@cache
def tournaments() -> dict[str, dict]:
    """Return what each file of this folder describes, by its name."""
    return {
        path.stem: SpecFile(str(path)).spec().description()
        for path in sorted(FOLDER.glob("*.yaml"))
    }


def tournament_of(results: Results, path: Path) -> str:
    """Return the name of the file that a store was played from, or a part of it.

    Raises:
        ValueError: There is none.
    """
    found = results.description
    for name, whole in tournaments().items():
        if all(found.get(key) == whole.get(key) for key in _SHARED) and all(
            _is_part(_budgeted(game, found), _budgeted(one, whole))
            for game in found["games"]
            for one in [_game_of(whole, game["game"])]
        ):
            return name
    raise ValueError(
        f"{path}: not played from one of {', '.join(tournaments())} in {FOLDER}"
    )


def _game_of(tournament: dict, name: str) -> dict:
    return next((game for game in tournament["games"] if game["game"] == name), {})


def _budgeted(game: dict, tournament: dict) -> dict:
    """Return a game with the tournament's budgets, if it has none of its own."""
    return {"budgets": tournament.get("budgets", ()), **game}


# What a part of a tournament may have less of, see `TournamentSpec.part`.
_CHOSEN = ("players", "budgets")


def _is_part(game: dict, whole: dict) -> bool:
    """Say whether a game is one of a tournament, or some of what is played of it."""
    return all(set(game[key]) <= set(whole.get(key, ())) for key in _CHOSEN) and all(
        game.get(key) == whole.get(key) for key in game.keys() - set(_CHOSEN)
    )


def read_store(path: Path) -> list[Count]:
    """Return the counts of a store.

    Raises:
        StoreError: The store cannot be read.
        ValueError: It holds another tournament.
    """
    results = read_results(path)
    name = tournament_of(results, path)
    return [
        Count(
            name,
            *(figures.setting.game, figures.setting.players, figures.setting.budget),
            figures.games,
            *(agent.agent, agent.games, agent.wins),
        )
        for figures in results.summary.settings
        for agent in figures.agents
        if agent.games
    ]


def read_published(path: Path = RESULTS) -> list[Count]:
    """Return the counts of a file; none if there is no file.

    Raises:
        ValueError: A row is none, counts what cannot be, or comes twice.
    """
    if not path.exists():
        return []
    found: dict[tuple, Count] = {}
    games: dict[tuple, int] = {}
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file, strict=True)
        try:
            for row in rows:
                if rows.line_num == 1:
                    if row != _COLUMNS:
                        raise ValueError(f"expected the columns {', '.join(_COLUMNS)}")
                    continue
                count = _count(row)
                key = (count.tournament, count.setting, count.agent)
                if key in found:
                    raise ValueError(f"{count.agent} has a row here already")
                found[key] = count
                others = games.setdefault(key[:2], count.games)
                if count.games != others:
                    raise ValueError(
                        f"games={count.games}: other agents have {others} here"
                    )
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}: is not text in UTF-8: {error}") from error
        except (csv.Error, ValueError) as error:
            raise ValueError(f"{path}, line {rows.line_num}: {error}") from error
    return list(found.values())


def _count(row: Sequence[str]) -> Count:
    """Return what a row counts.

    Raises:
        ValueError: No tournament of this folder counts so.
    """
    if len(row) != len(_COLUMNS):
        raise ValueError(f"expected {len(_COLUMNS)} values, not {len(row)}")
    try:
        count = Count(
            *(f.type(value) for f, value in zip(fields(Count), row, strict=True))
        )
    except ValueError as error:
        raise ValueError(f"a number is none: {shortened(str(error), 200)}") from error
    whole = tournaments().get(count.tournament)
    if whole is None:
        name = quoted(count.tournament)
        raise ValueError(f"no tournament {name} in {FOLDER.name}")
    game = _game_of(whole, count.game)
    known = {
        "game": [game["game"] for game in whole["games"]],
        "players": game.get("players", ()),
        "budget": _budgeted(game, whole)["budgets"],
        "agent": [*whole["agents"], *([FIELD] if whole["field"] else [])],
    }
    for name, allowed in known.items():
        value = getattr(count, name)
        if value not in allowed:
            expected = ", ".join(map(str, allowed))
            raise ValueError(f"{name}={quoted(value)}: expected one of {expected}")
    if not 1 <= count.games <= MOST_GAMES:
        raise ValueError(f"games={quoted(count.games)}: expected 1 to {MOST_GAMES}")
    most = count.games * count.players
    if not 1 <= count.seats <= most:
        raise ValueError(f"seats={quoted(count.seats)}: expected 1 to {most}")
    if not 0 <= count.wins <= count.seats:  # and no NaN
        raise ValueError(f"wins={count.wins}: expected 0 to {count.seats} seats")
    return count


def publish(counts: Iterable[Count], path: Path = RESULTS) -> None:
    """Write counts into a file, in the order of the tournaments' files."""
    with replacing(path) as new, open(new, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(_COLUMNS)
        for count in counts:
            rows.writerow(
                f"{value:.4f}".rstrip("0").rstrip(".") if name == "wins" else value
                for name in _COLUMNS
                for value in [getattr(count, name)]
            )


def merged(parts: Iterable[Sequence[Count]]) -> list[Count]:
    """Return the counts of several sources; of a setting, those of most games.

    The order is that of the tournaments' files.
    """
    best: dict[tuple[str, Setting], list[Count]] = {}
    for part in parts:
        own: dict[tuple[str, Setting], list[Count]] = {}
        for count in part:
            own.setdefault((count.tournament, count.setting), []).append(count)
        for key, counts in own.items():
            if key not in best or best[key][0].games < counts[0].games:
                best[key] = counts
    order = {
        (name, game["game"]): (number, place)
        for number, (name, whole) in enumerate(tournaments().items())
        for place, game in enumerate(whole["games"])
    }

    def place(key: tuple[str, Setting]) -> tuple:
        name, setting = key
        where = order.get((name, setting.game))
        if where is None:
            raise ValueError(f"{name}: no such tournament with {setting.game}")
        return *where, setting.players, budget_order(setting.budget)

    return [count for key in sorted(best, key=place) for count in best[key]]
