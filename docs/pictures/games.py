"""Draws a position of each game, from a played game: games.png, and games/NAME.png.

pip install --editable ".[pictures]"    # in the checkout
python docs/pictures/games.py
"""

import os
from pathlib import Path

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

import pygame
from PIL import Image

from mcts_agents.agents import make_agent
from mcts_agents.envs import environments, load_game

# In pixels: the whole picture, and what is left free between two games.
WIDTH, GAP = 1400, 20
# The greatest width and height of one game's picture.
MOST = (880, 560)
FOLDER = Path(__file__).parent
# Game, variant and decisions played, row by row; those of a row are of one height.
ROWS = [
    [("sushi_go", {"players": 3}, 66), ("pommerman", {}, 156)],
    [("colt_express", {"players": 3}, 29), ("dominion", {"players": 3}, 60)],
    [
        ("chinese_checkers", {"players": 3}, 42),
        ("love_letter", {"players": 3}, 9),
        ("diamant", {"players": 4}, 12),
        ("poker", {"players": 5}, 11),
    ],
    [
        ("uno", {"players": 3}, 12),
        ("exploding_kittens", {"players": 3}, 20),
        ("virus", {"players": 3}, 24),
    ],
    [
        ("hex", {"size": 9}, 40),
        ("connect_four", {}, 23),
        ("dots_and_boxes", {}, 62),
        ("tictactoe", {}, 5),
    ],
    [
        ("othello", {}, 34),
        ("rolit", {"players": 4}, 40),
        ("focus", {"players": 4}, 40),
        ("breakthrough", {}, 30),
        ("knightthrough", {}, 16),
        ("video_game", {}, 30),
    ],
    [
        ("wargame", {}, 40),
        ("investment", {}, 25),
        ("gomoku", {}, 14),
        ("nogo", {}, 18),
        ("atarigo", {}, 14),
    ],
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


def row_of(pictures):
    """Return pictures side by side, of one height, over the whole width."""
    shapes = [picture.get_width() / picture.get_height() for picture in pictures]
    height = round((WIDTH - GAP * (len(pictures) + 1)) / sum(shapes))
    row = pygame.Surface((WIDTH, height + GAP))
    row.fill((246, 243, 236))
    left = GAP
    for picture, shape in zip(pictures, shapes, strict=True):
        width = round(height * shape)
        row.blit(pygame.transform.smoothscale(picture, (width, height)), (left, 0))
        left += width + GAP
    return row


def save_alone(picture, name):
    """Write a small picture of one game, with colours of a palette."""
    pixels = pygame.surfarray.array3d(picture).transpose(1, 0, 2)
    image = Image.fromarray(pixels)
    image.thumbnail(MOST, Image.Resampling.LANCZOS)
    image.quantize(128).save(FOLDER / "games" / f"{name}.png", optimize=True)


def main():
    """Draw all games, and compose the pictures."""
    (FOLDER / "games").mkdir(exist_ok=True)
    drawn = [[(game[0], picture_of(*game)) for game in row] for row in ROWS]
    for name, picture in (game for row in drawn for game in row):
        save_alone(picture, name)
    rows = [row_of([picture for _, picture in row]) for row in drawn]
    whole = pygame.Surface((WIDTH, GAP + sum(row.get_height() for row in rows)))
    whole.fill((246, 243, 236))
    top = GAP
    for row in rows:
        whole.blit(row, (0, top))
        top += row.get_height()
    pygame.image.save(whole, FOLDER / "games.png")


if __name__ == "__main__":
    main()
