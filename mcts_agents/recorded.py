"""Replaying recorded games of reference implementations against the forward models.

The format is JSON lines, plain or gzipped: a header, then one game a line with `moves`,
`players` (who made each move), `legal` (the sorted legal moves of each ply, joined by
spaces) and `returns`. A game with `max_turns` may have been cut by that limit, with all
returns 0.
"""

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mcts_agents.envs.game import Game
from mcts_agents.model import DRAWN, LOST, WON, ForwardModel, new_generator


class RecordError(ValueError):
    """A file that is not a record of games, or of another game."""


@dataclass(frozen=True)
class Mismatch:
    """One difference between a record and the rules."""

    file: str
    game: int
    ply: int
    what: str
    recorded: object
    found: object
    position: str

    def __str__(self) -> str:
        return (
            f"{self.file}: game {self.game}, ply {self.ply}: {self.what} differs\n"
            f"recorded: {self.recorded}\n"
            f"found:    {self.found}\n"
            f"{self.position}"
        )


@dataclass
class Report:
    """What replaying one file found."""

    file: str
    games: int = 0
    plies: int = 0
    mismatches: int = 0
    first: Mismatch | None = None


def verify_file(
    game: Game,
    path: Path,
    progress: Callable[[int, int], None] = lambda done, all_: None,
) -> Report:
    """Replay all games of a file; a game is left at its first mismatch.

    Args:
        game: The game whose rules are checked.
        path: The file.
        progress: Called with the games done and the games in the file.

    Raises:
        RecordError: The file cannot be read, is no record, or is of another game.
    """
    header, games = read_record(path)
    if game.recorded_variant is None:
        raise RecordError(f"{game.name}: no recorded games of this game are known")
    try:
        model = game.rules.model(**game.recorded_variant(header))
    except ValueError as error:
        raise RecordError(f"{path}: {error}") from error
    report = Report(str(path))
    for done, record in enumerate(games, 1):
        try:
            plies = len(record["moves"])
            found = next(_mismatches(game, model, record), None)
        except (KeyError, TypeError, IndexError) as error:
            raise RecordError(
                f"{path}: game {done} is not a record: {error!r}"
            ) from error
        report.games += 1
        report.plies += plies
        if found is not None:
            ply, what, recorded, ours, state = found
            report.mismatches += 1
            report.first = report.first or Mismatch(
                str(path), record.get("g", done - 1), ply, what, recorded, ours,
                game.ansi(model, state, None),
            )  # fmt: skip
        progress(done, len(games))
    return report


def read_record(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the header and the games of a file.

    Raises:
        RecordError: It cannot be read or is not such a record.
    """
    try:
        data = Path(path).read_bytes()
        text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        lines = [json.loads(line) for line in text.decode().splitlines()]
    except OSError as error:
        reason = error.strerror or "not a whole gzip file"
        raise RecordError(f"{path}: cannot be read: {reason}") from error
    except (ValueError, EOFError) as error:
        raise RecordError(f"{path}: not a record of games: {error}") from error
    if not lines or not all(isinstance(line, dict) for line in lines):
        raise RecordError(f"{path}: not a record of games: no JSON objects in lines")
    if "openspiel" not in lines[0]:
        raise RecordError(f"{path}: not a record of games: its header names no game")
    return lines[0], lines[1:]


Difference = tuple[int, str, object, object, np.ndarray]


def _mismatches(
    game: Game, model: ForwardModel, record: dict[str, Any]
) -> Iterator[Difference]:
    """Yield what differs, with the ply, what was recorded, what we have, and where."""
    rng = new_generator(0)
    state = model.reset(rng)
    plies = zip(record["moves"], record["players"], record["legal"], strict=True)
    for ply, (move, player, legal) in enumerate(plies):
        movers = model.movers(state)
        if movers != (player,):
            yield ply, "the player to move", player, movers, state
            return
        ours = sorted(
            game.format_action(model, action)
            for action in model.legal_actions(state, player).tolist()
        )
        if ours != legal.split():
            yield ply, "the set of legal moves", legal, " ".join(ours), state
            return
        if move not in ours:
            yield ply, "the move", move, "not legal", state
            return
        model.apply(state, {player: game.parse_action(model, move)}, rng)
    returns = [float(value) for value in record["returns"]]
    length = len(record["moves"])
    cut = length >= record.get("max_turns", length + 1) and not any(returns)
    if model.is_over(state) == cut:
        words = ("goes on", "is over")
        yield length, "the end", words[not cut], words[cut], state
    elif recorded_results(returns) != model.results(state).tolist() and not cut:
        yield length, "the returns", returns, model.returns(state), state


def recorded_results(returns: list[float]) -> list[int]:
    """Return WON, DRAWN or LOST by recorded returns, whose scale is the reference's.

    They sum to zero: a positive return is a win, a negative one a loss. (With several
    players a single winner has as many as there are losers.)
    """
    return [WON if r > 0 else LOST if r < 0 else DRAWN for r in returns]
