"""Games of OpenSpiel as games of this package: `open_spiel:breakthrough`.

A name is `open_spiel:` and what `pyspiel.load_game` takes. Options follow as for every
game, so `open_spiel:hex(board_size=7)` and `open_spiel:hex:board_size=7` are the same
game. See the page "Games of OpenSpiel".
"""

import functools

from mcts_agents.envs.game import Game
from mcts_agents.envs.open_spiel.model import SpielModel
from mcts_agents.envs.open_spiel.names import ansi, format_action, rewards
from mcts_agents.envs.open_spiel.rules import PREFIX, SpielRules
from mcts_agents.envs.text_game import game_from_rules
from mcts_agents.names import parse_spec, quoted

__all__ = ["PREFIX", "SpielModel", "SpielRules", "load_spiel_game", "parse_spiel_spec"]


@functools.cache
def load_spiel_game(name: str) -> Game:
    """Return the game of a name that begins with PREFIX.

    Raises:
        ValueError: OpenSpiel has no such game, or it cannot be played here.
        MissingExtraError: OpenSpiel is not installed.
    """
    rules = SpielRules(name.removeprefix(PREFIX))
    return game_from_rules(
        rules,
        title=rules.title,
        player_counts=rules.player_counts,
        simultaneous=rules.at_once,
        format_action=format_action,
        ansi=ansi,
        official_rewards=rewards,
    )


def parse_spiel_spec(spec: str) -> tuple[str, dict[str, object]]:
    """Split a spec that begins with PREFIX into its name and its options.

    Raises:
        ValueError: See `mcts_agents.names.parse_spec`; or parentheses do not match.
    """
    depth, end = 0, len(spec)
    for at in range(len(PREFIX), len(spec)):
        depth += {"(": 1, ")": -1}.get(spec[at], 0)
        if depth < 0:
            break
        if spec[at] == ":" and depth == 0:
            end = at
            break
    if depth != 0:
        raise ValueError(f"{quoted(spec)}: parentheses do not match")
    _, options = parse_spec(f"game{spec[end:]}")
    return spec[:end].strip(), options
