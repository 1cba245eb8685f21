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

Players take turns to put a stone of their colour on an empty cell of a rhombic board.
Stones never move. Player 0 wins by connecting the top row to the bottom row with an
unbroken chain of stones, and player 1 by connecting the left column to the right
column. Exactly one of them can succeed, so there are no draws. There is no swap move;
to reduce the first player's advantage, you can fix player 0's first stone instead (see
`first_cell` below).

Each cell has up to six neighbours. Cell (r, c) touches (r-1, c), (r-1, c+1), (r, c-1),
(r, c+1), (r+1, c-1) and (r+1, c).

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (3, size, size):
planes of the board, rows from the top, columns from the left.

| plane | 1 where |
|---|---|
| 0 | my stones are |
| 1 | the opponent's stones are |
| 2 | everywhere, if I am to move |

The mask is 1 for legal actions of the player to move, and all zeros for the opponent.

## Action space

Action `row * size + column` puts a stone on that cell, with rows and columns counted
from 0 at the top left. In text, a letter names the column and a number the row, which
is counted from 1: `c2` is row 1, column 2.

## Rewards

| won | lost |
|---|---|
| +1 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the opponent; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=2, size=7, first_cell=None)`

- `size`: cells on each side of the board, 3 to 19.
- `first_cell`: where player 0's first stone lies at the start; player 1 then moves
  first. Give a name such as `"c3"` or a number `row * size + column`. None means an
  empty board and that player 0 moves first. T. Cazenave, "Monte Carlo Permutation
  Search" (2025), plays on 7x7 with the stone on (2, 2), which is `"c3"` if the paper
  counts from 0 and `"b2"` if it counts from 1.

## Recorded games

`mcts-agents verify hex FILE` compares these rules with games recorded with OpenSpiel,
with or without a first stone.

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
