"""The tables of a store, and records as rows; `store_rows` is the inverse."""

import json
from datetime import UTC, datetime
from typing import Any

import numpy as np

from mcts_agents.arena.playing.fixtures import Failure, GameRecord

Row = tuple[Any, ...]

# Version of the tables, in SQLite's `user_version`; no release had 1.
FORMAT = 2
# Marks a store among SQLite files: "mcts" in ASCII, in SQLite's `application_id`.
APPLICATION = 0x6D637473

TABLES = """
CREATE TABLE tournament (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    description TEXT NOT NULL,
    total INTEGER NOT NULL
);
CREATE TABLE games (
    number INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    players INTEGER NOT NULL,
    budget TEXT NOT NULL,
    round INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    moves TEXT NOT NULL,
    decisions INTEGER NOT NULL,
    seconds REAL NOT NULL,
    version TEXT NOT NULL,
    ended TEXT NOT NULL,
    UNIQUE (game, players, budget, round)
);
CREATE TABLE seats (
    number INTEGER NOT NULL REFERENCES games,
    seat INTEGER NOT NULL,
    agent TEXT NOT NULL,
    spec TEXT NOT NULL,
    seed INTEGER NOT NULL,
    result TEXT NOT NULL,
    win REAL NOT NULL,
    rank REAL NOT NULL,
    score REAL NOT NULL,
    decisions INTEGER NOT NULL,
    seconds REAL NOT NULL,
    simulations INTEGER NOT NULL,
    searches INTEGER NOT NULL,
    depth REAL NOT NULL,
    decision_seconds BLOB NOT NULL,
    team INTEGER NOT NULL,
    PRIMARY KEY (number, seat)
) WITHOUT ROWID;
CREATE TABLE failures (
    number INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    players INTEGER NOT NULL,
    budget TEXT NOT NULL,
    round INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    seats TEXT NOT NULL,
    error TEXT NOT NULL,
    details TEXT NOT NULL,
    ended TEXT NOT NULL
);
"""

GAME_COLUMNS = (
    "number, game, players, budget, round, seed, moves, decisions, seconds, version, "
    "ended"
)
SEAT_COLUMNS = (
    "number, seat, agent, spec, seed, result, win, rank, score, decisions, seconds, "
    "simulations, searches, depth, decision_seconds, team"
)
FAILURE_COLUMNS = (
    "number, game, players, budget, round, seed, seats, error, details, ended"
)


def game_rows(record: GameRecord) -> tuple[Row, list[Row]]:
    """Return the row of `games` and those of `seats`, with the columns named above."""
    setting = record.setting
    game = (
        record.number,
        setting.game,
        setting.players,
        setting.budget,
        record.round,
        record.seed,
        json.dumps(record.moves, separators=(",", ":")),
        len(record.moves),
        record.seconds,
        record.version,
        _now(),
    )
    seats = [
        (
            record.number,
            number,
            seat.agent,
            seat.spec,
            seat.seed,
            seat.result,
            seat.win,
            seat.rank,
            seat.score,
            len(seat.seconds),
            float(np.sum(seat.seconds, dtype=np.float64)),
            seat.simulations,
            seat.searches,
            seat.depth,
            np.asarray(seat.seconds, "<f4").tobytes(),
            seat.team,
        )
        for number, seat in enumerate(record.seats)
    ]
    return game, seats


def failure_row(failure: Failure) -> Row:
    """Return the row of `failures`."""
    fixture = failure.fixture
    return (
        fixture.number,
        fixture.setting.game,
        fixture.setting.players,
        fixture.setting.budget,
        fixture.round,
        fixture.seed,
        json.dumps([[seat.name, seat.spec] for seat in fixture.seats]),
        failure.error,
        failure.details,
        _now(),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
