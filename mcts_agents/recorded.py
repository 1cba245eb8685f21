"""Replaying recorded games of reference implementations against the forward models.

The format is JSON lines, plain or gzipped: a header, then one game a line with `moves`,
`players` (who made each move), `legal` (the sorted legal moves of each ply, joined by
spaces) and `returns`. A game with `max_turns` may have been cut by that limit, with all
returns 0. Other keys are not looked at. Games of the TAG framework have a format of
their own (`recorded_states`), and a game may bring readers for files of further formats
(`Game.recordings`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mcts_agents.envs import GAMES
from mcts_agents.envs.game import Game
from mcts_agents.envs.recordings import Mismatch, Progress, RecordError, Report
from mcts_agents.model import DRAWN, LOST, WON, ForwardModel, new_generator
from mcts_agents.recorded_lines import read_lines
from mcts_agents.recorded_states import are_states, verify_states


@dataclass(frozen=True)
class RecordedGame:
    """One game of a file; `moves`, `players` and `legal` have one entry a ply."""

    index: int
    moves: list[str]
    players: list[int]
    legal: list[str]
    returns: list[float]
    max_turns: int | None


def verify_file(
    game: Game,
    path: Path,
    progress: Progress = lambda done, all_: None,
) -> Report:
    """Replay all games of a file; a game is left at its first mismatch.

    Args:
        game: The game whose rules are checked.
        path: The file.
        progress: Called with the games done and the games in the file.

    Raises:
        RecordError: The file cannot be read, is no record, or is of another game.
    """
    path = Path(path)
    if path.suffix in game.recordings:
        try:
            return game.recordings[path.suffix](path, progress)
        except RecordError:
            raise
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            reason = " ".join(str(error).split())
            raise RecordError(
                f"{path}: its arrays do not fit together: {reason}"
            ) from error
    header, lines = read_lines(path)
    if are_states(header):
        return verify_states(game, path, header, lines, progress)
    games = _recorded_games(path, header, lines)
    if game.recorded_variant is None:
        raise RecordError(_unknown(game))
    try:
        model = game.rules.model(**game.recorded_variant(header))
    except KeyError as error:
        raise RecordError(f"{path}: its header has no {error}") from error
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise RecordError(f"{path}: its header: {error}") from error
    report = Report(str(path))
    for done, record in enumerate(games, 1):
        report.games += 1
        report.plies += len(record.moves)
        found = _first_difference(game, model, record)
        if found is not None:
            report.mismatches += 1
            report.first = report.first or Mismatch(
                str(path), record.index, *found[:-1], game.ansi(model, found[-1], None)
            )
        progress(done, len(games))
    return report


def _unknown(game: Game) -> str:
    """Say why recordings of OpenSpiel cannot be read for a game."""
    if game.name in GAMES:
        return f"{game.name}: no recorded games of OpenSpiel are known"
    return (
        f"{game.name} has no `recorded_variant`: pass `recorded_variant=` to "
        "`game_from_rules` and name the object that it returns, as in my_module:game"
    )


def _recorded_games(
    path: Path, header: dict[str, Any], lines: Iterable[dict[str, Any]]
) -> list[RecordedGame]:
    """Return the lines of a file as games."""
    if "openspiel" not in header:
        raise RecordError(f"{path}: not a record of games: its header names no game")
    games = []
    for number, line in enumerate(lines):
        try:
            games.append(_recorded_game(number, line))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            reason = f"no {error}" if isinstance(error, KeyError) else str(error)
            raise RecordError(
                f"{path}: line {number + 2} is not a recorded game: {reason}"
            ) from error
    if not games:
        raise RecordError(f"{path}: no games after the header")
    return games


def _recorded_game(number: int, line: dict[str, Any]) -> RecordedGame:
    """Return a line as a game; KeyError, TypeError or ValueError if it is none."""
    moves, players, legal = line["moves"], line["players"], line["legal"]
    if not len(moves) == len(players) == len(legal):
        raise ValueError("moves, players and legal are not equally many")
    for name, values, kind in (
        ("moves", moves, str),
        ("players", players, int),
        ("legal", legal, str),
    ):
        if not all(isinstance(value, kind) for value in values):
            raise TypeError(f"{name} must hold values of type {kind.__name__}")
    limit = line.get("max_turns")
    return RecordedGame(
        index=int(line.get("g", number)),
        moves=moves,
        players=players,
        legal=legal,
        returns=[float(value) for value in line["returns"]],
        max_turns=None if limit is None else int(limit),
    )


# The ply, what differs, what was recorded, what we have, and the state there.
Difference = tuple[int, str, object, object, np.ndarray]


def _first_difference(
    game: Game, model: ForwardModel, record: RecordedGame
) -> Difference | None:
    """Replay one game as far as record and rules agree."""
    rng = new_generator(0)
    state = model.reset(rng)
    plies = zip(record.moves, record.players, record.legal, strict=True)
    for ply, (move, player, legal) in enumerate(plies):
        movers = model.movers(state)
        if movers != (player,):
            return ply, "the player to move", player, _named(movers), state
        actions = model.legal_actions(state, player).tolist()
        names = [game.format_action(model, action) for action in actions]
        if sorted(names) != legal.split():
            ours = " ".join(sorted(names))
            return ply, "the set of legal moves", legal, ours, state
        if move not in names:
            return ply, "the move", move, "not legal", state
        action = actions[names.index(move)]
        if game.parse_action(model, move) != action:
            return ply, "the move's name", move, "read as another move", state
        model.apply(state, {player: action}, rng)
    return _difference_at_end(model, record, state)


def _named(movers: tuple[int, ...]) -> object:
    """Return who moves as records have it."""
    return movers[0] if len(movers) == 1 else movers or "nobody, the game is over"


def _difference_at_end(
    model: ForwardModel, record: RecordedGame, state: np.ndarray
) -> Difference | None:
    length = len(record.moves)
    if not model.is_over(state):
        cut = (
            record.max_turns is not None
            and length >= record.max_turns
            and not any(record.returns)
        )
        return None if cut else (length, "the end", "is over", "goes on", state)
    # A game that ends on the last turn that it may have has its own returns.
    ours = recorded_returns(model.results(state).tolist())
    if ours != record.returns:
        return length, "the returns", record.returns, ours, state
    return None


def recorded_returns(results: list[int]) -> list[float]:
    """Return a finished game's results on the scale of the records.

    There they sum to zero: each loser has -1, the winners share what the losers lose
    (a single winner of n players has n - 1), and who draws has 0.

    Args:
        results: WON, DRAWN or LOST of each player.
    """
    winners, losers = results.count(WON), results.count(LOST)
    scale = {WON: losers / max(winners, 1), DRAWN: 0.0, LOST: -1.0}
    return [scale[result] for result in results]
