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
column or a diagonal, wins. A full board without such a line is a draw. This is the
free-style form of the game: a line of more than five stones also wins, a player may
always move to any empty cell, and there are no opening rules.

From the opening, a random game on 9x9 averages 53.5 moves.

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

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the opponent; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=2, size=9)`

- `size`: cells on each side of the board, 5 to 19.

## Codes, values and turns

The exact code of a move is `player * size * size + action`. For searches that use
scores, the score is 1 for the winner and 0 otherwise. The evaluation of an unfinished
position compares the players' open lines. A line of five cells is open for a player if
the opponent has no stone in it. It is worth 1 point if the player has no stone in it, 2
points with one stone, 8 with two, 32 with three and 128 with four. If a player's points
exceed the opponent's by n, that player's evaluation is 0.5 + 0.5 * n / (n + 256), and
the opponent's is 1 minus that. The weights are this package's own.

The value of an action is 1 if its stone completes five in a row, and 0.9 if it blocks a
cell where the opponent would complete five in a row. Otherwise it is 0.8 times the
number of lines of five through the stone's cell, divided by the largest such number of
any cell on the board. Central cells therefore have the highest values.

A turn is one stone, and a round is two.

## Recorded games

`mcts-agents verify gomoku FILE` compares these rules with games recorded with
OpenSpiel, on a board of any size.

## Version history

- v0: first version.

## Sources

T. Cazenave, "Monte Carlo Permutation Search" (2025), for the codes of moves and the 9x9
board. The paper does not say whether a line of more than five wins; we assume that it
does.
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
