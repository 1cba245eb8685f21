"""Draws games.png of this folder: a position of each game, from a played game.

pip install --editable ".[pictures]"    # in the checkout
python docs/pictures/games.py
"""

import os
from pathlib import Path

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

import pygame

from mcts_agents.agents import make_agent
from mcts_agents.envs import environments, load_game

# Game, variant, decisions played, and where it comes: left, top, width in pixels.
WIDTH, HEIGHT = 1400, 1570
PLACES = [
    ("sushi_go", {"players": 3}, 66, (20, 20, 860)),
    ("tictactoe", {}, 5, (1040, 20, 340)),
    ("chinese_checkers", {"players": 3}, 42, (20, 350, 570)),
    ("pommerman", {}, 156, (600, 345, 400)),
    ("dots_and_boxes", {}, 62, (1035, 430, 345)),
    ("love_letter", {"players": 3}, 9, (20, 860, 460)),
    ("diamant", {"players": 4}, 12, (490, 860, 430)),
    ("hex", {"size": 9}, 40, (930, 830, 450)),
    ("connect_four", {}, 23, (20, 1170, 410)),
    ("othello", {}, 34, (490, 1160, 355)),
]
PLAYERS = {"pommerman": "scripted:policy=simple_unbiased"}


def picture_of(name, variant, decisions):
    """Play some decisions and return the position as a surface."""
    raw_env, _, _ = environments(load_game(name))
    env = raw_env(render_mode="rgb_array", **variant)
    env.reset(seed=11)
    agent = make_agent(PLAYERS.get(name, "mcts:simulations=300"), seed=4)
    for _ in range(decisions):
        if not any(env.terminations.values()):
            env.step(agent.act(env))
    return pygame.surfarray.make_surface(env.render().transpose(1, 0, 2))


def main():
    """Compose the pictures."""
    whole = pygame.Surface((WIDTH, HEIGHT))
    whole.fill((246, 243, 236))
    for name, variant, decisions, (left, top, width) in PLACES:
        picture = picture_of(name, variant, decisions)
        height = round(picture.get_height() * width / picture.get_width())
        whole.blit(pygame.transform.smoothscale(picture, (width, height)), (left, top))
    pygame.image.save(whole, Path(__file__).with_name("games.png"))


if __name__ == "__main__":
    main()
