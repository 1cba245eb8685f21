"""# Knightthrough.

| | |
|---|---|
| Import | `from mcts_agents.envs import knightthrough` |
| Ids | `mcts_agents/knightthrough-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2: `player_0` (black, b), `player_1` (white, w) |
| Action shape | rows * columns * 8 (512) |
| Observation shape | (3, rows, columns) |
| Observation values | 0, 1 |
| Moves | in turn |
| Hidden information, chance | none |

Breakthrough played with knights: each player has two rows of them. A knight moves as in
chess, but only forward: two rows forward and one column to a side, or one row forward
and two columns to a side. It jumps over anything in between. It may land on an empty
square or on an opponent's knight, which it captures. Captures are optional, and nobody
can pass. The player who brings a knight to the far row, or who captures the last knight
of the opponent, wins. There are no draws, and the player to move always has a legal
move.

Player 0 begins on the upper two rows, moves down, and has the first move.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (3, rows, columns):
planes of the board, rows from the top, columns from the left.

| plane | 1 where |
|---|---|
| 0 | my knights are |
| 1 | the opponent's knights are |
| 2 | everywhere, if I am to move |

The mask is 1 for legal actions of the player to move, and all zeros for the opponent.

## Action space

Action `(player * squares + row * columns + column) * 4 + step` moves the knight on that
square, with rows from the top. As seen by the player who moves, steps 0 and 1 go two
rows forward and one column to the left or right, and steps 2 and 3 go one row forward
and two columns to the left or right. In text, an action is the square that the knight
leaves followed by the square that it reaches, such as `a7b5`. Letters name columns from
the left, and numbers name rows from the bottom. `a7-b5` and `a7b5*` are also accepted.

## Rewards

| won | lost |
|---|---|
| +1 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the opponent; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=2, rows=8, columns=8)`

- `rows`: rows of the board, 6 to 16.
- `columns`: columns of the board, 4 to 10. A board has at most 64 squares.

## Codes, values and turns

The exact code of a move is twice its action, plus 1 if the move captures. The
evaluation of an unfinished position is a weighted sum of two leads. The first (weight
0.7) is the difference in knights, divided by the number of knights on the board. The
second (weight 0.3) is the difference in rows between the players' foremost knights,
each counted from its player's home edge, divided by `rows - 1`. The sum is rescaled
from the range -1 to 1 to the range 0 to 1. The value of an action is 1 if the knight
reaches the far row. Otherwise it is 0.4 times the share of the way across the board
that the knight has then covered, plus 0.5 if the move captures. A turn is one move, and
a round is two.

## Version history

- v0: first version.

## Sources

T. Cazenave, "Monte Carlo Permutation Search" (2025), for the codes of moves.
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.knightthrough.rules import rules
from mcts_agents.envs.through.draw import ansi, paint, regions, size
from mcts_agents.envs.through.notation import format_action, parse_action

GAME = Game(
    name="knightthrough",
    version=0,
    title="Knightthrough",
    rules=rules,
    player_counts=(2,),
    simultaneous=False,
    format_action=format_action,
    parse_action=parse_action,
    ansi=ansi,
    size=size,
    paint=paint,
    regions=regions,
)
raw_env, env, parallel_env = environments(GAME)
