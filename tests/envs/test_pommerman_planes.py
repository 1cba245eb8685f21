"""Pommerman as planes, against a slow twin and by what must always hold."""

import numpy as np
import pytest

from mcts_agents.envs.pommerman.observed_planes import (
    FIRST_DIRECTION,
    FLAMES_PLANE,
    MOST,
    OBSERVED_PLANES,
)
from mcts_agents.envs.pommerman.official import Position, position, set_position
from mcts_agents.envs.pommerman.planes import (
    CELL_PLANES,
    PLANE_NAMES,
    PLANES,
    planes,
)
from mcts_agents.envs.pommerman.rules import rules
from mcts_agents.model import new_generator
from mcts_agents.model.symmetries import EIGHT
from tests.envs.pommerman_planes_twin import planes_of
from tests.envs.pommerman_positions import crowded, drawn, permute_hidden

VARIANTS = {
    "all against all": {},
    "team": {"mode": "team"},
    "fog": {"mode": "team", "fog": True},
    "radio": {"mode": "radio"},
    "two": {"players": 2},
}
variants = pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)


def states(model, seed):
    """Random crowded states, and states of random games."""
    rng = np.random.default_rng(seed)
    yield from (crowded(model, rng) for _ in range(40))
    generator = new_generator(seed)
    for _ in range(3):
        state = model.reset(generator)
        while not model.is_over(state):
            yield model.copy(state)
            actions = rng.integers(0, model.actions, model.players)
            model.apply(state, actions, generator)
        yield state


@variants
def test_planes_equal_those_of_the_twin(options):
    model = rules.model(**options)
    compared = 0
    for state in states(model, 5):
        for player in range(model.players):
            found = planes(model, state, player)
            assert found.dtype == np.float32
            np.testing.assert_allclose(
                found, planes_of(model, state, player), atol=1e-6
            )
            compared += 1
    assert compared > 150


def turned(found, view):
    """Return a position seen from another side; `view` turns a grid of cells."""
    size = len(found.board)
    cells = view(np.arange(size * size).reshape(size, size))
    # By number of a cell: where it is in the twin.
    at = np.array([divmod(place, size) for place in np.argsort(cells.flat)])

    def moved(rows):
        number = rows[:, 0].astype(int) * size + rows[:, 1]
        return np.column_stack([at[number], rows[:, 2:]]).astype(rows.dtype)

    bombs = moved(found.bombs)
    bombs[:, 5] = [turned_way(view, way) for way in found.bombs[:, 5]]
    flames = moved(found.flames)
    order = np.lexsort((flames[:, 1], flames[:, 0], flames[:, 2]))
    return Position(
        board=view(found.board),
        hidden_items=view(found.hidden_items),
        agent_pos=moved(found.agent_pos),
        agent_alive=found.agent_alive,
        agent_ammo=found.agent_ammo,
        agent_blast=found.agent_blast,
        agent_kick=found.agent_kick,
        bombs=bombs,
        flames=flames[order],
        step_count=found.step_count,
    )


def turned_way(view, way):
    """Return where a direction (1 to 4; others stay) points in the twin."""
    if not 1 <= way <= 4:
        return way
    grid = np.zeros((3, 3), int)
    steps = [(0, 1), (2, 1), (1, 0), (1, 2)]  # of up, down, left, right in the grid
    grid[steps[way - 1]] = 1
    (found,) = np.argwhere(view(grid)).tolist()
    return steps.index(tuple(found)) + 1


@pytest.mark.parametrize("options", [{}, {"players": 2}, {"mode": "team"}])
def test_games_on_turned_boards(options):
    model = rules.model(observation="planes", **options)
    draw, generator = np.random.default_rng(8), new_generator(8)
    assert len(model.symmetries) == 1 + len(EIGHT)
    for symmetry, view in zip(model.symmetries[1:], EIGHT, strict=True):
        state, twin = model.reset(generator), model.reset(generator)
        set_position(model, twin, turned(position(model, state), view))
        while movers := model.movers(state):
            for player in range(model.players):
                found = model.observe(state, player)
                np.testing.assert_array_equal(
                    model.observe(twin, player).flat,
                    found.reshape(-1)[symmetry.observation],
                )
            joint = {player: int(draw.integers(6)) for player in movers}
            for action in joint.values():
                assert symmetry.twin_of(action) == turned_way(view, action)
            model.apply(state, joint, generator)
            model.apply(
                twin, {p: symmetry.twin_of(a) for p, a in joint.items()}, generator
            )
            assert model.movers(twin) == model.movers(state)


def test_rolling_bombs_are_turned():
    """Random games hardly ever kick: here bombs roll in crowded positions."""
    model = rules.model(observation="planes")
    draw, seen = np.random.default_rng(9), set()
    for _ in range(60):
        state = crowded(model, draw)
        for symmetry, view in zip(model.symmetries[1:], EIGHT, strict=True):
            twin = model.copy(state)
            set_position(model, twin, turned(position(model, state), view))
            for player in range(4):
                found = model.observe(state, player)
                seen |= {w for w in range(4) if found[FIRST_DIRECTION + w].any()}
                np.testing.assert_array_equal(
                    model.observe(twin, player).flat,
                    found.reshape(-1)[symmetry.observation],
                )
    assert seen == {0, 1, 2, 3}


