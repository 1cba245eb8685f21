"""Pictures and texts of Pommerman: what will burn, and what an observer is not told."""

import os

import numpy as np
import pytest

from mcts_agents.envs import painting, pommerman
from mcts_agents.envs.pommerman.official import position, set_position
from mcts_agents.envs.pommerman.rules import rules
from mcts_agents.envs.pommerman.table import ansi, seen
from mcts_agents.model import new_generator
from tests.envs.pommerman_positions import STOP, drawn

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")


def picture(model, state, observer=None):
    pygame = painting.load_pygame()
    surface = pygame.Surface(pommerman.GAME.size(model), 0, 32)
    pommerman.GAME.paint(surface, model, state, observer)
    return pygame.surfarray.array3d(surface)


def changed(model, state, change):
    """A copy of a state whose position is changed."""
    here = position(model, state)
    change(here)
    other = state.copy()
    set_position(model, other, here)
    model.view(other)["messages"] = model.view(state)["messages"]
    return other


@pytest.mark.parametrize("trial", range(30))
def test_what_will_burn_is_what_burns(trial):
    """A bomb on a random board, and the rules played until it explodes."""
    rng = np.random.default_rng(trial)
    model = rules.model()
    state = model.reset(new_generator(trial))
    here = position(model, state)
    row, column = rng.permutation(np.argwhere(here.board == 0))[0]
    life, strength = int(rng.integers(2, 10)), int(rng.integers(2, 11))
    here.board[row, column] = 3
    here.bombs = np.array([[row, column, 0, life, strength, 0]], np.int8)
    set_position(model, state, here)
    steps = seen(model, state, None).burning_soon()
    assert set(np.unique(steps)) <= {0, life}
    stops = np.full(4, STOP, np.int32)
    for _ in range(life):
        assert not seen(model, state, None).flames.any()
        model.apply(state, stops, new_generator(0))
    assert np.array_equal(seen(model, state, None).flames > 0, steps > 0)


def test_the_first_of_several_bombs_counts_and_walls_shield():
    bombs = [(0, 0, 0, 9, 4, 0), (0, 2, 0, 4, 2, 0)]
    model, state = drawn("...+..", "#.....", "......", bombs=bombs)
    steps = seen(model, state, None).burning_soon()
    assert steps[0, :5].tolist() == [9, 4, 4, 4, 0]
    assert steps[1, :3].tolist() == [0, 0, 4]
    assert steps[2].max() == 0


HIDDEN = {
    "a bomb's owner": lambda here: here.bombs.__setitem__((0, 2), 3),
    "what others can lay": lambda here: here.agent_ammo.__setitem__(1, 5),
    "how far others reach": lambda here: here.agent_blast.__setitem__(1, 5),
    "whether others kick": lambda here: here.agent_kick.__setitem__(1, 1),
    "a bomb far away": lambda here: here.bombs.__setitem__((1, 3), 2),
    "how far that one reaches": lambda here: here.bombs.__setitem__((1, 4), 10),
    "flames far away": lambda here: here.flames.__setitem__((0, 2), 0),
}
SHOWN = {
    "a bomb's steps": lambda here: here.bombs.__setitem__((0, 3), 2),
    "a bomb's reach": lambda here: here.bombs.__setitem__((0, 4), 3),
    "where it rolls": lambda here: here.bombs.__setitem__((0, 5), 4),
    "what it can lay": lambda here: here.agent_ammo.__setitem__(0, 5),
}


def in_the_fog():
    """Player 0 in a corner; a bomb, flames and player 1 beyond its view."""
    bombs = [(1, 2, 1, 7, 2, 0), (0, 8, 1, 7, 2, 0)]
    rows = ("0........2", "..........", "......*.1.", "..3.......")
    return drawn(*rows, bombs=bombs, cap=4)


@pytest.mark.parametrize("what", HIDDEN)
def test_pictures_for_a_player_tell_nothing_that_is_hidden(what):
    model, state = in_the_fog()
    other = changed(model, state, HIDDEN[what])
    assert (picture(model, state) != picture(model, other)).any()
    assert np.array_equal(picture(model, state, 0), picture(model, other, 0))
    assert ansi(model, state, 0) == ansi(model, other, 0)


@pytest.mark.parametrize("what", SHOWN)
def test_pictures_show_what_is_seen(what):
    model, state = in_the_fog()
    other = changed(model, state, SHOWN[what])
    for observer in (None, 0):
        one, two = (picture(model, s, observer) for s in (state, other))
        assert (one != two).any()
        assert ansi(model, state, observer) != ansi(model, other, observer)


def test_words_are_for_the_team():
    model = rules.model(mode="radio")
    state = model.reset(new_generator(1))
    other = state.copy()
    model.view(other)["messages"][3] = 8 * 5 + 6
    for observer, hears in ((None, True), (0, False), (2, False), (1, True), (3, True)):
        one, two = (picture(model, s, observer) for s in (state, other))
        assert (one != two).any() == hears
        assert ("says 5 6" in ansi(model, other, observer)) == hears


def test_who_dies_is_shown_where_it_happens():
    model, state = drawn("0*1.......", "..........")
    alive = picture(model, state)
    model.apply(state, np.array([4, 0, 0, 0], np.int32), new_generator(0))
    left = slice(20, 20 + 3 * 48)
    assert position(model, state).agent_alive.tolist() == [0, 1, 0, 0]
    after = picture(model, state)
    assert (after[left, 44:92] != alive[left, 44:92]).any()
    for observer, told in ((1, False), (0, True)):
        one = picture(model, state, observer)
        model_view = model.view(state)
        before, model_view["alive_before"] = int(model_view["alive_before"]), 2
        two = picture(model, state, observer)
        model_view["alive_before"] = before
        assert (one != two).any() == told
