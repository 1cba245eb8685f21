"""# Othello.

| | |
|---|---|
| Import | `from mcts_agents.envs import othello` |
| Ids | `mcts_agents/othello-v0` (AEC and parallel) |
| Actions | Discrete |
| Agents | 2: `player_0` (black, X), `player_1` (white, O) |
| Action shape | 65 |
| Observation shape | (3, 8, 8) |
| Observation values | 0, 1 |
| Moves | in turn |
| Hidden information, chance | none |

The players take turns to put discs of their colour on the empty squares of an 8x8
board. Every disc played must capture: along a row, a column or a diagonal, an unbroken
line of one or more of the opponent's discs must lie between the new disc and another
disc of the player. All captured discs are turned over and become the player's. A player
who cannot capture must pass; otherwise passing is not allowed. The game ends as soon as
neither player can capture. The player with more discs wins; equal numbers are a draw.

Player 0 has e4 and d5 at the start, player 1 has d4 and e5, and player 0 moves first.

## Observation space

`{"observation", "action_mask"}`. The observation is int8 of shape (3, 8, 8): planes of
the board, rows from the top, columns from the left.

| plane | 1 where |
|---|---|
| 0 | my discs are |
| 1 | the opponent's discs are |
| 2 | everywhere, if I am to move |

The mask is 1 for legal actions of the player to move, and all zeros for the opponent.

## Action space

| action | text | what it does |
|---|---|---|
| row * 8 + column | `d3` | puts a disc on that square |
| 64 | `pass` | nothing; legal only if the player cannot capture |

The letter is the column and the number the row, both from the top left.

## Rewards

| won | drawn | lost |
|---|---|---|
| +1 | 0 | -1 |

Rewards come at the end of the game and are 0 before. In `env`, an illegal action ends
the game with -1 for the player and 0 for the opponent; in `raw_env` and `parallel_env`,
it raises an error.

## Options

`env(render_mode=None, players=2, evaluation="mobility")`

- `evaluation`: what the evaluation of an unfinished position compares.
    - `"mobility"`: a weighted sum over three counts: the squares on which a player can
      play (weight 0.35), the empty squares beside the opponent's discs (0.15), and the
      player's stable discs (0.5), here those connected along the edges to a corner that
      the player holds. For each count, the difference between the players is divided by
      the sum. These are the features of P. S. Rosenbloom's program IAGO (1982), in a
      simpler form; the weights are this package's own.
    - `"discs"`: the difference in discs divided by 64.

The result of either comparison lies between -1 and 1, and is then rescaled to the range
from 0 to 1.

## Scores and action values

For searches that use scores, a player's score is the number of the player's discs. The
value of an action is the weight of its square in P. Norvig's table, rescaled so that
the squares diagonally next to a corner have 0 and the corners have 1; a pass is worth
0.5. A turn is one disc played, and a round is two; passes do not count.

## Recorded games

`mcts-agents verify othello FILE` compares these rules with games recorded with
OpenSpiel.

## Version history

- v0: first version.

## Sources

G. Hasegawa, Othello (1971), after Reversi (1883). P. S. Rosenbloom, "A
World-Championship-Level Othello Program", Artificial Intelligence 19 (1982). P. Norvig,
"Paradigms of Artificial Intelligence Programming" (1992), chapter 18.
"""

from mcts_agents.envs.environment import environments
from mcts_agents.envs.game import Game
from mcts_agents.envs.othello.draw import ansi, paint, regions, size
from mcts_agents.envs.othello.notation import (
    format_action,
    parse_action,
    recorded_variant,
)
from mcts_agents.envs.othello.rules import rules

GAME = Game(
    name="othello",
    version=0,
    title="Othello",
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
