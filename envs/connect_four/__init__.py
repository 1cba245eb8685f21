"""# Connect Four.

| | |
|---|---|
| Import | `from mcts_agents.envs import connect_four` |
| Ids | `mcts_agents/connect_four-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2: `player_0` (red, X), `player_1` (yellow, O) |
| Action shape | width (7) |
| Observation shape | (3, height, width) |
| Observation values | 0, 1 |
| Moves | in turn |
| Hidden information, chance | none |

The players take turns to drop discs into the columns of an upright board. A disc falls
to the lowest empty cell of its column. The first player with four discs in a line,
along a column, a row or a diagonal, wins; a full board without such a line is a draw.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (3, height, width):
planes of the board, rows from the top, columns from the left.

| plane | 1 where |
|---|---|
| 0 | my discs are |
| 1 | the opponent's discs are |
| 2 | everywhere, if I am to move |

The mask is 1 for legal actions of the player to move, and all zeros for the opponent.

## Action space

Action `column` drops a disc into that column, counted from 0 at the left. In text,
columns are counted from 1: `1` to `7` on the default board.

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the opponent; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=2, width=7, height=6)`

- `width`: columns, 4 to 9.
- `height`: rows, 4 to 9. `width * (height + 1)` must be at most 63, so that the board
  fits into a 64-bit word.

## Values

For searches that use scores, the score is 1 for the winner and 0 otherwise. The
evaluation of an unfinished position compares the players' open lines. A line of four
cells is open for a player if the opponent has no disc in it. It is worth 1 point if the
player has no disc in it, 2 points with one disc, 8 with two and 32 with three. If a
player's points exceed the opponent's by n, that player's evaluation is
0.5 + 0.5 * n / (n + 64), and the opponent's is 1 minus that. The weights are this
package's own.

The value of an action is 1 if its disc completes a line, and 0.9 if it blocks a cell
where the opponent would complete one. Otherwise it is 0.8 times the number of lines of
four through the disc's cell, divided by the largest such number of any cell on the
board. Central cells therefore have the highest values.

## Recorded games

`mcts-agents verify connect_four FILE` compares these rules with games recorded with
OpenSpiel.

## Version history

- v0: first version.

## Sources

H. Wexler, N. Strongin, Connect Four (Milton Bradley 1974). L. V. Allis, "A
Knowledge-based Approach of Connect-Four" (Vrije Universiteit Amsterdam 1988), which
proves that the first player wins on 7x6.
"""

from mcts_agents.envs.connect_four.draw import ansi, paint, regions, size
from mcts_agents.envs.connect_four.notation import (
    format_action,
    parse_action,
    recorded_variant,
)
from mcts_agents.envs.connect_four.rules import rules
from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game

GAME = Game(
    name="connect_four",
    version=0,
    title="Connect Four",
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
