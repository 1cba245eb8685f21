"""# Hex.

| | |
|---|---|
| Import | `from mcts_agents.envs import hex` |
| Ids | `mcts_agents/hex-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2: `player_0` (red, X), `player_1` (blue, O) |
| Action shape | size * size (49) |
| Observation shape | (3, size, size) |
| Observation values | 0, 1 |
| Moves | in turn |
| Hidden information, chance | none |

Players put a stone of their colour on an empty cell of a rhombic board in turn, and
stones never move. Player 0 wins by a chain from the top row to the bottom row, player
1 by one from the left column to the right column. Exactly one of them can; there are
no draws. There is no swap move: a forced first stone takes the place of it.

Cell (r, c) touches (r-1, c), (r-1, c+1), (r, c-1), (r, c+1), (r+1, c-1), (r+1, c).

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (3, size, size):
planes of the board, rows from the top, columns from the left.

| plane | 1 where |
|---|---|
| 0 | my stones are |
| 1 | the opponent's stones are |
| 2 | everywhere, if I am to move |

The mask is 1 for legal actions of the player to move, and all zeros for the other.

## Action space

Action `row * size + column` puts a stone on that cell, written with a letter for the
column and a number for the row, both from the top left: `c2` is row 1, column 2.

## Rewards

| won | lost |
|---|---|
| +1 | -1 |

At the end of the game; 0 before. In `env` an illegal action ends the game with -1 for
the player and 0 for the opponent, in `raw_env` and `parallel_env` it is an error.

## Options

`env(render_mode=None, players=2, size=7, first_cell=None)`

- `size`: cells a side, 3 to 19.
- `first_cell`: player 0's first stone lies on this cell already, and player 1 moves
  first; a name such as `"c3"` or a number `row * size + column`. On 7x7 `"c3"` is the
  set-up of T. Cazenave, "Monte Carlo Permutation Search" (2025), if its (2, 2) counts
  from 0, and `"b2"` if it counts from 1.

## Recorded games

`mcts-agents verify hex FILE` compares these rules with games that OpenSpiel has
recorded, with or without a first stone.

## Version history

- v0: first version.
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.hex.draw import ansi, paint, regions, size
from mcts_agents.envs.hex.notation import (
    format_action,
    parse_action,
    recorded_variant,
)
from mcts_agents.envs.hex.rules import rules

GAME = Game(
    name="hex",
    version=0,
    title="Hex",
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