@variants
def test_planes_are_small_numbers(options):
    model = rules.model(observation="planes", **options)
    size = int(model.game["size"][0])
    assert model.observation_shape == (OBSERVED_PLANES, size, size)
    for state in states(model, 7):
        for player in range(model.players):
            found = model.observe(state, player)
            assert found.dtype == np.int8
            assert 0 <= found.min() <= found.max() <= MOST
            assert found[FIRST_DIRECTION:FLAMES_PLANE].sum(axis=0).max() <= 1


def test_an_observation_that_there_is_not():
    with pytest.raises(ValueError, match=r"^observation='flat': expected 'offic"):
        rules.model(observation="flat")


@variants
def test_what_always_holds(options):
    model = rules.model(**options)
    size, players = int(model.game["size"][0]), model.players
    for state in states(model, 6):
        alive = position(model, state).agent_alive
        for player in range(players):
            found = planes(model, state, player)
            assert found.shape == (PLANES, size, size)
            assert found[[7, 8]].min() >= -1
            assert np.delete(found, [7, 8], axis=0).min() >= 0
            assert np.delete(found, [15, 16, 22], axis=0).max() <= 1
            # A cell is at most one of these; an agent's may hold a bomb, too.
            assert found[[0, 1, 2, 3, 4, 10, 11, 12, 13]].sum(axis=0).max() <= 1
            assert (found[6][found[5] > 0] > 0).all()
            assert (found[6][(found[7] != 0) | (found[8] != 0)] > 0).all()
            constant = found[CELL_PLANES:].reshape(PLANES - CELL_PLANES, -1)
            assert (np.ptp(constant, axis=1) == 0).all()
            assert found[10].sum() == alive[player]
            if model.game["sight"][0]:
                assert (np.count_nonzero(found[:14], axis=(1, 2)) <= 81).all()
            else:
                assert found[10:14].sum() == alive.sum() == found[18:22, 0, 0].sum()


def test_the_worlds_that_a_player_cannot_tell_apart_look_the_same():
    model = rules.model(mode="team", fog=True)
    rng = np.random.default_rng(8)
    for _ in range(20):
        state = crowded(model, rng)
        before = planes(model, state, 0)
        other = model.copy(state)
        permute_hidden(model, other, 0, rng)
        view = model.view(other)  # what others carry
        view["ammo"][1:] = rng.integers(0, 11, 3)
        view["strength"][1:] = rng.integers(2, 11, 3)
        view["kick"] = int(view["kick"]) ^ 0b1110
        assert np.array_equal(before, planes(model, other, 0))


def test_the_planes_of_a_position():
    bombs = [(0, 1, 3, 9, 4, 0), (1, 2, 0, 3, 2, 4), (2, 0, 1, 6, 2, 1)]
    model, state = drawn(
        "#+.*r", "0..b.", "1..k.", bombs=bombs, ammo={0: 2}, blast={0: 3}, steps=799
    )
    found = planes(model, state, 0)
    where = {
        n: np.argwhere(p).tolist() for n, p in zip(PLANE_NAMES, found, strict=True)
    }
    assert where["rigid"][0] == [0, 0]
    assert where["wood"] == []  # under the bomb
    assert where["extra bomb"] == [[1, 3]]
    assert where["range"] == [[0, 4]]
    assert where["kick"] == [[2, 3]]
    assert where["bomb strength"] == [[0, 1], [1, 2], [2, 0]]
    assert found[5, [0, 1, 2], [1, 2, 0]] == pytest.approx([0, 2 / 3, 1 / 3])
    assert found[6, [0, 1, 2], [1, 2, 0]] == pytest.approx([3 / 11, 1 / 11, 1 / 11])
    assert (found[7, 1, 2], found[8, 2, 0]) == (1, 1)
    assert where["flames"] == [[0, 3]]
    assert found[9, 0, 3] == 1
    assert where["self"] == [[1, 0]]
    assert where["next player"] == [[2, 0]]
    assert where["second next player"] == where["third next player"] == []
    assert found[14:, 0, 0] == pytest.approx(
        [2 / 11, 1 / 5, 3 / 5, 0, 1, 1, 0, 0, 799 / 799]
    )
    other = planes(model, state, 1)
    assert np.argwhere(other[10]).tolist() == [[2, 0]]
    assert np.argwhere(other[13]).tolist() == [[1, 0]]


def test_players_that_there_are_not():
    model = rules.model(players=2)
    with pytest.raises(ValueError, match="player=2: expected 0 to 1"):
        planes(model, model.reset(new_generator(0)), 2)
