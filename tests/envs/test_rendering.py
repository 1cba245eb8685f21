"""Pictures and texts of every game, and what they leave alone."""

import copy
import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import render_test

from mcts_agents.envs import game_environment, painting
from tests.envs.variants import VARIANTS, factories, play, record

every_variant = pytest.mark.parametrize("label", VARIANTS)


@pytest.fixture
def no_window(monkeypatch):
    """Windows that nobody sees, without waiting for the next frame."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(game_environment, "RENDER_FPS", 10_000)


@every_variant
def test_render_modes(label, no_window):
    render_test(factories(label)[0])
    render_test(factories(label)[1])


@every_variant
def test_pictures_have_the_declared_size_and_follow_the_game(label):
    env = factories(label)[0](render_mode="rgb_array")
    env.reset(seed=1)
    before = env.render()
    width, height = env.game.size(env.forward_model)
    assert before.shape == (height, width, 3)
    assert before.dtype == np.uint8
    play(env, np.random.default_rng(1), most_steps=len(env.agents))
    after = env.render()
    assert (before != after).any()
    play(env, np.random.default_rng(1))
    assert (env.render() != after).any()
    env.close()
    env.close()


@every_variant
def test_texts_follow_the_game(label):
    env = factories(label)[2](render_mode="ansi")
    observations, _ = env.reset(seed=1)
    before = env.render()
    actions = {
        agent: int(observations[agent]["action_mask"].argmax()) for agent in env.agents
    }
    env.step(actions)
    assert env.render() != before
    assert "\t" not in before


@every_variant
def test_each_player_and_a_spectator_can_be_drawn_for(label):
    env = factories(label)[0]()
    env.reset(seed=1)
    model = env.forward_model
    pygame = painting.load_pygame()
    for observer in (None, *range(model.players)):
        state, _ = env.planning_state("player_0", np.ones(2, np.uint64))
        surface = pygame.Surface(env.game.size(model), 0, 32)
        env.game.paint(surface, model, state, observer)
        assert len(np.unique(pygame.surfarray.array2d(surface))) > 10
        assert env.game.ansi(model, state, observer)


@every_variant
def test_drawing_changes_nothing(label):
    plain, drawn = (factories(label)[1](mode) for mode in (None, "rgb_array"))
    shown = []
    for env in (plain, drawn):
        env.reset(seed=5)
        play(env, np.random.default_rng(5), most_steps=3)
        if env is drawn:
            env.render()
        play(env, np.random.default_rng(6))
        shown.append(record(env, np.random.default_rng(7)))
    assert shown[0] == shown[1]


@pytest.mark.parametrize("factory", [1, 2])
def test_windows_follow_the_game_by_themselves(factory, no_window):
    env = factories("tictactoe")[factory](render_mode="human")
    pygame = painting.load_pygame()
    env.reset(seed=1)
    assert pygame.display.get_caption()[0] == "Tic-Tac-Toe"
    before = pygame.surfarray.array3d(pygame.display.get_surface())
    env.step(4 if factory == 1 else {"player_0": 4})
    after = pygame.surfarray.array3d(pygame.display.get_surface())
    assert (before != after).any()
    assert env.render() is None
    env.close()
    assert not pygame.display.get_init()
    env.close()


def test_windows_are_opened_again_after_another_environment_closed_them(no_window):
    first, second = (factories("tictactoe")[1]("human") for _ in range(2))
    first.reset()
    second.reset()
    second.close()
    first.step(4)
    assert painting.load_pygame().display.get_init()
    first.close()


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]
)
def test_environments_that_were_drawn_can_be_copied(copied):
    env = factories("tictactoe")[1]("rgb_array")
    env.reset()
    env.step(4)
    picture = env.render()
    assert np.array_equal(copied(env).render(), picture)


def test_pictures_start_neither_sound_nor_window():
    code = """
