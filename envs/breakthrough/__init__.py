"""# Breakthrough.

| | |
|---|---|
| Import | `from mcts_agents.envs import breakthrough` |
| Ids | `mcts_agents/breakthrough-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2: `player_0` (black, b), `player_1` (white, w) |
| Action shape | rows * columns * 6 (384) |
| Observation shape | (3, rows, columns) |
| Observation values | 0, 1 |
| Moves | in turn |
| Hidden information, chance | none |

Each player has two rows of pawns. A pawn moves one row forward: straight ahead onto an
empty square, or diagonally onto an empty square or a pawn of the opponent, which it
captures. Captures are optional, and nobody can pass. The player who brings a pawn to
the far row, or who captures the last pawn of the opponent, wins. There are no draws,
and the player to move always has a legal move.

Player 0 begins on the upper two rows, moves down, and has the first move.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (3, rows, columns):
planes of the board, rows from the top, columns from the left.

| plane | 1 where |
|---|---|
| 0 | my pawns are |
| 1 | the opponent's pawns are |
| 2 | everywhere, if I am to move |

The mask is 1 for legal actions of the player to move, and all zeros for the opponent.

## Action space

Action `(player * squares + row * columns + column) * 3 + step` moves the pawn on that
square, with rows from the top. The step is 0 diagonally to the left, 1 straight ahead
and 2 diagonally to the right, as seen by the player who moves. In text, an action is
the square that the pawn leaves followed by the square that it reaches, such as `a7b6`.
Letters name columns from the left, and numbers name rows from the bottom. `a7-b6` and
`a7b6*` are also accepted.

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
0.7) is the difference in pawns, divided by the number of pawns on the board. The second
(weight 0.3) is the difference in rows between the players' foremost pawns, each counted
from its player's home edge, divided by `rows - 1`. The sum is rescaled from the range
-1 to 1 to the range 0 to 1. The value of an action is 1 if the pawn reaches the far
row. Otherwise it is 0.4 times the share of the way across the board that the pawn has
then covered, plus 0.5 if the move captures. A turn is one move, and a round is two.

## Recorded games

`mcts-agents verify breakthrough FILE` compares these rules with games recorded with
OpenSpiel, on a board of any size.

## Version history

- v0: first version.

## Sources

D. Troyka, Breakthrough (2000). T. Cazenave, "Monte Carlo Permutation Search" (2025),
for the codes of moves.
"""

from mcts_agents.envs.breakthrough.notation import recorded_variant
from mcts_agents.envs.breakthrough.rules import rules
from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.through.draw import ansi, paint, regions, size
from mcts_agents.envs.through.notation import format_action, parse_action

GAME = Game(
    name="breakthrough",
    version=0,
    title="Breakthrough",
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
