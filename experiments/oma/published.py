"""Games that are published with the experiments: who won, in one line for each match.

A store holds whole games, with the time of each decision, and is too large for a
repository. A line here holds what the charts need of a match, and the agents as they
were, so that games of other agents are never counted with these.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from experiment import FOLDER, Match

from mcts_agents.arena.tournaments.store import Store
from mcts_agents.writing import replacing

RESULTS = FOLDER / "results"


@dataclass
class Published:
    """Games of one budget.

    Attributes:
        path: The file; it may be missing.
        matches: By the name of a match: its `agents`, `seed` and `opening` (none in
            lines from before there were openings), and `wins`, by the number of a game
            what the agent had of its win, 0 to 1.
    """

    path: Path
    matches: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Published":
        """Read a file; one that does not exist holds no games.

        Raises:
            ValueError: A line is not one of a match.
        """
        matches: dict[str, dict[str, Any]] = {}
        lines = path.read_text().splitlines() if path.exists() else []
        for number, line in enumerate(lines, start=1):
            try:
                one = json.loads(line)
                one["wins"] = {
                    int(game): win + 0.0 for game, win in one["wins"].items()
                }
                matches[one.pop("match")] = one
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise ValueError(
                    f"{path}, line {number}: not the games of a match: {error}"
                ) from error
        return cls(path, matches)

    def begun_alike(self, match: Match) -> Match:
        """Return a match with as many random decisions as its published games."""
        one = self.matches.get(match.name)
        if one is None:
            return match
        update = {"opening": one.get("opening", 0)}
        return replace(match, spec=match.spec.model_copy(update=update))

    def wins(self, match: Match) -> dict[int, float]:
        """Return what the agent of a match had of each game, by the game's number.

        These may be more games than the match has.

        Raises:
            ValueError: The games were played by agents with other options, or from
                another seed.
        """
        one = self.matches.get(match.name)
        if one is None:
            return {}
        for key, value in _played(match).items():
            published = one.get(key, 0)
            if published != value:
                raise ValueError(
                    f"{self.path}: the {key} of {match.name}: {published}, not "
                    f"{value}; delete the line to play its games again"
                    + (", or leave out --opening" if key == "opening" else "")
                )
        return dict(one["wins"])

    def add(self, matches: Iterable[Match], folder: Path) -> None:
        """Add the games of stores, and write the file.

        Args:
            matches: Whose games.
            folder: Where their stores are.

        Raises:
            ValueError: See `wins`.
        """
        for match in matches:
            wins = self.wins(match) | stored_wins(match, folder)
            if wins:
                one = {**_played(match), "wins": dict(sorted(wins.items()))}
                self.matches[match.name] = one
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(self.path) as aside:
            aside.write_text(
                "".join(
                    json.dumps({"match": name, **one}) + "\n"
                    for name, one in sorted(self.matches.items())
                )
            )


def stored_wins(match: Match, folder: Path) -> dict[int, float]:
    """Return what the agent of a match had of each game of its store.

    Raises:
        ValueError: The games were played by agents with other options, from another
            seed or after another opening.
    """
    path = match.store(folder)
    if not path.exists():
        return {}
    with Store.read(path) as store:
        stored = store.description() or {}
        for key, value in _played(match).items():
            if stored and stored.get(key, 0) != value:
                raise ValueError(
                    f"{path}: the {key} of {match.name}: {stored.get(key, 0)}, not "
                    f"{value}; move the file away, or name another folder"
                )
        return {
            game.number: sum(
                seat.win for seat in game.seats if seat.agent == match.agent
            )
            for game in store.games()
        }


def _played(match: Match) -> dict[str, Any]:
    """Return what must be the same for games to be counted together."""
    described = match.spec.description()
    return {
        "agents": described["agents"],
        "seed": described["seed"],
        "opening": match.spec.opening,
    }