import sys
from mcts_agents.envs import tictactoe
env = tictactoe.env(render_mode="rgb_array")
assert "pygame" not in sys.modules
env.reset()
env.render()
import pygame
assert pygame.font.get_init()
assert not pygame.display.get_init()
assert not pygame.mixer.get_init()
assert not pygame.get_init()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_pygame_is_named(monkeypatch):
    env = factories("tictactoe")[0]("rgb_array")
    env.reset()
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(
        gymnasium.error.DependencyNotInstalled, match=r"pip install .*\[pictures\]"
    ):
        env.render()


def test_render_without_a_mode_warns_and_before_reset_fails():
    env = factories("tictactoe")[0]()
    env.reset()
    with pytest.warns(UserWarning, match="construct the environment with one of"):
        assert env.render() is None
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        factories("tictactoe")[0]("ansi").render()
    with pytest.raises(ValueError, match="render_mode='svg': tictactoe has human, rgb"):
        factories("tictactoe")[0]("svg")


# -- the drawing helpers


def drawn(draw, size=(40, 40)):
    """Return the pixels, float of shape (40, 40), of something in black on white."""
    surface = painting.load_pygame().Surface(size, 0, 32)
    surface.fill((255, 255, 255))
    draw(surface)
    pixels = painting.load_pygame().surfarray.array3d(surface)
    return pixels.mean(axis=2) / 255


BLACK = (0, 0, 0)


@pytest.mark.parametrize(
    ("draw", "area"),
    [
        (lambda s: painting.circle(s, (20, 20), 15, BLACK), np.pi * 15**2),
        (lambda s: painting.ring(s, (20, 20), 15, BLACK, 4), np.pi * (15**2 - 11**2)),
        (lambda s: painting.polygon(s, [(2, 2), (38, 2), (2, 33)], BLACK), 36 * 31 / 2),
        (lambda s: painting.line(s, (5, 5), (32, 32), BLACK, 4), 4 * 27 * 2**0.5),
        (
            lambda s: painting.rounded_rectangle(s, (5, 5, 30, 20), 6, BLACK),
            600 - (4 - np.pi) * 6**2,
        ),
    ],
    ids=["circle", "ring", "polygon", "line", "rounded_rectangle"],
)
def test_shapes_cover_their_area_with_smooth_edges(draw, area):
    pixels = drawn(draw)
    assert (1 - pixels).sum() == pytest.approx(area, rel=0.05)
    assert ((pixels > 0.1) & (pixels < 0.9)).sum() > 10


def test_outlines_lie_around_the_filling():
    white, red = (255, 255, 255), (255, 0, 0)
    for draw in (
        lambda s: painting.circle(s, (20, 20), 15, white, BLACK, 3),
        lambda s: painting.rounded_rectangle(s, (5, 5, 30, 30), 4, white, BLACK, 3),
        lambda s: painting.polygon(
            s, [(5, 5), (35, 5), (35, 35), (5, 35)], white, BLACK, 3
        ),
    ):
        pixels = drawn(draw)
        assert pixels[20, 20] == 1
        assert pixels[0, 0] == 1
        assert pixels[5, 20] < 0.3
    assert drawn(lambda s: painting.circle(s, (20, 20), 15, red))[20, 20] < 0.4


def test_text_is_placed_by_its_anchor():
    def left_edge(anchor):
        pixels = drawn(
            lambda s: painting.text(s, "mm", (20, 20), 16, BLACK, anchor=anchor)
        )
        return np.flatnonzero((pixels < 0.9).any(axis=1))[0]

    assert left_edge("midright") < left_edge("center") < left_edge("midleft")
    assert painting.font(16) is painting.font(16)


def test_fonts_survive_a_shutdown_of_pygames_font_module():
    painting.font(20)
    painting.load_pygame().font.quit()
    assert painting.font(20).size("a")[1] > 0


def test_colors_are_mixed():
    assert painting.mixed((0, 0, 0), (100, 200, 50), 0.5) == (50, 100, 25)
    assert painting.lighter((100, 100, 100), 1) == (255, 255, 255)
    assert painting.darker((100, 100, 100), 0) == (100, 100, 100)
