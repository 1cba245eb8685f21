"""What Pommerman tells a search, against the words of its sources in plain Python."""

import numpy as np
import pytest

from mcts_agents.envs.pommerman.archives import read_arrays, recorded_position
from mcts_agents.envs.pommerman.official import position, set_position
from mcts_agents.envs.pommerman.rules import rules
from mcts_agents.model import new_generator
from tests.envs.pommerman_positions import (
    DOWN,
    FLAMES,
    LAY,
    LEFT,
    PASSAGE,
    RIGHT,
    STOP,
    UP,
    crowded,
    drawn,
)
from tests.golden import are_enough, golden_folder

STEPS = {UP: (-1, 0), DOWN: (1, 0), LEFT: (0, -1), RIGHT: (0, 1)}
ITEMS = (6, 7, 8)


def worth_trying(found, player):
    """PommerLearn's action filter, on a position in the official program's terms."""
    own = tuple(found.agent_pos[player].tolist())
    bombs = {tuple(bomb[:2]) for bomb in found.bombs.tolist()}
    lasting = {(r, c) for r, c, life in found.flames.tolist() if life > 0}
    agents = {
        tuple(cell)
        for cell, alive in zip(found.agent_pos.tolist(), found.agent_alive, strict=True)
        if alive
    }
    moves = [STOP]
    for move, (down, right) in STEPS.items():
        there = own[0] + down, own[1] + right
        if not all(0 <= x < len(found.board) for x in there) or there in agents:
            continue
        if there in bombs:
            free = bool(found.agent_kick[player])
        elif found.board[there] == FLAMES:
            free = there not in lasting
        else:
            free = found.board[there] == PASSAGE or found.board[there] in ITEMS
        if free:
            moves.append(move)
    if found.agent_ammo[player] > 0 and own not in bombs:
        moves.append(LAY)
    return moves


def kept(model, state, player):
    return model.filter_actions(state, player).tolist()


def assert_filtered(model, state):
    found = position(model, state)
    for player in model.movers(state):
        expected = worth_trying(found, player)
        assert kept(model, state, player) == expected, (found, player)
    return len(model.movers(state))


def test_the_filter_on_recorded_positions():
    arrays = read_arrays(golden_folder("pommerman") / "midgame.npz")
    model = rules.model()
    state = model.new_state()
    states = 0
    for index in range(0, len(arrays["board"]), 3):
        set_position(model, state, recorded_position(arrays, index))
        states += assert_filtered(model, state) > 0
    assert are_enough(states, "pommerman: filtered states", 201)


@pytest.mark.parametrize("players", [2, 4])
def test_the_filter_on_crowded_boards(players):
    model = rules.model(players=players)
    rng = np.random.default_rng(4)
    for _ in range(300):
        assert_filtered(model, crowded(model, rng))


def test_the_filter_on_drawn_boards():
    cases = [
        # An agent between wood, a wall, another agent and an item.
        (("+0#", ".1."), {}, 0, {STOP, LAY}),
        (("k0.", ".#."), {}, 0, {STOP, LEFT, RIGHT, LAY}),
        # Bombs, underfoot and beside, with a kick and without.
        (("0..",), {"bombs": [(0, 0, 0, 5, 2, 0)]}, 0, {STOP, DOWN, RIGHT}),
        (("0..",), {"bombs": [(0, 1, 1, 5, 2, 0)]}, 0, {STOP, DOWN, LAY}),
        (
            ("0..",),
            {"bombs": [(0, 1, 1, 5, 2, 0)], "kick": {0: 1}},
            0,
            {STOP, DOWN, RIGHT, LAY},
        ),
        (("0..",), {"ammo": {0: 0}}, 0, {STOP, DOWN, RIGHT}),
        # Flames that burn on, and flames that are gone after the step.
        (("0*.",), {"flame_life": 1}, 0, {STOP, DOWN, LAY}),
        (("0*.",), {"flame_life": 0}, 0, {STOP, DOWN, RIGHT, LAY}),
    ]
    for rows, options, player, expected in cases:
        rows = (*rows, "...") if len(rows) == 1 else rows
        model, state = drawn(*rows, **options)
        assert set(kept(model, state, player)) == expected, rows


def test_in_radio_mode_the_filter_keeps_moves_without_words():
    model = rules.model(mode="radio", fog=False)
    plain = rules.model(mode="team")
    rng = np.random.default_rng(8)
    for _ in range(50):
        state = crowded(model, rng)
        for player in model.movers(state):
            moves = kept(plain, state, player)
            assert kept(model, state, player) == [64 * move for move in moves]


@pytest.mark.parametrize("mode", ["ffa", "team"])
def test_the_nearest_opponent_by_brute_force(mode):
    model = rules.model(mode=mode)
    rng = np.random.default_rng(6)
    none = 0
    for _ in range(400):
        state = crowded(model, rng)
        model.view(state)["alive"] = rng.integers(1, 16)
        found = position(model, state)
        for player in model.movers(state):
            others = {
                other: int(abs(found.agent_pos[player] - found.agent_pos[other]).sum())
                for other in range(4)
                if found.agent_alive[other]
                and (other - player) % (2 if mode == "team" else 4) != 0
            }
            if not others:
                none += 1
                assert model.nearest_opponent(state, player) == -1
                continue
            assert others[model.nearest_opponent(state, player)] == min(others.values())
    assert none > 10


def test_who_is_dead_is_out():
    model = rules.model()
    rng = np.random.default_rng(7)
    for _ in range(100):
        state = crowded(model, rng)
        alive = position(model, state).agent_alive
        assert [model.is_out(state, p) for p in range(4)] == [not a for a in alive]


@pytest.mark.parametrize("variant", [{}, {"mode": "team"}, {"players": 2}], ids=str)
def test_the_evaluation_shares_out_one_chance_of_winning(variant):
    model = rules.model(**variant)
    rng = np.random.default_rng(9)
    sides = 2 if model.players == 2 or variant else 4
    for _ in range(200):
        state = crowded(model, rng)
        values, found = model.evaluate(state), position(model, state)
        assert values.min() >= 0
        assert sum(values[:sides]) == pytest.approx(1.0)
        for player in range(model.players):
            mate = found.agent_alive[(player + 2) % 4] if "mode" in variant else 0
            assert (values[player] > 0) == bool(found.agent_alive[player] or mate)
            if "mode" in variant:
                assert values[player] == values[(player + 2) % 4]


def test_an_opening_is_worth_the_same_to_everybody():
    for variant, worth in [({}, 0.25), ({"players": 2}, 0.5), ({"mode": "team"}, 0.5)]:
        model = rules.model(**variant)
        state = model.reset(new_generator(0))
        assert model.evaluate(state).tolist() == [worth] * model.players


def test_better_equipment_is_worth_more():
    model, state = drawn("0.1", "...", "2.3")
    plain = model.evaluate(state)[0]
    for change in ({"ammo": {0: 2}}, {"blast": {0: 3}}, {"kick": {0: 1}}):
        model, state = drawn("0.1", "...", "2.3", **change)
        assert model.evaluate(state)[0] > plain
    # A bomb that is laid comes back, so that laying costs nothing.
    laid = {"bombs": [(1, 0, 0, 9, 2, 0)], "ammo": {0: 0}}
    model, state = drawn("0.1", "...", "2.3", **laid)
    assert model.evaluate(state)[0] == pytest.approx(plain)
