"""Replaying recorded games of the TAG framework, which hold every state in full.

The format is JSON lines, plain or gzipped: a header with `game` and `source`, then one
game a line, described in `envs/tag_records.py`. How a game's states are read, and what
of them is compared, its own folder says (`Game.tag_records`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mcts_agents.envs.game import Game
from mcts_agents.envs.recordings import Mismatch, Progress, RecordError, Report
from mcts_agents.envs.tag_records import RESULTS, TagRecords
from mcts_agents.model import ForwardModel
from mcts_agents.recorded_lines import count_lines

MOST_CHARACTERS = 200  # of the reason for which a line is refused


def are_states(header: Mapping[str, Any]) -> bool:
    """Whether a header is that of a file recorded by TAG."""
    return str(header.get("source")).startswith("TAG")


def verify_states(
    game: Game,
    path: Path,
    header: Mapping[str, Any],
    lines: Iterable[dict[str, Any]],
    progress: Progress,
) -> Report:
    """Replay all games of a file; a game is left at its first mismatch.

    Args:
        game: The game whose rules are checked.
        path: The file.
        header: Its first line.
        lines: Its other lines, read as they are asked for.
        progress: Called with the games done and the games in the file.

    Raises:
        RecordError: A line is no game, or the file is of another game.
    """
    if game.tag_records is None:
        raise RecordError(f"{game.name}: no recorded games of TAG are known")
    total = count_lines(path)
    report = Report(str(path))
    deviations: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    models: dict[tuple, ForwardModel] = {}
    for number, line in enumerate(lines):
        try:
            model = _model(game, game.tag_records, header, line, models)
            found, is_whole = _first_difference(game, model, path, number, line)
            report.plies += len(line["steps"])
            steps = line["steps"]
            marked = [str(step["tag_bug"]) for step in steps if "tag_bug" in step]
            deviations.update(marked)
            left_out.update([] if is_whole else marked[-1:])
        except (
            AttributeError,
            LookupError,
            OverflowError,
            TypeError,
            ValueError,
        ) as error:
            reason = f"no {error}" if isinstance(error, KeyError) else str(error)
            reason = " ".join(reason[:MOST_CHARACTERS].split())
            raise RecordError(
                f"{path}: line {number + 2} is not a recorded game of {game.name}: "
                f"{reason}"
            ) from error
        report.games += 1
        if found is not None:
            report.mismatches += 1
            report.first = report.first or found
        progress(number + 1, total)
    if not report.games:
        raise RecordError(f"{path}: no games after the header")
    report.known_deviations = dict(deviations)
    report.ends_left_out = dict(left_out)
    return report


def _model(
    game: Game,
    records: TagRecords,
    header: Mapping[str, Any],
    line: Mapping[str, Any],
    models: dict[tuple, ForwardModel],
) -> ForwardModel:
    """Return the forward model of a recorded game's variant, made once."""
    variant = records.variant(header, line)
    key = tuple(variant.values())
    if key not in models:
        models[key] = game.rules.model(**variant)
    return models[key]


def _first_difference(
    game: Game, model: ForwardModel, path: Path, number: int, line: dict[str, Any]
) -> tuple[Mismatch | None, bool]:
    """Replay one game as far as record and rules agree.

    Returns:
        The first difference, and whether there is one or all was compared up to the
        results, if the game has any.
    """
    assert game.tag_records is not None
    is_whole = not line["finished"]
    for ply, what, recorded, found, state in game.tag_records.compared(model, line):
        if recorded != found:
            index = int(line.get("id", number))
            board = game.ansi(model, state, None)
            return Mismatch(str(path), index, ply, what, recorded, found, board), True
        is_whole |= what == RESULTS
    return None, is_whole
