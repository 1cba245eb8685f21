"""Colt Express: TAG's recordings, invariants of random play, and hidden cards."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mcts_agents.envs.colt_express import cards
from mcts_agents.envs.colt_express.recordings import compared
from mcts_agents.envs.colt_express.rules import rules
from mcts_agents.model import ForwardModel, new_generator

RECORDED = Path(__file__).parents[1] / "recordings" / "tag" / "colt_express.jsonl.gz"
GAMES = 60


@pytest.fixture(scope="module")
def recorded() -> list[dict]:
    """The recorded games in this folder."""
    with gzip.open(RECORDED, "rt") as lines:
        return [json.loads(line) for line in lines][1:]


def first_difference(game: dict) -> str | None:
    """Replay a recorded game; return what is different, if anything."""
    model = rules.model(players=game["players"], asks_forced=True)
    for ply, what, expected, found, _ in compared(model, game):
        if expected != found:
            return f"step {ply}: {what}: {expected} {found}"
    return None


def test_recorded_games_are_replayed(recorded: list[dict]) -> None:
    assert [first_difference(game) for game in recorded] == [None] * len(recorded)


def _count(game: dict) -> None:
    game["start"]["decks"][0].append("shoot")


def _target(game: dict) -> None:
    step = next(step for step in game["steps"] if step["a"].startswith("shoot "))
    step["legal"] = ["shoot 0", "shoot 1", "shoot nobody"]


def _score(game: dict) -> None:
    step = next(step for step in game["steps"] if "score" in step["d"])
    step["d"]["score"] = [score + 50 for score in step["d"]["score"]]


def _order(game: dict) -> None:
    step = next(step for step in game["steps"] if "player" in step["d"])
    step["d"]["player"] = 1 - step["d"]["player"]


def _end(game: dict) -> None:
    game["results"] = ["draw"] * game["players"]


@pytest.mark.parametrize("fault", [_count, _target, _score, _order, _end])
def test_faults_are_found(recorded: list[dict], fault: Callable) -> None:
    game = json.loads(json.dumps(recorded[0]))
    fault(game)
    assert first_difference(game) is not None


def _check_conserved(model: ForwardModel, state: np.ndarray) -> None:
    view, players = model.view(state), model.players
    queue = range(int(view["executed"]), int(view["queued"]))
    for seat in range(players):
        held = view["hands"][seat].astype(int) + view["decks"][seat]
        for place in queue:
            held[view["cards"][place]] += view["owners"][place] == seat
        assert (
            held[: cards.PLAYABLE].tolist() == cards.COPIES[: cards.PLAYABLE].tolist()
        )
    assert view["places"][:players].max() < 2 * (players + 1)
    jewels = view["on_train"][:, cards.JEWEL].sum() + view["loot"][:, cards.JEWEL].sum()
    assert jewels <= 5


@pytest.mark.parametrize("asks_forced", [False, True])
def test_random_play_conserves_cards(asks_forced: bool) -> None:
    rng, chooser = new_generator(7), np.random.default_rng(7)
    for number in range(GAMES):
        model = rules.model(players=2 + number % 5, asks_forced=asks_forced)
        state = model.reset(rng)
        while not model.is_over(state):
            (player,) = model.movers(state)
            legal = model.legal_actions(state, player).tolist()
            assert legal == sorted(set(legal))
            assert len(legal) > (0 if asks_forced else 1)
            model.apply(state, {player: int(chooser.choice(legal))}, rng)
            _check_conserved(model, state)
            if chooser.random() < 0.2 and not model.is_over(state):
                _check_world(model, state, int(chooser.integers(model.players)), rng)


def _check_world(
    model: ForwardModel, state: np.ndarray, observer: int, rng: np.ndarray
) -> None:
    """A world that the observer thinks possible keeps all that he knows."""
    world = state.copy()
    model.redeterminise(world, observer, rng)
    _check_conserved(model, world)
    true, other = model.view(state), model.view(world)
    for name in ("hands", "decks", "loot"):
        assert (true[name][observer] == other[name][observer]).all()
    for name in ("places", "bullets", "owners", "face_up", "marshal", "player"):
        assert (true[name] == other[name]).all()
    for name in ("on_train", "loot"):
        assert (true[name][:, 6:] == other[name][:, 6:]).all()
        purses = [view[name][:, :6].sum(1).tolist() for view in (true, other)]
        assert purses[0] == purses[1]
    shown = int(true["round"]) + 1
    assert (true["rounds"][:shown] == other["rounds"][:shown]).all()
    for place in range(int(true["executed"]), int(true["queued"])):
        if true["face_up"][place] or true["owners"][place] == observer:
            assert true["cards"][place] == other["cards"][place]
        else:
            assert other["cards"][place] < cards.PLAYABLE
