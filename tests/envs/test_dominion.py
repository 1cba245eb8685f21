"""Dominion: TAG's recordings, and invariants of random play."""

import copy
import gzip
import json

import numpy as np
import pytest

from mcts_agents.envs.dominion.recordings import compared
from mcts_agents.envs.dominion.rules import rules
from mcts_agents.model import ForwardModel, draw_below, new_generator
from tests.golden import golden_folder

MODELS = {players: rules.model(players=players) for players in (2, 3, 4)}


@pytest.fixture(scope="module")
def recorded() -> list[dict]:
    """All recorded games."""
    with gzip.open(golden_folder("tag") / "dominion.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines][1:]


def first_difference(game: dict) -> str | None:
    """Replay a recorded game; return what is different, if anything."""
    for ply, what, expected, found, _ in compared(MODELS[game["players"]], game):
        if expected != found:
            return f"step {ply}: {what}: {expected} {found}"
    return None


def test_recorded_games_are_replayed(recorded: list[dict]) -> None:
    assert {game["players"] for game in recorded} == {2, 3, 4}
    assert [first_difference(game) for game in recorded] == [None] * len(recorded)


def test_other_results_and_legal_sets_are_noticed(recorded: list[dict]) -> None:
    wrong = copy.deepcopy(recorded[0])
    wrong["results"] = ["draw"] * wrong["players"]
    assert "result" in str(first_difference(wrong))
    wrong = copy.deepcopy(recorded[0])
    wrong["steps"][5]["legal"] = [*wrong["steps"][5]["legal"], "gain gold"]
    assert "step 5" in str(first_difference(wrong))


def random_action(model: ForwardModel, state: np.ndarray, rng: np.ndarray) -> dict:
    """Return a uniformly random joint action."""
    (player,) = model.movers(state)
    legal = model.legal_actions(state, player)
    return {player: int(legal[draw_below(rng, len(legal))])}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_end_and_worlds_keep_what_is_known(players: int) -> None:
    model, rng = MODELS[players], new_generator(players)
    for _ in range(10):
        state = model.reset(rng)
        for _ in range(20_000):
            if model.is_over(state):
                break
            (player,) = model.movers(state)
            world = model.copy(state)
            model.redeterminise(world, player, rng)
            assert model.movers(world) == (player,)
            for of in (model.legal_actions, model.observe):
                assert of(world, player).tolist() == of(state, player).tolist()
            assert model.scores(world).tolist() == model.scores(state).tolist()
            model.apply(state, random_action(model, state, rng), rng)
        assert model.is_over(state)
