"""Recorded games of Virus! are replayed, and faults of the rules are found."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mcts_agents.envs.virus.recordings import RECORDS
from mcts_agents.envs.virus.rules import rules
from mcts_agents.model import ForwardModel
from tests.golden import SMALL_SET, exactly, golden_folder

FILE = "virus.jsonl.gz"
SEATS = (2, 3, 4, 5, 6)


def read(path: Path) -> list[dict]:
    """Return a file's header and games."""
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def models() -> dict[int, ForwardModel]:
    """The model for each number of players."""
    return {players: rules.model(players=players) for players in SEATS}


@pytest.fixture
def drawn() -> dict:
    """A recorded game of two players that lasts 100 rounds."""
    return read(SMALL_SET / "tag" / FILE)[1]


@pytest.fixture
def won() -> dict:
    """A recorded game of four players that one of them wins."""
    return read(SMALL_SET / "tag" / FILE)[3]


def first_difference(models: dict[int, ForwardModel], game: dict) -> str | None:
    """Replay a recorded game; return what is different, if anything."""
    for ply, what, expected, found, _ in RECORDS.compared(
        models[game["players"]], game
    ):
        if expected != found:
            return f"step {ply}: {what}: {expected} {found}"
    return None


def test_recorded_games_are_replayed(models: dict[int, ForwardModel]) -> None:
    header, *games = read(golden_folder("tag") / FILE)
    assert RECORDS.variant(header, games[0]) == {"players": games[0]["players"]}
    assert [first_difference(models, game) for game in games] == [None] * len(games)
    assert len(games) == exactly("tag: games of virus", 76)
    steps = sum(len(game["steps"]) for game in games)
    assert steps == exactly("tag: steps of virus", 12978)


def test_deviations_are_late_draws_only(won: dict, drawn: dict) -> None:
    """The steps that are not compared: the last turn of round 100 and one more."""
    assert not any("tag_bug" in step for step in won["steps"])
    late = [ply for ply, step in enumerate(drawn["steps"]) if "tag_bug" in step]
    assert late == [199, 200]


def _count(game: dict) -> None:
    step = next(step for step in game["steps"] if "discards" in step["d"])
    step["d"]["discards"].append("virus heart")


def _target(game: dict) -> None:
    step = next(step for step in game["steps"] if step["a"].startswith("virus "))
    other = step["legal"].index(step["a"])
    step["legal"][other] = f"virus wild on {step['p']} heart"


def _score(game: dict) -> None:
    game["scores"][0] += 1


def _order(game: dict) -> None:
    step = next(step for step in game["steps"] if "player" in step["d"])
    step["d"]["player"] = (step["d"]["player"] + 1) % game["players"]


def _end(game: dict) -> None:
    game["results"] = ["draw"] * game["players"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (_count, "discards after the step"),
        (_target, "the set of legal moves"),
        (_score, "the scores"),
        (_order, "player after the step"),
        (_end, "the results"),
    ],
)
def test_faults_are_found(
    models: dict[int, ForwardModel],
    won: dict,
    fault: Callable[[dict], None],
    words: str,
) -> None:
    assert first_difference(models, won) is None
    fault(won)
    assert words in str(first_difference(models, won))


def test_another_rule_book_is_found() -> None:
    """The games meet what the published rules change: the glove and transplants."""
    model = rules.model(players=4, rulebook="published")
    games = [g for g in read(SMALL_SET / "tag" / FILE)[1:] if g["players"] == 4]
    for game in games:
        assert "the set of legal moves" in str(first_difference({4: model}, game))
    assert games


def test_an_early_draw_is_found(models: dict[int, ForwardModel], drawn: dict) -> None:
    drawn["steps"][150]["tag_bug"] = "made up"
    assert "step 150: whether the game is drawn" in str(first_difference(models, drawn))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("phase", "over", "phase 'over'"),
        ("player", 2, "player 2"),
        ("round", 101, "round 101"),
        ("hands", [[], [], []], "hands not of 2 players"),
        ("discards", ["glove"], "the cards"),
    ],
)
def test_no_states_of_the_variant_are_refused(
    models: dict[int, ForwardModel], drawn: dict, name: str, value: object, words: str
) -> None:
    drawn["start"][name] = value
    with pytest.raises(ValueError, match=words):
        first_difference(models, drawn)
