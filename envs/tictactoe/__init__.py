"""# Tic-Tac-Toe.

| | |
|---|---|
| Import | `from mcts_agents.envs import tictactoe` |
| Ids | `mcts_agents/tictactoe-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2: `player_0` (X), `player_1` (O) |
| Action shape | 9 |
| Observation shape | (3, 3, 3) |
| Observation values | 0, 1 |
| Moves | in turn |
| Hidden information, chance | none |

Players take turns to put their mark on an empty cell; X moves first. The first player
with three marks in a row, a column or a diagonal wins; a full board without such a line
is a draw.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (3, 3, 3): planes
of the board, rows from the top, columns from the left, as seen by the observing player.

| plane | 1 where |
|---|---|
| 0 | my marks are |
| 1 | the opponent's marks are |
| 2 | everywhere, if I am to move |

The mask is 1 for legal actions of the player to move, and all zeros for the opponent.

## Action space

| action | cell |
|---|---|
| 0, 1, 2 | a1, b1, c1 (top row) |
| 3, 4, 5 | a2, b2, c2 |
| 6, 7, 8 | a3, b3, c3 |

Letters name columns from the left, and numbers name rows from the top.

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the opponent; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=2)`; `render_mode` is `human`, `rgb_array` or `ansi`.

## Scores

For searches that use scores, a win scores 1, a draw 0.5, a loss -1 and an unfinished
game 0, as in Goodman, Perez-Liebana, Lucas, "MultiTree MCTS in tabletop games" (CoG
2022).

## Recorded games

`mcts-agents verify tictactoe FILE` compares these rules with games recorded with
OpenSpiel.

## Version history

- v0: first version.
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.tictactoe.draw import ansi, paint, regions, size
from mcts_agents.envs.tictactoe.notation import (
    format_action,
    parse_action,
    recorded_variant,
)
from mcts_agents.envs.tictactoe.rules import rules

GAME = Game(
    name="tictactoe",
    version=0,
    title="Tic-Tac-Toe",
    rules=rules,
    player_counts=(2,),
    simultaneous=False,
    format_action=format_action,
    parse_action=parse_action,
    ansi=ansi,
    size=size,
    paint=paint,
    regions=regions,
    recorded_variant=recorded_variant,
)
raw_env, env, parallel_env = environments(GAME)
