"""# Gomoku.

| | |
|---|---|
| Import | `from mcts_agents.envs import gomoku` |
| Ids | `mcts_agents/gomoku-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2: `player_0` (black, X), `player_1` (white, O) |
| Action shape | size * size (81) |
| Observation shape | (3, size, size) |
| Observation values | 0, 1 |
| Moves | in turn |
| Hidden information, chance | none |

The players take turns to put stones on the empty cells of a square board. Stones never
move. The first player with five or more stones in an unbroken line, along a row, a
column or a diagonal, wins. A full board without such a line is a draw. This is the free
form of the game: a line of more than five stones wins too, every empty cell is allowed
at any time, and there is no rule for the opening.

From the opening, a random game has 53.5 moves on 9x9.

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

Action `row * size + column` puts a stone on that cell, written with a letter for the
column and a number for the row, both from the top left: `c2` is row 1, column 2.

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the opponent; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=2, size=9)`

- `size`: cells a side, 5 to 19.

## Codes, values and turns

The exact code of a move is `player * size * size + action`. For searches that use
scores, the score is 1 for the winner. The evaluation of an unfinished position compares
the players' open lines: the lines of five cells in which the opponent has no stone. A
line with no own stone counts 1, with one 2, with two 8, with three 32 and with four
128. A player who leads by n has 0.5 + 0.5 * n / (n + 256). The weights are this
package's own.

The value of an action is 1 if its stone completes five in a row, 0.9 if it takes a cell
where the opponent would complete them, and otherwise 0.8 times the number of lines of
five through its cell, divided by the most lines through any cell of the board. Cells in
the centre therefore come first.

A turn is a stone, and a round is two.

## Recorded games

`mcts-agents verify gomoku FILE` compares these rules with games recorded with
OpenSpiel, on a board of any size.

## Version history

- v0: first version.

## Sources

T. Cazenave, "Monte Carlo Permutation Search" (2025), which plays on 9x9, for the codes
of moves. The paper does not say whether more than five in a row win; we assume that
they do.
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.gomoku.draw import ansi, paint, regions, size
from mcts_agents.envs.gomoku.notation import recorded_variant
from mcts_agents.envs.gomoku.rules import rules
from mcts_agents.envs.hex.notation import format_action, parse_action

GAME = Game(
    name="gomoku",
    version=0,
    title="Gomoku",
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
