"""Write a page for each game into docs/games, and the list of these pages.

A page is the docstring of the game's package (what `help` shows), with a picture of a
position. `python docs/make_games.py` makes them; a test asserts that all of them are
up to date. `python docs/pictures/games.py` draws the pictures.
"""

import importlib
from pathlib import Path

from mcts_agents.envs import GAMES, load_game

PAGES = Path(__file__).parent / "games"

HEAD = """# Games

Made by `python docs/make_games.py`. Each page has the rules, the spaces of actions and
observations, the rewards, the options and the sources of a game; in Python,
`help("mcts_agents.envs.hex")` shows the same.
"""


def page(name: str) -> str:
    """Return the page of a game."""
    text = importlib.import_module(f"mcts_agents.envs.{name}").__doc__
    heading, body = text.split("\n", 1)
    title = load_game(name).title
    picture = f"![A position of {title}](../pictures/games/{name}.png)"
    return f"{heading.rstrip('.')}\n\n{picture}\n{body}"


def index() -> str:
    """Return the list of all pages, by title."""
    titles = sorted((load_game(name).title, name) for name in GAMES)
    return HEAD + "\n" + "\n".join(f"- [{title}]({name}.md)" for title, name in titles)


def pages() -> dict[str, str]:
    """Return the text of each page by the name of its file."""
    made = {f"{name}.md": page(name) for name in GAMES}
    return made | {"README.md": index() + "\n"}


def main() -> None:
    """Write all pages."""
    PAGES.mkdir(exist_ok=True)
    for name, text in pages().items():
        (PAGES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
