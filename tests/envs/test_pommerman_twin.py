"""Pommerman's step against an independent one in plain Python."""

import numpy as np
import pytest

from mcts_agents.envs.pommerman.archives import read_arrays, recorded_position
from mcts_agents.envs.pommerman.official import OFFICIAL, position, set_position
from mcts_agents.envs.pommerman.rules import rules
from mcts_agents.model import new_generator
from tests.envs.pommerman_positions import crowded, plain
from tests.envs.pommerman_twin import twin_of
from tests.golden import golden_folder

VARIANTS = {
    "ffa": ({}, 10),
    "small": ({"players": 2}, 10),
    "team": ({"mode": "team"}, 10),
    "radio": ({"mode": "radio"}, 4),
}
every_variant = pytest.mark.parametrize("label", VARIANTS)


def twin_at(model, state, cap):
    team = model.variant["mode"] != "ffa"
    return twin_of(position(model, state), cap, "team" if team else "ffa")


def follow(model, state, twin, rng, most_steps):
    """Step both at random to the end of the game; everything must be equal."""
    moves = int(model.game["message_bits"][0])
    for _ in range(most_steps):
        actions = rng.integers(0, 6, model.players)
        model.apply(state, [int(a) << moves for a in actions], new_generator(0))
        twin.step(actions.tolist())
        assert plain(position(model, state)) == twin.picture()
        assert model.is_over(state) == twin.done()
        if model.is_over(state):
            break


@every_variant
def test_random_games(label):
    options, cap = VARIANTS[label]
    model, rng = rules.model(**options), np.random.default_rng(1)
    generator = new_generator(2)
    for _ in range(25):
        state = model.reset(generator)
        follow(model, state, twin_at(model, state, cap), rng, 100)


@every_variant
def test_crowded_positions(label):
    options, cap = VARIANTS[label]
    model, rng = rules.model(**options), np.random.default_rng(3)
    for _ in range(300):
        state = crowded(model, rng)
        follow(model, state, twin_at(model, state, cap), rng, 6)


def test_recorded_positions_with_other_actions():
    arrays = read_arrays(golden_folder("pommerman") / "midgame.npz")
    model, rng = rules.model(**OFFICIAL["PommeTeam-v0"]), np.random.default_rng(4)
    for game in range(0, len(arrays["game_meta"]), 4):
        from_record = recorded_position(arrays, int(arrays["game_state0"][game]))
        state = model.new_state()
        set_position(model, state, from_record)
        follow(model, state, twin_of(from_record, 10, "team"), rng, 6)
