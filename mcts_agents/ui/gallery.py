"""The games that can be played, as the first page shows them."""

import functools
from pathlib import Path
from typing import Any

from mcts_agents.envs import GAMES, EnvironmentGame, Game, known_games, load_any
from mcts_agents.envs.environment_game import SAMPLES, WORD
from mcts_agents.model import RulesError
from mcts_agents.ui.forms import text_of

THUMBNAILS = Path(__file__).parent / "static" / "games"


def gallery(own: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return all games: the user's own, those of other packages, and ours.

    Args:
        own: Names that the command line has given.
    """
    others = [name for name in known_games() if name not in GAMES]
    return [
        *(described(name) for name in dict.fromkeys((*own, *others))),
        *sorted((described(name) for name in GAMES), key=lambda row: row["title"]),
    ]


@functools.cache
def described(name: str) -> dict[str, Any]:
    """Return what is known of a game before it is compiled."""
    try:
        game = load_any(name)
        is_environment = isinstance(game, EnvironmentGame)
        about = _environment(game) if is_environment else _rules(game)
    except (RulesError, ValueError) as error:
        return {"game": name, "title": name, "error": str(error)}
    picture = f"games/{name}.webp" if (THUMBNAILS / f"{name}.webp").is_file() else ""
    return {"game": name, "title": game.title, "picture": picture, **about}


def _rules(game: Game) -> dict[str, Any]:
    options = dict(game.rules.defaults())
    players = options.pop("players")
    order = {True: ["simultaneous"], False: ["in turn"], None: []}
    tags = order[game.simultaneous]
    tags += ["hidden information"] * game.rules.has("redeterminise")
    tags += ["chance"] * bool(game.rules.chance)
    return {
        "players": list(game.player_counts),
        "default_players": players,
        "tags": tags,
        "options": {name: text_of(value) for name, value in options.items()},
    }


def _environment(game: EnvironmentGame) -> dict[str, Any]:
    players = game.shape().players
    options = {WORD: game.perfect_information, SAMPLES: game.samples}
    return {
        "players": [players],
        "default_players": players,
        "tags": ["environment"],
        "options": {name: text_of(value) for name, value in options.items()},
    }
